"""Linked data: every IRI of the graph has an answer at its own address.

The address of a thing answers at once (200) with what the graph says of it, as a page or as
RDF by `Accept`; `Content-Location` and the links in the headers name the document for each
format, which is the address with an ending. A thing with parts (`…#abstract-9-24`) is
answered together with them. A former IRI leads to the one that took its place (301).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pyoxigraph import NamedNode, RdfFormat, parse, serialize
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg import queries
from kg.rdf.vocabulary import DCTERMS, FABIO, FOAF, KG, RDF, SKOS
from kg.resources import folder
from kg.results import TRIPLES as WRITERS
from kg.serve.answer import Request, RequestError, Rows
from kg.serve.negotiate import HTML, TRIPLES, choose, content_type, named, prefers_html
from kg.serve.pages import category, concept, lists, paper, person
from kg.serve.pages.addresses import ENDINGS
from kg.serve.pages.other import other
from kg.serve.pages.site import Site, Term, replaced, site_of
from kg.serve.problem import problem
from kg.serve.protocol import Result

_FORMATS = {**HTML, **TRIPLES}
_NEAR = 6
_GONE = "This was in the graph before it was last built, and is in it no longer."
_PAGES = {
    FABIO.Preprint.value: paper.page,
    FOAF.Person.value: person.page,
    SKOS.ConceptScheme.value: lists.scheme,
    **dict.fromkeys(concept.CLASSES, concept.page),
}


async def thing(request: HttpRequest) -> ASGIApp:
    """`/{path}`: the thing that is at home there, a page of it or its triples."""
    site = site_of(request)
    path = request.scope["raw_path"].partition(b"?")[0][1:]
    for name, format in site.addresses.iris(path):
        if iri := _iri(name):
            facts = await site.facts(iri)
            if facts is not None:
                return await _described(request, iri, facts, format)
    return await _missing(request, path)


async def picture(request: HttpRequest) -> Response:
    """`/{path}/picture.svg`: what is near a concept or person, as a drawing."""
    site = site_of(request)
    path = request.scope["raw_path"].partition(b"?")[0][1:].removesuffix(b"/picture.svg")
    for name, format in site.addresses.iris(path):
        if (iri := _iri(name)) and not format:
            facts = await site.facts(iri)
            if now := replaced(facts):
                place = site.href(now)
                if "?" not in place:
                    return RedirectResponse(f"{place.partition('#')[0]}/picture.svg", 301)
            kinds = {row["value"]["value"] for row in facts or () if _is_type(row)}
            if FOAF.Person.value in kinds:
                return _svg(await person.picture(site, iri.value))
            if kinds & concept.CLASSES:
                return _svg(await concept.picture(site, iri.value))
    if await _was(site, path):
        raise HTTPException(410, _GONE)
    raise HTTPException(404, "There is no picture here; concepts and people have one.")


async def describe(request: HttpRequest) -> ASGIApp:
    """`/describe?iri=…`: any thing; who names no format is sent to its own address (303)."""
    site = site_of(request)
    iri = _iri(request.query_params.get("iri", ""))
    if iri is None:
        raise HTTPException(400, "This is not an IRI; write it whole, as in /describe?iri=http://…")
    place = site.href(iri.value)
    if "format" not in request.query_params and not place.startswith("/describe?"):
        return RedirectResponse(place, 303, {"Vary": "Accept"})
    facts = await site.facts(iri)
    if facts is None and place.startswith("/ontology#"):
        format, _ = _wanted(request, "")
        return RedirectResponse(place.replace("#", f".{ENDINGS[format]}#"), 303)
    if facts is None:
        # Properties, classes and what is elsewhere are only used.
        if not (await site.ask("uses", thing=iri.value)).rows:
            raise HTTPException(404, "The graph says nothing of this IRI, and does not use it.")
        facts = Rows([], [], more=False)
    return await _described(request, iri, facts, "")


async def ontology(request: HttpRequest) -> Response:
    """`/ontology`: our terms, as a page with a place for each or as RDF."""
    ending = request.path_params.get("ending", "")
    if ending and not named_ending(ending):
        raise HTTPException(404, f"The ontology comes as {', '.join(ENDINGS.values())}.")
    format, media = _wanted(request, named_ending(ending))
    triples = list(parse(path=str(folder("ontology") / "kg.ttl"), format=RdfFormat.TURTLE))
    if format != "html":
        prefixes = {"kg": KG.iri, "skos": SKOS.iri, "dcterms": DCTERMS.iri, "foaf": FOAF.iri}
        text = serialize(triples, format=WRITERS[format], prefixes=prefixes)
        return Response(text, headers={"Content-Type": content_type(media), "Vary": "Accept"})
    return site_of(request).page("ontology.html", terms=_terms(triples))


async def refused(request: HttpRequest, error: Exception) -> Response:
    """A page that could not ask what it had to ask."""
    assert isinstance(error, RequestError)
    return _problem(request, error.status, error.message, error.headers)


async def failed(request: HttpRequest, error: Exception) -> Response:
    """A page that is not there, or not so."""
    assert isinstance(error, HTTPException)
    return _problem(request, error.status_code, error.detail, dict(error.headers or {}))


def named_ending(ending: str) -> str:
    """The format that an ending stands for, or ""."""
    return next((format for format, known in ENDINGS.items() if known == ending), "")


async def _described(request: HttpRequest, iri: NamedNode, facts: Rows, format: str) -> ASGIApp:
    site = site_of(request)
    if (now := replaced(facts)) and now != iri.value:
        return RedirectResponse(_moved(site.href(now), format, request.url.query), 301)
    format, media = _wanted(request, format)
    headers = _links(site, iri, format, request.url.query)
    if format == "html":
        response = await _page(request, iri, facts)
        response.headers.update(headers)
        return response
    text = queries.load("describe").bind({"thing": [iri]})
    head = request.method == "HEAD"
    asked = Request(text, formats={"triples": format}, head=head, whole=True)
    return _With(Result(site.pool, asked, {"triples": media}), headers)


def _moved(place: str, format: str, query: str) -> str:
    """Where the same is to be had of another thing: in the format, and with what was asked."""
    place, mark, part = place.partition("#")
    asked = [one for one in query.split("&") if one and not one.startswith("iri=")]
    if "?" in place and format:
        asked.append(f"format={format}")
    elif format:
        place += f".{ENDINGS[format]}"
    if asked:
        place += ("&" if "?" in place else "?") + "&".join(asked)
    return place + mark + part


async def _page(request: HttpRequest, iri: NamedNode, facts: Rows) -> Response:
    site = site_of(request)
    kinds = [row["value"]["value"] for row in facts if _is_type(row)]
    for kind in kinds:
        if kind in _PAGES:
            return await _PAGES[kind](request, site, iri.value)
    if any(row["property"]["value"] == SKOS.notation.value for row in facts):
        return await category.page(request, site, iri.value)
    return await other(site, iri, facts)


def _wanted(request: HttpRequest, format: str) -> tuple[str, str]:
    """The format of the answer and its media type. Raises HTTPException."""
    name = request.query_params.get("format")
    if not format and name is not None:
        format = "html" if name == "html" else (named(name) or (None, None))[1] or "none"
    if format:
        choice = (format, _FORMATS[format][0]) if format in _FORMATS else None
    else:
        choice = choose(", ".join(request.headers.getlist("accept")), _FORMATS)
    if choice is None:
        types = ", ".join(types[0] for types in _FORMATS.values())
        raise HTTPException(406, f"A thing is described as {types}.")
    return choice


def _links(site: Site, iri: NamedNode, format: str, query: str) -> dict[str, str]:
    """Where the same is in other formats, and the IRI itself, as headers can say it."""
    place = site.href(iri.value)
    if "?" in place:
        return {}
    others = [
        f'<{_ascii(place)}.{ENDINGS[kind]}>; rel="alternate"; type="{types[0]}"'
        for kind, types in _FORMATS.items()
        if kind != format
    ]
    canonical = f'<{_ascii(iri.value)}>; rel="canonical"'
    return {
        "Content-Location": f"{_ascii(place)}.{ENDINGS[format]}{_shown(query, format)}",
        "Link": ", ".join([canonical, *others]),
    }


def _shown(query: str, format: str) -> str:
    """What of an address says which part of a page is shown; data come whole."""
    kept = [part for part in query.split("&") if part and not part.startswith("format=")]
    return f"?{_ascii('&'.join(kept))}" if kept and format == "html" else ""


def _ascii(iri: str) -> str:
    return re.sub(r"[^\x21-\x7e]", lambda hit: "".join(f"%{b:02X}" for b in hit[0].encode()), iri)


def _is_type(row: Mapping[str, Term]) -> bool:
    return row["property"]["value"] == RDF.type.value


def _iri(name: str) -> NamedNode | None:
    try:
        return NamedNode(name)
    except ValueError:
        return None


def _svg(text: str) -> Response:
    return Response(text, media_type="image/svg+xml")


class _With:
    """A response with some more headers where it is a good one."""

    def __init__(self, response: ASGIApp, headers: Mapping[str, str]) -> None:
        self._response = response
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self._response(scope, receive, adding)


async def _was(site: Site, path: bytes) -> bool:
    """Whether a path, with or without an ending, was the address of a thing once."""
    names = (name for name, _ in site.addresses.iris(path))
    return await site.former.knew([iri for name in names if (iri := _iri(name))])


async def _missing(request: HttpRequest, path: bytes) -> Response:
    """That there is nothing: never, or no longer; with what has a name like it."""
    site = site_of(request)
    names = [name for name, format in site.addresses.iris(path) if not format]
    status, message = 404, "There is nothing at this address in the graph."
    if await _was(site, path):
        status, message = 410, _GONE
    accept = ", ".join(request.headers.getlist("accept"))
    if not prefers_html(accept):
        return problem(accept, status, message)
    words = _words(names[-1][len(site.base) :] if names else "")
    return site.page(
        "problem.html",
        status,
        code=status,
        message=message,
        words=words,
        near=await _near(request, words),
    )


def _words(path: str) -> str:
    """The last step of a path as words: what its IRI was minted from, nearly."""
    step = path.rstrip("/").rpartition("/")[2]
    return re.sub(r"_[0-9a-f]{12}\Z", "", step).replace("-", " ").replace("_", " ").strip()[:200]


async def _near(request: HttpRequest, words: str) -> list[dict[str, Any]]:
    """Things with names like these words."""
    if not words:
        return []
    try:
        hits = await request.app.state.search.find(words, limit=_NEAR)
    except RequestError:  # no index yet
        return []
    hits = sorted(hits, key=lambda hit: hit.rank)[:_NEAR]
    href = site_of(request).href
    return [{"text": hit.label, "href": href(hit.iri), "kind": hit.kind} for hit in hits]


def _problem(
    request: HttpRequest, status: int, message: str, headers: Mapping[str, str]
) -> Response:
    accept = ", ".join(request.headers.getlist("accept"))
    if request.url.path == "/sparql" or not prefers_html(accept):
        return problem(accept, status, message, headers)
    response = site_of(request).page(
        "problem.html", status, code=status, message=message, words="", near=[]
    )
    response.headers.update(headers)
    return response


def _terms(triples: list[Any]) -> list[dict[str, str]]:
    """Our terms with their labels and comments, classes first."""
    found: dict[str, dict[str, str]] = {}
    for triple in triples:
        name = triple.subject.value.removeprefix(KG.iri)
        if not triple.subject.value.startswith(KG.iri):
            continue
        term = found.setdefault(name, {"name": name, "label": "", "comment": "", "kind": ""})
        property = triple.predicate.value.rpartition("#")[2]
        if property in ("label", "comment"):
            term[property] = triple.object.value
        elif property == "type":
            term["kind"] = triple.object.value.rpartition("#")[2]
    return sorted(found.values(), key=lambda term: (term["name"][:1].islower(), term["name"]))
