"""What the graph held before it was last built: the generation that still lies on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from pyoxigraph import NamedNode, Store


class Former:
    """The generation before the current one, opened when it is first asked for."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._lock = Lock()
        self._path: Path | None = None
        self._store: Store | None = None

    async def knew(self, iris: Sequence[NamedNode]) -> bool:
        """Whether it said anything of one of these; False where there is none."""
        return await asyncio.to_thread(self._knew, iris)

    def _knew(self, iris: Sequence[NamedNode]) -> bool:
        with self._lock:
            # A build may clear it away at any time.
            try:
                path = self._before()
                if path != self._path:
                    self._path, self._store = path, None
                    self._store = Store.read_only(str(path)) if path else None
                store = self._store
                return store is not None and any(
                    True for iri in iris for _ in store.quads_for_pattern(iri, None, None)
                )
            except (OSError, RuntimeError, ValueError):
                return False

    def _before(self) -> Path | None:
        current = (self._graph / "CURRENT").read_text(encoding="ascii").strip()
        names = sorted(
            entry.name
            for entry in (self._graph / "generations").iterdir()
            if entry.name.isdigit() and entry.name < current
        )
        return self._graph / "generations" / names[-1] if names else None
