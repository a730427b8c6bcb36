"""A few worker processes, and who asks which of them when.

A query has a worker of its own while it runs. One that takes too long, or whose client has
gone, is ended by ending the worker, which is the only way to stop pyoxigraph; another takes
its place. What a worker sends is read only as fast as the client takes it.

When others wait, a query that runs for long, or whose client takes its time, gets a stand-in
for its worker and runs on behind them: so a few heavy queries do not hold up the light ones.

All the queries of one page have one place in the queue (`Pool.turn`), which is the page's
until it is made: who was let in gets a whole page, and `waiting` bounds pages, not panels.
"""

from __future__ import annotations

import asyncio
import json
from bisect import insort
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from kg.errors import GraphError
from kg.serve.link import LostError, Worker

_LONG = 1.0  # seconds after which a query is a long one, if others wait
_MOST_LONG = 3  # long queries at once, for each worker
_RETRY = {"Retry-After": "5"}  # seconds

# Troubles of the moment that came up in answering a request, even if its answer makes do
# without what was missed; who keeps answers sets it.
TROUBLES: ContextVar[list[str] | None] = ContextVar("TROUBLES", default=None)


@dataclass(eq=False, slots=True)
class Turn:
    """The place in the queue of a query, or of all queries of a page."""

    number: int  # who came first has the smaller one
    page: bool = False  # one that is still being made
    running: int = 0  # queries of it that have a worker


@dataclass(eq=False, slots=True)
class Waiter:
    """A query that waits for a worker."""

    turn: Turn
    worker: asyncio.Future[Worker]


_TURN: ContextVar[Turn | None] = ContextVar("_TURN", default=None)


class RequestError(Exception):
    """A request that gets no result: an HTTP status and a message of one line."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}
        heard = TROUBLES.get()
        if status >= 500 and heard is not None:
            heard.append(message)


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
    whole: bool = False  # all of it, however much one result may have
    head: bool = False  # only what the result is, not the result
    gzip: bool = False  # whether the result may come so


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
    """The answer of one worker, which is given back where the context of it ends."""

    def __init__(self, worker: Worker, turn: Turn, done: Callable[[Answer], None]) -> None:
        self.worker, self.turn, self._done = worker, turn, done
        self.timer: asyncio.TimerHandle | None = None
        self.kind = self.encoding = ""
        self.seconds: float | None = None  # that the worker took, known at the end
        self.complete = False  # the worker has said all and can take the next query

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self._done(self)

    async def open(self) -> None:
        """Wait for what the result is."""
        letter, payload = await self._frame()
        assert letter == b"H"
        self.kind, _, self.encoding = payload.decode().partition(" ")

    @property
    def here(self) -> bool:
        """Whether all of it has come, so that `rest` waits no more."""
        return self.worker.said_all

    async def chunk(self) -> bytes:
        """The next bytes of the result; none at its end. RequestError where it breaks off."""
        while not self.complete:
            letter, payload = await self._frame()
            if letter == b"D":
                return payload
        return b""

    async def rest(self) -> bytes:
        """All bytes that are still to come. Raises RequestError."""
        chunks = []
        while chunk := await self.chunk():
            chunks.append(chunk)
        return b"".join(chunks)

    async def _frame(self) -> tuple[bytes, bytes]:
        try:
            letter, payload = await self.worker.read()
        except LostError as error:
            if error.unread and not self.kind:
                raise
            raise RequestError(
                503,
                "the process that ran the query was lost, perhaps for want of memory; "
                "try again, or ask for less",
                _RETRY,
            ) from error
        self.complete = letter in (b"Z", b"E")
        if letter == b"E":
            problem = json.loads(payload)
            raise RequestError(problem["status"], problem["message"])
        if letter == b"Z":
            self.seconds = float(payload)
        return letter, payload


class Pool:
    """`size` workers on a graph, and who waits for them.

    Each query has `seconds` to wait and as many to run; at most `waiting` queries wait, the
    queries of one page counted as one. No result has more than `most` rows or triples, save
    those for our own pages and the documents beside them.
    """

    def __init__(
        self,
        graph: Path,
        size: int,
        seconds: float,
        waiting: int = 100,
        most: int | None = None,
    ) -> None:
        self.graph, self.size, self.seconds, self.most = graph, size, seconds, most
        self._most_waiting = waiting
        self._idle: list[Worker] = []
        self._waiting: list[Waiter] = []  # who goes first stands first
        self._pages: set[Turn] = set()  # those let in that are still being made
        self._numbers = count()
        self._workers: set[Worker] = set()
        self._long: set[Worker] = set()
        self._since: dict[Worker, float] = {}  # when each worker began what it does
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Start all workers. Raises GraphError where the graph cannot be opened."""
        await asyncio.gather(*(self._start(first=True) for _ in range(self.size)))
        try:
            with await self.answer(Request("")) as answer:
                await answer.rest()
        except RequestError as refusal:
            raise GraphError(refusal.message) from refusal

    async def close(self) -> None:
        """End all workers; queries that still run are refused."""
        self._closed = True
        for waiter in self._waiting:
            if not waiter.worker.done():
                waiter.worker.set_exception(_closing())
        for worker in self._workers:
            worker.fail(_closing())
        await asyncio.gather(*self._tasks)
        await asyncio.gather(*(worker.end() for worker in self._workers))

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """What is asked within has one place in the queue, until `leave` or the end."""
        turn = Turn(next(self._numbers), page=True)
        before = _TURN.set(turn)
        try:
            yield turn
        finally:
            _TURN.reset(before)
            self.leave(turn)

    def leave(self, turn: Turn) -> None:
        """Give a place to others: its page is made, and only has to be sent."""
        turn.page = False
        self._pages.discard(turn)

    async def rows(self, query: str, limit: int = 10_000) -> Rows:
        """Ask for at most `limit` rows, for our own pages. Raises RequestError."""
        with await self.answer(Request(query, rows=limit)) as answer:
            return Rows(**json.loads(await answer.rest()))

    async def answer(self, request: Request) -> Answer:
        """Ask a worker, and wait for the beginning of its answer.

        Raises RequestError where there is no result, here or amid reading.
        """
        while True:
            turn = _TURN.get() or Turn(next(self._numbers))
            answer = Answer(await self._free(turn), turn, self._done)
            turn.running += 1
            if turn.page:
                self._pages.add(turn)
            try:
                self._ask(answer, request)
                await answer.open()
            except LostError:  # the worker ended before it saw the request; the next may
                self._done(answer)
            except BaseException:
                self._done(answer)
                raise
            else:
                return answer

    def _ask(self, answer: Answer, request: Request) -> None:
        asked = {name: getattr(request, name) for name in _FIELDS}
        most = None if request.whole else self.most
        answer.worker.send({**asked, "seconds": self.seconds, "most": most})
        loop = asyncio.get_running_loop()
        self._since[answer.worker] = loop.time()
        deadline = loop.time() + self.seconds

        def look() -> None:
            if loop.time() >= deadline:
                answer.worker.fail(_over(self.seconds))
                return
            if self._waiting:
                self._stand_in()
            answer.timer = loop.call_at(min(loop.time() + _LONG, deadline), look)

        answer.timer = loop.call_at(min(loop.time() + _LONG, deadline), look)

    def _done(self, answer: Answer) -> None:
        """Give back a worker, or end it where it cannot be used again."""
        if answer.timer is not None:
            answer.timer.cancel()
        worker = answer.worker
        answer.turn.running -= 1
        self._since.pop(worker, None)
        if worker in self._long:  # another has taken its place
            self._long.discard(worker)
            self._later(self._end(worker))
        elif answer.complete and worker.alive:
            self._give(worker)
        else:
            self._replace(worker)

    async def _free(self, turn: Turn) -> Worker:
        """Wait for a worker that has nothing to do."""
        if self._closed:
            raise _closing()
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._replace(worker)
        if turn not in self._pages and self._queue() >= self._most_waiting:
            raise RequestError(503, "too many queries wait already; try again later", _RETRY)
        waiter: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        waits = Waiter(turn, waiter)
        insort(self._waiting, waits, key=lambda other: other.turn.number)
        if turn.page:
            self._pages.add(turn)
        self._stand_in()
        try:
            async with asyncio.timeout(self.seconds):
                return await waiter
        except BaseException as error:
            if waits in self._waiting:
                self._waiting.remove(waits)
            elif waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._give(waiter.result())  # it came in the very moment
            if isinstance(error, TimeoutError):
                raise RequestError(503, "all workers are busy; try again later", _RETRY) from error
            raise

    def _queue(self) -> int:
        """How many wait: queries, and pages none of whose queries runs just now."""
        waiting = {waiter.turn for waiter in self._waiting} | self._pages
        return sum(not turn.running for turn in waiting)

    def _give(self, worker: Worker) -> None:
        """Hand a worker to who came first of all that wait."""
        while self._waiting:
            waiter = self._waiting.pop(0).worker
            if not waiter.done():
                waiter.set_result(worker)
                return
        self._idle.append(worker)

    def _stand_in(self) -> None:
        """Start a worker in the place of the one that has run longest, if that is long."""
        if not self._since or len(self._long) >= _MOST_LONG * self.size:
            return
        worker = min(self._since, key=self._since.__getitem__)
        if asyncio.get_running_loop().time() >= self._since[worker] + _LONG:
            del self._since[worker]
            self._long.add(worker)
            worker.yield_to_others()
            self._later(self._start())

    def _replace(self, worker: Worker) -> None:
        self._later(self._end(worker))
        self._later(self._start())

    def _lost(self, worker: Worker, _: object) -> None:
        """Replace a worker that has ended while it had nothing to do."""
        if worker in self._idle and not self._closed:
            self._idle.remove(worker)
            self._later(self._end(worker))
            # One that ends at once might do so for ever.
            young = asyncio.get_running_loop().time() < worker.started + 1
            self._later(self._start(wait=1.0 if young else 0.0))

    async def _start(self, wait: float = 0.0, first: bool = False) -> None:
        """Start a worker and hand it to who waits for one."""
        await asyncio.sleep(wait)
        while not self._closed:
            try:
                worker = await Worker.start(self.graph)
            except (OSError, LostError) as error:  # no memory or no process left just now
                if first:
                    message = "the processes that answer queries cannot be started"
                    raise GraphError(message) from error
                await asyncio.sleep(1)
                continue
            self._workers.add(worker)
            if self._closed:
                return
            worker.gone.add_done_callback(partial(self._lost, worker))
            self._give(worker)
            return

    async def _end(self, worker: Worker) -> None:
        self._workers.discard(worker)
        await worker.end()

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        if self._closed:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_FIELDS = tuple(one.name for one in fields(Request))


def _closing() -> RequestError:
    return RequestError(503, "the server is closing", _RETRY)


def _over(seconds: float) -> RequestError:
    return RequestError(503, f"the query took more than {seconds:g} seconds and was ended", _RETRY)
