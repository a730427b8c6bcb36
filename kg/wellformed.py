"""XML that is well-formed: what pyoxigraph's writers would put into it and XML cannot hold.

No XML 1.0 document has most of the control characters, in any spelling. RDF/XML also writes
properties and classes as names of elements, and not every IRI ends in what can be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol
from xml.etree import ElementTree

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from kg.errors import UnwritableError

_CONTROLS = bytes(byte for byte in range(0x20) if byte not in b"\t\n\r")
_NEVER = re.compile(rb"[%b]|\xef\xbf[\xbe\xbf]" % re.escape(_CONTROLS))
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_SHOWN = 40  # bytes before what is wrong


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> int:
        """Take bytes and say how many."""


class WellFormed:
    """A binary file that passes on what XML can hold; what comes after anything else is dropped."""

    def __init__(self, output: Sink) -> None:
        self._output, self._last, self._failed = output, b"", False

    def write(self, data: bytes) -> int:
        """Pass on bytes. Raises UnwritableError."""
        if self._failed:
            return len(data)  # what a writer held back, offered once more
        text = self._last + data
        # The search alone would take ten times as long.
        suspect = len(text.translate(None, _CONTROLS)) < len(text) or b"\xef\xbf" in text
        if suspect and (hit := _NEVER.search(text)):
            self._failed = True
            raise _no_character(text, hit)
        # Who reads XML takes a bare carriage return for a line feed.
        self._output.write(data.replace(b"\r", b"&#xD;"))
        self._last = text[-2:]  # which may be the beginning of a character
        return len(data)

    def flush(self) -> None:
        """Do nothing: whoever opened the file does."""


def writable(triples: Iterable[Triple], prefixes: Mapping[str, str]) -> Iterator[Triple]:
    """The same triples, as far as RDF/XML can name them. Raises UnwritableError."""
    known: set[NamedNode] = set()
    for triple in triples:
        names = [triple.predicate]
        if triple.predicate == _TYPE and isinstance(triple.object, NamedNode):
            names.append(triple.object)
        for name in names:
            if name not in known and not _is_name(name, triple.predicate != name, prefixes):
                raise UnwritableError(
                    f"RDF/XML cannot write <{name.value}> as the name of a property or class; "
                    "ask for Turtle, N-Triples or JSON-LD"
                )
            known.add(name)
        yield triple


def _is_name(name: NamedNode, of_class: bool, prefixes: Mapping[str, str]) -> bool:
    """Whether a class or property comes back from RDF/XML as it was."""
    subject = NamedNode("urn:s")
    one = Triple(subject, _TYPE, name) if of_class else Triple(subject, name, Literal(""))
    try:
        text = serialize([one], format=RdfFormat.RDF_XML, prefixes=dict(prefixes))
        assert text is not None
        ElementTree.fromstring(text)
        return [quad.triple for quad in parse(text, format=RdfFormat.RDF_XML)] == [one]
    except (OSError, SyntaxError):  # reserved names; what is not XML or no RDF/XML
        return False


def _no_character(text: bytes, hit: re.Match[bytes]) -> UnwritableError:
    before = text[max(0, hit.start() - _SHOWN) : hit.start()].decode(errors="ignore")
    before = before.rpartition(">")[2].rpartition("\n")[2]
    place = f', as after "{before}"' if before.strip() else ""
    return UnwritableError(
        f"XML cannot hold the character U+{ord(hit[0].decode()):04X}{place}; ask for another format"
    )
