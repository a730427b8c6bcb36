"""The first rows of a long result, in a document that is whole.

pyoxigraph's writers write all or nothing. So their output is looked through for where its
rows end, and broken off there; all that stands between the rows is known.
"""

from __future__ import annotations

import re

from pyoxigraph import QuerySolutions

from kg.results import SOLUTIONS, Result
from kg.wellformed import Sink, WellFormed


class _EnoughError(Exception):
    """All rows that are wanted have been written."""


# For each format: where the next row comes or a row has ended ("row"), what may hold the same
# bytes and is stepped over, and what may become either when more bytes come ("part").
_STEPS = {
    "json": re.compile(rb'"(?:[^"\\]|\\.)*+"|(?P<row>,\{)|(?P<part>"(?:.*)\Z|,\Z)', re.DOTALL),
    "csv": re.compile(rb'"[^"]*+"|(?P<row>\r\n)|(?P<part>"[^"]*+\Z|\r\Z)'),
    "tsv": re.compile(rb"(?P<row>\n)|(?P<part>(?!))"),
    "xml": re.compile(rb"(?P<row></result>)|(?P<part><[/a-z]*+\Z)"),
}
_END = {"json": b"]}}", "csv": b"", "tsv": b"", "xml": b"</results></sparql>"}


class FirstRows:
    """A binary file that passes on no more than `most` rows of a result in `format`."""

    def __init__(self, output: Sink, format: str, most: int) -> None:
        self._output = WellFormed(output) if format == "xml" else output
        self._format, self._part = format, b""
        # The head of CSV and TSV is a line too. In JSON the break stands before the row.
        self._left = most + (format in ("csv", "tsv"))

    def write_all(self, result: Result) -> None:
        """Write a result of rows, and end it well."""
        assert isinstance(result, QuerySolutions)
        try:
            result.serialize(self, SOLUTIONS[self._format])  # type: ignore[arg-type]
        except _EnoughError:
            self._output.write(_END[self._format])
        else:
            self._output.write(self._part)

    def write(self, data: bytes) -> int:
        """Take bytes; raise where they are enough."""
        if not self._left:
            return len(data)  # what the writer held back, offered once more
        text, done = self._part + data, len(self._part) + len(data)
        for step in _STEPS[self._format].finditer(text):
            if step["part"] is not None:
                done = step.start()
            elif step["row"] is not None:
                self._left -= 1
                if not self._left:
                    self._output.write(
                        text[: step.start() if self._format == "json" else step.end()]
                    )
                    raise _EnoughError
        self._part = text[done:]
        self._output.write(text[:done])
        return len(data)

    def flush(self) -> None:
        """Do nothing: what is held back cannot be written yet."""
