"""The ASGI application: routes, and headers that go on every answer."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.errors import GraphError
from kg.serve import pages, protocol
from kg.serve.pool import Pool, RequestError
from kg.store import generation

# Anybody may read what the graph says, from any page; our own pages load nothing from
# elsewhere and run no script.
_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": ", ".join(protocol.METHODS),
    "Access-Control-Allow-Headers": "Accept, Content-Type",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def application(pool: Pool, base: str) -> ASGIApp:
    """The application on a pool that is started and closed by the caller."""
    app = Starlette(
        routes=[
            Route("/", pages.start),
            Route("/sparql", protocol.endpoint, methods=list(protocol.METHODS)),
            Route("/query", pages.query),
            Route("/papers", pages.papers),
            Route("/people", pages.people),
            Route("/describe", pages.describe),
            Route("/health", health),
            Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
            Route("/{path:path}", pages.thing),
        ],
        exception_handlers={RequestError: pages.refused, HTTPException: pages.failed},
    )
    app.state.pool = pool
    app.state.base = base
    app.state.site = pages.Site(pool, base)
    return _Headers(app)


def health(request: Request) -> Response:
    """Say whether there is a graph, and which generation of it."""
    pool: Pool = request.app.state.pool
    try:
        name = generation(pool.graph).name
    except GraphError as error:
        return JSONResponse({"status": "no graph", "message": str(error)}, 503)
    return JSONResponse({"status": "ok", "generation": name, "workers": pool.size})


class _Headers:
    """Adds our headers to every answer, errors among them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self._app(scope, receive, adding)
