"""Search: `/search` for people, `/search.json` for programs and for suggestions.

The index belongs to a generation of the graph and lies beside it. Where a graph was built
before there were any, one is made at the first search, in a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pyoxigraph import NamedNode
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, RedirectResponse, Response

from kg.errors import GraphError
from kg.queries.prefixes import expand, prefixes_with
from kg.search import KINDS, LONGEST, SIMILAR, Hit, Index, best, open_index
from kg.serve.answer import RequestError
from kg.serve.negotiate import choose
from kg.store import stamp

_MOST = 100  # things of one kind that are asked for at once
_FEW = 8  # things of a kind beside those of others
_FORMATS = {"html": ("text/html", "application/xhtml+xml"), "json": ("application/json",)}
_TITLES = {"concept": "Concepts", "person": "People", "paper": "Papers", "category": "Categories"}
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from pathlib import Path; "
    "from kg.search.__main__ import main; main(Path(sys.argv[2]))"
)
_SOON = {"Retry-After": "10"}  # seconds


class Search:
    """The index of the graph's current generation, and its making where it is missing."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._stamp: object = None
        self._index: Index | None = None
        self._turn = asyncio.Lock()
        self._making: asyncio.Task[None] | None = None
        self._problem = ""

    async def find(self, text: str, kinds: Sequence[str] = KINDS, limit: int = _FEW) -> list[Hit]:
        """What is called so. Raises RequestError while there is no index."""
        async with self._turn:
            index = self._current()
            return await asyncio.to_thread(index.search, text, kinds, limit)

    async def top(self, kind: str, number: int) -> list[str]:
        """The labels of the weightiest things of a kind; none while there is no index."""
        async with self._turn:
            try:
                return await asyncio.to_thread(self._current().top, kind, number)
            except RequestError:
                return []

    def _current(self) -> Index:
        now = stamp(self._graph)
        if now != self._stamp or self._index is None:
            if self._index is not None:
                self._index.close()
            if now != self._stamp:
                self._problem = ""
            try:
                self._index, self._stamp = open_index(self._graph), now
            except GraphError as error:
                self._index = None
                raise RequestError(503, str(error)) from error
        if self._index is None:
            raise self._missing()
        return self._index

    def _missing(self) -> RequestError:
        if self._problem:
            return RequestError(503, f"there is no search index: {self._problem}")
        if self._making is None:
            self._making = asyncio.create_task(self._make())
        message = "the search index of this graph is being made; try again in a minute"
        return RequestError(503, message, _SOON)

    async def _make(self) -> None:
        """Make the index in another process, which may take a minute and much memory."""
        try:
            made = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-c", _CHILD, json.dumps(sys.path), str(self._graph)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            _, said = await made.communicate()
            if made.returncode:
                lines = said.decode(errors="replace").strip().splitlines() or ["it was ended"]
                self._problem = lines[-1]
        except OSError as error:
            self._problem = str(error)
        finally:
            self._making = None


async def page(request: HttpRequest) -> Response:
    """`/search?q=…`: what is called so, kind by kind; `kind` asks for one kind, and more of it.

    A browser is sent to a thing at once where it alone is called just so, save with `all`.
    """
    accept = ", ".join(request.headers.getlist("accept"))
    choice = choose(accept, _FORMATS)
    if choice is not None and choice[0] == "json":
        return await data(request)
    text, kinds, limit = _asked(request)
    site, hits = request.app.state.site, []
    if text:
        for iri in _iris(text, site.base) if "all" not in request.query_params else ():
            if await site.facts(iri) is not None:
                return RedirectResponse(site.href(iri.value), 303)
        hits = await request.app.state.search.find(text, kinds, limit)
        first = best(hits)
        if first and len(kinds) > 1 and "all" not in request.query_params:
            return RedirectResponse(site.href(first.iri), 303)
    groups = [
        _group(request, kind, list(found), text, limit)
        for kind, found in groupby(hits, lambda hit: hit.kind)
    ]
    response: Response = site.page(
        "search.html",
        text=text,
        groups=groups,
        longest=LONGEST,
        similar=bool(hits) and all(hit.match == SIMILAR for hit in hits),
    )
    return response


async def data(request: HttpRequest) -> Response:
    """`/search.json?q=…`: the same as data, up to `limit` things of each kind."""
    text, kinds, limit = _asked(request)
    hits = await request.app.state.search.find(text, kinds, limit) if text else []
    site = request.app.state.site
    found = [
        {
            "kind": hit.kind,
            "label": hit.label,
            "iri": hit.iri,
            "href": site.href(hit.iri),
            "match": hit.match,
            "name": hit.name,
            "note": about(hit),
        }
        for hit in hits
    ]
    return JSONResponse({"query": text, "hits": found}, headers={"Vary": "Accept"})


def about(hit: Hit) -> str:
    """A few words that tell a thing from others of its name."""
    if hit.kind == "paper":
        parts = [str(hit.weight // 10_000) if hit.weight else "", hit.note]
    else:
        count = f"{hit.weight:,} {'paper' if hit.weight == 1 else 'papers'}"
        parts = [hit.note, count if hit.weight else ""]
    return " · ".join(part for part in parts if part)


def _asked(request: HttpRequest) -> tuple[str, Sequence[str], int]:
    """The text, the kinds and the number that a request asks for."""
    wanted = request.query_params
    text = wanted.get("q", "").strip()[:LONGEST]
    kinds = tuple(kind for kind in KINDS if kind in wanted.getlist("kind")) or KINDS
    number = wanted.get("limit", "")
    usual = _FEW if len(kinds) > 1 else _MOST
    limit = int(number) if number.isascii() and number.isdigit() and len(number) < 5 else usual
    return text, kinds, min(max(limit, 1), _MOST)


def _iris(text: str, base: str) -> list[NamedNode]:
    """The IRI that somebody wrote out or in short; none for a mere name."""
    if short := expand(text, prefixes_with(base)):
        return [short]
    try:
        return [NamedNode(text.strip("<>"))] if "://" in text else []
    except ValueError:
        return []


def _group(
    request: HttpRequest, kind: str, hits: list[Hit], text: str, limit: int
) -> dict[str, Any]:
    site = request.app.state.site
    return {
        "title": _TITLES[kind],
        "rows": [
            {
                "href": site.href(hit.iri),
                "text": hit.label,
                "other": hit.name if hit.name != hit.label else "",
                "about": about(hit),
            }
            for hit in hits
        ],
        "more": len(hits) == limit < _MOST and f"/search?{urlencode({'q': text, 'kind': kind})}",
        "cut": len(hits) == _MOST,
    }
