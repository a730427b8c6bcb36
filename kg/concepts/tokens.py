"""Tokens: words of science stay whole ("ImageNet-1k", "state-of-the-art", "C++", "k-NN").

The tokenizer of the base model parts words at hyphens, slashes and units of measure; here
only brackets, quotes, punctuation at the ends and long dashes part.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language

_PICTURE = "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]"
_OPENING = r"""[(\[{<"“”‘’'`«»,;:!?…—–~≈≤≥<>=|*†‡§•]|\.{2,}|\$(?=\d)|[±+−-](?=\d)"""
_CLOSING = r"""[)\]}>"“”‘’'`»,;:!?…—–%=|*†‡•]|\.{2,}|(?<=[\w)\]}%"”’'*²³])\.|['’](?:s|S)"""
_WITHIN = r"""[()\[\]{}"“”…—|=]|\.{3,}|(?<=[a-z)])\.(?=[A-Z])|(?<=\w)[,;:!?](?=[^\W\d])"""
_ADDRESS = re.compile(r"(?:https?://|www\.|[\w.+-]+@)\S*\w/?", re.IGNORECASE)


def fit_tokenizer(nlp: Language) -> None:
    """Let the tokenizer of `nlp` part words so; its exceptions ("e.g.", "can't") stay."""
    tokenizer: Any = nlp.tokenizer  # compiled, without types
    tokenizer.rules = {
        word: parts
        for word, parts in (tokenizer.rules or {}).items()
        if word[-1:] == "." or "'" in word or "’" in word
    }
    tokenizer.prefix_search = re.compile(f"^(?:{_PICTURE}|{_OPENING})").search
    tokenizer.suffix_search = re.compile(f"(?:{_PICTURE}|{_CLOSING})$").search
    tokenizer.infix_finditer = re.compile(_WITHIN).finditer
    tokenizer.token_match = None
    tokenizer.url_match = _ADDRESS.match
