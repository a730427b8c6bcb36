"""A small graph of our own writing, for the tests of queries, pages and the endpoint."""

from __future__ import annotations

from pathlib import Path

from pyoxigraph import NamedNode, Quad, RdfFormat, parse

from kg.store import Generation, locked

BASE = "https://w3id.org/kg/id/"

TURTLE = """
@base <https://w3id.org/kg/id/> .
@prefix kg: <https://w3id.org/kg/ontology#> .
@prefix arxiv: <https://w3id.org/kg/arxiv/> .
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix fabio: <http://purl.org/spar/fabio/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix pro: <http://purl.org/spar/pro/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<paper/arxiv/2401.00001> a fabio:Preprint, schema:ScholarlyArticle ;
  rdfs:label "Heads that copy" ; dcterms:title "Heads that copy" ;
  dcterms:abstract "We study induction heads (IH) in small transformers." ;
  dcterms:issued "2024"^^xsd:gYear ; dcterms:identifier "arXiv:2401.00001" ;
  schema:url <https://arxiv.org/abs/2401.00001> ; dcterms:subject arxiv:cs.LG ;
  dcterms:creator <person/zoë-müller>, <person/ada-bly> ;
  schema:mentions <concept/induction-head>, <concept/transformer> ;
  schema:about <concept/induction-head> ; kg:introduces <concept/induction-head> ;
  prov:wasDerivedFrom <record/one/1-abc> .
<paper/arxiv/2401.00001#author-1> a pro:RoleInTime ; pro:withRole pro:author ; kg:ordinal 1 ;
  pro:isHeldBy <person/zoë-müller> ; pro:relatesToDocument <paper/arxiv/2401.00001> .
<paper/arxiv/2401.00001#author-2> a pro:RoleInTime ; pro:withRole pro:author ; kg:ordinal 2 ;
  pro:isHeldBy <person/ada-bly> ; pro:relatesToDocument <paper/arxiv/2401.00001> .
<paper/memory-with-heads> a fabio:Preprint, schema:ScholarlyArticle ;
  rdfs:label "Memory with heads" ; dcterms:title "Memory with heads" ;
  dcterms:issued "2026-02-03"^^xsd:date ; dcterms:creator <person/ada-bly>, <person/j-smith> ;
  schema:mentions <concept/induction-head>, <concept/associative-memory>, <concept/imagenet-1k> ;
  schema:about <concept/associative-memory> ; prov:wasDerivedFrom <record/one/2-def> .
<paper/text/untitled-1> a fabio:Preprint, schema:ScholarlyArticle ;
  rdfs:label "We measure transformers …" ; skos:note "The sources give no title."@en ;
  schema:mentions <concept/transformer>, <concept/script_0123456789ab> ;
  prov:wasDerivedFrom <record/one/3-fed> .

<person/ada-bly> a foaf:Person ; foaf:name "Ada Bly" ; rdfs:label "Ada Bly" ;
  skos:altLabel "A. Bly" .
<person/j-smith> a foaf:Person ; foaf:name "J. Smith" ; rdfs:label "J. Smith" ;
  skos:note "The sources give this name with initials; it may stand for several people."@en .
<person/jo-smith> a foaf:Person ; foaf:name "Jo Smith" ; rdfs:label "Jo Smith" ;
  skos:altLabel "Smith" .
<person/jim-smith> a foaf:Person ; foaf:name "Jim Smith" ; rdfs:label "Jim Smith" ;
  skos:altLabel "Smith" .
<person/zoë-müller> a foaf:Person ; foaf:name "Zoë Müller" ; rdfs:label "Zoë Müller" .

<concept/induction-head> a skos:Concept, kg:Method, kg:Task ; skos:inScheme <concepts> ;
  skos:prefLabel "induction head"@en ; rdfs:label "induction head"@en ; skos:altLabel "IH"@en .
<concept/associative-memory> a skos:Concept, kg:Method ; skos:inScheme <concepts> ;
  skos:prefLabel "associative memory"@en ; rdfs:label "associative memory"@en .
<concept/transformer> a skos:Concept, kg:Method ; skos:inScheme <concepts> ;
  skos:prefLabel "transformer"@en ; rdfs:label "transformer"@en .
<concept/imagenet-1k> a skos:Concept, kg:Material ; skos:inScheme <concepts> ;
  skos:prefLabel "ImageNet-1k"@en ; rdfs:label "ImageNet-1k"@en .
<concept/script_0123456789ab> a skos:Concept, kg:OtherConcept ; skos:inScheme <concepts> ;
  skos:prefLabel "<script>alert(1)</script>"@en ; rdfs:label "<script>alert(1)</script>"@en .
<concepts> a skos:ConceptScheme ; rdfs:label "Concepts of the literature"@en .
arxiv:cs.LG a skos:Concept ; skos:inScheme <https://w3id.org/kg/arxiv/> ; skos:notation "cs.LG" ;
  skos:prefLabel "Machine Learning"@en ; rdfs:label "Machine Learning"@en .

<source/one> a kg:SourceDocument, prov:Entity ; rdfs:label "one.txt" ; dcterms:title "one.txt" .
<record/one/1-abc> a kg:SourceRecord, prov:Entity ; rdfs:label "one.txt, record 1" ;
  dcterms:source "one.txt" ; kg:position 1 ; kg:line 4 ; dcterms:isPartOf <source/one> .
<record/one/2-def> a kg:SourceRecord, prov:Entity ; rdfs:label "one.txt, record 2" ;
  dcterms:source "one.txt" ; kg:position 2 ; kg:line 9 ; dcterms:isPartOf <source/one> .
<record/one/3-fed> a kg:SourceRecord, prov:Entity ; rdfs:label "one.txt, record 3" ;
  dcterms:source "one.txt" ; kg:position 3 ; kg:line 12 ; dcterms:isPartOf <source/one> .
<paper/arxiv/2401.00001#abstract-9-24> a nif:Phrase, kg:Mention ; nif:anchorOf "induction heads" ;
  nif:beginIndex 9 ; nif:endIndex 24 ; itsrdf:taIdentRef <concept/induction-head> .
<dataset> a void:Dataset, dcat:Dataset ; rdfs:label "A small graph"@en ; void:triples 130 .
"""


def build(graph: Path, turtle: str = TURTLE, named: dict[str, str] | None = None) -> Path:
    """Put a new generation into the folder `graph`; `named` maps graph names to N-Triples."""
    quads = [
        Quad(quad.subject, quad.predicate, quad.object) for quad in parse(turtle, RdfFormat.TURTLE)
    ]
    for name, triples in (named or {}).items():
        for quad in parse(triples, RdfFormat.N_TRIPLES):
            quads.append(Quad(quad.subject, quad.predicate, quad.object, NamedNode(name)))
    with locked(graph):
        generation = Generation(graph)
        generation.load(quads)
        generation.swap_in()
    return graph
