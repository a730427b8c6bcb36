"""Results of SPARQL queries as bytes in a format, or as a table for people.

Command line and server write through here. Rows of SELECT and the answer of ASK take the
formats of SOLUTIONS; the triples of CONSTRUCT and DESCRIBE take those of TRIPLES; both
take "table".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import IO

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Triple,
    serialize,
)

from kg.errors import UsageError
from kg.wellformed import WellFormed, writable

Result = QuerySolutions | QueryBoolean | QueryTriples
Term = NamedNode | BlankNode | Literal | Triple

SOLUTIONS = {
    "json": QueryResultsFormat.JSON,
    "csv": QueryResultsFormat.CSV,
    "tsv": QueryResultsFormat.TSV,
    "xml": QueryResultsFormat.XML,
}
TRIPLES = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
    "rdfxml": RdfFormat.RDF_XML,
}
FORMATS = ("table", *SOLUTIONS, *TRIPLES)

# A local name that Turtle and SPARQL take without escapes.
_LOCAL = re.compile(r"\w[\w-]*(?:\.[\w-]+)*")
_NUMERIC = re.compile(
    r"http://www\.w3\.org/2001/XMLSchema#(integer|decimal|double|float|long|int|gYear)"
)
# What stands for itself in Turtle, so that the prefixes of a text can be told from it.
_TURTLE = re.compile(
    rb'"(?:[^"\\]|\\.)*"|<[^<>\s]*>|(?<![^\s^([,;])([^\s"<>^()[\],;:]+):\S*', re.DOTALL
)
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_PART = 10_000  # triples that are held and written at once
_NARROWEST = 8  # no column is cut below this, in terminal cells


def kind(result: Result) -> str:
    """What a result is made of: "solutions", "boolean" or "triples"."""
    if isinstance(result, QueryTriples):
        return "triples"
    return "boolean" if isinstance(result, QueryBoolean) else "solutions"


def check(result: Result, format: str) -> None:
    """Raise UsageError where a result cannot be written in a format, one of FORMATS."""
    triples = isinstance(result, QueryTriples)
    fitting = ["table", *(TRIPLES if triples else SOLUTIONS)]
    if format not in fitting:
        what = "triples (CONSTRUCT, DESCRIBE)" if triples else "rows (SELECT, ASK)"
        raise UsageError(
            f"the query gives {what}, which {format} cannot hold; choose {', '.join(fitting)}"
        )


def write(
    result: Result,
    output: IO[bytes],
    format: str,
    prefixes: Mapping[str, str],
    width: int | None = None,
    most: int | None = None,
) -> None:
    """Write a result to `output` in one of FORMATS, a part at a time save for the table.

    Up to 10,000 triples come in the order of their terms; of more, the order is the query's.
    `width` is the width in cells that a table is cut to, None for as wide as it is; `most` is
    how many triples are written at most, None for all.
    Raises UsageError where the format does not fit what the query gives, UnwritableError (at any
    point) where it cannot hold a character or a name of it.
    """
    check(result, format)
    if format in ("xml", "rdfxml"):
        output = WellFormed(output)  # type: ignore[assignment]
    if format == "table":
        output.write(table(result, prefixes, width).encode())
    elif isinstance(result, QueryTriples):
        triples = result if most is None else islice(result, most)
        _write_triples(triples, output, format, dict(sorted(prefixes.items())))
    else:
        result.serialize(output, SOLUTIONS[format])


def table(result: Result, prefixes: Mapping[str, str], width: int | None = None) -> str:
    """A result as lines of aligned columns with a head; ASK gives "true" or "false".

    Numbers stand right, IRIs are shortened with `prefixes`, control characters become spaces.
    """
    if isinstance(result, QueryBoolean):
        return f"{str(bool(result)).lower()}\n"
    if isinstance(result, QueryTriples):
        head = ["subject", "predicate", "object"]
        rows: Iterable[Sequence[Term | None]] = [(t.subject, t.predicate, t.object) for t in result]
    else:
        head = [variable.value for variable in result.variables]
        rows = [list(row) for row in result]
    right = [False] * len(head)
    cells = []
    for row in rows:
        cells.append(["" if term is None else shorten(term, prefixes) for term in row])
        for at, term in enumerate(row):
            right[at] |= isinstance(term, Literal) and bool(_NUMERIC.fullmatch(term.datatype.value))
    return aligned(head, cells, right, width)


def aligned(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int | None = None,
) -> str:
    """Lines of columns under a head; `right` says which columns stand to the right."""
    head = [printable(cell) for cell in head]
    rows = [[printable(cell) for cell in row] for row in rows]
    if not head:
        return f"{len(rows)} solution{'' if len(rows) == 1 else 's'} without variables\n"
    widths = [max(map(cells_of, column)) for column in zip(head, *rows, strict=True)]
    widths = _narrowed(widths, None if width is None else width - 2 * (len(head) - 1))
    lines = [head, ["─" * wide for wide in widths], *rows]
    return "".join("  ".join(map(_padded, line, widths, right)).rstrip() + "\n" for line in lines)


def shorten(term: Term, prefixes: Mapping[str, str]) -> str:
    """A term for people: the text of a literal, an IRI as `prefix:name` where one fits."""
    if isinstance(term, Literal):
        return term.value
    if isinstance(term, NamedNode):
        for prefix, iri in prefixes.items():
            if term.value.startswith(iri) and _LOCAL.fullmatch(term.value, len(iri)):
                return f"{prefix}:{term.value[len(iri) :]}"
        return term.value
    return str(term)


def printable(text: str) -> str:
    """Text on one line, without what could move a terminal's cursor or its reading direction."""
    return "".join(" " if _unprintable(c) else c for c in text)


def cells_of(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(c) for c in text)


def cut(text: str, width: int) -> str:
    """Text of at most `width` cells, the end marked with … where something was cut."""
    if cells_of(text) <= width:
        return text
    kept, room = [], width - 1
    for c in text:
        room -= _cells(c)
        if room < 0:
            break
        kept.append(c)
    return "".join(kept).rstrip() + "…"


def rows(result: Result, limit: int) -> tuple[list[str], Iterator[list[dict[str, str] | None]]]:
    """The names of the columns and up to `limit` rows of terms as in SPARQL JSON results."""
    if isinstance(result, QueryBoolean):
        answer = Literal(bool(result))
        return ["answer"], iter([[term_json(answer)]])
    found: Iterable[Iterable[Term | None]]
    if isinstance(result, QueryTriples):
        head = ["subject", "predicate", "object"]
        found = ((t.subject, t.predicate, t.object) for t in result)
    else:
        head = [variable.value for variable in result.variables]
        found = result
    lines = (
        [None if term is None else term_json(term) for term in row] for row in islice(found, limit)
    )
    return head, lines


def term_json(term: Term) -> dict[str, str]:
    """A term in the form of SPARQL 1.1 Query Results JSON."""
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, Triple):
        return {"type": "literal", "value": str(term)}
    found = {"type": "literal", "value": term.value}
    if term.language:
        found["xml:lang"] = term.language
    elif term.datatype.value != "http://www.w3.org/2001/XMLSchema#string":
        found["datatype"] = term.datatype.value
    return found


def _write_triples(
    result: Iterator[Triple], output: IO[bytes], format: str, prefixes: dict[str, str]
) -> None:
    part = list(islice(result, _PART + 1))
    whole = len(part) <= _PART
    if whole:
        part = sorted(set(part), key=_order)
    if format != "turtle":
        triples: Iterator[Triple] = chain(part, result)
        if format == "rdfxml":
            triples = writable(triples, prefixes)
        serialize(triples, output, TRIPLES[format], prefixes=prefixes)
        return
    written = _turtle(part, prefixes)
    used = {name[1].decode() for name in _TURTLE.finditer(written) if name[1]}
    for prefix, iri in prefixes.items():
        # Of a long result nobody knows beforehand what it will use.
        if prefix in used or not whole:
            output.write(f"@prefix {prefix}: <{iri}> .\n".encode())
    while part:
        output.write(written)
        part = list(islice(result, _PART))
        written = _turtle(part, prefixes)


def _turtle(triples: Iterable[Triple], prefixes: dict[str, str]) -> bytes:
    """Triples in Turtle without the lines of the prefixes, whose order is never the same."""
    text = serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes)
    assert text is not None
    return text.split(b"\n", len(prefixes))[-1]


def _order(triple: Triple) -> tuple[str, bool, str, str]:
    predicate = triple.predicate
    return str(triple.subject), predicate != _TYPE, str(predicate), str(triple.object)


_ZERO = frozenset({"Mn", "Me", "Cf"})


def _unprintable(c: str) -> bool:
    """Controls, line ends, and the marks that turn the direction of text."""
    if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp"):
        return True
    return "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"


def _cells(c: str) -> int:
    if unicodedata.category(c) in _ZERO:
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def _narrowed(widths: list[int], room: int | None) -> list[int]:
    """Column widths that fit into `room` cells, the widest columns cut first."""
    while room is not None and sum(widths) > room and max(widths) > _NARROWEST:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    return widths


def _padded(text: str, width: int, right: bool) -> str:
    text = cut(text, width)
    space = " " * (width - cells_of(text))
    return space + text if right else text + space
