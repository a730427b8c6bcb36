"""What a person ruled: a curation, and what it comes to for the things of one kind.

A curation wins over every rule of kg. It names things as people do, by a name, an identifier or
an IRI; `settle` turns that into the numbers that `kg.identity.classes` works with.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Literal, cast, get_args

from kg.errors import UsageError
from kg.identity.classes import Join, part
from kg.model import ConceptType
from kg.text import fold

Kind = Literal["paper", "person", "concept"]
Action = Literal["same", "never", "label", "drop", "type"]
PLURALS: dict[Kind, str] = {"paper": "papers", "person": "people", "concept": "concepts"}
ACTIONS: tuple[Action, ...] = get_args(Action)

RULE = "Curation"
STRENGTH = 0  # of a join that a person made


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of a curation."""

    action: Action
    kind: Kind
    names: tuple[str, ...]  # at least two of "same" and "never", else one
    value: str = ""  # the label, or the type
    line: int = 0  # where it begins in the file, from 1


@dataclass(frozen=True, slots=True)
class Curation:
    """What a person ruled, in the order of the file."""

    entries: tuple[Entry, ...] = ()
    name: str = "curation.toml"  # the file, for messages
    proposals: tuple[Entry, ...] = ()  # what nobody has confirmed; counts for nothing

    def at(self, entry: Entry) -> str:
        """The place of an entry, for messages: "curation.toml:12"."""
        return f"{self.name}:{entry.line}"


@dataclass(frozen=True, slots=True)
class Called:
    """What people may call one thing by."""

    keys: tuple[str, ...] = ()  # local keys: what its IRI is minted from, alone or in its class
    names: tuple[str, ...] = ()  # labels, titles, identifiers, as a person writes them


@dataclass(frozen=True, slots=True)
class Rulings:
    """A curation for the things of one kind, known by their numbers.

    Every number that a name stands for is in `label`, `drop` and `type`; what is said of one
    member of a class is said of the class (`of_class`).
    """

    joins: tuple[Join, ...] = ()
    never: tuple[tuple[int, int], ...] = ()
    label: Mapping[int, Entry] = field(default_factory=dict)
    drop: Mapping[int, Entry] = field(default_factory=dict)
    type: Mapping[int, Entry] = field(default_factory=dict)
    curation: Curation = Curation()

    def label_of(self, members: Iterable[int]) -> str:
        """The label that a class was given; empty where none was.

        Raises UsageError where it was given two.
        """
        return self._of_class(self.label, members)

    def type_of(self, members: Iterable[int]) -> ConceptType | None:
        """The type that a class of names was given, if any.

        Raises UsageError where it was given two.
        """
        return cast(ConceptType | None, self._of_class(self.type, members) or None)

    def dropped(self, members: Iterable[int]) -> bool:
        """Whether a class is to be left out."""
        return any(member in self.drop for member in members)

    def _of_class(self, said: Mapping[int, Entry], members: Iterable[int]) -> str:
        entries = sorted({said[m] for m in members if m in said}, key=lambda entry: entry.line)
        for entry in entries[1:]:
            if entry.value != entries[0].value:
                raise _contradiction(self.curation, entries[0], entry)
        return entries[0].value if entries else ""


@dataclass(frozen=True, slots=True)
class Ruler:
    """A curation on its way through the kinds of things; collects what it names in vain."""

    curation: Curation = Curation()
    # The IRI of a thing by its kind and local key, as `kg.rdf.iris` mints it.
    mint: Callable[[Kind, str], str] = lambda kind, key: f"{kind}/{key}"
    unknown: list[str] = field(default_factory=list)  # a warning for each name not found

    def concerns(self, kind: Kind) -> bool:
        """Whether the curation says anything of things of this kind."""
        return any(entry.kind == kind for entry in self.curation.entries)

    def rulings(
        self, kind: Kind, things: Iterable[Called], class_of: Mapping[int, int] | None = None
    ) -> Rulings:
        """What the curation says of the things of one kind, by their numbers in `things`.

        `class_of` has the classes by the rules alone, where several things may be called alike
        without being one; a name that stands for several classes is refused then.
        Raises UsageError where a name stands for several things and where two entries contradict
        each other; it names both lines.
        """
        if not self.concerns(kind):
            return Rulings()
        index = _Index(kind, things, self.mint)
        joins: list[Join] = []
        never: dict[tuple[int, int], Entry] = {}
        label: dict[int, Entry] = {}
        drop: dict[int, Entry] = {}
        type: dict[int, Entry] = {}
        said = {"label": label, "drop": drop, "type": type}
        for entry in self.curation.entries:
            if entry.kind != kind:
                continue
            meant = [self._meant(entry, name, index, class_of) for name in entry.names]
            if not all(meant):
                continue
            if entry.action == "same":
                every = [i for numbers in meant for i in numbers]
                value = self.curation.at(entry)
                joins += (
                    Join(STRENGTH, min(a, b), max(a, b), RULE, value)
                    for a, b in pairwise(every)
                    if a != b
                )
            elif entry.action == "never":
                for (x, some), (y, others) in combinations(zip(entry.names, meant, strict=True), 2):
                    if both := set(some) & set(others):
                        raise UsageError(
                            f"{self.curation.at(entry)}: {x!r} and {y!r} are two names of one "
                            f"{kind}'s {_PART[kind]}, which cannot be kept apart from itself"
                            + (
                                f"; name its records, such as {index.example(min(both))!r}"
                                if kind == "paper"
                                else ""
                            )
                        )
                    for a in some:
                        for b in others:
                            never.setdefault((min(a, b), max(a, b)), entry)
            else:
                for i in meant[0]:
                    said[entry.action].setdefault(i, entry)
                    if said[entry.action][i].value != entry.value:
                        raise _contradiction(self.curation, said[entry.action][i], entry)
        self._check(joins, never)
        return Rulings(tuple(joins), tuple(sorted(never)), label, drop, type, self.curation)

    def _meant(
        self, entry: Entry, name: str, index: _Index, class_of: Mapping[int, int] | None
    ) -> list[int]:
        """The things that a name stands for; none where it is unknown, with a warning."""
        found = index.find(name)
        if not found:
            near = index.near(name)
            hint = f"; near it is {near!r}" if near else ""
            self.unknown.append(
                f"{self.curation.at(entry)}: there is no {entry.kind} called {name!r}{hint}"
            )
        elif class_of is not None and len({class_of[i] for i in found}) > 1:
            apart = {class_of[i]: index.example(i) for i in reversed(found)}
            raise UsageError(
                f"{self.curation.at(entry)}: {name!r} names {len(apart)} {PLURALS[entry.kind]}; "
                f"name one by its key or IRI: {', '.join(sorted(apart.values())[:4])}"
            )
        return found

    def _check(self, joins: Iterable[Join], never: Mapping[tuple[int, int], Entry]) -> None:
        """Raise UsageError where things that must be one must be apart."""
        if not never:
            return
        numbers = {n: i for i, n in enumerate(sorted({n for pair in never for n in pair}
            | {n for join in joins for n in (join.a, join.b)}))}  # fmt: skip
        pairs = {(numbers[a], numbers[b]): entry for (a, b), entry in never.items()}
        made = [replace(join, a=numbers[join.a], b=numbers[join.b]) for join in joins]
        # In the order of the file, so that the line named is the first that contradicts.
        made = [replace(join, strength=i) for i, join in enumerate(made)]
        refused = part(len(numbers), made, pairs).refused
        if not refused:
            return
        before = part(len(numbers), [join for join in made if join.strength < refused[0].strength])
        of = {i: n for n, members in enumerate(before.classes) for i in members}
        ends = {of[refused[0].a], of[refused[0].b]}
        entry = next(e for (a, b), e in pairs.items() if {of[a], of[b]} == ends)
        raise UsageError(
            f"{refused[0].value}: makes one of what line {entry.line} keeps apart; "
            "take one of the two out"
        )


_PART: dict[Kind, str] = {"paper": "records", "person": "names", "concept": "names"}


class _Index:
    """Things by what they are called."""

    def __init__(
        self, kind: Kind, things: Iterable[Called], mint: Callable[[Kind, str], str]
    ) -> None:
        self._exact: dict[str, list[int]] = defaultdict(list)
        self._folded: dict[str, list[int]] = defaultdict(list)
        self._keys: list[str] = []
        for i, called in enumerate(things):
            self._keys.append(called.keys[0] if called.keys else "")
            for key in called.keys:
                iri = mint(kind, key)
                for form in (key, iri, f"{kind}:{iri.partition(f'/{kind}/')[2]}"):
                    self._add(self._exact, form, i)
            for name in called.names:
                self._add(self._exact, name, i)
                self._add(self._folded, fold(name) or name.casefold(), i)

    @staticmethod
    def _add(where: dict[str, list[int]], name: str, i: int) -> None:
        if i not in where[name][-1:]:
            where[name].append(i)

    def find(self, name: str) -> list[int]:
        """The numbers of what has this key, IRI or name; names are compared folded at last."""
        bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name
        return self._exact.get(bare) or self._folded.get(fold(name) or name.casefold()) or []

    def near(self, name: str) -> str:
        """The name that looks most like this one; empty where none does."""
        wanted = fold(name)
        alike = [n for n in self._folded if n[:2] == wanted[:2] or n[-3:] == wanted[-3:]]
        found = difflib.get_close_matches(wanted, alike, n=1, cutoff=0.7)
        return found[0] if found else ""

    def example(self, i: int) -> str:
        """A key of a thing."""
        return self._keys[i]


def _contradiction(curation: Curation, first: Entry, second: Entry) -> UsageError:
    return UsageError(
        f"{curation.at(second)}: the {second.action} {second.value!r} contradicts line "
        f"{first.line}, which has {first.value!r} for the same {second.kind}"
    )
