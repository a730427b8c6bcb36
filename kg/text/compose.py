"""Canonical composition (NFC) of characters that carry source offsets."""

from __future__ import annotations

import unicodedata

Row = tuple[str, int, int, int]  # character, source start, source end, group


def compose(rows: list[Row]) -> list[Row]:
    """The rows in NFC; a composed character spans all the source that it came from."""
    composed: list[Row] = []
    cluster: list[Row] = []
    for row in rows:
        if cluster and not _joins(cluster, row[0]):
            composed += _compose_cluster(cluster)
            cluster = []
        cluster.append(row)
    return composed + _compose_cluster(cluster)


def _joins(cluster: list[Row], c: str) -> bool:
    """Whether `c` may compose with what stands before it."""
    if c.isascii():
        return False
    if unicodedata.combining(c):
        return True
    # Starters that compose with a starter before them (Hangul, some Indic vowel signs).
    last = cluster[-1][0]
    return len(unicodedata.normalize("NFC", last + c)) < len(last + c) or (
        len(cluster) > 1 and "\u1100" <= cluster[0][0] <= "\u1112" and "\u11a8" <= c <= "\u11c2"
    )


def _compose_cluster(cluster: list[Row]) -> list[Row]:
    before = "".join(row[0] for row in cluster)
    after = unicodedata.normalize("NFC", before)
    if len(after) == len(before):
        return [(c, *row[1:]) for c, row in zip(after, cluster, strict=True)]
    start, end, group = cluster[0][1], cluster[-1][2], cluster[0][3]
    return [(c, start, end, group) for c in after]
