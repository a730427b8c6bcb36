"""What XML cannot hold, and RDF/XML cannot name."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, RdfFormat, Store, parse

from kg import results
from kg.errors import UnwritableError
from kg.wellformed import WellFormed

SPARQL = "http://www.w3.org/2005/sparql-results#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def written(query: str, format: str) -> bytes:
    output = io.BytesIO()
    results.write(Store().query(query), output, format, {"e": "http://e/"})
    return output.getvalue()


@pytest.mark.parametrize(
    "iri", ["http://e/", "http://e/1", "http://e/%2F/", "http://e/a(b)", f"{RDF}li", f"{RDF}about"]
)
def test_names_that_rdf_xml_does_not_have(iri: str) -> None:
    with pytest.raises(UnwritableError, match="RDF/XML cannot write <"):
        written(f"CONSTRUCT {{ <http://e/s> <{iri}> 1 }} WHERE {{}}", "rdfxml")
    assert written(f"CONSTRUCT {{ <http://e/s> <{iri}> 1 }} WHERE {{}}", "turtle")


@pytest.mark.parametrize(
    "iri", ["http://e/a", "http://e/1a", "http://e/é.b-1", "urn:x", f"{RDF}_1"]
)
def test_names_that_it_has(iri: str) -> None:
    text = written(f"CONSTRUCT {{ <http://e/s> a <{iri}> ; <{iri}> 1 }} WHERE {{}}", "rdfxml")
    ElementTree.fromstring(text)
    found = {quad.predicate.value for quad in parse(text, format=RdfFormat.RDF_XML)}
    assert found == {f"{RDF}type", iri}


def test_a_class_without_a_name() -> None:
    with pytest.raises(UnwritableError, match="<http://e/1>"):
        written("CONSTRUCT { <http://e/s> a <http://e/1> } WHERE {}", "rdfxml")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_texts_come_back_or_are_refused(text: str) -> None:
    output = io.BytesIO()
    query = f"SELECT ({Literal(text)} AS ?x) {{}}"
    allowed = all(c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") for c in text)
    try:
        results.write(Store().query(query), output, "xml", {})
    except UnwritableError:
        assert not allowed
    else:
        assert allowed
        (found,) = ElementTree.fromstring(output.getvalue()).iter(f"{{{SPARQL}}}literal")
        assert (found.text or "") == text


def test_line_ends_come_back_from_rdf_xml() -> None:
    lines = Literal("a\r\nb\rc\nd")
    text = written(f"CONSTRUCT {{ <http://e/s> <http://e/p> {lines} }} WHERE {{}}", "rdfxml")
    assert lines.value in ElementTree.fromstring(text).itertext()


def test_characters_across_two_writes() -> None:
    file = WellFormed(io.BytesIO())
    file.write(b"a\xef")
    file.write(b"\xbf")
    with pytest.raises(UnwritableError, match=r"U\+FFFE"):
        file.write(b"\xbe")
    assert file.write(b"more") == 4
