"""Which concepts have to do with each other: those that papers mention together more than chance.

The measure is the normalised pointwise mutual information of G. Bouma, "Normalized (pointwise)
mutual information in collocation extraction", GSCL 2009: log(p(a,b) / p(a)p(b)) / -log p(a,b),
1 where two never go apart, 0 where they meet by chance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

# A pair that fewer papers mention together may be chance, or one group's manner of speaking.
LEAST_PAPERS = 3
LEAST_STRENGTH = 0.25
MOST_RELATED = 8  # of one concept, so that a reader can take them in

_Numbers = NDArray[np.int64]


def related(
    mentioned: Sequence[Iterable[int]],
    concepts: int,
    apart: Collection[tuple[int, int]] = (),
) -> dict[int, list[int]]:
    """For each concept, by number, the concepts related to it.

    `mentioned` has for each paper the numbers of its concepts, from 0 to `concepts` - 1. The
    relation is symmetric, and no concept has more than `MOST_RELATED`: pairs are taken in order
    of their strength, and one is left out where either side has its full number. Pairs in
    `apart`, the smaller number first, are never related.
    """
    papers = [np.unique(np.fromiter(found, np.int64)) for found in mentioned]
    if not papers:
        return {}
    times = np.bincount(np.concatenate(papers), minlength=concepts)
    pairs, together = _pairs(papers, times, concepts)
    if not len(pairs):
        return {}
    a, b = pairs // concepts, pairs % concepts
    p = together / len(papers)
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = np.log(p * len(papers) ** 2 / (times[a] * times[b])) / -np.log(p)
    strength[together == len(papers)] = 0  # in every paper: says nothing
    keep = strength >= LEAST_STRENGTH
    a, b, strength, together = a[keep], b[keep], strength[keep], together[keep]
    # Rounded, so that no last bit of a logarithm decides; then what more papers say.
    order = np.lexsort((b, a, -together, -np.round(strength, 6)))
    forbidden = set(apart)
    found: dict[int, list[int]] = {}
    for x, y in zip(a[order].tolist(), b[order].tolist(), strict=True):
        if (x, y) in forbidden:
            continue
        of_x, of_y = found.get(x, ()), found.get(y, ())
        if len(of_x) < MOST_RELATED and len(of_y) < MOST_RELATED:
            found.setdefault(x, []).append(y)
            found.setdefault(y, []).append(x)
    return found


def _pairs(papers: Sequence[_Numbers], times: _Numbers, concepts: int) -> tuple[_Numbers, _Numbers]:
    """The pairs that enough papers mention together, as a * `concepts` + b, with their number."""
    frequent = times >= LEAST_PAPERS
    kept = [found[frequent[found]] for found in papers]
    codes = np.empty(sum(len(some) * (len(some) - 1) // 2 for some in kept), np.int64)
    at = 0
    for some in kept:
        first, second = np.triu_indices(len(some), 1)
        codes[at : at + len(first)] = some[first] * concepts + some[second]
        at += len(first)
    # Sorted in place, equal ones are neighbours: these are many, and copies take memory.
    codes.sort()
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    together = np.diff(starts, append=len(codes))
    keep = together >= LEAST_PAPERS
    return codes[starts[keep]], together[keep]
