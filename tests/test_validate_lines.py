"""The triples of a store as N-Triples."""

from __future__ import annotations

import io
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Store,
    Triple,
    parse,
)

from kg.validate.lines import write_lines

XSD = "http://www.w3.org/2001/XMLSchema#"
NUMBERS = ["integer", "decimal", "double", "float", "boolean", "int", "date"]


def written(store: Store, threads: int = 2) -> set[Triple]:
    out = io.BytesIO()
    write_lines(store, out, threads)
    found = parse(out.getvalue(), RdfFormat.N_TRIPLES)
    return {Triple(one.subject, one.predicate, one.object) for one in found}


def held(store: Store) -> set[Triple]:
    return {quad.triple for quad in store}


# U+0000 to U+D7FF and what lies beyond the surrogates: all that RDF knows.
texts = st.text(st.characters(exclude_categories=["Cs"]))
nodes = st.sampled_from(
    [NamedNode("http://e/a"), NamedNode("http://e/\u00e9\u4e2d?x=\u00b7"), BlankNode("b")]
)
looking_like_rows = st.sampled_from(
    ["\t7\n", "\ttrue\n", "7", "true", "-0.5E3", "\\t", '"\t"', "."]
)
literals = st.one_of(
    st.builds(Literal, texts | looking_like_rows),
    st.builds(lambda text: Literal(text, language="en"), texts | looking_like_rows),
    st.builds(
        lambda text, kind: Literal(text, datatype=NamedNode(XSD + kind)),
        st.from_regex(r"[-+]?[0-9]{0,3}(\.[0-9]{0,2})?([eE]-?[0-9])?", fullmatch=True)
        | st.sampled_from(["true", "false", "1", "INF", "-INF", "NaN", "truth", ""]),
        st.sampled_from(NUMBERS),
    ),
)
predicates = st.sampled_from([*map(NamedNode, ("http://e/p", "http://e/\u00fc#p", "urn:p"))])
graphs = st.sampled_from([DefaultGraph(), NamedNode("http://e/g"), BlankNode("g")])


@settings(deadline=None, max_examples=300)
@given(st.lists(st.builds(Quad, nodes, predicates, nodes | literals, graphs)))
def test_all_triples_are_written_as_the_store_has_them(quads: list[Quad]) -> None:
    store = Store()
    store.extend(quads)
    assert written(store) == held(store)


def test_rows_longer_than_a_piece_and_pieces_of_many_rows() -> None:
    store, p = Store(), NamedNode("http://e/p")
    for number in range(20_000):
        store.add(Quad(NamedNode(f"http://e/{number}"), p, Literal(number)))
    store.add(Quad(NamedNode("http://e/long"), p, Literal("\t7\n" * 1_000_000)))
    store.add(Quad(NamedNode("http://e/long"), NamedNode("http://e/q"), Literal("x" * 3_000_000)))
    for threads in (1, 2, 8):
        assert written(store, threads) == held(store)


def test_whole_lines_are_written_each_time() -> None:
    pieces: list[bytes] = []

    class Taker(io.BytesIO):
        def write(self, some: bytes) -> int:  # type: ignore[override]
            pieces.append(some)
            return len(some)

    store = Store()
    for number in range(30_000):
        store.add(Quad(BlankNode(), NamedNode(f"http://e/{number % 7}"), Literal("x" * 20)))
    write_lines(store, Taker(), 4)
    assert len(pieces) > 7
    assert all(piece.endswith(b" .\n") for piece in pieces if piece)


def test_what_the_taker_raises_is_raised() -> None:
    class Full(io.BytesIO):
        def write(self, some: bytes) -> int:  # type: ignore[override]
            raise BrokenPipeError

    store, out = Store(), Full()
    for number in range(30_000):
        store.add(Quad(BlankNode(), NamedNode(f"http://e/{number % 7}"), Literal("x" * 20)))
    taker: IO[bytes] = out
    with pytest.raises(BrokenPipeError):
        write_lines(store, taker, 2)
