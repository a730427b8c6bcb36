"""`kg serve`: the graph over HTTP."""

from __future__ import annotations

import math
from pathlib import Path

import click

from kg.cli.options import graph_option, say
from kg.errors import UsageError


def _seconds(ctx: click.Context, parameter: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter("nan is no number of seconds")
    return value


@click.command("serve")
@graph_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. 0.0.0.0 and :: open the graph to every machine that can "
    "reach this one, with no password.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; 0 takes any free one.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 86400),
    callback=_seconds,
    default=30,
    show_default=True,
    help="Seconds a query may take, sending its result included.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Processes that answer queries, one query at a time each.",
)
@click.option(
    "--max-waiting",
    type=click.IntRange(0, 10_000),
    default=100,
    show_default=True,
    help="Queries that may wait for a process, those of one page counted as one; more are told to "
    "come back later.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(1),
    help="Rows, or triples, of one result at most, at the endpoint and on the query page; the "
    "rest is cut off. "
    "[default: all]",
)
@click.option(
    "--access-log",
    metavar="FILE",
    help="Write a line of JSON for every request to this file; - is standard error.",
)
@click.option(
    "--base",
    metavar="IRI",
    help="IRIs that begin so have pages at the server's own paths. [default: the graph's base]",
)
def command(
    graph: Path,
    host: str,
    port: int,
    timeout: float,
    workers: int,
    max_waiting: int,
    max_rows: int | None,
    access_log: str | None,
    base: str | None,
) -> None:
    """Serve the graph: a SPARQL endpoint at /sparql, and pages to read.

    Nothing but this machine can reach it, unless --host opens it. The graph is only
    read; a new build is taken up without a restart.

    \b
    Examples:
      kg serve
      kg serve --port 8080 --timeout 10
      curl 'http://127.0.0.1:8000/sparql' --data-urlencode 'query=ASK {}'
    """
    from kg.rdf.dataset import base_of
    from kg.rdf.iris import Iris
    from kg.rdf.vocabulary import DEFAULT_BASE
    from kg.serve import Settings, serve
    from kg.store import open_store

    iris = Iris(base or base_of(open_store(graph)) or DEFAULT_BASE)
    try:
        iris.scheme()
    except ValueError as error:
        raise UsageError(f"the base {iris.base!r} is not an IRI: {error}") from error
    settings = Settings(
        graph,
        host,
        port,
        timeout,
        workers,
        max_waiting,
        max_rows,
        access_log,
        iris.base,
    )

    def ready(url: str) -> None:
        say(f"Serving {graph} at {url} (Ctrl-C ends it)")
        if _open_to_others(url):
            say(
                "Every machine that can reach this address can read the whole graph and run "
                "queries, with no password."
            )

    serve(settings, ready)


def _open_to_others(url: str) -> bool:
    """Whether more than this machine itself can reach an address."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    return not ip_address(urlsplit(url).hostname or "").is_loopback
