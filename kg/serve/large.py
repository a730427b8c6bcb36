"""Large answers, kept on disk, so that memory stays flat.

An answer is written here while it goes to a client. Given again, it costs no query and holds no
worker, however slowly the client reads. What breaks off is not kept, and what turns out to be
small is given to memory.
"""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from typing import IO

from starlette.types import Send

SMALL = 1 << 17  # bytes of an answer that memory can keep
_LARGEST = 1 << 26  # bytes of one answer
_MOST = 1 << 28  # bytes of all of them, those that are being written too
_FILES = 100  # of all of them: each takes a descriptor
_CHUNK = 1 << 18  # bytes sent at once

Key = tuple[bytes | str, ...]
Headers = list[tuple[bytes, bytes]]


class Large:
    """The answers that are kept; the one that was asked for longest ago goes first."""

    def __init__(self, largest: int = _LARGEST, most: int = _MOST, files: int = _FILES) -> None:
        self.largest, self._most, self._most_files = largest, most, files
        self._kept: OrderedDict[Key, Part] = OrderedDict()
        self.size = self.files = 0  # of all, those that are being written or read too

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
        if whole.on_disk and key not in self._kept:
            self._kept[key] = whole
        else:
            whole.leave()

    def clear(self) -> None:
        """Keep none any more; who is being sent one still gets it."""
        while self._kept:
            self._kept.popitem()[1].drop()

    def room(self, more: int = 0, file: bool = False) -> bool:
        """Make room for so many bytes, or for another file; whether there is."""
        for key, part in list(self._kept.items()):
            if self._fits(more, file):
                break
            if part.idle:  # else it would go, and its room would not
                del self._kept[key]
                part.drop()
        fits = self._fits(more, file)
        if fits:
            self.size += more
            self.files += file
        return fits

    def _fits(self, more: int, file: bool) -> bool:
        return self.size + more <= self._most and self.files + file <= self._most_files

    def free(self, size: int) -> None:
        """Give back the room of a file and of what was written to it."""
        self.size -= size
        self.files -= 1


class Part:
    """An answer as far as it has come."""

    def __init__(self, large: Large, headers: Headers) -> None:
        self._large, self.headers = large, headers
        self.size = 0
        self._pieces: list[bytes] = []  # as long as memory can keep them
        self._file: IO[bytes] | None = None
        self._users = 1  # who keeps it or writes it, and who reads it

    def add(self, body: bytes) -> None:
        """Take more of it; it is dropped where there is no room."""
        if not self._users:
            return
        if self._file is None and self.size + len(body) <= SMALL:
            self._pieces.append(body)
            self.size += len(body)
        elif not self._write(body):
            self.drop()

    def _write(self, body: bytes) -> bool:
        try:
            if self._file is None:
                if not self._large.room(file=True):
                    return False
                body = b"".join((*self._pieces, body))
                self._pieces, self.size = [], 0
                self._file = tempfile.TemporaryFile(prefix="kg-", buffering=0)  # noqa: SIM115
            fits = self.size + len(body) <= self._large.largest and self._large.room(len(body))
            self.size += len(body) if fits else 0
            return fits and self._file.write(body) == len(body)
        except OSError:  # no room on the disk
            if self._file is None:
                self._large.free(0)
            return False

    @property
    def idle(self) -> bool:
        """Whether nobody reads it."""
        return self._users == 1

    @property
    def on_disk(self) -> bool:
        """Whether all that was added is there, in a file."""
        return self._users > 0 and self._file is not None

    @property
    def small(self) -> bytes | None:
        """All that was added, where memory can keep it."""
        return b"".join(self._pieces) if self._users and self._file is None else None

    def leave(self) -> None:
        """Drop it if it is there still."""
        if self._users:
            self.drop()

    def drop(self) -> None:
        """Be of use to one less; without users it goes."""
        self._users -= 1
        if not self._users and self._file is not None:
            self._large.free(self.size)
            self._file.close()

    async def send(self, send: Send) -> None:
        """Send the whole of it as an HTTP response."""
        assert self._file is not None
        self._users += 1
        try:
            length = (b"content-length", b"%d" % self.size)
            headers = [*self.headers, length]
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
