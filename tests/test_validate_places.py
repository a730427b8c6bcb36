"""The lines of nodes and triples in files of one triple a line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode

from kg.validate import places
from kg.validate.places import locate
from kg.validate.read import read

LINES = r"""# <http://e/a> <http://e/p> "a comment" .

<http://e/b> <http://e/p> <http://e/a> .
  <http://e/a>	<http://e/q> "<http://e/c> <http://e/p> 1 ." . # more
<http://e/\u00E9> <http://e/p> "1" .
<http://e/a> <http://e/p> "x\ny"@en .
<http://e/a> <http://e/p> "007"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:x <http://e/p> <http://e/é> .
"""
A, C, E, P = (NamedNode(f"http://e/{name}") for name in "acép")
TEXT = Literal("x\ny", language="en")
NUMBER = Literal("007", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
KEYS: dict[places.Key, int | None] = {
    (A,): 4,
    (A, P): 6,
    (A, P, TEXT): 6,
    (A, P, NUMBER): 7,
    (A, P, Literal("7")): None,
    (E,): 5,
    (E, P, Literal("1")): 5,
    (C,): None,  # within a text
}


@pytest.mark.parametrize("name", ["d.nt", "d.nq", "d.nt.gz", "d.ttl", "d"])
@pytest.mark.parametrize("blank", [False, True])
def test_lines(tmp_path: Path, name: str, blank: bool) -> None:
    file = tmp_path / name
    content = b"\xef\xbb\xbf" + LINES.encode()
    file.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    data = read([file])
    keys = dict(KEYS)
    if blank:  # then all of the file is read, as it counts the blank nodes
        keys |= {(BlankNode("b0"),): 8, (BlankNode("b0"), P, E): 8}
    found = locate(data, keys)
    assert {key: found[key].line if key in found else None for key in keys} == keys
    assert {place.source for place in found.values()} == {str(file)}


def test_a_file_that_has_changed_gives_no_place(tmp_path: Path) -> None:
    file = tmp_path / "d.nt"
    file.write_text(LINES, encoding="utf-8")
    data = read([file])
    file.write_text("<http://e/a> is broken\n", encoding="utf-8")
    assert locate(data, KEYS) == {}
    file.unlink()
    assert locate(data, KEYS) == {}
