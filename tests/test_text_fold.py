from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.text import fold

SAME = [
    ("Scaling Laws for  Transformers!", "scaling laws for transformers"),
    ("Schr\u00f6dinger's cat", "schrodinger s cat"),
    (r"Schr\"odinger's cat", "schrodinger s cat"),
    (r"$n$-Gram Language Models", "n gram language models"),
    ("n–gram language models", "n gram language models"),
    ("STRASSE Straße", "strasse strasse"),
    ("Łukasz Kaiser, Søren Hauberg", "lukasz kaiser soren hauberg"),
    ("İstanbul", "istanbul"),
    ("Глубокое обучение", "глубокое обучение"),
    ("深度学习：综述", "深度学习 综述"),
    ("ﬁne-tuning", "fine tuning"),
    ("", ""),
    ("***", ""),
]


@pytest.mark.parametrize(("text", "folded"), SAME)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_letters_of_scripts_with_joined_signs_are_kept() -> None:
    assert fold("हिन्दी भाषा").count(" ") == 1
    assert fold("が") != fold("か")


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert once == once.strip()
    assert "  " not in once
