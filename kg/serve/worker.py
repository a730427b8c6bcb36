"""The process that answers queries: it holds the store read-only, for one query at a time.

It reads requests from standard input and writes answers to standard output, both in frames
of one letter, four bytes of length and a payload. A request is one frame of JSON (`Request`
of `kg.serve.pool`). An answer is

    H  {"kind", "format"}          what the result is, and the format it comes in
    D  bytes, any number of times  the result
    Z                              all is said
    E  {"status", "message"}       instead of the rest, at any point

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
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pyoxigraph import Store

from kg.errors import GraphError, KgError
from kg.queries.ask import answering, ask
from kg.queries.prefixes import prefixes_of
from kg.results import Result, kind, rows, write
from kg.store import generation, open_store

HEADER = struct.Struct(">cI")
CHUNK = 1 << 16  # bytes
_MOST_MEMORY = 4 << 30  # bytes; a query that wants more ends its worker, not the machine
_GRACE = 5.0  # seconds after which the kernel ends a query whose master has gone


@dataclass(frozen=True, slots=True)
class Held:
    """A generation of the graph, opened, and the prefixes that its queries need not declare."""

    folder: Path
    store: Store
    prefixes: dict[str, str]


class Frames:
    """A binary file that writes what it gets as frames of letter D, in good-sized chunks."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        """Take bytes; they go out when there are enough of them."""
        self._held += data
        if len(self._held) >= CHUNK:
            self.flush()
        return len(data)

    def flush(self) -> None:
        """Send what is held."""
        if self._held:
            data, self._held = bytes(self._held), bytearray()
            self.send(b"D", data)

    def forget(self) -> None:
        """Drop what is held."""
        self._held.clear()

    def send(self, letter: bytes, payload: bytes = b"") -> None:
        """Send one frame at once."""
        self._output.write(HEADER.pack(letter, len(payload)) + payload)
        self._output.flush()


def main(graph: Path) -> None:
    """Answer requests until standard input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else would print must not come between the frames
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    frames = Frames(output)
    held: Held | None = None
    try:
        while (request := _read(sys.stdin.buffer)) is not None:
            try:
                held = _current(graph, held)
                # SIGALRM with no handler ends the process, even amid a query of an orphan.
                signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE)
                _answer(held, request, frames)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except GraphError as error:
                held = None
                _refuse(frames, 503, str(error))
            except KgError as error:
                _refuse(frames, 400, str(error))
    except BrokenPipeError:
        pass


def _current(graph: Path, held: Held | None) -> Held:
    folder = generation(graph)
    if held is not None and held.folder == folder:
        return held
    store = open_store(graph)
    return Held(folder, store, prefixes_of(store))


def _answer(held: Held, request: dict[str, Any], frames: Frames) -> None:
    if not request["query"]:  # only asks whether the graph can be opened
        frames.send(b"H", b'{"kind": "none", "format": ""}')
        frames.send(b"Z")
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
    limit = request["rows"]
    format = "rows" if limit is not None else request["formats"].get(what)
    if format is None:
        given = "triples" if what == "triples" else "rows"
        _refuse(frames, 406, f"the query gives {given}, and no format for them was accepted")
        return
    frames.send(b"H", json.dumps({"kind": what, "format": format}).encode())
    if not request["head"]:
        with answering():
            if limit is None:
                write(result, frames, format, held.prefixes)  # type: ignore[arg-type]
            else:
                frames.write(_rows(result, limit))
        frames.flush()
    frames.send(b"Z")


def _rows(result: Result, limit: int) -> bytes:
    """Up to `limit` rows as JSON, and whether there are more."""
    head, lines = rows(result, limit + 1)
    found = list(lines)
    answer = {"head": head, "rows": found[:limit], "more": len(found) > limit}
    return json.dumps(answer).encode()


def _refuse(frames: Frames, status: int, message: str) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    frames.forget()
    frames.send(b"E", json.dumps({"status": status, "message": message}).encode())


def _read(source: IO[bytes]) -> dict[str, Any] | None:
    header = source.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    request: dict[str, Any] = json.loads(source.read(HEADER.unpack(header)[1]))
    return request
