"""The short names that need no declaration: of the vocabularies and of the graph's own things."""

from __future__ import annotations

from collections.abc import Mapping

from pyoxigraph import NamedNode, Store

from kg.rdf.dataset import base_of
from kg.rdf.vocabulary import DEFAULT_BASE, PREFIXES

_OWN = ("category", "concept", "paper", "person", "record", "software", "source")


def prefixes_of(store: Store) -> dict[str, str]:
    """All prefixes, as `kg export` writes them, from name to IRI and sorted by name."""
    return prefixes_with(base_of(store) or DEFAULT_BASE)


def prefixes_with(base: str) -> dict[str, str]:
    """The same for the base of a graph."""
    return dict(sorted({**PREFIXES, **{part: f"{base}{part}/" for part in _OWN}}.items()))


def expand(name: str, prefixes: Mapping[str, str]) -> NamedNode | None:
    """The IRI of a short name such as "concept:transformer"; None where it is none."""
    prefix, colon, local = name.partition(":")
    if not colon or not local or prefix not in prefixes:
        return None
    try:
        return NamedNode(prefixes[prefix] + local)
    except ValueError:  # a title with a colon, say
        return None
