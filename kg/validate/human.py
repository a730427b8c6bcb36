"""Reports for people: grouped, named and counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pyoxigraph import BlankNode

from kg.validate.names import curie, short, shown
from kg.validate.report import SH, Report, Result, Term

FIRST = 5  # results shown of each group

# What a constraint found, in words; the message of the shape says what to do.
_FOUND = {
    "AndConstraintComponent": "does not fit all of the shapes asked for",
    "BuildCheckComponent": "checked by kg besides SHACL",
    "ClassConstraintComponent": "not described as what it must be",
    "ClosedConstraintComponent": "a property that has no place here",
    "DatatypeConstraintComponent": "a value of another datatype",
    "DisjointConstraintComponent": "the same value twice",
    "EqualsConstraintComponent": "differs from the other property",
    "HasValueConstraintComponent": "lacks the value asked for",
    "InConstraintComponent": "not one of the values asked for",
    "LanguageInConstraintComponent": "in another language, or in none",
    "LessThanConstraintComponent": "not smaller than the other property",
    "LessThanOrEqualsConstraintComponent": "larger than the other property",
    "MaxCountConstraintComponent": "too many values",
    "MaxExclusiveConstraintComponent": "too large",
    "MaxInclusiveConstraintComponent": "too large",
    "MaxLengthConstraintComponent": "too long",
    "MinCountConstraintComponent": "missing",
    "MinExclusiveConstraintComponent": "too small",
    "MinInclusiveConstraintComponent": "too small",
    "MinLengthConstraintComponent": "empty or too short",
    "NodeConstraintComponent": "does not fit the shape asked for",
    "NodeKindConstraintComponent": "not the kind of node asked for",
    "NotConstraintComponent": "fits a shape that it must not fit",
    "OrConstraintComponent": "fits none of the choices",
    "PatternConstraintComponent": "not written in the form asked for",
    "QualifiedMaxCountConstraintComponent": "too many values of the kind",
    "QualifiedMinCountConstraintComponent": "missing",
    "UniqueLangConstraintComponent": "two values in one language",
    "XoneConstraintComponent": "does not fit exactly one of the choices",
}
_COLOURS = {"Violation": "31", "Warning": "33", "Info": "36"}


def to_text(report: Report, first: int = FIRST, colour: bool = False) -> str:
    """The report as text, one group a shape and constraint, at most `first` results of each."""
    return "\n".join(_lines(report, first, colour)) + "\n"


def summary(report: Report) -> str:
    """One line: what was checked and what came out."""
    if report.unchecked:
        return report.unchecked
    checked = (
        f"{_count(report.shapes, 'shape')}, {_count(report.focus_nodes, 'node')} checked,"
        f" {report.seconds:.1f} s"
    )
    if report.conforms:
        return f"Conforms: {checked}."
    found = ", ".join(_count(number, kind.lower()) for kind, number in report.counts().items())
    return f"Does not conform: {found}; {checked}."


def _lines(report: Report, first: int, colour: bool) -> Iterator[str]:
    def paint(code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour else text

    def group(result: Result) -> tuple[str, str, str]:
        return result.severity.value, str(result.shape), result.constraint.value

    for _, members in groupby(report.results, group):
        results = list(members)
        one = results[0]
        severity = one.severity.value.removeprefix(SH)
        same = all(result.message == one.message for result in results)
        found = _found(one)
        yield paint(f"1;{_COLOURS.get(severity, '35')}", f"{severity}: {found}") + (
            paint("2", f"  [{_shape(one, report)}]")
        )
        if same and one.message:
            yield f"  {one.message}"
        for result in results[:first]:
            yield f"  - {_place(result, report)}"
            if not same:
                yield f"    {result.message}"
        if len(results) > first:
            yield paint("2", f"  ... and {len(results) - first} more")
        yield ""
    for warning in report.warnings:
        yield paint("33", "Note: ") + warning
    yield paint("1;32" if report.passed else "1;31", summary(report))


def _found(result: Result) -> str:
    name = result.constraint.value.removeprefix(SH).rpartition("#")[2]
    return _FOUND.get(name, name)


def _shape(result: Result, report: Report) -> str:
    if isinstance(result.shape, BlankNode):
        return "a shape without a name"
    return curie(result.shape.value, report.prefixes)


def _place(result: Result, report: Report) -> str:
    """Whose which property has what: “Attention” <.../paper/x>, dcterms:title "..."."""
    parts = [_node(result.focus, report)]
    if result.path:
        parts.append(curie(result.path, report.prefixes))
    text = ", ".join(parts)
    if result.value is None or result.value == result.focus:
        return text
    return f"{text}: {_node(result.value, report)}"


def _node(term: Term, report: Report) -> str:
    label = report.labels.get(term)
    name = shown(term, report.prefixes)
    return f"“{short(label, 60)}” {name}" if label else name


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
