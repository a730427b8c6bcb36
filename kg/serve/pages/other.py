"""The page of anything that has none of its own: what the graph says of it, and what names it."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from pyoxigraph import NamedNode
from starlette.responses import Response

from kg import queries
from kg.rdf.vocabulary import PROV, RDFS
from kg.serve.answer import Rows
from kg.serve.pages.site import Cell, Site, short

_MOST = 200  # things that name it
_COUNTED = 100_000  # uses at most
_LONG = 80  # characters of a text that stands by itself
_LITERAL = PROV.value.value


async def other(site: Site, iri: NamedNode, facts: Rows) -> Response:
    """The page."""
    text = queries.load("links").bind({"thing": [iri], "limit": [queries.number(str(_MOST))]})
    links, uses, examples = await asyncio.gather(
        site.pool.rows(text),
        site.ask("uses", thing=iri.value),
        site.pool.rows(queries.load("statements-with-property").bind({"thing": [iri]})),
    )
    times = {row["use"]: int(row["times"]) for row in uses.rows}
    label = [row["value"]["value"] for row in facts if row["property"]["value"] == RDFS.label.value]
    literal = [row["value"]["value"] for row in facts if row["property"]["value"] == _LITERAL]
    shown = literal[0] if literal and len(literal[0]) > _LONG else ""
    parts = {
        row["value"]["value"] for row in facts if row["value"]["value"].startswith(f"{iri.value}#")
    }
    return site.page(
        "thing.html",
        title=label[0] if label else short(iri.value),
        iri=iri.value,
        place=site.href(iri.value),
        literal=shown,
        facts=[pair for pair in _grouped(site, facts, "value") if pair[1][0].text != shown],
        links=_grouped(site, links, "subject"),
        most=_MOST if len(links.rows) >= _MOST else 0,
        times=times,
        all_counted=_COUNTED,
        examples=[
            (
                site.cell(row["subject"], row.get("label")),
                site.cell(row["value"], row.get("value_label")),
            )
            for row in examples
        ],
        parts_of=[await _part(site, part) for part in sorted(parts)],
        questions={
            name: f"/query?{urlencode({'name': name, 'p.thing': iri.value})}"
            for name in ("facts", "links", "statements-with-property")
        },
    )


async def _part(site: Site, iri: str) -> dict[str, object]:
    facts = await site.facts(NamedNode(iri))
    return {
        "id": iri.partition("#")[2],
        "facts": _grouped(site, facts, "value") if facts else [],
    }


def _grouped(site: Site, found: Rows, column: str) -> list[tuple[Cell, list[Cell]]]:
    """Rows as one entry a property."""
    groups: dict[str, list[Cell]] = {}
    for row in found:
        cells = groups.setdefault(row["property"]["value"], [])
        cells.append(site.cell(row[column], row.get("label")))
    return [(site.cell({"type": "uri", "value": key}), cells) for key, cells in groups.items()]
