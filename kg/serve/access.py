"""The access log: one line of JSON for every request."""

from __future__ import annotations

import json
import logging
import sys
import time
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.errors import UsageError

NOTES = "kg.notes"  # the key of a scope under which others add to its line
_LONGEST = 2000  # characters of a query


def access_log(place: str) -> logging.Logger:
    """A logger that writes to a file, or to standard error for "-".

    A file that has been renamed or removed is opened anew. Raises UsageError where it cannot
    be written.
    """
    logger = logging.Logger("kg.access")  # one of its own, not in the tree
    try:
        handler = (
            logging.StreamHandler(sys.stderr)
            if place == "-"
            else WatchedFileHandler(place, encoding="utf-8")
        )
    except OSError as error:
        raise UsageError(f"{place}: cannot be written: {error.strerror}") from error
    logger.addHandler(handler)
    return logger


def note(scope: Scope, **values: object) -> None:
    """Add to the line of a request, as with its query and the time that this took."""
    notes: dict[str, object] | None = scope.get(NOTES)
    if notes is not None:
        notes.update(values)


class Logged:
    """Writes a line for every request that `app` has answered, or has failed to.

    A line holds time, client, method, path, status, bytes and seconds; for a query also its
    text, cut if long, and query_seconds, which a worker took; "cached" where an answer was
    there already; "error" where a result was broken off or the client went away.
    """

    def __init__(self, app: ASGIApp, logger: logging.Logger) -> None:
        self._app, self._logger = app, logger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        status, sent, whole = 0, 0, False
        notes: dict[str, object] = {}
        scope[NOTES] = notes

        async def counting(message: Message) -> None:
            nonlocal status, sent, whole
            await send(message)
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                sent += len(message.get("body", b""))
                whole = not message.get("more_body", False)

        try:
            await self._app(scope, receive, counting)
        finally:
            line: dict[str, object] = {
                "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "client": (scope.get("client") or ("",))[0],
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "bytes": sent,
                "seconds": round(time.perf_counter() - begun, 6),
            }
            if not whole:
                line["error"] = "the client went away"
            line |= notes
            if query := str(notes.get("query") or _query(scope)):
                line["query"] = query if len(query) <= _LONGEST else query[:_LONGEST] + "…"
            self._logger.info(json.dumps(line, ensure_ascii=False))


def _query(scope: Scope) -> str:
    """The query in an address, as far as it can be read."""
    fields = parse_qsl(scope["query_string"].decode("latin-1"), errors="replace")
    return next((value for name, value in fields if name == "query"), "")
