"""The keys that papers' IRIs are minted from.

Each record alone would give its paper a key: its arXiv identifier, else its DOI, else its title,
else its abstract. Where records of two papers give the same key, none has it, and each takes the
next. The best key of its records is the paper's; the others are its former ones, so that an
IRI that was minted when fewer records were known still leads to the paper. The file and the line
of a record are in no key.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from hashlib import sha256
from itertools import islice

from kg.identity.evidence import folded_abstract
from kg.identity.titles import is_telling
from kg.identity.wordings import OPENING_WORDS
from kg.model import Record
from kg.text import fold, plain

_DIGEST = 12  # hexadecimal digits
# The best kind of key first; a further one of the same kind is worse.
_KINDS = ("arxiv", "doi", "title", "text")


def ladder(record: Record) -> Iterator[str]:
    """The keys that a record gives its paper, the best first; the last is that of all it says."""
    title = yield from _rungs(record)
    yield f"text/{title} / {_digest(record)}"


def _rungs(record: Record) -> Generator[str, None, str]:
    """All of them but the last, which takes the longest to make and which only twins need.

    Returns the title as it stands in the keys.
    """
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
        by_whom = " ".join([str(record.year or ""), *sorted(record.authors)]).strip()
        yield f"text/{title} / {beginning or by_whom}"
    if record.id:
        yield f"text/{title} / {record.id}"
    return title


def _digest(record: Record) -> str:
    """What tells a record from all that say something else, in whatever file and line."""
    said = " ".join(record.raw.split())
    if record.source.format == "json-lines":
        # The order of the fields and the spaces between them say nothing.
        with suppress(ValueError, RecursionError):
            said = json.dumps(json.loads(record.raw), sort_keys=True)
    said = json.dumps([record.source.author, record.title, record.abstract, said])
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def keys(
    papers: Sequence[Sequence[Record]], before: Sequence[Set[str]] = ()
) -> list[tuple[str, tuple[str, ...]]]:
    """For each paper its key and the former ones, sorted; no two papers have one key.

    `before` has for each paper keys that its records had otherwise; none stands for none.
    """
    rungs = {(n, i): 0 for n, records in enumerate(papers) for i in range(len(records))}
    walked: dict[tuple[int, int], list[str]] = {place: [] for place in rungs}
    claimed: dict[str, int] = {}  # key -> the paper, or -1 for several
    stepping = list(rungs)
    # A record steps down while another paper claims the key that it stands on.
    numbered: dict[tuple[int, int], str] = {}
    while stepping:
        for n, i in stepping:
            key = next(islice(ladder(papers[n][i]), rungs[n, i], None), "")
            walked[n, i].append(key or numbered[n, i])
            key = walked[n, i][-1]
            if claimed.setdefault(key, n) != n:
                claimed[key] = -1
        stepping = [place for place, keys in walked.items() if claimed[keys[-1]] == -1]
        numbered = _numbered(stepping, walked)
        for place in stepping:
            rungs[place] += 1
    # A key that a record of another paper has on a rung below its own may be contested at another
    # time, and then the paper that has it now stands lower.
    contested = {
        key
        for n, records in enumerate(papers)
        for record in records
        for key in _rungs(record)
        if claimed.get(key, n) not in (n, -1)
    }
    found = []
    for n, records in enumerate(papers):
        own = [walked[n, i] for i in range(len(records))]
        # Before they were joined, another paper may have held them off their keys. The last, a
        # digest, is that of twins, and would be one more name for each paper of two records.
        moving = len(records) > 1 or not contested.isdisjoint(keys[-1] for keys in own)
        others = records if moving else ()
        joined = {key for record in others for key in _rungs(record)}
        ranked = ((_KINDS.index(keys[-1].partition("/")[0]), len(keys), keys[-1]) for keys in own)
        found.append((min(ranked)[2], joined.union(*own, before[n] if before else ())))
    taken = {key for key, _ in found}
    return [(key, tuple(sorted(former - taken))) for key, former in found]


def _numbered(
    stepping: Iterable[tuple[int, int]], walked: Mapping[tuple[int, int], Sequence[str]]
) -> dict[tuple[int, int], str]:
    """The keys of records that say the same and are yet of several papers: by number."""
    claimants: dict[str, set[int]] = defaultdict(set)
    for place in stepping:
        claimants[walked[place][-1]].add(place[0])
    numbers = {key: sorted(found) for key, found in claimants.items()}
    return {
        (n, i): f"{walked[n, i][-1]} / {numbers[walked[n, i][-1]].index(n) + 1}"
        for n, i in stepping
    }


def owned(papers: Sequence[Sequence[Record]]) -> frozenset[str]:
    """The identifiers, as "doi/10.1/x", that records of one paper alone have."""
    claimed: dict[str, int] = {}
    for number, records in enumerate(papers):
        for record in records:
            for kind, name in (("arxiv", record.arxiv), ("doi", record.doi)):
                if name and claimed.setdefault(f"{kind}/{name}", number) != number:
                    claimed[f"{kind}/{name}"] = -1
    return frozenset(key for key, number in claimed.items() if number >= 0)
