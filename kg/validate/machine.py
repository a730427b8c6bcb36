"""Reports for programs: JSON and CSV. The standard SHACL report is in kg.validate.standard."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping

from pyoxigraph import BlankNode, Literal, NamedNode

from kg.validate.names import escaped
from kg.validate.report import Place, Report, Result, Term

_COLUMNS = (
    "severity",
    "shape",
    "constraint",
    "focus",
    "label",
    "path",
    "value",
    "message",
    "file",
    "line",
)


def to_json(report: Report, allow: str | None = None, strict: bool = False) -> str:
    """The report as one JSON object, with the terms as in SPARQL's JSON results.

    `passed` is the outcome with `allow` and `strict`, which are those of `Report.passes`.
    `unchecked` is empty, or says why nothing was checked: `conforms` alone does not tell.
    """
    places = _places(report)
    return (
        json.dumps(
            {
                "passed": report.passes(allow, strict),
                "conforms": report.conforms,
                "unchecked": report.unchecked,
                "shapes": report.shapes,
                "focusNodes": report.focus_nodes,
                "counts": report.counts(),
                "engine": report.engine,
                "seconds": round(report.seconds, 3),
                "warnings": report.warnings,
                "unmet": report.unmet,
                "results": [_result(report, result, places) for result in report.results],
            },
            ensure_ascii=False,
            indent=2,
        )
        + "\n"
    )


def to_csv(report: Report) -> str:
    """One line a result under a head, as RFC 4180 has it; terms in the form of N-Triples."""
    places = _places(report)
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(_COLUMNS)
    for result in report.results:
        place = places.get(result)
        table.writerow(
            (
                result.severity.value,
                _shape(report, result),
                result.constraint.value,
                _named(result.focus),
                escaped(report.context.label(result.focus)) if report.context else "",
                result.path or "",
                "" if result.value is None else str(result.value),
                escaped(result.message),
                escaped(place.source) if place else "",
                (place.line or "") if place else "",
            )
        )
    return text.getvalue()


def _result(report: Report, result: Result, places: Mapping[Result, Place]) -> dict[str, object]:
    place = places.get(result)
    return {
        "severity": result.severity.value,
        "message": result.message,
        "focus": _json(result.focus),
        "label": (report.context.label(result.focus) if report.context else "") or None,
        "path": result.path,
        "value": None if result.value is None else _json(result.value),
        "shape": _shape(report, result),
        "constraint": result.constraint.value,
        "file": _file(place.source) if place else None,
        "line": place.line if place else None,
    }


def _file(name: str) -> str:
    """The name of a file, as far as it is text; what is not UTF-8 in it as \\xff."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _places(report: Report) -> Mapping[Result, Place]:
    return report.context.places(report.results) if report.context else {}


def _shape(report: Report, result: Result) -> str:
    """The IRI of the shape; of one without an IRI, where it stands in another."""
    if isinstance(result.shape, BlankNode) and report.context:
        return report.context.shape(result)
    return _named(result.shape)


def _named(term: Term) -> str:
    return term.value if isinstance(term, NamedNode) else str(term)


def _json(term: Term) -> dict[str, str]:
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, Literal) and term.language:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
