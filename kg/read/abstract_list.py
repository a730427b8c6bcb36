"""A bare list of abstracts: one a paragraph, with stray lines between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kg.model import Note, Record, Rejection, Source
from kg.read.lines import Block

NAME = "abstract-list"

# What authors write into the comments field of a submission, and what copying leaves behind.
_REMARK = re.compile(
    r"""\(?\s*(?:
        \d+\s*(?:\+\s*\d+\s*)?(?:pages?|pp\b|figures?|tables?)
      | (?:to\s+)?(?:appear|be\s+published|be\s+presented)\b
      | (?:accepted|submitted|published|presented|under\s+review|in\s+proceedings|in\s+proc\.)\b
      | (?:preprint|draft|work\s+in\s+progress|extended\s+(?:abstract|version)|withdrawn)\b
      | (?:code|data|project|source)\b.{0,40}\b(?:available|at|:)
      | (?:v|ver\.?|version)\s*\d
      | (?:page|p\.)\s*\d+
      | (?:comments?|keywords?|subjects?|abstract|references|doi|arxiv|https?)\b\s*:?
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def read(source: Source, path: str, blocks: Iterator[Block]) -> Iterator[Record | Note | Rejection]:
    """Turn paragraphs into records without a title, and stray lines into notes."""
    for position, block in enumerate(blocks, 1):
        if block.fault:
            yield Rejection(path, block.fault_line, block.fault, block.text[:200])
        elif is_abstract(block.text):
            yield Record(source, position, block.line, block.text, abstract=block.text)
        else:
            yield Note(source, position, block.line, block.text)


def is_abstract(text: str) -> bool:
    """Whether a paragraph is an abstract and no stray line.

    An abstract is a sentence at least. Remarks such as "5 pages" or "Accepted at ICASSP 2025"
    are known by how they begin and by being short; anything of under six words is too little.
    Scripts without spaces count two characters for a word.
    """
    words = len(text.split()) + len(_CJK.findall(text)) // 2
    if _REMARK.match(text):
        return words >= 30
    return words >= 20 or (words >= 6 and text.rstrip().endswith((".", "!", "?", "。", "．")))
