"""Trains the network on annotated records, with averaged weights."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kg.concepts.model.features import Encoded
from kg.concepts.model.network import BEGIN, INSIDE, LAST, OUTSIDE, UNIT
from kg.concepts.training.gold import Span
from kg.concepts.training.net import Network

State = Mapping[str, Tensor]
Report = Callable[[int, float, float, State], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a network looks and how it learns; the numbers won on the held-out records."""

    hidden: int = 192
    layers: int = 2
    dropout: float = 0.35
    epochs: int = 9
    rate: float = 2e-3
    batch_tokens: int = 3000
    decay: float = 0.995  # of the running average of the weights
    judge: float = 0.5  # weight of types, salience and novelty against spans
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """A record to learn from. `strict` is 0 for gold made under the looser early guide."""

    encoded: Encoded
    spans: tuple[Span, ...]
    strict: float = 1.0


def tags(n: int, spans: Sequence[Span]) -> NDArray[np.int64]:
    """The BILOU tags of n tokens."""
    out = np.full(n, OUTSIDE, dtype=np.int64)
    for s in spans:
        if s.end - s.start == 1:
            out[s.start] = UNIT
        else:
            out[s.start : s.end] = INSIDE
            out[s.start] = BEGIN
            out[s.end - 1] = LAST
    return out


def batches(lengths: Sequence[int], tokens: int, rng: random.Random) -> list[list[int]]:
    """Indexes grouped by like length, padded size at most `tokens`, groups in random order."""
    order = sorted(range(len(lengths)), key=lambda i: lengths[i] + rng.random() * 40)
    out: list[list[int]] = []
    batch: list[int] = []
    longest = 0
    for i in order:
        longest = max(longest, lengths[i])
        if batch and (len(batch) + 1) * longest > tokens:
            out.append(batch)
            batch, longest = [], lengths[i]
        batch.append(i)
    out.append(batch)
    rng.shuffle(out)
    return out


def pad(
    encoded: Sequence[Encoded], strict: Sequence[float] | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """(b, t, 4) rows, (b, t, k + 1) numbers with the strictness last, and (b,) lengths."""
    n = max(len(e.rows) for e in encoded)
    rows = np.zeros((len(encoded), n, 4), dtype=np.int64)
    wide = encoded[0].numbers.shape[1] + 1
    numbers = np.zeros((len(encoded), n, wide), dtype=np.float32)
    for i, e in enumerate(encoded):
        rows[i, : len(e.rows)] = e.rows
        numbers[i, : len(e.rows), :-1] = e.numbers
        numbers[i, :, -1] = 1.0 if strict is None else strict[i]
    lengths = torch.tensor([len(e.rows) for e in encoded])
    return torch.from_numpy(rows), torch.from_numpy(numbers), lengths


def fit(
    samples: Sequence[Sample],
    vectors: NDArray[np.float32],
    settings: Settings,
    start: State | None = None,
    report: Report | None = None,
) -> Network:
    """A trained network, weights averaged over the last steps; `start` may hold first weights.

    Deterministic given the settings, the samples' order and the torch build.
    """
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    rng = random.Random(settings.seed)
    net = Network(vectors, settings.hidden, settings.layers, settings.dropout)
    if start is not None:
        net.load_state_dict(dict(start))
    lengths = [len(s.encoded.rows) for s in samples]
    parameters = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        parameters, lr=settings.rate, weight_decay=0.01, betas=(0.9, 0.99)
    )
    planned = len(batches(lengths, settings.batch_tokens, random.Random(0)))
    steps = settings.epochs * planned + 1
    warm = max(steps // 20, 1)
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / warm, max(0.02, 1 - (s - warm) / (steps - warm)))
    )
    average = {k: v.clone() for k, v in net.state_dict().items()}
    step = 0
    for epoch in range(settings.epochs):
        net.train()
        began, total = time.monotonic(), 0.0
        for batch in batches(lengths, settings.batch_tokens, rng):
            loss = _loss(net, [samples[i] for i in batch], settings.judge) / 100
            optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(parameters, 5.0)
            optimizer.step()
            plan.step()
            step += 1
            total += loss.item()
            _average(average, net, min(settings.decay, (1 + step) / (10 + step)))
        if report is not None:
            report(epoch, total, time.monotonic() - began, average)
    net.load_state_dict(average)
    net.eval()
    return net


def _loss(net: Network, batch: Sequence[Sample], judge: float) -> Tensor:
    rows, numbers, lengths = pad([s.encoded for s in batch], [s.strict for s in batch])
    target = torch.zeros(rows.shape[:2], dtype=torch.long)
    for k, s in enumerate(batch):
        target[k, : len(s.encoded.rows)] = torch.from_numpy(tags(len(s.encoded.rows), s.spans))
    states = net.encode(rows, numbers, lengths)
    loss = net.crf(states, target, lengths)
    spans = [(k, s) for k, sample in enumerate(batch) for s in sample.spans]
    if not spans:
        return loss
    where = torch.tensor([[k, s.start, s.end] for k, s in spans])
    scores = net.spans(states, where[:, 0], where[:, 1], where[:, 2])
    types = torch.tensor([s.type for _, s in spans])
    flags = torch.tensor([[s.salience == 2, s.introduced] for _, s in spans], dtype=torch.float32)
    functional = torch.nn.functional
    return loss + judge * (
        functional.cross_entropy(scores[:, :5], types, reduction="sum")
        + functional.binary_cross_entropy_with_logits(scores[:, 5:], flags, reduction="sum")
    )


@torch.no_grad()
def _average(average: dict[str, Tensor], net: Network, keep: float) -> None:
    for name, value in net.state_dict().items():
        if name != "word.weight" and value.is_floating_point():
            average[name].lerp_(value, 1 - keep)
