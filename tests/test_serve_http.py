"""`kg serve`: turns and shared answers of pages, and what HTTP asks of every answer."""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from pyoxigraph import QueryBoolean, Store
from served import ENDLESS, Server, eventually, serving
from small_graph import TURTLE, build

from kg.errors import QueryError
from kg.queries.ask import ask
from kg.queries.syntax import refuse_deep
from kg.serve.answer import RequestError, Rows
from kg.serve.pages.site import Site
from kg.serve.pool import Pool

GONE = "<concept/phlogiston> a skos:Concept, kg:Method ; skos:prefLabel 'phlogiston'@en .\n"
HTML = {"accept": "text/html"}
VERBS = {"sparql": "GET, HEAD, POST, OPTIONS", "concept/transformer": "GET, HEAD, OPTIONS"}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = tmp_path_factory.mktemp("http") / "graph"
    build(graph, turtle=TURTLE + GONE)
    return build(graph)


@pytest.fixture(scope="module")
def server(graph: Path) -> Iterator[Server]:
    with serving(graph, "--max-rows", "3", timeout=20) as server:
        yield server


# One page has one place in the queue


PATHS = ("", "concept/transformer", "concept/induction-head", "person/ada-bly", "papers", "missing")


@pytest.mark.parametrize("waiting", ["0", "2"])
def test_one_reader_gets_every_page(graph: Path, waiting: str) -> None:
    with serving(graph, "--workers", "1", "--max-waiting", waiting, timeout=20) as server:
        assert eventually(lambda: httpx.get(server.url).headers.get("etag"))  # all is warm
        for path in PATHS:
            response = httpx.get(server.url + path, headers=HTML, timeout=20)
            assert (path, response.status_code) == (path, 200)
            assert response.headers.get("cache-control") != "no-store"


def test_many_pages_at_once(graph: Path) -> None:
    paths = [f"concept/transformer?x={n}" for n in range(1, 31)]
    with serving(graph, "--max-waiting", "40", timeout=20) as server, httpx.Client() as client:
        with ThreadPoolExecutor(30) as threads:
            found = list(threads.map(lambda p: client.get(server.url + p, headers=HTML), paths))
        assert {response.status_code for response in found} == {200}


def test_pages_count_as_long_as_they_are_made(graph: Path) -> None:
    """`waiting` bounds them too, and what is made gives its place to others."""

    async def check() -> None:
        pool = Pool(graph, 1, 20.0, waiting=1)
        await pool.start()
        try:
            with pool.turn() as first:
                busy = asyncio.create_task(pool.rows(ENDLESS))
                await asyncio.sleep(0.2)
                panels = [asyncio.create_task(pool.rows("ASK {}")) for _ in range(5)]
                await asyncio.sleep(0)
                assert not any(panel.done() for panel in panels)
                assert first.running == 1
            late = asyncio.create_task(pool.rows("ASK {}"))
            await asyncio.sleep(0)  # the one that may wait
            with pytest.raises(RequestError, match="too many queries wait"):
                await pool.rows("ASK {}")
            with pool.turn(), pytest.raises(RequestError, match="too many queries wait"):
                await pool.rows("ASK {}")
            busy.cancel()
            await asyncio.gather(*panels, late)  # the page goes first
            assert await asyncio.gather(busy, return_exceptions=True)
            assert not pool._pages
            assert not pool._waiting
            await pool.rows("ASK {}")
        finally:
            await pool.close()

    asyncio.run(check())


def test_the_same_question_is_asked_once(graph: Path) -> None:
    class Counting:
        def __init__(self) -> None:
            self.graph, self.asked = graph, 0

        async def rows(self, query: str) -> Rows:
            self.asked += 1
            await asyncio.sleep(0.01)
            if query == "busy" and self.asked == 1:
                raise RequestError(503, "too many")
            return Rows([], [], more=False)

    async def check(query: str) -> tuple[int, list[object]]:
        pool = Counting()
        site = Site(pool, "https://w3id.org/kg/id/")  # type: ignore[arg-type]
        found = await asyncio.gather(*(site.rows(query) for _ in range(40)), return_exceptions=True)
        assert not site._asked
        return pool.asked, [one for one in found if isinstance(one, Exception)]

    assert asyncio.run(check("free")) == (1, [])
    # What the first was refused the others try for themselves.
    asked, refused = asyncio.run(check("busy"))
    assert (asked, len(refused)) == (2, 1)


# SERVICE as a text


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ("SERVICE <x:y> {" AS ?x) {}',
        "SELECT ('''a\n'SERVICE <x:y> {''' AS ?x) {}",
        "ASK { #SERVICE <a:b> {}\n }",
        "ASK { ?s <http://example.org/#SERVICE> ?o FILTER(?o != 'SERVICE <a:b> {') }",
    ],
)
def test_service_in_texts_is_a_text(server: Server, query: str) -> None:
    assert server.ask(query).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "ASK { SERVICE <URL> {} }",
        'SELECT ("SERVICE <x:y> {" AS ?x) { SERVICE <URL> {} }',
        "ASK { #'\nSERVICE <URL> {} #'\n}",
        "ASK { FILTER('\\''='')SERVICE <URL> {} FILTER(''='') }",
        "ASK { FILTER(1<2) SERVICE <URL> {} FILTER('>'='>') }",
        'ASK { FILTER("\\"" = "") SERVICE <URL> {} FILTER("" = "") }',
        "ASK { ?s <a:\\u0022> ?o SERVICE <URL> {} ?o <a:\\u0022> ?s }",
        "PREFIX a: <a:> ASK { ?s a:\\' ?o SERVICE <URL> {} ?o a:\\' ?s }",
        "PREFIX a: <a:> ASK { ?s a:\\# ?o SERVICE <URL> {} }",
        "ASK { ?s <a:'> ?o SERVICE <URL> {} ?o <a:'> ?s }",
        "ASK { ?s <a:#b> ?o SERVICE <URL> {} }",
        "ASK { \\u0053ERVICE <URL> {} }",
        "ASK { #\\u000ASERVICE <URL> {}\n}",
    ],
)
def test_service_beside_texts_is_no_text(query: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        there = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        try:
            found = ask(Store(), query.replace("URL", there))
        except QueryError as error:
            said = str(error)
        else:
            assert isinstance(found, QueryBoolean)
            said = "nothing but a comment" if "u000A" in query else ""
        assert re.match("SERVICE is not|.*not valid SPARQL|nothing but", said)
        with pytest.raises(TimeoutError):
            listener.accept()


# Queries that are too much for a worker


MANY = " ".join(f"(COUNT(?s{n}) AS ?c{n})" for n in range(3000))


@pytest.mark.parametrize(
    "query",
    [
        "ASK{" + "?s ?p ?o ." * 10_000 + "}",
        f"SELECT {MANY} {{ ?s ?p ?o }}",
        "ASK{?s ?p " + ",".join(["1"] * 10_000) + "}",
        "ASK{?s ?p (" + "1 " * 10_000 + ")}",
        "DESCRIBE " + "<a:b> " * 2500,
        "ASK{?s <a:b>·values ?o {" + "?s ?p ?o ." * 3000 + "}}",
        "ASK{?s ?p <#'> . " + "?s ?p ?o ." * 3000 + "}",
    ],
)
def test_queries_that_are_too_long_are_refused(server: Server, query: str) -> None:
    before = server.workers()
    response = httpx.post(server.sparql, data={"query": query}, timeout=20)
    assert response.status_code == 400
    assert "too long: at most 6,000 names, values and variables" in response.text
    assert server.workers() == before


@pytest.mark.parametrize(
    "query",
    [
        "ASK { VALUES ?x {" + " <a:b> '}'" * 20_000 + " } }",
        "ASK { VALUES (?x ?y) {" + " (<a:b> 1)" * 20_000 + " } }",
        "ASK { " + "<a:a> <a:b> <a:c> . " * 1900 + "}",
        "ASK { #" + " a" * 20_000 + "\n}",
        f"ASK {{ FILTER(?x IN ({','.join(['<a:b>'] * 5000)})) }}",
    ],
)
def test_queries_that_are_only_long_are_not(query: str) -> None:
    refuse_deep(query)


# Requests


def raw(server: Server, request: bytes) -> bytes:
    with socket.create_connection(server.place, timeout=20) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET /sparql?query=" + b"a" * 70_000 + b" HTTP/1.1", b"414 "),
        (b"GET /sparql?query=" + b"a" * 140_000 + b" HTTP/1.1", b"414 "),
        (b"FOO /sparql HTTP/1.1", b"501 "),
        (b"nonsense", b"400 "),
    ],
)
def test_requests_that_are_none(server: Server, line: bytes, status: bytes) -> None:
    head, _, body = raw(
        server, line + b"\r\nHost: x\r\nAccept: application/json\r\n\r\n"
    ).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 " + status)
    assert b"access-control-allow-origin: *" in head.lower()
    if status in (b"414 ", b"501 "):
        form = b"application/problem+json" if len(line) < 100_000 else b""
        assert form in head
        assert body.endswith(b"\n")


def test_bodies_come_as_they_are(server: Server) -> None:
    kind = {"content-type": "application/sparql-query"}
    body = gzip.compress(b"ASK {}")
    answer = httpx.post(server.sparql, content=body, headers={**kind, "content-encoding": "gzip"})
    assert (answer.status_code, "not as gzip" in answer.text) == (415, True)
    plain = {**kind, "content-encoding": "identity"}
    assert httpx.post(server.sparql, content=b"ASK {}", headers=plain).status_code == 200


def test_a_format_that_is_none(server: Server) -> None:
    for path in ("query=ASK%20{}&format=papyrus", "format=papyrus&query=DESCRIBE%20<a:b>"):
        answer = httpx.get(f"{server.sparql}?{path}")
        assert (answer.status_code, "these are known: json" in answer.text) == (400, True)


@pytest.mark.parametrize("path", ["concept/transformer", "sparql?query=ASK%20%7B%7D", ""])
def test_any_tag_will_do(server: Server, path: str) -> None:
    for _ in range(3):  # also when it is kept
        answer = httpx.get(server.url + path, headers={"if-none-match": "*"})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == httpx.get(server.url + path).headers["etag"]
    missing = httpx.get(server.url + "concept/none", headers={"if-none-match": "*"})
    assert missing.status_code == 404


@pytest.mark.parametrize("path", list(VERBS))
def test_what_is_allowed(server: Server, path: str) -> None:
    refused = httpx.put(server.url + path)
    assert (refused.status_code, refused.headers["allow"]) == (405, VERBS[path])
    assert httpx.options(server.url + path).headers["allow"] == VERBS[path]


def test_what_an_answer_varies_with_is_said_once(server: Server) -> None:
    for path in ("", "concept/transformer", "papers.ttl", "sparql?query=ASK%20%7B%7D", "search"):
        answer = httpx.get(server.url + path, headers={"accept-encoding": "gzip", **HTML})
        names = [
            part.strip().lower()
            for line in answer.headers.get_list("vary")
            for part in line.split(",")
        ]
        assert len(names) == len(set(names)), (path, names)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("bad", "line 1, column 1: bad does not belong here"),
        ("SELECT ?x\n{ FOO ?x }", "line 2, column 3: FOO does not belong here"),
    ],
)
def test_where_a_query_is_wrong(server: Server, query: str, said: str) -> None:
    answer = server.ask(query)
    assert (answer.status_code, answer.text) == (400, f"the query is not valid SPARQL: {said}\n")


# Linked data


def test_everybody_is_sent_to_the_place_of_a_thing(server: Server) -> None:
    places = {
        "https://w3id.org/kg/ontology#Method": "/ontology#Method",
        "https://w3id.org/kg/id/concept/transformer": "/concept/transformer",
    }
    for iri, place in places.items():
        for accept in ("text/html", "text/turtle", "*/*"):
            url = f"{server.url}describe?iri={quote(iri, safe='')}"
            answer = httpx.get(url, headers={"accept": accept})
            assert (answer.status_code, answer.headers["location"]) == (303, place)
    term = quote("https://w3id.org/kg/ontology#Method", safe="")
    answer = httpx.get(f"{server.url}describe?iri={term}&format=nt", follow_redirects=True)
    assert b"<https://w3id.org/kg/ontology#Method>" in answer.content


def test_what_is_gone_is_gone_in_every_form(server: Server) -> None:
    for ending in ("", ".ttl", ".html", "/picture.svg"):
        assert httpx.get(f"{server.url}concept/phlogiston{ending}").status_code == 410
        assert httpx.get(f"{server.url}concept/none{ending}").status_code == 404


def test_a_document_says_which_part_it_is(server: Server) -> None:
    answer = httpx.get(server.url + "concept/transformer?page=2", headers=HTML)
    assert answer.headers["content-location"] == "/concept/transformer.html?page=2"
    answer = httpx.get(server.url + "concept/transformer?format=ttl")
    assert answer.headers["content-location"] == "/concept/transformer.ttl"


def test_what_is_not_acceptable_names_media_types(server: Server) -> None:
    for path in ("concept/transformer", "sparql?query=DESCRIBE%20<a:b>"):
        answer = httpx.get(server.url + path, headers={"accept": "image/png, text/csv"})
        assert (answer.status_code, "text/turtle" in answer.text) == (406, True)


def test_documents_of_things_are_whole(server: Server) -> None:
    """`--max-rows` is for what strangers ask, not for what the pages link to."""
    answer = httpx.get(server.url + "concept/transformer.nt")
    assert answer.text.count("\n") > 3
    assert "kg-max-rows" not in answer.headers
    limited = httpx.get(server.sparql, params={"query": "CONSTRUCT WHERE { ?s ?p ?o }"})
    assert limited.headers["kg-max-rows"] == "3"


# What clients send


@pytest.mark.parametrize("cut", [4, 15, 20, 21, 22, 60])
def test_letters_that_are_not_escaped(server: Server, cut: int) -> None:
    """curl sends them as they are; they are taken so, wherever the packets part."""
    text = "ASK{FILTER('é'='\\u00E9')}"
    request = f"GET /sparql?query={text} HTTP/1.1\r\nX-é: é\r\nHost: x\r\n\r\n".encode()
    request = request.replace(b"X-\xc3\xa9", b"X-e")
    with socket.create_connection(server.place, timeout=20) as connection:
        for part in (request[:cut], request[cut:]):
            connection.sendall(part)
            time.sleep(0.05)
        answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert b'"boolean":true' in answer
        # The next on the same connection, with a body that stays as it is.
        body = "query=ASK{FILTER(strlen('é')=1)}".encode()
        head = b"POST /sparql?x=\xc3\xa9 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(body)
        kind = b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        connection.sendall(head + kind)
        time.sleep(0.05)
        connection.sendall(body)
        assert b'"boolean":true' in connection.recv(65536)


def test_letters_in_paths_and_searches(server: Server) -> None:
    for address, found in (("/person/zoë-müller.nt", "Zo"), ("/search.json?q=Müller", "Zo")):
        answer = raw(
            server, f"GET {address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        )
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert found.encode() in answer
    answer = raw(
        server, b"GET /search?q=M\xfcller HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    assert answer.split(b" ")[1] in (b"200", b"400")


def test_what_is_no_request_says_what_to_do(server: Server) -> None:
    for line in (
        b"GET /search?q=a b",
        b"GET",
        b"\xff\xfe",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /\xe9",
    ):
        answer = raw(server, line + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"HTTP/1.1 400 " in answer or b"HTTP/1.1 404 " in answer, answer
        assert b" 501 " not in answer
    answer = raw(server, b"GET /search?q=a b HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"a space is written as %20" in answer
    assert raw(server, b"BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 501 ")


def test_who_takes_anything_gets_results(server: Server) -> None:
    java = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"
    browsers = (
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "text/html, application/xhtml+xml, */*",
        "text/html",
    )
    for accept, status in ((java, 200), ("text/html, */*", 200), *((one, 303) for one in browsers)):
        answer = httpx.get(f"{server.sparql}?query=ASK%7B%7D", headers={"accept": accept})
        assert (accept, answer.status_code) == (accept, status)
        assert (answer.headers.get("location") or "").startswith("/query" if status == 303 else "")


def test_a_charset_in_its_other_spelling(server: Server) -> None:
    for charset, status in (("utf-8''utf-8", 200), ("utf-8''latin-1", 415), ("''%FF", 415)):
        kind = f"application/sparql-query; charset*={charset}"
        answer = httpx.post(server.sparql, content=b"ASK{}", headers={"content-type": kind})
        assert answer.status_code == status, answer.text
        assert "(" not in answer.text
