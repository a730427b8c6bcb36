from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.concepts.abbreviations import definitions, is_phrase

SDU = Path(__file__).parent.parent.parent / "shared/data/abbreviations/sdu-acronym-dev.jsonl"

DEFINED = [
    ("of large language models (LLMs) and", "large language models", "LLMs"),
    ("with Chain-of-Thought (CoT) reasoning", "Chain-of-Thought", "CoT"),
    ("a Mixture of Experts (MoE) layer", "Mixture of Experts", "MoE"),
    ("stochastic gradient descent (SGD; see below)", "stochastic gradient descent", "SGD"),
    ("by Non-negative Matrix Factorization (NMF)", "Non-negative Matrix Factorization", "NMF"),
    ("the probability density function (pdf) of", "probability density function", "pdf"),
    ("of the hypertension (HTN) group", "hypertension", "HTN"),
    ("heat shock transcription factor (HSF)", "heat shock transcription factor", "HSF"),
    ("text-to-video (T2V) models", "text-to-video", "T2V"),
    ("the *quantal response equilibrium* (QRE) of", "quantal response equilibrium", "QRE"),
    ("**Proximal Policy Optimization** (PPO)", "Proximal Policy Optimization", "PPO"),
    ("Schrödinger bridges_ (SBs)", "Schrödinger bridges", "SBs"),
    ("the “large language models” (LLMs)", "large language models", "LLMs"),
    ("with multi-agent A* (MAA*) we", "multi-agent A*", "MAA*"),
]


@pytest.mark.parametrize(("text", "long", "short"), DEFINED)
def test_a_definition(text: str, long: str, short: str) -> None:
    (found,) = definitions(text)
    assert text[found.long_start : found.long_end] == long
    assert text[found.short_start : found.short_end] == short


@pytest.mark.parametrize(
    "text",
    [
        "as in (1), (4) and (12)",
        "in three steps: (i) read, (ii) write",
        "we use LLMs (large language models)",
        "our method (SGD) is quick",
        "we train the model (see Section 2)",
        "(GAN) begins",
        "the network (2020)",
        "in the year (e.g. 1999)",
        "SGD (SGD)",
        "compound Cu₃(CO₃)₂",
    ],
)
def test_no_definition(text: str) -> None:
    assert list(definitions(text)) == []


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("large language models", "LLMs"),
        ("in-context learning", "ICL"),
        ("simultaneous localization and mapping", "SLAM"),
        ("average treatment effect on the treated", "ATT"),
        ("International Conference on Machine Learning", "ICML"),
        ("The Cancer Genome Atlas", "TCGA"),
        ("learning to rank", "LTR"),
        ("Named Entity Recognition", "NER"),
        ("most probable explanation", "MPE"),
    ],
)
def test_long_forms_that_read_like_names(long: str, short: str) -> None:
    assert is_phrase(long, short)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (
            "FedWon surpasses both FedAvg and the current state-of-the-art method",
            "FedBN",
        ),
        (
            "show that using implicit neural representations with periodic activation functions",
            "SIREN",
        ),
        ("observations motivate us to propose adversarial UDA", "ASSUDA"),
        ("from OOD data than raw activations in regimes of large shifts", "Far-OOD"),
        ("and significantly outperform previous agents trained on open LLMs", "AutoWebGLM"),
        ("such as Segment Anything", "SAM"),
        ("with respect to", "w.r.t."),
        ("in Flux", "InFlux"),
        ("robust model for cheap transport of large masses", "RMM"),
    ],
)
def test_clauses_are_no_names(long: str, short: str) -> None:
    assert not is_phrase(long, short)


def test_never_across_the_beginning_of_the_sentence() -> None:
    text = "We study large. Language models (LLM) are"
    assert list(definitions(text, text.index("Language"))) == []


@given(st.text(st.sampled_from("abAB ().-s1")))
def test_definitions_lie_in_their_text(text: str) -> None:
    for found in definitions(text):
        assert 0 <= found.long_start < found.long_end <= found.short_start < found.short_end
        assert text[found.long_start].isalnum()


def test_definitions_of_annotated_sentences() -> None:
    if not SDU.exists():
        pytest.skip("../shared/data/abbreviations is not here")
    right = found = gold = 0
    for record in map(json.loads, SDU.read_text(encoding="utf-8").splitlines()):
        long = {(e["start"], e["end"]) for e in record["entities"] if e["type"] == "long"}
        ours = {(d.long_start, d.long_end) for d in definitions(record["text"])}
        right, found, gold = right + len(ours & long), found + len(ours), gold + len(long)
    assert right / found > 0.955
    assert right / gold > 0.845
