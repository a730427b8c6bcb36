"""Reviewing a graph: the pairs that may be one thing and are not, and why pairs are or are not."""

from kg.review.doubts import Doubt, doubts
from kg.review.explain import Explanation, explain, ruling

__all__ = ["Doubt", "Explanation", "doubts", "explain", "ruling"]
