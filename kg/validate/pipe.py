"""Data for a reader that takes the name of a file, written while it reads.

The reader is not Python's, and hears of nothing until it is done.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar, cast

T = TypeVar("T")


def apart(call: Callable[[], T]) -> T:
    """What a call gives that is made in a thread of its own, so that Ctrl-C is heard meanwhile.

    It goes on in vain then, until the process ends.
    """
    given: list[T] = []
    failures: list[BaseException] = []

    def work() -> None:
        try:
            given.append(call())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return given[0]


class _Until:
    """Writes until something has happened."""

    def __init__(self, end: threading.Event, out: IO[bytes]) -> None:
        self._end, self._out = end, out

    def write(self, some: bytes) -> int:
        if self._end.is_set():
            raise BrokenPipeError
        return self._out.write(some)

    def flush(self) -> None:
        self._out.flush()


@contextmanager
def written(write: Callable[[IO[bytes]], None]) -> Iterator[Path]:
    """A file with what `write` writes, of the extension .nt, to be read once, from its beginning.

    It is a named pipe where the system has such, so that writing and reading go on at the same
    time and nothing goes to disk. What `write` raises is raised at the end, before all else.
    """
    with tempfile.TemporaryDirectory(prefix="kg-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "data.nt"
        if not hasattr(os, "mkfifo"):
            with file.open("wb") as out:
                write(out)
            yield file
            return
        os.mkfifo(file)
        failures: list[BaseException] = []
        opened = threading.Event()
        left = threading.Event()

        def work() -> None:
            try:
                with file.open("wb") as out:
                    opened.set()
                    write(cast(IO[bytes], _Until(left, out)))
            except BrokenPipeError:
                pass  # who reads wants no more of it
            except BaseException as error:
                failures.append(error)
            finally:
                opened.set()

        writer = threading.Thread(target=work)
        writer.start()
        try:
            yield file
        finally:
            left.set()
            # The writer's opening waits for a reader, and its writing ends when there is none.
            reader = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
            opened.wait()
            os.close(reader)
            writer.join()
            if failures:  # also where the reader has complained of the half that it got
                raise failures[0]
