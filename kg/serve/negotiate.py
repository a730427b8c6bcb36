"""Content negotiation: which format a client wants, by `Accept` or by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

# Format of kg.results -> its media types; the first is its own, the others are also known.
SOLUTIONS: Mapping[str, Sequence[str]] = {
    "json": ("application/sparql-results+json", "application/json"),
    "xml": ("application/sparql-results+xml", "application/xml", "text/xml"),
    "csv": ("text/csv",),
    "tsv": ("text/tab-separated-values",),
}
TRIPLES: Mapping[str, Sequence[str]] = {
    "turtle": ("text/turtle", "application/x-turtle", "text/n3", "text/rdf+n3"),
    "ntriples": ("application/n-triples", "text/plain"),
    "jsonld": ("application/ld+json", "application/json"),
    "rdfxml": ("application/rdf+xml", "application/xml", "text/xml"),
}
HTML: Mapping[str, Sequence[str]] = {"html": ("text/html", "application/xhtml+xml")}

# What clients write in `?format=`, besides our own names and media types: the format for
# rows and the format for triples.
_NAMES = {
    "json": ("json", "jsonld"),
    "xml": ("xml", "rdfxml"),
    "ttl": (None, "turtle"),
    "n3": (None, "turtle"),
    "nt": (None, "ntriples"),
    "n-triples": (None, "ntriples"),
    "json-ld": (None, "jsonld"),
    "rdf": (None, "rdfxml"),
    "rdf+xml": (None, "rdfxml"),
}


def header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """The values of a header as ASGI has it, as if there were one; "" where there is none."""
    return ", ".join([value.decode("latin-1") for key, value in headers if key == name])


def choose(accept: str, offers: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """The format of `offers` that `accept` likes best, and the media type to call it.

    Among equals the first offer wins; a wildcard stands for an offer's own type only. None
    where nothing is acceptable.
    """
    return _choose(accept, tuple((format, tuple(types)) for format, types in offers.items()))


@lru_cache(maxsize=256)
def _choose(accept: str, offers: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[str, str] | None:
    ranges = _ranges(accept)
    best: tuple[float, str, str] | None = None
    for format, types in offers:
        for media in types:
            quality = _quality(media, ranges, wild=media == types[0])
            if quality > 0 and (best is None or quality > best[0]):
                best = (quality, format, media)
    return None if best is None else best[1:]


@lru_cache(maxsize=256)  # a client sends the same with each of its requests
def prefers_html(accept: str) -> bool:
    """Whether a client asks for HTML by name and likes nothing better: a browser."""
    ranges = dict(_ranges(accept))
    return ranges.get("text/html", 0) > 0 and ranges["text/html"] >= max(ranges.values())


@lru_cache(maxsize=256)
def navigates(accept: str) -> bool:
    """Whether a browser goes somewhere, and no program asks that takes anything, HTML first.

    All browsers name XHTML or XML; Java's own client names HTML and pictures.
    """
    wanted = {range for range, _ in _ranges(accept)}
    browser = "application/xhtml+xml" in wanted or "application/xml" in wanted
    return prefers_html(accept) and (browser or "*/*" not in wanted)


def named(name: str) -> tuple[str | None, str | None] | None:
    """The formats for rows and for triples that `?format=` names; None for an unknown one."""
    name = name.strip().lower()
    if name in _NAMES:
        return _NAMES[name]
    rows = next((f for f, types in SOLUTIONS.items() if name == f or name in types), None)
    triples = next((f for f, types in TRIPLES.items() if name == f or name in types), None)
    return (rows, triples) if rows or triples else None


def content_type(media: str) -> str:
    """A media type as it stands in a header: text says its character set."""
    return f"{media}; charset=utf-8" if media.startswith("text/") else media


@lru_cache(maxsize=256)
def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for part in accept.lower().split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                try:
                    quality = min(max(float(value), 0.0), 1.0)
                except ValueError:
                    quality = 1.0
        if media:
            found.append((media, quality))
    return found or [("*/*", 1.0)]


def _quality(media: str, ranges: Sequence[tuple[str, float]], wild: bool) -> float:
    """How much a client likes a media type: what fits most narrowly decides."""
    group = media.split("/")[0] + "/*"
    for wanted in (media, group, "*/*") if wild else (media,):
        qualities = [quality for range, quality in ranges if range == wanted]
        if qualities:
            return max(qualities)
    return 0.0
