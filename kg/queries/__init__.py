"""The named questions: every SPARQL query that command line, pages and docs ask.

A question is one `.sparql` file in this folder, named as it is asked for. Its first
lines describe it, and the rest can be pasted into any endpoint as it stands:

    # title: Papers of an author
    # about: What it answers, in a sentence or two;
    #   indented lines go on.
    # param author: person, e.g. Ada Lindqvist

A parameter has a kind (`person`, `concept`, `paper`, `thing` for an IRI of any kind,
`text`, `number`) and may be `(optional)`. Its value stands in the query as
`VALUES ?author { … }`, with an example or `UNDEF` inside; numbers named `limit` and
`offset` stand in `LIMIT 20` and `OFFSET 0`, which are also their defaults (a limit with a
remark behind it, `LIMIT 200 # always`, is part of the question). `Query.bind` puts RDF
terms there, written as SPARQL by pyoxigraph; no text of a user is ever pasted into a query.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pyoxigraph import Literal, NamedNode

from kg.errors import UsageError

Term = NamedNode | Literal

KINDS = ("person", "concept", "paper", "thing", "text", "number")

_FOLDER = Path(__file__).parent
_PARAMETER = re.compile(r"(?P<name>\w+): (?P<kind>\w+)(?P<optional> \(optional\))?, (?P<note>.+)")
_PLACE = re.compile(r"VALUES \?(?P<name>\w+) \{[^{}]*\}|\b(?P<count>LIMIT|OFFSET) \d+\b(?! #)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a question wants to know before it can be asked."""

    name: str
    kind: str  # one of KINDS
    optional: bool
    note: str  # "e.g. …", or what it means


@dataclass(frozen=True, slots=True)
class Query:
    """A named question."""

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    text: str  # SPARQL, without the describing lines

    def bind(self, values: Mapping[str, Sequence[Term]]) -> str:
        """Give the SPARQL text with `values` in the places of the parameters.

        Each value is a sequence of terms that are taken as alternatives; `limit` and
        `offset` take one number. Raises UsageError for a parameter that is unknown, missing
        or no number.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                raise UsageError(f"{self.name} has no parameter {name}; {self._takes()}")
        for parameter in self.parameters:
            needed = not parameter.optional and parameter.kind != "number"
            if needed and parameter.name not in values:
                raise UsageError(
                    f"{self.name} needs {parameter.name}: -p {parameter.name}=… "
                    f"({parameter.kind}, {parameter.note})"
                )

        # One pass over the text of the file, so that no value is ever taken for a place.
        def put(place: re.Match[str]) -> str:
            name = place["name"] or place["count"].lower()
            if name not in values:
                return place[0]
            if place["name"] is None:
                return f"{place['count']} {_number(values[name][0])}"
            return f"VALUES ?{name} {{ {' '.join(map(str, values[name]))} }}"

        return _PLACE.sub(put, self.text)

    def _takes(self) -> str:
        names = [parameter.name for parameter in self.parameters]
        return f"it takes {', '.join(names)}" if names else "it takes none"


@cache
def names() -> tuple[str, ...]:
    """The names of all questions, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.sparql")))


@cache
def load(name: str) -> Query:
    """The question of that name. Raises UsageError where there is none."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(
            f'there is no query named "{name}"; {hint}the named queries are: {", ".join(names())}'
        )
    head, text = _split((_FOLDER / f"{name}.sparql").read_text(encoding="utf-8"))
    parameters = []
    for line in head.get("param", []):
        match = _PARAMETER.fullmatch(line)
        if match is None or match["kind"] not in KINDS:
            raise ValueError(f"{name}.sparql: this parameter cannot be understood: {line}")
        parameters.append(
            Parameter(match["name"], match["kind"], bool(match["optional"]), match["note"])
        )
    return Query(name, head["title"][0], head["about"][0], tuple(parameters), text)


def number(value: str) -> Literal:
    """The term of a number. Raises UsageError for text that is no whole number from 0."""
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise UsageError(f'"{value}" is not a whole number')
    return Literal(int(value))


def _number(term: Term) -> int:
    return int(number(term.value).value)


def _split(file: str) -> tuple[dict[str, list[str]], str]:
    """Part a file into its describing lines, by key, and the query."""
    head: dict[str, list[str]] = {}
    key = ""
    lines = file.splitlines(keepends=True)
    at = 0
    while at < len(lines) and lines[at].startswith("#"):
        line = lines[at][1:].rstrip("\n")
        if line.startswith("   "):
            head[key][-1] += " " + line.strip()
        else:
            start, _, rest = line.strip().partition(" " if line.startswith(" param ") else ": ")
            key = start
            head.setdefault(key, []).append(rest)
        at += 1
    return head, "".join(lines[at:]).lstrip("\n")
