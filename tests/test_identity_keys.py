"""The keys of papers that compete for one."""

from __future__ import annotations

from kg.identity import identify
from kg.identity.keys import keys
from kg.model import Extraction, Person, Record, Source

TITLE = "Lower bounds for online convex learning"


def record(position: int, **fields: object) -> Record:
    found = {"title": TITLE, **fields}
    return Record(Source("a.jsonl", "json-lines"), position, position, str(fields), **found)  # type: ignore[arg-type]


def test_a_key_that_becomes_free_leaves_the_former_one() -> None:
    """Another paper of the title has no DOI of its own at first, and later has."""
    ours, other = record(1, year=2019), record(2, year=2022, doi="10.1000/x")
    third = record(3, title="Another paper with this DOI", doi="10.1000/x")
    (before, _), *_ = keys([[ours], [other], [third]])
    assert before == f"text/{TITLE.lower()} / 2019"
    (now, former), (better, _) = keys([[ours], [other, third]])
    assert (now, better) == (f"title/{TITLE.lower()}", "doi/10.1000/x")
    assert former == (before,)


def test_a_key_that_nobody_else_could_have_has_no_others() -> None:
    assert keys([[record(1)]]) == [(f"title/{TITLE.lower()}", ())]


def test_the_second_of_a_name_keeps_an_iri_as_the_paper_gets_a_better_one() -> None:
    """Two authors of one name on a paper: the second is known by the paper."""
    authors = ("Wei Wang", "Wei Wang")
    alone = record(1, authors=authors, year=2020)
    better = record(2, authors=authors, year=2020, arxiv="2401.00001")
    before = {person.key for person in people([alone])}
    (second,) = before - {"wei wang"}
    (found,) = (person for person in people([alone, better]) if person.key != "wei wang")
    assert found.key != second
    assert second in found.former


def people(records: list[Record]) -> tuple[Person, ...]:
    return identify(records, lambda title, abstract: Extraction()).people
