"""What reports say to people and to programs, and where the faults stand."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import io
import json
import re
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pyshacl
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode
from rdflib import SH, BNode, Graph
from rdflib import Literal as Text
from rdflib.compare import isomorphic

from kg.cli import main
from kg.validate import Report, read, validate
from kg.validate.groups import arranged
from kg.validate.html import to_html
from kg.validate.human import to_text
from kg.validate.junit import to_junit
from kg.validate.machine import to_csv, to_json
from kg.validate.names import closest
from kg.validate.places import locate
from kg.validate.sarif import to_sarif
from kg.validate.standard import to_rdf

FAULTY = Path(__file__).parent / "data" / "ten-faults.ttl"
PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DATA = PREFIXES + (
    'ex:ada a foaf:Person ; foaf:name "A", "B" ; ex:knows [ ex:age "x" ], ex:bo .\n'
    'ex:bo a foaf:Person ; foaf:name "Bo" ; foaf:nmae "Bo" .\n'
)
SHAPES = (
    PREFIXES
    + """
ex:Named a sh:NodeShape ; sh:targetClass foaf:Person ;
  sh:property [ sh:path foaf:name ; sh:maxCount 1 ; sh:in ( "A" "Bob" ) ] ,
    [ sh:path ( ex:knows [ sh:inversePath ex:likes ] ) ; sh:minCount 1 ] ,
    [ sh:path ex:knows ; sh:node [ sh:property [ sh:path ex:age ; sh:datatype xsd:integer ] ] ] ;
  sh:not [ sh:property [ sh:path foaf:name ; sh:hasValue "Bo" ] ] .
"""
)
FORMATS = ["human", "turtle", "jsonld", "ntriples", "json", "csv", "sarif", "junit", "html"]


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def kg(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


@pytest.fixture
def report(tmp_path: Path) -> Report:
    data, shapes = write(tmp_path, "data.ttl", DATA), write(tmp_path, "shapes.ttl", SHAPES)
    return validate(data, shapes, engine="pyshacl")


# For people ---------------------------------------------------------------------------------

# What a reader finds of each of the faults: the line, what is wrong, what is there.
FAULTS = [
    (19, "dcterms:issued fits none of the choices", '"2024" (a plain text)'),
    (20, "a property that has no place here", "did you mean dcterms:issued?"),
    (21, "bibo:doi is not written in the form asked for", '"https://doi.org/10.1000/182"'),
    (22, "schema:url has a value of another kind", '"https://arxiv.org/abs/2401.00001" (a text)'),
    (23, "dcterms:creator names something that is no foaf:Person", "the data says nothing of it"),
    (25, "schema:about has a value that schema:mentions lacks", "“memory” <concept/memory>"),
    (28, "a node lacks the class fabio:Preprint or", "it is a fabio:Preprint"),
    (29, "rdfs:label has too many values", 'it has "Memory", "Memory with heads"'),
    (32, "skos:altLabel has a value that foaf:name has too", '"Ada Bly"'),
    (35, "skos:altLabel is in another language, or in none", '"Kopf"@de'),
    (41, "kg:position is too small", "0"),
    (49, "the words of a mention are not those of its text", 'nif:anchorOf "Head"'),
    (50, "itsrdf:taConfidence is too large", '"1.5"^^xsd:double'),
    (52, "nif:beginIndex is not smaller than nif:endIndex", "nif:endIndex is 6"),
]


def test_each_fault_is_told_with_its_line_and_what_to_do() -> None:
    found = [
        (row.place.line, group.rule.title, row.says, group.advice)
        for group, rows, _ in arranged(validate(FAULTY))
        for row in rows
        if row.place
    ]
    assert len(found) == len(FAULTS)
    for line, title, there in FAULTS:
        ((_, told, says, advice),) = [row for row in found if row[0] == line]
        assert told.startswith(title)
        assert there in says
        assert len(advice) > 40


def test_nodes_are_named_as_in_the_file() -> None:
    text = to_text(validate(FAULTY))
    assert "ten-faults.ttl:23: “Heads that copy” <paper/one>: <person/bob> (" in text
    assert "https://w3id.org/kg/id/" not in text.replace("https://w3id.org/kg/id/ ", "")


def test_foreign_shapes_are_put_in_words(report: Report) -> None:
    text = to_text(report)
    for words in (
        "foaf:name is none of the values asked for  [ex:Named at foaf:name, 2 nodes]\n"
        '  Asked for: one of "A" or "Bob".',
        "foaf:name has too many values  [ex:Named at foaf:name, 1 node]\n"
        "  Asked for: at most 1 value.",
        'data.ttl:6: “A” ex:ada: it has "A", "B"',
        "ex:knows/^ex:likes is missing",
        "Asked for: ex:age: of the type xsd:integer, a whole number, as in 12.",
        'Asked for: not: foaf:name: the value "Bo".',
    ):
        assert words in text
    assert "Less than 1 values" not in text


@pytest.mark.parametrize(
    ("constraint", "value", "words"),
    [
        ("sh:minLength 3", '"ab"', "is empty or too short|Asked for: at least 3 characters."),
        ("sh:maxLength 1", '"ab"', "is too long|Asked for: at most 1 character."),
        ("sh:minCount 2", '"ab"', "is missing|Asked for: at least 2 values."),
        ("sh:maxCount 0", '"ab"', "has too many values|Asked for: no value."),
        ("sh:datatype xsd:date", '"2026-02-30"^^xsd:date', "(that is no xsd:date)"),
        ("sh:datatype xsd:date", '"2026"', "(a plain text)|Asked for: of the type xsd:date, a day"),
        ("sh:datatype xsd:date", "ex:bo", "(a node, not a text or number)"),
        ("sh:class ex:C", "ex:bo", "names something that is no ex:C|(it is a foaf:Person)"),
        ("sh:class ex:C", "ex:nil", "(the data says nothing of it)"),
        ("sh:class ex:C", '"x"', "(a text, not a node)"),
        ("sh:class ex:C", "ex:cy", "(it has no rdf:type)"),
        ("sh:nodeKind sh:IRI", '"x"', "(a text)|Asked for: an IRI, as in"),
        ("sh:nodeKind sh:Literal", "ex:bo", "(an IRI)|Asked for: a text or number"),
        ("sh:minInclusive 5", "4", "is too small|Asked for: 5 or more."),
        ("sh:minExclusive 5", "5", "is too small|Asked for: more than 5."),
        ("sh:maxInclusive 5", "6", "is too large|Asked for: 5 or less."),
        ("sh:maxExclusive 5", "5", "is too large|Asked for: less than 5."),
        ('sh:pattern "^a"', '"b"', "Asked for: in the form of the regular expression ^a."),
        ('sh:languageIn ( "en" "de" )', '"x"@fr', "Asked for: in the language @en or @de."),
        ("sh:uniqueLang true", '"x"@en, "y"@en', "two values in one language|it has "),
        ("sh:equals ex:q", '"x"', 'differs from ex:q|ex:p is "x"; ex:q is "Q"'),
        ("sh:equals ex:none", '"x"', 'ex:p is "x"; it has no ex:none'),
        ("sh:disjoint ex:q", '"Q"', "has a value that ex:q has too|Asked for: no value that ex:q"),
        ("sh:lessThan ex:n", "9", "is not smaller than ex:n|ex:n is 3"),
        ("sh:lessThanOrEquals ex:n", "9", "is larger than ex:n|Asked for: not larger than ex:n."),
        ("sh:hasValue ex:z", '"x"', "lacks the value asked for|Asked for: the value ex:z."),
        ("sh:in ( ex:zebra ex:bear )", "ex:zbra", "one of ex:zebra or ex:bear.|did you mean ex:ze"),
        (
            "sh:or ( [ sh:datatype xsd:date ] [ sh:class ex:C ] )",
            '"x"',
            "fits none of the choices|(of the type xsd:date, a day,",
        ),
        ("sh:xone ( [ sh:minLength 1 ] [ sh:maxLength 9 ] )", '"x"', ") or else (at most 9 char"),
        ("sh:and ( [ sh:minLength 1 ] [ sh:maxLength 2 ] )", '"xyz"', ") and (at most 2 charac"),
        ("sh:node ex:Shape", '"x"', "is not as asked for|Asked for: what ex:Shape asks for"),
        (
            "sh:qualifiedValueShape [ sh:class ex:C ] ; sh:qualifiedMinCount 1",
            '"x"',
            "lacks a value of a kind|at least 1 value: described as ex:C (as in: a ex:C)",
        ),
    ],
)
def test_each_constraint_is_put_in_words(
    tmp_path: Path, constraint: str, value: str, words: str
) -> None:
    data = PREFIXES + (
        f'ex:ada ex:p {value} ; ex:q "Q" ; ex:n 3 .\nex:bo a foaf:Person . ex:cy ex:q 1 .\n'
    )
    shapes = PREFIXES + (
        f"ex:Shape a sh:NodeShape ; sh:nodeKind sh:IRI .\n"
        f"ex:A a sh:NodeShape ; sh:targetSubjectsOf ex:p ;"
        f" sh:property [ sh:path ex:p ; {constraint} ] .\n"
    )
    files = write(tmp_path, "d.ttl", data), write(tmp_path, "s.ttl", shapes)
    text = to_text(validate(*files))
    for part in words.split("|"):
        assert part in text
    assert "ConstraintComponent" not in text


def test_a_rule_of_its_own_kind_keeps_its_message(tmp_path: Path) -> None:
    shapes = PREFIXES + (
        'ex:A a sh:NodeShape ; sh:targetClass foaf:Person ; sh:sparql [ sh:message "No Bo." ;'
        ' sh:select "SELECT $this WHERE { $this <http://xmlns.com/foaf/0.1/name> ?n'
        " FILTER (?n = 'Bo') }\" ] .\n"
    )
    files = write(tmp_path, "d.ttl", DATA), write(tmp_path, "s.ttl", shapes)
    text = to_text(validate(*files))
    assert "Violation: a node breaks a rule written in SPARQL  [ex:A, 1 node]\n  No Bo.\n" in text


def test_what_was_meant_is_found_by_its_last_part() -> None:
    choices = ["http://xmlns.com/foaf/0.1/Person", "http://xmlns.com/foaf/0.1/Agent"]
    assert closest("http://xmlns.com/foaf/0.1/Persno", choices) == choices[0]
    assert closest("https://schema.org/Person", choices) == choices[0]
    assert closest("http://xmlns.com/foaf/0.1/Document", choices) is None
    assert closest("http://example.org/", choices) is None


# Lines --------------------------------------------------------------------------------------

LAYOUT = """\
@prefix ex: <http://example.org/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
# ex:late comes later
ex:first ex:knows ex:late . ex:same a foaf:Person .

ex:late
    a foaf:Person ;
    foaf:nick \"\"\"several
lines\"\"\" .
<http://example.org/full> ex:knows ex:full ; a
    foaf:Person .
[] a foaf:Person ;
   ex:knows [
      a foaf:Person ] .
"""


@pytest.mark.parametrize("name", ["d.ttl", "d.trig", "d", "d.ttl.gz"])
def test_nodes_have_the_line_in_which_they_are_described(tmp_path: Path, name: str) -> None:
    content = gzip.compress(LAYOUT.encode()) if name.endswith("gz") else LAYOUT.encode()
    shapes = PREFIXES + (
        "ex:A a sh:NodeShape ; sh:targetClass foaf:Person ;"
        " sh:property [ sh:path foaf:name ; sh:minCount 1 ] .\n"
    )
    report = validate(write(tmp_path, name, content), write(tmp_path, "s.ttl", shapes))
    assert report.context
    places = report.context.places(report.results)
    lines = {str(r.focus).strip("<>").rpartition("/")[2]: places[r].line for r in report.results}
    assert lines == {"same": 3, "late": 5, "full": 9, "_:b0": 11, "_:b1": 13}
    assert {place.source for place in places.values()} == {str(tmp_path / name)}


# Ways to write that a node is a person, with the line in which the node stands.
WAYS = [
    ("{} a foaf:Person .\n", 0),
    ("{}\n    a foaf:Person .\n", 0),
    ("\n# {}\n\n  {} ex:p 1 ; a foaf:Person .\n", 3),
    ("{} ex:p '''several\n\nlines''' ;\n  a foaf:Person .\n", 0),
    ("ex:x ex:p {} . {} a foaf:Person .\n", 0),
    ("ex:x ex:p {} .\n{} a foaf:Person .\n", 1),
    ("ex:x ex:p [ ex:p {} ;\n ex:p 5 ] . {} ex:p {} , 3 ;\n\n a foaf:Person .\n", 1),
    ("{}\n    a foaf:Person ; ex:q {} .\n", 0),
]


@given(
    st.lists(st.tuples(st.sampled_from(WAYS), st.booleans()), min_size=1, max_size=12),
    st.sampled_from(["d.ttl", "d.trig"]),
)
def test_lines_are_right_however_a_file_is_laid_out(
    layout: list[tuple[tuple[str, int], bool]], name: str
) -> None:
    text, lines = PREFIXES, {}
    for number, ((way, offset), short) in enumerate(layout):
        node = f"ex:s{number}" if short else f"<http://example.org/s{number}>"
        lines[f"http://example.org/s{number}"] = text.count("\n") + 1 + offset
        text += way.replace("{}", node)
    with tempfile.TemporaryDirectory() as folder:
        data = read([write(Path(folder), name, text)])
        found = locate(data, [(NamedNode(iri),) for iri in lines])
    assert {str(key[0]).strip("<>"): place.line for key, place in found.items()} == lines


def test_lines_of_n_quads_and_of_the_right_file(tmp_path: Path) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://xmlns.com/foaf/0.1/Person>"
    first = write(tmp_path, "a.nq", f"\n<http://example.org/a> {kind} <http://g> .\n")
    second = write(tmp_path, "b.nt", f"# no\n\n_:x {kind} .\n<http://example.org/b> {kind} .\n")
    third = write(
        tmp_path, "c.jsonld", '{"@id": "http://e/c", "@type": "http://xmlns.com/foaf/0.1/Person"}'
    )
    report = validate(read([first, second, third]), write(tmp_path, "s.ttl", SHAPES))
    assert report.context
    places = report.context.places(report.results)
    assert {(Path(place.source).name, place.line) for place in places.values()} == {
        ("a.nq", 2),
        ("b.nt", 3),
        ("c.jsonld", None),
        ("b.nt", 4),
    }


def test_a_value_has_its_own_line(tmp_path: Path) -> None:
    text = PREFIXES + 'ex:a a foaf:Person ;\n  foaf:name "A",\n    "C" .\n'
    report = validate(write(tmp_path, "d.ttl", text), write(tmp_path, "s.ttl", SHAPES))
    assert re.search(r'd.ttl:8: “A” ex:a: "C"', to_text(report))


# For programs -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_written_to_a_file_whole(tmp_path: Path, form: str) -> None:
    files = write(tmp_path, "d.ttl", DATA), "--shapes", write(tmp_path, "s.ttl", SHAPES)
    target = tmp_path / "report"
    result = kg(*files, "--format", form, "-o", target)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "Does not conform: 7 violations" in result.stderr
    first = target.read_bytes()
    assert first.endswith(b"\n")
    kg(*files, "--format", form, "-o", target)
    seconds = rb'\d+\.\d+ s|"seconds": [\d.]+|time="[\d.]+"'
    assert re.sub(seconds, b"", target.read_bytes()) == re.sub(seconds, b"", first)
    assert kg(tmp_path / "none.ttl", "--format", form, "-o", target).exit_code == 2
    assert target.read_bytes() != b""
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.ttl", "report", "s.ttl"]


@pytest.mark.parametrize("form", ["turtle", "jsonld", "ntriples"])
def test_the_standard_report_is_that_of_pyshacl(report: Report, tmp_path: Path, form: str) -> None:
    _, theirs, _ = pyshacl.validate(
        str(tmp_path / "data.ttl"), shacl_graph=str(tmp_path / "shapes.ttl")
    )
    syntax = {"jsonld": "json-ld", "ntriples": "nt"}.get(form, form)
    ours = Graph().parse(data=to_rdf(report, form), format=syntax)
    # By itself, pySHACL names the values of sh:in in another order each time.
    for graph in (ours, theirs):
        for result, said in list(graph.subject_objects(SH.resultMessage)):
            graph.set((result, SH.resultMessage, Text("".join(sorted(said)))))
    assert isomorphic(ours, theirs)


def test_the_standard_report_without_that_of_an_engine(report: Report) -> None:
    own = dataclasses.replace(report, graph=None)
    graph = Graph().parse(data=to_rdf(own, "turtle"), format="turtle")
    assert len(set(graph.objects(None, SH.result))) == len(report.results)
    (path,) = {node for node in graph.objects(None, SH.resultPath) if isinstance(node, BNode)}
    assert len(list(graph.items(path))) == 2


def test_turtle_declares_prefixes_of_all_letters(tmp_path: Path) -> None:
    prefixes = "@prefix é: <http://e/> . @prefix 数据: <http://f/> . @prefix a-b.c: <http://g/> .\n"
    data = write(tmp_path, "d.ttl", prefixes + "é:a a é:C ; 数据:p a-b.c:x .")
    shapes = write(
        tmp_path,
        "s.ttl",
        prefixes + "@prefix sh: <http://www.w3.org/ns/shacl#> . é:S sh:targetClass é:C ;"
        " sh:property [ sh:path 数据:p ; sh:nodeKind sh:Literal ] .",
    )
    text = to_rdf(validate(data, shapes), "turtle").decode()
    assert "a-b.c:x" in text
    assert len(Graph().parse(data=text, format="turtle")) > 5


def test_csv_has_a_line_for_each_result(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(report))))
    assert len(rows) == len(report.results)
    one = next(row for row in rows if row["constraint"].endswith("#InConstraintComponent"))
    assert one["focus"] == "http://example.org/ada"
    assert one["shape"] == "ex:Named at foaf:name"
    assert one["value"] == '"B"'
    assert one["line"] == "6"
    assert one["file"].endswith("data.ttl")


def test_json_has_the_lines_too(report: Report) -> None:
    found = json.loads(to_json(report))
    assert found["engine"] == "pyshacl"
    assert {result["line"] for result in found["results"]} == {6, 7}


def test_sarif_has_what_code_hosts_ask_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my data").mkdir()
    write(tmp_path, "my data/d.ttl", DATA)
    shapes = SHAPES.replace("sh:minCount 1", "sh:minCount 1 ; sh:severity sh:Info")
    write(
        tmp_path,
        "s.ttl",
        shapes + "ex:B a sh:NodeShape ; sh:targetClass ex:None ; sh:closed true .\n",
    )
    log = json.loads(to_sarif(validate("my data/d.ttl", "s.ttl")))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "kg validate"
    assert run["invocations"][0]["executionSuccessful"] is True
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert "targets the class ex:None" in notes[0]["message"]["text"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    levels = set()
    prints = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "my%20data/d.ttl", "uriBaseId": "SRCROOT"}
        assert place["region"]["startLine"] in (6, 7)
        levels.add(result["level"])
        prints.add(result["partialFingerprints"]["kg/v1"])
    assert levels == {"error", "note"}
    assert len(prints) == len(run["results"])


def test_junit_has_a_test_for_each_broken_constraint(report: Report) -> None:
    (suite,) = ElementTree.fromstring(to_junit(report))
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == "5"
    assert suite.get("failures") == "5"
    assert {case.get("classname") for case in cases} == {"ex:Named"}
    assert "foaf:name has too many values (1 node)" in {case.get("name") for case in cases}
    failure = cases[0].find("failure")
    assert failure is not None
    assert "data.ttl:" in (failure.text or "")


def test_junit_tells_what_passes_and_what_is_not_there(tmp_path: Path) -> None:
    shapes = PREFIXES + (
        "ex:A a sh:NodeShape ; sh:targetClass foaf:Person ; sh:nodeKind sh:IRI .\n"
        "ex:B a sh:NodeShape ; sh:targetClass ex:None ; sh:nodeKind sh:IRI .\n"
    )
    report = validate(write(tmp_path, "d.ttl", DATA), write(tmp_path, "s.ttl", shapes))
    (suite,) = ElementTree.fromstring(to_junit(report))
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == ["3", "0", "1"]
    (suite,) = ElementTree.fromstring(to_junit(report, strict=True))
    assert suite.get("failures") == "1"
    empty = validate(write(tmp_path, "e.ttl", ""), write(tmp_path, "s.ttl", shapes))
    (suite,) = ElementTree.fromstring(to_junit(empty))
    assert suite.get("failures") == "1"


def test_control_characters_do_no_harm(tmp_path: Path) -> None:
    text = PREFIXES + 'ex:a a foaf:Person ; foaf:name "\\u001B[31m<b>\\u0007\\uFFFF" .\n'
    report = validate(write(tmp_path, "d.ttl", text), write(tmp_path, "s.ttl", SHAPES))
    ElementTree.fromstring(to_junit(report))
    json.loads(to_sarif(report))
    assert "\x1b" not in to_text(report)
    page = to_html(report)
    assert "\x1b" not in page
    assert "<b>" not in page


def test_the_page_stands_alone(report: Report) -> None:
    page = to_html(report)
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"<script|<link|<img|src=|@import|url\(", page)
    assert "Does not conform: 7 violations" in page
    assert page.count("<section>") == 5
    assert "... and 1 more" in to_html(report, first=1)
    assert report._repr_html_().count("<section>") == 5


def test_the_limit_holds_for_texts_and_pages(tmp_path: Path) -> None:
    text = PREFIXES + "".join(f'ex:p{n} a foaf:Person ; foaf:name "X" .\n' for n in range(150))
    files = write(tmp_path, "d.ttl", text), "--shapes", write(tmp_path, "s.ttl", SHAPES)
    assert "... and 145 more" in kg(*files).stdout
    assert "... and 148 more" in kg(*files, "--limit", "2").stdout
    assert " more" not in kg(*files, "--limit", "0").stdout
    assert "... and 50 more" in kg(*files, "--format", "html").stdout
    assert " more" not in kg(*files, "--format", "html", "--limit", "0").stdout


def test_a_report_of_many_results_is_short_and_quick(tmp_path: Path) -> None:
    text = PREFIXES + "".join(f"ex:p{n} a foaf:Person .\n" for n in range(3000))
    report = validate(write(tmp_path, "d.ttl", text), write(tmp_path, "s.ttl", SHAPES))
    assert len(report.results) == 3000
    assert len(to_text(report)) < 1000
    assert to_csv(report).count("\n") == 3001


@pytest.mark.parametrize("engine", ["pyshacl", "auto"])
def test_a_shape_without_a_message_has_the_words_of_kg(tmp_path: Path, engine: str) -> None:
    shapes = PREFIXES + (
        "ex:A a sh:NodeShape ; sh:targetClass foaf:Person ;"
        " sh:property [ sh:path ex:gone ; sh:minCount 1 ] ,"
        " [ sh:path ex:told ; sh:minCount 1 ; sh:description 'Tell it.' ] ,"
        " [ sh:path ex:said ; sh:minCount 1 ; sh:message 'Say it.' ] .\n"
    )
    data = write(tmp_path, "d.ttl", PREFIXES + "ex:a a foaf:Person .\n")
    report = validate(data, write(tmp_path, "s.ttl", shapes), engine=engine)
    assert {result.message for result in report.results} == {
        "ex:gone is missing. Asked for: at least 1 value.",
        "Tell it.",
        "Say it.",
    }
    # The text does not say it twice.
    assert "Asked for: at least 1 value.\n  - " in to_text(report)
    assert to_text(report).count("ex:gone is missing") == 1


def test_a_closed_shape_that_allows_nothing_says_so(tmp_path: Path) -> None:
    shapes = PREFIXES + "ex:A a sh:NodeShape ; sh:targetNode ex:a ; sh:closed true .\n"
    data = write(tmp_path, "d.ttl", PREFIXES + "ex:a ex:p 1 .\n")
    text = to_text(validate(data, write(tmp_path, "s.ttl", shapes)))
    assert "  Asked for: no properties at all.\n" in text


def test_a_severity_of_ones_own_is_counted_by_its_name(tmp_path: Path) -> None:
    shapes = PREFIXES + (
        "ex:A a sh:NodeShape ; sh:targetSubjectsOf ex:p ; sh:severity ex:custom ;"
        " sh:nodeKind sh:Literal .\n"
    )
    data = write(tmp_path, "d.ttl", PREFIXES + "ex:a ex:p 1 . ex:b ex:p 2 .\n")
    text = to_text(validate(data, write(tmp_path, "s.ttl", shapes)))
    assert "Does not conform: 2 of ex:custom; " in text


def test_control_characters_in_csv_are_escaped(tmp_path: Path) -> None:
    shapes = PREFIXES + (
        "ex:A a sh:NodeShape ; sh:targetSubjectsOf ex:p ; sh:nodeKind sh:Literal .\n"
    )
    text = PREFIXES + 'ex:a ex:p 1 ; foaf:name "a\\u001B[31mb\\nc" .\n'
    data = write(tmp_path, "d.ttl", text)
    (row,) = csv.DictReader(io.StringIO(to_csv(validate(data, write(tmp_path, "s.ttl", shapes)))))
    assert row["label"] == r"a\x1b[31mb\nc"
