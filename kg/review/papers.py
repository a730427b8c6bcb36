"""Why two papers are not one: their records, weighed as linking weighs them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from kg.identity import evidence, titles
from kg.identity.evidence import Facts, facts
from kg.identity.papers import words_of_titles
from kg.identity.untitled import ends
from kg.identity.wordings import is_stock
from kg.model import Record
from kg.review.graph import Graph

_SHOWN = 5  # names in a list
_BY_IDENTIFIER = 1
_AUTHORS = {
    "same": "the same",
    "shared": "some in common",
    "unknown": "cannot be compared",
    "apart": "none in common",
}
_ABSTRACTS = {
    "alike": "one text",
    "akin": "versions of one text",
    "unlike": "different",
    "unknown": "cannot be compared",
}
# Those of some words that more than one title has.
Known = Callable[[frozenset[str]], Container[str]]


@dataclass(frozen=True, slots=True)
class Weighed:
    """Two records, and what linking makes of them alone."""

    x: Facts
    y: Facts
    strength: int | None  # as of `evidence.same_title`: None for nothing, 0 for never
    why: str
    named: int = 0  # how many of the two somebody asked for

    @property
    def distance(self) -> tuple[int, int, int, int]:
        """How little the two have in common."""
        found = evidence.compare(self.x, self.y)
        order = {"equal": 0, "variant": 1, "alike": 2, "unlike": 3, "unknown": 4}
        shared = any(_shared(self.x, self.y))
        return not shared, order[found.titles], -round(100 * found.likeness), found.years or 0


def why_two(
    graph: Graph, a: str, b: str, named: Container[str] = ()
) -> tuple[str, tuple[str, ...]]:
    """Why two papers, by their IRIs, are two: a sentence, and what speaks for and against it.

    `named` has the IRIs of records that somebody asked for.
    """
    sides = [[(iri, facts(r)) for iri, r in graph.records(paper).items()] for paper in (a, b)]
    # A text without a title goes to a paper; it never makes one of two.
    loose = any(not any(f.title.key for _, f in side) for side in sides)
    known = _known(graph)
    pairs = [
        Weighed(x, y, *weigh(x, y, known, loose), (i in named) + (j in named))
        for (i, x), (j, y) in product(*sides)
    ]
    if not pairs:
        return "They are two papers.", ("the graph has no record of one of them",)
    shown = min(pairs, key=lambda pair: (-pair.named, pair.distance))
    joins = min((p for p in pairs if p.strength), key=lambda p: p.strength or 0, default=None)
    if joins is None:
        return f"They are two papers: {shown.why}.", tuple(_lines(shown))
    would = f"{joins.why}, which would join {_places(joins)}"
    arxiv = [{f.record.arxiv for _, f in side} - {""} for side in sides]
    against = min(
        (p for p in pairs if p.strength == 0), key=lambda p: (-p.named, p.distance), default=None
    )
    # What titles say does not part what an identifier joins.
    if against is not None and joins.strength != _BY_IDENTIFIER:
        return f"They are two papers: {against.why}.", (*_lines(against), would)
    if loose and all(arxiv) and arxiv[0].isdisjoint(arxiv[1]):
        why = "they have two arXiv identifiers"
        return f"They are two papers: {why}.", (*_lines(joins), would)
    why = (
        f"{would}; what keeps them apart is not in these records, such as another paper that "
        "they fit as well, or what a person ruled"
    )
    return f"They are two papers: {why}.", tuple(_lines(joins))


def _known(graph: Graph) -> Known:
    @cache
    def known(words: frozenset[str]) -> Container[str]:
        return words_of_titles(set(words), graph.titles())

    return known


def weigh(
    x: Facts, y: Facts, known: Known = lambda words: (), loose: bool = True
) -> tuple[int | None, str]:
    """How strongly two records are one paper, and why, or why not, as `evidence` has it.

    `loose` says whether a text without a title may be given to the paper of the other.
    """
    identifiers = list(_shared(x, y))
    for name, sure in identifiers:
        if evidence.agree(x, y, sure):
            return _BY_IDENTIFIER, f"they have one {name}"
    strength, why = _by_title(x, y, known) if x.title.key and y.title.key else _by_text(x, y, loose)
    if identifiers and not strength:
        why = f"{why}, and the rest outweighs the {identifiers[0][0]} that both have"
    return strength, why


def _shared(x: Facts, y: Facts) -> Iterator[tuple[str, bool]]:
    """The identifiers that two records have in common, and whether each is surely of one paper."""
    one, other = x.record, y.record
    if one.arxiv and one.arxiv == other.arxiv:
        yield f"arXiv identifier {one.arxiv}", True
    if one.doi and one.doi == other.doi:
        yield f"DOI {one.doi}", False


def _by_title(x: Facts, y: Facts, known: Known) -> tuple[int | None, str]:
    if x.title.key == y.title.key:
        return evidence.same_title(x, y)
    near = titles.misspelt(x.title, y.title) or titles.near(x.title, y.title)
    if x.title.key == y.head.key or y.title.key == x.head.key:
        strength, why = evidence.other_title(x, y)
        if strength is not None or not near:
            return strength, why
    if not near:
        alone = evidence.compare(x, y).abstracts == "alike"
        more = ", and papers with titles are not joined by abstracts alone" if alone else ""
        return None, f"their titles differ{more}"
    if not (x.title.telling and y.title.telling):
        return None, "their titles are nearly one only, and such as many papers have"
    if not (evidence.may_be_reworded(x) and evidence.may_be_reworded(y)):
        return None, "their titles are nearly one only, and a record has no authors and no abstract"
    if not {*titles.ends(x.title)} & {*titles.ends(y.title)}:
        return None, "their titles neither begin nor end alike"
    words = frozenset((*x.title.words, *y.title.words))
    found = evidence.other_title(x, y, words)
    # All titles need to be looked through only where it matters.
    return (
        found if found == evidence.other_title(x, y) else evidence.other_title(x, y, known(words))
    )


def _by_text(x: Facts, y: Facts, loose: bool) -> tuple[int | None, str]:
    """Two records, at least one of them without a title."""
    found = evidence.compare(x, y)
    one, other = x.record.abstract, y.record.abstract
    if found.abstracts == "unknown" and evidence.folded_abstract(one) != evidence.folded_abstract(
        other
    ):
        return None, "they have no title or abstract in common"
    if found.authors == "apart":
        return None, "no author in common"
    if found.two_on_arxiv:
        return None, "they have two arXiv identifiers"
    if is_stock(evidence.folded_abstract(one)):
        return None, "an abstract that many papers have"
    if not evidence.same_text(x, y) or not {*ends(one)} & {*ends(other)}:
        return None, "the abstracts differ"
    if not loose:
        return None, "a text without a title joins no two papers"
    return evidence.WEAK + 2, "the abstracts are one text"


def _lines(pair: Weighed) -> Iterator[str]:
    x, y = pair.x, pair.y
    found = evidence.compare(x, y)
    yield f"titles: {found.titles}{_quoted(x.record.title, y.record.title)}"
    yield f"authors: {_AUTHORS[found.authors]}{_names(x, y)}"
    yield f"abstracts: {_ABSTRACTS[found.abstracts]}" + (
        f" ({found.likeness:.0%} of the words run alike)" if found.likeness else ""
    )
    yield f"years: {x.record.year or 'unknown'} and {y.record.year or 'unknown'}"
    if found.two_in_source:
        yield f"one source has both under two ids, {x.record.id} and {y.record.id}"
    if found.two_on_arxiv:
        yield f"two arXiv identifiers: {x.record.arxiv} and {y.record.arxiv}"
    for name, sure in _shared(x, y):
        outweighed = "" if evidence.agree(x, y, sure) else ", which the rest outweighs"
        yield f"one {name}{outweighed}"
    yield f"records: {_place(x.record)}; {_place(y.record)}"


def _quoted(a: str, b: str) -> str:
    shown = [" ".join(text.split()) for text in dict.fromkeys((a, b)) if text.strip()]
    return f" — {' / '.join(shown)}" if shown else ""


def _names(x: Facts, y: Facts) -> str:
    sides = [f.record.authors or (f.record.source.author,) for f in (x, y)]
    shown = [
        ", ".join(side[:_SHOWN]) + (" …" if len(side) > _SHOWN else "") or "none" for side in sides
    ]
    return f" — {' / '.join(shown)}"


def _place(record: Record) -> str:
    return f"{record.source.name}, record {record.position}"


def _places(pair: Weighed) -> str:
    return " and ".join(f'"{_place(f.record)}"' for f in (pair.x, pair.y))
