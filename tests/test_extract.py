"""`kg extract`: JSON Lines and tables, with offsets into the source."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = [
    {"id": "b", "title": "Induction Heads", "abstract": "We study \\textbf{induction heads}."},
    {
        "id": 7,
        "title": "",
        "abstract": "Mirror Descent (MD) is gradient descent. MD is fast. é🙂 MD.",
    },
    {"title": "On Lean 4", "abstract": ""},
    {"title": "Nothing of Interest", "abstract": "It is what it is."},
]


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg.cli", "extract", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extract")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> list[dict]:
    done = run("rows.jsonl", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_line_a_record_in_order_and_by_its_own_id(found: list[dict]):
    assert [row["id"] for row in found] == ["b", "7", "rows.jsonl:3", "rows.jsonl:4"]
    assert [row["title"] for row in found] == [row["title"] for row in ROWS]


def test_concepts_have_the_documented_fields(found: list[dict]):
    (head,) = [c for c in found[0]["concepts"] if c["label"] == "induction head"]
    assert head["iri"] == "https://w3id.org/kg/id/concept/induction-head"
    assert head["type"] in ("Method", "Task", "Material", "Metric", "Other")
    assert head["salience"] in (1, 2)
    assert head["introduced"] in (True, False)
    assert [m["field"] for m in head["mentions"]] == ["title", "abstract"]
    assert all(0 < m["confidence"] <= 1 for m in head["mentions"])


def test_offsets_count_code_points_of_the_source(found: list[dict]):
    for row, source in zip(found, ROWS, strict=True):
        for concept in row["concepts"]:
            for m in concept["mentions"]:
                assert source[m["field"]][m["start"] : m["end"]] == m["text"]
    (mirror,) = [c for c in found[1]["concepts"] if c["label"] == "Mirror Descent"]
    assert mirror["aliases"] == ["MD"]
    assert [m["text"] for m in mirror["mentions"]] == ["Mirror Descent", "MD", "MD", "MD"]


def test_table_has_a_row_a_mention(found: list[dict], folder: Path):
    done = run("--format", "tsv", "rows.jsonl", cwd=folder)
    rows = list(csv.DictReader(done.stdout.splitlines(), dialect="excel-tab"))
    mentions = [
        (row["id"], c["label"], m["text"])
        for row in found
        for c in row["concepts"]
        for m in c["mentions"]
    ]
    assert [(row["id"], row["concept"], row["text"]) for row in rows] == mentions


def test_processes_and_output_files_change_nothing(found: list[dict], folder: Path):
    assert run("rows.jsonl", "-j", "2", "-o", "out.jsonl", cwd=folder).stdout == ""
    lines = (folder / "out.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == found


def test_bad_records_are_named_and_the_others_extracted(folder: Path):
    (folder / "bad.jsonl").write_text('{"title": 1}\n{"title": "Gradient descent"}\n')
    done = run("bad.jsonl", "missing.jsonl", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Error: missing.jsonl: there is no such file",
        'Rejected: bad.jsonl:1: "title" must be text in quotes, not a number',
    ]
    assert len(done.stdout.splitlines()) == 1


def test_a_reader_that_goes_is_no_error(folder: Path):
    command = f"{sys.executable} -m kg.cli extract --format tsv rows.jsonl | head -1"
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_least_confidence(found: list[dict], folder: Path):
    done = run("--min-confidence", "0.9", "rows.jsonl", cwd=folder)
    for row, whole in zip(map(json.loads, done.stdout.splitlines()), found, strict=True):
        sure = [m for c in whole["concepts"] for m in c["mentions"] if m["confidence"] >= 0.9]
        kept = [m for c in row["concepts"] for m in c["mentions"]]
        assert kept == sure
        assert all(c["mentions"] for c in row["concepts"])


def test_page_marks_the_mentions_and_escapes_the_text(found: list[dict], folder: Path):
    (folder / "html.jsonl").write_text('{"title": "Loss <b>Spikes</b> of Gradient Descent"}\n')
    page = run("--format", "html", "rows.jsonl", "html.jsonl", cwd=folder).stdout
    assert page.count("<mark") >= sum(len(c["mentions"]) for row in found for c in row["concepts"])
    assert "<b>Spikes" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert '<meta charset="utf-8">' in page.partition("</head>")[0]


def test_page_escapes_the_id(folder: Path):
    row = {"id": "</h2><script>alert(1)</script>", "title": "Mirror Descent"}
    (folder / "evil.jsonl").write_text(json.dumps(row) + "\n")
    page = run("--format", "html", "evil.jsonl", cwd=folder).stdout
    assert "<script" not in page
    assert "&lt;/h2&gt;&lt;script&gt;" in page


def test_table_has_a_mention_on_one_line(folder: Path):
    row = {"id": "a\tb\nc", "title": "", "abstract": "We study gradient\n  descent."}
    (folder / "broken.jsonl").write_text(json.dumps(row) + "\n")
    _, line = run("--format", "tsv", "broken.jsonl", cwd=folder).stdout.splitlines()
    cells = line.split("\t")
    assert (cells[0], cells[8]) == ("a b c", "gradient descent")
