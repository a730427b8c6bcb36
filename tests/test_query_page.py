"""The query page: results, mistakes, downloads, and the named questions with their fields."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from served import Server, serving
from small_graph import BASE, build

from kg import queries, search

NAMES = "SELECT ?person ?name { ?person foaf:name ?name } ORDER BY ?name"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("query") / "graph")
    search.ensure(graph)
    with serving(graph, timeout=10) as server:
        yield server


def get(server: Server, path: str = "query", **parameters: str) -> httpx.Response:
    return httpx.get(server.url + path, params=parameters, headers={"Accept": "text/html"})


def links(text: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'<a href="([^"]*)"', text)]


def test_a_result_with_links_and_downloads(server: Server) -> None:
    text = get(server, query=NAMES).text
    assert "5 rows." in text
    assert re.search(r'<a href="/person/ada-bly"[^>]*>person:ada-bly</a>', text)
    downloads = [link for link in links(text) if link.startswith("/sparql?")]
    assert [parse_qs(urlsplit(link).query)["format"][0] for link in downloads] == [
        *("json", "xml", "csv", "tsv")
    ]
    for link in downloads:
        response = httpx.get(server.url + link[1:])
        assert response.status_code == 200
        assert "Zoë Müller" in response.text
    (share,) = (link for link in links(text) if link.startswith("/query?query=" + quote(NAMES)))
    assert "5 rows." in httpx.get(server.url + share[1:]).text


def test_triples_and_answers(server: Server) -> None:
    text = get(server, query="CONSTRUCT { ?s a ?o } WHERE { ?s a ?o } LIMIT 1").text
    assert "1 triple." in text
    assert ">turtle</a>" in text
    assert ">csv</a>" not in text
    rows = get(server, query="SELECT ?subject ?predicate ?object { ?subject ?predicate ?object }")
    assert ">csv</a>" in rows.text
    assert "<strong>Yes</strong>" in get(server, query="ASK {}").text
    assert "<strong>No</strong>" in get(server, query="ASK { <a:b> ?p ?o }").text
    none = get(server, query="SELECT ?s { ?s a <a:b> }").text
    assert "0 rows." in none
    assert "<table>" not in none


def test_where_a_mistake_is(server: Server) -> None:
    response = get(server, query="SELECT * {\n  ?s foaf:nam ]\n}")
    assert response.status_code == 400
    assert 'data-line="2" data-column="15"' in response.text
    assert "<mark>]</mark>" in response.text
    assert "?s foaf:nam " in response.text
    end = get(server, query="SELECT * {").text
    assert "<mark>{</mark>" in end
    assert "the query ends after" in end
    odd = get(server, query="SELECT * { <script>alert(1)</script>").text
    assert "<script>alert" not in odd
    assert "<textarea" in get(server, query="   ").text


def test_every_question_is_there_and_can_be_asked(server: Server) -> None:
    text = get(server).text
    for name in queries.names():
        question = queries.load(name)
        assert html.escape(question.title) in text or question.title in text
        if question.parameters:
            assert f'name="name" value="{name}"' in text
    for form in re.findall(r'<form action="/query" method="get">(.*?)</form>', text, re.DOTALL):
        fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
        asked = get(server, **{key: html.unescape(value) for key, value in fields.items()})
        # Some kinds of things are not in so small a graph.
        assert asked.status_code == 303 or "needs" in asked.text or "name of nothing" in asked.text
        if asked.status_code == 303:
            answer = httpx.get(server.url + asked.headers["location"][1:], timeout=20)
            assert answer.status_code == 200, fields


def asked(server: Server, **parameters: str) -> str:
    """The query that a named question becomes."""
    response = get(server, **parameters)
    assert response.status_code == 303
    return parse_qs(urlsplit(response.headers["location"]).query)["query"][0]


@pytest.mark.parametrize(
    "value",
    [
        *("Ada Bly", "ada bly", "A. Bly", "person:ada-bly"),
        *(f"<{BASE}person/ada-bly>", f"{BASE}person/ada-bly"),
    ],
)
def test_a_parameter_by_name(server: Server, value: str) -> None:
    text = asked(server, name="coauthors", **{"p.author": value})
    assert f"VALUES ?author {{ <{BASE}person/ada-bly> }}" in text


def test_parameters_of_other_kinds(server: Server) -> None:
    assert "LIMIT 7" in asked(server, name="top-concepts", **{"p.limit": "7"})
    assert "UNDEF" in asked(server, name="introduced-concepts", **{"p.author": ""})
    text = asked(server, name="names-of-concepts", **{"p.name": 'a "name"'})
    assert 'VALUES ?name { "a \\"name\\"" "a \\"name\\""@en }' in text
    about = asked(server, name="facts", **{"p.thing": "induction heads"})
    assert f"<{BASE}concept/induction-head>" in about


def test_parameters_that_are_not_clear(server: Server) -> None:
    several = get(server, name="coauthors", **{"p.author": "Smith"})
    assert several.status_code == 400
    assert "does not name one thing" in several.text
    choices = [link for link in links(several.text) if "name=coauthors" in link]
    assert len(choices) == 3
    assert httpx.get(server.url + choices[0][1:]).status_code == 303
    near = get(server, name="papers-of-concept", **{"p.concept": "indution"}).text
    assert "induction head" in near
    assert "<h2>Papers that mention a concept</h2>" in near
    assert 'value="indution"' in near
    nothing = get(server, name="coauthors", **{"p.author": "qqqq"})
    assert "is the name of nothing here" in nothing.text
    for parameters, message in (
        ({"name": "shared-concepts", "p.first": "Ada Bly"}, "Say which second: "),
        ({"name": "top-concepts", "p.limit": "x"}, "not a whole number"),
        ({"name": "nonsense"}, "no query named"),
        ({"name": "coauthors", "p.author": "http://no iri"}, "is not an IRI"),
        ({"name": "coauthors", "p.author": "<script>"}, "“<script>” is the name of nothing here"),
    ):
        response = get(server, **parameters)
        assert response.status_code == 400
        assert message in html.unescape(response.text)


def test_a_question_without_values_is_its_form(server: Server) -> None:
    response = get(server, name="shared-concepts")
    assert response.status_code == 200
    text = html.unescape(response.text)
    assert "Say which first and second: this question needs to know." in text
    assert "-p first" not in text
    form = text[text.index("<h2>Concepts that two authors share</h2>") :]
    assert form.index('name="p.first"') < form.index("Questions to begin with")


def test_five_examples_on_top(server: Server) -> None:
    text = get(server).text
    part = text[text.index("Questions to begin with") :]
    examples = links(part[: part.index("</ul>")])
    assert len(examples) == 5
    for example in examples:
        location = httpx.get(server.url + example[1:]).headers["location"]
        answer = httpx.get(server.url + location[1:], headers={"Accept": "text/html"})
        assert re.search(r"<p>\s+\d+ rows?\.", answer.text), example


def test_long_iris_are_cut_in_the_middle(server: Server) -> None:
    iri = "https://example.org/" + "a" * 40 + "/the-end-of-it"
    text = get(
        server, query=f"SELECT * {{ VALUES ?x {{ <{iri}> 'short' '{'long ' * 20}' }} }}"
    ).text
    assert f'href="{iri}" title="{iri}"' in text
    assert f">{iri[:22]}…{iri[-20:]}</a>" in text
    assert "<bdi>short</bdi>" in text
    assert '<bdi class="long">long ' in text
    assert '<div class="wide" role="region" aria-label="Result" tabindex="0">' in text


def test_terms_for_the_editor(server: Server) -> None:
    found = get(server, "query/terms.json").json()
    assert found["prefixes"]["concept"] == BASE + "concept/"
    terms = {term["name"]: term for term in found["terms"]}
    assert terms["skos:prefLabel"]["kind"] == "property"
    assert terms["kg:Method"]["kind"] == "class"
    assert terms["xsd:integer"]["kind"] == "type"
    assert terms["kg:introduces"]["label"] == "introduces"
    assert not any(name.startswith("sh:") for name in terms)


def test_the_editor_is_pinned() -> None:
    folder = Path(__file__).parents[1] / "editor"
    wanted = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    for name, version in {**wanted["dependencies"], **wanted["devDependencies"]}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
    packages = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert len(packages) > 10
    for name, package in packages.items():
        assert not name or package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
