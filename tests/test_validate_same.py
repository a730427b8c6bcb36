"""What the engines, pySHACL by itself and a report elsewhere must have the same."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pyshacl
import pytest
from click.testing import CliRunner, Result
from pyshacl.constraints import CONSTRAINT_PARAMETERS_MAP
from pyshacl.constraints.core.other_constraints import InConstraintComponent
from rdflib import RDF, SH, Graph
from rdflib.compare import isomorphic

from kg.cli import main
from kg.validate import Report, engines, fast, read, validate
from kg.validate.comparing import put_right
from kg.validate.human import summary, to_text
from kg.validate.sarif import to_sarif
from kg.validate.standard import to_rdf

PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SHAPE = "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ; {} ] ."
TWO = "ex:a a ex:C ; ex:p 1, 2 ."
ONE_P = "sh:property [ sh:path ex:p ; sh:maxCount 1 ] ."

needs_fast = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)


def write(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(PREFIXES + text, encoding="utf-8")
    return str(file)


def kg(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


def by_default_and_by_pyshacl(folder: Path, data: str, shapes: str) -> tuple[Report, Report]:
    given = write(folder, "d.ttl", data), write(folder, "s.ttl", shapes)
    default, reference = (validate(*given, engine=engine) for engine in ("auto", "pyshacl"))
    assert {(r.focus, r.value) for r in default.results} == {
        (r.focus, r.value) for r in reference.results
    }
    assert default.focus_nodes == reference.focus_nodes
    return default, reference


# The engines ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        "ex:C a owl:Class , sh:NodeShape ;",
        "ex:C a owl:Class ;",
        "ex:C a rdfs:Class ;",
        "ex:M rdfs:subClassOf sh:NodeShape . ex:C a rdfs:Class , ex:M ;",
        "ex:C a rdfs:Class , sh:NodeShape ;",
        "ex:M rdfs:subClassOf rdfs:Class . ex:C a ex:M , sh:NodeShape ;",
        "ex:M rdfs:subClassOf owl:Class . ex:N rdfs:subClassOf ex:M . ex:C a ex:N , sh:NodeShape ;",
    ],
)
def test_a_shape_that_is_a_class_aims_at_its_instances(tmp_path: Path, kind: str) -> None:
    default, _ = by_default_and_by_pyshacl(tmp_path, TWO, kind + ONE_P)
    assert default.focus_nodes == len(default.results) == 1
    if fast.installed():
        assert default.engine == "fast"


@pytest.mark.parametrize(
    "asked", ["sh:nodeKind sh:Literal", "sh:or ( [ sh:class ex:D ] )", "sh:closed true"]
)
def test_what_has_a_constraint_is_a_shape(tmp_path: Path, asked: str) -> None:
    other = " ex:D a sh:NodeShape ; sh:targetNode ex:a ; sh:nodeKind sh:IRI ."
    default, _ = by_default_and_by_pyshacl(
        tmp_path, "ex:a a ex:C .", f"ex:C a rdfs:Class ; {asked} .{other}"
    )
    assert len(default.results) == 1
    assert default.passed is False


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ('"0.1"^^xsd:double', "sh:datatype xsd:double ; sh:maxInclusive 0.1"),
        ('"0.7"^^xsd:float', "sh:datatype xsd:float ; sh:minInclusive 0.7"),
        (
            "9007199254740993",
            "sh:datatype xsd:integer ; sh:maxInclusive 9007199254740992e0",
        ),
        (
            "9007199254740992e0",
            "sh:datatype xsd:double ; sh:minInclusive 9007199254740993",
        ),
    ],
)
def test_numbers_of_unlike_kinds_are_held_against_bounds_by_pyshacl(
    tmp_path: Path, value: str, asked: str
) -> None:
    data = f"ex:a a ex:C ; ex:p {value} ."
    default, reference = by_default_and_by_pyshacl(tmp_path, data, SHAPE.format(asked))
    assert default.engine == "pyshacl"
    assert len(reference.results) == 1


@needs_fast
@pytest.mark.parametrize(
    "asked",
    ["sh:datatype xsd:double ; sh:maxInclusive 1", "sh:datatype xsd:int ; sh:minExclusive 1.5"],
)
def test_numbers_of_like_kinds_are_held_against_bounds_by_the_fast_engine(
    tmp_path: Path, asked: str
) -> None:
    data = "".join(
        f'ex:{kind}{n} a ex:C ; ex:p "{value}"^^xsd:{kind} .'
        for kind in ("double", "int")
        for n, value in enumerate(["1", "2", "9007199254740993", "0.99999999999999999"])
    )
    default, _ = by_default_and_by_pyshacl(tmp_path, data, SHAPE.format(asked))
    assert default.engine == "fast"


@pytest.mark.parametrize(
    ("value", "asked", "wrong", "engine"),
    [
        ("İzmir", 'sh:pattern "^[a-z]+$" ; sh:flags "i"', 0, "pyshacl"),
        ("IŞIK", 'sh:pattern "^ışık$" ; sh:flags "i"', 0, "pyshacl"),
        ("\U00011f50", 'sh:pattern "^\\\\d$"', None, "pyshacl"),
        ("b", 'sh:pattern "^[a-z--c]$"', None, "pyshacl"),
        ("\\u001c", 'sh:pattern "^\\\\S$"', 1, "fast"),
        ("\\u001f", 'sh:pattern "^[^a\\\\s]$"', 1, "fast"),
        ("\\u001d", 'sh:pattern "^[a\\\\S]$"', 1, "fast"),
        ("\\u001d \\u00a0", 'sh:pattern "^[\\\\s]+$"', 0, "fast"),
        ("\\\\S", 'sh:pattern "^\\\\\\\\S$"', 0, "fast"),
    ],
)
@pytest.mark.filterwarnings("ignore:Possible set difference:FutureWarning")
def test_regular_expressions_are_those_of_python(
    tmp_path: Path, value: str, asked: str, wrong: int | None, engine: str
) -> None:
    data = f'ex:a a ex:C ; ex:p "{value}" .'
    default, reference = by_default_and_by_pyshacl(tmp_path, data, SHAPE.format(asked))
    assert wrong in (None, len(reference.results))  # None: it depends on Python's version
    assert default.engine == (engine if fast.installed() else "pyshacl")


def test_a_truth_that_is_written_as_a_number_is_for_pyshacl(tmp_path: Path) -> None:
    text = f'ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:closed "1"^^xsd:boolean ; {ONE_P}'
    default, _ = by_default_and_by_pyshacl(tmp_path, TWO, text)
    assert default.engine == "pyshacl"


@needs_fast
@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ('sh:pattern "^.{1,20000}$"', "exceeds size limit"),
        ("sh:maxCount 99999999999999999999", "sh:maxCount is not"),
    ],
)
def test_shapes_that_the_fast_engine_cannot_load_are_for_pyshacl(
    tmp_path: Path, asked: str, why: str
) -> None:
    default, _ = by_default_and_by_pyshacl(tmp_path, TWO, SHAPE.replace("{}", asked))
    assert default.engine == "pyshacl"
    assert why in default.log[0]


@needs_fast
@pytest.mark.parametrize("kind", ["dateTime", "date"])
def test_what_the_fast_engine_gives_up_on_is_for_pyshacl(tmp_path: Path, kind: str) -> None:
    value = f'"20260131120000123456"^^xsd:{kind}'
    shape = SHAPE.format(f"sh:datatype xsd:{kind} ; sh:in ( 1 )")
    default, _ = by_default_and_by_pyshacl(tmp_path, f"ex:a a ex:C ; ex:p {value} .", shape)
    assert default.engine == "pyshacl"
    assert "the fast engine gave up: " in default.log[0]
    files = tmp_path / "d.ttl", "--shapes", tmp_path / "s.ttl"
    result = kg(*files, "--engine", "fast")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: the fast engine gave up: ")
    assert result.stderr.count("\n") == 1


# pySHACL by itself ------------------------------------------------------------------------

DATA = """\
@prefix other: <http://example.org/other#> .
ex:a a ex:C ; ex:p 1, 2 ; ex:q [ ex:r 1 ; ex:s [ ex:t "x" ] ] , other:x .
ex:b a ex:C ; ex:p 3 ; ex:q _:z . _:z ex:r 5 ; a ex:C ; ex:p 7, 8 .
ex:c a ex:K ; ex:q _:z .
"""
SHAPES = """\
[] a sh:NodeShape ; sh:targetClass ex:C ; sh:closed true ;
  sh:property [ sh:path ex:p ; sh:maxCount 1 ] , [ sh:path ex:q ; sh:nodeKind sh:IRI ] ,
    [ sh:path ( ex:q ex:r ) ; sh:maxCount 0 ] , [ sh:path ex:q ; sh:in ( other:y ) ] .
[] a sh:NodeShape ; sh:targetClass ex:K ; sh:property [ sh:path ex:q ; sh:nodeKind sh:IRI ] ;
  sh:not [ sh:class ex:K ] ; sh:or ( [ sh:path ex:q ; sh:minCount 4 ] [ sh:class ex:D ] ) .
[] sh:targetClass ex:C ; sh:property [ sh:path [ sh:oneOrMorePath ex:q ] ; sh:maxCount 0 ] .
"""


@pytest.mark.parametrize("parts", [False, True])
def test_the_report_is_that_of_pyshacl_in_parts_too(
    tmp_path: Path, parts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path, "d.ttl", DATA)
    shapes = write(tmp_path, "s.ttl", "@prefix other: <http://example.org/other#> ." + SHAPES)
    _, theirs, _ = pyshacl.validate(data, shacl_graph=shapes)
    assert isinstance(theirs, Graph)
    monkeypatch.setattr(engines, "LARGE", 0 if parts else 10**6)
    monkeypatch.setattr("kg.validate.chunks.TRIPLES", 1)
    report = validate(read([data], large=1 if parts else 10**6), [shapes], engine="pyshacl")
    assert bool(report.log) == parts
    ours = Graph().parse(data=to_rdf(report, "turtle"), format="turtle")
    assert isomorphic(ours, theirs)


def test_the_values_of_a_list_are_named_in_its_order(tmp_path: Path) -> None:
    names = [f"ex:{n}" for n in range(20)]
    shapes = write(tmp_path, "s.ttl", SHAPE.format(f"sh:in ( {' '.join(names)} )"))
    report = validate(write(tmp_path, "d.ttl", TWO), shapes, engine="pyshacl")
    assert report.graph is not None
    assert str(names) in str(next(report.graph.objects(None, SH.resultMessage)))


def test_pyshacl_is_as_it_was_afterwards() -> None:
    data = Graph().parse(
        data=PREFIXES + 'ex:a a ex:C ; ex:p "NaN"^^xsd:double , "2020-01-01"^^xsd:date .'
    )
    shapes = Graph().parse(data=PREFIXES + SHAPE.format("sh:maxExclusive 5"))

    def found() -> int:
        graph = pyshacl.validate(data, shacl_graph=shapes)[1]
        assert isinstance(graph, Graph)
        return len(list(graph.subjects(RDF.type, SH.ValidationResult)))

    before = found()
    assert len(validate(data, shapes, engine="pyshacl").results) == 2
    assert found() == before != 2
    with put_right():
        assert found() == 2
    assert found() == before


def test_threads_have_the_same_results(tmp_path: Path) -> None:
    files = write(tmp_path, "d.ttl", TWO), write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    found: list[Report] = []

    def work() -> None:
        found.append(validate(*files, engine="pyshacl"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(report.results) for report in found] == [1] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_a_thread_validates_is_free(tmp_path: Path) -> None:
    files = write(tmp_path, "d.ttl", TWO), write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    inside, forked = threading.Event(), threading.Event()

    def work() -> None:
        with put_right():
            inside.set()
            forked.wait()

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # which ends it where it hangs
        clean = CONSTRAINT_PARAMETERS_MAP[SH["in"]] is InConstraintComponent
        found = len(validate(*files, engine="pyshacl").results)
        os._exit(0 if clean and found == 1 else 1)
    forked.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


# Reports elsewhere ------------------------------------------------------------------------


def test_a_report_is_plain_data(tmp_path: Path) -> None:
    files = write(tmp_path, "d.ttl", TWO), write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    report = validate(*files, engine="pyshacl")
    assert copy.deepcopy(report) == report
    assert to_text(copy.deepcopy(report)) == to_text(report)
    assert dataclasses.asdict(report)["results"][0]["path"] == "http://example.org/p"
    read_again = pickle.loads(pickle.dumps(report))
    assert read_again == report
    assert to_rdf(read_again, "turtle") == to_rdf(report, "turtle")
    assert summary(read_again) == summary(report)
    assert "ex:a" in to_text(read_again)


def test_what_is_allowed_or_strict_is_said(tmp_path: Path) -> None:
    shapes = write(
        tmp_path,
        "s.ttl",
        SHAPE.format("sh:maxCount 1 ; sh:severity sh:Warning")
        + " ex:T a sh:NodeShape ; sh:targetClass ex:None ; sh:class ex:D .",
    )
    report = validate(write(tmp_path, "d.ttl", TWO), shapes)
    assert summary(report, "warnings").startswith("Conforms: 1 warning (allowed); ")
    for strict, level in ((False, "warning"), (True, "error")):
        (run,) = json.loads(to_sarif(report, strict))["runs"]
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] is not strict
        assert invocation["toolExecutionNotifications"][0]["level"] == level


def test_the_report_takes_the_place_of_no_input(tmp_path: Path) -> None:
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    (tmp_path / "data").mkdir()
    data = Path(write(tmp_path / "data", "d.ttl", TWO))
    link = tmp_path / "link.ttl"
    link.symlink_to(data)
    for given, output in (
        (data, data),
        (data, shapes),
        (data, link),
        (data.parent, data),
        (data.as_uri(), data),
    ):
        before = Path(output).read_bytes()
        result = kg(given, "--shapes", shapes, "--format", "turtle", "-o", output)
        assert result.exit_code == 2
        assert f"{output} is one of the files to be read" in result.stderr
        assert Path(output).read_bytes() == before
    assert kg(data.parent, "--shapes", shapes, "-o", data.parent / "new.ttl").exit_code == 1
    for output, code in ((data, 2), (tmp_path / "new.ttl", 1)):
        before = data.read_bytes()
        with data.open("rb") as file:
            command = [sys.executable, "-m", "kg.cli", "validate", "-", "--shapes", shapes]
            done = subprocess.run([*command, "-o", output], stdin=file, capture_output=True)
        assert done.returncode == code
        assert data.read_bytes() == before


# Answers that break off -------------------------------------------------------------------


class Short(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        text = b"<http://example.org/a> <http://example.org/p> 1 .\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/turtle")
        self.send_header("Content-Length", str(2 * len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Short)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/d.ttl"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_answer_that_breaks_off_is_not_taken_for_all(tmp_path: Path, address: str) -> None:
    result = kg(address, "--shapes", write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1")))
    assert result.exit_code == 2
    assert "the answer broke off: 50 bytes of it are missing" in result.stderr
