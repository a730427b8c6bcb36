"""What a validation found, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, Literal, NamedNode

from kg.errors import UsageError, printable

if TYPE_CHECKING:
    from rdflib import Graph

    from kg.validate.context import Context

Term = NamedNode | BlankNode | Literal

SH = "http://www.w3.org/ns/shacl#"
VIOLATION = NamedNode(SH + "Violation")
WARNING = NamedNode(SH + "Warning")
INFO = NamedNode(SH + "Info")

_ORDER = {VIOLATION: 0, WARNING: 1, INFO: 2}
# What may be wrong all the same: the name of what is allowed -> the severities.
ALLOWED = {"infos": (INFO,), "warnings": (INFO, WARNING)}


@dataclass(frozen=True, slots=True)
class Result:
    """One thing that is wrong with one node."""

    focus: Term  # the node
    path: str | None  # its property: an IRI, or a SPARQL property path with IRIs in <>
    value: Term | None  # what the property has there; None where something is missing
    message: str  # what is wrong and what to do, from the shape
    severity: NamedNode  # sh:Violation, sh:Warning, sh:Info or one's own
    shape: NamedNode | BlankNode
    constraint: NamedNode  # the constraint component, such as sh:MinCountConstraintComponent

    @property
    def order(self) -> tuple[object, ...]:
        """A key that sorts results by severity, shape, constraint and node."""
        return (
            _ORDER.get(self.severity, 3),
            str(self.severity),
            str(self.shape),
            str(self.constraint),
            str(self.focus),
            self.path or "",
            str(self.value or ""),
            self.message,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file; lines count from 1."""

    source: str  # the file, as the user named it
    line: int | None  # None where the syntax does not tell it, as RDF/XML and JSON-LD

    def __str__(self) -> str:
        source = printable(self.source)
        return source if self.line is None else f"{source}:{self.line}"


@dataclass(frozen=True, slots=True)
class Target:
    """A shape that looks at nodes by itself, and at how many it looked."""

    shape: NamedNode | BlankNode
    name: str  # its CURIE, or where it stands in a shape that has one
    nodes: int


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one validation. `conforms` alone does not say that anything was checked.

    One that was pickled has all but `context`: it knows no labels, no lines and no shapes.
    """

    results: tuple[Result, ...]  # sorted by `Result.order`
    shapes: int  # how many shapes there were
    focus_nodes: int  # how many different nodes they looked at
    warnings: tuple[str, ...] = ()  # what the reader should know about the shapes, a line each
    unmet: tuple[str, ...] = ()  # what shapes ask for and no one checks, a line each
    targets: tuple[Target, ...] = ()  # the shapes that have a target, by name
    absent: bool = False  # whether the data has none of the nodes that the shapes target
    idle: bool = False  # whether the shapes with targets ask for nothing that is run
    off: bool = False  # whether all shapes that have a target are deactivated
    empty: bool = False  # whether the data has not one triple
    engine: str = ""  # which one ran: "pyshacl" or "fast"
    log: tuple[str, ...] = ()  # how the engine went about it, a line each
    seconds: float = field(default=0.0, compare=False)
    graph: Graph | None = field(default=None, compare=False, repr=False)  # the engine's own report
    prefixes: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    context: Context | None = field(default=None, compare=False, repr=False)

    @property
    def conforms(self) -> bool:
        """Whether nothing wrong was found, of whatever severity."""
        return not self.results

    @property
    def passed(self) -> bool:
        """Whether something was checked and nothing wrong was found."""
        return self.passes()

    def passes(self, allow: str | None = None, strict: bool = False) -> bool:
        """Whether something was checked and nothing was found but what `allow` allows.

        `allow` is "infos", or "warnings" for warnings and infos. With `strict`, everything that
        shapes target must be there, and all that they ask for must be run. Raises UsageError
        for another `allow`.
        """
        if allow is not None and allow not in ALLOWED:
            raise UsageError(f"one can allow {' or '.join(ALLOWED)}, and not {allow!r}")
        allowed = ALLOWED[allow] if allow else ()
        found = any(result.severity not in allowed for result in self.results)
        return self.focus_nodes > 0 and not found and not (strict and self.unmet)

    @property
    def unchecked(self) -> str:
        """Why nothing was checked, as a sentence; empty where something was."""
        if self.focus_nodes:
            return ""
        if not self.shapes:
            return "Nothing was checked: there is no SHACL shape in what was given as shapes."
        if self.empty:
            return "Nothing was checked: there is no triple in the data."
        if self.off:
            return "Nothing was checked: the shapes that have a target are deactivated."
        if self.absent:
            return "Nothing was checked: the data has none of the nodes that the shapes target."
        if self.idle:
            return "Nothing was checked: the shapes that have a target ask for nothing that is run."
        return f"Nothing was checked: none of the {self.shapes} shapes has a target in the data."

    def counts(self) -> dict[str, int]:
        """The number of results by severity, "Violation" first: {"Violation": 3}."""
        found = Counter(result.severity for result in self.results)
        ordered = sorted(found, key=lambda severity: (_ORDER.get(severity, 3), severity.value))
        return {severity.value.removeprefix(SH): found[severity] for severity in ordered}

    def _repr_html_(self) -> str:
        """The report in a notebook."""
        from kg.validate.html import fragment

        return fragment(self)
