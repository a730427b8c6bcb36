"""The W3C's tests of the SPARQL 1.1 protocol, service description, and CSV and TSV results.

They run against a real server. The manifests and data are read where they lie in `shared/`;
nothing of them is named here but what they leave to their reader. Updates, which this
endpoint does not take, must be refused.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import rdflib
from pyoxigraph import (
    BlankNode,
    NamedNode,
    Quad,
    QueryResultsFormat,
    RdfFormat,
    Store,
    parse,
    parse_query_results,
)
from rdflib import RDF, RDFS
from served import Server, serving
from small_graph import build

SUITE = (Path(__file__).parents[2] / "shared" / "conformance" / "sparql11").resolve()
MF = rdflib.Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = rdflib.Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
UT = rdflib.Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
HT = rdflib.Namespace("http://www.w3.org/2011/http#")
CNT = rdflib.Namespace("http://www.w3.org/2011/content#")
SD = rdflib.Namespace("http://www.w3.org/ns/sparql-service-description#")


@dataclass(frozen=True)
class Exchange:
    """A request of a test, and what must come of it."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    statuses: frozenset[str]  # as in "2xx"
    format: str
    boolean: bool | None


@dataclass(frozen=True)
class ProtocolTest:
    name: str
    data: tuple[tuple[str, str], ...]  # names of graphs, and their N-Triples
    exchanges: tuple[Exchange, ...]

    @property
    def updates(self) -> bool:
        """Whether the test is of updates."""
        return "update" in self.name


def manifest(part: str) -> rdflib.Graph | None:
    file = SUITE / part / "manifest.ttl"
    return rdflib.Graph().parse(file, publicID=file.as_uri()) if file.is_file() else None


def cases(part: str, tests: list[object]) -> list[object]:
    if tests:
        return tests
    reason = f"the W3C's tests are not at {SUITE / part}"
    return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="absent")]


def entries(graph: rdflib.Graph) -> list[rdflib.term.Node]:
    listed = next(graph.objects(None, MF.entries))
    return list(graph.items(listed))


def local(node: object) -> str:
    return str(node).rpartition("#")[2]


def path_of(node: object) -> Path:
    return Path(str(node).removeprefix("file://"))


def exchange(graph: rdflib.Graph, request: rdflib.term.Node) -> Exchange:
    body = graph.value(request, HT.body)
    text = graph.value(body, CNT.chars) if body else None
    encoding = str(graph.value(body, CNT.characterEncoding) or "UTF-8") if body else "UTF-8"
    listed = graph.value(request, HT.headers)
    response = graph.value(request, HT.resp)
    boolean = graph.value(response, MF.expectedBoolean)
    return Exchange(
        str(graph.value(request, HT.methodName)),
        str(graph.value(request, HT.absolutePath)),
        tuple(
            (str(graph.value(one, HT.fieldName)), str(graph.value(one, HT.fieldValue)))
            for one in (graph.items(listed) if listed else ())
        ),
        None if text is None else str(text).encode(encoding),
        frozenset(local(s).removeprefix("StatusCode") for s in graph[response : MF.expectedStatus]),
        str(graph.value(response, MF.expectedFormat) or ""),
        None if boolean is None else bool(boolean.toPython()),  # type: ignore[attr-defined]
    )


def protocol_tests() -> list[object]:
    graph = manifest("protocol")
    found: list[object] = []
    for node in entries(graph) if graph else ():
        assert graph is not None
        data = tuple(
            sorted(
                (str(graph.value(one, RDFS.label)), path_of(graph.value(one, UT.graph)).read_text())
                for one in graph[node : UT.graphData]
            )
        )
        action = graph.value(node, MF.action)
        requests = tuple(
            exchange(graph, one) for one in graph.items(graph.value(action, HT.requests))
        )
        assert requests
        found.append(pytest.param(ProtocolTest(local(node), data, requests), id=local(node)))
    return found


class Servers:
    """One server for each set of data, started when it is first asked for."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._servers: dict[object, Server] = {}

    def named(self, data: tuple[tuple[str, str], ...]) -> Server:
        return self._server(data, "", dict(data))

    def default(self, turtle: str) -> Server:
        return self._server(turtle, turtle, {})

    def _server(self, key: object, turtle: str, named: dict[str, str]) -> Server:
        if key not in self._servers:
            graph = build(self._folder / str(len(self._servers)), turtle, named)
            server = serving(graph, "--workers", "1", timeout=20)
            self._servers[key] = self._stack.enter_context(server)
        return self._servers[key]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(tmp_path_factory.mktemp("sparql"), stack)


def answer(server: Server, one: Exchange) -> httpx.Response:
    # The manifest says that the path before the query is to be replaced by the endpoint's.
    path = one.path.replace("/sparql/", "/sparql", 1)
    assert path.startswith("/sparql")
    url = server.url.rstrip("/") + path
    return httpx.request(one.method, url, content=one.body, headers=list(one.headers), timeout=20)


@pytest.mark.parametrize("test", cases("protocol", protocol_tests()))
def test_protocol(servers: Servers, test: ProtocolTest) -> None:
    server = servers.named(test.data)
    if test.updates and not test.name.startswith("bad"):
        # The rest of the requests ask whether the update was done.
        response = answer(server, test.exchanges[0])
        assert response.status_code == 405
        assert "updates are not available" in response.text
        return
    for one in test.exchanges:
        response = answer(server, one)
        assert f"{response.status_code // 100}xx" in one.statuses, response.text
        media = response.headers["content-type"].partition(";")[0]
        if one.format == "boolean":
            assert media in ("application/sparql-results+json", "application/sparql-results+xml")
            found = response.json()["boolean"]
            assert one.boolean is None or found == one.boolean
        elif one.format == "tabular":
            kind = QueryResultsFormat.from_media_type(media)
            assert kind is not None
            assert len(list(parse_query_results(response.content, kind))) > 0  # type: ignore[arg-type]
        elif one.format == "RDF":
            kind_of_rdf = RdfFormat.from_media_type(media)
            assert kind_of_rdf is not None
            list(parse(response.content, kind_of_rdf))
        else:
            assert response.status_code in (400, 405, 415)


def test_every_protocol_test_is_there() -> None:
    graph = manifest("protocol")
    if graph is None:
        pytest.skip(f"the W3C's tests are not at {SUITE / 'protocol'}")
    every = set(graph.subjects(RDF.type, MF.ProtocolTest))
    assert {str(node) for node in entries(graph)} == {str(node) for node in every}
    assert len(every) == 34


# Service description


def description_tests() -> list[object]:
    graph = manifest("service-description")
    return [pytest.param(local(node), id=local(node)) for node in entries(graph)] if graph else []


@pytest.mark.parametrize("test", cases("service-description", description_tests()))
def test_service_description(servers: Servers, test: str) -> None:
    server = servers.default("")
    for media in ("text/turtle", "application/rdf+xml", "application/n-triples", "*/*"):
        response = httpx.get(server.sparql, headers={"accept": media})
        assert response.status_code == 200
        kind = response.headers["content-type"].partition(";")[0]
        assert kind == media or media == "*/*"
        graph = rdflib.Graph().parse(data=response.content, format=kind)
        DESCRIPTION[test](graph, rdflib.URIRef(server.sparql))


def returns_rdf(graph: rdflib.Graph, endpoint: rdflib.URIRef) -> None:
    assert len(graph) > 0


def has_endpoint_triple(graph: rdflib.Graph, endpoint: rdflib.URIRef) -> None:
    assert (None, SD.endpoint, endpoint) in graph


# What the vocabulary says of its properties: the class of what has one, and of what it leads to.
SCHEMA = {
    SD.endpoint: (SD.Service, None),
    SD.supportedLanguage: (SD.Service, SD.Language),
    SD.resultFormat: (SD.Service, None),
    SD.defaultEntailmentRegime: (SD.Service, None),
    SD.defaultDataset: (SD.Service, SD.Dataset),
    SD.defaultGraph: (SD.Dataset, SD.Graph),
}
LANGUAGES = {SD.SPARQL10Query, SD.SPARQL11Query, SD.SPARQL11Update}


def conforms_to_schema(graph: rdflib.Graph, endpoint: rdflib.URIRef) -> None:
    services = list(graph.subjects(RDF.type, SD.Service))
    assert len(services) == 1
    assert list(graph.objects(services[0], SD.endpoint)) == [endpoint]
    for subject, predicate, value in graph:
        if str(predicate).startswith(str(SD)):
            domain, range_ = SCHEMA[predicate]
            assert (subject, RDF.type, domain) in graph
            assert isinstance(value, rdflib.URIRef | rdflib.BNode)
            if range_ == SD.Language:
                assert value in LANGUAGES
            elif range_ is not None:
                assert (value, RDF.type, range_) in graph


DESCRIPTION = {
    "returns-rdf": returns_rdf,
    "has-endpoint-triple": has_endpoint_triple,
    "conforms-to-schema": conforms_to_schema,
}


# CSV and TSV


@dataclass(frozen=True)
class ResultTest:
    query: str
    turtle: str
    expected: bytes
    format: str


def result_tests() -> list[object]:
    graph = manifest("csv-tsv-res")
    found: list[object] = []
    for node in entries(graph) if graph else ():
        assert graph is not None
        action = graph.value(node, MF.action)
        file = path_of(graph.value(node, MF.result))
        test = ResultTest(
            path_of(graph.value(action, QT.query)).read_text(),
            path_of(graph.value(action, QT.data)).read_text(),
            file.read_bytes(),
            file.suffix[1:],
        )
        found.append(pytest.param(test, id=local(node)))
    return found


@pytest.mark.parametrize("test", cases("csv-tsv-res", result_tests()))
def test_results(servers: Servers, test: ResultTest) -> None:
    server = servers.default(test.turtle)
    media = {"csv": "text/csv", "tsv": "text/tab-separated-values"}[test.format]
    response = server.ask(test.query, accept=media)
    assert response.headers["content-type"] == f"{media}; charset=utf-8"
    rows = csv_rows if test.format == "csv" else tsv_rows
    (head, found), (expected_head, expected) = rows(response.content), rows(test.expected)
    assert head == expected_head
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def csv_rows(data: bytes) -> tuple[list[str], list[list[str]]]:
    head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return head, [[value(cell) for cell in row] for row in rows]


def value(cell: str) -> str:
    """A cell without what the store does not keep: it has numbers by their value."""
    if cell.startswith("_:"):
        return "_:b"  # no data has more than one blank node
    try:
        return repr(float(cell))
    except ValueError:
        return cell


def tsv_rows(data: bytes) -> tuple[list[str], list[list[str]]]:
    found = parse_query_results(data, QueryResultsFormat.TSV)
    rows = [[kept(term) for term in row] for row in found]  # type: ignore[union-attr]
    return [variable.value for variable in found.variables], rows  # type: ignore[union-attr]


def kept(term: object) -> str:
    """A term as the store keeps it: it has one type for all integers."""
    if term is None or isinstance(term, BlankNode):
        return "" if term is None else "_:b"
    store, some = Store(), NamedNode("http://example.org/")
    store.add(Quad(some, some, term))  # type: ignore[arg-type]
    return str(next(iter(store)).object)
