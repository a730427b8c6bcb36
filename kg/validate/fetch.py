"""RDF from an HTTP address of this machine; no other machine is reached."""

from __future__ import annotations

import ipaddress
import shutil
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener, url2pathname

from pyoxigraph import RdfFormat, parse

from kg.errors import InputError, UsageError
from kg.validate.inputs import BY_EXTENSION, Source, extension, kept

_ACCEPTED = (
    "application/n-triples, text/turtle;q=0.9, application/n-quads;q=0.8,"
    " application/trig;q=0.8, application/ld+json;q=0.6, application/rdf+xml;q=0.6"
)
_EVERYTHING = "CONSTRUCT { ?s ?p ?o } WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
# How servers answer that do not take a query at this address.
_NO_QUERY = (400, 404, 405, 406)
_PATIENCE = 600  # seconds of silence
# What kg and Virtuoso say of how many triples they give, whether there are more or not.
_MOST = ("Kg-Max-Rows", "X-SPARQL-MaxRows")


def fetched(address: str) -> Source:
    """The RDF document at an address, or all triples where a SPARQL endpoint is there.

    Raises UsageError for an address outside this machine, InputError where no RDF comes.
    """
    parts = urlsplit(address)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        path = url2pathname(parts.path)
        return Source(path, Path(path))
    _require_here(address)
    # An endpoint takes the query; a server of documents mostly takes no notice of it.
    query = f"{'&' if parts.query else '?'}{urlencode({'query': _EVERYTHING})}"
    try:
        return _get(address, address + query)
    except HTTPError as error:
        if error.code not in _NO_QUERY:
            raise InputError(address, f"answers {error.code} {error.reason}") from error
    try:
        return _get(address, address)
    except HTTPError as error:
        raise InputError(address, f"answers {error.code} {error.reason}") from error


def _get(address: str, url: str) -> Source:
    request = Request(url, headers={"Accept": _ACCEPTED, "User-Agent": "kg"})
    try:
        with _OPENER.open(request, timeout=_PATIENCE) as answer, kept() as file:
            shutil.copyfileobj(answer, file)
            if answer.length:  # which Python counts, and takes no notice of
                raise HTTPException(f"{answer.length:,} bytes of it are missing")
            media = answer.headers.get_content_type()
            most = next(filter(None, map(answer.headers.get, _MOST)), None)
    except HTTPError:
        raise
    except URLError as error:
        raise InputError(address, f"cannot be reached: {error.reason}") from error
    except (OSError, HTTPException) as error:
        raise InputError(address, f"the answer broke off: {error}") from error
    # N-Triples once were text/plain, and so is whatever a server does not know, or says nothing of.
    plain = media == "text/plain"
    syntax = None if plain else RdfFormat.from_media_type(media)
    if syntax is None:
        syntax = BY_EXTENSION.get(extension(urlsplit(address).path))
    if syntax is None and not plain:
        raise InputError(address, f"answers with {media}, which is no RDF that kg reads")
    if most and most.isdecimal() and not _fewer(Path(file.name), syntax, int(most)):
        raise InputError(
            address,
            f"gives {most} triples at most, and so maybe not all; let it give more (kg serve does"
            " without --max-rows), or give kg the data as a file or with --graph",
        )
    return Source(address, Path(file.name), syntax, base=address, keep=file)


def _fewer(file: Path, syntax: RdfFormat | None, most: int) -> bool:
    """Whether a document has fewer triples than the server would give; one that is broken has."""
    try:
        return sum(1 for _ in parse(path=file, format=syntax or RdfFormat.TRIG)) < most
    except (SyntaxError, MemoryError):
        return True  # which the reader tells, with its place


def _require_here(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"{address}: kg validate takes http addresses of this machine, and files")
    host = parts.hostname or ""
    try:
        here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = False
    if not here:
        raise UsageError(
            f"{address}: kg validate reaches no other machine; fetch the data with a tool of your"
            " choice and give kg the file, as in: curl -L ADDRESS | kg validate -"
        )


class _Here(HTTPRedirectHandler):
    """Follows a redirection only to where kg may go."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        _require_here(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = build_opener(ProxyHandler({}), _Here())
