"""Unlabelled abstracts as a corpus of words and as arrays of features."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model.features import Encoded, Features, normal
from kg.errors import InputError
from kg.text import fold

SHORTEST = 200  # characters of an abstract worth reading
LONGEST = 500  # tokens of an abstract that are read
Tokenize = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Source:
    """Titles and abstracts of a gzipped JSON Lines file with `title` and `text` or `abstract`.

    Records with a title of `exclude` (folded titles) are left out, so are short abstracts.
    """

    path: Path
    exclude: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Title and abstract of each record. Raises InputError with the line at fault."""
        number = 0
        try:
            with gzip.open(self.path, "rt", encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):  # noqa: B007, used where it fails
                    record: dict[str, Any] = json.loads(line)
                    title = record.get("title") or ""
                    abstract = record.get("text") or record.get("abstract") or ""
                    if len(abstract) >= SHORTEST and fold(title) not in self.exclude:
                        yield title, abstract
        except (OSError, EOFError, ValueError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(str(self.path), f"cannot be read: {reason}", number + 1) from error


def write_corpus(source: Source, tokenize: Tokenize, out: Path) -> None:
    """One record a line, words in the form under which they get vectors."""
    with out.open("w", encoding="utf-8") as file:
        for title, abstract in source:
            words = (normal(w) for t in (title, abstract) for w in tokenize(t))
            file.write(" ".join(words) + "\n")


@dataclass(frozen=True, slots=True)
class Store:
    """Encoded records one behind the other: `rows` (n, 4) uint16, `numbers` (n, k) float16."""

    rows: NDArray[np.uint16]
    numbers: NDArray[np.float16]
    lengths: NDArray[np.int64]

    @classmethod
    def make(cls, source: Source, tokenize: Tokenize, features: Features) -> Store:
        """Encodes the abstracts of a source, in its order."""
        rows, numbers, lengths = [], [], []
        for title, abstract in source:
            e = features.encode(tokenize(title), tokenize(abstract)[:LONGEST])
            rows.append(e.rows.astype(np.uint16))
            numbers.append(e.numbers.astype(np.float16))
            lengths.append(len(e.rows))
        return cls(np.concatenate(rows), np.concatenate(numbers), np.array(lengths))

    def save(self, path: Path) -> None:
        """Writes all to one file of this very name."""
        with path.open("wb") as file:
            np.savez(file, rows=self.rows, numbers=self.numbers, lengths=self.lengths)

    @classmethod
    def load(cls, path: Path) -> Store:
        """What `save` wrote. Raises OSError where it cannot be read."""
        with np.load(path) as z:
            return cls(z["rows"], z["numbers"], z["lengths"])

    def pick(self, indexes: Sequence[int] | NDArray[np.int64]) -> Iterator[Encoded]:
        """The records at `indexes`, in that order."""
        starts = np.concatenate(([0], np.cumsum(self.lengths)[:-1]))
        for i in indexes:
            part = slice(int(starts[i]), int(starts[i] + self.lengths[i]))
            yield Encoded(self.rows[part].astype(np.int32), self.numbers[part].astype(np.float32))
