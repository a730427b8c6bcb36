"""kg builds a knowledge graph of the scientific literature from titles and abstracts."""

from __future__ import annotations

__version__ = "0.1.0"
