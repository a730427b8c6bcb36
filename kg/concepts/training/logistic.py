"""Logistic regression with a little ridge, by Newton's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def fit(features: Array, labels: NDArray[np.bool_], ridge: float = 1.0) -> tuple[Array, float]:
    """Weights (k,) and bias for (n, k) features and (n,) labels; columns need no scaling."""
    mean, spread = features.mean(0), features.std(0)
    spread[spread < 1e-9] = 1.0
    x = np.hstack([(features - mean) / spread, np.ones((len(features), 1))])
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 1e-6
    weight = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ weight, -40, 40)))
        slope = x.T @ (labels - p) - penalty * weight
        curve = (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weight += step
        if float(np.abs(step).max()) < 1e-8:
            break
    scaled = weight[:-1] / spread
    return scaled, float(weight[-1] - mean @ scaled)
