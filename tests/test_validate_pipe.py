"""Data written while it is read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import IO

import pytest

from kg.validate.pipe import written

LINES = b"<s> <p> <o> .\n" * 100_000  # far more than a pipe holds


def whole(out: IO[bytes], content: bytes = LINES) -> None:
    out.write(content)


def complaining(file: Path, size: int) -> None:
    with file.open("rb") as data:
        data.read(size)
    raise ValueError("broken syntax in line 1")


def test_what_is_written_is_read() -> None:
    with written(whole) as file:
        assert file.suffix == ".nt"
        assert file.read_bytes() == LINES
    assert not file.exists()


def test_nothing() -> None:
    with written(partial(whole, content=b"")) as file:
        assert file.read_bytes() == b""


def test_who_does_not_read_does_not_wait() -> None:
    with pytest.raises(ValueError, match="of no use"), written(whole):
        raise ValueError("of no use")


def test_who_leaves_early_is_heard() -> None:
    with pytest.raises(ValueError, match="in line 1"), written(whole) as file:
        complaining(file, size=14)


def test_half_of_the_data_is_not_all() -> None:
    """The reader took it for the whole, or complained of it: both are wrong."""

    def broken(out: IO[bytes]) -> None:
        out.write(LINES)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"), written(broken) as file:
        assert file.read_bytes() == LINES
    with pytest.raises(OSError, match="the disk is gone"), written(broken) as file:
        complaining(file, size=-1)
