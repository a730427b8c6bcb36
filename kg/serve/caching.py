"""What makes a second request cheap: entity tags, and answers kept while they hold.

A generation of the graph never changes, so that whatever is asked with GET has one answer as
long as the generation stays. A tag stands for the generation, this version of kg, its settings, and
the request; who sends it back hears that nothing has changed, and no query runs. Answers
that are asked for more than once are kept and given again, small ones in memory and large ones on
disk (`kg.serve.large`); a page that many ask for at once is made once.

A response with a Cache-Control of its own is left alone, and so is one that something was
missing for.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.serve.access import note
from kg.serve.answer import TROUBLES
from kg.serve.large import SMALL, Headers, Key, Large, Part

_MOST = 1 << 25  # bytes of all answers that are kept in memory
_SEEN = 10_000  # requests that are remembered as asked once
_SAME = b"no-cache"  # keep it, and ask each time whether it still holds
_DECIDING = (b"host", b"accept", b"accept-encoding")  # headers
# Functions that give something else each time. Some words need no space behind them.
_CHANGING = re.compile(
    rb"(?:\b|BY|FILTER|HAVING|DISTINCT)(?:NOW|RAND|(?:STR)?UUID|BNODE)(?:\s|#[^\n\r]*+)*+\(",
    re.IGNORECASE,
)
_ASKING = ("/sparql", "/query")  # where the address has a query
_NEVER = ("/health", "/static/")


class Cached:
    """Answers for `app` what it has answered before.

    `stamp` changes with the generation; `settings` are those that answers depend on, beside it.
    """

    def __init__(self, app: ASGIApp, stamp: Callable[[], object], settings: object = None) -> None:
        self._app, self._stamp = app, stamp
        self._version = (_version(), settings)
        self._kept: OrderedDict[Key, tuple[Headers, bytes]] = OrderedDict()
        self._size = 0
        self._large = Large()
        self._seen: OrderedDict[int, None] = OrderedDict()
        self._now: object = None
        self._being_made: dict[Key, asyncio.Event] = {}  # pages that others may wait for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        now = self._stamp()
        if now != self._now:
            self._now, self._size = now, 0
            self._kept.clear()
            self._large.clear()
            self._seen.clear()
        if now is None or scope["path"].startswith(_NEVER):
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        key: Key = (scope["scheme"], scope["raw_path"], scope["query_string"])
        for header in headers:
            if header[0] in _DECIDING:
                key += header
        made: asyncio.Event | None = None
        if scope["method"] == "GET" and not scope["path"].startswith("/sparql"):
            if other := self._being_made.get(key):
                self._seen[hash(key)] = None  # this is the second time
                await other.wait()
            else:
                made = self._being_made[key] = asyncio.Event()
        try:
            await self._answer(scope, receive, send, now, key, made)
        finally:
            if made is not None:
                self._made(key, made)

    def _made(self, key: Key, made: asyncio.Event) -> None:
        """Let those go on who wait for the same page."""
        if self._being_made.get(key) is made:
            del self._being_made[key]
        made.set()

    async def _answer(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        now: object,
        key: Key,
        made: asyncio.Event | None,
    ) -> None:
        tags = _asked_for(scope["headers"])
        if scope["method"] == "GET" and not tags:
            if kept := self._kept.get(key):
                self._kept.move_to_end(key)
                note(scope, cached=True)
                await send({"type": "http.response.start", "status": 200, "headers": kept[0]})
                await send({"type": "http.response.body", "body": kept[1]})
                return
            if large := self._large.get(key):
                note(scope, cached=True)
                await large.send(send)
                return
        tag = self._tag(now, key)
        if tag in tags:
            note(scope, cached=True)
            own = [(b"etag", tag), (b"cache-control", _SAME), (b"vary", _VARY)]
            await send({"type": "http.response.start", "status": 304, "headers": own})
            await send({"type": "http.response.body", "body": b""})
            return
        with ExitStack() as end:
            keeping = self._keeping(scope, key, tag, b"*" in tags, now, send, made, end)
            await self._app(scope, receive, keeping)

    def _keeping(
        self,
        scope: Scope,
        key: Key,
        tag: bytes,
        any_will_do: bool,
        now: object,
        send: Send,
        made: asyncio.Event | None,
        end: ExitStack,
    ) -> Send:
        """A `send` that adds the tag, and keeps what is asked for again.

        With `any_will_do` the client has something, and that there is an answer is enough.
        What has not come whole at the `end` is not kept.
        """
        start: Message | None = None
        part: Part | None = None  # what has come so far of an answer in several pieces
        troubles: list[str] = []
        TROUBLES.set(troubles)

        async def keeping(message: Message) -> None:
            nonlocal start, part
            if message["type"] == "http.response.start":
                if message["status"] == 200 and not troubles and _lasting(scope, message):
                    added = [(b"etag", tag), (b"cache-control", _SAME)]
                    message["headers"] = [*message["headers"], *added]
                    start = message
                if start is not None and any_will_do:
                    kept = [pair for pair in start["headers"] if pair[0].lower() in _UNCHANGED]
                    note(scope, cached=True)
                    await send({"type": message["type"], "status": 304, "headers": kept})
                    await send({"type": "http.response.body", "body": b""})
                    return
            elif start is not None and any_will_do:
                return
            else:
                whole, body = not message.get("more_body", False), message.get("body", b"")
                if start is not None and scope["method"] == "GET" and self._now == now:
                    if whole:
                        self._keep(key, start["headers"], body)
                    elif self._asked_again(key):
                        part = self._large.part(start["headers"])
                        end.callback(part.leave)
                start = None
                if part is not None:
                    part.add(body)
                    if whole and self._now == now:
                        end.pop_all()
                        if (small := part.small) is not None:
                            length = (b"content-length", b"%d" % part.size)
                            self._keep(key, [*part.headers, length], small)
                        self._large.keep(key, part)
            if made is not None and message["type"] == "http.response.body":
                self._made(key, made)  # who reads slowly holds up nobody
            await send(message)

        return keeping

    def _keep(self, key: Key, headers: Headers, body: bytes) -> None:
        if len(body) > SMALL or key in self._kept or not self._asked_again(key):
            return
        self._kept[key] = (headers, body)
        self._size += _weight(key, body)
        while self._size > _MOST:
            old, (_, text) = self._kept.popitem(last=False)
            self._size -= _weight(old, text)

    def _asked_again(self, key: Key) -> bool:
        """Whether this is not the first time: what is asked only once would push out the rest."""
        once = hash(key)
        if once in self._seen:
            return True
        self._seen[once] = None
        if len(self._seen) > _SEEN:
            self._seen.popitem(last=False)
        return False

    def _tag(self, now: object, key: Key) -> bytes:
        digest = hashlib.blake2b(repr((self._version, now, key)).encode(), digest_size=12)
        # Weak: the bytes may differ where their order means nothing.
        return b'W/"%s"' % digest.hexdigest().encode()


_VARY = b"Accept, Accept-Encoding"
_UNCHANGED = (b"etag", b"cache-control", b"vary", b"content-location", b"link")


def _version() -> float:
    """What changes with the code: when the newest file of the server was made."""
    folder = Path(__file__).parents[1]
    files = [folder / "results.py"]
    for part in ("serve", "queries", "search"):
        files += (folder / part).rglob("*")
    return max(file.stat().st_mtime for file in files if file.suffix != ".pyc" and file.is_file())


def _asked_for(headers: Headers) -> list[bytes]:
    """The tags that a client has already."""
    return [
        tag.strip()
        for name, value in headers
        if name == b"if-none-match"
        for tag in value.split(b",")
    ]


def _lasting(scope: Scope, start: Message) -> bool:
    """Whether the same request will have the same answer."""
    if any(name.lower() in (b"cache-control", b"etag") for name, _ in start["headers"]):
        return False
    if not scope["path"].startswith(_ASKING):
        return True
    return not _CHANGING.search(unquote_to_bytes(scope["query_string"].replace(b"+", b" ")))


def _weight(key: Key, body: bytes) -> int:
    return sum(map(len, key)) + len(body) + 2000
