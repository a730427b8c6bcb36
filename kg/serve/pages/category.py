"""The page of a subject category."""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.serve.pages import charts
from kg.serve.pages.lists import pager
from kg.serve.pages.site import Site, number_of

_PAPERS, _TOP = 30, 20


async def page(request: HttpRequest, site: Site, iri: str) -> Response:
    """The page; `page` counts the pages of its papers from 1."""
    described, papers, concepts, people = await asyncio.gather(
        site.ask("describe-category", category=iri),
        site.kept("papers-of-category", category=iri),
        site.ask_if("concepts-of-category", category=iri, limit=_TOP),
        site.ask_if("people-of-category", category=iri, limit=_TOP),
    )
    at = number_of(request, "page", most=max(-(-len(papers) // _PAPERS), 1))
    shown = papers.rows[(at - 1) * _PAPERS : at * _PAPERS]
    bylines = await site.ask_if("bylines", paper=[row["paper"] for row in shown])
    authors = {row["paper"]: row["authors"] for row in bylines.rows}
    years = Counter(int(row["year"]) for row in papers.rows if row["year"])
    return site.page(
        "category.html",
        iri=iri,
        place=site.href(iri),
        label=described.rows[0]["label"],
        notation=described.rows[0]["notation"],
        described=described,
        papers=papers,
        shown=[{**row, "authors": authors.get(row["paper"], "")} for row in shown],
        pager=pager(site.href(iri), {}, at, len(papers), _PAPERS),
        bars=charts.bars(years),
        concepts=concepts,
        people=people,
    )
