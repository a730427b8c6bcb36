"""Laws that hold on every real input: offsets, whole graphs, the same bytes in any order."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import Store

from kg.build import build, read_inputs
from kg.concepts import load
from kg.export import export
from kg.identity import identify
from kg.identity.titles import read_title
from kg.model import Extraction, Record
from kg.read import read
from kg.store import open_store

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
SEEDS = sorted(map(str, (SHARED / "seeds").glob("*.txt")))

ANTHOLOGY = "mlanthology-80k.jsonl"

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the real inputs in ../shared, which are not part of kg"
)


def real_texts() -> Iterator[tuple[str, str]]:
    """Titles and abstracts as real sources have them; whole .abs files as the hardest."""
    for path in SEEDS:
        for item in read(path).items:
            if isinstance(item, Record):
                yield item.title, item.abstract
    for name in ("gold/dev.jsonl", "data/arxiv/kaggle-snapshot-first200.jsonl"):
        for line in (SHARED / name).open(encoding="utf-8"):
            row = json.loads(line)
            yield row["title"], row["abstract"]
    for path in sorted((SHARED / "data/arxiv/abs").glob("*.abs"))[::5]:
        yield path.name, path.read_bytes().decode("utf-8", "replace")
    with gzip.open(SHARED / "data/mlanthology-80k.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in itertools.islice(file, 0, 40_000, 400):
            row = json.loads(line)
            yield row["title"], row["text"]


@needs_shared
def test_every_mention_is_the_slice_of_its_source():
    texts = list(real_texts())
    mentions = 0
    for (title, abstract), found in zip(texts, load().extract(texts), strict=True):
        sources = {"title": title, "abstract": abstract}
        places = sorted(
            (m.field, m.start, m.end) for concept in found.concepts for m in concept.mentions
        )
        for (field, _, end), (after, start, _) in itertools.pairwise(places):
            assert field != after or end <= start, "mentions overlap"
        for concept in found.concepts:
            assert concept.mentions
            for m in concept.mentions:
                assert sources[m.field][m.start : m.end] == m.text
                assert m.text == m.text.strip() != ""
                assert 0 <= m.confidence <= 1
                mentions += 1
    assert mentions > 5000


def turtle(store: Store, path: Path) -> bytes:
    with path.open("wb") as file:
        export(store, "turtle", file)
    return path.read_bytes()


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = tmp_path_factory.mktemp("seeds") / "graph"
    summary = build(read_inputs(SEEDS), graph, jobs=2)
    assert (summary.records, summary.notes, summary.violations) == (74, 2, 0)
    return graph


@needs_shared
def test_order_and_processes_change_no_byte_of_the_seeds(seeds: Path, tmp_path: Path):
    build(read_inputs(SEEDS[::-1]), tmp_path / "graph", jobs=1)
    assert turtle(open_store(tmp_path / "graph"), tmp_path / "1") == turtle(
        open_store(seeds), tmp_path / "2"
    )


@needs_shared
def test_increments_change_no_byte_of_the_seeds(seeds: Path, tmp_path: Path):
    for upto in (1, 3, 5):
        build(read_inputs(SEEDS[-upto:]), tmp_path / "graph", jobs=1, validate=False)
    assert turtle(open_store(tmp_path / "graph"), tmp_path / "1") == turtle(
        open_store(seeds), tmp_path / "2"
    )


def ask(graph: Path, query: str) -> list[tuple[str, ...]]:
    prefixes = {
        "dcterms": "http://purl.org/dc/terms/",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "prov": "http://www.w3.org/ns/prov#",
        "schema": "http://schema.org/",
        "skos": "http://www.w3.org/2004/02/skos/core#",
    }
    rows = open_store(graph).query(query, prefixes=prefixes)
    return [tuple(value.value for value in row) for row in rows]  # type: ignore[union-attr]


@needs_shared
def test_three_papers_of_the_seeds_stand_on_two_pages(seeds: Path):
    found = ask(
        seeds,
        """SELECT ?title (GROUP_CONCAT(?name; separator=", ") AS ?names) {
             SELECT ?title ?name { ?paper dcterms:title ?title ; dcterms:creator/foaf:name ?name }
             ORDER BY ?title ?name
           } GROUP BY ?title HAVING (COUNT(?name) > 1) ORDER BY ?title""",
    )
    both = "Alberto Bietti, Vivien Cabannes"
    assert found == [
        ("Birth of a Transformer: A Memory Viewpoint", both),
        ("Learning Associative Memories with Gradient Descent", both),
        ("Scaling Laws for Associative Memories", both),
    ]


@needs_shared
def test_abstracts_of_the_lists_are_the_papers_of_the_pages_but_for_two(seeds: Path):
    untitled = ask(
        seeds,
        """SELECT ?abstract { ?paper dcterms:abstract ?abstract ; skos:note ?note
             FILTER NOT EXISTS { ?paper dcterms:title ?title } } ORDER BY ?abstract""",
    )
    assert [abstract[:24] for (abstract,) in untitled] == [
        "In the rapidly evolving ",
        "This paper introduces a ",
    ]
    versions = ask(
        seeds,
        """SELECT ?source { ?paper dcterms:title "Learning with Hidden Factorial Structure" ;
             prov:wasDerivedFrom/dcterms:source ?source } ORDER BY ?source""",
    )
    assert [source[:3] for (source,) in versions] == ["000", "001", "003"]


@needs_shared
def test_induction_head_has_its_papers_and_authors(seeds: Path):
    found = ask(
        seeds,
        """SELECT DISTINCT ?title ?name { ?concept skos:prefLabel "induction head"@en .
             ?paper schema:mentions ?concept ; dcterms:title ?title ;
             dcterms:creator/foaf:name ?name } ORDER BY ?title ?name""",
    )
    assert ("Birth of a Transformer: A Memory Viewpoint", "Alberto Bietti") in found
    assert ("Birth of a Transformer: A Memory Viewpoint", "Vivien Cabannes") in found
    assert {name for _, name in found} >= {"Nicolas Flammarion"}


@needs_shared
def test_papers_of_the_seeds_in_the_anthology_are_one_with_all_authors():
    """Each paper of a seed page that the anthology has by title, and no other, is joined to it."""
    anthology = SHARED / "data/mlanthology-80k.jsonl.gz"
    inputs = read_inputs([*SEEDS, str(anthology)])
    of_seeds = {read_title(r.title).key for r in inputs.records if r.source.name != ANTHOLOGY}
    of_seeds.discard("")
    some = [
        r
        for r in inputs.records
        if r.source.name != ANTHOLOGY or read_title(r.title).key in of_seeds or r.position % 20 == 0
    ]
    papers = identify(some, lambda title, abstract: Extraction()).papers
    joined = 0
    for paper in papers:
        pages = [r for r in paper.records if r.source.name != ANTHOLOGY]
        if not pages:
            continue
        assert len({read_title(r.title).key for r in pages} - {""}) <= 1, "two seed papers in one"
        held = [r for r in paper.records if r.source.name == ANTHOLOGY]
        if held:
            joined += 1
            assert len(paper.authors) == len(held[0].authors) > 1
            assert set(paper.authors) == set(paper.creators)
    assert joined == 12
    titles = [read_title(r.title).key for p in papers for r in p.records if r.title]
    of = {read_title(r.title).key: paper.key for paper in papers for r in paper.records if r.title}
    assert len(titles) > len(of)
    for paper in papers:
        for r in paper.records:
            if (key := read_title(r.title).key) in of_seeds:
                assert of[key] == paper.key, "a title of the seeds is two papers"
