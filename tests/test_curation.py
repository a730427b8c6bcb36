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
    classes = list(parted.classes())
    assert sorted(i for members in classes for i in members) == list(range(10))
    assert classes == sorted(tuple(sorted(members)) for members in classes)
    of = parted.first
    assert all(of[i] == members[0] for members in classes for i in members)
    assert all(of[a] != of[b] for a, b in never)
    again = found[:]
    shuffle.shuffle(again)
    assert part(10, again, never[::-1]) == parted
    assert len(parted.made) == 10 - len(classes)
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


def person_paper(position: int, title: str, *authors: str, **fields) -> Record:
    return record(position, title, authors=authors, year=2020, **fields)


ORCID = "0000-0002-1825-0097"


def names(identity: Identity) -> dict[str, tuple[str, ...]]:
    return {person.name: person.aliases for person in identity.people}


def test_never_parts_two_spellings_that_a_paper_joins():
    records = [
        person_paper(1, "Sparse widgets of many documents", "Ann Other", arxiv="2001.00001"),
        person_paper(2, "Sparse widgets of many documents", "A. Other", arxiv="2001.00001"),
    ]
    assert names(identify(records, found)) == {"Ann Other": ("A. Other",)}
    ruler = Ruler(parse_curation('[[never]]\nperson = ["Ann Other", "A. Other"]'))
    apart = identify(records, found, ruler=ruler)
    assert names(apart) == {"Ann Other": (), "A. Other": ()}
    assert [paper.creators for paper in apart.papers] == [("a other", "ann other")]
    assert ruler.unknown == []


def test_never_parts_two_names_of_one_orcid():
    records = [
        person_paper(1, "Sparse widgets of many documents", "Ann Other", orcids=(ORCID,)),
        person_paper(2, "Dense gadgets of other papers", "Zoe Zed", orcids=(ORCID,)),
    ]
    assert names(identify(records, found)) == {"Ann Other": ("Zoe Zed",)}
    apart = ruled('[[never]]\nperson = ["Ann Other", "Zoe Zed"]', records)
    assert {p.name: p.orcids for p in apart.people} == {"Ann Other": (), "Zoe Zed": ()}


def test_never_holds_for_a_page_whose_owner_another_paper_names():
    page = Source("other.txt", "author-page", "A. Other")
    records = [
        person_paper(1, "Sparse widgets of many documents", "Ann Other"),
        Record(page, 1, 1, raw="a", title="Sparse widgets of many documents", year=2020),
        Record(page, 2, 2, raw="b", title="Dense gadgets of other papers", year=2020),
    ]
    assert names(identify(records, found)) == {"Ann Other": ("A. Other",)}
    apart = ruled('[[never]]\nperson = ["Ann Other", "A. Other"]', records)
    assert names(apart) == {"Ann Other": (), "A. Other": ()}


def test_a_second_name_stands_for_its_person():
    records = [
        person_paper(1, "Sparse widgets of many documents", "Ann Other"),
        person_paper(2, "Sparse widgets of many documents", "A. Other"),
    ]
    named = ruled('[[label]]\nperson = "A. Other"\nlabel = "Ann O."', records)
    assert [person.name for person in named.people] == ["Ann O."]
    assert not ruled('[[drop]]\nperson = "A. Other"', records).people


def test_names_that_nothing_tells_apart_are_refused_by_what_is_so():
    records = [person_paper(1, "Sparse widgets of many documents", "Jos\u00e9 Garc\u00eda")]
    records += [person_paper(2, "Dense gadgets of other papers", "Jose Garcia")]
    with pytest.raises(
        UsageError, match=r"curation\.toml:1: .* are one name to kg, which does not"
    ):
        ruled('[[never]]\nperson = ["Jos\u00e9 Garc\u00eda", "Jose Garcia"]', records)


def defined(title: str, abstract: str) -> Extraction:
    """ "graph widget (GW)" is defined wherever "graph widget" stands."""
    concepts = []
    spans = [Mention("title", i, i + len(n), n, 0.9) for n in ("graph widget", "GW", "GWX")
             for i in [f"{title} ".find(f"{n} ")] if i >= 0]  # fmt: skip
    if spans:
        aliases = tuple(Name(m.text, m.text, True) for m in spans if m.text.isupper())
        name = Name("graph widget", "graph widget")
        if spans[0].text != name.label:
            name, aliases = aliases[0], aliases[1:]
        concepts = [RecordConcept(name, "Method", 1, False, tuple(spans), aliases)]
    return Extraction(tuple(concepts))


SHORT = [
    record(1, "The graph widget or GW is here", year=2020),
    record(2, "All about GW and nothing else", year=2020),
]


def forms(text: str, records=SHORT) -> dict[str, tuple[str, ...]]:
    identity = identify(records, defined, ruler=Ruler(parse_curation(text)))
    for paper in identity.papers:
        keys = {concept.name.key for concept in paper.concepts}
        assert keys == {key for one in paper.texts for _, key in one.mentions}
    return {concept.label: concept.aliases for concept in identity.concepts}


def test_never_parts_a_short_form_from_its_long_form():
    assert forms("") == {"graph widget": ("GW",), "GW": ()}
    assert forms('[[never]]\nconcept = ["GW", "graph widget"]') == {"graph widget": (), "GW": ()}
    alone = SHORT[:1]
    assert forms("", alone) == {"graph widget": ("GW",)}
    text = '[[never]]\nconcept = ["GW", "graph widget"]'
    assert forms(text, alone) == {"graph widget": (), "GW": ()}
    identity = identify(alone, defined, ruler=Ruler(parse_curation(text)))
    ((first, second),) = [[(m.text, key) for m, key in p.texts[0].mentions]
                          for p in identity.papers]  # fmt: skip
    assert (first, second) == (("graph widget", "graph widget"), ("GW", "GW"))


def test_a_second_name_stands_for_its_concept():
    alone = SHORT[:1]
    assert forms('[[label]]\nconcept = "GW"\nlabel = "Widget"', alone) == {
        "Widget": ("GW", "graph widget")
    }
    assert forms('[[drop]]\nconcept = "GW"', alone) == {}


def test_two_second_names_are_parted_in_one_record_and_else_refused():
    text = '[[never]]\nconcept = ["GW", "GWX"]'
    both = [record(1, "The graph widget or GW or GWX here", year=2020)]
    assert forms(text, both) == {"graph widget": ("GW",), "GWX": ()}
    each = [SHORT[0], record(2, "Of the graph widget or GWX here", year=2020)]
    with pytest.raises(UsageError, match="'GW' and 'GWX' are both second names of one concept, "
                                         "'graph widget'; keep one of them apart"):  # fmt: skip
        forms(text, each)


@pytest.mark.parametrize(
    ("second", "action"),
    [
        ('[[label]]\nconcept = "x"\nlabel = "y"\n', "label"),
        ('[[type]]\nconcept = "x"\ntype = "Method"\n', "type"),
        ('[[same]]\nconcept = ["z", "x"]\n', "same"),
    ],
)
def test_what_is_dropped_has_nothing_else_said_of_it(second: str, action: str):
    drop = '[[drop]]\nconcept = "x"\n'
    with pytest.raises(UsageError) as caught:
        parse_curation(drop + second)
    assert str(caught.value).startswith(
        f"curation.toml:3: this [[{action}]] contradicts the [[drop]] of line 1"
    )
    with pytest.raises(UsageError) as caught:
        parse_curation(second + drop)
    assert f"this [[drop]] contradicts the [[{action}]] of line 1" in str(caught.value)


def test_contradictions_are_seen_in_the_file_alone():
    same, never = '[[same]]\nperson = ["x", "y"]\n', '[[never]]\nperson = ["y", "x"]\n'
    with pytest.raises(UsageError, match=r"curation\.toml:1: makes one of what line 3 keeps apart"):
        parse_curation(same + never)
    parse_curation(same + never + "confirm = false\n")


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\u001bb", "a\\u0085b", "a\\uFFFEb"])
def test_a_label_has_no_control_characters(text: str):
    with pytest.raises(InputError, match=r"c.toml:2: \[\[label\]\]: .* control character"):
        parse_curation(f'\n[[label]]\nconcept = "x"\nlabel = "{text}"', "c.toml")
    words = "a\\tb \\u200D \\U0001F600"
    assert parse_curation(f'[[label]]\nconcept = "x"\nlabel = "{words}"').entries[0].value


SPELLINGS = ("Ada Example", "A. Example", "Ada B. Example", "A. B. Example", "Bo Frei", "B. Frei")
ORCIDS = ("", "", ORCID, "0000-0001-5109-3700")
signed = st.lists(
    st.tuples(
        st.integers(1, 3), st.sampled_from(SPELLINGS), st.sampled_from(ORCIDS), st.booleans()
    ),
    max_size=6,
)


@given(signed, st.permutations(SPELLINGS), st.randoms(use_true_random=False))
def test_a_never_pair_of_names_is_never_one_person(given_names, order, shuffle):
    records = []
    for i, (number, name, orcid, on_page) in enumerate(given_names):
        source = Source("page.txt", "author-page", name) if on_page else ROWS
        fields = {} if on_page else {"authors": (name,), "orcids": (orcid,)}
        title = ("Sparse widgets of many documents", "Dense gadgets of other papers",
                 "All about moving things around")[number - 1]  # fmt: skip
        records.append(
            Record(source, i, i, raw=str(i), title=title, arxiv=f"2001.0000{number}", **fields)
        )
    a, b = order[:2]
    text = f'[[never]]\nperson = ["{a}", "{b}"]'
    try:
        identity = ruled(text, records)
    except UsageError as error:
        # Names that only other names join are refused, with what to write instead.
        assert "keep one of them apart from" in str(error)  # noqa: PT017
        return
    for person in identity.people:
        assert not {a, b} <= {person.name, *person.aliases}
    shuffle.shuffle(records)
    assert ruled(text, records).people == identity.people


words = st.lists(st.sampled_from(["graph widget", "GW", "GWX"]), min_size=1, max_size=3)


@given(st.lists(words, min_size=1, max_size=4), st.permutations(["graph widget", "GW", "GWX"]))
def test_a_never_pair_of_names_is_never_one_concept(titles, order):
    records = [record(i, f"{i} on {' or '.join(t)} here") for i, t in enumerate(titles)]
    a, b = order[:2]
    try:
        concepts = forms(f'[[never]]\nconcept = ["{a}", "{b}"]', records)
    except UsageError as error:
        assert "keep one of them apart from" in str(error)  # noqa: PT017
        return
    assert not any({a, b} <= {label, *aliases} for label, aliases in concepts.items())


def test_people_and_concepts_are_named_as_sources_may_write_them():
    text = '[[drop]]\nconcept = "Gadgets"\n[[label]]\nperson = "Example, Ada"\nlabel = "A. E."\n'
    ruler = Ruler(parse_curation(text), concept_key=lambda name: name.casefold().rstrip("s"))
    identify(RECORDS, found, ruler=ruler)
    assert [line for line in ruler.unknown if "Ada" in line] == []


def test_a_ruling_of_several_names_says_that_one_unknown_name_undoes_it():
    ruler = Ruler(parse_curation('[[same]]\nconcept = ["gadgets", "nothing of the kind"]'))
    identify(RECORDS, found, ruler=ruler)
    assert ruler.unknown[0].endswith("this [[same]] is left out")
