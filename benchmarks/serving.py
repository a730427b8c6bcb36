"""`kg serve` against other SPARQL servers, on the same data in the same run.

    python benchmarks/serving.py GRAPH [--oxigraph BIN] [--rdflib-endpoint BIN]

GRAPH is a built graph; it is only read. BIN are the commands of the PyPI packages `oxigraph`
and `rdflib-endpoint`, each in an environment of its own. Load comes from `wrk` (Debian). As
rdflib holds its graph in memory and loads slowly, it gets a part of the graph: papers with all
that belongs to them, up to --part triples; the others are asked on that part too.

The rounds are interleaved, and figures are medians, so that what else a machine does falls on
all alike. On a machine with less than a core for each process, also look at the CPU time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, serialize

from kg.rdf.vocabulary import FABIO, NIF, PREFIXES, RDF
from kg.store import Generation, locked, open_store

ROWS = "SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 100000"
_THOUSAND = (f"{{ SELECT ?s{n} ?o{n} {{ ?s{n} ?p{n} ?o{n} }} LIMIT 1000 }}" for n in range(1, 5))
# 10^12 rows to count, which take hours and no memory.
ENDLESS = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(_THOUSAND)} FILTER(?s1 != ?s3 && ?o2 != ?o4) }}"
# Small questions, as pages and scripts ask them. %s is a thing of the right kind.
SMALL = {
    "concept": [
        "SELECT ?p ?o { %s ?p ?o }",
        "ASK { ?paper schema:mentions %s }",
        "SELECT ?paper ?title { ?paper schema:mentions %s ; dcterms:title ?title } LIMIT 20",
        "CONSTRUCT { %s ?p ?o } { %s ?p ?o }",
    ],
    "paper": [
        "SELECT ?name { ?a pro:relatesToDocument %s ; kg:ordinal ?n ; pro:isHeldBy ?person . "
        "?person foaf:name ?name } ORDER BY ?n",
        "SELECT ?concept ?label { %s schema:mentions ?concept . ?concept skos:prefLabel ?label }",
    ],
    "person": [
        "SELECT ?paper ?title { ?paper dcterms:creator %s ; dcterms:title ?title }",
        "SELECT ?c (COUNT(?paper) AS ?n) { ?paper dcterms:creator %s ; schema:mentions ?c } "
        "GROUP BY ?c ORDER BY DESC(?n) LIMIT 10",
    ],
}


@dataclass
class Contender:
    """A server under test."""

    name: str
    endpoint: str
    pid: int
    rates: list[float] = field(default_factory=list)  # requests a second, each asked again
    first: list[float] = field(default_factory=list)  # the same, each asked for the first time
    costs: list[float] = field(default_factory=list)  # CPU seconds a request, asked again
    first_costs: list[float] = field(default_factory=list)
    rows: list[float] = field(default_factory=list)  # seconds for 100,000 rows, asked first
    bytes: list[float] = field(default_factory=list)  # seconds to the first of them
    again: list[float] = field(default_factory=list)  # seconds for 100,000 rows, asked again


def part_of(store: Store, most: int) -> list[Quad]:
    """Papers with all that belongs to them, up to `most` triples."""
    found: dict[NamedNode, None] = {}
    quads: list[Quad] = []

    def add(node: object) -> None:
        if isinstance(node, NamedNode) and node not in found:
            found[node] = None
            quads.extend(store.quads_for_pattern(node, None, None))

    for paper in store.quads_for_pattern(None, RDF.type, FABIO.Preprint):
        if len(quads) > most:
            break
        add(paper.subject)
        texts = [q.subject for q in store.quads_for_pattern(None, None, paper.subject)]
        for text in texts:
            add(text)
            for mention in store.quads_for_pattern(None, NIF.referenceContext, text):
                add(mention.subject)
        for quad in list(store.quads_for_pattern(paper.subject, None, None)):
            add(quad.object)
    return quads


def small_queries(store: Store, things: int = 60) -> list[str]:
    """Small questions about things of a graph, in a mixed order."""

    def whole(text: str) -> str:
        used = [name for name in PREFIXES if f"{name}:" in text]
        return "".join(f"PREFIX {name}: <{PREFIXES[name]}> " for name in used) + text

    kinds = {
        "concept": "SELECT DISTINCT ?x { ?p schema:mentions ?x ; schema:about ?x } LIMIT %d",
        "paper": "SELECT ?x { ?x a fabio:Preprint } LIMIT %d",
        "person": "SELECT ?x { ?x a foaf:Person } LIMIT %d",
    }
    found: list[str] = []
    for kind, query in kinds.items():
        rows = store.query(whole(query % things))
        for row in rows:  # type: ignore[union-attr]
            iri = str(row[0])  # type: ignore[index]
            found += [whole(text).replace("%s", iri) for text in SMALL[kind]]
    step = 7919  # a prime, so that all come once, and neighbours differ
    return [found[n * step % len(found)] for n in range(len(found))]


def cpu(pid: int) -> float:
    """CPU seconds of a process and of the children that it has or had."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                total += sum(map(cpu, map(int, (thread / "children").read_text().split())))
        return total
    return 0.0


def settle(one: Contender) -> None:
    """Wait until a server has done what it does after its start, at most a minute."""
    for _ in range(60):
        before = cpu(one.pid)
        time.sleep(1)
        if cpu(one.pid) - before < 0.02:
            return


def wrk(one: Contender, queries: list[str], seconds: int, distinct: bool) -> tuple[float, float]:
    """Requests a second from 8 connections, and CPU seconds a request."""
    paths = ",\n".join(
        f'"{re.sub("^http://[^/]*", "", one.endpoint)}?query={quote(q)}"' for q in queries
    )
    # What follows # is a comment to SPARQL, and another query to whoever keeps answers.
    mark = f'.. "%23{time.time_ns()}-" .. n' if distinct else ""
    script = f"""local paths = {{ {paths} }}
local n = 0
request = function()
  n = n + 1
  return wrk.format("GET", paths[n % #paths + 1] {mark})
end
"""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        before = cpu(one.pid)
        command = ["wrk", "-t1", "-c8", f"-d{seconds}", "--timeout", "60", "-s", file.name]
        out = subprocess.run(
            [*command, one.endpoint], capture_output=True, text=True, check=True
        ).stdout
    assert "Non-2xx" not in out, out
    number = int(re.findall(r"(\d+) requests in", out)[0])
    rate = float(re.findall(r"Requests/sec:\s*([\d.]+)", out)[0])
    return rate, (cpu(one.pid) - before) / max(number, 1)


def fetch(endpoint: str, query: str) -> tuple[float, float, int]:
    """Seconds to the first byte of the body and to the last, and how many bytes there are."""
    request = urllib.request.Request(
        f"{endpoint}?query={quote(query)}",
        headers={"Accept": "application/sparql-results+json, text/turtle;q=0.5"},
    )
    begun = time.perf_counter()
    with urllib.request.urlopen(request, timeout=600) as response:
        size = len(response.read(1))
        first = time.perf_counter() - begun
        while data := response.read(1 << 18):
            size += len(data)
    return first, time.perf_counter() - begun, size


@contextmanager
def running(name: str, command: list[str], path: str, port: int) -> Iterator[Contender]:
    """A server in its own process."""
    endpoint = f"http://127.0.0.1:{port}{path}"
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            for _ in range(1200):
                with suppress(OSError):
                    fetch(endpoint, "ASK {}")
                    break
                if process.poll() is not None:
                    log.seek(0)
                    sys.exit(f"{name} ended: {log.read()[-500:]!r}")
                time.sleep(0.5)
            yield Contender(name, endpoint, process.pid)
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def kg(graph: Path, *options: str) -> tuple[str, list[str], str, int]:
    """How `kg serve` is started on a graph."""
    port = free_port()
    command = [sys.executable, "-m", "kg.cli", "serve", "-g", str(graph), "--port", str(port)]
    return "kg serve", [*command, *options], "/sparql", port


def oxigraph(binary: str, graph: Path) -> tuple[str, list[str], str, int]:
    """How Oxigraph's own server is started on the same files."""
    port = free_port()
    name = (graph / "CURRENT").read_text().strip()
    where = ["--location", str(graph / "generations" / name), "--bind", f"127.0.0.1:{port}"]
    return "oxigraph", [binary, "serve-read-only", *where], "/query", port


def rdflib_endpoint(binary: str, data: Path) -> tuple[str, list[str], str, int]:
    """How rdflib-endpoint is started on a file."""
    port = free_port()
    command = [binary, "serve", "--host", "127.0.0.1", "--port", str(port), str(data)]
    return "rdflib-endpoint", command, "/", port


def compare(contenders: list[Contender], queries: list[str], rounds: int, seconds: int) -> None:
    """Run all rounds and print a table; the first contender is ours."""
    for one in contenders:
        settle(one)
        asked = 0
        while asked < 3 * len(queries):  # by the second time ours keeps them
            asked += int(wrk(one, queries, 1, distinct=False)[0])
        for _ in range(2):
            fetch(one.endpoint, ROWS)
    for _ in range(rounds):
        for one in contenders:
            rate, cost = wrk(one, queries, seconds, distinct=False)
            one.rates.append(rate)
            one.costs.append(cost)
            rate, cost = wrk(one, queries, seconds, distinct=True)
            one.first.append(rate)
            one.first_costs.append(cost)
            first, last, _ = fetch(one.endpoint, f"{ROWS} # {time.time_ns()}")
            one.bytes.append(first)
            one.rows.append(last)
            one.again.append(fetch(one.endpoint, ROWS)[1])
    ours = contenders[0]
    rows: list[tuple[str, str, Callable[[Contender], list[float]], bool]] = [
        ("small queries, asked again", "1/s", lambda c: c.rates, True),
        ("small queries, asked first", "1/s", lambda c: c.first, True),
        ("CPU for one, asked again", "µs", lambda c: [x * 1e6 for x in c.costs], False),
        ("CPU for one, asked first", "µs", lambda c: [x * 1e6 for x in c.first_costs], False),
        ("100,000 rows, asked again", "ms", lambda c: [x * 1e3 for x in c.again], False),
        ("100,000 rows, asked first", "ms", lambda c: [x * 1e3 for x in c.rows], False),
        ("first byte of these", "ms", lambda c: [x * 1e3 for x in c.bytes], False),
    ]
    for label, unit, values, more in rows:
        own = statistics.median(values(ours))
        line = f"  {label:28} {own:10,.0f} {unit:4}"
        for other in contenders[1:]:
            theirs = statistics.median(values(other))
            ratio = own / theirs if more else theirs / own
            line += f"  {other.name} {theirs:,.0f} ({ratio:.2f}×)"
        print(line, flush=True)


def latency(endpoint: str, queries: deque[str], number: int) -> float:
    """The median of seconds that one client waits for an answer, never asking the same twice."""
    waits = []
    for n in range(number):
        queries.rotate()
        _, last, _ = fetch(endpoint, f"{queries[0]} # {time.time_ns()} {n}")
        waits.append(last)
    return statistics.median(waits)


def endless(graph: Path, queries: list[str]) -> None:
    """What a query without end costs the others, and when it ends."""
    limit, ring = 8.0, deque(queries)
    with running(*kg(graph, "--timeout", str(limit))) as one:
        latency(one.endpoint, ring, 50)
        idle, busy, ended = [], [], []
        for _ in range(3):
            idle.append(latency(one.endpoint, ring, 100))

            def ask() -> None:
                begun = time.perf_counter()
                with suppress(urllib.error.HTTPError):
                    fetch(one.endpoint, ENDLESS)
                ended.append(time.perf_counter() - begun)

            thread = threading.Thread(target=ask)
            thread.start()
            time.sleep(0.3)
            waits = []
            while thread.is_alive():
                waits.append(latency(one.endpoint, ring, 10))
            busy.append(statistics.median(waits))
            thread.join()
    ratio = statistics.median(b / i for b, i in zip(busy, idle, strict=True))
    print(
        f"  a query without end was ended after {max(ended):.2f} s at the latest "
        f"(limit {limit:g} s); others waited {statistics.median(busy) * 1e3:.1f} ms, "
        f"{ratio:.2f}× of {statistics.median(idle) * 1e3:.1f} ms"
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", type=Path)
    parser.add_argument("--oxigraph", default=shutil.which("oxigraph"))
    parser.add_argument("--rdflib-endpoint", default=shutil.which("rdflib-endpoint"))
    parser.add_argument("--part", type=int, default=300_000, help="triples for rdflib")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement of requests")
    chosen = parser.parse_args()
    store = open_store(chosen.graph)
    queries = small_queries(store)
    print(f"{chosen.graph}: {len(store):,} triples; {len(queries)} small queries")
    with running(*kg(chosen.graph)) as ours:
        if chosen.oxigraph:
            with running(*oxigraph(chosen.oxigraph, chosen.graph)) as other:
                compare([ours, other], queries, chosen.rounds, chosen.seconds)
        else:
            compare([ours], queries, chosen.rounds, chosen.seconds)
    endless(chosen.graph, queries)
    if not chosen.rdflib_endpoint:
        return
    with tempfile.TemporaryDirectory() as folder:
        quads = part_of(store, chosen.part)
        part, data = Path(folder) / "graph", Path(folder) / "part.nt"
        with locked(part):
            generation = Generation(part)
            generation.load(quads)
            generation.swap_in()
        serialize((q.triple for q in quads), str(data), RdfFormat.N_TRIPLES)
        print(f"a part of it: {len(quads):,} triples")
        queries = small_queries(open_store(part))
        with (
            running(*rdflib_endpoint(chosen.rdflib_endpoint, data)) as other,
            running(*kg(part)) as ours,
        ):
            compare([ours, other], queries, chosen.rounds, chosen.seconds)


if __name__ == "__main__":
    main()
