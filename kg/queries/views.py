"""What there is to show of one thing, or of the whole graph, as plain data.

Every view is a dictionary of strings, numbers, lists and dictionaries that can be written as
JSON; lists are in the order of the named queries they come from. Years are numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyoxigraph import NamedNode, Store

from kg.queries import load
from kg.queries.find import Thing, solutions

View = dict[str, Any]

_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def view(store: Store, thing: Thing) -> View:
    """All that `kg show` knows of a thing."""
    return {"kind": thing.kind, "iri": thing.iri} | _VIEWS[thing.kind](store, thing.iri)


def statistics(store: Store) -> View:
    """Counts and top lists of the whole graph."""
    return {
        "counts": {row["thing"]: row["count"] for row in rows(store, "counts")},
        "concept_types": {row["type"]: row["concepts"] for row in rows(store, "concept-types")},
        "papers_by_year": [
            {"year": row["year"], "papers": row["papers"]} for row in rows(store, "papers-by-year")
        ],
        "top_concepts": rows(store, "top-concepts"),
        "top_people": rows(store, "top-people"),
    }


def rows(store: Store, name: str, **things: str) -> list[View]:
    """The rows of a named query, its parameters bound to IRIs; what is unbound is left out."""
    text = load(name).bind({key: [NamedNode(iri)] for key, iri in things.items()})
    found = solutions(store, text)
    names = [variable.value for variable in found.variables]
    return [
        {key: _plain(term) for key, term in zip(names, row, strict=True) if term is not None}
        for row in found
    ]


def _plain(term: Any) -> str | int:
    if isinstance(term, NamedNode):
        return term.value
    return int(term.value) if term.datatype.value == _INTEGER else str(term.value)


def _concept(store: Store, iri: str) -> View:
    described = rows(store, "describe-concept", concept=iri)
    papers = rows(store, "papers-of-concept", concept=iri)
    years: dict[int, int] = {}
    for paper in papers:
        if "year" in paper:
            years[paper["year"]] = years.get(paper["year"], 0) + 1
    return {
        "label": described[0]["label"],
        "types": [row["type"] for row in described if "type" in row],
        "other_names": [row["alias"] for row in described if "alias" in row],
        "papers_by_year": [{"year": year, "papers": count} for year, count in years.items()],
        "papers": papers,
        "people": rows(store, "authors-of-concept", concept=iri),
    }


def _person(store: Store, iri: str) -> View:
    described = rows(store, "describe-person", person=iri)
    return {
        "label": described[0]["name"],
        "other_names": [row["alias"] for row in described if "alias" in row],
        "papers": rows(store, "papers-of-author", author=iri),
        "concepts": rows(store, "concepts-of-author", author=iri),
        "coauthors": rows(store, "coauthors", author=iri),
    }


def _paper(store: Store, iri: str) -> View:
    described = rows(store, "describe-paper", paper=iri)[0]
    links = rows(store, "links-of-paper", paper=iri)
    return {
        "label": described.pop("title"),
        **described,
        "authors": rows(store, "authors-of-paper", paper=iri),
        "concepts": rows(store, "concepts-of-paper", paper=iri),
        "identifiers": [row["value"] for row in links if row["kind"] == "identifier"],
        "addresses": [row["value"] for row in links if row["kind"] == "address"],
        "categories": [
            row.get("label", row["value"]) for row in links if row["kind"] == "category"
        ],
        "sources": rows(store, "records-of-paper", paper=iri),
    }


_VIEWS: dict[str, Callable[[Store, str], View]] = {
    "concept": _concept,
    "person": _person,
    "paper": _paper,
}
