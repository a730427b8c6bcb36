"""Reviewing: doubtful pairs are found and proposed, and every one or two is explained."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Quad

from kg.cli import main
from kg.identity import identify
from kg.identity.curation import Ruler
from kg.identity.curation_file import parse_curation
from kg.identity.evidence import facts
from kg.identity.papers import link, words_of_titles
from kg.model import Extraction, Mention, Name, Record, RecordConcept, Source
from kg.queries.find import find
from kg.rdf.categories import load_categories
from kg.rdf.dataset import describe_dataset
from kg.rdf.describe import describe
from kg.rdf.iris import Iris
from kg.read import read_again
from kg.review.papers import weigh
from kg.store import Generation, locked, open_store

ROWS = Source("rows.jsonl", "json-lines")
LIST = Source("list.jsonl", "json-lines")
PAGE = Source("ada.txt", "author-page", "Ada Example")
WORDS = (
    "we show that every widget in the plane can be turned into a gadget by a finite number of "
    "moves and that the number of moves grows only with the logarithm of its size"
)
NAMES = {
    "Turning Widgets into Gadgets": ("RLX", "colour model"),
    "Bayesian Widgets of Today": ("reward loss exchange", "color model"),
}


def record(source: Source, position: int, **fields) -> Record:
    """A record as kg reads it from the text of a source."""
    if source.format == "author-page":
        raw = f"arXiv2020\n\n{fields['title']}\n\n{fields['abstract']}\n\ncs.LG↗"
    else:
        names, orcids = fields.pop("authors", ()), fields.pop("orcids", ())
        pairs = zip_longest(names, orcids, fillvalue="")
        fields["authors"] = [{"name": name, "orcid": orcid} for name, orcid in pairs]
        raw = json.dumps(fields)
    found = read_again(source, position, position, raw)
    assert found is not None
    return found


RECORDS = [
    record(ROWS, 1, id="w1", title="Turning Widgets into Gadgets", abstract=WORDS, year=2020,
           authors=("Ada Example", "Bo Frei"), arxiv="2001.00001"),
    record(PAGE, 2, title="Turning Widgets into Gadgets", abstract=WORDS + " now"),
    record(ROWS, 3, title="Bayesian Widgets of Today", authors=("Ada Example", "Cem Gül"),
           year=2013),
    record(LIST, 4, title="Bayesian Widgets of Today", authors=("Dai Hu", "Ada Example"),
           year=2019),
    record(LIST, 5, title="On Moving Gadgets About", authors=("A. Frei", "Ada Example")),
    record(LIST, 6, title="On Moving Gadgets Again", authors=("Anna Frei", "Ada Example"),
           abstract=WORDS),
]  # fmt: skip


def found(title: str, abstract: str) -> Extraction:
    concepts = []
    for name in NAMES.get(title, ()):
        alias = (Name("RLX", "RLX", True),) if name == "reward loss exchange" else ()
        mention = Mention("title", 0, 1, title[0], 0.9)
        key = name if name.isupper() else name.lower()
        concepts.append(RecordConcept(Name(name, key), "Method", 1, False, (mention,), alias))
    return Extraction(tuple(concepts))


def make(graph: Path, curation: str = "", records: list[Record] = RECORDS) -> Path:
    iris = Iris()
    identity = identify(records, found, ruler=Ruler(parse_curation(curation)))
    triples = list(describe(identity, iris, load_categories()))
    triples += describe_dataset(identity, iris, len(triples), {"kg": ("kg", "0")})
    with locked(graph):
        generation = Generation(graph)
        generation.load(Quad(t.subject, t.predicate, t.object) for t in triples)
        generation.swap_in()
    return graph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("review") / "graph")


def kg(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


def rows(graph: Path, *args: object) -> list[dict]:
    result = kg("review", "-g", graph, "--format", "json", *args)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_doubtful_pairs_of_each_kind_are_found(graph: Path):
    pairs = {(row["kind"], *sorted(row["labels"])): row["why"] for row in rows(graph)}
    title = "Bayesian Widgets of Today"
    assert pairs["paper", title, title].startswith("one title; the authors cannot be") or pairs[
        "paper", title, title
    ].startswith("one title; ")
    assert "6 years apart" in pairs["paper", title, title]
    assert (
        "under two titles"
        in pairs["paper", "On Moving Gadgets Again", "Turning Widgets into Gadgets"]
    )
    assert pairs["person", "A. Frei", "Anna Frei"] == "both wrote with Ada Example"
    assert pairs["concept", "color model", "colour model"] == "one name in two spellings"
    assert '"RLX" is a short or other name' in pairs["concept", "RLX", "reward loss exchange"]


def test_kinds_and_limits(graph: Path):
    assert {row["kind"] for row in rows(graph, "--kind", "person")} == {"person"}
    result = kg("review", "-g", graph, "--kind", "concept", "--limit", 1)
    assert result.exit_code == 0
    assert result.stdout.count("  concept: ") == 1
    assert "pairs more; see them with --limit" in result.stderr


def test_proposals_are_added_once_and_hold_when_confirmed(graph: Path, tmp_path: Path):
    file = tmp_path / "curation.toml"
    file.write_text('# mine\n[[drop]]\nconcept = "nothing"\n')
    number = len(rows(graph))
    told = kg("review", "-g", graph, "-o", file, "--limit", 1).stdout
    assert told == f"3 proposals added to {file}, 3 in all\n"
    told = kg("review", "-g", graph, "-o", file).stdout
    assert told == f"{number - 3} proposals added to {file}, {number} in all\n"
    told = kg("review", "-g", graph, "-o", tmp_path / "new.toml", "--limit", 1).stdout
    assert told == f"3 proposals in {tmp_path / 'new.toml'}\n"
    text = file.read_text()
    assert text.startswith("# mine\n[[drop]]\n")
    proposed = parse_curation(text)
    assert len(proposed.entries) == 1
    assert len(proposed.proposals) == len(rows(graph))
    assert "0 proposals" in kg("review", "-g", graph, "-o", file).output
    assert rows(graph, "--curation", file) == []
    confirmed = text.replace("confirm = false\n", "")
    pairs = [entry for entry in parse_curation(confirmed).entries if entry.kind == "concept"]
    assert ("concept:colour-model" in pairs[1].names) or ("concept:colour-model" in pairs[2].names)
    ruling = '[[same]]\nconcept = ["colour model", "color model"]\n'
    ruled = make(tmp_path / "graph", ruling)
    result = kg("explain", "-g", ruled, "colour model", "color model")
    assert "They are one concept." in result.stdout
    assert "ruled by a person: curation.toml:1" in result.stdout


def test_review_needs_a_graph_and_a_file(graph: Path, tmp_path: Path):
    assert kg("review", "-g", tmp_path / "none").exit_code == 2
    assert kg("review", "-g", graph, "-o", "-").exit_code == 2
    broken = tmp_path / "broken.toml"
    broken.write_text("[[same]\n")
    result = kg("review", "-g", graph, "-o", broken)
    assert result.exit_code == 2
    assert "broken.toml:1: is no TOML" in result.stderr
    assert broken.read_text() == "[[same]\n"
    broken.write_bytes(b"\xfc\n")
    result = kg("review", "-g", graph, "-o", broken)
    assert result.exit_code == 2
    assert "broken.toml:1: byte 0xFC is not UTF-8" in result.stderr


def explained(graph: Path, a: str, b: str, *args: str) -> dict:
    result = kg("explain", "-g", graph, a, b, "--format", "json", *args)
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout)
    return row | {"text": "\n".join([row["verdict"], *row["reasons"]])}


def test_one_paper_is_explained_by_its_grounds_and_records(graph: Path):
    row = explained(graph, "rows.jsonl, record 1", "ada.txt, record 2")
    assert row["one"]
    assert (
        "same title: turning widgets into gadgets (ada.txt, record 2; rows.jsonl, record 1)"
        in row["reasons"]
    )
    assert "record: ada.txt, record 2, line 2" in row["reasons"]


def test_two_papers_are_explained_by_the_rule_that_parts_them(graph: Path):
    row = explained(graph, "rows.jsonl, record 3", "list.jsonl, record 4")
    assert not row["one"]
    assert "titles: equal" in row["text"]
    assert "years: 2013 and 2019" in row["text"]
    row = explained(graph, "On Moving Gadgets Again", "arXiv:2001.00001")
    assert "their titles differ" in row["verdict"]
    assert "abstracts: one text (100% of the words run alike)" in row["reasons"]


def test_two_people_and_two_concepts_are_explained(graph: Path):
    row = explained(graph, "A. Frei", "Anna Frei")
    assert "a likeness of names alone joins nobody" in row["verdict"]
    assert "co-authors in common: Ada Example" in row["reasons"]
    row = explained(graph, "Ada Example", "Bo Frei")
    assert "one paper has both among its authors" in row["verdict"]
    row = explained(graph, "RLX", "reward loss exchange", "--kind", "concept")
    assert '"RLX" is a name of both' in row["verdict"]


def test_the_records_own_values_are_compared(tmp_path: Path):
    title = "Turning Widgets into Gadgets"
    one = {"title": title, "arxiv": "2401.00001", "authors": ("Ada Bo", "Jo Du")}
    records = [
        record(ROWS, 1, id="1", year=1998, **one),
        record(ROWS, 2, id="2", year=2004, **one),
        record(ROWS, 3, id="3", title=title, year=2005, authors=("Ada Bo", "Xu Li")),
    ]
    graph = make(tmp_path / "graph", records=records)
    for position, year in ((1, 1998), (2, 2004)):
        row = explained(graph, "rows.jsonl, record 3", f"rows.jsonl, record {position}")
        assert "a source has both" in row["verdict"]
        assert {f"years: {year} and 2005", f"years: 2005 and {year}"} & {*row["reasons"]}
        assert f"rows.jsonl, record {position}" in row["reasons"][-1]
        assert "one source has both under two ids" in row["text"]


def test_an_identifier_that_is_outweighed_is_named(tmp_path: Path):
    records = [
        record(ROWS, 1, title="Turning Widgets into Gadgets", doi="10.1000/q", authors=("Ada Bo",)),
        record(LIST, 1, title="Dense Forests in Spain", doi="10.1000/q", authors=("Emmy Noe",)),
    ]
    row = explained(
        make(tmp_path / "graph", records=records), *(f"{r.source.name}, record 1" for r in records)
    )
    assert "their titles differ, and the rest outweighs the DOI 10.1000/q" in row["verdict"]
    assert "one DOI 10.1000/q, which the rest outweighs" in row["reasons"]


def test_nearly_one_title_of_other_authors(tmp_path: Path):
    title = "{} the Loss Spikes of Lean Transformers in Training"
    for number, name in enumerate(("Xu Li", "A. Bo")):
        records = [
            record(ROWS, 1, title=title.format("Removing"), abstract=WORDS, authors=("Ada Bo",)),
            record(LIST, 1, title=title.format("Taming"), abstract=WORDS, authors=(name,)),
        ]
        graph = make(tmp_path / str(number), records=records)
        row = explained(graph, "rows.jsonl, record 1", "list.jsonl, record 1")
        assert row["verdict"] == (
            "They are one paper." if number else "They are two papers: no author in common."
        )


TITLES = ("", "Editorial", "Turning Widgets into Gadgets", "Turning Widgets into Gadgets: A View",
          "Turning Widgets into Gadgtes", "Turning Small Widgets into Gadgets Now",
          "Learning in C++", "Learning in C")  # fmt: skip
ANY_RECORD = st.builds(
    record,
    st.sampled_from((ROWS, LIST)),
    st.integers(1, 2),
    id=st.sampled_from(("", "c1", "c2", "x")),
    title=st.sampled_from(TITLES),
    abstract=st.sampled_from(("", WORDS, WORDS + " now", WORDS[::-1], "No abstract available.")),
    doi=st.sampled_from(("", "10.1000/q")),
    arxiv=st.sampled_from(("", "2401.00001", "2401.00002")),
    year=st.sampled_from((None, 2000, 2001, 2010)),
    authors=st.sampled_from(((), ("Ada Bo",), ("A. Bo", "Jo Du"), ("Ada Bo", "Jo Du"), ("Xu Li",))),
)


@settings(max_examples=500)
@given(
    ANY_RECORD.filter(lambda r: r.title or r.abstract),
    ANY_RECORD.filter(lambda r: r.title or r.abstract),
)
def test_what_is_said_of_two_records_is_what_linking_makes_of_them(one: Record, other: Record):
    strength, why = weigh(
        facts(one),
        facts(other),
        lambda words: words_of_titles(set(words), (one.title, other.title)),
    )
    assert why
    if one != other:
        assert bool(strength) is (len(list(link([one, other]))) == 1), why


def test_what_cannot_be_explained_is_said_in_a_line(graph: Path):
    for a, b, message in [
        ("Ada Example", "RLX", "name two things of one kind"),
        ("nobody", "Ada Example", "there is no"),
    ]:
        result = kg("explain", "-g", graph, a, b)
        assert result.exit_code == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_an_old_iri_leads_to_the_thing(graph: Path):
    store = open_store(graph)
    (thing,) = find(store, "https://w3id.org/kg/id/paper/turning-widgets-into-gadgets")
    assert thing.iri == "https://w3id.org/kg/id/paper/arxiv/2001.00001"
    (thing,) = find(store, "paper:turning-widgets-into-gadgets")
    assert thing.label == "Turning Widgets into Gadgets"
    # One that stood for what are two papers now leads to both.
    assert len(find(store, "paper:bayesian-widgets-of-today")) == 2


def reason(graph: Path, *args: object) -> dict:
    result = kg("explain", *args, "-g", graph, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        ("person", "Ada Example", "A. Example"),
        ("concept", "RLX", "reward loss exchange"),
        ("paper", "rows.jsonl, record 1", "list.jsonl, record 9"),
    ],
)
def test_a_ruling_is_the_reason_that_is_given(tmp_path: Path, kind: str, a: str, b: str):
    again = record(LIST, 9, title="Turning Widgets into Gadgets", abstract=WORDS, year=2020,
                   authors=("A. Example", "Bo Frei"))  # fmt: skip
    rules = tmp_path / "mine.toml"
    rules.write_text(
        f'[[drop]]\nperson = "Dai Hu"\n\n[[never]]\n{kind} = ["{b}", "{a}"]\n', encoding="utf-8"
    )
    before = make(tmp_path / "before", records=[*RECORDS, again])
    if kind != "concept":
        assert reason(before, a, b, "--kind", kind)["one"]
    graph = make(tmp_path / "after", rules.read_text(encoding="utf-8"), [*RECORDS, again])
    given = reason(graph, a, b, "--kind", kind, "--curation", rules)
    plural = {"person": "people"}.get(kind, f"{kind}s")
    assert given["verdict"] == f"They are two {plural}: mine.toml:4 keeps them apart."
    without = reason(graph, a, b, "--kind", kind)
    assert not without["one"]
    assert "another record or a person" not in without["verdict"]


def test_things_are_found_by_identifiers_in_any_form(tmp_path: Path):
    orcid = "0000-0002-1825-0097"
    records = [
        record(ROWS, 1, id="x1", title="Turning Widgets into Gadgets", arxiv="math/0309136",
               doi="10.1000/abc", authors=("Ada Example",), orcids=(orcid,)),
        record(ROWS, 2, id="x2", title="Bayesian Widgets of Today", authors=("Bo Frei",)),
    ]  # fmt: skip
    graph = make(tmp_path / "graph", records=records)
    for name in ("math.GT/0309136v2", "https://doi.org/10.1000/ABC", "x1", "rows.jsonl, record 1"):
        given = reason(graph, name, "x2")
        assert given["labels"] == ["Turning Widgets into Gadgets", "Bayesian Widgets of Today"]
    for name in (orcid, f"https://orcid.org/{orcid}", f"orcid:{orcid}"):
        assert reason(graph, name, "Ada Example")["one"]


def test_the_linking_benchmark_says_how_it_is_called():
    script = Path(__file__).parent.parent / "benchmarks" / "linking.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (
        "usage: python benchmarks/linking.py FOLDER A.jsonl B.jsonl PAIRS.json [-v]\n"
    )
