"""Each constraint of the shapes finds the fault that it is there for, and nothing else.

A graph of our own conforms; then every fault of the table is planted in it alone, and gives
exactly the results in front of the colon. Each constraint in shapes/ must stand in the table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from pyoxigraph import NamedNode, RdfFormat, Store
from rdflib import RDF, RDFS, SH, URIRef

from kg.rdf.vocabulary import PREFIXES
from kg.resources import folder
from kg.validate import validate
from kg.validate.checks import CHECKS, COMPONENT, SHAPE
from kg.validate.human import to_text
from kg.validate.shapes import load_shapes

BASE = "https://w3id.org/kg/id/"

GRAPH = r"""
:paper a fabio:Preprint, schema:ScholarlyArticle ;
    rdfs:label "Pruning trees in the dark" ;
    dcterms:title "Pruning trees in the dark" ;
    dcterms:abstract "We prune decision trees (DT) without light." ;
    dcterms:issued "2026"^^xsd:gYear ;
    dcterms:creator :person, :second ;
    dcterms:subject arxiv:cs.LG, :category ;
    dcterms:identifier "arXiv:2601.00001", "doi:10.1000/182" ;
    bibo:doi "10.1000/182" ;
    schema:url <https://example.org/trees> ;
    schema:mentions :tree, :dark ;
    schema:about :tree ;
    kg:introduces :dark ;
    prov:wasDerivedFrom :record ;
    prov:qualifiedDerivation :ground ;
    dcterms:replaces :old .

:ground a kg:Ground, prov:Derivation ;
    rdfs:label "same title: pruning trees in dark" ;
    kg:rule kg:SameTitle ;
    prov:value "pruning trees in dark" ;
    prov:entity :record .

:old rdfs:label "Pruning trees in the dark" ; dcterms:isReplacedBy :paper .

:untitled a fabio:Preprint, schema:ScholarlyArticle ;
    rdfs:label "We prune …" ;
    dcterms:issued "2026-03-31"^^xsd:date ;
    skos:note "The sources give no title."@en ;
    prov:wasDerivedFrom :record .

:record a kg:SourceRecord, prov:Entity ;
    rdfs:label "trees.txt, record 1" ;
    dcterms:source "trees.txt" ;
    kg:position 1 ;
    kg:line 5 ;
    prov:value "Pruning trees in the dark" ;
    dcterms:isPartOf :document ;
    dcterms:identifier "r1" .

:document a kg:SourceDocument, prov:Entity ;
    rdfs:label "trees.txt" ;
    dcterms:title "trees.txt" ;
    dcterms:format "author-page" ;
    kg:pageOf :person ;
    kg:statedRecords 2 ;
    kg:heldRecords 1 ;
    skos:note "5 pages" .

:person a foaf:Person ;
    rdfs:label "Ada Ilves" ;
    foaf:name "Ada Ilves" ;
    skos:altLabel "A. Ilves" ;
    skos:note "Several people have this name."@en ;
    dcterms:identifier "orcid:0000-0002-1825-0097" ;
    schema:sameAs <https://orcid.org/0000-0002-1825-0097> .

:second a foaf:Person ; rdfs:label "Bo Ek" ; foaf:name "Bo Ek" .

:first-author a pro:RoleInTime ;
    pro:withRole pro:author ; pro:isHeldBy :person ; pro:relatesToDocument :paper ; kg:ordinal 1 .

:second-author a pro:RoleInTime ;
    pro:withRole pro:author ; pro:isHeldBy :second ; pro:relatesToDocument :paper ; kg:ordinal 2 .

arxiv:cs.LG a skos:Concept ;
    rdfs:label "Machine Learning"@en ;
    skos:prefLabel "Machine Learning"@en ;
    skos:notation "cs.LG" ;
    skos:inScheme <https://w3id.org/kg/arxiv/> ;
    skos:broader arxiv:cs .

arxiv:cs a skos:Concept ;
    rdfs:label "Computer Science"@en ;
    skos:prefLabel "Computer Science"@en ;
    skos:notation "cs" ;
    skos:inScheme <https://w3id.org/kg/arxiv/> .

<https://w3id.org/kg/arxiv/> a skos:ConceptScheme ;
    rdfs:label "arXiv categories"@en ; skos:prefLabel "arXiv categories"@en .

:category a skos:Concept ;
    rdfs:label "my.topic"@en ; skos:prefLabel "my.topic"@en ; skos:notation "my.topic" .

:concepts a skos:ConceptScheme ;
    rdfs:label "Concepts of the literature"@en ; skos:prefLabel "Concepts of the literature"@en .

:tree a skos:Concept, kg:Method, kg:Material ;
    rdfs:label "decision tree"@en ;
    skos:prefLabel "decision tree"@en ;
    skos:altLabel "DT"@en ;
    skos:inScheme :concepts ;
    skos:broader :model ;
    skos:related :dark ;
    skos:exactMatch <http://www.wikidata.org/entity/Q831366> .

:dark a skos:Concept, kg:Task ;
    rdfs:label "dark pruning"@en ; skos:prefLabel "dark pruning"@en ; skos:inScheme :concepts .

:model a skos:Concept, kg:OtherConcept ;
    rdfs:label "model class"@en ; skos:prefLabel "model class"@en ; skos:inScheme :concepts .

:text a nif:Context ;
    nif:isString "We prune \U0001D54Fdecision trees (DT) without light." ;
    nif:beginIndex 0 ;
    nif:endIndex 44 ;
    kg:textOf :record, :paper .

:mention a nif:Phrase, kg:Mention ;
    nif:referenceContext :text ;
    nif:beginIndex 10 ;
    nif:endIndex 24 ;
    nif:anchorOf "decision trees" ;
    itsrdf:taIdentRef :tree ;
    itsrdf:taConfidence "0.85"^^xsd:double .

:abbreviation a nif:Phrase, kg:Mention ;
    nif:referenceContext :text ;
    nif:beginIndex 26 ;
    nif:endIndex 28 ;
    nif:anchorOf "DT" ;
    itsrdf:taIdentRef :tree ;
    itsrdf:taConfidence "1"^^xsd:double .

:dataset a void:Dataset, dcat:Dataset ;
    rdfs:label "A graph"@en ;
    dcterms:title "A graph"@en ;
    dcterms:description "Papers and their concepts."@en ;
    void:triples 120 ;
    void:classPartition :papers, :concept-part ;
    void:exampleResource :paper ;
    void:vocabulary <http://www.w3.org/2004/02/skos/core#> ;
    prov:wasAttributedTo :software .

:papers a void:Dataset ;
    rdfs:label "papers"@en ; void:class schema:ScholarlyArticle ; void:entities 2 .

:concept-part a void:Dataset ; rdfs:label "concepts"@en ; void:entities 3 .

:software a prov:SoftwareAgent ; rdfs:label "kg 0.1.0" ; schema:softwareVersion "0.1.0" .
"""

# RESULTS : CHANGES. A result is a shape and a constraint. A change puts a triple in (+), takes
# one out (-, with ?any for every value), or gives a property one value in place of all (=).
# The focus node is the subject of the first change unless a result names another with @.
# A line that begins with spaces goes on with the one before.
FAULTS = r"""
Paper Closed                      : + :paper dcterms:tilte "Trees"
PaperClasses Class                : - :untitled a fabio:Preprint
PaperClasses Class                : - :untitled a schema:ScholarlyArticle
Paper-label MinCount              : - :paper rdfs:label ?any
Paper-label MaxCount              : + :paper rdfs:label "Another"
Paper-label Datatype              : = :paper rdfs:label "Pruning"@en
Paper-label MinLength             : = :paper rdfs:label ""
Paper-title MaxCount              : + :paper dcterms:title "Another"
Paper-title Datatype              : = :paper dcterms:title "Pruning"@en
Paper-title MinLength             : = :paper dcterms:title ""
Paper-abstract MaxCount           : + :paper dcterms:abstract "Another"
Paper-abstract Datatype           : = :paper dcterms:abstract 7
Paper-abstract MinLength          : = :paper dcterms:abstract ""
Paper-issued MaxCount             : + :paper dcterms:issued "2025"^^xsd:gYear
Paper-issued Or                   : = :paper dcterms:issued "2026"
Paper-issued Or                   : = :paper dcterms:issued "soon"^^xsd:gYear
Paper-creator Class               : + :paper dcterms:creator :nobody
Paper-creator Class               : + :paper dcterms:creator "Ada Ilves"
Paper-subject Class, Category-notation MinCount@:nothing, Category-prefLabel MinCount@:nothing :
    + :paper dcterms:subject :nothing
Paper-identifier Datatype         : + :paper dcterms:identifier "arXiv:1"@en
Paper-identifier Pattern          : + :paper dcterms:identifier "2601.00001"
Paper-doi Datatype                : = :paper bibo:doi "10.1000/182"@en
Paper-doi Pattern                 : = :paper bibo:doi "https://doi.org/10.1000/182"
Paper-url NodeKind                : = :paper schema:url "https://example.org/trees"
Paper-note Datatype, Paper-note LanguageIn : = :untitled skos:note "No title."
Paper-note LanguageIn             : = :untitled skos:note "Ohne Titel."@de
Paper-mentions Class, Concept-prefLabel MinCount@:nothing, Concept-inScheme MinCount@:nothing :
    + :paper schema:mentions :nothing
Paper-about Class, Paper-about-mentioned Equals : + :paper schema:about :nothing
Paper-about-mentioned Equals      : + :paper schema:about :model
Paper-introduces Class, Paper-introduces-mentioned Equals : + :paper kg:introduces :nothing
Paper-introduces-mentioned Equals : + :paper kg:introduces :model
Paper-source MinCount             : - :paper prov:wasDerivedFrom ?any
Paper-source Class                : + :paper prov:wasDerivedFrom :document

Person Closed                     : + :person foaf:nmae "Ada"
Person-name MinCount, Person-label Equals : - :person foaf:name ?any
Person-name MaxCount, Person-label Equals : + :person foaf:name "Another"
Person-name Datatype, Person-label Equals : = :person foaf:name "Ada Ilves"@en
Person-name Pattern               : = :person foaf:name " Ada" ; = :person rdfs:label " Ada"
Person-label Equals               : = :person rdfs:label "Ada"
Person-altLabel Datatype          : + :person skos:altLabel "Ada"@en
Person-altLabel MinLength         : + :person skos:altLabel ""
Person-altLabel Disjoint          : + :person skos:altLabel "Ada Ilves"
Person-identifier Datatype        : + :person dcterms:identifier "orcid:0000-0002-1825-0098"@en
Person-identifier Pattern         : + :person dcterms:identifier "0000-0002-1825-0098"
Person-sameAs NodeKind            : + :person schema:sameAs "0000-0002-1825-0097"
Person-note Datatype              : + :person skos:note "Several people"
Person-note MinLength             : + :person skos:note ""@en
Person-ground Class               : + :person prov:qualifiedDerivation :other ; + :other a prov:Derivation ; + :other rdfs:label "x" ; + :other kg:rule kg:SameDoi
Person-replaces NodeKind, Replaced NodeKind@_, Replaced-by MinCount@_, Replaced-label MinCount@_ : + :person dcterms:replaces "old"
Paper-ground Class                : + :paper prov:qualifiedDerivation :other ; + :other a prov:Derivation ; + :other rdfs:label "x" ; + :other kg:rule kg:SameDoi
Paper-replaces NodeKind, Replaced NodeKind@_, Replaced-by MinCount@_, Replaced-label MinCount@_ : + :paper dcterms:replaces "old"
Concept-ground Class              : + :tree prov:qualifiedDerivation :other ; + :other a prov:Derivation ; + :other rdfs:label "x" ; + :other kg:rule kg:SameDoi
Concept-replaces NodeKind, Replaced NodeKind@_, Replaced-by MinCount@_, Replaced-label MinCount@_ : + :tree dcterms:replaces "old"
Ground Closed                     : + :ground prov:values "x"
Ground Class, Paper-ground Class@:paper : - :ground rdf:type ?any
Ground-label MinCount             : - :ground rdfs:label ?any
Ground-label MaxCount             : + :ground rdfs:label "another"
Ground-label Datatype             : = :ground rdfs:label "same title"@en
Ground-label MinLength            : = :ground rdfs:label ""
Ground-rule MinCount              : - :ground kg:rule ?any
Ground-rule MaxCount              : + :ground kg:rule kg:SameDoi
Ground-rule In                    : = :ground kg:rule kg:SameColour
Ground-value MaxCount             : + :ground prov:value "another"
Ground-value Datatype             : = :ground prov:value "title"@en
Ground-value MinLength            : = :ground prov:value ""
Ground-entity NodeKind            : + :ground prov:entity "record"
Replaced-by MinCount              : - :old dcterms:isReplacedBy ?any
Replaced-by NodeKind              : + :old dcterms:isReplacedBy "paper"
Replaced-label MinCount           : - :old rdfs:label ?any
Replaced-label MinLength          : + :old rdfs:label ""
Authorship Closed                 : + :first-author kg:ordinla 1
Authorship-role HasValue          : - :first-author pro:withRole ?any
Authorship-role MaxCount          : + :first-author pro:withRole pro:editor
Authorship-person MinCount        : - :first-author pro:isHeldBy ?any
Authorship-person MaxCount        : + :first-author pro:isHeldBy :second
Authorship-person Class           : = :first-author pro:isHeldBy :nobody
Authorship-paper MinCount         : - :first-author pro:relatesToDocument ?any
Authorship-paper MaxCount         : + :first-author pro:relatesToDocument :untitled
Authorship-paper Class            : = :first-author pro:relatesToDocument :record
Authorship-ordinal MinCount       : - :first-author kg:ordinal ?any
Authorship-ordinal MaxCount       : + :first-author kg:ordinal 3
Authorship-ordinal Datatype       : = :first-author kg:ordinal 1.5
Authorship-ordinal MinInclusive   : = :first-author kg:ordinal 0
Check-ordinals BuildCheck         : = :second-author kg:ordinal 1
Check-ordinals BuildCheck         : = :second-author kg:ordinal "+1"^^xsd:integer
Check-ordinals BuildCheck         : = :second-author kg:ordinal "001"^^xsd:integer

Concept Closed                    : + :tree skos:altLable "DTs"@en
ConceptKind Or                    : - :dark a kg:Task
ConceptClass Class, Paper-mentions Class@:paper, Paper-introduces Class@:paper,
    Concept-related Class@:tree : - :dark a skos:Concept
Concept-prefLabel MinCount, Concept-label Equals : - :tree skos:prefLabel ?any
Concept-prefLabel MaxCount, Concept-label Equals : + :tree skos:prefLabel "another"@en
Concept-prefLabel LanguageIn, Concept-label Equals : = :tree skos:prefLabel "decision tree"
Concept-prefLabel MinLength       : = :tree skos:prefLabel ""@en ; = :tree rdfs:label ""@en
Concept-label Equals              : = :tree rdfs:label "tree"@en
Concept-altLabel LanguageIn       : + :tree skos:altLabel "Entscheidungsbaum"@de
Concept-altLabel MinLength        : + :tree skos:altLabel ""@en
Concept-altLabel Disjoint         : + :tree skos:altLabel "decision tree"@en
Concept-inScheme MinCount         : - :tree skos:inScheme ?any
Concept-inScheme MaxCount         : + :tree skos:inScheme <https://w3id.org/kg/arxiv/>
Concept-inScheme Class            : = :tree skos:inScheme :nothing
Concept-broader Class             : + :tree skos:broader :nothing
Concept-related Class             : + :tree skos:related :nothing
Concept-related Disjoint          : + :tree skos:related :model
Concept-exactMatch NodeKind       : + :tree skos:exactMatch "Q831366"
Concept-closeMatch NodeKind       : + :tree skos:closeMatch "Q831366"
Concept-broadMatch NodeKind       : + :tree skos:broadMatch "Q831366"
Concept-narrowMatch NodeKind      : + :tree skos:narrowMatch "Q831366"
Concept-relatedMatch NodeKind     : + :tree skos:relatedMatch "Q831366"
Check-broader-acyclic BuildCheck  : + :model skos:broader :tree
Check-broader-acyclic BuildCheck  : + :dark skos:broader :dark
Category Closed                   : + arxiv:cs.LG skos:notatoin "LG"
Category-notation MinCount, ConceptKind Or : - :category skos:notation ?any
Category-notation MaxCount        : + arxiv:cs.LG skos:notation "LG"
Category-notation Datatype        : = arxiv:cs.LG skos:notation "cs.LG"@en
Category-notation MinLength       : = arxiv:cs.LG skos:notation ""
Category-prefLabel MinCount, Category-label Equals : - arxiv:cs.LG skos:prefLabel ?any
Category-prefLabel UniqueLang : + arxiv:cs.LG skos:prefLabel "ML"@en ;
    + arxiv:cs.LG rdfs:label "ML"@en
Category-prefLabel Datatype : = arxiv:cs.LG skos:prefLabel "ML" ; = arxiv:cs.LG rdfs:label "ML"
Category-label Equals             : = arxiv:cs.LG rdfs:label "ML"@en
Category-inScheme In              : = arxiv:cs.LG skos:inScheme :concepts
Category-broader MaxCount         : + arxiv:cs.LG skos:broader :category
Category-broader Class            : = arxiv:cs.LG skos:broader :nothing
Scheme Closed                     : + :concepts dcterms:tilte "Concepts"@en
Scheme-prefLabel MinCount, Scheme-label Equals : - :concepts skos:prefLabel ?any
Scheme-prefLabel UniqueLang : + :concepts skos:prefLabel "C"@en ; + :concepts rdfs:label "C"@en
Scheme-prefLabel Datatype         : = :concepts skos:prefLabel "C" ; = :concepts rdfs:label "C"
Scheme-label Equals               : = :concepts rdfs:label "C"@en

Text Closed                       : + :text nif:isSting "We"
Text-isString MinCount            : - :text nif:isString ?any
Text-isString MaxCount :
    + :text nif:isString "We prune \U0001D54Fdecision trees (DT) without light!"
Text-isString Datatype :
    = :text nif:isString "We prune \U0001D54Fdecision trees (DT) without light."@en
Text-isString MinLength, Text-endIndex MinInclusive : + :none a nif:Context ;
    + :none nif:isString "" ; + :none nif:beginIndex 0 ; + :none nif:endIndex 0 ;
    + :none kg:textOf :record ; + :none kg:textOf :paper
Text-beginIndex HasValue          : - :text nif:beginIndex ?any
Text-beginIndex MaxCount          : + :text nif:beginIndex 1
Text-endIndex MinCount            : - :text nif:endIndex ?any
Text-endIndex MaxCount            : + :text nif:endIndex 45
Text-endIndex Datatype            : = :text nif:endIndex 44.0
Text-endIndex MinInclusive, Check-mention-inside BuildCheck : = :text nif:endIndex 0
Text-paper QualifiedMinCount      : - :text kg:textOf :paper
Text-paper QualifiedMaxCount      : + :text kg:textOf :untitled
Text-record QualifiedMinCount     : - :text kg:textOf :record
Text-record Or                    : + :text kg:textOf :document
Mention Closed                    : + :mention nif:anchorOff "trees"
MentionClasses Class              : - :mention a nif:Phrase
MentionClasses Class              : - :mention a kg:Mention
Mention-context MinCount          : - :mention nif:referenceContext ?any
Mention-context MaxCount : + :mention nif:referenceContext :other ; + :other a nif:Context ;
    + :other nif:isString "We prune \U0001D54Fdecision trees" ; + :other nif:beginIndex 0 ;
    + :other nif:endIndex 24 ; + :other kg:textOf :record ; + :other kg:textOf :paper
Mention-context Class             : = :mention nif:referenceContext :record
Mention-beginIndex MinCount       : - :mention nif:beginIndex ?any
Mention-beginIndex MaxCount       : + :mention nif:beginIndex 11
Mention-beginIndex Datatype       : = :mention nif:beginIndex 10.0
Mention-beginIndex MinInclusive   : = :mention nif:beginIndex -1
Mention-beginIndex LessThan       : = :mention nif:beginIndex 24
Mention-endIndex MinCount         : - :mention nif:endIndex ?any
Mention-endIndex MaxCount         : + :mention nif:endIndex 25
Mention-endIndex Datatype, Mention-beginIndex LessThan : = :mention nif:endIndex "24"
Mention-endIndex Datatype         : = :mention nif:endIndex 24.0
Mention-anchorOf MinCount         : - :mention nif:anchorOf ?any
Mention-anchorOf MaxCount         : + :mention nif:anchorOf "tree"
Mention-anchorOf Datatype         : = :mention nif:anchorOf "decision trees"@en
Mention-anchorOf MinLength, Check-mention-text BuildCheck : = :mention nif:anchorOf ""
Mention-concept MinCount          : - :mention itsrdf:taIdentRef ?any
Mention-concept MaxCount          : + :mention itsrdf:taIdentRef :dark
Mention-concept Class, Check-mentioned BuildCheck, Concept-prefLabel MinCount@:nothing,
    Concept-inScheme MinCount@:nothing : = :mention itsrdf:taIdentRef :nothing
Mention-confidence MinCount       : - :mention itsrdf:taConfidence ?any
Mention-confidence MaxCount       : + :mention itsrdf:taConfidence 0.5e0
Mention-confidence Datatype       : = :mention itsrdf:taConfidence 0.85
Mention-confidence MinInclusive   : = :mention itsrdf:taConfidence -1e-1
Mention-confidence MaxInclusive   : = :mention itsrdf:taConfidence 1.1e0
Check-mention-text BuildCheck     : = :mention nif:anchorOf "Decision trees"
Check-mention-inside BuildCheck : = :mention nif:endIndex 45 ;
    - :abbreviation nif:referenceContext ?any ; - :abbreviation a ?any
Check-mention-inside BuildCheck   : = :text nif:endIndex 45
Check-mentions-apart BuildCheck, Check-mention-text BuildCheck : = :abbreviation nif:beginIndex 20
Check-mentioned BuildCheck        : = :mention itsrdf:taIdentRef :model

Record Closed                     : + :record kg:lien 5
SourceClasses Class               : - :record a prov:Entity
SourceClasses Class               : - :document a prov:Entity
Record-label MinCount             : - :record rdfs:label ?any
Record-label MaxCount             : + :record rdfs:label "another"
Record-label Datatype             : = :record rdfs:label "trees.txt, record 1"@en
Record-label MinLength            : = :record rdfs:label ""
Record-source MinCount            : - :record dcterms:source ?any
Record-source MaxCount            : + :record dcterms:source "other.txt"
Record-source Datatype            : = :record dcterms:source <file:trees.txt>
Record-source Pattern             : = :record dcterms:source "/ada/trees.txt"
Record-position MinCount          : - :record kg:position ?any
Record-position MaxCount          : + :record kg:position 2
Record-position Datatype          : = :record kg:position 1.5
Record-position MinInclusive      : = :record kg:position 0
Record-line MinCount              : - :record kg:line ?any
Record-line MaxCount              : + :record kg:line 6
Record-line Datatype              : = :record kg:line 5.5
Record-line MinInclusive          : = :record kg:line 0
Record-value MinCount             : - :record prov:value ?any
Record-value MaxCount             : + :record prov:value "another"
Record-value Datatype             : = :record prov:value "Pruning"@en
Record-value MinLength            : = :record prov:value ""
Record-document MinCount          : - :record dcterms:isPartOf ?any
Record-document MaxCount : + :record dcterms:isPartOf :more ; + :more a kg:SourceDocument ;
    + :more a prov:Entity ; + :more rdfs:label "m" ; + :more dcterms:title "m" ;
    + :more dcterms:format "f" ; + :more kg:heldRecords 0
Record-document Class             : = :record dcterms:isPartOf :nothing
Record-identifier MaxCount        : + :record dcterms:identifier "r2"
Record-identifier Datatype        : = :record dcterms:identifier 1
Record-identifier MinLength       : = :record dcterms:identifier ""
Document Closed                   : + :document kg:heldRecord 1
Document-title MinCount, Document-label Equals : - :document dcterms:title ?any
Document-title MaxCount, Document-label Equals : + :document dcterms:title "another"
Document-title Datatype           : = :document dcterms:title "t"@en ; = :document rdfs:label "t"@en
Document-title Pattern            : = :document dcterms:title "/a/t" ; = :document rdfs:label "/a/t"
Document-label Equals             : = :document rdfs:label "t"
Document-format MinCount          : - :document dcterms:format ?any
Document-format MaxCount          : + :document dcterms:format "json-lines"
Document-format Datatype          : = :document dcterms:format "author-page"@en
Document-format Pattern           : = :document dcterms:format "Author page"
Document-pageOf MaxCount          : + :document kg:pageOf :second
Document-pageOf Class             : = :document kg:pageOf :nobody
Document-statedRecords MaxCount   : + :document kg:statedRecords 3
Document-statedRecords Datatype   : = :document kg:statedRecords 2.5
Document-statedRecords MinInclusive : = :document kg:statedRecords -1
Document-heldRecords MinCount     : - :document kg:heldRecords ?any
Document-heldRecords MaxCount     : + :document kg:heldRecords 3
Document-heldRecords Datatype     : = :document kg:heldRecords 1.5
Document-heldRecords MinInclusive : = :document kg:heldRecords -1
Document-note Datatype            : + :document skos:note "pages"@en
Document-note MinLength           : + :document skos:note ""

Dataset Closed                    : + :dataset void:triple 1
DatasetClasses Class              : - :dataset a void:Dataset
Dataset-title MinCount, Dataset-label Equals : - :dataset dcterms:title ?any
Dataset-title UniqueLang          : + :dataset dcterms:title "G"@en ; + :dataset rdfs:label "G"@en
Dataset-title Datatype            : = :dataset dcterms:title "G" ; = :dataset rdfs:label "G"
Dataset-label Equals              : = :dataset rdfs:label "G"@en
Dataset-description MaxCount      : + :dataset dcterms:description "Another"@en
Dataset-description NodeKind      : = :dataset dcterms:description :text
Dataset-triples MinCount          : - :dataset void:triples ?any
Dataset-triples MaxCount          : + :dataset void:triples 1
Dataset-triples Datatype          : = :dataset void:triples 2.5
Dataset-triples MinInclusive      : = :dataset void:triples -1
Dataset-partition Class@:dataset  : - :papers a ?any
Dataset-example NodeKind          : + :dataset void:exampleResource "paper"
Dataset-vocabulary MinCount       : - :dataset void:vocabulary ?any
Dataset-vocabulary NodeKind       : + :dataset void:vocabulary "skos"
Dataset-agent MinCount            : - :dataset prov:wasAttributedTo ?any
Dataset-agent Class               : + :dataset prov:wasAttributedTo :person
Partition Closed                  : + :papers void:entitties 1
Partition-label MinCount          : - :papers rdfs:label ?any
Partition-label MaxCount          : + :papers rdfs:label "works"@en
Partition-label MinLength         : = :papers rdfs:label ""
Partition-class MaxCount          : + :papers void:class foaf:Person
Partition-class NodeKind          : = :papers void:class "papers"
Partition-entities MinCount       : - :papers void:entities ?any
Partition-entities MaxCount       : + :papers void:entities 3
Partition-entities Datatype       : = :papers void:entities 2.5
Partition-entities MinInclusive   : = :papers void:entities -1
Software Closed                   : + :software schema:softwareVersoin "1"
Software-label MinCount           : - :software rdfs:label ?any
Software-label MaxCount           : + :software rdfs:label "kg"
Software-label MinLength          : = :software rdfs:label ""
Software-version MinCount         : - :software schema:softwareVersion ?any
Software-version MaxCount         : + :software schema:softwareVersion "0.2.0"
Software-version Datatype         : = :software schema:softwareVersion 0.1
Software-version MinLength        : = :software schema:softwareVersion ""
Named NodeKind@_                  : + _:x a foaf:Person ; + _:x foaf:name "X" ; + _:x rdfs:label "X"
"""

# The parameter of a constraint -> the name of its component, without "ConstraintComponent".
PARAMETERS = {
    SH["class"]: "Class",
    SH["in"]: "In",
    SH["or"]: "Or",
    **{
        SH[name]: name[0].upper() + name[1:]
        for name in (
            *("closed", "datatype", "disjoint", "equals", "hasValue", "languageIn", "lessThan"),
            *("maxCount", "maxInclusive", "minCount", "minInclusive", "minLength", "nodeKind"),
            *("pattern", "qualifiedMaxCount", "qualifiedMinCount", "uniqueLang"),
        )
    },
}
# What may stand in a shape besides its constraints.
OTHER = {
    *(RDF.type, RDFS.label, RDFS.comment, SH.name, SH.message, SH.severity, SH.path, SH.property),
    *(SH.targetClass, SH.targetObjectsOf, SH.targetSubjectsOf),
    *(SH.ignoredProperties, SH.qualifiedValueShape),
}


def rows() -> Iterator[tuple[str, str]]:
    for line in re.sub(r"\n +", " ", FAULTS).splitlines():
        if line:
            found, _, changes = line.partition(" : ")
            yield found.strip(), changes


def update(change: str) -> str:
    """One change of the table as SPARQL."""
    sign, subject, predicate, value = change.split(" ", 3)
    if sign == "+":
        return f"INSERT DATA {{ {subject} {predicate} {value} }}"
    if sign == "-":
        return f"DELETE WHERE {{ {subject} {predicate} {value} }}"
    return (
        f"DELETE WHERE {{ {subject} {predicate} ?any }} ;"
        f"INSERT DATA {{ {subject} {predicate} {value} }}"
    )


def sound() -> Store:
    prefixes = {**PREFIXES, "": BASE}
    head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes.items())
    store = Store()
    store.load(head + GRAPH, RdfFormat.TURTLE)
    return store


def expand(name: str) -> str:
    prefix, _, local = name.partition(":")
    return {**PREFIXES, "": BASE}[prefix] + local


def test_a_sound_graph_conforms() -> None:
    report = validate(sound())
    assert report.passed, to_text(report)
    assert report.focus_nodes == 25


@pytest.mark.parametrize(("expected", "changes"), [pytest.param(*row, id=row[0]) for row in rows()])
def test_a_planted_fault_gives_exactly_its_results(expected: str, changes: str) -> None:
    store = sound()
    steps = changes.split(" ; ")
    before = len(store)
    prefixes = {**PREFIXES, "": BASE}
    if "_:x" in changes:  # one blank node needs one INSERT
        store.update(
            f"INSERT DATA {{ {' . '.join(step.removeprefix('+ ') for step in steps)} }}",
            prefixes=prefixes,
        )
    else:
        for step in steps:
            store.update(update(step), prefixes=prefixes)
    assert before != len(store) or "= " in changes, "the change changes nothing"
    first = steps[0].split(" ")[1]
    wanted = []
    for result in expected.split(", "):
        name, _, focus = result.partition("@")
        shape, constraint = name.split()
        node = "_" if focus == "_" else expand(focus or first)
        wanted.append((shape, constraint, node))
    found = [
        (
            result.shape.value.removeprefix(SHAPE.iri),
            re.split("[/#]", result.constraint.value)[-1].removesuffix("ConstraintComponent")
            if result.constraint != COMPONENT
            else "BuildCheck",
            result.focus.value if isinstance(result.focus, NamedNode) else "_",
        )
        for result in validate(store).results
    ]
    # One value can break one constraint more than once, by way of each value of the other.
    assert set(found) == set(wanted)


def test_every_constraint_has_a_planted_fault() -> None:
    planted = {
        tuple(result.partition("@")[0].split())
        for expected, _ in rows()
        for result in expected.split(", ")
    }
    stated = {("Check-" + one.shape.value.partition("#Check-")[2], "BuildCheck") for one in CHECKS}
    graph = load_shapes().graph
    for shape, predicate in graph.subject_predicates():
        if isinstance(shape, URIRef) and predicate in PARAMETERS:
            stated.add((shape.removeprefix(SHAPE.iri), PARAMETERS[predicate]))
    assert planted == stated


def test_every_shape_says_what_it_is_for() -> None:
    graph = load_shapes().graph
    shapes = {
        kind: set(graph.subjects(RDF.type, kind)) for kind in (SH.NodeShape, SH.PropertyShape)
    }
    messages: Counter[str] = Counter()
    for kind, members in shapes.items():
        for shape in members:
            assert str(shape).startswith(SHAPE.iri)
            assert graph.value(shape, SH.severity) == SH.Violation
            message = str(graph.value(shape, SH.message) or "")
            assert message.endswith("."), shape
            messages[message] += 1
            name = SH.name if kind == SH.PropertyShape else RDFS.label
            assert graph.value(shape, name), shape
            assert set(graph.predicates(shape)) <= OTHER | set(PARAMETERS), shape
    assert [message for message, count in messages.items() if count > 1] == []
    # A property shape belongs to a node shape and its name begins with that of the node shape.
    for shape in shapes[SH.PropertyShape]:
        owners = list(graph.subjects(SH.property, shape))
        assert [str(shape).startswith(f"{owner}-") for owner in owners] == [True], shape


def test_core_constraints_only() -> None:
    graph = load_shapes().graph
    used = {p for p in graph.predicates() if p.startswith(str(SH))}
    assert used <= OTHER | set(PARAMETERS) | {SH.alternativePath}


def test_the_shapes_are_valid_shacl() -> None:
    files = sorted(folder("shapes").glob("*.ttl"))
    assert load_shapes(files).nodes == load_shapes().nodes


def test_the_categories_of_arxiv_conform() -> None:
    store = Store()  # as a part of a graph: a file of SKOS alone would need shapes of its own
    store.load(path=folder("ontology") / "arxiv.ttl", format=RdfFormat.TURTLE)
    report = validate(store)
    assert report.passed, to_text(report)
