"""Reading: files of several forms become records, each with its exact place in the source.

One file a form. A form is found by content; what cannot be used becomes a `Rejection` that
names the line and what to do, and the rest of the file is read on.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from kg.errors import InputError
from kg.model import Note, Record, Rejection, Source
from kg.read import abstract_list, author_page, json_lines
from kg.read.check import fault
from kg.read.detect import Sample, form
from kg.read.lines import MAX_LINE_BYTES, Line, blocks, lines
from kg.read.naming import STDIN, named

_SAMPLE = 1 << 16


@dataclass(frozen=True)
class Reading:
    """An open source, and its records, notes and rejections as they are read."""

    source: Source
    items: Iterator[Record | Note | Rejection]


def read(path: str, format: str | None = None, name: str = "") -> Reading:
    """Open a file, or standard input for "-"; gzip is unpacked on the way.

    `name` is what the source is called, where the name of the file does not do (`named`).
    Raises InputError where the file as a whole cannot be read or is of no known form; a
    broken gzip stream raises it later, while reading.
    """
    name = name or named([path])[path]
    shown = "stdin" if path == STDIN else path
    with _readable(shown):
        opened, packed = _open(path)
        start = opened.read(_SAMPLE)
        whole = len(start) < _SAMPLE
        if not whole and b"\n" not in start:  # one line has to be known to its end
            start += (more := opened.read(MAX_LINE_BYTES))
            whole = len(more) < MAX_LINE_BYTES
    stream = io.BufferedReader(_Again(start, opened))
    format = form(path, shown, Sample(start, whole, packed), format)
    path = shown
    if format == json_lines.NAME:
        source = Source(name, format)
        items = json_lines.read(source, path, lines(stream))
    elif format == author_page.NAME:
        with _readable(path):
            source, rest = author_page.header(name, path, blocks(lines(stream)))
        items = author_page.read(source, path, rest)
    else:
        source = Source(name, format)
        items = abstract_list.read(source, path, blocks(lines(stream)))
    return Reading(source, _checked(path, stream, items))


def read_again(source: Source, position: int, line: int, raw: str) -> Record | None:
    """A record from its literal text, as it was read; None where nothing can be read of it."""
    if source.format == json_lines.NAME:
        items = json_lines.read(source, "", iter([Line(line, raw)]))
    else:
        reads = author_page.read if source.format == author_page.NAME else abstract_list.read
        items = reads(source, "", blocks(lines(io.BytesIO(raw.encode()))))
    found = next((item for item in items if isinstance(item, Record)), None)
    return replace(found, position=position, line=line, raw=raw) if found else None


def _checked(
    path: str, stream: IO[bytes], items: Iterator[Record | Note | Rejection]
) -> Iterator[Record | Note | Rejection]:
    with stream, _readable(path):
        for item in items:
            if isinstance(item, Record) and (reason := fault(item)):
                yield Rejection(path, item.line, reason, item.raw[:200])
            else:
                yield item


def _open(path: str) -> tuple[BinaryIO, bool]:
    """Open a file, unpacked, and say whether it was packed."""
    if path != STDIN and Path(path).is_dir():
        raise InputError(
            path, f"is a folder; name its files, for example: {path.rstrip('/')}/*.txt"
        )
    packed = sys.stdin.buffer if path == STDIN else Path(path).open("rb")  # noqa: SIM115
    start = packed.read(2)
    stream = io.BufferedReader(_Again(start, packed))
    if start == b"\x1f\x8b":
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream)), True
    return stream, False


class _Again(io.RawIOBase):
    """A stream whose beginning was read already and is given once more."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start, self._rest = io.BytesIO(start), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._start.read(len(view)) or self._rest.read(len(view))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._rest.close()
        super().close()


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turn what the operating system or gzip says of a file into an InputError."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(path, "there is no such file") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(path, f"the gzip file is broken: {error}") from error
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
