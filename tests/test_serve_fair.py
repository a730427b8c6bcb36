"""Who has to make room for others: queries that hold all workers, connections that say nothing."""

from __future__ import annotations

import asyncio
import resource
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import httpx
import pytest
from served import ENDLESS, ENDLESS_ROWS, Server, eventually, serving
from small_graph import BASE, build

from kg.serve.answer import RequestError
from kg.serve.connection import MOST_CONNECTIONS
from kg.serve.link import Worker
from kg.serve.pages.site import Site
from kg.serve.pool import Pool

PLACES = 4  # queries that run at once with one worker


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(build(tmp_path / "graph"), "--workers", "1", timeout=30) as server:
        yield server


def reader(server: Server, number: int) -> socket.socket:
    """A client that asks for a long result and takes nothing of it."""
    connection = socket.create_connection(server.place, timeout=20)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    query = httpx.QueryParams({"query": f"{ENDLESS_ROWS} # {number}", "format": "csv"})
    connection.sendall(f"GET /sparql?{query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return connection


def test_clients_that_take_nothing_make_room(server: Server) -> None:
    with ExitStack() as stack, ThreadPoolExecutor() as threads:
        stuck = [stack.enter_context(reader(server, n)) for n in range(2 * PLACES)]
        # One works, and has done so for longer than the others have been stuck.
        working = threads.submit(server.ask, ENDLESS.replace("?a != ?g", "?a != ?d"))
        begun = time.monotonic()
        assert server.ask("ASK {}").status_code == 200
        assert time.monotonic() - begun < 25
        begun = time.monotonic()
        for n in range(10):
            assert server.ask(f"ASK {{}} # {n}").status_code == 200
        assert time.monotonic() - begun < 5
        assert not working.done()
        for one in stuck:
            one.close()
    assert eventually(lambda: len(server.workers()) == 1)


def test_the_query_that_has_run_longest_makes_room(server: Server) -> None:
    with ThreadPoolExecutor() as threads:
        heavy = []
        for n in range(PLACES):
            heavy.append(threads.submit(server.ask, f"{ENDLESS} # {n}", accept="application/json"))
            time.sleep(0.3)
        assert eventually(lambda: len(server.workers()) == PLACES)
        time.sleep(1.5)  # all are long
        begun = time.monotonic()
        assert server.ask("ASK {}").status_code == 200
        assert 2 < time.monotonic() - begun < 10
        assert server.ask("ASK { }").status_code == 200
        assert [one.done() for one in heavy] == [True] + [False] * (PLACES - 1)
        ended = heavy[0].result()
        assert (ended.status_code, ended.headers["retry-after"]) == (503, "5")
        assert ended.headers["content-type"] == "application/problem+json"
        assert "had run longest of all" in ended.json()["detail"]
        server.process.terminate()
    assert {one.result().status_code for one in heavy} == {503}


def test_nobody_makes_room_while_nobody_waits(server: Server) -> None:
    with ThreadPoolExecutor() as threads:
        heavy = [threads.submit(server.ask, f"{ENDLESS} # {n}") for n in range(PLACES)]
        time.sleep(8)
        assert [one.result().text for one in heavy if one.done()] == []
        server.process.terminate()


def test_nobody_makes_room_for_whom_a_starting_worker_will_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a worker may take longer to start than others have patience."""
    start = Worker.start

    async def slow(graph: Path) -> Worker:
        await asyncio.sleep(1.5)
        return await start(graph)

    async def check() -> None:
        pool = Pool(build(tmp_path / "graph"), 1, 30.0)
        await pool.start()
        monkeypatch.setattr(Worker, "start", slow)
        try:
            heavy = [asyncio.create_task(pool.rows(f"{ENDLESS} # {n}")) for n in range(PLACES)]
            await asyncio.sleep(11)
            assert not any(one.done() for one in heavy)
            assert len(pool._running) == PLACES
            assert pool._coming == 0
            # Whoever comes now is served by none of them.
            late = asyncio.create_task(pool.rows("ASK {}"))
            await asyncio.wait_for(late, 10)
            assert [one.done() for one in heavy].count(True) == 1
        finally:
            await pool.close()
        await asyncio.gather(*heavy, return_exceptions=True)

    asyncio.run(check())


def test_nobody_makes_room_for_what_nobody_asked(tmp_path: Path) -> None:
    """The server's own questions wait until a worker has nothing to do."""
    graph = build(tmp_path / "graph")
    question = ("papers-by-year", {})

    async def check() -> None:
        pool = Pool(graph, 1, 30.0)
        await pool.start()
        heavy = [asyncio.create_task(pool.rows(f"{ENDLESS} # {n}")) for n in range(PLACES)]
        try:
            await until(lambda: len(pool._running) == PLACES)
            site = Site(pool, BASE)
            site.warm([question])
            await asyncio.sleep(5)
            assert not any(one.done() for one in heavy)
            assert not pool._waiting
            # A page that needs the same does not wait for that.
            asked = await asyncio.wait_for(site.kept(question[0]), 10)
            assert asked.rows
            assert [one.done() for one in heavy].count(True) == 1
        finally:
            await pool.close()
        await asyncio.gather(*heavy, return_exceptions=True)

    asyncio.run(check())


def test_what_nobody_needs_yet_waits_for_nothing_and_ends_first(tmp_path: Path) -> None:
    async def check() -> None:
        pool = Pool(build(tmp_path / "graph"), 1, 30.0)
        await pool.start()
        heavy = [asyncio.create_task(pool.rows(f"{ENDLESS} # 1"))]
        await until(lambda: len(pool._running) == 1)
        late = asyncio.create_task(pool.rows("ASK {}"))  # gets a stand-in
        await asyncio.wait_for(late, 10)
        assert pool.resting
        with pool.turn(waits=False):
            spare = asyncio.create_task(pool.rows(f"{ENDLESS} # spare"))
        await until(lambda: len(pool._running) == 2)
        with pool.turn(waits=False), pytest.raises(RequestError, match="all workers are busy"):
            await pool.rows("ASK {}")
        try:
            heavy += [asyncio.create_task(pool.rows(f"{ENDLESS} # {n}")) for n in (2, 3)]
            await until(lambda: len(pool._running) == PLACES)
            await asyncio.wait_for(asyncio.create_task(pool.rows("ASK { }")), 10)
            assert spare.done()
            assert not any(one.done() for one in heavy)
        finally:
            await pool.close()
        await asyncio.gather(spare, *heavy, return_exceptions=True)

    asyncio.run(check())


async def until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait until a condition comes true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


def test_connections_that_say_nothing_make_room(server: Server) -> None:
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < 2 * MOST_CONNECTIONS:
        pytest.skip("this process may not open so many connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    kind = b"Content-Type: application/sparql-query\r\n"
    begun = b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n" + kind + b"\r\n"
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (few, most))
        crowd = []
        for _ in range(MOST_CONNECTIONS):
            crowd.append(stack.enter_context(socket.create_connection(server.place, timeout=20)))
        assert server.ask("ASK {}").status_code == 200
        with selectors.DefaultSelector() as ready:  # select itself takes no number above 1023
            for one in crowd:
                ready.register(one, selectors.EVENT_READ)
            ((key, _),) = ready.select(5)
        closed = cast("socket.socket", key.fileobj)
        assert closed.recv(1) == b""
        crowd.remove(closed)
        crowd[-1].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert crowd[-1].recv(15).startswith(b"HTTP/1.1 200")
        # One whose request is coming is not idle; who comes then is turned away.
        for one in crowd:
            one.sendall(begun)
        stack.enter_context(socket.create_connection(server.place)).sendall(begun)
        assert eventually(lambda: httpx.get(server.url).status_code == 503)
        answer = httpx.get(server.url)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.text.endswith("too many clients; try again later\n")
    assert eventually(lambda: server.ask("ASK {}").status_code == 200)
