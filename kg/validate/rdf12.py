"""What came with RDF 1.2, of which SHACL knows nothing and rdflib neither."""

from __future__ import annotations

from pyoxigraph import Literal, Triple

NOT_TAKEN = "triple terms and base directions of RDF 1.2 cannot be validated"


def is_new(term: object) -> bool:
    """Whether a term is a triple, or a text with a direction."""
    return isinstance(term, Triple) or (isinstance(term, Literal) and bool(term.direction))
