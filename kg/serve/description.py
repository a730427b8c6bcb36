"""What the server says of itself to programs: a service description, and the dataset in VoID."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import Literal, NamedNode, Triple, serialize
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from kg.rdf.vocabulary import DCAT, DCTERMS, PROV, RDF, RDFS, VOID, Namespace
from kg.results import TRIPLES as WRITERS
from kg.serve.answer import Request, RequestError
from kg.serve.negotiate import TRIPLES, choose, content_type, named, prefers_html
from kg.serve.pool import Pool

SD = Namespace("http://www.w3.org/ns/sparql-service-description#")
_FORMATS = Namespace("http://www.w3.org/ns/formats/")
_WRITTEN = (
    *("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"),
    *("Turtle", "N-Triples", "JSON-LD", "RDF_XML"),
)
_PREFIXES = {"sd": SD.iri, "formats": _FORMATS.iri, "dcterms": DCTERMS.iri, "rdfs": RDFS.iri}
_VOID = f"""CONSTRUCT {{ ?thing ?property ?value . ?dataset <{VOID.sparqlEndpoint.value}> %s }}
WHERE {{
  ?dataset a <{VOID.Dataset.value}>, <{DCAT.Dataset.value}> ;
    (<{VOID.classPartition.value}>|<{PROV.wasAttributedTo.value}>)? ?thing .
  ?thing ?property ?value
}}"""


def of_service(request: HttpRequest, accept: str, asked: Sequence[str]) -> Response | None:
    """The service description of the endpoint that was asked; None for who takes no RDF.

    `asked` are the values of `?format=`. Raises RequestError.
    """
    choice = _choice(accept, asked)
    if choice is None:
        return None
    format, media = choice
    text = serialize(
        _service(_iri(request, "/sparql"), _iri(request, "/.well-known/void")),
        format=WRITERS[format],
        prefixes=_PREFIXES,
    )
    return Response(text, headers={"Content-Type": content_type(media), "Vary": "Accept"})


async def void(request: HttpRequest) -> ASGIApp:
    """`/.well-known/void`: the dataset as the graph describes it, and where to query it."""
    from kg.serve.protocol import Result

    accept = ", ".join(request.headers.getlist("accept"))
    asked = request.query_params.getlist("format")
    if not asked and prefers_html(accept):
        return RedirectResponse("/dataset", 303)
    choice = _choice(accept, asked)
    if choice is None:
        types = ", ".join(types[0] for types in TRIPLES.values())
        raise RequestError(406, f"the dataset is described as {types}")
    format, media = choice
    query = _VOID % _iri(request, "/sparql")
    pool: Pool = request.app.state.pool
    asks = Request(query, formats={"triples": format}, head=request.method == "HEAD")
    return Result(pool, asks, {"triples": media})


def _choice(accept: str, asked: Sequence[str]) -> tuple[str, str] | None:
    if not asked:
        return choose(accept, TRIPLES)
    formats = [names[1] for name in asked if (names := named(name))]
    format = next((format for format in formats if format), None)
    return None if format is None else (format, TRIPLES[format][0])


def _iri(request: HttpRequest, path: str) -> NamedNode:
    """An address of this server, under the name that the client knows it by."""
    try:
        return NamedNode(str(request.url.replace(path=path, query="", fragment="")))
    except ValueError as error:
        raise RequestError(400, f"the header Host makes no address: {error}") from error


def _service(endpoint: NamedNode, void: NamedNode) -> Iterator[Triple]:
    dataset = NamedNode(endpoint.value + "#dataset")
    graph = NamedNode(endpoint.value + "#graph")
    yield Triple(endpoint, RDF.type, SD.Service)
    yield Triple(endpoint, RDFS.label, Literal("SPARQL endpoint of kg", language="en"))
    yield Triple(endpoint, SD.endpoint, endpoint)
    yield Triple(endpoint, SD.supportedLanguage, SD.SPARQL11Query)
    for name in _WRITTEN:
        yield Triple(endpoint, SD.resultFormat, _FORMATS[name])
    regime = NamedNode("http://www.w3.org/ns/entailment/Simple")
    yield Triple(endpoint, SD.defaultEntailmentRegime, regime)
    yield Triple(endpoint, SD.defaultDataset, dataset)
    yield Triple(dataset, RDF.type, SD.Dataset)
    yield Triple(dataset, RDFS.seeAlso, void)
    yield Triple(dataset, SD.defaultGraph, graph)
    yield Triple(graph, RDF.type, SD.Graph)
