"""The keys that papers' IRIs are minted from.

Each record alone would give its paper a key: its arXiv identifier, else its DOI, else its title,
else its abstract. Where records of two papers give the same key, none has it, and each takes the
next. The best key of its records is the paper's; the others are its former ones, so that an
IRI that was minted when fewer records were known still leads to the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from kg.identity.evidence import folded_abstract
from kg.identity.titles import is_telling
from kg.identity.wordings import OPENING_WORDS
from kg.model import Record
from kg.text import fold, plain

# The best kind of key first; a further one of the same kind is worse.
_KINDS = ("arxiv", "doi", "title", "text")


def ladder(record: Record) -> Iterator[str]:
    """The keys that a record gives its paper, the best first; the last is its own alone."""
    if record.arxiv:
        yield f"arxiv/{record.arxiv}"
    if record.doi:
        yield f"doi/{record.doi}"
    title = fold(record.title) or " ".join(record.title.split())
    if not title:
        yield f"text/{folded_abstract(record.abstract)}"
    elif is_telling(title):
        yield f"title/{title}"
    else:
        # A short title is taken to the letter: "C++" is not "C".
        title = " ".join(plain(record.title).text.casefold().split()) or record.title.strip()
    if title:
        beginning = " ".join(folded_abstract(record.abstract).split()[:OPENING_WORDS])
        by_whom = " ".join([str(record.year), *sorted(record.authors)])
        yield f"text/{title} / {beginning or by_whom}"
    source = record.source
    document = f"{source.name} {source.format} {source.author} {source.stated} {source.page}"
    yield f"text/{title} / {document} / {record.position} {record.line} / {record.raw}"


def keys(papers: Sequence[Sequence[Record]]) -> list[tuple[str, tuple[str, ...]]]:
    """For each paper its key and the former ones, sorted; no two papers have one key."""
    rungs = {(n, i): 0 for n, records in enumerate(papers) for i in range(len(records))}
    walked: dict[tuple[int, int], list[str]] = {place: [] for place in rungs}
    claimed: dict[str, int] = {}  # key -> the paper, or -1 for several
    stepping = list(rungs)
    # A record steps down while another paper claims the key that it stands on.
    while stepping:
        for n, i in stepping:
            key = next(islice(ladder(papers[n][i]), rungs[n, i], None))
            walked[n, i].append(key)
            if claimed.setdefault(key, n) != n:
                claimed[key] = -1
        stepping = [place for place, keys in walked.items() if claimed[keys[-1]] == -1]
        for place in stepping:
            rungs[place] += 1
    found = []
    for n, records in enumerate(papers):
        own = [walked[n, i] for i in range(len(records))]
        ranked = ((_KINDS.index(keys[-1].partition("/")[0]), len(keys), keys[-1]) for keys in own)
        found.append((min(ranked)[2], {key for keys in own for key in keys}))
    taken = {key for key, _ in found}
    return [(key, tuple(sorted(former - taken))) for key, former in found]


def owned(papers: Sequence[Sequence[Record]]) -> frozenset[str]:
    """The identifiers, as "doi/10.1/x", that records of one paper alone have."""
    claimed: dict[str, int] = {}
    for number, records in enumerate(papers):
        for record in records:
            for kind, name in (("arxiv", record.arxiv), ("doi", record.doi)):
                if name and claimed.setdefault(f"{kind}/{name}", number) != number:
                    claimed[f"{kind}/{name}"] = -1
    return frozenset(key for key, number in claimed.items() if number >= 0)
