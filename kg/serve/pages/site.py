"""What all pages share: asking named questions, addresses, and templates.

Rows come as dictionaries of plain text, and the templates escape everything.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pyoxigraph import Literal, NamedNode
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, Response

from kg import queries
from kg.rdf.vocabulary import DCTERMS, PREFIXES
from kg.results import shorten
from kg.serve.answer import RequestError, Rows
from kg.serve.pages.addresses import Addresses
from kg.serve.pages.former import Former
from kg.serve.pool import Pool
from kg.store import stamp

_TEMPLATES = Path(__file__).parents[1] / "templates"
_NUMBER = "http://www.w3.org/2001/XMLSchema#"
_MOST_KEPT = 100_000  # rows of kept answers
_TRIES = 2  # of what a busy machine does not answer in time
_POLL = 2.0  # seconds between two looks for a new generation
_REST = 0.5  # seconds between two looks for a worker that has nothing to do

log = logging.getLogger(__name__)

Term = dict[str, str]
Row = dict[str, str]
Value = str | int | Sequence[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a template shows of a term."""

    text: str
    href: str = ""  # where it leads, empty for nowhere
    iri: str = ""
    number: bool = False
    length: int = 0  # of the whole text where this is its beginning


@dataclass(frozen=True, slots=True)
class Panel:
    """The answer to a named question, as a part of a page."""

    name: str
    rows: list[Row]  # every column in every row, "" where nothing is bound
    query: str  # where the query page has the question
    more: bool = False  # whether rows were left out
    problem: str = ""  # why there are no rows

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, column: str, value: str) -> list[Row]:
        """The rows that have a value in a column."""
        return [row for row in self.rows if row[column] == value]


class Site:
    """What all pages share: the pool, the base of IRIs, and the templates."""

    def __init__(self, pool: Pool, base: str) -> None:
        self.pool, self.base = pool, base
        self.addresses = Addresses(base)
        self.href = self.addresses.href
        self.former = Former(pool.graph)
        self._kept: dict[str, asyncio.Task[Panel]] = {}
        self._asked: dict[tuple[object, str], asyncio.Task[Rows]] = {}  # under way
        self._stamp: object = None
        self._warming: asyncio.Task[None] | None = None
        self._templates = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.globals |= {"href": self.href, "short": short}
        self._templates.filters |= {"thousands": thousands, "counted": counted}

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Render a page."""
        text = self._templates.get_template(template).render(**values)
        headers = {"Vary": "Accept"}
        if any(getattr(value, "problem", "") for value in values.values()):
            headers["Cache-Control"] = "no-store"  # the next try may do better
        return HTMLResponse(text, status, headers)

    async def ask(self, name: str, /, **values: Value) -> Panel:
        """Ask a named question. Raises RequestError.

        Values are IRIs, several of them for alternatives; plain text where the parameter is
        a text; and whole numbers.
        """
        question, terms = _question(name, values)
        found = await self.rows(question.bind(terms))
        rows = [dict.fromkeys(found.head, "") | _plain(row) for row in found]
        return Panel(name, rows, _address(question, terms), found.more)

    async def ask_if(self, name: str, /, **values: Value) -> Panel:
        """The same for a part of a page that has others: no rows where there is no answer."""
        return await self._if(self.ask(name, **values), name, values)

    async def rows(self, query: str) -> Rows:
        """Ask a question of ours; who asks the same while it is under way shares the answer."""
        key = (stamp(self.pool.graph), query)
        while True:
            task = self._asked.get(key)
            ours = task is None or task.done()
            if task is None or task.done():
                task = self._asked[key] = asyncio.create_task(self.pool.rows(query))
                task.add_done_callback(lambda done: self._over(key, done))
            try:
                # A client that goes ends its own request, and not what others wait for.
                return await asyncio.shield(task)
            except RequestError as refusal:
                if ours or refusal.status < 500:
                    raise  # what others were refused we may still get

    def _over(self, key: tuple[object, str], task: asyncio.Task[Rows]) -> None:
        if self._asked.get(key) is task:
            del self._asked[key]
        if not task.cancelled():
            task.exception()  # all who asked may have gone

    async def kept(self, name: str, /, **values: Value) -> Panel:
        """Ask what many pages need or what takes long, once for each generation."""
        now = stamp(self.pool.graph)
        if now != self._stamp:
            self._kept, self._stamp = {}, now
        kept, key = self._kept, f"{name} {sorted(values.items())}"
        while True:
            ours = key not in kept
            if ours:
                self._make_room()
                kept[key] = asyncio.create_task(self.ask(name, **values))
            task = kept[key]
            try:
                # A client that goes ends its own request, and not what others wait for.
                return await asyncio.shield(task)
            except RequestError as refusal:
                if kept.get(key) is task:
                    del kept[key]
                if ours or refusal.status < 500:
                    raise  # what others were refused we may still get

    async def kept_if(self, name: str, /, **values: Value) -> Panel:
        """The same for a part of a page that has others: no rows where there is no answer."""
        return await self._if(self.kept(name, **values), name, values)

    async def _if(self, asked: Awaitable[Panel], name: str, values: Mapping[str, Value]) -> Panel:
        try:
            return await asked
        except RequestError as refusal:
            if stamp(self.pool.graph) is None:
                raise
            return Panel(name, [], _address(*_question(name, values)), problem=refusal.message)

    def _make_room(self) -> None:
        """Forget the oldest answers while all of them are too large."""
        sizes = {
            key: len(task.result())
            for key, task in self._kept.items()
            if task.done() and not task.cancelled() and not task.exception()
        }
        rows = sum(sizes.values())
        for key, size in sizes.items():
            if rows <= _MOST_KEPT:
                break
            del self._kept[key]
            rows -= size

    @staticmethod
    def types(found: Panel) -> dict[str, str]:
        """The first type of each concept in the rows of `types-of-concepts`."""
        return {row["concept"]: row["type"] for row in reversed(found.rows)}

    def warm(self, questions: Sequence[tuple[str, Mapping[str, Value]]]) -> None:
        """Have these questions answered before anybody asks, in every generation.

        They are asked while a worker has nothing to do, and hold nobody up.
        """
        self._warming = asyncio.get_running_loop().create_task(self._warm(questions))

    async def _warm(self, questions: Sequence[tuple[str, Mapping[str, Value]]]) -> None:
        last: object = None
        while True:
            now = stamp(self.pool.graph)
            if now is not None and now != last:
                last = now
                for name, values in _TRIES * tuple(questions):
                    while not self.pool.resting:
                        await asyncio.sleep(_REST)
                    with suppress(RequestError), self.pool.turn(waits=False):
                        await self.kept(name, **values)
            await asyncio.sleep(_POLL)

    async def facts(self, iri: NamedNode) -> Rows | None:
        """The properties of a thing; None where the graph knows nothing of it."""
        facts = await self.rows(queries.load("facts").bind({"thing": [iri]}))
        return facts if facts.rows else None

    def cell(self, term: Term | None, label: Term | None = None) -> Cell:
        """What to show of a term; `label` is its name in the graph, where it has one."""
        if term is None:
            return Cell("")
        value = term["value"]
        if term["type"] != "uri":
            number = term.get("datatype", "").startswith(_NUMBER)
            return Cell(value, number=number, length=int(term.get("length", 0)))
        text = label["value"] if label is not None else shorten(NamedNode(value), PREFIXES)
        # Only what a browser can follow safely becomes a link.
        ours = label is not None or self.addresses.path(value) is not None
        web = value.startswith(("http://", "https://"))
        return Cell(text, self.href(value) if ours else value if web else "", value)


def site_of(request: HttpRequest) -> Site:
    """The site that a request is made to."""
    site: Site = request.app.state.site
    return site


def replaced(facts: Rows | None) -> str | None:
    """The IRI of what has taken the place of a thing with these facts, if one thing has.

    Where several have, its page shows them all.
    """
    rows = (r for r in facts or () if r["property"]["value"] == DCTERMS.isReplacedBy.value)
    found = {row["value"]["value"] for row in rows if row["value"]["type"] == "uri"}
    return found.pop() if len(found) == 1 else None


def number_of(request: HttpRequest, name: str, usual: int = 1, most: int = 1_000_000) -> int:
    """A whole number from 1 among the parameters of a request; `usual` where there is none."""
    text = request.query_params.get(name, "")
    given = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else usual
    return min(max(given, 1), most)


def short(iri: str) -> str:
    """An IRI as `prefix:name` where a prefix fits."""
    return shorten(NamedNode(iri), PREFIXES)


def thousands(number: str | int) -> str:
    """A whole number with commas."""
    return f"{int(number):,}"


def counted(number: str | int, one: str = "paper", many: str = "papers") -> str:
    """A number of things: "1 paper", "2 papers"."""
    return f"{int(number):,} {one if int(number) == 1 else many}"


def safe(text: str) -> Markup:
    """Markup that we have made and escaped ourselves."""
    return Markup(text)


def _question(
    name: str, values: Mapping[str, Value]
) -> tuple[queries.Query, dict[str, list[queries.Term]]]:
    question = queries.load(name)
    kinds = {parameter.name: parameter.kind for parameter in question.parameters}
    return question, {key: _terms(kinds.get(key, ""), value) for key, value in values.items()}


def _terms(kind: str, value: Value) -> list[queries.Term]:
    values = [value] if isinstance(value, (str, int)) else value
    if kind == "number":
        return [Literal(int(number)) for number in values]
    if kind == "text":
        return [Literal(str(text)) for text in values]
    return [NamedNode(str(iri)) for iri in values]


def _address(question: queries.Query, terms: Mapping[str, Sequence[queries.Term]]) -> str:
    """Where the query page has a question; it takes one value for each parameter."""
    if any(len(values) != 1 for values in terms.values()):
        return f"/query?query={quote(question.bind(terms))}"
    fields = {f"p.{name}": values[0].value for name, values in terms.items()}
    return f"/query?{urlencode({'name': question.name, **fields})}"


def _plain(row: Mapping[str, Term]) -> Row:
    return {name: term["value"] for name, term in row.items()}
