"""The page of a concept: what it is, who works on it, and where the texts say so."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response

from kg.rdf.vocabulary import KG
from kg.serve import drawing
from kg.serve.pages import charts, marking
from kg.serve.pages.lists import most_first
from kg.serve.pages.marking import Span
from kg.serve.pages.site import Panel, Row, Site, number_of, safe
from kg.text import plain

TYPES = ("Method", "Task", "Material", "Metric", "OtherConcept")
CLASSES = frozenset(KG[name].value for name in TYPES)
_PEOPLE, _BESIDE, _DEFINITIONS, _PAPERS = 15, 24, 3, 10
_CANDIDATES = 100  # papers whose sentences may say what it is
_DRAWN = {"concepts": 22, "people": 12}
_DRAWN_RELATIONS = ("broader", "narrower", "related")


async def page(request: HttpRequest, site: Site, iri: str) -> Response:
    """The page; `page` counts the mentions' pages from 1."""
    at = number_of(request, "page", most=100_000)
    described, first, years, people, beside, relations, grounds, mentions = await asyncio.gather(
        site.ask("describe-concept", concept=iri),
        site.ask_if("first-words-on-concept", concept=iri, limit=_CANDIDATES),
        site.ask_if("concepts-by-year", concept=iri),
        site.ask_if("leading-authors-of-concept", concept=iri, limit=_PEOPLE),
        site.ask_if("concepts-with-concept", concept=iri, limit=_BESIDE),
        site.ask_if("relations-of-concept", concept=iri),
        site.ask_if("grounds-of-thing", thing=iri),
        site.ask_if(
            "mentions-of-concept", concept=iri, limit=_PAPERS + 1, offset=(at - 1) * _PAPERS
        ),
    )
    ties, type_of = await _around(site, iri, beside, relations)
    around = _neighbourhood(site, iri, described, relations, beside, people, ties, type_of)
    # Whole books take a while, in which others are to be answered.
    papers = await asyncio.to_thread(_by_paper, site, mentions)
    definitions = await asyncio.to_thread(_definitions, site, first)
    place = site.href(iri)
    if at > 1 and not papers and not mentions.problem:
        return RedirectResponse(f"{place}#mentions", 303)
    return site.page(
        "concept.html",
        iri=iri,
        place=place,
        label=described.rows[0]["label"],
        types=[row["type"] for row in described.rows if row["type"]],
        aliases=[row["alias"] for row in described.rows if row["alias"]],
        described=described,
        definitions=definitions,
        first=first,
        years=years,
        bars=charts.bars(charts.by_year(years.rows)),
        people=people,
        beside=beside,
        relations=relations,
        grounds=grounds,
        mentions=mentions,
        papers=papers[:_PAPERS],
        at=at,
        newer=f"{place}?page={at - 1}#mentions" if at > 1 else "",
        older=f"{place}?page={at + 1}#mentions" if len(papers) > _PAPERS else "",
        by_papers=most_first(beside.rows, "papers"),
        type_of=type_of,
        picture=safe(drawing.draw(*around)),
        portrait=safe(drawing.draw(*around, tall=True)),
        compare=f"/compare?{urlencode({'a': iri})}",
    )


async def picture(site: Site, iri: str) -> str:
    """The drawing of a concept's neighbourhood."""
    described, relations, beside, people = await asyncio.gather(
        site.ask("describe-concept", concept=iri),
        site.ask("relations-of-concept", concept=iri),
        site.ask("concepts-with-concept", concept=iri, limit=_BESIDE),
        site.ask("leading-authors-of-concept", concept=iri, limit=_PEOPLE),
    )
    ties, type_of = await _around(site, iri, beside, relations)
    return drawing.draw(
        *_neighbourhood(site, iri, described, relations, beside, people, ties, type_of)
    )


async def _around(
    site: Site, iri: str, beside: Panel, relations: Panel
) -> tuple[Panel, dict[str, str]]:
    """How often the concepts beside this one are mentioned together; their and related types."""
    others = [row["other"] for row in beside.rows[: _DRAWN["concepts"]]]
    related = [row["other"] for row in relations.rows if row["relation"] in _DRAWN_RELATIONS]
    all_of_them = list(dict.fromkeys([*(row["other"] for row in beside.rows), *related]))
    ties, types = await asyncio.gather(
        site.ask_if("ties-around-concept", concept=iri, first=others, second=others),
        site.ask_if("types-of-concepts", concept=all_of_them),
    )
    return ties, site.types(types)


def _neighbourhood(
    site: Site,
    iri: str,
    described: Panel,
    relations: Panel,
    beside: Panel,
    people: Panel,
    ties: Panel,
    type_of: dict[str, str],
) -> tuple[list[drawing.Node], list[drawing.Edge], str]:
    """What there is to draw around a concept, with the title of the drawing."""
    types = [row["type"] for row in described.rows if row["type"]]
    label = described.rows[0]["label"]
    nodes = [drawing.Node(iri, label, drawing.kind_of(types), 0, site.href(iri))]
    edges: list[drawing.Edge] = []
    seen = {iri}

    common = {row["other"]: int(row["papers"]) for row in beside.rows}

    def add(key: str, text: str, kind: str, papers: int, relation: str = "") -> None:
        if key not in seen:
            seen.add(key)
            nodes.append(drawing.Node(key, text, kind, papers, site.href(key)))
            edges.append(drawing.Edge(iri, key, max(papers, 1), relation))

    for row in relations.rows:
        if row["relation"] in _DRAWN_RELATIONS and len(nodes) < 10:
            kind = drawing.kind_of([type_of.get(row["other"], "")])
            add(row["other"], row["label"], kind, common.get(row["other"], 0), row["relation"])
    for row in beside.rows[: _DRAWN["concepts"]]:
        kind = drawing.kind_of([type_of.get(row["other"], "")])
        add(row["other"], row["label"], kind, int(row["papers"]))
    for row in people.rows[: _DRAWN["people"]]:
        add(row["person"], row["name"], "Person", int(row["papers"]))
    edges += [
        drawing.Edge(row["first"], row["second"], int(row["papers"]))
        for row in ties.rows
        if row["first"] in seen and row["second"] in seen
    ]
    return nodes, edges, f"What is near {label}"


def _definitions(site: Site, first: Panel) -> list[dict[str, Any]]:
    """The sentences that say best what a concept is, those of papers that introduce it first."""
    found = []
    for number, (_, rows) in enumerate(_papers(first)):
        best: list[marking.Piece] = []
        said = -1
        for row in rows:
            if _part(row) != "title":
                for pieces in marking.sentences(row["text"], _spans(site, row)):
                    if (says := marking.defines(pieces)) > said:
                        best, said = pieces, says
        if best:
            mention = next(piece.span.href for piece in best if piece.span)
            rank = (rows[0]["role"] != "introduces", -said, number)
            found.append((rank, {**rows[0], "pieces": best, "place": mention}))
    found.sort(key=lambda pair: pair[0])
    # Where nobody explains it, the first ones to use it may help.
    telling = [text for (other, said, _), text in found if not other or said]
    return telling[:_DEFINITIONS] or [text for _, text in found[:2]]


def _by_paper(site: Site, mentions: Panel) -> list[dict[str, Any]]:
    """Each paper with the sentences that name the concept, and its title where that does."""
    found = []
    for _, rows in _papers(mentions):
        titles: list[list[marking.Piece]] = []
        sentences: list[list[marking.Piece]] = []
        title: list[marking.Piece] | None = None
        for row in rows:
            if _part(row) != "title":
                sentences += marking.sentences(row["text"], _spans(site, row))
            elif plain(row["text"]).text == row["title"]:
                title = marking.marked(row["text"], _spans(site, row))
            else:
                titles += marking.sentences(row["text"], _spans(site, row))
        found.append(
            {**rows[0], "marked": title, "titles": _once(titles), "sentences": _once(sentences)}
        )
    return found


def _once(sentences: list[list[marking.Piece]]) -> list[list[marking.Piece]]:
    """Each wording once, which several texts of a paper may have."""
    found: dict[str, list[marking.Piece]] = {}
    for one in sentences:
        found.setdefault("".join(piece.text for piece in one), one)
    return list(found.values())


def _papers(panel: Panel) -> list[tuple[str, list[Row]]]:
    return [(key, list(rows)) for key, rows in groupby(panel.rows, key=lambda row: row["paper"])]


def _part(row: Row) -> str:
    """ "title" or "abstract"."""
    return row["context"].rpartition("#")[2].partition(".")[0]


def _spans(site: Site, row: Row) -> list[Span]:
    """The places in a text that name the concept; a mention is called after its place."""
    found = []
    for place in row["places"].split():
        begin, _, end = place.partition("-")
        href = site.href(f"{row['context']}-{place}")
        found.append(Span(int(begin), int(end), href, row["title"]))
    return found
