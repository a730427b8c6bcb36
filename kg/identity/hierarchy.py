"""Which concepts are broader than others.

A name says it by its form: a "selective induction head" is an "induction head", where both are
concepts. And texts say it (`kg.identity.patterns`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

# Words that make one with the next: no "semi-supervised learning" is supervised, even where
# it is written without hyphen.
_BOUND = frozenset(
    [
        *("anti", "bi", "co", "cross", "de", "few", "half", "high", "hyper", "inter", "intra"),
        *("k", "low", "meta", "multi", "n", "near", "no", "non", "not", "one", "post", "pre"),
        *("pseudo", "quasi", "re", "self", "semi", "sub", "super", "tri", "two", "un", "weakly"),
        *("without", "zero"),
    ]
)
# What follows these belongs to the head and does not have one of its own.
_AFTER_HEAD = frozenset(
    [
        *("as", "at", "between", "by", "for", "from", "in", "of", "on", "over", "through", "to"),
        *("under", "using", "via", "with"),
    ]
)
_JOINED = re.compile(r"[/&,;:()]|\b(?:and|or|vs|versus|than)\b")


def heads(key: str, label: str) -> Iterator[str]:
    """The keys of the names that a name may be a kind of, the nearest first.

    `label` says where hyphens bind words: "non-convex loss function" gives "loss function", not
    "convex loss function".
    """
    words = key.split()
    parts = [len(re.findall(r"[^\s-]+", part)) for part in label.split()]
    if len(words) < 2 or sum(parts) != len(words) or _JOINED.search(label):
        return
    last = next((i for i, word in enumerate(words) if word in _AFTER_HEAD), len(words))
    at = 0
    for part in parts[:-1]:
        at += part
        if at < last and words[at - 1] not in _BOUND:
            yield " ".join(words[at:])


def without_circles(links: Mapping[tuple[str, str], int]) -> dict[str, list[str]]:
    """The links, narrower to broader with a weight each, that make no circle.

    They are taken in order of their weight, the heaviest first and then by the names, and one
    that would close a circle is left out. So is one that a chain of others says anyway.
    """
    broader: dict[str, list[str]] = defaultdict(list)
    for a, b in sorted(links, key=lambda pair: (-links[pair], pair)):
        if a != b and a not in above(b, broader):
            broader[a].append(b)
    kept = {}
    for a, targets in broader.items():
        implied = set().union(*(above(b, broader) for b in targets))
        kept[a] = sorted(b for b in targets if b not in implied)
    return kept


def above(key: str, broader: Mapping[str, Sequence[str]]) -> set[str]:
    """All that is broader than a concept, by however many steps."""
    above: set[str] = set()
    waiting: list[str] = list(broader.get(key, ()))
    while waiting:
        following = waiting.pop()
        if following not in above:
            above.add(following)
            waiting += broader.get(following, ())
    return above
