"""Teaches the first layer the language of abstracts, before it sees any annotation.

Both directions learn to predict the neighbouring word (as in Peters et al. 2017,
arXiv:1705.00108), by a softmax over the true word and a sample of others. The word vectors
serve as output embeddings and stay as they are.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kg.concepts.model.features import Encoded
from kg.concepts.training.net import Network
from kg.concepts.training.train import batches, pad

Floats = NDArray[np.float32]
Report = Callable[[int, float, float], None]
RATE = 3e-3
SAMPLE = 800  # words among which the true one is to be found
CHUNK = 4096  # records that are sorted by length together


def groups(records: Iterable[Encoded], tokens: int, rng: random.Random) -> Iterator[list[Encoded]]:
    """Batches of like length, in the order in which the records come."""
    chunk: list[Encoded] = []

    def cut() -> Iterator[list[Encoded]]:
        for batch in batches([len(e.rows) for e in chunk], tokens, rng):
            yield [chunk[i] for i in batch]

    for record in records:
        chunk.append(record)
        if len(chunk) == CHUNK:
            yield from cut()
            chunk = []
    if chunk:
        yield from cut()


def pretrain(
    net: Network,
    records: Iterable[Encoded],
    counts: Floats,
    seed: int,
    steps: int,
    tokens: int,
    report: Report,
) -> None:
    """One pass over `records`; `counts[i]` is how often row i occurs (row 0 unknown).

    `steps` is about how many batches of `tokens` tokens there are: the rate falls towards it.
    Changes the first layer and the embeddings of `net` but those of words.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = random.Random(seed)
    guess = _Guess(net, counts, seed)
    own = (net.ahead[0], net.back[0], net.prefix, net.suffix, net.shape, guess)
    parameters = [p for module in own for p in module.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=RATE, betas=(0.9, 0.99))
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / 100, max(0.05, 1 - s / steps))
    )
    net.train()
    began, losses = time.monotonic(), [0.0]
    for step, batch in enumerate(groups(records, tokens, rng)):
        rows, numbers, lengths = pad(batch)
        x = net.embed(rows, numbers, 0.1)
        at = torch.arange(rows.shape[1])[None]
        inside = at < lengths[:, None]
        turn = torch.where(inside, lengths[:, None] - 1 - at, at)
        backwards = x.gather(1, turn[..., None].expand_as(x))
        word = rows[..., 0]
        loss = guess(0, net.ahead[0](x)[0], word, inside)
        loss = loss + guess(1, net.back[0](backwards)[0], word.gather(1, turn), inside)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        plan.step()
        losses.append(loss.item() / 2)
        if step % 100 == 99:
            report(step, sum(losses[-100:]) / 100, time.monotonic() - began)


class _Guess(nn.Module):
    """The loss of guessing the next word from a state, among a sample of words."""

    def __init__(self, net: Network, counts: Floats, seed: int) -> None:
        super().__init__()
        self._vectors = net.word.weight.detach()
        wide, hidden = self._vectors.shape[1], net.hidden
        self.out = nn.ModuleList(nn.Linear(hidden, wide) for _ in range(2))
        self.bias = nn.Parameter(torch.from_numpy(np.log(np.maximum(counts, 1)) * np.float32(0.5)))
        share = counts.astype(np.float64) ** 0.75
        share[0] = 0
        share /= share.sum()
        self._log_share = torch.from_numpy(np.log(np.maximum(share, 1e-12)).astype(np.float32))
        self._sums = np.cumsum(share)
        self._random = np.random.default_rng(seed)

    def forward(self, side: int, states: Tensor, words: Tensor, inside: Tensor) -> Tensor:
        """Mean loss of (b, t, h) states against the (b, t) words; each guesses its successor."""
        drawn = np.searchsorted(self._sums, self._random.random(SAMPLE))
        other = torch.from_numpy(drawn.clip(1, len(self._sums) - 1))
        use = inside[:, 1:] & (words[:, 1:] > 0)
        h = self.out[side](nn.functional.dropout(states[:, :-1][use], 0.1))
        true = words[:, 1:][use]
        score = (h * self._vectors[true]).sum(1) + self.bias[true] - self._log_share[true]
        rest = h @ self._vectors[other].T + (self.bias[other] - self._log_share[other])
        rest = rest.masked_fill(true[:, None] == other[None], -1e4)
        loss: Tensor = (torch.logsumexp(torch.cat((score[:, None], rest), 1), 1) - score).mean()
        return loss
