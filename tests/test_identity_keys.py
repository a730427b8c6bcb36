"""The keys of papers that compete for one."""

from __future__ import annotations

from kg.identity.keys import keys
from kg.model import Record, Source

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
