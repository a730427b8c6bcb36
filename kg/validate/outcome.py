"""One validation from data and shapes to a report."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, Store
from rdflib import SH, Graph
from rdflib.term import Node

from kg.errors import ShapesError, UsageError, printable
from kg.queries.prefixes import prefixes_with
from kg.rdf.dataset import base_of
from kg.rdf.vocabulary import BIBO, FABIO, ITSRDF, KG, NIF, PREFIXES, PRO, RDF, SCHEMA
from kg.validate import checks, engines
from kg.validate.aims import (
    absent,
    circular,
    idle,
    imported,
    misspelt,
    not_run,
    saying_nothing,
    unmet,
)
from kg.validate.context import Context, node_of
from kg.validate.kept import Kept, as_kept
from kg.validate.names import BASE
from kg.validate.reach import TARGETS, deactivated
from kg.validate.read import Data
from kg.validate.report import Report, Result, Target
from kg.validate.shapes import Shapes, load_shapes, shape_name
from kg.validate.terms import bound, from_rdflib, ox_term
from kg.validate.words import usual

# Terms of which one at least is in what kg makes; foaf: and skos: are in much else.
_OURS = (
    *(namespace[""].value for namespace in (KG, FABIO, BIBO, NIF, ITSRDF, PRO)),
    SCHEMA.ScholarlyArticle.value,
)


def validate(
    data: Graph | Store | Data,
    files: Sequence[str | Path] | Graph | None,
    engine: str,
    jobs: int | None,
    folder: Path | None,
    started: float,
) -> Report:
    """See `kg.validate.validate`; `started` is when the clock began to run."""
    shapes = load_shapes(files)
    store = _store(data)
    if isinstance(data, Data):
        folder = data.folder
    try:
        ran = engines.run(data, shapes, engine=engine, jobs=jobs, folder=folder)
    except ShapesError as error:
        if shapes.data and shapes.data.parts:
            raise ShapesError(f"{printable(shapes.data.name)}: {error}") from error
        raise
    results, nodes = list(ran.results), ran.focus_nodes
    silent = [] if shapes.own else idle(shapes, ran.targets)
    looking = [shape for shape, number in ran.targets.items() if number and shape not in silent]
    away = bool(looking) and not results and not shapes.own
    away = away and all(absent(shapes, store, shape) == ran.targets[shape] for shape in looking)
    if away or not looking:
        nodes = 0  # nothing was asked of those that were found, or they are not in the data
    if shapes.own:
        results.extend(checks.check(store))
        nodes = nodes or len(checks.focus_nodes(store))
        if not isinstance(data, Store) and not _empty(store) and not (nodes and _ours(store)):
            raise UsageError(_foreign(data))
    read = data if isinstance(data, Data) else None
    prefixes = _prefixes(_declared(data), shapes.prefixes, _usual(store, shapes, read is not None))
    context = Context(shapes, store, read, prefixes)
    worded = (_worded(result, context) for result in results)
    return Report(
        results=tuple(sorted(worded, key=lambda result: result.order)),
        shapes=len(shapes.nodes),
        focus_nodes=nodes,
        warnings=(*ran.warnings, *(() if shapes.own else _warnings(shapes, silent))),
        unmet=() if shapes.own else (*misspelt(shapes), *unmet(shapes, store, prefixes)),
        idle=bool(silent) and not nodes and not away,
        absent=away,
        off=not ran.targets and any(_off(shapes, shape) for shape in shapes.nodes),
        targets=_targets(shapes, ran),
        empty=_empty(store),
        engine=ran.engine,
        log=ran.log,
        seconds=time.monotonic() - started,
        graph=ran.graph,
        prefixes=prefixes,
        context=context,
    )


def _worded(result: Result, context: Context) -> Result:
    """The result; where its shape has no message, with that of kg and not of an engine."""
    said = context.shapes.graph.value(node_of(result.shape), SH.message)
    if said is not None or not usual(result.constraint.value):
        return result
    return replace(result, message=context.rule(result).message)


def _off(shapes: Shapes, shape: Node) -> bool:
    aims = any((shape, target, None) in shapes.graph for target in TARGETS)
    return aims and deactivated(shapes.graph, shape)


def _warnings(shapes: Shapes, silent: Iterable[Node]) -> tuple[str, ...]:
    return (
        *imported(shapes),
        *not_run(shapes),
        *circular(shapes),
        *saying_nothing(shapes, silent),
    )


def _empty(store: Kept) -> bool:
    return next(store.quads_for_pattern(None, None, None), None) is None


def _store(data: Graph | Store | Data) -> Kept:
    quads: Kept | Iterable[Quad]
    if isinstance(data, Data):
        quads = data.quads
    else:
        quads = Kept(data) if isinstance(data, Store) else from_rdflib(data)
    if isinstance(quads, Kept):
        return quads
    store = Store()
    store.extend(map(as_kept, quads))
    return Kept(store)


def _ours(store: Kept) -> bool:
    """Whether data is of the model of kg, and does not merely speak of people or of concepts."""
    for quad in store.quads_for_pattern(None, None, None):
        term = quad.object if quad.predicate == RDF.type else quad.predicate
        if isinstance(term, NamedNode) and term.value.startswith(_OURS):
            return True
    return False


def _foreign(data: Graph | Data) -> str:
    name = data.name if isinstance(data, Data) else "the data"
    return (
        f"{name}: there is nothing in it that kg's own shapes speak of; say with --shapes FILE"
        " which SHACL shapes it shall be checked against"
    )


def _declared(data: Graph | Store | Data) -> dict[str, str]:
    if isinstance(data, Data):
        return data.prefixes
    if isinstance(data, Store):
        return {}
    return bound(data)


def _usual(store: Kept, shapes: Shapes, files: bool) -> dict[str, str]:
    """The prefixes that need no declaration; for a graph of kg also those of its own nodes."""
    base = base_of(store.store) if shapes.own else None
    if base is None:
        return PREFIXES
    # A file in which names begin with the base has a prefix for it, or says so itself.
    return prefixes_with(base) if files else {**prefixes_with(base), BASE: base}


def _prefixes(*tables: Mapping[str, str]) -> dict[str, str]:
    """All prefixes, the earlier tables first: neither a name nor an IRI comes twice."""
    found: dict[str, str] = {}
    for table in tables:
        for prefix, iri in table.items():
            if prefix not in found and iri not in found.values():
                found[prefix] = iri
    return found


def _targets(shapes: Shapes, ran: engines.Run) -> tuple[Target, ...]:
    found = []
    for shape, nodes in ran.targets.items():
        term = ox_term(shape)
        assert not isinstance(term, Literal)
        found.append(Target(term, shape_name(shapes, shape), nodes))
    return tuple(sorted(found, key=lambda target: target.name))
