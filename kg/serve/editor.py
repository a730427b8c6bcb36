"""The query page: a form, its result as a table, and every named question.

Where the editor has been built (`make editor`), it takes the place of the form's text field;
nothing else here depends on it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from pyoxigraph import NamedNode, RdfFormat, parse
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, RedirectResponse, Response

from kg import queries
from kg.errors import UsageError
from kg.queries.prefixes import prefixes_with
from kg.rdf.vocabulary import PREFIXES, RDFS
from kg.resources import folder
from kg.results import shorten
from kg.serve.answer import Request, RequestError, Rows
from kg.serve.examples import FIELD, Unclear, bound, examples
from kg.serve.negotiate import SOLUTIONS, TRIPLES
from kg.serve.pool import Pool
from kg.serve.protocol import no_updates, one_of, read_parameters

_MOST_ROWS = 1000
_SIZE, _CELL = 1 << 21, 2000  # characters of a table, and of one cell
_LINK = 30_000  # bytes of an address that everybody takes
_BUNDLE = Path(__file__).parent / "static" / "editor" / "editor.js"
_PLACE = re.compile(r"line (\d+), column (\d+): ")
_TRIPLES = re.compile(r"\b(?:CONSTRUCT|DESCRIBE)\b", re.IGNORECASE)
_SHACL = "http://www.w3.org/ns/shacl#"
_ENDINGS = {"turtle": "ttl", "ntriples": "nt", "rdfxml": "rdf"}


async def page(request: HttpRequest) -> Response:
    """`/query?query=…`: a query and its result; `/query?name=…&p.author=…`: a named one.

    A query that is posted gets an address, if it is not too long for one.
    """
    parameters = await read_parameters(request)
    if any(name == "update" for name, _ in parameters):
        raise no_updates()
    asked = one_of(parameters, "query") or ""
    if request.method == "POST":
        place = f"/query?{urlencode(parameters, safe='*')}"  # as a form that is not posted
        short = len(place) <= _LINK
        return RedirectResponse(place, 303) if short else await _answered(request, asked)
    name = one_of(parameters, "name") or ""
    values = {k.removeprefix(FIELD): v for k, v in parameters if k.startswith(FIELD)}
    if not name:
        return await _answered(request, asked)
    status = 400
    try:
        question = queries.load(name)
        if needed := [p.name for p in question.parameters if _is_needed(p, values)]:
            # To come without any value is to ask for the form.
            status = 400 if any(value.strip() for value in values.values()) else 200
            raise UsageError(f"Say which {' and '.join(needed)}: this question needs to know.")
        text = await bound(request.app.state.search, request.app.state.base, question, values)
    except UsageError as error:
        text = Unclear(str(error), ())
    if isinstance(text, str):
        return RedirectResponse(f"/query?query={quote(text)}", 303)
    return await _render(request, "", status, name=name, values=values, unclear=text)


def _is_needed(parameter: queries.Parameter, values: dict[str, str]) -> bool:
    """Whether a question cannot be asked because a parameter has no value."""
    optional = parameter.optional or parameter.kind == "number"
    return not optional and not values.get(parameter.name, "").strip()


async def terms(request: HttpRequest) -> Response:
    """`/query/terms.json`: prefixes, and the classes and properties that a graph has."""
    prefixes = prefixes_with(request.app.state.base)
    return JSONResponse({"prefixes": prefixes, "terms": list(_terms())})


async def _answered(request: HttpRequest, text: str) -> Response:
    """The page with the result of a query."""
    if not text.strip():
        return await _render(request, text, 200)
    pool: Pool = request.app.state.pool
    limit = min(_MOST_ROWS, pool.most or _MOST_ROWS)
    try:
        found = await pool.table(Request(text, rows=limit, size=_SIZE, cell=_CELL))
    except RequestError as refusal:
        return await _render(request, text, refusal.status, problem=_problem(text, refusal.message))
    triples = found.head == ["subject", "predicate", "object"] and _TRIPLES.search(text)
    formats = TRIPLES if triples else SOLUTIONS
    asks = found.head == ["answer"] and re.search(r"\bASK\b", text, re.IGNORECASE)
    link = f"/query?query={quote(text)}"
    result = {
        "answer": _yes_or_no(found) if asks else "",
        "head": found.head,
        "rows": [[_cell(request, term) for term in row] for row in found.rows],
        "more": found.more,
        "most": pool.most,
        "what": "triple" if triples else "row",
        "downloads": [
            {
                "name": format,
                "file": f"result.{_ENDINGS.get(format, format)}",
                "href": f"/sparql?query={quote(text)}&format={format}",
            }
            for format in formats
        ],
        "link": link if len(link) <= _LINK else "",
    }
    return await _render(request, text, 200, result=result)


async def _render(
    request: HttpRequest,
    text: str,
    status: int,
    *,
    result: dict[str, Any] | None = None,
    problem: dict[str, Any] | None = None,
    unclear: Unclear | None = None,
    name: str = "",
    values: dict[str, str] | None = None,
) -> Response:
    response: Response = request.app.state.site.page(
        "query.html",
        status,
        query=text,
        result=result,
        problem=problem,
        unclear=unclear,
        examples=await examples(request.app.state.search, name, values or {}),
        editor=_BUNDLE.is_file(),
    )
    return response


def _yes_or_no(found: Rows) -> str:
    answer = found.rows[0][0] if found.rows else None
    return {"true": "Yes", "false": "No"}.get(answer["value"], "") if answer else ""


def _problem(text: str, message: str) -> dict[str, Any]:
    """What is wrong, and where that stands in the query, as far as it is known."""
    place = _PLACE.search(message)
    lines = text.splitlines()
    if place is None or int(place[1]) > len(lines):
        return {"message": message, "line": 0}
    line, column = int(place[1]), int(place[2])
    return {
        "message": message,
        "what": message[place.end() :],
        "line": line,
        "column": column,
        "before": lines[line - 1][: column - 1],
        "after": lines[line - 1][column - 1 :],
    }


def _cell(request: HttpRequest, term: dict[str, str] | None) -> Any:
    """What the table shows of a term: names of the graph in short, with their page."""
    site = request.app.state.site
    if term is None or term["type"] != "uri" or not term["value"].startswith(site.base):
        return site.cell(term)
    short = shorten(NamedNode(term["value"]), prefixes_with(site.base))
    label = {"type": "literal", "value": short}
    return site.cell(term, label)


@cache
def _terms() -> tuple[dict[str, str], ...]:
    """The classes and properties that our shapes know, which are all that kg writes."""
    found: set[str] = set()
    for file in sorted(folder("shapes").glob("*.ttl")):
        for triple in parse(path=str(file), format=RdfFormat.TURTLE):
            if isinstance(triple.object, NamedNode):
                found.add(triple.object.value)
    labels = {
        triple.subject.value: triple.object.value
        for triple in parse(path=str(folder("ontology") / "kg.ttl"), format=RdfFormat.TURTLE)
        if triple.predicate == RDFS.label and isinstance(triple.subject, NamedNode)
    }
    listed = []
    for iri in found:
        name = shorten(NamedNode(iri), PREFIXES)
        if name != iri and not iri.startswith(_SHACL):
            upper = name.partition(":")[2][0].isupper()
            kind = "type" if name.startswith("xsd:") else "class" if upper else "property"
            listed.append({"name": name, "kind": kind, "label": labels.get(iri, "")})
    return tuple(sorted(listed, key=lambda term: term["name"]))
