"""Reading: files of several forms become records, each with its exact place in the source.

One file a form. A form is found by content; what cannot be used becomes a `Rejection` that
names the line and what to do, and the rest of the file is read on.
"""

from __future__ import annotations

import gzip
import io
import re
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
from kg.read.lines import Line, blocks, lines
from kg.read.naming import named

FORMATS = (author_page.NAME, abstract_list.NAME, json_lines.NAME)
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
    with _readable(path):
        opened = _open(path)
        sample = opened.read(_SAMPLE)
    stream = io.BufferedReader(_Again(sample, opened))
    format = format or _detect(path, sample)
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


def _open(path: str) -> BinaryIO:
    """Open a file, unpacked."""
    if path != "-" and Path(path).is_dir():
        raise InputError(
            path, f"is a folder; name its files, for example: {path.rstrip('/')}/*.txt"
        )
    packed = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115
    start = packed.read(2)
    stream = io.BufferedReader(_Again(start, packed))
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if start == b"\x1f\x8b" else stream


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


def _detect(path: str, sample: bytes) -> str:
    """Tell the form of a source by its beginning, or say why it is none that kg reads."""
    if not sample.strip():
        raise InputError(path, "is empty")
    if sample[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(path, "is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE")
    if _binary(sample):
        raise InputError(path, f"is no text; kg reads {_and(FORMATS)}")
    text = sample.decode("utf-8", "replace").removeprefix("\ufeff")
    start = text.lstrip()
    if start.startswith("{"):
        return json_lines.NAME
    if start.startswith("[") and start[1:].lstrip()[:1] in ("{", "["):
        raise InputError(path, "is a JSON array; put one object a line: jq -c '.[]' FILE")
    if start.startswith("<"):
        raise InputError(path, f"looks like XML or HTML; kg reads {_and(FORMATS)}")
    if start.startswith("@") and "{" in start[:40]:
        raise InputError(path, f"looks like BibTeX; kg reads {_and(FORMATS)}")
    if b"\r" in sample and b"\n" not in sample:
        raise InputError(path, "has lines that end in CR alone; convert it: tr '\\r' '\\n' < FILE")
    if re.search(r"^\ufeff?\{\s*\"", text, re.MULTILINE):
        return json_lines.NAME  # what stands before is rejected line by line
    if re.match(r"-{10,}\n\\\\\n", start):
        raise InputError(path, f"looks like arXiv metadata in .abs form; kg reads {_and(FORMATS)}")
    if re.match(r"[\w-]+(?:[,;\t][\w -]+){1,40}\r?\n", start):
        raise InputError(path, f"looks like a table; kg reads {_and(FORMATS)}")
    if author_page.looks_like(text):
        return author_page.NAME
    return abstract_list.NAME


def _binary(sample: bytes) -> bool:
    """Whether more than one byte in ten is no text: a control byte, or not UTF-8."""
    control = sum(sample.count(bytes([byte])) for byte in range(32) if byte not in b"\t\n\r\f")
    decoded = sample.decode("utf-8", "replace")
    return control + decoded.count("\ufffd") > len(sample) / 10


def _and(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1]
