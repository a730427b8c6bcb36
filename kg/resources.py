"""Where the data files of kg lie: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent


@cache
def folder(name: str) -> Path:
    """The folder `ontology` or `shapes`.

    Raises FileNotFoundError on a broken installation.
    """
    for place in (_PACKAGE / "data" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"kg is not installed whole: the folder {name} is missing")
