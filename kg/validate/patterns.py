r"""Regular expressions of XPath, which SHACL has, as those of Python.

Most are the same in both. Python does not know the categories of Unicode (\p{L}), the characters
of XML's names (\i and \c) and classes without some of their characters ([a-z-[aeiou]]). These are
written as what Python has for them.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import groupby

_CATEGORY = re.compile(r"\{(\w+)\}")
_POSIX = re.compile(r"\[([:.=])\^?\w+\1\]")  # [:alpha:], where it stands in a class
_FLAGS = {"s": re.DOTALL, "m": re.MULTILINE, "i": re.IGNORECASE}
_SPACES = (" ", "\t", "\n", "\r")
_DEEPEST = 8  # classes in classes
# The characters that names in XML begin with (\i), and what may stand in them besides (\c).
_FIRST = (
    *((0x3A, 0x3A), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6)),
    *((0xF8, 0x2FF), (0x370, 0x37D), (0x37F, 0x1FFF), (0x200C, 0x200D), (0x2070, 0x218F)),
    *((0x2C00, 0x2FEF), (0x3001, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFFD)),
    *((0x10000, 0xEFFFF),),
)
_INSIDE = ((0x2D, 0x2E), (0x30, 0x39), (0xB7, 0xB7), (0x300, 0x36F), (0x203F, 0x2040))

Spans = tuple[tuple[int, int], ...]  # of code points, the last ones included


class PatternError(ValueError):
    """A regular expression that kg does not know; the message says which part of it."""


def compiled(pattern: str, flags: str = "") -> re.Pattern[str]:
    """A regular expression of XPath with its flags, of "smixq", to search with.

    Raises PatternError as `translated` does, and re.error for what is no regular expression.
    """
    # With "q" there is nothing in the text that stands for something else.
    text = re.escape(pattern) if "q" in flags else translated(pattern, spaced="x" in flags)
    number = sum(known for flag, known in _FLAGS.items() if flag in flags)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a "[" in a class
            return re.compile(text, number)
    except re.error as error:
        # The place in another text than the one that was given helps no one.
        raise (error if text == pattern else re.error(error.msg)) from error
    except (RecursionError, OverflowError) as error:
        raise re.error(str(error)) from error


def translated(pattern: str, spaced: bool = False) -> str:
    r"""A regular expression of XPath as Python's; the same text where Python has all that is in it.

    Categories are those of the Unicode that Python knows. As in XPath, they stay what they are
    where case does not count. Where it is `spaced`, white space counts in classes alone. Raises
    PatternError for what kg does not know, as \p{IsGreek}.
    """
    return "".join(text for text in _Reader(pattern).read() if not (spaced and text in _SPACES))


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._classes: dict[int, tuple[str, int] | None] = {}

    def read(self) -> Iterator[str]:
        at = 0
        while at < len(self._pattern):
            start, text = at, self._pattern[at]
            found = self._class(at, 0) if text == "[" else None
            if found:
                text, at = found
            elif text == "\\":
                spans, at = self._escape(at)
                text = self._pattern[start:at] if spans is None else _one_of(spans)
            else:
                at += 1
            yield text

    def _escape(self, at: int) -> tuple[Spans | None, int]:
        """The characters that a backslash stands for, where Python does not know, and its end."""
        letter, end = self._pattern[at + 1 : at + 2], at + 2
        if letter in ("i", "I", "c", "C"):
            spans: Spans = _FIRST if letter in "iI" else (*_FIRST, *_INSIDE)
        elif letter in ("p", "P"):
            named = _CATEGORY.match(self._pattern, end)
            if named is None:
                raise PatternError(
                    f"after \\{letter} there must be a category, as in \\{letter}{{L}}"
                )
            spans, end = category(named[1]), named.end()
            if not spans:
                raise PatternError(
                    f"kg does not know \\{letter}{{{named[1]}}}, only the general categories of"
                    r" Unicode, as \p{L} and \p{Lu}"
                )
        else:
            return None, end
        return _others(spans) if letter.isupper() else spans, end

    def _class(self, start: int, depth: int) -> tuple[str, int] | None:
        """A class, [...], as Python has it, and its end; None for one without an end."""
        if depth > _DEEPEST:
            raise PatternError(f"classes stand in classes more than {_DEEPEST} deep")
        if start not in self._classes:
            self._classes[start] = self._read_class(start, depth)
        return self._classes[start]

    def _read_class(self, start: int, depth: int) -> tuple[str, int] | None:
        pattern, at = self._pattern, start + 1
        negated = pattern.startswith("^", at)
        first = at = at + negated
        plain: list[str] = []  # what Python knows
        named: list[tuple[int, int]] = []  # what it does not
        without = ""
        bare = False  # whether what stood before was a category, with which no range begins
        while at < len(pattern):
            sign, end = pattern[at], at + 1
            if sign == "]" and at > first:
                break
            spans: Spans | None = None
            if sign == "\\":
                spans, end = self._escape(at)
            elif sign == "-" and pattern.startswith("[", end) and at > first:
                inner = self._class(end, depth + 1)
                if inner and pattern.startswith("]", inner[1]):
                    without, at = inner
                    break
            elif sign == "[" and _POSIX.match(pattern, at):
                name = _POSIX.match(pattern, at)
                raise PatternError(
                    f"there is no {name and name[0]} in regular expressions of XPath; there are"
                    r" categories, as \p{L} for letters and \p{Nd} for digits"
                )
            if spans is not None:
                if plain and plain[-1] == "-":
                    plain[-1] = r"\-"
                named += spans
            elif sign == "-" and bare:
                plain.append(r"\-")
            else:
                plain.append(pattern[at:end])
            bare, at = spans is not None, end
        else:
            return None
        text = _either("".join(plain), tuple(named), negated)
        return (f"(?:(?!{without}){text})" if without else text), at + 1


def _either(plain: str, named: Spans, negated: bool) -> str:
    """A class of what Python knows and of spans of characters."""
    if not named:
        return f"[{'^' * negated}{plain}]"
    if not plain:
        return _one_of(named, negated)
    plain = f"\\{plain}" if plain.startswith("^") else plain
    # To look ahead and then to take any character is to try each character once: with two
    # choices that share characters, texts that do not fit would be tried in all combinations.
    return f"(?:(?{'!' if negated else '='}[{plain}]|{_one_of(named)})[\\s\\S])"


@cache
def _one_of(spans: Spans, negated: bool = False) -> str:
    """A class of some characters, those alone also where case does not count."""
    members = "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in spans)
    return f"(?-i:[{'^' * negated}{members}])"


def _others(spans: Spans) -> Spans:
    """All other characters."""
    found, next_one = [], 0
    for start, end in sorted(spans):
        if start > next_one:
            found.append((next_one, start - 1))
        next_one = end + 1
    return (*found, (next_one, sys.maxunicode)) if next_one <= sys.maxunicode else tuple(found)


@cache
def category(name: str) -> Spans:
    """The characters of a general category of Unicode, as "Lu", or "L" for all that begin so."""
    found = [
        span for one, spans in _categories().items() if name in (one, one[0]) for span in spans
    ]
    return tuple(sorted(found))


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    points = range(sys.maxunicode + 1)
    for name, members in groupby(points, lambda point: unicodedata.category(chr(point))):
        spans = list(members)
        found.setdefault(name, []).append((spans[0], spans[-1]))
    return found
