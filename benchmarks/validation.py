"""Validation: kg's engines against plain pySHACL on one graph with planted faults, in one run.

    python benchmarks/validation.py GRAPH_FOLDER [--papers N] [--jobs 2] [--skip-plain]

Takes the first N papers of the graph (all unless told) with all that belongs to them, plants a
fault in every twentieth, and validates the outcome with `pyshacl` on the whole, with pySHACL in
parts, and with the fast engine. Each runs in processes of its own. Prints seconds, CPU seconds
and peak memory (the proportional set size of all its processes), whether the results are the
same, and the ratios. Plain pySHACL takes about 1.5 GB and 80 s a million triples.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, serialize

from kg.rdf.vocabulary import (
    DCAT,
    DCTERMS,
    FOAF,
    ITSRDF,
    KG,
    NIF,
    PRO,
    PROV,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
    VOID,
)
from kg.resources import folder
from kg.store import open_store

_BACK = {KG.textOf, NIF.referenceContext, PRO.relatesToDocument}
_EVERY = 20  # papers to a fault


def cut(store: Store, papers: int | None) -> dict[Quad, None]:
    """The quads of some papers and of all that they belong to or refer to."""
    found = (q.subject for q in store.quads_for_pattern(None, RDF.type, SCHEMA.ScholarlyArticle))
    ahead: list[object] = sorted(found, key=str)[:papers]
    ahead += [q.subject for q in store.quads_for_pattern(None, RDF.type, DCAT.Dataset)]
    quads: dict[Quad, None] = {}
    seen: set[object] = set()
    while ahead:
        node = ahead.pop()
        if node in seen or not isinstance(node, NamedNode):
            continue
        seen.add(node)
        for quad in store.quads_for_pattern(node, None, None):
            quads[quad] = None
            if quad.predicate not in (VOID.exampleResource, RDF.type):
                ahead.append(quad.object)
        for predicate in _BACK:
            ahead += [q.subject for q in store.quads_for_pattern(None, predicate, node)]
    return quads


def faults(quads: dict[Quad, None]) -> Iterator[str]:
    """Spoil one thing in every so many papers; yield what each fault is."""
    by_kind: dict[NamedNode, list[Quad]] = {}
    for quad in quads:
        by_kind.setdefault(quad.predicate, []).append(quad)
    nothing = NamedNode("https://example.org/nothing")
    kinds: list[tuple[str, NamedNode, Callable[[Quad], object]]] = [
        ("a label taken out", RDFS.label, lambda q: None),
        ("a second title", DCTERMS.title, lambda q: [q.object, Literal("Another title")]),
        ("a name in a language", FOAF.name, lambda q: [Literal("Ada", language="en")]),
        ("an unknown concept", ITSRDF.taIdentRef, lambda q: [nothing]),
        ("a confidence above 1", ITSRDF.taConfidence, lambda q: [Literal(1.5)]),
        ("a number as a word", NIF.endIndex, lambda q: [Literal("seven")]),
        ("an ordinal of 0", KG.ordinal, lambda q: [Literal(0)]),
        ("a main concept not mentioned", SCHEMA.about, lambda q: [nothing]),
        ("an empty name", SKOS.prefLabel, lambda q: [Literal("", language="en")]),
        ("a record without its text", PROV.value, lambda q: None),
        ("an identifier with a space", DCTERMS.identifier, lambda q: [Literal("arXiv: 1")]),
        ("words in place of a year", DCTERMS.issued, lambda q: [Literal("soon")]),
    ]
    number = sum(q.object == SCHEMA.ScholarlyArticle for q in by_kind[RDF.type]) // _EVERY
    for place, (name, predicate, change) in zip(range(number), itertools.cycle(kinds)):
        some = sorted(by_kind.get(predicate, ()), key=str)[:5000] if place < len(kinds) else ()
        some = some or by_kind[predicate]
        old = some[place * 97 % len(some)]
        if old not in quads:
            continue
        del quads[old]
        for value in change(old) or ():  # type: ignore[attr-defined]
            quads[Quad(old.subject, predicate, value)] = None
        yield name


@dataclass(frozen=True)
class Outcome:
    """What one engine took and found."""

    name: str
    seconds: float
    cpu: float
    memory: float  # GB
    results: list[list[str]]


def measured(name: str, command: list[str]) -> Outcome:
    """Run a command that prints its results as JSON in the last line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = [0]
        watcher = threading.Thread(target=_watch, args=(process.pid, peak), daemon=True)
        watcher.start()
        out, _ = process.communicate()
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"{name} failed")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Outcome(name, seconds, cpu, peak[0] / 1e6, json.loads(out.splitlines()[-1]))


def _watch(pid: int, peak: list[int]) -> None:
    """Note the most memory, in kB, that a process and those below it have together."""
    while Path(f"/proc/{pid}").exists():
        total, ahead = 0, [str(pid)]
        while ahead:
            one = Path("/proc") / ahead.pop()
            try:
                lines = (one / "smaps_rollup").read_text().splitlines()
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
                for task in (one / "task").iterdir():
                    ahead += (task / "children").read_text().split()
            except (OSError, StopIteration):
                continue
        peak[0] = max(peak[0], total)
        time.sleep(0.1)


def engine(name: str, place: Path, jobs: int) -> None:
    """Run one engine on the store in a folder; print the results as JSON."""
    from kg.validate.engines import run
    from kg.validate.shapes import load_shapes

    ran = run(Store.read_only(str(place)), load_shapes(), name, jobs, place)
    for line in ran.log:
        print(line, file=sys.stderr)
    rows = [[str(r.focus), r.path or "", str(r.shape), r.constraint.value] for r in ran.results]
    print(json.dumps(sorted(rows)))


def plain(file: Path) -> None:
    """Run pySHACL as its own documentation does; print the results as JSON."""
    import pyshacl
    from rdflib import SH, BNode, Graph

    from kg.validate.paths import path_text

    shapes = Graph()
    for shape in sorted(folder("shapes").glob("*.ttl")):
        shapes.parse(shape)
    data = Graph().parse(file, format="nt")
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes)
    assert isinstance(report, Graph)
    rows = []
    for node in report.objects(None, SH.result):
        focus, shape = (report.value(node, p) for p in (SH.focusNode, SH.sourceShape))
        path = report.value(node, SH.resultPath)
        if isinstance(path, BNode):
            path = path_text(shapes, shapes.value(shape, SH.path) or path)
        constraint = report.value(node, SH.sourceConstraintComponent)
        rows.append([f"<{focus}>", str(path or ""), f"<{shape}>", str(constraint)])
    print(json.dumps(sorted(rows)))


def main() -> None:
    """Compare on the graph whose folder is the first argument."""
    parser = argparse.ArgumentParser()
    parser.add_argument("graph", type=Path)
    parser.add_argument("--papers", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--skip-plain", action="store_true")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run == "plain":
        plain(given.graph)
    elif given.run:
        engine(given.run, given.graph, given.jobs)
    else:
        compare(given.graph, given.papers, given.jobs, given.skip_plain)


def compare(graph: Path, papers: int | None, jobs: int, skip_plain: bool) -> None:
    """Make the data, run the engines on it, and print the outcome."""
    with tempfile.TemporaryDirectory() as place:
        store, file = Path(place) / "store", Path(place) / "data.nt"
        quads = cut(open_store(graph), papers)
        planted = sum(1 for _ in faults(quads))
        print(f"{len(quads):,} triples, {planted:,} faults planted", flush=True)
        filled = Store(str(store))
        filled.bulk_extend(quads)
        filled.flush()
        filled.optimize()
        del filled
        with file.open("wb") as out:
            serialize((q.triple for q in quads), out, RdfFormat.N_TRIPLES)
        del quads
        me = [sys.executable, os.path.abspath(__file__)]  # noqa: PTH100
        runs = {
            "fast engine": [*me, str(store), "--run", "fast"],
            f"pySHACL in parts, {jobs} processes": [
                *[*me, str(store), "--run", "pyshacl"],
                *["--jobs", str(jobs)],
            ],
        }
        if not skip_plain:
            runs["pySHACL on the whole"] = [*me, str(file), "--run", "plain"]
        outcomes = []
        for name, command in runs.items():
            outcomes.append(measured(name, command))
            print(_row(outcomes[-1]), flush=True)
    last = outcomes[-1]
    for one in outcomes[:-1]:
        same = "the same results" if _same(one, last) else "OTHER RESULTS"
        print(
            f"{last.name} against {one.name}: {same}, {last.seconds / one.seconds:.1f} times the"
            f" time, {last.cpu / one.cpu:.1f} times the CPU time,"
            f" {last.memory / one.memory:.1f} times the memory"
        )


def _row(one: Outcome) -> str:
    return (
        f"{one.name:32}{one.seconds:9.1f} s{one.cpu:9.1f} s CPU{one.memory:8.2f} GB"
        f"{len(one.results):8,} results"
    )


def _same(one: Outcome, other: Outcome) -> bool:
    if one.results == other.results:
        return True
    for extra in [row for row in one.results if row not in other.results][:5]:
        print(f"  only {one.name}: {extra}")
    for extra in [row for row in other.results if row not in one.results][:5]:
        print(f"  only {other.name}: {extra}")
    return False


if __name__ == "__main__":
    main()
