"""`kg serve`, as its clients see it: a real server in its own process, on a real port."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urljoin

import httpx
import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat, parse, parse_query_results
from served import ENDLESS, ENDLESS_ROWS, Server, eventually, serving
from small_graph import TURTLE, build

from kg.serve.negotiate import HTML, SOLUTIONS, TRIPLES, choose, named, prefers_html

DATA = "http://kasei.us/2009/09/sparql/data/data{}.rdf"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def documents() -> dict[str, str]:
    document = "<http://xmlns.com/foaf/0.1/Document>"
    return {DATA.format(n): f"<{DATA.format(n)}> {TYPE} {document} .\n" for n in ("1", "2", "3")}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("serve") / "graph", named=documents())
    with serving(graph) as server:
        yield server
        assert server.process.poll() is None, "the server has gone"


# Formats

SELECT = "SELECT ?name { ?p <http://xmlns.com/foaf/0.1/name> ?name } ORDER BY ?name"
DESCRIBE = "DESCRIBE <https://w3id.org/kg/id/concept/transformer>"


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        (SELECT, "*/*", "application/sparql-results+json"),
        (SELECT, "application/*", "application/sparql-results+json"),
        (SELECT, "application/json", "application/json"),
        (SELECT, "text/csv", "text/csv; charset=utf-8"),
        (SELECT, "text/csv;q=0.5, text/tab-separated-values", "text/tab-separated-values"),
        (SELECT, "application/sparql-results+xml, */*;q=0.1", "application/sparql-results+xml"),
        (SELECT, "text/turtle, text/csv;q=0.1", "text/csv"),
        (SELECT, "image/png, */*;q=0.01", "application/sparql-results+json"),
        ("ASK {}", "*/*", "application/sparql-results+json"),
        (DESCRIBE, "*/*", "text/turtle; charset=utf-8"),
        (DESCRIBE, "application/n-triples", "application/n-triples"),
        (DESCRIBE, "application/ld+json", "application/ld+json"),
        (DESCRIBE, "application/rdf+xml;q=0.9, text/turtle;q=0.8", "application/rdf+xml"),
        (DESCRIBE, "application/sparql-results+json, text/turtle;q=0.1", "text/turtle"),
    ],
)
def test_accept(server: Server, query: str, accept: str, kind: str) -> None:
    response = server.ask(query, accept=accept)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith(kind)
    assert "accept" in response.headers["vary"].lower()


@pytest.mark.parametrize("format", ["json", "xml", "tsv"])
def test_rows_come_whole(server: Server, format: str) -> None:
    response = httpx.get(server.sparql, params={"query": SELECT, "format": format})
    formats = {"json": QueryResultsFormat.JSON, "xml": QueryResultsFormat.XML}
    found = parse_query_results(response.content, formats.get(format, QueryResultsFormat.TSV))
    names = [row[0].value for row in found]  # type: ignore[union-attr]
    assert names == ["Ada Bly", "J. Smith", "Jim Smith", "Jo Smith", "Zoë Müller"]


@pytest.mark.parametrize("format", ["turtle", "ntriples", "jsonld", "rdfxml", "ttl", "xml"])
def test_triples_come_whole(server: Server, format: str) -> None:
    response = httpx.get(server.sparql, params={"query": DESCRIBE, "format": format})
    kind = RdfFormat.from_media_type(response.headers["content-type"].partition(";")[0])
    assert len(list(parse(response.content, kind))) == 5


@pytest.mark.parametrize(
    ("query", "parameters", "accept"),
    [
        (SELECT, {}, "text/turtle"),
        (DESCRIBE, {}, "text/csv"),
        (SELECT, {}, "image/png"),
        (SELECT, {}, "*/*;q=0"),
        (SELECT, {"format": "turtle"}, "*/*"),
    ],
)
def test_not_acceptable(
    server: Server, query: str, parameters: dict[str, str], accept: str
) -> None:
    response = httpx.get(
        server.sparql, params={"query": query, **parameters}, headers={"accept": accept}
    )
    assert response.status_code == 406
    assert response.text.count("\n") == 1


def test_choose() -> None:
    assert choose("", SOLUTIONS) == ("json", "application/sparql-results+json")
    assert choose("text/*", SOLUTIONS) == ("csv", "text/csv")
    assert choose("text/csv;q=wrong", SOLUTIONS) == ("csv", "text/csv")
    assert choose("text/turtle;q=0, application/*;q=0.1", TRIPLES) == (
        "ntriples",
        "application/n-triples",
    )
    assert choose("text/html", TRIPLES) is None
    assert choose(" , ;,", HTML) == ("html", "text/html")
    assert prefers_html("text/html,application/xml;q=0.9,*/*;q=0.8")
    assert not prefers_html("*/*")
    assert not prefers_html("text/turtle, text/html;q=0.5")
    assert named("XML") == ("xml", "rdfxml")
    assert named("text/csv") == ("csv", None)
    assert named("papyrus") is None


# Requests that are no good


@pytest.mark.parametrize(
    ("method", "arguments", "status", "message"),
    [
        ("GET", {"params": {"query": "SELECT *\n{ ?s"}}, 400, "line 2, column "),
        ("GET", {"params": {"format": "csv"}}, 400, "there is no query"),
        ("GET", {"params": {"query": "ASK {}", "format": "papyrus"}}, 400, "unknown format"),
        ("GET", {"params": {"query": " "}}, 400, "there is no query"),
        ("GET", {"params": [("query", "ASK {}")] * 2}, 400, "2 parameters query"),
        ("GET", {"params": {"query": "DROP ALL"}}, 400, "updates are not available"),
        ("GET", {"params": {"update": "DROP ALL"}}, 405, "updates are not available"),
        ("GET", {"params": {f"a{n}": "" for n in range(200)}}, 400, "more than 100"),
        ("POST", {"data": {"update": "DROP ALL"}}, 405, "updates are not available"),
        ("POST", {"data": {}}, 415, "is posted as"),
        ("POST", {"content": "ASK {}"}, 415, "is posted as"),
        ("POST", {"json": {"query": "ASK {}"}}, 415, "is posted as"),
        ("PUT", {"params": {"query": "ASK {}"}}, 405, "Method Not Allowed"),
        ("DELETE", {}, 405, "Method Not Allowed"),
        ("GET", {"params": {"query": "SELECT (<f:f>(1) AS ?x) {}"}}, 400, "not supported"),
        (
            "GET",
            {"params": {"query": "ASK {}", "default-graph-uri": "no iri"}},
            400,
            "absolute IRI",
        ),
    ],
)
def test_bad_requests(
    server: Server, method: str, arguments: dict[str, object], status: int, message: str
) -> None:
    response = httpx.request(method, server.sparql, **arguments)  # type: ignore[arg-type]
    assert (response.status_code, message in response.text) == (status, True), response.text
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["access-control-allow-origin"] == "*"
    if status == 405:
        assert "GET" in response.headers["allow"]


def test_broken_encodings(server: Server) -> None:
    for path in ("?query=%FF", "?query=ASK%20%7B%7D%C3", "?%E4=1&query=ASK%7B%7D"):
        assert httpx.get(server.sparql + path).status_code == 400
    headers = {"content-type": "application/sparql-query"}
    response = httpx.post(server.sparql, content=b"ASK {} # \xff", headers=headers)
    assert (response.status_code, response.text) == (400, "the query is not UTF-8 at byte 9\n")
    assert server.ask("ASK { FILTER('\0' = '') }").status_code in (200, 400)


def test_large_bodies(server: Server) -> None:
    headers = {"content-type": "application/sparql-query"}
    query = b"ASK {}" + b" " * (1 << 20)
    response = httpx.post(server.sparql, content=query, headers=headers)
    assert (response.status_code, "at most 1048576 bytes" in response.text) == (413, True)
    chunks = (query[at : at + 65536] for at in range(0, len(query), 65536))
    assert httpx.post(server.sparql, content=chunks, headers=headers).status_code == 413
    response = httpx.post(server.sparql, content=query[: 1 << 20], headers=headers)
    assert response.json()["boolean"] is True


def test_post(server: Server) -> None:
    response = httpx.post(server.sparql, data={"query": "ASK {} # +&ë"})
    assert response.json()["boolean"] is True
    headers = {"content-type": "application/sparql-query; charset=UTF-8", "accept": "text/csv"}
    response = httpx.post(server.sparql, content=SELECT.encode(), headers=headers)
    assert response.text.endswith("Zoë Müller\r\n")


def test_parameters_are_decoded_once(server: Server) -> None:
    response = server.ask('SELECT ("a%2Bb+c%" AS ?x) {}', accept="text/csv")
    assert response.text == "x\r\na%2Bb+c%\r\n"


def test_head_and_options(server: Server) -> None:
    response = httpx.head(server.sparql, params={"query": SELECT})
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == "application/sparql-results+json"
    assert httpx.head(server.sparql, params={"query": "SELECT"}).status_code == 400
    response = httpx.options(server.sparql, headers={"origin": "https://example.org"})
    assert response.status_code == 204
    assert response.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    assert response.headers["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS"
    assert "Content-Type" in response.headers["access-control-allow-headers"]


def test_dataset_of_the_protocol(server: Server) -> None:
    query = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"

    def count(**graphs: object) -> str:
        parameters = {"query": query, "format": "csv"}
        parameters |= {name.replace("_", "-"): value for name, value in graphs.items()}
        return httpx.get(server.sparql, params=parameters).text.splitlines()[1]

    assert count(default_graph_uri=[DATA.format(1), DATA.format(2)]) == "2"
    assert count(default_graph_uri="http://example.org/none") == "0"
    assert count(named_graph_uri=DATA.format(1)) == "0"


# Nothing is fetched


def test_no_connection_goes_out(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        there = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        for query in (
            f"SELECT * {{ SERVICE <{there}> {{ ?s ?p ?o }} }}",
            f"SELECT * {{ SERVICE SILENT <{there}> {{ ?s ?p ?o }} }}",
            f"SELECT * {{ ?s ?p 1SERVICE<{there}>{{}} }}",
            f"SELECT * FROM <{there}> {{ ?s ?p ?o }}",
            f"SELECT * FROM NAMED <{there}> {{ GRAPH ?g {{ ?s ?p ?o }} }}",
            f"LOAD <{there}>",
        ):
            assert server.ask(query).status_code in (200, 400)
            httpx.get(server.url + "query", params={"query": query})
        httpx.get(server.sparql, params={"query": "ASK {}", "default-graph-uri": there})
        httpx.get(server.url + "describe", params={"iri": there})
        with pytest.raises(TimeoutError):
            listener.accept()


# Workers


def test_a_query_over_its_time_is_ended(server: Server) -> None:
    before = server.workers()
    with ThreadPoolExecutor() as threads:
        slow = threads.submit(server.ask, ENDLESS)
        # The other worker answers meanwhile.
        assert all(server.ask("ASK {}").status_code == 200 for _ in range(20))
        response = slow.result()
    assert response.status_code == 503
    assert response.text == "the query took more than 1 seconds and was ended\n"
    assert eventually(lambda: len(server.workers()) == 2 and len(server.workers() & before) == 1)
    assert server.ask("ASK {}").status_code == 200


def test_a_result_over_its_time_is_broken_off(server: Server) -> None:
    received = bytearray()

    def read() -> None:
        with httpx.stream("GET", server.sparql, params={"query": ENDLESS_ROWS}) as response:
            assert response.status_code == 200
            for chunk in response.iter_bytes():
                received.extend(chunk[:100])

    with pytest.raises(httpx.RemoteProtocolError):
        read()
    assert len(received) > 1000
    assert server.ask("ASK {}").status_code == 200


def test_a_client_that_goes_frees_its_worker(tmp_path: Path) -> None:
    with serving(build(tmp_path / "graph"), timeout=600) as server:
        assert eventually(lambda: len(server.workers()) == 2)
        before = server.workers()
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(server.sparql, params={"query": ENDLESS}, timeout=0.3)
        assert eventually(lambda: len(server.workers() & before) == 1)
        assert eventually(lambda: len(server.workers()) == 2)


def test_all_workers_busy(server: Server) -> None:
    with ThreadPoolExecutor(8) as threads:
        statuses = [
            future.result().status_code
            for future in [threads.submit(server.ask, ENDLESS) for _ in range(5)]
        ]
    assert set(statuses) == {503}
    assert eventually(lambda: server.ask("ASK {}").status_code == 200)


def test_lost_workers_are_replaced(server: Server) -> None:
    eventually(lambda: len(server.workers()) == 2)
    before = server.workers()
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not server.workers() & before)
    assert [server.ask("ASK {}").status_code for _ in range(4)] == [200] * 4
    assert eventually(lambda: len(server.workers()) == 2)


def test_a_worker_lost_amid_a_query(tmp_path: Path) -> None:
    with serving(build(tmp_path / "graph"), timeout=20) as server:
        assert server.ask("ASK {}").status_code == 200
        with ThreadPoolExecutor() as threads:
            slow = threads.submit(server.ask, ENDLESS)
            time.sleep(0.5)
            for pid in server.workers():
                os.kill(pid, signal.SIGKILL)
            response = slow.result()
        assert response.status_code == 503
        assert "was lost, perhaps for want of memory" in response.text
        assert response.headers["retry-after"] == "5"
        assert server.ask("ASK {}").status_code == 200


def test_many_clients(server: Server) -> None:
    def client(number: int) -> list[str]:
        with httpx.Client() as session:
            query = f"SELECT ({number} AS ?n) ?s {{ ?s ?p ?o }} LIMIT 50"
            parameters = {"query": query, "format": "csv"}
            return [session.get(server.sparql, params=parameters).text for _ in range(15)]

    with ThreadPoolExecutor(12) as threads:
        for number, texts in enumerate(threads.map(client, range(12))):
            for text in texts:
                lines = text.splitlines()
                assert len(lines) == 51
                assert all(line.startswith(f"{number},") for line in lines[1:])


def test_a_new_generation_is_taken_up(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph) as server:
        for n in range(3):
            more = f'<concept/new> a skos:Concept, kg:Task ; skos:prefLabel "new {n}"@en .\n'
            build(graph, turtle=TURTLE + more)
            query = "SELECT ?l { <https://w3id.org/kg/id/concept/new> ?p ?l FILTER(isLiteral(?l)) }"
            for _ in range(3):
                assert server.ask(query, accept="text/csv").text == f"l\r\nnew {n}\r\n"
            assert httpx.get(server.url + "health").json() == {
                "status": "ok",
                "generation": f"{n + 2:06d}",
                "workers": 2,
            }
            assert "<b>6</b> concepts" in httpx.get(server.url).text
        (graph / "CURRENT").unlink()
        assert server.ask("ASK {}").status_code == 503
        assert httpx.get(server.url + "health").status_code == 503
        assert httpx.get(server.url).status_code == 503


# Start and end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ends_well_on_signals(tmp_path: Path, number: signal.Signals) -> None:
    with serving(build(tmp_path / "graph")) as server:
        workers = server.workers()
        with ThreadPoolExecutor() as threads:
            running = threads.submit(server.ask, ENDLESS)
            time.sleep(0.3)
            server.process.send_signal(number)
            assert running.result().status_code == 503  # its time was over before ours
        out, err = server.process.communicate(timeout=10)
        assert (server.process.returncode, out, err) == (0, "", "")
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_workers_do_not_outlive_a_killed_server(tmp_path: Path) -> None:
    with serving(build(tmp_path / "graph")) as server:
        workers = server.workers()
        assert len(workers) == 2
        server.process.kill()
        assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def started_in_vain(*arguments: str) -> str:
    command = [sys.executable, "-m", "kg.cli", "serve", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_starts_that_fail(server: Server, tmp_path: Path) -> None:
    port = server.url.rstrip("/").rpartition(":")[2]
    graph = str(build(tmp_path / "graph"))
    assert "choose another with --port" in started_in_vain("-g", graph, "--port", port)
    assert "not an address" in started_in_vain("-g", graph, "--host", "no.such.host.invalid")
    assert "no graph here" in started_in_vain("-g", str(tmp_path / "none"), "--port", "0")
    (tmp_path / "graph" / "generations" / "000001" / "CURRENT").unlink()
    assert "cannot be opened" in started_in_vain("-g", graph, "--port", "0")


# Pages


class Links(HTMLParser):
    """The addresses that a page leads to, and the elements it has."""

    def __init__(self, page: httpx.Response) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.elements: list[str] = []
        self.page = str(page.url)
        self.feed(page.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        if tag == "script":
            assert dict(attrs)["src"], "a script within the page"
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("href", "src", "action") and value:
                self.links.add(urljoin(self.page, value))


def page(server: Server, path: str, status: int = 200) -> httpx.Response:
    headers = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    response = httpx.get(server.url + path, headers=headers, follow_redirects=True)
    assert response.status_code == status, (path, response.text)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    Links(response)
    return response


def test_start_page(server: Server) -> None:
    text = page(server, "").text
    assert "<b>3</b> papers" in text
    assert 'href="/concept/induction-head" dir="auto">induction head</a> <small>2 papers' in text
    assert "<small><bdi>2024 · Zoë Müller, Ada Bly</bdi></small>" in text


def test_every_link_of_ours_leads_somewhere(server: Server) -> None:
    """From the start page on, no link of ours is broken, and no page loads from elsewhere."""
    seen: set[str] = set()
    waiting = {server.url}
    with httpx.Client(headers={"accept": "text/html, */*;q=0.5"}) as client:
        while waiting:
            url = waiting.pop()
            seen.add(url)
            response = client.get(url, follow_redirects=True)
            assert response.status_code == 200, url
            if response.headers["content-type"].startswith("text/html"):
                found = {link for link in Links(response).links if link.startswith(server.url)}
                waiting |= found - seen
    kinds = {url[len(server.url) :].partition("/")[0].partition("?")[0] for url in seen}
    assert {"concept", "paper", "person", "record", "query", "static", "sparql"} <= kinds


def test_labels_are_text(server: Server) -> None:
    for path in ("", "concept/script_0123456789ab", "query?query=" + quote("SELECT * {?s ?p ?o}")):
        text = page(server, path).text
        assert "<script>" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    query = page(server, "query?query=" + quote("</textarea><script>x"), 400).text
    assert "</textarea><script>" not in query


def test_a_thing_by_its_address(server: Server) -> None:
    for path in ("person/zo%C3%AB-m%C3%BCller", "person/zoë-müller"):
        text = page(server, path).text
        assert ">Zoë Müller</h1>" in text
        assert ">Heads that copy</a>" in text
    text = page(server, "paper/arxiv/2401.00001").text
    assert ">induction head</a>" in text
    assert 'href="https://arxiv.org/abs/2401.00001"' in text


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/turtle", "text/turtle; charset=utf-8"),
        ("application/ld+json", "application/ld+json"),
        ("application/n-triples", "application/n-triples"),
        ("application/rdf+xml", "application/rdf+xml"),
        ("*/*", "text/html; charset=utf-8"),
    ],
)
def test_a_thing_as_data(server: Server, accept: str, kind: str) -> None:
    url = server.url + "concept/induction-head"
    response = httpx.get(url, headers={"accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (200, kind)
    if "html" not in kind:
        format = RdfFormat.from_media_type(kind.partition(";")[0])
        triples = {(q.subject, q.predicate, q.object) for q in parse(response.content, format)}
        assert any("mentions" in predicate.value for _, predicate, _ in triples)
        assert any(getattr(o, "value", "") == "IH" for _, _, o in triples)


def test_things_that_are_not_there(server: Server) -> None:
    assert "To the start" in page(server, "concept/none", 404).text
    page(server, "describe?iri=https://example.org/none", 404)
    page(server, "describe?iri=none", 400)
    response = httpx.get(server.url + "concept/none", headers={"accept": "text/turtle"})
    assert (response.status_code, response.headers["content-type"]) == (
        404,
        "text/plain; charset=utf-8",
    )
    url = server.url + "concept/transformer"
    assert httpx.get(url, headers={"accept": "image/png"}).status_code == 406
    assert httpx.post(url).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/static/%00",
        "/%ff",
        "/%8z",
        "/concept/%",
    ],
)
def test_no_file_is_read_by_path(server: Server, path: str) -> None:
    host, _, port = server.url[7:-1].partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 "))
    assert b"root:" not in answer
    assert b"import" not in answer


def test_query_page(server: Server) -> None:
    found = page(server, "query?query=" + quote(SELECT)).text
    assert "<td><bdi>Zoë Müller</bdi></td>" in found
    assert "5 rows." in found
    assert "line 1, column" in page(server, "query?query=ASK", 400).text
    assert "Run" in page(server, "query").text
    assert (
        "SERVICE is not available"
        in page(server, "query?query=" + quote("ASK { SERVICE <http://e/> {} }"), 400).text
    )
    many = "SELECT * { ?a ?b ?c . ?d ?e ?f }"
    assert "The first 1,000 rows" in page(server, "query?query=" + quote(many)).text
    # A browser at the endpoint gets the page.
    assert "5 rows." in page(server, "sparql?query=" + quote(SELECT)).text


def test_another_base(tmp_path: Path) -> None:
    turtle = TURTLE.replace("@base <https://w3id.org/kg/id/>", "@base <https://example.org/my/>")
    graph = build(tmp_path / "graph", turtle=turtle)
    with serving(graph, "--base", "https://example.org/my/", "--workers", "1") as server:
        assert 'href="/concept/induction-head"' in page(server, "").text
        assert ">transformer</h1>" in page(server, "concept/transformer").text


def test_health_is_json(server: Server) -> None:
    response = httpx.get(server.url + "health")
    assert json.loads(response.text)["status"] == "ok"


# The endpoint and the pages, further


def test_bad_bases(tmp_path: Path) -> None:
    graph = str(build(tmp_path / "graph"))
    for base in ("foo", "https://example.org/id", "http://[/"):
        assert "the base '" in started_in_vain("-g", graph, "--port", "0", "--base", base)


def test_a_broken_result_is_one_line_of_the_log(tmp_path: Path) -> None:
    with serving(build(tmp_path / "graph"), "--workers", "1") as server:
        with pytest.raises(httpx.RemoteProtocolError):
            server.ask(ENDLESS_ROWS)
        server.process.terminate()
        _, err = server.process.communicate(timeout=20)
    assert err == "a result was broken off: the query took more than 1 seconds and was ended\n"


def test_deep_queries_leave_the_workers_alone(server: Server) -> None:
    assert eventually(lambda: len(server.workers()) == 2)
    before = server.workers()
    for query in ("ASK " + "{" * 100_000, "ASK { FILTER(" + "!" * 100_000 + "true) }"):
        response = httpx.post(server.sparql, data={"query": query})
        assert (response.status_code, " at most " in response.text) == (400, True)
    assert server.workers() == before


def test_prefixes_need_no_declaration(server: Server) -> None:
    response = server.ask("DESCRIBE concept:transformer")
    assert response.text.startswith("@prefix concept: <https://w3id.org/kg/id/concept/> .\n")
    assert response.content == server.ask("DESCRIBE concept:transformer").content
    shown = page(server, "query?query=" + quote("DESCRIBE concept:transformer")).text
    assert "5 triples." in shown
    assert "there is no prefix foo" in server.ask("ASK { foo:a ?b ?c }").text


def test_the_endpoint_without_a_query(server: Server) -> None:
    assert "<textarea" in page(server, "sparql").text
    for accept, status in (("*/*;q=0.5, text/html;q=0.9", 303), ("*/*", 200), ("text/csv", 400)):
        response = httpx.get(server.sparql, headers={"accept": accept})
        assert response.status_code == status
    assert "write one on the page /query" in response.text


def test_lists_of_papers_and_people(server: Server) -> None:
    assert "1 paper, by title" in page(server, "papers").text
    text = page(server, "papers?year=2024").text
    assert re.search(r'<a href="/paper/arxiv/2401.00001"\s+dir="auto">Heads that copy</a>', text)
    text = page(server, "people").text
    assert '<a href="/person/ada-bly" dir="auto">Ada Bly</a> <small>2 papers</small>' in text
    start = Links(page(server, "")).links
    assert {server.url + path for path in ("papers", "people", "concepts")} <= start
