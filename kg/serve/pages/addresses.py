"""Where things are on this server: IRIs to addresses and back.

What begins with the base of the graph has the rest of its IRI as its path:
`{base}concept/transformer` is at `/concept/transformer`. Where the base is an address of
this server with a path of its own, that path leads to the things too, so that their IRIs
are addresses that work. Categories of arXiv and the terms of our ontology have places of
their own; anything else is found through `/describe?iri=…`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote_to_bytes, urlsplit

from kg.rdf.vocabulary import ARXIV, KG

_ONTOLOGY = KG.iri.removesuffix("#")
_ENDINGS = {
    "html": "html",
    "ttl": "turtle",
    "nt": "ntriples",
    "jsonld": "jsonld",
    "rdf": "rdfxml",
}
ENDINGS = {format: ending for ending, format in _ENDINGS.items()}
_ENDING = re.compile(rf"\.({'|'.join(_ENDINGS)})\Z")


class Addresses:
    """The addresses of the things of a graph with a base."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._own = urlsplit(base).path[1:]  # "" or something that ends in a slash
        self._places = ((base, ""), (ARXIV.iri, "arxiv/"), (_ONTOLOGY, "ontology"))

    def path(self, iri: str) -> str | None:
        """The path of a thing, without the slash before it; None where it has none."""
        for start, place in self._places:
            if iri.startswith(start):
                path, mark, part = iri[len(start) :].partition("#")
                # Browsers change paths with odd steps.
                if any(step in (".", "..") for step in path.split("/")) or path.startswith("/"):
                    return None
                return place + path.replace("?", "%3F") + mark + part
        return None

    def href(self, iri: str) -> str:
        """Where the page of a thing is, as it stands in a link."""
        path = self.path(iri)
        return f"/describe?iri={quote(iri, safe='')}" if path is None else f"/{path}"

    def iris(self, path: bytes) -> Iterator[tuple[str, str]]:
        """What a path (as it was sent, without the slash before it) may be the address of.

        Gives IRIs, and the format that the ending of the path asks for or "".
        """
        spellings = _spellings(path)
        for spelling in spellings:
            for iri in self._named(spelling):
                yield iri, ""
        for spelling in spellings:
            if ending := _ENDING.search(spelling):
                for iri in self._named(spelling[: ending.start()]):
                    yield iri, _ENDINGS[ending[1]]

    def _named(self, path: str) -> Iterator[str]:
        if path.startswith("arxiv/"):
            yield ARXIV.iri + path.removeprefix("arxiv/")
        yield self._base + path
        if self._own and path.startswith(self._own):
            yield self._base + path.removeprefix(self._own)


def _spellings(path: bytes) -> list[str]:
    """What an IRI may look like whose path a browser has sent: escaped, in part or not at all."""
    try:
        full = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return []
    # Browsers escape all letters beyond ASCII, and an IRI may hold escapes of its own.
    return list(dict.fromkeys((path.decode("ascii", "replace"), _unquoted_letters(path), full)))


def _unquoted_letters(path: bytes) -> str:
    """A path with the escapes of characters beyond ASCII undone, and no others."""
    found = re.sub(rb"%([89A-Fa-f][0-9A-Fa-f])", lambda hit: bytes.fromhex(hit[1].decode()), path)
    return found.decode("utf-8", "replace")
