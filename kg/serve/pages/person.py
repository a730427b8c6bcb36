"""The page of a person: papers, concepts over time, and whom they write with."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.serve import drawing
from kg.serve.pages import charts
from kg.serve.pages.lists import most_first
from kg.serve.pages.site import Panel, Row, Site, safe

_CONCEPTS, _LINES, _FRIENDS, _SHARED, _PAPERS = 24, 12, 20, 4, 200
_DRAWN = {"concepts": 18, "people": 18}


async def page(request: HttpRequest, site: Site, iri: str) -> Response:
    """The page."""
    described, papers, concepts, time, years, friends, links, grounds = await asyncio.gather(
        site.ask("describe-person", person=iri),
        site.ask_if("papers-of-author", author=iri),
        site.ask_if("weighted-concepts-of-author", author=iri, limit=_CONCEPTS),
        site.ask_if("concept-years-of-author", author=iri),
        site.ask_if("papers-by-year-of-author", author=iri),
        site.ask_if("coauthors", author=iri),
        site.ask_if("links-of-person", person=iri),
        site.ask_if("grounds-of-thing", thing=iri),
    )
    near = [row["person"] for row in friends.rows[:_FRIENDS]]
    shared = await site.ask_if("concepts-with-coauthors", author=iri, person=near)
    type_of = await _types(site, concepts, shared)
    around = await _neighbourhood(site, iri, described, concepts, friends, type_of)
    by_weight = [row["concept"] for row in concepts.rows]
    lines = [concept for concept in by_weight if concept in _lasting(time)][:_LINES]
    return site.page(
        "person.html",
        iri=iri,
        place=site.href(iri),
        label=described.rows[0]["name"],
        aliases=[row["alias"] for row in described.rows if row["alias"]],
        described=described,
        identifiers=links,
        papers=papers,
        groups=[(year, list(rows)) for year, rows in groupby(papers.rows[:_PAPERS], key=_year)],
        most=_PAPERS,
        years=years,
        bars=charts.bars(charts.by_year(years.rows)),
        concepts=concepts,
        by_papers=most_first(concepts.rows, "papers"),
        time=time,
        timeline=charts.timeline(time.rows, lines),
        timeline_narrow=charts.timeline(time.rows, lines, narrow=True),
        friends=_friends(iri, friends, shared, by_weight),
        coauthors=friends,
        shared=shared,
        grounds=grounds,
        type_of=type_of,
        picture=safe(drawing.draw(*around)),
        portrait=safe(drawing.draw(*around, tall=True)),
        compare=f"/compare?{urlencode({'a': iri})}",
    )


async def picture(site: Site, iri: str) -> str:
    """The drawing of a person's neighbourhood."""
    described, concepts, friends = await asyncio.gather(
        site.ask("describe-person", person=iri),
        site.ask("weighted-concepts-of-author", author=iri, limit=_CONCEPTS),
        site.ask("coauthors", author=iri),
    )
    type_of = await _types(site, concepts)
    return drawing.draw(*await _neighbourhood(site, iri, described, concepts, friends, type_of))


async def _types(site: Site, *panels: Panel) -> dict[str, str]:
    iris = {row["concept"]: None for panel in panels for row in panel.rows}
    return site.types(await site.ask_if("types-of-concepts", concept=list(iris)))


async def _neighbourhood(
    site: Site,
    iri: str,
    described: Panel,
    concepts: Panel,
    friends: Panel,
    type_of: dict[str, str],
) -> tuple[list[drawing.Node], list[drawing.Edge], str]:
    """What there is to draw around a person, with the title of the drawing."""
    label = described.rows[0]["name"]
    near = friends.rows[: _DRAWN["people"]]
    about = concepts.rows[: _DRAWN["concepts"]]
    people = [row["person"] for row in near]
    things = [*people, *(row["concept"] for row in about)]
    ties = await site.ask_if("ties-around-person", author=iri, first=people, second=things)
    nodes = [drawing.Node(iri, label, "Person", 0, site.href(iri))]
    edges = []
    for row in near:
        papers = int(row["papers"])
        nodes.append(
            drawing.Node(row["person"], row["name"], "Person", papers, site.href(row["person"]))
        )
        edges.append(drawing.Edge(iri, row["person"], papers))
    for row in about:
        papers, kind = int(row["papers"]), drawing.kind_of([type_of.get(row["concept"], "")])
        nodes.append(
            drawing.Node(row["concept"], row["label"], kind, papers, site.href(row["concept"]))
        )
        edges.append(drawing.Edge(iri, row["concept"], papers))
    edges += [drawing.Edge(row["first"], row["second"], int(row["papers"])) for row in ties.rows]
    return nodes, edges, f"Whom and what {label} works with"


def _friends(iri: str, friends: Panel, shared: Panel, by_weight: list[str]) -> list[dict[str, Any]]:
    """Co-authors with the main concepts of the common papers."""
    weight = {concept: at for at, concept in enumerate(by_weight)}
    concepts: dict[str, list[Row]] = {}
    for row in sorted(
        shared.rows,
        key=lambda row: (-int(row["papers"]), weight.get(row["concept"], len(weight))),
    ):
        concepts.setdefault(row["person"], []).append(row)
    return [
        {
            **row,
            "concepts": concepts.get(row["person"], [])[:_SHARED],
            "compare": f"/compare?{urlencode({'a': iri, 'b': row['person']})}",
        }
        for row in friends.rows[:_FRIENDS]
    ]


def _lasting(time: Panel) -> set[str]:
    return {row["concept"] for row in time.rows}


def _year(row: Row) -> str:
    return row["year"]
