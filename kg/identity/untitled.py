"""Texts without a title: which paper each belongs to, by its abstract."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kg.identity import evidence
from kg.identity.blocks import Blocks
from kg.identity.classes import Join, Parted
from kg.identity.evidence import folded_abstract
from kg.identity.titles import read_title
from kg.identity.wordings import OPENING_WORDS, compare_abstracts
from kg.model import Record
from kg.text import fold

# Of an abstract's ends, as much as surely holds the words that it is found by.
_END = 400

Class = tuple[list[int], list[Join]]  # the numbers of records, and why they are one paper


def ends(abstract: str) -> tuple[str, str]:
    """What two wordings of an abstract share at least one of: how it begins, how it ends."""
    return (
        "^" + " ".join(fold(abstract[:_END]).split()[:OPENING_WORDS]),
        "$" + " ".join(fold(abstract[-_END:]).split()[-OPENING_WORDS:]),
    )


def attached(
    records: Sequence[Record],
    parted: Parted,
    untitled: set[int],
    never: Iterable[tuple[int, int]],
) -> Iterator[Class]:
    """The classes of records, those without a title given to the papers that have their abstract.

    `untitled` has the records without a title. Papers with a title come first, in the order of
    their first records; then texts that belong to none of them.
    """
    made: dict[int, list[Join]] = defaultdict(list)
    for join in parted.made:
        made[parted.first[join.a]].append(join)
    loose = [c for c in parted.classes() if untitled.issuperset(c)] if untitled else []
    papers = _papers(records, parted, loose, made, never)
    alone = {members[0] for members in loose}
    for members in parted.classes():
        if members[0] not in alone:
            yield papers.pop(members[0], (list(members), made.get(members[0], [])))
    yield from papers.values()


def _papers(
    records: Sequence[Record],
    parted: Parted,
    loose: Sequence[tuple[int, ...]],
    made: Mapping[int, list[Join]],
    never: Iterable[tuple[int, int]],
) -> dict[int, Class]:
    """The papers that may have an abstract of `loose` classes, and those that these are.

    By the first record that each had before.
    """
    if not loose:
        return {}
    sharing = _Sharing(records, parted, {i for members in loose for i in members})
    papers: dict[int, Class] = {
        members[0]: (list(members), made.get(members[0], []))
        for members in parted.classes()
        if members[0] in sharing.papers
    }
    apart: dict[int, set[int]] = defaultdict(set)
    for a, b in never:
        apart[a].add(b)
        apart[b].add(a)
    # The fullest first: a beginning of it that comes later finds the whole.
    for members in sorted(loose, key=lambda c: (-max(_length(records[i]) for i in c), c)):
        joins = made.get(members[0], [])
        best = _best(records, members, papers, sharing, apart)
        if best is None:
            place = members[0]
            papers[place] = list(members), joins
        else:
            place, a, b, value = best
            found, why = papers[place]
            join = Join(evidence.WEAK + 2, min(a, b), max(a, b), "SameAbstract", value)
            papers[place] = sorted([*found, *members]), [*why, *joins, join]
        sharing.add(members, place)
    return papers


class _Sharing:
    """The papers that share an end of an abstract with a text without title, as they are found."""

    def __init__(self, records: Sequence[Record], parted: Parted, loose: set[int]) -> None:
        blocks = Blocks()
        blocks.add(
            ("end", end, i)
            for i, record in enumerate(records)
            if record.abstract
            for end in ends(record.abstract)
        )
        self.papers: set[int] = set()
        self._of: dict[int, list[set[int]]] = defaultdict(list)  # record -> papers, for each end
        for block in blocks.of("end"):
            if not loose.isdisjoint(block):
                papers = {parted.first[i] for i in block if i not in loose}
                self.papers |= papers
                for i in loose.intersection(block):
                    self._of[i].append(papers)

    def of(self, i: int) -> set[int]:
        """The papers that may have the abstract of a record."""
        return set().union(*self._of.get(i, ()))

    def add(self, members: Iterable[int], paper: int) -> None:
        """Let a paper be found by the abstracts of these records, too."""
        for i in members:
            for papers in self._of.get(i, ()):
                papers.add(paper)


def _length(record: Record) -> int:
    return len(folded_abstract(record.abstract))


def _best(
    records: Sequence[Record],
    members: Sequence[int],
    papers: Mapping[int, Class],
    sharing: _Sharing,
    apart: Mapping[int, set[int]],
) -> tuple[int, int, int, str] | None:
    """The paper most alike in its abstract, a record of each side, and the likeness."""
    barred = {other for i in members for other in apart.get(i, ())}
    ranked = []
    for i in members:
        abstract = folded_abstract(records[i].abstract)
        for place in sharing.of(i):
            if barred and not barred.isdisjoint(papers[place][0]):
                continue
            for j in papers[place][0]:
                other = folded_abstract(records[j].abstract)
                how, found = compare_abstracts(abstract, other)
                same = abstract == other and not read_title(records[j].title).key
                if how == "alike" or same:
                    ranked.append((-max(found, abstract == other), papers[place][0], j, i, place))
    if not ranked:
        return None
    found, _, j, i, place = min(ranked)
    return place, i, j, f"{-found:.2f}"
