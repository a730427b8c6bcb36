"""Which records are one paper.

Records are compared only where they share an identifier, a title, or the beginning or end of
an abstract, so that the time is in line with the number of records. How two are judged stands
in `kg.identity.evidence`; the rules in plain language are in docs/identity.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from kg.identity import evidence
from kg.identity.classes import Join, part
from kg.identity.curation import Called, Ruler, Rulings
from kg.identity.evidence import Facts, facts, folded_abstract
from kg.identity.grounds import grounds
from kg.identity.keys import ladder
from kg.identity.titles import ends, misspelt, near, read_title
from kg.identity.wordings import OPENING_WORDS, compare_abstracts
from kg.model import Ground, Record
from kg.text import fold, plain

_IDENTIFIER = 1  # the strength of an identifier, after a person's own word
# An identifier of more different papers than this is none; it joins equal titles only.
_MOST_PROFILES = 200
# A title of more records than this is compared only among records of a common author.
_MOST_PAIRED = 60
# Of an abstract's ends, as much as surely holds the words that it is found by.
_END = 400

Judge = Callable[[Facts, Facts], tuple[int | None, str]]


@dataclass(frozen=True, slots=True)
class Work:
    """The records of one paper, in `record_order`, and why they are one."""

    records: tuple[Record, ...]
    grounds: tuple[Ground, ...]
    label: str = ""  # what a person ruled that it be called


def record_order(record: Record) -> tuple[str | int | tuple[str, ...], ...]:
    """The order in which records are looked at: by what they say, and only then by place."""
    source = record.source
    return (
        record.title,
        record.abstract,
        record.arxiv,
        record.doi,
        record.id,
        record.year or 0,
        record.authors,
        record.raw,
        source.name,
        source.format,
        source.author,
        source.stated or 0,
        source.page or 0,
        record.position,
        record.line,
    )


def link(records: Iterable[Record], ruler: Ruler | None = None) -> list[Work]:
    """Part records into papers; what a person dropped is left out.

    Raises UsageError where the curation contradicts itself.
    """
    ordered = sorted(set(records), key=record_order)
    known = [facts(record) for record in ordered]
    named, apart = _by_identifier(known), set[tuple[int, int]]()
    titled = [*_by_title(known, apart), *_by_subtitle(known, apart), *_by_wording(known, apart)]
    rulings = Rulings()
    if ruler is not None and ruler.concerns("paper"):
        alone = _classes(known, [*named, *titled], named, apart, ())
        of = {i: number for number, (members, _) in enumerate(alone) for i in members}
        rulings = ruler.rulings("paper", map(_called, ordered), of)
    sure = [*rulings.joins, *named]
    works = []
    for members, joins in _classes(known, [*sure, *titled], sure, apart, rulings.never):
        if not rulings.dropped(members):
            own = tuple(known[i].record for i in members)
            why = grounds(joins, ordered)
            works.append(Work(own, why, rulings.label_of(members)))
    return works


def disputed(records: Iterable[Record]) -> Iterator[tuple[str, str, int, int]]:
    """Identifiers that come with several titles: kind, identifier, titles, papers of it."""
    blocks: dict[tuple[str, str], set[Record]] = defaultdict(set)
    for record in records:
        for kind, name in (("arXiv identifier", record.arxiv), ("DOI", record.doi)):
            if name and record.title:
                blocks[kind, name].add(record)
    for (kind, name), block in sorted(blocks.items(), key=lambda item: item[0]):
        titles = {read_title(record.title).key for record in block} if len(block) > 1 else set()
        if len(titles) > 1:
            yield kind, name, len(titles), len(link(block))


def _classes(
    known: Sequence[Facts],
    joins: Sequence[Join],
    sure: Sequence[Join],
    apart: Iterable[tuple[int, int]],
    never: Sequence[tuple[int, int]],
) -> list[tuple[list[int], list[Join]]]:
    """The classes, each with the joins that made it; titles first, then texts without."""
    # What an identifier or a person joins is not parted by what titles say.
    first = part(len(known), sure, never)
    of = {i: number for number, members in enumerate(first.classes) for i in members}
    kept = [(a, b) for a, b in sorted(apart) if of[a] != of[b]]
    found = part(len(known), joins, [*never, *kept])
    of = {i: number for number, members in enumerate(found.classes) for i in members}
    classes: list[tuple[list[int], list[Join]]] = [(list(c), []) for c in found.classes]
    for join in found.made:
        classes[of[join.a]][1].append(join)
    return _attach(known, classes, never)


def _by_identifier(known: Sequence[Facts]) -> list[Join]:
    """Joins of records that share an identifier, where nothing outweighs it."""
    blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, found in enumerate(known):
        if found.record.arxiv:
            blocks["SameArxivIdentifier", found.record.arxiv].append(i)
        if found.record.doi:
            blocks["SameDoi", found.record.doi].append(i)
    joins = []
    for (rule, value), block in blocks.items():
        profiles: dict[object, int] = {}
        for i in block:
            f = known[i]
            profile = (f.title.key, f.authors, f.whole, f.record.abstract)
            first = profiles.setdefault(profile, i)
            if first != i:
                joins.append(Join(_IDENTIFIER, first, i, rule, value))
        sure = rule == "SameArxivIdentifier"
        for a, b in combinations(profiles.values(), 2) if len(profiles) <= _MOST_PROFILES else ():
            if evidence.agree(known[a], known[b], sure):
                joins.append(Join(_IDENTIFIER, a, b, rule, value))
    return joins


def _by_title(known: Sequence[Facts], apart: set[tuple[int, int]]) -> list[Join]:
    """Joins of records with one title; pairs that must stay apart are added to `apart`."""
    blocks: dict[str, list[int]] = defaultdict(list)
    for i, found in enumerate(known):
        if key := found.title.key:
            blocks[key].append(i)
    joins = []
    for block in blocks.values():
        if len(block) == 1:
            continue
        found_joins, against = [], set()
        for a, b in _pairs(known, block):
            strength, _ = evidence.same_title(known[a], known[b])
            if strength == 0:
                against.add((a, b))
            elif strength is not None:
                value = known[a].title.text
                found_joins.append(Join(strength, a, b, "SameTitle", value))
        joins += _undoubted(found_joins, against) if against else found_joins
        apart |= against
    return joins


def _pairs(known: Sequence[Facts], block: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs of a block that are worth a look, smaller number first."""
    if len(block) <= _MOST_PAIRED:
        yield from combinations(block, 2)
        return
    parts: dict[object, list[int]] = defaultdict(list)
    for i in block:
        for name in known[i].authors:
            parts[max(name, key=lambda word: (len(word), word))].append(i)
        if known[i].record.abstract:
            parts["", _ends(known[i].record.abstract)[0]].append(i)
    seen = set()
    for members in parts.values():
        pairs = combinations(members, 2) if len(members) <= _MOST_PAIRED else pairwise(members)
        seen |= {pair for pair in pairs if pair[0] != pair[1]}
    yield from sorted(seen)


def _undoubted(joins: Sequence[Join], against: set[tuple[int, int]]) -> list[Join]:
    """The joins without those of a record that two others claim alike, which must stay apart."""
    partners: dict[tuple[int, int], list[int]] = defaultdict(list)
    for join in joins:
        partners[join.a, join.strength].append(join.b)
        partners[join.b, join.strength].append(join.a)
    doubted: dict[int, int] = {}  # record -> the strength from which its joins are in doubt
    for (i, strength), others in partners.items():
        if any(pair in against for pair in combinations(sorted(others), 2)):
            doubted[i] = min(strength, doubted.get(i, strength))
    never = len(joins) + evidence.WEAK
    return [
        join
        for join in joins
        if join.strength == evidence.STRONG
        or join.strength < min(doubted.get(join.a, never), doubted.get(join.b, never))
    ]


def _by_subtitle(known: Sequence[Facts], apart: set[tuple[int, int]]) -> Iterator[Join]:
    """Joins of a title with the same and a subtitle after it."""
    heads: dict[str, list[int]] = defaultdict(list)
    for i, found in enumerate(known):
        if found.head.key:
            heads[found.head.key].append(i)
    for i, found in enumerate(known):
        for j in heads.get(found.title.key, ())[:_MOST_PAIRED]:
            if i != j:
                yield from _other_title(known, min(i, j), max(i, j), apart)


def _by_wording(known: Sequence[Facts], apart: set[tuple[int, int]]) -> Iterator[Join]:
    """Joins of titles that are nearly one, of the same authors and year."""
    blocks: dict[object, list[int]] = defaultdict(list)
    for i, found in enumerate(known):
        if found.authors and found.title.telling:
            for end in ends(found.title):
                blocks[end].append(i)
    seen = set()
    words = _words_of_titles(known)
    for block in blocks.values():
        for a, b in _pairs(known, block) if len(block) > 1 else ():
            one, other = known[a].title, known[b].title
            if one.key == other.key or (a, b) in seen:
                continue
            if misspelt(one, other) or near(one, other):
                seen.add((a, b))
                yield from _other_title(known, a, b, apart, words)


def _words_of_titles(known: Sequence[Facts]) -> frozenset[str]:
    """The words that more than one title has, and that are thus no misspelt ones."""
    once: set[str] = set()
    more: set[str] = set()
    for text in sorted({found.title.text for found in known}):
        words = set(text.split())
        more |= words & once
        once |= words
    return frozenset(more)


def _other_title(
    known: Sequence[Facts],
    a: int,
    b: int,
    apart: set[tuple[int, int]],
    words: Container[str] = frozenset(),
) -> Iterator[Join]:
    strength, _ = evidence.other_title(known[a], known[b], words)
    if strength == 0:
        apart.add((a, b))
    elif strength is not None:
        value = min((known[i].title.text for i in (a, b)), key=lambda text: (len(text), text))
        yield Join(strength, a, b, "SimilarTitle", value)


def _attach(
    known: Sequence[Facts],
    classes: Sequence[tuple[list[int], list[Join]]],
    never: Sequence[tuple[int, int]],
) -> list[tuple[list[int], list[Join]]]:
    """Give each class without a title to the paper that has its abstract, if there is one."""
    papers = [c for c in classes if any(known[i].title.key for i in c[0])]
    loose = [c for c in classes if not any(known[i].title.key for i in c[0])]
    if not loose:
        return papers
    index: dict[int, list[int]] = defaultdict(list)  # hash of an end -> places in `papers`
    apart: dict[int, set[int]] = defaultdict(set)
    for a, b in never:
        apart[a].add(b)
        apart[b].add(a)

    def add(members: Sequence[int], place: int) -> None:
        for abstract in {known[i].record.abstract for i in members} - {""}:
            for end in _ends(abstract):
                if place not in (places := index[hash(end)])[-1:]:
                    places.append(place)

    for place, (members, _) in enumerate(papers):
        add(members, place)
    # The fullest first: a beginning of it that comes later finds the whole.
    for members, joins in sorted(loose, key=lambda c: (-max(_length(known[i]) for i in c[0]), c)):
        best = _best(known, members, papers, index, apart)
        if best is None:
            papers.append((members, joins))
            add(members, len(papers) - 1)
        else:
            place, a, b, value = best
            found, why = papers[place]
            join = Join(evidence.WEAK + 2, min(a, b), max(a, b), "SameAbstract", value)
            papers[place] = (sorted([*found, *members]), [*why, *joins, join])
            add(members, place)
    return papers


def _length(found: Facts) -> int:
    return len(folded_abstract(found.record.abstract))


def _best(
    known: Sequence[Facts],
    members: Sequence[int],
    papers: Sequence[tuple[list[int], list[Join]]],
    index: dict[int, list[int]],
    apart: dict[int, set[int]],
) -> tuple[int, int, int, str] | None:
    """The paper most alike in its abstract: its place, a record of each side, the likeness."""
    barred = {other for i in members for other in apart.get(i, ())}
    ranked = []
    for i in members:
        abstract = folded_abstract(known[i].record.abstract)
        places = {p for end in _ends(known[i].record.abstract) for p in index.get(hash(end), ())}
        for place in places:
            if barred and not barred.isdisjoint(papers[place][0]):
                continue
            for j in papers[place][0]:
                other = folded_abstract(known[j].record.abstract)
                how, found = compare_abstracts(abstract, other)
                if how == "alike" or (abstract == other and not known[j].title.key):
                    ranked.append((-max(found, abstract == other), papers[place][0], j, i, place))
    if not ranked:
        return None
    found, _, j, i, place = min(ranked)
    return place, i, j, f"{-found:.2f}"


def _ends(abstract: str) -> tuple[str, str]:
    """What two wordings of an abstract share at least one of: how it begins, how it ends."""
    return (
        "^" + " ".join(fold(abstract[:_END]).split()[:OPENING_WORDS]),
        "$" + " ".join(fold(abstract[-_END:]).split()[-OPENING_WORDS:]),
    )


def _called(record: Record) -> Called:
    """What a person may call a record by."""
    names = [plain(record.title).text, record.url, record.id]
    names += [f"arXiv:{record.arxiv}", record.arxiv] if record.arxiv else []
    names += [f"doi:{record.doi}", record.doi] if record.doi else []
    names.append(f"{record.source.name}, record {record.position}")
    return Called(tuple(ladder(record)), tuple(name for name in names if name))
