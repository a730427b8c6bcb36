"""Source text of titles and abstracts: readable form, offsets back to the source, folding."""

from __future__ import annotations

from kg.text.fold import fold
from kg.text.plain import Plain, plain

__all__ = ["Plain", "fold", "plain"]
