"""Papers whose titles are nearly one, where a source names no authors."""

from __future__ import annotations

from kg.identity.papers import link
from kg.model import Record, Source

TITLE = "Removing the loss spikes of lean transformers in training"
ABSTRACT = " ".join(f"word{i}" for i in range(30))


def row(title: str, **fields: object) -> Record:
    return Record(Source(f"{title} {fields}", "json-lines"), 1, 1, title, title=title, **fields)


def works(*records: Record) -> int:
    assert [w.records for w in link(records)] == [w.records for w in link(records[::-1])]
    return len(list(link(records)))


def test_one_abstract_joins_a_near_title_without_authors():
    whole = row(TITLE, abstract=ABSTRACT, authors=("Ada Bo",), year=2020)
    slip = TITLE.replace("transformers", "transfomers")
    assert works(whole, row(slip, abstract=ABSTRACT)) == 1
    assert works(row(TITLE, abstract=ABSTRACT), row(slip, abstract=ABSTRACT)) == 1
    assert works(whole, row(slip)) == 2
    assert works(whole, row(slip, abstract=ABSTRACT.replace("word", "other"))) == 2
    assert works(whole, row(slip, abstract=ABSTRACT, authors=("Cy Em", "Di Fo"))) == 2
