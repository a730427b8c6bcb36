"""Scoring: the measures of the gold's own scorer, and messages for what is no gold."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.evaluation import evaluate, fold, read_gold
from kg.model import Extraction, Mention, Name, RecordConcept

SHARED = Path(__file__).parent.parent.parent / "shared"
needs_gold = pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the annotated records in ../shared, no part of kg"
)

TITLE, ABSTRACT = "Loss Spikes", "Loss spikes slow gradient descent."
GOLD = {
    "id": "1",
    "title": TITLE,
    "abstract": ABSTRACT,
    "concepts": [
        {"concept": "loss spike", "type": "Other", "salience": 2, "introduced": True,
         "mentions": [{"field": "title", "start": 0, "end": 11, "text": "Loss Spikes"},
                      {"field": "abstract", "start": 0, "end": 11, "text": "Loss spikes"}]},
        {"concept": "gradient descent", "type": "Method", "salience": 1,
         "mentions": [{"field": "abstract", "start": 17, "end": 33, "text": "gradient descent"}]},
    ],
}  # fmt: skip


def found(
    label: str, kind: str, *places: tuple[str, int, int], main: bool = False
) -> RecordConcept:
    texts = {"title": TITLE, "abstract": ABSTRACT}
    mentions = tuple(Mention(f, s, e, texts[f][s:e], 0.9) for f, s, e in places)  # type: ignore[arg-type]
    return RecordConcept(Name(label, label), kind, 2 if main else 1, main, mentions)  # type: ignore[arg-type]


@needs_gold
def test_records_with_mentions_instead_of_concepts():
    gold = read_gold(SHARED / "gold" / "train.jsonl")
    assert len(gold) == 3300
    assert sum(len(concept.types) for record in gold for concept in record.concepts) == 92140


def test_every_measure_counts_what_it_says(tmp_path: Path):
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(GOLD) + "\n")
    ours = Extraction((
        found("loss spike", "Task", ("title", 0, 11), main=True),
        found("descent", "Method", ("abstract", 26, 33)),
        found("slow", "Other", ("abstract", 12, 16)),
    ))  # fmt: skip
    result = evaluate(zip(read_gold(path), [ours], strict=True))
    counts = {name: (t.right, t.predicted, t.gold) for name, t in result.measures.items()}
    assert counts == {
        "span": (1, 3, 3),
        "overlap": (2, 3, 3),
        "typed": (0, 3, 3),
        "concept": (1, 3, 2),
        "main": (1, 1, 1),
        "introduced": (1, 1, 1),
    }
    assert result.measures["concept"].f1 == pytest.approx(2 * (1 / 3) * 0.5 / (1 / 3 + 0.5))
    assert result.missed == {"gradient descent": 1}
    assert result.invented == {"descent": 1, "slow": 1}


def test_an_abbreviation_joins_the_long_form_that_the_record_defines(tmp_path: Path):
    abstract = "Loss spikes (LS) occur. An LS ends. A CNN (see above) has no LS. CNNs stay."
    texts = [(0, "Loss spikes"), (13, "LS"), (27, "LS"), (38, "CNN"), (61, "LS"), (65, "CNNs")]
    mentions = [
        {"field": "abstract", "start": at, "end": at + len(text), "text": text,
         "type": "Other", "salience": 1, "introduced": at == 13}
        for at, text in texts
    ]  # fmt: skip
    path = tmp_path / "gold.jsonl"
    row = {"id": "1", "title": "", "abstract": abstract, "mentions": mentions}
    path.write_text(json.dumps(row))
    (record,) = read_gold(path)
    assert [(c.label, len(c.types), c.introduced) for c in record.concepts] == [
        ("Loss spikes", 4, True),
        ("CNN", 2, False),
    ]
    assert record.concepts[0].names == {"loss spike", "ls"}


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Induction Heads", "induction head"),
        ("$n$-gram", "n gram"),
        ("\\emph{Boxes}", "box"),
        ("studies", "study"),
        ("loss", "loss"),
        ("analysis", "analysis"),
        ("bias", "bia"),
    ],
)
def test_folding(name, folded):
    assert fold(name) == folded


@needs_gold
def test_same_figures_as_the_scorer_of_the_gold(tmp_path: Path):
    gold, out = SHARED / "gold" / "dev.jsonl", tmp_path / "out.jsonl"
    kg = [sys.executable, "-m", "kg.cli"]
    subprocess.run([*kg, "extract", gold, "-o", out], check=True)
    score = [sys.executable, SHARED / "gold" / "score.py", gold, out, "--json"]
    theirs = json.loads(subprocess.run(score, capture_output=True, check=True).stdout)
    ours = subprocess.run([*kg, "evaluate", gold], capture_output=True, text=True, check=True)
    rows = {row[0]: row[1:] for line in ours.stdout.splitlines() if (row := line.split())}
    for name in ("span", "overlap", "typed", "concept", "main"):
        assert [float(x) for x in rows[name][:3]] == pytest.approx(
            [theirs[name]["p"], theirs[name]["r"], theirs[name]["f1"]], abs=0.005
        )


def changed(old: str, new: str) -> str:
    text = json.dumps(GOLD)
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ": is empty"),
        ("{}", ":1: the record has neither a title nor an abstract"),
        ('{"id": "1", "title": "T"}', ":1: is no annotated record"),
        ("[]", ": is a JSON array; put one object a line"),
        ('"text"', ":1: a line must be one JSON object"),
        ("nothing", ":1: broken JSON at column 1"),
        ("[" * 100_000, ":1: JSON that is nested too deep"),
        (json.dumps(GOLD) + "\n" + json.dumps(GOLD), ":2: the id '1' stands on line 1 already"),
        (changed('"start": 17', '"start": 16'), ":1: abstract[16:33] is not 'gradient descent'"),
        (changed('"start": 17', '"start": "17"'), "numbers as places"),
        (changed('"start": 17', '"start": true'), "numbers as places"),
        (changed('"end": 33', '"end": 99'), ":1: there is no abstract[17:99]"),
        (changed('"Method"', '"Banana"'), ":1: there is no type 'Banana'"),
        (changed('"salience": 1', '"salience": 7'), ':1: "salience" must be 1 or 2, not 7'),
        (changed('"salience": 1', '"salience": "x"'), ":1: \"salience\" must be 1 or 2, not 'x'"),
        (changed('"introduced": true', '"introduced": "false"'), "must be true or false"),
        (changed('"concept": "loss spike"', '"concept": 3'), "the name of a concept must be text"),
        (
            changed('"concept": "loss spike"', '"aliases": "LS", "concept": "loss spike"'),
            '"aliases" must be a list',
        ),
        (
            changed(
                '17, "end": 33, "text": "gradient',
                '0, "end": 33, "text": "Loss spikes slow gradient',
            ),
            ":1: abstract[0:11] and abstract[0:33] overlap",
        ),
        (
            changed(
                '17, "end": 33, "text": "gradient descent"', '0, "end": 11, "text": "Loss spikes"'
            ),
            ":1: abstract[0:11] is annotated twice",
        ),
    ],
)
def test_what_is_no_gold(text: str, reason: str, tmp_path: Path):
    path = tmp_path / "gold.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(reason)) as caught:
        read_gold(path)
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path):
    with pytest.raises(InputError, match="there is no such file"):
        read_gold(tmp_path / "missing.jsonl")


def test_gold_is_read_as_other_inputs_are(tmp_path: Path):
    text = f"\ufeff{json.dumps(GOLD)}\r\n\n{json.dumps({**GOLD, 'id': 2})}\n\n"
    plain, packed = tmp_path / "gold.jsonl", tmp_path / "gold.jsonl.gz"
    plain.write_bytes(text.encode())
    packed.write_bytes(gzip.compress(text.encode()))
    assert [record.id for record in read_gold(plain)] == ["1", "2"]
    assert read_gold(packed) == read_gold(plain)
