"""Exports: the same triples for every reader, the same bytes every time, pleasant to read."""

from __future__ import annotations

import io
import random
import re
import shutil
import subprocess

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, parse

from kg.export import FORMATS, export
from kg.rdf.vocabulary import DCAT, DCTERMS, FABIO, FOAF, KG, NIF, RDF, RDFS, SKOS, VOID, XSD

BASE = "https://w3id.org/kg/id/"
A, B = NamedNode(BASE + "paper/a"), NamedNode(BASE + "person/b")
C, D = NamedNode(BASE + "concept/c"), NamedNode(BASE + "dataset")

parsers = {
    "turtle": (RdfFormat.TURTLE, "turtle", "turtle"),
    "ntriples": (RdfFormat.N_TRIPLES, "nt", "ntriples"),
    "jsonld": (RdfFormat.JSON_LD, "json-ld", None),
}


def store_of(*triples: tuple) -> Store:
    store = Store()
    store.extend(Quad(*triple) for triple in triples)
    return store


def written(store: Store, format: str) -> bytes:
    file = io.BytesIO()
    export(store, format, file)
    return file.getvalue()


def read_by_oxigraph(data: bytes, format: str) -> set:
    return {(q.subject, q.predicate, q.object) for q in parse(data, format=parsers[format][0])}


def read_by_rdflib(data: bytes, format: str) -> set:
    graph = rdflib.Graph()
    graph.parse(data=data, format=parsers[format][1])
    return read_by_oxigraph(graph.serialize(format="nt", encoding="utf-8"), "ntriples")


def triples_of(store: Store) -> set:
    return {(q.subject, q.predicate, q.object) for q in store}


SMALL = (
    (C, RDF.type, SKOS.Concept),
    (C, RDF.type, KG.Method),
    (C, SKOS.prefLabel, Literal("c", language="en")),
    (B, RDF.type, FOAF.Person),
    (B, FOAF.name, Literal("B")),
    (A, RDF.type, FABIO.Preprint),
    (A, DCTERMS.creator, B),
    (A, DCTERMS.creator, NamedNode(BASE + "person/a")),
    (A, DCTERMS.issued, Literal("2026", datatype=XSD.gYear)),
    (A, RDFS.label, Literal("Two\nlines")),
    (D, RDF.type, DCAT.Dataset),
    (D, VOID.triples, Literal(7)),
)


def test_turtle_to_the_letter():
    assert (
        written(store_of(*SMALL), "turtle").decode()
        == '''\
@prefix concept: <https://w3id.org/kg/id/concept/> .
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix fabio: <http://purl.org/spar/fabio/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix kg: <https://w3id.org/kg/ontology#> .
@prefix paper: <https://w3id.org/kg/id/paper/> .
@prefix person: <https://w3id.org/kg/id/person/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

paper:a a fabio:Preprint ;
    rdfs:label """Two
lines""" ;
    dcterms:creator
        person:a,
        person:b ;
    dcterms:issued "2026"^^xsd:gYear .

person:b a foaf:Person ;
    foaf:name "B" .

concept:c a skos:Concept, kg:Method ;
    skos:prefLabel "c"@en .

<https://w3id.org/kg/id/dataset> a dcat:Dataset ;
    void:triples 7 .
'''
    )


def test_numbers_in_names_sort_by_value():
    texts = [NamedNode(f"{BASE}paper/a#abstract-{n}-{n + 5}") for n in (10, 9, 100)]
    data = written(store_of(*((text, RDF.type, NIF.Phrase) for text in texts)), "turtle").decode()
    assert re.findall(r"abstract-(\d+)-", data) == ["9", "10", "100"]


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\0"), max_size=30
)
texts |= st.text("\"\\\n\r\t'@^<>{}a\b\f", max_size=12)
nodes = st.sampled_from(
    [A, B, C, D, NamedNode("http://e.org/x#y.z"), NamedNode("http://e.org/"), SKOS.note,
     NamedNode(BASE + "concept/c_1."), NamedNode(BASE + "concept/.c"),
     NamedNode(BASE + "concept/é"), NamedNode("urn:x:y"), NamedNode("schema:x"),
     NamedNode(BASE + "paper/a(b)")]
)  # fmt: skip
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(
        lambda text, tag: Literal(text, language=tag), texts, st.sampled_from(["en", "de-at"])
    ),
    st.builds(Literal, st.integers()),
    st.builds(lambda n: Literal(f"{n}", datatype=XSD.double), st.floats(0, 1)),
    st.builds(lambda n: Literal(f"{n:04d}", datatype=XSD.gYear), st.integers(1900, 2100)),
    st.sampled_from(
        [Literal(True), Literal("1", datatype=XSD.decimal), Literal("x", datatype=XSD.date)]
    ),
)
predicates = st.sampled_from([RDF.type, RDFS.label, SKOS.prefLabel, NamedNode("http://e.org/p/")])


def valid(triple: tuple) -> bool:
    return triple[1] != RDF.type or isinstance(triple[2], NamedNode)


graphs = st.lists(
    st.tuples(nodes, predicates, st.one_of(nodes, literals)).filter(valid), max_size=12
)


@settings(max_examples=150, deadline=None)
@given(graphs, st.randoms(use_true_random=False))
def test_every_format_holds_the_same_triples(graph: list[tuple], shuffle: random.Random):
    store = store_of(*graph)
    shuffle.shuffle(graph)
    for format in FORMATS:
        data = written(store, format)
        assert read_by_oxigraph(data, format) == triples_of(store)
        assert data == written(store_of(*graph), format)


@settings(max_examples=40, deadline=None)
@given(graphs)
def test_rdflib_reads_the_same_triples(graph: list[tuple]):
    store = store_of(*graph)
    for format in FORMATS:
        expected = read_by_rdflib(written(store, "ntriples"), "ntriples")
        assert read_by_rdflib(written(store, format), format) == expected


@pytest.mark.skipif(not shutil.which("rapper"), reason="needs rapper, from Debian's raptor2-utils")
@pytest.mark.parametrize("format", ["turtle", "ntriples"])
def test_rapper_reads_the_same_triples(format: str, tmp_path):
    hard = [
        Literal(text)
        for text in ('"', '""', '\\"', 'a\nb"', '"""\n"""', "\r\n", "\t\b\f", "é\U0001f600")
    ]
    store = store_of(*SMALL, *((A, SKOS.note, text) for text in hard))
    path = tmp_path / "graph"
    path.write_bytes(written(store, format))
    command = ["rapper", "-q", "-i", parsers[format][2], "-o", "ntriples", path]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    assert read_by_oxigraph(done.stdout, "ntriples") == triples_of(store)


def test_empty_store_gives_valid_empty_documents():
    for format in FORMATS:
        assert read_by_oxigraph(written(Store(), format), format) == set()
