"""What `kg serve` grants to each client, and what it keeps for all: time, memory, rows, caches."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import (
    Literal,
    NamedNode,
    Quad,
    QueryResultsFormat,
    RdfFormat,
    Store,
    parse,
    parse_query_results,
)
from served import ENDLESS, ENDLESS_ROWS, Server, eventually, serving
from small_graph import TURTLE, build

from kg.queries.columns import with_columns
from kg.serve.limit import FirstRows

ALL = "SELECT ?s ?p ?o { ?s ?p ?o }"
# 100,000 rows out of any graph of a few hundred triples.
MANY = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 100000"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("limits") / "graph")
    with serving(graph, timeout=20) as server:
        yield server
        assert server.process.poll() is None, "the server has gone"


def get(server: Server, query: str, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.get(server.sparql, params={"query": query}, headers=named, timeout=20)


def raw(server: Server, request: bytes, seconds: float = 20) -> bytes:
    """All that comes back for bytes sent as they are."""
    with socket.create_connection(server.place, timeout=seconds) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


# Errors have one form


def test_errors_are_problem_details_for_who_takes_json(server: Server) -> None:
    query = "SELECT *\n{ ?s ?p }"
    for accept in ("application/sparql-results+json", "application/json", "application/ld+json"):
        response = get(server, query, accept=accept)
        assert (response.status_code, response.headers["content-type"]) == (
            400,
            "application/problem+json",
        )
        problem = response.json()
        assert (problem["status"], problem["title"]) == (400, "Bad Request")
        line, column = problem["line"], problem["column"]
        assert line == 2
        assert problem["detail"].startswith(
            f"the query is not valid SPARQL: line {line}, column {column}: "
        )
    for accept in ("*/*", "text/csv", "text/turtle", "text/plain, application/json;q=0.5"):
        response = get(server, query, accept=accept)
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        assert response.text.startswith("the query is not valid SPARQL: line 2, column ")
        assert response.text.count("\n") == 1


@pytest.mark.parametrize("path", ["concept/none", "nothing", ".well-known/none", "sparql/x"])
def test_errors_of_other_addresses_have_it_too(server: Server, path: str) -> None:
    response = httpx.get(server.url + path, headers={"accept": "application/json"})
    assert (response.status_code, response.json()["status"]) == (404, 404)
    assert httpx.put(server.url + path).status_code == 405
    assert response.headers["access-control-allow-origin"] == "*"


# CORS


@pytest.mark.parametrize("path", ["sparql", "", "concept/transformer", ".well-known/void"])
def test_browsers_may_ask_from_anywhere(server: Server, path: str) -> None:
    asked = {"origin": "https://example.org", "access-control-request-method": "GET"}
    response = httpx.options(server.url + path, headers=asked)
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in response.headers
    assert "If-None-Match" in response.headers["access-control-allow-headers"]
    assert ("POST" in response.headers["access-control-allow-methods"]) == (
        "POST" in response.headers["allow"] or path != "sparql"
    )
    response = httpx.get(server.url + path, headers={"origin": "https://example.org"})
    assert response.headers["access-control-allow-origin"] == "*"


# What the server says of itself


def test_the_dataset_in_void(server: Server) -> None:
    url = server.url + ".well-known/void"
    response = httpx.get(url)
    assert response.headers["content-type"] == "text/turtle; charset=utf-8"
    triples = {str(t) for t in parse(response.content, RdfFormat.TURTLE)}
    assert any("ns/void#triples" in t for t in triples)
    endpoint = f"<http://rdfs.org/ns/void#sparqlEndpoint> <{server.sparql}>"
    assert any(endpoint in t for t in triples)
    for media in ("application/ld+json", "application/n-triples", "application/rdf+xml"):
        response = httpx.get(url, headers={"accept": media})
        assert response.headers["content-type"] == media
    assert httpx.get(url, headers={"accept": "text/html"}).status_code == 303
    assert httpx.get(url, headers={"accept": "image/png"}).status_code == 406
    assert httpx.head(url).status_code == 200


def test_a_host_that_is_none(server: Server) -> None:
    for path in (b"/sparql", b"/.well-known/void", b"/sparql?query=ASK%7B%7D"):
        for host in (b"a<b", b"", b"[", b"x y", b"\xff"):
            answer = raw(
                server, b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (path, host)
            )
            assert answer[:12] in (b"HTTP/1.1 200", b"HTTP/1.1 400"), answer


# Compression


def test_results_come_compressed(server: Server) -> None:
    with httpx.stream("GET", server.sparql, params={"query": MANY, "format": "csv"}) as response:
        assert response.headers["content-encoding"] == "gzip"
        packed = b"".join(response.iter_raw())
    plain = get(server, MANY, accept="text/csv", accept_encoding="identity")
    assert "content-encoding" not in plain.headers
    assert plain.text.count("\r\n") == 100_001
    assert gzip.decompress(packed) == plain.content
    assert len(packed) < len(plain.content) / 5
    small = get(server, "ASK {}")
    assert "content-encoding" not in small.headers
    assert small.headers["content-length"] == str(len(small.content))
    page = httpx.get(server.url, headers={"accept": "text/html"})
    assert page.headers["content-encoding"] == "gzip"
    for refused in ("gzip;q=0", "identity", "br", ""):
        assert "content-encoding" not in get(server, ALL, accept_encoding=refused).headers


# Tags


def test_a_client_that_has_it_already(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph, timeout=20) as server:
        first = get(server, ALL)
        tag = first.headers["etag"]
        assert first.headers["cache-control"] == "no-cache"
        again = get(server, ALL, if_none_match=f'"other", {tag}')
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["access-control-allow-origin"] == "*"
        assert get(server, ALL, if_none_match='"other"').status_code == 200
        # Another query, another format and another generation have other tags.
        assert get(server, ALL + " LIMIT 1").headers["etag"] != tag
        assert get(server, ALL, accept="text/csv", if_none_match=tag).status_code == 200
        page = httpx.get(server.url, headers={"accept": "text/html"})
        same = {"accept": "text/html", "if-none-match": page.headers["etag"]}
        assert httpx.get(server.url, headers=same).status_code == 304
        build(graph, turtle=TURTLE + "<concept/new> a skos:Concept .\n")
        newer = get(server, ALL, if_none_match=tag)
        assert newer.status_code == 200
        assert newer.headers["etag"] != tag
        assert "concept/new" in newer.text
        assert httpx.get(server.url, headers=same).status_code == 200


def test_other_settings_are_other_answers(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    tags = {}
    asked = {"accept": "text/csv", "host": "example.org"}
    base = ("--base", "https://example.org/")
    for options in ((), ("--max-rows", "7"), ("--max-rows", "8"), base, ()):
        with serving(graph, "--workers", "1", *options, timeout=20) as server:
            answer = server.ask(ALL, **asked)
            known = set(tags.values()) - {tags.get(options)}
            again = server.ask(ALL, **asked, **{"if-none-match": ", ".join(known) or '"x"'})
            assert (answer.status_code, again.status_code) == (200, 200)
            assert tags.setdefault(options, answer.headers["etag"]) == answer.headers["etag"]
    assert len(set(tags.values())) == 4


@pytest.mark.parametrize(
    "address",
    ["search?q=knowledge", "search?q=random+forest", "search?q=RAND()", "papers?x=NOW()"],
)
def test_pages_have_a_tag_whatever_their_address(server: Server, address: str) -> None:
    # The search index is made at the first search.
    assert eventually(lambda: httpx.get(server.url + address).status_code == 200, 30)
    assert "etag" in httpx.get(server.url + address).headers


@pytest.mark.parametrize("text", ["knowledge", "operand(", "random ()", "now", "uuid: 1", "%nowx("])
def test_what_only_looks_like_a_function_has_a_tag(server: Server, text: str) -> None:
    assert "etag" in get(server, f'SELECT ("{text}" AS ?x) {{}}').headers


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?s { ?s ?p ?o } ORDER BYRAND() LIMIT 3",
        "SELECT (SUM(DISTINCTRAND()) AS ?n) { ?s ?p ?o }",
        "SELECT ?s { ?s ?p ?o FILTERBNODE() }",
        "SELECT (1+rand #(\n () AS ?x) {}",
        "SELECT (IF(true,NOW\t(),1) AS ?x) {}",
    ],
)
def test_keywords_need_no_space(server: Server, query: str) -> None:
    assert "etag" not in get(server, query).headers


@pytest.mark.parametrize("function", ["RAND()", "now( )", "STRUUID()", "UUID()"])
def test_what_changes_has_no_tag(server: Server, function: str) -> None:
    query = f"SELECT ({function} AS ?x) {{}}"
    answers = [get(server, query) for _ in range(2)]
    assert answers[0].text != answers[1].text
    assert "etag" not in answers[0].headers
    escaped = "".join(f"%{ord(c):02X}" for c in query)
    answers = [httpx.get(f"{server.sparql}?query={escaped}") for _ in range(2)]
    assert answers[0].text != answers[1].text


def test_errors_and_posts_have_no_tag(server: Server) -> None:
    assert "etag" not in get(server, "SELECT").headers
    assert "etag" not in httpx.post(server.sparql, data={"query": "ASK {}"}).headers
    assert "etag" not in httpx.get(server.url + "health").headers


def test_what_lacks_something_is_not_kept() -> None:
    """A page that makes do without a panel, since its query took too long, has no tag."""
    import asyncio

    from kg.serve.answer import RequestError
    from kg.serve.caching import Cached

    sent: list[dict[str, object]] = []
    missing = True

    async def page(scope: object, receive: object, send: object) -> None:
        if missing:
            await asyncio.to_thread(RequestError, 503, "too long")
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b"page"})  # type: ignore[operator]

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def get_it() -> bool:
        scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "scheme": "http"}
        sent.clear()
        await cached({**scope, "query_string": b"", "headers": []}, None, send)  # type: ignore[arg-type]
        return any(name == b"etag" for name, _ in sent[0]["headers"])  # type: ignore[attr-defined]

    cached = Cached(page, lambda: 1)  # type: ignore[arg-type]
    assert not asyncio.run(get_it())
    missing = False
    assert asyncio.run(get_it())


# Rows


@pytest.mark.parametrize("format", ["json", "xml", "csv", "tsv", "turtle", "ntriples"])
def test_max_rows(tmp_path: Path, format: str) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph, "--max-rows", "7", "--workers", "1", timeout=20) as server:
        query = ALL if format in ("json", "xml", "csv", "tsv") else "CONSTRUCT WHERE { ?s ?p ?o }"
        for limit, rows in (("", 7), (" LIMIT 7", 7), (" LIMIT 3", 3), (" LIMIT 0", 0)):
            response = httpx.get(server.sparql, params={"query": query + limit, "format": format})
            assert response.headers["kg-max-rows"] == "7"
            assert count(response.content, format) == rows
        assert server.ask("ASK {}").json()["boolean"] is True


def count(data: bytes, format: str) -> int:
    if format == "csv":
        lines = data.decode().split("\r\n")
        return len(lines) - 2
    if format in ("turtle", "ntriples"):
        kind = RdfFormat.TURTLE if format == "turtle" else RdfFormat.N_TRIPLES
        return len(list(parse(data, kind)))
    formats = {"json": QueryResultsFormat.JSON, "xml": QueryResultsFormat.XML}
    found = parse_query_results(data, formats.get(format, QueryResultsFormat.TSV))
    return len(list(found))  # type: ignore[arg-type]


class Collected:
    """A sink that keeps all it gets."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> int:
        self.data += data
        return len(data)

    def flush(self) -> None:
        pass


NASTY = st.text(st.sampled_from('\r\n\t",{}[]\\<>/aé result'), max_size=12)


@given(st.lists(NASTY, min_size=1, max_size=6, unique=True), st.integers(1, 6), st.integers(1, 9))
def test_the_first_rows_of_any_text(texts: list[str], most: int, size: int) -> None:
    """However the writer cuts its output into pieces, whole rows come through, as many as asked."""
    store = Store()
    some = NamedNode("http://example.org/a")
    for text in texts:
        store.add(Quad(some, some, Literal(text)))
    for format in ("json", "xml", "csv", "tsv"):
        whole, cut = Collected(), Collected()
        kind = {
            "json": QueryResultsFormat.JSON,
            "xml": QueryResultsFormat.XML,
            "csv": QueryResultsFormat.CSV,
            "tsv": QueryResultsFormat.TSV,
        }[format]
        query = "SELECT ?o { ?s ?p ?o } ORDER BY ?o"
        store.query(query).serialize(whole, kind)  # type: ignore[call-overload, union-attr]
        expected = store.query(f"{query} LIMIT {most}")
        wanted = Collected()
        expected.serialize(wanted, kind)  # type: ignore[call-overload, union-attr]

        class Pieces(FirstRows):
            def write(self, data: bytes) -> int:
                for at in range(0, len(data), size):
                    super().write(data[at : at + size])
                return len(data)

        Pieces(cut, format, most).write_all(store.query(query))  # type: ignore[arg-type]
        ours = wanted.data.replace(b"\r", b"&#xD;") if format == "xml" else wanted.data
        assert cut.data == ours
        assert whole.data.startswith(cut.data[:10])


# Columns


def test_columns_come_as_the_query_names_them(server: Server) -> None:
    query = "SELECT * { ?zebra ?middle ?apple } LIMIT 1"
    assert get(server, query, accept="text/csv").text.startswith("zebra,middle,apple\r\n")


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("SELECT * { ?b ?a ?c }", "SELECT ?b ?a ?c { ?b ?a ?c }"),
        ("select distinct #x\n * { ?b $a ?c }", "select distinct #x\n ?b ?a ?c { ?b $a ?c }"),
        ("SELECT*{?c ?b ?a}", "SELECT?c ?b ?a{?c ?b ?a}"),
        ("SELECT ?b ?a ?c { ?a ?b ?c }", None),
        ("SELECT (COUNT(*) AS ?n) { ?a ?b ?c }", None),
        ("SELECT * { ?b ?a }", None),
    ],
)
def test_with_columns(query: str, ordered: str | None) -> None:
    assert with_columns(query, 0, {"a", "b", "c"}) == ordered


# Time


def test_a_long_query_leaves_its_place_to_others(tmp_path: Path) -> None:
    """Three endless queries on one worker, and light ones are answered all the while."""
    with serving(build(tmp_path / "graph"), "--workers", "1", timeout=6) as server:
        with ThreadPoolExecutor() as threads:
            begun = time.monotonic()
            slow = [threads.submit(server.ask, ENDLESS) for _ in range(3)]
            light = []
            while time.monotonic() < begun + 9 and not all(one.done() for one in slow):
                light.append(get(server, "ASK {}", cache=str(len(light))).status_code)
                time.sleep(0.05)
            assert set(light) == {200}
            assert len(light) > 5
            assert {one.result().status_code for one in slow} == {503}
            assert all(one.result().headers["retry-after"] == "5" for one in slow)
        assert eventually(lambda: len(server.workers()) == 1)


def test_a_slow_reader_leaves_its_place_to_others(tmp_path: Path) -> None:
    with serving(build(tmp_path / "graph"), "--workers", "1", timeout=15) as server:
        query = httpx.QueryParams({"query": ENDLESS_ROWS})
        request = f"GET /sparql?{query} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        readers = [socket.create_connection(server.place) for _ in range(2)]
        for reader in readers:
            reader.sendall(request)
            assert reader.recv(10)
        for n in range(10):
            assert server.ask(f"ASK {{}} # {n}").status_code == 200
        for reader in readers:
            reader.close()
        assert eventually(lambda: len(server.workers()) == 1)


def test_a_queue_that_is_full(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph, "--workers", "1", "--max-waiting", "1", timeout=1) as server:
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(server.ask, [ENDLESS] * 6))
        texts = [answer.text for answer in answers]
        assert {answer.status_code for answer in answers} == {503}
        assert all(answer.headers["retry-after"] == "5" for answer in answers)
        assert sum("too many queries wait" in text for text in texts) >= 3
        assert eventually(lambda: server.ask("ASK {}").status_code == 200)


def test_requests_that_never_end_are_dropped(server: Server) -> None:
    """Heads have a length, and a client that sends none of it has only so much time."""
    long = raw(server, b"GET /sparql?query=" + b"a" * 200_000)
    assert long.startswith(b"HTTP/1.1 414 ")
    long = raw(server, b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000)
    assert long.startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 414 "))
    assert b"access-control-allow-origin: *" in long
    assert server.ask("ASK {}").status_code == 200


# Memory, and the first byte


def test_a_long_result_streams(server: Server) -> None:
    def resident() -> int:
        status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+)", status)
        assert found is not None
        return int(found[1])

    first = []
    for n in range(4):
        before = resident()
        begun = time.perf_counter()
        parameters = {"query": f"{MANY} # {n}", "format": "json"}
        with httpx.stream("GET", server.sparql, params=parameters, timeout=20) as response:
            chunks = response.iter_bytes()
            next(chunks)
            first.append(time.perf_counter() - begun)
            size = sum(map(len, chunks))
        assert size > 20_000_000
    assert resident() - before < 8_000  # KiB, of a result of many more
    assert min(first) < 0.2  # on a machine that does other things too


# Generations


def test_a_running_query_keeps_its_generation(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph, timeout=60) as server:
        parameters = {"query": MANY, "format": "csv"}
        with httpx.stream("GET", server.sparql, params=parameters, timeout=60) as response:
            chunks = response.iter_bytes()
            got = [next(chunks)]
            for n in range(3):  # so that the first is gone from the disk
                build(graph, turtle=TURTLE + f"<concept/new-{n}> a skos:Concept .\n")
                assert f"concept/new-{n}" in server.ask(f"{ALL} # {n}").text
            got += chunks
        assert b"".join(got).count(b"\r\n") == 100_001
        assert b"concept/new" not in b"".join(got)
        assert not (graph / "generations" / "000001").exists()


# The log


def test_access_log(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    graph = build(tmp_path / "graph")
    with serving(graph, "--access-log", str(log), "--workers", "1", timeout=1) as server:
        for _ in range(3):  # the first two are asked, the third is had already
            server.ask("ASK {}")
        httpx.post(server.sparql, data={"query": "ASK { } # posted"})
        server.ask("SELECT")
        server.ask(ENDLESS)
        with pytest.raises(httpx.RemoteProtocolError):
            server.ask(ENDLESS_ROWS)
        log.rename(tmp_path / "old.jsonl")  # as logrotate does
        httpx.get(server.url + "health")
        assert eventually(log.exists)
    old = (tmp_path / "old.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in old.splitlines()]
    assert [line["status"] for line in lines] == [200, 200, 200, 200, 400, 503, 200]
    first, second, cached, posted, _, ended, broken = lines
    assert first["query"] == "ASK {}"
    assert first["method"] == "GET"
    assert first["path"] == "/sparql"
    assert first["client"] == "127.0.0.1"
    assert first["bytes"] > 0
    assert 0 < first["query_seconds"] < first["seconds"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", first["time"])
    assert "cached" not in second
    assert cached["cached"] is True
    assert cached["query"] == "ASK {}"
    assert posted["query"] == "ASK { } # posted"
    assert ended["seconds"] >= 1
    assert "more than 1 seconds" in broken["error"]
    assert json.loads(log.read_text(encoding="utf-8"))["path"] == "/health"


def test_access_log_that_cannot_be(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    place = str(tmp_path / "none" / "log")
    command = ["-m", "kg.cli", "serve", "-g", str(graph), "--port", "0", "--access-log", place]
    done = subprocess.run(
        [os.sys.executable, *command],  # type: ignore[attr-defined]
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)


# Start and end


def test_host_says_what_it_opens(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph, "--host", "0.0.0.0", "--workers", "1") as server:
        assert server.process.stderr is not None
        assert "Every machine that can reach" in server.process.stderr.readline()
    with serving(graph, "--workers", "1") as server:
        assert server.url.startswith("http://127.0.0.1:")
        server.process.terminate()
        _, err = server.process.communicate(timeout=20)
        assert err == ""


def test_the_end_lets_running_queries_come_to_theirs(tmp_path: Path) -> None:
    with serving(build(tmp_path / "graph"), timeout=60) as server:
        query = MANY.replace("100000", "40000")
        parameters = {"query": query, "format": "csv"}
        with httpx.stream("GET", server.sparql, params=parameters, timeout=60) as response:
            chunks = response.iter_bytes()
            got = len(next(chunks))
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(httpx.ConnectError):
                httpx.get(server.url + "health")
            got += sum(map(len, chunks))
        assert got > 4_000_000
        out, err = server.process.communicate(timeout=20)
        assert (server.process.returncode, out, err) == (0, "", "")
