"""pySHACL on a part of the data at a time, in several processes.

The focus nodes of the shapes are taken some at a time, with as much of the data around them
as the shapes can see (`kg.validate.reach`). A part has results only for the nodes that it was
made for, so all parts together give what the whole gives. Shapes that see without end, and all
shapes where the data brings a large hierarchy of classes, run on the whole.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store
from rdflib import SH, Graph
from rdflib.term import Node

from kg.errors import KgError
from kg.rdf.vocabulary import RDFS
from kg.validate import engine
from kg.validate.copies import bare
from kg.validate.flat import OWNED, flat
from kg.validate.kept import Kept
from kg.validate.reach import ALL, Reach, Steps, UnboundedError, reach, targeted
from kg.validate.report import Result
from kg.validate.terms import bound, copied, from_rdflib, ox_term, rdflib_term, to_rdflib, unheard
from kg.validate.view import StoreView, Target, Term, View

NODES = 2_000  # focus nodes that a process is given at a time
TRIPLES = 40_000  # that pySHACL is given at a time, about 50 MB of memory
HIERARCHY = 10_000  # statements that a class is below another, which every part carries

_WHOLE: Steps = ("",)  # in place of steps: seen with all that is said of it


@dataclass(frozen=True, slots=True)
class Pass:
    """Shapes that aim at the same nodes."""

    shapes: tuple[Node, ...]
    target: Target
    reach: Reach


@dataclass(frozen=True, slots=True)
class Plan:
    """How shapes are validated: in parts by which passes, and on the whole for which reason."""

    passes: tuple[Pass, ...]
    whole: dict[Node, str]


@dataclass(frozen=True, slots=True)
class Found:
    """What one part, or all of them, gave."""

    results: tuple[Result, ...]
    report: tuple[Quad, ...]  # `bare`; nothing where there is no result
    warnings: tuple[str, ...]


def target_of(graph: Graph, shape: Node) -> Target:
    """What a shape aims at."""

    def named(predicate: Node) -> frozenset[NamedNode]:
        terms = (ox_term(value) for value in graph.objects(shape, predicate))
        return frozenset(term for term in terms if isinstance(term, NamedNode))

    return Target(
        named(SH.targetClass),
        named(SH.targetSubjectsOf),
        named(SH.targetObjectsOf),
        frozenset(ox_term(node) for node in graph.objects(shape, SH.targetNode)),
    )


def plan(graph: Graph, shapes: Iterable[Node]) -> Plan:
    """How the shapes that have a target are validated."""
    alike: dict[Target, list[tuple[Node, Reach]]] = {}
    whole: dict[Node, str] = {}
    for shape in targeted(graph, frozenset(shapes)):
        try:
            alike.setdefault(target_of(graph, shape), []).append((shape, reach(graph, shape)))
        except UnboundedError as error:
            whole[shape] = str(error)
    passes = []
    for target, members in alike.items():
        far = Reach({})
        for _, one in members:
            far |= one
        passes.append(Pass(tuple(shape for shape, _ in members), target, far))
    return Plan(tuple(passes), whole)


class Validator:
    """Validates parts of some data."""

    def __init__(self, data: View, shapes: Graph, passes: Sequence[Pass]) -> None:
        self._data = data
        self._passes = passes
        self._shapes = [flat(shapes, one.shapes) for one in passes]
        self._hierarchy = list(data.stating(RDFS.subClassOf))

    def __call__(self, number: int, nodes: Sequence[Term]) -> Found:
        """What the shapes of a pass say of some of its focus nodes."""
        return gather(self._part(number, *part) for part in self._parts(number, nodes))

    def _parts(self, number: int, nodes: Sequence[Term]) -> Iterator[tuple[list[Term], list[Quad]]]:
        seen: set[tuple[Steps, Term]] = set()
        owned: list[Term] = []
        quads: list[Quad] = []
        for node in nodes:
            owned.append(node)
            quads.extend(self._around(node, self._passes[number].reach, seen))
            if len(quads) >= TRIPLES:
                yield owned, quads
                seen, owned, quads = set(), [], []
        if owned:
            yield owned, quads

    def _around(self, node: Term, far: Reach, seen: set[tuple[Steps, Term]]) -> Iterator[Quad]:
        """What can be seen from a node, without what was seen on the same steps before."""
        yield from self._blank(node, seen)
        ends: dict[Steps, list[Term]] = {(): [node]}
        for steps in sorted(far.needs, key=len):
            wanted = far.needs[steps]
            for end in ends.get(steps, ()):
                if (steps, end) in seen:
                    continue
                seen.add((steps, end))
                for quad in self._data.about(end):
                    predicate = quad.predicate.value
                    if predicate in wanted or ALL in wanted:
                        yield quad
                        yield from self._blank(quad.object, seen)
                        _follow(ends, (*steps, predicate), quad.object, far)
                for back in wanted:
                    if back.startswith("^"):
                        for quad in self._data.into(NamedNode(back[1:]), end):
                            yield quad
                            yield from self._blank(quad.subject, seen)
                            _follow(ends, (*steps, back), quad.subject, far)

    def _blank(self, node: object, seen: set[tuple[Steps, Term]]) -> Iterator[Quad]:
        """All about a blank node: a report says what it is by what is said of it."""
        ahead = [node]
        while ahead:
            one = ahead.pop()
            if isinstance(one, BlankNode) and (_WHOLE, one) not in seen:
                seen.add((_WHOLE, one))
                for quad in self._data.about(one):
                    yield quad
                    ahead.append(quad.object)

    def _part(self, number: int, owned: list[Term], quads: list[Quad]) -> Found:
        data = to_rdflib([*quads, *self._hierarchy], self._data.prefixes)
        with unheard():
            for node in owned:
                data.add((OWNED, OWNED, rdflib_term(node)))
        # pySHACL may add to the shapes that it is given.
        shapes = copied(self._shapes[number])
        ran = engine.run(data, shapes)
        return Found(ran.results, bare(ran.graph), ran.warnings)


def _follow(ends: dict[Steps, list[Term]], steps: Steps, node: object, far: Reach) -> None:
    if steps in far.needs and isinstance(node, NamedNode | BlankNode | Literal):
        ends.setdefault(steps, []).append(node)


def run(
    data: View, shapes: Graph, passes: Sequence[Pass], jobs: int = 1, folder: Path | None = None
) -> Found:
    """Validate in parts, in `jobs` processes where the data lies in a store in `folder`.

    Raises ShapesError where pySHACL cannot work with the shapes, KgError where a process dies.
    """
    parts = _tasks(data, passes)
    if jobs == 1 or folder is None:
        validator = Validator(data, shapes, passes)
        return gather(validator(number, nodes) for number, nodes in parts)
    return gather(_in_processes(data.prefixes, shapes, passes, parts, jobs, folder))


def gather(parts: Iterable[Found]) -> Found:
    """Several outcomes as one, with one report."""
    results: list[Result] = []
    warnings: dict[str, None] = {}
    report: dict[Quad, None] = {}
    for part in parts:
        results.extend(part.results)
        warnings |= dict.fromkeys(part.warnings)
        report |= dict.fromkeys(part.report)
    results.sort(key=lambda result: result.order)
    return Found(tuple(results), tuple(report), tuple(warnings))


def _tasks(data: View, passes: Sequence[Pass]) -> Iterator[tuple[int, list[Term]]]:
    for number, one in enumerate(passes):
        nodes = data.focus_nodes(one.target)
        while some := list(islice(nodes, NODES)):
            yield number, some


# Processes ----------------------------------------------------------------------------------


def _in_processes(
    prefixes: Mapping[str, str],
    shapes: Graph,
    passes: Sequence[Pass],
    parts: Iterator[tuple[int, list[Term]]],
    jobs: int,
    folder: Path,
) -> Iterator[Found]:
    # Forked children would share the locks of our threads; spawned ones start clean.
    context = multiprocessing.get_context("spawn")
    given = (os.getpid(), folder, prefixes, list(from_rdflib(shapes)), bound(shapes), passes)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=given) as pool:
        try:
            running: deque[Future[Found]] = deque()
            for part in parts:
                running.append(pool.submit(_run, *part))
                # The nodes are not read much faster than they are validated.
                if len(running) >= 3 * jobs:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        except BrokenProcessPool as error:
            raise KgError(
                "a process that validates was ended from outside (out of memory?); run the same "
                "command again, with --jobs 1"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


_validator: Validator | None = None  # one a spawned process, set by its initializer


def _start(
    parent: int,
    folder: Path,
    prefixes: Mapping[str, str],
    shapes: list[Quad],
    of_shapes: Mapping[str, str],
    passes: Sequence[Pass],
) -> None:
    global _validator
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    store = Store.read_only(str(folder))
    data = StoreView(Kept(store), prefixes)
    _validator = Validator(data, to_rdflib(shapes, of_shapes), passes)


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _run(number: int, nodes: list[Term]) -> Found:
    assert _validator is not None
    return _validator(number, nodes)
