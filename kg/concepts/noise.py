"""What looks like a name and is none: addresses, relations, units, venues, halves."""

from __future__ import annotations

import re

from kg.concepts.words import words

# Pictures, with what joins and styles them; for a class of a regular expression.
_OLD_EMOJI = "\u2614\u2615\u26a0-\u26ff\u2702-\u2712\u2728\u2753-\u2764\u2b50"
EMOJI = f"\u200d\ufe0f{_OLD_EMOJI}\U0001f000-\U0001faff"
_EMOJI = re.compile(f"[{EMOJI}\\s]+")
_RELATION = re.compile("[<>=]")
_ADDRESS = re.compile(r"https?:|www\.|@[\w-]+\.|\w\.(?:com|org|edu|net|io)\b", re.IGNORECASE)
# A mailbox without dots: "user@host", not "pass@k" or "recall@top5".
_MAILBOX = re.compile(r"\w@(?!all|any|avg|max|top)[a-z]{3}")
_COUNTED = re.compile(
    r"(?:fig(?:ure)?|tab(?:le)?|sec(?:tion)?|eq(?:uation)?|page|chapter|appendix|algorithm|theorem"
    r"|lemma|proposition|corollary|conjecture|definition|assumption|remark|example)s?[. ] ?"
    r"\d+(?:\.\d+)*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"\w(?:[^\w\s]\w)*")


def is_noise(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] names no concept, whatever a model makes of it."""
    name = text[start:end]
    cut = _inside_word(text, start) or _inside_word(text, end)
    return (
        cut
        or not any(map(str.isalpha, name))
        or not _closed(name)
        or _RELATION.search(name) is not None
        or _ADDRESS.search(name) is not None
        or _MAILBOX.search(_unbroken(text, start, end)) is not None
        or _COUNTED.fullmatch(name) is not None
        or (_SIGN.fullmatch(name) is not None and name not in ("C", "R"))
        or name.lower() in words("venues")
        or name.lower() in words("units")
    )


def without_emoji(text: str, start: int, end: int) -> tuple[int, int]:
    """The place of a name without the emoji around it; none is left of nothing but emoji."""
    before = _EMOJI.match(text, start, end)
    start = before.end() if before else start
    while start < end and _EMOJI.match(text, end - 1, end):
        end -= 1
    return start, end


def with_partners(text: str, start: int, end: int) -> tuple[int, int]:
    """The place of a name that has one of two quotes or brackets, where the other is near.

    The other one is taken in where it is next to the name; a bracket that closes nothing is
    left out at the end. "LoRA) model" stays as it is: that is two names.
    """
    name = text[start:end]
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if name.count('"') % 2:
        return (start, end + 1) if after == '"' else (start - (before == '"'), end)
    for left, right in ("“”", "‘’", "()", "[]"):
        more = name.count(left) - name.count(right)
        if more > 0 and after == right:
            return start, end + 1
        if more < 0 and right in ")]" and name.endswith(right):
            return start, end - 1
        if more < 0 and before == left and not (right in ")]" and f"{right} " in name):
            return start - 1, end
    return start, end


def _closed(name: str) -> bool:
    """Whether no bracket or quote of a name lacks its partner; ’ may be an apostrophe."""
    return (
        name.count("{") == name.count("}")
        and name.count("(") + name.count("[") == name.count(")") + name.count("]")
        and (name.count("“") + name.count("”")) % 2 == 0
        and name.count("‘") <= name.count("’")
        and name.count('"') % 2 == 0
    )


def _unbroken(text: str, start: int, end: int) -> str:
    """text[start:end] with what is glued to it, at most 64 characters on each side."""
    before, after = text[max(start - 64, 0) : start], text[end : end + 64]
    if before[-1:].strip():
        start -= len(before.split()[-1])
    if after[:1].strip():
        end += len(after.split()[0])
    return text[start:end]


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
