"""Which of the likely spans of a record are its mentions, and how sure that is.

A logistic regression reads a span's probability together with what the record says
elsewhere: the same phrase in other places, spans that compete for the same words, the first
and last word, brackets. Its output is the calibrated confidence of a mention.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model.network import Found

FEATURES = 19
# Heads that the guide drops behind a full name (../shared/gold/GUIDE.md, extent 2).
_GENERIC_HEAD = re.compile(
    r"(?:task|problem|setting|algorithm|method|technique|framework|paradigm|scheme|mechanism"
    r"|procedure|skill|pipeline|system|tool|dataset|model)s?"
    r"|approach(?:es)?|capabilit(?:y|ies)|strateg(?:y|ies)"
)


def key(words: Sequence[str]) -> str:
    """What two mentions of one phrase have in common: letters and digits, last word singular."""
    parts = "".join(c if c.isalnum() else " " for c in " ".join(words).lower()).split()
    if parts:
        last = parts[-1]
        if len(last) > 4 and last.endswith("ies"):
            last = last[:-3] + "y"
        elif len(last) > 4 and last.endswith(("sses", "xes", "ches", "shes")):
            last = last[:-2]
        elif len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is")):
            last = last[:-1]
        parts[-1] = last
    return " ".join(parts)


def describe(words: Sequence[str], titles: int, spans: Sequence[Found]) -> NDArray[np.float64]:
    """(n, 19) features of n spans over `words`, of which the first `titles` are the title."""
    odds = [_logit(s.probability) for s in spans]
    elsewhere = _elsewhere([key(words[s.start : s.end]) for s in spans], odds)
    rivals = _rivals(spans)
    out = np.zeros((len(spans), FEATURES))
    for i, s in enumerate(spans):
        against = [odds[j] for j in rivals[i]]
        size = s.end - s.start
        first, last = words[s.start], words[s.end - 1]
        out[i] = (
            odds[i],
            *elsewhere[i],
            max(against, default=-6.0),
            bool(against),
            s.end <= titles,
            size == 1,
            size == 2,
            size >= 4,
            _GENERIC_HEAD.fullmatch(last.lower()) is not None,
            first[:1].isupper(),
            sum(c.isupper() for c in first) > 1,
            s.start > 0 and words[s.start - 1] in ("(", "["),
            s.end < len(words) and words[s.end] in (")", "]"),
            s.scores[5],
            max(s.scores[:5]),
        )
    return out


def choose(
    spans: Sequence[Found], confidence: NDArray[np.float64], least: float
) -> tuple[Found, ...]:
    """The spans that do not overlap, the surest first, as mentions in text order.

    `confidence` takes the place of their probability; those under `least` are left out.
    """
    taken: set[int] = set()
    out: list[Found] = []
    for i in sorted(range(len(spans)), key=lambda i: (-confidence[i], i)):
        place = range(spans[i].start, spans[i].end)
        if confidence[i] >= least and taken.isdisjoint(place):
            taken.update(place)
            out.append(replace(spans[i], probability=float(confidence[i])))
    return tuple(sorted(out, key=lambda s: s.start))


def _elsewhere(
    keys: Sequence[str], odds: Sequence[float]
) -> list[tuple[float, float, float, bool, float]]:
    """Of the other spans with the key of each span: the odds' mean, most, least; their number.

    In time that grows with the number of spans, however many share a key.
    """
    same: dict[str, list[int]] = defaultdict(list)
    for i, k in enumerate(keys):
        same[k].append(i)
    out = [(0.0, 0.0, 0.0, False, 0.0)] * len(keys)
    for group in same.values():
        number = len(group) - 1
        if not number:
            continue
        total = math.fsum(odds[i] for i in group)
        ranked = sorted(group, key=lambda i: odds[i])
        for i in group:
            most = odds[ranked[-2] if i == ranked[-1] else ranked[-1]]
            least = odds[ranked[1] if i == ranked[0] else ranked[0]]
            mean = (total - odds[i]) / number
            out[i] = (mean, most, least, True, math.log1p(number))
    return out


def _rivals(spans: Sequence[Found]) -> list[list[int]]:
    """Indexes of the spans that overlap each span; `spans` are sorted by start."""
    out: list[list[int]] = [[] for _ in spans]
    for i, s in enumerate(spans):
        for j in range(i + 1, len(spans)):
            if spans[j].start >= s.end:
                break
            out[i].append(j)
            out[j].append(i)
    return out


def _logit(p: float) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))
