"""`kg stats`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_graph import BASE, build

from kg.cli import main


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("stats") / "graph")


def run(graph: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["stats", "-g", str(graph), *arguments])


def test_text(graph: Path) -> None:
    done = run(graph)
    assert done.exit_code == 0
    assert done.output.startswith("In the graph\n  papers              3\n")
    assert "Papers by year\n  2026  1\n  2024  1\n" in done.output
    assert "People with the most papers\n  Ada Bly     2\n" in done.output


def test_json(graph: Path, tmp_path: Path) -> None:
    file = tmp_path / "stats.json"
    assert run(graph, "--format", "json", "-o", str(file)).output == ""
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["counts"]["concepts"] == 5
    assert found["concept_types"] == {"Method": 3, "Material": 1, "Other": 1, "Task": 1}
    assert found["papers_by_year"][0] == {"year": 2026, "papers": 1}
    assert found["top_concepts"][0] == {
        "label": "induction head",
        "papers": 2,
        "about": 1,
        "concept": BASE + "concept/induction-head",
    }
    assert found["top_people"][0]["name"] == "Ada Bly"


def test_an_empty_graph(tmp_path: Path) -> None:
    done = run(build(tmp_path / "empty", turtle=""))
    assert done.exit_code == 0
    assert "papers            0" in done.output
    assert "Papers by year\n  none\n" in done.output


def test_no_graph(tmp_path: Path) -> None:
    done = run(tmp_path / "none")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
