"""RDF files of any syntax as quads.

Oxigraph's parsers do the reading: they say where a file is broken, they stream, and they
never fetch anything, not even a JSON-LD context.
"""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import cast
from xml.parsers import expat

from pyoxigraph import BlankNode, Quad, RdfFormat, parse

from kg.errors import InputError

_BY_EXTENSION = {
    "ttl": RdfFormat.TURTLE,
    "nt": RdfFormat.N_TRIPLES,
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
    "json": RdfFormat.JSON_LD,
    "rdf": RdfFormat.RDF_XML,
    "owl": RdfFormat.RDF_XML,
    "xml": RdfFormat.RDF_XML,
}
_SNIFFED = 4096  # bytes looked at where the extension does not say the syntax
_XML = re.compile(rb"<(\?xml|!DOCTYPE|!--|\w+:RDF\b|RDF\b)")
_JSON = re.compile(rb'\{\s*["}]|\[\s*\{')
_N_QUAD = re.compile(rb'(<[^>]*>|_:\S+)\s+<[^>]*>\s+(<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"\S*)\s+(<|_:)')


@dataclass(frozen=True, slots=True)
class Data:
    """The quads of some files, and the prefixes that the files declare."""

    quads: tuple[Quad, ...]
    prefixes: dict[str, str]


def read(files: Sequence[str | Path]) -> Data:
    """All files together; "-" is standard input. Blank nodes of two files stay apart.

    Blank nodes are named b0, b1, ... as they appear, so that a file reads the same each time.
    Raises InputError, with the line and column where the syntax tells them, for a file that is
    not there, is no RDF, or needs something from the network.
    """
    quads: list[Quad] = []
    prefixes: dict[str, str] = {}
    nodes: dict[tuple[int, str], BlankNode] = {}
    for number, name in enumerate(files):
        parsed, declared = _read(str(name))
        prefixes = {**declared, **prefixes}
        quads.extend(_renamed(quad, number, nodes) for quad in parsed)
    return Data(tuple(quads), prefixes)


def _read(name: str) -> tuple[list[Quad], dict[str, str]]:
    source = "standard input" if name == "-" else name
    try:
        with _opened(name) as raw:
            file = _unpacked(raw)
            base = "file:///stdin" if name == "-" else Path(name).resolve().as_uri()
            parser = parse(file, format=_syntax(name, file), base_iri=base)
            return list(parser), dict(parser.prefixes)
    except SyntaxError as error:
        line, column = error.lineno, error.offset
        if line is None and name != "-":
            line, column = _xml_fault(name)
        raise InputError(source, _reason(error, column), line) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(source, f"the gzip data is broken: {error}") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(source, f"cannot be read: {reason}") from error


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name == "-":
        stream = sys.stdin.buffer
        yield stream if isinstance(stream, BufferedReader) else _buffered(stream)
    else:
        with Path(name).open("rb") as file:
            yield file


def _buffered(stream: object) -> BufferedReader:
    return BufferedReader(cast(RawIOBase, stream))


def _unpacked(file: BufferedReader) -> BufferedReader:
    if file.peek(2)[:2] == b"\x1f\x8b":
        return _buffered(gzip.GzipFile(fileobj=file))
    return file


def _syntax(name: str, file: BufferedReader) -> RdfFormat:
    extension = name.lower().removesuffix(".gz").rpartition(".")[2]
    if extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    start = file.peek(_SNIFFED).removeprefix(b"\xef\xbb\xbf").lstrip()
    if _XML.match(start):
        return RdfFormat.RDF_XML
    if _JSON.match(start):
        return RdfFormat.JSON_LD
    lines = (line for line in start.splitlines() if line.strip() and not line.startswith(b"#"))
    if _N_QUAD.match(next(lines, b"")):
        return RdfFormat.N_QUADS
    return RdfFormat.TRIG  # which Turtle and N-Triples are part of


def _reason(error: SyntaxError, column: int | None) -> str:
    """What the parser says, without the place that is said apart from it."""
    if "LoadDocumentCallback" in error.msg:
        return "the JSON-LD context lies elsewhere; write it into the file, nothing is fetched"
    text = re.sub(r"^Parser error (at|between) .*?: ", "", error.msg)
    return f"broken syntax{f' in column {column}' if column else ''}: {text}"


def _xml_fault(name: str) -> tuple[int | None, int | None]:
    """Where a file is no XML, which the parser of RDF/XML does not tell; else nowhere."""
    try:
        with _opened(name) as raw:
            file = _unpacked(raw)
            if _syntax(name, file) == RdfFormat.RDF_XML:
                expat.ParserCreate(namespace_separator=" ").ParseFile(file)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1
    return None, None


def _renamed(quad: Quad, number: int, nodes: dict[tuple[int, str], BlankNode]) -> Quad:
    def name(node: BlankNode) -> BlankNode:
        return nodes.setdefault((number, node.value), BlankNode(f"b{len(nodes)}"))

    subject, value = quad.subject, quad.object
    if isinstance(subject, BlankNode):
        subject = name(subject)
    if isinstance(value, BlankNode):
        value = name(value)
    if subject is quad.subject and value is quad.object:
        return quad
    return Quad(subject, quad.predicate, value, quad.graph_name)
