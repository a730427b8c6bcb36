"""Worklists: what the sources leave open, for people who know better."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.serve.pages.site import Value, site_of

_MOST = 100
LISTS = {
    "untitled": "papers-without-title",
    "names": "unresolved-names",
    "people": "doubtful-people",
    "concepts": "doubtful-concepts",
    "undated": "papers-without-year",
    "bare": "papers-without-concepts",
}
SLOW: tuple[tuple[str, dict[str, Value]], ...] = tuple(
    (name, {"limit": _MOST}) for name in LISTS.values()
)


async def missing(request: HttpRequest) -> Response:
    """`/missing`: all worklists."""
    site = site_of(request)
    found = await asyncio.gather(*(site.kept_if(name, limit=_MOST) for name in LISTS.values()))
    lists: dict[str, Any] = dict(zip(LISTS, found, strict=True))
    return site.page("missing.html", most=_MOST, **lists)
