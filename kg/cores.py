"""How many processors there are to work with."""

from __future__ import annotations

import os


def cores() -> int:
    """The processors that this process may use; 1 or more."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # as on macOS, which does not say which ones
        return os.cpu_count() or 1
