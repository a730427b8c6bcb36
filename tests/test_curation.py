"""Curation: the file is read to the line, and what it rules wins over every other rule."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError, UsageError
from kg.identity import identify
from kg.identity.classes import Join, part
from kg.identity.curation import Curation, Entry, Ruler
from kg.identity.curation_file import parse_curation, read_curation
from kg.model import Extraction, Identity, Mention, Name, Record, RecordConcept, Source

ROWS = Source("rows.jsonl", "json-lines")


def record(position: int, title: str, **fields) -> Record:
    return Record(ROWS, position, position, raw=f"{title} {fields}", title=title, **fields)


def found(title: str, abstract: str) -> Extraction:
    names = [word for word in title.split() if word.islower() and len(word) > 2]
    return Extraction(
        tuple(
            RecordConcept(Name(n, n), "Method", 1, False, (Mention("title", 0, 1, title[0], 0.9),))
            for n in names
        )
    )


RECORDS = [
    record(1, "Turning red widgets Around", authors=("Ada Example",), year=2020),
    record(2, "Turning blue gadgets Around", authors=("Bo Frei", "B. Frei"), year=2021),
    record(3, "Turning red widgets Around", authors=("Ada Example",), year=2020, id="third"),
]


def ruled(text: str, records=RECORDS) -> Identity:
    return identify(records, found, ruler=Ruler(parse_curation(text)))


def test_a_file_is_read_to_the_line():
    text = '''# mine
[[same]]
concept = ["fine-tuning", "finetuning"]
note = """
[[never]]
"""

[[never]]
person = ["Wei Wang", "W. Wang"]
[[label]]
paper = "arXiv:2306.00802"
label = "Birth  of a Transformer"
[[drop]]
concept = "art"
[[type]]
concept = "ImageNet"
type = "Material"
[[same]]
paper = ["a", "b"]
confirm = false
'''
    assert parse_curation(text) == Curation(
        (
            Entry("same", "concept", ("fine-tuning", "finetuning"), "", 2),
            Entry("never", "person", ("Wei Wang", "W. Wang"), "", 8),
            Entry("label", "paper", ("arXiv:2306.00802",), "Birth of a Transformer", 10),
            Entry("drop", "concept", ("art",), "", 13),
            Entry("type", "concept", ("ImageNet",), "Material", 15),
        ),
        proposals=(Entry("same", "paper", ("a", "b"), "", 18),),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[same]\n", "c.toml:1: is no TOML"),
        ("a = 1\n[[same]]\npaper = [", "c.toml:3: is no TOML"),
        ("\n[[merge]]\npaper = ['a', 'b']", "c.toml:2: 'merge' is none of [[same]], [[never]]"),
        ("x = 1", "c.toml:1: 'x' is none of"),
        ("[same]\npaper = ['a', 'b']", "c.toml:1: begin each statement with [[same]]"),
        ("[[same]]\npapers = ['a', 'b']", "c.toml:1: [[same]]: name one paper, person or concept"),
        ("[[same]]\npaper = ['a', 'b']\nperson = ['a', 'b']", "name one paper, person or concept"),
        ("[[same]]\npaper = 'a'", "paper must be a list of two or more different names"),
        ("[[same]]\npaper = ['a', 'a']", "two or more different names"),
        ("[[same]]\npaper = ['a', 1]", "two or more different names"),
        ("[[drop]]\npaper = ['a']", "paper must be one name in quotes"),
        ("[[drop]]\npaper = ''", "paper must be one name in quotes"),
        ("[[label]]\npaper = 'a'", 'give the label, such as: label = "..."'),
        ("[[type]]\npaper = 'a'\ntype = 'Method'", "only concepts have a type"),
        ("[[type]]\nconcept = 'a'\ntype = 'Thing'", "'Thing' is none of Method, Task"),
        ("[[drop]]\npaper = 'a'\nwhy = 'b'", "'why' has no meaning here"),
        ("[[drop]]\npaper = 'a'\nconfirm = 'no'", "confirm is true or false"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text: str, message: str):
    with pytest.raises(InputError) as caught:
        parse_curation(text, "c.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_curation(str(tmp_path / "curation.toml"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe[")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_curation(str(tmp_path / "bytes"))


def test_same_and_never_win_over_titles():
    assert len(identify(RECORDS, found).papers) == 2
    one = ruled('[[same]]\npaper = ["Turning red widgets around", "turning BLUE gadgets around"]')
    (paper,) = one.papers
    assert ("Curation", "curation.toml:1") in [(g.rule, g.value) for g in paper.grounds]
    apart = ruled('[[never]]\npaper = ["rows.jsonl, record 1", "third"]')
    assert len(apart.papers) == 3


def test_a_pair_kept_apart_is_apart_also_through_a_third():
    third = record(4, "Turning red widgets Around", authors=("Ada Example",), year=2020)
    apart = ruled('[[never]]\npaper = ["rows.jsonl, record 1", "third"]', [*RECORDS, third])
    assert sorted(len(paper.records) for paper in apart.papers) == [1, 1, 2]


def test_labels_drops_and_types():
    text = """
[[label]]
paper = "title/turning red widgets around"
label = "On Red Widgets"
[[drop]]
paper = "paper:turning-blue-gadgets-around"
[[type]]
concept = "widgets"
type = "Material"
[[drop]]
concept = "concept/red"
[[label]]
person = "Ada Example"
label = "Ada B. Example"
"""
    identity = identify(
        RECORDS,
        found,
        ruler=Ruler(parse_curation(text), lambda kind, key: f"x:/{kind}/{key.split('/')[-1]}"),
    )
    # The paper of the blue gadgets is named by an IRI that this base does not have.
    assert len(identity.papers) == 2
    red = next(paper for paper in identity.papers if "red" in paper.key)
    assert red.label == "On Red Widgets"
    assert "widgets" in {c.key for c in identity.concepts}
    assert next(c.types for c in identity.concepts if c.key == "widgets")[0] == "Material"
    assert "Ada B. Example" in {person.name for person in identity.people}
    dropped = ruled('[[drop]]\nconcept = "red"')
    assert "red" not in {c.key for c in dropped.concepts}
    assert all(m[1] != "red" for p in dropped.papers for t in p.texts for m in t.mentions)
    dropped = ruled('[[drop]]\npaper = "Turning blue gadgets Around"')
    assert [paper.key for paper in dropped.papers] == ["title/turning red widgets around"]
    assert {person.name for person in dropped.people} == {"Ada Example"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[never]]\npaper = ["Turning red widgets Around", "Turning blue gadgets Around"]\n'
            '[[same]]\npaper = ["Turning red widgets Around", "Turning blue gadgets Around"]\n',
            "curation.toml:3: makes one of what line 1 keeps apart",
        ),
        (
            '[[label]]\nconcept = "red"\nlabel = "Red"\n'
            '[[label]]\nconcept = "red"\nlabel = "Rot"\n',
            "curation.toml:4: the label 'Rot' contradicts line 1, which has 'Red'",
        ),
        (
            '[[label]]\nconcept = "red"\nlabel = "Red"\n'
            '[[label]]\nconcept = "blue"\nlabel = "Blue"\n'
            '[[same]]\nconcept = ["red", "blue"]\n',
            "contradicts line 1",
        ),
        (
            '[[never]]\npaper = ["Turning red widgets Around", "third"]',
            "are two names of one paper's records",
        ),
    ],
)
def test_contradictions_name_both_lines(text: str, message: str):
    with pytest.raises(UsageError) as caught:
        ruled(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_of_several_papers_is_refused():
    others = [record(i, "Editorial", year=2000 + i, authors=("A B",)) for i in (5, 6)]
    with pytest.raises(UsageError, match="'editorial' names 2 papers; name one by its key or IRI"):
        ruled('[[drop]]\npaper = "editorial"', [*RECORDS, *others])


def test_what_is_named_in_vain_is_a_warning_with_the_nearest_name():
    ruler = Ruler(parse_curation('[[drop]]\nconcept = "gadgest"\n[[drop]]\npaper = "xyz"'))
    identify(RECORDS, found, ruler=ruler)
    assert ruler.unknown == [
        "curation.toml:3: there is no paper called 'xyz'",
        "curation.toml:1: there is no concept called 'gadgest'; near it is 'gadgets'",
    ]


numbers = st.integers(0, 9)
joins = st.lists(st.builds(Join, st.integers(0, 3), numbers, numbers), max_size=25)
pairs = st.lists(st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1]), max_size=8)


@given(joins, pairs, st.randoms(use_true_random=False))
def test_classes_keep_pairs_apart_in_any_order(found, never, shuffle):
    parted = part(10, found, never)
    of = {i: n for n, members in enumerate(parted.classes) for i in members}
    assert sorted(of) == list(range(10))
    assert all(of[a] != of[b] for a, b in never)
    again = found[:]
    shuffle.shuffle(again)
    assert part(10, again, never[::-1]) == parted
    assert len(parted.made) == 10 - len(parted.classes)
    if not never:
        assert not parted.refused
        assert all(of[join.a] == of[join.b] for join in found)


def test_a_thing_is_not_kept_apart_from_itself():
    with pytest.raises(ValueError, match="apart from itself"):
        part(2, [], [(1, 1)])


@given(st.sets(st.sampled_from(list(combinations(range(1, 4), 2))), max_size=2))
def test_never_holds_for_papers_whatever_joins_them(kept):
    records = [
        record(i, "Turning red widgets Around", authors=("Ada Example",), doi="10.1/x", year=2020)
        for i in (1, 2, 3)
    ]
    text = "".join(
        f'[[never]]\npaper = ["rows.jsonl, record {a}", "rows.jsonl, record {b}"]\n'
        for a, b in sorted(kept)
    )
    of = {r.position: paper.key for paper in ruled(text, records).papers for r in paper.records}
    assert all(of[a] != of[b] for a, b in kept)
