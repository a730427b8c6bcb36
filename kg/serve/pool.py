"""A few worker processes, and who asks which of them when.

A query has a worker of its own while it runs. One that takes too long, or whose client has
gone, is ended by ending the worker, which is the only way to stop pyoxigraph; another takes
its place. What a worker sends is read only as fast as the client takes it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kg.errors import GraphError
from kg.serve.worker import CHUNK, HEADER

# The child gets the search path of this process, so that it runs the very same kg.
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from pathlib import Path; "
    "from kg.serve.worker import main; main(Path(sys.argv[2]))"
)


class RequestError(Exception):
    """A request that gets no result: an HTTP status and a message of one line."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


@dataclass(frozen=True, slots=True)
class Request:
    """What a worker is asked."""

    query: str
    base: str | None = None
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    # Kind of result ("solutions", "boolean", "triples") -> a format of kg.results.
    formats: dict[str, str] = field(default_factory=dict)
    rows: int | None = None  # instead of a format: at most so many rows, for our own pages
    head: bool = False  # only what the result is, not the result


@dataclass(frozen=True, slots=True)
class Rows:
    """A result for our own pages: terms as in SPARQL JSON results."""

    head: list[str]
    rows: list[list[dict[str, str] | None]]
    more: bool  # whether rows were left out

    def __iter__(self) -> Iterator[dict[str, dict[str, str]]]:
        """Iterate over the rows as dictionaries from column to term, without what is unbound."""
        for row in self.rows:
            yield {name: term for name, term in zip(self.head, row, strict=True) if term}


class Answer:
    """The answer of one worker: what it is, and its bytes as they come."""

    def __init__(self, worker: Worker, deadline: float, seconds: float) -> None:
        self._worker, self._deadline, self._seconds = worker, deadline, seconds
        self.kind = self.format = ""
        self.complete = False  # the worker has said all and can take the next query

    async def open(self) -> None:
        """Wait for what the result is."""
        letter, payload = await self._frame()
        assert letter == b"H"
        head = json.loads(payload)
        self.kind, self.format = head["kind"], head["format"]

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the result. Raises RequestError where it breaks off."""
        while not self.complete:
            letter, payload = await self._frame()
            if letter == b"D":
                yield payload

    async def _frame(self) -> tuple[bytes, bytes]:
        try:
            async with asyncio.timeout_at(self._deadline):
                letter, payload = await self._worker.read()
        except TimeoutError as error:
            raise RequestError(
                503, f"the query took more than {self._seconds:g} seconds and was ended"
            ) from error
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise RequestError(503, "the process that ran the query was lost; try again") from error
        self.complete = letter in (b"Z", b"E")
        if letter == b"E":
            problem = json.loads(payload)
            raise RequestError(problem["status"], problem["message"])
        return letter, payload


class Worker:
    """One process of `kg.serve.worker`, seen from outside."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._in, self._out = process, process.stdin, process.stdout

    @classmethod
    async def start(cls, graph: Path) -> Worker:
        """Start a process. It has its own session, so that Ctrl-C does not reach it."""
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _CHILD, path, str(graph.absolute())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2 * CHUNK,
            start_new_session=True,
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        """Whether the process still runs, as far as is known."""
        return self._process.returncode is None

    async def send(self, request: Request, seconds: float) -> None:
        """Send a request; `seconds` is the time it has."""
        payload = json.dumps({**asdict(request), "seconds": seconds}).encode()
        self._in.write(HEADER.pack(b"Q", len(payload)) + payload)
        await self._in.drain()

    async def read(self) -> tuple[bytes, bytes]:
        """Read one frame: its letter and its payload."""
        letter, length = HEADER.unpack(await self._out.readexactly(HEADER.size))
        return letter, await self._out.readexactly(length)

    async def end(self) -> None:
        """End the process, whatever it does."""
        if self.alive:
            # Not Process.kill: it would take the exit status from asyncio, which wants it.
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        self._in.close()
        # What stands in the pipe must be taken, else the transport waits for its end forever.
        # RuntimeError: someone reads just now, and takes it.
        with suppress(RuntimeError, ConnectionError):
            while await self._out.read(CHUNK):
                pass
        await self._process.wait()


class Pool:
    """`size` workers on a graph; each query has `seconds` to wait for one and to run."""

    def __init__(self, graph: Path, size: int, seconds: float) -> None:
        self.graph, self.size, self.seconds = graph, size, seconds
        # None wakes those who wait when the pool closes.
        self._idle: asyncio.Queue[Worker | None] = asyncio.Queue()
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Start all workers. Raises GraphError where the graph cannot be opened."""
        for worker in await asyncio.gather(*(Worker.start(self.graph) for _ in range(self.size))):
            self._workers.add(worker)
            self._idle.put_nowait(worker)
        try:
            async with self.answer(Request("")) as answer:
                async for _ in answer.chunks():
                    pass
        except RequestError as refusal:
            raise GraphError(refusal.message) from refusal

    async def close(self) -> None:
        """End all workers; queries that still run are refused."""
        self._closed = True
        self._idle.put_nowait(None)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(worker.end() for worker in self._workers))
        self._workers.clear()

    @asynccontextmanager
    async def answer(self, request: Request) -> AsyncIterator[Answer]:
        """Ask a worker. Raises RequestError where there is no result, at once or amid reading."""
        worker = await self._free()
        deadline = asyncio.get_running_loop().time() + self.seconds
        answer = Answer(worker, deadline, self.seconds)
        try:
            with suppress(ConnectionError):  # reading says whether the worker has died
                await worker.send(request, self.seconds)
            await answer.open()
            yield answer
        finally:
            if answer.complete:
                self._idle.put_nowait(worker)
            else:
                self._replace(worker)

    async def rows(self, query: str, limit: int = 10_000) -> Rows:
        """Ask for at most `limit` rows, for our own pages. Raises RequestError."""
        async with self.answer(Request(query, rows=limit)) as answer:
            data = b"".join([chunk async for chunk in answer.chunks()])
        return Rows(**json.loads(data))

    async def _free(self) -> Worker:
        """Wait for a worker that has nothing to do."""
        try:
            async with asyncio.timeout(self.seconds):
                while worker := await self._idle.get():
                    if worker.alive and not self._closed:
                        return worker
                    self._replace(worker)
        except TimeoutError as error:
            raise RequestError(
                503, "all workers are busy; try again later", {"Retry-After": "5"}
            ) from error
        self._idle.put_nowait(None)
        raise RequestError(503, "the server is closing")

    def _replace(self, worker: Worker) -> None:
        self._workers.discard(worker)
        task = asyncio.create_task(self._renew(worker))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _renew(self, worker: Worker) -> None:
        await worker.end()
        while not self._closed:
            try:
                new = await Worker.start(self.graph)
            except OSError:  # no memory or no process left just now
                await asyncio.sleep(1)
                continue
            self._workers.add(new)
            self._idle.put_nowait(new)
            return
