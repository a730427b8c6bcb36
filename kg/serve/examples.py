"""The named questions on the query page: what they ask for, and what people answer.

People give names; the search index says which thing of the graph is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import quote, urlencode

from pyoxigraph import Literal, NamedNode

from kg import queries
from kg.errors import UsageError
from kg.queries.prefixes import expand, prefixes_with
from kg.search import KINDS, best
from kg.serve.search import Search, about

_WHOLE, _REST = "On the whole graph", "On other things"
_GROUPS = {
    "concept": "On concepts",
    "person": "On people",
    "paper": "On papers",
    "category": "On categories",
}

FIELD = "p."  # what the names of a form's fields begin with that hold parameters


@dataclass(frozen=True, slots=True)
class Unclear:
    """A parameter that names nothing, or several things."""

    message: str
    choices: tuple[dict[str, str], ...]  # "text", "about" and "href" of things it may mean


async def examples(
    search: Search, asked: str, values: Mapping[str, str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """All named questions under a few titles.

    `asked` is the one that is just asked, with `values` of its parameters. Fields are filled
    with what this graph has most of, so that every question can be asked as it stands.
    """
    tops = {kind: await search.top(kind, 2) for kind in KINDS}
    found = []
    for name in queries.names():
        question = queries.load(name)
        used: dict[str, int] = {}
        fields: list[dict[str, Any]] = []
        for parameter in question.parameters:
            at = used[parameter.kind] = used.get(parameter.kind, -1) + 1
            top = (tops.get(parameter.kind, []) + [""] * (at + 1))[at]
            usual = "" if parameter.optional else top
            given = values.get(parameter.name, usual) if name == asked else usual
            fields.append(
                {
                    "name": FIELD + parameter.name,
                    "label": parameter.name.replace("_", " "),
                    "value": given,
                    "kind": parameter.kind,
                    "note": parameter.note if parameter.kind in ("number", "text") else "",
                    "optional": parameter.optional or parameter.kind == "number",
                    "suggest": parameter.kind in (*KINDS, "thing"),
                }
            )
        needs = [field["kind"] for field in fields if not field["optional"]]
        found.append(
            {
                "name": name,
                "title": question.title,
                "about": question.about,
                "fields": fields,
                "group": _GROUPS.get(needs[0], _REST) if needs else _WHOLE,
                "open": name == asked,
                "href": f"/query?query={quote(question.text)}",
            }
        )
    titles = (_WHOLE, *_GROUPS.values(), _REST)
    found.sort(key=lambda example: (titles.index(example["group"]), example["title"]))
    return [(title, list(group)) for title, group in groupby(found, itemgetter("group"))]


async def bound(
    search: Search, base: str, question: queries.Query, values: Mapping[str, str]
) -> str | Unclear:
    """The text of a named question with what people wrote for its parameters.

    Raises UsageError for a parameter that is missing or no number.
    """
    terms: dict[str, list[queries.Term]] = {}
    for parameter in question.parameters:
        value = values.get(parameter.name, "").strip()
        if not value:
            continue
        if parameter.kind == "number":
            terms[parameter.name] = [queries.number(value)]
        elif parameter.kind == "text":
            terms[parameter.name] = [Literal(value), Literal(value, language="en")]
        else:
            meant = await _meant(search, base, parameter.kind, value)
            if meant is None:
                return await _unclear(search, question, values, parameter)
            terms[parameter.name] = [meant]
    return question.bind(terms)


async def _meant(search: Search, base: str, kind: str, value: str) -> NamedNode | None:
    """The thing that somebody names; None where that is not clear."""
    if value.startswith("<") or "://" in value:
        try:
            return NamedNode(value.strip("<>"))
        except ValueError as error:
            if "://" not in value:
                return None
            raise UsageError(f"{value} is not an IRI: {error}") from error
    kinds = (kind,) if kind in KINDS else KINDS
    hit = best(await search.find(value, kinds))
    return NamedNode(hit.iri) if hit else expand(value, prefixes_with(base))


async def _unclear(
    search: Search,
    question: queries.Query,
    values: Mapping[str, str],
    parameter: queries.Parameter,
) -> Unclear:
    kinds = (parameter.kind,) if parameter.kind in KINDS else KINDS
    value = values[parameter.name]
    choices = []
    for hit in await search.find(value, kinds):
        chosen = {**values, parameter.name: f"<{hit.iri}>"}
        fields = {FIELD + name: text for name, text in chosen.items()}
        href = f"/query?{urlencode({'name': question.name, **fields})}"
        choices.append({"text": hit.label, "about": about(hit), "href": href})
    what = "does not name one thing; choose one" if choices else "is the name of nothing here"
    return Unclear(f"{parameter.name}: “{value}” {what}", tuple(choices))
