"""Texts without a title: which paper each belongs to, by its abstract."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kg.identity.blocks import Blocks
from kg.identity.classes import Join, Parted
from kg.identity.evidence import WEAK, Facts, folded_abstract, same_text
from kg.identity.wordings import OPENING_WORDS
from kg.text import fold

# Of an abstract's ends, as much as surely holds the words that it is found by.
_END = 400
_MOST = 60  # records with one end that are all compared

Known = Callable[[int], Facts]  # a record by its number
Class = tuple[list[int], list[Join]]  # the numbers of records, and why they are one paper


def ends(abstract: str) -> tuple[str, str]:
    """What two wordings of an abstract share at least one of: how it begins, how it ends."""
    return (
        "^" + " ".join(fold(abstract[:_END]).split()[:OPENING_WORDS]),
        "$" + " ".join(fold(abstract[-_END:]).split()[-OPENING_WORDS:]),
    )


def attached(
    known: Known,
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
    papers = _papers(known, parted, loose, made, never)
    alone = {members[0] for members in loose}
    for members in parted.classes():
        if members[0] not in alone:
            yield papers.pop(members[0], (list(members), made.get(members[0], [])))
    yield from papers.values()


def _papers(
    known: Known,
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
    near = _neighbours(known, len(parted.first), {i for members in loose for i in members})
    place = {j: parted.first[j] for found in near.values() for j in found if j not in near}
    wanted = set(place.values())
    papers: dict[int, Class] = {
        members[0]: (list(members), made.get(members[0], []))
        for members in parted.classes()
        if members[0] in wanted
    }
    apart: dict[int, set[int]] = defaultdict(set)
    for a, b in never:
        apart[a].add(b)
        apart[b].add(a)
    # The fullest first: a beginning of it that comes later finds the whole.
    for members in sorted(loose, key=lambda c: (-max(_length(known(i)) for i in c), c)):
        joins = made.get(members[0], [])
        barred = {other for i in members for other in apart.get(i, ())}
        ranked = []
        for i in members:
            for j in near.get(i, ()):
                if j in place and (found := same_text(known(i), known(j))):
                    home = papers[place[j]][0]
                    if barred and not barred.isdisjoint(home):
                        continue
                    if not _two_on_arxiv(known, members, home):
                        ranked.append((-found, home[0], j, i))
        if ranked:
            least, _, j, i = min(ranked)
            own, why = papers[place[j]]
            join = Join(WEAK + 2, min(i, j), max(i, j), "SameAbstract", f"{-least:.2f}")
            papers[place[j]] = sorted([*own, *members]), [*why, *joins, join]
            place |= dict.fromkeys(members, place[j])
        else:
            papers[members[0]] = list(members), joins
            place |= dict.fromkeys(members, members[0])
    return papers


def _neighbours(known: Known, size: int, loose: set[int]) -> dict[int, set[int]]:
    """For each loose record the others that share an end of its abstract.

    Of many that do, only those that stand next to it in the order of their abstracts, read from
    that end: so a text and its beginning are still neighbours.
    """
    blocks = Blocks()
    blocks.add(
        ("^$"[at], end, i)
        for i in range(size)
        if known(i).record.abstract
        for at, end in enumerate(ends(known(i).record.abstract))
    )
    near: dict[int, set[int]] = {i: set() for i in loose}
    for kind in "^$":
        for block in blocks.of(kind):
            if loose.isdisjoint(block):
                continue
            if len(block) > _MOST:
                way = 1 if kind == "^" else -1
                block.sort(key=lambda i: (folded_abstract(known(i).record.abstract)[::way], i))
            reach = len(block) if len(block) <= _MOST else _MOST // 2
            for n, i in enumerate(block):
                if i in loose:
                    near[i].update(block[max(0, n - reach) : n], block[n + 1 : n + 1 + reach])
    return near


def _two_on_arxiv(known: Known, members: Iterable[int], others: Iterable[int]) -> bool:
    """Whether two classes of records have arXiv identifiers, and none in common."""
    ours = {known(i).record.arxiv for i in members} - {""}
    theirs = {known(i).record.arxiv for i in others} - {""} if ours else set()
    return bool(theirs) and ours.isdisjoint(theirs)


def _length(found: Facts) -> int:
    return len(folded_abstract(found.record.abstract))
