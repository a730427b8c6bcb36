"""The engines that validate, and the one door to them.

- "pyshacl": pySHACL on rdflib, the reference. A graph in a store goes through it in parts.
- "fast": the package `shacl` of the extra kg[fast]. It gives the same results where it knows
  all that the shapes ask for; `kg.validate.coverage` says where it does not.
- "auto": the fast one where it is installed and covers the shapes, else pySHACL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import Store
from rdflib import Graph
from rdflib.term import Node

from kg.cores import cores
from kg.errors import KgError
from kg.rdf.vocabulary import RDFS
from kg.validate import chunks, fast
from kg.validate import engine as reference
from kg.validate.copies import bare, described
from kg.validate.coverage import NESTED, uncovered
from kg.validate.kept import Kept
from kg.validate.reach import aiming, targeted
from kg.validate.read import Data
from kg.validate.report import Result
from kg.validate.terms import bound, from_rdflib, to_rdflib
from kg.validate.view import StoreView, Target, Term, View, finds, view

if TYPE_CHECKING:
    from kg.validate.shapes import Shapes

ENGINES = ("auto", "pyshacl", "fast")
LARGE = 20_000  # quads in a store; with more, pySHACL takes a part at a time
_WORTH_A_PROCESS = 100_000  # quads; to start a process takes as long as to validate some thousands


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of an engine gives."""

    results: tuple[Result, ...]  # sorted by `Result.order`
    engine: str  # the one that ran: "pyshacl" or "fast"
    targets: Mapping[Node, int]  # the number of focus nodes of each shape that has a target
    focus_nodes: int  # how many different nodes all shapes looked at
    log: tuple[str, ...] = ()  # how it ran, a line each: in how many parts, what was whole and why
    warnings: tuple[str, ...] = ()  # of the engine, about the shapes
    graph: Graph | None = field(default=None, compare=False, repr=False)  # the engine's own report


def run(
    data: Data | Store | Graph,
    shapes: Shapes,
    engine: str = "auto",
    jobs: int | None = None,
    folder: Path | None = None,
    parts: bool | None = None,
) -> Run:
    """Validate with the engine that serves best, or with the one that is named.

    `folder` is where the store lies on disk, for `jobs` processes of pySHACL to open it too; the
    fast engine has as many threads that read it. `parts` says whether pySHACL takes a part at a
    time, where the size of the data shall not decide. Raises ShapesError where the engine cannot
    work with the shapes, UsageError where "fast" is asked for and not installed, KgError where
    the engine breaks off or a process dies.
    """
    seen = _view(data)
    why = _why_not(engine, shapes)
    ran = None
    try:
        if engine == "fast" or (engine == "auto" and not why):
            ran = _fast(seen, shapes, engine == "auto", why, jobs or cores())
    except KgError as error:
        if engine == "fast":
            raise
        why = str(error)
    if ran is None:
        log = [why] if why else []
        if parts is None:
            parts = isinstance(seen, StoreView) and len(seen.store) > LARGE
        ran = _pyshacl(seen, shapes, jobs, folder, parts, log)
    return ran


def _view(data: Data | Store | Graph) -> View:
    if isinstance(data, Data):
        return view(data.quads, data.prefixes)
    if isinstance(data, Store):
        return view(Kept(data), {})
    return view(list(from_rdflib(data)), bound(data))


def _why_not(engine: str, shapes: Shapes) -> str:
    """Why the fast engine does not serve, as a line; nothing where it does."""
    if engine == "pyshacl":
        return ""
    if not fast.installed():
        return "the fast engine is not installed (pip install shacl)"
    missing = uncovered(shapes.graph, shapes.nodes)
    if missing:
        return f"the fast engine does not cover {'; '.join(missing)}"
    return ""


def _fast(data: View, shapes: Shapes, strict: bool, why: str, threads: int) -> Run | None:
    """The run of the fast engine; None where pySHACL had to have the last word and cannot."""
    results = fast.run(data, shapes.graph, shapes.nodes, threads)
    doubts = fast.doubtful(results, shapes.graph)
    log = []
    if doubts:
        plan = chunks.plan(shapes.graph, shapes.nodes)
        # A result of a shape in a shape says not which focus node of a target it comes from.
        if not plan.whole and NESTED not in why and not _large_hierarchy(data):
            results = _settled(data, shapes, plan, results, doubts)
            log.append(f"pySHACL had the last word on {_count(len(doubts), 'focus node')}")
        elif strict:
            return None
    found, number = _focus_nodes(data, shapes)
    warnings = (f"{why}: the results may differ from those of pySHACL",) if why else ()
    return Run(results, "fast", found, number, tuple(log), warnings)


def _settled(
    data: View,
    shapes: Shapes,
    plan: chunks.Plan,
    results: Iterable[Result],
    doubts: set[Term],
) -> tuple[Result, ...]:
    """The results, on the nodes in doubt those of pySHACL."""
    validator = chunks.Validator(data, shapes.graph, plan.passes)
    kept = [result for result in results if result.focus not in doubts]
    for number, one in enumerate(plan.passes):
        nodes = finds(data, one.target, sorted(doubts, key=str))
        kept.extend(validator(number, nodes).results if nodes else ())
    return tuple(sorted(kept, key=lambda result: result.order))


def _pyshacl(
    data: View,
    shapes: Shapes,
    jobs: int | None,
    folder: Path | None,
    parts: bool,
    log: list[str],
) -> Run:
    counts, number = _focus_nodes(data, shapes)
    if not parts:
        ran = reference.run(to_rdflib(data.quads(), data.prefixes), shapes.graph)
        return Run(ran.results, "pyshacl", counts, number, tuple(log), ran.warnings, ran.graph)
    plan = chunks.plan(shapes.graph, shapes.nodes)
    if _large_hierarchy(data):
        reason = "the data states a large hierarchy of classes"
        whole = {shape: reason for one in plan.passes for shape in one.shapes}
        plan = chunks.Plan((), {**whole, **plan.whole})
    if folder is None:
        jobs = 1
    elif jobs is None:
        jobs = default_jobs(len(data.store) if isinstance(data, StoreView) else 0)
    found = [chunks.run(data, shapes.graph, plan.passes, jobs, folder)] if plan.passes else []
    if plan.passes:
        several = sum(len(one.shapes) for one in plan.passes)
        processes = "process" if jobs == 1 else "processes"
        log.append(f"{_count(several, 'shape')} validated in parts, in {jobs} {processes}")
    if plan.whole:
        found.append(_whole(data, shapes, plan.whole))
        log.append(_on_the_whole(plan.whole, shapes))
    all_of_it = chunks.gather(found)
    graph = described(all_of_it.report, shapes.graph, data) if all_of_it.report else None
    return Run(all_of_it.results, "pyshacl", counts, number, tuple(log), all_of_it.warnings, graph)


def _whole(data: View, shapes: Shapes, only: Mapping[Node, str]) -> chunks.Found:
    graph = aiming(shapes.graph, frozenset(only))
    ran = reference.run(to_rdflib(data.quads(), data.prefixes), graph)
    return chunks.Found(ran.results, bare(ran.graph), ran.warnings)


def _on_the_whole(whole: Mapping[Node, str], shapes: Shapes) -> str:
    from kg.validate.shapes import shape_name

    names = ", ".join(f"{shape_name(shapes, shape)} ({why})" for shape, why in whole.items())
    return f"{_count(len(whole), 'shape')} validated whole: {names}"


def _focus_nodes(data: View, shapes: Shapes) -> tuple[dict[Node, int], int]:
    """How many focus nodes each shape has that has a target, and all of them together."""
    targets = {
        shape: chunks.target_of(shapes.graph, shape)
        for shape in targeted(shapes.graph, shapes.nodes)
    }
    counts = {target: data.count(target) for target in dict.fromkeys(targets.values())}
    union = Target()
    for target in counts:
        union |= target
    return {shape: counts[target] for shape, target in targets.items()}, data.count(union)


def _large_hierarchy(data: View) -> bool:
    return sum(1 for _ in data.stating(RDFS.subClassOf)) > chunks.HIERARCHY


def default_jobs(quads: int) -> int:
    """How many processes serve so much data best on this machine."""
    return max(1, min(cores(), quads // _WORTH_A_PROCESS))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
