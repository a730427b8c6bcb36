"""The store: generations are swapped whole, and a failed one leaves the last in place."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from kg.errors import GraphError
from kg.store import Generation, generation, locked, open_store

P = NamedNode("http://e.org/p")


def fill(graph: Path, number: int) -> Generation:
    new = Generation(graph)
    new.load([Quad(P, P, Literal(number))])
    return new


def held(graph: Path) -> list[str]:
    return [quad.object.value for quad in open_store(graph)]


def test_a_new_generation_replaces_the_last_when_swapped_in(tmp_path: Path):
    fill(tmp_path, 1).swap_in()
    second = fill(tmp_path, 2)
    assert held(tmp_path) == ["1"]
    second.swap_in()
    assert held(tmp_path) == ["2"]


def test_readers_of_the_last_generation_go_on(tmp_path: Path):
    fill(tmp_path, 1).swap_in()
    reader = open_store(tmp_path)
    fill(tmp_path, 2).swap_in()
    assert [quad.object.value for quad in reader] == ["1"]


def test_discarded_and_abandoned_generations_leave_nothing(tmp_path: Path):
    fill(tmp_path, 1).swap_in()
    fill(tmp_path, 2).discard()
    assert held(tmp_path) == ["1"]
    abandoned = fill(tmp_path, 3)
    del abandoned
    fill(tmp_path, 4).swap_in()
    assert held(tmp_path) == ["4"]
    assert len(list((tmp_path / "generations").iterdir())) <= 2


def test_no_graph_says_how_to_make_one(tmp_path: Path):
    with pytest.raises(GraphError, match="no graph here; make one with: kg build"):
        generation(tmp_path / "nothing")


def test_damaged_graph_is_an_error_of_one_line(tmp_path: Path):
    (tmp_path / "CURRENT").write_text("000009\n")
    with pytest.raises(GraphError, match="cannot be opened") as error:
        open_store(tmp_path)
    assert "\n" not in str(error.value)


def test_two_builds_at_once(tmp_path: Path):
    with locked(tmp_path), pytest.raises(GraphError, match="another build"), locked(tmp_path):
        pass


def test_readers_write_nothing(tmp_path: Path):
    fill(tmp_path, 1).swap_in()
    with pytest.raises(RuntimeError, match="read-write"):
        open_store(tmp_path).add(Quad(P, P, P))
