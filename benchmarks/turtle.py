"""Writing Turtle: kg's writer against rdflib's, on one graph in one run.

    python benchmarks/turtle.py GRAPH_FOLDER

Prints seconds, triples a second and the ratio. Loading is not counted for either.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import rdflib
from pyoxigraph import DefaultGraph, RdfFormat

from kg.export import export
from kg.store import open_store


def seconds(run: Callable[[], object]) -> float:
    """The time of the faster of two runs."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Compare on the graph whose folder is the first argument."""
    store = open_store(Path(sys.argv[1]))
    graph = rdflib.Graph()
    data = io.BytesIO()
    store.dump(data, RdfFormat.N_TRIPLES, from_graph=DefaultGraph())
    graph.parse(data=data.getvalue(), format="nt")
    ours = seconds(lambda: export(store, "turtle", io.BytesIO()))
    theirs = seconds(lambda: graph.serialize(format="turtle"))
    for name, taken in (("kg", ours), ("rdflib", theirs)):
        print(f"{name:8}{taken:8.2f} s {len(graph) / taken:12,.0f} triples/s")
    print(f"rdflib takes {theirs / ours:.1f} times as long")


if __name__ == "__main__":
    main()
