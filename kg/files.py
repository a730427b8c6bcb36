"""Writing files whole: beside first, then renamed, so that a reader never sees a half."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from kg.errors import InputError


@contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """Open a UTF-8 text file, "\\n" at line ends, that takes the place of `path` at the end."""
    with writing_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


@contextmanager
def writing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the place of `path` when the block ends well.

    On an error nothing is left behind and `path` stays as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from error
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; what we write is as readable as any new file.
        beside.chmod(0o666 & ~_umask())
        try:
            beside.replace(path)
        except OSError as error:
            raise InputError(str(path), f"cannot be written: {error.strerror}") from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
