"""The concept model at run time, with small made-up weights."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kg.concepts.model import choose
from kg.concepts.model.features import NUMBERS, SEPARATOR, Features, normal, shape
from kg.concepts.model.finder import Finder, Words
from kg.concepts.model.network import (
    BLOCK,
    BLOCK_TOKENS,
    EXACT,
    INPUT_MOST,
    LEAST,
    LONGEST,
    Found,
    Network,
    blocks,
)

WORDS = ("the", "gradient", "descent", "-", "resnet", "00")
HIDDEN = 6


def weights(seed: int = 0) -> dict[str, NDArray[np.generic]]:
    rng = np.random.default_rng(seed)
    wide = 8 + 2 * 4 + 3 + NUMBERS

    def whole(rows: int, columns: int) -> NDArray[np.int16]:
        return rng.integers(-300, 300, (rows, columns)).astype(np.int16)

    out: dict[str, NDArray[np.generic]] = {
        "word": rng.integers(-127, 128, (len(WORDS) + 1, 8)).astype(np.int8),
        "prefix": rng.integers(-99, 99, (3000, 4)).astype(np.int16),
        "suffix": rng.integers(-99, 99, (3000, 4)).astype(np.int16),
        "shape": rng.integers(-99, 99, (400, 3)).astype(np.int16),
        "tags.w": whole(2 * HIDDEN, 5),
        "tags.w.scale": np.full(5, 3e-5, np.float32),
        "tags.b": np.zeros(5, np.float32),
        "read.w": rng.normal(size=(6 * HIDDEN, 4)),
        "read.b": np.zeros(4),
        "judge.w": rng.normal(size=(4, 7)),
        "judge.b": np.zeros(7),
    }
    move = np.full((5, 5), -1e4, np.float32)
    for i, j in [*itertools.product((0, 3, 4), (0, 1, 4)), *itertools.product((1, 2), (2, 3))]:
        move[i, j] = rng.normal()
    out["move"] = move
    for layer, side in itertools.product((0, 1), "fb"):
        for kind, rows in (("ih", wide if layer == 0 else 2 * HIDDEN), ("hh", HIDDEN)):
            out[f"l{layer}.{kind}.{side}"] = whole(rows, 4 * HIDDEN)
            out[f"l{layer}.{kind}.{side}.scale"] = np.full(4 * HIDDEN, 4e-5, np.float32)
        out[f"l{layer}.b.{side}"] = rng.normal(size=4 * HIDDEN)
    for name, size in (("choose", choose.FEATURES), ("salient", 18), ("coined", 18)):
        out[f"{name}.w"] = rng.normal(size=size) / 10
        out[f"{name}.b"] = np.array(0.5)
    return out


def record(length: int, seed: int) -> Words:
    rng = np.random.default_rng(seed)
    words = [str(w) for w in rng.choice([*WORDS, "Unseen", "ResNet-50"], length)]
    return Words(tuple(words[: length // 4]), tuple(words[length // 4 :]))


def brute_force(
    scores: NDArray[np.float32], move: NDArray[np.float32]
) -> dict[tuple[int, int], float]:
    """Span probabilities by going over every path."""
    n, total = len(scores), 0.0
    mass: dict[tuple[int, int], float] = {}
    for path in itertools.product(range(5), repeat=n):
        if path[0] in (2, 3) or path[-1] in (1, 2):
            continue
        score = sum(float(scores[i, t]) for i, t in enumerate(path))
        score += sum(float(move[a, b]) for a, b in itertools.pairwise(path))
        if score < -1000:
            continue
        p = float(np.exp(score))
        total += p
        start = 0
        for i, t in enumerate(path):
            if t in (1, 4):
                start = i
            if t in (3, 4):
                mass[start, i + 1] = mass.get((start, i + 1), 0.0) + p
    return {k: v / total for k, v in mass.items()}


def test_span_probabilities_are_those_of_all_paths() -> None:
    net = Network(weights())
    scores = np.random.default_rng(3).normal(size=(6, 5)).astype(np.float32)
    (likely,) = net._decode([scores], np.array([6]))
    expected = {k: v for k, v in brute_force(scores, net._w["move"]).items() if v >= LEAST}
    assert {(s, e): pytest.approx(p, abs=1e-4) for s, e, p in likely} == expected


def test_span_probabilities_do_not_blur_in_a_long_text() -> None:
    net = Network(weights())
    period = np.random.default_rng(5).normal(size=(20, 5)).astype(np.float32) + np.float32(9)
    likely = [net._decode([np.tile(period, (n, 1))], np.array([20 * n]))[0] for n in (10, 1000)]
    middle = [
        {(s - at, e - at): p for s, e, p in spans if at <= s < at + 20}
        for spans, at in zip(likely, (100, 10_000), strict=True)
    ]
    assert middle[0]
    assert middle[1] == {place: pytest.approx(p, abs=1e-6) for place, p in middle[0].items()}


@given(st.lists(st.integers(1, 400) | st.integers(1, 30_000)))
def test_blocks_are_bounded(lengths: list[int]) -> None:
    parts = list(blocks(lengths))
    assert [i for part in parts for i in part] == list(range(len(lengths)))
    for part in parts:
        assert 1 <= len(part) <= BLOCK
        assert len(part) == 1 or sum(lengths[i] for i in part) <= BLOCK_TOKENS


class _Counted(list[float]):
    """Counts how often its items are read."""

    reads = 0

    def __getitem__(self, i: Any) -> Any:
        self.reads += 1
        return super().__getitem__(i)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(-9, 9)), max_size=20))
def test_what_a_record_says_elsewhere(rows: list[tuple[str, float]]) -> None:
    keys, odds = [k for k, _ in rows], [o for _, o in rows]
    for i, (mean, most, least, any_, number) in enumerate(choose._elsewhere(keys, odds)):
        others = [o for j, o in enumerate(odds) if j != i and keys[j] == keys[i]]
        assert any_ == bool(others)
        assert number == pytest.approx(np.log1p(len(others)))
        if others:
            assert mean == pytest.approx(sum(others) / len(others), abs=1e-12)
            assert (most, least) == (max(others), min(others))


def test_a_phrase_said_many_times_takes_linear_time() -> None:
    reads = []
    for n in (1000, 4000):
        odds = _Counted([0.5] * n)
        choose._elsewhere(["same"] * n, odds)
        reads.append(odds.reads)
    assert reads[1] <= 4 * reads[0] + 10


def test_a_record_is_read_alone_as_among_others() -> None:
    words = [record(n, n) for n in (1, 40, 7, 90, 23, 23, 60, 5, *range(30, 70))]
    finder = Finder(WORDS, weights())
    together = list(finder.find(words, 0.0))
    assert any(together)
    assert together == [next(finder.find([w], 0.0)) for w in words]
    assert together[::-1] == list(finder.find(words[::-1], 0.0))


def test_sums_stay_exact() -> None:
    w = weights()
    for name, value in w.items():
        if (".ih." in name or ".hh." in name) and not name.endswith("scale"):
            assert int(np.abs(value.astype(np.int64)).sum(0).max()) * INPUT_MOST < EXACT


def test_empty_records() -> None:
    finder = Finder(WORDS, weights())
    assert list(finder.find([Words((), ()), Words(("a",), ()), Words((), ("b",))], 2.0)) == [()] * 3
    assert list(finder.find([])) == []
    assert finder.judge(Words((), ()), []) == ()


def test_mentions_do_not_overlap_nor_cross_the_separator() -> None:
    finder = Finder(WORDS, weights(4))
    for seed in range(20):
        words = record(60, seed)
        (found,) = finder.find([words], 0.0)
        for a, b in itertools.pairwise(found):
            assert a.end <= b.start
        for f in found:
            assert not f.start <= len(words.title) < f.end
            assert f.end - f.start <= LONGEST
            field, start, end = words.place(f)
            own = words.title if field == "title" else words.abstract
            assert own[start:end] == words.all[f.start : f.end]
            assert SEPARATOR not in own[start:end]


def test_features() -> None:
    features = Features(WORDS)
    e = features.encode(["The", "ResNet"], ["ResNet", "gradient"])
    assert e.rows.shape == (5, 4)
    assert e.numbers.shape == (5, NUMBERS)
    assert list(e.rows[:, 0]) == [1, 5, 0, 5, 2]
    assert e.numbers[3, 1] == 1  # stands in the title, too
    assert normal("ImageNet-1k") == "imagenet-0k"
    assert shape("ResNet-50") == "XxXx-d"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["Gaussian", "processes"], ["gaussian", "process"]),
        (["index", "policies"], ["Index", "policy"]),
        (["few-shot", "learner"], ["few", "-", "shot", "learners"]),
    ],
)
def test_key(one: list[str], other: list[str]) -> None:
    assert choose.key(one) == choose.key(other)


def test_the_surer_of_two_rivals_wins() -> None:
    spans = [
        Found(0, 2, 0.6, (0.0,) * 7),
        Found(1, 3, 0.7, (0.0,) * 7),
        Found(3, 4, 0.2, (0.0,) * 7),
    ]
    found = choose.choose(spans, np.array([0.6, 0.7, 0.2]), 0.4)
    assert [(f.start, f.end) for f in found] == [(1, 3)]
