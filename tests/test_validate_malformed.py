"""Malformed shapes are told with file, line, shape, constraint and what it must be; what is not
run fails with --strict; and regular expressions are those of XPath."""

from __future__ import annotations

import json
import re
import unicodedata
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, SH, BNode, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic

import kg
from kg.cli import main
from kg.errors import ShapesError
from kg.validate import fast
from kg.validate.coverage import uncovered
from kg.validate.patterns import PatternError, compiled, translated
from kg.validate.sound import faults

PREFIXES = """\
@prefix e: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DATA = PREFIXES + "e:a a e:C ; e:p 1 .\n"
TARGET = "e:S a sh:NodeShape ; sh:targetClass e:C ; "
E = Namespace("http://example.org/")
needs_fast = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)
ENGINES = ("auto", "pyshacl", pytest.param("fast", marks=needs_fast))


def checked(folder: Path, shapes: str, *options: str, data: str = DATA) -> Result:
    (folder / "d.ttl").write_text(data)
    (folder / "s.ttl").write_text(PREFIXES + shapes)
    given = ["validate", str(folder / "d.ttl"), "--shapes", str(folder / "s.ttl"), *options]
    return CliRunner().invoke(main, given)


# Paths ------------------------------------------------------------------------------------

_A_PATH = "it must be a property, as in rdfs:label, or a path, as in [ sh:inversePath rdfs:label ]"
_A_LIST = "it must be a list of two properties or more"
_KINDS = (
    "it must be one of sh:inversePath, sh:alternativePath, sh:zeroOrMorePath, sh:oneOrMorePath,"
    " sh:zeroOrOnePath."
)
PATHS = {
    "text": ('"e:p"', f'sh:path "e:p": {_A_PATH}, and this is a text or number'),
    "number": ("1", f"sh:path 1: {_A_PATH}, and this is a text or number"),
    "nothing": ("[ ]", f"sh:path [ ]: {_A_PATH}, and this is empty"),
    "no list": ("()", f"sh:path (): {_A_LIST}"),
    "list of one": ("( e:p )", f"sh:path ( e:p ): {_A_LIST}; one alone is written e:p"),
    "list of one path": ("( [ sh:inversePath e:p ] )", f"sh:path ( ... ): {_A_LIST}"),
    "half a list": (
        "[ rdf:first e:p ]",
        f"sh:path: {_A_LIST}, as in sh:path ( rdf:type rdfs:label )",
    ),
    "two rests": (
        "[ rdf:first e:p ; rdf:rest ( e:q ) , ( e:r ) ]",
        f"sh:path: {_A_LIST}, as in sh:path ( rdf:type rdfs:label )",
    ),
    "text in a list": (
        '( e:p "x" )',
        f'"x" in its sh:path: {_A_PATH}, and this is a text or number',
    ),
    "list in a list": (
        "( e:p ( e:q ) )",
        f"( e:q ) in its sh:path: {_A_LIST}; one alone is written e:q",
    ),
    "no alternatives": (
        "[ sh:alternativePath e:p ]",
        f"sh:alternativePath e:p in its sh:path: {_A_LIST}, as in sh:alternativePath"
        " ( rdf:type rdfs:label )",
    ),
    "empty alternatives": (
        "[ sh:alternativePath () ]",
        f"sh:alternativePath () in its sh:path: {_A_LIST}, as in sh:alternativePath"
        " ( rdf:type rdfs:label )",
    ),
    "one alternative": (
        "[ sh:alternativePath ( e:p ) ]",
        f"sh:alternativePath ( e:p ) in its sh:path: {_A_LIST}; one alone is written e:p",
    ),
    "inverse of a text": (
        '[ sh:inversePath "x" ]',
        f'sh:inversePath "x" in its sh:path: {_A_PATH}, and this is a text or number',
    ),
    "text far within": (
        '[ sh:alternativePath ( e:p [ sh:oneOrMorePath [ sh:inversePath "x" ] ] ) ]',
        f'sh:inversePath "x" in its sh:path: {_A_PATH}, and this is a text or number',
    ),
    "unknown": ("[ sh:foo e:p ]", f"sh:foo in its sh:path: {_KINDS}"),
    "misspelt": (
        "[ sh:inversepath e:p ]",
        f"sh:inversepath in its sh:path: {_KINDS} Did you mean sh:inversePath?",
    ),
    "another's": ("[ e:foo e:p ]", f"e:foo in its sh:path: {_KINDS}"),
    "two operators": (
        "[ sh:inversePath e:p ; sh:zeroOrMorePath e:q ]",
        "sh:inversePath in its sh:path: it must be alone, and sh:zeroOrMorePath stands beside it;"
        " if both are meant, put one into the other, as in [ sh:inversePath"
        " [ sh:zeroOrMorePath ... ] ]",
    ),
    "two values": (
        "[ sh:inversePath e:p , e:q ]",
        "sh:inversePath in its sh:path: it must have one value, and has 2",
    ),
    "a comment": (
        '[ sh:inversePath e:p ; rdfs:comment "x" ]',
        "sh:inversePath in its sh:path: it must be alone, without rdfs:comment beside it",
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("path", "words"), PATHS.values(), ids=PATHS)
def test_malformed_paths_are_named(tmp_path: Path, path: str, words: str, engine: str) -> None:
    shapes = f"{TARGET}sh:property [ sh:path {path} ; sh:minCount 1 ] ."
    result = checked(tmp_path, shapes, "--engine", engine)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {tmp_path}/s.ttl:7: the shape e:S is malformed: {words}\n"


@pytest.mark.parametrize(
    "path",
    [
        "( e:p e:q )",
        "( e:p [ sh:inversePath e:q ] )",
        "[ sh:alternativePath ( e:p ( e:q e:r ) ) ]",
        "[ sh:zeroOrMorePath [ sh:alternativePath ( e:p [ sh:zeroOrOnePath e:q ] ) ] ]",
        "[ rdf:first e:p ; rdf:rest ( e:q ) ; sh:inversePath ( e:p ) ]",  # W3C: the list counts
        "( e:p [ rdf:first e:p ; rdf:rest ( e:q ) ; sh:inversePath 1 ; rdfs:comment 1 ] )",
        "[ sh:inversePath e:S ]",
    ],
)
def test_other_paths_are_taken(tmp_path: Path, path: str) -> None:
    shapes = f"{TARGET}sh:property [ sh:path {path} ; sh:maxCount 9 ] ."
    assert checked(tmp_path, shapes, "--engine", "pyshacl").exit_code == 0


def test_a_shape_is_named_by_the_paths_around_it_that_are_sound(tmp_path: Path) -> None:
    inner = 'sh:node [ sh:property [ sh:path "x" ] ]'
    result = checked(tmp_path, f"{TARGET}sh:property [ sh:path e:p ; {inner} ] .")
    assert "the shape e:S at e:p is malformed: sh:path" in result.stderr


# What W3C's shapes for shapes ask for besides ---------------------------------------------

VALUES = {
    "two lists in one": (
        "sh:in [ rdf:first 1 ; rdf:rest () , ( 2 ) ]",
        "e:S is malformed: sh:in: it must be a list, as in sh:in ( ... )",
    ),
    "more than nothing": (
        "sh:in () . rdf:nil rdf:rest ( 1 )",
        "e:S is malformed: sh:in rdf:nil: it must be a list, as in sh:in ( ... )",
    ),
    "qualified of a node": (
        "sh:qualifiedValueShape [ sh:class e:D ] ; sh:qualifiedMinCount 1",
        "e:S is malformed: sh:qualifiedValueShape is only for shapes with a sh:path; put it into"
        " sh:property [ sh:path ... ; sh:qualifiedValueShape ... ]",
    ),
    "two paths": (
        "sh:not [ sh:path e:p , e:q ; sh:minCount 1 ]",
        "e:S at e:p is malformed: it has 2 sh:path and needs one",
    ),
    "member": (
        'sh:or ( [ sh:datatype "x" ] [ sh:class "D" ] )',
        'e:S is malformed: sh:class "D": it must be an IRI, as in <https://example.org/thing>'
        " (1 more of the kind)",
    ),
    "message of a member": (
        "sh:or ( [ sh:message 3 ] [ sh:class e:D ] )",
        "e:S is malformed: sh:message 3: it must be (of the type xsd:string, a text without a"
        ' language, as in "thing") or (of the type rdf:langString, a text with its language, as in'
        ' "thing"@en)',
    ),
    "class": (
        "sh:node [ a sh:NodeShape , rdfs:Class ; sh:class e:D ]",
        "e:S is malformed: it is a class, of rdfs:Class: it must have an IRI",
    ),
    "two counts": (
        "sh:property [ sh:path e:p ; sh:minCount 1 , 2 ]",
        "e:S at e:p is malformed: sh:minCount: there must be at most 1 value",
    ),
    "without a name": (
        "sh:targetNode [ ]",
        "e:S is malformed: sh:targetNode: it must be an IRI, or a text or number",
    ),
    "members": (
        'sh:closed true ; sh:ignoredProperties ( "rdf:type" )',
        'e:S is malformed: sh:ignoredProperties "rdf:type": it must be an IRI, as in'
        " <https://example.org/thing>",
    ),
    "languages": (
        "sh:property [ sh:path e:p ; sh:languageIn ( 1 ) ]",
        "e:S at e:p is malformed: sh:languageIn 1: it must be of the type xsd:string, a text"
        ' without a language, as in "thing"',
    ),
    "graph": (
        'sh:closed false . e:S sh:shapesGraph "x"',
        'e:S is malformed: sh:shapesGraph "x": it must be an IRI',
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("shapes", "words"), VALUES.values(), ids=VALUES)
def test_values_are_told_by_their_constraint(
    tmp_path: Path, shapes: str, words: str, engine: str
) -> None:
    result = checked(tmp_path, f"{TARGET}{shapes} .", "--engine", engine)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {tmp_path}/s.ttl:7: the shape {words}\n"


PROPERTIES = [
    *("targetClass", "targetNode", "severity", "message", "deactivated", "and", "class", "closed"),
    *("ignoredProperties", "datatype", "disjoint", "equals", "in", "languageIn", "lessThan"),
    *("maxCount", "minCount", "minInclusive", "maxLength", "node", "nodeKind", "not", "or"),
    *("pattern", "flags", "qualifiedMaxCount", "qualifiedValueShape", "uniqueLang", "xone"),
    *("property", "path", "sparql", "shapesGraph", "inversePath", "parameter", "prefixes"),
]
NODES = st.sampled_from([E.S, E.T, BNode("x"), BNode("y"), BNode("z")])
OBJECTS = NODES | st.sampled_from(
    [Literal(1), Literal("x"), Literal(True), RDF.nil, RDF.type, SH.NodeShape, SH.IRI, E.C]
)
PREDICATES = st.sampled_from(
    [*(SH[name] for name in PROPERTIES), RDF.first, RDF.rest, RDF.type, RDF.type]
)


@settings(max_examples=150, deadline=None)
@given(st.sets(st.tuples(NODES, PREDICATES, OBJECTS), max_size=9))
def test_no_message_quotes_the_shapes_for_shapes(
    triples: set[tuple[URIRef, URIRef, URIRef]],
) -> None:
    graph = Graph()
    for triple in {(E.S, RDF.type, SH.NodeShape), *triples}:
        graph.add(triple)
    told = ""
    try:
        kg.validate(Graph().parse(data=DATA), graph)
    except ShapesError as error:
        told = str(error)
    assert "shacl-shacl" not in told
    assert "it: it must be" not in told
    assert "cannot be used" not in told


# Queries ----------------------------------------------------------------------------------

_QUERY = 'as in sh:sparql [ sh:select "SELECT $this WHERE { ... }" ]'
QUERIES = {
    "ask": (
        '[ sh:select "ASK { $this ?p ?x }" ]',
        "sh:select: it must be a SELECT query, and this is ASK",
    ),
    "construct": (
        '[ sh:select "CONSTRUCT { $this ?p ?x } WHERE { $this ?p ?x }" ]',
        "sh:select: it must be a SELECT query, and this is CONSTRUCT",
    ),
    "text": ('"SELECT"', f'sh:sparql "SELECT": it must be a node with a query, {_QUERY}'),
    "nothing": ('[ sh:message "x" ]', f"sh:sparql: it must have a sh:select, {_QUERY}"),
    "a name": ("e:Q", f"sh:sparql e:Q: it must have a sh:select, {_QUERY}"),
    "an ask": ('[ sh:ask "ASK { $this ?p 1 }" ]', f"sh:sparql: it must have a sh:select, {_QUERY}"),
    "two": (
        '[ sh:select "SELECT $this { $this ?p 1 }" , "SELECT $this { $this ?p 2 }" ]',
        "sh:sparql: it must have one sh:select, and has 2",
    ),
    "no text": ("[ sh:select 3 ]", "sh:select 3: it must be a text with a query in it"),
    "minus": (
        '[ sh:select "SELECT $this { $this ?p ?x minus{ $this a ?y } }" ]',
        "sh:select: it must be without MINUS, which SHACL does not allow",
    ),
    "service": (
        '[ sh:select "SELECT $this { { SERVICE <http://127.0.0.1:1/> { $this ?p ?x } } }" ]',
        "sh:select: it must be without SERVICE, which SHACL does not allow",
    ),
    "values": (
        '[ sh:select "SELECT $this { FILTER NOT EXISTS { VALUES ?x { 1 } $this ?p ?x } }" ]',
        "sh:select: it must be without VALUES, which SHACL does not allow",
    ),
    "values at the end": (
        '[ sh:select "SELECT $this { $this ?p ?x MINUS { $this a ?x } } VALUES ?x { 1 }" ]',
        "sh:select: it must be without MINUS and VALUES, which SHACL does not allow",
    ),
    "a word": (
        """[ sh:select 'SELECT $this { $this ?p "A MINUS B" }' ]""",
        "sh:select: it must be written without the word MINUS, also in texts and comments",
    ),
    "within": (
        '[ sh:select "SELECT $this { $this ?p ?x { SELECT ?x ?y { ?x ?y 1 } } }" ]',
        "sh:select: each SELECT within it must have $this among its variables",
    ),
    "renamed": (
        '[ sh:select "SELECT $this { BIND (1 AS $this) }" ]',
        "sh:select: it must not give $this another value with AS",
    ),
    "path": (
        '[ sh:select "SELECT $this { $this $PATH 1 }" ]',
        "sh:select: it must be without $PATH in a shape without a sh:path",
    ),
    "message": (
        '[ sh:message 3 ; sh:select "SELECT $this { $this ?p 1 }" ]',
        "sh:message 3: it must be a text",
    ),
    "deactivated": (
        '[ sh:deactivated "no" ; sh:select "SELECT $this { $this ?p 1 }" ]',
        'sh:deactivated "no": it must be true or false',
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("query", "words"), QUERIES.values(), ids=QUERIES)
def test_malformed_queries_are_named(tmp_path: Path, query: str, words: str, engine: str) -> None:
    result = checked(tmp_path, f"{TARGET}sh:sparql {query} .", "--engine", engine)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {tmp_path}/s.ttl:7: the shape e:S is malformed: {words}\n"


@pytest.mark.parametrize(
    "shapes",
    [
        "sh:sparql [ sh:deactivated true ; sh:select {} ] ; sh:nodeKind sh:IRI .",
        "sh:nodeKind sh:IRI . e:T sh:deactivated true ; sh:sparql [ sh:select {} ] .",
        "sh:nodeKind sh:IRI . e:T sh:target [ a sh:SPARQLTarget ; sh:select {} ] .",
    ],
)
def test_queries_that_are_not_run_may_have_what_shacl_does_not_allow(
    tmp_path: Path, shapes: str
) -> None:
    query = '"SELECT $this { $this ?p ?x MINUS { $this a ?y } }"'
    assert checked(tmp_path, TARGET + shapes.replace("{}", query)).exit_code == 0


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ('sh:prefix "e"', "one sh:namespace, a text, as in sh:namespace"),
        ('sh:prefix "e" ; sh:namespace e:', "one sh:namespace, a text, as in sh:namespace"),
        ('sh:namespace "http://example.org/"', 'one sh:prefix, a text, as in sh:prefix "ex"'),
    ],
)
def test_malformed_prefixes_are_named(tmp_path: Path, declared: str, words: str) -> None:
    query = 'sh:sparql [ sh:prefixes e:O ; sh:select "SELECT $this { $this ?p 1 }" ] .\n'
    shapes = f"{TARGET}{query}e:O a owl:Ontology ; sh:declare [ {declared} ] ."
    result = checked(tmp_path, shapes)
    assert result.exit_code == 2
    assert (
        f"Error: {tmp_path}/s.ttl:8: the ontology e:O is malformed: sh:declare: it must have"
        f" {words}" in result.stderr
    )


# Constraint components --------------------------------------------------------------------

_ASK = '[ sh:ask "ASK { FILTER ($value > $par) }" ]'
COMPONENTS = {
    "no validator": (
        "sh:parameter [ sh:path e:par ]",
        "sh:validator: there must be one, or a sh:propertyValidator, for shapes that use it",
    ),
    "for nodes only": (
        'sh:parameter [ sh:path e:par ] ; sh:nodeValidator [ sh:select "SELECT $this {}" ]',
        "sh:validator: there must be one, or a sh:propertyValidator, for shapes that use it",
    ),
    "no query": (
        "sh:parameter [ sh:path e:par ] ; sh:validator [ a sh:SPARQLAskValidator ]",
        'sh:validator: it must have one sh:ask, as in sh:validator [ sh:ask "ASK { ... }" ]',
    ),
    "another query": (
        'sh:parameter [ sh:path e:par ] ; sh:validator [ sh:select "SELECT $this {}" ]',
        'sh:validator: it must have one sh:ask, as in sh:validator [ sh:ask "ASK { ... }" ]',
    ),
    "another query of a property": (
        f"sh:parameter [ sh:path e:par ] ; sh:propertyValidator {_ASK}",
        "sh:propertyValidator: it must have one sh:select, as in sh:propertyValidator"
        ' [ sh:select "SELECT $this WHERE { ... }" ]',
    ),
    "another form": (
        'sh:parameter [ sh:path e:par ] ; sh:validator [ sh:ask "SELECT $this {}" ]',
        "sh:ask: it must be an ASK query, and this is SELECT",
    ),
    "JavaScript": (
        'sh:parameter [ sh:path e:par ] ; sh:validator [ sh:jsFunctionName "f" ]',
        "sh:validator: it must be in SPARQL, with a sh:ask; JavaScript is not run",
    ),
    "minus": (
        'sh:parameter [ sh:path e:par ] ; sh:validator [ sh:ask "ASK { $value ?p 1 MINUS {} }" ]',
        "sh:ask: it must be without MINUS, which SHACL does not allow",
    ),
    "renamed": (
        'sh:parameter [ sh:path e:par ] ; sh:validator [ sh:ask "ASK { BIND (1 AS ?value) }" ]',
        "sh:ask: it must not give $value another value with AS",
    ),
    "no parameter": (
        f"sh:validator {_ASK}",
        "sh:parameter: there must be one, as in sh:parameter [ sh:path ex:name ]",
    ),
    "no path": (
        f"sh:parameter [ sh:optional false ] ; sh:validator {_ASK}",
        "sh:parameter: it must have one sh:path, a property",
    ),
    "taken": (
        f"sh:parameter [ sh:path e:value ] ; sh:validator {_ASK}",
        "sh:parameter: its sh:path e:value must not end in what queries have already",
    ),
    "optional": (
        f"sh:parameter [ sh:path e:par ; sh:optional true ] ; sh:validator {_ASK}",
        "sh:parameter: one at least must be without sh:optional true",
    ),
    "half optional": (
        f'sh:parameter [ sh:path e:par ; sh:optional "no" ] ; sh:validator {_ASK}',
        'sh:optional "no": it must be true or false',
    ),
}
USED = f"{TARGET}sh:property [ sh:path e:p ; e:par 5 ] .\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("component", "words"), COMPONENTS.values(), ids=COMPONENTS)
def test_malformed_components_are_named(
    tmp_path: Path, component: str, words: str, engine: str
) -> None:
    shapes = f"{USED}e:Own a sh:ConstraintComponent ; {component} ."
    result = checked(tmp_path, shapes, "--engine", engine)
    assert result.exit_code == 2
    place = f"{tmp_path}/s.ttl:8: the constraint component e:Own"
    assert result.stderr == f"Error: {place} is malformed: {words}\n"


def test_components_that_no_shape_uses_need_no_validator(tmp_path: Path) -> None:
    component = "e:Own a sh:ConstraintComponent ; sh:parameter [ sh:path e:other ] ."
    assert checked(tmp_path, f"{TARGET}sh:nodeKind sh:IRI . {component}").exit_code == 0


def test_sound_components_are_run(tmp_path: Path) -> None:
    component = f"sh:parameter [ sh:path e:par ] ; sh:validator {_ASK}"
    result = checked(tmp_path, f"{USED}e:Own a sh:ConstraintComponent ; {component} .")
    assert result.exit_code == 1
    assert "e:p breaks a rule of its own kind" in result.stdout


# Files without lines ----------------------------------------------------------------------


def test_files_without_lines_are_named(tmp_path: Path) -> None:
    shapes = Graph().parse(
        data=f"{PREFIXES}{TARGET}sh:property [ sh:path e:p ; sh:minCount 'x' ] ."
    )
    sound = Graph().parse(data=f"{PREFIXES}e:T sh:property [ sh:path e:p ; sh:minCount 1 ] .")
    (tmp_path / "d.ttl").write_text(DATA)
    for name, kind in (("s.jsonld", "json-ld"), ("s.rdf", "xml")):
        (tmp_path / name).write_text(shapes.serialize(format=kind))
        (tmp_path / f"sound.{name}").write_text(sound.serialize(format=kind))
        for others in ([], [f"sound.{name}"]):
            given = [part for one in (*others, name) for part in ("--shapes", str(tmp_path / one))]
            result = CliRunner().invoke(main, ["validate", str(tmp_path / "d.ttl"), *given])
            assert result.exit_code == 2
            assert result.stderr.startswith(f"Error: {tmp_path}/{name}: the shape ")
            assert 'is malformed: sh:minCount "x": it must be of the type' in result.stderr


def test_a_graph_has_no_file_to_be_named() -> None:
    shapes = Graph().parse(data=f"{PREFIXES}{TARGET}sh:closed 1 .")
    with pytest.raises(ShapesError, match=r"^the shape e:S is malformed: sh:closed 1: it must be"):
        kg.validate(Graph().parse(data=DATA), shapes)


# What is not run --------------------------------------------------------------------------

NOT_RUN = {
    "sh:target": 'sh:target [ a sh:SPARQLTarget ; sh:select "SELECT ?this { ?this a e:C }" ]',
    "sh:js": 'sh:js [ a sh:JSConstraint ; sh:jsFunctionName "f" ]',
    "sh:expression": "sh:expression [ sh:path e:p ]",
}


@pytest.mark.parametrize(("name", "shape"), NOT_RUN.items(), ids=NOT_RUN)
def test_what_is_not_run_fails_with_strict(tmp_path: Path, name: str, shape: str) -> None:
    shape = shape.replace("e:C", "<http://example.org/C>")
    shapes = f"{TARGET}sh:nodeKind sh:IRI . e:T a sh:NodeShape ; {shape} ."
    note = f"The shape e:T uses {name}, which goes beyond SHACL Core and is not run."
    result = checked(tmp_path, shapes)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Note: {note}\nConforms: ")
    result = checked(tmp_path, shapes, "--strict")
    assert result.exit_code == 1
    assert "Does not conform: 1 note that --strict does not let pass; " in result.stdout
    assert json.loads(checked(tmp_path, shapes, "--format", "json").stdout)["unmet"] == [note]
    off = shapes.replace("e:T a", "e:T sh:deactivated true ; a")
    assert checked(tmp_path, off, "--strict").exit_code == 0


def test_rules_ask_nothing_of_the_data(tmp_path: Path) -> None:
    rule = "sh:rule [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate e:q ; sh:object 1 ]"
    result = checked(tmp_path, f"{TARGET}sh:nodeKind sh:IRI ; {rule} .", "--strict")
    assert result.exit_code == 0
    assert "Note: The shape e:S uses sh:rule, which goes beyond SHACL Core" in result.stdout


# Regular expressions ----------------------------------------------------------------------

CATEGORIES = sorted({unicodedata.category(chr(point)) for point in range(0x110000)})
NAMES = sorted({*CATEGORIES, *(name[0] for name in CATEGORIES)})


@pytest.mark.parametrize("name", NAMES)
def test_each_category_has_its_characters(name: str) -> None:
    """All of them: what a pattern finds of all that there are."""
    every = "".join(map(chr, range(0x110000)))
    has = "".join(char for char in every if unicodedata.category(char).startswith(name))
    assert "".join(compiled(rf"\p{{{name}}}+").findall(every)) == has


@given(st.characters(), st.sampled_from(NAMES), st.sampled_from(["", "i", "ims"]))
def test_categories_are_those_of_unicode(char: str, name: str, flags: str) -> None:
    has = unicodedata.category(char).startswith(name)
    others = {"-": char == "-", "5": char == "5"}
    forms = {
        rf"\p{{{name}}}": has,
        rf"\P{{{name}}}": not has,
        rf"[\p{{{name}}}]": has,
        rf"[^\p{{{name}}}]": not has,
        rf"[\P{{{name}}}]": not has,
        rf"[^\P{{{name}}}]": has,
        rf"[5\p{{{name}}}-]": has or any(others.values()),
        rf"[^\p{{{name}}}5-]": not (has or any(others.values())),
        rf"[5\P{{{name}}}]": not has or others["5"],
        rf"[\p{{L}}\p{{{name}}}]": has or unicodedata.category(char)[0] == "L",
        rf"[5\p{{{name}}}-[\p{{L}}5]]": has
        and unicodedata.category(char)[0] != "L"
        and not others["5"],
        rf"(?<=\p{{{name}}})": has,
    }
    for pattern, wanted in forms.items():
        one = f"^{pattern}$" if "?<" not in pattern else f"^.{pattern}$"
        found = compiled(one, f"{flags}s").search(char)
        assert bool(found and found.end() == len(char)) == wanted, pattern


@given(st.text(alphabet=r"ab-^[]\dwp.*+?(){}|$", max_size=12))
def test_what_python_knows_stays_as_it_is(pattern: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            re.compile(pattern)
        except (re.error, OverflowError):
            return
    try:
        text = translated(pattern)
    except PatternError:
        text = ""
    assert text == pattern or told  # "[a-[b]]", of which Python says that it is doubtful


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"^\p{L}+$", "Ünïcode", "Ünïcode1"),
        (r"^\p{Lu}\p{Ll}*$", "Ab", "ab"),
        (r"^[\p{L}\p{N}_.-]+$", "Ü²_.-", "a b"),
        (r"^\P{Lu}$", "a", "A"),
        (r"^\i\c*$", "a-1", "1a"),
        (r"^[\i-[:]][\c-[:]]*$", "a1", "a:1"),
        (r"^\I\C$", "1 ", "a "),
        (r"^[a-z-[aeiou]]+$", "xyz", "xay"),
        (r"^[^a-z-[0-9]]+$", "A-Z", "A5"),
        (r"^[a-z-[b-y-[m]]]+$", "amz", "abz"),
        (r"^[\p{Lu}^]$", "^", "a"),
        (r"^[a\p{Lu}-c]$", "-", "b"),
        (r"^[]\p{Lu}]$", "]", "a"),
        (r"^(\p{Lu})-\1$", "A-A", "A-B"),
        (r"^\\p{2}$", r"\pp", "L"),
    ],
)
def test_patterns_of_xpath(pattern: str, yes: str, no: str) -> None:
    assert compiled(pattern).search(yes)
    assert not compiled(pattern).search(no)


@pytest.mark.parametrize(
    ("pattern", "flags", "yes", "no"),
    [
        ("^a.b$", "s", "a\nb", "a b c"),
        ("^a.b$", "", "a b", "a\nb"),
        ("^b$", "m", "a\nb", "ab"),
        ("^ a b [ ] $", "x", "ab ", "a b "),
        (r"^\p{L} + $", "x", "ab", "a1"),
        ("a(b", "q", "xa(by", "ab"),
        ("A(B", "qi", "a(b", "ab"),
        ("^a b$", "i", "A B", "ab"),
    ],
)
def test_flags_are_those_of_xpath(
    tmp_path: Path, pattern: str, flags: str, yes: str, no: str
) -> None:
    assert compiled(pattern, flags).search(yes)
    assert not compiled(pattern, flags).search(no)
    data = Graph()
    data.add((E.a, RDF.type, E.C))
    data.add((E.a, E.p, Literal(yes)))
    data.add((E.a, E.p, Literal(no)))
    for engine in ("auto", "pyshacl"):
        found = kg.validate(data, shape_with(pattern, flags), engine=engine).results
        assert [result.value.value for result in found if result.value] == [no]


def test_patterns_with_choices_that_overlap_are_fast() -> None:
    assert not compiled(r"^([\w\p{L}]+)$").search("a" * 5000 + "!")


UNKNOWN = {
    r"\p{IsGreek}": r"kg does not know \p{IsGreek}, only the general categories of Unicode, as"
    r" \p{L} and \p{Lu}",
    r"[\P{Latin}]": r"kg does not know \P{Latin}, only the general categories of Unicode, as"
    r" \p{L} and \p{Lu}",
    r"\pL": r"after \p there must be a category, as in \p{L}",
    r"^[[:alpha:]_]+$": r"there is no [:alpha:] in regular expressions of XPath; there are"
    r" categories, as \p{L} for letters and \p{Nd} for digits",
    "[a-" * 10 + "[b]" + "]" * 10: "classes stand in classes more than 8 deep",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("pattern", "words"), UNKNOWN.items())
def test_patterns_that_kg_does_not_know_are_named(
    tmp_path: Path, pattern: str, words: str, engine: str
) -> None:
    text = pattern.replace("\\", "\\\\")
    shapes = f'{TARGET}sh:property [ sh:path e:p ; sh:pattern "{text}" ] .'
    result = checked(tmp_path, shapes, "--engine", engine)
    assert result.exit_code == 2
    place = f"{tmp_path}/s.ttl:7: the shape e:S at e:p is malformed"
    assert result.stderr == f'Error: {place}: sh:pattern "{pattern}": {words}\n'


@pytest.mark.parametrize("pattern", [r"(\p{L}", "a{99999999999999999999}", "[a"])
def test_what_is_no_pattern_is_told(pattern: str) -> None:
    shapes = Graph()
    shapes.add((E.S, SH.pattern, Literal(pattern)))
    assert "is no regular expression (" in next(faults(shapes, [E.S], {}))[1]


def shape_with(pattern: str, flags: str = "") -> Graph:
    text = pattern.replace("\\", "\\\\")
    beside = f' ; sh:flags "{flags}"' if flags else ""
    asked = f'sh:property e:P . e:P sh:path e:p ; sh:pattern "{text}"{beside} .'
    return Graph().parse(data=PREFIXES + TARGET + asked)


def reported(pattern: str, engine: str, flags: str) -> Graph:
    data = Graph().parse(data=PREFIXES + 'e:a a e:C ; e:p "Ü" , "ü" , "1" , e:x , [ ] .')
    report = kg.validate(data, shape_with(pattern, flags), engine=engine)
    assert report.engine == "pyshacl"
    assert report.graph is not None
    return report.graph


@pytest.mark.parametrize(
    ("ours", "python", "flags"),
    [(r"^\p{L}$", "^[Üü]$", ""), (r"^x\p{Lu}?$", "^x[A-Z]?$", "i"), (r"^\P{Nd}$", r"^\D$", "")],
)
def test_reports_are_those_of_a_pattern_that_python_knows(
    ours: str, python: str, flags: str
) -> None:
    """Node for node, but for the pattern itself in the words of pySHACL."""
    expected, found = Graph(), reported(ours, "auto", flags)
    for subject, predicate, value in reported(python, "pyshacl", flags):
        if predicate == SH.resultMessage:
            value = Literal(str(value).replace(python, ours))
        expected.add((subject, predicate, value))
    assert isomorphic(found, expected)
    (message,) = set(found.objects(None, SH.resultMessage))
    assert str(message) == f"Value does not match pattern '{ours}'"


def test_upper_case_is_upper_case_with_any_flag() -> None:
    found = reported(r"^\p{Lu}$", "auto", "i")
    told = {str(value) for value in found.objects(None, SH.value) if isinstance(value, Literal)}
    assert told == {"ü", "1"}


def test_the_words_of_a_pattern_are_its_own(tmp_path: Path) -> None:
    shapes = f'{TARGET}sh:property [ sh:path e:p ; sh:pattern "^\\\\p{{L}}+$" ] .'
    result = checked(tmp_path, shapes, data=DATA + 'e:a e:p "Ünïcode" .')
    assert result.exit_code == 1
    assert r"in the form of the regular expression ^\p{L}+$" in result.stdout
    assert result.stdout.count("e:a: ") == 1


@pytest.mark.parametrize("pattern", [r"\p{L}", r"[\p{L}]", r"\i\c*", r"\P{Lu}", "[a-z-[aeiou]]"])
def test_patterns_of_xpath_are_left_to_pyshacl(pattern: str) -> None:
    assert uncovered(shape_with(pattern), frozenset([E.S, E.P])) == (f"sh:pattern {pattern!r}",)


def test_nothing_of_doubtful_patterns_reaches_the_terminal(
    recwarn: pytest.WarningsRecorder,
) -> None:
    kg.validate(Graph().parse(data=DATA), shape_with("[[a]"))
    assert not [one for one in recwarn if "set" in str(one.message)]
