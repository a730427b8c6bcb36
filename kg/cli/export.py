"""`kg export`."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from kg.cli.options import graph_option, output_option, writing_output
from kg.errors import UsageError
from kg.export import FORMATS, export


@click.command()
@graph_option
@click.option(
    "--format",
    type=click.Choice(list(FORMATS)),
    help="What to write. [default: by the ending of -o, else turtle]",
)
@output_option
def command(graph: Path, format: str | None, output: str | None) -> None:
    """Write the graph as Turtle, N-Triples or JSON-LD.

    The same graph gives the same bytes, sorted so that exports can be compared
    line by line.

    \b
    Examples:
      kg export > graph.ttl
      kg export -o graph.jsonld
    """
    from kg.store import open_store

    if format is None:
        format = _format_of(output)
    store = open_store(graph)
    with writing_output(output) as file:
        export(store, format, file)


def _format_of(output: str | None) -> str:
    ending = PurePath(output or "").suffix
    if not ending:
        return "turtle"
    for name, known in FORMATS.items():
        if ending == known:
            return name
    raise UsageError(
        f"{output}: say with --format what to write; the endings known are "
        + ", ".join(FORMATS.values())
    )
