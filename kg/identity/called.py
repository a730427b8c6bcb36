"""Finding things by what people call them, and the classes that they are in."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kg.identity.names import read as read_name
from kg.text import fold

if TYPE_CHECKING:
    from kg.identity.curation import Called, Kind, Ruler


class Classes:
    """The classes of things by the rules, as far as a person joins them or leaves them out."""

    def __init__(self, class_of: Sequence[int] | None) -> None:
        self._class_of = class_of
        self._into: dict[int, int] = {}  # a class -> the one that it became a part of
        self._dropped: set[int] = set()

    def of(self, i: int) -> int:
        """The class of a thing; without classes all things are of one."""
        found = self._class_of[i] if self._class_of is not None else 0
        while found in self._into:
            found = self._into[found]
        return found

    def join(self, numbers: Iterable[int]) -> None:
        """Make the classes of these things one."""
        first, *others = sorted({self.of(i) for i in numbers}) or [0]
        self._into |= dict.fromkeys(others, first)

    def drop(self, numbers: Iterable[int]) -> None:
        """Leave out the classes of these things, and no others."""
        self._dropped = {self.of(i) for i in numbers}

    def present(self, numbers: Iterable[int]) -> list[int]:
        """Those of the things that are not left out."""
        return [i for i in numbers if self.of(i) not in self._dropped]


class Index:
    """Things by what they are called."""

    def __init__(self, kind: Kind, things: Iterable[Called], ruler: Ruler) -> None:
        mint = ruler.mint
        # People write a name in any of the ways in which sources do.
        self._read: Callable[[str], str] = {
            "paper": fold,
            "person": lambda name: read_name(name).key,
            "concept": ruler.concept_key,
        }[kind]
        # A paper's key looks like no name; that of a person or a concept may be one.
        bare = slice(0 if kind == "paper" else 1, None)
        lead = mint(kind, "title/x" if kind == "paper" else "x")
        self._lead = lead[: lead.rindex(f"{kind}/") + len(kind) + 1]
        self._own: dict[str, list[int]] = defaultdict(list)
        self._exact: dict[str, list[int]] = defaultdict(list)
        self._folded: dict[str, list[int]] = defaultdict(list)
        self._also: dict[str, list[int]] = defaultdict(list)
        self._also_folded: dict[str, list[int]] = defaultdict(list)
        self._shown: list[str] = []
        self._last: list[str] = []
        for i, called in enumerate(things):
            self._shown.append(called.shown or "".join(called.keys[:1]))
            self._last.append("".join(called.names[-1:]))
            for key in called.keys:
                for form in self._forms(kind, key, mint)[bare]:
                    self._add(self._own, form, i)
                self._add(self._exact, key, i)
            for name in called.names:
                self._add(self._exact, name, i)
                self._add(self._folded, fold(name) or name.casefold(), i)
            for name in called.others:
                for form in self._forms(kind, name, mint):
                    self._add(self._also, form, i)
                if kind != "paper":  # which has keys here, and no names
                    self._add(self._also_folded, fold(name) or name.casefold(), i)

    def _forms(self, kind: Kind, key: str, mint: Callable[[Kind, str], str]) -> tuple[str, ...]:
        iri = mint(kind, key)
        return key, iri, f"{kind}:{iri.removeprefix(self._lead)}"

    @staticmethod
    def _add(where: dict[str, list[int]], name: str, i: int) -> None:
        if i not in where[name][-1:]:
            where[name].append(i)

    def find(self, name: str) -> list[int]:
        """The numbers of what has this key, IRI or name; names are compared folded at last."""
        own = self._own.get(name[1:-1] if name.startswith("<") and name.endswith(">") else name)
        return own or self._found(name, self._exact, self._folded)

    def also(self, name: str) -> list[int]:
        """The numbers of what has this key, IRI or name as a second one."""
        return self._found(name, self._also, self._also_folded)

    def _found(
        self, name: str, exact: Mapping[str, list[int]], folded: Mapping[str, list[int]]
    ) -> list[int]:
        bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name
        found = exact.get(bare) or folded.get(fold(name) or name.casefold())
        return found or exact.get(self._read(bare)) or []

    def near(self, name: str) -> str:
        """The name that looks most like this one; empty where none does."""
        wanted = fold(name)
        alike = [n for n in self._folded if n[:2] == wanted[:2] or n[-3:] == wanted[-3:]]
        found = difflib.get_close_matches(wanted, alike, n=1, cutoff=0.7)
        return found[0] if found else ""

    def example(self, i: int) -> str:
        """A key of a thing, or of its class."""
        return self._shown[i]

    def place(self, i: int) -> str:
        """The last of the names of a thing; of a record its place."""
        return self._last[i]
