"""The reference engine: pySHACL over an rdflib graph in memory.

It does not change the data, fetches nothing, and runs no rules and no JavaScript.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyshacl
from pyoxigraph import BlankNode, Literal, NamedNode
from pyparsing import ParseException
from pyshacl.errors import ReportableRuntimeError, ShapeRecursionWarning
from rdflib import RDF, SH, BNode, Graph
from rdflib.term import Node

from kg.errors import KgError, ShapesError
from kg.validate.comparing import put_right
from kg.validate.paths import path_text
from kg.validate.report import VIOLATION, Result
from kg.validate.terms import ox_term, unheard

_DEEPEST = 64  # shapes in shapes; `kg.validate.sound` lets fewer through
_LOGGER = logging.getLogger("pyshacl-validate")


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of an engine gives."""

    results: tuple[Result, ...]  # sorted
    graph: Graph  # SHACL's own report
    warnings: tuple[str, ...]  # of the engine, about the shapes


def run(data: Graph, shapes: Graph) -> Run:
    """Validate `data` against `shapes`.

    pySHACL adds to the shapes, which are no one else's, that OWL's classes are RDFS classes.
    Raises ShapesError where pySHACL cannot work with the shapes, KgError where it breaks off.
    """
    with put_right(), _listening() as heard:
        try:
            _, graph, text = pyshacl.validate(
                data,
                shacl_graph=shapes,
                inference="none",
                advanced=False,
                js=False,
                meta_shacl=False,
                do_owl_imports=False,
                max_validation_depth=_DEEPEST,
            )
        except (ReportableRuntimeError, NotImplementedError, ParseException) as error:
            raise ShapesError(f"the shapes cannot be used: {_line(str(error))}") from error
        except Exception as error:  # of whatever kind: it is pySHACL's, and often a plain one
            raise KgError(f"pySHACL gave up: {_line(str(error) or repr(error))}") from error
    if not isinstance(graph, Graph):
        raise ShapesError(f"the shapes cannot be used: {_line(str(text))}")
    results = sorted(_results(graph, shapes), key=lambda result: result.order)
    return Run(tuple(results), graph, tuple(dict.fromkeys(heard)))


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collect what pySHACL logs as a warning; let nothing of it reach the terminal."""
    heard: list[str] = []

    def listen(record: logging.LogRecord) -> bool:
        if record.levelno == logging.WARNING:
            heard.append(_line(record.getMessage()))
        return False

    _LOGGER.addFilter(listen)
    try:
        with unheard(), warnings.catch_warnings():
            # That shapes come back to themselves, `kg.validate.aims` says in one line.
            warnings.simplefilter("ignore", ShapeRecursionWarning)
            # Of regular expressions in which Python may have more to itself one day.
            warnings.filterwarnings("ignore", "Possible ", FutureWarning)
            yield heard
    finally:
        _LOGGER.removeFilter(listen)


def _line(text: str) -> str:
    return " ".join(text.split())


def _results(report: Graph, shapes: Graph) -> Iterator[Result]:
    for top in report.subjects(RDF.type, SH.ValidationReport):
        for node in report.objects(top, SH.result):
            yield _result(report, node, shapes)


def _result(report: Graph, node: Node, shapes: Graph) -> Result:
    focus = report.value(node, SH.focusNode)
    shape = report.value(node, SH.sourceShape)
    component = report.value(node, SH.sourceConstraintComponent)
    assert focus is not None
    assert shape is not None
    assert component is not None
    path = report.value(node, SH.resultPath)
    if isinstance(path, BNode):
        path = shapes.value(shape, SH.path) or path
    value = report.value(node, SH.value)
    severity = ox_term(report.value(node, SH.resultSeverity) or SH.Violation)
    named, constraint = ox_term(shape), ox_term(component)
    assert isinstance(named, NamedNode | BlankNode)
    assert isinstance(constraint, NamedNode)
    return Result(
        focus=ox_term(focus),
        path=None if path is None else path_text(shapes, path),
        value=None if value is None else ox_term(value),
        message=message([ox_term(text) for text in report.objects(node, SH.resultMessage)]),
        severity=severity if isinstance(severity, NamedNode) else VIOLATION,
        shape=named,
        constraint=constraint,
    )


def message(texts: list[NamedNode | BlankNode | Literal]) -> str:
    """The English one of several messages, else one without a language, else the first."""

    def rank(text: NamedNode | BlankNode | Literal) -> tuple[int, str]:
        language = text.language if isinstance(text, Literal) else None
        return (0 if language == "en" else 1 if language is None else 2, text.value)

    return _line(min(texts, key=rank).value) if texts else ""
