"""Write docs/queries.md, the listing of the named queries: python docs/generate_queries.py."""

from __future__ import annotations

from pathlib import Path

from kg import queries

_HEAD = """\
# The named queries

Every question that the command line and the pages ask is a file in `kg/queries/`. Ask one
with `kg query --name NAME -p key=value`; give a thing by its label, another name of it (case
and accents do not matter) or its IRI. Each text below can be pasted into a SPARQL endpoint
that holds a graph of kg: what stands in `VALUES ?parameter { … }` is the example to replace.

This page is written by `docs/generate_queries.py`.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for name in queries.names():
        parts.append(_section(queries.load(name)))
    return "\n".join(parts)


def _section(query: queries.Query) -> str:
    lines = [f"## {query.name}", "", f"**{query.title}.** {query.about}", ""]
    for parameter in query.parameters:
        optional = parameter.optional or parameter.kind == "number"
        kind = f"{parameter.kind}, optional" if optional else parameter.kind
        lines.append(f"- `{parameter.name}` ({kind}): {parameter.note}")
    if query.parameters:
        lines.append("")
    return "\n".join([*lines, "```sparql", query.text.rstrip("\n"), "```", ""])


if __name__ == "__main__":
    (Path(__file__).parent / "queries.md").write_text(page(), encoding="utf-8")
