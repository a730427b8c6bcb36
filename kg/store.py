"""The embedded store: Oxigraph on disk, one whole generation after the other.

A graph directory holds

    CURRENT                   the name of the generation that readers open
    generations/000001/       an Oxigraph store
    generations/000001.search an index of its names (kg.search), where one was made
    build.json, rejected.jsonl, extractions/   what belongs to building

A build fills a new generation beside the current one and swaps it in by renaming
one small file, so readers see the old graph or the new one and nothing between. The
generation before the current one stays on disk for those who still read it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from pyoxigraph import Quad, Store

from kg.errors import GraphError
from kg.files import writing

_AT_ONCE = 200_000  # quads that are loaded together


def generation(graph: Path) -> Path:
    """The folder of the graph's current generation.

    Raises GraphError where there is no graph.
    """
    name = _current_name(graph)
    if name is None:
        raise GraphError(f"{graph}: no graph here; make one with: kg build INPUT -g {graph}")
    return graph / "generations" / name


def stamp(graph: Path) -> tuple[int, int] | None:
    """What changes whenever another generation becomes the current one; None without a graph.

    Cheaper than `generation`, for those who ask before every query.
    """
    try:
        found = os.stat(f"{graph}/CURRENT")  # noqa: PTH116 - a third of the time of Path.stat
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def open_store(graph: Path) -> Store:
    """The current generation, read-only. Raises GraphError where it cannot be opened."""
    folder = generation(graph)
    try:
        return Store.read_only(str(folder))
    except (OSError, RuntimeError) as error:
        raise GraphError(f"{graph}: the graph cannot be opened: {error}") from error


@contextmanager
def locked(graph: Path) -> Iterator[None]:
    """Hold the graph directory for one build.

    Raises GraphError while another has it, and for a folder with other things in it.
    """
    try:
        graph.mkdir(parents=True, exist_ok=True)
        lock = (graph / ".lock").open("w")
    except OSError as error:
        raise GraphError(f"{graph}: cannot be written: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise GraphError(
                f"{graph}: another build is running here; wait for it to end"
            ) from error
        held = {entry.name for entry in graph.iterdir()} - {".lock"}
        if held and not held & {"CURRENT", "generations", "extractions", "rejected.jsonl"}:
            (graph / ".lock").unlink()
            raise GraphError(f"{graph}: holds other files and no graph; name another folder")
        yield


class Generation:
    """A new generation in the making. Call it under `locked`."""

    def __init__(self, graph: Path) -> None:
        self.graph = graph
        folder = graph / "generations"
        current = _current_name(graph)
        self._clear(folder, keep={current} if current else set())
        last = max(
            (int(old.name) for old in folder.glob("[0-9]*") if old.name.isdigit()), default=0
        )
        self.name = f"{last + 1:06d}"
        self.path = folder / self.name
        try:
            self.path.mkdir(parents=True)
            self.store = Store(str(self.path))
        except BaseException:
            self._remove()
            raise

    def load(self, quads: Iterable[Quad]) -> None:
        """Add many quads; they go to disk as they come."""
        coming = iter(quads)
        # Left to itself, the bulk loader holds over a million at once, which is a gigabyte.
        while some := list(islice(coming, _AT_ONCE)):
            self.store.bulk_extend(some)

    def finish(self) -> None:
        """Bring what was loaded to disk, in the form in which it is read fastest."""
        self.store.flush()
        self.store.optimize()

    def swap_in(self) -> None:
        """Make this the generation that readers open; the last one stays, older ones go.

        Call it when it is finished.
        """
        self.store.flush()
        del self.store
        last = _current_name(self.graph)
        with writing(self.graph / "CURRENT") as file:
            file.write(self.name + "\n")
        self._clear(self.graph / "generations", keep={self.name} | ({last} if last else set()))

    def discard(self) -> None:
        """Throw this generation away; the current one stays."""
        del self.store
        self._remove()

    def _remove(self) -> None:
        for part in self.path.parent.glob(f"{self.name}*"):
            _delete(part)

    @staticmethod
    def _clear(folder: Path, keep: set[str]) -> None:
        for old in folder.iterdir() if folder.is_dir() else ():
            if old.name.split(".")[0] not in keep:
                _delete(old)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _current_name(graph: Path) -> str | None:
    """The name of the current generation; None where there is none or the file is damaged."""
    try:
        name = (graph / "CURRENT").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
    return name if re.fullmatch("[0-9]{6,12}", name) else None
