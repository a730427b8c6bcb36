"""Papers that are made whenever they are read, so that memory never holds them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from kg.model import Paper


class Made(Sequence[Paper]):
    """So many papers, each made from its number; equal to any sequence of the same papers."""

    def __init__(self, size: int, make: Callable[[int], Paper]) -> None:
        self._size, self._make = size, make

    def __len__(self) -> int:
        """How many there are."""
        return self._size

    @overload
    def __getitem__(self, at: int) -> Paper: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Paper]: ...
    def __getitem__(self, at: int | slice) -> Paper | Sequence[Paper]:
        """One paper, or some of them."""
        found = range(self._size)[at]
        return self._make(found) if isinstance(found, int) else [self._make(i) for i in found]

    def __eq__(self, other: object) -> bool:
        """Whether the papers are the same."""
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as lists

    def then(self, change: Callable[[Paper], Paper]) -> Made:
        """The papers with a change that is made each time, too."""
        return Made(self._size, lambda i: change(self._make(i)))
