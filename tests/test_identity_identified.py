"""Records of one identifier, more than can be compared each with each."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.identity import evidence
from kg.identity.curation import Ruler
from kg.identity.curation_file import parse_curation
from kg.identity.evidence import facts
from kg.identity.identified import agreeing
from kg.identity.papers import link
from kg.model import Record, Source

SOURCE = Source("x.jsonl", "json-lines")
DOI = "10.1000/volume"
PAGE = Source("page.txt", "author-page", author="Ada Bo")
WORDS = [
    "bees",
    "deep",
    "forest",
    "graph",
    "kernel",
    "lean",
    "model",
    "of",
    "sparse",
    "the",
    "wild",
]
SENTENCES = [" ".join(random.Random(n).choices(WORDS, k=22)) for n in range(4)]
# Abstracts that share a half, a beginning, a few words, nothing.
ABSTRACTS = [
    "",
    "no abstract",
    "lean bees of the deep wild forest",
    *SENTENCES,
    *(f"{a} {b}" for a, b in combinations(SENTENCES, 2)),
    SENTENCES[0][:-3],
]
TITLES = [
    "",
    "Editorial",
    "Editorials",
    "Lean bees of the deep wild forest",
    "Lean bees of deep wild forests",
    "Lean bees of deep wild forest models",
    "Lean kernel graph training models for bees",
    "Lean kernel graph trainnig models for bees",
    "Sparse model of training 1",
    "Sparse model of training 2",
    "Data base",
    "Database",
]
AUTHORS = ["Ada Bo", "A. Bo", "Bo", "Ada Du", "Li Du", "X", "李明", "Anonymous"]


def texts(most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), max_size=most).map(" ".join)


records = st.builds(
    Record,
    source=st.sampled_from([SOURCE, PAGE]),
    position=st.integers(1, 99),
    line=st.just(1),
    raw=st.just(""),
    title=st.sampled_from(TITLES) | texts(6),
    abstract=st.sampled_from(ABSTRACTS)
    | st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    authors=st.lists(st.sampled_from(AUTHORS), max_size=3).map(tuple),
    more_authors=st.booleans(),
    year=st.none() | st.integers(2000, 2002),
)


def classes(size: int, pairs: Iterable[tuple[int, int]]) -> set[frozenset[int]]:
    of = {i: {i} for i in range(size)}
    for a, b in pairs:
        if of[a] is not of[b]:
            of[a] |= of[b]
            for i in of[b]:
                of[i] = of[a]
    return {frozenset(own) for own in of.values()}


@settings(max_examples=400)
@given(st.lists(records, max_size=12), st.booleans())
def test_as_if_each_were_compared_with_each(found: list[Record], sure: bool) -> None:
    known = [facts(record) for record in found]
    every = combinations(range(len(known)), 2)
    pairs = [(a, b) for a, b in every if evidence.agree(known[a], known[b], sure)]
    some = list(agreeing(range(len(known)), known.__getitem__, sure))
    assert set(some) <= set(pairs)
    assert classes(len(known), some) == classes(len(known), pairs)


@settings(max_examples=400)
@given(records, records, st.booleans())
def test_two(a: Record, b: Record, sure: bool) -> None:
    known = [facts(a), facts(b)]
    pairs = [(0, 1)] if evidence.agree(known[0], known[1], sure) else []
    assert list(agreeing([0, 1], known.__getitem__, sure)) == pairs


def volume(size: int) -> list[Record]:
    """Papers of one volume, each with its own title and author, under the volume's DOI."""
    syllables = ["ba", "ce", "di", "fo", "gu", "ha", "ke"]
    names = ["".join(name).title() for name in product(syllables, repeat=4)]
    return [
        Record(
            SOURCE,
            n + 1,
            n + 1,
            "",
            title=f"{names[n]} {names[-n - 1]} methods of {names[n + 7]}",
            authors=(f"{names[n]}son {names[n]}ski",),
            doi=DOI,
        )
        for n in range(size)
    ]


def test_the_papers_of_a_volume_stay_apart_and_copies_are_found() -> None:
    """As many as they are: what was one with two hundred is one with a thousand."""
    copies = [
        replace(volume(3)[2], position=5001, authors=("Someone Else",)),
        Record(SOURCE, 5002, 1, "", title="Lean bees", authors=("Ada Bo", "Li Du"), doi=DOI),
        Record(SOURCE, 5003, 1, "", title="Wild forests", authors=("Ada Bo", "Li Du"), doi=DOI),
    ]
    for size in (150, 1000):
        found = {work.records for work in link([*volume(size), *copies])}
        assert len(found) == size + 1
        assert tuple(copies[1:]) in found


def test_a_record_of_nothing_but_the_identifier_makes_one_of_all() -> None:
    stub = Record(SOURCE, 5001, 1, "", doi=DOI)
    (work,) = link([*volume(300), stub])
    assert len(work.records) == 301


def never(*positions: int) -> Ruler:
    first, *others = (f"x.jsonl, record {n}" for n in positions)
    text = "".join(f'[[never]]\npaper = ["{first}", "{other}"]\n' for other in others)
    return Ruler(parse_curation(text), lambda kind, key: f"https://example.org/{kind}/{key}")


def stubs(number: int) -> list[Record]:
    """Records of which any two are one paper by their DOI."""
    return [
        Record(SOURCE, 5001 + n, 1, "", title="BERT", doi=DOI, year=2018 + n) for n in range(number)
    ]


@pytest.mark.parametrize("apart", [(5001, 5002, 5003), (5003, 5001, 5002), (5002, 5003, 5001)])
def test_a_person_parts_only_whom_they_name(apart: tuple[int, ...]) -> None:
    """Neither where a record alike in all joined the others, nor in a large block."""
    for more in ([], volume(250)):
        found = [work.records for work in link([*more, *stubs(3)], never(*apart))]
        assert max(map(len, found)) == 2
        assert len(found) == len(more) + 2
