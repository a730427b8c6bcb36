"""Lexicons as data: how much a word speaks for or against a decision.

A lexicon answers one question about a phrase from the features that hold for it, each with
its weight in log-odds; `kg.concepts.derive` takes the weights from annotated records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

Weights = Mapping[str, float]


@cache
def columns(name: str) -> Mapping[str, tuple[float, ...]]:
    """The lexicon `name`: a line holds a feature and its weights, parted by tabs.

    Raises FileNotFoundError for an unknown name.
    """
    text = files(__package__).joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.split("\n") if line and line[0] != "#")
    return {feature: tuple(map(float, row)) for feature, *row in rows}


@cache
def weights(name: str) -> Weights:
    """The lexicon `name` where it has one weight a feature."""
    return {feature: row[0] for feature, row in columns(name).items()}


def log_odds(lexicon: Weights, features: Iterable[str]) -> float:
    """The sum of the weights of `features`; above 0 speaks for."""
    return sum(lexicon.get(feature, 0.0) for feature in features)
