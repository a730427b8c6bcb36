"""The results of a report put together for people: by shape and constraint, then by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice

from pyoxigraph import BlankNode, Literal, NamedNode

from kg.validate.names import curie, escaped, short, shown
from kg.validate.report import SH, Place, Report, Result, Term
from kg.validate.words import Rule, broken

_MANY = 4  # values of one node that are named
_NOTES = 10  # notes that are shown
_LOOKED_INTO = 100  # nodes of a group that are told what is wrong inside of their values
_REASONS = 6  # things that are named as wrong inside of the values of one node


@dataclass(frozen=True, slots=True)
class Row:
    """One node of a group, in words."""

    place: Place | None
    node: str  # “Ada” ex:ada
    says: str  # what it has where, and what kg makes of it; may be empty
    more: tuple[str, ...]  # its own message, where the group has none; what is wrong inside
    focus: str  # the node as N-Triples has it, an IRI without <>
    path: str  # the property that it is about; may be empty


@dataclass(frozen=True, slots=True)
class Group:
    """What breaks one constraint of one shape."""

    severity: str  # "Violation", "Warning", "Info", or an IRI of one's own
    shape: str
    rule: Rule
    advice: str  # what to do, the same for all rows; may be empty
    results: tuple[Result, ...]
    nodes: int  # how many different nodes the results are about

    @property
    def noun(self) -> str:
        """How many nodes are wrong: "3 nodes", with their results where these are more."""
        nodes = _count(self.nodes, "node")
        more = len(self.results) > self.nodes
        return f"{nodes}, {len(self.results):,} results" if more else nodes


def groups(report: Report) -> Iterator[Group]:
    """The groups in the order of the results."""

    def key(result: Result) -> tuple[str, str, str]:
        return result.severity.value, str(result.shape), result.constraint.value

    for _, members in groupby(report.results, key):
        results = tuple(members)
        one = results[0]
        rule = _rule(report, one)
        messages = {result.message for result in results}
        same = one.message if len(messages) == 1 and one.message != rule.message else ""
        yield Group(
            severity=one.severity.value.removeprefix(SH),
            shape=_shape(report, one),
            rule=rule,
            # What an engine says by itself, the rule says better.
            advice=(same or rule.advice) if rule.advice or not rule.asks else "",
            results=results,
            nodes=len({result.focus for result in results}),
        )


def arranged(report: Report, first: int | None = None) -> Iterator[tuple[Group, list[Row], int]]:
    """Each group with its first nodes in words, and how many more there are.

    A node has all its results of the group in one row. The files are looked through once.
    """
    picked: list[tuple[Group, list[tuple[Result, ...]], int]] = []
    for group in groups(report):
        nodes = groupby(group.results, lambda result: (result.focus, result.path))
        found = [tuple(members) for _, members in islice(nodes, first)]
        picked.append((group, found, sum(1 for _ in nodes)))
    ones = [members[0] for _, found, _ in picked for members in found]
    places = report.context.places(ones) if report.context else {}
    for group, found, hidden in picked:
        shown = [result for members in found[:_LOOKED_INTO] for result in members[:_MANY]]
        inner = report.context.inner(shown) if report.context else {}
        rows = [_row(report, group, one, places.get(one[0]), inner) for one in found]
        # Readers go through a file from top to bottom; what has no line comes last.
        yield group, sorted(rows, key=_by_place), hidden


def _by_place(row: Row) -> tuple[bool, str, int]:
    place = row.place
    return (False, place.source, place.line or 0) if place else (True, "", 0)


def notes(report: Report, first: int = _NOTES) -> list[str]:
    """What the reader should know besides: on the shapes, and on what they target in vain."""
    found = [escaped(f"Note: {text}") for text in (*report.warnings, *report.unmet)]
    hidden = len(found) - first
    return [*found[:first], f"... and {hidden} more notes"] if hidden > 1 else found


def summary(report: Report, allow: str | None = None, strict: bool = False) -> str:
    """One line: what was checked, by what, and what came out."""
    if report.unchecked:
        return report.unchecked
    checked = (
        f"{_count(report.shapes, 'shape')}, {_count(report.focus_nodes, 'node')} checked"
        f"{f' by {report.engine}' if report.engine else ''}, {report.seconds:.1f} s"
    )
    kinds = report.counts().items()
    found = ", ".join(_of_kind(number, kind, report) for kind, number in kinds)
    if report.passes(allow, strict):
        return f"Conforms: {f'{found} (allowed); ' if found else ''}{checked}."
    if not found:
        named = f"{_count(len(report.unmet), 'note')} that --strict does not let pass"
        return f"Does not conform: {named}; {checked}."
    return f"Does not conform: {found}; {checked}."


def _row(
    report: Report,
    group: Group,
    results: tuple[Result, ...],
    place: Place | None,
    inner: Mapping[Result, tuple[Result, ...]],
) -> Row:
    one = results[0]
    values: dict[Term, Result] = {}
    for result in results:
        if result.value is not None and (result.path or result.value != result.focus):
            values.setdefault(result.value, result)
    some = list(values.items())[:_MANY]
    details = [_detail(report, r) for _, r in some] or [_detail(report, one)]
    detail, *others = dict.fromkeys(details)
    parts = [node(value, report) for value, _ in some]
    if others:  # each value is wrong in its own way
        detail = ""
        parts = [
            f"{part} ({more})" if more else part for part, more in zip(parts, details, strict=True)
        ]
    said = ", ".join(parts) + (f" and {len(values) - _MANY} more" if len(values) > _MANY else "")
    # The title of the group names the property where all have the same.
    path = curie(one.path, report.prefixes) if one.path else ""
    equals = one.constraint.value == SH + "EqualsConstraintComponent"
    if path and not equals and path.lstrip("^") not in group.rule.title:
        said = f"{path} {said}".rstrip()
    if detail and equals:
        said = ""  # the detail has the values of both sides
    says = f"{said} ({detail})" if said and detail else said or detail
    own = not group.advice and (group.rule.advice or not group.rule.asks)
    messages = dict.fromkeys(result.message for result in results) if own else {}
    message = "; ".join(text for text in messages if text != group.rule.message)
    more = [message] if message else []
    more += _reasons(report, [(r, one) for r in results for one in inner.get(r, ())])
    focus = one.focus.value if isinstance(one.focus, NamedNode) else str(one.focus)
    return Row(place, node(one.focus, report), says, tuple(more), focus, one.path or "")


def _reasons(report: Report, inner: list[tuple[Result, Result]]) -> list[str]:
    """What is wrong inside of the values of a node, a line each."""
    several = len({one.focus for _, one in inner}) > 1
    lines = list(
        dict.fromkeys(_reason(report, one, several or one.focus != r.value) for r, one in inner)
    )
    hidden = len(lines) - _REASONS
    return [*lines[:_REASONS], f"... and {hidden} more"] if hidden > 1 else lines


def _reason(report: Report, one: Result, named: bool) -> str:
    rule, detail = _rule(report, one), _detail(report, one)
    about = one.value if one.path or one.value != one.focus else None
    value = node(about, report) if about is not None else ""
    said = ": ".join(filter(None, (node(one.focus, report) if named else "", rule.title, value)))
    asks = rule.advice or (rule.asks and f"Asked for: {rule.asks}.")
    return f"{said}{f' ({detail})' if detail else ''}{f'. {asks}' if asks else ''}"


def _detail(report: Report, result: Result) -> str:
    return report.context.detail(result) if report.context else ""


def node(term: Term, report: Report) -> str:
    """A node for people: its label where it has one, and its name."""
    label = report.context.label(term) if report.context else ""
    name = shown(term, report.prefixes)
    if isinstance(term, BlankNode):
        name = f"a node without a name ({name})"
    return f"“{short(label, 60)}” {name}" if label and not isinstance(term, Literal) else name


def _rule(report: Report, result: Result) -> Rule:
    if report.context:
        return report.context.rule(result)
    path = curie(result.path, report.prefixes) if result.path else None
    return Rule(broken(result.constraint.value, path), "", result.message)


def _shape(report: Report, result: Result) -> str:
    if report.context:
        return report.context.shape(result)
    if isinstance(result.shape, BlankNode):
        return "a shape without a name"
    return curie(result.shape.value, report.prefixes)


def _of_kind(number: int, kind: str, report: Report) -> str:
    if ":" in kind:  # a severity of one's own
        return f"{number:,} of {curie(kind, report.prefixes)}"
    return _count(number, kind.lower())


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
