"""`/sparql`: the query part of the SPARQL 1.1 Protocol.

Parameters are decoded once; what an HTTP request means is worked out here, what it costs
is the pool's business. The dataset of the protocol (`default-graph-uri`,
`named-graph-uri`) is honoured, and only ever names graphs of the store.

The update operation of the protocol (a parameter `update`, or a body that is
application/sparql-update) is not allowed here: 405. An update sent as `query` is a query that
cannot be read: 400, as the protocol has it, with a message that says why.
"""

from __future__ import annotations

import asyncio
import logging
from email.message import Message
from email.utils import collapse_rfc2231_value
from functools import lru_cache
from urllib.parse import parse_qsl, quote

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kg.serve import description
from kg.serve.access import note
from kg.serve.answer import Answer, Request, RequestError
from kg.serve.negotiate import (
    HTML,
    SOLUTIONS,
    TRIPLES,
    choose,
    content_type,
    header,
    named,
    navigates,
)
from kg.serve.pool import Pool
from kg.serve.problem import problem

METHODS = ("GET", "HEAD", "POST", "OPTIONS")
MAX_BODY = 1 << 20  # bytes
_MAX_FIELDS = 100
_QUICK = 0.05  # seconds
_KINDS = {"solutions": SOLUTIONS, "boolean": SOLUTIONS, "triples": TRIPLES}

Parameters = list[tuple[str, str]]

log = logging.getLogger(__name__)


class Endpoint:
    """The ASGI application of the endpoint alone."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await _response(HttpRequest(scope, receive), self._pool)
        await response(scope, receive, send)


async def _response(request: HttpRequest, pool: Pool) -> ASGIApp:
    accept = header(request.scope["headers"], b"accept")
    try:
        if request.method not in METHODS:
            raise RequestError(405, "Method Not Allowed")
        parameters = await read_parameters(request)
        asked = [value for name, value in parameters if name == "format"]
        if request.method in ("GET", "HEAD"):
            query = (one_of(parameters, "query") or "").strip()
            # A person with a browser gets the page with the same query.
            if query and not asked and navigates(accept):
                return RedirectResponse(f"/query?query={quote(query)}", 303)
            names = () if query else {name for name, _ in parameters}
            if not query and "update" not in names:
                choice = choose(accept, {**TRIPLES, **HTML})
                if choice is not None and choice[0] == "html" and not asked:
                    return RedirectResponse("/query", 303)
                service = description.of_service(request, accept, asked)
                if "query" not in names and service is not None:
                    return service
        formats, media = _named(asked) if asked else _accepted(accept)
        asks = _request(parameters, formats, request)
        note(request.scope, query=asks.query)
        return Result(pool, asks, media)
    except RequestError as refusal:
        return problem(accept, refusal.status, refusal.message, refusal.headers)


class Result:
    """An ASGI response that asks the pool when it is sent, and streams what comes.

    `media` maps a kind of result to its media type. When the client goes, the query ends.
    """

    def __init__(self, pool: Pool, request: Request, media: dict[str, str]) -> None:
        self._pool, self._request, self._media = pool, request, media
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        # Most answers come before it is worth looking whether the client is still there.
        loop = asyncio.get_running_loop()
        leaving: list[asyncio.Task[None]] = []
        sending = asyncio.current_task()
        assert sending is not None

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            sending.cancel()

        timer = loop.call_later(_QUICK, lambda: leaving.append(loop.create_task(leave())))
        try:
            await self._send(scope, send)
        except asyncio.CancelledError:
            if not leaving or not leaving[0].done():
                raise  # it is not the client that ends this
            sending.uncancel()
        except RequestError as refusal:
            if not self._begun:
                accept = header(scope["headers"], b"accept")
                answer = problem(accept, refusal.status, refusal.message, refusal.headers)
                await answer(scope, receive, send)
            else:
                # The status is out; all that is left is to break off, so that the client
                # does not take a part for the whole. The server closes the connection.
                note(scope, error=refusal.message)
                log.warning("a result was broken off: %s", refusal.message)
        finally:
            timer.cancel()
            for task in leaving:
                task.cancel()

    async def _send(self, scope: Scope, send: Send) -> None:
        with await self._pool.answer(self._request) as answer:
            while not answer.here and (chunk := await answer.chunk()):
                if not self._begun:
                    await self._begin(answer, send, [])
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            body = await answer.rest()
            note(scope, query_seconds=answer.seconds)
        # The worker has gone to the next by now.
        if not self._begun:
            length = [] if self._request.head else [(b"content-length", b"%d" % len(body))]
            await self._begin(answer, send, length)
        await send({"type": "http.response.body", "body": body})

    async def _begin(self, answer: Answer, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._begun = True
        media = content_type(self._media[answer.kind])
        headers = [
            (b"content-type", media.encode("latin-1")),
            (b"vary", b"Accept, Accept-Encoding"),
            *headers,
        ]
        if answer.encoding:
            headers.append((b"content-encoding", answer.encoding.encode()))
        limited = self._pool.most is not None and not self._request.whole
        if limited and answer.kind != "boolean":
            headers.append((b"kg-max-rows", b"%d" % (self._pool.most or 0)))
        await send({"type": "http.response.start", "status": 200, "headers": headers})


def _request(parameters: Parameters, formats: dict[str, str], request: HttpRequest) -> Request:
    if any(name == "update" for name, _ in parameters):
        raise no_updates()
    query = one_of(parameters, "query")
    if not query or not query.strip():
        raise RequestError(
            400,
            "there is no query: send it as the parameter query, as in "
            "/sparql?query=ASK%20%7B%7D, or write one on the page /query",
        )
    return Request(
        query,
        base=f"{request.scope['scheme']}://{request.headers.get('host', 'localhost')}/sparql",
        default_graphs=tuple(v for name, v in parameters if name == "default-graph-uri"),
        named_graphs=tuple(v for name, v in parameters if name == "named-graph-uri"),
        formats=formats,
        head=request.method == "HEAD",
        gzip=_takes_gzip(header(request.scope["headers"], b"accept-encoding")),
    )


def _takes_gzip(accepted: str) -> bool:
    """Whether a client takes gzip, by its Accept-Encoding."""
    return choose(accepted, {"gzip": ("gzip",)}) is not None if accepted else False


def _named(asked: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """For each kind of result its format, and its media type, by the values of `format`.

    Clients that do not know us try several spellings.
    """
    names = next((names for format in asked if (names := named(format))), None)
    if names is None:
        raise RequestError(
            400, f"unknown format; these are known: {', '.join([*SOLUTIONS, *TRIPLES])}"
        )
    rows, triples = names
    formats = {"solutions": rows, "boolean": rows} if rows else {}
    formats |= {"triples": triples} if triples else {}
    return formats, {kind: _KINDS[kind][format][0] for kind, format in formats.items()}


@lru_cache(maxsize=256)  # a client sends the same with each of its requests
def _accepted(accept: str) -> tuple[dict[str, str], dict[str, str]]:
    """The same by what a client accepts, as it likes it best."""
    found = {kind: choice for kind, offers in _KINDS.items() if (choice := choose(accept, offers))}
    if not found:
        types = (types[0] for offers in (SOLUTIONS, TRIPLES) for types in offers.values())
        raise RequestError(
            406, f"nothing that you accept is to be had; these are: {', '.join(types)}"
        )
    formats = {kind: format for kind, (format, _) in found.items()}
    return formats, {kind: media for kind, (_, media) in found.items()}


async def read_parameters(request: HttpRequest) -> Parameters:
    """All parameters, from the address and the body. Raises RequestError."""
    found = _decoded(request.scope["query_string"])
    if request.method != "POST":
        return found
    content = Message()
    content["content-type"] = request.headers.get("content-type", "")
    charset = collapse_rfc2231_value(content.get_param("charset", "utf-8") or "").lower()
    kind = content.get_content_type() if request.headers.get("content-type") else ""
    if kind == "application/sparql-update":
        raise no_updates()
    if kind not in ("application/sparql-query", "application/x-www-form-urlencoded"):
        raise RequestError(
            415,
            "a query is posted as application/sparql-query or application/x-www-form-urlencoded",
        )
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        raise RequestError(415, f"a query is posted as it is, not as {coding[:40]}")
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
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                raise too_large
    except ClientDisconnect as error:
        raise RequestError(400, "the request has broken off") from error
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


def one_of(parameters: Parameters, name: str) -> str | None:
    """The value of a parameter that may be there once. Raises RequestError."""
    values = [value for key, value in parameters if key == name]
    if len(values) > 1:
        raise RequestError(400, f"there are {len(values)} parameters {name}, and there can be one")
    return values[0] if values else None


def no_updates() -> RequestError:
    """The refusal of an update."""
    return RequestError(
        405,
        "updates are not available: the graph is read-only; change it with kg build",
        {"Allow": ", ".join(METHODS)},
    )
