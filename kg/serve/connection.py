"""One HTTP connection, with the limits that uvicorn leaves to whatever stands before it.

A client may not send a head of any length, take for ever to send its request or to take its
answer, or open connections without end.
"""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kg.serve.problem import problem

MOST_CONNECTIONS = 1000
_LARGEST_HEAD = 1 << 17  # bytes of address and headers; a query may be long
_PATIENCE = 30.0  # seconds for a request to come whole, or for an answer to be taken on
_LINGER = 1.0  # seconds for a client to read that it is refused


def _refusal(accept: str, status: int, message: str) -> bytes:
    """A whole answer, in the form that all errors have."""
    retry = {"Retry-After": "5"} if status == 503 else {}
    own = {"Access-Control-Allow-Origin": "*", "Connection": "close"}
    response = problem(accept, status, message, {**own, **retry})
    head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
    head += [name + b": " + value for name, value in response.raw_headers]
    return b"\r\n".join([*head, b"", bytes(response.body)])


_FULL = (503, "there are too many clients; try again later")
_TOO_LONG = {
    True: (414, "the address is too long; send the query by POST"),
    False: (431, "the headers are too long"),
}
_NO_METHOD = (501, "this method is not known here; GET, HEAD, POST and OPTIONS are")
_NO_REQUEST = (
    400,
    "this is not a request of HTTP; in an address a space is written as %20, "
    "and a letter beyond ASCII by its bytes, as in %C3%A9",
)
_TOGETHER = 1 << 16  # bytes that are held to be sent as one
_LONGEST_ADDRESS = 65_535  # bytes that the parser takes
_BEGINNING = re.compile(
    rb"(?!(?:GET|HEAD|POST|OPTIONS) )[A-Z][A-Z0-9-]{0,40} \S+ HTTP/1\.[01]\r?\n"
)
_LINE = re.compile(rb"[^\r\n]*+")
_FIRST_LINE = re.compile(rb"[\r\n]*+[^\r\n]*+")  # that is not empty
_ACCEPT = re.compile(rb"\naccept:[ \t]*([^\r\n]*)", re.IGNORECASE)


class _Together:
    """A transport that sends as one what is written in one turn of the loop.

    uvicorn writes a head and its body apart, and each time wakes the client.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write at the end of this turn, or as soon as it is much."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)
        self._size += len(data)
        if self._size > _TOGETHER:
            self._flush()

    def close(self) -> None:
        """Write what is held, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._held and not self._transport.is_closing():
            self._transport.write(b"".join(self._held))
        self._held.clear()
        self._size = 0


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with limits."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head: int | None = 0  # bytes of the head that is coming; None: it has come
        self._refused = False
        self._between = True  # no request has begun, or one has come whole
        self._line = False  # the first line of a request is coming
        self._heard = self.loop.time()  # when there was last something from the client, or to it
        self._latest = b""  # what has come last
        self._coming: asyncio.TimerHandle | None = None  # a request is, or the first may be
        self._stuck: asyncio.TimerHandle | None = None  # an answer is

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a client in, or turn it away where there are too many."""
        super().connection_made(cast("asyncio.Transport", _Together(transport, self.loop)))
        if len(self.connections) > 2 * MOST_CONNECTIONS:
            transport.abort()
        elif len(self.connections) > MOST_CONNECTIONS and not self._displace():
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
        self._heard = self.loop.time()
        if self._between or self._line:
            data = self._escaped(data)
        if self._head is not None:
            self._head += len(data)
        self._latest = data
        super().data_received(data)
        if self._head is not None and self._head > _LARGEST_HEAD:
            self._refuse(_TOO_LONG[not self.headers])

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._between = False
        if self._coming is None:
            self._expect()

    def on_headers_complete(self) -> None:
        """The head of a request has come."""
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request has come whole."""
        self._head = 0
        self._between = True
        self._cancel_coming()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer has gone out."""
        self._heard = self.loop.time()
        super().on_response_complete()

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

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong with a request that the parser does not take."""
        if len(self.url or b"") > _LONGEST_ADDRESS:
            self._refuse(_TOO_LONG[True])
        elif not self.url and _BEGINNING.match(self._latest):
            self._refuse(_NO_METHOD)
        else:
            self._refuse(_NO_REQUEST)

    def _escaped(self, data: bytes) -> bytes:
        """Escape letters in an address that the parser takes in ASCII only, as browsers do."""
        found = (_FIRST_LINE if self._between else _LINE).match(data)
        assert found is not None
        line, rest = found[0], data[found.end() :]
        self._line = not rest
        if line.isascii():
            return data
        return re.sub(rb"[\x80-\xff]", lambda hit: b"%%%02X" % ord(hit[0]), line) + rest

    def _displace(self) -> bool:
        """Close the connection that has said nothing for the longest time, if it is at rest."""
        resting = [one for one in self.connections if isinstance(one, Connection) and one.resting]
        oldest = min(resting, key=lambda one: one._heard, default=None)
        if oldest is None or oldest is self:
            return False
        oldest.transport.close()
        return True

    @property
    def resting(self) -> bool:
        """Whether there is no request of this client that has to be answered."""
        if self.transport.is_closing() or self.transport.get_write_buffer_size():
            return False
        return self.cycle is None or self.cycle.response_complete

    def _refuse(self, why: tuple[int, str]) -> None:
        """Answer, and close a little later: with more to come, an answer would be lost."""
        self._refused = True
        given = [value for name, value in self.headers or () if name.lower() == b"accept"]
        given = given or _ACCEPT.findall(self._latest)
        self.transport.write(_refusal(b", ".join(given).decode("latin-1"), *why))
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
