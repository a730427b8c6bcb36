from __future__ import annotations

import pytest

from kg.concepts.noise import is_noise, with_partners, without_emoji


def place(text: str, name: str) -> tuple[int, int]:
    start = text.index(name)
    return start, start + len(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("see https://example.org/a", "https://example.org/a"),
        ("mail a.b@uni-x.edu now", "a.b@uni-x.edu"),
        ("at www.example.com", "www.example.com"),
        ("as Table 1 shows", "Table 1"),
        ("in Fig.2 and", "Fig.2"),
        ("see Sec. 3", "Sec. 3"),
        ("by Theorem 3 we", "Theorem 3"),
        ("by Lemma 2.1 we", "Lemma 2.1"),
        ("mail user@host now", "user@host"),
        ("mail user@host now", "host"),
        ("mail user@host now", "user"),
        ("see 😀 now", "😀"),
        ("loss x = 3 holds", "x = 3"),
        ("the year 2020", "2020"),
        ("of 12 ms", "ms"),
        ("at NeurIPS", "NeurIPS"),
        ("transformers", "transform"),
        ("set {a, b} is", "a, b}"),
        ("adaptation (LoRA) model", "LoRA) model"),
        ("a projection-free (Frank-Wolfe method", "projection-free (Frank-Wolfe"),
        ("the “rich regime", "“rich regime"),
        ('the "rich regime', '"rich regime'),
    ],
)
def test_what_is_no_name(text: str, name: str) -> None:
    assert is_noise(text, *place(text, name))


@pytest.mark.parametrize(
    "name",
    [
        "induction head",
        "f(R) gravity",
        "pass@1",
        "pass@k",
        "recall@top5",
        "IJB-B@1e-6",
        "[0,1)-valued function",
        "student’s t-test",
        "‘lazy’ regime",
        "C",
        "Figure Skating",
        "Table Tennis 5000",
    ],
)
def test_what_is_a_name(name: str) -> None:
    text = f"the {name} is"
    assert not is_noise(text, *place(text, name))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ('a "spatial" latent', 'spatial" latent', '"spatial" latent'),
        ('by entropy "trimming" we', 'entropy "trimming', 'entropy "trimming"'),
        ("the “heavy edge” oracle", "heavy edge” oracle", "“heavy edge” oracle"),
        (
            "a visual ‘foundation model’ for",
            "visual ‘foundation model",
            "visual ‘foundation model’",
        ),
        ("the “rich” regime", "rich", "rich"),
        ("the field Q(√5) is", "field Q(√5", "field Q(√5)"),
        ("the (K⁰/K⁺)-ratio of", "K⁰/K⁺)-ratio", "(K⁰/K⁺)-ratio"),
        ("(with ExPO) we", "ExPO)", "ExPO"),
        ("adaptation (LoRA) model", "LoRA) model", "LoRA) model"),
        ("a transient “near zone regime", "transient “near zone", "transient “near zone"),
    ],
)
def test_quotes_and_brackets_stay_together(text: str, name: str, expected: str) -> None:
    start, end = with_partners(text, *place(text, name))
    assert text[start:end] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("😀😀 mirror descent 🚀", "mirror descent"),
        ("👩‍🔬mirror⚡", "mirror"),
        ("mirror 😀 descent", "mirror 😀 descent"),
        ("M☉ ♀ ★", "M☉ ♀ ★"),
        ("😀 😀", ""),
    ],
)
def test_emoji_around_a_name(text: str, expected: str) -> None:
    start, end = without_emoji(text, 0, len(text))
    assert text[start:end] == expected
