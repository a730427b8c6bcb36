"""The categories of arXiv: names, the archive each belongs to, and second names.

They are read from `ontology/arxiv.ttl`; identifiers and names are arXiv's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from kg.rdf.vocabulary import ARXIV, DCTERMS, SKOS
from kg.resources import folder


@dataclass(frozen=True, slots=True)
class Category:
    """One category, archive or group of arXiv. Fields other than `label` are notations."""

    notation: str  # "cs.LG"
    label: str  # "Machine Learning"
    broader: str | None  # "cs"; None for what stands at the top
    replaced_by: str | None = None  # where its papers are now listed, for "cmp-lg" "cs.CL"
    aliases: tuple[str, ...] = ()  # what is replaced by it, sorted


@cache
def load_categories() -> Mapping[str, Category]:
    """All categories by notation, sorted as in the file. Read once, then kept.

    Raises FileNotFoundError on a broken installation.
    """
    labels: dict[str, str] = {}
    links: dict[tuple[str, NamedNode], str] = {}
    aliases: dict[str, list[str]] = defaultdict(list)
    for quad in parse(path=folder("ontology") / "arxiv.ttl", format=RdfFormat.TURTLE):
        if not isinstance(quad.subject, NamedNode):
            continue
        notation = quad.subject.value.removeprefix(ARXIV.iri)
        if isinstance(quad.object, NamedNode):
            links[notation, quad.predicate] = quad.object.value.removeprefix(ARXIV.iri)
        elif isinstance(quad.object, Literal) and notation:
            if quad.predicate == SKOS.prefLabel:
                labels[notation] = quad.object.value
            elif quad.predicate == SKOS.altLabel:
                aliases[notation].append(quad.object.value)
    return MappingProxyType(
        {
            notation: Category(
                notation,
                label,
                links.get((notation, SKOS.broader)),
                links.get((notation, DCTERMS.isReplacedBy)),
                tuple(sorted(aliases[notation])),
            )
            for notation, label in labels.items()
        }
    )


def canonical(notation: str) -> str:
    """The notation that arXiv lists the papers of `notation` under.

    "math.MP" gives "math-ph", "cmp-lg" gives "cs.CL", "cs.lg" gives "cs.LG"; every other
    notation, an unknown one too, gives itself.
    """
    category = load_categories().get(_notations().get(notation.casefold(), notation))
    return category.replaced_by or category.notation if category else notation


@cache
def _notations() -> Mapping[str, str]:
    """The notations of arXiv as it writes them, by what they are without case."""
    return MappingProxyType({notation.casefold(): notation for notation in load_categories()})
