"""Two people or two concepts side by side: what they share, and what only one has."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pyoxigraph import NamedNode
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.rdf.vocabulary import FOAF, RDF, RDFS
from kg.serve.pages.concept import CLASSES
from kg.serve.pages.site import Panel, Site, site_of
from kg.serve.pool import RequestError

_ROWS = 20


@dataclass(frozen=True, slots=True)
class _Thing:
    iri: str
    label: str
    kind: str


async def compare(request: HttpRequest) -> Response:
    """`/compare?a=…&b=…`: `a` and `b` are IRIs, or names where they name one thing."""
    site = site_of(request)
    texts = [request.query_params.get(name, "").strip()[:2000] for name in ("a", "b")]
    found, choices, problem = await _both(request, texts)
    first, second = found
    status = 200
    panels: dict[str, Panel] = {}
    kind = ""
    if first and second and first.kind != second.kind:
        problem, second = "Two people can be compared, or two concepts.", None
    if problem:
        status = 404 if not choices else 300
        status = 400 if first and found[1] else status
    elif first and second:
        kind = first.kind
        panels = await (_people if kind == "person" else _concepts)(site, first.iri, second.iri)
    return site.page(
        "compare.html",
        status,
        a=texts[0],
        b=texts[1],
        first=first,
        second=second,
        kind=kind,
        problem=problem,
        choices=choices,
        **panels,
    )


async def _people(site: Site, first: str, second: str) -> dict[str, Panel]:
    papers, shared, one, two, people = await asyncio.gather(
        site.ask("papers-of-both", first=first, second=second),
        site.ask("shared-concepts", first=first, second=second),
        site.ask("concepts-of-one-only", first=first, second=second, limit=_ROWS),
        site.ask("concepts-of-one-only", first=second, second=first, limit=_ROWS),
        site.ask("coauthors-of-both", first=first, second=second),
    )
    few = Panel(shared.name, shared.rows[: 2 * _ROWS], shared.query)
    return {
        "papers": papers,
        "shared": few,
        "only_first": one,
        "only_second": two,
        "people": people,
    }


async def _concepts(site: Site, first: str, second: str) -> dict[str, Panel]:
    papers, shared, one, two, people = await asyncio.gather(
        site.ask("papers-with-both", first=first, second=second, limit=_ROWS),
        site.ask("concepts-with-both", first=first, second=second, limit=_ROWS),
        site.ask("concepts-with-one-only", first=first, second=second, limit=_ROWS),
        site.ask("concepts-with-one-only", first=second, second=first, limit=_ROWS),
        site.ask("people-with-both", first=first, second=second, limit=_ROWS),
    )
    return {
        "papers": papers,
        "shared": shared,
        "only_first": one,
        "only_second": two,
        "people": people,
    }


async def _both(
    request: HttpRequest, texts: list[str]
) -> tuple[list[_Thing | None], list[dict[str, Any]], str]:
    """The things that are meant; where one is not clear, what it may be and what is wrong."""
    found: list[_Thing | None] = []
    for at, text in enumerate(texts):
        thing = await _meant(request, text) if text else None
        found.append(thing)
        if text and thing is None:
            hits = await _hits(request, text)
            choices = []
            for hit in hits:
                values = {"a": texts[0], "b": texts[1], "ab"[at]: hit.iri}
                href = f"/compare?{urlencode({k: v for k, v in values.items() if v})}"
                choices.append({"text": hit.label, "kind": hit.kind, "href": href})
            what = "can be several things" if choices else "is the name of nothing here"
            return [*found, None][:2], choices, f"“{text}” {what}."
    return found, [], ""


async def _meant(request: HttpRequest, text: str) -> _Thing | None:
    site = site_of(request)
    if "://" in text:
        try:
            iri = NamedNode(text.strip("<>"))
        except ValueError:
            return None
        facts = list(await site.facts(iri) or ())
        values = {(row["property"]["value"], row["value"]["value"]) for row in facts}
        types = {value for name, value in values if name == RDF.type.value}
        labels = [value for name, value in values if name == RDFS.label.value]
        kind = "person" if FOAF.Person.value in types else "concept" if types & CLASSES else ""
        return _Thing(iri.value, labels[0], kind) if kind and labels else None
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
