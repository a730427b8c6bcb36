"""Concepts of titles and abstracts, through a spaCy pipeline of small components of our own.

Importing this package is cheap; spaCy is loaded by `load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# Raise it with every change of the weights or of the code that changes results.
VERSION = "4"

if TYPE_CHECKING:
    from kg.concepts.extractor import Extractor

__all__ = ["Extractor", "fingerprint", "load", "model_name"]


def load() -> Extractor:
    """An extractor with its pipeline loaded; takes about a second.

    Raises OSError where the base model is not installed.
    """
    from kg.concepts.extractor import Extractor
    from kg.concepts.pipeline import pipeline

    return Extractor(pipeline())


def model_name() -> str:
    """The name and version of what `load` loads, without loading it."""
    return f"kg-concepts {VERSION}"


def fingerprint() -> str:
    """A digest of all that decides what `load` finds: code, weights, words."""
    import hashlib
    from pathlib import Path

    digest = hashlib.sha256(model_name().encode())
    package = Path(__file__).parent
    for folder in (package, package.parent / "text"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".npz", ".txt") and path.parent.name != "training":
                digest.update(path.read_bytes())
    return digest.hexdigest()


def __getattr__(name: str) -> object:
    if name == "Extractor":
        from kg.concepts.extractor import Extractor

        return Extractor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
