"""`kg validate`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from kg.cli.options import graph_option, require_output, verbosity


@click.command("validate", short_help="Validate RDF files, or the graph, against SHACL shapes.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@graph_option
@click.option(
    "--shapes",
    multiple=True,
    metavar="FILE",
    help="SHACL shapes to validate against, instead of those of kg. May be given again.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["human", "turtle", "json"]),
    default="human",
    show_default=True,
    help="A text for people, the standard SHACL report in Turtle, or JSON.",
)
@click.pass_context
def command(
    context: click.Context, files: tuple[str, ...], graph: Path, shapes: tuple[str, ...], form: str
) -> None:
    """Validate RDF files, or the graph where no FILE is given, against SHACL shapes.

    Files may be Turtle, N-Triples, N-Quads, TriG, JSON-LD or RDF/XML, and gzipped; "-" is
    standard input. Several files are validated as one graph. Nothing is fetched from the
    network.

    Ends with 0 if the data conforms, with 1 if it does not or if no shape had anything to look
    at, and with 2 if a file or the shapes cannot be read.

    \b
    Examples:
      kg validate -g graph
      kg validate papers.ttl --shapes my-shapes.ttl
    """
    if files and context.get_parameter_source("graph") == ParameterSource.COMMANDLINE:
        raise click.UsageError("Give files or --graph, not both.")
    if (*files, *shapes).count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    require_output()
    # Imported late: rdflib and pySHACL are slow to load.
    from kg.store import open_store
    from kg.validate import read, validate

    data = read(files) if files else open_store(graph)
    report = validate(data, shapes or None)
    if form == "human":
        from kg.validate.human import to_text

        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        if verbosity() >= 0 or not report.passed:
            click.echo(to_text(report, colour=colour), nl=False, color=colour)
    else:
        from kg.validate.machine import to_json, to_turtle

        click.echo(to_json(report) if form == "json" else to_turtle(report), nl=False)
        if report.unchecked:
            click.echo(report.unchecked, err=True)
    if not report.passed:
        raise SystemExit(1)
