"""What a reader is told of the values that shapes in shapes refuse, and of where results are."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph

import kg as package
from kg.cli import main
from kg.validate import validate
from kg.validate.html import to_html
from kg.validate.human import to_text
from kg.validate.junit import to_junit
from kg.validate.sarif import to_sarif

PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ORDER = PREFIXES + (
    "ex:order a ex:Order ; ex:address ex:home .\n"
    'ex:home ex:street "Main St" ; ex:zip "123" ; ex:owner [ ex:age "x" ] .\n'
)
ADDRESS = """
ex:Address a sh:NodeShape ;
  sh:property [ sh:path ex:city ; sh:minCount 1 ; sh:message "An address needs a city." ] ,
    [ sh:path ex:zip ; sh:pattern "^[0-9]{5}$" ] .
"""
AIM = "ex:Order-shape a sh:NodeShape ; sh:targetClass ex:Order ; "
CITY = "ex:city is missing. An address needs a city."
ZIP = 'ex:zip is not written in the form asked for: "123". Asked for: in the form of the'


def kg(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def told(folder: Path, shapes: str, data: str = ORDER, engine: str = "auto") -> list[str]:
    """The lines of the report for people."""
    files = write(folder, "d.ttl", data), write(folder, "s.ttl", PREFIXES + shapes)
    return to_text(validate(*files, engine=engine)).splitlines()


@pytest.mark.parametrize("engine", ["auto", "pyshacl", "fast"])
@pytest.mark.parametrize(
    ("shapes", "lines"),
    [
        ("sh:property [ sh:path ex:address ; sh:node ex:Address ] ." + ADDRESS, [CITY, ZIP]),
        (
            "sh:property [ sh:path ex:address ; sh:node [ sh:and ( [ sh:nodeKind sh:IRI ]"
            " ex:Address ) ] ] ." + ADDRESS,
            [CITY, ZIP],
        ),
        (
            "sh:and ( [ sh:nodeKind sh:IRI ] [ sh:property [ sh:path ex:total ;"
            ' sh:minCount 1 ; sh:message "An order needs a total." ] ] ) .',
            ["ex:total is missing. An order needs a total."],
        ),
        (
            "sh:property [ sh:path ex:address ; sh:qualifiedMinCount 1 ;"
            " sh:qualifiedValueShape ex:Address ] ." + ADDRESS,
            [f"ex:home: {CITY}", f"ex:home: {ZIP}"],
        ),
        (
            "sh:property [ sh:path ex:address ; sh:node [ sh:property [ sh:path ex:owner ;"
            " sh:node [ sh:property [ sh:path ex:age ; sh:datatype xsd:integer ] ] ] ] ] .",
            [
                "a node without a name (_:b0): ex:age has a value of another datatype:"
                ' "x" (a plain text). Asked for: of the type xsd:integer, a whole number, as in 12.'
            ],
        ),
        (
            'sh:property [ sh:path ex:address ; sh:node [ sh:pattern "^no" ] ] .',
            ["a name is not in the form asked for. Asked for: in the form of the regular"],
        ),
    ],
)
def test_a_reader_is_told_what_is_wrong_inside(
    tmp_path: Path, shapes: str, lines: list[str], engine: str
) -> None:
    found = [line for line in told(tmp_path, AIM + shapes, engine=engine) if line[:4] == "    "]
    assert len(found) == len(lines)
    for line, words in zip(found, lines, strict=True):
        assert line.startswith(f"    {words}")


def test_every_format_for_people_tells_it(tmp_path: Path) -> None:
    shapes = AIM + "sh:property [ sh:path ex:address ; sh:node ex:Address ] ." + ADDRESS
    files = write(tmp_path, "d.ttl", ORDER), write(tmp_path, "s.ttl", PREFIXES + shapes)
    report = validate(*files)
    for text in (to_html(report), to_junit(report), to_sarif(report)):
        assert CITY in text


def test_only_some_of_much_is_told(tmp_path: Path) -> None:
    many = "".join(f"[ sh:path ex:p{n} ; sh:minCount 1 ] , " for n in range(20))
    shapes = AIM + f"sh:property [ sh:path ex:address ; sh:node [ sh:property {many[:-2]} ] ] ."
    found = [line for line in told(tmp_path, shapes) if line[:4] == "    "]
    assert len(found) == 7
    assert found[-1] == "    ... and 14 more"


def test_shapes_that_need_the_whole_or_come_back_say_nothing_more(tmp_path: Path) -> None:
    endless = "[ sh:path [ sh:zeroOrMorePath ex:next ] ; sh:hasValue ex:end ]"
    shapes = AIM + f"sh:property [ sh:path ex:address ; sh:node [ sh:property {endless} ] ] ."
    assert "ex:order: ex:home" in "".join(told(tmp_path, shapes))
    shapes = (
        AIM
        + "sh:property [ sh:path ex:address ; sh:node ex:Loop ] .\n"
        + "ex:Loop a sh:NodeShape ; sh:node ex:Loop ; sh:nodeKind sh:Literal ."
    )
    assert "ex:order: ex:home" in "".join(told(tmp_path, shapes))


@settings(max_examples=30, deadline=None)
@given(st.sets(st.sampled_from(["city", "zip", "street", "country"])))
def test_what_is_told_is_what_is_not_there(there: set[str]) -> None:
    wanted = ["city", "zip", "street", "country"]
    data = PREFIXES + "ex:order a ex:Order ; ex:address ex:home . ex:home a ex:Home .\n"
    data += "".join(f"ex:home ex:{name} 1 .\n" for name in sorted(there))
    parts = " , ".join(f"[ sh:path ex:{name} ; sh:minCount 1 ]" for name in wanted)
    shapes = PREFIXES + AIM + "sh:property [ sh:path ex:address ; sh:node ex:A ] .\n"
    shapes += f"ex:A a sh:NodeShape ; sh:property {parts} ."
    report = validate(Graph().parse(data=data), Graph().parse(data=shapes))
    lines = [line.split()[0] for line in to_text(report).splitlines() if line[:4] == "    "]
    assert sorted(lines) == sorted(f"ex:{name}" for name in wanted if name not in there)


def test_what_a_named_shape_asks_for_is_said_where_it_is_short(tmp_path: Path) -> None:
    shapes = AIM + "sh:property [ sh:path ex:address ; sh:node ex:Address ] ."
    lines = told(tmp_path, shapes + ADDRESS)
    assert lines[1] == (
        "  Asked for: what ex:Address asks for (ex:city: at least 1 value, ex:zip: in the form of"
        " the regular expression ^[0-9]{5}$)."
    )
    many = "".join(f"ex:Address sh:property [ sh:path ex:p{n} ; sh:minCount 1 ] ." for n in "12345")
    lines = told(tmp_path, shapes + ADDRESS + many)
    assert lines[1] == "  Asked for: what ex:Address asks for."


def test_other_words_that_help(tmp_path: Path) -> None:
    data = ORDER + "ex:home a ex:Adress ; ex:near ex:home .\n"
    shapes = (
        AIM
        + "sh:property [ sh:path [ sh:inversePath ex:of ] ; sh:minCount 1 ] ,"
        + " [ sh:path ex:address ; sh:class ex:Address ] .\n"
        + "ex:Near a sh:NodeShape ; sh:targetSubjectsOf ex:near ;"
        + " sh:property [ sh:path ex:near ; sh:not [ sh:class ex:Adress ] ] .\n"
    )
    text = "\n".join(told(tmp_path, shapes, data))
    assert "Violation: too few nodes have it as their ex:of  [" in text
    assert "ex:order: ex:home (it is a ex:Adress; did you mean ex:Address?)\n" in text
    assert "ex:home: ex:home\n" in text  # a value that is the node itself


# Files ------------------------------------------------------------------------------------

NEED = PREFIXES + "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:q ;"
NEED += ' sh:minCount 1 ; sh:message "\\u001B[31mred" ] .\n'
PLACES = [("a.ttl", 2), ("b.jsonld", None), ("c.rdf", None)]


def three(folder: Path) -> list[Path]:
    """Three files with a fault each, and one without any."""
    rdf = f'xmlns:rdf="{"http://www.w3.org/1999/02/22-rdf-syntax-ns#"}"'
    texts = {
        "0.ttl": "<http://example.org/z> a <http://example.org/C> ; <http://example.org/q> 1 .\n",
        "a.ttl": "\n<http://example.org/a> a <http://example.org/C> .\n",
        "b.jsonld": '{"@id": "http://example.org/b", "@type": "http://example.org/C"}',
        "c.rdf": f'<rdf:RDF {rdf} xmlns:e="http://example.org/"><e:C/></rdf:RDF>',
    }
    return [write(folder, name, text) for name, text in texts.items()]


def test_each_format_names_the_right_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    three(tmp_path)
    shapes = write(tmp_path, "s.ttl", NEED)
    files = ["0.ttl", "a.ttl", "b.jsonld", "c.rdf"]
    log = json.loads(kg(*files, "--shapes", shapes, "--format", "sarif").stdout)
    places = [one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"]]
    found = [(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places]
    assert found == [(name, line or 1) for name, line in PLACES]
    lines = kg(*files, "--shapes", shapes).stdout.splitlines()
    assert [line.split(": ")[0] for line in lines if line.startswith("  - ")] == [
        f"  - {name}{f':{line}' if line else ''}" for name, line in PLACES
    ]
    results = json.loads(kg(*files, "--shapes", shapes, "--format", "json").stdout)["results"]
    assert sorted((one["file"], one["line"]) for one in results) == PLACES
    rows = kg(*files, "--shapes", shapes, "--format", "csv").stdout.splitlines()[1:]
    assert sorted(row.rpartition("red,")[2] for row in rows) == ["a.ttl,2", "b.jsonld,", "c.rdf,"]


def test_a_result_of_no_file_is_put_into_none_of_several(tmp_path: Path) -> None:
    shapes = write(tmp_path, "s.ttl", NEED + "ex:S sh:targetNode ex:nowhere .")
    report = validate(three(tmp_path), shapes)
    results = json.loads(to_sarif(report))["runs"][0]["results"]
    assert ["physicalLocation" in one["locations"][0] for one in results].count(False) == 1
    report = validate(three(tmp_path)[1], shapes)
    results = json.loads(to_sarif(report))["runs"][0]["results"]
    assert all("physicalLocation" in one["locations"][0] for one in results)


@pytest.mark.parametrize("form", ["human", "html", "csv", "json", "junit", "sarif", "turtle"])
def test_names_of_files_may_be_any_bytes(tmp_path: Path, form: str) -> None:
    file = tmp_path / os.fsdecode(b"\xff\n.ttl")
    file.write_text("<http://example.org/a> a <http://example.org/C> .\n")
    ran = kg(file, "--shapes", write(tmp_path, "s.ttl", NEED), "--format", form)
    assert ran.exit_code == 1
    shown = {"json": "\\\\xff\\n.ttl", "sarif": "%FF%0A.ttl", "turtle": ""}
    assert shown.get(form, "\\udcff\\n.ttl") in ran.stdout


def test_what_shapes_say_does_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    shapes = write(tmp_path, "s.ttl", NEED + 'ex:T sh:targetClass ex:C ; sh:pattern "\\u0007" .')
    ran = kg(*three(tmp_path), "--shapes", shapes)
    assert ran.exit_code == 1
    assert "  \\x1b[31mred\n" in ran.stdout
    assert "expression \\x07." in ran.stdout
    assert not set(ran.stdout) & {"\x1b", "\x07"}


def test_the_door_has_the_signature_of_what_is_behind_it() -> None:
    assert next(iter(inspect.signature(package.validate).parameters)) == "data"
