"""Doubtful pairs as proposals in a curation file, for a person to confirm."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import combinations, product

from kg.identity.curation import Curation, Kind
from kg.review.doubts import Doubt

HEAD = """\
# Proposals of kg review: pairs that may be one thing. A proposal that is left as it is counts
# for nothing. Where the two are one, delete the line that begins with confirm; where they are
# not, write [[never]] for [[same]] as well. Then: kg build INPUT... --curation THIS-FILE
"""


def proposals(found: Iterable[Doubt], base: str) -> Iterator[str]:
    """One table of TOML for each pair."""
    for doubt in found:
        names = [short(iri, base) for iri in (doubt.a, doubt.b)]
        about = "; ".join(
            _line(label) + (f" ({_papers(count)})" if doubt.kind != "paper" else "")
            for label, count in zip(doubt.labels, doubt.papers, strict=True)
        )
        quoted = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
        yield (
            f"\n# {about}\n# why: {_line(doubt.why)}\n"
            f"[[same]]\n{doubt.kind} = [{quoted}]\nconfirm = false\n"
        )


def ruled_pairs(
    curation: Curation, named: Callable[[str, Kind], Collection[str]]
) -> set[frozenset[str]]:
    """The pairs of things, by their IRIs, that a curation speaks of already.

    `named` gives the IRIs of the things of a kind that a name in the file stands for.
    """
    return {
        frozenset((a, b))
        for entry in (*curation.entries, *curation.proposals)
        if entry.action in ("same", "never")
        for some, others in combinations([named(name, entry.kind) for name in entry.names], 2)
        for a, b in product(some, others)
    }


def short(iri: str, base: str) -> str:
    """The IRI as one writes it in a curation file: "concept:induction-head"."""
    kind, slash, rest = iri.removeprefix(base).partition("/")
    return f"{kind}:{rest}" if iri.startswith(base) and slash else iri


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"
