"""The order of columns: `SELECT *` has them as the query names them, not as the engine does."""

from __future__ import annotations

import re
from collections.abc import Collection

_GAP = r"(?:\s|#[^\n\r]*+)*+"
_ALL = re.compile(rf"SELECT\b{_GAP}(?:(?:DISTINCT|REDUCED)\b{_GAP})?(\*)", re.IGNORECASE)
_VARIABLE = re.compile(r"[?$](\w+)")


def with_columns(query: str, start: int, names: Collection[str]) -> str | None:
    """A query whose `SELECT *` begins at `start`, with its columns in its own order.

    `names` are the columns that it is known to have. None where it names its columns
    already, or where they are not found.
    """
    star = _ALL.match(query, start)
    if star is None:
        return None
    found = dict.fromkeys(_VARIABLE.findall(query, star.end()))
    columns = [name for name in found if name in names]
    if len(columns) != len(names):
        return None
    return f"{query[: star.start(1)]}{' '.join(f'?{c}' for c in columns)}{query[star.end(1) :]}"
