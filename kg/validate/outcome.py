"""One validation from data and shapes to a report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import rdflib
from pyoxigraph import Literal, NamedNode, Store
from rdflib import RDFS, Graph, URIRef
from rdflib.namespace import DCTERMS, FOAF, SKOS

from kg.rdf.vocabulary import PREFIXES
from kg.validate import checks
from kg.validate.engine import run
from kg.validate.read import Data
from kg.validate.report import Report, Result, Term
from kg.validate.shapes import load_shapes, notes, targets
from kg.validate.terms import from_rdflib, ox_term, to_rdflib

_LABELS = (RDFS.label, SKOS.prefLabel, FOAF.name, DCTERMS.title, URIRef("http://schema.org/name"))


def validate(
    data: Graph | Store | Data, files: Sequence[str | Path] | None, started: float
) -> Report:
    """See `kg.validate.validate`; `started` is when the clock began to run."""
    shapes = load_shapes(files)
    graph, store = _both(data)
    found = targets(shapes, graph)
    nodes: set[Term] = {ox_term(node) for focus in found.values() for node in focus}
    ran = run(graph, shapes.graph)
    results = list(ran.results)
    warnings = list(ran.warnings)
    if files is not None:
        warnings.extend(notes(shapes, graph))
    elif store is not None:
        results.extend(checks.check(store))
        nodes |= checks.focus_nodes(store)
    results.sort(key=lambda result: result.order)
    declared = data.prefixes if isinstance(data, Data) else {}
    return Report(
        results=tuple(results),
        shapes=len(shapes.nodes),
        focus_nodes=len(nodes),
        warnings=tuple(warnings),
        seconds=time.monotonic() - started,
        graph=ran.graph,
        labels=_labels(graph, results),
        prefixes={**declared, **shapes.prefixes, **PREFIXES},
    )


def _both(data: Graph | Store | Data) -> tuple[Graph, Store | None]:
    """The data as a new rdflib graph, and as a store where the checks have work with it."""
    if isinstance(data, Store):
        return to_rdflib(data), data
    quads = list(data.quads if isinstance(data, Data) else from_rdflib(data))
    store = None
    if checks.concerns(quads):
        store = Store()
        store.extend(quads)
    return to_rdflib(quads), store


def _labels(graph: Graph, results: Sequence[Result]) -> Mapping[Term, str]:
    """What the nodes in the results are called, where the data says it."""
    labels: dict[Term, str] = {}
    for term in {term for result in results for term in (result.focus, result.value)}:
        if term is None or isinstance(term, Literal):
            continue
        named = isinstance(term, NamedNode)
        node = rdflib.URIRef(term.value) if named else rdflib.BNode(term.value)
        for predicate in _LABELS:
            found = [str(text) for text in graph.objects(node, predicate)]
            if found:
                labels[term] = min(found)
                break
    return labels
