"""One HTTP connection, with the limits that uvicorn leaves to whatever stands before it.

A client may not send a head of any length, take for ever to send its request or to take its
answer, or open connections without end.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_CONNECTIONS = 1000
_LARGEST_HEAD = 1 << 17  # bytes of address and headers; a query may be long
_PATIENCE = 30.0  # seconds for a request to come whole, or for an answer to be taken on
_LINGER = 1.0  # seconds for a client to read that it is refused


def _refusal(status: str, message: bytes) -> bytes:
    return b"\r\n".join(
        [
            b"HTTP/1.1 " + status.encode(),
            b"content-type: text/plain; charset=utf-8",
            b"content-length: %d" % (len(message) + 1),
            b"access-control-allow-origin: *",
            *([b"retry-after: 5"] if status.startswith("503") else []),
            b"connection: close",
            b"",
            message + b"\n",
        ]
    )


_FULL = _refusal("503 Service Unavailable", b"there are too many clients; try again later")
_TOO_LONG = {
    True: _refusal("414 URI Too Long", b"the address is too long; send the query by POST"),
    False: _refusal("431 Request Header Fields Too Large", b"the headers are too long"),
}


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with limits."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head: int | None = 0  # bytes of the head that is coming; None: it has come
        self._refused = False
        self._coming: asyncio.TimerHandle | None = None  # a request is, or the first may be
        self._stuck: asyncio.TimerHandle | None = None  # an answer is

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a client in, or turn it away where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > 2 * MOST_CONNECTIONS:
            transport.abort()
        elif len(self.connections) > MOST_CONNECTIONS:
            self._refuse(_FULL)
        else:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._cancel_coming()
        self._cancel_stuck()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        if self._refused or self.transport.is_closing():
            return
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > _LARGEST_HEAD:
            self._refuse(_TOO_LONG[not self.headers])

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        if self._coming is None:
            self._expect()

    def on_headers_complete(self) -> None:
        """The head of a request has come."""
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request has come whole."""
        self._head = 0
        self._cancel_coming()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The client does not take what we send."""
        super().pause_writing()
        self._cancel_stuck()
        self._stuck = self.loop.call_later(_PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        """The client takes it again."""
        self._cancel_stuck()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more has come for a while: close, and drop what was never taken."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def _refuse(self, answer: bytes) -> None:
        """Answer, and close a little later: with more to come, an answer would be lost."""
        self._refused = True
        self.transport.write(answer)
        self.loop.call_later(_LINGER, self.transport.close)

    def _expect(self) -> None:
        self._coming = self.loop.call_later(_PATIENCE, self._late)

    def _late(self) -> None:
        # A request that waits behind another on this connection is not late.
        if self.flow.read_paused:
            self._expect()
        else:
            self.transport.abort()

    def _cancel_coming(self) -> None:
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None

    def _cancel_stuck(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None
