"""Half a minute of bad clients (see `hostile.py`), and any request that Hypothesis thinks of."""

from __future__ import annotations

from collections.abc import Iterator

import hostile
import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from served import Server, serving
from small_graph import build


def test_half_a_minute_of_hostile_load() -> None:
    report = hostile.run(seconds=30, most=100_000, crowd=16, seed=1)
    assert report.faults == []
    assert report.statuses["200"] > 100
    assert report.statuses["500"] == 0
    # What is loaded at first use counts in a short run; a long one is held to a fifth.
    assert report.growth < 1.5


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("hostile") / "graph")
    with serving(graph, timeout=5) as server:
        yield server


TEXT = st.text(max_size=40)
QUERY = st.one_of(
    TEXT,
    st.lists(st.sampled_from(hostile.PIECES.split(" ")), max_size=25).map(" ".join),
    st.sampled_from(hostile.QUERIES),
)
NAMES = st.sampled_from(
    ["query", "query", "query", "format", "default-graph-uri", "named-graph-uri", "update", "q"]
)
HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)


@settings(max_examples=200)
@given(
    method=st.sampled_from(["GET", "GET", "HEAD", "POST", "OPTIONS", "PUT"]),
    path=st.sampled_from(["sparql", "sparql", "query", "describe", "search", "search.json", ""]),
    parameters=st.lists(st.tuples(NAMES, QUERY), max_size=4),
    accept=st.one_of(HEADER, st.sampled_from(hostile.ACCEPTS)),
    kind=st.one_of(HEADER, st.sampled_from(["application/sparql-query", *hostile.TYPES[:3]])),
    body=st.one_of(st.binary(max_size=60), QUERY.map(lambda q: q.encode("utf-8", "replace"))),
)
def test_any_request_has_an_answer(
    server: Server,
    method: str,
    path: str,
    parameters: list[tuple[str, str]],
    accept: str,
    kind: str,
    body: bytes,
) -> None:
    """No request is a fault of ours, and each error says in one line what is wrong."""
    headers = {"accept": accept.strip(), "content-type": kind.strip().encode("utf-8")}
    response = httpx.request(
        method,
        server.url + path,
        params=parameters,
        headers=headers,  # type: ignore[arg-type]
        content=body if method in ("POST", "PUT") else None,
        timeout=30,
    )
    assert response.status_code in (200, 204, 303, 304, 400, 404, 405, 406, 415, 503)
    assert response.headers["access-control-allow-origin"] == "*"
    if response.status_code >= 400 and response.headers["content-type"].startswith("text/plain"):
        assert response.text.count("\n") == (0 if method == "HEAD" else 1)


def test_a_failed_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    report = hostile.Report()
    crowd = hostile.Crowd.__new__(hostile.Crowd)
    crowd.report = report
    crowd.judge(b"HTTP/1.1 500 Internal Server Error\r\n\r\n", "a test")
    crowd.judge(b"", "a test")
    assert len(report.faults) == 1
    assert report.statuses["closed"] == 1
