"""The clients that people use, against a real server: in Python, in JavaScript, in C."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import rdflib
from served import Server, serving
from small_graph import BASE, build

# Where `npm install` puts the commands of packages, in this checkout or in the folder named.
NODE = Path(os.environ.get("KG_NODE_MODULES", Path(__file__).parents[1] / "node_modules"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("clients") / "graph")
    with serving(graph, timeout=20) as server:
        yield server


def command(name: str, package: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=NODE / ".bin")
    if found is None:
        pytest.skip(f"{name} is not installed; it is in {package}")
    return found


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
def test_sparqlwrapper(server: Server) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import SPARQLWrapper
    wrapper = SPARQLWrapper
    client = wrapper.SPARQLWrapper(server.sparql)
    client.setQuery("""
        PREFIX dcterms: <http://purl.org/dc/terms/> PREFIX foaf: <http://xmlns.com/foaf/0.1/>
        PREFIX schema: <http://schema.org/> PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
        SELECT ?title ?name { ?concept skos:prefLabel "induction head"@en .
          ?paper schema:mentions ?concept ; dcterms:title ?title ; dcterms:creator ?person .
          ?person foaf:name ?name } ORDER BY ?title ?name""")
    client.setReturnFormat(wrapper.JSON)
    rows = client.queryAndConvert()["results"]["bindings"]
    assert [(row["title"]["value"], row["name"]["value"]) for row in rows] == [
        ("Heads that copy", "Ada Bly"),
        ("Heads that copy", "Zoë Müller"),
        ("Memory with heads", "Ada Bly"),
        ("Memory with heads", "J. Smith"),
    ]
    client.setReturnFormat(wrapper.XML)
    assert len(client.queryAndConvert().getElementsByTagName("result")) == 4
    client.setReturnFormat(wrapper.CSV)
    assert client.queryAndConvert().startswith(b"title,name\r\nHeads that copy,")
    client.setMethod(wrapper.POST)
    client.setReturnFormat(wrapper.TSV)
    assert client.queryAndConvert().startswith(b"?title\t?name\n")
    client.setQuery("DESCRIBE <https://w3id.org/kg/id/concept/induction-head>")
    for format in (wrapper.TURTLE, wrapper.N3, wrapper.XML, wrapper.JSONLD):
        client.setReturnFormat(format)
        answer = client.queryAndConvert()
        graph = answer if isinstance(answer, rdflib.Graph) else rdflib.Graph().parse(data=answer)
        assert len(graph) == 7
    client.setQuery("SELECT * {")
    with pytest.raises(wrapper.SPARQLExceptions.QueryBadFormed, match="line 1, column"):
        client.query()


def test_rdflib_store(server: Server) -> None:
    from rdflib.plugins.stores.sparqlstore import SPARQLStore

    graph = rdflib.Graph(SPARQLStore(server.sparql))
    label = rdflib.URIRef("http://www.w3.org/2004/02/skos/core#prefLabel")
    concept = rdflib.URIRef(BASE + "concept/induction-head")
    assert str(graph.value(concept, label)) == "induction head"


NAMES = f"""SELECT ?person ?name {{
  <{BASE}paper/memory-with-heads> <http://purl.org/dc/terms/creator> ?person .
  ?person <http://xmlns.com/foaf/0.1/name> ?name }} ORDER BY ?name"""


@pytest.mark.parametrize("prefix", ["", "sparql@"])
def test_comunica(server: Server, prefix: str) -> None:
    """Told that this is an endpoint, or finding it out by its service description."""
    comunica = command("comunica-sparql", "the npm package @comunica/query-sparql, version 4")

    def ask(query: str, media: str) -> str:
        done = run(comunica, f"{prefix}{server.sparql}", query, "-t", media)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    found = json.loads(ask(NAMES, "application/sparql-results+json"))
    assert [
        (row["person"]["value"], row["name"]["value"]) for row in found["results"]["bindings"]
    ] == [(BASE + "person/ada-bly", "Ada Bly"), (BASE + "person/j-smith", "J. Smith")]
    assert "true" in ask(f"ASK {{ <{BASE}person/ada-bly> ?p ?o }}", "simple")
    query = f"CONSTRUCT {{ ?s ?p ?o }} {{ ?s ?p ?o FILTER(?s = <{BASE}person/ada-bly>) }}"
    graph = rdflib.Graph().parse(data=ask(query, "application/n-triples"), format="nt")
    assert len(graph) == 4


def test_roqet(server: Server) -> None:
    roqet = command("roqet", "Debian's package rasqal-utils")
    done = run(roqet, "-q", "-p", server.sparql, "-e", NAMES, "-r", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        "person,name",
        f"{BASE}person/ada-bly,Ada",
        "Bly",
        f"{BASE}person/j-smith,J.",
        "Smith",
    ]
    done = run(roqet, "-q", "-p", server.sparql, "-e", NAMES, "-r", "xml")
    assert done.stdout.count("<result>") == 2
    assert run(roqet, "-q", "-p", server.sparql, "-e", "SELECT * {").returncode != 0


def test_curl(server: Server) -> None:
    curl = command("curl", "Debian's package curl")
    done = run(curl, "-s", "--data-urlencode", "query=ASK {}", server.sparql)
    assert json.loads(done.stdout)["boolean"] is True
    done = run(curl, "-s", "--compressed", "-G", "--data-urlencode", "query=ASK {}", server.sparql)
    assert json.loads(done.stdout)["boolean"] is True
