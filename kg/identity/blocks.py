"""Things that have a key in common, found on disk, so that memory does not grow with them.

A temporary database of SQLite holds the keys; it spills to a file that has no name and is gone
with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

_KIB = 4096  # memory of the database
_DIGEST = 16  # bytes: so many that two keys never have one digest


class Blocks:
    """Numbers by the keys that they were added under; keys of several kinds are told apart."""

    def __init__(self) -> None:
        # Without a name, a database of SQLite is a temporary file of its own.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(f"PRAGMA cache_size = -{_KIB}")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("BEGIN")
        self._database.execute("CREATE TABLE place (kind TEXT, key BLOB, number INTEGER)")

    def add(self, places: Iterable[tuple[str, str, int]]) -> None:
        """Add numbers, each with the kind of its key and the key."""
        rows = ((kind, _digest(key), number) for kind, key, number in places)
        self._database.executemany("INSERT INTO place VALUES (?, ?, ?)", rows)

    def of(self, kind: str) -> Iterator[list[int]]:
        """The numbers of each key of one kind that has several of them, sorted, each once."""
        query = "SELECT DISTINCT key, number FROM place WHERE kind = ? ORDER BY key, number"
        for _, block in groupby(self._database.execute(query, (kind,)), itemgetter(0)):
            numbers = [number for _, number in block]
            if len(numbers) > 1:
                yield numbers


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
