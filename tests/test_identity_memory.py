"""Linking holds little of each record besides the record itself."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from kg.identity import evidence, papers
from kg.identity.blocks import Blocks
from kg.model import Record, Source

ROWS = Source("rows.jsonl", "json-lines")


def records(number: int) -> list[Record]:
    """Records of papers of their own; some titles begin or end alike, some are missing."""
    draw = random.Random(number)
    words = [f"{a}{b}ing" for a in "bcdfghklmnprstvw" for b in ("an", "el", "is", "ol", "um")]
    found = []
    for i in range(number):
        title = " ".join(draw.sample(words, 6)) if i % 50 else ""
        abstract = " ".join(draw.choices(words, k=40))
        authors = (f"Ada {draw.choice(words).title()}", "Bo Frei")
        found.append(
            Record(ROWS, i, i, title, title, abstract, f"r{i}", authors=authors, year=2000)
        )
    return found


def on_top(number: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The papers of so many records, and the most bytes held in linking them."""
    monkeypatch.setattr(papers, "_HELD", 64)  # so that no cache grows from the one to the other
    given = records(number)
    evidence.folded_abstract.cache_clear()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    found = sum(1 for _ in papers.link(given))
    most = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return found, most


def test_memory_of_linking_hardly_grows_with_the_records(monkeypatch: pytest.MonkeyPatch):
    few, less = on_top(2000, monkeypatch)
    many, more = on_top(10_000, monkeypatch)
    assert (few, many) == (2000, 10_000)
    assert (more - less) / 8000 < 100  # bytes a record


def test_blocks_have_the_numbers_of_one_key_and_kind():
    blocks = Blocks()
    blocks.add([("title", "b", 3), ("title", "a", 2), ("title", "a", 1), ("title", "a", 2)])
    blocks.add([("end", "b", 5), ("title", "c", 4), ("title", "\ud800", 7), ("title", "\ud800", 8)])
    assert sorted(blocks.of("title")) == [[1, 2], [7, 8]]
    assert list(blocks.of("end")) == []
