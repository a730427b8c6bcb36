"""The ontology is whole, the categories are arXiv's, and the pages on both are current."""

from __future__ import annotations

import csv
import importlib.util
import json
from pathlib import Path

import pytest
from rdflib import DCTERMS, OWL, RDF, RDFS, SKOS, VANN, Graph, Literal, URIRef

from kg.rdf.categories import Category, canonical, load_categories
from kg.rdf.grounds import RULES
from kg.rdf.vocabulary import ARXIV, KG
from kg.resources import folder
from kg.validate.read import read
from kg.validate.terms import to_rdflib

ROOT = Path(__file__).parent.parent
VOCAB = ROOT.parent / "shared" / "data" / "vocab"
ONTOLOGY = URIRef("https://w3id.org/kg/ontology")


def load(name: str) -> Graph:
    return to_rdflib(read([folder("ontology") / name]).quads)


def test_the_header_is_complete() -> None:
    graph = load("kg.ttl")
    assert (ONTOLOGY, RDF.type, OWL.Ontology) in graph
    version = graph.value(ONTOLOGY, OWL.versionInfo)
    assert graph.value(ONTOLOGY, OWL.versionIRI) == URIRef(f"{ONTOLOGY}/{version}")
    assert graph.value(ONTOLOGY, VANN.preferredNamespacePrefix) == Literal("kg")
    assert graph.value(ONTOLOGY, VANN.preferredNamespaceUri) == Literal(KG.iri)
    for predicate in (DCTERMS.title, DCTERMS.description, DCTERMS.creator, DCTERMS.license):
        assert graph.value(ONTOLOGY, predicate)


def test_each_term_is_described() -> None:
    graph = load("kg.ttl")
    terms = {node for node in graph.subjects() if str(node).startswith(KG.iri)}
    assert len(terms) == 20 + len(RULES)
    for term in terms:
        labels = list(graph.objects(term, RDFS.label))
        assert [label.language for label in labels] == ["en"], term
        comment = graph.value(term, RDFS.comment)
        assert comment is not None, term
        assert comment.endswith("."), term
        assert graph.value(term, RDFS.isDefinedBy) == ONTOLOGY, term
        kinds = set(graph.objects(term, RDF.type))
        if kinds == {URIRef(KG.Rule.value)}:
            assert term.removeprefix(KG.iri) in RULES, term
            continue
        assert kinds < {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty}, term
        # Names of classes begin with a capital letter, those of properties do not.
        assert (OWL.Class in kinds) == term.removeprefix(KG.iri)[0].isupper(), term


def test_the_file_of_categories_is_sorted() -> None:
    lines = (folder("ontology") / "arxiv.ttl").read_text(encoding="utf-8").splitlines()
    names = [line.split()[0] for line in lines if line.startswith("arxiv:")]
    assert names == sorted(names, key=lambda name: (name.lower(), name))
    assert len(names) == len(set(names)) == len(load_categories())


def test_a_category_has_its_name_and_archive() -> None:
    categories = load_categories()
    assert categories["cs.LG"] == Category("cs.LG", "Machine Learning", "cs")
    assert categories["cs"] == Category("cs", "Computer Science", None)
    assert categories["hep-th"].broader == "grp_physics"
    assert categories["cmp-lg"] == Category("cmp-lg", "Computation and Language", "cs", "cs.CL")
    assert "cs.XX" not in categories
    with pytest.raises(TypeError):
        categories["x"] = categories["cs"]


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("cs.LG", "cs.LG"),
        ("math.MP", "math-ph"),
        ("cs.NA", "math.NA"),
        ("cmp-lg", "cs.CL"),
        ("no.such", "no.such"),
        ("", ""),
    ],
)
def test_a_second_name_leads_to_the_first(notation: str, expected: str) -> None:
    assert canonical(notation) == expected


def test_the_hierarchy_is_closed() -> None:
    categories = load_categories()
    for category in categories.values():
        assert category.broader is None or category.broader in categories
        if category.replaced_by:
            assert categories[category.replaced_by].replaced_by is None
    graph = load("arxiv.ttl")
    assert set(graph.objects(None, SKOS.inScheme)) == {URIRef(ARXIV.iri)}


def test_the_categories_are_those_of_arxiv() -> None:
    if not VOCAB.is_dir():
        pytest.skip("../shared/data/vocab is not there to compare with")
    categories = load_categories()
    taxonomy = json.loads((VOCAB / "taxonomy.json").read_text(encoding="utf-8"))
    with (VOCAB / "categories.csv").open(encoding="utf-8", newline="") as file:
        names = {row["id"]: row["name"] for row in csv.DictReader(file)}
    names |= {name: archive["full_name"] for name, archive in taxonomy["ARCHIVES"].items()}
    names = {k: v for k, v in names.items() if k.split(".")[0] not in ("test", "bad-arch")}
    assert {c.notation: c.label for c in categories.values()} == names | {"grp_physics": "Physics"}
    replaced = taxonomy["CATEGORY_ALIASES"] | taxonomy["ARCHIVES_SUBSUMED"]
    assert {c.notation: c.replaced_by for c in categories.values() if c.replaced_by} == replaced


@pytest.mark.parametrize("name", ["ontology.md", "shapes.md"])
def test_the_pages_are_current(name: str) -> None:
    file = ROOT / "docs" / "generate_model.py"
    spec = importlib.util.spec_from_file_location("generate_model", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == module.PAGES[name](), f"run: python {file.relative_to(ROOT)}"
