"""The process that answers queries: it holds the store read-only, for one query at a time.

Standard input is a socket, on which requests come and answers go, both in frames of one
letter, four bytes of length and a payload. At the start there is a frame R. A request is one
frame of JSON (see `Pool`). An answer is

    H  kind, or kind and "gzip"      what the result is, and how it comes
    D  bytes, any number of times    the result
    Z  a number                      all is said, and how many seconds it took
    E  {"status", "message"}         instead of the rest, at any point

pyoxigraph cannot stop a query, so the process is made to be ended from outside at any
moment. It creates, consumes and drops a result in its only thread. A new generation of the
graph is taken up between two queries.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import struct
import sys
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pyoxigraph import Store

from kg.errors import GraphError, KgError, UnwritableError
from kg.queries.ask import answering, ask
from kg.queries.prefixes import prefixes_of
from kg.results import Result, kind, rows, write
from kg.serve.limit import FirstRows
from kg.serve.negotiate import SOLUTIONS, TRIPLES
from kg.store import open_store, stamp

HEADER = struct.Struct(">cI")
CHUNK = 1 << 16  # bytes
_WORTH_GZIP = 1000  # bytes
_CELL = 50  # characters that each term of a table takes beside its own
_STACK = 100 << 20  # bytes; Linux leaves room for 128 MiB, and long queries descend deep
_GRACE = 5.0  # seconds after which the kernel ends a query whose master has gone


@dataclass(frozen=True, slots=True)
class Held:
    """A generation of the graph, opened, and the prefixes that its queries need not declare."""

    stamp: tuple[int, int] | None
    store: Store
    prefixes: dict[str, str]


class Frames:
    """A binary file whose content goes out as an answer, in good-sized chunks.

    A small answer goes out in one piece, and only at its end, so that it can still become
    an error.
    """

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._kind = ""  # of the result, as long as nothing has gone out
        self._data = bytearray()
        self._gzip: Any = None

    def ready(self) -> None:
        """Say that requests can come."""
        self._send(_frame(b"R", b""))

    def begin(self, kind: str, gzip: bool) -> None:
        """Begin an answer."""
        self._data.clear()
        self._kind = kind
        self._gzip = zlib.compressobj(1, wbits=31) if gzip else None

    def write(self, data: bytes) -> int:
        """Take bytes; they go out when there are enough of them."""
        self._data += data
        if len(self._data) >= CHUNK:
            self._send(self._taken(zlib.Z_SYNC_FLUSH))
        return len(data)

    def flush(self) -> None:
        """Do nothing: writers ask for this at their end, and more is to come."""

    def end(self, seconds: float) -> None:
        """Send what is left, and that all is said."""
        if self._kind and len(self._data) < _WORTH_GZIP:
            self._gzip = None
        self._send(self._taken(zlib.Z_FINISH) + _frame(b"Z", b"%.6f" % seconds))

    def refuse(self, status: int, message: str) -> None:
        """Send an error instead of what is left."""
        self._send(_frame(b"E", json.dumps({"status": status, "message": message}).encode()))

    def _taken(self, mode: int) -> bytes:
        """What has been written, and before it the head where it has not gone out, as frames."""
        head = b""
        if self._kind:
            head = _frame(b"H", (f"{self._kind} gzip" if self._gzip else self._kind).encode())
            self._kind = ""
        data = bytes(self._data)
        self._data.clear()
        if self._gzip is not None:
            data = self._gzip.compress(data) + self._gzip.flush(mode)
        return head + _frame(b"D", data) if data else head

    def _send(self, frames: bytes) -> None:
        self._output.write(frames)
        self._output.flush()


def main(graph: Path) -> None:
    """Answer requests until standard input ends."""
    output = os.fdopen(os.dup(0), "wb")
    _be_modest()
    frames = Frames(output)
    held: Held | None = None
    with suppress(GraphError):  # whoever asks hears of it
        held = _current(graph, held)
    with suppress(ConnectionError):
        frames.ready()
        while (request := _read(sys.stdin.buffer)) is not None:
            # SIGALRM with no handler ends the process, even amid a query of an orphan.
            signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE)
            try:
                held = _current(graph, held)
                _answer(held, request, frames)
            except GraphError as error:
                held = None
                frames.refuse(503, str(error))
            except UnwritableError as error:
                frames.refuse(406, str(error))
            except KgError as error:
                frames.refuse(400, str(error))
            signal.setitimer(signal.ITIMER_REAL, 0)


def _be_modest() -> None:
    """A query that wants too much memory ends its worker, not the machine."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    most = min(half, 4 << 30)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    stack = _STACK if hard == resource.RLIM_INFINITY else min(_STACK, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _current(graph: Path, held: Held | None) -> Held:
    now = stamp(graph)
    if held is not None and now is not None and held.stamp == now:
        return held
    store = open_store(graph)
    return Held(now, store, prefixes_of(store))


def _answer(held: Held, request: dict[str, Any], frames: Frames) -> None:
    begun = time.perf_counter()
    if not request["query"]:  # only asks whether the graph can be opened
        frames.begin("none", gzip=False)
        frames.end(0.0)
        return
    result = ask(
        held.store,
        request["query"],
        base=request["base"],
        prefixes=held.prefixes,
        default_graphs=request["default_graphs"],
        named_graphs=request["named_graphs"],
    )
    what = kind(result)
    shown = request["rows"]
    format = "rows" if shown is not None else request["formats"].get(what)
    if format is None:
        given, offers = ("triples", TRIPLES) if what == "triples" else ("rows", SOLUTIONS)
        types = ", ".join(types[0] for types in offers.values())
        frames.refuse(
            406,
            f"the query gives {given}, and no format for them was accepted; these are: {types}",
        )
        return
    frames.begin(what, request["gzip"])
    if not request["head"]:
        with answering():
            if shown is not None:
                frames.write(_rows(result, request))
            elif request["most"] is None or what == "boolean":
                write(result, frames, format, held.prefixes)  # type: ignore[arg-type]
            elif what == "triples":
                write(result, frames, format, held.prefixes, most=request["most"])  # type: ignore[arg-type]
            else:
                FirstRows(frames, format, request["most"]).write_all(result)
    frames.end(time.perf_counter() - begun)


def _rows(result: Result, request: dict[str, Any]) -> bytes:
    """As many rows as a request wants and as have room, as JSON, and whether there are more."""
    most, room, cell = request["rows"], request["size"], request["cell"]
    head, lines = rows(result, most + 1)
    found: list[list[dict[str, str] | None]] = []
    for line in lines:
        shown = [term if term is None or cell is None else _cut(term, cell) for term in line]
        room -= sum(_CELL + len(term["value"]) if term else _CELL for term in shown)
        if len(found) == most or (found and room < 0):
            return json.dumps({"head": head, "rows": found, "more": True}).encode()
        found.append(shown)
    return json.dumps({"head": head, "rows": found, "more": False}).encode()


def _cut(term: dict[str, str], most: int) -> dict[str, str]:
    """A term with at most so many characters, and how many it has."""
    if max(map(len, term.values())) <= most:
        return term
    value = term["value"]
    return {"type": "literal", "value": value[:most], "length": str(len(value))}


def _frame(letter: bytes, payload: bytes) -> bytes:
    return HEADER.pack(letter, len(payload)) + payload


def _read(source: IO[bytes]) -> dict[str, Any] | None:
    header = source.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    request: dict[str, Any] = json.loads(source.read(HEADER.unpack(header)[1]))
    return request
