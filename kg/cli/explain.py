"""`kg explain`: why two things are one, or are not."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from kg.cli.options import graph_option, output_option, writing_output
from kg.errors import UsageError

if TYPE_CHECKING:
    from pyoxigraph import Store

    from kg.identity.curation import Kind
    from kg.queries.find import Thing


@click.command("explain")
@click.argument("a")
@click.argument("b")
@graph_option
@click.option(
    "--kind",
    type=click.Choice(("paper", "person", "concept")),
    help="Look only among these, where a name means several things.",
)
@click.option(
    "--curation",
    metavar="FILE",
    help="The file that the graph was built with; where a line of it keeps the two apart, "
    "that line is the reason.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(("text", "json")),
    default="text",
    help="How to write it.",
)
@output_option
def command(
    a: str,
    b: str,
    graph: Path,
    kind: str | None,
    curation: str | None,
    style: str,
    output: str | None,
) -> None:
    """Say why two things are one, or are not.

    A and B are names, titles, identifiers or IRIs, as for `kg show`; a record is named
    as the graph labels it ("000.txt, record 3"), or by its own id. Where they are one,
    the rules that made them one are given with what they went by and the records; else
    what speaks for and against it.

    \b
    Examples:
      kg explain "induction head" "induction heads"
      kg explain "Ada Lindqvist" "A. Lindqvist"
      kg explain "Wei Wang" "W. Wang" --curation curation.toml
      kg explain "Copy Heads Emerge Before Induction Heads" "small.txt, record 2"
    """
    from kg.identity.curation import Kind
    from kg.identity.curation_file import read_curation
    from kg.results import printable
    from kg.review import explain, ruling
    from kg.store import open_store

    store = open_store(graph)
    first, second = _pair(store, a, b, kind)
    sort = cast(Kind, first.kind)
    ruled = ""
    if curation is not None:
        rules = read_curation(curation)
        ruled = ruling(rules, sort, first.iri, second.iri, lambda name: meant(store, name, sort))
    records = [record for name in (a, b) for record, _ in _records(store, name)]
    found = explain(store, sort, first.iri, second.iri, ruled, records)
    if style == "json":
        row = {
            "one": found.one,
            "kind": found.kind,
            "labels": found.labels,
            "iris": found.iris,
            "verdict": found.verdict,
            "reasons": found.reasons,
        }
        text = json.dumps(row, ensure_ascii=False, indent=2) + "\n"
    else:
        lines = [f"{label}  {iri}" for label, iri in zip(found.labels, found.iris, strict=True)]
        lines.append(found.verdict)
        body = [printable(line) for line in lines]
        for reason in found.reasons:
            body += textwrap.wrap(
                printable(reason), 100, initial_indent="  ", subsequent_indent="    "
            )
        text = "\n".join(body) + "\n"
    with writing_output(output) as out:
        out.write(text.encode())


def _pair(store: Store, a: str, b: str, kind: str | None) -> tuple[Thing, Thing]:
    """The two things that are meant, of one kind."""
    from kg.queries.find import PLURALS, missing
    from kg.results import printable

    kinds = (kind,) if kind else tuple(PLURALS)
    sides = [(name, _things(store, name, kinds)) for name in (a, b)]
    for name, things in sides:
        if not things:
            raise missing(store, name, kinds)
    common = {thing.kind for thing in sides[0][1]} & {thing.kind for thing in sides[1][1]}
    if not common:
        what = [f'"{name}" is a {things[0].kind}' for name, things in sides]
        raise UsageError(f"{what[0]} and {what[1]}; name two things of one kind")
    if len(common) > 1:
        raise UsageError(f"both names mean a {' and a '.join(sorted(common))}; say which: --kind")
    found = []
    for name, things in sides:
        some = [thing for thing in things if thing.kind in common]
        if len(some) > 1:
            listed = "; ".join(f"{printable(one.label)} <{one.iri}>" for one in some[:6])
            raise UsageError(f'"{name}" names several things, give the IRI of one: {listed}')
        found.append(some[0])
    return found[0], found[1]


def _things(store: Store, name: str, kinds: tuple[str, ...]) -> list[Thing]:
    """What a name means: a thing by its names, an identifier in any form, a record's paper."""
    from pyoxigraph import Literal, NamedNode

    from kg.queries.find import find
    from kg.rdf.vocabulary import DCTERMS
    from kg.read.identifiers import arxiv_id, doi, orcid

    if found := find(store, name, kinds):
        return found
    things = []
    for prefix, read in (("arXiv", arxiv_id), ("doi", doi), ("orcid", orcid)):
        if identifier := read(" ".join(name.split())):
            same = Literal(f"{prefix}:{identifier}")
            for quad in store.quads_for_pattern(None, DCTERMS.identifier, same):
                if isinstance(quad.subject, NamedNode):
                    things += find(store, quad.subject.value, kinds)
    if not things and "paper" in kinds:
        for _, paper in _records(store, name):
            things += find(store, paper, ("paper",))
    return list(dict.fromkeys(things))


def _records(store: Store, name: str) -> Iterator[tuple[str, str]]:
    """The records that a name means, by their labels or own ids, with their papers; by IRIs."""
    from pyoxigraph import Literal, NamedNode

    from kg.rdf.vocabulary import DCTERMS, PROV, RDFS

    for predicate in (RDFS.label, DCTERMS.identifier):
        for quad in store.quads_for_pattern(None, predicate, Literal(" ".join(name.split()))):
            for derived in store.quads_for_pattern(None, PROV.wasDerivedFrom, quad.subject):
                if isinstance(quad.subject, NamedNode) and isinstance(derived.subject, NamedNode):
                    yield quad.subject.value, derived.subject.value


def meant(store: Store, name: str, kind: Kind) -> list[str]:
    """The IRIs of the things of a kind that a name in a curation file stands for."""
    from kg.concepts.names import key as concept_key
    from kg.errors import KgError
    from kg.identity.names import read
    from kg.queries.prefixes import prefixes_of
    from kg.rdf.iris import Iris

    iris = Iris(prefixes_of(store)["paper"].removesuffix("paper/"))
    # A key, or a name in one of the ways in which sources write it.
    key = {"person": read(name).key, "concept": concept_key(name)}.get(kind, name)
    mint = {"paper": iris.paper, "person": iris.person, "concept": iris.concept}[kind]
    try:
        found = _things(store, name, (kind,)) or _things(store, mint(key).value, (kind,))
    except KgError:
        return []  # what is no IRI
    return [thing.iri for thing in found]
