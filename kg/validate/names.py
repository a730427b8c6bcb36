"""How terms are shown to people."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyoxigraph import BlankNode, Literal, NamedNode

_LOCAL = re.compile(r"[\w][\w.\-]*(?<!\.)|")
_XSD = "http://www.w3.org/2001/XMLSchema#"
_LONGEST = 100  # characters of a literal


def curie(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI with its prefix where one fits, else in <>; the IRIs of a path likewise."""
    if iri.startswith(("<", "(", "^")):
        return re.sub(r"<([^>]*)>", lambda match: curie(match[1], prefixes), iri)
    best = max(
        (
            (len(start), name, iri[len(start) :])
            for name, start in prefixes.items()
            if start and iri.startswith(start) and _LOCAL.fullmatch(iri[len(start) :])
        ),
        default=None,
    )
    return f"{best[1]}:{best[2]}" if best else f"<{iri}>"


def shown(term: NamedNode | BlankNode | Literal, prefixes: Mapping[str, str]) -> str:
    """A term in the manner of Turtle, on one line, long texts cut, control characters escaped."""
    if isinstance(term, NamedNode):
        return curie(term.value, prefixes)
    if isinstance(term, BlankNode):
        return f"_:{term.value}"
    text = f'"{short(term.value)}"'
    if term.language:
        return f"{text}@{term.language}"
    if term.datatype.value == _XSD + "string":
        return text
    return f"{text}^^{curie(term.datatype.value, {'xsd': _XSD, **prefixes})}"


def short(text: str, longest: int = _LONGEST) -> str:
    """A text on one line: control characters escaped, and cut with "…" where it is long."""
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
