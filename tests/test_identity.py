"""Identity: papers, people and concepts are joined and kept apart as documented, in any order."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.identity import evidence, identify, untitled
from kg.identity.curation import Curation, Entry, Ruler
from kg.identity.evidence import compare_authors, facts
from kg.identity.papers import link
from kg.identity.wordings import likeness
from kg.model import Extraction, Identity, Mention, Name, Note, Record, RecordConcept, Source
from kg.text import fold

PAGE = Source("ada.txt", "author-page", "Ada Example", 3)
OTHER = Source("bo.txt", "author-page", "Bo Frei")
LIST = Source("list.txt", "abstract-list")
ROWS = Source("rows.jsonl", "json-lines")
MORE = Source("more.jsonl", "json-lines")
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


ONE = ("Ada Example", "Bo Frei")
TWO = ("Cem Gül", "Dai Hu")


@pytest.mark.parametrize(
    "other",
    [
        "WIDGETS AND GADGETS IN THE PLANE",
        "Widgets and gadgets in the plane.",
        "Widgets and Gadgets\nin the  Plane",
        "\\emph{Widgets} and {G}adgets in the Plane",
        "Widgets and Gadgets in Plane",
        "Widgets and Gadgets in the Plane (Extended Abstract)",
        "Widgets and Gadgets in the Plane [full version]",
        "Widgets–and–Gadgets in the Plane",
        "Widgéts and Gadgets in the Plane",
    ],
)
def test_titles_that_differ_in_dress_are_one(other: str):
    assert len(papers(
        record(ROWS, 1, title="Widgets and Gadgets in the Plane", authors=ONE, year=2020),
        record(LIST, 2, title=other, authors=ONE, year=2020),
    )) == 1  # fmt: skip


@pytest.mark.parametrize(
    ("other", "one"),
    [
        ("Widgets and Gadgets in the Plane: A Survey", True),
        ("On Widgets and Gadgets in Planar Space", False),
        ("Widgets and Gadgets in the Plane II", False),
        ("Gadgets in the Plane", False),
    ],
)
def test_titles_that_differ_in_words_need_authors_and_year(other: str, one: bool):
    first = record(ROWS, 1, title="Widgets and Gadgets in the Plane", authors=ONE, year=2020)
    assert (len(papers(first, record(LIST, 2, title=other, authors=ONE, year=2020))) == 1) is one
    assert len(papers(first, record(LIST, 2, title=other, authors=TWO, year=2020))) == 2
    assert len(papers(first, record(LIST, 2, title=other, authors=ONE, year=2023))) == 2


def test_a_misspelt_word_and_further_small_words_are_forgiven():
    title = "Turning Widgets into Gadgets by Logarithmic Moves"
    for other in [
        "Turning Widgets into Gagdets by Logarithmic Moves",
        "Turning of Widgets into Gadgets by Logarithmic Move",
    ]:
        assert len(papers(
            record(ROWS, 1, title=title, authors=ONE, year=2020),
            record(LIST, 2, title=other, authors=ONE, year=2020),
        )) == 1  # fmt: skip


@pytest.mark.parametrize(
    ("title", "word", "other"),
    [
        ("Convex optimization of neural network weights", "Convex", "Nonconvex"),
        ("An upper bound for sorting widgets in parallel", "An upper", "A lower"),
        ("Active sensing with widgets in cold oceans", "Active", "Passive"),
        ("Learning widgets with labels from raw data", "with", "without"),
        ("Widgets are learned from raw sensor data", "are", "are not"),
        ("Fast text generation for large widget systems", "text", "test"),
        ("Minimization of regret in linear bandits", "Min", "Max"),
        ("Testing macroservices in large production systems", "macro", "micro"),
    ],
)
def test_another_word_in_the_place_of_a_word_is_another_paper(title: str, word: str, other: str):
    both = [record(ROWS, title=title, authors=ONE, year=2020)]
    both += [record(MORE, title=title.replace(word, other), authors=ONE, year=2020)]
    assert len(papers(*both)) == 2


def test_one_text_is_one_paper_also_where_a_word_of_the_title_is_another():
    title = "An upper bound for sorting widgets in parallel"
    other = title.replace("upper", "lower")
    both = [record(ROWS, title=title, authors=ONE, abstract=WORDS)]
    assert len(papers(*both, record(MORE, title=other, authors=ONE, abstract=WORDS))) == 1


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Databse systems for modern widgets today", "Database systems for modern widgets today"),
        ("Behaviour of widgets in deep cold oceans", "Behavior of widgets in deep cold oceans"),
        ("Tracking many widgets in deep cold ocean", "Tracking many widgets in deep cold oceans"),
        ("Tracking many wigdets in deep cold oceans", "Tracking many widgets in deep cold oceans"),
    ],
)
def test_a_misspelling_and_a_plural_are_the_same_word(title: str, other: str):
    both = [record(ROWS, title=title, authors=ONE, year=2020)]
    assert len(papers(*both, record(MORE, title=other, authors=ONE, year=2020))) == 1


def test_two_words_of_other_titles_are_no_misspelling():
    both = [
        record(ROWS, 1, title="Finding causal widgets in deep oceans", authors=ONE, year=2020),
        record(MORE, 2, title="Finding casual widgets in deep oceans", authors=ONE, year=2020),
    ]
    others = [
        record(ROWS, 3, title="A causal theory of gadgets", authors=TWO, year=2020),
        record(ROWS, 4, title="On casual talk at work", authors=TWO, year=2020),
    ]
    assert len(papers(*both)) == 1
    assert len(papers(*both, *others)) == 4


EDITORIALS = [
    {"id": "c1", "title": "Editorial", "authors": ["John Smith"], "year": 2001},
    {"id": "c2", "title": "Editorial", "authors": ["John Smith"], "year": 2001},
    {"title": "Editorial", "authors": ["John Smith"], "year": 2001, "venue": "A"},
    {"title": "Editorial", "authors": ["Jane Doe"], "year": 2001, "venue": "B"},
    {"id": "c5", "title": "Introduction", "year": 2001},
    {"id": "c6", "title": "Introduction"},
    {"title": "Introduction"},
    {"title": "Introduction", "venue": "A"},
    {"title": "Introduction", "venue": "A"},
]


SPLIT = [*EDITORIALS[:2], *EDITORIALS[4:7]]


def rows(source: Source, some: list[dict]) -> list[Record]:
    return [
        Record(
            source, i, i, json.dumps(row), title=row["title"], id=row.get("id", ""),
            authors=tuple(row.get("authors", ())), year=row.get("year"),
        )
        for i, row in enumerate(some, 1)
    ]  # fmt: skip


@given(st.permutations(EDITORIALS), st.sampled_from(["a.jsonl", "editorial papers.jsonl"]))
def test_keys_of_papers_do_not_follow_the_place_of_a_record(shuffled: list[dict], name: str):
    found = identify(rows(Source(name, "json-lines"), shuffled), nothing).papers
    keys = {paper.key for paper in found}
    assert keys >= {"text/editorial / c1", "text/editorial / c2", "text/introduction / c6"}
    assert keys == {
        paper.key for paper in identify(rows(Source("b", "json-lines"), EDITORIALS), nothing).papers
    }
    assert len(keys) == 9
    assert not any("json" in key or "None" in key or "'" in key for key in keys)
    first, second = (key for key in sorted(keys) if key[-4:] in (" / 1", " / 2"))
    assert first[:-1] == second[:-1]  # the two that say the same


@given(st.permutations(SPLIT), st.integers(0, 5))
def test_keys_of_papers_do_not_follow_the_files(shuffled: list[dict], cut: int):
    split = [*rows(ROWS, shuffled[:cut]), *rows(MORE, shuffled[cut:])]
    keys = {paper.key for paper in identify(split, nothing).papers}
    assert keys == {paper.key for paper in identify(rows(ROWS, SPLIT), nothing).papers}


def test_a_record_that_stands_in_two_files_is_of_one_paper():
    assert (
        len(identify([*rows(ROWS, EDITORIALS[:1]), *rows(MORE, EDITORIALS[:1])], nothing).papers)
        == 1
    )
    assert (
        len(identify([*rows(ROWS, EDITORIALS[4:5]), *rows(MORE, EDITORIALS[4:5])], nothing).papers)
        == 1
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (["山田 太郎"], ["山田太郎"], "same"),
        (["Jürgen Müller"], ["Juergen Mueller"], "same"),
        (["Ada Lovelace", "et al."], ["Ada Lovelace"], "shared"),
        (["Ada Lovelace", "Bo Frei", "et al."], ["Ada Lovelace", "Bo Frei", "Cy Doe"], "same"),
        (["Ada Lovelace", "et al."], ["Bo Frei", "et al."], "unknown"),
        (["Ada Lovelace", "et al."], ["Bo Frei", "Cy Doe"], "apart"),
    ],
)
def test_authors_are_compared_as_documented(one: list[str], other: list[str], expected: str):
    a, b = (
        facts(
            record(
                title="T",
                authors=tuple(name for name in names if name != "et al."),
                more_authors="et al." in names,
            )
        )
        for names in (one, other)
    )
    assert compare_authors(a, b) == compare_authors(b, a) == expected


def test_a_negation_and_a_number_are_no_misspelling():
    for a, b in [("supervised", "unsupervised"), ("2D", "3D"), ("part one", "part two")]:
        title = "Learning to Turn Widgets Quickly from {} Gadgets Alone"
        assert len(papers(
            record(ROWS, 1, title=title.format(a), authors=("Ada Example",), year=2020),
            record(LIST, 2, title=title.format(b), authors=("Ada Example",), year=2020),
        )) == 2  # fmt: skip


def test_one_title_of_different_authors_is_two_papers_also_through_a_third():
    first = record(ROWS, 1, title="Bayesian Widgets of Today", authors=ONE, year=2013)
    second = record(LIST, 2, title="Bayesian Widgets of Today", authors=TWO, year=2013)
    third = record(OTHER, 3, title="Bayesian Widgets of Today", year=2013)
    assert len(papers(first, second)) == 2
    assert len(papers(first, second, replace(third, source=Source("x", "json-lines")))) == 3


def test_versions_of_one_text_are_one_paper_and_a_source_may_hold_two_apart():
    title = "Turning Widgets into Gadgets"
    workshop = record(ROWS, 1, id="w", title=title, authors=ONE, year=2019, abstract=WORDS)
    journal = record(ROWS, 2, id="j", title=title, authors=ONE, year=2024, abstract=WORDS + " now")
    assert len(papers(workshop, journal)) == 1
    rewritten = replace(journal, abstract=" ".join(reversed(WORDS.split())))
    assert len(papers(workshop, rewritten)) == 2
    # Two records of one source stay two; that of another source goes to the year it has.
    bare = [replace(r, abstract="") for r in (workshop, journal)]
    third = record(LIST, 3, title=title, authors=ONE, year=2024)
    assert papers(*bare, third) == [["list.txt:3", "rows.jsonl:2"], ["rows.jsonl:1"]]
    # Where nothing tells which of the two it is, it is neither.
    assert len(papers(*bare, replace(third, year=None))) == 3
    # What differs in nothing is one paper that the source lists twice.
    assert len(papers(*(replace(r, year=2020) for r in bare), replace(third, year=2020))) == 1


@pytest.mark.parametrize(
    "title", ["Editorial", "Reply to Comment", "Introduction", "Preface to the Special Issue"]
)
def test_generic_titles_never_join_by_themselves(title: str):
    assert len(papers(record(ROWS, 1, title=title), record(LIST, 2, title=title))) == 2
    assert len(papers(
        record(ROWS, 1, title=title, authors=ONE), record(LIST, 2, title=title, authors=ONE)
    )) == 2  # fmt: skip


def test_a_wrong_doi_joins_no_two_papers():
    first = record(ROWS, 1, title="Bayesian Widgets of Today", authors=ONE, doi="10.1/x")
    second = record(LIST, 2, title="Gadgets for the Blind Eye", authors=TWO, doi="10.1/x")
    found = identify([first, second], nothing).papers
    assert [paper.doi for paper in found] == [(), ()]
    assert all(paper.former == ("doi/10.1/x",) for paper in found)
    retitled = replace(second, authors=ONE)
    assert len(papers(first, retitled)) == 1


def test_every_merge_leaves_its_ground():
    title = "Turning Widgets into Gadgets"
    found = identify(
        [
            record(ROWS, 1, title=title, arxiv="2306.00802", abstract=WORDS),
            record(ROWS, 2, title="Turning Widgets Around", arxiv="2306.00802"),
            record(OTHER, 3, title=title, abstract=WORDS),
            record(LIST, 4, abstract=WORDS[:150]),
        ],
        nothing,
    )
    (paper,) = found.papers
    assert [(g.rule, g.value, len(g.records)) for g in paper.grounds] == [
        ("SameAbstract", "1.00", 2),
        ("SameArxivIdentifier", "2306.00802", 2),
        ("SameTitle", "turning widgets into gadgets", 2),
    ]
    assert paper.key == "arxiv/2306.00802"
    assert "title/turning widgets into gadgets" in paper.former


def test_keys_of_one_title_differ_and_the_plain_one_leads_to_both():
    found = identify(
        [
            record(ROWS, 1, title="Bayesian Widgets of Today", authors=ONE, year=2013),
            record(LIST, 2, title="Bayesian Widgets of Today", authors=TWO, year=2013),
        ],
        nothing,
    ).papers
    assert len({paper.key for paper in found}) == 2
    assert [paper.former for paper in found] == [("title/bayesian widgets of today",)] * 2


titles = st.sampled_from(
    ["", "A Paper of Some", "a paper of SOME", "Widgets", "Another Paper Here"]
)
records = st.builds(
    record,
    st.sampled_from([PAGE, OTHER, LIST, ROWS]),
    st.integers(1, 4),
    title=titles,
    abstract=st.sampled_from(["", WORDS, WORDS[:150], WORDS[:200] + " x", "Short.", WORDS[::-1]]),
    arxiv=st.sampled_from(["", "2306.00802", "2306.00803"]),
    doi=st.sampled_from(["", "", "10.1/x", "10.1/y"]),
    id=st.sampled_from(["", "a", "b"]),
    authors=st.sampled_from([(), ("Ada Example",), ("Example, Ada", "Bo Frei"), TWO]),
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


@given(st.lists(records, max_size=7), records)
def test_a_further_record_parts_nothing_that_an_identifier_joined(found: list[Record], new: Record):
    def joined(some: list[Record]) -> set[tuple[Record, Record]]:
        works = link(some)
        return {
            (a, b)
            for work in works
            for ground in work.grounds
            if ground.rule in ("SameArxivIdentifier", "SameDoi")
            for a in ground.records
            for b in ground.records
        }

    def together(some: list[Record]) -> set[tuple[Record, Record]]:
        return {(a, b) for work in link(some) for a in work.records for b in work.records}

    assert joined(found) <= together([*found, new])


@given(st.lists(records, max_size=8, unique=True))
def test_former_keys_are_keys_of_records_and_of_no_other_paper(found: list[Record]):
    identity = identify(found, nothing)
    living = {paper.key for paper in identity.papers}
    for paper in identity.papers:
        assert not living & set(paper.former)
        for some in [paper.records[:1], paper.records[-1:]]:
            (alone,) = identify(some, nothing).papers
            assert alone.key == paper.key or alone.key in paper.former or alone.key in living


@given(st.lists(records, min_size=2, max_size=7), st.data())
def test_what_a_person_keeps_apart_is_never_one(found: list[Record], data: st.DataObject):
    found = [replace(r, position=i, line=i) for i, r in enumerate(found)]
    pairs = st.sampled_from(list(combinations(found, 2)))
    kept = data.draw(st.lists(pairs, max_size=4))
    entries = tuple(
        Entry("never", "paper", tuple(f"{r.source.name}, record {r.position}" for r in pair))
        for pair in kept
    )
    works = list(link(found, Ruler(Curation(entries))))
    for work in works:
        assert not any(a in work.records and b in work.records for a, b in kept)
    assert sum(len(work.records) for work in works) == len(found)


def test_a_text_without_title_joins_nobody_who_is_somebody_else():
    def text(i: int, **fields) -> Record:
        return record(ROWS, i, abstract=WORDS, **fields)

    ada, emmy = ("Ada Example",), ("Emmy Noether",)
    for first, second in (
        (text(1, authors=ada), text(2, authors=emmy)),
        (text(1, arxiv="2401.00001"), text(2, arxiv="2402.00001")),
        (
            record(ROWS, 1, title="Widgets Turned Into Gadgets", abstract=WORDS, authors=ada),
            text(2, authors=emmy),
        ),
    ):
        assert len(papers(first, second)) == 2
    assert len(papers(text(1, authors=ada), text(2))) == 1
    # Nor through a record that says less.
    whole = record(ROWS, 1, title="Widgets Turned Into Gadgets", abstract=WORDS)
    assert len(papers(whole, replace(whole, position=2, arxiv="2401.00001"))) == 1
    third = text(3, arxiv="2402.00001")
    assert len(papers(whole, replace(whole, position=2, arxiv="2401.00001"), third)) == 2


@pytest.mark.parametrize(
    "phrase",
    [
        "This paper has been withdrawn by the author due to a crucial error in Theorem 3.",
        "An abstract is not available.",
        "No abstract available",
        "Withdrawn.",
    ],
)
def test_what_stands_in_the_place_of_an_abstract_joins_nothing(phrase: str):
    assert len(papers(*(record(ROWS, i, abstract=phrase, id=f"r{i}") for i in (1, 2)))) == 2
    titled = [
        record(ROWS, 1, title="Editorial", abstract=phrase, authors=("Ada Bo",), year=2001),
        record(MORE, 1, title="Editorial", abstract=phrase, authors=("Emmy Noether",), year=2001),
    ]
    assert len(papers(*titled)) == 2


def test_texts_that_begin_alike_are_compared_with_their_neighbours_only(
    monkeypatch: pytest.MonkeyPatch,
):
    compared = 0

    def counting(a: evidence.Facts, b: evidence.Facts) -> float:
        nonlocal compared
        compared += 1
        return evidence.same_text(a, b)

    monkeypatch.setattr(untitled, "same_text", counting)
    draw = random.Random(1)
    texts = [f"{WORDS[:60]} {' '.join(draw.sample(WORDS.split(), 30))}" for _ in range(600)]
    beginnings = [" ".join(text.split()[:25]) for text in texts[:50]]
    found = papers(*(record(LIST, i, abstract=t) for i, t in enumerate([*texts, *beginnings], 1)))
    assert len(found) == 600  # each beginning found its whole
    assert compared <= 650 * 60


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Static Analysis of Large C Programs", "Static Analysis of Large C++ Programs"),
        ("Static Analysis of Large C# Programs", "Static Analysis of Large C++ Programs"),
        ("Decay of A+B in Random Matrices", "Decay of A-B in Random Matrices"),
        ("Search by A* in Wide Graphs", "Search by A in Wide Graphs"),
    ],
)
def test_signs_tell_titles_apart(one: str, other: str):
    pair = [record(s, title=t, authors=TWO, year=2020) for s, t in ((ROWS, one), (MORE, other))]
    assert len(papers(*pair)) == 2
    same = [replace(pair[0], source=MORE, title=one.upper()), pair[0]]
    assert len(papers(*same)) == 1


def test_keys_that_papers_had_while_they_were_two_stay_when_they_are_one():
    def volume(i: int, **fields) -> Record:
        return record(ROWS, i, doi="10.1000/vol", **fields)

    two = [
        volume(1, title="Sparse Grids for Option Pricing", authors=("Ada Bo",), id="a"),
        volume(
            2, title="Learning to Rank Bees With Transducers", authors=("Emmy Noether",), id="b"
        ),
    ]
    before = {paper.key for paper in identify(two, nothing).papers}
    assert len(before) == 2
    # A record that says nothing else belongs to both; what an identifier joins stays joined.
    (after,) = identify([*two, volume(3, abstract=WORDS, id="c")], nothing).papers
    assert before <= {after.key, *after.former}
