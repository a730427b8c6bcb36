"""Finding the things that people name: a person, concept or paper by name or IRI.

A name is compared as it stands first, then without case, accents and doubled spaces, and
then without hyphens and the plural too, if that leaves one thing; labels go before other
names. SPARQL cannot drop accents, so that comparison is made here: with the search index of
the graph where there is one, else by going through all names, which gives the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pyoxigraph import Literal, NamedNode, QuerySolutions, Store

from kg.errors import UsageError
from kg.queries import Query, Term, load, number
from kg.queries.ask import ask
from kg.queries.prefixes import expand, prefixes_of
from kg.rdf.vocabulary import DCTERMS
from kg.search import Index, Name
from kg.search.words import bare, fold

PLURALS = {"concept": "concepts", "person": "people", "paper": "papers"}


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the graph, as somebody named it."""

    iri: str
    kind: str  # a key of PLURALS
    label: str


def bind(store: Store, query: Query, values: Mapping[str, str], index: Index | None = None) -> str:
    """The text of `query` with what people wrote for its parameters.

    Raises UsageError where a parameter is missing, or names nothing or several things.
    """
    for value in values.values():
        _refuse_bytes(value)
    kinds = {parameter.name: parameter.kind for parameter in query.parameters}
    terms = {
        name: _terms(store, kinds.get(name, "text"), value, index) for name, value in values.items()
    }
    return query.bind(terms)


def find(
    store: Store,
    name: str,
    kinds: Sequence[str] = tuple(PLURALS),
    index: Index | None = None,
) -> list[Thing]:
    """All things of these kinds that `name` names equally well, sorted by kind and label.

    `name` is a label, another name, an identifier, an IRI, or an IRI in short ("concept:x").
    """
    _refuse_bytes(name)
    iri = _iri(name)
    if iri is not None:
        return [thing for kind in kinds for thing in _by_iri(store, iri, kind)]
    short = expand(name, prefixes_of(store))
    if short and (things := [thing for kind in kinds for thing in _by_iri(store, short, kind)]):
        return things
    wanted = " ".join(name.split())
    best = _best([found for kind in kinds for found in _exact(store, wanted, kind)])
    if not best:
        names = list(index.named(wanted, kinds) if index else _all(store, kinds))
        folded = fold(wanted)
        best = _best([found for found in names if fold(found.name) == folded])
    if not best:
        keys = {kind: bare(wanted, kind) for kind in kinds}
        alike = [found for found in names if bare(found.name, found.kind) == keys[found.kind]]
        best = alike if len({found.iri for found in alike}) == 1 else []
    order = {kind: at for at, kind in enumerate(kinds)}
    found_things = {thing for found in best for thing in _by_iri(store, found.iri, found.kind)}
    return sorted(found_things, key=lambda thing: (order[thing.kind], thing.label, thing.iri))


def near(
    store: Store,
    name: str,
    kinds: Sequence[str] = tuple(PLURALS),
    index: Index | None = None,
) -> list[str]:
    """Up to six names in the graph that look like `name`, the nearest first."""
    if index is not None:
        hits = sorted(index.search(name, kinds, 6), key=lambda hit: hit.rank)
        return list(dict.fromkeys(hit.name for hit in hits))[:6]
    wanted = fold(name)
    names: dict[str, str] = {}
    for found in _all(store, kinds):
        names.setdefault(fold(found.name), found.name)
    within = sorted((key for key in names if len(wanted) > 2 and wanted in key), key=len)
    close = difflib.get_close_matches(wanted, names, n=6, cutoff=0.7)
    return [names[key] for key in dict.fromkeys([*close, *within])][:6]


def the_one(
    store: Store,
    name: str,
    kinds: Sequence[str] = tuple(PLURALS),
    index: Index | None = None,
) -> Thing:
    """The one thing of these kinds that `name` names.

    Raises UsageError where there is none, with names that look like it, or several.
    """
    things = find(store, name, kinds, index)
    if len(things) == 1:
        return things[0]
    if things:
        listed = "; ".join(f"{thing.label} <{thing.iri}>" for thing in things)
        raise UsageError(f'"{name}" names several things, give the IRI of one: {listed}')
    raise missing(store, name, kinds, index)


def missing(
    store: Store, name: str, kinds: Sequence[str], index: Index | None = None
) -> UsageError:
    """The error that nothing of these kinds has this name, with names that look like it."""
    what = " or ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
    hint = near(store, name, kinds, index)
    return UsageError(
        f'there is no {what} called "{name}" in the graph'
        + (f"; near it are: {', '.join(hint)}" if hint else "")
    )


def solutions(store: Store, query: str) -> QuerySolutions:
    """The solutions of a SELECT query of ours."""
    result = ask(store, query)
    assert isinstance(result, QuerySolutions)
    return result


def _refuse_bytes(name: str) -> None:
    """Raise UsageError for stray bytes, as a command line's arguments may hold."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        shown = name.encode(errors="backslashreplace").decode()
        raise UsageError(f'"{shown}" is not UTF-8') from error


def _best(found: list[Name]) -> list[Name]:
    """Those that have the name as their label, or all."""
    return [name for name in found if name.preferred] or found


def _terms(store: Store, kind: str, value: str, index: Index | None) -> list[Term]:
    if kind == "number":
        return [number(value)]
    if kind == "text":
        return _literals(value)
    if kind == "thing" and (iri := _iri(value)) is not None:
        return [iri]
    if kind == "thing" and (iri := expand(value, prefixes_of(store))) and _known(store, iri):
        return [iri]
    kinds = tuple(PLURALS) if kind == "thing" else (kind,)
    return [NamedNode(the_one(store, value, kinds, index).iri)]


def _iri(name: str) -> NamedNode | None:
    """The IRI that somebody wrote, in angle brackets or bare; None for a mere name."""
    if name.startswith("<") and name.endswith(">"):
        name = name[1:-1]
    elif not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name):
        return None
    try:
        return NamedNode(name)
    except ValueError as error:
        raise UsageError(f"<{name}> is not an IRI: {error}") from error


def _known(store: Store, iri: NamedNode) -> bool:
    """Whether the graph says anything of an IRI."""
    as_subject = store.quads_for_pattern(iri, None, None)
    return any(True for _ in chain(as_subject, store.quads_for_pattern(None, None, iri)))


def _literals(text: str) -> list[Term]:
    return [Literal(text), Literal(text, language="en")]


def _by_iri(store: Store, iri: NamedNode | str, kind: str) -> Iterator[Thing]:
    named = iri if isinstance(iri, NamedNode) else NamedNode(iri)
    # An IRI that a thing had before leads to what it is called now.
    now = [quad.object for quad in store.quads_for_pattern(named, DCTERMS.isReplacedBy, None)]
    for node in sorted((new for new in now if isinstance(new, NamedNode)), key=str) or [named]:
        for row in solutions(store, load(f"describe-{kind}").bind({kind: [node]})):
            yield Thing(node.value, kind, row[0].value)
            break


def _exact(store: Store, name: str, kind: str) -> Iterator[Name]:
    spellings = [name, f"arXiv:{name}", f"doi:{name.lower()}"] if kind == "paper" else [name]
    literals = [literal for spelling in spellings for literal in _literals(spelling)]
    return _names(store, kind, load(f"names-of-{PLURALS[kind]}").bind({"name": literals}))


def _all(store: Store, kinds: Sequence[str]) -> Iterator[Name]:
    for kind in kinds:
        yield from _names(store, kind, load(f"names-of-{PLURALS[kind]}").bind({}))


def _names(store: Store, kind: str, text: str) -> Iterator[Name]:
    for row in solutions(store, text):
        preferred = row["preferred"].value == "true"
        yield Name(row["name"].value, preferred, row[kind].value, kind)
