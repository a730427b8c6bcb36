"""HTML pages and linked data: one for every thing of the graph, lists, and ways between them.

    site       asking named questions, addresses in templates, rendering
    addresses  IRIs to addresses and back
    former     the generation before this one
    linked     a thing at its address: page or RDF, redirections, what is not there
    concept, person, paper, category, other    the page of one thing
    lists      start page and lists
    compare    two people or concepts
    missing    worklists
    marking    texts with their mentions
    charts     bars and timelines

Every panel of a page is the answer to a named question of `kg.queries`, and links to it.
"""

from __future__ import annotations

from kg.serve.pages import lists as _lists
from kg.serve.pages import missing as _missing
from kg.serve.pages.compare import compare
from kg.serve.pages.linked import describe, failed, ontology, picture, refused, thing
from kg.serve.pages.lists import categories, papers, people, start
from kg.serve.pages.missing import missing
from kg.serve.pages.site import Cell, Site

__all__ = [
    "SLOW",
    "Cell",
    "Site",
    "categories",
    "compare",
    "describe",
    "failed",
    "missing",
    "ontology",
    "papers",
    "people",
    "picture",
    "refused",
    "start",
    "thing",
]

SLOW = (*_lists.SLOW, *_missing.SLOW)  # questions that `Site.warm` has answered beforehand
