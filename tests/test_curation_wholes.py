"""Curation: what a person makes one is one whole, and a name means what lives under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kg.cli import main
from kg.errors import UsageError
from kg.identity import identify
from kg.identity.curation import Curation, Entry, Kind, Ruler
from kg.identity.curation_file import parse_curation
from kg.model import Extraction, Identity, Mention, Name, Record, RecordConcept, Source
from kg.rdf.iris import Iris

TITLE = "Lean wild bees of France today"
ADA, JO = "0000-0002-1825-0097", "0000-0001-5109-3700"


def mint(kind: Kind, key: str, base: str = "https://example.org/") -> str:
    iris = Iris(base)
    return {"paper": iris.paper, "person": iris.person, "concept": iris.concept}[kind](key).value


def nothing(title: str, abstract: str) -> Extraction:
    return Extraction()


def record(number: int, file: str = "a.jsonl", **fields: object) -> Record:
    fields = {"title": TITLE, "authors": ("Ada Bo", "Jo Du"), "id": str(number)} | fields
    return Record(Source(file, "json-lines"), number, number, f"{number} {fields}", **fields)


def ruler(text: str) -> Ruler:
    return Ruler(parse_curation(text), mint)


def ruled(records: Iterable[Record], text: str) -> Identity:
    return identify(records, nothing, ruler=ruler(text))


def parts(identity: Identity) -> set[frozenset[Record]]:
    return {frozenset(paper.records) for paper in identity.papers}


VERSIONS = [
    record(1, year=2000, doi="10.1000/x"),
    record(2, year=1998),
    record(3, "b.jsonl", year=1998, doi="10.1000/y"),
    record(4, "b.jsonl", year=2000),
]


def test_a_ruling_joins_whole_papers():
    one, two, three, four = VERSIONS
    assert parts(identify(VERSIONS, nothing)) == {frozenset((one, four)), frozenset((two, three))}
    same = '[[same]]\npaper = ["10.1000/x", "10.1000/y"]\n'
    assert parts(ruled(VERSIONS, same)) == {frozenset(VERSIONS)}
    never = '[[never]]\npaper = ["a.jsonl, record 2", "b.jsonl, record 3"]\n'
    assert parts(ruled(VERSIONS, same + never)) == {
        frozenset((one, three, four)),
        frozenset((two,)),
    }


def words(title: str, abstract: str) -> Extraction:
    """Each word is a concept."""
    mention = Mention("title", 0, 1, title[:1], 0.9)
    names = [Name(word, word.replace("-", " ")) for word in title.split()]
    return Extraction(tuple(RecordConcept(n, "Method", 1, False, (mention,)) for n in names))


PAIRS = [
    record(1, title="fine-tuning of bees", doi="10.1000/x", authors=("Ada Bo", "Jo Du")),
    record(2, title="finetuning of bees", doi="10.1000/x", authors=("Ada C. Bo", "Jo Du")),
    record(3, title="pre-training of many wasps", doi="10.1000/y", authors=("Emmy Noether",)),
    record(4, title="pretraining of many wasps", doi="10.1000/y", authors=("Emmy C. Noether",)),
]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("never", "same"),
    [
        ('paper = ["a.jsonl, record 1", "a.jsonl, record 3"]', 'paper = ["2", "4"]'),
        ('person = ["Ada Bo", "Emmy Noether"]', 'person = ["Ada C. Bo", "Emmy C. Noether"]'),
        ('concept = ["fine-tuning", "pre-training"]', 'concept = ["finetuning", "pretraining"]'),
    ],
)
def test_what_is_made_one_as_a_whole_is_not_torn(never: str, same: str, turned: bool):
    text = [f"[[never]]\n{never}\n", f"[[same]]\n{same}\n"]
    asked = ruler("".join(reversed(text) if turned else text))
    with pytest.raises(UsageError, match=r"makes one of what line \d keeps apart"):
        identify(PAIRS, words, ruler=asked)
    # Where the rules make none of them one, the two statements have nothing in common.
    identify([PAIRS[1], PAIRS[3]], words, ruler=asked)


WANGS = [
    record(1, authors=("Wei Wang",), orcids=(ADA,), arxiv="2401.00001"),
    record(2, authors=("Jo Du",), arxiv="2401.00002"),
    record(3, authors=("Wei Wang",), orcids=(JO,), title="Other hives of Spain then"),
    record(4, authors=("Jo Du",)),
]


@given(st.permutations(range(6)))
def test_statements_hold_in_any_order(order: list[int]):
    """What several share is named once they are one, wherever the file says so."""
    statements = [
        '[[same]]\nperson = ["person:wei-wang", "Jo Du"]\n',
        f'[[same]]\nperson = ["orcid:{ADA}", "orcid:{JO}"]\n',
        '[[label]]\nperson = "Wei Wang"\nlabel = "Zed"\n',
        f'[[same]]\npaper = ["{TITLE}", "Other hives of Spain then"]\n',
        '[[same]]\npaper = ["arXiv:2401.00001", "arXiv:2401.00002"]\n',
        f'[[label]]\npaper = "{TITLE}"\nlabel = "P"\n',
    ]
    found = ruled(WANGS, "".join(statements[i] for i in order))
    assert [person.name for person in found.people] == ["Zed"]
    assert [paper.label for paper in found.papers] == ["P"]


def test_one_statement_may_make_one_what_it_names():
    text = f'[[same]]\nperson = ["person:wei-wang", "orcid:{ADA}", "orcid:{JO}"]\n'
    assert len(ruled(WANGS, text).people) == 2
    drop = f'[[drop]]\nperson = "orcid:{ADA}"\n'
    found = ruled(WANGS, f'[[same]]\nperson = ["person:wei-wang", "Jo Du"]\n{drop}')
    assert [person.orcids for person in found.people] == [(JO,)]


@pytest.mark.parametrize("name", ["王伟", "bell hooks", "Wei Wang"])
def test_a_former_iri_of_a_person_is_known_however_it_is_spelt(name: str):
    records = [record(1, authors=(name,), orcids=(ADA,))]
    (person,) = identify(records, nothing).people
    (former,) = person.former
    asked = ruler(f'[[label]]\nperson = "{mint("person", former)}"\nlabel = "Zed"')
    assert [one.name for one in identify(records, nothing, ruler=asked).people] == ["Zed"]
    assert asked.unknown == []


def test_an_orcid_that_never_makes_void_still_leads_to_those_who_have_it():
    records = [
        record(1, authors=("Ada Lindqvist",), orcids=(ADA,)),
        record(2, authors=("Ada Berg",), orcids=(ADA,), title="Other hives of Spain then"),
        record(3, authors=("Jo Du",), title="Kernels in dense forests again"),
    ]
    never = '[[never]]\nperson = ["Ada Lindqvist", "Ada Berg"]\n'
    former = {person.key: person.former for person in ruled(records, never).people}
    key = f"orcid/{ADA}"
    assert former == {"ada berg": (key,), "ada lindqvist": (key,), "jo du": ()}
    with pytest.raises(UsageError, match="names 2 people; name one by its key or IRI: ada berg"):
        ruled(records, f'{never}[[same]]\nperson = ["orcid:{ADA}", "Jo Du"]')


def test_papers_that_a_person_makes_one_keep_their_iris():
    abstract = "We study bidirectional encoders for language."
    records = [
        record(1, title="BERT", abstract=abstract, authors=("Ada Bo",), id=""),
        record(2, title="BERT", abstract=abstract, authors=("Jo Du",), id=""),
        record(3, title="BERT", abstract=abstract, authors=("Cy Em",), id=""),
    ]
    before = {paper.records[0].position: paper.key for paper in identify(records, nothing).papers}
    a, b, c = (before[i] for i in (1, 2, 3))
    found = ruled(records, f'[[same]]\npaper = ["{mint("paper", a)}", "{mint("paper", b)}"]')
    former = {len(paper.records): {paper.key, *paper.former} for paper in found.papers}
    assert {a, b} <= former[2]
    assert c in former[1]
    drop = "".join(f'[[drop]]\npaper = "{mint("paper", key)}"\n' for key in (a, b))
    (paper,) = ruled(records, drop).papers
    assert c in {paper.key, *paper.former}


def test_a_former_iri_of_one_paper_means_that_paper():
    records = [WANGS[0], WANGS[1], WANGS[3]]
    key = "title/lean wild bees of france today"
    assert [key in paper.former for paper in identify(records, nothing).papers] == [False, True]
    found = ruled(records, f'[[label]]\npaper = "{mint("paper", key)}"\nlabel = "Zed"')
    assert [paper.label for paper in found.papers] == ["", "Zed"]


def test_a_ruling_on_a_text_joins_the_paper_that_it_belongs_to():
    abstract = " ".join(f"word{i}" for i in range(30))
    records = [
        record(1, abstract=abstract),
        record(2, title="Quite another name of it all"),
        record(3, "b.jsonl", title="", abstract=abstract, authors=(), doi="10.1000/u"),
    ]
    text = '[[same]]\npaper = ["10.1000/u", "Quite another name of it all"]'
    assert len(identify(records, nothing).papers) == 2
    assert len(ruled(records, text).papers) == 1


def test_a_ruling_joins_whole_people():
    """An ORCID at two names that are co-authors elsewhere."""
    records = [
        record(1, authors=("Ada Bo",), orcids=(ADA,)),
        record(2, title="Other hives of Spain then", authors=("Jo Du",), orcids=(ADA,)),
        record(3, title="Kernels in dense forests again", authors=("Ada Bo", "Jo Du")),
        record(4, title="Fields with many flowers left", authors=("Cy Em",)),
    ]
    before = {person.key for person in identify(records, nothing).people}
    a, b = sorted(before)[0], sorted(before)[-1]
    after = ruled(records, f'[[same]]\nperson = ["{mint("person", a)}", "{mint("person", b)}"]')
    assert len(after.people) == len(before) - 1


fields = st.fixed_dictionaries(
    {
        "title": st.sampled_from([TITLE, f"{TITLE}: a study", "Editorial"]),
        "doi": st.sampled_from(["", "", "10.1000/x", "10.1000/y"]),
        "year": st.sampled_from([1998, 2000, None]),
        "authors": st.sampled_from(
            [("Ada Bo", "Jo Du"), ("A. Bo", "Jo Du"), ("Emmy Noether",), ()]
        ),
        "id": st.sampled_from(["", "c1", "c2"]),
    }
)
rows = st.lists(st.tuples(st.sampled_from(["a.jsonl", "b.jsonl"]), fields), min_size=2, max_size=7)


@given(rows, st.randoms(use_true_random=False))
def test_any_two_things_are_made_one_by_their_iris_and_the_rest_stays(made, random):
    records = [record(i, file, **fields) for i, (file, fields) in enumerate(made, 1)]
    before = identify(records, nothing)
    if len(before.papers) > 1:
        a, b = random.sample(list(before.papers), 2)
        after = parts(named(records, "paper", a.key, b.key))
        assert frozenset(a.records + b.records) in after
        assert len(after) == len(before.papers) - 1
        random.shuffle(records)
        assert parts(named(records, "paper", a.key, b.key)) == after
    if len(before.people) > 1:
        a, b = random.sample(before.people, 2)
        people = named(records, "person", a.key, b.key).people
        assert len(people) == len(before.people) - 1
        known = {key for person in people for key in (person.key, *person.former)}
        assert {a.key, b.key} <= known


def named(records: Sequence[Record], kind: Kind, a: str, b: str) -> Identity:
    entry = Entry("same", kind, (mint(kind, a), mint(kind, b)), line=1)
    asked = Ruler(Curation((entry,)), mint)
    found = identify(records, nothing, ruler=asked)
    assert asked.unknown == []
    return found


def test_an_iri_means_the_paper_that_lives_under_it():
    records = [record(1, doi="10.1000/q"), record(2, authors=("Emmy Noether",))]
    twins = [record(i, title="Editorial", authors=(), id="") for i in (3, 3)]
    twins[1] = Record(Source("b.jsonl", "json-lines"), 3, 3, twins[0].raw, title="Editorial")
    everything = [*records, *twins]
    papers = identify(everything, nothing).papers
    assert len(papers) == 4
    for paper in papers:
        text = f'[[label]]\npaper = "{mint("paper", paper.key)}"\nlabel = "Mine"'
        assert [one.key for one in ruled(everything, text).papers if one.label] == [paper.key]


def test_a_former_iri_of_several_papers_is_refused_until_they_are_one():
    records = [record(1), record(2, authors=("Emmy Noether",))]
    label = '[[label]]\npaper = "https://example.org/paper/lean-wild-bees-of-france-today"\n'
    label += 'label = "Mine"\n'
    with pytest.raises(UsageError, match="names 2 papers; name one by its key or IRI: text/"):
        ruled(records, label)
    (paper,) = ruled(
        records, f'{label}[[same]]\npaper = ["a.jsonl, record 1", "a.jsonl, record 2"]'
    ).papers
    assert paper.label == "Mine"
    drop = '[[drop]]\npaper = "a.jsonl, record 2"'
    assert [paper.label for paper in ruled(records, label + drop).papers] == ["Mine"]


@pytest.mark.parametrize("base", ["https://example.org/person/", "https://example.org/paper/"])
def test_short_names_hold_below_any_base(base: str):
    text = '[[label]]\nperson = "person:ada-bo"\nlabel = "A"\n'
    text += '[[label]]\npaper = "paper:doi/10.1000/paper/x"\nlabel = "P"'
    asked = Ruler(parse_curation(text), lambda kind, key: mint(kind, key, base))
    found = identify([record(1, doi="10.1000/paper/x")], nothing, ruler=asked)
    assert asked.unknown == []
    assert {person.name for person in found.people} == {"A", "Jo Du"}
    assert [paper.label for paper in found.papers] == ["P"]


def test_an_unknown_name_leaves_the_others_ruled():
    records = [record(i, doi="10.1000/q") for i in (1, 2)]
    three = ", ".join(f'"a.jsonl, record {i}"' for i in (1, 2, 9))
    asked = ruler(f"[[never]]\npaper = [{three}]")
    assert len(identify(records, nothing, ruler=asked).papers) == 2
    (warning,) = asked.unknown
    assert "no paper called 'a.jsonl, record 9'" in warning
    assert warning.endswith("; this [[never]] holds for the others")
    names = [record(1, authors=("J. Du",)), record(2, authors=("Jo Du",), doi="10.1000/q")]
    asked = ruler('[[same]]\nperson = ["J. Du", "Nobody At All", "Jo Du"]')
    assert len(identify(names, nothing, ruler=asked).people) == 1
    assert len(asked.unknown) == 1
    asked = ruler('[[never]]\nperson = ["J. Du", "Nobody At All", "Jo Du"]')
    assert len(identify(names, nothing, ruler=asked).people) == 2
    assert [line.rpartition("; ")[2] for line in asked.unknown] == [
        "this [[never]] holds for the others"
    ]


def test_who_is_dropped_leaves_the_others_their_places():
    (paper,) = ruled([record(1)], '[[drop]]\nperson = "Ada Bo"').papers
    assert paper.authors == ("", "jo du")
    assert paper.creators == ("jo du",)


def test_a_former_iri_of_several_people_leads_to_all_of_them():
    page = {"title": TITLE, "authors": ("Wei Wang",)}
    records = [
        record(1, **page, orcids=(ADA,)),
        record(2, authors=("Wei Wang",), title="Other hives of Spain then", orcids=(JO,)),
    ]
    found = identify(records, nothing)
    assert [person.former for person in found.people] == [("wei wang",)] * 2
    records = [
        record(1, authors=("John Smith", "Bo Du"), doi="10.1000/x"),
        record(2, authors=("J. Smith", "Bo Du"), doi="10.1000/x"),
        record(3, authors=("J. Smith",), title="Other hives of Spain then"),
        record(4, authors=("Jane Smith",), title="Kernels in dense forests again"),
    ]
    found = ruled(records, '[[same]]\nperson = ["J. Smith", "Jane Smith"]')
    former = {person.key: person.former for person in found.people}
    assert former == {"bo du": (), "jane smith": ("j smith",), "john smith": ("j smith",)}


def defining(title: str, abstract: str) -> Extraction:
    """ "GNN" is a "graph network" where the abstract says so."""
    at = title.index("GNN")
    name = Name("graph network", "graph network") if abstract else Name("GNN", "GNN", True)
    mention = Mention("title", at, at + 3, "GNN", 0.9)
    return Extraction((RecordConcept(name, "Method", 1, False, (mention,)),))


def test_a_concept_that_a_fuller_record_names_otherwise_keeps_its_iri():
    records = [record(1, title="Training GNN for bees", doi="10.1000/x")]
    assert [concept.key for concept in identify(records, defining).concepts] == ["GNN"]
    records.append(record(2, title="Training GNN for bees", abstract="So.", doi="10.1000/x"))
    (concept,) = identify(records, defining).concepts
    assert (concept.key, concept.former) == ("graph network", ("GNN",))
    records.append(record(3, title="All of GNN in the world", authors=("Cy Em",)))
    found = {concept.key: concept.former for concept in identify(records, defining).concepts}
    assert found == {"graph network": (), "GNN": ()}


NEVER = {
    "paper": '[[never]]\npaper = ["in.jsonl, record 1", "in.jsonl, record 3"]',
    "person": '[[never]]\nperson = ["Bo, Ada", "Bo, A."]',
    "concept": '[[never]]\nconcept = ["video clips", "VideoCLIP"]',
}


def test_what_the_file_has_ruled_is_not_proposed_again(tmp_path: Path):
    (tmp_path / "in.jsonl").write_text(
        f'{{"title":"{TITLE}","abstract":"A video clip. We use VideoCLIP for video clips.",'
        '"authors":["Ada Bo","Jo Du"],"year":2020}\n'
        '{"title":"Other hives of Spain then","authors":["A. Bo","Jo Du"],"year":2020}\n'
        f'{{"title":"{TITLE}","authors":["Emmy Noether"],"year":2020}}\n'
    )
    graph, file = str(tmp_path / "graph"), tmp_path / "c.toml"

    def kg(*args: str) -> str:
        result = CliRunner().invoke(main, [*args, "-g", graph])
        assert result.exit_code == 0, result.output
        return result.output

    kg("build", str(tmp_path / "in.jsonl"))
    for kind, text in NEVER.items():
        file.write_text(text)
        assert f"\n  {kind}: " in kg("review", "--kind", kind)
        assert "no doubtful pair" in kg("review", "--kind", kind, "--curation", str(file))
