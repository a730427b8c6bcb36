"""What is asked of a worker, and its answer as it comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

from kg.serve.link import LostError, Worker

RETRY = {"Retry-After": "5"}  # seconds

# Troubles of the moment that came up in answering a request, even if its answer makes do
# without what was missed; who keeps answers sets it.
TROUBLES: ContextVar[list[str] | None] = ContextVar("TROUBLES", default=None)


@dataclass(eq=False, slots=True)
class Turn:
    """The place in the queue of a query, or of all queries of a page."""

    number: int  # who came first has the smaller one
    page: bool = False  # one that is still being made
    waits: bool = True  # False: nobody needs it yet, and nobody has to make room for it
    running: int = 0  # queries of it that have a worker


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
    size: int = 1 << 24  # characters of all these rows at most
    cell: int | None = None  # characters of one of their terms, the rest being cut off
    whole: bool = False  # all of it, however much one result may have
    head: bool = False  # only what the result is, not the result
    gzip: bool = False  # whether the result may come so


@dataclass(frozen=True, slots=True)
class Rows:
    """A result for our own pages: terms as in SPARQL JSON results.

    One that was cut is a literal, with its whole length in characters as "length".
    """

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
        self.over = False  # the worker has been given back
        self.given: float | None = None  # since when it is the client that we wait for

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
        self.given = None
        try:
            letter, payload = await self.worker.read()
        except LostError as error:
            if error.unread and not self.kind:
                raise
            raise RequestError(
                503,
                "the process that ran the query was lost, perhaps for want of memory; "
                "try again, or ask for less",
                RETRY,
            ) from error
        self.given = asyncio.get_running_loop().time()
        self.complete = letter in (b"Z", b"E")
        if letter == b"E":
            problem = json.loads(payload)
            raise RequestError(problem["status"], problem["message"])
        if letter == b"Z":
            self.seconds = float(payload)
        return letter, payload
