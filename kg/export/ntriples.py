"""N-Triples: one triple a line, in the order of the Turtle export."""

from __future__ import annotations

from typing import IO

from pyoxigraph import RdfFormat, Store, Triple, serialize

from kg.export.order import description, subjects


def write(store: Store, file: IO[bytes]) -> None:
    """Write the default graph, sorted."""
    serialize(
        (
            Triple(subject, predicate, value)
            for subject in subjects(store)
            for predicate, values in description(store, subject)
            for value in values
        ),
        file,
        RdfFormat.N_TRIPLES,
    )
