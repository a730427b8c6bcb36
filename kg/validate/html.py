"""Reports as one self-contained web page, and as a part of a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from kg.validate.groups import Group, Row, arranged, notes, summary
from kg.validate.report import Report

FIRST = 100  # nodes shown of each group
_IN_NOTEBOOK = 5

_STYLE = """
.kg-report { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto;
  color-scheme: light dark; }
.kg-report h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; overflow-wrap: anywhere; }
.kg-report .outcome { padding: .75rem 1rem; border-left: .3rem solid; }
.kg-report .good { border-color: #1a7f37; } .kg-report .bad { border-color: #cf222e; }
.kg-report .kind { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; color: #fff;
  border-radius: 1rem; background: #6639ba; margin-right: .4rem; }
.kg-report .Violation { background: #cf222e; } .kg-report .Warning { background: #7d4e00; }
.kg-report .Info { background: #0969da; }
.kg-report .from { opacity: .75; font-size: .85rem; margin: 0; }
.kg-report table { border-collapse: collapse; width: 100%; margin-top: .5rem; }
.kg-report th, .kg-report td { text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
.kg-report td.place { white-space: nowrap; font-family: ui-monospace, monospace; font-size: .85rem;
  overflow-wrap: normal; }
"""


def to_html(
    report: Report, first: int | None = FIRST, allow: str | None = None, strict: bool = False
) -> str:
    """The report as an HTML page that needs nothing from elsewhere and runs no script.

    At most `first` nodes of each group are in it, all of them with None. `allow` and `strict`
    are those of `Report.passes`.
    """
    body = fragment(report, first, allow, strict, heading="<h1>SHACL report</h1>")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(summary(report, allow, strict).partition(':')[0])}: SHACL report</title>\n"
        "<style>body { margin: 2rem 1rem; color-scheme: light dark; }</style>\n</head>\n<body>\n"
        f"<main>\n{body}</main>\n</body>\n</html>\n"
    )


def fragment(
    report: Report,
    first: int | None = _IN_NOTEBOOK,
    allow: str | None = None,
    strict: bool = False,
    heading: str = "",
) -> str:
    """The report as HTML to stand within a page."""
    return "\n".join(_parts(report, first, allow, strict, heading)) + "\n"


def _parts(
    report: Report, first: int | None, allow: str | None, strict: bool, heading: str
) -> Iterator[str]:
    yield f'<div class="kg-report"><style>{_STYLE}</style>'
    if heading:
        yield heading
    state = "good" if report.passes(allow, strict) else "bad"
    yield f'<p class="outcome {state}">{escape(summary(report, allow, strict))}</p>'
    if told := notes(report):
        yield f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in told)}</ul>"
    for group, rows, hidden in arranged(report, first):
        yield from _group(group, rows, hidden)
    yield "</div>"


def _group(group: Group, rows: list[Row], hidden: int) -> Iterator[str]:
    kind = escape(group.severity)
    yield (
        f'<section><h2><span class="kind {kind}">{kind}</span> {escape(group.rule.title)}</h2>'
        f'<p class="from">{escape(group.shape)}, {group.noun}</p>'
    )
    if group.advice:
        yield f"<p>{escape(group.advice)}</p>"
    if group.rule.asks:
        yield f"<p>Asked for: {escape(group.rule.asks)}.</p>"
    places = any(row.place for row in rows)
    head = "<th>where</th>" if places else ""
    yield f"<table><thead><tr>{head}<th>node</th><th>what it has</th></tr></thead><tbody>"
    for row in rows:
        place = str(row.place or "")
        cell = f'<td class="place">{escape(place)}</td>' if places else ""
        says = "<br>".join(escape(text) for text in (row.says, *row.more) if text)
        yield f"<tr>{cell}<td>{escape(row.node)}</td><td>{says}</td></tr>"
    yield "</tbody></table>"
    if hidden:
        yield f"<p>... and {hidden:,} more</p>"
    yield "</section>"
