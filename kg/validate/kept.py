"""Literals as they are written, in a store that would rewrite them.

Oxigraph keeps numbers, dates and the like as values: of "007"^^xsd:integer it gives 7 back, of
"5"^^xsd:int the xsd:integer 5. SHACL asks for what is written. So such a literal goes into the
store under a datatype of kg's own, which names the true one, and comes out as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Protocol, cast

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store

from kg.validate.lines import write_lines

_MARK = "urn:x-kg:kept:"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_STRING = _XSD + "string"
# These come out of the store as they went in, and so do texts and what has no datatype of XSD.
_SAME = {
    _XSD + "integer": re.compile(r"0|-?[1-9][0-9]{0,17}"),
    _XSD + "boolean": re.compile(r"true|false"),
}
_NEVER = re.compile(r"(?!)")
# The datatype at the end of a line of N-Triples. What looks like it in a text ends with a quote.
_IN_LINE = re.compile(rb'"\^\^<urn:x-kg:kept:(http://www\.w3\.org/2001/XMLSchema#[^<>"]*)> \.\n')


class Readable(Protocol):
    """What can be asked for its quads by a pattern, as a store can."""

    def quads_for_pattern(
        self,
        subject: NamedNode | BlankNode | None,
        predicate: NamedNode | None,
        object: NamedNode | BlankNode | Literal | None,
        /,
    ) -> Iterator[Quad]:
        """The quads of the pattern; None stands for anything."""


class Kept:
    """A store that `as_kept` has filled, with all literals as they were written.

    Any other store can be read through it too, and is as it is.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def __iter__(self) -> Iterator[Quad]:
        return map(given, self.store)

    def __len__(self) -> int:
        return len(self.store)

    def quads_for_pattern(
        self,
        subject: NamedNode | BlankNode | None,
        predicate: NamedNode | None,
        object: NamedNode | BlankNode | Literal | None,
        /,
    ) -> Iterator[Quad]:
        """The quads of the pattern; None stands for anything."""
        if not isinstance(object, Literal):
            return map(given, self.store.quads_for_pattern(subject, predicate, object))
        return self._with(subject, predicate, object)

    def _with(
        self, subject: NamedNode | BlankNode | None, predicate: NamedNode | None, value: Literal
    ) -> Iterator[Quad]:
        term = _kept(value)
        yield from map(given, self.store.quads_for_pattern(subject, predicate, term))
        if term != value:
            # A store of another's making has it under its own name, or something like it.
            for quad in self.store.quads_for_pattern(subject, predicate, value):
                if quad.object == value:
                    yield quad

    def dump(self, out: IO[bytes], threads: int = 1) -> None:
        """Write the triples of all graphs as N-Triples, in any order."""
        write_lines(self.store, cast(IO[bytes], _Lines(out)), threads)


def as_kept(quad: Quad) -> Quad:
    """A quad as it goes into a store."""
    value = quad.object
    if not isinstance(value, Literal):
        return quad
    kept = _kept(value)
    return quad if kept is value else Quad(quad.subject, quad.predicate, kept, quad.graph_name)


def given(quad: Quad) -> Quad:
    """A quad as it was before it went into a store."""
    value = quad.object
    if not isinstance(value, Literal):
        return quad
    term = given_term(value)
    return quad if term is value else Quad(quad.subject, quad.predicate, term, quad.graph_name)


def given_term(literal: Literal) -> Literal:
    """A literal as it was before it went into a store."""
    datatype = literal.datatype.value
    if not datatype.startswith(_MARK + _XSD):
        return literal
    return Literal(literal.value, datatype=NamedNode(datatype.removeprefix(_MARK)))


def _kept(literal: Literal) -> Literal:
    datatype = literal.datatype.value
    if datatype == _STRING or not datatype.startswith(_XSD):
        return literal
    if _SAME.get(datatype, _NEVER).fullmatch(literal.value):
        return literal
    return Literal(literal.value, datatype=NamedNode(_MARK + datatype))


class _Lines:
    """Writes whole lines of N-Triples on with their literals as they were."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def write(self, lines: bytes) -> int:
        if _MARK.encode() in lines:  # quicker to see than with the pattern, and mostly not so
            lines = _IN_LINE.sub(rb'"^^<\1> .\n', lines)
        return self._out.write(lines)
