"""A crowd of bad clients against a running `kg serve`, and a look at what it does to it.

    python tests/hostile.py --minutes 10 --requests 100000

starts a server on a small graph, lets the crowd loose on it, and reports. The exit code is 0
where no answer was a fault of the server's (500, or none at all to a fair request), where its
memory at the end is within a fifth of what it was at the start, and where all workers are
there and answer. Everything goes to 127.0.0.1 and ends by itself. Short runs of it are tests.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from served import ENDLESS, ENDLESS_ROWS, Server, serving
from small_graph import build

# What queries are made of, and what they had better not be made of.
PIECES = (
    "SELECT * WHERE { } ( ) [ ] . ; , / | ^ + ? ! && || = != < > <= >= ' \" FROM NAMED GRAPH ASK "
    "<http://127.0.0.1:9/> <file:///etc/passwd> SERVICE SILENT LOAD INSERT DELETE CONSTRUCT UNION "
    "DESCRIBE OPTIONAL MINUS FILTER EXISTS NOT BIND AS VALUES UNDEF GROUP BY HAVING ORDER LIMIT "
    'OFFSET 0 1 -1 1e999 99999999999999999999 "x"@en "1"^^xsd:integer a true _:b [] () ?a ?b ?c '
    'COUNT(*) SUM(?o) GROUP_CONCAT(?o) REGEX(STR(?o),"(a+)+$") REPLACE("a","(a*)*","b") x: : '
    "RAND() NOW() STR(?s) concept:transformer skos:prefLabel dcterms:creator kg:Method :x # é 𝔘 "
    '\\u0000 \\uD800 """ \u202e \0 \r\n'
)
QUERIES = [
    "SELECT * { ?s ?p ?o } LIMIT 10",
    "SELECT ?c (COUNT(?p) AS ?n) { ?p schema:mentions ?c } GROUP BY ?c ORDER BY DESC(?n)",
    "CONSTRUCT { ?s a ?t } WHERE { ?s a ?t FILTER(?t != foaf:Person) }",
    "DESCRIBE concept:transformer",
    "ASK { ?s skos:prefLabel 'transformer'@en }",
    "SELECT ?a ?b { ?a (schema:mentions|^schema:mentions)+ ?b } LIMIT 50",
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
]
HEAVY = [
    ENDLESS,
    ENDLESS_ROWS,
    "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?a ?d ?g",
    "SELECT (GROUP_CONCAT(?c) AS ?x) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "SELECT ?x { VALUES ?x { " + "1 " * 200_000 + "} }",
    "ASK " + "{" * 50_000 + "}" * 50_000,
    "ASK { FILTER(" + "1=1||" * 4000 + "1=1) }",
    "SELECT * { " + "?s ?p ?o ." * 3000 + "}",
]
PATHS = (
    "/ /sparql /sparql/ /query /papers /people /describe /health /search /.well-known/void "
    "/concept/transformer /paper/arxiv/2401.00001 /person/ada-bly /static/kg.css /compare /missing "
    "/static/../app.py /category/cs.LG /record/one/1-abc /concepts //evil/ /%00 /%ff /concept/%C3"
)
METHODS = "GET GET GET GET GET POST POST POST HEAD OPTIONS PUT DELETE PATCH TRACE CONNECT BREW"
TYPES = [
    "application/sparql-query",
    "application/x-www-form-urlencoded",
    "application/sparql-update",
    "multipart/form-data; boundary=x",
    "application/json",
    "application/sparql-query; charset=utf-16",
    "text/plain; charset=",
    ";;;=",
    "é/ü",
]
ACCEPTS = [
    "*/*",
    "text/html",
    "text/csv",
    "text/turtle",
    "application/json",
    "a/b;q=x",
    ",,;q=",
    "x" * 500,
]


@dataclass
class Report:
    """What has been seen."""

    requests: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    killed: int = 0
    slowest: float = 0.0  # seconds, of a fair request
    before: int = 0  # KiB
    after: int = 0

    @property
    def growth(self) -> float:
        """How much memory there is at the end for each byte at the start."""
        return self.after / self.before if self.before else 0.0


class Crowd:
    """Bad clients of one server."""

    def __init__(self, server: Server, seed: int, report: Report) -> None:
        self.server, self.random, self.report = server, random.Random(seed), report

    async def talk(self, request: bytes, slow: bool = False, seconds: float = 30) -> bytes:
        """Send bytes and read what comes, to its end or to the first 64 KiB."""
        reader, writer = await asyncio.open_connection(*self.server.place)
        try:
            async with asyncio.timeout(seconds):
                with suppress(ConnectionError):
                    if slow:
                        for at in range(0, min(len(request), 60), 3):
                            writer.write(request[at : at + 3])
                            await asyncio.sleep(0.01)
                        writer.write(request[60:])
                    else:
                        writer.write(request)
                        await writer.drain()
                answer = b""
                with suppress(ConnectionError):
                    while len(answer) < 65536 and (part := await reader.read(65536)):
                        answer += part
                return answer
        finally:
            writer.transport.abort()

    def head(self, method: str, target: str, *headers: str, body: bytes | None = None) -> bytes:
        lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *headers]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + (body or b"")

    def query(self) -> str:
        """A query, mostly a broken one."""
        pick = self.random
        words = pick.choice(QUERIES).split(" ")
        for _ in range(pick.choice([0, 1, 1, 2, 5, 20])):
            at = pick.randrange(len(words) + 1)
            words[at : at + pick.randrange(2)] = [pick.choice(PIECES.split(" "))]
        if pick.random() < 0.1:
            words = [pick.choice(PIECES.split(" ")) for _ in range(pick.randrange(40))]
        return " ".join(words)

    def bytes(self, most: int) -> bytes:
        return self.random.randbytes(self.random.randrange(most))

    async def random_request(self) -> None:
        pick = self.random
        method, path = pick.choice(METHODS.split()), pick.choice(PATHS.split())
        if pick.random() < 0.6:
            path = pick.choice(["/sparql", "/query", "/search", "/describe"])
        name = pick.choice(
            ["query", "query", "q", "iri", "default-graph-uri", "format", "update", "é"]
        )
        value = pick.choice(
            [
                quote(self.query()),
                quote(self.bytes(40)),
                self.query().replace(" ", "+")[:300],
                "%zz%",
            ]
        )
        target = re.sub(r"[\x00-\x20]", "+", f"{path}?{name}={value}")
        if pick.random() < 0.2:
            target += f"&{name}={quote(self.query())}&format={pick.choice(['json', 'xml', 'x'])}"
        headers = [f"Accept: {pick.choice(ACCEPTS)}"]
        if pick.random() < 0.3:
            headers.append(f"Accept-Encoding: {pick.choice(['gzip', 'br;q=1', 'gzip;q=x', ',,'])}")
        if pick.random() < 0.1:
            headers.append(
                pick.choice(["Expect: 100-continue", "Upgrade: websocket", "Range: bytes=0-1"])
            )
            headers.append('If-None-Match: *, W/"x",, "')
        body = None
        if method in ("POST", "PUT", "PATCH"):
            headers.append(f"Content-Type: {pick.choice(TYPES)}")
            text = self.query()
            body = pick.choice(
                [text.encode("utf-8", "replace"), b"query=" + quote(text).encode(), self.bytes(200)]
            )
        self.judge(await self.talk(self.head(method, target, *headers, body=body)), target)

    async def fair_request(self) -> None:
        number = self.random.randrange(1 << 30)
        query = f"SELECT ({number} AS ?n) ?s {{ ?s a skos:Concept }} LIMIT 3"
        begun = time.monotonic()
        request = self.head("GET", f"/sparql?query={quote(query)}", "Accept: text/csv")
        answer = await self.talk(request, seconds=60)
        self.report.slowest = max(self.report.slowest, time.monotonic() - begun)
        self.judge(answer, query)
        status = answer[9:12]
        if status != b"503" and (status != b"200" or answer.count(f"{number},".encode()) != 3):
            self.report.faults.append(f"a fair request got {answer[:200]!r}")

    async def heavy_request(self) -> None:
        query = self.random.choice(HEAVY)
        body = quote(query).encode() if self.random.random() < 0.5 else None
        if body is None:
            headers = ["Content-Type: application/sparql-query"]
            request = self.head("POST", "/sparql", *headers, body=query.encode())
        else:
            headers = ["Content-Type: application/x-www-form-urlencoded"]
            request = self.head("POST", "/sparql", *headers, body=b"query=" + body)
        self.judge(await self.talk(request), query[:80])

    async def gone_request(self) -> None:
        """Ask for much, and go at once or soon."""
        _, writer = await asyncio.open_connection(*self.server.place)
        query = quote(self.random.choice([ENDLESS, ENDLESS_ROWS, *QUERIES]))
        request = self.head("GET", f"/sparql?query={query}")
        if self.random.random() < 0.3:  # amid what one sends
            request = self.head("POST", "/sparql", f"Content-Type: {TYPES[0]}", body=b"A" * 99)[:-9]
        writer.write(request)
        await asyncio.sleep(self.random.choice([0, 0.01, 0.2]))
        writer.transport.abort()
        self.report.statuses["gone"] += 1

    async def slow_request(self) -> None:
        query = quote(self.random.choice(QUERIES))
        self.judge(await self.talk(self.head("GET", f"/sparql?query={query}"), slow=True), query)

    async def slow_reader(self) -> None:
        """Ask for more than the buffers hold, and read it by the spoonful, or not at all."""
        reader, writer = await asyncio.open_connection(*self.server.place, limit=1024)
        writer.write(self.head("GET", f"/sparql?query={quote(ENDLESS_ROWS)}"))
        with suppress(ConnectionError):
            for _ in range(self.random.randrange(8)):
                await reader.read(100)
                await asyncio.sleep(0.2)
        writer.transport.abort()
        self.report.statuses["slow reader"] += 1

    async def garbage(self) -> None:
        pick = self.random
        request = pick.choice(
            [
                self.bytes(3000),
                b"GET " + self.bytes(50) + b"\r\n\r\n",
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + self.bytes(200),
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                b"GET / HTTP/1.1\r\nX: " + b"a" * pick.choice([70_000, 200_000]),
                b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
                b"POST /sparql HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\nx",
                b"POST /sparql HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                b"POST /sparql HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nquery=",
                b"POST /sparql HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 50,
                b"GET /sparql?query=ASK%7B%7D HTTP/1.0\r\n\r\n",
                b"\r\n" * 500,
            ]
        )
        with suppress(TimeoutError):
            self.judge(
                await self.talk(request, seconds=pick.choice([0.2, 1.0])), repr(request[:80])
            )

    async def kill(self) -> None:
        """End a worker, as the kernel does when memory is short."""
        workers = sorted(self.server.workers())
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self.random.choice(workers), signal.SIGKILL)
            self.report.killed += 1
        await asyncio.sleep(0.05)

    def judge(self, answer: bytes, about: str) -> None:
        first = answer[:12].decode("latin-1")
        status = first[9:12] if first.startswith("HTTP/1.") else ("closed" if not answer else "odd")
        self.report.statuses[status] += 1
        if status in ("500", "502", "odd") or b"Traceback" in answer:
            self.report.faults.append(f"{status} for {about[:300]}: {answer[:80]!r}")

    async def visit(self) -> None:
        """One more bad client, or now and then a fair one."""
        kinds: list[tuple[float, Callable[[], Awaitable[None]]]] = [
            (60, self.random_request),
            (20, self.fair_request),
            (8, self.garbage),
            (5, self.slow_request),
            (3, self.gone_request),
            (0.6, self.heavy_request),
            (0.6, self.slow_reader),
            (0.05, self.kill),
        ]
        one = self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]
        try:
            await one()
        except TimeoutError:
            self.report.faults.append(f"no answer to {one.__name__}")
        except OSError as error:
            self.report.faults.append(f"{one.__name__}: {error}")
        self.report.requests += 1


async def sleeper(server: Server, report: Report) -> None:
    """A client that never sends the rest of its request, and is put out after a while."""
    reader, writer = await asyncio.open_connection(*server.place)
    writer.write(b"GET / HT")
    try:
        async with asyncio.timeout(60):
            with suppress(ConnectionError):
                await reader.read()
    except TimeoutError:
        report.faults.append("a client that sends nothing may stay for ever")
    writer.transport.abort()


def memory(server: Server) -> int:
    """KiB that the server and its workers have to themselves or share."""
    total = 0
    for pid in (server.process.pid, *server.workers()):
        with suppress(OSError):
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
            total += sum(int(n) for n in re.findall(r"^Pss:\s+(\d+)", text, re.MULTILINE))
    return total


async def attack(server: Server, seconds: float, most: int, crowd: int, seed: int) -> Report:
    """Let `crowd` clients at a time visit, for so long or so often; the first tenth warms up."""
    report = Report()
    clients = [Crowd(server, seed + n, report) for n in range(crowd)]

    async def visits(client: Crowd, until: float, last: int) -> None:
        while time.monotonic() < until and report.requests < last:
            await client.visit()

    async def rest() -> None:
        for n in range(100):
            await asyncio.sleep(0.2)
            if n > 10 and len(server.workers()) == 2:
                return

    begun = time.monotonic()
    for share in (0.1, 1.0):
        until, last = begun + seconds * share, int(most * share)
        bad = [visits(client, until, last) for client in clients]
        await asyncio.gather(*bad, *([sleeper(server, report)] if share == 1.0 else []))
        await rest()
        for client in clients:  # each worker has opened the graph and answered
            await client.fair_request()
        if share < 1:
            report.before = memory(server)
        else:
            report.after = memory(server)
    if len(server.workers()) != 2:
        report.faults.append(f"there are {len(server.workers())} workers, not 2")
    if server.process.poll() is not None:
        report.faults.append("the server has ended")
    return report


def run(seconds: float, most: int, crowd: int, seed: int) -> Report:
    """Serve a small graph and attack it."""
    with tempfile.TemporaryDirectory() as folder:
        graph = build(Path(folder) / "graph")
        with serving(graph, timeout=2) as server:
            said: list[str] = []
            # What the server says must be read, lest it wait for that.
            listener = threading.Thread(target=lambda: said.extend(server.process.stderr or ()))
            listener.start()
            report = asyncio.run(attack(server, seconds, most, crowd, seed))
            server.process.terminate()
            server.process.wait(timeout=20)
            listener.join()
    known = ("a result was broken off: ",)
    strange = [line for line in said if not line.startswith(known)]
    if strange:
        report.faults.append("the server said: " + "".join(strange)[-4000:])
    return report


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Bad clients against kg serve.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--crowd", type=int, default=80, help="clients at a time")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    begun = time.monotonic()
    report = run(chosen.minutes * 60, chosen.requests, chosen.crowd, chosen.seed)
    print(f"{report.requests} requests in {time.monotonic() - begun:.0f} s")
    print("answers:", ", ".join(f"{n} {s}" for s, n in sorted(report.statuses.items())))
    print(f"workers killed from outside: {report.killed}")
    print(f"slowest fair request: {report.slowest:.2f} s")
    print(
        f"memory: {report.before} KiB after a tenth, {report.after} KiB at the end, "
        f"{report.growth:.2f} times as much"
    )
    for fault in report.faults[:20]:
        print("fault:", fault)
    return int(bool(report.faults) or report.growth > 1.2)


if __name__ == "__main__":
    sys.exit(main())
