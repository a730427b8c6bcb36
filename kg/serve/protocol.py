"""`/sparql`: the query part of the SPARQL 1.1 Protocol.

Parameters are decoded once; what an HTTP request means is worked out here, what it costs
is the pool's business. The dataset of the protocol (`default-graph-uri`,
`named-graph-uri`) is honoured, and only ever names graphs of the store.
"""

from __future__ import annotations

import asyncio
import logging
from email.message import Message
from urllib.parse import parse_qsl, quote

from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from kg.serve.negotiate import (
    SOLUTIONS,
    TRIPLES,
    choose,
    content_type,
    named,
    prefers_html,
    takes_html,
)
from kg.serve.pool import Answer, Pool, Request, RequestError

METHODS = ("GET", "HEAD", "POST", "OPTIONS")
MAX_BODY = 1 << 20  # bytes
_MAX_FIELDS = 100
_KINDS = {"solutions": SOLUTIONS, "boolean": SOLUTIONS, "triples": TRIPLES}

Parameters = list[tuple[str, str]]

log = logging.getLogger(__name__)


async def endpoint(request: HttpRequest) -> ASGIApp:
    """Answer one request to the endpoint."""
    if request.method == "OPTIONS":
        return Response(status_code=204, headers={"Allow": ", ".join(METHODS)})
    try:
        parameters = await _parameters(request)
        accept = ", ".join(request.headers.getlist("accept"))
        asked = [value for name, value in parameters if name == "format"]
        if request.method in ("GET", "HEAD"):
            query = (_one(parameters, "query") or "").strip()
            update = any(name == "update" for name, _ in parameters)
            # A person with a browser gets the page with the same query; one who asks
            # nothing may be less plainly a person.
            if query and not asked and prefers_html(accept):
                return RedirectResponse(f"/query?query={quote(query)}", 303)
            if not query and not update and takes_html(accept):
                return RedirectResponse("/query", 303)
        media = _media(accept, asked)
        return Result(request.app.state.pool, _request(parameters, media, request), media)
    except RequestError as refusal:
        return refused(refusal)


def refused(refusal: RequestError) -> Response:
    """A refusal as the endpoint says it: one line of plain text."""
    return PlainTextResponse(f"{refusal.message}\n", refusal.status, refusal.headers)


class Result:
    """An ASGI response that asks the pool when it is sent, and streams what comes.

    `media` maps a kind of result to its media type. When the client goes, the query ends.
    """

    def __init__(self, pool: Pool, request: Request, media: dict[str, str]) -> None:
        self._pool, self._request, self._media = pool, request, media

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        sending = asyncio.ensure_future(self._send(scope, receive, send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
        if not sending.cancelled() and (error := sending.exception()):
            raise error

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False
        try:
            async with self._pool.answer(self._request) as answer:
                async for chunk in answer.chunks():
                    if not begun:
                        await self._begin(answer, send)
                        begun = True
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                if not begun:
                    await self._begin(answer, send)
                    begun = True
            await send({"type": "http.response.body", "body": b""})
        except RequestError as refusal:
            if not begun:
                await refused(refusal)(scope, receive, send)
            else:
                # The status is out; all that is left is to break off, so that the client
                # does not take a part for the whole. The server closes the connection.
                log.warning("a result was broken off: %s", refusal.message)

    async def _begin(self, answer: Answer, send: Send) -> None:
        media = content_type(self._media[answer.kind])
        headers = [(b"content-type", media.encode("latin-1")), (b"vary", b"Accept")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _request(parameters: Parameters, media: dict[str, str], request: HttpRequest) -> Request:
    if any(name == "update" for name, _ in parameters):
        raise _no_updates()
    query = _one(parameters, "query")
    if not query or not query.strip():
        raise RequestError(
            400,
            "there is no query: send it as the parameter query, as in "
            "/sparql?query=ASK%20%7B%7D, or write one on the page /query",
        )
    formats = {
        kind: next(format for format, types in _KINDS[kind].items() if chosen in types)
        for kind, chosen in media.items()
    }
    return Request(
        query,
        base=str(request.url.replace(query="")),
        default_graphs=tuple(v for name, v in parameters if name == "default-graph-uri"),
        named_graphs=tuple(v for name, v in parameters if name == "named-graph-uri"),
        formats=formats,
        head=request.method == "HEAD",
    )


def _media(accept: str, asked: list[str]) -> dict[str, str]:
    """The media type for each kind of result that can be sent as the client likes it.

    `asked` are the values of `format`; clients that do not know us try several spellings.
    """
    if asked:
        names = next((names for format in asked if (names := named(format))), None)
        if names is None:
            raise RequestError(
                406, f"unknown format; these are known: {', '.join([*SOLUTIONS, *TRIPLES])}"
            )
        rows, triples = names
        found = dict.fromkeys(("solutions", "boolean"), SOLUTIONS[rows][0]) if rows else {}
        return found | ({"triples": TRIPLES[triples][0]} if triples else {})
    chosen = {kind: choose(accept, offers) for kind, offers in _KINDS.items()}
    media = {kind: choice[1] for kind, choice in chosen.items() if choice is not None}
    if not media:
        types = (types[0] for offers in (SOLUTIONS, TRIPLES) for types in offers.values())
        raise RequestError(
            406, f"nothing that you accept is to be had; these are: {', '.join(types)}"
        )
    return media


async def _parameters(request: HttpRequest) -> Parameters:
    """All parameters, from the address and the body."""
    found = _decoded(request.scope["query_string"])
    if request.method != "POST":
        return found
    header = Message()
    header["content-type"] = request.headers.get("content-type", "")
    charset = str(header.get_param("charset", "utf-8")).lower()
    kind = header.get_content_type() if request.headers.get("content-type") else ""
    if kind == "application/sparql-update":
        raise _no_updates()
    if kind not in ("application/sparql-query", "application/x-www-form-urlencoded"):
        raise RequestError(
            415,
            "a query is posted as application/sparql-query or application/x-www-form-urlencoded",
        )
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise RequestError(415, f"a query is posted in UTF-8, not in {charset}")
    body = await _body(request)
    if kind == "application/x-www-form-urlencoded":
        return found + _decoded(body)
    if any(name == "query" for name, _ in found):
        raise RequestError(400, "there are two queries, one in the address and one in the body")
    try:
        return [*found, ("query", body.decode())]
    except UnicodeDecodeError as error:
        raise RequestError(400, f"the query is not UTF-8 at byte {error.start}") from error


async def _body(request: HttpRequest) -> bytes:
    too_large = RequestError(
        413, f"a request has at most {MAX_BODY} bytes", {"Connection": "close"}
    )
    if int(request.headers.get("content-length", "0")) > MAX_BODY:
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise too_large
    return bytes(body)


def _decoded(form: bytes) -> Parameters:
    try:
        return parse_qsl(
            form.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except UnicodeDecodeError as error:
        raise RequestError(400, "the parameters are not UTF-8") from error
    except ValueError as error:
        raise RequestError(400, f"there are more than {_MAX_FIELDS} parameters") from error


def _one(parameters: Parameters, name: str) -> str | None:
    values = [value for key, value in parameters if key == name]
    if len(values) > 1:
        raise RequestError(400, f"there are {len(values)} parameters {name}, and there can be one")
    return values[0] if values else None


def _no_updates() -> RequestError:
    return RequestError(
        405,
        "updates are not available: the graph is read-only; change it with kg build",
        {"Allow": ", ".join(METHODS)},
    )
