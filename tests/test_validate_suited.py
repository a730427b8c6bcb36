"""Shapes in shapes that ask for a class: rewritten for the fast engine, and seen as before."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Quad, RdfFormat, parse
from rdflib import RDF, SH, Graph, URIRef

from kg.validate import engines, fast
from kg.validate.engines import Run
from kg.validate.read import Data
from kg.validate.shapes import load_shapes
from kg.validate.suited import suited

pytestmark = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)
PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""
# J is below K below L; M is one of itself, and O has a circle above it.
DATA = """
ex:a a ex:C ; ex:p ex:b , ex:c , 5 , _:d ; ex:q ex:j .
ex:b a ex:C , ex:K ; ex:p ex:j , "text" ; ex:q ex:k , ex:l .
ex:c a ex:C , ex:L ; ex:p ex:o , ex:m , ex:nothing .
ex:j a ex:J , ex:C . ex:k a ex:K . ex:l a ex:L ; ex:p ex:k . _:d a ex:J ; ex:p ex:b .
ex:M a ex:M . ex:m a ex:M , ex:C . ex:o a ex:O , ex:C ; ex:p ex:o .
ex:J rdfs:subClassOf ex:K . ex:K rdfs:subClassOf ex:L .
ex:O rdfs:subClassOf ex:P . ex:P rdfs:subClassOf ex:O , ex:L .
"""

kinds = st.sampled_from(["ex:J", "ex:K", "ex:L", "ex:M", "ex:O", "ex:P", "ex:C", "ex:Nothing"])
paths = st.sampled_from(["ex:p", "ex:q", "[ sh:inversePath ex:p ]", "( ex:p ex:p )"])
plain = st.one_of(
    kinds.map("sh:class {}".format),
    st.tuples(kinds, kinds).map(lambda two: f"sh:class {two[0]} , {two[1]}"),
    st.sampled_from(["sh:nodeKind sh:IRI", "sh:nodeKind sh:Literal", "sh:hasValue ex:k"]),
    st.tuples(kinds, st.sampled_from(["rdf:type", "rdf:type ex:p"])).map(
        lambda two: f"sh:class {two[0]} ; sh:closed true ; sh:ignoredProperties ( {two[1]} )"
    ),
)
# Shapes that have names are held against nodes, and may have targets of their own as well.
named = st.sampled_from(["ex:S1", "ex:S2"])


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    shape = inner.map("[ {} ]".format) | named
    shapes = st.lists(shape, min_size=1, max_size=3).map(" ".join)
    member = st.tuples(paths, inner).map(lambda two: f"[ sh:path {two[0]} ; {two[1]} ]")
    return st.one_of(
        st.tuples(st.sampled_from(["or", "and", "xone"]), shapes).map(
            lambda two: f"sh:{two[0]} ( {two[1]} )"
        ),
        shape.map("sh:not {}".format),
        shape.map("sh:node {}".format),
        member.map("sh:property {}".format),
        member.map("sh:or ( {} [ sh:nodeKind sh:Literal ] )".format),
        st.tuples(paths, shape).map(
            lambda two: (
                f"sh:property [ sh:path {two[0]} ; sh:qualifiedMinCount 1 ;"
                f" sh:qualifiedValueShape {two[1]} ]"
            )
        ),
    )


constraints = st.recursive(plain, larger, max_leaves=5)


def seen(run: Run) -> Counter[tuple[object, ...]]:
    """The results; those that name a blank node of the shapes by what it breaks."""
    return Counter((r.focus, r.path, r.value, r.shape, r.constraint) for r in run.results)


@settings(deadline=None, max_examples=200)
@given(constraints, plain, plain, st.booleans())
def test_a_class_in_a_shape_is_seen_alike(top: str, one: str, other: str, aims: bool) -> None:
    target = "sh:targetClass ex:C ;" if aims else ""
    text = (
        f"ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:targetObjectsOf ex:p ; {top} .\n"
        f"ex:S1 a sh:NodeShape ; {target} {one} .\nex:S2 a sh:NodeShape ; {other} .\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shapes.ttl"
        file.write_text(PREFIXES + text, encoding="utf-8")
        shapes = load_shapes([file])
    quads = [Quad(*q.triple) for q in parse(PREFIXES + DATA, RdfFormat.TURTLE)]  # type: ignore[union-attr]
    data = Data(tuple(quads), {})
    whole, default = (engines.run(data, shapes, engine) for engine in ("pyshacl", "auto"))
    assert seen(default) == seen(whole)


def test_only_what_no_result_tells_is_rewritten() -> None:
    graph = Graph().parse(
        data=PREFIXES
        + """
        ex:Told a sh:NodeShape ; sh:targetClass ex:C ; sh:class ex:K ;
            sh:property ex:Property ; sh:node ex:Both ; sh:not ex:Tested .
        ex:Property a sh:PropertyShape ; sh:path ex:p ; sh:class ex:K ; sh:node ex:Deep .
        ex:Both a sh:NodeShape ; sh:targetNode ex:a ; sh:class ex:K .
        ex:Tested a sh:NodeShape ; sh:property ex:Below .
        ex:Below a sh:PropertyShape ; sh:path ex:p ; sh:class ex:K , ex:L .
        ex:Deep a sh:NodeShape ; sh:class ex:K .
        """,
    )
    nodes = frozenset(set(graph.subjects(RDF.type)))
    found = suited(graph, nodes)
    names = {str(shape).rpartition("/")[2] for shape in found.subjects(SH["class"])}
    assert names == {"Told", "Property", "Both"}
    ex = "http://example.org/"
    assert len(list(found.objects(URIRef(ex + "Below"), SH.property))) == 2
    assert len(list(found.objects(URIRef(ex + "Deep"), SH.property))) == 1
    assert set(graph.subjects(SH["class"])) > set(found.subjects(SH["class"]))
