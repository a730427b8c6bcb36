"""Which records are one paper.

Records are one paper when they share an arXiv identifier, a DOI or a folded title. A record
without a title joins the paper whose abstract its own is a wording of; it never joins two
papers together. The result does not depend on the order of the records.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kg.model import Record
from kg.text import fold, plain

# A title of one or two words ("Editorial", "Reply to") is shared by papers that have nothing
# to do with each other: it speaks only together with the beginning of the abstract.
_TELLING_TITLE_WORDS = 3
_OPENING_WORDS = 8

MOST_TITLES = 3  # of one paper

# The share of the shorter abstract's runs of four words that the longer one has too. A copy
# with a sentence rewritten keeps over 0.8 of them; two papers on one subject stay under 0.2.
_SHINGLE = 4
_SAME_ABSTRACT = 0.7
_LEAST_WORDS = 20


def record_order(record: Record) -> tuple[str | int, ...]:
    """The order in which records are looked at, whatever the order of the inputs."""
    source = record.source
    return (
        source.name,
        source.format,
        source.author,
        source.stated or 0,
        source.page or 0,
        record.position,
        record.line,
        record.raw,
    )


@dataclass(frozen=True, slots=True)
class _Folded:
    """A record with what it is compared by."""

    record: Record
    title: str
    abstract: str

    def shared(self) -> Iterator[Hashable]:
        """What it shares with other records of the same paper."""
        if self.record.arxiv:
            yield "arxiv", self.record.arxiv
        if self.record.doi:
            yield "doi", self.record.doi
        if self.title:
            yield "title", title_key(self.record)


def title_key(record: Record) -> str:
    """What a record with a title is known by where it has no identifier.

    A title of one or two words is taken to the letter ("C++" is not "C"), and needs the
    beginning of the abstract beside it or, where there is none, authors and year.
    """
    title = fold(record.title)
    if is_telling(title):
        return title
    title = " ".join(plain(record.title).text.casefold().split()) or record.title.strip()
    opening = " ".join(comparable(record.abstract).split()[:_OPENING_WORDS])
    return " / ".join([title, opening or " ".join([str(record.year), *sorted(record.authors)])])


def comparable(text: str) -> str:
    """The folded text; the text itself where it has no letters or digits."""
    return fold(text) or " ".join(text.split())


def titles_of_identifiers(records: Iterable[Record]) -> dict[tuple[str, str], set[str]]:
    """For each arXiv identifier and DOI, ("doi", "10.1/x"), the folded titles it comes with."""
    titles: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in records:
        for kind, name in (("arxiv", record.arxiv), ("doi", record.doi)):
            if name and record.title:
                titles[kind, name].add(comparable(record.title))
    return titles


def trusted(records: Iterable[Record]) -> list[Record]:
    """The records, without identifiers that stand for no single paper.

    Sources give papers the DOI of their proceedings. One identifier with more than three titles
    is taken for such; a paper may change its title now and then.
    """
    records = list(records)
    titles = titles_of_identifiers(records)
    shared = {key for key, found in titles.items() if len(found) > MOST_TITLES}
    return [
        replace(
            record,
            arxiv="" if ("arxiv", record.arxiv) in shared else record.arxiv,
            doi="" if ("doi", record.doi) in shared else record.doi,
        )
        for record in records
    ]


def group(records: Iterable[Record]) -> list[tuple[Record, ...]]:
    """Part records into papers; records inside a paper are in `record_order`."""
    titled: list[_Folded] = []
    untitled: list[_Folded] = []
    for record in sorted(records, key=record_order):
        folded = _Folded(record, comparable(record.title), comparable(record.abstract))
        (titled if folded.title else untitled).append(folded)
    papers = _attach(_join(titled), untitled)
    return [
        tuple(sorted((folded.record for folded in paper), key=record_order)) for paper in papers
    ]


def is_telling(title: str) -> bool:
    """Whether a folded title is enough to know a paper by."""
    return len(title.split()) >= _TELLING_TITLE_WORDS


def _join(records: Sequence[_Folded]) -> list[list[_Folded]]:
    """Part records into classes: those with a key in common are together."""
    leader = list(range(len(records)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    first: dict[Hashable, int] = {}
    for i, record in enumerate(records):
        for key in record.shared():
            a, b = sorted((find(first.setdefault(key, i)), find(i)))
            leader[b] = a
    classes: dict[int, list[_Folded]] = defaultdict(list)
    for i, record in enumerate(records):
        classes[find(i)].append(record)
    return list(classes.values())


def _attach(papers: list[list[_Folded]], untitled: list[_Folded]) -> list[list[_Folded]]:
    """Give each record without a title to the paper that has its abstract, or to one of its own."""
    by_key: dict[Hashable, int] = {}
    index: dict[str, set[int]] = defaultdict(set)
    wordings: list[list[str]] = []

    def add(record: _Folded, place: int) -> None:
        _add_wording(record.abstract, place, wordings, index)
        for key in record.shared():
            by_key.setdefault(key, place)

    for place, paper in enumerate(papers):
        wordings.append([])
        for record in paper:
            add(record, place)
    # The fullest first: a beginning of it that comes later finds the whole.
    for record in sorted(untitled, key=lambda r: (-len(r.abstract), record_order(r.record))):
        found = next((by_key[key] for key in record.shared() if key in by_key), None)
        if found is None:
            found = _best(record.abstract, wordings, index)
        if found is None:
            found = len(papers)
            papers.append([])
            wordings.append([])
        papers[found].append(record)
        add(record, found)
    return papers


def _add_wording(
    abstract: str, place: int, wordings: list[list[str]], index: dict[str, set[int]]
) -> None:
    if abstract and abstract not in wordings[place]:
        wordings[place].append(abstract)
        for block in _blocks(abstract):
            index[block].add(place)


def _blocks(abstract: str) -> tuple[str, str]:
    """What two wordings of an abstract share at least one of: how it begins, how it ends."""
    words = abstract.split()
    return (
        "^" + " ".join(words[:_OPENING_WORDS]),
        "$" + " ".join(words[-_OPENING_WORDS:]),
    )


def _best(abstract: str, wordings: list[list[str]], index: dict[str, set[int]]) -> int | None:
    places = {place for block in _blocks(abstract) for place in index.get(block, ())}
    ranked = sorted(
        (-max(likeness(abstract, other) for other in wordings[place]), wordings[place], place)
        for place in places
    )
    return ranked[0][2] if ranked and -ranked[0][0] >= _SAME_ABSTRACT else None


def likeness(a: str, b: str) -> float:
    """How far two folded abstracts are one text, from 0 to 1.

    The containment of the shorter one's word shingles in the longer one (A. Broder, On the
    resemblance and containment of documents, 1997). A text that is the beginning of another
    gets 1; texts of under 20 words are alike only when equal.
    """
    if a == b:
        return 1.0
    short, long = sorted((a, b), key=len)
    if len(short.split()) < _LEAST_WORDS:
        return 0.0
    if long.startswith(short):
        return 1.0
    shingles, others = _shingles(short), _shingles(long)
    shared = sum((shingles & others).values())
    return shared / max(1, sum(shingles.values()))


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1))
