"""The network as torch trains it. `kg.concepts.model.network` runs the same weights in numpy."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kg.concepts.model.features import AFFIX_ROWS, NUMBERS, SHAPE_ROWS
from kg.concepts.model.network import BEGIN, INSIDE, LAST, OUTSIDE, UNIT

TAGS = 5
FORBIDDEN = -1e4
_FRESH, _OPEN = (OUTSIDE, BEGIN, UNIT), (INSIDE, LAST)
_AFTER = {OUTSIDE: _FRESH, BEGIN: _OPEN, INSIDE: _OPEN, LAST: _FRESH, UNIT: _FRESH}


def allowed() -> NDArray[np.float32]:
    """(5, 5) penalties for tag i followed by tag j."""
    out = np.full((TAGS, TAGS), FORBIDDEN, dtype=np.float32)
    for i, followers in _AFTER.items():
        out[i, list(followers)] = 0.0
    return out


class Network(nn.Module):
    """Embeddings → BiLSTM → a CRF over BILOU tags, and heads that read spans."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        hidden: int,
        layers: int,
        dropout: float,
        affix: int = 32,
        shape: int = 24,
    ) -> None:
        super().__init__()
        self.hidden = hidden
        self.word = nn.Embedding(vectors.shape[0], vectors.shape[1])
        self.word.weight = nn.Parameter(torch.from_numpy(vectors), requires_grad=False)
        self.prefix = nn.Embedding(AFFIX_ROWS, affix)
        self.suffix = nn.Embedding(AFFIX_ROWS, affix)
        self.shape = nn.Embedding(SHAPE_ROWS, shape)
        for e in (self.prefix, self.suffix, self.shape):
            nn.init.normal_(e.weight, std=0.1)
        wide = (
            vectors.shape[1] + 2 * affix + shape + NUMBERS + 1
        )  # the last: how strict the guide was
        self.ahead, self.back = (
            nn.ModuleList(
                nn.LSTM(wide if i == 0 else 2 * hidden, hidden, batch_first=True)
                for i in range(layers)
            )
            for _ in range(2)
        )
        self.tags = nn.Linear(2 * hidden, TAGS)
        self.move = nn.Parameter(torch.zeros(TAGS, TAGS))
        self.allowed = nn.Parameter(torch.from_numpy(allowed()), requires_grad=False)
        self.read = nn.Linear(6 * hidden, 96)
        self.judge = nn.Linear(96, 7)  # five types, salient, introduced
        self.dropout = dropout

    def _locked(self, x: Tensor, p: float) -> Tensor:
        if not self.training or p == 0:
            return x
        mask = x.new_empty(x.shape[0], 1, x.shape[2]).bernoulli_(1 - p) / (1 - p)
        return x * mask

    def embed(self, rows: Tensor, numbers: Tensor, dropout: float) -> Tensor:
        """(b, t, 4) rows and (b, t, k) numbers → (b, t, wide) inputs of the first layer."""
        word = rows[..., 0]
        if self.training:
            word = word * (torch.rand(word.shape) > 0.05)
        x = torch.cat(
            (
                self.word(word),
                self.prefix(rows[..., 1]),
                self.suffix(rows[..., 2]),
                self.shape(rows[..., 3]),
            ),
            -1,
        )
        return torch.cat((self._locked(x, dropout), numbers), -1)

    def encode(self, rows: Tensor, numbers: Tensor, lengths: Tensor) -> Tensor:
        """(b, t, 4) rows, (b, t, k) numbers, (b,) lengths → (b, t, 2h) states."""
        x = self.embed(rows, numbers, self.dropout * 0.6)
        # Packed sequences are ten times slower on a CPU: reverse each record in its own length.
        at = torch.arange(rows.shape[1])[None]
        turn = torch.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)[..., None]
        for ahead, back in zip(self.ahead, self.back, strict=True):
            reverse = back(x.gather(1, turn.expand_as(x)))[0]
            y = torch.cat((ahead(x)[0], reverse.gather(1, turn.expand_as(reverse))), -1)
            x = self._locked(y, self.dropout)
        return x

    def crf(self, states: Tensor, gold: Tensor, lengths: Tensor) -> Tensor:
        """Sum of negative log likelihoods of the (b, t) gold tags."""
        scores = self.tags(states)
        move = self.move + self.allowed
        t = scores.shape[1]
        inside = torch.arange(t)[None] < lengths[:, None]
        path = scores.gather(2, gold[..., None])[..., 0]
        path[:, 1:] = path[:, 1:] + move[gold[:, :-1], gold[:, 1:]]
        path = (path * inside).sum()
        start = torch.zeros(TAGS)
        start[INSIDE] = start[LAST] = FORBIDDEN
        end = torch.zeros(TAGS)
        end[BEGIN] = end[INSIDE] = FORBIDDEN
        alpha = scores[:, 0] + start
        for i in range(1, t):
            new = torch.logsumexp(alpha[:, :, None] + move, 1) + scores[:, i]
            alpha = torch.where(inside[:, i, None], new, alpha)
        loss: Tensor = torch.logsumexp(alpha + end, 1).sum() - path
        return loss

    def spans(self, states: Tensor, where: Tensor, start: Tensor, end: Tensor) -> Tensor:
        """(n,) record index, start and end (exclusive) of spans → (n, 7) scores."""
        total = torch.cat(
            (states.new_zeros(states.shape[0], 1, states.shape[2]), states.cumsum(1)), 1
        )
        mean = (total[where, end] - total[where, start]) / (end - start)[:, None]
        x = torch.cat((states[where, start], states[where, end - 1], mean), 1)
        inner = torch.relu(self.read(x))
        scores: Tensor = self.judge(nn.functional.dropout(inner, self.dropout, self.training))
        return scores
