"""Short names for IRIs: the prefixes of the vocabularies and of the graph's own nodes."""

from __future__ import annotations

import re

from pyoxigraph import Store

from kg.rdf.dataset import base_of
from kg.rdf.vocabulary import PREFIXES

# Local names that Turtle and JSON-LD readers take without escapes; the grammar allows more.
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_OWN_PARTS = ("category", "concept", "paper", "person", "software", "source")


class Names:
    """Gives short names, and remembers which prefixes it used."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        self._prefix_of = {iri: prefix for prefix, iri in prefixes.items()}
        self._used: set[str] = set()

    def short(self, iri: str) -> str | None:
        """ "skos:Concept" for its IRI; None where no prefix fits."""
        cut = max(iri.rfind("#"), iri.rfind("/")) + 1
        prefix = self._prefix_of.get(iri[:cut])
        if prefix is None or not _LOCAL.fullmatch(iri, cut):
            return None
        self._used.add(iri[:cut])
        return f"{prefix}:{iri[cut:]}"

    def used(self) -> dict[str, str]:
        """The prefixes that were used, by name."""
        return dict(sorted((self._prefix_of[iri], iri) for iri in self._used))


def names_for(store: Store) -> Names:
    """Names with the vocabularies' prefixes, and one for each kind of node below the base."""
    prefixes = dict(PREFIXES)
    if base := base_of(store):
        prefixes |= {part: f"{base}{part}/" for part in _OWN_PARTS}
    return Names(prefixes)
