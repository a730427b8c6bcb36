"""The one form of all errors: problem details in JSON (RFC 9457), or a line of plain text.

Who takes JSON gets JSON; whoever else gets the same message as text. Pages for people are
made elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from kg.serve.negotiate import choose, content_type

_FORMS: Mapping[str, tuple[str, ...]] = {
    "text": ("text/plain",),
    "json": ("application/problem+json", "application/json"),
}
_PLACE = re.compile(r"\bline (\d+), column (\d+)\b")
# Formats of results that are JSON themselves.
_JSON = re.compile(r"application/(?:sparql-results|ld)\+json")


def problem(
    accept: str, status: int, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """An error as a response. `message` is one line.

    In JSON there are also "line" and "column", from 1, where the message names a place in
    the query.
    """
    choice = choose(_JSON.sub("application/problem+json", accept.lower()), _FORMS)
    if choice is None or choice[0] == "text":
        return _response(f"{message}\n", status, "text/plain", headers)
    title = HTTPStatus(status).phrase
    found: dict[str, object] = {"type": "about:blank", "title": title, "status": status}
    found["detail"] = message
    if place := _PLACE.search(message):
        found |= {"line": int(place[1]), "column": int(place[2])}
    text = json.dumps(found, ensure_ascii=False) + "\n"
    return _response(text, status, "application/problem+json", headers)


def _response(text: str, status: int, media: str, headers: Mapping[str, str] | None) -> Response:
    response = Response(text, status, dict(headers or {}))
    response.headers["Content-Type"] = content_type(media)
    response.headers["Vary"] = "Accept"
    return response
