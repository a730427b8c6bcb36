"""Score the linking of papers on a benchmark of two bibliographies with their true pairs.

    python benchmarks/linking.py FOLDER A.jsonl B.jsonl PAIRS.json

Each bibliography is JSON Lines as `kg build` reads it; PAIRS.json is a list of [a, b], or an
object with one such list, where a and b are the ids in A.jsonl and B.jsonl. A pair is found
where both records are of one paper of the graph, with the settings that kg ships; pairs inside
one bibliography do not count. Prints precision, recall and F1, and with -v the wrong pairs.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from kg.identity.papers import link
from kg.model import Record
from kg.read import read


def main(folder: str, first: str, second: str, pairs: str, *options: str) -> None:
    """Score one benchmark."""
    sides = [
        [item for item in read(str(Path(folder) / name)).items if isinstance(item, Record)]
        for name in (first, second)
    ]
    listed = json.loads((Path(folder) / pairs).read_text(encoding="utf-8"))
    if isinstance(listed, dict):
        (listed,) = listed.values()
    true = {(str(a), str(b)) for a, b in listed}
    started = time.perf_counter()
    works = list(link([*sides[0], *sides[1]]))
    seconds = time.perf_counter() - started
    found = set()
    for work in works:
        sources = defaultdict(list)
        for record in work.records:
            sources[record.source].append(record.id)
        of_a, of_b = (sources.get(side[0].source, []) for side in sides)
        found |= {(a, b) for a in of_a for b in of_b}
    right = len(found & true)
    precision, recall = right / max(1, len(found)), right / len(true)
    print(f"records    {len(sides[0]):,} and {len(sides[1]):,}, {seconds:.1f} s")
    print(f"pairs      {len(true):,} true, {len(found):,} found, {right:,} right")
    print(f"precision  {precision:.4f}")
    print(f"recall     {recall:.4f}")
    print(f"F1         {2 * precision * recall / max(1e-9, precision + recall):.4f}")
    if "-v" in options:
        by_id = [{record.id: record for record in side} for side in sides]
        for name, some in (("wrong", found - true), ("missed", true - found)):
            for a, b in sorted(some):
                for record in (by_id[0][a], by_id[1][b]):
                    authors = ", ".join(record.authors)
                    print(f"{name}  {record.title} | {authors} | {record.year}")
                print()


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit("usage: python benchmarks/linking.py FOLDER A.jsonl B.jsonl PAIRS.json [-v]")
    main(*sys.argv[1:])
