"""`kg show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_graph import BASE, TURTLE, build

from kg.cli import main


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("show") / "graph")


def run(graph: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["show", "-g", str(graph), *arguments])


CONCEPT = f"""\
induction head
concept · method, task
{BASE}concept/induction-head

Also called
  IH

Papers by year
  2026: 1, 2024: 1

Papers (2)
  2026  Memory with heads — Ada Bly, J. Smith
  2024  Heads that copy — Zoë Müller, Ada Bly

People (3)
  Ada Bly (2 papers)
  Zoë Müller (1 paper)
  J. Smith (1 paper)
"""


@pytest.mark.parametrize(
    "name", ["induction head", "Induction Heád", "IH", BASE + "concept/induction-head"]
)
def test_concept(graph: Path, name: str) -> None:
    done = run(graph, name)
    assert (done.exit_code, done.output) == (0, CONCEPT)


def test_person(graph: Path) -> None:
    done = run(graph, "zoe muller")
    assert done.output == (
        f"Zoë Müller\nperson\n{BASE}person/zoë-müller\n\n"
        "Papers\n  2024  Heads that copy — Zoë Müller, Ada Bly\n\n"
        "Concepts (2)\n  induction head (1 paper)\n  transformer (1 paper)\n\n"
        "Co-authors\n  Ada Bly (1 paper)\n"
    )


def test_paper(graph: Path) -> None:
    done = run(graph, "Heads that copy")
    assert done.output == (
        f"Heads that copy\npaper · 2024\n{BASE}paper/arxiv/2401.00001\n\n"
        "Authors\n  Zoë Müller, Ada Bly\n\n"
        "Abstract\n  We study induction heads (IH) in small transformers.\n\n"
        "Introduces\n  induction head\n\n"
        "Mentions\n  transformer\n\n"
        "Categories\n  Machine Learning (cs.LG)\n\n"
        "Found at (2)\n  arXiv:2401.00001\n  https://arxiv.org/abs/2401.00001\n\n"
        "Came from\n  one.txt, record 1, line 4\n"
    )


def test_untitled_paper_says_so(graph: Path) -> None:
    done = run(graph, "We measure transformers …")
    assert "Note\n  The sources give no title.\n" in done.output


def test_json_has_all(graph: Path, tmp_path: Path) -> None:
    file = tmp_path / "ada.json"
    assert run(graph, "Ada Bly", "--format", "json", "-o", str(file), "--limit", "1").output == ""
    found = json.loads(file.read_text(encoding="utf-8"))
    assert (found["kind"], found["iri"]) == ("person", BASE + "person/ada-bly")
    assert found["other_names"] == ["A. Bly"]
    assert len(found["papers"]) == 2
    paper = json.loads(run(graph, "2401.00001", "--format", "json").output)
    assert paper["year"] == 2024
    assert paper["concepts"][0] == {
        "label": "induction head",
        "role": "introduces",
        "concept": BASE + "concept/induction-head",
    }


def test_limit(graph: Path) -> None:
    assert (
        "People (3)\n  Ada Bly (2 papers)\n  … and 2 more\n"
        in run(graph, "IH", "--limit", "1").output
    )


def test_several_are_listed(graph: Path) -> None:
    done = run(graph, "smith")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"person  Jim Smith  {BASE}person/jim-smith\n"
        f"person  Jo Smith  {BASE}person/jo-smith\n"
        'Error: "smith" means 2 things; show one of them by its IRI\n'
    )


def test_kind_tells_apart(tmp_path: Path) -> None:
    more = TURTLE + '<person/ih> a foaf:Person ; foaf:name "IH" ; rdfs:label "IH" .\n'
    graph = build(tmp_path / "graph", turtle=more)
    assert run(graph, "IH").output.startswith("IH\nperson\n")  # a label goes before an alias
    assert run(graph, "IH", "--kind", "concept").output == CONCEPT


@pytest.mark.parametrize(
    ("name", "near"),
    [("induction heat", "near it are: induction head"), ("Müller", "near it are: Zoë Müller")],
)
def test_none_gives_near_ones(graph: Path, name: str, near: str) -> None:
    done = run(graph, name)
    assert done.exit_code == 2
    assert f'there is no concept, person or paper called "{name}" in the graph' in done.stderr
    assert near in done.stderr


def test_nothing_near(graph: Path) -> None:
    done = run(graph, "qqqq", "--kind", "paper")
    assert done.stderr == 'Error: there is no paper called "qqqq" in the graph\n'
    assert run(graph, BASE + "concept/none").exit_code == 2
    assert run(graph, "<not an iri>").exit_code == 2


def test_labels_cannot_steer_the_terminal(tmp_path: Path) -> None:
    label = '"a\\u001b[2J b"'
    more = TURTLE + f"<concept/e> a skos:Concept, kg:Method ; skos:prefLabel {label}@en .\n"
    graph = build(tmp_path / "graph", turtle=more)
    assert run(graph, BASE + "concept/e").output.startswith("a [2J b\nconcept · method\n")


@pytest.mark.parametrize(
    "name",
    ["induction heads", "induction-head", "Induction-Heads", "IHs", "concept:induction-head"],
)
def test_plurals_hyphens_and_short_iris(graph: Path, name: str) -> None:
    done = run(graph, name)
    assert (done.exit_code, done.output) == (0, CONCEPT)


def test_short_iris(graph: Path) -> None:
    assert run(graph, "person:ada-bly").output.startswith("Ada Bly\nperson\n")
    assert run(graph, "paper:arxiv/2401.00001").output.startswith("Heads that copy\n")
    assert run(graph, "concept:none").exit_code == 2
    assert run(graph, "paper: a title with a colon").exit_code == 2


def test_only_concepts_have_a_plural_and_only_one_is_guessed(tmp_path: Path) -> None:
    more = "".join(
        f'<concept/{n}> a skos:Concept, kg:Task ; skos:prefLabel "{label}"@en .\n'
        for n, label in enumerate(["data set", "dataset", "pre-training", "policies", "boss"])
    )
    graph = build(tmp_path / "graph", turtle=TURTLE + more)
    assert run(graph, "ada blys").exit_code == 2
    assert run(graph, "ada-bly").exit_code == 0
    assert run(graph, "Data-Sets").exit_code == 2
    assert run(graph, "pretraining").output.startswith("pre-training\n")
    assert run(graph, "policy").output.startswith("policies\n")
    assert run(graph, "bos").exit_code == 2


def test_stray_bytes_are_refused(graph: Path) -> None:
    done = run(graph, "x\udcff")
    assert (done.exit_code, done.stderr) == (2, 'Error: "x\\udcff" is not UTF-8\n')
