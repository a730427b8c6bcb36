"""Reports for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from kg.validate.groups import arranged, notes, summary
from kg.validate.names import escaped
from kg.validate.report import Report

__all__ = ["FIRST", "notes", "summary", "to_text"]

FIRST = 5  # nodes shown of each group

_COLOURS = {"Violation": "31", "Warning": "33", "Info": "36"}


def to_text(
    report: Report,
    first: int | None = FIRST,
    colour: bool = False,
    allow: str | None = None,
    strict: bool = False,
) -> str:
    """The report as text, a group for each shape and constraint.

    At most `first` nodes of each group are shown, all of them with None. `allow` and `strict`
    are those of `Report.passes`.
    """
    return "\n".join(_lines(report, first, colour, allow, strict)) + "\n"


def _lines(
    report: Report, first: int | None, colour: bool, allow: str | None, strict: bool
) -> Iterator[str]:
    def paint(code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour else text

    for group, rows, hidden in arranged(report, first):
        code = f"1;{_COLOURS.get(group.severity, '35')}"
        title = escaped(f"{group.severity}: {group.rule.title}")
        yield paint(code, title) + paint("2", escaped(f"  [{group.shape}, {group.noun}]"))
        # What shapes say is theirs; it must not move the cursor or colour what follows.
        if group.advice:
            yield f"  {escaped(group.advice)}"
        if group.rule.asks:
            yield f"  Asked for: {escaped(group.rule.asks)}."
        for row in rows:
            place = f"{paint('1', f'{row.place}: ')}" if row.place else ""
            yield f"  - {place}{escaped(row.node)}{escaped(f': {row.says}' if row.says else '')}"
            yield from (f"    {escaped(text)}" for text in row.more)
        if hidden:
            yield paint("2", f"  ... and {hidden:,} more")
        yield ""
    for note in notes(report):
        yield paint("33", note[:6]) + note[6:] if note.startswith("Note: ") else paint("2", note)
    yield paint("1;32" if report.passes(allow, strict) else "1;31", summary(report, allow, strict))
