"""A build whose graph does not conform, and one that is told to end: the last graph stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kg.cli import main
from kg.export import export
from kg.resources import folder
from kg.store import open_store
from kg.validate import shapes as bundled

EXAMPLES = sorted(str(path) for path in (Path(__file__).parent.parent / "examples").glob("*.txt"))
# What no paper of ours should be called, so that some inputs make a graph that does not conform.
STRICTER = """\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
<urn:stricter> a sh:NodeShape ; sh:targetClass schema:ScholarlyArticle ;
  sh:property [ sh:path rdfs:label ; sh:pattern "^[^%]*$" ; sh:severity sh:{severity} ] .
"""
GOOD = '{"title": "Loss Spikes in Lean Transformers", "abstract": "We study loss spikes."}\n'
BAD = '{"title": "90 % Loss Spikes in Lean Transformers", "abstract": "We study loss spikes."}\n'


@pytest.fixture
def stricter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts one more shape, of some severity, among those of kg."""
    place = tmp_path / "shapes"
    shutil.copytree(folder("shapes"), place)

    def add(severity: str) -> None:
        (place / "stricter.ttl").write_text(STRICTER.replace("{severity}", severity))
        bundled._bundled.cache_clear()

    monkeypatch.setattr(bundled, "folder", lambda name: place)
    yield add
    bundled._bundled.cache_clear()


def kg(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments), "-j", "1"])


def turtle(graph: Path) -> bytes:
    with (graph.parent / "out.ttl").open("wb") as file:
        export(open_store(graph), "turtle", file)
    return (graph.parent / "out.ttl").read_bytes()


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_graph_that_does_not_conform_is_not_taken(
    tmp_path: Path, stricter: Callable[[str], None]
) -> None:
    stricter("Violation")
    graph = tmp_path / "graph"
    good, bad = written(tmp_path / "good.jsonl", GOOD), written(tmp_path / "bad.jsonl", BAD)

    first = kg("build", bad, "-g", graph)
    assert first.exit_code == 1
    assert "There is no graph yet; take the new one with --keep-invalid." in first.stderr
    assert not (graph / "CURRENT").exists()

    assert kg("build", good, "-g", graph).exit_code == 0
    assert not (graph / "violations.txt").exists()
    before = turtle(graph)

    refused = kg("build", bad, "-g", graph)
    assert refused.exit_code == 1
    assert "Error: the graph does not conform" in refused.stderr
    assert "The graph that was there stays in use" in refused.stderr
    assert "rdfs:label is not written in the form" in (graph / "violations.txt").read_text()
    assert turtle(graph) == before
    assert [path.name for path in (graph / "generations").iterdir() if path.suffix == ""] == [
        (graph / "CURRENT").read_text().strip()
    ]

    kept = kg("build", bad, "-g", graph, "--keep-invalid")
    assert kept.exit_code == 1
    assert b"90 % Loss Spikes" in turtle(graph)
    assert (graph / "violations.txt").exists()

    assert kg("build", good, "-g", graph, "--no-validate").exit_code == 0
    assert turtle(graph) == before
    assert not (graph / "violations.txt").exists()  # which was of another graph


def test_warnings_do_not_keep_a_graph_away(tmp_path: Path, stricter: Callable[[str], None]) -> None:
    stricter("Warning")
    graph = tmp_path / "graph"
    done = kg("build", written(tmp_path / "bad.jsonl", BAD), "-g", graph)
    assert (done.exit_code, (graph / "CURRENT").exists()) == (0, True)
    assert "1 warning" in (graph / "violations.txt").read_text()


def _hearing() -> None:
    """In the child: a shell has what it starts in the background take no notice of signals."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_build_that_is_told_to_end_leaves_the_graph_and_nothing_else(
    tmp_path: Path, told: signal.Signals
) -> None:
    graph, scratch = tmp_path / "graph", tmp_path / "scratch"
    scratch.mkdir()
    assert kg("build", *EXAMPLES, "-g", graph).exit_code == 0
    before = turtle(graph)
    command = [sys.executable, "-m", "kg.cli", "build", *EXAMPLES, "-g", str(graph), "-j", "1"]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.DEVNULL, preexec_fn=_hearing
    ) as process:
        while not (graph / "generations" / "000002").exists():
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(told)
        assert process.wait(timeout=60) == 128 + told
    assert turtle(graph) == before
    assert list(scratch.iterdir()) == []
    assert not (graph / "generations" / "000002").exists()
