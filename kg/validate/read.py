"""RDF files of any syntax as quads.

Oxigraph's parsers do the reading: they say where a file is broken, they stream, and they
never fetch anything, not even a JSON-LD context.
"""

from __future__ import annotations

import gzip
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BufferedReader, RawIOBase
from itertools import chain
from pathlib import Path
from typing import IO, cast
from xml.parsers import expat

from pyoxigraph import BlankNode, Literal, Quad, RdfFormat, Store, parse

from kg.errors import InputError, printable
from kg.validate.inputs import BY_EXTENSION, Source, extension, sources
from kg.validate.kept import Kept, as_kept
from kg.validate.names import BASE
from kg.validate.rdf12 import NOT_TAKEN, is_new

LARGE = 200_000  # quads; more go to disk
_SNIFFED = 4096  # bytes looked at where the extension does not say the syntax
_ENTITY = 1000  # characters that an XML entity may stand for
_XML = re.compile(rb"<(\?xml|!DOCTYPE|!--|\w+:RDF\b|RDF\b)")
# What expat says of a file that is cut off, in other words.
_ENDS = {3: "it ends before all of its elements do", 5: "it ends inside of a tag"}
_JSON = re.compile(rb'\{\s*["}]|\[\s*\{')
_N_QUAD = re.compile(rb'(<[^>]*>|_:\S+)\s+<[^>]*>\s+(<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"\S*)\s+(<|_:)')


@dataclass(frozen=True, slots=True)
class Part:
    """One file that was read, and the number of the first blank node in it."""

    source: Source
    first: int
    letter: str  # that the names of its blank nodes begin with


@dataclass(frozen=True, slots=True)
class Data:
    """The quads of some files, and the prefixes that the files declare, the base as BASE."""

    quads: tuple[Quad, ...] | Kept
    prefixes: dict[str, str]
    parts: tuple[Part, ...] = ()
    folder: Path | None = None  # where the store lies, if there is one
    keep: object = field(default=None, repr=False, compare=False)  # holds the folder

    @property
    def name(self) -> str:
        """What the data is called where it is spoken of."""
        first = self.parts[0].source.name if self.parts else "the data"
        return first if len(self.parts) < 2 else f"{first} and {len(self.parts) - 1} more"


def read(inputs: Sequence[str | Path], large: int = LARGE, letter: str = "b") -> Data:
    """All files together; folders, addresses of this machine and "-" for standard input too.

    Blank nodes of two files stay apart. They are named b0, b1, ... as they appear, with
    another `letter` where it is given, so that a file reads the same each time. More than
    `large` quads are kept in a store on disk, each once.

    Raises InputError, with the line and column where the syntax tells them, for a file that is
    not there, is no RDF, or needs something from elsewhere; UsageError for an address outside
    this machine.
    """
    prefixes: dict[str, str] = {}
    parts: list[Part] = []

    def stream() -> Iterator[Quad]:
        number = 0
        for source in sources(inputs):
            name = Names(number, letter)
            parts.append(Part(source, number, letter))
            for quad in quads(source, prefixes):
                if is_new(quad.object):
                    raise InputError(source.name, NOT_TAKEN)
                yield name(quad)
            number = name.number

    ahead = stream()
    first: list[Quad] = []
    for quad in ahead:
        first.append(quad)
        if len(first) > large:
            return _on_disk(chain(first, ahead), prefixes, parts)
    return Data(tuple(first), prefixes, tuple(parts))


def quads(
    source: Source,
    prefixes: dict[str, str] | None = None,
    wrap: Callable[[IO[bytes]], IO[bytes]] = lambda file: file,
) -> Iterator[Quad]:
    """The quads of one file as they come; raises as `read` does.

    The prefixes that it declares are added to `prefixes`, which keeps those it has. `wrap` may
    put something between the file and the parser.
    """
    try:
        with opened(source) as file:
            _refuse_other_characters(source, file)
            kind = syntax(source, file)
            xml = None
            if kind == RdfFormat.RDF_XML:
                _refuse_other_xml(source, file)
                xml = _Watched(file)
            base = source.base or source.path.resolve().as_uri()
            parser = parse(wrap(cast(IO[bytes], xml or file)), format=kind, base_iri=base)
            try:
                yield from _lower(parser) if kind == RdfFormat.JSON_LD else parser
            except SyntaxError as error:
                if xml and error.lineno is None:
                    xml.require(error.msg)
                raise
            if xml:
                xml.require()
            if prefixes is not None:
                for prefix, iri in parser.prefixes.items():
                    prefixes.setdefault(prefix, iri)
                if parser.base_iri not in (None, base):
                    prefixes.setdefault(BASE, str(parser.base_iri))
    except SyntaxError as error:
        raise InputError(source.name, _reason(error), error.lineno) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(source.name, f"the gzip data is broken: {error}") from error
    except MemoryError as error:  # the parser's own bound, and no lack of memory
        reason = "a text or a line in it is longer than the 16 MiB that can be read"
        raise InputError(source.name, reason) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(source.name, f"cannot be read: {reason}") from error


class Names:
    """Gives the blank nodes of one file their names, b0, b1, ..., as they appear."""

    def __init__(self, first: int, letter: str) -> None:
        self.number, self._letter = first, letter
        self._known: dict[str, BlankNode] = {}

    def __call__(self, quad: Quad) -> Quad:
        """The quad with its blank nodes renamed."""
        subject, value = quad.subject, quad.object
        if isinstance(subject, BlankNode):
            subject = self._named(subject)
        if isinstance(value, BlankNode):
            value = self._named(value)
        if subject is quad.subject and value is quad.object:
            return quad
        return Quad(subject, quad.predicate, value, quad.graph_name)

    def _named(self, node: BlankNode) -> BlankNode:
        known = self._known.get(node.value)
        if known is None:
            known = self._known[node.value] = BlankNode(f"{self._letter}{self.number}")
            self.number += 1
        return known


def syntax(source: Source, file: BufferedReader) -> RdfFormat:
    """What a file is written in, from its extension or from how it begins."""
    if source.syntax is not None:
        return source.syntax
    if extension(source.name) in BY_EXTENSION:
        return BY_EXTENSION[extension(source.name)]
    start = file.peek(_SNIFFED).lstrip()
    if _XML.match(start):
        return RdfFormat.RDF_XML
    if _JSON.match(start):
        return RdfFormat.JSON_LD
    lines = (line for line in start.splitlines() if line.strip() and not line.startswith(b"#"))
    if _N_QUAD.match(next(lines, b"")):
        return RdfFormat.N_QUADS
    return RdfFormat.TRIG  # which Turtle and N-Triples are part of


def syntax_of(source: Source) -> RdfFormat | None:
    """What a file is written in; None where it cannot be opened."""
    try:
        with opened(source) as file:
            return syntax(source, file)
    except (OSError, EOFError, zlib.error):
        return None


def _lower(quads: Iterable[Quad]) -> Iterator[Quad]:
    """Quads with the tags of languages in lower case, as the parsers of all else give them."""
    for quad in quads:
        value = quad.object
        if isinstance(value, Literal) and value.language and not value.direction:
            value = Literal(value.value, language=value.language)
            quad = Quad(quad.subject, quad.predicate, value, quad.graph_name)
        yield quad


def _on_disk(quads: Iterable[Quad], prefixes: dict[str, str], parts: list[Part]) -> Data:
    keep = tempfile.TemporaryDirectory(prefix="kg-", ignore_cleanup_errors=True)
    store = Store(keep.name)
    store.bulk_extend(map(as_kept, quads))
    store.flush()
    del store
    folder = Path(keep.name)
    return Data(Kept(Store.read_only(keep.name)), prefixes, tuple(parts), folder, keep)


@contextmanager
def opened(source: Source) -> Iterator[BufferedReader]:
    """The bytes of a file, unpacked, without a mark of UTF-8.

    Raises OSError, and where the gzip data is broken EOFError or zlib.error.
    """
    with source.path.open("rb") as file:
        if file.peek(2)[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield _unmarked(BufferedReader(cast(RawIOBase, unpacked)))
        else:
            yield _unmarked(file)


def _unmarked(file: BufferedReader) -> BufferedReader:
    """The file without the mark of UTF-8 that some editors put first."""
    if file.peek(3)[:3] == b"\xef\xbb\xbf":
        file.read(3)
    return file


def _refuse_other_characters(source: Source, file: BufferedReader) -> None:
    start = file.peek(4)[:4]
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") or re.match(rb"\0[^\0]|[^\0]\0", start):
        raise InputError(
            source.name, "is written in UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
        )


def _refuse_other_xml(source: Source, file: BufferedReader) -> None:
    """Raise InputError for what is no XML, and for entities that could grow beyond all bounds.

    Short ones without others in them, as for the namespaces of an ontology, are fine.
    """
    start = file.peek(_SNIFFED).lstrip()
    if start and not start.startswith(b"<"):
        reason = "this is no RDF/XML, which begins with <; name the file by what it is written in"
        raise InputError(source.name, reason, 1)

    def declared(name: str, parameter: bool, value: str | None, *_: object) -> None:
        if parameter or value is None or "&" in value or len(value) > _ENTITY:
            reason = (
                f"the XML entity {printable(name)} is not allowed: write out what it stands for"
            )
            raise InputError(source.name, reason, parser.CurrentLineNumber)

    inside = False

    def begun(*_: object) -> None:
        nonlocal inside
        inside = True

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = begun
    with opened(source) as again, suppress(expat.ExpatError, LookupError):  # the reader tells
        while not inside and (some := again.read(_SNIFFED)):
            parser.Parse(some)


class _Watched(RawIOBase):
    """A file in XML that is seen to be well-formed while it is read.

    The parser of RDF/XML takes one that is cut off, or goes on after its end, for whole.
    """

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._fault: expat.ExpatError | None = None
        self._written = False  # whether there is anything in it: an empty file is empty data
        self._ended = False

    def readable(self) -> bool:
        """Yes."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Some of the file; nothing more after a fault."""
        if self._ended:
            return b""
        some = self._file.read(size)
        self._watch(some)
        self._ended = self._ended or not some or self._fault is not None
        return b"" if self._fault else some

    def require(self, said: str = "") -> None:
        """Raise SyntaxError where the file is not well-formed, what is left of it included.

        `said` is what the parser says of it, if it does.
        """
        while self.read(_SNIFFED):
            pass
        if self._fault and self._written:
            code, line, column = self._fault.code, self._fault.lineno, self._fault.offset + 1
            text = said or _ENDS.get(code) or expat.errors.messages[code]
            raise SyntaxError(text, ("", line, column, None))

    def _watch(self, some: bytes) -> None:
        self._written = self._written or (not some.isspace() and bool(some))
        try:
            self._parser.Parse(some, not some)
        except expat.ExpatError as error:
            self._fault = error
        except LookupError:  # an encoding of no one's, which the reader tells
            self._ended = True


def _reason(error: SyntaxError) -> str:
    """What the parser says, without the line, which is said apart from it."""
    if "LoadDocumentCallback" in error.msg:
        return "the JSON-LD context lies elsewhere; write it into the file, nothing is fetched"
    text = " ".join(re.sub(r"^Parser error (at|between) .*?: ", "", error.msg).split())
    return f"broken syntax{f' in column {error.offset}' if error.offset else ''}: {text}"
