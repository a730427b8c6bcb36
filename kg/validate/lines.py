"""The triples of a store as N-Triples, read by several threads.

To read is to look up each term of each triple, and while it does so Oxigraph lets other threads
go on. A store has no parts but what a query asks for, so each thread asks for one predicate after
another. The rows come as TSV: N-Triples without the predicate and the full stop, and with numbers
and truth values bare, as Turtle has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import IO, cast

from pyoxigraph import NamedNode, QueryResultsFormat, QuerySolutions, Store

from kg.errors import KgError, UsageError
from kg.rdf.vocabulary import RDF, XSD
from kg.validate.rdf12 import NOT_TAKEN

# The triples of the default graph, and those of all others.
_PLACES = ("{{ ?s {} ?o }}", "{{ GRAPH ?g {{ ?s {} ?o }} }}")
_PIECE = 250_000  # bytes; threads that write all too often wait for each other
# Nothing else looks so: a text stands in quotes, and has "\t" in place of a tab.
_BARE = re.compile(rb"\t([-+.0-9][^\n]*|true|false)\n")
_DIRECTION = re.compile(rb"--(?:ltr|rtl)\n")


def write_lines(store: Store, out: IO[bytes], threads: int) -> None:
    """Write the triples of all graphs, each time some whole lines, in any order.

    A triple that stands in several graphs comes several times. Raises UsageError for what is new
    in RDF 1.2, KgError for a predicate that is no IRI.
    """
    lock = Lock()

    def read(place: str, predicate: NamedNode) -> None:
        query = f"SELECT ?s ?o {place.format(predicate)}"
        taker = _Rows(predicate, out, lock)
        rows = cast(IO[bytes], taker)
        try:
            # No name for what is found: it must not outlive the thread, as in a traceback.
            _solutions(store, query).serialize(rows, format=QueryResultsFormat.TSV)
        except SyntaxError as error:  # of a store that was filled by a careless parser
            raise KgError(f"the predicate {predicate} is no IRI") from error
        taker.end()

    with ThreadPoolExecutor(threads) as pool:
        for reading in [pool.submit(read, *part) for part in _parts(store)]:
            reading.result()


def _parts(store: Store) -> Iterator[tuple[str, NamedNode]]:
    """The predicates of each place, the frequent ones first: no thread is left alone with one."""
    for place in _PLACES:
        yield place, RDF.type  # mostly the first; it is read while the others are counted
        triples = place.format("?p")
        for row in _solutions(store, f"SELECT ?p {triples} GROUP BY ?p ORDER BY DESC(COUNT(*))"):
            predicate = row["p"]
            assert isinstance(predicate, NamedNode)
            if predicate != RDF.type:
                yield place, predicate


def _solutions(store: Store, query: str) -> QuerySolutions:
    found = store.query(query)
    assert isinstance(found, QuerySolutions)
    return found


class _Rows:
    """Takes the rows of one predicate as TSV and writes them on as N-Triples."""

    def __init__(self, predicate: NamedNode, out: IO[bytes], lock: Lock) -> None:
        self._middle = f" {predicate} ".encode()
        self._out, self._lock = out, lock
        self._taken: list[bytes] = []
        self._size = 0
        self._heading = True

    def write(self, some: bytes) -> int:
        self._taken.append(some)
        self._size += len(some)
        if self._size > _PIECE and b"\n" in some:
            self.end()
        return len(some)

    def flush(self) -> None:
        """Nothing: Oxigraph has no more of its own to write."""

    def end(self) -> None:
        """Write the rows that are whole."""
        rows, newline, rest = b"".join(self._taken).rpartition(b"\n")
        self._taken, self._size = [rest], len(rest)
        rows += newline
        if self._heading:
            self._heading = False
            _, _, rows = rows.partition(b"\n")
        if b"\t<<(" in rows or _DIRECTION.search(rows):
            raise UsageError(NOT_TAKEN)
        rows = _BARE.sub(_quoted, rows)
        lines = rows.replace(b"\t", self._middle).replace(b"\n", b" .\n")
        with self._lock:
            self._out.write(lines)


def _quoted(found: re.Match[bytes]) -> bytes:
    """A number or a truth value as N-Triples has it, after a tab."""
    text = found[1]
    if text in (b"true", b"false"):
        datatype = XSD.boolean
    elif b"e" in text or b"E" in text:
        datatype = XSD.double
    else:
        datatype = XSD.decimal if b"." in text else XSD.integer
    return b'\t"%b"^^%b\n' % (text, str(datatype).encode())
