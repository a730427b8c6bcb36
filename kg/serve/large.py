"""Large answers, kept on disk, so that memory stays flat.

An answer is written here while it goes to a client. Given again, it costs no query and holds no
worker, however slowly the client reads. What breaks off is not kept.
"""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from typing import IO

from starlette.types import Send

_LARGEST = 1 << 26  # bytes of one answer
_MOST = 1 << 28  # bytes of all of them, those that are being written too
_CHUNK = 1 << 18  # bytes sent at once

Key = tuple[bytes | str, ...]
Headers = list[tuple[bytes, bytes]]


class Large:
    """The answers that are kept; the one that was asked for longest ago goes first."""

    def __init__(self, largest: int = _LARGEST, most: int = _MOST) -> None:
        self.largest, self._most = largest, most
        self._kept: OrderedDict[Key, Part] = OrderedDict()
        self.size = 0  # bytes of all, those that are being written too

    def get(self, key: Key) -> Part | None:
        """The whole answer to a request, if it is kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def part(self, headers: Headers) -> Part:
        """A new answer, of which nothing is there yet."""
        return Part(self, headers)

    def keep(self, key: Key, whole: Part) -> None:
        """Keep an answer that has come to its end, unless it had to be dropped."""
        if whole.whole and key not in self._kept:
            self._kept[key] = whole
        else:
            whole.leave()

    def clear(self) -> None:
        """Keep none any more; who is being sent one still gets it."""
        while self._kept:
            self._kept.popitem()[1].drop()

    def room(self, more: int) -> bool:
        """Make room for so many bytes; whether there is."""
        while self._kept and self.size + more > self._most:
            self._kept.popitem(last=False)[1].drop()
        if self.size + more > self._most:
            return False
        self.size += more
        return True

    def free(self, size: int) -> None:
        """Give room back."""
        self.size -= size


class Part:
    """An answer as far as it has come."""

    def __init__(self, large: Large, headers: Headers) -> None:
        self._large, self._headers = large, headers
        self.size = 0
        self._file: IO[bytes] | None = None
        self._users = 1  # who keeps it or writes it, and who reads it

    def add(self, body: bytes) -> None:
        """Write more of it; it is dropped where there is no room."""
        if not self._users:
            return
        if self.size + len(body) > self._large.largest or not self._large.room(len(body)):
            self.drop()
            return
        self.size += len(body)
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="kg-", buffering=0)  # noqa: SIM115
            if self._file.write(body) < len(body):
                self.drop()
        except OSError:  # no room on the disk
            self.drop()

    @property
    def whole(self) -> bool:
        """Whether all that was added is there."""
        return self._users > 0

    def leave(self) -> None:
        """Drop it if it is there still."""
        if self.whole:
            self.drop()

    def drop(self) -> None:
        """Be of use to one less; without users it goes."""
        self._users -= 1
        if not self._users:
            self._large.free(self.size)
            if self._file is not None:
                self._file.close()

    async def send(self, send: Send) -> None:
        """Send the whole of it as an HTTP response."""
        assert self._file is not None
        self._users += 1
        try:
            length = (b"content-length", b"%d" % self.size)
            headers = [*self._headers, length]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            sent = 0
            while sent < self.size:
                self._file.seek(sent)  # others read it too
                body = self._file.read(_CHUNK)
                sent += len(body)
                more = sent < self.size
                await send({"type": "http.response.body", "body": body, "more_body": more})
        finally:
            self.drop()
