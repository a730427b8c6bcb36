"""Validation of RDF against SHACL shapes, with reports for people and for machines.

`validate` is the door. It takes a file, a folder, a store, an rdflib graph or parsed data.
"""

from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pyoxigraph import Store

from kg.errors import UsageError
from kg.validate.read import Data, read
from kg.validate.report import Place, Report, Result

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["Data", "Place", "Report", "Result", "read", "validate"]

_TAKEN = "{} must be paths{}, and not {}"


def validate(
    data: Graph | str | Path | Sequence[str | Path] | Store | Data,
    shapes: Graph | str | Path | Sequence[str | Path] | None = None,
    engine: str = "auto",
    jobs: int | None = None,
    folder: Path | None = None,
) -> Report:
    """Validate data against shapes, or against the shapes that kg brings along.

    Data and shapes may be rdflib graphs, files, folders of files, or several of these paths.
    All graphs of the data count as one. With kg's own shapes, the checks that SHACL cannot
    express (`kg.validate.checks`) run too. `engine` is "auto", "pyshacl" or "fast", `jobs` the
    number of processes or threads at most, `folder` where a store lies on disk. The data is not
    changed, and no other machine is reached.

    Raises InputError for a file that cannot be read, ShapesError for shapes that are no SHACL,
    UsageError without shapes for data that kg's own shapes say nothing about, for bytes or a
    text, for an rdflib graph that is no RDF, for no jobs and for an engine that there is not;
    TypeError for what is no data or no shapes.
    """
    if engine not in ("auto", "pyshacl", "fast"):
        raise UsageError(f"there is no engine {engine!r}; take auto, pyshacl or fast")
    # rdflib and pySHACL take most of a second to import.
    from rdflib import Graph

    from kg.validate import outcome

    started = time.monotonic()
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs must be 1 or more, and not {jobs}")
    data = [data] if isinstance(data, str | Path) else data
    shapes = [shapes] if isinstance(shapes, str | Path) else shapes
    for given in (data, shapes):
        if isinstance(given, Sequence) and not all(map(_is_path, given)):
            raise UsageError(
                "data and shapes are given as paths; parse what is in memory into an rdflib Graph"
            )
    if isinstance(data, Sequence):
        data = read(data)
    if not isinstance(data, Graph | Store | Data):
        raise TypeError(
            _TAKEN.format("data", ", an rdflib Graph or a pyoxigraph Store", type(data).__name__)
        )
    if not isinstance(shapes, Graph | Sequence | None):
        raise TypeError(_TAKEN.format("shapes", " or an rdflib Graph", type(shapes).__name__))
    return outcome.validate(data, shapes, engine, jobs, folder, started)


def _is_path(given: object) -> bool:
    if isinstance(given, str):
        return "\n" not in given or os.path.exists(given)  # noqa: PTH110 - of too long a text, too
    return isinstance(given, Path)


class _Door(ModuleType):
    """This room, which can be called: `kg.validate(data, shapes)`."""

    __call__ = staticmethod(validate)


sys.modules[__name__].__class__ = _Door
vars(sys.modules[__name__])["__signature__"] = inspect.signature(validate)
