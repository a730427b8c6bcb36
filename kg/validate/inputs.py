"""What `kg validate` is given, as files on disk: files, folders, standard input, addresses."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import _TemporaryFileWrapper
from typing import IO

from pyoxigraph import RdfFormat

from kg.errors import InputError, UsageError

BY_EXTENSION = {
    "ttl": RdfFormat.TURTLE,
    "nt": RdfFormat.N_TRIPLES,
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
    "json": RdfFormat.JSON_LD,
    "rdf": RdfFormat.RDF_XML,
    "owl": RdfFormat.RDF_XML,
    "xml": RdfFormat.RDF_XML,
}
# In a folder, files of the other extensions are mostly something else.
_IN_FOLDERS = ("ttl", "nt", "nq", "trig", "jsonld", "rdf", "owl")


@dataclass(frozen=True, slots=True)
class Source:
    """One input: how the user calls it and where its bytes lie."""

    name: str
    path: Path
    syntax: RdfFormat | None = None  # None where extension or content tell it
    base: str | None = None  # what relative IRIs are relative to; None for the file's own address
    keep: object = field(default=None, repr=False, compare=False)  # holds a file that is our own


def sources(inputs: Sequence[str | Path]) -> Iterator[Source]:
    """The files that inputs stand for, each once; those of a folder in the order of their names.

    Raises InputError for a folder without RDF and for what cannot be read, UsageError for an
    address outside this machine.
    """
    seen: set[str] = set()
    for given in inputs:
        for source in _sources(given):
            # Twice the same file would be its blank nodes twice, and a path of a shape too.
            where = os.path.realpath(source.path)
            if where not in seen:
                seen.add(where)
                yield source


def reads(inputs: Sequence[str], file: str) -> bool:
    """Whether a file is one of those that inputs stand for. Raises as `sources` does."""
    plain = [
        given
        for given in inputs
        if given.startswith("file:") or Path(given).is_file() or Path(given).is_dir()
    ]
    where = os.path.realpath(file)
    if "-" in inputs and Path(file).is_file():
        with suppress(OSError):  # there may be no standard input
            if os.path.samestat(os.fstat(0), Path(file).stat()):
                return True
    return any(os.path.realpath(source.path) == where for source in sources(plain))


def _sources(given: str | Path) -> Iterator[Source]:
    name = str(given)
    if name == "-":
        yield _standard_input()
    elif isinstance(given, str) and "://" in name:
        from kg.validate.fetch import fetched

        yield fetched(name)
    elif Path(name).is_dir():
        yield from _folder(name)
    elif Path(name).is_fifo() or Path(name).is_char_device():
        with _opened(name) as pipe:
            yield _spooled(name, pipe)
    else:
        yield Source(name, Path(name))


def extension(name: str) -> str:
    """The extension that tells the syntax: "ttl" for "A.TTL.gz"."""
    return name.lower().removesuffix(".gz").rpartition(".")[2]


@contextmanager
def kept() -> Iterator[_TemporaryFileWrapper[bytes]]:
    """A file to write to, which is there as long as something holds it."""
    file = tempfile.NamedTemporaryFile(prefix="kg-")  # noqa: SIM115
    yield file
    file.flush()


def _folder(name: str) -> Iterator[Source]:
    if (Path(name) / "CURRENT").is_file():
        raise UsageError(f"{name} is a graph of kg; validate it with: kg validate -g {name}")
    found = []
    for place, folders, files in os.walk(name, onerror=_refuse):
        folders[:] = [one for one in folders if not one.startswith(".")]
        found += [
            str(Path(place, one))
            for one in files
            if not one.startswith(".") and extension(one) in _IN_FOLDERS
        ]
    if not found:
        kinds = ", ".join(f".{kind}" for kind in _IN_FOLDERS)
        raise InputError(name, f"there is no RDF file in this folder ({kinds}, also with .gz)")
    for file in sorted(found):
        yield Source(file, Path(file))


def _refuse(error: OSError) -> None:
    raise InputError(str(error.filename), f"cannot be read: {error.strerror}") from error


def _standard_input() -> Source:
    if sys.stdin is None:
        raise InputError("standard input", "is closed")
    return _spooled("standard input", sys.stdin.buffer)


def _opened(name: str) -> IO[bytes]:
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}") from error


def _spooled(name: str, stream: IO[bytes]) -> Source:
    """What can be read only once goes to disk, so that lines can be looked up in it."""
    with kept() as file:
        shutil.copyfileobj(stream, file)
    return Source(name, Path(file.name), base="file:///stdin", keep=file)
