"""How terms are shown to people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from pyoxigraph import BlankNode, Literal, NamedNode

BASE = "@base"  # in a table of prefixes, the name of what relative IRIs begin with
_LOCAL = re.compile(r"[\w][\w.\-]*(?<!\.)|")
_XSD = "http://www.w3.org/2001/XMLSchema#"
# Numbers and truth values that Turtle writes without quotes.
_BARE = {
    _XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    _XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    _XSD + "double": re.compile(r"[+-]?([0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+"),
    _XSD + "boolean": re.compile(r"true|false"),
}
_NEVER = re.compile(r"(?!)")
_LONGEST = 100  # characters of a literal


def curie(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI with its prefix where one fits, else in <>; the IRIs of a path likewise.

    What begins with the base is shown relative to it.
    """
    if iri.startswith(("<", "(", "^")):
        return re.sub(r"<([^>]*)>", lambda match: curie(match[1], prefixes), iri)
    best = max(
        (
            (len(start), name, iri[len(start) :])
            for name, start in prefixes.items()
            if start
            and name != BASE
            and iri.startswith(start)
            and _LOCAL.fullmatch(iri[len(start) :])
        ),
        default=None,
    )
    if best:
        return f"{best[1]}:{best[2]}"
    return f"<{iri.removeprefix(prefixes.get(BASE, ''))}>"


def shown(term: NamedNode | BlankNode | Literal, prefixes: Mapping[str, str]) -> str:
    """A term in the manner of Turtle, on one line, long texts cut, control characters escaped."""
    if isinstance(term, NamedNode):
        return curie(term.value, prefixes)
    if isinstance(term, BlankNode):
        return f"_:{term.value}"
    if _BARE.get(term.datatype.value, _NEVER).fullmatch(term.value):
        return term.value
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
    return escaped(text)


def escaped(text: str) -> str:
    """A text on one line, with its control characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def closest(given: str, choices: Iterable[str]) -> str | None:
    """The one of several IRIs or texts that was probably meant; None where none is close.

    Of IRIs the last part counts: it is what people misspell.
    """
    by_name: dict[str, str] = {}
    for choice in sorted(choices):
        by_name.setdefault(_last(choice), choice)
    close = get_close_matches(_last(given), by_name, n=1, cutoff=0.75)
    return by_name[close[0]] if close else None


def _last(iri: str) -> str:
    return re.split(r"[/#:]", iri)[-1].lower() or iri
