"""`python -m kg.search GRAPH`: give a graph its index, where it was built without one."""

from __future__ import annotations

import sys
from pathlib import Path

from kg.errors import KgError
from kg.search import ensure


def main(graph: Path) -> None:
    """Make the index of a graph; one line says what is wrong where that cannot be."""
    try:
        ensure(graph)
    except KgError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
