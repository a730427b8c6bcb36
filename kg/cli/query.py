"""`kg query`: SPARQL, or a named question, on the graph."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from kg.cli.options import graph_option, output_option, writing_output
from kg.errors import InputError, UsageError

_FORMATS = ("table", "json", "csv", "tsv", "xml", "turtle", "ntriples", "jsonld", "rdfxml")
_WITHOUT_END = ("json", "xml", "jsonld", "rdfxml")  # their writers end without a line end


@click.command("query")
@click.argument("query", required=False)
@graph_option
@click.option("--file", metavar="FILE", help="Read the query from this file; - is standard input.")
@click.option("--name", metavar="NAME", help="Ask a named query; --list shows them.")
@click.option(
    "-p",
    "--param",
    "parameters",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the named query asks about: a name, a title or an IRI.",
)
@click.option("--list", "listing", is_flag=True, help="List the named queries.")
@click.option(
    "--format",
    type=click.Choice(_FORMATS),
    help="How to write the result.  [default: table; Turtle for CONSTRUCT and DESCRIBE]",
)
@output_option
def command(
    query: str | None,
    graph: Path,
    file: str | None,
    name: str | None,
    parameters: tuple[str, ...],
    listing: bool,
    format: str | None,
    output: str | None,
) -> None:
    """Ask the graph a SPARQL query.

    The prefixes of the graph's vocabularies and of its own things (concept:, paper:,
    person: and so on) need not be declared. The graph is only read, and nothing is
    fetched from elsewhere. A table is cut to the width of the terminal; in a pipe or
    a file it is as wide as it is.

    \b
    Examples:
      kg query --list
      kg query --name papers-of-concept -p concept="induction head"
      kg query --name coauthors -p author="Ada Lindqvist" --format csv
      kg query 'SELECT ?label { ?c a kg:Method ; skos:prefLabel ?label } LIMIT 5'
      kg query 'DESCRIBE concept:induction-head'
      kg query --file question.rq --format json -o answer.json
    """
    asked = [given for given in (query, file, name) if given is not None]
    if len(asked) + listing != 1:
        raise UsageError("give one of: a query, --file FILE, --name NAME, --list")
    if parameters and name is None:
        raise UsageError("-p goes with --name; write the values into the query itself")
    if listing:
        with writing_output(output) as out:
            _list(out, format or "table", _width(output))
        return
    _ask(graph, query, file, name, _pairs(parameters), format, output)


def _ask(
    graph: Path,
    query: str | None,
    file: str | None,
    name: str | None,
    values: dict[str, str],
    format: str | None,
    output: str | None,
) -> None:
    from kg import queries, results
    from kg.queries import find
    from kg.queries.ask import answering, ask
    from kg.queries.prefixes import prefixes_of
    from kg.rdf.vocabulary import PREFIXES
    from kg.search import open_index
    from kg.store import open_store

    question = queries.load(name) if name is not None else None
    text = query if file is None else _read(file)
    if query in queries.names():
        raise UsageError(f"{query} is a named query; ask it with: kg query --name {query}")
    store = open_store(graph)
    prefixes = prefixes_of(store)
    with _interruptible(), answering():
        if question is not None:
            text = find.bind(store, question, values, open_index(graph))
        assert text is not None
        result = ask(store, text, prefixes=prefixes)
        chosen = format or ("turtle" if results.kind(result) == "triples" else "table")
        results.check(result, chosen)
        with writing_output(output) as out:
            # A table shows whole the IRIs that people copy.
            shown = PREFIXES if chosen == "table" else prefixes
            results.write(result, out, chosen, shown, _width(output))
            if chosen in _WITHOUT_END:
                out.write(b"\n")


def _list(out: IO[bytes], format: str, width: int | None) -> None:
    """Write the named queries as the rows of a query are written."""
    from pyoxigraph import Literal, Store

    from kg import queries, results

    rows = []
    for name in queries.names():
        question = queries.load(name)
        takes = [
            f"[{parameter.name}]"
            if parameter.optional or parameter.kind == "number"
            else parameter.name
            for parameter in question.parameters
        ]
        cells = (name, " ".join(takes), question.title)
        rows.append(f"({' '.join(str(Literal(cell)) for cell in cells)})")
    names = "?name ?parameters ?title"
    found = Store().query(f"SELECT {names} {{ VALUES ({names}) {{ {' '.join(rows)} }} }}")
    results.write(found, out, format, {}, width)
    if format in _WITHOUT_END:
        out.write(b"\n")


def _pairs(parameters: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for parameter in parameters:
        key, equals, value = parameter.partition("=")
        if not equals or not key or not value.strip():
            raise UsageError(f"-p {parameter}: write it as -p name=value")
        if key in values:
            raise UsageError(f"-p {key} is given twice")
        values[key] = value
    return values


def _read(file: str) -> str:
    if file == "-" and sys.stdin is None:
        raise InputError(file, "cannot be read: standard input is closed")
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(file, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(file, "the query is not UTF-8", line) from error


def _width(output: str | None) -> int | None:
    """The width of the terminal that the output goes to, in cells; None where it goes to none."""
    # Where the shell has closed it, there is no standard output.
    if output in (None, "-") and sys.stdout is not None and sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    return None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the process at once: a running query hears of no Python handler."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
