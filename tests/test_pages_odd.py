"""Pages of odd graphs: very long texts, crowds of authors, years far off, IRIs only used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import httpx
import pytest
from served import Server, serving
from small_graph import BASE, TURTLE, build

HTML = {"accept": "text/html"}
CONCEPT = "concept/associative-memory"


def paper(key: str, more: str) -> str:
    return (
        f"<paper/{key}> a fabio:Preprint, schema:ScholarlyArticle ; rdfs:label 'On {key}' ;"
        f" dcterms:title 'On {key}' ; prov:wasDerivedFrom <record/one/1-abc> ; {more} .\n"
    )


def text(key: str, part: str, text: str, word: str) -> str:
    """A text with a mention for every place of a word."""
    found = (
        f"<paper/{key}#{part}> a nif:Context ; kg:textOf <paper/{key}> ; nif:isString '{text}' .\n"
    )
    for hit in re.finditer(re.escape(word), text):
        found += (
            f"<paper/{key}#{part}-{hit.start()}-{hit.end()}> a nif:Phrase, kg:Mention ;"
            f" nif:referenceContext <paper/{key}#{part}> ; nif:beginIndex {hit.start()} ;"
            f" nif:endIndex {hit.end()} ; nif:anchorOf '{word}' ; itsrdf:taIdentRef <{CONCEPT}> .\n"
        )
    return found


def crowd() -> str:
    """40 papers that share 300 authors."""
    people = ", ".join(f"<person/p{n}>" for n in range(300))
    named = "".join(
        f"<person/p{n}> a foaf:Person ; foaf:name 'P {n}' ; rdfs:label 'P {n}' .\n"
        for n in range(300)
    )
    papers = (paper(f"crowd-{n}", f"dcterms:creator {people}") for n in range(40))
    return named + "".join(papers)


LONG = " ".join(f"In part {n} a memory meets a memory." for n in range(500))
ODD = (
    paper("long", f"schema:mentions <{CONCEPT}> ; schema:about <{CONCEPT}> ; dcterms:issued '1850'")
    + text("long", "abstract", LONG + " We repeat memory." * 300, "memory")
    + paper("memory", f"schema:mentions <{CONCEPT}> ; dcterms:issued '9999'")
    + text("memory", "title", "On memory", "memory")
    + text("memory", "title.2", "About memory", "memory")
    + crowd()
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("odd") / "graph", turtle=TURTLE + ODD)
    with serving(graph, timeout=8) as server:
        yield server


def get(server: Server, path: str, status: int = 200) -> str:
    response = httpx.get(server.url + path, headers=HTML, timeout=20)
    assert response.status_code == status, response.text[:500]
    return response.text


def test_every_mention_is_a_marked_sentence(server: Server) -> None:
    shown = get(server, CONCEPT)
    assert shown.count("In part") == 500 + 1  # the first ones of papers that are about it
    assert shown.count("We repeat") == 1
    assert "In part 7 a <mark>" in shown
    heading = re.search(r"<h3><a [^>]*>On <mark>memory</mark></a>", shown)
    assert heading is not None
    assert 'In a title:</span> About <mark><a href="/paper/memory#title.2-6-12"' in shown


def test_odd_years_leave_pages_small(server: Server) -> None:
    assert len(get(server, "")) < 50_000
    shown = get(server, "papers?year=9999")
    assert len(shown) < 50_000
    assert "9999: 1" in shown


def test_people_of_a_crowd_are_compared(server: Server) -> None:
    one, two = (quote(f"{BASE}person/p{n}") for n in (0, 1))
    shown = get(server, f"compare?a={one}&b={two}")
    assert "Both write with (298)" in shown
    assert "40 papers and 40" in shown


def test_a_panel_that_fails_leaves_the_others(tmp_path: Path) -> None:
    """Where names are too many for the time, the page has what it can have."""
    many = ", ".join(f"<person/x{n}>" for n in range(3000))
    named = "".join(f"<person/x{n}> foaf:name 'X {n}' ; rdfs:label 'X' .\n" for n in range(3000))
    papers = "".join(paper(f"x{n}", f"dcterms:creator {many}, <person/ada-bly>") for n in range(20))
    graph = build(tmp_path / "graph", turtle=TURTLE + named + papers)
    with serving(graph, timeout=1.2) as server:
        response = httpx.get(server.url + "person/ada-bly", headers=HTML, timeout=20)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "no-store"
        assert "the query took more than 1.2 seconds and was ended" in response.text
        assert ">induction head</a>" in response.text


def test_what_is_only_used_can_be_described(server: Server) -> None:
    def described(iri: str, status: int = 200) -> str:
        return get(server, f"describe?iri={quote(iri, safe='')}", status)

    role = described("http://purl.org/spar/pro/author")
    assert ">pro:author</h1>" in role
    assert "/paper/arxiv/2401.00001#author-1" in role
    creator = described("http://purl.org/dc/terms/creator")
    assert "12,004; these are 20 of them." in creator
    assert "The first 200 of 305." in described("http://xmlns.com/foaf/0.1/Person")
    described("http://example.org/none", 404)
    data = httpx.get(
        f"{server.url}describe?iri=http://www.w3.org/2000/01/rdf-schema%23label",
        headers={"accept": "application/n-triples"},
    )
    assert 300 < data.text.count("\n") <= 1000


# The query page


def test_long_cells_and_many_bytes(server: Server) -> None:
    steps = "".join(f" BIND(CONCAT({', '.join([f'?a{n}'] * 10)}) AS ?a{n + 1})" for n in range(5))
    query = f"SELECT ?a5 ?z {{ VALUES ?z {{ 1 2 3 }} BIND('0123456789' AS ?a0){steps} }}"
    shown = get(server, f"query?query={quote(query)}")
    assert len(shown) < 300_000
    assert shown.count("1,000,000 characters in all") == 3
    wide = "SELECT * { ?paper dcterms:creator ?p . BIND(SUBSTR(STR(REPLACE(STR(?p), '.', "
    wide += "'" + "x" * 100 + "')), 1, 1990) AS ?y) BIND(?y AS ?z) BIND(?y AS ?w) }"
    shown = get(server, f"query?query={quote(wide)}")
    rows = re.search(r"The first (\d+) rows; download for all\.", shown)
    assert rows is not None
    assert 100 < int(rows[1]) < 1000
    assert len(shown) < 4_000_000


def test_long_queries_are_posted(server: Server) -> None:
    address = server.url + "query"
    short = httpx.post(address, data={"query": "ASK {}"}, headers=HTML)
    assert (short.status_code, short.headers["location"]) == (303, "/query?query=ASK+%7B%7D")
    query = "SELECT ?s { ?s a foaf:Person } LIMIT 3 #" + "x" * 70_000
    shown = httpx.post(address, data={"query": query}, headers=HTML, timeout=20)
    assert shown.status_code == 200
    assert "3 rows." in shown.text
    form = re.search(r'<form action="/sparql" method="post">.*?</form>', shown.text, re.DOTALL)
    assert form is not None
    assert 'name="format" value="csv"' in form[0]
    again = re.search(r"<textarea name=\"query\" hidden>\n(.*?)</textarea>", form[0], re.DOTALL)
    assert again is not None
    assert unescape(again[1]) == query
    data = httpx.post(server.sparql, data={"query": query, "format": "csv"}, headers=HTML)
    assert data.text.startswith("s\r\n")
    mistake = httpx.post(address, data={"query": query + "\n]"}, headers=HTML, timeout=20)
    assert mistake.status_code == 400
    assert "<h1>Query</h1>" in mistake.text
    large = httpx.post(address, data={"query": "x" * 2_000_000}, headers=HTML)
    assert (large.status_code, "<h1>413</h1>" in large.text) == (413, True)


def test_what_a_limited_server_gives(tmp_path: Path) -> None:
    query = quote("SELECT * { ?s ?p ?o }")
    with serving(build(tmp_path / "graph"), "--max-rows", "3", timeout=20) as server:
        shown = get(server, f"query?query={query}")
        assert "The first 3 rows; this server gives no more of a result." in shown
        assert shown.count("<tr>") == 4


# XML


def test_what_xml_cannot_hold_is_refused(server: Server) -> None:
    def asked(query: str, format: str) -> httpx.Response:
        return httpx.get(server.sparql, params={"query": query, "format": format}, timeout=20)

    odd = "CONSTRUCT { <http://e/s> ?c 1 } WHERE { VALUES ?c { <http://e/%2F/> } }"
    refused = asked(odd, "rdfxml")
    assert refused.status_code == 406
    assert "<http://e/%2F/>" in refused.text
    assert asked(odd, "turtle").status_code == 200
    control = 'SELECT ("a\\u0001b" AS ?x) {}'
    refused = asked(control, "xml")
    assert refused.status_code == 406
    assert 'U+0001, as after "a"' in refused.text
    assert asked(control, "json").json()["results"]["bindings"][0]["x"]["value"] == "a\x01b"
    assert ElementTree.fromstring(asked("SELECT * { ?s ?p ?o }", "xml").content) is not None
    # What has begun is broken off, and not ended well.
    late = (
        """SELECT ?s ?x { ?s ?p ?o BIND(IF(?p = foaf:name, "b\\u0001", "a") AS ?x) } ORDER BY ?x"""
    )
    with pytest.raises(httpx.RemoteProtocolError):
        asked(late, "xml")


# Bases on this server


@pytest.mark.parametrize("own", ["static", "static/editor", "query", "sparql", "search", "arxiv"])
def test_a_base_below_an_address_of_ours(tmp_path: Path, own: str) -> None:
    base = f"http://127.0.0.1:1/{own}/"
    graph = build(tmp_path / "graph", turtle=TURTLE.replace(BASE, base))
    with serving(graph, "--workers", "1", timeout=20) as server:
        for path in (f"{own}/concept/transformer", "concept/transformer"):
            assert ">transformer</h1>" in get(server, path)
        assert "<svg" in get(server, f"{own}/concept/transformer/picture.svg")
        assert (
            httpx.get(server.url + "static/kg.css").headers["content-type"].startswith("text/css")
        )
        for path in ("static/none.css", "static/%00", "static/"):
            get(server, path, 404)


def test_the_query_page_gives_what_changes_anew(server: Server) -> None:
    pages = {httpx.get(f"{server.url}query?query=SELECT(RAND()AS?x){{}}").text for _ in range(4)}
    assert len(pages) == 4
    assert "etag" not in httpx.get(f"{server.url}query?query=SELECT(NOW()AS?x){{}}").headers
    assert "etag" in httpx.get(f"{server.url}query?query=ASK{{}}").headers


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ("query=ASK{}&query=SELECT*{?s+?p+?o}", 400),
        ("update=INSERT+DATA+{}", 405),
        ("name=shared-concepts&p.author=Ada+Bly", 303),
    ],
)
def test_what_is_posted_to_the_query_page_counts_whole(
    server: Server, form: str, status: int
) -> None:
    kind = {"content-type": "application/x-www-form-urlencoded"}
    answer = httpx.post(f"{server.url}query", content=form, headers=kind)
    assert answer.status_code == status
    if status == 303:
        assert answer.headers["location"] == f"/query?{form}"
    elif status == 400:
        assert httpx.get(f"{server.url}query?{form}").status_code == 400
