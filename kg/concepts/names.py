"""Names of concepts: a readable label, and the folded key that the concept is known by.

All functions are deterministic and idempotent; `key(label(name)) == key(name)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from kg.concepts.words import table, words
from kg.text import plain

_DASHES = re.compile("[\u00ad\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]")
# Not part of a name: a dollar without partner, quotes, signs of no width.
_UNSEEN = re.compile('[$“”"\u200b\u2060\ufeff]')
_BRACKET = re.compile(r"\s+[(\[]([^()\[\]]*)[)\]]")
_PLURAL_ABBREVIATION = re.compile(r"(?:[A-Z0-9][\w&]*)?[A-Z0-9]s")
_HEAD_BEFORE = re.compile(r"\s(?:of|in|for|to|with|on|at|under|from|by|via|as|over|between|and)\s")
_LETTERS = re.compile(r"[^\W\d_]+")
_QUOTES = "\"'“”‘’`´.,;:!? "
_SCRIPTS = str.maketrans(
    dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
    | {raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
)
_LONGEST_CASED = 5  # letters of a single word that is known by its case: "CoT", "RLHF"


@lru_cache(maxsize=65536)
def label(name: str) -> str:
    """The readable name of source text: no TeX, no plural, no plain words in capitals.

    "Induction heads" gives "induction head", "Mirror Descent" stays; a bracketed short form
    within a name is left out.
    """
    return _settled(lambda text: natural_case(cased_label(text)), name)


def cased_label(name: str) -> str:
    """The label of a name that begins as it is written, as short forms do: "Atlas"."""
    text = _bare(name)
    without = " ".join(_BRACKET.sub("", text).split())
    return singular(without if any(map(str.isalnum, without)) else text)


@lru_cache(maxsize=65536)
def key(name: str) -> str:
    """The folded form of a name: equal for two spellings of one concept.

    Dashes and spaces are one, case counts only where it is the name ("CoT", "C"), the last
    word is singular; "C", "C++" and "C#" differ.
    """
    return _settled(_fold, label(name))


def short_within(name: str) -> str | None:
    """The name with the short form in its bracket for what stands before it, if it has one.

    "Chain-of-Thought (CoT) reasoning" gives "CoT reasoning".
    """
    found = _BRACKET.search(plain(name).text)
    if found is None or not found[1].strip():
        return None
    return label(found[1].strip() + found.string[found.end() :])


def singular(text: str) -> str:
    """`text` with its head, the last word before a preposition, in the singular."""
    split = _HEAD_BEFORE.search(text)
    head, rest = (text[: split.start()], text[split.start() :]) if split else (text, "")
    if head[head.rfind(" ") + 1 :].lower() in words("unchanging"):
        return text
    start = max(head.rfind(" "), head.rfind("-"), head.rfind("/")) + 1
    return head[:start] + _singular_word(head[start:]) + rest


def natural_case(text: str) -> str:
    """`text` with a first word that only begins a sentence in lower case.

    "Scaling laws" gives "scaling laws"; "Mirror Descent" and "Gaussian process" stay.
    """
    first, space, rest = text.partition(" ")
    if any(word[:1].isupper() for word in re.split(r"[ /-]", rest)):
        return text
    parts = first.split("-")
    if any(part[1:] != part[1:].lower() or part[:1].isupper() for part in parts[1:]):
        return text
    if _is_common(parts[0]):
        return parts[0].lower() + first[len(parts[0]) :] + space + rest
    return text


def uncapitalised(title: str) -> str:
    """A title in running case: common words of a title in capitals in lower case.

    As long as `title`, so that offsets hold.
    """
    words = [word for word in title.split()[1:] if len(word) > 3 and word[1:].islower()]
    if sum(word[0].isupper() for word in words) * 2 <= len(words):
        return title
    return _LETTERS.sub(lambda m: m[0].lower() if _is_common(m[0]) else m[0], title)


def is_cased(text: str) -> bool:
    """Whether `text` is one word that is known by its case: "CoT", "GAN", "C"."""
    letters = [c for c in text if c.isalpha()]
    capitals = sum(map(str.isupper, letters))
    if " " in text or "-" in text or not capitals:
        return False
    return len(letters) == 1 or (capitals > 1 and len(letters) <= _LONGEST_CASED)


def _is_common(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower() and word.lower() in words("common")


def _bare(name: str) -> str:
    text = _DASHES.sub("-", plain(name).text)
    stripped = " ".join(_UNSEEN.sub("", text).split()).strip(_QUOTES)
    return stripped or text.strip()


def _fold(text: str) -> str:
    folded = " ".join(_fold_case(text).translate(_SCRIPTS).replace("-", " ").split())
    return label(folded.strip(_QUOTES) or folded or text)


def _settled(change: Callable[[str], str], text: str) -> str:
    """The text after as many changes as make a difference: one, but for damaged text."""
    for _ in range(9):
        changed = unicodedata.normalize("NFC", change(text))
        if changed == text:
            break
        text = changed
    return text


def _fold_case(text: str) -> str:
    return text if is_cased(text) else unicodedata.normalize("NFC", text.casefold())


def _singular_word(word: str) -> str:
    if _PLURAL_ABBREVIATION.fullmatch(word):
        return word[:-1]
    lower = word.lower()
    if lower in words("unchanging"):
        return word
    if lower in table("plurals"):
        return _like(word, table("plurals")[lower])
    if len(word) < 4 or not lower.isalpha() or not word.endswith("s") or word.isupper():
        return word
    if lower.endswith(("ss", "us", "is", "ous")):
        return word
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if lower.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def _like(word: str, model: str) -> str:
    return model[:1].upper() + model[1:] if word[:1].isupper() else model
