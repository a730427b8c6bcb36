"""Every term that kg writes or asks for is declared in its ontology or known from elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, RdfFormat, parse

import kg
from kg.rdf import vocabulary
from kg.rdf.vocabulary import ARXIV, KG, PREFIXES, RDF, Namespace
from kg.resources import folder
from kg.validate.checks import SHAPE

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "exports" / "example.ttl"

# The terms of other vocabularies that kg's graphs are made of.
WRITTEN = {
    "bibo": "doi",
    "dcat": "Dataset",
    "dcterms": (
        "abstract creator description format identifier isPartOf isReplacedBy issued license"
        " replaces source subject title"
    ),
    "fabio": "Preprint",
    "foaf": "Person name",
    "itsrdf": "taConfidence taIdentRef",
    "nif": "Context Phrase anchorOf beginIndex endIndex isString referenceContext",
    "pro": "RoleInTime author isHeldBy relatesToDocument withRole",
    "prov": (
        "Derivation Entity SoftwareAgent entity qualifiedDerivation value wasAttributedTo"
        " wasDerivedFrom"
    ),
    "rdf": "type",
    "rdfs": "label",
    "schema": "ScholarlyArticle about mentions sameAs softwareVersion url",
    "skos": (
        "Concept ConceptScheme altLabel broader closeMatch exactMatch inScheme notation note"
        " prefLabel related"
    ),
    "void": ("Dataset class classPartition entities exampleResource triples vocabulary uriSpace"),
    "xsd": "date double gYear integer string",
}
# What shapes allow or rest on, the ontology says, or code reads, and a graph need not hold.
KNOWN = {
    "dcat": "keyword version",
    "dcterms": "publisher",
    "rdf": "first langString nil rest",
    "rdfs": "Class comment domain isDefinedBy range seeAlso subClassOf subPropertyOf",
    "skos": (
        "broadMatch definition example hasTopConcept hiddenLabel narrowMatch narrower"
        " relatedMatch scopeNote topConceptOf"
    ),
    "void": "dataDump distinctSubjects properties sparqlEndpoint",
    "xsd": "boolean decimal",
}


def terms(table: dict[str, str]) -> set[str]:
    return {PREFIXES[prefix] + name for prefix, names in table.items() for name in names.split()}


def declared() -> set[str]:
    subjects = (quad.subject for quad in parse(path=folder("ontology") / "kg.ttl"))
    return {node.value for node in subjects if isinstance(node, NamedNode) and KG.iri in node.value}


def iris(file: Path) -> set[str]:
    """All IRIs in a Turtle file, those of datatypes too."""
    found: set[str] = set()
    for quad in parse(path=file, format=RdfFormat.TURTLE):
        for term in (quad.subject, quad.predicate, quad.object):
            if isinstance(term, NamedNode):
                found.add(term.value)
            elif datatype := getattr(term, "datatype", None):
                found.add(datatype.value)
    return found


def used_in_code(file: Path) -> Iterator[str]:
    """IRIs of terms of our namespaces, written as `SKOS.prefLabel` or `VOID["class"]`."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    ours = {  # rdflib's namespaces have the same names, and know their terms themselves
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == vocabulary.__name__
        for name in node.names
    }
    if file.samefile(vocabulary.__file__):
        ours = set(vars(vocabulary))
    spaces = {
        name: value
        for name, value in vars(vocabulary).items()
        if type(value) is Namespace and name in ours
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name):
            space = spaces.get(node.value.id)
            if space is None or space is ARXIV:
                continue
            if isinstance(node, ast.Attribute):
                if node.attr != "iri":
                    yield space.iri + node.attr
            elif isinstance(node.slice, ast.Constant):
                yield f"{space.iri}{node.slice.value}"


def used_in_query(file: Path) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    text = re.sub(r'#[^\n]*$|"[^"\n]*"|<[^>\s]*>', " ", text, flags=re.MULTILINE)
    for prefix, name in re.findall(r"(?<![\w:?])([a-z]+):(\w+)", text):
        if prefix in PREFIXES and prefix != "arxiv":
            yield PREFIXES[prefix] + name


ALLOWED = declared() | terms(WRITTEN) | terms(KNOWN)


def test_the_prefixes_are_those_of_the_vocabularies() -> None:
    spaces = {value.iri for value in vars(vocabulary).values() if type(value) is Namespace}
    assert spaces == set(PREFIXES.values())


@pytest.mark.parametrize(
    "file", sorted(Path(kg.__file__).parent.rglob("*.py")), ids=lambda file: str(file.name)
)
def test_terms_in_code_are_known(file: Path) -> None:
    assert set(used_in_code(file)) - ALLOWED == set()


def test_terms_in_queries_are_known() -> None:
    files = sorted((Path(kg.__file__).parent / "queries").glob("*.sparql"))
    assert files
    unknown = {(file.name, iri) for file in files for iri in used_in_query(file)}
    assert {(file, iri) for file, iri in unknown if iri not in ALLOWED} == set()


@pytest.mark.parametrize("file", sorted(folder("shapes").glob("*.ttl")), ids=lambda file: file.name)
def test_terms_in_shapes_are_known(file: Path) -> None:
    others = ("http://www.w3.org/ns/shacl#", "http://www.w3.org/2002/07/owl#", SHAPE.iri, ARXIV.iri)
    booleans = {PREFIXES["xsd"] + "boolean"}
    found = {iri for iri in iris(file) if not iri.startswith(others)} - booleans
    assert found - ALLOWED == set()


def test_a_graph_has_only_terms_that_shapes_speak_of() -> None:
    """What is written must be validated: no term is in WRITTEN or declared, and in no shape."""
    shaped = set().union(*(iris(file) for file in folder("shapes").glob("*.ttl")))
    derived = {KG.worksOn.value, KG.Rule.value}
    assert (terms(WRITTEN) | declared()) - shaped - derived == set()


def test_the_example_uses_known_terms() -> None:
    assert EXAMPLE.is_file(), "make it with: make demo"
    written = declared() | terms(WRITTEN) | {RDF.langString.value}
    unknown = set()
    for quad in parse(path=EXAMPLE, format=RdfFormat.TURTLE):
        if quad.predicate.value not in written:
            unknown.add(quad.predicate.value)
        if quad.predicate == RDF.type:
            assert isinstance(quad.object, NamedNode)
            if quad.object.value not in written:
                unknown.add(quad.object.value)
        datatype = getattr(quad.object, "datatype", None)
        if datatype is not None and datatype.value not in written:
            unknown.add(datatype.value)
    assert unknown == set()
