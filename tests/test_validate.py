"""`kg validate` and kg.validate: what they find, what they say, and when they say that it is in
vain."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyoxigraph import DefaultGraph, Quad, RdfFormat, Store, parse
from rdflib import SH, Dataset, Graph, Literal, URIRef
from rdflib.compare import isomorphic

from kg.cli import main
from kg.errors import InputError, ShapesError, UsageError
from kg.store import Generation, locked
from kg.validate import Report, read, validate
from kg.validate.checks import CHECKS, COMPONENT
from kg.validate.human import summary, to_text
from kg.validate.machine import to_json
from kg.validate.names import curie, short, shown
from kg.validate.standard import to_rdf
from kg.validate.terms import from_rdflib, to_rdflib

PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
OURS = "ex:note a <https://w3id.org/kg/ontology#Note> .\n"  # without it, data is foreign
GOOD = PREFIXES + 'ex:ada a foaf:Person ; foaf:name "Ada" ; rdfs:label "Ada" .\n' + OURS
BAD = PREFIXES + (
    'ex:ada a foaf:Person ; foaf:name "Ada", "Ada L." ; rdfs:label "Ada", "Ada L." .\n'
    "ex:bo a foaf:Person .\n" + OURS
)
SHAPES = PREFIXES + (
    "ex:Named a sh:NodeShape ; sh:targetClass foaf:Person ; sh:property [ sh:path foaf:name ;"
    ' sh:minCount 1 ; sh:message "Give the person a name." ] .\n'
)
FOREIGN = PREFIXES + "ex:a ex:b ex:c .\n"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def kg(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)], input=stdin)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No validation may reach for the network."""

    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)


# Outcomes ---------------------------------------------------------------------------------


def test_data_that_conforms_gives_0(tmp_path: Path) -> None:
    result = kg(write(tmp_path, "good.ttl", GOOD))
    assert result.exit_code == 0
    assert result.stdout.startswith("Conforms: ")
    assert "1 node checked" in result.stdout
    assert result.stderr == ""


def test_data_that_does_not_conform_gives_1(tmp_path: Path) -> None:
    result = kg(write(tmp_path, "bad.ttl", BAD))
    assert result.exit_code == 1
    assert "Violation: foaf:name has too many values  [shape:Person-name, 1 node]" in result.stdout
    assert 'bad.ttl:7: “Ada” ex:ada: it has "Ada", "Ada L."' in result.stdout
    assert "Violation: foaf:name is missing  [shape:Person-name, 1 node]" in result.stdout
    assert "bad.ttl:8: ex:bo\n" in result.stdout
    assert "Does not conform: 2 violations; " in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("data", "shapes", "words"),
    [
        pytest.param("", None, "there is no triple in the data", id="empty data"),
        pytest.param(GOOD, "", "there is no SHACL shape", id="empty shapes"),
        pytest.param(GOOD, GOOD, "there is no SHACL shape", id="data given as shapes"),
        pytest.param(
            GOOD,
            SHAPES.replace("foaf:Person", "foaf:Persno"),
            "none of the 2 shapes has a target",
            id="misspelt target",
        ),
        pytest.param(
            GOOD,
            SHAPES.replace("a sh:NodeShape", "a sh:NodeShape ; sh:deactivated true"),
            "the shapes that have a target are deactivated",
            id="deactivated",
        ),
    ],
)
@pytest.mark.parametrize("form", ["human", "json", "turtle"])
def test_nothing_checked_gives_1(
    tmp_path: Path, data: str, shapes: str | None, words: str, form: str
) -> None:
    arguments: list[str | Path] = [write(tmp_path, "data.ttl", data), "--format", form]
    if shapes is not None:
        arguments += ["--shapes", write(tmp_path, "shapes.ttl", shapes)]
    result = kg(*arguments)
    assert result.exit_code == 1
    said = result.stdout if form == "human" else result.stderr
    assert said.startswith("Nothing was checked: ") or "\nNothing was checked: " in said
    assert words in said


def test_foreign_data_needs_shapes(tmp_path: Path) -> None:
    result = kg(write(tmp_path, "data.ttl", FOREIGN))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "nothing in it that kg's own shapes speak of; say with --shapes FILE" in result.stderr
    with pytest.raises(UsageError, match="--shapes FILE"):
        validate(Graph().parse(data=FOREIGN))


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("sh:targetClass ex:Unknown", "the class ex:Unknown, and the data has nothing of it.\n"),
        ("sh:targetClass foaf:Persno", "the class foaf:Persno, and the data has nothing of it."),
        ("sh:targetClass foaf:Persno", " Did you mean foaf:Person?"),
        ("sh:targetSubjectsOf foaf:nmae", "what has the property foaf:nmae, and"),
        ("sh:targetSubjectsOf foaf:nmae", " Did you mean foaf:name?"),
        ("sh:targetObjectsOf ex:none", "the values of the property ex:none, and"),
        ("sh:targetNode ex:none", "the node ex:none, and the data has nothing of it."),
    ],
)
def test_what_the_data_lacks_is_noted(tmp_path: Path, target: str, words: str) -> None:
    shapes = SHAPES + f"ex:Other a sh:NodeShape ; {target} ; sh:nodeKind sh:IRI .\n"
    files = write(tmp_path, "d.ttl", GOOD), "--shapes", write(tmp_path, "s.ttl", shapes)
    result = kg(*files)
    assert result.exit_code == 0
    assert "Note: The shape ex:Other targets " in result.stdout
    assert words in result.stdout
    result = kg(*files, "--strict", "--format", "json")
    assert result.exit_code == 1
    assert "Does not conform: 1 note that --strict does not let pass; " in result.stderr
    assert words.strip() in json.loads(result.stdout)["unmet"][0]


def test_subclasses_meet_a_target(tmp_path: Path) -> None:
    text = (
        GOOD.replace("a foaf:Person", "a ex:Author") + "ex:Author rdfs:subClassOf foaf:Person .\n"
    )
    text = text.replace("rdfs:subClassOf", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>")
    report = validate(write(tmp_path, "d.ttl", text), write(tmp_path, "s.ttl", SHAPES))
    assert report.passed
    assert report.unmet == ()


@pytest.mark.parametrize(
    ("severity", "allow", "code"),
    [
        ("Warning", None, 1),
        ("Warning", "infos", 1),
        ("Warning", "warnings", 0),
        ("Info", "infos", 0),
        ("Info", "warnings", 0),
        ("Violation", "warnings", 1),
    ],
)
def test_what_is_allowed_does_not_fail(
    tmp_path: Path, severity: str, allow: str | None, code: int
) -> None:
    shapes = SHAPES.replace("sh:minCount 1", f"sh:minCount 1 ; sh:severity sh:{severity}")
    files = write(tmp_path, "d.ttl", BAD), "--shapes", write(tmp_path, "s.ttl", shapes)
    result = kg(*files, *(("--allow", allow) if allow else ()))
    assert result.exit_code == code
    words = "Conforms: 1 {} (allowed); " if code == 0 else "Does not conform: 1 {}; "
    assert words.format(severity.lower()) in result.stdout


def test_what_is_not_run_is_noted(tmp_path: Path) -> None:
    library = '"http://localhost:1/f.js"^^xsd:anyURI'
    shapes = SHAPES + (
        f"ex:Named sh:js [ sh:jsFunctionName 'f' ; sh:jsLibrary [ sh:jsLibraryURL {library} ] ] .\n"
    )
    result = kg(write(tmp_path, "d.ttl", GOOD), "--shapes", write(tmp_path, "s.ttl", shapes))
    assert "Note: The shape ex:Named uses sh:js" in result.stdout


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ttl", PREFIXES + "ex:a ex:b ex c .", ":7: broken syntax in column 11: "),
        ("a.nt", "<http://a> <http://b> <c d> .\n", ":1: broken syntax in column 23: "),
        ("a.nq", '<http://a> <http://b> "c" <http://g> .\n<a', ":2: broken syntax in column 1: "),
        ("a.trig", "<http://g> { <http://a> a }", ":1: broken syntax in column 27: "),
        ("a.jsonld", '{"a":\n', "broken syntax"),
        ("a.jsonld", '{"@context": "https://schema.org/", "name": "x"}', "nothing is fetched"),
        ("a.rdf", '<?xml version="1.0"?>\n<a>\n</b>', ":3: broken syntax in column 3: "),
        ("a.ttl", b"\xff\xfe\x00\x01", ": is written in UTF-16; save it as UTF-8"),
        ("a.nt", b'<http://a> <http://b> "\xe9" .\n', ":1: broken syntax"),
        ("a.ttl.gz", gzip.compress(GOOD.encode())[:-20], "the gzip data is broken"),
        ("a.ttl", "<http://a> <http://b> <<( <http://c> a <http://d> )>> .", "triple terms"),
    ],
)
def test_broken_syntax_gives_2(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    result = kg(write(tmp_path, name, content))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_what_cannot_be_opened_gives_2(tmp_path: Path) -> None:
    result = kg(tmp_path / "none.ttl")
    assert result.exit_code == 2
    assert "none.ttl: cannot be read: No such file or directory" in result.stderr
    result = kg(write(tmp_path, "a.ttl", GOOD), "--shapes", tmp_path / "none.ttl")
    assert result.exit_code == 2
    result = kg("-g", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "no graph here" in result.stderr


MALFORMED = {
    "count": (
        SHAPES.replace("sh:minCount 1", 'sh:minCount "one"'),
        's.ttl:7: the shape ex:Named at foaf:name is malformed: sh:minCount "one": it must be of'
        " the type xsd:integer, a whole number",
    ),
    "datatype": (
        SHAPES.replace("sh:minCount 1", 'sh:datatype "text"'),
        'the shape ex:Named at foaf:name is malformed: sh:datatype "text": ',
    ),
    "no path": (
        SHAPES.replace("sh:path foaf:name ; ", ""),
        "the shape ex:Named is malformed: it has no sh:path",
    ),
    "two paths": (
        SHAPES.replace("sh:path foaf:name", "sh:path foaf:name, foaf:nick"),
        "it has 2 sh:path and needs one",
    ),
    "pattern": (
        SHAPES.replace("sh:minCount 1", 'sh:pattern "("'),
        "sh:pattern '(' is no regular expression",
    ),
    "list": (
        SHAPES.replace("sh:minCount 1", "sh:or ex:L")
        + "ex:L <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ex:A ;"
        " <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ex:L .",
        "it runs in a circle",
    ),
    "no list": (
        SHAPES.replace("sh:minCount 1", 'sh:languageIn "en"'),
        "the shape ex:Named at foaf:name is malformed: sh:languageIn",
    ),
    "query": (
        SHAPES + 'ex:Named sh:sparql [ sh:select "SELECT $this WHERE { oh dear" ] .',
        "s.ttl:7: the shape ex:Named is malformed: sh:select is no SPARQL (line 1, column 22",
    ),
    "federated query": (
        SHAPES + 'ex:Named sh:sparql [ sh:select "SELECT $this WHERE'
        ' { SERVICE <http://localhost:1/> { $this ?p ?o } }" ] .',
        "s.ttl:7: the shape ex:Named is malformed: sh:select: it must be without SERVICE, which",
    ),
    "syntax": (SHAPES + "ex:a ex:b", "broken syntax"),
}


@pytest.mark.parametrize(("shapes", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_shapes_give_2(tmp_path: Path, shapes: str, message: str) -> None:
    result = kg(write(tmp_path, "d.ttl", GOOD), "--shapes", write(tmp_path, "s.ttl", shapes))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_usage_errors_give_2(tmp_path: Path) -> None:
    file = write(tmp_path, "good.ttl", GOOD)
    assert kg(file, "-g", tmp_path).exit_code == 2
    assert kg("-", "--shapes", "-", stdin=GOOD).exit_code == 2
    assert kg(file, "--format", "xml").exit_code == 2


# Inputs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["by extension", "by content"])
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(
    "syntax",
    [
        RdfFormat.TURTLE,
        RdfFormat.N_TRIPLES,
        RdfFormat.N_QUADS,
        RdfFormat.TRIG,
        RdfFormat.JSON_LD,
        RdfFormat.RDF_XML,
    ],
    ids=str,
)
def test_each_syntax_is_read(tmp_path: Path, syntax: RdfFormat, zipped: bool, named: str) -> None:
    store = Store()
    store.load(BAD, RdfFormat.TURTLE)
    content = store.dump(
        format=syntax, from_graph=None if syntax.supports_datasets else DefaultGraph()
    )
    assert content is not None
    name = f"data.{syntax.file_extension}" if named == "by extension" else "data"
    if zipped:
        name, content = name + (".gz" if named == "by extension" else ""), gzip.compress(content)
    report = validate(write(tmp_path, name, content))
    assert len(report.results) == 2
    assert report.focus_nodes == 2


def test_named_graphs_count_as_one(tmp_path: Path) -> None:
    line = '<http://a> <http://xmlns.com/foaf/0.1/name> "A" <http://g{}> .\n'
    kind = "<http://a> a <http://xmlns.com/foaf/0.1/Person> .\n"
    label = '<http://a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'
    quads = line.format(1) + line.format(2)
    quads += kind.replace(" a ", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ") + label
    quads += "<http://n> <https://w3id.org/kg/ontology#rule> <http://n> .\n"
    assert validate(write(tmp_path, "data.nq", quads)).passed


def test_standard_input_is_read() -> None:
    assert kg("-", stdin=GOOD).exit_code == 0
    assert kg("-", stdin=gzip.compress(BAD.encode())).exit_code == 1
    result = kg("-", stdin="<a> <b")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: standard input:1: broken syntax")


def test_several_files_are_one_graph(tmp_path: Path) -> None:
    first = write(tmp_path, "a.ttl", PREFIXES + "ex:ada a foaf:Person . _:x a foaf:Person .")
    second = write(tmp_path, "b.ttl", PREFIXES + 'ex:ada foaf:name "Ada" . _:x foaf:name "X" .')
    third = write(tmp_path, "c.ttl", PREFIXES + 'ex:ada rdfs:label "Ada" .')
    shapes = write(tmp_path, "s.ttl", SHAPES)
    report = validate(read([first, second, third]), [shapes])
    # ex:ada has its name from the other file; _:x of one file is not _:x of another.
    assert [str(result.focus) for result in report.results] == ["_:b0"]


def test_the_graph_is_validated(tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    with locked(graph):
        generation = Generation(graph)
        generation.load(
            Quad(q.subject, q.predicate, q.object) for q in parse(BAD, RdfFormat.TURTLE)
        )
        generation.swap_in()
    result = kg("-g", graph)
    assert result.exit_code == 1
    assert "Does not conform: 2 violations; " in result.stdout


def test_an_rdflib_graph_is_not_changed(caplog: pytest.LogCaptureFixture) -> None:
    graph = Graph().parse(data=BAD, format="turtle")
    graph.add(
        (
            URIRef("http://example.org/ada"),
            URIRef("http://e/born"),
            Literal("soon", datatype="http://www.w3.org/2001/XMLSchema#date"),
        )
    )
    before = set(graph)
    with caplog.at_level(logging.WARNING):
        report = validate(graph)
    assert set(graph) == before
    assert len(report.results) == 3
    dataset = Dataset()
    for triple in graph:
        dataset.graph(URIRef("http://g")).add(triple)
    assert validate(dataset).results == report.results


def test_terms_stay_as_they_are_written() -> None:
    text = PREFIXES + (
        'ex:a ex:p "01"^^xsd:integer, "1.50"^^xsd:decimal, "x"^^xsd:integer, "a"@en-GB, "b",'
        ' "1"^^xsd:boolean, _:c, ex:d .'
    )
    quads = {Quad(q.subject, q.predicate, q.object) for q in parse(text, RdfFormat.TURTLE)}
    assert set(from_rdflib(to_rdflib(quads))) == quads


def test_nonsense_for_a_datatype_is_reported_quietly(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    shapes = SHAPES.replace("sh:minCount 1", "sh:datatype xsd:integer")
    text = PREFIXES + 'ex:a a foaf:Person ; foaf:name "x"^^xsd:integer, "y"^^xsd:boolean .'
    result = kg(write(tmp_path, "d.ttl", text), "--shapes", write(tmp_path, "s.ttl", shapes))
    assert result.exit_code == 1
    assert '"x"^^xsd:integer' in result.stdout
    assert result.stderr == ""
    assert caplog.records == []
    assert [warning for warning in recwarn if "boolean" in str(warning.message)] == []


def test_nothing_is_imported(tmp_path: Path) -> None:
    imports = "<http://localhost:1/s> a owl:Ontology ; owl:imports <http://localhost:1/t> .\n"
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n" + imports
    data = write(tmp_path, "d.ttl", text + GOOD)
    assert validate(data, [write(tmp_path, "s.ttl", text + SHAPES)]).passed


# Reports ----------------------------------------------------------------------------------


def test_results_come_in_one_order(tmp_path: Path) -> None:
    text = PREFIXES + "".join(f"ex:p{n} a foaf:Person .\n" for n in (3, 1, 2))
    data, shapes = write(tmp_path, "d.ttl", text), write(tmp_path, "s.ttl", SHAPES)
    reports = [validate(data, [shapes]) for _ in range(2)]
    assert reports[0] == reports[1]
    assert [str(r.focus)[-3:-1] for r in reports[0].results] == ["p1", "p2", "p3"]


def test_the_first_of_many_are_shown(tmp_path: Path) -> None:
    text = PREFIXES + "".join(f"ex:p{n} a foaf:Person .\n" for n in range(12))
    report = validate(write(tmp_path, "d.ttl", text), [write(tmp_path, "s.ttl", SHAPES)])
    page = to_text(report)
    assert page.count(": ex:p") == 5
    assert "... and 7 more" in page
    assert page.count("Give the person a name.") == 1
    assert to_text(report, first=20).count(": ex:p") == 12
    assert to_text(report, first=None).count(": ex:p") == 12
    assert "\x1b[1;31mViolation: foaf:name is missing" in to_text(report, colour=True)


def test_severities_are_told_apart(tmp_path: Path) -> None:
    shapes = SHAPES.replace("sh:minCount 1", "sh:minCount 1 ; sh:severity sh:Warning") + (
        "ex:Known a sh:NodeShape ; sh:targetClass foaf:Person ; sh:property [ sh:path foaf:knows ;"
        " sh:minCount 1 ] ."
    )
    text = PREFIXES + "ex:p a foaf:Person . ex:q a foaf:Person ; foaf:knows ex:p ."
    report = validate(write(tmp_path, "d.ttl", text), [write(tmp_path, "s.ttl", shapes)])
    assert report.counts() == {"Violation": 1, "Warning": 2}
    assert not report.conforms
    assert "Does not conform: 1 violation, 2 warnings; 4 shapes, 2 nodes checked" in summary(report)
    assert to_text(report).index("Violation: ") < to_text(report).index("Warning: ")


def test_the_turtle_report_is_that_of_pyshacl(tmp_path: Path) -> None:
    import pyshacl

    data, shapes = write(tmp_path, "d.ttl", BAD), write(tmp_path, "s.ttl", SHAPES)
    result = kg(data, "--shapes", shapes, "--format", "turtle")
    assert result.exit_code == 1
    ours = Graph().parse(data=result.stdout, format="turtle")
    _, theirs, _ = pyshacl.validate(str(data), shacl_graph=str(shapes))
    assert isomorphic(ours, theirs)


def test_the_turtle_report_has_the_checks_too() -> None:
    text = PREFIXES + (
        'ex:s a skos:ConceptScheme ; skos:prefLabel "S"@en ; rdfs:label "S"@en .'
        'ex:a a skos:Concept ; skos:prefLabel "A"@en ; rdfs:label "A"@en ; skos:notation "a" ;'
        " skos:broader ex:a ."
    )
    store = Store()
    store.load(text, RdfFormat.TURTLE)
    report = validate(store)
    assert [result.constraint for result in report.results] == [COMPONENT]
    graph = Graph().parse(data=to_rdf(report, "turtle"), format="turtle")
    assert list(graph.objects(None, SH.conforms)) == [Literal(False)]
    assert list(graph.objects(None, SH.focusNode)) == [URIRef("http://example.org/a")]


def test_the_json_report(tmp_path: Path) -> None:
    result = kg(write(tmp_path, "d.ttl", BAD), "--format", "json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["conforms"] is False
    assert report["counts"] == {"Violation": 2}
    assert report["focusNodes"] == 2
    first = report["results"][0]
    assert first["focus"] == {"type": "uri", "value": "http://example.org/ada"}
    assert first["label"] == "Ada"
    assert first["path"] == "http://xmlns.com/foaf/0.1/name"
    assert first["constraint"] == "http://www.w3.org/ns/shacl#MaxCountConstraintComponent"
    assert json.loads(to_json(Report((), 0, 0)))["unchecked"].startswith("Nothing was checked")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("( ex:a ex:b )", "ex:a/ex:b"),
        ("( [ sh:inversePath ex:a ] ex:b )", "^ex:a/ex:b"),
        ("[ sh:alternativePath ( ex:a [ sh:inversePath ex:b ] ) ]", "(ex:a|^ex:b)"),
        ("[ sh:zeroOrMorePath ( ex:a ex:b ) ]", "(ex:a/ex:b)*"),
        ("( [ sh:oneOrMorePath ex:a ] [ sh:zeroOrOnePath ex:b ] )", "ex:a+/ex:b?"),
    ],
)
def test_paths_are_shown_as_in_sparql(tmp_path: Path, path: str, expected: str) -> None:
    shapes = write(tmp_path, "s.ttl", SHAPES.replace("foaf:name", path))
    shapes.write_text(shapes.read_text().replace("sh:minCount 1", "sh:minCount 9"))
    report = validate(write(tmp_path, "d.ttl", GOOD), [shapes])
    assert f"Violation: {expected} is missing  [ex:Named at {expected}, 1 node]" in to_text(report)


def test_terms_are_shown_safely() -> None:
    quads = list(
        parse(
            PREFIXES + r'ex:a ex:p "a\u001B[31m\nb"@en, 5, ex:a.b, <http://other.org/x>, _:b .',
            RdfFormat.TURTLE,
        )
    )
    prefixes = {"ex": "http://example.org/"}
    texts = [shown(quad.object, prefixes) for quad in quads[:4]]
    assert texts == ['"a\\x1b[31m\\nb"@en', "5", "ex:a.b", "<http://other.org/x>"]
    assert short("x" * 200) == "x" * 99 + "…"
    assert curie("http://example.org/a/b", prefixes) == "<http://example.org/a/b>"
    assert curie("<http://example.org/a>/^<http://example.org/b>", prefixes) == "ex:a/^ex:b"


# Checks -----------------------------------------------------------------------------------


def broader(*pairs: str) -> Store:
    store = Store()
    store.load(
        PREFIXES + "".join(f"ex:{a} skos:broader ex:{b} .\n" for a, b in pairs), RdfFormat.TURTLE
    )
    return store


@pytest.mark.parametrize(
    ("pairs", "circles"),
    [
        (["ab", "bc", "ac", "xc"], []),
        (["aa"], ["a"]),
        (["ab", "ba"], ["a"]),
        (["ab", "bc", "cb", "de", "ef", "fd", "ad"], ["b", "d"]),
        (["ab", "bc", "ca", "bd", "db"], ["a"]),
    ],
)
def test_circles_of_broader_concepts_are_found(pairs: list[str], circles: list[str]) -> None:
    check = next(one for one in CHECKS if one.label.startswith("No circle"))
    found = sorted(result.focus.value[-1] for result in check.find(broader(*pairs)))
    assert found == circles


def test_a_long_chain_of_broader_concepts_is_no_trouble() -> None:
    store = Store()
    lines = "".join(f"ex:c{n} skos:broader ex:c{n + 1} .\n" for n in range(5000))
    store.load(PREFIXES + lines + "ex:c5000 skos:broader ex:c0 .", RdfFormat.TURTLE)
    check = next(one for one in CHECKS if one.label.startswith("No circle"))
    assert len(list(check.find(store))) == 1


def test_errors_of_the_library_are_kg_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError) as broken:
        validate(write(tmp_path, "a.ttl", "<http://a> a\n<b"))
    assert broken.value.line == 2
    with pytest.raises(ShapesError):
        validate(Store(), [write(tmp_path, "s.ttl", MALFORMED["count"][0])])


def test_the_door_is_light() -> None:
    code = "import sys, kg.validate, kg.cli.validate; sys.exit('rdflib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


OFF = (
    " ex:Off a sh:NodeShape ; sh:deactivated true ; sh:targetClass ex:Gone ;"
    " sh:property [ sh:path ex:p ; sh:mincount 1 ] ; sh:rule [ a sh:Rule ] .\n"
)


def test_a_shape_that_is_deactivated_counts_for_nothing(tmp_path: Path) -> None:
    files = write(tmp_path, "d.ttl", GOOD), "--shapes", write(tmp_path, "s.ttl", SHAPES + OFF)
    result = kg(*files, "--strict")
    assert (result.exit_code, "Note" in result.stdout) == (0, False)
    live = write(tmp_path, "t.ttl", SHAPES + OFF.replace("true", "false"))
    assert kg(files[0], "--shapes", live, "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "severity", "passed"),
    [
        ([], "Violation", False),
        (["--allow", "warnings"], "Violation", False),
        ([], "Warning", False),
        (["--allow", "warnings"], "Warning", True),
        (["--allow", "warnings", "--strict"], "Warning", False),
        (["--allow", "infos"], "Warning", False),
    ],
)
def test_json_has_the_verdict(
    tmp_path: Path, arguments: list[str], severity: str, passed: bool
) -> None:
    shapes = SHAPES.replace("sh:minCount 1", f"sh:minCount 1 ; sh:severity sh:{severity}")
    shapes += "ex:T a sh:NodeShape ; sh:targetClass ex:Gone ; sh:nodeKind sh:IRI .\n"
    files = write(tmp_path, "d.ttl", BAD), "--shapes", write(tmp_path, "s.ttl", shapes)
    result = kg(*files, "--format", "json", *arguments)
    assert json.loads(result.stdout)["passed"] is passed
    assert result.exit_code == (0 if passed else 1)
