"""Looking into the index: which things are called so, or nearly so.

What is found comes in this order, and within it the weightiest first:

    exact     a label, another name or an identifier is what was asked for
    prefix    a name begins with its words
    words     a name has all its words
    prefix    a name begins with it, but that the last word is only begun
    words     a name has all its words, the last of them only begun
    similar   the same with a slip or two in the words, or, of three or more, without one

Whole words go before those that are only begun, whatever the kind of a thing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.search.making import VERSION, key
from kg.search.things import KINDS
from kg.search.words import (
    MOST_WORDS,
    asked,
    bare,
    distance,
    fold,
    grams,
    joined,
    singular,
    together,
    words,
)

EXACT, PREFIX, WORDS, SIMILAR = "exact", "prefix", "words", "similar"

# Ranks of what is not called so: all words are there; the last is, or all are, only begun.
_WHOLE = (3, 4)
_BEGUN = (5, 6, 7)

_ENOUGH = 5  # things found without slips, so that none need be looked for with them
_CANDIDATES = 60  # words that are measured letter by letter
_ALTERNATIVES = 8  # words that one with slips may stand for
_NAMES = 6  # names that are read for each thing that is wanted


@dataclass(frozen=True, slots=True)
class Hit:
    """A thing that was found."""

    kind: str  # one of KINDS
    iri: str
    label: str
    match: str  # EXACT, PREFIX, WORDS or SIMILAR
    name: str  # what it is called that was found: the label, another name, an identifier
    weight: int  # papers; of a paper its date as YYYYMMDD, 0 where it has none
    note: str  # types of a concept, authors of a paper, notation of a category
    rank: int  # the lower the better; things of one rank up to 2 are named equally well


@dataclass(frozen=True, slots=True)
class Name:
    """One of the names of a thing."""

    name: str
    preferred: bool
    iri: str
    kind: str


class Index:
    """An index that is open, for one thread at a time."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        self._base: str = file.execute("SELECT base FROM about").fetchone()[0]

    @classmethod
    def open(cls, path: Path) -> Index | None:
        """Open an index; None where there is none, or one of another version of kg."""
        with suppress(sqlite3.Error):
            file = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1",
                uri=True,
                check_same_thread=False,
            )
            with suppress(sqlite3.Error):
                if file.execute("PRAGMA user_version").fetchone()[0] == VERSION:
                    return cls(file)
            file.close()
        return None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def search(self, text: str, kinds: Sequence[str] = KINDS, limit: int = 8) -> list[Hit]:
        """The best `limit` things of each kind, kind by kind; kinds with better ones go first."""
        text = asked(text)
        wanted = words(text)[:MOST_WORDS]
        found = {kind: self._exact(text, kind) for kind in kinds}
        for kind in kinds if wanted else ():
            for rank, match, query in _queries(wanted, kind):
                if len(found[kind]) < limit:
                    self._add(found[kind], kind, rank, match, query, limit)
        hits = [hit for things in found.values() for hit in things.values()]
        enough = _ENOUGH if len(wanted) < 3 else 1
        if wanted and len(hits) < enough and best(hits) is None:
            self._add_similar(found, wanted, limit)
        if len(wanted) > 2 and not any(found.values()):
            for kind in kinds:
                for left_out in range(len(wanted)):
                    kept = wanted[:left_out] + wanted[left_out + 1 :]
                    self._add(found[kind], kind, 20, SIMILAR, _all_of(kept, kind), limit)
        groups = [list(things.values())[:limit] for things in found.values() if things]
        groups.sort(key=lambda hits: _quality(hits[0].rank))
        return [hit for hits in groups for hit in hits]

    def named(self, name: str, kinds: Iterable[str]) -> Iterator[Name]:
        """Names that are `name` but for case, accents, hyphens, spaces and plural."""
        for kind in kinds:
            rows = self._file.execute(
                "SELECT name.text, label, iri FROM name JOIN thing ON thing.id = name.thing "
                "WHERE key = ? AND kind = ? ORDER BY name.id",
                (key(name, kind), kind),
            )
            for text, label, iri in rows:
                if bare(text or label, kind) == bare(name, kind):
                    yield Name(text or label, text is None, self._whole(iri), kind)
            rows = self._file.execute(
                "SELECT iri FROM identifier JOIN thing ON thing.id = identifier.thing "
                "WHERE key = ? AND kind = ?",
                (key(name, kind), kind),
            )
            for (iri,) in rows:
                yield Name(name, False, self._whole(iri), kind)

    def top(self, kind: str, number: int) -> list[str]:
        """The labels of the weightiest things of a kind."""
        rows = self._file.execute(
            "SELECT label FROM thing WHERE id >= (SELECT MIN(id) FROM thing WHERE kind = ?) "
            "AND kind = ? ORDER BY id LIMIT ?",
            (kind, kind, number),
        )
        return [label for (label,) in rows]

    def _whole(self, iri: str) -> str:
        return iri if "://" in iri else self._base + iri

    def _exact(self, text: str, kind: str) -> dict[int, Hit]:
        """Things that are called so, by their number."""
        rows = self._file.execute(
            "SELECT thing.id, label, iri, note, weight, name.text, name.id FROM name "
            "JOIN thing ON thing.id = name.thing WHERE key = ? AND kind = ? UNION ALL "
            "SELECT thing.id, label, iri, note, weight, ?, -1 FROM identifier "
            "JOIN thing ON thing.id = identifier.thing WHERE key = ? AND kind = ? ORDER BY 7",
            (key(text, kind), kind, text, key(text, kind), kind),
        )
        wanted, whole = bare(text, kind), fold(text)
        ranked = []
        for row in rows:
            name = row[5] or row[1]
            if wanted and bare(name, kind) == wanted:
                rank = int(row[5] is not None) if fold(name) == whole else 2
                ranked.append((rank, row))
        found: dict[int, Hit] = {}
        for rank, row in sorted(ranked, key=lambda pair: (pair[0], pair[1][6])):
            if row[0] not in found:
                found[row[0]] = self._hit(kind, row, EXACT, rank)
        return found

    def _add(
        self, found: dict[int, Hit], kind: str, rank: int, match: str, query: str, limit: int
    ) -> None:
        """Add things by a full text query, until there are `limit`."""
        for row in self._matching(kind, query, _NAMES * limit):
            if len(found) >= limit:
                break
            if row[0] not in found:
                found[row[0]] = self._hit(kind, row, match, rank)

    def _matching(self, kind: str, query: str, limit: int) -> Iterator[tuple[Any, ...]]:
        yield from self._file.execute(
            "SELECT thing.id, label, iri, note, weight, name.text "
            f"FROM words_{kind} JOIN name ON name.id = words_{kind}.rowid "
            f"JOIN thing ON thing.id = name.thing WHERE words_{kind} MATCH ? "
            f"ORDER BY words_{kind}.rowid LIMIT ?",
            (query, limit),
        )

    def _hit(self, kind: str, row: tuple[Any, ...], match: str, rank: int) -> Hit:
        _, label, iri, note, weight, name, *_ = row
        return Hit(kind, self._whole(iri), label, match, name or label, weight, note, rank)

    def _add_similar(self, found: dict[str, dict[int, Hit]], wanted: list[str], limit: int) -> None:
        """Add things whose names have words that are nearly the wanted ones, the nearest first."""
        least = 3 if len(wanted) > 1 else 4  # alone, three letters may be anything
        doubtful = [word for word in wanted if len(word) >= least and not self._known(word)]
        doubtful = doubtful or [word for word in wanted if len(word) >= least]
        choices = []
        for at, word in enumerate(wanted):
            near = self._near(word, at < len(wanted) - 1) if word in doubtful else {}
            choices.append({word: 0, **near})
        if all(len(choice) == 1 for choice in choices):
            return
        parts = [" OR ".join(f'"{word}"' for word in choice) for choice in choices]
        query = f'({") AND (".join(parts)} OR "{wanted[-1]}" *)'
        for kind, things in found.items():
            ranked = []
            for at, row in enumerate(self._matching(kind, query, _NAMES * limit)):
                name = str(row[5] or row[1])
                named = [*words(name), *joined(name)]
                slips = sum(_slips(choice, named) for choice in choices)
                ranked.append((slips, at, row))
            for slips, _, row in sorted(ranked, key=lambda ranked: ranked[:2]):
                if row[0] not in things and len(things) < limit:
                    things[row[0]] = self._hit(kind, row, SIMILAR, _BEGUN[-1] + slips)

    def _known(self, word: str) -> bool:
        """Whether it is a word of some name."""
        rows = self._file.execute(
            "SELECT 1 FROM gram JOIN word ON word.id = word WHERE letters = ? AND text = ?",
            (together(word), word),
        )
        return rows.fetchone() is not None

    def _near(self, word: str, whole: bool) -> dict[str, int]:
        """Words of the graph that `word` may stand for, with the number of slips."""
        most = 1 if len(word) < 8 else 2
        letters = sorted(grams(word))
        # A slip changes three of them at most, four where two letters have changed places,
        # but then all letters together are the same; what is only begun ends otherwise.
        least = max(1, len(letters) - 1 - 3 * most - (not whole))
        rows = self._file.execute(
            "SELECT text FROM (SELECT word, COUNT(*) AS shared FROM gram WHERE letters IN "
            f"({', '.join('?' * len(letters))}) GROUP BY word HAVING shared >= {least} "
            f"ORDER BY shared DESC, word LIMIT {_CANDIDATES}) "
            "JOIN word ON word.id = word ORDER BY word.id",
            letters,
        )
        found = []
        for at, (other,) in enumerate(rows):
            slips = distance(word, other, most)
            if slips > most and not whole:  # what is only begun is less sure
                slips = distance(word, other, most, whole=False) + 1
            if 0 < slips <= most + (not whole):
                found.append((slips, at, other))  # the more frequent word has the lower number
        return {other: slips for slips, _, other in sorted(found)[:_ALTERNATIVES]}


def _queries(wanted: Sequence[str], kind: str) -> list[tuple[int, str, str]]:
    """Full text queries for names without slips, the best first, each with its rank and match."""
    phrase = " ".join(wanted)
    begins = [(_WHOLE[0], PREFIX, f'^ "{phrase}"')]
    whole = [(_WHOLE[1], WORDS, _all_of(wanted, kind, begun=False))]
    begun = [(_BEGUN[0], PREFIX, f'^ "{phrase}" *'), (_BEGUN[1], WORDS, _all_of(wanted, kind))]
    if kind != "person":
        return begins + whole + begun
    # A family name says more than how a given name begins, which may be its initial only.
    return [*whole, *begun, (_BEGUN[2], WORDS, " AND ".join(f'"{word}" *' for word in wanted))]


def _quality(rank: int) -> int:
    """How good a rank is, whatever the kind of a thing: kinds with the same keep their order."""
    return next((end for end in (0, 1, 2, _WHOLE[-1], _BEGUN[-1]) if rank <= end), 99)


def _all_of(wanted: Sequence[str], kind: str, begun: bool = True) -> str:
    """A full text query for names with all words; `begun`: the last one may go on."""
    parts = []
    for at, word in enumerate(wanted):
        part = f'"{word}" *' if begun and at == len(wanted) - 1 else f'"{word}"'
        one = singular(word)
        if kind != "person" and one != word and len(one) > 2:
            part = f'({part} OR "{one}")'
        parts.append(part)
    return " AND ".join(parts)


def _slips(choice: dict[str, int], named: Sequence[str]) -> int:
    """How many slips part a word from those of a name; one that is only begun has one."""
    return min((slips for word, slips in choice.items() if word in named), default=1)


def best(hits: Sequence[Hit]) -> Hit | None:
    """The one that is called just so, where no other is called so just as well."""
    exact = sorted((hit for hit in hits if hit.match == EXACT), key=lambda hit: hit.rank)
    alone = exact and (len(exact) == 1 or exact[1].rank > exact[0].rank)
    return exact[0] if alone else None
