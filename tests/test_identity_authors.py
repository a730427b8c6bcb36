"""How far two records have the same authors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg.identity.evidence import Facts, compare_authors, facts
from kg.model import Record, Source

NAMES = ["J. Ferreira", "Joao B. Ferreira", "Joao C. Ferreira", "Ferreira", "B. Silva", "X"]
lists = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)


def by(*authors: str) -> Facts:
    return facts(Record(Source("a.jsonl", "json-lines"), 1, 1, "", title="T", authors=authors))


@given(lists, lists)
def test_it_is_the_same_either_way_round(ours: list[str], theirs: list[str]) -> None:
    found = compare_authors(by(*ours), by(*theirs))
    assert compare_authors(by(*theirs), by(*ours)) == found
    assert compare_authors(by(*reversed(ours)), by(*theirs)) == found


def test_equal_names_come_first() -> None:
    a, b = by("J. Ferreira", "Joao B. Ferreira"), by("Joao B. Ferreira", "Joao C. Ferreira")
    assert compare_authors(a, b) == "same"
