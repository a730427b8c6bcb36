"""Reports for machines: the standard SHACL report, and JSON."""

from __future__ import annotations

import json

import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode
from rdflib import RDF, SH, Graph

from kg.validate.checks import COMPONENT
from kg.validate.report import Report, Term


def to_turtle(report: Report) -> str:
    """SHACL's own report: that of the engine, with what kg's checks found added in its form."""
    graph = Graph(bind_namespaces="none")
    for prefix, start in report.prefixes.items():
        graph.bind(prefix, start)
    graph.bind("sh", str(SH))
    for triple in report.graph or ():
        graph.add(triple)
    top = graph.value(None, RDF.type, SH.ValidationReport) or rdflib.BNode()
    graph.set((top, RDF.type, SH.ValidationReport))
    graph.set((top, SH.conforms, rdflib.Literal(report.conforms)))
    for number, result in enumerate(report.results):
        if result.constraint != COMPONENT:
            continue
        node = rdflib.BNode(f"check{number}")
        graph.add((top, SH.result, node))
        graph.add((node, RDF.type, SH.ValidationResult))
        graph.add((node, SH.focusNode, _term(result.focus)))
        if result.path:
            graph.add((node, SH.resultPath, rdflib.URIRef(result.path)))
        if result.value is not None:
            graph.add((node, SH.value, _term(result.value)))
        graph.add((node, SH.resultMessage, rdflib.Literal(result.message)))
        graph.add((node, SH.resultSeverity, _term(result.severity)))
        graph.add((node, SH.sourceShape, _term(result.shape)))
        graph.add((node, SH.sourceConstraintComponent, _term(result.constraint)))
    return graph.serialize(format="turtle")


def to_json(report: Report) -> str:
    """The report as one JSON object, with the terms as in SPARQL's JSON results.

    `unchecked` is empty, or says why nothing was checked: `conforms` alone does not tell.
    """
    return (
        json.dumps(
            {
                "conforms": report.conforms,
                "unchecked": report.unchecked,
                "shapes": report.shapes,
                "focusNodes": report.focus_nodes,
                "counts": report.counts(),
                "warnings": report.warnings,
                "results": [
                    {
                        "severity": result.severity.value,
                        "message": result.message,
                        "focus": _json(result.focus),
                        "label": report.labels.get(result.focus),
                        "path": result.path,
                        "value": None if result.value is None else _json(result.value),
                        "shape": result.shape.value,
                        "constraint": result.constraint.value,
                    }
                    for result in report.results
                ],
            },
            ensure_ascii=False,
            indent=2,
        )
        + "\n"
    )


def _term(term: Term) -> rdflib.URIRef | rdflib.BNode | rdflib.Literal:
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=False)


def _json(term: Term) -> dict[str, str]:
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, Literal) and term.language:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
