"""From the joins that made a class to the grounds that the graph keeps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from kg.identity.classes import Join
from kg.model import Ground, Record


def grounds(joins: Iterable[Join], records: Sequence[Record]) -> tuple[Ground, ...]:
    """One ground for each rule and value, with the records that it joined.

    `records` are what the numbers in the joins stand for.
    """
    members: dict[tuple[str, str], set[int]] = defaultdict(set)
    for join in joins:
        members[join.rule, join.value] |= {join.a, join.b}
    return tuple(
        Ground(rule, value, tuple(records[i] for i in sorted(numbers)))
        for (rule, value), numbers in sorted(members.items())
    )
