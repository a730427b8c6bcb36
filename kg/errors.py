"""The errors of kg. The command line turns them into one line and an exit code, once.

KgError                      exit code
├── InputError               2   a file cannot be read or understood
├── UsageError               2   a request that makes no sense as put
│   └── UnwritableError      2   a result that the format asked for cannot hold
├── QueryError               2   a SPARQL query that does not parse or run
├── GraphError               2   no graph there, or it is in use
└── ShapesError              2   shapes that are no valid SHACL
"""

from __future__ import annotations


class KgError(Exception):
    """A problem that the user can understand and mend; the message is one line."""

    exit_code = 2


def printable(name: str) -> str:
    """A file's name as it can stand in a message of one line."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


class InputError(KgError):
    """A file that cannot be read or understood.

    `source` is the file's name as the user gave it, `line` counts from 1.
    """

    def __init__(self, source: str, reason: str, line: int | None = None) -> None:
        self.source, self.reason, self.line = source, reason, line
        place = printable(source) if line is None else f"{printable(source)}:{line}"
        super().__init__(f"{place}: {reason}")


class UsageError(KgError):
    """A request that makes no sense as put."""


class UnwritableError(UsageError):
    """A result that the format asked for cannot hold."""


class QueryError(KgError):
    """A SPARQL query that does not parse or cannot be answered."""


class GraphError(KgError):
    """There is no graph at the place named, or it cannot be opened."""


class ShapesError(KgError):
    """Shapes that are no valid SHACL."""
