"""The training street: what runs without torch, and a toy run where it is installed."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
import runpy
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from numpy.typing import NDArray

from kg import evaluation
from kg.concepts.model.features import AFFIX_ROWS, NUMBERS, SHAPE_ROWS, Features
from kg.concepts.model.finder import Finder, Words
from kg.concepts.model.network import EXACT, INPUT_MOST, Found, Network
from kg.concepts.tokens import fit_tokenizer
from kg.concepts.training import heads, logistic
from kg.concepts.training.__main__ import main, read_arguments
from kg.concepts.training.export import export
from kg.concepts.training.gold import (
    Example,
    Span,
    Tokenizer,
    example,
    plain_span,
    read_gold,
    split,
    titles,
)
from kg.concepts.training.plan import Plan, claim, read_config, require_extra
from kg.concepts.training.scores import scores
from kg.concepts.training.unlabelled import Source, Store, write_corpus
from kg.errors import InputError, UsageError
from kg.model import CONCEPT_TYPES
from kg.text import plain

ROOT = Path(__file__).parent.parent
TRAIN = ROOT.parent / "shared/gold/train.jsonl"
TORCH = find_spec("torch") is not None and find_spec("gensim") is not None


@pytest.fixture(scope="module")
def tokenize() -> Tokenizer:
    nlp = spacy.blank("en")
    fit_tokenizer(nlp)
    return nlp.tokenizer


def mention(record: Mapping[str, str], field: str, text: str, **more: Any) -> dict[str, Any]:
    start = record[field].index(text)
    return {"field": field, "start": start, "end": start + len(text), "text": text, **more}


def annotated() -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": "a",
        "title": "On $n$-gram Models",
        "abstract": "We study {\\em mirror descent} for\n$k$-means clustering.",
    }
    record["mentions"] = [
        mention(record, "title", "$n$-gram Models", type="Method", salience=2, introduced=False),
        mention(record, "abstract", "mirror descent", type="Method", salience=1, introduced=True),
        mention(record, "abstract", "$k$-means", type="Task", salience=1, introduced=False),
        mention(record, "abstract", "$k$-means clustering", type="Task", salience=1),
        mention(record, "abstract", "stud", type="Other", salience=1, introduced=False),
    ]
    return record


def write_lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# -- gold -------------------------------------------------------------------------------


def test_mentions_become_spans_of_tokens(tokenize: Tokenizer) -> None:
    read = example(annotated(), tokenize)
    words = (*read.title, "|", *read.abstract)
    assert [" ".join(words[s.start : s.end]) for s in read.spans] == [
        "n - gram Models",
        "mirror descent",
        "k - means clustering",  # the longest of two that overlap; "stud" cuts a token
    ]
    assert [CONCEPT_TYPES[s.type] for s in read.spans] == ["Method", "Method", "Task"]
    assert [s.salience for s in read.spans] == [2, 1, 1]
    assert [s.introduced for s in read.spans] == [False, True, False]


def test_both_forms_of_the_gold_read_the_same(tokenize: Tokenizer) -> None:
    record = annotated()
    keys = ("type", "salience", "introduced")
    concepts = [
        {
            "concept": m["text"],
            **{k: m.get(k) for k in keys},
            "mentions": [{k: m[k] for k in ("field", "start", "end", "text")}],
        }
        for m in record["mentions"]
    ]
    other = {k: v for k, v in record.items() if k != "mentions"} | {"concepts": concepts}
    assert example(other, tokenize) == example(record, tokenize)


def test_the_forms_that_the_model_card_shows_are_read(tmp_path: Path, tokenize: Tokenizer) -> None:
    card = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```json\n(.*?)^```$", card, re.MULTILINE | re.DOTALL)
    gold = write_lines(tmp_path / "gold.jsonl", [json.loads(block) for block in blocks])
    one, two = read_gold(gold, tokenize)
    assert one == two
    assert one.spans == (Span(0, 2, 0, 2, False),)
    for block in blocks:
        (record,) = evaluation.read_gold(write_lines(tmp_path / "one.jsonl", [json.loads(block)]))
        assert len(record.concepts) == 1


def test_offsets_of_readable_text() -> None:
    read = plain("a {\\em mirror descent} b")
    start = read.source.index("mirror")
    place = plain_span(read, start, start + len("mirror descent"))
    assert place is not None
    assert read.text[slice(*place)] == "mirror descent"
    assert plain_span(read, 2, 3) is None  # a bracket that nobody reads
    assert plain_span(plain("as it stands"), 3, 5) == (3, 5)


def off(**wrong: object) -> str:
    """A record on one line whose only mention is right but for one thing."""
    right = {"field": "abstract", "start": 0, "end": 1, "text": "A", "type": "Method"}
    return json.dumps({"id": "b", "abstract": "A", "mentions": [{**right, **wrong}]})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is no JSON"),
        ("[1]", "is no JSON object"),
        ('{"id": "b", "title": "T", "abstract": "A"}', "is no annotated record"),
        ('{"id": "b", "abstract": "A", "mentions": [{"field": "x"}]}', "is no annotated record"),
        ("[" * 100_000, "is no JSON"),
        (off(text="B"), r"abstract\[0:1\] is not 'B'"),
        (off(end=9), r"there is no abstract\[0:9\]"),
        (off(start=False, end=True), "a mention needs"),
        (off(type="Banana"), "there is no type 'Banana'"),
        (off(salience=3), '"salience" must be 1 or 2, not 3'),
        (off(introduced="false"), '"introduced" must be true or false'),
    ],
)
def test_what_is_no_gold_is_named_with_its_line(
    tmp_path: Path, tokenize: Tokenizer, line: str, said: str
) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(annotated()) + "\n\n" + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"gold\.jsonl:3: {said}"):
        read_gold(path, tokenize)


def test_gold_that_is_missing_or_empty(tmp_path: Path, tokenize: Tokenizer) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_gold(tmp_path / "none.jsonl", tokenize)
    with pytest.raises(InputError, match="is empty"):
        read_gold(write_lines(tmp_path / "gold.jsonl", []), tokenize)


def test_most_mentions_of_the_gold_align(tokenize: Tokenizer) -> None:
    if not TRAIN.exists():
        pytest.skip("../shared/gold is not here")
    with TRAIN.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in itertools.islice(lines, 100)]
    there = sum(len(r["mentions"]) for r in records)
    assert sum(len(example(r, tokenize).spans) for r in records) > there * 0.998


def test_split() -> None:
    learn, held = split(100, 0, 0.2)
    assert sorted([*learn, *held]) == list(range(100))
    assert len(held) == 20
    assert split(100, 0, 0.2) == (learn, held)
    assert split(100, 1, 0.2) != (learn, held)


# -- unlabelled abstracts ---------------------------------------------------------------

LONG = "Words of an abstract that is long enough to be read. " * 5


def gzipped(path: Path, rows: list[Any]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_excluded_titles_stay_out(tmp_path: Path) -> None:
    rows = [
        {"title": "Kept", "text": LONG},
        {"title": "A  $k$-Means\nStudy", "abstract": LONG},
        {"title": "Short", "text": "Too short."},
        {"title": None, "text": LONG},
    ]
    path = gzipped(tmp_path / "un.jsonl.gz", rows)
    last_look = write_lines(tmp_path / "dev.jsonl", [{"title": "A k-means study"}, {"title": ""}])
    assert [t for t, _ in Source(path)] == ["Kept", "A  $k$-Means\nStudy", ""]
    assert [t for t, _ in Source(path, titles([last_look]))] == ["Kept", ""]
    write_corpus(Source(path, titles([last_look])), str.split, tmp_path / "corpus.txt")
    assert (tmp_path / "corpus.txt").read_text(encoding="utf-8").startswith("kept words of an")


def test_unlabelled_abstracts_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "un.jsonl").write_text('{"title": "no gzip"}\n', encoding="utf-8")
    for path in (tmp_path / "un.jsonl", tmp_path / "none.gz", gzipped(tmp_path / "a.gz", [1])):
        with pytest.raises(InputError, match="cannot be read"):
            list(Source(path))


def test_encoded_abstracts_come_back_from_their_file(tmp_path: Path) -> None:
    path = gzipped(
        tmp_path / "un.jsonl.gz", [{"title": t, "text": LONG + t} for t in ("One", "Two words")]
    )
    features = Features(["words", "one"])
    Store.make(Source(path), str.split, features).save(tmp_path / "store.npz")
    two, one = Store.load(tmp_path / "store.npz").pick([1, 0])
    for got, title in ((one, "One"), (two, "Two words")):
        wanted = features.encode(title.split(), (LONG + title).split())
        assert (got.rows == wanted.rows).all()
        assert got.numbers == pytest.approx(wanted.numbers, abs=1e-3)


# -- plan -------------------------------------------------------------------------------


def test_arguments() -> None:
    plan = read_arguments(
        ["g", "--unlabelled", "u", "-o", "d", "--exclude", "x", "--exclude", "y", "--lenient", "9"]
    )
    assert plan == Plan(Path("g"), Path("u"), Path("d"), (Path("x"), Path("y")), 9)


def test_the_config_that_ships_has_what_the_stages_read() -> None:
    config = read_config(Plan(Path(), Path(), Path()).config)
    assert set(config) == {
        *("seed", "held_out", "vectors", "pretrain", "network", "silver", "final")
    }


@pytest.mark.parametrize("text", ["no config", '[nlp]\nlang = "en"\n'])
def test_what_is_no_config(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is no config"):
        read_config(path)


def test_stages_of_another_plan_are_not_taken_up(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "gold.jsonl", [annotated()])
    plan = Plan(gold, gold, tmp_path / "out")
    claim(plan, {"seed": 0})
    claim(plan, {"seed": 0})
    with pytest.raises(UsageError, match="choose another folder"):
        claim(plan, {"seed": 1})
    write_lines(gold, [annotated(), annotated()])
    with pytest.raises(UsageError, match="choose another folder"):
        claim(plan, {"seed": 0})


def test_missing_packages_are_named() -> None:
    with pytest.raises(UsageError, match=r"training needs no_such_a: install kg\[train\]"):
        require_extra(["json", "no_such_a"])


@pytest.mark.skipif(TORCH, reason="torch and gensim are installed")
def test_the_command_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gold", "--unlabelled", "un", "-o", "out"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("Error: training needs ")
    assert error.endswith(": install kg[train]\n")
    assert error.count("\n") == 1


def test_the_folds_show_their_own_options(capsys: pytest.CaptureFixture[str]) -> None:
    made = runpy.run_path(str(ROOT / "benchmarks" / "cross_validate.py"))
    with pytest.raises(SystemExit):
        made["main"](["--help"])
    shown = capsys.readouterr().out
    assert "--folds" in shown
    assert "--unlabelled" in shown
    assert "kg.concepts.training" not in shown


def test_folds_hold_every_record_once(tmp_path: Path) -> None:
    made = runpy.run_path(str(ROOT / "benchmarks" / "cross_validate.py"))
    gold = write_lines(tmp_path / "gold.jsonl", list(range(7)))
    plans = list(made["plans"](Plan(gold, gold, tmp_path / "out", lenient=3), 3))
    tests = [test.read_text(encoding="utf-8").split() for _, test in plans]
    assert tests == [["0", "3", "6"], ["1", "4"], ["2", "5"]]
    for (plan, test), held in zip(plans, tests, strict=True):
        learn = plan.gold.read_text(encoding="utf-8").split()
        assert sorted([*learn, *held]) == list("0123456")
        assert learn[: plan.lenient] == [i for i in "012" if i not in held]
        assert plan.exclude == (test,)


# -- what is fitted without torch ---------------------------------------------------------


def test_logistic_regression_finds_the_weights_of_its_data() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20_000, 2)) * (1.0, 50.0) + (3.0, 0.0)
    odds = features @ (2.0, -0.04) - 5.0
    labels = rng.random(20_000) < 1 / (1 + np.exp(-odds))
    weight, bias = logistic.fit(features, labels)
    assert weight == pytest.approx((2.0, -0.04), rel=0.1)
    assert bias == pytest.approx(-5.0, rel=0.1)


def test_logistic_regression_of_one_class_stays_finite() -> None:
    weight, bias = logistic.fit(np.ones((5, 2)), np.ones(5, dtype=bool))
    assert np.isfinite([*weight, bias]).all()


def made_up_spans(count: int) -> tuple[list[Example], list[list[Found]]]:
    """Records whose first span is gold, main and new, and likelier than their second."""
    rng = random.Random(0)
    examples, found = [], []
    for i in range(count):
        words = tuple(f"w{rng.randrange(40)}x" for _ in range(30))
        gold = Span(5, 7, 1, 2, True)
        examples.append(Example(str(i), "", ("title",), words, (gold,)))
        yes, no = (0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 3.0), (0.0,) * 5 + (-3.0, -3.0)
        found.append([Found(5, 7, rng.uniform(0.6, 1), yes), Found(9, 10, rng.random() / 2, no)])
    return examples, found


def test_heads_learn_what_is_a_mention() -> None:
    examples, found = made_up_spans(40)
    weights = heads.fit(examples, found, 0.4)
    assert set(weights) == {f"{n}.{k}" for n in ("choose", "salient", "coined") for k in "wb"}
    for e, spans in zip(examples, found, strict=True):
        (kept,) = heads.mentions(e, spans, weights, 0.4)
        assert heads.typed(e, [kept]) == {(5, 7): 1}
        assert kept.probability > 0.8
    assert scores(examples, found, 0.4)["typed"] == [1.0, 1.0, 1.0]


class Values:
    """What `export` asks of a tensor."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values = values

    def detach(self) -> Values:
        return self

    def numpy(self) -> NDArray[np.float64]:
        return self._values


def state(hidden: int, wide: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    sizes: dict[str, tuple[int, ...]] = {
        "prefix.weight": (AFFIX_ROWS, 4),
        "suffix.weight": (AFFIX_ROWS, 4),
        "shape.weight": (SHAPE_ROWS, 3),
        "tags.weight": (5, 2 * hidden),
        "tags.bias": (5,),
        "read.weight": (6, 6 * hidden),
        "read.bias": (6,),
        "judge.weight": (7, 6),
        "judge.bias": (7,),
        "move": (5, 5),
        "allowed": (5, 5),
    }
    for layer, side in itertools.product((0, 1), ("ahead", "back")):
        inputs = wide + 4 + 4 + 3 + NUMBERS + 1 if layer == 0 else 2 * hidden
        for kind, columns in (("ih", inputs), ("hh", hidden)):
            sizes[f"{side}.{layer}.weight_{kind}_l0"] = (4 * hidden, columns)
            sizes[f"{side}.{layer}.bias_{kind}_l0"] = (4 * hidden,)
    return {name: Values(rng.normal(size=size)) for name, size in sizes.items()}


def test_exported_weights_sum_exactly_and_run() -> None:
    word = np.random.default_rng(1).integers(-127, 128, (3, 8)).astype(np.int8)
    arrays = export(state(6, 8), word, np.full(8, 0.01, np.float32))
    for name, value in arrays.items():
        if value.dtype == np.int16 and name.startswith(("l0", "l1", "tags")):
            assert int(np.abs(value.astype(np.int64)).sum(0).max()) * INPUT_MOST < EXACT
    encoded = Features(["a", "b"]).encode(["A"], ["b", "c", "a"])
    one, two = Network(arrays)([encoded, encoded])
    assert one == two == next(Network(arrays)([encoded]))


# -- the whole street -------------------------------------------------------------------

TOY = """
[training]
seed = 1
held_out = 0.25
[training.vectors]
epochs = 1
[training.pretrain]
tokens = 500
share = 1.0
[training.network]
hidden = 8
layers = 2
dropout = 0.1
epochs = 2
rate = 0.01
batch_tokens = 400
decay = 0.9
judge = 0.5
[training.silver]
teachers = 2
records = 10
epochs = 1
gold_repeats = 1
[training.final]
epochs = 1
rate = 0.001
"""


def toy(folder: Path) -> Plan:
    rng = random.Random(0)
    nouns = ["gradient descent", "neural networks", "kernel methods", "random forests"]
    rows, free = [], []
    for i in range(32):
        one, two = rng.sample(nouns, 2)
        record: dict[str, Any] = {"id": str(i), "title": f"Study {i} of {one}"}
        record["abstract"] = f"We propose {one} for all that is known of {two} and more."
        said = {"type": "Method", "salience": 2, "introduced": False}
        record["mentions"] = [mention(record, "title", one, **said)]
        record["mentions"] += [mention(record, "abstract", n, **said) for n in (one, two)]
        rows.append(record)
        free.append({"title": f"Another {i}", "text": record["abstract"] * 5})
    (folder / "toy.cfg").write_text(TOY, encoding="utf-8")
    return Plan(
        write_lines(folder / "gold.jsonl", rows),
        gzipped(folder / "un.jsonl.gz", free),
        folder / "one",
        config=folder / "toy.cfg",
    )


needs_torch = pytest.mark.skipif(not TORCH, reason="needs kg[train]: torch and gensim")


@needs_torch
def test_the_exported_network_reads_as_torch_does() -> None:
    import torch

    from kg.concepts.training.net import Network as Net
    from kg.concepts.training.train import pad

    torch.manual_seed(0)
    word, scale = np.random.default_rng(1).integers(-127, 128, (3, 8)), np.full(8, 0.01)
    net = Net((word * scale).astype(np.float32), 16, 2, 0.1).eval()
    arrays = export(net.state_dict(), word.astype(np.int8), scale.astype(np.float32))
    encoded = Features(["a", "b"]).encode(["A", "b"], ["b", "c", "a", "Word", "b"])
    (found,) = Network(arrays)([encoded])
    with torch.no_grad():
        where = torch.tensor([[0, f.start, f.end] for f in found])
        scores = net.spans(net.encode(*pad([encoded])), *where.T)
    assert np.array([f.scores for f in found]) == pytest.approx(scores.numpy(), abs=0.01)


@needs_torch
def test_a_toy_run_makes_the_same_model_twice_and_resumes(tmp_path: Path) -> None:
    plan = toy(tmp_path)
    for name in ("one", "two"):
        files = [str(plan.gold), "--unlabelled", str(plan.unlabelled), "-o", str(tmp_path / name)]
        assert main([*files, "--config", str(plan.config)]) == 0
    made = {name: (tmp_path / "one" / name).read_bytes() for name in ("network.npz", "words.txt")}
    assert made == {name: (tmp_path / "two" / name).read_bytes() for name in made}
    for name in ("work/student.pt", "work/heads.npz", "work/final.pt", "network.npz"):
        (tmp_path / "two" / name).unlink()
    assert main([*files, "--config", str(plan.config)]) == 0
    assert made == {name: (tmp_path / "two" / name).read_bytes() for name in made}
    words = Words(("Study",), ("We", "propose", "gradient", "descent"))
    assert next(Finder.load(tmp_path / "one").find([words], 0.0))
