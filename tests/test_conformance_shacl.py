"""The W3C SHACL test suite through kg.validate, with both engines.

A test passes if the results are those that the suite expects, each with its focus node, path,
value, severity, shape and constraint, or if shapes that must be refused are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import BlankNode
from rdflib import RDF, SH, Graph, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.errors import ShapesError
from kg.validate import read, validate
from kg.validate.fast import installed
from kg.validate.paths import path_text
from kg.validate.report import Result
from kg.validate.terms import ox_term, to_rdflib

SUITE = (Path(__file__).parents[2] / "shared" / "conformance" / "shacl").resolve()
MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SHT = Namespace("http://www.w3.org/ns/shacl-test#")

# What fails, and why. Each must fail: one that passes is to be taken from the list.
KNOWN = {
    "pyshacl": {
        "core/property/uniqueLang-002": 'pySHACL takes sh:uniqueLang "1"^^xsd:boolean for true',
        "sparql/pre-binding/shapesGraph-001": "pySHACL has no $shapesGraph",
    },
    "fast": {},
}

Key = tuple[object, ...]


def entries(manifest: Path) -> Iterator[tuple[str, Graph, Node]]:
    """Name, graph and node of each test in a manifest and in those that it includes."""
    graph = to_rdflib(read([manifest]).quads)
    for included in sorted(graph.objects(None, MF.include), key=str):
        yield from entries(file_of(included))
    for head in graph.objects(None, MF.entries):
        for entry in Collection(graph, head):
            yield str(file_of(entry).relative_to(SUITE).with_suffix("")), graph, entry


def file_of(node: Node | None) -> Path:
    return Path(str(node).removeprefix("file://"))


def cases() -> list[object]:
    found = list(entries(SUITE / "manifest.ttl")) if SUITE.is_dir() else []
    return [
        pytest.param(
            engine,
            graph,
            entry,
            id=f"{engine}:{file_of(entry).relative_to(SUITE)}",
            marks=[pytest.mark.xfail(reason=known[name], strict=True)] if name in known else [],
        )
        for engine, known in KNOWN.items()
        for name, graph, entry in [(key(entry), graph, entry) for _, graph, entry in found]
    ]


def key(entry: Node) -> str:
    return str(file_of(entry).relative_to(SUITE))


def of_suite(graph: Graph, node: Node) -> Key:
    path = graph.value(node, SH.resultPath)
    terms = (graph.value(node, p) for p in (SH.focusNode, SH.value, SH.sourceShape))
    return (
        *(None if term is None else shown(ox_term(term)) for term in terms),
        None if path is None else path_text(graph, path),
        str(graph.value(node, SH.resultSeverity)),
        str(graph.value(node, SH.sourceConstraintComponent)),
    )


def of_ours(result: Result) -> Key:
    terms = (result.focus, result.value, result.shape)
    return (
        *(None if term is None else shown(term) for term in terms),
        result.path,
        result.severity.value,
        result.constraint.value,
    )


def shown(term: object) -> str:
    # Blank nodes of the expected results are other ones than those of the data.
    return "_:" if isinstance(term, BlankNode) else str(term)


@pytest.mark.skipif(not SUITE.is_dir(), reason="the W3C suite is not there (../shared)")
@pytest.mark.parametrize(("engine", "graph", "entry"), cases())
def test_suite(engine: str, graph: Graph, entry: URIRef) -> None:
    if engine == "fast" and not installed():
        pytest.skip("the package shacl is not installed (extra: fast)")
    action, expected = graph.value(entry, MF.action), graph.value(entry, MF.result)
    assert action is not None
    data = file_of(graph.value(action, SHT.dataGraph))
    shapes = file_of(graph.value(action, SHT.shapesGraph))
    if expected == SHT.Failure:
        with pytest.raises(ShapesError):
            validate(data, [shapes], engine=engine)
        return
    report = validate(data, [shapes], engine=engine)
    assert (expected, RDF.type, SH.ValidationReport) in graph
    wanted = Counter(of_suite(graph, node) for node in graph.objects(expected, SH.result))
    assert Counter(of_ours(result) for result in report.results) == wanted


@pytest.mark.skipif(not SUITE.is_dir(), reason="the W3C suite is not there (../shared)")
def test_the_suite_is_whole() -> None:
    found = {key(entry) for _, _, entry in entries(SUITE / "manifest.ttl")}
    assert len(found) >= 120
    assert all(name in found for known in KNOWN.values() for name in known)
