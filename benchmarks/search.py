"""How long a search takes, and how often a name is found in spite of a slip.

    python benchmarks/search.py GRAPH [--again]

Names are drawn from the graph, kind by kind, and asked for whole, begun, and with one slip
of every sort. `--again` makes the index anew beside the graph's own and says what that takes.
"""

from __future__ import annotations

import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from kg.search import KINDS, Index, ensure, path_of, write
from kg.store import generation, open_store

_DRAWN = 250  # names of each kind and sort of question
_FIXED = ("indution head", "Bieti", "trasformer", "a", "Li", "attention is all you need", "C++")


def main(graph: Path, again: bool) -> None:
    """Print a table of times in milliseconds."""
    with tempfile.TemporaryDirectory(dir=graph) as place:
        if again:
            path = Path(place) / "index"
            begun, used = time.perf_counter(), time.process_time()
            write(open_store(graph), path)
            print(
                f"made in {time.perf_counter() - begun:.1f} s "
                f"({time.process_time() - used:.1f} s of CPU)"
            )
        else:
            ensure(graph)
            path = path_of(generation(graph))
        print(f"{path.stat().st_size / 1e6:.0f} MB")
        _ask(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"at most {peak:.0f} MB of memory")


def _ask(path: Path) -> None:
    index = Index.open(path)
    assert index is not None
    print(f"{'question':28} {'n':>5} {'p50':>7} {'p95':>7} {'most':>7}  among the first 8")
    for text in _FIXED:
        times = sorted(_time(index, text)[0] for _ in range(21))
        print(f"{text:28} {21:5} {times[10]:7.1f} {times[19]:7.1f} {times[-1]:7.1f}")
    everything: list[float] = []
    for kind in KINDS:
        for sort, questions in _questions(path, kind).items():
            found, times = 0, []
            for text, name in questions:
                seconds, names = _time(index, text)
                times.append(seconds)
                found += name in names
            if times:
                everything += times
                times.sort()
                print(
                    f"{kind + ', ' + sort:28} {len(times):5} {times[len(times) // 2]:7.1f} "
                    f"{times[len(times) * 95 // 100]:7.1f} {times[-1]:7.1f}  "
                    f"{found / len(times):.1%}"
                )
    everything.sort()
    middle, late = everything[len(everything) // 2], everything[len(everything) * 95 // 100]
    print(f"{'all':28} {len(everything):5} {middle:7.1f} {late:7.1f} {everything[-1]:7.1f}")


def _time(index: Index, text: str) -> tuple[float, set[str]]:
    """The milliseconds of a search, and the labels it finds."""
    begun = time.perf_counter()
    hits = index.search(text)
    return (time.perf_counter() - begun) * 1000, {hit.label for hit in hits}


def _questions(path: Path, kind: str) -> dict[str, list[tuple[str, str]]]:
    """Questions by their sort, each with the label that is looked for."""
    file = sqlite3.connect(path)
    labels = [row[0] for row in file.execute("SELECT label FROM thing WHERE kind = ?", (kind,))]
    chance = random.Random(kind)
    drawn = chance.sample(labels, min(_DRAWN, len(labels)))
    found: dict[str, list[tuple[str, str]]] = {"whole": [(label, label) for label in drawn]}
    found["begun"] = [(label[: max(4, len(label) * 2 // 3)], label) for label in drawn]
    found["a slip"] = [(slipped, label) for label in drawn for slipped in _slip(label, chance)]
    return found


def _slip(label: str, chance: random.Random) -> Iterator[str]:
    """The label with one letter missing, doubled, wrong or in the wrong place; long words only."""
    places = [
        at for at in range(1, len(label) - 2) if all(c.isalpha() for c in label[at - 1 : at + 3])
    ]
    if not places:
        return
    at = chance.choice(places)
    yield chance.choice(
        [
            label[:at] + label[at + 1 :],
            label[:at] + label[at] + label[at:],
            label[:at] + chance.choice("aeirst") + label[at + 1 :],
            label[:at] + label[at + 1] + label[at] + label[at + 2 :],
        ]
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--again" in sys.argv[2:])
