"""Reports in SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from kg import __version__
from kg.validate.groups import Group, Row, arranged
from kg.validate.report import Place, Report

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {"Violation": "error", "Warning": "warning", "Info": "note"}
_HOME = "SRCROOT"  # what addresses of files are relative to


def to_sarif(report: Report, strict: bool = False) -> str:
    """The report as a SARIF log of one run: a rule for each group, a result for each node.

    Code hosts drop results without a line: where none is known it is the first of the file, and
    where no file is, that of the data if it is one. With `strict`, what shapes target in vain is
    an error.
    """
    rules: list[dict[str, object]] = []
    results: list[dict[str, object]] = []
    names: Counter[str] = Counter()
    for group, rows, _ in arranged(report):
        name = _name(group)
        names[name] += 1
        if names[name] > 1:  # two shapes without a name that stand at the same place
            name = f"{name} {names[name]}"
        rules.append(_rule(group, name))
        results += (_result(report, group, row, name, len(rules) - 1) for row in rows)
    run = {
        "tool": {"driver": {"name": "kg validate", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_HOME: {"uri": Path.cwd().as_uri() + "/"}},
        "invocations": [
            {
                "executionSuccessful": not (report.unchecked or (strict and report.unmet)),
                "toolExecutionNotifications": _notifications(report, strict),
            }
        ],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(group: Group, name: str) -> dict[str, object]:
    advice = " ".join(
        filter(None, (group.advice, group.rule.asks and f"Asked for: {group.rule.asks}."))
    )
    rule: dict[str, object] = {
        "id": name,
        "shortDescription": {"text": group.rule.title},
        "defaultConfiguration": {"level": _LEVELS.get(group.severity, "warning")},
    }
    if advice:
        rule["fullDescription"] = rule["help"] = {"text": advice}
    return rule


def _name(group: Group) -> str:
    constraint = group.results[0].constraint.value.rpartition("#")[2]
    return f"{group.shape} {constraint.removesuffix('ConstraintComponent')}"


def _result(report: Report, group: Group, row: Row, name: str, rule: int) -> dict[str, object]:
    what = f"{row.node}: {row.says}" if row.says else row.node
    asks = group.rule.asks and f"asked for: {group.rule.asks}"
    advice = "; ".join(row.more) or group.advice or asks
    found: dict[str, object] = {
        "ruleId": name,
        "ruleIndex": rule,
        "level": _LEVELS.get(group.severity, "warning"),
        "message": {"text": ". ".join(filter(None, (f"{group.rule.title}: {what}", advice)))},
        # The same fault of the same node is known again when the lines have moved.
        "partialFingerprints": {
            "kg/v1": hashlib.sha256(f"{name}\n{row.focus}\n{row.path}".encode()).hexdigest()
        },
    }
    location: dict[str, object] = {
        "logicalLocations": [{"fullyQualifiedName": row.focus, "kind": "resource"}]
    }
    place = row.place or _somewhere(report)
    if place:
        location["physicalLocation"] = {
            "artifactLocation": _address(place.source),
            "region": {"startLine": place.line or 1},
        }
    found["locations"] = [location]
    return found


def _somewhere(report: Report) -> Place | None:
    sources = report.context.sources if report.context else []
    return Place(sources[0], None) if len(sources) == 1 else None


def _address(source: str) -> dict[str, str]:
    if "://" in source:
        return {"uri": source}
    if Path(source).is_absolute() and not Path(source).is_relative_to(Path.cwd()):
        return {"uri": Path(source).as_uri()}
    relative = os.path.relpath(source).replace(os.sep, "/")
    return {"uri": quote(os.fsencode(relative)), "uriBaseId": _HOME}


def _notifications(report: Report, strict: bool) -> list[dict[str, object]]:
    notes = [("note", warning) for warning in report.warnings]
    notes += [("error" if strict else "warning", text) for text in report.unmet]
    if report.unchecked:
        notes.append(("error", report.unchecked))
    return [{"level": level, "message": {"text": text}} for level, text in notes]
