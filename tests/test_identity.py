"""Identity: papers, people and concepts are joined and kept apart as documented, in any order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.identity import identify
from kg.identity.papers import likeness
from kg.identity.people import display_name, people, person_key
from kg.model import Extraction, Identity, Mention, Name, Note, Record, RecordConcept, Source
from kg.text import fold

PAGE = Source("ada.txt", "author-page", "Ada Example", 3)
OTHER = Source("bo.txt", "author-page", "Bo Frei")
LIST = Source("list.txt", "abstract-list")
ROWS = Source("rows.jsonl", "json-lines")
WORDS = (
    "we show that every widget in the plane can be turned into a gadget by a finite number of "
    "moves and that the number of moves grows only with the logarithm of its size which settles "
    "a question that was open for some time among the few people who care about widgets"
)


def record(source: Source = PAGE, position: int = 1, **fields) -> Record:
    return Record(source, position, position * 10, raw=repr(sorted(fields.items())), **fields)


def nothing(title: str, abstract: str) -> Extraction:
    return Extraction()


def groups(identity: Identity) -> list[list[str]]:
    """The papers as lists of "source:position"."""
    return sorted(
        sorted(f"{r.source.name}:{r.position}" for r in paper.records) for paper in identity.papers
    )


def papers(*records: Record) -> list[list[str]]:
    return groups(identify(records, nothing))


def test_same_title_on_two_pages_is_one_paper_of_both_authors():
    (paper,) = identify(
        [
            record(title="Widgets: a $k$-Theory", abstract="One.", year=2026),
            record(OTHER, title="WIDGETS - A k-theory", abstract="One. Two.", year=2025),
        ],
        nothing,
    ).papers
    assert paper.creators == ("ada example", "bo frei")
    assert paper.year == 2025
    assert paper.abstract == "One. Two."
    assert paper.key == "title/widgets a k theory"


@pytest.mark.parametrize(
    "other",
    [
        WORDS,
        WORDS.upper() + ".",
        " ".join(WORDS.split()[:30]),
        WORDS + " and we give code",
        WORDS.replace("which settles a question", "and answers a question"),
        WORDS.replace("widget", "\\textbf{widget}"),
    ],
)
def test_abstract_without_title_joins_the_paper_that_has_it(other):
    assert papers(
        record(title="Turning Widgets into Gadgets", abstract=WORDS), record(LIST, abstract=other)
    ) == [["ada.txt:1", "list.txt:1"]]


@pytest.mark.parametrize(
    "other",
    [
        "We show that every widget in the plane can be coloured. " + WORDS[::-1],
        " ".join(reversed(WORDS.split())),
        "We show that every widget in the plane can be turned.",
    ],
)
def test_another_abstract_stays_another_paper(other):
    assert (
        len(
            papers(
                record(title="Turning Widgets Into", abstract=WORDS), record(LIST, abstract=other)
            )
        )
        == 2
    )


def test_beginnings_of_one_text_meet_in_the_whole():
    words = WORDS.split()
    parts = [" ".join(words[:n]) for n in (25, 30, 40)]
    assert len(papers(*(record(LIST, i, abstract=part) for i, part in enumerate(parts, 1)))) == 1


def test_an_untitled_record_never_joins_two_papers():
    found = papers(
        record(title="Widgets, First Version of It", abstract=WORDS),
        record(OTHER, title="Gadgets, Second Version of It", abstract=WORDS),
        record(LIST, abstract=WORDS),
    )
    assert len(found) == 2


def test_identifiers_join_whatever_the_titles():
    assert papers(
        record(ROWS, 1, title="One title of it", arxiv="2306.00802"),
        record(ROWS, 2, title="Another title of it", arxiv="2306.00802", doi="10.1000/1"),
        record(ROWS, 3, doi="10.1000/1", abstract=WORDS),
        record(ROWS, 4, title="Something else again", doi="10.1000/2"),
    ) == [["rows.jsonl:1", "rows.jsonl:2", "rows.jsonl:3"], ["rows.jsonl:4"]]


def test_the_doi_of_a_volume_joins_nothing():
    words = ["Widgets", "Gadgets", "Gizmos", "Doodads"]
    found = identify(
        [
            record(ROWS, i, title=f"On {word} in the Plane", doi="10.1000/volume")
            for i, word in enumerate(words)
        ],
        nothing,
    )
    assert len(found.papers) == 4
    assert all(paper.doi == () and paper.key.startswith("title/") for paper in found.papers)


def test_titles_of_a_word_or_two_say_too_little():
    assert len(papers(
        record(ROWS, 1, title="Editorial", abstract="This issue holds five papers."),
        record(ROWS, 2, title="Editorial", abstract="Dear readers of this journal."),
    )) == 2  # fmt: skip
    assert len(papers(
        record(title="AdaBoost Again", abstract=WORDS),
        record(OTHER, title="AdaBoost again", abstract=WORDS),
    )) == 1  # fmt: skip


def test_signs_tell_short_titles_apart_and_missing_abstracts_are_no_likeness():
    names = ["C", "C++", "C#", "😀", "🚀", "???"]
    assert len(papers(*(record(ROWS, i, title=name) for i, name in enumerate(names)))) == 6
    again = [record(ROWS, 1, title="Guest editorial", authors=("A B",), year=2001)]
    again += [record(OTHER, 2, title="Guest Editorial", authors=("A B",), year=2001)]
    again += [record(ROWS, 3, title="Guest editorial", authors=("C D",), year=2001)]
    assert sorted(map(len, papers(*again))) == [1, 2]


def test_author_order_is_that_of_the_fullest_list():
    (paper,) = identify(
        [
            record(title="A Paper of Three"),
            record(ROWS, title="A Paper of Three", authors=("Bo Frei", "Example, Ada", "C. Gé")),
        ],
        nothing,
    ).papers
    assert paper.authors == ("bo frei", "ada example", "c ge")
    assert paper.creators == ("ada example", "bo frei", "c ge")


def test_one_page_gives_no_order_of_authors():
    (paper,) = identify([record(title="A Paper of Some")], nothing).papers
    assert paper.authors == ()


@pytest.mark.parametrize(
    ("name", "display"),
    [
        ("Example, Ada", "Ada Example"),
        ("C. Bal\\'azs", "C. Balázs"),
        ("Martin Luther King, Jr.", "Martin Luther King, Jr."),
        ("Björk", "Björk"),
        ("李明", "李明"),
        ("  Ada   Example ", "Ada Example"),
    ],
)
def test_display_names(name, display):
    assert display_name(name) == display


def test_spellings_of_a_name_are_one_person():
    (person,) = people(["José García", "Jose Garcia", "García, José", "JOSE GARCIA"])
    assert person.name == "José García"
    assert person.aliases == ("JOSE GARCIA", "Jose Garcia")


def test_initials_and_names_without_letters_stay_apart():
    assert len(people(["A. Example", "Ada Example", "???", "!!"])) == 4
    assert person_key("???") != person_key("!!")


def concept(label: str, *aliases: str, type="Method", **fields) -> RecordConcept:
    return RecordConcept(
        Name(label, label.lower()),
        type,
        fields.get("salience", 1),
        fields.get("introduced", False),
        (Mention("abstract", 0, 1, "W", 0.9),),
        tuple(Name(alias, alias, True) for alias in aliases),
    )


def concepts_of(*found: RecordConcept) -> Identity:
    by_title = {f"paper number {i} of many": Extraction((c,)) for i, c in enumerate(found)}
    records = [record(ROWS, i, title=title, abstract="W") for i, title in enumerate(by_title, 1)]
    return identify(records, lambda title, abstract: by_title[title])


def test_short_form_goes_where_the_records_agree():
    identity = concepts_of(concept("Chain of Thought", "CoT"), concept("CoT"))
    assert identity.concept_of["CoT".lower()] == "cot"  # a word of its own unless defined
    identity = concepts_of(
        concept("Chain of Thought", "CoT"),
        RecordConcept(Name("CoT", "CoT"), "Task", 1, False, (Mention("abstract", 0, 1, "W", 0.9),)),
    )
    (only,) = identity.concepts
    assert (only.label, only.aliases) == ("Chain of Thought", ("CoT",))


def test_short_form_with_two_meanings_stays_by_itself():
    identity = concepts_of(
        concept("massively parallel processing", "MPP"), concept("matrix product projection", "MPP")
    )
    assert [concept.aliases for concept in identity.concepts] == [("MPP",), ("MPP",)]
    used = RecordConcept(Name("MPP", "MPP"), "Task", 1, False, (Mention("title", 0, 1, "W", 0.9),))
    identity = concepts_of(
        concept("massively parallel processing", "MPP"),
        concept("matrix product projection", "MPP"),
        used,
    )
    assert identity.concept_of["MPP"] == "MPP"
    assert len(identity.concepts) == 3


def test_names_that_define_each_other_are_one_concept():
    identity = concepts_of(concept("aa", "b"), concept("b", "aa"))
    assert identity.concept_of == {"aa": "aa", "b": "aa"}


def test_label_is_the_most_frequent_and_types_need_a_third():
    identity = concepts_of(
        concept("Gradient descent"),
        concept("gradient descent"),
        concept("gradient descent", type="Task"),
        concept("gradient descent", type="Other"),
        concept("gradient descent"),
    )
    (only,) = identity.concepts
    assert only.label == "gradient descent"
    assert only.types == ("Method",)


def test_each_wording_keeps_its_own_mentions():
    def found(title: str, abstract: str) -> Extraction:
        return Extraction((RecordConcept(
            Name(abstract[0], abstract[0]), "Task", 2, True,
            (Mention("abstract", 0, 1, abstract[0], 0.9),),
        ),))  # fmt: skip

    (paper,) = identify(
        [
            record(title="A Paper of Some", abstract="xyz"),
            record(OTHER, title="A Paper of Some", abstract="abcdef"),
        ],
        found,
    ).papers
    assert [(t.field, t.text, t.mentions[0][1] if t.mentions else "") for t in paper.texts] == [
        ("title", "A Paper of Some", ""),
        ("abstract", "abcdef", "a"),
        ("abstract", "xyz", "x"),
    ]
    assert {c.name.key for c in paper.concepts} == {"a", "x"}


titles = st.sampled_from(
    ["", "A Paper of Some", "a paper of SOME", "Widgets", "Another Paper Here"]
)
records = st.builds(
    record,
    st.sampled_from([PAGE, OTHER, LIST, ROWS]),
    st.integers(1, 4),
    title=titles,
    abstract=st.sampled_from([WORDS, WORDS[:150], WORDS[:200] + " x", "Short one.", WORDS[::-1]]),
    arxiv=st.sampled_from(["", "2306.00802", "2306.00803"]),
    authors=st.sampled_from([(), ("Ada Example",), ("Example, Ada", "Bo Frei")]),
    year=st.sampled_from([None, 2024, 2026]),
)


@given(st.lists(records, max_size=8), st.randoms(use_true_random=False))
def test_order_and_repetition_change_nothing(found: list[Record], shuffle: random.Random):
    notes = [Note(LIST, 9, 90, "5 pages"), Note(LIST, 8, 80, "6 pages")]
    again = found + found[:2]
    shuffle.shuffle(again)
    assert identify(again, nothing, notes[::-1] + notes) == identify(found, nothing, notes)


@given(st.lists(records, max_size=8))
def test_every_record_is_in_one_paper_and_keys_are_unique(found: list[Record]):
    identity = identify(found, nothing)
    placed = [r for paper in identity.papers for r in paper.records]
    assert len(placed) == len(set(placed)) == len(set(found))
    keys = [paper.key for paper in identity.papers]
    assert len(keys) == len(set(keys))


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_within_bounds(a: str, b: str):
    a, b = fold(a), fold(b)
    assert likeness(a, b) == likeness(b, a)
    assert 0 <= likeness(a, b) <= 1
    assert likeness(a, a) == 1
