"""Names of concepts: a readable label, and the folded key that the concept is known by.

All functions are deterministic and idempotent; `key(label(name)) == key(name)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

from kg.concepts.abbreviations import definitions
from kg.concepts.noise import EMOJI
from kg.concepts.words import table, words
from kg.text import plain

_DASHES = re.compile("[\u00ad\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]")
# Not part of a name: a dollar without partner, quotes, signs of no width, emoji.
_UNSEEN = re.compile(f'[$“”"\u200b\u2060\ufeff{EMOJI}]')
# A bracket that can go: not one that is part of a word, "(non-)Abelian" or "(A)dS".
_BRACKET = re.compile(r"\s+[(\[][^()\[\]]*(?<![-(\[])[)\]](?!\w)")
_PLURAL_ABBREVIATION = re.compile(r"(?:[A-Z0-9][\w&]*)?[A-Z0-9]s")
_HEAD_BEFORE = re.compile(r"\s(?:of|in|for|to|with|on|at|under|from|by|via|as|over|between|and)\s")
_WITHIN = re.compile(r"-(?:of|in)-(?=\S*$)")  # "Mixture-of-Experts", not "bag-of-words model"
_LETTERS = re.compile(r"[^\W\d_]+")
_QUOTES = "\"'“”‘’`´.,;:!? "
# Marks of emphasis around a name, or one of two; "A*", "RRT*" and "*-algebra" are names.
_EMPHASIS = re.compile(
    r"([*_]{1,3})(?=[^\W_])(.*[^\W_])\1"
    r"|()(.*?)(?:(?<=[a-z]{3})[*_]+|(?<=[^\W_])_+)"
    r"|()[*_]+(?=[^\W_])(.*)",
    re.DOTALL,
)
_SCIENCES = re.compile(
    r".+(?:dynamics|physics|mechanics|electronics|informatics|statistics|linguistics"
    r"|ometrics|(?<!\bc)omics)"
)
_SCRIPTS = str.maketrans(
    dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
    | {raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
)
_LONG = 7  # letters that no short form in capitals has, as a rule
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

    Dashes and spaces are one, case counts only where it is the name ("CoT", "C"), head and
    last word are singular; "C", "C++" and "C#" differ.
    """
    return _settled(_fold, label(name))


def short_within(name: str) -> str | None:
    """The name with the short form in its bracket for what that stands for, if it has one.

    "Chain-of-Thought (CoT) reasoning" gives "CoT reasoning", "reverse Kullback-Leibler (KL)
    divergence" gives "reverse KL divergence". A bracket that defines nothing, or that lacks
    its partner, gives None.
    """
    text = plain(name).text
    found = next(definitions(text), None)
    if found is None or text.count("(") != text.count(")"):
        return None
    brackets = _BRACKET.finditer(text)
    end = next((b.end() for b in brackets if b.start() < found.short_start < b.end()), None)
    if end is None:
        return None
    before, short = text[: found.long_start], text[found.short_start : found.short_end]
    # "Stochastic" only begins the sentence; behind "GDA" that does not show any more.
    first = label(text)[:1] if before else ""
    return label(first + before[len(first) :] + short + text[end:])


def singular(text: str) -> str:
    """`text` with its head, the last word before a preposition, in the singular."""
    split = _HEAD_BEFORE.search(text) or _WITHIN.search(text)
    at = split.start() if split else len(text)
    return _singular_end(text[:at]) + text[at:]


def natural_case(text: str) -> str:
    """`text` with a first word that only begins a sentence in lower case.

    "Scaling laws" gives "scaling laws"; "Mirror Descent" and "Gaussian process" stay.
    """
    if " " in text and _in_capitals(text):
        return text.lower()
    first, space, rest = text.partition(" ")
    if any(word[:1].isupper() for word in re.split(r"[ /-]", rest)):
        return text
    parts = first.split("-")
    if any(part[1:] != part[1:].lower() or part[:1].isupper() for part in parts[1:]):
        return text
    if _is_common(parts[0]):
        return parts[0].lower() + first[len(parts[0]) :] + space + rest
    return text


def uncapitalised(title: str, abstract: str = "") -> str:
    """A title in running case: common words of a title in capitals in lower case.

    As long as `title`, so that offsets hold. Words of a title all in capitals are written as in
    the abstract; those that it lacks in lower case, but for short ones, which may be short forms.
    """
    if title.isupper() and " " in title.strip():
        known = {word.lower(): word for word in _LETTERS.findall(abstract) if not word.isupper()}
        known |= {word: word for word in known.values() if word.islower()}
        return _LETTERS.sub(lambda m: _written(m[0], known), title)
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


def _in_capitals(text: str) -> bool:
    """Whether `text` is nothing but plain words in capitals, of four letters or small ones."""
    if not text.isupper() or not text.isascii():
        return False
    return all(
        word in words("common") and (len(word) > 3 or word in words("small"))
        for word in re.split(r"[ -]", text.lower())
    )


def _written(word: str, known: Mapping[str, str]) -> str:
    """A word of a title in capitals as running text has it."""
    form = known.get(word.lower(), word)
    if form.istitle() and _is_common(form):
        form = form.lower()  # it only began a sentence
    if form == word and (_in_capitals(word) or (word.isascii() and len(word) >= _LONG)):
        form = word.lower()
    return form if len(form) == len(word) else word


def _is_common(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower() and word.lower() in words("common")


def _bare(name: str) -> str:
    text = _DASHES.sub("-", plain(name).text)
    stripped = " ".join(_UNSEEN.sub("", text).split()).strip(_QUOTES)
    if marked := _EMPHASIS.fullmatch(stripped):
        stripped = next(filter(None, marked.groups()[1::2]))
    return stripped or text.strip()


def _fold(text: str) -> str:
    folded = " ".join(_fold_case(text).translate(_SCRIPTS).replace("-", " ").split())
    named = label(folded.strip(_QUOTES) or folded or text)
    # Behind "of" as well: "tree of thoughts" and "tree-of-thought" are one.
    return _singular_end(named)


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


def _singular_end(text: str) -> str:
    last = text.lower().rsplit(" ", 2)[-2:]
    if not words("unchanging").isdisjoint((last[-1], " ".join(last))):
        return text
    start = max(text.rfind(" "), text.rfind("-"), text.rfind("/")) + 1
    return text[:start] + _singular_word(text[start:])


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
    if lower.endswith(("ss", "us", "is", "ous")) or _SCIENCES.fullmatch(lower):
        return word
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if lower.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def _like(word: str, model: str) -> str:
    return model[:1].upper() + model[1:] if word[:1].isupper() else model
