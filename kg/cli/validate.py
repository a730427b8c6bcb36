"""`kg validate`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kg.cli.options import graph_option, output_option, say, tidy, verbosity, writing_output

if TYPE_CHECKING:
    from kg.validate import Report

_FORMATS = ["human", "turtle", "jsonld", "ntriples", "json", "csv", "sarif", "junit", "html"]


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
    type=click.Choice(_FORMATS),
    default="human",
    show_default=True,
    help="A text or a page (html) for people; the standard SHACL report (turtle, jsonld,"
    " ntriples); json, csv; or what CI shows (sarif, junit).",
)
@output_option
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help="Nodes shown of each group in human and html; 0 shows all.  [default: 5, html 100]",
)
@click.option(
    "--allow",
    type=click.Choice(["infos", "warnings"]),
    help="Do not fail for infos, or for warnings and infos.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail where what a shape targets is not in the data, or where it is not run.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "pyshacl", "fast"]),
    default="auto",
    show_default=True,
    help="What validates: the reference pySHACL, or the faster package shacl.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes that validate parts of a large graph, or threads of the fast engine that read"
    " it.  [default: as many as the machine has processors]",
)
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    graph: Path,
    shapes: tuple[str, ...],
    form: str,
    output: str | None,
    limit: int | None,
    allow: str | None,
    strict: bool,
    engine: str,
    jobs: int | None,
) -> None:
    """Validate RDF files, or the graph where no FILE is given, against SHACL shapes.

    Files may be Turtle, N-Triples, N-Quads, TriG, JSON-LD or RDF/XML, and gzipped; a folder
    stands for the RDF files in it, "-" for standard input, and an http address of this machine
    for the document or the SPARQL endpoint there. All together are validated as one graph. No
    other machine is reached.

    Ends with 0 if the data conforms, with 1 if it does not or if no shape had anything to look
    at, and with 2 if a file or the shapes cannot be read.

    \b
    Examples:
      kg validate -g graph
      kg validate papers.ttl --shapes my-shapes.ttl
      kg validate data/ --shapes shapes/ --format sarif -o report.sarif
    """
    if files and context.get_parameter_source("graph") == ParameterSource.COMMANDLINE:
        raise click.UsageError("Give files or --graph, not both.")
    if (*files, *shapes).count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    if output not in (None, "-"):
        from kg.validate.inputs import reads

        if reads((*files, *shapes), str(output)):
            raise click.UsageError(
                f"{output} is one of the files to be read; write the report to another."
            )
    with tidy(), writing_output(output) as file:
        report = _validate(files, graph, shapes, engine, jobs)
        for line in report.log:
            say(line, level=1)
        passed = report.passes(allow, strict)
        file.write(_written(report, form, output, limit, allow, strict))
    if form != "human" or output not in (None, "-"):
        _tell(report, allow, strict)
    if not passed:
        raise SystemExit(1)


def _validate(
    files: tuple[str, ...], graph: Path, shapes: tuple[str, ...], engine: str, jobs: int | None
) -> Report:
    # Imported late: rdflib and pySHACL are slow to load.
    from kg.store import generation, open_store
    from kg.validate import validate

    if files:
        return validate(files, shapes or None, engine=engine, jobs=jobs)
    folder = generation(graph)
    return validate(open_store(graph), shapes or None, engine=engine, jobs=jobs, folder=folder)


def _written(
    report: Report,
    form: str,
    output: str | None,
    limit: int | None,
    allow: str | None,
    strict: bool,
) -> bytes:
    """The report in one of the formats."""
    if form == "human":
        from kg.validate.human import FIRST, to_text

        if verbosity() < 0 and report.passes(allow, strict):
            return b""
        colour = output in (None, "-") and sys.stdout.isatty() and "NO_COLOR" not in os.environ
        first = FIRST if limit is None else limit or None
        return to_text(report, first, colour, allow, strict).encode()
    if form == "html":
        from kg.validate.html import FIRST as FIRST_OF_PAGE
        from kg.validate.html import to_html

        first = FIRST_OF_PAGE if limit is None else limit or None
        return to_html(report, first, allow, strict).encode()
    if form in ("json", "csv"):
        from kg.validate import machine

        if form == "csv":
            return machine.to_csv(report).encode()
        return machine.to_json(report, allow, strict).encode()
    if form == "sarif":
        from kg.validate.sarif import to_sarif

        return to_sarif(report, strict).encode()
    if form == "junit":
        from kg.validate.junit import to_junit

        return to_junit(report, allow, strict).encode()
    from kg.validate.standard import to_rdf

    return to_rdf(report, form)


def _tell(report: Report, allow: str | None, strict: bool) -> None:
    """Say the outcome on standard error, where standard output does not say it to people."""
    from kg.validate.human import notes, summary

    for note in notes(report):
        say(note)
    text = summary(report, allow, strict)
    say(text, level=0 if report.passes(allow, strict) else -1)
