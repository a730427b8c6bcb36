"""`kg show`: a concept, a person or a paper in the terminal."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from kg.cli.options import graph_option, output_option, say, writing_output
from kg.errors import UsageError

View = dict[str, Any]
Section = tuple[str, list[str]]  # a title, and its entries

_WIDEST = 100  # cells, for text that is easy to read


@click.command("show")
@click.argument("name")
@graph_option
@click.option(
    "--kind",
    type=click.Choice(("concept", "person", "paper")),
    help="Look only among these, where a name means several things.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="At most so many entries in each list of the text; JSON has all.",
)
@click.option(
    "--format", type=click.Choice(("text", "json")), default="text", help="How to write it."
)
@output_option
def command(
    name: str, graph: Path, kind: str | None, limit: int, format: str, output: str | None
) -> None:
    """Show a concept, a person or a paper.

    NAME is a label, another name, a title, an identifier or an IRI; case and accents
    do not matter, nor does the plural of a concept.

    \b
    Examples:
      kg show "induction head"
      kg show "Ada Lindqvist" --limit 5
      kg show "Copy Heads Emerge Before Induction Heads" --format json
      kg show concept:induction-head
    """
    from kg.queries.find import PLURALS, find, missing
    from kg.queries.views import view
    from kg.results import printable
    from kg.search import open_index
    from kg.store import open_store

    store, index = open_store(graph), open_index(graph)
    kinds = (kind,) if kind else tuple(PLURALS)
    things = find(store, name, kinds, index)
    if not things:
        raise missing(store, name, kinds, index)
    if len(things) > 1:
        for thing in things:
            say(f"{thing.kind}  {printable(thing.label)}  {thing.iri}", level=-1)
        raise UsageError(f'"{name}" means {len(things)} things; show one of them by its IRI')
    found = view(store, things[0])
    if format == "json":
        text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    else:
        text = _text(found, limit, _width(output))
    with writing_output(output) as out:
        out.write(text.encode())


def _width(output: str | None) -> int:
    if output in (None, "-") and sys.stdout is not None and sys.stdout.isatty():
        return max(20, min(_WIDEST, shutil.get_terminal_size().columns))
    return _WIDEST


def _text(found: View, limit: int, width: int) -> str:
    from kg.results import printable

    lines = [*textwrap.wrap(printable(found["label"]), width), _summary(found), found["iri"]]
    for title, entries in _BODIES[found["kind"]](found):
        if not entries:
            continue
        lines += ["", f"{title} ({len(entries)})" if len(entries) > 1 else title]
        for entry in entries[:limit]:
            lines += textwrap.wrap(
                printable(entry), width, initial_indent="  ", subsequent_indent="    "
            )
        if len(entries) > limit:
            lines.append(f"  … and {len(entries) - limit} more")
    return "\n".join(lines) + "\n"


def _summary(found: View) -> str:
    facts = [found["kind"]]
    if found.get("types"):
        facts.append(", ".join(found["types"]).lower())
    if "year" in found:
        facts.append(str(found["year"]))
    return " · ".join(facts)


def _concept(found: View) -> list[Section]:
    years = [f"{row['year']}: {row['papers']}" for row in found["papers_by_year"]]
    return [
        ("Also called", found["other_names"]),
        ("Papers by year", _joined(years)),
        ("Papers", [_cited(paper) for paper in found["papers"]]),
        ("People", [_counted(row, "name") for row in found["people"]]),
    ]


def _person(found: View) -> list[Section]:
    return [
        ("Also called", found["other_names"]),
        ("Papers", [_cited(paper) for paper in found["papers"]]),
        ("Concepts", [_counted(row, "label") for row in found["concepts"]]),
        ("Co-authors", [_counted(row, "name") for row in found["coauthors"]]),
    ]


def _paper(found: View) -> list[Section]:
    roles: dict[str, list[str]] = {"introduces": [], "about": [], "mentions": []}
    for row in found["concepts"]:
        roles[row["role"]].append(row["label"])
    sources = [
        f"{row['source']}, record {row['position']}, line {row['line']}" for row in found["sources"]
    ]
    return [
        ("Note", _joined([found.get("note", "")])),
        ("Authors", _joined([row["name"] for row in found["authors"]])),
        ("Abstract", _joined([found.get("abstract", "")])),
        ("Introduces", roles["introduces"]),
        ("Is about", roles["about"]),
        ("Mentions", _joined(roles["mentions"])),
        ("Categories", found["categories"]),
        ("Found at", [*found["identifiers"], *found["addresses"]]),
        ("Came from", sources),
    ]


def _joined(words: Sequence[str]) -> list[str]:
    """One entry of all words, or none."""
    line = ", ".join(word for word in words if word)
    return [line] if line else []


def _cited(paper: View) -> str:
    year = f"{paper['year']}  " if "year" in paper else ""
    authors = f" — {paper['authors']}" if paper.get("authors") else ""
    return f"{year}{paper['title']}{authors}"


def _counted(row: View, name: str) -> str:
    count = row["papers"]
    return f"{row[name]} ({count} {'paper' if count == 1 else 'papers'})"


_BODIES: dict[str, Callable[[View], list[Section]]] = {
    "concept": _concept,
    "person": _person,
    "paper": _paper,
}
