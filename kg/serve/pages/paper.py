"""The page of a paper: its texts with the concepts marked, and the papers like it."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kg.serve.pages import marking
from kg.serve.pages.marking import Span
from kg.serve.pages.site import Panel, Row, Site
from kg.text import plain

_SIMILAR = 10
_SHARED = 4


async def page(request: HttpRequest, site: Site, iri: str) -> Response:
    """The page."""
    (
        described,
        texts,
        mentions,
        concepts,
        authors,
        links,
        records,
        similar,
        grounds,
    ) = await asyncio.gather(
        site.ask("describe-paper", paper=iri),
        site.ask_if("texts-of-paper", paper=iri),
        site.ask_if("mentions-of-paper", paper=iri),
        site.ask_if("concepts-of-paper", paper=iri),
        site.ask_if("authors-of-paper", paper=iri),
        site.ask_if("links-of-paper", paper=iri),
        site.ask_if("records-of-paper", paper=iri),
        site.ask_if("similar-papers", paper=iri, limit=_SIMILAR),
        site.ask_if("grounds-of-thing", thing=iri),
    )
    others = [row["other"] for row in similar.rows]
    common = await site.ask_if("concepts-in-common", paper=iri, other=others)
    paper = described.rows[0]
    written = _texts(site, iri, texts, mentions)
    title = _shown(written, "title", paper["title"])
    abstract = _shown(written, "abstract", paper["abstract"])
    known = [text for text in written if text not in (title, abstract)]
    types = await site.ask_if(
        "types-of-concepts", concept=[row["concept"] for row in concepts.rows]
    )
    return site.page(
        "paper.html",
        iri=iri,
        place=site.href(iri),
        paper=paper,
        described=described,
        title=title,
        abstract=abstract,
        others=[text for text in known if text["text"] != paper["title"]],
        mentions=mentions,
        concepts=concepts,
        type_of=site.types(types),
        authors=authors,
        links=links,
        records=records,
        similar=similar,
        common=_common(common),
        grounds=grounds,
    )


def _texts(site: Site, iri: str, texts: Panel, mentions: Panel) -> list[dict[str, Any]]:
    """Each text in pieces."""
    found = []
    for row in texts.rows:
        spans = [_span(site, iri, m) for m in mentions.rows if m["context"] == row["context"]]
        found.append(
            {
                "id": row["context"].removeprefix(f"{iri}#"),
                "text": plain(row["text"]).text,
                "pieces": marking.marked(row["text"], spans),
            }
        )
    return found


def _shown(texts: list[dict[str, Any]], part: str, text: str) -> dict[str, Any]:
    """The text that the paper's title or abstract comes from; without marks where none does."""
    for found in texts:
        if found["id"].partition(".")[0] == part and found["text"] == text:
            return found
    return {"id": "", "text": text, "pieces": [marking.Piece(text)] if text else []}


def _span(site: Site, iri: str, row: Row) -> Span:
    return Span(
        int(row["begin"]),
        int(row["end"]),
        site.href(row["concept"]),
        row["label"],
        row["mention"].removeprefix(f"{iri}#"),
    )


def _common(common: Panel) -> dict[str, list[Row]]:
    """The rarest of the concepts that each other paper has in common with this one."""
    found: dict[str, list[Row]] = {}
    for row in common.rows:
        concepts = found.setdefault(row["other"], [])
        if len(concepts) < _SHARED:
            concepts.append(row)
    return found
