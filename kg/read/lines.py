"""Bytes to numbered lines and paragraphs, each with what is wrong with it.

A fault belongs to one line, so that the other lines of a file can still be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

MAX_LINE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; `fault` says why `text` is not to be used, if so."""

    number: int
    text: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph: lines up to the next empty one. `fault_line` is the line of its fault."""

    line: int
    text: str
    fault: str = ""
    fault_line: int = 0


def lines(stream: IO[bytes]) -> Iterator[Line]:
    """Decode a stream line by line, in memory that does not grow with a line's length."""
    number = 0
    while data := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        if len(data) > MAX_LINE_BYTES and not data.endswith(b"\n"):
            size = len(data)
            while more := stream.readline(MAX_LINE_BYTES):
                size += len(more)
                if more.endswith(b"\n"):
                    break
            fault = (
                f"a line of {size:,} bytes, more than the {MAX_LINE_BYTES:,} that a record may "
                "have; put one record a line, abstracts only"
            )
            yield Line(number, data[:200].decode("utf-8", "replace"), fault)
            continue
        data = data.rstrip(b"\r\n")
        try:
            yield Line(number, data.decode("utf-8"))
        except UnicodeDecodeError as error:
            fault = (
                f"byte 0x{data[error.start]:02X} at column {error.start + 1} is not UTF-8; "
                "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE"
            )
            yield Line(number, data.decode("utf-8", "replace"), fault)


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """Join lines to paragraphs.

    Wrapped text has short lines. Where a paragraph holds a line of over 200 characters, its
    lines were not wrapped, and each is a paragraph by itself.
    """
    held: list[Line] = []
    for line in lines:
        if line.text.strip() or line.fault:
            held.append(line)
        else:
            yield from _paragraphs(held)
            held = []
    yield from _paragraphs(held)


def _paragraphs(held: list[Line]) -> Iterator[Block]:
    if any(len(line.text) > 200 for line in held):
        for line in held:
            yield _block([line])
    elif held:
        yield _block(held)


def _block(held: list[Line]) -> Block:
    bad = next((line for line in held if line.fault), None)
    text = "\n".join(line.text for line in held)
    if bad:
        return Block(held[0].number, text, bad.fault, bad.number)
    return Block(held[0].number, text)
