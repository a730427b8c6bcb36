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

    On an error nothing is left behind and `path` stays as it was. A link stays a link, the
    permissions stay; a device or a pipe is written to directly. Raises InputError where the
    file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        path = path.resolve() if path.is_symlink() else path
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from error
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(mode)
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
