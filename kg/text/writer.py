"""Writes what a reader sees of source text with TeX, HTML, JATS and MathML marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5

from kg.text import tables
from kg.text.compose import compose
from kg.text.marks import Mark

_LETTER = r"\\[ij](?![a-zA-Z])|[^\W\d_]"
_ACCENTED = re.compile(rf"\s{{0,9}}(?:\{{\s{{0,9}}({_LETTER})\s{{0,9}}\}}|({_LETTER}))")
_SCRIPT = re.compile(
    r"\s{0,9}(?:\{((?:[^{}$\\<>^_&]|\\prime|\\circ){1,24})\}"
    r"|(\\prime|\\circ)(?![a-zA-Z])|([^\s{}\\$^_<>&-]))"
)
_SCRIPT_COMMANDS = {"\\prime": "′", "\\circ": "°"}
_TAG_SCRIPT = re.compile(r"([^<>&\\$\s]{1,24})</(?:[a-zA-Z]{1,9}:)?(?:su[bp]|inf)>")
_OPTION = re.compile(r"\s{0,3}\[[^][{}$<\\]{0,200}\]")
_BLANKS = re.compile(r"[^\S\n]{0,9}")
_TAGS = tables.BLOCK_TAGS | tables.INLINE_TAGS | tables.HIDDEN_TAGS
_FRACTIONS = ("frac", "tfrac", "dfrac", "cfrac")
_DEEPEST = 100  # nesting beyond this is damage, not writing


@dataclass(frozen=True, slots=True)
class Group:
    """A pair of marks: where it starts, where its content lies, where it ends (source)."""

    start: int
    inner_start: int
    inner_end: int
    end: int
    parent: int  # index of the group around it, -1 for none
    formula: bool
    depth: int  # from 1


@dataclass(slots=True)
class Written:
    """Characters with the source offsets and the innermost group of each."""

    text: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)


def write(source: str, marks: list[Mark], pairs: dict[int, int]) -> Written:
    """The readable text of `source`, whose `marks` belong together as `pairs` says."""
    writer = _Writer(source, marks, pairs)
    writer.run()
    out = writer.out
    if not unicodedata.is_normalized("NFC", "".join(out.text)):
        rows = compose(list(zip(out.text, out.starts, out.ends, out.inside, strict=True)))
    else:
        rows = list(zip(out.text, out.starts, out.ends, out.inside, strict=True))
    return _tidy(rows, out.groups)


def _tidy(rows: list[tuple[str, int, int, int]], groups: list[Group]) -> Written:
    """One blank between words, the widest of a run, and none at the ends."""
    kept: list[tuple[str, int, int, int]] = []
    for row in rows:
        if row[0] in " \n" and (not kept or kept[-1][0] in " \n"):
            if kept and row[0] == "\n":
                kept[-1] = ("\n", *kept[-1][1:])
            continue
        kept.append(row)
    if kept and kept[-1][0] in " \n":
        kept.pop()
    return Written(
        [row[0] for row in kept],
        [row[1] for row in kept],
        [row[2] for row in kept],
        [row[3] for row in kept],
        groups,
    )


class _Writer:
    def __init__(self, source: str, marks: list[Mark], pairs: dict[int, int]) -> None:
        self.source, self.marks, self.pairs = source, marks, pairs
        self.closers = frozenset(pairs.values())
        self.out = Written()
        self.at = 0  # all of the source before this offset is written
        self.group = -1  # innermost group here
        self.formula = 0  # 1 inside a formula
        self.wrapper: int | None = None  # start of a command whose braces may follow
        self.on_close: dict[int, Callable[[int], None]] = {}  # by index of the closing mark

    def run(self) -> None:
        """Write the whole source."""
        for index, mark in enumerate(self.marks):
            if mark.start() < self.at:
                continue
            self.copy(mark.start())
            self.at = mark.end()
            if mark.group() != "{" and not mark["space"]:
                self.wrapper = None
            if mark["space"]:
                paragraph = mark.group().count("\n") > 1 and not self.formula
                self.put("\n" if paragraph else " ", mark.start(), mark.end())
            elif mark["command"]:
                self.command(index, mark)
            elif mark["sign"]:
                self.sign(index, mark)
            elif mark["tag"]:
                self.tag(index, mark)
            else:
                self.put(_shown(mark), mark.start(), mark.end())
        self.copy(len(self.source))

    def put(self, text: str, start: int, end: int) -> None:
        """Write `text` for source[start:end]."""
        count = len(text)
        self.out.text += text
        self.out.starts += [start] * count
        self.out.ends += [end] * count
        self.out.inside += [self.group] * count

    def copy(self, end: int) -> None:
        """Write the source up to `end` as it stands."""
        if end > self.at:
            self.wrapper = None
            self.out.text += self.source[self.at : end]
            self.out.starts += range(self.at, end)
            self.out.ends += range(self.at + 1, end + 1)
            self.out.inside += [self.group] * (end - self.at)
            self.at = end

    # Pairs of marks

    def open(self, index: int, start: int, formula: bool = False) -> None:
        """Begin the group whose opening mark is at `index`; `start` includes its command."""
        closer = self.marks[self.pairs[index]]
        depth = self.out.groups[self.group].depth + 1 if self.group >= 0 else 1
        if depth <= _DEEPEST:
            inner = self.marks[index].end(), closer.start()
            self.out.groups.append(Group(start, *inner, closer.end(), self.group, formula, depth))
            self.group = len(self.out.groups) - 1
        self.formula = self.formula or formula

    def close(self, index: int) -> bool:
        """End the group whose closing mark is at `index`; False where it is none."""
        end = self.marks[index].end()
        if index not in self.closers or self.group < 0:
            return False
        if self.out.groups[self.group].end != end:
            return False
        if action := self.on_close.pop(index, None):
            action(self.marks[index].start())
        if self.out.groups[self.group].formula:
            self.formula = 0
        self.group = self.out.groups[self.group].parent
        return True

    def sign(self, index: int, mark: Mark) -> None:
        shown, wrapper, self.wrapper = mark.group(), self.wrapper, None
        start, end = mark.span()
        if self.close(index):
            return
        if shown in ("$", "$$") and index in self.pairs:
            self.open(index, start, formula=True)
        elif shown == "{" and index in self.pairs and (wrapper is not None or self.groups(index)):
            self.open(index, start if wrapper is None else wrapper)
        elif shown in ("^", "_") and self.formula:
            self.script(mark)
        elif shown == "~" and self.is_tie(mark):
            self.put(" ", start, end)
        else:
            self.put(shown, start, end)

    def groups(self, index: int) -> bool:
        """Whether braces only group; `{0,1}` in running text is a set."""
        start, end = self.marks[index].end(), self.marks[self.pairs[index]].start()
        inner = self.source[start : min(end, start + 200)]
        if self.formula or not inner or any(c in inner for c in "\\$ "):
            return True
        return (inner[:1].isalpha() and "," not in inner) or not inner.strip("-–")

    def is_tie(self, mark: Mark) -> bool:
        """Whether a tilde ties two words; `~5` and the tilde of a URL do not."""
        before = self.source[max(mark.start() - 1, 0) : mark.start()]
        after = self.source[mark.end() : mark.end() + 1]
        return not (before.isspace() or after.isspace()) and before not in ("", "/", "(")

    # Commands

    def command(self, index: int, mark: Mark) -> None:
        name = mark.group()[1:].rstrip("*") or "*"
        start, end = mark.span()
        if index in self.pairs:
            self.open(index, start, formula=True)
        elif self.close(index) or self.accent(index, name, mark):
            return
        elif name in tables.VANISHING:
            self.at = self.after_arguments(index, most=3)
            self.put(" " if name in ("begin", "end") else "", start, end)
        elif name in tables.SECOND_ARGUMENT:
            self.at = self.after_arguments(index, most=1)
            self.wrapper = start
        elif name in tables.SILENT:
            self.put(" " if name in tables.SPACING else "", start, end)
            self.at = self.skip_blanks(end)
            self.wrapper = start
        elif name in tables.SYMBOLS:
            self.put(tables.SYMBOLS[name], start, end)
            self.join_letter(name, mark)
        elif name in tables.ESCAPES or name.isspace():
            self.put(tables.ESCAPES.get(name, " "), start, end)
        elif name in tables.OPERATORS or not self.has_argument(index):
            self.word(name, mark)
        else:
            self.wrapper = start
            if name in _FRACTIONS:
                self.on_close[self.pairs[index + 1]] = lambda at: self.put("/", at, at)

    def word(self, name: str, mark: Mark) -> None:
        """A command that a reader sees by its name, set off from letters in a formula."""
        if self.formula and self.out.text and self.out.text[-1].isalnum():
            self.put(" ", mark.start(), mark.start())
        self.put(name, mark.start(), mark.end())
        following = self.source[mark.end() : mark.end() + 1]
        if self.formula and following.isalnum():
            self.put(" ", mark.end(), mark.end())

    def has_argument(self, index: int) -> bool:
        """Whether braces follow the command at once."""
        after = index + 1
        return after in self.pairs and self.marks[after].span() == (
            self.marks[index].end(),
            self.marks[index].end() + 1,
        )

    def after_arguments(self, index: int, most: int) -> int:
        """The source offset behind options and up to `most` arguments of a command."""
        end = self.marks[index].end()
        for _ in range(2):
            if option := _OPTION.match(self.source, end):
                end = option.end()
        following = index + 1
        while following < len(self.marks) and self.marks[following].start() < end:
            following += 1
        for _ in range(most):
            if following in self.pairs and self.source.startswith("{", end):
                following = self.pairs[following]
                end = self.marks[following].end()
                following += 1
        return end

    def accent(self, index: int, name: str, mark: Mark) -> bool:
        """An accent on a letter or on what braces hold; False where there is neither."""
        if name not in tables.ACCENTS:
            return False
        accent = tables.ACCENTS[name]
        found = _ACCENTED.match(self.source, mark.end()) if accent else None
        if found:
            letter = (found[1] or found[2]).lstrip("\\")
            composed = unicodedata.normalize("NFC", letter + accent)
            self.put(composed, mark.start(), found.end())
            self.at = found.end()
        elif self.has_argument(index):
            self.wrapper, before = mark.start(), len(self.out.text)

            def set_accent(at: int) -> None:
                if accent and len(self.out.text) == before + 1:
                    self.put(accent, at, at)

            self.on_close[self.pairs[index + 1]] = set_accent
        return bool(found) or self.wrapper is not None or len(name) > 1

    def skip_blanks(self, end: int) -> int:
        found = _BLANKS.match(self.source, end)
        return found.end() if found else end

    def join_letter(self, name: str, mark: Mark) -> None:
        """Of `S\\o ren`, one word, skip the blank that only ends the command."""
        if self.formula or len(name) > 2 or not name.isalpha() or len(self.out.text) < 2:
            return
        after = self.source[mark.end() : mark.end() + 2]
        if after[:1] == " " and after[1:].islower() and self.out.text[-2].isalpha():
            self.at = mark.end() + 1

    # Raised and lowered signs

    def script(self, mark: Mark) -> None:
        """`^2` as ²; what Unicode cannot raise or lower stays with its sign."""
        raised = mark.group() == "^"
        found = _SCRIPT.match(self.source, mark.end())
        content = (found[1] or found[2] or found[3]) if found else ""
        for command, shown in _SCRIPT_COMMANDS.items():
            content = content.replace(command, shown)
        content = " ".join(content.split())
        end = found.end() if found else mark.end()
        if self.shift(content, raised, mark.start(), end):
            return
        if raised and len(content) > 1:
            content = f"({content})"
        self.put(mark.group() + content, mark.start(), end)
        self.at = end

    def shift(self, content: str, raised: bool, start: int, end: int) -> bool:
        """Write `content` in raised or lowered signs, where there are such."""
        table = tables.SUPERSCRIPTS if raised else tables.SUBSCRIPTS
        content = content.replace(" ", "")
        if not content or any(c not in table for c in content):
            return False
        if not raised and len(content) > 1 and not all(c.isdecimal() for c in content):
            return False
        self.put("".join(table[c] for c in content), start, end)
        self.at = end
        return True

    # Tags

    def tag(self, index: int, mark: Mark) -> None:
        name, (start, end) = mark["name"].lower(), mark.span()
        alone = index not in self.pairs and not (mark["close"] or mark.group().endswith("/>"))
        # In a formula "a<b>c" compares.
        if name not in _TAGS or (self.formula and alone):
            self.put(mark.group(), start, end)
            return
        if name in tables.BLOCK_TAGS:
            self.put(" ", start, end)
        if index in self.pairs:
            if name in tables.HIDDEN_TAGS:
                self.at = self.marks[self.pairs[index]].end()
                return
            if name in ("sub", "inf", "sup"):
                found = _TAG_SCRIPT.match(self.source, end)
                if found and self.shift(found[1], name == "sup", start, found.end()):
                    return
            self.open(index, start)
        else:
            self.close(index)


def _shown(mark: Mark) -> str:
    """What a reader sees of a dash, a quote, an entity or half a surrogate pair."""
    shown = mark.group()
    if mark["dash"]:
        return {2: "–", 3: "—"}.get(len(shown), shown)
    if mark["quote"]:
        return "“" if shown == "``" else "”"
    if mark["odd"]:
        return "\N{REPLACEMENT CHARACTER}"
    meant = unescape(shown) if shown.startswith("&#") else html5.get(shown[1:], shown)
    return " " if meant.isspace() or not meant.isprintable() else meant
