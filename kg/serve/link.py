"""A worker process as the server sees it: a socket with frames, read no faster than taken."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from kg.serve.worker import CHUNK, HEADER

# The child gets the search path of this process, so that it runs the very same kg.
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from pathlib import Path; "
    "from kg.serve.worker import main; main(Path(sys.argv[2]))"
)
_MOST_HELD = 4 * CHUNK  # bytes that were sent and nobody took yet


class LostError(Exception):
    """The worker's process has ended; `unread` where it never saw the last request."""

    def __init__(self, unread: bool) -> None:
        super().__init__("the worker was lost")
        self.unread = unread


class Worker(asyncio.Protocol):
    """One process of `kg.serve.worker`. Use it from one task at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._transport: asyncio.Transport
        self._data = bytearray()
        self._frames: deque[tuple[bytes, bytes]] = deque()
        self._held = 0  # bytes in the frames
        self._paused = False
        self._waiting: asyncio.Future[None] | None = None
        self._failure: Exception | None = None
        loop = asyncio.get_running_loop()
        self.gone: asyncio.Future[None] = loop.create_future()  # done when the process ends
        self.started = loop.time()

    @classmethod
    async def start(cls, graph: Path) -> Worker:
        """Start a process, and wait until it is ready for requests.

        It has its own session, so that Ctrl-C does not reach it. Raises OSError where there
        can be no process just now, LostError where it has ended at once.
        """
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _CHILD, path, str(graph.absolute())],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                ours.close()
                raise
        ours.setblocking(False)
        loop = asyncio.get_running_loop()
        _, worker = await loop.create_unix_connection(lambda: cls(process), sock=ours)
        try:
            await worker.read()
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def alive(self) -> bool:
        """Whether the process can take a request, as far as is known."""
        return self._failure is None

    def send(self, request: dict[str, Any]) -> None:
        """Send a request; whether it arrives is seen in reading."""
        payload = json.dumps(request).encode()
        self._transport.write(HEADER.pack(b"Q", len(payload)) + payload)

    async def read(self) -> tuple[bytes, bytes]:
        """The next frame: its letter and its payload.

        Raises LostError when the process has ended, and what `fail` was given.
        """
        while not self._frames:
            if self._failure is not None:
                raise self._failure
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        letter, payload = self._frames.popleft()
        self._held -= len(payload)
        if self._paused and self._held < _MOST_HELD:
            self._paused = False
            self._transport.resume_reading()
        return letter, payload

    @property
    def said_all(self) -> bool:
        """Whether the end of the answer is here, so that reading it waits no more."""
        return bool(self._frames) and self._frames[-1][0] in b"ZE"

    def fail(self, error: Exception) -> None:
        """Make this and every later reading raise `error`: the worker is of no more use."""
        if self._failure is None:
            self._failure = error
            self._wake()

    def yield_to_others(self) -> None:
        """Let the process run behind all those that have not run for long."""
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, 10)

    async def end(self) -> None:
        """End the process, whatever it does."""
        self.fail(LostError(unread=False))
        self._process.kill()
        self._transport.abort()
        await asyncio.to_thread(self._process.wait)

    # What follows is called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the socket."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by its class

    def data_received(self, data: bytes) -> None:
        """Take frames out of what has come so far."""
        self._data += data
        at = 0
        while len(self._data) - at >= HEADER.size:
            letter, length = HEADER.unpack_from(self._data, at)
            begin = at + HEADER.size
            if len(self._data) < begin + length:
                break
            at = begin + length
            self._frames.append((letter, bytes(self._data[begin:at])))
            self._held += length
        del self._data[:at]
        if at:
            self._wake()
        if self._held >= _MOST_HELD and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """Tell who reads; a socket closed with something unread in it says so by a reset."""
        self.fail(LostError(unread=isinstance(error, ConnectionError)))
        if not self.gone.done():
            self.gone.set_result(None)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
