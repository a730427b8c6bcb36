"""Vocabularies: read in every syntax, faults named, concepts linked by the names that both have."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.concepts.names import key
from kg.errors import InputError
from kg.identity.matching import linked_to
from kg.model import Concept, Match, Term
from kg.rdf.categories import canonical, load_categories
from kg.vocabularies import read_vocabulary

VOCAB = Path(__file__).parent.parent.parent / "shared" / "data" / "vocab"
EX = "https://example.org/v/"
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TOPICS = "https://cso.kmi.open.ac.uk/topics/"

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix ex: <https://example.org/v/> .
ex:scheme a skos:ConceptScheme .
ex:1 a skos:Concept ; skos:prefLabel "Neural network"@en, "Neuronales Netz"@de ;
  skos:altLabel "NN"@en-GB, "neural net" ; skos:inScheme ex:scheme .
ex:2 skos:prefLabel "Loss" .
ex:3 skos:prefLabel "Verlust"@de .
ex:4 skos:prefLabel "Gone"@en ; owl:deprecated true .
"""
NO_CONCEPTS = """
ex:scheme skos:prefLabel "Graph"@en .
ex:5 a skos:Collection ; skos:prefLabel "Tree"@en ; skos:member ex:1 .
ex:6 a skos:OrderedCollection ; skos:prefLabel "Path" .
ex:7 a owl:ObjectProperty ; skos:prefLabel "Edge" .
ex: a owl:Ontology ; skos:prefLabel "Widgets" .
ex:8 skos:prefLabel "Gone too"@en ;
  owl:deprecated "1"^^<http://www.w3.org/2001/XMLSchema#boolean> .
ex:9 skos:prefLabel "Leaf" ; a <http://purl.org/iso25964/skos-thes#ThesaurusArray> .
"""
TERMS = (
    Term(f"{EX}1", ("Neural network",), ("NN", "neural net")),
    Term(f"{EX}2", ("Loss",)),
)
RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="https://example.org/v/1">
    <skos:prefLabel xml:lang="en">Neural network</skos:prefLabel>
    <skos:altLabel xml:lang="en">NN</skos:altLabel>
    <skos:altLabel>neural net</skos:altLabel>
  </skos:Concept>
  <skos:Concept rdf:about="https://example.org/v/2"><skos:prefLabel>Loss</skos:prefLabel></skos:Concept>
</rdf:RDF>
"""
JSON_LD = json.dumps([
    {
        "@id": f"{EX}1",
        f"{SKOS}prefLabel": [{"@value": "Neural network"}],
        f"{SKOS}altLabel": [{"@value": "NN"}, {"@value": "neural net"}],
    },
    {"@id": f"{EX}2", f"{SKOS}prefLabel": [{"@value": "Loss"}]},
])  # fmt: skip
N_TRIPLES = "".join(
    f'<{term.iri}> <{SKOS}{kind}> "{label}" .\n'
    for term in TERMS
    for kind, labels in (("prefLabel", term.preferred), ("altLabel", term.others))
    for label in labels
)
SKOS_XL = """
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
<https://example.org/v/1> xl:prefLabel [ xl:literalForm "Neural network"@en ] ;
  xl:altLabel [ xl:literalForm "NN"@en ], <https://example.org/v/l> .
<https://example.org/v/l> xl:literalForm "neural net" .
<https://example.org/v/2> xl:prefLabel [ xl:literalForm "Loss"@en ] .
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.ttl", TURTLE),
        ("v.trig", TURTLE),
        ("more.ttl", TURTLE + NO_CONCEPTS),
        ("v.rdf", RDF_XML),
        ("v.owl", RDF_XML),
        ("v.dat", RDF_XML),
        ("v.jsonld", JSON_LD),
        ("v.json", JSON_LD),
        ("v.nt", N_TRIPLES),
        ("v", TURTLE),
        ("xl.ttl", SKOS_XL),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_skos_in_every_syntax(tmp_path: Path, name: str, content: str, packed: bool):
    path = tmp_path / (f"{name}.gz" if packed else name)
    data = content.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert read_vocabulary(str(path)) == TERMS


CSO = """"neural networks";rdf:type;klink:Topic
"neural networks";rdfs:label;"neural networks"
"neural network";rdfs:label;"neural network"
"neural network";klink:primaryLabel;"neural networks"
"neural networks";klink:primaryLabel;"neural networks"
"neural network";klink:relatedEquivalent;"neural networks"
isomap;rdfs:label;isomap
"trees (mathematics)";rdfs:label;"trees (mathematics)"
"""
_PREFERRED = "http://cso.kmi.open.ac.uk/schema/cso#preferentialEquivalent"
NEW_CSO = "".join(
    f'"<{TOPICS}{topic}>","<{predicate}>","{value}"\n'
    for topic, predicate, value in [
        ("isomap", RDFS_LABEL, "isomap@en ."),
        ("neural_network", _PREFERRED, f"<{TOPICS}neural_networks>"),
        ("neural_network", RDFS_LABEL, "neural network@en ."),
        ("neural_networks", RDFS_LABEL, "neural networks@en ."),
    ]
)


def test_the_cso_old_and_new(tmp_path: Path):
    terms = (
        Term(f"{TOPICS}isomap", ("isomap",)),
        Term(f"{TOPICS}neural_networks", ("neural networks",), ("neural network",)),
    )
    (tmp_path / "CSO.csv").write_text(NEW_CSO)
    assert read_vocabulary(str(tmp_path / "CSO.csv")) == terms
    for name in ("cso.csv", "topics"):
        (tmp_path / name).write_text(CSO)
        assert read_vocabulary(str(tmp_path / name)) == (
            *terms,
            Term(f"{TOPICS}trees_%28mathematics%29", ("trees (mathematics)",)),
        )


BOMB = b"""<?xml version="1.0"?><!DOCTYPE r [
<!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>
"""


def test_entities_for_namespaces_are_read(tmp_path: Path):
    (tmp_path / "v.rdf").write_text(
        """<!DOCTYPE rdf:RDF [<!ENTITY ex "http://example.org/">]>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
            xmlns:skos="http://www.w3.org/2004/02/skos/core#">
        <skos:Concept rdf:about="&ex;a"><skos:prefLabel>Widget</skos:prefLabel></skos:Concept>
        </rdf:RDF>"""
    )
    assert read_vocabulary(str(tmp_path / "v.rdf")) == (Term("http://example.org/a", ("Widget",)),)


@pytest.mark.parametrize(
    ("name", "content", "line", "reason"),
    [
        ("v.ttl", b'<a:b> <a:c> "x" .\n<a:b> <a:c> .\n', 2, "no valid Turtle"),
        ("v.rdf", b"<rdf:RDF", None, "no valid RDF/XML"),
        ("v.rdf", BOMB, 2, "an entity is declared that holds other entities"),
        ("v.rdf", b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r/>', 1, "an entity"),
        ("v.rdf", b'<!DOCTYPE r [<!ENTITY x "' + b"x" * 201 + b'">]><r/>', 1, "an entity"),
        ("v.jsonld", b'{"@id": ', 1, "no valid JSON-LD"),
        ("v.csv", b'"a";rdfs:label;"a"\n"b";rdfs:label\n', 2, "2 columns"),
        ("v.csv", b'"a";rdfs:label;"a" x\n', 1, "no valid CSV"),
        ("v.csv", b'a;rdfs:label;a\nb;rdfs:label;\xff\n', 2, "not UTF-8"),
        ("v.csv", f'"<no iri>","<{RDFS_LABEL}>","x"\n'.encode(), 1, "no valid IRI"),
        ("v.ttl", b"", None, "no concept has a name in English"),
        ("v.ttl.gz", b"\x1f\x8b\x08 damaged", None, "damaged gzip"),
    ],
)  # fmt: skip
def test_faults_are_named_with_their_line(tmp_path: Path, name, content, line, reason):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason) as caught:
        read_vocabulary(str(path))
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(InputError, match=r"gone\.ttl: cannot be read: No such file"):
        read_vocabulary(str(tmp_path / "gone.ttl"))


def concept(label: str, *aliases: str) -> Concept:
    return Concept(key(label), label, aliases, ("Method",))


def matches(ours: Concept, *terms: Term) -> list[tuple[str, bool, str]]:
    (found,) = linked_to([ours], [terms], key)
    return [(m.iri.removeprefix(EX), m.exact, m.value) for m in found.matches]


def term(name: str, preferred: str, *others: str) -> Term:
    return Term(EX + name, (preferred,), others)


@pytest.mark.parametrize(
    ("ours", "terms", "expected"),
    [
        (concept("neural network"), [term("1", "Neural networks")],
         [("1", True, "Neural networks")]),
        (concept("neural network"), [term("1", "neural-network (NN)")],
         [("1", True, "neural-network (NN)")]),
        (concept("neural network"), [term("1", "ANN", "neural networks")],
         [("1", False, "neural networks")]),
        (concept("neural network", "neural net"), [term("1", "neural nets")],
         [("1", False, "neural nets")]),
        (concept("tree"), [term("1", "trees (mathematics)")],
         [("1", False, "trees (mathematics)")]),
        # Of two with one key the one to the letter, else none is sure.
        (concept("graph"), [term("1", "graph"), term("2", "graphs")], [("1", True, "graph")]),
        (concept("Graph"), [term("1", "graph"), term("2", "graphs")],
         [("1", False, "graph"), ("2", False, "graphs")]),
        # A short form may be short for something else there.
        (concept("CNN"), [term("1", "cnn")], [("1", False, "cnn")]),
        (concept("CNN"), [term("1", "CNN")], [("1", False, "CNN")]),
        (concept("GPU"), [term("1", "GPUs")], [("1", False, "GPUs")]),
        (concept("DBSCAN"), [term("1", "dbscan")], [("1", False, "dbscan")]),
        (concept("A"), [term("1", "A")], [("1", True, "A")]),
        (concept("IoU"), [term("1", "IoU")], [("1", True, "IoU")]),
        (concept("DNA sequence"), [term("1", "DNA sequences")], [("1", True, "DNA sequences")]),
        (concept("Adam"), [term("1", "adams")], [("1", False, "adams")]),
        (concept("Isomap"), [term("1", "isomap")], [("1", True, "isomap")]),
        # A short form of ours is not taken for theirs, and two second names say nothing.
        (concept("spectral clustering", "SC"), [term("1", "SC")], []),
        (concept("density clustering", "DBSCAN"), [term("1", "dbscan")], []),
        (Concept("SC", "spectral clustering"), [term("1", "SC")], []),
        (concept("parsing", "syntax analysis"), [term("1", "parse", "syntax analysis")], []),
        (concept("bank"), [term(str(i), "money", "bank") for i in range(4)], []),
    ],
)  # fmt: skip
def test_matches(ours, terms, expected):
    assert matches(ours, *terms) == expected


def test_the_ground_is_kept_and_one_of_ours_is_the_exact_match():
    found = linked_to([concept("loss")], [[term("1", "Loss")], [term("1", "x", "loss")]], key)
    assert found[0].matches == (Match(f"{EX}1", True, "SamePreferredLabel", "Loss"),)
    twins = [Concept("loss", "loss"), Concept("Loss", "losses")]
    found = linked_to(twins, [[term("1", "Loss")]], key)
    assert [m.exact for c in found for m in c.matches] == [False, False]


names = st.sampled_from(["graph", "graphs", "Graph", "tree", "trees (x)", "SC", "loss", "a b"])
vocabulary = st.lists(
    st.builds(
        lambda i, a, others: Term(f"{EX}{i}", (a,), tuple(sorted(others - {a}))),
        st.integers(0, 4),
        names,
        st.sets(names, max_size=2),
    ),
    max_size=5,
    unique_by=lambda term: term.iri,
)


@given(vocabulary, vocabulary)
def test_order_changes_no_match(first: list[Term], second: list[Term]):
    ours = [concept("graph"), concept("tree", "loss"), concept("SC"), concept("a b")]
    found = linked_to(ours, [first, second], key)
    assert linked_to(ours, [second[::-1], first[::-1]], key) == found
    for one in found:
        iris = [match.iri for match in one.matches]
        assert iris == sorted(set(iris))


def test_the_real_cso():
    file = VOCAB / "cso-2.3.csv.gz"
    if not file.is_file():
        pytest.skip("../shared/data/vocab is not there to read")
    terms = read_vocabulary(str(file))
    assert len(terms) == 11_176
    assert sum(len(found.others) for found in terms) == 2_985
    found = linked_to([concept("recurrent neural network")], [terms], key)
    assert [(m.exact, m.value) for m in found[0].matches] == [(True, "recurrent neural networks")]


def test_all_categories_of_arxiv_are_bundled():
    file = VOCAB / "categories.csv"
    if not file.is_file():
        pytest.skip("../shared/data/vocab is not there to compare with")
    with file.open(encoding="utf-8", newline="") as rows:
        listed = [r for r in csv.DictReader(rows) if r["archive"] not in ("test", "bad-arch")]
    categories = load_categories()
    active = [row["id"] for row in listed if row["active"] == "True"]
    assert len(active) == 155
    assert {row["id"] for row in listed} <= categories.keys()
    for row in listed:
        if row["active"] == "False" and row["alt_name"]:
            assert canonical(row["id"]) == row["alt_name"]
            assert row["id"] in categories[row["alt_name"]].aliases


@pytest.mark.parametrize(
    ("old", "now"),
    [("alg-geom", "math.AG"), ("cmp-lg", "cs.CL"), ("chao-dyn", "nlin.CD"), ("stat.TH", "math.ST")],
)
def test_old_names_lead_to_present_ones(old: str, now: str):
    assert canonical(old) == canonical(old.upper()) == now
    assert canonical(now.lower()) == now
    assert old in load_categories()[now].aliases
