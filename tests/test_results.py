"""Results as bytes and as tables."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree

import pytest
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryResultsFormat,
    RdfFormat,
    Store,
    parse,
    parse_query_results,
)

from kg import results
from kg.errors import UsageError
from kg.rdf.vocabulary import PREFIXES


@pytest.fixture
def store() -> Store:
    store = Store()
    store.load(
        """
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <https://w3id.org/kg/id/concept/a> skos:prefLabel "récit 漢字"@en ;
          skos:altLabel "say \\"a\\", b" .
        <https://w3id.org/kg/id/concept/b> skos:prefLabel "line\\none\\u001b[31m" .
        """,
        RdfFormat.TURTLE,
    )
    return store


ROWS = "SELECT ?c ?p ?l { ?c ?p ?l } ORDER BY ?c ?p"
TRIPLES = "CONSTRUCT { ?c ?p ?l } { ?c ?p ?l } ORDER BY ?c ?p"


def written(store: Store, query: str, format: str) -> bytes:
    out = io.BytesIO()
    results.write(store.query(query), out, format, PREFIXES)
    return out.getvalue()


def test_rows_in_every_format(store: Store) -> None:
    expected = [tuple(row) for row in store.query(ROWS)]
    for name, format in results.SOLUTIONS.items():
        if name == "xml":  # which cannot hold the control character
            continue
        data = written(store, ROWS, name)
        if name == "csv":
            lines = list(csv.reader(io.StringIO(data.decode(), newline="")))
            assert lines[0] == ["c", "p", "l"]
            assert [line[2] for line in lines[1:]] == [row[2].value for row in expected]
        else:
            found = parse_query_results(data, format)
            assert not isinstance(found, bool)
            assert [tuple(row) for row in found] == expected  # type: ignore[union-attr]


def test_rows_in_xml(store: Store) -> None:
    query = 'SELECT * { ?c ?p ?l FILTER(!CONTAINS(STR(?l), "\\u001b")) }'
    found = parse_query_results(written(store, query, "xml"), QueryResultsFormat.XML)
    assert not isinstance(found, bool)
    rows = [tuple(row) for row in found]
    assert rows == [tuple(row) for row in store.query(query)]  # type: ignore[union-attr]
    assert len(rows) > 1


def test_triples_in_every_format(store: Store) -> None:
    expected = {(quad.subject, quad.predicate, quad.object) for quad in store}
    for name, format in results.TRIPLES.items():
        if name == "rdfxml":  # XML cannot hold the control character
            ElementTree.fromstring(written(store, "CONSTRUCT {} {}", name))
            continue
        found = parse(written(store, TRIPLES, name), format)
        assert {(quad.subject, quad.predicate, quad.object) for quad in found} == expected


def test_turtle_has_prefixes(store: Store) -> None:
    assert b"skos:prefLabel" in written(store, TRIPLES, "turtle")


def test_answers(store: Store) -> None:
    assert json.loads(written(store, "ASK {}", "json"))["boolean"] is True
    assert written(store, "ASK {}", "table") == b"true\n"
    data = written(store, "ASK { FILTER(false) }", "xml")
    assert not parse_query_results(data, QueryResultsFormat.XML)


@pytest.mark.parametrize(
    ("query", "format", "fitting"),
    [
        (ROWS, "turtle", "table, json, csv, tsv, xml"),
        ("ASK {}", "rdfxml", "table, json, csv, tsv, xml"),
        (TRIPLES, "csv", "table, turtle, ntriples, jsonld, rdfxml"),
        (TRIPLES, "json", "table, turtle, ntriples, jsonld, rdfxml"),
    ],
)
def test_what_does_not_fit(store: Store, query: str, format: str, fitting: str) -> None:
    with pytest.raises(UsageError, match=f"{format} cannot hold; choose {fitting}"):
        written(store, query, format)


def test_table_is_aligned_and_on_its_lines(store: Store) -> None:
    text = results.table(store.query(ROWS), PREFIXES)
    lines = text.splitlines()
    assert len(lines) == 5
    assert "\x1b" not in text
    assert "line one [31m" in lines[4]
    assert "skos:altLabel" in lines[2]
    # The third column begins at one cell everywhere.
    starts = {
        results.cells_of(line[: line.index(word)])
        for line, word in zip(
            (lines[0], lines[2], lines[3], lines[4]), ("l", "say", "récit", "line"), strict=True
        )
        if word != "l"
    }
    assert len(starts) == 1


def test_numbers_stand_right() -> None:
    text = results.table(Store().query("SELECT ?n { VALUES ?n { 7 1234 } }"), {})
    assert text == "   n\n────\n   7\n1234\n"


def test_table_fits_the_width() -> None:
    query = 'SELECT ("%s" AS ?long) ("漢字漢字漢字漢字漢字" AS ?wide) (1 AS ?n) {}' % ("word " * 40)
    for width in (24, 40, 79):
        lines = results.table(Store().query(query), {}, width).splitlines()
        assert max(results.cells_of(line) for line in lines) <= width
        assert "…" in lines[2]
    assert "…" not in results.table(Store().query(query), {})


def test_a_table_of_nothing() -> None:
    assert results.table(Store().query("SELECT ?a ?b { ?a ?b 1 }"), {}) == "a  b\n─  ─\n"
    assert results.table(Store().query("SELECT * {}"), {}) == "1 solution without variables\n"


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("é", 1), ("a\u200bb", 2), ("", 0)],
)
def test_cells(text: str, cells: int) -> None:
    assert results.cells_of(text) == cells


def test_cut_counts_cells() -> None:
    assert results.cut("漢字漢字", 5) == "漢字…"
    assert results.cut("漢字漢字", 4) == "漢…"
    assert results.cut("abc", 3) == "abc"


def test_no_text_can_steer_the_terminal() -> None:
    assert results.printable("a\x1b[2Jb\r\n\u202ec\u2066d\x9be\u2028f") == "a [2Jb   c d e f"


@pytest.mark.parametrize(
    ("iri", "short"),
    [
        ("http://www.w3.org/2004/02/skos/core#prefLabel", "skos:prefLabel"),
        ("https://w3id.org/kg/arxiv/cs.LG", "arxiv:cs.LG"),
        ("http://schema.org/a.", "http://schema.org/a."),
        ("https://w3id.org/kg/id/concept/a", "https://w3id.org/kg/id/concept/a"),
        ("http://schema.org/", "http://schema.org/"),
        ("http://schema.org/a/b", "http://schema.org/a/b"),
    ],
)
def test_shortened_iris(iri: str, short: str) -> None:
    assert results.shorten(NamedNode(iri), PREFIXES) == short


def test_rows_for_pages() -> None:
    head, lines = results.rows(
        Store().query("SELECT ?a ?b { VALUES (?a ?b) {(1 UNDEF) (2 'x'@en)} }"), 1
    )
    assert (head, list(lines)) == (
        ["a", "b"],
        [[{"type": "literal", "value": "1", "datatype": PREFIXES["xsd"] + "integer"}, None]],
    )
    assert list(results.rows(Store().query("ASK {}"), 5)[1]) == [
        [{"type": "literal", "value": "true", "datatype": PREFIXES["xsd"] + "boolean"}]
    ]
    assert results.term_json(BlankNode("x")) == {"type": "bnode", "value": "x"}
    assert results.term_json(Literal("x", language="en"))["xml:lang"] == "en"


def test_turtle_lists_what_it_uses_in_order(store: Store) -> None:
    prefixes = {**PREFIXES, "concept": "https://w3id.org/kg/id/concept/"}
    texts = set()
    for query in (TRIPLES, TRIPLES.replace("BY ?c", "BY DESC(?l)"), "CONSTRUCT WHERE { ?c ?p ?l }"):
        out = io.BytesIO()
        results.write(store.query(query), out, "turtle", prefixes)
        texts.add(out.getvalue().decode())
    assert len(texts) == 1
    assert texts.pop().startswith(
        "@prefix concept: <https://w3id.org/kg/id/concept/> .\n"
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        "concept:a skos:altLabel "
    )


def test_prefixes_in_texts_are_not_used() -> None:
    out = io.BytesIO()
    query = "CONSTRUCT { <a:b> <a:c> ' kg:Method \\\" arxiv:cs', '1'^^<a:skos:x> } {}"
    results.write(Store().query(query), out, "turtle", PREFIXES)
    assert b"@prefix" not in out.getvalue()


def test_many_triples_are_written_in_parts() -> None:
    store = Store()
    lines = [f"<http://schema.org/x{n}> <http://schema.org/p> {n} .\n" for n in range(25_000)]
    store.bulk_load("".join(lines), RdfFormat.TURTLE)
    written = io.BytesIO()
    results.write(store.query("CONSTRUCT WHERE { ?s ?p ?o }"), written, "turtle", PREFIXES)
    lines = written.getvalue().decode().splitlines()
    heads = [line for line in lines if line.startswith("@prefix")]
    assert heads == lines[: len(PREFIXES)] == sorted(heads)
    assert set(parse(written.getvalue(), RdfFormat.TURTLE)) == set(store)


def test_turtle_declares_prefixes_of_all_letters(store: Store) -> None:
    prefixes = {"é": "http://e/", "数据": "http://f/", "a-b.c": "http://g/", "c": "http://h/"}
    made = 'CONSTRUCT { <http://e/a> <http://f/p> <http://g/x> , "c:d" } WHERE {}'
    out = io.BytesIO()
    results.write(store.query(made), out, "turtle", prefixes)
    text = out.getvalue().decode()
    assert len(list(parse(text, RdfFormat.TURTLE))) == 2
    assert "@prefix c:" not in text
