"""The search index: what is found, in what order, and that it is a function of the store."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, Store
from served import Server, eventually, serving
from small_graph import BASE, TURTLE, build

from kg import search
from kg.errors import GraphError
from kg.queries import find
from kg.search import Index
from kg.search.words import asked, bare, distance, fold, grams, joined, words
from kg.store import Generation, generation, locked

MORE = """
<concept/attention-head> a skos:Concept, kg:Method ; skos:prefLabel "attention head"@en .
<concept/head-motion> a skos:Concept, kg:OtherConcept ; skos:prefLabel "head motion"@en .
<concept/c> a skos:Concept, kg:OtherConcept ; skos:prefLabel "C"@en .
<concept/c_pp> a skos:Concept, kg:OtherConcept ; skos:prefLabel "C++"@en .
<concept/forward-head> a skos:Concept, kg:Method ; skos:prefLabel "Forward-Head mechanism"@en .
<paper/arxiv/2401.00001> schema:mentions <concept/attention-head> .
<paper/memory-with-heads> schema:mentions <concept/attention-head> ;
  dcterms:identifier "doi:10.1/ABC" .
<paper/text/untitled-1> schema:mentions <concept/attention-head> .
<person/jürgen> a foaf:Person ; foaf:name "Jürgen Schmidhuber" ;
  dcterms:identifier "orcid:0000-0001" .
<person/li> a foaf:Person ; foaf:name "Bo Li" .
<person/liang> a foaf:Person ; foaf:name "Liang Øster" .
<paper/memory-with-heads> dcterms:creator <person/liang> .
<person/o-brien> a foaf:Person ; foaf:name "Seán O'Brien" .
<person/brien> a foaf:Person ; foaf:name "Ada Brien" .
<paper/memory-with-heads> dcterms:creator <person/brien> .
<paper/etale> a fabio:Preprint ; rdfs:label "A note on étale morphisms" .
<concept/staleness> a skos:Concept, kg:OtherConcept ; skos:prefLabel "stale"@en .
<concept/headline> a skos:Concept, kg:OtherConcept ; skos:prefLabel "headline news"@en .
<concept/gpt-4> a skos:Concept, kg:Method ; skos:prefLabel "tuned GPT-4"@en .
<old/person/li> rdfs:label "Bo Li" ; dcterms:isReplacedBy <person/li> .
"""


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store()
    store.load(TURTLE + MORE, RdfFormat.TURTLE)
    return store


@pytest.fixture(scope="module")
def path(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "000001.search"
    search.write(store, path)
    return path


@pytest.fixture(scope="module")
def index(path: Path) -> Iterator[Index]:
    index = Index.open(path)
    assert index is not None
    yield index
    index.close()


def labels(index: Index, text: str, kind: str = "concept") -> list[str]:
    return [hit.label for hit in index.search(text, (kind,))]


# What is found, and in what order


def test_exact_then_prefix_then_words_then_weight(index: Index) -> None:
    hits = index.search("head", ("concept",))
    assert [(hit.label, hit.match, hit.weight) for hit in hits] == [
        ("head motion", "prefix", 0),
        ("attention head", "words", 3),
        ("induction head", "words", 2),
        ("Forward-Head mechanism", "words", 0),
        ("headline news", "prefix", 0),
    ]
    assert index.search("Heads that copy")[0].match == "exact"


@pytest.mark.parametrize(
    "text",
    ["induction head", "Induction-Heads", "inductionhead", "IH", " ih ", "INDUCTION  HEADS"],
)
def test_the_one_thing_that_is_called_so(index: Index, text: str) -> None:
    hit = search.best(index.search(text))
    assert hit is not None
    assert (hit.kind, hit.label, hit.match) == ("concept", "induction head", "exact")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("indution head", "induction head"),
        ("induction haed", "induction head"),
        ("indution he", "induction head"),
        ("asociative memry", "associative memory"),
        ("trasformer", "transformer"),
        ("tranfsormer", "transformer"),
        ("transfor", "transformer"),
        ("trnasfor", "transformer"),
        ("induction", "induction head"),
        ("ind he", ""),  # two words begun are no name of a concept
        ("forward head", "Forward-Head mechanism"),
        ("forwardhead", "Forward-Head mechanism"),
        ("gpt4", "tuned GPT-4"),
        ("gpt 4", "tuned GPT-4"),
        ("imagenet 1k", "ImageNet-1k"),
        ("script alert", "<script>alert(1)</script>"),
    ],
)
def test_slips_and_beginnings(index: Index, text: str, label: str) -> None:
    assert labels(index, text)[:1] == ([label] if label else [])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("muller", "Zoë Müller"),
        ("zoe", "Zoë Müller"),
        ("Müller, Zoë", "Zoë Müller"),
        ("Scmidhuber", "Jürgen Schmidhuber"),
        ("Schmidhubre", "Jürgen Schmidhuber"),
        ("jurgen schm", "Jürgen Schmidhuber"),
        ("A. Bly", "Ada Bly"),
        ("Oster", "Liang Øster"),
        ("a bly", "Ada Bly"),
        ("j s", "J. Smith"),
        ("obrien", "Seán O'Brien"),
        ("OBrien, Sean", "Seán O'Brien"),
        ("o\u2019brien", "Seán O'Brien"),
        ("obrein", "Seán O'Brien"),
        ("brien", "Ada Brien"),
        ("0000-0001", "Jürgen Schmidhuber"),
        ("li", "Bo Li"),  # a whole word of a name before a heavier name that begins so
    ],
)
def test_people(index: Index, text: str, name: str) -> None:
    assert labels(index, text, "person")[0] == name


@pytest.mark.parametrize(
    "text", ["arXiv:2401.00001", "2401.00001", "arxiv:2401.00001", "heads that copy", "copy"]
)
def test_papers(index: Index, text: str) -> None:
    hit = index.search(text, ("paper",))[0]
    assert (hit.label, hit.note, hit.weight) == (
        "Heads that copy",
        "Zoë Müller, Ada Bly",
        20240000,
    )
    assert labels(index, "10.1/abc", "paper") == ["Memory with heads"]


def test_categories(index: Index) -> None:
    for text in ("cs.LG", "machine learning", "machin lerning"):
        hit = index.search(text, ("category",))[0]
        assert (hit.label, hit.note, hit.weight) == ("Machine Learning", "cs.LG", 1)


def test_names_that_differ_in_signs_alone(index: Index) -> None:
    assert labels(index, "C++")[:2] == ["C++", "C"]
    hit = search.best(index.search("C++"))
    assert hit is not None
    assert hit.label == "C++"


def test_a_name_of_several(index: Index) -> None:
    hits = index.search("smith", ("person",))
    assert [(hit.label, hit.name) for hit in hits][:2] == [
        ("Jim Smith", "Smith"),
        ("Jo Smith", "Smith"),
    ]
    assert search.best(hits) is None


def test_what_was_replaced_is_not_found(index: Index) -> None:
    assert [hit.iri for hit in index.search("Bo Li")] == [BASE + "person/li"]


def test_limit_and_kinds(index: Index) -> None:
    assert len(index.search("head", limit=1)) == 2  # a concept and a paper
    assert {hit.kind for hit in index.search("head", ("paper",))} == {"paper"}
    assert index.top("concept", 2) == ["attention head", "induction head"]
    assert index.top("nothing", 2) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "?!",
        '"',
        '" OR "',
        "a\0b",
        "NEAR(a b)",
        "-",
        "𞤢𞤣 𞤢",
        "*",
        "^",
        "\udcff",
        "é" * 5000,
    ],
)
def test_odd_questions(index: Index, text: str) -> None:
    index.search(text)
    assert search.best(index.search(text)) is None


@given(st.text(max_size=60))
def test_any_question_has_an_answer(index: Index, text: str) -> None:
    hits = index.search(text)
    assert hits == index.search(text)
    assert all(len([h for h in hits if h.kind == kind]) <= 8 for kind in search.KINDS)
    assert len({hit.iri for hit in hits}) == len(hits)


@given(st.data())
def test_every_name_is_found_with_a_slip(index: Index, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["induction head", "associative memory", "transformer"]))
    at = data.draw(st.integers(1, len(name) - 2).filter(lambda at: name[at : at + 2].isalpha()))
    slip = data.draw(st.sampled_from(["less", "more", "other", "swapped"]))
    changed = {
        "less": name[:at] + name[at + 1 :],
        "more": name[:at] + "x" + name[at:],
        "other": name[:at] + "x" + name[at + 1 :],
        "swapped": name[:at] + name[at + 1] + name[at] + name[at + 2 :],
    }[slip]
    assert name in labels(index, changed)


@pytest.mark.parametrize("text", ["etale", "ÉTALE"])
def test_an_exact_word_goes_before_one_with_slips_of_another_kind(index: Index, text: str) -> None:
    hits = index.search(text)
    assert [(hit.kind, hit.match) for hit in hits] == [("paper", "words"), ("concept", "similar")]


def test_a_whole_word_goes_before_one_that_is_begun(index: Index) -> None:
    hits = index.search("note")
    assert [hit.kind for hit in hits] == ["paper"]
    # A concept that begins so comes behind a paper that has the word.
    kinds = [hit.kind for hit in index.search("memor")]
    assert kinds == ["concept", "paper"]
    kinds = [hit.kind for hit in index.search("heads")]
    assert kinds[0] == "concept"  # in the singular
    assert [hit.kind for hit in index.search("trans")] == ["concept", "paper"]


# Words


def test_distance() -> None:
    assert distance("indution", "induction", 2) == 1
    assert distance("ba", "ab", 2) == 1
    assert distance("abc", "xyz", 2) == 3
    assert distance("trnas", "transformer", 2) > 2
    assert distance("trnas", "transformer", 2, whole=False) == 1
    assert distance("", "ab", 2) == 2


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_distance_is_one(a: str, b: str) -> None:
    assert (distance(a, b, 9) == 0) == (a == b)
    assert distance(a, b, 9) == distance(b, a, 9)
    assert distance(a, b, 9) <= max(len(a), len(b))
    assert distance(a, b, 1) == min(distance(a, b, 9), 2)
    assert distance(a, b, 9, whole=False) <= distance(a, b, 9)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(("图像", True), ("图像识别", True), ("识别", True), ("深度", True), ("深", True)),
        *(("像", True), ("别", True), ("用于图像识别", True), ("像图", False), ("图识", False)),
    ],
)
def test_what_stands_inside_a_text_without_spaces(tmp_path: Path, text: str, found: bool) -> None:
    store = Store()
    title = (
        "<paper/cjk> rdfs:label '深度学习-用于图像识别' ; dcterms:title '深度学习-用于图像识别' ."
    )
    store.load(TURTLE + "<paper/cjk> a fabio:Preprint . " + title, RdfFormat.TURTLE)
    search.write(store, tmp_path / "x.search")
    index = Index.open(tmp_path / "x.search")
    assert index is not None
    assert labels(index, text, "paper") == (["深度学习-用于图像识别"] if found else [])
    index.close()


def test_words() -> None:
    assert words("图像 GPT用于é") == ["图像", "像", "gpt", "用于", "于", "e"]
    assert words("Łódź's C++ (naïve) Straße") == ["lodz", "s", "c", "naive", "strasse"]
    found = joined("Seán O'Brien's x-ray\u2019s d\u2019État - -x")
    assert found == ["obriens", "xrays", "detat"]
    assert joined("图像-识别") == joined("no such") == []
    assert grams("ba") == {"^ba", "ba$", "=ab"}
    assert fold("Zoë  MÜLLER") == "zoe muller"
    assert bare("Induction-Heads", "concept") == "inductionhead"
    assert asked("  a\0 b\udcff ") == "a b"


@given(st.text(max_size=20))
def test_a_fast_path_changes_nothing(text: str) -> None:
    parts = unicodedata.normalize("NFKD", text.casefold())
    slow = " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())
    assert fold(text) == slow


# The file


def test_a_function_of_the_store(store: Store, path: Path, tmp_path: Path) -> None:
    search.write(store, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["again"]


def test_files_that_are_no_index(tmp_path: Path) -> None:
    assert Index.open(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()
    for content in (b"", b"no database, that is sure, and long enough for a header of one" * 20):
        (tmp_path / "odd").write_bytes(content)
        assert Index.open(tmp_path / "odd") is None
    with pytest.raises(GraphError, match="cannot be written"):
        search.write(Store(), tmp_path / "nowhere" / "index")


def test_an_empty_graph(tmp_path: Path) -> None:
    search.write(Store(), tmp_path / "index")
    index = Index.open(tmp_path / "index")
    assert index is not None
    assert index.search("anything at all") == []


def test_it_goes_with_its_generation(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    search.ensure(graph)
    first = search.path_of(generation(graph))
    assert first.is_file()
    search.ensure(graph)  # it is there
    build(graph)
    assert search.open_index(graph) is None
    assert first.is_file()  # for those who still read the generation
    build(graph)
    names = sorted(entry.name for entry in (graph / "generations").iterdir())
    assert names == ["000002", "000003"]
    with locked(graph):
        generation_ = Generation(graph)
        search.write(generation_.store, search.path_of(generation_.path))
        generation_.swap_in()
    names = sorted(entry.name for entry in (graph / "generations").iterdir())
    assert names == ["000003", "000004", "000004.search"]


# kg show and kg query find the same with an index as without


@pytest.mark.parametrize(
    "name",
    [
        *("induction head", "Induction-Heads", "INDUCTION HEAD", "ih", "zoe muller", "A. Bly"),
        *("Smith", "arxiv:2401.00001", "2401.00001", "heads that copy", "nothing", "imagenet1k"),
        *("C++", "C", "memory with head", "jim  smith", "Ada-Bly", "forward head mechanisms"),
    ],
)
def test_finding_with_and_without(store: Store, index: Index, name: str) -> None:
    assert find.find(store, name, index=index) == find.find(store, name)


def test_names_near_one_that_is_missing(store: Store, index: Index) -> None:
    assert find.near(store, "indution head", index=index)[0] == "induction head"
    assert find.near(store, "qqqq", index=index) == []


# Served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = build(tmp_path_factory.mktemp("serve") / "graph", TURTLE + MORE)
    search.ensure(graph)
    with serving(graph) as server:
        yield server


def get(server: Server, path: str, accept: str = "text/html", **q: str) -> httpx.Response:
    return httpx.get(server.url + path, params=q, headers={"Accept": accept})


def test_a_page_by_kinds(server: Server) -> None:
    response = get(server, "search", q="head")
    assert response.status_code == 200
    text = response.text
    assert text.index("<h2>Concepts</h2>") < text.index("<h2>Papers</h2>")
    assert '<a href="/concept/attention-head"><bdi>attention head</bdi></a>' in text
    assert "near it" not in text
    assert "These come near it" in get(server, "search", q="indution").text
    assert "Nothing here is called" in get(server, "search", q="qqqq").text
    assert 'name="q"' in get(server, "search").text


def test_straight_to_what_is_called_so(server: Server) -> None:
    for text in ("induction head", "IH", "<https://w3id.org/kg/id/concept/induction-head>"):
        response = get(server, "search", q=text)
        assert (response.status_code, response.headers["location"]) == (
            303,
            "/concept/induction-head",
        )
    assert get(server, "search", q="concept:transformer").headers["location"] == (
        "/concept/transformer"
    )
    assert get(server, "search", q="Heads that copy").headers["location"].startswith("/paper/")
    for q in ({"q": "induction head", "all": "1"}, {"q": "Smith"}, {"q": "IH", "kind": "concept"}):
        assert get(server, "search", **q).status_code == 200


def test_as_data(server: Server) -> None:
    found = get(server, "search.json", q="indution", limit="2").json()
    assert found["hits"][0] == {
        "kind": "concept",
        "label": "induction head",
        "iri": BASE + "concept/induction-head",
        "href": "/concept/induction-head",
        "match": "similar",
        "name": "induction head",
        "note": "method, task · 2 papers",
    }
    assert get(server, "search", "application/json", q="indution", limit="2").json() == found
    assert get(server, "search.json").json() == {"query": "", "hits": []}
    odd = get(server, "search.json", q="head", limit="²", kind="nonsense")
    assert len(odd.json()["hits"]) == 7


def test_names_are_text(server: Server) -> None:
    assert "<script>alert" not in get(server, "search", q="script", all="1").text
    assert "<script>alert" not in get(server, "search", q="<script>alert(2)</script>").text
    assert "&lt;script&gt;" in get(server, "search", q="script", all="1").text


def test_a_graph_without_an_index_gets_one(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    with serving(graph) as server:
        first = get(server, "search.json", q="head")
        assert first.status_code == 503
        assert first.headers["retry-after"] == "10"
        assert "is being made" in first.text
        assert eventually(lambda: get(server, "search.json", q="head").status_code == 200, 30)
        build(graph, TURTLE + MORE)
        search.ensure(graph)
        found = get(server, "search.json", q="attention").json()["hits"]
        assert [hit["label"] for hit in found] == ["attention head"]


def test_a_graph_that_cannot_have_one(tmp_path: Path) -> None:
    graph = build(tmp_path / "graph")
    # A folder stands where the index should be: root may write anywhere else.
    search.path_of(generation(graph)).mkdir()
    with serving(graph) as server:
        get(server, "search.json", q="head")
        assert eventually(
            lambda: "there is no search index" in get(server, "search.json", q="head").text, 30
        )
        assert json.loads(get(server, "health").text)["status"] == "ok"
