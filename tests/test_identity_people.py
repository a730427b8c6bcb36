"""People: names that are one person are joined, others kept apart, in any order."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.identity import identify
from kg.identity.curation import Curation, Entry, Ruler
from kg.identity.names import agree, read
from kg.model import Extraction, Identity, Record, Source

PAGE = Source("ada.txt", "author-page", "Ada Example")
ROWS = Source("rows.jsonl", "json-lines")
MORE = Source("more.jsonl", "json-lines")
ORCIDS = ("0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X")


@pytest.mark.parametrize(
    ("name", "display"),
    [
        ("Example, Ada", "Ada Example"),
        ("C. Bal\\'azs", "C. Balázs"),
        ("Martin Luther King, Jr.", "Martin Luther King Jr."),
        ("King, Jr., Martin Luther", "Martin Luther King Jr."),
        ("James Supancic,III", "James Supancic III"),
        ("de la Cruz, María", "María de la Cruz"),
        ("Dr. Ada Example", "Ada Example"),
        ("Ada Example, PhD", "Ada Example"),
        ("Dr. Ada Example PhD", "Ada Example"),
        ("Ada Example Ph.D.", "Ada Example"),
        ("Abdul Hasan Md", "Abdul Hasan Md"),
        ("Gar\u0063i\u0301a, Jose\u0301", "José García"),
        ("Björk", "Björk"),
        ("李明", "李明"),
        ("  Ada   Example ", "Ada Example"),
        ("King Sun", "King Sun"),
        ("Jin MA", "Jin MA"),
        ("One Name, Two Name, Three Name", "One Name, Two Name, Three Name"),
    ],
)
def test_names_as_one_reads_them(name, display):
    assert read(name).display == display


@pytest.mark.parametrize(
    ("name", "given", "family"),
    [
        ("Jan van der Berg", "jan", "van der berg"),
        ("van der Berg, Jan", "jan", "van der berg"),
        ("Guy Van den Broeck", "guy", "van den broeck"),
        ("María José del Jesus", "maria jose", "del jesus"),
        ("J.-P. Serre", "j p", "serre"),
        ("JP Serre", "j p", "serre"),
        ("LI Ming", "li", "ming"),
        ("Leal-Taixé, Laura", "laura", "leal taixe"),
        ("李 明", "明", "李"),
        ("Björk", "", "bjork"),
    ],
)
def test_given_and_family_names(name, given, family):
    found = read(name)
    assert (" ".join(found.given), " ".join(found.family)) == (given, family)


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (
            (
                "José García",
                "Jose Garcia",
                "García, José",
                "JOSE GARCIA",
                "Jose\u0301 Garci\u0301a",
            ),
            1,
        ),
        (("李明", "李 明"), 1),
        (("Jean-Pierre Serre", "Jean Pierre Serre"), 1),
        (("???", "!!"), 2),
        (("John Smith", "John Smith Jr.", "John Smith III"), 3),
    ],
)
def test_spellings_with_one_key(names, same):
    assert len({read(name).key for name in names}) == same


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("J. Smith", "John Smith", True),
        ("J. A. Smith", "John Smith", True),
        ("Christopher M. Bishop", "C. M. Bishop", True),
        ("Christopher M. Bishop", "M. Bishop", False),
        ("JP Serre", "Jean-Pierre Serre", True),
        ("Jianwei Li", "Jian-Wei Li", True),
        ("Gabriel García Márquez", "García Márquez, Gabriel", True),
        ("G. Márquez", "Gabriel García Márquez", True),
        ("J. van Leeuwen", "Jan van Leeuwen", True),
        ("Li Ming", "Ming Li", True),
        ("Wang Xiao Ming", "Xiaoming Wang", True),
        ("Wei B. Wang", "Wei X. Wang", False),
        ("J. Smith", "Kate Smith", False),
        ("John Smith", "John Jones", False),
        ("John Smith Jr.", "John Smith", True),
        ("John Smith Jr.", "John Smith III", False),
        ("Smith", "John Smith", False),
    ],
)
def test_names_that_may_be_one_on_one_paper(a, b, expected):
    assert agree(read(a), read(b)) is agree(read(b), read(a)) is expected


def paper(title: str, *names: str, source: Source = ROWS, **fields) -> Record:
    return Record(source, 1, 1, repr((title, names, fields)), title, authors=names, **fields)


def people(*records: Record) -> Identity:
    return identify(records, lambda title, abstract: Extraction())


def named(identity: Identity) -> dict[str, str]:
    return {person.key: person.name for person in identity.people}


def authors(identity: Identity, title: str) -> tuple[str, ...]:
    (found,) = (p for p in identity.papers if p.title == title)
    return found.authors or found.creators


def test_a_full_name_is_one_person_everywhere_and_named_as_most_write_it():
    identity = people(
        paper("The First Paper Here", "José García"),
        paper("The Second Paper Here", "Garcia, Jose"),
        paper("The Third Paper Here", "José García"),
    )
    (person,) = identity.people
    assert (person.key, person.name, person.aliases) == (
        "jose garcia", "José García", ("Jose Garcia",),
    )  # fmt: skip
    assert person.grounds == ()
    assert person.unresolved == ""


def test_the_owner_of_a_page_meets_the_authors_of_other_records():
    identity = people(
        paper("A Paper of Two", "Bo Frei", "Example, Ada"), paper("A Paper of Two", source=PAGE)
    )
    assert named(identity) == {"ada example": "Ada Example", "bo frei": "Bo Frei"}
    assert authors(identity, "A Paper of Two") == ("bo frei", "ada example")
    assert identity.owner_of == {PAGE: "ada example"}


def test_initials_are_a_full_name_only_on_the_paper_that_says_so():
    identity = people(
        paper("A Paper of Two", "A. Example", "B. Frei"),
        paper("A Paper of Two", "Ada Example", "Bo Frei", source=MORE),
        paper("Another Paper of One", "A. Example"),
    )
    assert named(identity) == {
        "a example": "A. Example", "ada example": "Ada Example", "bo frei": "Bo Frei",
    }  # fmt: skip
    first, ada, bo = identity.people
    assert first.unresolved == "initials"
    assert (ada.unresolved, ada.aliases) == ("", ("A. Example",))
    assert [(g.rule, g.names) for g in ada.grounds] == [
        ("SharedPaper", ("A. Example", "Ada Example"))
    ]
    assert bo.former == ("b frei",)  # "A. Example" still stands for itself
    assert ada.former == ()


def test_initials_that_fit_two_authors_fit_none():
    identity = people(
        paper("A Paper of Two", "Jack Smith", "John Smith"),
        paper("A Paper of Two", "J. Smith", source=MORE),
    )
    assert set(named(identity)) == {"j smith", "jack smith", "john smith"}


def test_names_of_one_record_are_never_one_person():
    identity = people(paper("A Paper of Many", "J. Smith", "John Smith", "John A. Smith"))
    assert len(identity.people) == 3


def test_a_name_of_one_word_is_unresolved():
    (person,) = people(paper("The First Paper Here", "Björk")).people
    assert person.unresolved == "one word"
    (person,) = people(paper("The First Paper Here", "李明")).people
    assert person.unresolved == ""


def test_family_name_first_where_another_record_has_it_last():
    identity = people(
        paper("A Paper of Two", "Li Ming", "Bo Frei"),
        paper("A Paper of Two", "Ming Li", "Bo Frei", source=MORE),
        paper("Another Paper of One", "Li Ming"),
    )
    assert set(named(identity)) == {"bo frei", "li ming"}
    assert (
        len(people(paper("Paper One of Two", "Li Ming"), paper("Paper Two", "Ming Li")).people) == 2
    )


def test_spellings_on_one_paper_are_one_person_everywhere():
    identity = people(
        paper("A Paper of Two", "Ada B. Example"),
        paper("A Paper of Two", "Ada Example", source=MORE),
        paper("Another Paper of One", "Ada Example"),
        paper("A Third Paper of One", "Ada B. Example"),
    )
    (person,) = identity.people
    assert (person.key, person.former) == ("ada b example", ("ada example",))


def test_a_bare_name_with_two_middle_names_stays_by_itself():
    identity = people(
        paper("A Paper of Two", "Ada B. Example"),
        paper("A Paper of Two", "Ada Example", source=MORE),
        paper("A Paper of Three", "Ada C. Example"),
        paper("A Paper of Three", "Ada Example", source=MORE),
        paper("Another Paper of One", "Ada Example"),
    )
    assert set(named(identity)) == {"ada b example", "ada c example", "ada example"}
    assert authors(identity, "A Paper of Two") == ("ada b example",)
    assert authors(identity, "Another Paper of One") == ("ada example",)


def test_an_orcid_joins_names_that_have_nothing_in_common():
    identity = people(
        paper("The First Paper Here", "Ada Example", orcids=(ORCIDS[0],)),
        paper("The Second Paper Here", "A. Frei", orcids=(ORCIDS[0],)),
        paper("The Third Paper Here", "Ada Example"),
        paper("The Fourth Paper Here", "A. Frei"),
    )
    frei, ada = identity.people
    assert (frei.key, frei.unresolved) == ("a frei", "initials")
    assert (ada.key, ada.orcids) == (f"orcid/{ORCIDS[0]}", (ORCIDS[0],))
    assert ada.former == ("ada example",)
    assert [(g.rule, g.value, g.names) for g in ada.grounds] == [
        ("SameOrcid", ORCIDS[0], ("A. Frei", "Ada Example"))
    ]
    assert authors(identity, "The Third Paper Here") == (ada.key,)


@given(st.permutations(range(4)))
def test_an_orcid_of_two_people_of_one_family_name_is_nobodys(order: list[int]):
    records = [
        paper("The First Paper Here", "John Smith", orcids=(ORCIDS[0],)),
        paper("The Second Paper Here", "Jane Smith", orcids=(ORCIDS[0],)),
        paper("The Third Paper Here", "John Smith"),
        paper("The Fourth Paper Here", "J. Smith", orcids=(ORCIDS[0],)),
    ]
    identity = people(*(records[i] for i in order))
    assert [(p.key, p.orcids, p.unresolved) for p in identity.people] == [
        ("j smith", (), "initials"), ("jane smith", (), "orcid"), ("john smith", (), "orcid"),
    ]  # fmt: skip
    # Its IRI leads to all that came with it, as it was one person's before.
    assert {person.former for person in identity.people} == {(f"orcid/{ORCIDS[0]}",)}


def test_an_umlaut_may_be_written_with_e_on_one_paper():
    identity = people(
        paper("Sparse Widgets of Today", "Jürgen Müller", "Bo Frei"),
        paper("Sparse Widgets of Today", "Juergen Mueller", "Bo Frei", source=MORE),
    )
    assert [(p.name, p.aliases) for p in identity.people] == [
        ("Bo Frei", ()), ("Juergen Mueller", ("Jürgen Müller",)),
    ]  # fmt: skip
    apart = people(
        paper("The First Paper Here", "Jürgen Müller"),
        paper("The Second Paper Here", "Juergen Mueller"),
    )
    assert len(apart.people) == 2


def test_two_orcids_part_one_name():
    identity = people(
        paper("The First Paper Here", "Wei Wang", orcids=(ORCIDS[0],)),
        paper("The Second Paper Here", "Wei Wang", orcids=(ORCIDS[1],)),
        paper("The Third Paper Here", "Wei Wang"),
    )
    assert [(p.key, p.unresolved, p.former) for p in identity.people] == [
        (f"orcid/{ORCIDS[1]}", "", ()),
        (f"orcid/{ORCIDS[0]}", "", ()),
        ("wei wang", "shared", ()),
    ]


def test_two_orcids_on_one_paper_are_two_authors():
    identity = people(
        paper("A Paper of Two", "Wei Wang", orcids=(ORCIDS[0],)),
        paper("A Paper of Two", "Wei Wang", orcids=(ORCIDS[1],), source=MORE),
    )
    assert len(identity.people) == 2


def test_an_orcid_that_a_record_gives_to_two_says_nothing():
    identity = people(
        paper("A Paper of Two", "Ada Example", "Bo Frei", orcids=(ORCIDS[0], ORCIDS[0]))
    )
    assert set(named(identity)) == {"ada example", "bo frei"}


def test_two_authors_of_one_name_on_one_paper():
    identity = people(
        paper("A Paper of Three", "Yang Liu", "Bo Frei", "Yang Liu", arxiv="2306.00802"),
        paper("Another Paper of One", "Yang Liu"),
    )
    found = authors(identity, "A Paper of Three")
    assert found == ("yang liu", "bo frei", "yang liu/2/2306.00802")
    assert authors(identity, "Another Paper of One") == ("yang liu",)
    assert {p.key: p.unresolved for p in identity.people} == {
        "yang liu": "shared", "bo frei": "", "yang liu/2/2306.00802": "",
    }  # fmt: skip


def test_every_name_that_is_not_written_out_is_marked():
    identity = people(
        paper("A Paper of Four", "J. Smith", "J. Smith", "Björk", "Björk", arxiv="2306.00802"),
        paper("A Paper of Two", "A. Frei", "A. Frei", orcids=(ORCIDS[0], ORCIDS[1])),
    )
    assert {p.key: p.unresolved for p in identity.people} == {
        "j smith": "initials", "j smith/2/2306.00802": "initials",
        "bjork": "one word", "bjork/2/2306.00802": "one word",
        f"orcid/{ORCIDS[0]}": "", f"orcid/{ORCIDS[1]}": "",
    }  # fmt: skip


def test_a_page_is_one_persons():
    page = Source("page.txt", "author-page", "A. Example")
    identity = people(
        paper("A Paper of Two", source=page),
        paper("Another Paper of One", source=page),
        paper("A Paper of Two", "Ada Example", "Bo Frei"),
        paper("A Third Paper of One", "A. Example"),
    )
    assert identity.owner_of == {page: "ada example"}
    assert authors(identity, "Another Paper of One") == ("ada example",)
    assert authors(identity, "A Third Paper of One") == ("a example",)
    reasons = {p.key: p.unresolved for p in identity.people}
    assert reasons == {"a example": "initials", "ada example": "", "bo frei": ""}


names = st.sampled_from(
    ["Ada Example", "A. Example", "Example, Ada", "Ada B. Example", "Ada C. Example", "Li Ming",
     "Ming Li", "Wei Wang", "W. Wang", "Björk", "Example Ada"]
)  # fmt: skip
lists = st.lists(st.tuples(names, st.sampled_from(["", "", *ORCIDS])), max_size=3)


@st.composite
def signed(draw: st.DrawFn) -> Record:
    signers = draw(lists)
    orcids = tuple(orcid for _, orcid in signers)
    return paper(
        draw(st.sampled_from(["A Paper of Some", "Another Paper Here", "A Third Paper Now"])),
        *(name for name, _ in signers),
        orcids=orcids if any(orcids) else (),
        source=draw(st.sampled_from([ROWS, MORE, PAGE])),
    )


@given(st.lists(signed(), max_size=7), st.randoms(use_true_random=False))
def test_order_changes_nothing(records: list[Record], shuffle: random.Random):
    again = list(records)
    shuffle.shuffle(again)
    assert people(*again) == people(*records)


def keys(found: Iterable[str]) -> list[str]:
    return sorted(found)


@given(st.lists(signed(), max_size=7))
def test_persons_have_one_key_and_no_two_authors_of_a_record_are_one(records: list[Record]):
    identity = people(*records)
    own = [person.key for person in identity.people]
    assert len(own) == len(set(own))
    for person in identity.people:
        assert sorted(set(person.former)) == list(person.former)
        assert not set(person.former) & set(own)
    for found in identity.papers:
        assert set(found.authors) <= set(found.creators) <= set(own)
        longest = max(len(record.authors) for record in found.records)
        assert len(found.authors) == longest
    orcids = [orcid for person in identity.people for orcid in person.orcids]
    assert len(orcids) == len(set(orcids))
    assert all(len(person.orcids) <= 1 for person in identity.people)


def test_a_curation_is_applied_last():
    records = [
        paper("The First Paper Here", "Ada Example", "J. Smith", "Wei Wang"),
        paper("The Second Paper Here", "Ada Lovelace", "John Smith", "Wei Wang"),
        paper("The Third Paper Here", "John Smith", "Nobody Here", "Yang Liu", "Y. Liu"),
    ]
    entries = (
        Entry("same", "person", ("Ada Example", "Ada Lovelace"), line=1),
        Entry("same", "person", ("J. Smith", "John Smith"), line=2),
        Entry("label", "person", ("Ada Lovelace",), "Ada King", 3),
        Entry("drop", "person", ("Nobody Here",), line=4),
        Entry("same", "person", ("Yang Liu", "Y. Liu"), line=5),  # one author, listed twice
    )
    ruler = Ruler(Curation(entries))
    identity = identify(records, lambda title, abstract: Extraction(), ruler=ruler)
    found = {person.name: person for person in identity.people}
    assert set(found) == {"Ada King", "John Smith", "Wei Wang", "Yang Liu"}
    assert found["Ada King"].aliases == ("Ada Example", "Ada Lovelace")
    assert [g.rule for g in found["Ada King"].grounds] == ["Curation"]
    assert found["John Smith"].unresolved == ""
    assert found["John Smith"].former == ("j smith",)
    assert authors(identity, "The Third Paper Here") == ("john smith", "", "yang liu")


def test_a_never_pair_wins_over_a_shared_paper_and_an_orcid():
    records = [
        paper("A Paper of Two", "Ada B. Example"),
        paper("A Paper of Two", "Ada Example", source=MORE),
        paper("Another Paper of One", "Ada Example"),
        paper("The Third Paper Here", "Bo Frei", orcids=(ORCIDS[0],)),
        paper("The Fourth Paper Here", "Bo Frei"),
    ]
    entries = (
        Entry("never", "person", ("Ada B. Example", "Ada Example"), line=1),
        Entry("never", "person", (f"orcid/{ORCIDS[0]}", "bo frei"), line=2),
    )
    ruler = Ruler(Curation(entries))
    identity = identify(records, lambda title, abstract: Extraction(), ruler=ruler)
    assert {person.key for person in identity.people} == {
        "ada b example", "ada example", "bo frei", f"orcid/{ORCIDS[0]}",
    }  # fmt: skip
