"""Marks of TeX, HTML, JATS and MathML in source text, and which of them belong together."""

from __future__ import annotations

import re

MARK = re.compile(
    r"""(?P<command>\\(?:[a-zA-Z]+\*?|[^a-zA-Z\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]))
    |(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)
    |(?P<tag><(?P<close>/?)(?:[a-zA-Z]{1,9}:)?(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,30})
        (?:\s{1,9}[\w:.-]{1,60}\s{0,9}=\s{0,9}(?:"[^"<>]{0,999}"|'[^'<>]{0,999}'))*\s{0,9}/?>)
    |(?P<dash>-{2,})
    |(?P<quote>``|'')
    |(?P<space>[\s\x00-\x1f\x7f-\x9f]+)
    |(?P<odd>[\ud800-\udfff])
    |(?P<sign>\$\$?|[{}~^_])""",
    re.VERBOSE,
)

_DEEPEST = 100  # nesting beyond this is damage, not writing
_LONGEST_FORMULA = 1500  # code points; beyond this a dollar is money
_FORMULA_CLOSERS = {"\\(": "\\)", "\\[": "\\]", "$": "$", "$$": "$$"}

Mark = re.Match[str]


def find(source: str) -> list[Mark]:
    """All marks of a source text in order."""
    return list(MARK.finditer(source))


def pair(source: str, marks: list[Mark]) -> dict[int, int]:
    """Indexes in `marks` of opening marks, each with the index of its closing mark.

    Pairs never cross. Whatever has no partner is left out. Linear in the number of marks.
    """
    formulas = _formulas(source, marks)
    pairs = dict(formulas)
    closers = set(formulas.values())
    outer: list[tuple[str, int]] = []
    stack: list[tuple[str, int]] = []
    for index, mark in enumerate(marks):
        if index in formulas:
            outer, stack = stack, []
        elif index in closers:
            stack = outer
        elif mark.group() == "{":
            stack.append(("{", index))
        elif mark.group() == "}":
            _close("{", index, stack, pairs)
        elif mark["tag"] and not mark.group().endswith("/>"):
            if mark["close"]:
                _close("<" + mark["name"].lower(), index, stack, pairs)
            else:
                stack.append(("<" + mark["name"].lower(), index))
    return pairs


def _close(kind: str, index: int, stack: list[tuple[str, int]], pairs: dict[int, int]) -> None:
    # Looking back a bounded way keeps the whole linear on heaps of unmatched marks.
    for back in range(1, min(len(stack), _DEEPEST) + 1):
        if stack[-back][0] == kind:
            pairs[stack[-back][1]] = index
            del stack[-back:]
            return


def _formulas(source: str, marks: list[Mark]) -> dict[int, int]:
    """Opening marks of formulas with their closing marks."""
    pairs: dict[int, int] = {}
    opener = -1
    for index, mark in enumerate(marks):
        shown = mark.group()
        closes = opener >= 0 and shown == _FORMULA_CLOSERS[marks[opener].group()]
        if closes and _is_formula(source, marks[opener], mark):
            pairs[opener] = index
            opener = -1
        elif shown in _FORMULA_CLOSERS and not (shown == "$$" and opener >= 0):
            opener = index
    return pairs


def _is_formula(source: str, opener: Mark, closer: Mark) -> bool:
    """Whether two marks enclose a formula; `$5 and $10` and `US$ 5` do not."""
    start, end = opener.end(), closer.start()
    if not 0 < end - start <= _LONGEST_FORMULA or "\n\n" in source[start:end]:
        return False
    if opener.group() != "$":
        return True
    if source[closer.end() : closer.end() + 1].isdigit():
        return False
    return source[start].isspace() == source[end - 1].isspace()
