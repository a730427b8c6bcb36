"""Exports of a graph: one file a format, each the same bytes for the same graph."""

from __future__ import annotations

import importlib
from typing import IO

from pyoxigraph import Store

# Name of the format -> usual ending of its files; the module kg.export.NAME writes it.
FORMATS = {"turtle": ".ttl", "ntriples": ".nt", "jsonld": ".jsonld"}


def export(store: Store, format: str, file: IO[bytes]) -> None:
    """Write the default graph of a store to a binary file. `format` is one of FORMATS."""
    importlib.import_module(f"kg.export.{format}").write(store, file)
