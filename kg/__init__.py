"""kg builds a knowledge graph of the scientific literature from titles and abstracts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg.validate import validate as validate

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # `kg.validate(...)` without a further import; loaded when it is asked for.
    if name == "validate":
        return import_module("kg.validate")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
