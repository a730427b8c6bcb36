"""The start page, and the lists of concepts, papers and people."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.rdf.vocabulary import KG
from kg.serve.pages import charts
from kg.serve.pages.site import Panel, Row, Site, Value, number_of, site_of

_EACH = 60  # rows on a page of a list
_MOST = 10_000  # rows of a list; search finds the rest
_OF_TYPE = 1_000  # the same for concepts of a type
_TOP, _NEWEST, _NEW, _RISING = 20, 8, 10, 12
TYPES = {"Method": "Method", "Task": "Task", "Material": "Material", "Metric": "Metric"}
TYPES |= {"Other": "OtherConcept"}


def _of_type(kind: str) -> tuple[str, dict[str, Value]]:
    return "top-concepts-of-type", {"type": KG[TYPES[kind]].value, "limit": _OF_TYPE}


# What the start page and the lists ask of the whole graph takes longest, and is asked
# before anybody does.
SLOW: tuple[tuple[str, dict[str, Value]], ...] = (
    ("counts", {}),
    ("newest-papers", {"limit": _NEWEST}),
    ("top-concepts", {"limit": _MOST}),
    ("top-people", {"limit": _MOST}),
    ("new-concepts", {"limit": _NEW}),
    ("rising-concepts", {"limit": _RISING}),
    ("papers-by-year", {}),
    ("concept-types", {}),
    ("categories", {}),
    *(_of_type(kind) for kind in TYPES),
)


@dataclass(frozen=True, slots=True)
class Pager:
    """Where the pages before and after this one are; "" where there are none."""

    at: int
    last: int
    before: str
    after: str


def pager(place: str, values: Mapping[str, str], at: int, rows: int, each: int) -> Pager:
    """The pager of a list of so many rows."""
    last = max((rows + each - 1) // each, 1)

    def link(number: int) -> str:
        if not 1 <= number <= last:
            return ""
        return f"{place}?{urlencode({**values, 'page': number})}"

    return Pager(at, last, link(at - 1), link(at + 1))


async def start(request: HttpRequest) -> Response:
    """`/`: what the graph holds, and where to begin."""
    site = site_of(request)
    counts, papers, concepts, people, new, rising, years, categories = await asyncio.gather(
        site.kept_if("counts"),
        site.kept_if("newest-papers", limit=_NEWEST),
        site.kept_if("top-concepts", limit=_MOST),
        site.kept_if("top-people", limit=_MOST),
        site.kept_if("new-concepts", limit=_NEW),
        site.kept_if("rising-concepts", limit=_RISING),
        site.kept_if("papers-by-year"),
        site.kept_if("categories"),
    )
    named = [row["concept"] for panel in (rising, new) for row in panel.rows]
    type_of = site.types(await site.kept_if("types-of-concepts", concept=named))
    return site.page(
        "start.html",
        type_of=type_of,
        counts=counts,
        places={"papers": "/papers", "people": "/people", "concepts": "/concepts"},
        papers=papers,
        concepts=_first(site, concepts, _TOP),
        people=_first(site, people, _TOP),
        new=new,
        rising=rising,
        by_new=most_first(rising.rows, "new"),
        years=years,
        bars=charts.bars(charts.by_year(years.rows)),
        categories=categories,
    )


async def concepts(request: HttpRequest) -> Response:
    """`/concepts`: the most frequent concepts, all or those of one type."""
    site = site_of(request)
    kind = request.query_params.get("type", "")
    counts, types = await asyncio.gather(site.kept("counts"), site.kept("concept-types"))
    if kind in TYPES:
        name, values = _of_type(kind)
        found = await site.kept(name, **values)
        total = next((row["concepts"] for row in types.only("type", kind)), "0")
    elif kind:
        known = ", ".join(TYPES)
        raise HTTPException(404, f"There is no type of concepts called so; the types are {known}.")
    else:
        found = await site.kept("top-concepts", limit=_MOST)
        total = next((row["count"] for row in counts.only("thing", "concepts")), "0")
    at, rows = _page_of(request, found)
    type_of = await site.ask("types-of-concepts", concept=[row["concept"] for row in rows])
    return site.page(
        "concepts.html",
        kind=kind,
        types=types,
        found=found,
        total=total,
        rows=rows,
        first=(at - 1) * _EACH + 1,
        type_of=site.types(type_of),
        pager=pager("/concepts", {"type": kind} if kind else {}, at, len(found), _EACH),
    )


async def scheme(request: HttpRequest, site: Site, iri: str) -> Response:
    """The page of a scheme: the categories of arXiv, or our concepts."""
    if iri == f"{site.base}concepts":
        return await concepts(request)
    found = await site.kept("categories")
    return site.page("categories.html", iri=iri, found=found)


async def categories(request: HttpRequest) -> Response:
    """`/categories`: the subject categories, those with the most papers first."""
    site = site_of(request)
    return site.page("categories.html", iri="", found=await site.kept("categories"))


async def people(request: HttpRequest) -> Response:
    """`/people`: the authors, those with the most papers first."""
    site = site_of(request)
    counts, found = await asyncio.gather(site.kept("counts"), site.kept("top-people", limit=_MOST))
    at, rows = _page_of(request, found)
    return site.page(
        "people.html",
        found=found,
        total=next((row["count"] for row in counts.only("thing", "people")), "0"),
        rows=rows,
        first=(at - 1) * _EACH + 1,
        pager=pager("/people", {}, at, len(found), _EACH),
    )


async def papers(request: HttpRequest) -> Response:
    """`/papers?year=…`: the papers of a year, the last one if none is named."""
    site = site_of(request)
    years = await site.kept("papers-by-year")
    known = [row["year"] for row in years.rows]
    year = request.query_params.get("year", known[0] if known else "none")
    if year not in (*known, "none"):
        between = f"; the graph has papers of {known[-1]} to {known[0]}" if known else ""
        raise HTTPException(404, f"There are no papers of such a year{between}.")
    if year == "none":
        found = await site.kept("papers-without-year", limit=_MOST)
    else:
        found = await site.kept("papers-of-year", year=year)
    at, rows = _page_of(request, found)
    bylines = await site.ask("bylines", paper=[row["paper"] for row in rows])
    authors = {row["paper"]: row["authors"] for row in bylines.rows}
    return site.page(
        "papers.html",
        year=year,
        years=years,
        bars=charts.bars(charts.by_year(years.rows)),
        found=found,
        rows=[{"year": "", **row, "authors": authors.get(row["paper"], "")} for row in rows],
        pager=pager("/papers", {"year": year}, at, len(found), _EACH),
    )


def most_first(rows: list[Row], column: str) -> list[Row]:
    """Rows in the order of the numbers that are shown of them; otherwise as they were."""
    return sorted(rows, key=lambda row: -int(row[column]))


def _page_of(request: HttpRequest, found: Panel) -> tuple[int, list[dict[str, Any]]]:
    """The number of the page that is asked for, and its rows."""
    at = min(number_of(request, "page"), max(-(-len(found) // _EACH), 1))
    return at, list(found.rows[(at - 1) * _EACH : at * _EACH])


def _first(site: Site, found: Panel, number: int) -> Panel:
    """The first rows of a list, with the question for as many."""
    query = f"/query?name={found.name}&p.limit={number}"
    return Panel(found.name, found.rows[:number], query, problem=found.problem)
