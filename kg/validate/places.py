"""Where in its file a result's triple, or its node, stands.

The file is parsed once more, a line at a time: a triple that comes out of the parser ends in
the line that went in last. So the lines are right however the file is laid out, and nothing
but the current line and what is looked for is in memory. Of N-Triples only the lines that begin
with what is looked for are parsed.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import RawIOBase
from typing import IO, cast

from pyoxigraph import BlankNode, NamedNode, RdfFormat, Triple, parse

from kg.errors import InputError
from kg.validate.read import Data, Names, Part, opened, quads, syntax_of
from kg.validate.report import SH, Place, Result, Term

_TELLING = (RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.N_QUADS, RdfFormat.TRIG)
_A_LINE_EACH = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_LONGEST = 1 << 16  # bytes of a line that are read at once
# What misses something has nothing to point at but the node.
_OF_NOTHING = {
    SH + f"{name}ConstraintComponent" for name in ("MinCount", "HasValue", "QualifiedMinCount")
}
# What may name a node in Turtle: an IRI in full or relative, or a prefix and the rest. A prefix
# begins where no word goes on: to try at each letter of a long text would take for ever.
_NAMES = re.compile(r"<([^<>\s]*)>|(?<![\w.-])[\w.-]*:((?:[\w.:%-]|\\.)*)")

Key = tuple[Term | Triple, ...]  # a node; a node and its property; a triple


def places(data: Data, results: Iterable[Result]) -> Mapping[Result, Place]:
    """The place of each result that has one: of its triple, else of its property or its node.

    A node stands where the first statement on it begins. Of files in JSON-LD or RDF/XML no line
    is told. A file that can no longer be read gives no places.
    """
    wanted = {result: _keys(result) for result in results}
    found = locate(data, {key for keys in wanted.values() for key in keys})
    best = ((result, next(filter(found.get, keys), None)) for result, keys in wanted.items())
    return {result: found[key] for result, key in best if key is not None}


def locate(data: Data, keys: Iterable[Key]) -> dict[Key, Place]:
    """Where nodes, nodes with a property, and triples first stand; some may not be found."""
    found: dict[Key, Place] = {}
    missing = set(keys)
    for part in data.parts:
        syntax = syntax_of(part.source) if missing else None
        if syntax is None:
            continue
        search = _search if syntax in _TELLING else _in_file
        if syntax in _A_LINE_EACH and not any(isinstance(key[0], BlankNode) for key in missing):
            search = _in_lines
        for key, place in search(part, missing):
            found[key] = place
            missing.discard(key)
    return found


def _keys(result: Result) -> list[Key]:
    keys: list[Key] = [(result.focus,)]
    plain = result.path and not result.path.startswith(("<", "(", "^"))
    if plain and result.constraint.value not in _OF_NOTHING:
        assert result.path is not None
        keys.insert(0, (result.focus, NamedNode(result.path)))
    if result.path and result.value is not None:
        steps = [result.path] if plain else re.findall(r"<([^>]*)>", result.path)
        keys[:0] = [(result.focus, NamedNode(step), result.value) for step in steps]
    return keys


def _in_lines(part: Part, missing: set[Key]) -> Iterator[tuple[Key, Place]]:
    """As `_search` in a file of one triple a line, of which only those of interest are read."""
    subjects = {str(key[0]).encode() for key in missing}
    try:
        with opened(part.source) as file:
            for number, line in enumerate(file, start=1):
                first = line[: line.find(b">") + 1].lstrip()
                if first in subjects or b"\\" in first:
                    for quad in parse(line, format=RdfFormat.N_QUADS):
                        nodes: Key = (quad.subject, quad.predicate, quad.object)
                        for key in (nodes[:1], nodes[:2], nodes):
                            if key in missing:
                                yield key, Place(part.source.name, number)
    except (OSError, EOFError, zlib.error, SyntaxError):
        return


def _search(part: Part, missing: set[Key]) -> Iterator[tuple[Key, Place]]:
    lines = _Lines()
    name = Names(part.first, part.letter)

    def fed(file: IO[bytes]) -> IO[bytes]:
        lines.file = file
        return cast(IO[bytes], lines)

    try:
        for quad in quads(part.source, wrap=fed):
            if not missing:
                return
            quad = name(quad)
            nodes: Key = (quad.subject, quad.predicate, quad.object)
            if nodes[:1] in missing:
                yield nodes[:1], Place(part.source.name, lines.of(str(quad.subject)))
            for key in (nodes[:2], nodes):
                if key in missing:
                    yield key, Place(part.source.name, lines.number)
            lines.forget()
    except InputError:
        return


def _in_file(part: Part, missing: set[Key]) -> Iterator[tuple[Key, Place]]:
    """As `_search` in a file of which the parser does not tell how far it is."""
    name = Names(part.first, part.letter)
    with suppress(InputError):
        for quad in map(name, quads(part.source)):
            nodes: Key = (quad.subject, quad.predicate, quad.object)
            for key in (nodes[:1], nodes[:2], nodes):
                if key in missing:
                    yield key, Place(part.source.name, None)


class _Lines(RawIOBase):
    """A file that gives one line at a time, and remembers those since the last triple."""

    file: IO[bytes]

    def __init__(self) -> None:
        self.number = 0
        self._ended = True
        self._rest = b""  # of the line, for the next call
        self._recent: list[tuple[int, bytes]] = []

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        # The parser asks for so many bytes, and breaks off where it is given more.
        if not self._rest:
            self._rest = line = self.file.readline(_LONGEST)
            self.number += self._ended and bool(line)
            self._ended = line.endswith(b"\n")
            self._recent.append((self.number, line))
        given = self._rest if size < 0 else self._rest[:size]
        self._rest = self._rest[len(given) :]
        return given

    def forget(self) -> None:
        if len(self._recent) > 1:
            del self._recent[:-1]

    def of(self, subject: str) -> int:
        """The line in which the subject of the triple just read is named."""
        if self._recent[0][0] == self.number:  # all in one line, which may be very long
            return self.number
        iri = subject.strip("<>")
        named = [number for number, line in self._recent if _names(line, iri)]
        # The first of the lines is that of the triple before, where it may be the object.
        own = [number for number in named if number > self._recent[0][0]]
        return (own or named[-1:] or [self.number])[0]


def _names(line: bytes, iri: str) -> bool:
    if line.lstrip().startswith(b"#"):
        return False
    return any(
        (full or local) and iri.endswith(full or local.replace("\\", ""))
        for full, local in _NAMES.findall(line.decode("utf-8", "replace"))
    )
