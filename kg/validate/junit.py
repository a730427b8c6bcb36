"""Reports as JUnit XML, which CI servers show as tests."""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree

from kg.validate.groups import Group, Row, arranged
from kg.validate.report import ALLOWED, SH, Report

_SHOWN = 50  # nodes named in the text of one failure


def to_junit(report: Report, allow: str | None = None, strict: bool = False) -> str:
    """The report as one test suite: a class for each shape that has a target.

    It has a test for each constraint that is broken in the shape or in a shape within it, which
    fails unless the severity is allowed, or one test that passes. A shape that found nothing to
    look at is skipped. One test more tells what shapes target and is not there, which fails
    with `strict`; and where nothing was checked at all, one says so and fails.
    """
    allowed = {severity.value.removeprefix(SH) for severity in ALLOWED[allow]} if allow else set()
    suite = ElementTree.Element("testsuite", name="kg validate", time=f"{report.seconds:.3f}")
    found: dict[str, list[tuple[Group, list[Row], int]]] = defaultdict(list)
    for group, rows, hidden in arranged(report, _SHOWN):
        found[_test(report, group)].append((group, rows, hidden))
    nodes = {target.name: target.nodes for target in report.targets}
    for name in sorted(nodes.keys() | found.keys()):
        for group, rows, hidden in found.get(name, ()):
            case = _case(suite, name, _title(group))
            if group.severity in allowed:
                ElementTree.SubElement(case, "system-out").text = _text(group, rows, hidden)
            else:
                _failure(case, _title(group), group.severity, _text(group, rows, hidden))
        if name not in found:
            case = _case(suite, name, "conforms")
            if not nodes[name]:
                message = "The data has nothing that this shape targets."
                ElementTree.SubElement(case, "skipped", message=message)
    if report.unchecked:
        case = _case(suite, "kg validate", "something is checked")
        _failure(case, report.unchecked, "Unchecked", report.unchecked)
    if report.unmet:
        case = _case(suite, "kg validate", "targets are met")
        text = "\n".join(report.unmet)
        if strict:
            _failure(case, "What shapes target is not in the data.", "Target", text)
        else:
            ElementTree.SubElement(case, "system-out").text = _clean(text)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _test(report: Report, group: Group) -> str:
    return report.context.top(group.results[0]) if report.context else group.shape


def _case(suite: ElementTree.Element, shape: str, name: str) -> ElementTree.Element:
    names = {"classname": _clean(shape), "name": _clean(name)}
    return ElementTree.SubElement(suite, "testcase", names)


def _failure(case: ElementTree.Element, message: str, kind: str, text: str) -> None:
    failure = ElementTree.SubElement(case, "failure", message=_clean(message), type=kind)
    failure.text = _clean(text)


def _title(group: Group) -> str:
    return f"{group.rule.title} ({group.noun})"


def _text(group: Group, rows: list[Row], hidden: int) -> str:
    lines = [f"{group.severity}: {_title(group)} [{group.shape}]"]
    if group.advice:
        lines.append(group.advice)
    if group.rule.asks:
        lines.append(f"Asked for: {group.rule.asks}.")
    for row in rows:
        place = f"{row.place}: " if row.place else ""
        lines.append(f"- {place}{row.node}{f': {row.says}' if row.says else ''}")
        lines += (f"  {text}" for text in row.more)
    if hidden:
        lines.append(f"... and {hidden:,} more")
    return _clean("\n".join(lines))


def _clean(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return "".join(c for c in text if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff"))
