"""What a person ruled: a curation, and what it comes to for the things of one kind.

A curation wins over every rule of kg. It names things as people do, by a name, an identifier or
an IRI; `settle` turns that into the numbers that `kg.identity.classes` works with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, pairwise
from typing import Literal, cast, get_args

from kg.errors import UsageError
from kg.identity.called import Classes, Index
from kg.identity.classes import Join, Parted, part
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

    keys: tuple[str, ...] = ()  # local keys: what the IRI is minted from that is its alone
    names: tuple[str, ...] = ()  # labels, titles, identifiers, as a person writes them
    # names and keys that it has besides, and that may be the first of another thing
    others: tuple[str, ...] = ()
    shown: str = ""  # the key by which to speak of its class; empty for its first key


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
    same: Mapping[int, Entry] = field(default_factory=dict)
    curation: Curation = Curation()

    def joined(self, first: Sequence[int], joins: Iterable[Join]) -> Parted:
        """The classes with what a person made one: whole classes, but for what is kept apart.

        `first` has a number for the class of each thing by the rules and `never`, and `joins` are
        those by which the rules made them.
        """
        made = (join for join in joins if first[join.a] == first[join.b])
        return part(len(first), [*self.joins, *made], self.never)

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
        """Whether a class is to be left out.

        Raises UsageError where it was also given a label or a type, or made one with others.
        """
        dropped = next((self.drop[member] for member in members if member in self.drop), None)
        if dropped is None:
            return False
        for said in (self.label, self.type, self.same):
            other = next((said[member] for member in members if member in said), None)
            if other is not None:
                first, second = sorted((dropped, other), key=lambda entry: entry.line)
                raise UsageError(
                    f"{self.curation.at(second)}: this [[{second.action}]] contradicts the "
                    f"[[{first.action}]] of line {first.line}, which is about the same "
                    f"{first.kind}; take one of the two out"
                )
        return True

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
    # The key that a name of a concept is known by.
    concept_key: Callable[[str], str] = fold
    unknown: list[str] = field(default_factory=list)  # a warning for each name not found
    # names of things before `never` parted them, which may name nothing afterwards
    _parted: set[tuple[Kind, str]] = field(default_factory=set)

    def concerns(self, kind: Kind) -> bool:
        """Whether the curation says anything of things of this kind."""
        return any(entry.kind == kind for entry in self.curation.entries)

    def keeps_apart(self, kind: Kind) -> bool:
        """Whether the curation keeps any things of this kind apart."""
        return any(e.kind == kind and e.action == "never" for e in self.curation.entries)

    def kept_apart(self, kind: Kind, things: Iterable[Called]) -> set[tuple[int, int]]:
        """The pairs of names that a person keeps apart, by their numbers in `things`.

        This is for the names themselves, before rules make them names of one person or concept;
        each pair is there in both directions. Raises UsageError where two names are one by
        what names are compared by, so that nothing can tell them apart.
        """
        entries = [e for e in self.curation.entries if e.kind == kind and e.action == "never"]
        if not entries:
            return set()
        index = Index(kind, things, self)
        found = set()
        for entry in entries:
            meant = [set(index.find(name)) for name in entry.names]
            self._parted.update(
                (kind, name) for name, some in zip(entry.names, meant, strict=True) if some
            )
            for (x, some), (y, others) in combinations(zip(entry.names, meant, strict=True), 2):
                if some & others:
                    raise UsageError(
                        f"{self.curation.at(entry)}: {x!r} and {y!r} are one name to kg, which "
                        "does not tell case, accents, hyphens, plurals and the like apart; "
                        "they cannot be kept apart"
                    )
                found |= {pair for a in some for b in others for pair in ((a, b), (b, a))}
        return found

    def rulings(
        self, kind: Kind, things: Iterable[Called], class_of: Sequence[int] | None = None
    ) -> Rulings:
        """What the curation says of the things of one kind, by their numbers in `things`.

        `class_of` has a number for the class of each thing by the rules alone, where several may be
        called alike without being one; a name that stands for several classes is refused then.
        Raises UsageError where a name stands for several things and where two entries contradict
        each other; it names both lines.
        """
        if not self.concerns(kind):
            return Rulings()
        index = Index(kind, things, self)
        entries = [entry for entry in self.curation.entries if entry.kind == kind]
        joins: list[Join] = []
        never: dict[tuple[int, int], Entry] = {}
        label: dict[int, Entry] = {}
        drop: dict[int, Entry] = {}
        type: dict[int, Entry] = {}
        same: dict[int, Entry] = {}
        said = {"label": label, "drop": drop, "type": type}
        classes = Classes(class_of)
        settled = self._settled(entries, index, classes)
        vain = [(entry, name) for (entry, name), some in settled.items() if not some]
        for entry in entries:
            meant = [(name, settled[entry, name]) for name in entry.names if settled[entry, name]]
            if entry.action == "same":
                every = [i for _, numbers in meant for i in numbers]
                for i in every:
                    same.setdefault(i, entry)
                value = self.curation.at(entry)
                joins += (
                    Join(STRENGTH, min(a, b), max(a, b), RULE, value)
                    for a, b in pairwise(every)
                    if a != b
                )
            elif entry.action == "never":
                # Whatever has one of the names, if only as a second one, is not what has another.
                first = {i for name in entry.names for i in index.find(name)}
                sides = [
                    (name, {*some, *(i for i in index.also(name) if i not in first)})
                    for name, some in meant
                ]
                for (x, some), (y, others) in combinations(sides, 2):
                    if both := some & others:
                        raise self._one(entry, x, y, index, min(both))
                    for a in some:
                        for b in others:
                            never.setdefault((min(a, b), max(a, b)), entry)
            else:
                for i in (i for _, numbers in meant for i in numbers):
                    said[entry.action].setdefault(i, entry)
                    if said[entry.action][i].value != entry.value:
                        raise _contradiction(self.curation, said[entry.action][i], entry)
        self._warn(vain, index)
        self._check(joins, never, class_of)
        return Rulings(tuple(joins), tuple(sorted(never)), label, drop, type, same, self.curation)

    def _settled(
        self, entries: Sequence[Entry], index: Index, classes: Classes
    ) -> dict[tuple[Entry, str], list[int]]:
        """What each name in each statement stands for; nothing where it is unknown.

        What several have may be the name of one once things are made one or left out. So names
        are taken in rounds, those of one thing first, and the order of the file does not matter.
        """
        settled: dict[tuple[Entry, str], list[int]] = {}
        open_names = [(entry, name) for entry in entries for name in entry.names]
        while open_names:
            found = {one: self._meant(*one, index, classes) for one in open_names}
            several = {}
            for (entry, name), some in found.items():
                apart = {classes.of(i): index.example(i) for i in reversed(some)}
                # `never` holds for all people and concepts that have the name.
                if len(apart) > 1 and (entry.action != "never" or entry.kind == "paper"):
                    several[entry, name] = apart
            if len(several) == len(open_names):
                (entry, name), apart = next(iter(several.items()))
                raise UsageError(
                    f"{self.curation.at(entry)}: {name!r} names {len(apart)} "
                    f"{PLURALS[entry.kind]}; name one by its key or IRI: "
                    f"{', '.join(sorted(apart.values())[:4])}"
                )
            settled |= {one: some for one, some in found.items() if one not in several}
            open_names = list(several)
            if open_names:
                for entry in entries:
                    if entry.action == "same":
                        classes.join(i for x in entry.names for i in settled.get((entry, x), ()))
                dropped = (some for (e, _), some in settled.items() if e.action == "drop")
                classes.drop(chain.from_iterable(dropped))
        return settled

    def _meant(self, entry: Entry, name: str, index: Index, classes: Classes) -> list[int]:
        """The things that a name may stand for, without those that are left out."""
        found = index.find(name) or index.also(name)
        if entry.action == "never" and entry.kind != "paper":
            return found
        return classes.present(found) or found

    def _warn(self, vain: Iterable[tuple[Entry, str]], index: Index) -> None:
        """Say which names name nothing, in the order of the file."""
        names: dict[Entry, list[str]] = defaultdict(list)
        for entry, name in vain:
            names[entry].append(name)
        for entry in sorted(names, key=lambda entry: entry.line):
            unknown = [name for name in names[entry] if (entry.kind, name) not in self._parted]
            for name in unknown:
                near = index.near(name)
                hint = f"; near it is {near!r}" if near else ""
                if len(entry.names) > 1:
                    rest = len(entry.names) - len(unknown)
                    hint += f"; this [[{entry.action}]] "
                    hint += "holds for the others" if rest > 1 else "is left out"
                self.unknown.append(
                    f"{self.curation.at(entry)}: there is no {entry.kind} called {name!r}{hint}"
                )

    def _one(self, entry: Entry, x: str, y: str, index: Index, both: int) -> UsageError:
        """What to say of two names that are to be kept apart and are of one thing."""
        key = index.example(both)
        if entry.kind == "paper":
            why = (
                "are two names of one paper's records, which cannot be kept apart from itself; "
                f"name its records, such as {index.place(both)!r}"
            )
        elif both in index.find(x) or both in index.find(y):
            why = (
                f"are one {entry.kind} by the records themselves; keep two names apart that "
                f"sources write for {key!r}"
            )
        else:
            why = (
                f"are both second names of one {entry.kind}, {key!r}; "
                f"keep one of them apart from {key!r}"
            )
        return UsageError(f"{self.curation.at(entry)}: {x!r} and {y!r} {why}")

    def _check(
        self,
        joins: Iterable[Join],
        never: Mapping[tuple[int, int], Entry],
        class_of: Sequence[int] | None,
    ) -> None:
        """Raise UsageError where things that must be one must be apart.

        What is made one are whole classes, but for those that `never` parts.
        """
        if not never:
            return
        numbers = {n: i for i, n in enumerate(sorted({n for pair in never for n in pair}
            | {n for join in joins for n in (join.a, join.b)}))}  # fmt: skip
        pairs = {(numbers[a], numbers[b]): entry for (a, b), entry in never.items()}
        made = [replace(join, a=numbers[join.a], b=numbers[join.b]) for join in joins]
        # In the order of the file, so that the line named is the first that contradicts.
        made = [replace(join, strength=i) for i, join in enumerate(made)]
        if class_of is not None:
            parted = {class_of[a] for a, b in never if class_of[a] == class_of[b]}
            first: dict[int, int] = {}
            for n, i in numbers.items():
                if class_of[n] not in parted and first.setdefault(class_of[n], i) != i:
                    made.append(Join(-1, first[class_of[n]], i))
        refused = part(len(numbers), made, pairs).refused
        if not refused:
            return
        before = part(len(numbers), [join for join in made if join.strength < refused[0].strength])
        of = before.first
        ends = {of[refused[0].a], of[refused[0].b]}
        entry = next(e for (a, b), e in pairs.items() if {of[a], of[b]} == ends)
        raise UsageError(
            f"{refused[0].value}: makes one of what line {entry.line} keeps apart; "
            "take one of the two out"
        )


def check_alone(curation: Curation) -> None:
    """Raise UsageError where entries contradict each other by the names alone.

    So much can be seen before anything is read: two names are taken for two things unless the
    file makes them one. What contradicts only through the records is found by `Ruler.rulings`.
    """
    for kind in PLURALS:
        names = {name for e in curation.entries if e.kind == kind for name in e.names}
        if names:
            called = [Called((name,)) for name in sorted(names)]
            # IRIs of which none is a name in the file.
            rulings = Ruler(curation, lambda kind, key: f"{kind}/{key}/").rulings(kind, called)
            for members in part(len(called), rulings.joins).classes():
                rulings.dropped(members)
                rulings.label_of(members)
                rulings.type_of(members)


def _contradiction(curation: Curation, first: Entry, second: Entry) -> UsageError:
    return UsageError(
        f"{curation.at(second)}: the {second.action} {second.value!r} contradicts line "
        f"{first.line}, which has {first.value!r} for the same {second.kind}"
    )
