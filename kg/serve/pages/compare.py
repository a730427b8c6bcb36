"""Two people or two concepts side by side: what they share, and what only one has."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pyoxigraph import NamedNode
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.rdf.vocabulary import FABIO, FOAF, RDF, RDFS
from kg.serve.answer import RequestError
from kg.serve.pages.concept import CLASSES
from kg.serve.pages.site import Panel, Row, Site, replaced, site_of

_ROWS = 20
_MOST = 1000  # rows that are counted, and listed where all are asked for
_STEPS = 9  # from an IRI to what took its place, to what took the place of that, …
_PAIRS = "compare takes two people or two concepts"


@dataclass(frozen=True, slots=True)
class Part:
    """The first rows of a panel, with the number of all."""

    name: str  # of the question
    rows: list[Row]
    query: str
    total: int
    more: bool  # whether there may be more than `total`
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Thing:
    iri: str
    label: str
    kind: str  # "" for what cannot be compared


async def compare(request: HttpRequest) -> Response:
    """`/compare?a=…&b=…`: `a` and `b` are IRIs, or names where they name one thing."""
    site = site_of(request)
    texts = [request.query_params.get(name, "").strip()[:2000] for name in ("a", "b")]
    (first, second), choices, problem = await _both(request, texts)
    status = (300 if choices else 404) if problem else 200
    for thing in (first, second):
        if thing is not None and not thing.kind:
            status, problem = 400, f"“{thing.label}” is a paper; {_PAIRS}."
    parts: dict[str, Part] = {}
    if first and second and not problem:
        if first.iri == second.iri:
            problem = f"Both are “{first.label}”; choose another one to compare it with."
        elif first.kind != second.kind:
            status, problem = 400, f"One is a {first.kind}, one a {second.kind}; {_PAIRS}."
        else:
            parts = await (_people if first.kind == "person" else _concepts)(
                site, first.iri, second.iri
            )
    return site.page(
        "compare.html",
        status,
        a=first.label if first else texts[0],
        b=second.label if second else texts[1],
        first=first,
        second=second,
        kind=first.kind if first and parts else "",
        problem=problem,
        choices=choices,
        **parts,
    )


async def _people(site: Site, first: str, second: str) -> dict[str, Part]:
    papers, shared, one, two, people = await asyncio.gather(
        site.ask_if("papers-of-both", first=first, second=second),
        site.ask_if("shared-concepts", first=first, second=second),
        site.ask_if("concepts-of-one-only", first=first, second=second, limit=_MOST + 1),
        site.ask_if("concepts-of-one-only", first=second, second=first, limit=_MOST + 1),
        site.ask_if("coauthors-of-both", first=first, second=second),
    )
    return {
        "papers": _part(papers, len(papers)),
        "shared": _part(shared),
        "only_first": _part(one),
        "only_second": _part(two),
        "people": _part(people, 2 * _ROWS),
    }


async def _concepts(site: Site, first: str, second: str) -> dict[str, Part]:
    papers, shared, one, two, people = await asyncio.gather(
        site.ask_if("papers-with-both", first=first, second=second, limit=_MOST + 1),
        site.ask_if("concepts-with-both", first=first, second=second, limit=_MOST + 1),
        site.ask_if("concepts-with-one-only", first=first, second=second, limit=_MOST + 1),
        site.ask_if("concepts-with-one-only", first=second, second=first, limit=_MOST + 1),
        site.ask_if("people-with-both", first=first, second=second, limit=_MOST + 1),
    )
    return {
        "papers": _part(papers),
        "shared": _part(shared),
        "only_first": _part(one),
        "only_second": _part(two),
        "people": _part(people),
    }


def _part(panel: Panel, shown: int = _ROWS) -> Part:
    total = min(len(panel), max(shown, _MOST))
    more = panel.more or total < len(panel)
    return Part(panel.name, panel.rows[:shown], panel.query, total, more, panel.problem)


async def _both(
    request: HttpRequest, texts: list[str]
) -> tuple[list[_Thing | None], list[dict[str, Any]], str]:
    """The things that are meant; where one is not clear, what it may be and what is wrong."""
    found = [await _meant(request, text) if text else None for text in texts]
    for at, text in enumerate(texts):
        if text and found[at] is None:
            choices = []
            for hit in await _hits(request, text):
                values = {"a": texts[0], "b": texts[1], "ab"[at]: hit.iri}
                href = f"/compare?{urlencode({k: v for k, v in values.items() if v})}"
                choices.append({"text": hit.label, "kind": hit.kind, "href": href})
            what = "can be several things" if choices else "is the name of nothing here"
            return found, choices, f"“{text}” {what}."
    return found, [], ""


async def _meant(request: HttpRequest, text: str) -> _Thing | None:
    site = site_of(request)
    if "://" in text:
        try:
            iri = NamedNode(text.strip("<>"))
        except ValueError:
            return None
        found = await site.facts(iri)
        for _ in range(_STEPS):
            if (now := replaced(found)) is None:
                break
            iri = NamedNode(now)
            found = await site.facts(iri)
        facts = list(found or ())
        values = {(row["property"]["value"], row["value"]["value"]) for row in facts}
        types = {value for name, value in values if name == RDF.type.value}
        labels = [value for name, value in values if name == RDFS.label.value]
        kind = "person" if FOAF.Person.value in types else "concept" if types & CLASSES else ""
        known = kind or FABIO.Preprint.value in types
        return _Thing(iri.value, labels[0], kind) if known and labels else None
    exact = [hit for hit in await _hits(request, text) if hit.rank <= 2]
    if len(exact) == 1:
        return _Thing(exact[0].iri, exact[0].label, exact[0].kind)
    return None


async def _hits(request: HttpRequest, text: str) -> list[Any]:
    try:
        hits: list[Any] = await request.app.state.search.find(text, ("concept", "person"), 8)
    except RequestError:  # no index yet
        return []
    return hits
