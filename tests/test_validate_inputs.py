"""What `kg validate` takes besides single files: folders, addresses, standard input, large files;
and validation from Python, from pytest and on commit."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result
from pyoxigraph import RdfFormat, Store, parse
from rdflib import RDF, BNode, Graph, Literal, URIRef
from rdflib.term import Node

import kg as package
from kg.cli import main
from kg.errors import InputError, ShapesError, UsageError
from kg.store import Generation, locked
from kg.testing import assert_conforms
from kg.validate import read, validate
from kg.validate.human import to_text
from kg.validate.kept import Kept, as_kept, given
from kg.validate.machine import to_csv

PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""
GOOD = PREFIXES + 'ex:ada a foaf:Person ; foaf:name "Ada" .\n'
BAD = PREFIXES + "ex:bo a foaf:Person .\n"
SHAPES = PREFIXES + (
    "ex:Named a sh:NodeShape ; sh:targetClass foaf:Person ;"
    " sh:property [ sh:path foaf:name ; sh:minCount 1 ] .\n"
)


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def kg(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)], input=stdin)


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    return write(tmp_path, "s.ttl", SHAPES)


# Folders ------------------------------------------------------------------------------------


def test_a_folder_stands_for_the_rdf_files_in_it(tmp_path: Path, shapes: Path) -> None:
    folder = tmp_path / "data"
    for number in range(1000):
        write(folder, f"{number // 100}/{number}.ttl", f"{PREFIXES}ex:p{number} a foaf:Person .\n")
    write(folder, "z.nt.gz", gzip.compress(b"<http://example.org/z> a <http://e/T> ."[:0]))
    write(folder, "package.json", "{no RDF}")
    write(folder, ".hidden/x.ttl", "no RDF")
    write(folder, "README", "no RDF")
    result = kg(folder, "--shapes", shapes)
    assert result.exit_code == 1
    assert "1,000 violations; 2 shapes, 1,000 nodes checked" in result.stdout
    assert f"{folder}/0/0.ttl:4: ex:p0\n" in result.stdout


def test_a_broken_file_of_a_folder_is_named(tmp_path: Path, shapes: Path) -> None:
    write(tmp_path, "data/a.ttl", GOOD)
    write(tmp_path, "data/b.ttl", PREFIXES[:-2] + "oh dear\n")
    result = kg(tmp_path / "data", "--shapes", shapes)
    assert result.exit_code == 2
    assert "data/b.ttl:" in result.stderr
    assert "broken syntax in column" in result.stderr


def test_a_folder_without_rdf_or_of_a_graph_is_refused(tmp_path: Path, shapes: Path) -> None:
    write(tmp_path, "empty/README", "")
    result = kg(tmp_path / "empty", "--shapes", shapes)
    assert result.exit_code == 2
    assert "there is no RDF file in this folder (.ttl, .nt, " in result.stderr
    with locked(tmp_path / "graph"):
        Generation(tmp_path / "graph").swap_in()
    result = kg(tmp_path / "graph", "--shapes", shapes)
    assert result.exit_code == 2
    assert "kg validate -g " in result.stderr


def test_shapes_may_be_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "shapes/a.ttl", SHAPES)
    write(tmp_path, "shapes/b.ttl", SHAPES.replace("Named", "Other"))
    report = validate(write(tmp_path, "d.ttl", BAD), tmp_path / "shapes")
    assert {target.name for target in report.targets} == {"ex:Named", "ex:Other"}


# Standard input, large files ------------------------------------------------------------------


def test_standard_input_has_lines_too(shapes: Path) -> None:
    assert "standard input:4: ex:bo\n" in kg("-", "--shapes", shapes, stdin=BAD).stdout


def test_a_pipe_is_read_once(tmp_path: Path, shapes: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(BAD,))
    writer.start()
    result = kg(pipe, "--shapes", shapes)
    writer.join()
    assert f"{pipe}:4: ex:bo\n" in result.stdout


def test_large_data_goes_to_disk_and_reads_the_same(tmp_path: Path, shapes: Path) -> None:
    text = PREFIXES + "".join(f"ex:p{n} a foaf:Person ; foaf:knows [] .\n" for n in range(300))
    file = write(tmp_path, "d.ttl", text)
    small, large = read([file]), read([file], large=100)
    assert isinstance(large.quads, Kept)
    assert large.folder
    assert set(large.quads) == set(small.quads)
    reports = [validate(data, shapes) for data in (small, large)]
    assert reports[0].results == reports[1].results
    assert reports[0].focus_nodes == reports[1].focus_nodes == 300
    folder = large.folder
    del large, reports
    assert not folder.exists()


WRITTEN = PREFIXES + (
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    'ex:a a ex:C ; ex:p "5"^^xsd:int , "-1"^^xsd:nonNegativeInteger , "007"^^xsd:integer , 7 ,\n'
    ' +7 , "1"^^xsd:boolean , true , 1.50 , 1.5 , "300"^^xsd:byte , 1E0 , "24:00:00"^^xsd:time ,\n'
    ' "2026-01-01T00:00:00.000+00:00"^^xsd:dateTime , "2026Z"^^xsd:gYear , "P12M"^^xsd:duration ,\n'
    ' "1"^^xsd:double , "x"^^xsd:integer , " 1"^^xsd:integer , "t"@en , "t" , "t"^^ex:own ,\n'
    ' 123456789012345678901234567890 , "a\\\\" , "\\"^^<urn:x-kg:kept:http://e/> ." ,\n'
    ' "\\"^^<urn:x-kg:kept:http://e/x"^^ex:own , "é\\n\\u0001"^^ex:own , [] , ex:b .\n'
)


@pytest.mark.parametrize("engine", ["pyshacl", "auto"])
@pytest.mark.parametrize(
    "constraint",
    [
        "sh:datatype xsd:int",
        "sh:datatype xsd:integer",
        "sh:datatype xsd:integer ; sh:minInclusive 6",
        "sh:in ( 7 1.5 true )",
        "sh:hasValue 1.5 ; sh:hasValue '007'^^xsd:integer",
        "sh:minLength 3",
        "sh:pattern '^00'",
        "sh:nodeKind sh:IRI",
        "sh:maxCount 5",
    ],
)
def test_large_data_keeps_its_literals_as_they_are_written(
    tmp_path: Path, constraint: str, engine: str
) -> None:
    data = write(tmp_path, "d.ttl", WRITTEN)
    shapes = write(
        tmp_path,
        "s.ttl",
        PREFIXES
        + "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        + "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property"
        + f" [ sh:path ex:p ; {constraint} ] ."
        + " ex:T a sh:NodeShape ; sh:targetObjectsOf ex:p ; sh:nodeKind sh:BlankNode .",
    )
    small, large = read([data]), read([data], large=1)
    assert set(large.quads) == set(small.quads)
    one, other = (validate(data, shapes, engine=engine) for data in (small, large))
    assert other.results == one.results
    assert other.targets == one.targets
    assert to_csv(other) == to_csv(one)
    assert to_text(other, None).splitlines()[:-1] == to_text(one, None).splitlines()[:-1]
    written = {result.value for result in one.results if "#T" in str(result.shape)}
    assert written <= {quad.object for quad in small.quads}


def test_literals_come_out_of_a_store_as_they_went_in(tmp_path: Path) -> None:
    quads = list(parse(WRITTEN, RdfFormat.TURTLE))
    store = Store()
    store.extend(map(as_kept, quads))
    assert set(map(given, store)) == set(quads)
    kept = Kept(store)
    for quad in quads:
        assert list(kept.quads_for_pattern(None, None, quad.object)) == [quad]
    with (tmp_path / "d.nt").open("wb") as out:
        kept.dump(out)
    with (tmp_path / "d.nt").open("rb") as again:
        assert set(parse(again, RdfFormat.N_TRIPLES)) == set(quads)


def test_the_store_of_another_is_as_it_is() -> None:
    quads = list(parse(WRITTEN, RdfFormat.TURTLE))
    store = Store()
    store.extend(quads)
    assert set(Kept(store)) == set(store)
    for quad in store:
        assert list(Kept(store).quads_for_pattern(None, None, quad.object)) == [quad]


def test_broken_syntax_is_found_at_once(tmp_path: Path, shapes: Path) -> None:
    text = PREFIXES[: PREFIXES.index("@prefix sh")] + "ex:a ex:b .\n" + GOOD * 20_000
    result = kg(write(tmp_path, "d.ttl", text), "--shapes", shapes)
    assert result.exit_code == 2
    assert "d.ttl:3: broken syntax in column 11" in result.stderr


# Addresses ------------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query).get("query")
        if address.path == "/sparql" and query and "CONSTRUCT" in query[0]:
            self._answer(200, "application/n-triples", BAD_TRIPLES)
        elif address.path == "/only-documents.ttl" and not query:
            self._answer(200, "application/octet-stream", BAD)
        elif address.path in ("/plain", "/plain.ttl") and not query:
            self._answer(200, "text/plain; charset=utf-8", BAD)
        elif address.path == "/untold" and not query:
            self._answer(200, "", BAD)
        elif address.path == "/page":
            self._answer(200, "text/html", "<p>")
        elif address.path == "/broken":
            self._answer(200, "text/turtle", "ex:a ex:b ex:c .")
        elif address.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://192.0.2.1/x.ttl")
            self.end_headers()
        else:
            self._answer(404, "text/plain", "")

    def _answer(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


BAD_TRIPLES = (
    "<http://example.org/bo> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    " <http://xmlns.com/foaf/0.1/Person> .\n"
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "line"),
    [("/sparql", 1), ("/only-documents.ttl", 4), ("/plain", 4), ("/plain.ttl", 4), ("/untold", 4)],
)
def test_what_an_address_of_this_machine_gives_is_validated(
    server: str, shapes: Path, path: str, line: int
) -> None:
    result = kg(server + path, "--shapes", shapes)
    assert result.exit_code == 1
    assert f"{server}{path}:{line}: " in result.stdout


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/page", "answers with text/html, which is no RDF that kg reads"),
        ("/none", "answers 404 Not Found"),
        ("/broken", "/broken:1: broken syntax"),
        ("/away", "http://192.0.2.1/x.ttl: kg validate reaches no other machine"),
    ],
)
def test_what_is_no_rdf_there_is_said(server: str, shapes: Path, path: str, words: str) -> None:
    result = kg(server + path, "--shapes", shapes)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://example.org/data.ttl", "kg validate reaches no other machine"),
        ("https://192.0.2.1/data.ttl", "kg validate reaches no other machine"),
        ("http://localhost.example.org/", "kg validate reaches no other machine"),
        ("ftp://127.0.0.1/data.ttl", "takes http addresses of this machine"),
        ("http://127.0.0.1:9/data.ttl", "cannot be reached"),
    ],
)
def test_other_machines_are_not_reached(shapes: Path, address: str, words: str) -> None:
    result = kg(address, "--shapes", shapes)
    assert result.exit_code == 2
    assert words in result.stderr


# From Python ----------------------------------------------------------------------------------


def test_the_package_can_be_asked_to_validate(tmp_path: Path, shapes: Path) -> None:
    file = write(tmp_path, "d.ttl", BAD)
    assert len(package.validate(file, shapes).results) == 1
    assert len(package.validate(str(file), str(shapes)).results) == 1
    assert len(package.validate([file], [shapes]).results) == 1
    graphs = Graph().parse(file), Graph().parse(shapes)
    report = package.validate(*graphs)
    assert len(report.results) == 1
    assert not report.conforms
    assert "foaf:name is missing" in report._repr_html_()
    with pytest.raises(ShapesError, match="is malformed"):
        package.validate(
            graphs[0], Graph().parse(data=SHAPES.replace("minCount 1", "minCount -1.5"))
        )
    with pytest.raises(AttributeError):
        package.no_such_thing  # noqa: B018


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, kg, kg.pytest_plugin; sys.exit('pyoxigraph' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_assert_conforms_tells_why(tmp_path: Path, shapes: Path) -> None:
    assert assert_conforms(write(tmp_path, "good.ttl", GOOD), shapes).passed
    with pytest.raises(AssertionError, match=r"bad\.ttl:4: ex:bo"):
        assert_conforms(write(tmp_path, "bad.ttl", BAD), shapes)
    with pytest.raises(AssertionError, match="Nothing was checked"):
        assert_conforms(write(tmp_path, "empty.ttl", ""), shapes)
    more = SHAPES + "ex:More a sh:NodeShape ; sh:targetClass foaf:Persom .\n"
    with pytest.raises(AssertionError, match=r"Did you mean foaf:Person\?"):
        assert_conforms(tmp_path / "good.ttl", write(tmp_path, "more.ttl", more))
    with pytest.raises(InputError):
        assert_conforms(tmp_path / "none.ttl", shapes)
    with pytest.raises(UsageError):
        assert_conforms(Graph().parse(data=PREFIXES + "ex:a ex:b ex:c ."))


def test_the_fixture_of_the_plugin(tmp_path: Path, shapes: Path) -> None:
    write(
        tmp_path,
        "test_it.py",
        "def test_data(assert_conforms):\n    assert_conforms('bad.ttl', 's.ttl')\n",
    )
    write(tmp_path, "bad.ttl", BAD)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "kg.pytest_plugin", "--rootdir=.", "test_it.py"],
        cwd=tmp_path,
        # Where the checkout is installed, pytest would find the plugin by itself.
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "foaf:name is missing" in done.stdout
    assert "bad.ttl:4: ex:bo" in done.stdout


def test_the_hooks_for_commits_take_the_files_of_rdf() -> None:
    import re

    text = (Path(__file__).parent.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^- id: (.*)$", text, re.MULTILINE) == [
        "kg-validate",
        "kg-validate-installed",
    ]
    assert text.count("entry: kg validate\n") == 2
    (pattern,) = set(re.findall(r"^  files: (.*)$", text, re.MULTILINE))
    for name in ("a.ttl", "data/b.nt.gz", "c.jsonld", "d.trig"):
        assert re.search(pattern, name)
    assert not re.search(pattern, "package.json")


# What makes no sense ------------------------------------------------------------------------


def triple(subject: Node, value: Node) -> Graph:
    graph = Graph()
    graph.add((subject, RDF.type, value))
    return graph


@pytest.mark.parametrize(
    "data",
    [
        b"ex:a ex:b ex:c .",
        GOOD,
        [Graph(), Graph()],
        triple(Literal("x"), URIRef("http://example.org/C")),
        triple(URIRef("http://example.org/a b"), URIRef("http://example.org/C")),
        triple(BNode("a b"), URIRef("http://example.org/C")),
        triple(BNode("a"), URIRef("C\nD")),
    ],
    ids=["bytes", "text", "graphs", "literal", "IRI", "blank node", "lines"],
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_data_is_told_in_a_line(data: object, shapes: Path) -> None:
    with pytest.raises(UsageError) as told:
        validate(data, shapes)  # type: ignore[arg-type]
    assert "\n" not in str(told.value)


def test_what_cannot_be_asked_for_is_told(tmp_path: Path, shapes: Path) -> None:
    data = write(tmp_path, "d.ttl", GOOD)
    with pytest.raises(UsageError, match="infos or warnings, and not 'foo'"):
        assert_conforms(data, shapes, allow="foo")
    for jobs in (0, -3):
        with pytest.raises(UsageError, match="jobs must be 1 or more"):
            validate(data, shapes, jobs=jobs)
