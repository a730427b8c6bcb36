"""The trained network in numpy: BiLSTM states, the best tag path and how sure it is.

A BiLSTM over a CRF (Huang, Xu and Yu 2015, arXiv:1508.01991). Records run in blocks, and a
record's result must not depend on its neighbours in the block. But how a matrix product
rounds depends on its shape. So inputs, states and weights are whole numbers here, held as
floats and so small that no sum of their products reaches 2**24: such sums are exact, in any
order. Scales turn them into what they stand for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from kg.concepts.model.features import Encoded

OUTSIDE, BEGIN, INSIDE, LAST, UNIT = range(5)
EXACT = 2**24  # whole numbers up to here are exact in single precision
INPUT_MOST = 255  # the largest input of a matrix product
STATE_STEPS = 255  # steps of a state between 0 and 1
NUMBER_STEPS = 127  # steps of a numeric feature between 0 and 1
BLOCK = 32  # records that run together
BLOCK_TOKENS = 8192  # that they have together, unless one alone has more
LEAST = 0.05  # probability under which a span is not worth a look
LONGEST = 14  # tokens of a span
_NEVER = np.float32(-1e4)

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """A span of tokens [start, end) with the model's probability of exactly this span."""

    start: int
    end: int
    probability: float
    scores: tuple[float, ...]  # five type scores, salience score, introduced score (logits)


def blocks(lengths: Sequence[int]) -> Iterator[range]:
    """Runs of records that run together, from how many tokens each has."""
    first = tokens = 0
    for i, n in enumerate(lengths):
        if i > first and (i - first == BLOCK or tokens + n > BLOCK_TOKENS):
            yield range(first, i)
            first, tokens = i, 0
        tokens += n
    if lengths:
        yield range(first, len(lengths))


class Network:
    """Weights by name, as `kg.concepts.training` writes them."""

    def __init__(self, weights: Mapping[str, NDArray[np.generic]]) -> None:
        self._threads = ThreadpoolController()
        self._word = weights["word"]
        self._w = {
            name: np.ascontiguousarray(value, dtype=np.float32)
            for name, value in weights.items()
            if name != "word"
        }
        self._hidden = self._w["l0.hh.f"].shape[0]
        self._depth = sum(1 for name in self._w if name.endswith(".hh.f"))
        self._start = np.array([0, 0, _NEVER, _NEVER, 0], dtype=np.float32)
        self._end = np.array([0, _NEVER, _NEVER, 0, 0], dtype=np.float32)

    def __call__(self, records: Sequence[Encoded]) -> Iterator[tuple[Found, ...]]:
        """The spans of every record, in order."""
        for block in blocks([len(r.rows) for r in records]):
            # The products are small: threads would cost more than they bring.
            with self._threads.limit(limits=1, user_api="blas"):
                found = self._block(records[block.start : block.stop])
            yield from found

    def _block(self, records: Sequence[Encoded]) -> list[tuple[Found, ...]]:
        order = sorted(range(len(records)), key=lambda i: -len(records[i].rows))
        lengths = np.array([len(records[i].rows) for i in order])
        states = self._states([records[i] for i in order], lengths)
        scores = [self._product(s, "tags.w") + self._w["tags.b"] for s in states]
        found = [()] * len(records)  # type: list[tuple[Found, ...]]
        paths = self._decode(scores, lengths)
        for k, i in enumerate(order):
            found[i] = self._judge(states[k], paths[k])
        return found

    # -- states -----------------------------------------------------------------------

    def _product(self, whole: Floats, name: str) -> Floats:
        out: Floats = (whole @ self._w[name]) * self._w[name + ".scale"]
        return out

    def _embed(self, record: Encoded) -> Floats:
        """(n, wide) whole numbers."""
        rows, w = record.rows, self._w
        numbers = np.minimum(np.rint(record.numbers * NUMBER_STEPS), INPUT_MOST)
        return np.concatenate(
            (
                self._word[rows[:, 0]].astype(np.float32),
                w["prefix"][rows[:, 1]],
                w["suffix"][rows[:, 2]],
                w["shape"][rows[:, 3]],
                numbers,
            ),
            axis=1,
        )

    def _states(self, records: Sequence[Encoded], lengths: NDArray[np.int64]) -> list[Floats]:
        """A (n, 2h) array for each record; the records come longest first."""
        flat = np.concatenate([self._embed(r) for r in records])
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        active = (lengths[None, :] > np.arange(lengths[0])[:, None]).sum(1)
        for layer in range(self._depth):
            flat = self._layer(layer, flat, starts, active)
        return [flat[s : s + n] for s, n in zip(starts, lengths, strict=True)]

    def _layer(
        self, layer: int, flat: Floats, starts: NDArray[np.int64], active: NDArray[np.int64]
    ) -> Floats:
        h = self._hidden
        out = np.empty((len(flat), 2 * h), dtype=np.float32)
        for side, name in enumerate("fb"):
            gates = self._product(flat, f"l{layer}.ih.{name}")
            gates += self._w[f"l{layer}.b.{name}"]
            step, scale = self._w[f"l{layer}.hh.{name}"], self._w[f"l{layer}.hh.{name}.scale"]
            state = np.zeros((int(active[0]), h), dtype=np.float32)
            cell = np.zeros_like(state)
            times = range(len(active)) if side == 0 else range(len(active) - 1, -1, -1)
            for t in times:
                n = active[t]
                rows = starts[:n] + t
                # Gates in the order input, forget, output, candidate; a sigmoid is
                # (tanh(x / 2) + 1) / 2, and the halves are in the weights.
                x = state[:n] @ step
                x *= scale
                x += gates[rows]
                np.tanh(x, out=x)
                s = x[:, : 3 * h] * np.float32(0.5) + np.float32(0.5)
                c = s[:, h : 2 * h] * cell[:n] + s[:, :h] * x[:, 3 * h :]
                cell[:n] = c
                v = np.rint(s[:, 2 * h :] * np.tanh(c) * np.float32(STATE_STEPS))
                state[:n] = v
                out[rows, side * h : (side + 1) * h] = v
        return out

    # -- decoding ---------------------------------------------------------------------

    def _decode(self, scores: list[Floats], lengths: NDArray[np.int64]) -> list[list[_Likely]]:
        """The likely spans of each record, from forward and backward sums over all paths."""
        move = self._w["move"]
        b, t = len(scores), int(lengths[0])
        # Double: the sums grow with the text, and what is left of their difference is small.
        padded = np.zeros((t, b, 5))
        for i, s in enumerate(scores):
            padded[: len(s), i] = s
        alive = (lengths[None, :] > np.arange(t)[:, None]).sum(1)
        alpha = np.empty((t, b, 5))
        beta = np.empty((t, b, 5))
        alpha[0] = padded[0] + self._start
        for i in range(1, t):
            n = alive[i]
            alpha[i, :n] = _logsumexp(alpha[i - 1, :n, :, None] + move, 1) + padded[i, :n]
        for i in range(t - 1, -1, -1):
            n = alive[i]
            m = alive[i + 1] if i + 1 < t else 0
            beta[i, m:n] = self._end
            if m:
                after = padded[i + 1, :m] + beta[i + 1, :m]
                beta[i, :m] = _logsumexp(move[None] + after[:, None, :], 2)
        out = []
        for i, n in enumerate(lengths):
            total = _logsumexp(alpha[n - 1, i] + self._end, 0)
            out.append(_likely(padded[:n, i], alpha[:n, i] - total, beta[:n, i], move))
        return out

    def _judge(self, states: Floats, spans: list[_Likely]) -> tuple[Found, ...]:
        if not spans:
            return ()
        w = self._w
        first = np.array([s for s, _, _ in spans])
        end = np.array([e for _, e, _ in spans])
        # Sums of whole numbers in double precision are exact, in whatever order.
        sums = np.zeros((len(states) + 1, states.shape[1]))
        np.cumsum(states, axis=0, dtype=np.float64, out=sums[1:])
        mean = ((sums[end] - sums[first]) / (end - first)[:, None]).astype(np.float32)
        x = np.concatenate((states[first], states[end - 1], mean), axis=1) / STATE_STEPS
        scores = np.maximum(x @ w["read.w"] + w["read.b"], 0) @ w["judge.w"] + w["judge.b"]
        return tuple(
            Found(s, e, p, tuple(row))
            for (s, e, p), row in zip(spans, scores.tolist(), strict=True)
        )


_Likely = tuple[int, int, float]


def _likely(scores: Doubles, alpha: Doubles, beta: Doubles, move: Floats) -> list[_Likely]:
    """(start, end, probability) of all spans with at least `LEAST`, by start and end."""
    n = len(scores)
    units = np.exp(np.minimum(alpha[:, UNIT] + beta[:, UNIT], 0))
    out = [(int(s), int(s) + 1, float(units[s])) for s in np.nonzero(units >= LEAST)[0]]
    begun = alpha[:, BEGIN]
    last = scores[:, LAST] + beta[:, LAST]
    for length in range(2, min(LONGEST, n) + 1):
        # begun[s]: BEGIN at s, then INSIDE up to s + length - 2
        here = begun[: n - length + 1]
        inner = move[BEGIN, LAST] if length == 2 else move[INSIDE, LAST]
        p = np.exp(np.minimum(here + inner + last[length - 1 :], 0))
        out += [(int(s), int(s) + length, float(p[s])) for s in np.nonzero(p >= LEAST)[0]]
        step = move[BEGIN, INSIDE] if length == 2 else move[INSIDE, INSIDE]
        begun = begun[: n - length + 1] + step + scores[length - 1 :, INSIDE]
    return sorted(out)


def _logsumexp(x: Doubles, axis: int) -> Doubles:
    top = x.max(axis, keepdims=True)
    out: Doubles = np.log(np.exp(x - top).sum(axis)) + np.squeeze(top, axis)
    return out
