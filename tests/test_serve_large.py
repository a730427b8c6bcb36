"""Large answers that are asked for again."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from served import ENDLESS_ROWS, Server, eventually, serving
from small_graph import TURTLE, build

from kg.serve.large import SMALL, Large, Part

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


def memory(server: Server) -> int:
    """Bytes that the server's own process holds."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024


def files(server: Server) -> int:
    """How many temporary files it has open."""
    links = Path(f"/proc/{server.process.pid}/fd").iterdir()
    return sum("(deleted)" in str(link.readlink()) for link in links if link.is_symlink())


def test_what_is_small_takes_no_file(graph: Path, log: Path) -> None:
    """However many pieces it comes in: packed, thousands of rows are small."""
    packed, few = {"accept-encoding": "gzip"}, MANY.replace("20000", "5000")
    with serving(graph, "--access-log", str(log), timeout=20) as server:
        for n in range(20):
            for _ in range(2):
                server.ask(f"{few} # {n}", accept="text/csv", **packed)
        assert files(server) == 0
        again = server.ask(f"{few} # 9", accept="text/csv", **packed)
        for _ in range(2):
            server.ask(MANY, accept="text/csv")
        assert files(server) == 1
    assert again.text.count("\r\n") == 5001
    assert cached(log)[40]


def test_readers_that_stall_take_no_memory(graph: Path) -> None:
    query = MANY.replace("20000", "200000")
    with serving(graph, timeout=20) as server, ExitStack() as stack:
        sizes = {len(server.ask(query, accept="text/csv").content) for _ in range(3)}
        (size,) = sizes
        assert size > 1 << 24
        before = memory(server)
        asked = httpx.QueryParams({"query": query})
        ask = f"GET /sparql?{asked} HTTP/1.1\r\nHost: {server.url[7:-1]}"
        for _ in range(10):
            one = stack.enter_context(socket.create_connection(server.place))
            one.sendall(f"{ask}\r\nAccept: text/csv\r\nAccept-Encoding: x\r\n\r\n".encode())
        time.sleep(1)
        assert memory(server) - before < size


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
    unit = SMALL // 2 + 1
    large = Large(largest=2 * unit, most=5 * unit)
    body = b"x" * unit
    for name in "abc":
        large.keep((name,), part(large, body, body))
    assert [large.get((name,)) is not None for name in "abc"] == [False, True, True]
    large.get(("b",))
    large.keep(("d",), part(large, body, body))
    assert [large.get((name,)) is not None for name in "bcd"] == [True, False, True]
    # Too much for one, and what is left half done.
    large.keep(("e",), part(large, body, body, b"x"))
    assert large.get(("e",)) is None
    half = part(large, body, body)
    half.leave()
    half.leave()
    assert large.size <= 4 * unit
    large.clear()
    assert (large.size, large.files) == (0, 0)


def test_files_have_a_bound_too() -> None:
    large = Large(files=2)
    body = b"x" * (SMALL + 1)
    for name in "abc":
        large.keep((name,), part(large, body))
    assert [large.get((name,)) is not None for name in "abc"] == [False, True, True]
    assert large.files == 2
    first, second = part(large, body), part(large, body)
    assert [large.get((name,)) for name in "bc"] == [None, None]
    assert part(large, body).on_disk is False
    first.leave()
    second.leave()
    assert (large.files, large.size) == (0, 0)


def test_what_is_being_read_is_not_given_up_for_nothing() -> None:
    large = Large(most=3 * SMALL)
    body = b"x" * (SMALL + 1)
    large.keep(("a",), part(large, body))
    large.keep(("b",), part(large, body))

    async def send(_: object) -> None:
        if not other:
            other.append(part(large, body))

    other: list[Part] = []
    found = large.get(("a",))
    assert found is not None
    asyncio.run(found.send(send))
    assert other[0].on_disk
    assert large.get(("a",)) is found
    assert large.get(("b",)) is None


def test_small_ones_are_for_memory() -> None:
    large = Large()
    small = part(large, b"a" * SMALL)
    assert small.small == b"a" * SMALL
    assert not small.on_disk
    large.keep(("a",), small)
    assert large.get(("a",)) is None
    assert (large.files, large.size) == (0, 0)


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
    assert not found.on_disk
