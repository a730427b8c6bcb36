"""Large answers that are asked for again."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from served import ENDLESS_ROWS, eventually, serving
from small_graph import TURTLE, build

from kg.serve.large import Large, Part

MANY = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 20000"
HEADERS = [(b"content-type", b"text/csv")]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return build(tmp_path / "graph")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def cached(log: Path) -> list[bool]:
    lines = log.read_text(encoding="utf-8").splitlines()
    return ["cached" in json.loads(line) for line in lines]


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_the_third_time_no_query_runs(graph: Path, log: Path, encoding: str) -> None:
    with serving(graph, "--access-log", str(log), timeout=20) as server:
        answers = []
        for _ in range(4):
            answers.append(server.ask(MANY, accept="text/csv", **{"accept-encoding": encoding}))
        other = server.ask(MANY, accept="application/json")
        with ThreadPoolExecutor() as threads:
            at_once = threads.map(lambda _: server.ask(MANY, accept="text/csv"), range(8))
            assert len({answer.content for answer in at_once}) == 1
        head = httpx.head(server.sparql, params={"query": MANY})
    assert len({answer.content for answer in answers}) == 1
    first, second, third, _ = (answer.headers for answer in answers)
    assert "content-length" not in second
    assert int(third.pop("content-length")) > 1 << 17
    for headers in (first, third):
        headers.pop("transfer-encoding", None)
        headers.pop("date")
    assert third == first
    assert cached(log)[:5] == [False, False, True, True, False]
    assert other.headers["content-type"] == "application/json"
    assert other.headers["etag"] != first["etag"]
    assert head.status_code == 200


def test_a_client_that_has_it_already_gets_nothing(graph: Path) -> None:
    with serving(graph, timeout=20) as server:
        tags = {server.ask(MANY).headers["etag"] for _ in range(3)}
        assert len(tags) == 1
        assert server.ask(MANY, **{"if-none-match": tags.pop()}).status_code == 304


def test_what_breaks_off_is_not_kept(graph: Path, log: Path) -> None:
    with serving(graph, "--access-log", str(log), timeout=1) as server:
        for _ in range(3):
            with pytest.raises(httpx.RemoteProtocolError):
                server.ask(ENDLESS_ROWS)
        # Nor what the client leaves.
        for _ in range(3):
            with httpx.stream("GET", server.sparql, params={"query": MANY}) as response:
                next(response.iter_raw(10))
        assert eventually(lambda: len(cached(log)) == 6)
    assert not any(cached(log)[:3])


def test_another_generation_has_other_answers(graph: Path) -> None:
    with serving(graph, timeout=20) as server:
        before = [server.ask(MANY).content for _ in range(3)]
        build(graph, TURTLE.replace("transformer", "transducer"))
        assert eventually(lambda: b"transducer" in server.ask(MANY).content)
        assert b"transducer" not in before[2]


def part(large: Large, *bodies: bytes) -> Part:
    made = large.part(HEADERS)
    for body in bodies:
        made.add(body)
    return made


def sent(whole: Part) -> bytes:
    messages: list[dict[str, object]] = []

    async def send(message: object) -> None:
        messages.append(message)  # type: ignore[arg-type]

    asyncio.run(whole.send(send))
    assert messages[0]["headers"] == [*HEADERS, (b"content-length", b"%d" % whole.size)]
    assert [message["more_body"] for message in messages[1:]] == [
        *[True] * (len(messages) - 2),
        False,
    ]
    return b"".join(message["body"] for message in messages[1:])  # type: ignore[misc]


def test_it_comes_as_it_went() -> None:
    large, body = Large(), bytes(range(256)) * 4000
    large.keep(("a",), part(large, body[:7], body[7:]))
    found = large.get(("a",))
    assert found is not None
    assert sent(found) == sent(found) == body
    assert large.get(("b",)) is None


def test_all_of_them_have_a_bound() -> None:
    large = Large(largest=10, most=25)
    for name in "abc":
        large.keep((name,), part(large, b"12345", b"67890"))
    assert [large.get((name,)) is not None for name in "abc"] == [False, True, True]
    large.get(("b",))
    large.keep(("d",), part(large, b"1234567890"))
    assert [large.get((name,)) is not None for name in "bcd"] == [True, False, True]
    # Too much for one, and what is left half done.
    large.keep(("e",), part(large, b"12345", b"678901"))
    assert large.get(("e",)) is None
    half = part(large, b"12345")
    assert not part(large, b"1234567890", b"1").whole
    half.leave()
    half.leave()
    assert large.size == 20 - 10
    large.clear()
    assert large.size == 0


def test_who_is_being_sent_one_that_goes_still_gets_it() -> None:
    large = Large()
    body = b"x" * (1 << 20)
    large.keep(("a",), part(large, body))
    found = large.get(("a",))
    assert found is not None
    got: list[bytes] = []

    async def send(message: dict[str, object]) -> None:
        got.append(message.get("body", b""))  # type: ignore[arg-type]
        large.clear()

    asyncio.run(found.send(send))  # type: ignore[arg-type]
    assert b"".join(got) == body
    assert large.size == 0
    assert not found.whole
