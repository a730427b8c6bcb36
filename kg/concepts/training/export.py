"""From torch weights to the arrays that `kg.concepts.model.network` reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kg.concepts.model.features import NUMBERS
from kg.concepts.model.network import EXACT, INPUT_MOST, NUMBER_STEPS, STATE_STEPS

if TYPE_CHECKING:
    from torch import Tensor


def export(
    state: Mapping[str, Tensor], word: NDArray[np.int8], scale: NDArray[np.float32]
) -> dict[str, NDArray[np.generic]]:
    """Arrays by name: matrices transposed, gates in the order i, f, o, g.

    The network computes a sigmoid as (tanh(x / 2) + 1) / 2: the halves go into the weights
    of the three sigmoid gates. The strictness of the guide, an input while training, is
    always 1 at run time and goes into the bias.

    What is multiplied many times over is stored as whole numbers, each column with a scale,
    so small that every sum of products stays under 2**24: such sums are exact in single
    precision, whatever order a machine adds them in.
    """

    def get(name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = state[name].detach().numpy().astype(np.float32)
        return values

    out: dict[str, NDArray[np.generic]] = {
        "read.w": get("read.weight").T.astype(np.float16),
        "read.b": get("read.bias"),
        "judge.w": get("judge.weight").T.astype(np.float16),
        "judge.b": get("judge.bias"),
        "tags.b": get("tags.bias"),
    }
    _whole(out, "tags.w", get("tags.weight").T / STATE_STEPS)
    steps_of = [np.full(word.shape[1], float(scale[0]))]  # what one step of each input is worth
    for name in ("prefix", "suffix", "shape"):
        table = get(f"{name}.weight")
        step = float(np.abs(table).max()) / INPUT_MOST
        out[name] = np.round(table / step).astype(np.int16)
        steps_of.append(np.full(table.shape[1], step))
    steps_of.append(np.full(NUMBERS, 1 / NUMBER_STEPS))
    wide = np.concatenate(steps_of)
    layers = sum(1 for name in state if name.startswith("ahead.") and "weight_hh" in name)
    for layer in range(layers):
        for short, side in (("f", "ahead"), ("b", "back")):
            hidden = get(f"{side}.{layer}.weight_hh_l0").shape[1]
            order = np.arange(4 * hidden).reshape(4, hidden)[[0, 1, 3, 2]].ravel()
            half = np.where(np.arange(4 * hidden) < 3 * hidden, 0.5, 1.0).astype(np.float32)
            inputs = get(f"{side}.{layer}.weight_ih_l0")[order] * half[:, None]
            recurrent = get(f"{side}.{layer}.weight_hh_l0")[order] * half[:, None]
            bias = get(f"{side}.{layer}.bias_ih_l0") + get(f"{side}.{layer}.bias_hh_l0")
            bias = bias[order] * half
            if layer == 0:
                bias, inputs = bias + inputs[:, -1], inputs[:, :-1]
            steps = wide if layer == 0 else np.full(inputs.shape[1], 1 / STATE_STEPS)
            _whole(out, f"l{layer}.ih.{short}", inputs.T * steps[:, None])
            _whole(out, f"l{layer}.hh.{short}", recurrent.T / STATE_STEPS)
            out[f"l{layer}.b.{short}"] = bias.astype(np.float32)
    # -10000 and sums with it: out of the question for a path.
    out["move"] = get("move") + get("allowed")
    return {**out, "word": word}


def _whole(out: dict[str, NDArray[np.generic]], name: str, matrix: NDArray[np.floating]) -> None:
    """Stores `matrix` (k, n) as int16 and a scale for each column."""
    most = np.abs(matrix).sum(0) * INPUT_MOST / (EXACT * 0.97)
    scale = np.maximum(np.maximum(most, np.abs(matrix).max(0) / 32767), 1e-12)
    whole = np.round(matrix / scale)
    assert float((np.abs(whole).sum(0) * INPUT_MOST).max()) < EXACT
    out[name] = whole.astype(np.int16)
    out[name + ".scale"] = scale.astype(np.float32)
