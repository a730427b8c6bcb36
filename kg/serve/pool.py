"""A few worker processes, and who asks which of them when.

A query has a worker of its own while it runs. One that takes too long, or whose client has
gone, is ended by ending the worker, which is the only way to stop pyoxigraph; another takes
its place. What a worker sends is read only as fast as the client takes it.

When others wait, a query that runs for long, or whose client takes its time, gets a stand-in
for its worker and runs on behind them: so a few heavy queries do not hold up the light ones.
Where no stand-in is left and none is on its way, and one has waited for a while, a query has to
end for it: one whose client takes nothing, or else the one that has run longest.

All the queries of one page have one place in the queue (`Pool.turn`), which is the page's
until it is made: who was let in gets a whole page, and `waiting` bounds pages, not panels.

What is asked before anybody needs it takes a worker that has nothing to do, or none: it does
not wait, so no query has to end for it, and it is the first to end for others.
"""

from __future__ import annotations

import asyncio
import json
from bisect import insort
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from kg.errors import GraphError
from kg.serve.answer import RETRY, Answer, Request, RequestError, Rows, Turn
from kg.serve.link import LostError, Worker

_LONG = 1.0  # seconds after which a query is a long one, if others wait
_MOST_LONG = 3  # long queries at once, for each worker
_PATIENCE = 3.0  # seconds that a query waits before one that runs has to end for it
_STALLED = 5.0  # seconds in which a client takes nothing of its result


@dataclass(eq=False, slots=True)
class Waiter:
    """A query that waits for a worker."""

    turn: Turn
    worker: asyncio.Future[Worker]
    since: float  # on the loop's clock


_TURN: ContextVar[Turn | None] = ContextVar("_TURN", default=None)


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
        self._coming = 0  # workers that are starting
        self._running: dict[Answer, float] = {}  # when each began; who began first stands first
        self._long: set[Answer] = set()  # those with a stand-in
        self._made_room = 0.0  # when a query had to end for others
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Start all workers. Raises GraphError where the graph cannot be opened."""
        self._coming += self.size
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

    @property
    def resting(self) -> bool:
        """Whether a worker has nothing to do."""
        return bool(self._idle)

    @contextmanager
    def turn(self, waits: bool = True) -> Iterator[Turn]:
        """What is asked within has one place in the queue, until `leave` or the end.

        Unless it `waits`, it is refused where no worker is idle.
        """
        turn = Turn(next(self._numbers), page=True, waits=waits)
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
        return await self.table(Request(query, rows=limit))

    async def table(self, request: Request) -> Rows:
        """Ask for the rows of a request that has a number of them. Raises RequestError."""
        with await self.answer(request) as answer:
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
        self._running[answer] = loop.time()
        deadline = loop.time() + self.seconds

        def look() -> None:
            if loop.time() >= deadline:
                self._fail(answer, _over(self.seconds))
                return
            if self._waiting:
                self._stand_in()
            answer.timer = loop.call_at(min(loop.time() + _LONG, deadline), look)

        answer.timer = loop.call_at(min(loop.time() + _LONG, deadline), look)

    def _done(self, answer: Answer) -> None:
        """Give back a worker, or end it where it cannot be used again."""
        if answer.over:
            return
        answer.over = True
        if answer.timer is not None:
            answer.timer.cancel()
        worker = answer.worker
        answer.turn.running -= 1
        self._running.pop(answer, None)
        if answer in self._long:  # another has taken its place
            self._long.discard(answer)
            self._later(self._end(worker))
        elif answer.complete and worker.alive:
            self._give(worker)
        else:
            self._replace(worker)

    def _fail(self, answer: Answer, error: RequestError) -> None:
        """End a query at once, even if its client takes nothing and so does not hear of it."""
        answer.worker.fail(error)
        self._done(answer)

    async def _free(self, turn: Turn) -> Worker:
        """Wait for a worker that has nothing to do."""
        if self._closed:
            raise _closing()
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._replace(worker)
        if not turn.waits:
            raise _busy()
        if turn not in self._pages and self._queue() >= self._most_waiting:
            raise _refused("too many queries wait already; try again later")
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Worker] = loop.create_future()
        waits = Waiter(turn, waiter, loop.time())
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
                raise _busy() from error
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
        now = asyncio.get_running_loop().time()
        if self._no_more():
            self._make_room(now)
        answer = next((one for one in self._running if one not in self._long), None)
        if answer and now >= self._running[answer] + _LONG and not self._no_more():
            self._long.add(answer)
            answer.worker.yield_to_others()
            self._another()

    def _no_more(self) -> bool:
        return len(self._long) >= _MOST_LONG * self.size

    def _make_room(self, now: float) -> None:
        """End a query, if others have waited for long, and not one after the other."""
        unserved = self._waiting[self._coming :]  # whom no worker that is starting will serve
        since = min((waiter.since for waiter in unserved), default=now)
        if not self._running or now < since + _PATIENCE:
            return
        # The one whose client has taken nothing for the longest time.
        idle = min(self._running, key=lambda answer: answer.given or now)
        stalled = now >= (idle.given or now) + _STALLED
        if now < self._made_room + (_LONG if stalled else _PATIENCE):
            return
        self._made_room = now
        if stalled:
            why = "of the result nothing was taken for a while"
        else:
            spare = (answer for answer in self._running if not answer.turn.waits)
            idle = next(spare, None) or next(iter(self._running))
            why = "the query had run longest of all"
        self._fail(idle, _refused(f"{why}, and it was ended for others; try again later"))

    def _replace(self, worker: Worker) -> None:
        self._later(self._end(worker))
        self._another()

    def _lost(self, worker: Worker, _: object) -> None:
        """Replace a worker that has ended while it had nothing to do."""
        if worker in self._idle and not self._closed:
            self._idle.remove(worker)
            self._later(self._end(worker))
            # One that ends at once might do so for ever.
            young = asyncio.get_running_loop().time() < worker.started + 1
            self._another(wait=1.0 if young else 0.0)

    def _another(self, wait: float = 0.0) -> None:
        """Start a worker without waiting for it."""
        self._coming += 1
        self._later(self._start(wait))

    async def _start(self, wait: float = 0.0, first: bool = False) -> None:
        """Start a worker, counted among those that come, and hand it to who waits for one."""
        await asyncio.sleep(wait)
        while not self._closed:
            try:
                worker = await Worker.start(self.graph)
            except (OSError, LostError) as error:  # no memory or no process left just now
                if first:
                    message = "the processes that answer queries cannot be started"
                    raise GraphError(message) from error
                self._coming -= 1  # perhaps not before a query has ended
                await asyncio.sleep(1)
                self._coming += 1
                continue
            self._coming -= 1
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
    return _refused("the server is closing")


def _busy() -> RequestError:
    return _refused("all workers are busy; try again later")


def _over(seconds: float) -> RequestError:
    return _refused(f"the query took more than {seconds:g} seconds and was ended")


def _refused(message: str) -> RequestError:
    return RequestError(503, message, RETRY)
