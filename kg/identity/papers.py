"""Which records are one paper.

Records are compared only where they share an identifier, a title, or the beginning or end of
a title or an abstract, so that the time is in line with the number of records. What they share is
found on disk, and what a record is compared by is read when it is looked at: besides the
records themselves memory holds a few numbers of each, and what was joined. How two are judged
stands in `kg.identity.evidence`; the rules in plain language are in docs/identity.md.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations, groupby, pairwise
from operator import attrgetter

from kg.identity import evidence
from kg.identity.blocks import Blocks
from kg.identity.classes import Join, part
from kg.identity.curation import Called, Ruler, Rulings
from kg.identity.evidence import Facts, facts
from kg.identity.grounds import grounds
from kg.identity.identified import agreeing
from kg.identity.keys import keys as keys_of
from kg.identity.keys import ladder
from kg.identity.titles import ends, misspelt, near, read_title
from kg.identity.untitled import Class, Known, attached
from kg.identity.untitled import ends as ends_of_text
from kg.model import Ground, Record
from kg.text import plain

_IDENTIFIER = 1  # the strength of an identifier, after a person's own word
# Of more different records under one identifier than this not each is compared with each.
_MANY = 200
# A title of more records than this is compared only among records of a common author.
_MOST_PAIRED = 60
_HELD = 4096  # records whose facts are held at once


@dataclass(frozen=True, slots=True)
class Work:
    """The records of one paper, in `record_order`, and why they are one."""

    records: tuple[Record, ...]
    grounds: tuple[Ground, ...]
    label: str = ""  # what a person ruled that it be called
    former: frozenset[str] = frozenset()  # keys that its records have without what a person ruled


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


def link(records: Iterable[Record], ruler: Ruler | None = None) -> Iterator[Work]:
    """Part records into papers; what a person dropped is left out.

    Raises UsageError where the curation contradicts itself.
    """
    ordered = _ordered(records)
    known = _reader(ordered)
    blocks, untitled = Blocks(), set[int]()
    blocks.add(_places(known, len(ordered), untitled))
    named, apart = _by_identifier(known, blocks), set[tuple[int, int]]()
    titled = [
        *_by_title(known, blocks, apart),
        *_by_subtitle(known, blocks, apart),
        *_by_wording(known, blocks, apart, ordered),
    ]
    size = len(ordered)
    classes = partial(_classes, known, size, titled=titled, apart=apart, untitled=untitled)
    found: Iterable[Class] = classes(named)
    rulings = Rulings()
    of: Sequence[int] = ()
    minted: Sequence[tuple[str, ...]] = ()  # by class, the keys that it has by the rules alone
    if ruler is not None and ruler.concerns("paper"):
        alone = list(found)
        of = _class_of(size, alone)
        papers = [tuple(ordered[i] for i in members) for members, _ in alone]
        minted = [(key, *former) for key, former in keys_of(papers)]
        rulings = ruler.rulings("paper", _called(ordered, minted, of), of)
        kept = alone
        if rulings.never:  # then what joins two by way of a third is not enough
            named = _by_identifier(known, blocks, {i for pair in rulings.never for i in pair})
            kept = list(classes(named, never=rulings.never))
        found = _joined(rulings, kept, size, [*named, *titled])
    for members, joins in found:
        if not rulings.dropped(members):
            own = tuple(ordered[i] for i in members)
            former = frozenset(key for i in members if of for key in minted[of[i]])
            yield Work(own, grounds(joins, ordered), rulings.label_of(members), former)


def _class_of(size: int, classes: Iterable[Class]) -> Sequence[int]:
    """For each record the number of its class."""
    of = array("q", [0]) * size
    for number, (members, _) in enumerate(classes):
        for i in members:
            of[i] = number
    return of


def _joined(
    rulings: Rulings, classes: Sequence[Class], size: int, joins: Iterable[Join]
) -> list[Class]:
    """The classes, in their order, with those made one that a person joins."""
    of = _class_of(size, classes)
    texts = chain.from_iterable(made for _, made in classes)
    parted = rulings.joined(of, [*joins, *texts])
    made: dict[int, list[Join]] = defaultdict(list)
    for join in parted.made:
        made[parted.first[join.a]].append(join)
    found = sorted(parted.classes(), key=lambda members: min(of[i] for i in members))
    return [(list(members), made[members[0]]) for members in found]


def _ordered(records: Iterable[Record]) -> list[Record]:
    """Each record once, in `record_order`."""
    found: list[Record] = []
    # The title decides of most, and needs no key of its own.
    for _, some in groupby(sorted(records, key=_title), _title):
        found += sorted(set(some), key=record_order)
    return found


_title = attrgetter("title")


def _reader(records: Sequence[Record]) -> Known:
    """The facts of a record by its number."""

    @lru_cache(_HELD)
    def known(i: int) -> Facts:
        return facts(records[i])

    return known


def disputed(records: Iterable[Record]) -> Iterator[tuple[str, str, int, int]]:
    """Identifiers that come with several titles: kind, identifier, titles, papers of it."""
    blocks: dict[tuple[str, str], set[Record]] = defaultdict(set)
    for record in records:
        for kind, name in (("arXiv identifier", record.arxiv), ("DOI", record.doi)):
            if name:
                blocks[kind, name].add(record)
    for (kind, name), block in sorted(blocks.items(), key=lambda item: item[0]):
        every = {read_title(record.title).key for record in block} if len(block) > 1 else set()
        titles = every - {""}
        if len(titles) > 1:
            yield kind, name, len(titles), len(list(link(block)))


def _places(known: Known, size: int, untitled: set[int]) -> Iterator[tuple[str, str, int]]:
    """What each record is found by: kind, key, record. Those without title go to `untitled`."""
    for i in range(size):
        found = known(i)
        if found.record.arxiv:
            yield "SameArxivIdentifier", found.record.arxiv, i
        if found.record.doi:
            yield "SameDoi", found.record.doi, i
        if not found.title.key:
            untitled.add(i)
            continue
        yield "title", found.title.key, i
        yield "head or title", found.title.key, i
        if found.head.key:
            yield "head or title", found.head.key, i
        if evidence.may_be_reworded(found):
            for end in ends(found.title):
                yield "end", end, i


def _classes(
    known: Known,
    size: int,
    named: Sequence[Join],
    titled: Sequence[Join],
    apart: Iterable[tuple[int, int]],
    untitled: set[int],
    never: Sequence[tuple[int, int]] = (),
) -> Iterator[Class]:
    """The classes, each with the joins that made it; titles first, then texts without."""
    # What an identifier joins is not parted by what titles say.
    first = part(size, named, never).first
    kept = [(a, b) for a, b in sorted(apart) if first[a] != first[b]]
    return attached(known, part(size, [*named, *titled], [*never, *kept]), untitled, never)


def _by_identifier(known: Known, blocks: Blocks, parted: Set[int] = frozenset()) -> list[Join]:
    """Joins of records that share an identifier, where nothing outweighs it.

    They are so many that all others follow, but where a person parted one of the records: there
    they are all.
    """
    joins = []
    for rule in ("SameArxivIdentifier", "SameDoi"):
        sure = rule == "SameArxivIdentifier"
        for block in blocks.of(rule):
            record = known(block[0]).record
            value = record.arxiv if sure else record.doi
            different = block
            if parted.isdisjoint(block):
                different, same = _alike(known, block)
                joins += [Join(_IDENTIFIER, a, b, rule, value) for a, b in same]
            pairs: Iterable[tuple[int, int]]
            if len(different) > _MANY and parted.isdisjoint(block):
                pairs = agreeing(different, known, sure)
            else:
                every = combinations(different, 2)
                pairs = (p for p in every if evidence.agree(known(p[0]), known(p[1]), sure))
            joins.extend(Join(_IDENTIFIER, a, b, rule, value) for a, b in pairs)
    return joins


def _alike(known: Known, block: Iterable[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """The first records of each profile, and the others each with the first of its own."""
    firsts: dict[object, int] = {}
    same = []
    for i in block:
        f = known(i)
        first = firsts.setdefault((f.title.key, f.authors, f.whole, f.record.abstract), i)
        if first != i:
            same.append((first, i))
    return list(firsts.values()), same


def _by_title(known: Known, blocks: Blocks, apart: set[tuple[int, int]]) -> Iterator[Join]:
    """Joins of records with one title; pairs that must stay apart are added to `apart`."""
    for block in blocks.of("title"):
        joins, against = [], set()
        for a, b in _pairs(known, block):
            strength, _ = evidence.same_title(known(a), known(b))
            if strength == 0:
                against.add((a, b))
            elif strength is not None:
                joins.append(Join(strength, a, b, "SameTitle", known(a).title.text))
        yield from _undoubted(joins, against) if against else joins
        apart |= against


def _pairs(known: Known, block: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs of a block that are worth a look, smaller number first."""
    if len(block) <= _MOST_PAIRED:
        yield from combinations(block, 2)
        return
    parts: dict[object, list[int]] = defaultdict(list)
    for i in block:
        for name in known(i).authors:
            parts[max(name, key=lambda word: (len(word), word))].append(i)
        if abstract := known(i).record.abstract:
            parts["", ends_of_text(abstract)[0]].append(i)
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


def _by_subtitle(known: Known, blocks: Blocks, apart: set[tuple[int, int]]) -> Iterator[Join]:
    """Joins of a title with the same and a subtitle after it."""
    for block in blocks.of("head or title"):
        heads: dict[str, list[int]] = defaultdict(list)
        for i in block:
            if key := known(i).head.key:
                heads[key].append(i)
        for i in block if heads else ():
            for j in heads.get(known(i).title.key, ())[:_MOST_PAIRED]:
                if i != j:
                    yield from _other_title(known, min(i, j), max(i, j), apart)


def _by_wording(
    known: Known, blocks: Blocks, apart: set[tuple[int, int]], records: Sequence[Record]
) -> Iterator[Join]:
    """Joins of titles that are nearly one, of the same authors and year."""
    found = set()
    for block in blocks.of("end"):
        for a, b in _pairs(known, block):
            one, other = known(a).title, known(b).title
            if one.key != other.key and (misspelt(one, other) or near(one, other)):
                found.add((a, b))
    wanted = {word for pair in found for i in pair for word in known(i).title.words}
    words = words_of_titles(wanted, (r.title for r in records)) if wanted else ()
    for a, b in sorted(found):
        yield from _other_title(known, a, b, apart, words)


def words_of_titles(wanted: set[str], titles: Iterable[str]) -> Set[str]:
    """Those of some words that more than one title has, and that are thus no misspelt ones."""
    of: dict[str, str] = {}
    more: set[str] = set()
    for title in titles:
        text = read_title(title).text
        for word in wanted.intersection(text.split()):
            if of.setdefault(word, text) != text:
                more.add(word)
    return more


def _other_title(
    known: Known,
    a: int,
    b: int,
    apart: set[tuple[int, int]],
    words: Container[str] = frozenset(),
) -> Iterator[Join]:
    strength, _ = evidence.other_title(known(a), known(b), words)
    if strength == 0:
        apart.add((a, b))
    elif strength is not None:
        value = min((known(i).title.text for i in (a, b)), key=lambda text: (len(text), text))
        yield Join(strength, a, b, "SimilarTitle", value)


def _called(
    records: Sequence[Record], minted: Sequence[tuple[str, ...]], of: Sequence[int]
) -> Iterator[Called]:
    """What a person may call each record by.

    The keys of its paper, the living one first, as far as the record gives it these or none does;
    a former one may be that of several.
    """
    rungs_of = [frozenset(ladder(record)) for record in records]
    given = {(number, rung) for number, rungs in zip(of, rungs_of, strict=True) for rung in rungs}
    for number, record, rungs in zip(of, records, rungs_of, strict=True):
        own = [key for key in minted[number] if key in rungs or (number, key) not in given]
        key = minted[number][0]
        names = [plain(record.title).text, record.url, record.id]
        names += [f"arXiv:{record.arxiv}", record.arxiv] if record.arxiv else []
        names += [f"doi:{record.doi}", record.doi] if record.doi else []
        names.append(f"{record.source.name}, record {record.position}")
        others = tuple(other for other in own if other != key)
        yield Called((key,) if key in own else (), tuple(filter(None, names)), others, key)
