"""`kg stats`: counts and top lists of the graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from kg.cli.options import graph_option, output_option, writing_output


@click.command("stats")
@graph_option
@click.option(
    "--format", type=click.Choice(("text", "json")), default="text", help="How to write them."
)
@output_option
def command(graph: Path, format: str, output: str | None) -> None:
    """Count what the graph holds, and list what is most frequent.

    \b
    Examples:
      kg stats
      kg stats --format json -o stats.json
    """
    from kg.queries.views import statistics
    from kg.store import open_store

    found = statistics(open_store(graph))
    if format == "json":
        text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    else:
        text = _text(found)
    with writing_output(output) as out:
        out.write(text.encode())


def _text(found: dict[str, Any]) -> str:
    from kg.results import aligned

    def listed(title: str, rows: list[list[str]]) -> str:
        columns = len(rows[0]) if rows else 0
        right = [False, *[True] * (columns - 1)]
        lines = aligned([""] * columns, rows, right).splitlines()[2:] if rows else ["none"]
        return f"{title}\n" + "".join(f"  {line}\n" for line in lines)

    parts = [
        listed("In the graph", [[k, f"{v:,}"] for k, v in found["counts"].items()]),
        listed("Concepts by type", [[k, f"{v:,}"] for k, v in found["concept_types"].items()]),
        listed(
            "Papers by year",
            [[str(row["year"]), f"{row['papers']:,}"] for row in found["papers_by_year"]],
        ),
        listed(
            "Concepts with the most papers",
            [[row["label"], f"{row['papers']:,}"] for row in found["top_concepts"]],
        ),
        listed(
            "People with the most papers",
            [[row["name"], f"{row['papers']:,}"] for row in found["top_people"]],
        ),
    ]
    return "\n".join(parts)
