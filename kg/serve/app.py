"""The ASGI application: routes, and headers that go on every answer."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from logging import Logger
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.errors import GraphError
from kg.serve import description, editor, pages, protocol, search
from kg.serve.access import Logged
from kg.serve.answer import RequestError
from kg.serve.caching import Cached
from kg.serve.drawing import STYLE_SOURCE
from kg.serve.negotiate import prefers_html
from kg.serve.pool import Pool
from kg.serve.problem import problem
from kg.store import generation, stamp

# Anybody may read what the graph says, from any page; our own pages load nothing from
# elsewhere, and run no script but our own files.
_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": ", ".join(protocol.METHODS),
    "Access-Control-Allow-Headers": "Accept, Cache-Control, Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Kg-Max-Rows, Retry-After",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'self' {STYLE_SOURCE}; img-src 'self'; script-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

_FILES = StaticFiles(directory=Path(__file__).parent / "static")
_READING = ("GET", "HEAD", "OPTIONS")
_ENDPOINT = ("/sparql", "/sparql/")


def application(pool: Pool, base: str, log: Logger | None = None) -> ASGIApp:
    """The application on a pool that is started and closed by the caller.

    `log` gets a line of JSON for every request.
    """
    app = Starlette(
        routes=[
            Route("/", pages.start),
            Route("/.well-known/void", description.void),
            Route("/query", editor.page, methods=["GET", "POST"]),
            Route("/query/terms.json", editor.terms),
            Route("/search", search.page),
            Route("/search.json", search.data),
            Route("/papers", pages.papers),
            Route("/people", pages.people),
            Route("/categories", pages.categories),
            Route("/compare", pages.compare),
            Route("/missing", pages.missing),
            Route("/ontology", pages.ontology),
            Route("/ontology.{ending}", pages.ontology),
            Route("/describe", pages.describe),
            Route("/health", health),
            Route("/static/{path:path}", files),
            Route("/{path:path}/picture.svg", pages.picture),
            Route("/{path:path}", pages.thing),
        ],
        exception_handlers={RequestError: refused, HTTPException: failed, Exception: broken},
    )
    app.state.pool = pool
    app.state.base = base
    app.state.site = pages.Site(pool, base)
    app.state.site.warm(pages.SLOW)
    app.state.search = search.Search(pool.graph)
    zipped = GZipMiddleware(app, minimum_size=1000, compresslevel=4)
    # Results come compressed from the workers, and a small query is answered in less time than
    # it takes to find a route.
    asked = ServerErrorMiddleware(protocol.Endpoint(pool), broken)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in _ENDPOINT:
            await asked(scope, receive, send)
            return
        with pool.turn() as turn:

            async def made(message: Message) -> None:
                pool.leave(turn)
                await send(message)

            await zipped(scope, receive, made)

    settings = (base, pool.most)
    answering = _Headers(Cached(routed, lambda: stamp(pool.graph), settings))
    return answering if log is None else Logged(answering, log)


async def refused(request: Request, error: Exception) -> Response:
    """What could not be asked."""
    assert isinstance(error, RequestError)
    if _reads(request):
        return await pages.refused(request, error)
    return problem(_accept(request), error.status, error.message, error.headers)


async def failed(request: Request, error: Exception) -> Response:
    """What is not there, or not so."""
    assert isinstance(error, HTTPException)
    if _reads(request):
        return await pages.failed(request, error)
    return problem(_accept(request), error.status_code, error.detail, error.headers)


async def broken(request: Request, error: Exception) -> Response:
    """A fault of ours; the log says which."""
    return await failed(request, HTTPException(500, "This should not happen; the log says more."))


def health(request: Request) -> Response:
    """Say whether there is a graph, and which generation of it."""
    pool: Pool = request.app.state.pool
    try:
        name = generation(pool.graph).name
    except GraphError as error:
        return JSONResponse({"status": "no graph", "message": str(error)}, 503)
    return JSONResponse({"status": "ok", "generation": name, "workers": pool.size})


async def files(request: Request) -> ASGIApp:
    """Our own files; any other address that begins so may be that of a thing."""
    path = request.path_params["path"]
    try:
        return await _FILES.get_response(path, request.scope)
    except (HTTPException, ValueError):  # there is none, or no file can be called so
        return await (pages.picture if path.endswith("/picture.svg") else pages.thing)(request)


def _accept(request: Request) -> str:
    return ", ".join(request.headers.getlist("accept"))


def _reads(request: Request) -> bool:
    """Whether a person with a browser asks."""
    return not request.url.path.startswith("/sparql") and prefers_html(_accept(request))


def _varying_once(headers: Collection[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Headers with all that the answer varies with said in one, and once."""
    kept = [pair for pair in headers if pair[0] != b"vary"]
    varies = tuple(value for name, value in headers if name == b"vary")
    return [*kept, (b"vary", _once(varies))] if varies else kept


@lru_cache(maxsize=64)
def _once(varies: tuple[bytes, ...]) -> bytes:
    names = dict[bytes, bytes]()
    for part in b",".join(varies).split(b","):
        names.setdefault(part.strip().lower(), part.strip())
    return b", ".join(names.values())


def _allowed(scope: Scope) -> str:
    posts = (*_ENDPOINT, "/query")
    return ", ".join(protocol.METHODS if scope["path"] in posts else _READING)


class _Headers:
    """Adds our headers to every answer, errors among them, and says what is allowed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = _varying_once(message.get("headers", ()))
                if message["status"] == 405:
                    headers = [pair for pair in headers if pair[0] != b"allow"]
                    headers.append((b"allow", _allowed(scope).encode()))
                message = {**message, "headers": [*headers, *self._headers]}
            await send(message)

        if scope["method"] == "OPTIONS":
            # Browsers ask this before they send a page of elsewhere to us.
            allowed = Response(status_code=204, headers={"Allow": _allowed(scope)})
            await allowed(scope, receive, adding)
        else:
            await self._app(scope, receive, adding)
