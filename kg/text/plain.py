"""Readable text from source text (TeX, HTML, JATS, MathML), with offsets back to the source.

Linear in the length of the source and without exceptions on any string: a mark that has no
partner or no meaning is text. What commands and tags mean stands in `kg.text.tables`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from kg.text import marks as marking
from kg.text.writer import Group, write

_NEEDS_READING = re.compile(
    r"[\\&<${}~\x00-\x1f\x7f-\x9f\ud800-\udfff]|--|``|''|\s\s|[^\S ]|\A\s|\s\Z"
)


@dataclass(frozen=True, slots=True)
class Plain:
    """Readable text in NFC, one space between words, a line break between paragraphs.

    `starts[i]`, `ends[i]` are the source offsets of what gave character i (code points,
    end exclusive); both are empty where the source is readable as it stands.
    """

    text: str
    source: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    inside: tuple[int, ...] = field(default=(), repr=False)  # innermost group, -1 for none
    groups: tuple[Group, ...] = field(default=(), repr=False)

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The source offsets of text[start:end], widened so that no pair of marks is cut.

        A wrapper around the whole span stays outside, the dollars of a formula come along.
        Raises IndexError unless 0 <= start < end <= len(text).
        """
        if not 0 <= start < end <= len(self.text):
            raise IndexError(f"no span of {len(self.text)} characters: {start}, {end}")
        if not self.starts:
            return start, end
        begin, stop = self.starts[start], self.ends[end - 1]
        left, right = self.inside[start], self.inside[end - 1]
        while left != right:
            if self._depth(left) > self._depth(right):
                begin = min(begin, self.groups[left].start)
                left = self.groups[left].parent
            else:
                stop = max(stop, self.groups[right].end)
                right = self.groups[right].parent
        if left >= 0 and self.groups[left].formula:
            group = self.groups[left]
            rest = self.source[group.inner_start : begin] + self.source[stop : group.inner_end]
            if not rest.strip():
                return group.start, group.end
        return begin, stop

    def _depth(self, group: int) -> int:
        return self.groups[group].depth if group >= 0 else 0


def plain(source: str) -> Plain:
    """What a reader of `source` sees. Never raises; linear in the length of `source`."""
    if not _NEEDS_READING.search(source) and unicodedata.is_normalized("NFC", source):
        return Plain(source, source)
    marks = marking.find(source)
    written = write(source, marks, marking.pair(source, marks))
    return Plain(
        "".join(written.text),
        source,
        tuple(written.starts),
        tuple(written.ends),
        tuple(written.inside),
        tuple(written.groups),
    )
