"""The concept model of kg: loads its folder, reads records, judges concepts. Numpy only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model import choose, judge
from kg.concepts.model.features import SEPARATOR, Features
from kg.concepts.model.network import Found, Network
from kg.model import CONCEPT_TYPES, ConceptType

LEAST_CONFIDENCE = 0.43  # best span F1 on the held-out part of the gold
LEAST_SALIENT = 0.36
LEAST_COINED = 0.36


@dataclass(frozen=True, slots=True)
class Words:
    """A record as tokens. Spans count over title, separator and abstract together."""

    title: tuple[str, ...]
    abstract: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Title, separator, abstract: what spans count over."""
        return (*self.title, SEPARATOR, *self.abstract)

    def place(self, span: Found) -> tuple[str, int, int]:
        """The field of a span and its tokens [start, end) there."""
        if span.end <= len(self.title):
            return "title", span.start, span.end
        shift = len(self.title) + 1
        return "abstract", span.start - shift, span.end - shift


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a record says of a concept; `salience` is 2 where the record is about it."""

    type: ConceptType
    salience: Literal[1, 2]
    introduced: bool


class Finder:
    """Finds mentions and judges concepts. Same input, same output, whatever runs beside it."""

    def __init__(self, words: Sequence[str], weights: dict[str, NDArray[np.generic]]) -> None:
        self._features = Features(words)
        self._choose = _Logistic(weights["choose.w"], weights["choose.b"])
        self._salient = _Logistic(weights["salient.w"], weights["salient.b"])
        self._coined = _Logistic(weights["coined.w"], weights["coined.b"])
        self._network = Network(weights)

    @classmethod
    def load(cls, folder: Path) -> Finder:
        """From `words.txt` and `network.npz`. Raises OSError where they cannot be read."""
        words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")
        with np.load(folder / "network.npz", allow_pickle=False) as file:
            return cls(words, {name: file[name] for name in file.files})

    def find(
        self, records: Sequence[Words], least: float = LEAST_CONFIDENCE
    ) -> Iterator[tuple[Found, ...]]:
        """The mentions of each record in text order; `probability` is their confidence.

        A span across the separator does not come out; nothing is raised on odd input.
        """
        encoded = [self._features.encode(r.title, r.abstract) for r in records]
        for record, spans in zip(records, self._network(encoded), strict=True):
            titles = len(record.title)
            inside = [s for s in spans if not s.start <= titles < s.end]
            if not inside:
                yield ()
                continue
            confidence = self._choose(choose.describe(record.all, titles, inside))
            yield choose.choose(inside, confidence, least)

    def judge(self, record: Words, concepts: Sequence[Sequence[Found]]) -> tuple[Judgement, ...]:
        """A judgement for each concept of a record, given as its mentions in text order."""
        if not concepts:
            return ()
        words, titles = record.all, len(record.title)
        features = np.stack(
            [judge.describe(words, titles, mentions, len(concepts)) for mentions in concepts]
        )
        salient, coined = self._salient(features), self._coined(features)
        return tuple(
            Judgement(
                CONCEPT_TYPES[judge.type_of(mentions)],
                2 if salient[i] >= LEAST_SALIENT else 1,
                bool(coined[i] >= LEAST_COINED),
            )
            for i, mentions in enumerate(concepts)
        )


class _Logistic:
    def __init__(self, weight: NDArray[np.generic], bias: NDArray[np.generic]) -> None:
        self._weight = np.asarray(weight, dtype=np.float64)
        self._bias = float(bias)

    def __call__(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        # A sum row by row: the same for a record alone and among others.
        scores = (features * self._weight).sum(axis=1) + self._bias
        out: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(scores, -40, 40)))
        return out
