"""What sounds like a success and is none: nodes that are not there, constraints that ask for
nothing, and what shapes ask of a processor that kg does not do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rdflib import Graph

import kg
from kg.cli import main
from kg.errors import ShapesError
from kg.validate import fast

PREFIXES = """\
@prefix e: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DATA = PREFIXES + "e:a a e:C ; e:n 1 , 2 .\n"
ONE = "sh:property [ sh:path e:n ; sh:maxCount 1 ] "
AWAY = "Nothing was checked: the data has none of the nodes that the shapes target.\n"
IDLE = "Nothing was checked: the shapes that have a target ask for nothing that is run.\n"
EMPTY = "Nothing was checked: there is no triple in the data.\n"
needs_fast = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)
ENGINES = ("auto", "pyshacl", pytest.param("fast", marks=needs_fast))


def checked(folder: Path, shapes: str, *options: str, data: str = DATA) -> Result:
    (folder / "d.ttl").write_text(data)
    (folder / "s.ttl").write_text(PREFIXES + shapes)
    given = ["validate", str(folder / "d.ttl"), "--shapes", str(folder / "s.ttl"), *options]
    return CliRunner().invoke(main, given)


# Nodes that are not there -----------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("data", "words"), [(DATA, AWAY), ("", EMPTY), ("# nothing\n", EMPTY)], ids=["away", "", "#"]
)
def test_nodes_that_are_not_there_do_not_conform(
    tmp_path: Path, engine: str, data: str, words: str
) -> None:
    shapes = f'e:S a sh:NodeShape ; sh:targetNode e:aa , "text" ; {ONE}.'
    result = checked(tmp_path, shapes, "--engine", engine, data=data)
    assert result.exit_code == 1
    assert "Note: The shape e:S targets the node e:aa, and the data has nothing of it" in (
        result.stdout
    )
    assert result.stdout.endswith(words)


def test_nodes_that_are_not_there_are_counted_among_those_that_ask(tmp_path: Path) -> None:
    shapes = f"e:S a sh:NodeShape ; sh:targetNode e:aa ; {ONE}."
    idle = "e:T a sh:NodeShape ; sh:targetClass e:C ; sh:closed false ."
    assert checked(tmp_path, shapes + idle).stdout.endswith(AWAY)
    other = "e:T a sh:NodeShape ; sh:targetClass e:C ; sh:nodeKind sh:IRI ."
    result = checked(tmp_path, shapes + other)
    assert result.exit_code == 0
    assert "2 nodes checked" in result.stdout


@pytest.mark.parametrize(
    "target",
    [
        "sh:targetNode e:a",  # a subject
        "sh:targetNode e:C",  # an object
        "sh:targetNode 1",
        "sh:targetNode e:aa , e:a",
        "sh:targetNode e:aa ; sh:targetClass e:C",
    ],
)
def test_nodes_that_are_there_are_checked(tmp_path: Path, target: str) -> None:
    result = checked(
        tmp_path, f"e:S a sh:NodeShape ; {target} ; sh:property [ sh:path e:n ; sh:maxCount 2 ] ."
    )
    assert result.exit_code == 0
    assert "Conforms: 2 shapes" in result.stdout


@pytest.mark.parametrize("data", [DATA, ""], ids=["data", "empty"])
def test_what_nodes_that_are_not_there_lack_is_a_violation(tmp_path: Path, data: str) -> None:
    shapes = "e:S sh:targetNode e:aa ; sh:property [ sh:path e:n ; sh:minCount 1 ] ."
    result = checked(tmp_path, shapes, data=data)
    assert result.exit_code == 1
    assert "Does not conform: 1 violation; 2 shapes, 1 node checked" in result.stdout


def test_the_report_says_that_nodes_are_not_there() -> None:
    shapes = Graph().parse(data=f"{PREFIXES} e:S sh:targetNode e:aa ; {ONE}.")
    report = kg.validate(Graph().parse(data=DATA), shapes)
    assert report.conforms
    assert report.absent
    assert not report.passed
    assert report.focus_nodes == 0
    assert report.unchecked == AWAY.strip()


# Constraints that ask for nothing ---------------------------------------------------------

DEACTIVATED = "[ sh:nodeKind sh:Literal ; sh:deactivated true ]"
NOTHING = {
    "property": "sh:property [ sh:path e:n ; sh:maxCount 1 ; sh:deactivated true ]",
    "node": "sh:node e:T . e:T sh:nodeKind sh:Literal ; sh:deactivated true",
    "below": f"sh:property [ sh:path e:n ; sh:node {DEACTIVATED} ]",
    "and": f"sh:and ( {DEACTIVATED} {DEACTIVATED} )",
    "or": f"sh:or ( {DEACTIVATED} [ sh:nodeKind sh:Literal ] )",
    "one of one": f"sh:xone ( {DEACTIVATED} )",
    "query": 'sh:sparql [ sh:deactivated true ; sh:select "SELECT $this { $this ?p ?o }" ]',
    "closed": "sh:closed false",
    "uniqueLang": "sh:property [ sh:path e:n ; sh:uniqueLang false ]",
    "minCount": "sh:property [ sh:path e:n ; sh:minCount 0 ]",
    "00": 'sh:property [ sh:path e:n ; sh:minCount "00"^^xsd:integer ]',
    "qualified": "sh:property [ sh:path e:n ; sh:qualifiedMinCount 0 ;"
    " sh:qualifiedValueShape [ sh:nodeKind sh:IRI ] ]",
    "circle": "sh:property [ sh:path e:n ; sh:node e:S ]",
}
SOMETHING = {
    "and": f"sh:and ( {DEACTIVATED} [ sh:nodeKind sh:Literal ] )",
    "or": "sh:or ( [ sh:nodeKind sh:Literal ] [ sh:class e:D ] )",
    "xone": f"sh:xone ( {DEACTIVATED} [ sh:closed false ] )",
    "not": f"sh:not {DEACTIVATED}",
    "maxCount": "sh:property [ sh:path e:n ; sh:minCount 0 ; sh:maxCount 0 ]",
    "closed": "sh:closed true",
    "qualified": "sh:property [ sh:path e:n ; sh:qualifiedMinCount 0 ; sh:qualifiedMaxCount 0 ;"
    " sh:qualifiedValueShape [ sh:nodeKind sh:Literal ] ]",
    "circle": "sh:node e:T . e:T sh:node e:S , [ sh:nodeKind sh:Literal ]",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("asked", NOTHING.values(), ids=NOTHING)
def test_what_asks_for_nothing_is_no_success(tmp_path: Path, asked: str, engine: str) -> None:
    shapes = f"e:S a sh:NodeShape ; sh:targetClass e:C ; {asked} ."
    result = checked(tmp_path, shapes, "--engine", engine)
    assert result.exit_code == 1
    assert "Note: The shape e:S asks for nothing that is checked.\n" in result.stdout
    assert result.stdout.endswith(IDLE)


@pytest.mark.parametrize("asked", SOMETHING.values(), ids=SOMETHING)
def test_what_asks_for_something_is_checked(tmp_path: Path, asked: str) -> None:
    result = checked(tmp_path, f"e:S a sh:NodeShape ; sh:targetClass e:C ; {asked} .")
    assert result.exit_code == 1
    assert "asks for nothing" not in result.stdout
    assert "Does not conform: " in result.stdout


# What kg does not do ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["<http://www.w3.org/ns/entailment/RDFS>", "e:Rules"])
def test_entailment_is_refused(tmp_path: Path, kind: str) -> None:
    shapes = f"e:S sh:targetClass e:C ; {ONE}.\n<http://example.org/> sh:entailment {kind} ."
    result = checked(tmp_path, shapes)
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: {tmp_path}/s.ttl:6: the shapes ask for the entailment {kind}, and kg infers no"
        " triples: add them to the data beforehand, with a tool of your choice, and take"
        " sh:entailment out\n"
    )
    with pytest.raises(ShapesError, match="the shapes ask for the entailment"):
        kg.validate(Graph(), Graph().parse(data=PREFIXES + shapes))


def notes_on_imports(folder: Path, shapes: str, *options: str) -> list[str]:
    result = checked(folder, f"e:S sh:targetClass e:C ; {ONE}.\n{shapes}", *options)
    assert result.exit_code == 1
    return [line for line in result.stdout.splitlines() if "shapes import" in line]


def test_imports_that_were_not_given_are_noted(tmp_path: Path) -> None:
    assert notes_on_imports(tmp_path, "e:s owl:imports e:more , e:most , <more.ttl> .") == [
        f"Note: The shapes import <{(tmp_path / 'more.ttl').as_uri()}>, and imports are not"
        " fetched. Give it with --shapes too.",
        "Note: The shapes import <http://example.org/more>, and imports are not fetched."
        " Give it with --shapes too.",
        "Note: The shapes import <http://example.org/most>, and imports are not fetched."
        " Give it with --shapes too.",
    ]


@pytest.mark.parametrize(
    "shapes",
    [
        "e:s owl:imports <more.ttl> .",  # a file that is given
        "e:s owl:imports e:more . e:more a owl:Ontology .",
        "e:s owl:imports <http://example.org/more#> . e:more a owl:Ontology .",
        "e:s owl:imports e:more . e:more sh:declare"
        ' [ sh:prefix "x" ; sh:namespace "http://example.org/"^^xsd:anyURI ] .',
        "e:s owl:imports <http://www.w3.org/ns/shacl#> .",
    ],
)
def test_imports_that_were_given_are_not(tmp_path: Path, shapes: str) -> None:
    more = tmp_path / "more.ttl"
    more.write_text(PREFIXES + "e:T sh:nodeKind sh:IRI .")
    assert notes_on_imports(tmp_path, shapes, "--shapes", str(more)) == []


# Words that SHACL does not have -----------------------------------------------------------


def test_misspelt_severities_are_noted_and_fail_with_strict(tmp_path: Path) -> None:
    shapes = (
        "e:S a sh:NodeShape ; sh:targetClass e:C ;"
        " sh:property [ sh:path e:n ; sh:maxCount 2 ; sh:severity sh:Waring ] ."
    )
    result = checked(tmp_path, shapes)
    assert result.exit_code == 0
    assert (
        "Note: The shape e:S at e:n uses the severity sh:Waring, and SHACL has no such severity."
        " Did you mean sh:Warning?\n" in result.stdout
    )
    assert checked(tmp_path, shapes, "--strict").exit_code == 1


@pytest.mark.parametrize(
    "severity", ["sh:Violation", "sh:Warning", "sh:Info", "sh:Debug", "sh:Trace", "e:Grave"]
)
def test_known_severities_and_ones_own_are_not_noted(tmp_path: Path, severity: str) -> None:
    shapes = f"e:S sh:targetClass e:C ; sh:nodeKind sh:IRI ; sh:severity {severity} ."
    assert "Note" not in checked(tmp_path, shapes).stdout


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("flags", ["zz", "iz", "I"])
def test_flags_that_there_are_not_are_refused(tmp_path: Path, flags: str, engine: str) -> None:
    shapes = f'e:S sh:targetClass e:C ; sh:pattern "a" ; sh:flags "{flags}" .'
    result = checked(tmp_path, shapes, "--engine", engine)
    assert result.exit_code == 2
    assert result.stderr == (
        f'Error: {tmp_path}/s.ttl:5: the shape e:S is malformed: sh:flags "{flags}":'
        " there are only the flags s, m, i, x, q\n"
    )


@pytest.mark.parametrize("flags", ["", "i", "smi"])
def test_flags_that_there_are_are_taken(tmp_path: Path, flags: str) -> None:
    shapes = f'e:S sh:targetClass e:C ; sh:pattern "a" ; sh:flags "{flags}" .'
    assert checked(tmp_path, shapes).exit_code == 0


@pytest.mark.parametrize(
    ("test", "tag"),
    [
        ('lang(?value) = "en-GB"', "en-GB"),
        ("'EN' != LANG( $value )", "EN"),
        ('lang(?value) = "en-gb"', None),
        ('langMatches(lang(?value), "en-GB")', None),
    ],
)
def test_tags_that_no_text_can_have_are_told(tmp_path: Path, test: str, tag: str | None) -> None:
    query = f"SELECT $this ?value WHERE {{ $this e:p ?value FILTER({test}) }}"
    query = query.replace("e:p", "<http://example.org/p>").replace('"', '\\"')
    shapes = f'e:S a sh:NodeShape ; sh:targetClass e:C ; sh:sparql [ sh:select "{query}" ] .'
    data = PREFIXES + 'e:a a e:C ; e:p "colour"@en-GB .'
    (tmp_path / "d.ttl").write_text(data)
    report = kg.validate(tmp_path / "d.ttl", Graph().parse(data=PREFIXES + shapes))
    words = f'compares a language with "{tag}", and kg reads languages in lower case.'
    assert any(words in note for note in report.unmet) == (tag is not None)
    assert report.passes(strict=True) is False
    assert len(report.results) == (tag != "en-GB")
