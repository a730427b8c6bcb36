"""The terms that kg writes, and the prefixes they are written with.

Our own terms are defined in `ontology/kg.ttl`; everything else is reused.
"""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode


class Namespace:
    """A vocabulary: `SKOS.prefLabel` or `SKOS["prefLabel"]` is the term's IRI."""

    def __init__(self, iri: str) -> None:
        self.iri = iri
        self._terms: dict[str, NamedNode] = {}

    def __getitem__(self, name: str) -> NamedNode:
        if name not in self._terms:
            self._terms[name] = NamedNode(self.iri + name)
        return self._terms[name]

    def __getattr__(self, name: str) -> NamedNode:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]


KG = Namespace("https://w3id.org/kg/ontology#")
ARXIV = Namespace("https://w3id.org/kg/arxiv/")
BIBO = Namespace("http://purl.org/ontology/bibo/")
DCAT = Namespace("http://www.w3.org/ns/dcat#")
DCTERMS = Namespace("http://purl.org/dc/terms/")
FABIO = Namespace("http://purl.org/spar/fabio/")
FOAF = Namespace("http://xmlns.com/foaf/0.1/")
ITSRDF = Namespace("http://www.w3.org/2005/11/its/rdf#")
NIF = Namespace("http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#")
PRO = Namespace("http://purl.org/spar/pro/")
PROV = Namespace("http://www.w3.org/ns/prov#")
RDF = Namespace("http://www.w3.org/1999/02/22-rdf-syntax-ns#")
RDFS = Namespace("http://www.w3.org/2000/01/rdf-schema#")
SCHEMA = Namespace("http://schema.org/")
SKOS = Namespace("http://www.w3.org/2004/02/skos/core#")
VOID = Namespace("http://rdfs.org/ns/void#")
XSD = Namespace("http://www.w3.org/2001/XMLSchema#")


def integer(number: int) -> Literal:
    """A whole number.

    Literal(number) asks Python for its text, and takes no notice of what is raised meanwhile,
    as where the process is told to end.
    """
    return Literal(str(number), datatype=XSD.integer)


DEFAULT_BASE = "https://w3id.org/kg/id/"

PREFIXES: dict[str, str] = {
    "kg": KG.iri,
    "arxiv": ARXIV.iri,
    "bibo": BIBO.iri,
    "dcat": DCAT.iri,
    "dcterms": DCTERMS.iri,
    "fabio": FABIO.iri,
    "foaf": FOAF.iri,
    "itsrdf": ITSRDF.iri,
    "nif": NIF.iri,
    "pro": PRO.iri,
    "prov": PROV.iri,
    "rdf": RDF.iri,
    "rdfs": RDFS.iri,
    "schema": SCHEMA.iri,
    "skos": SKOS.iri,
    "void": VOID.iri,
    "xsd": XSD.iri,
}
