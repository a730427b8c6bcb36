"""Validation of RDF against SHACL shapes, with reports for people and for machines.

`validate` is the door. It takes a file, a store, an rdflib graph or parsed data.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import Store

from kg.validate.read import Data, read
from kg.validate.report import Report, Result

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["Data", "Report", "Result", "read", "validate"]


def validate(
    data: Graph | Path | Store | Data, shapes: Sequence[str | Path] | None = None
) -> Report:
    """Validate data against the shapes in files, or against those that kg brings along.

    All graphs of the data count as one. With kg's own shapes, the checks that SHACL cannot
    express (`kg.validate.checks`) run too. The data is not changed and nothing is fetched.
    Raises InputError for a file that cannot be read, ShapesError for shapes that are no SHACL.
    """
    # rdflib and pySHACL take most of a second to import.
    from kg.validate import outcome

    started = time.monotonic()
    if isinstance(data, str | Path):
        data = read([data])
    return outcome.validate(data, shapes, started)
