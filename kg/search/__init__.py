"""Search: things by their labels, names, titles and identifiers, in spite of slips.

    words    names as they are compared
    things   what a store has to find, with names and weight
    making   the index: one SQLite file beside a generation of the store
    index    looking into it

A graph has an index for each generation, made when the generation is swapped in; a graph
without one can be given one later (`ensure`).
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from kg.errors import GraphError
from kg.search.index import EXACT, PREFIX, SIMILAR, WORDS, Hit, Index, Name, best
from kg.search.making import write
from kg.search.things import KINDS
from kg.search.words import LONGEST
from kg.store import generation, open_store

__all__ = [
    "EXACT",
    "KINDS",
    "LONGEST",
    "PREFIX",
    "SIMILAR",
    "WORDS",
    "Hit",
    "Index",
    "Name",
    "best",
    "ensure",
    "open_index",
    "path_of",
    "write",
]


def path_of(generation: Path) -> Path:
    """Where the index of a generation lies: beside its folder."""
    return generation.with_name(f"{generation.name}.search")


def open_index(graph: Path) -> Index | None:
    """The index of the current generation; None where there is none that can be used.

    Raises GraphError where there is no graph.
    """
    return Index.open(path_of(generation(graph)))


def ensure(graph: Path) -> None:
    """Make the index of the current generation where there is none, for one process at a time.

    Raises GraphError where there is no graph, or its folder cannot be written.
    """
    path = path_of(generation(graph))
    try:
        with path.with_suffix(".search-lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if index := Index.open(path):
                index.close()
                return
            write(open_store(graph), path)
    except OSError as error:
        raise GraphError(f"{graph}: the search index cannot be made: {error.strerror}") from error
    finally:
        path.with_suffix(".search-lock").unlink(missing_ok=True)
