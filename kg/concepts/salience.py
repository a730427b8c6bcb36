"""Whether a record is about a concept, and whether it coins it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kg.concepts.lexicon import log_odds, weights
from kg.concepts.phrases import Word

_LEAST_MAIN = -0.4  # log-odds; where precision and recall balance best
_WINDOW = 5  # words before a mention that may say that it is coined


class Place(NamedTuple):
    """One mention in its surroundings."""

    title: bool
    share: float  # how far into its field the mention stands, 0 to 1
    words: int  # length of the mention
    before: tuple[str, ...]  # the words before, nearest first, in lower case
    after: str  # the word behind, in lower case
    capital: bool
    first: bool  # of its field


def place(title: bool, words: Sequence[Word], start: int, end: int) -> Place:
    """The surroundings of words[start:end]."""
    return Place(
        title,
        start / max(1, len(words)),
        end - start,
        tuple(w.text.lower() for w in reversed(words[max(0, start - _WINDOW) : start])),
        words[end].text.lower() if end < len(words) else "$",
        not words[start].text.islower(),
        start == 0,
    )


def main_features(places: Sequence[Place], kind: str) -> list[str]:
    """What is asked for being about a concept."""
    titles = [p for p in places if p.title]
    body = [p for p in places if not p.title]
    earliest = min((p.share for p in body), default=1.0)
    latest = max((p.share for p in body), default=0.0)
    features = [
        f"count {min(5, len(body))} title {bool(titles)}",
        f"from {int(earliest * 5)} title {bool(titles)}",
        f"to {int(latest * 5)}",
        f"kind {kind}",
        f"kind {kind} count {min(3, len(places))}",
        f"words {min(3, places[0].words)} capital {places[0].capital}",
    ]
    features += [f"near {word}" for word in sorted({w for p in places for w in p.before[:3]})]
    return features


def introduced_features(places: Sequence[Place], kind: str) -> list[str]:
    """What is asked for coining a concept."""
    title = any(p.title for p in places)
    colon = any(p.title and p.first and p.after == ":" for p in places)
    near = {w for p in places for w in p.before}
    return [
        f"colon {colon}",
        f"count {min(4, len(places))} title {title}",
        f"kind {kind} title {title}",
        f"capital {places[0].capital} words {min(3, places[0].words)}",
        f"we {'we' in near}",
        *(f"before {word}" for word in sorted({p.before[0] for p in places if p.before})),
        *(f"near {word}" for word in sorted(near)),
        *(f"after {word}" for word in sorted({p.after for p in places})),
    ]


def is_main(places: Sequence[Place], kind: str) -> bool:
    """Whether the record is about the concept with these mentions."""
    return log_odds(weights("main"), main_features(places, kind)) > _LEAST_MAIN


def is_introduced(places: Sequence[Place], kind: str) -> bool:
    """Whether the record coins the concept with these mentions."""
    return log_odds(weights("introduced"), introduced_features(places, kind)) > 0
