"""Parting things into classes by joins of two, with pairs that must stay apart.

Papers, people and concepts are all found this way. The joins are taken in one fixed order, the
strongest first, so that the outcome does not depend on the order in which they are found; a
join that would bring a forbidden pair into one class, also through a third, is refused.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Join:
    """A reason for two things, known by their numbers, to be one."""

    strength: int  # the lower the stronger; 0 is a person's own word
    a: int
    b: int
    rule: str = ""  # the name of a rule of the ontology, "SameDoi"
    value: str = ""  # what the two share, "10.1000/1"


@dataclass(frozen=True, slots=True)
class Parted:
    """The classes, and what became of the joins."""

    # For each number the first of its class: what a class is known by. Most things are alone, and
    # a class of one takes no more memory than this.
    first: Sequence[int]
    made: tuple[Join, ...]  # those that made one class of two, in the order in which they were
    refused: tuple[Join, ...]  # those that would have brought a forbidden pair together

    def classes(self) -> Iterator[tuple[int, ...]]:
        """The classes, each sorted, in the order of their first members."""
        others: dict[int, list[int]] = defaultdict(list)
        for i, first in enumerate(self.first):
            if i != first:
                others[first].append(i)
        for i, first in enumerate(self.first):
            if i == first:
                yield (i, *others.pop(i, ()))


def part(size: int, joins: Iterable[Join], never: Iterable[tuple[int, int]] = ()) -> Parted:
    """Part the numbers from 0 to `size` - 1.

    Things end up in one class where a chain of joins leads from one to the other and no
    forbidden pair stands in the way. Takes time in line with the joins, sorting aside.
    """
    leader = array("q", range(size))
    weight = array("q", [1]) * size
    apart: dict[int, set[int]] = defaultdict(set)  # leader of a class -> leaders it never meets
    for a, b in never:
        if a == b:
            raise ValueError(f"{a} cannot be kept apart from itself")
        apart[a].add(b)
        apart[b].add(a)

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    made, refused = [], []
    for join in sorted(joins):
        big, small = find(join.a), find(join.b)
        if big == small:
            continue
        if small in apart[big] if big in apart else False:
            refused.append(join)
            continue
        if weight[big] < weight[small]:
            big, small = small, big
        leader[small] = big
        weight[big] += weight[small]
        for other in apart.pop(small, ()):
            apart[other].discard(small)
            apart[other].add(big)
            apart[big].add(other)
        made.append(join)
    least = array("q", [size]) * size  # of the class that each leads
    for i in range(size):
        leading = find(i)
        least[leading] = min(least[leading], i)
    first = array("q", (least[find(i)] for i in range(size)))
    return Parted(first, tuple(made), tuple(refused))
