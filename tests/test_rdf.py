"""IRIs and triples: readable, injective, valid, and in the forms that the store keeps."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple

from kg.errors import UsageError
from kg.identity import identify
from kg.model import Extraction, Mention, Name, Note, Record, RecordConcept, Source
from kg.rdf.categories import load_categories
from kg.rdf.dataset import describe_dataset
from kg.rdf.describe import describe
from kg.rdf.iris import Iris, segment
from kg.rdf.vocabulary import (
    ARXIV,
    DCTERMS,
    ITSRDF,
    KG,
    NIF,
    PRO,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
    VOID,
    XSD,
)
from kg.validate import validate

PAGE = Source("ada.txt", "author-page", "Ada Example", 19)
ROWS = Source("rows.jsonl", "json-lines")
IRIS = Iris()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("induction head", "induction-head"),
        ("lean 4", "lean-4"),
        ("BM25", "BM25"),
        ("переобучение", "переобучение"),
        ("表示学习", "表示学习"),
    ],
)
def test_readable_names_stay_readable(name, expected):
    assert segment(name) == expected


def test_names_that_differ_in_signs_or_case_differ():
    names = ["c", "c++", "c#", "C", "c  x", "c x", "c-x", "c_x", "", " ", "+", "cot", "CoT"]
    assert len({segment(name) for name in names}) == len(names)


def test_long_names_are_cut_and_still_differ():
    long = "word " * 60
    assert segment(long + "a") != segment(long + "b")
    assert len(segment(long)) < 100


@given(st.text(max_size=40), st.text(max_size=40))
def test_segments_are_injective_after_nfc(a: str, b: str):
    same = unicodedata.normalize("NFC", a) == unicodedata.normalize("NFC", b)
    assert (segment(a) == segment(b)) == same


@given(st.text(max_size=60))
def test_segments_are_path_segments_of_valid_iris(name: str):
    iri = IRIS.concept(name)
    Store().load(f"{iri} {iri} {iri} .".encode(), format=RdfFormat.N_TRIPLES)
    assert "/" not in segment(name)
    assert segment(name) == unicodedata.normalize("NFC", segment(name))


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("arxiv/2306.00802", "paper/arxiv/2306.00802"),
        ("arxiv/math/0309136", "paper/arxiv/math/0309136"),
        ("doi/10.1613/jair.1.13768", "paper/doi/10.1613/jair.1.13768"),
        ("title/induction heads", "paper/induction-heads"),
    ],
)
def test_paper_iris(key, path):
    assert IRIS.paper(key) == NamedNode(IRIS.base + path)


@pytest.mark.parametrize(
    "doi", ["10.1000/a<b>", "10.1000/../x", "10.1000/a//b", "10.1000/a b", "10.1/ö"]
)
def test_odd_dois_still_give_valid_iris(doi):
    node = IRIS.paper(f"doi/{doi}")
    Store().load(f"{node} {node} {node} .".encode(), format=RdfFormat.N_TRIPLES)
    assert "/../" not in node.value
    assert not set(node.value) & set('<>"{}|\\^` ')


@pytest.mark.parametrize(
    "base", ["", "x", "https://example.org/id", "https://a b/", "https://e.org/#"]
)
def test_base_must_be_an_address_that_ends_in_a_slash(base):
    with pytest.raises(UsageError, match="must be a web address"):
        Iris(base)


def found(title: str, abstract: str) -> Extraction:
    title_mention = (Mention("title", 0, 14, "Induction Head", 0.93),) if title else ()
    head = RecordConcept(
        Name("induction head", "induction head"),
        "Method",
        2,
        True,
        (*title_mention, Mention("abstract", 3, 18, "induction heads", 1.0)),
        (Name("IH", "IH", True),),
    )
    return Extraction((head,))


TITLE = "Induction Head Formation Times"
ABSTRACT = "An induction heads\\textit{!} paper."
RECORDS = [
    Record(
        PAGE, 2, 9, "arXiv2026\n\nraw", TITLE, ABSTRACT, year=2026, categories=("cs.LG", "x.Odd"),
    ),
    Record(
        ROWS, 1, 1, "{}", TITLE, ABSTRACT,
        id="a1", doi="10.1000/1", url="https://example.org/1", authors=("Bo Frei", "Ada Example"),
    ),
    Record(ROWS, 2, 2, "{}", "", "An induction heads paper without a title."),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Store:
    identity = identify(RECORDS, found, [Note(PAGE, 3, 20, "5 pages")])
    triples = list(describe(identity, IRIS, load_categories()))
    store = Store()
    store.extend(Quad(t.subject, t.predicate, t.object) for t in triples)
    more = describe_dataset(identity, IRIS, len(store), {"kg": ("kg", "1.0")})
    store.extend(Quad(t.subject, t.predicate, t.object) for t in more)
    return store


def values(graph: Store, subject, predicate) -> set:
    return {quad.object for quad in graph.quads_for_pattern(subject, predicate, None)}


PAPER = IRIS.paper("doi/10.1000/1")


def test_paper(graph: Store):
    assert values(graph, PAPER, DCTERMS.title) == {Literal("Induction Head Formation Times")}
    assert values(graph, PAPER, DCTERMS.abstract) == {Literal("An induction heads! paper.")}
    assert values(graph, PAPER, DCTERMS.issued) == {Literal("2026", datatype=XSD.gYear)}
    assert values(graph, PAPER, DCTERMS.creator) == {
        IRIS.person("ada example"),
        IRIS.person("bo frei"),
    }
    assert values(graph, PAPER, DCTERMS.subject) == {ARXIV["cs.LG"], IRIS.category("x.Odd")}
    concept = {IRIS.concept("induction head")}
    for predicate in (SCHEMA.mentions, SCHEMA.about, KG.introduces):
        assert values(graph, PAPER, predicate) == concept


def test_paper_without_a_title(graph: Store):
    (node,) = (
        q.subject
        for q in graph.quads_for_pattern(None, SKOS.note, None)
        if q.subject != IRIS.source(PAGE)
    )
    assert values(graph, node, SKOS.note) == {Literal("The sources give no title.", language="en")}
    assert values(graph, node, DCTERMS.title) == set()
    assert values(graph, node, RDFS.label) == {Literal("An induction heads paper without a title.")}


def test_author_order(graph: Store):
    for number, person in ((1, "bo frei"), (2, "ada example")):
        role = IRIS.authorship("doi/10.1000/1", number)
        assert values(graph, role, PRO.isHeldBy) == {IRIS.person(person)}
        assert values(graph, role, KG.ordinal) == {Literal(number)}


def test_category_with_its_archive(graph: Store):
    assert values(graph, ARXIV["cs.LG"], SKOS.broader) == {ARXIV["cs"]}
    assert values(graph, ARXIV["cs.LG"], SKOS.prefLabel) == {
        Literal("Machine Learning", language="en")
    }
    assert values(graph, ARXIV["cs"], RDF.type) == {SKOS.Concept}


def test_concept(graph: Store):
    node = IRIS.concept("induction head")
    assert values(graph, node, RDF.type) == {SKOS.Concept, KG.Method}
    assert values(graph, node, SKOS.prefLabel) == {Literal("induction head", language="en")}
    assert values(graph, node, SKOS.altLabel) == {Literal("IH", language="en")}


def test_source_document(graph: Store):
    node = IRIS.source(PAGE)
    assert values(graph, node, KG.statedRecords) == {Literal(19)}
    assert values(graph, node, KG.heldRecords) == {Literal(1)}
    assert values(graph, node, SKOS.note) == {Literal("5 pages")}
    assert values(graph, node, KG.pageOf) == {IRIS.person("ada example")}


def test_mentions_are_slices_of_their_context(graph: Store):
    mentions = [q.subject for q in graph.quads_for_pattern(None, RDF.type, KG.Mention)]
    assert len(mentions) == 3
    for mention in mentions:
        (context,) = values(graph, mention, NIF.referenceContext)
        (text,) = values(graph, context, NIF.isString)
        (begin,) = values(graph, mention, NIF.beginIndex)
        (end,) = values(graph, mention, NIF.endIndex)
        (anchor,) = values(graph, mention, NIF.anchorOf)
        assert text.value[int(begin.value) : int(end.value)] == anchor.value
        assert mention.value == f"{context.value}-{begin.value}-{end.value}"
        assert len(values(graph, mention, ITSRDF.taConfidence)) == 1


def test_dataset_counts_every_triple(graph: Store):
    assert values(graph, IRIS.dataset(), VOID.triples) == {Literal(len(graph))}


def test_nothing_is_blank_and_literals_are_kept_as_written(graph: Store):
    identity = identify(RECORDS, found)
    written = Counter(describe(identity, IRIS, load_categories()))
    kept = {Triple(q.subject, q.predicate, q.object) for q in graph}
    assert set(written) <= kept
    for triple in kept:
        assert isinstance(triple.subject, NamedNode)
        assert isinstance(triple.object, (NamedNode, Literal))


odd = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=12)
odd |= st.sampled_from(
    ["{}", "$$", "<b></b>", "😀", "???", "\\", "C++", "A Title of Words", "&#252 "]
)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(odd, odd, odd), min_size=1, max_size=6))
def test_whatever_records_say_the_graph_conforms(rows: list[tuple[str, str, str]]):
    records = [
        Record(
            ROWS,
            i,
            i,
            repr((title, abstract)),
            title,
            abstract,
            authors=(name,) if name.strip() else (),
        )
        for i, (title, abstract, name) in enumerate(rows, 1)
        if title.strip() or abstract.strip()
    ]
    identity = identify(records, lambda title, abstract: Extraction())
    store = Store()
    triples = describe(identity, IRIS, load_categories())
    store.extend(Quad(t.subject, t.predicate, t.object) for t in triples)
    report = validate(store)
    assert report.results == ()
