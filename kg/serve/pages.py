"""HTML pages: the start page, lists, the query page, and one for every thing of the graph.

Terms come as in SPARQL JSON results and go through `Site.cell` into the templates, which
escape everything.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pyoxigraph import NamedNode
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp

from kg import queries
from kg.errors import GraphError
from kg.rdf.vocabulary import PREFIXES
from kg.results import shorten
from kg.serve.negotiate import HTML, TRIPLES, choose, named, prefers_html
from kg.serve.pool import Pool, Request, RequestError, Rows
from kg.serve.protocol import Result
from kg.store import generation

_MOST_ROWS = 1000  # on the query page
_MOST_LISTED = 500  # papers or people on their page
_RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

Term = dict[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a template shows of a term."""

    text: str
    href: str = ""  # where it leads, empty for nowhere
    iri: str = ""
    number: bool = False


class Site:
    """What all pages share: the pool, the base of IRIs, and the templates."""

    def __init__(self, pool: Pool, base: str) -> None:
        self.pool, self.base = pool, base
        self._start: tuple[str, str] | None = None
        self._templates = Environment(
            loader=FileSystemLoader(Path(__file__).parent / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Render a page."""
        text = self._templates.get_template(template).render(**values)
        return HTMLResponse(text, status, {"Vary": "Accept"})

    async def start(self) -> str:
        """The start page, rendered once for each generation of the graph."""
        try:
            name = generation(self.pool.graph).name
        except GraphError as error:
            raise RequestError(503, str(error)) from error
        if self._start is None or self._start[0] != name:
            self._start = (name, await self._render_start())
        return self._start[1]

    async def _render_start(self) -> str:
        ask = self._named
        counts, concepts, papers, people = await asyncio.gather(
            ask("counts"), ask("top-concepts"), ask("newest-papers", "10"), ask("top-people")
        )
        return self._templates.get_template("start.html").render(
            counts=[{"thing": row["thing"]["value"], "count": _thousands(row)} for row in counts],
            concepts=[self._row(row, "label", "concept") for row in concepts],
            papers=[self._row(row, "title", "paper") for row in papers],
            people=[self._row(row, "name", "person") for row in people],
            examples=_examples(concepts, people),
            query=queries.load("top-concepts").text,
        )

    async def listing(self, title: str, name: str, label: str, thing: str) -> Response:
        """A page with the things that a named query lists, the first of many."""
        found = list(await self._named(name, str(_MOST_LISTED + 1)))
        whole = queries.load(name).bind({"limit": [queries.number("1000000")]})
        return self.page(
            "list.html",
            title=title,
            rows=[self._row(row, label, thing) for row in found[:_MOST_LISTED]],
            more=len(found) > _MOST_LISTED,
            all=f"/query?query={quote(whole)}",
        )

    async def _named(self, name: str, limit: str = "") -> Rows:
        values = {"limit": [queries.number(limit)]} if limit else {}
        return await self.pool.rows(queries.load(name).bind(values))

    def _row(self, row: dict[str, Term], label: str, thing: str) -> dict[str, str]:
        values = {name: term["value"] for name, term in row.items()}
        return {
            "year": "",
            "authors": "",
            "papers": "",
            **values,
            "text": values[label],
            "href": self.href(values[thing]),
        }

    def cell(self, term: Term | None, label: Term | None = None) -> Cell:
        """What to show of a term; `label` is its name in the graph, where it has one."""
        if term is None:
            return Cell("")
        value = term["value"]
        if term["type"] != "uri":
            return Cell(value, number="XMLSchema#" in term.get("datatype", ""))
        if label is not None:
            return Cell(label["value"], self.href(value), value)
        short = shorten(NamedNode(value), PREFIXES)
        if value.startswith(self.base):
            return Cell(short, self.href(value), value)
        # Only what a browser can follow safely becomes a link.
        web = value.startswith(("http://", "https://"))
        return Cell(short, value if web else "", value)

    def href(self, iri: str) -> str:
        """Where the page of a thing of the graph is on this server."""
        path = iri[len(self.base) :]
        odd = any(step in ("", ".", "..") for step in path.split("/"))
        # A browser keeps what follows "#" to itself, and changes paths with odd steps.
        if not iri.startswith(self.base) or "#" in path or odd:
            return f"/describe?iri={quote(iri, safe='')}"
        return "/" + path.replace("?", "%3F")

    async def facts(self, iri: NamedNode) -> Rows | None:
        """The properties of a thing; None where the graph knows nothing of it."""
        facts = await self.pool.rows(queries.load("facts").bind({"thing": [iri]}))
        return facts if facts.rows else None

    async def about(self, iri: NamedNode, facts: Rows) -> Response:
        """The HTML page of a thing."""
        links = await self.pool.rows(queries.load("links").bind({"thing": [iri]}))
        own = [row for row in facts if row["property"]["value"] == _RDFS_LABEL]
        return self.page(
            "thing.html",
            title=own[0]["value"]["value"] if own else iri.value,
            iri=iri.value,
            facts=self._grouped(facts, "value"),
            links=self._grouped(links, "subject"),
            more=links.more,
            formats=list(TRIPLES),
            described=f"/describe?iri={quote(iri.value, safe='')}",
        )

    def _grouped(self, found: Rows, column: str) -> list[tuple[Cell, list[Cell]]]:
        """Rows as one entry a property."""
        groups: dict[str, list[Cell]] = {}
        for row in found:
            cells = groups.setdefault(row["property"]["value"], [])
            cells.append(self.cell(row[column], row.get("label")))
        return [(self.cell({"type": "uri", "value": key}), cells) for key, cells in groups.items()]


async def start(request: HttpRequest) -> Response:
    """`/`: what the graph holds, and where to begin."""
    return HTMLResponse(await _site(request).start())


async def papers(request: HttpRequest) -> Response:
    """`/papers`: the papers, the newest first."""
    return await _site(request).listing("Papers", "newest-papers", "title", "paper")


async def people(request: HttpRequest) -> Response:
    """`/people`: the authors, those with the most papers first."""
    return await _site(request).listing("People", "top-people", "name", "person")


async def query(request: HttpRequest) -> Response:
    """`/query?query=…`: a query and its result as a table."""
    site = _site(request)
    text = request.query_params.get("query", "")
    problem, head, rows, more, status = "", [], [], False, 200
    if text.strip():
        try:
            found = await site.pool.rows(text, _MOST_ROWS)
            head, more = found.head, found.more
            rows = [[site.cell(term) for term in row] for row in found.rows]
        except RequestError as refusal:
            problem, status = refusal.message, refusal.status
    return site.page(
        "query.html",
        status,
        query=text,
        asked=bool(text.strip()),
        problem=problem,
        head=head,
        rows=rows,
        more=more,
        most=_MOST_ROWS,
        download=f"/sparql?query={quote(text)}",
        examples=_examples([], []),
    )


async def thing(request: HttpRequest) -> ASGIApp:
    """`/{path}`: the thing whose IRI is the base and that path."""
    site = _site(request)
    for path in _spellings(request.scope["raw_path"].partition(b"?")[0][1:]):
        try:
            iri = NamedNode(site.base + path)
        except ValueError:
            continue
        facts = await site.facts(iri)
        if facts is not None:
            return await _described(request, iri, facts)
    raise HTTPException(404, "There is nothing at this address in the graph.")


async def describe(request: HttpRequest) -> ASGIApp:
    """`/describe?iri=…`: any thing of the graph, whatever its IRI begins with."""
    try:
        iri = NamedNode(request.query_params.get("iri", ""))
    except ValueError as error:
        raise HTTPException(400, f"This is not an IRI: {error}.") from error
    facts = await _site(request).facts(iri)
    if facts is None:
        raise HTTPException(404, "The graph says nothing of this IRI.")
    return await _described(request, iri, facts)


async def refused(request: HttpRequest, error: Exception) -> Response:
    """A page that could not ask what it had to ask."""
    assert isinstance(error, RequestError)
    return _problem(request, error.status, error.message, error.headers)


async def failed(request: HttpRequest, error: Exception) -> Response:
    """A page that is not there, or not so."""
    assert isinstance(error, HTTPException)
    return _problem(request, error.status_code, error.detail, dict(error.headers or {}))


async def _described(request: HttpRequest, iri: NamedNode, facts: Rows) -> ASGIApp:
    site = _site(request)
    name = request.query_params.get("format")
    if name is None:
        choice = choose(", ".join(request.headers.getlist("accept")), {**HTML, **TRIPLES})
    else:
        format = (named(name) or (None, None))[1]
        choice = (format, TRIPLES[format][0]) if format else None
    if choice is None:
        raise HTTPException(406, f"A thing is described as html, {', '.join(TRIPLES)}.")
    format, media = choice
    if format == "html":
        return await site.about(iri, facts)
    text = queries.load("describe").bind({"thing": [iri]})
    asked = Request(text, formats={"triples": format}, head=request.method == "HEAD")
    return Result(site.pool, asked, {"triples": media})


def _problem(request: HttpRequest, status: int, message: str, headers: dict[str, str]) -> Response:
    accept = ", ".join(request.headers.getlist("accept"))
    if request.url.path == "/sparql" or not prefers_html(accept):
        return PlainTextResponse(f"{message}\n", status, headers)
    response = _site(request).page("problem.html", status, code=status, message=message)
    response.headers.update(headers)
    return response


def _site(request: HttpRequest) -> Site:
    site: Site = request.app.state.site
    return site


def _spellings(path: bytes) -> list[str]:
    """What an IRI may look like whose path a browser has sent: escaped, in part or not at all."""
    try:
        full = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return []
    # Browsers escape all letters beyond ASCII, and an IRI may hold escapes of its own.
    return list(dict.fromkeys((path.decode("ascii", "replace"), _unquoted_letters(path), full)))


def _unquoted_letters(path: bytes) -> str:
    """A path with the escapes of characters beyond ASCII undone, and no others."""
    found = re.sub(rb"%([89A-Fa-f][0-9A-Fa-f])", lambda hit: bytes.fromhex(hit[1].decode()), path)
    return found.decode("utf-8", "replace")


def _thousands(row: dict[str, Term]) -> str:
    return f"{int(row['count']['value']):,}"


def _examples(concepts: Sequence[Any] | Rows, people: Sequence[Any] | Rows) -> list[dict[str, str]]:
    """Queries to begin with; those that need a thing are asked of the graph's own first ones."""
    first = [NamedNode(row["concept"]["value"]) for row in concepts][:1]
    two = [NamedNode(row["person"]["value"]) for row in people][:2]
    chosen: list[tuple[str, dict[str, list[NamedNode]]]] = [
        ("top-concepts", {}),
        ("top-people", {}),
    ]
    if first:
        chosen += [
            ("papers-of-concept", {"concept": first}),
            ("authors-of-concept", {"concept": first}),
        ]
    if two:
        chosen += [("concepts-of-author", {"author": two[:1]}), ("coauthors", {"author": two[:1]})]
    if len(two) == 2:
        chosen.append(("shared-concepts", {"first": two[:1], "second": two[1:]}))
    chosen += [("papers-by-year", {}), ("introduced-concepts", {})]
    found = []
    for name, values in chosen:
        question = queries.load(name)
        found.append(
            {"title": question.title, "href": f"/query?query={quote(question.bind(values))}"}
        )
    return found
