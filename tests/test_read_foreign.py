"""Files of other forms are refused in a line, and no list of abstracts is; what is left out."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kg.build import build, read_inputs, remarks
from kg.errors import InputError
from kg.identity.curation_file import read_curation
from kg.model import Note, Record, Rejection
from kg.read import read

ROOT = Path(__file__).parents[1]
ABSTRACT = "We show that every widget is a gadget, and that some gadgets are widgets. " * 3
RDF = "kg reads papers' texts; to check RDF: kg validate {}"
OTHERWISE = (
    "kg reads author-page, abstract-list and json-lines; "
    "if it is one of these, say which with --input-format"
)


@pytest.fixture
def file(tmp_path: Path):
    def write(content: str | bytes, name: str = "input") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def refusal(path: str, format: str | None = None) -> str:
    with pytest.raises(InputError) as error:
        read(path, format)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(f"{path}: ")


def items(path: str, format: str | None = None) -> list[Record | Note | Rejection]:
    return list(read(path, format).items)


@pytest.mark.parametrize(
    ("content", "name", "syntax"),
    [
        ("@prefix ex: <http://example.org/> .\nex:a a ex:B .\n", "x", "Turtle"),
        ("# made by hand\n\nPREFIX : <http://example.org/>\n:a a :B .\n", "x", "Turtle"),
        ("@base <http://example.org/> .\n", "x.trig", "TriG"),
        ("<http://a.org/1> a <http://a.org/B> ;\n  <http://a.org/p> 1 .\n", "x", "Turtle"),
        ('<http://a.org/1> <http://a.org/p> "text"@en .\n', "x", "N-Triples"),
        ('_:a <http://a.org/p> "text" <http://a.org/g> .\n', "x.nq", "N-Quads"),
        ('<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="x">', "x", "RDF/XML"),
        ('{"@context": {}, "@graph": [{"@id": "x"}]}', "x", "JSON-LD"),
        ('[{"@id": "http://a.org/1", "@type": ["x"]}]', "x.jsonld", "JSON-LD"),
    ],
)
def test_rdf_is_named_with_what_reads_it(file, content, name, syntax):
    path = file(content, name)
    assert refusal(path) == f"is RDF ({syntax}); {RDF.format(path)}"
    packed = file(gzip.compress(content.encode()), f"{name}.gz")
    assert refusal(packed) == f"is RDF ({syntax}); {RDF.format(packed)}"


@pytest.mark.parametrize("path", ["exports/example.ttl", "ontology/kg.ttl", "shapes/paper.ttl"])
def test_our_own_rdf_is_no_list_of_abstracts(path):
    assert refusal(str(ROOT / path)).startswith("is RDF (Turtle); ")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('# proposals\n\n[[same]]\nconcept = ["a", "b"]\n', "TOML"),
        ('name = "kg"\n', "TOML"),
        ("[metadata]\nname = kg\n", "settings"),
        ("---\ntitle: On Widgets\nlang: en\n---\n\n" + ABSTRACT, "YAML, or begins with it"),
        ("from kg import x\n\n" + ABSTRACT, "a program"),
        ('"""' + ABSTRACT + '"""\n\nimport x\n', "a program"),
        ("#!/bin/sh\necho x\n", "a program"),
        ("/* " + ABSTRACT + " */\nbody {\n  color: red;\n}\n", "a program"),
        ("const x = 1;\nfunction f() {\n  return x;\n}\n", "a program"),
        ("% " + ABSTRACT + "\n\\documentclass{article}\n", "LaTeX"),
        ("% Encoding: UTF-8\n\n@Article{key,\n  title = {T},\n}\n", "BibTeX"),
        ("TY  - JOUR\nTI  - Title of it\nER  - \n", "an export of references"),
        ('"computer science";broader;"artificial intelligence"\n' * 3, "a table"),
        ("Paper ID,Title\n1,On Widgets\n2,On Gadgets\n", "a table"),
    ],
)
def test_other_forms_are_told_by_how_they_begin(file, content, what):
    assert refusal(file(content)) == f"looks like {what}; {OTHERWISE}"
    assert read(file(content), "abstract-list").source.format == "abstract-list"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("x.ttl", "RDF (Turtle)"),
        ("x.NT", "RDF (N-Triples)"),
        ("x.toml", "TOML"),
        ("x.yaml", "YAML"),
        ("x.csv", "a table"),
        ("x.css", "a style sheet"),
        ("x.py", "a program"),
        ("x.html", "XML or HTML"),
    ],
)
def test_the_name_counts_where_the_text_has_no_mark(file, name, what):
    path = file(ABSTRACT, name)
    assert refusal(path) == f"is {what} by its name; {OTHERWISE}"
    assert len(items(path, "abstract-list")) == 1
    assert len(items(file(json.dumps({"title": "T"}), name))) == 1
    assert refusal(file(gzip.compress(ABSTRACT.encode()), f"{name}.gz")).startswith(f"is {what}")


def test_what_is_named_gz_and_is_not_gzipped(file):
    assert refusal(file(ABSTRACT, "x.gz")) == f"is named .gz and is not gzipped; {OTHERWISE}"
    assert len(items(file('{"title": "T"}', "x.jsonl.gz"))) == 1


@pytest.mark.parametrize("name", ["x", "x.txt", "x.md", "abstracts.v1.2", "icml.conf"])
@pytest.mark.parametrize(
    "start",
    [
        "@prefix declarations such as <http://example.org/> are widely used. ",
        "@article is the entry type of most BibTeX files. ",
        "# On Widgets\n\n",
        "[1] ",
        "[cs.LG]\nabstract: ",
        "[[Widgets]] ",
        "[{\\bf Aim}] ",
        "{\\it Aims}. ",
        "<50 ms of latency are needed. ",
        "Prefix tuning: <b> ",
        "PREFIX x: is a SPARQL keyword. ",
        "n = 5 is small. ",
        "Recently, deep learning has become popular in many\nareas, of which we name\n",
        "Widgets,gadgets,and tools\nare all alike,we show\n",
        "We collect 10,000 widgets.\n\nWe collect 20,000 gadgets.\n\n",
        "---\nBackground: ",
        "import tariffs are high. ",
        "From here on we write x = 5; for widgets\n",
        "https://example.org/x ",
        "&#x0D;\n&#x0D;\n&#x0D;\n",
        "\\emph{Widgets} are $\\{x\\}$. ",
        '"Widgets", "gadgets" and tools. ',
        'We study triples.\n\n@prefix ex: <http://example.org/> .\nex:a a ex:B .\n\n{"a": 1}\n\n',
        "We study code.\n\nint main() {\n  return 0;\n}\n\n",
        "我们研究大型语言模型,结果表明注意力机制很重要。",
        "Мы показываем, что любой граф допускает раскраску. ",
    ],
)
def test_a_list_of_abstracts_may_begin_with_anything(file, start, name):
    path = file(f"{start}{ABSTRACT}\n\n{ABSTRACT}\n", name)
    reading = read(path)
    assert reading.source.format == "abstract-list"
    assert any(isinstance(item, Record) for item in reading.items)


def test_examples_are_read_as_before():
    forms = [read(str(path)).source.format for path in sorted((ROOT / "examples").glob("*.txt"))]
    assert forms == ["author-page", "author-page", "abstract-list"]


ROW = {"title": "T", "authors": [{"name": "Ada"}]}


@pytest.mark.parametrize(
    ("content", "jq"),
    [
        (json.dumps(ROW, indent=1), "."),
        (json.dumps(ROW, indent=1) + "\n" + json.dumps(ROW, indent=1), "."),
        ('{"title":\n"T"}', "."),
        (json.dumps({"meta": {"n": [1]}, "results": [ROW]}), "'.results[]'"),
        (json.dumps({"count": 1, "papers": [ROW] * 2000}, indent=1), "'.papers[]'"),
        (json.dumps({"message": {"items": [ROW] * 2000}}), "'.message.items[]'"),
        ('{"results": [\n' + ",\n".join([json.dumps(ROW)] * 3) + "\n]}", "'.results[]'"),
        (json.dumps({"2306.1": {"title": "T"}}, indent=1), "'.[]'"),
        (json.dumps({"my 'list'": [ROW]}, indent=1), "."),
    ],
)
def test_a_json_document_is_one_error_with_what_makes_lines_of_it(file, content, jq):
    error = f"is a JSON document; put one object a line: jq -c {jq} FILE"
    assert refusal(file(content)) == error
    assert refusal(file("\ufeff\n" + content), "json-lines") == error


def test_other_json_that_is_no_json_lines(file):
    row = json.dumps(ROW)
    comma = r"has a comma after each object; take them off: sed 's/,\s*$//' FILE"
    assert refusal(file(f"{row},\n{row}")) == comma
    assert refusal(file(f"{row},\r\n{row},\n{row},\n")) == comma
    assert refusal(file(",\n".join([json.dumps(ROW, indent=1)] * 2))) == (
        "has commas between objects; try: (echo [; cat FILE; echo ]) | jq -c '.[]'"
    )
    array = "is a JSON array; put one object a line: jq -c '.[]' FILE"
    assert refusal(file(f"[\n{row}\n]")) == array
    assert refusal(file(f"[{row}]"), "json-lines") == array
    assert refusal(file('["one text", "another"]')) == array
    assert refusal(file('{\n "title": "T"\n "year": 2024\n}\n')) == (
        "is no JSON Lines, and broken as one JSON document at line 3: Expecting ',' delimiter"
    )


@pytest.mark.parametrize(
    "broken",
    [
        '{"title": "x"',
        '{"title": "x',
        '{"title": "x"},',
        '{"title": "x",',
        '{"title": "x"} {"title": "y"}',
        '{"authors": [{"name": "Ada"}]}',
        '{"title":\n"x"}',
        "[1, 2]",
        "{" * 5000,
    ],
)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_json_lines_with_a_broken_line_are_read_on(file, broken, at):
    rows = ['{"title": "good"}'] * 3
    found = items(file("\n".join([*rows[:at], broken, *rows[at:]]) + "\n", "rows.jsonl"))
    assert sum(isinstance(item, Record) for item in found) == 3
    assert all(isinstance(item, Record | Rejection) for item in found)
    (bad, *_) = [item for item in found if isinstance(item, Rejection)]
    assert bad.line == at + 1


def test_lines_longer_than_what_is_looked_at_first(file):
    row = json.dumps({"citations": [{"x": "y" * 90_000}], "title": "T", "abstract": "A"})
    assert len(items(file(f"{row}\n{row}\n"))) == 2
    many = json.dumps({"meta": {}, "results": [{"title": "T", "abstract": ABSTRACT}] * 9000})
    assert len(many) > 2_000_000
    assert "jq -c '.results[]' FILE" in refusal(file(many))


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b"\xef\xbb\xbf \n\r\n", "\u00a0\n".encode()])
@pytest.mark.parametrize("format", [None, "json-lines", "abstract-list", "author-page"])
def test_a_file_of_a_byte_order_mark_alone_is_empty(file, content, format):
    assert refusal(file(content), format) == "is empty"


def test_standard_input_has_one_name(monkeypatch: pytest.MonkeyPatch):
    def told(data: bytes) -> list[str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        inputs = read_inputs(["-"])
        faults = [*inputs.unreadable, *inputs.rejections, *remarks(inputs)]
        return [str(fault).partition(" ")[0] for fault in faults]

    assert told(b"") == ["stdin:"]
    assert told(b'{"title": 3}\n{"title": "T", "url": "x"}') == ["stdin:1:", "stdin:2:"]


def notes(file, *rows: dict[str, object]) -> list[str]:
    path = file("\n".join(map(json.dumps, rows)), "rows.jsonl")
    inputs = read_inputs([path])
    assert not inputs.rejections
    assert len(inputs.records) == len(rows)
    return [note.removeprefix("rows.jsonl:") for note in remarks(inputs)]


def test_authors_without_a_name_are_noted(file):
    assert notes(
        file,
        {"title": "T", "authors": [{"x": 1, "rank": 2}, {"name": "Ada"}]},
        {"title": "T", "authors": ["", "  "]},
        {"title": "T", "authors": [{}, {"name": ""}]},
        {"title": "T", "authors": ["-", "et al.", "Ada"]},
    ) == [
        "1: an author without a name is left out; its keys: x, rank",
        "2: an author without a name is left out",
        "3: an author without a name is left out",
        "3: an author without a name is left out; its keys: name",
    ]


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ({"first_name": "Ada", "last_name": "Lovelace"}, "Ada Lovelace"),
        ({"first": "Ada", "middle": ["King", "N."], "last": "Lovelace"}, "Ada King N. Lovelace"),
        ({"first": "Ada", "middle": 5, "last": "Lovelace"}, "Ada 5 Lovelace"),
        ({"forename": "Ada", "surname": "Lovelace"}, "Ada Lovelace"),
        ({"givenName": "Ada", "familyName": "Lovelace"}, "Ada Lovelace"),
        ({"firstName": "Ada", "middle_name": None, "lastName": "Lovelace"}, "Ada Lovelace"),
        ({"family_name": "Lovelace"}, "Lovelace"),
        ({"literal": "The Widget Group"}, "The Widget Group"),
        ({"full_name": "Ada Lovelace", "last": "X"}, "Ada Lovelace"),
    ],
)
def test_names_of_authors_in_parts(file, author, name):
    (record,) = items(file(json.dumps({"title": "T", "authors": [author]})))
    assert isinstance(record, Record)
    assert record.authors == (name,)


@pytest.mark.parametrize("url", ["nope", "ftp://x y", "javascript:alert(1)", "https://a.org/a b"])
def test_an_address_that_is_none_is_noted(file, url):
    assert notes(file, {"title": "T", "url": url}) == [
        f'1: "url" is no web address and is left out: {url}'
    ]


def test_what_is_left_out_is_noted_in_characters_for_a_terminal(file):
    assert notes(
        file,
        {"title": "T", "url": "arxiv.org/abs/2305.13048"},
        {"title": "T", "url": " https://example.org/ "},
        {"title": "T", "doi": "no\u001b[31m"},
        {"title": "T", "authors": [{"name": "Ada", "orcid": "0000-0001-5109-3701"}]},
        {"title": "T", "authors": [{"name": "Ada", "orcid": ""}]},
    ) == [
        '3: "doi" is no identifier and is left out: no\\x1b[31m',
        '4: the "orcid" of Ada is no identifier and is left out: 0000-0001-5109-3701',
    ]


def test_a_date_that_is_none_is_noted(file):
    years = ["2024-13-45", "2024-02-30", "2024-00", "2024-02-29", "2024-12", 2024]
    assert notes(file, *({"title": "T", "year": year} for year in years)) == [
        f'{line}: "year" is no date; only the year of it is read: {year}'
        for line, year in enumerate(years[:3], 1)
    ]


def test_a_work_of_openalex(file):
    work = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1000/X",
        "display_name": "On Widgets",
        "publication_year": 2018,
        "authorships": [{"author": {"display_name": "Ada Example", "orcid": None}}],
        "abstract_inverted_index": {"widgets": [1, 4], "All": [0], "are": [2], "fine": [3]},
    }
    (record,) = items(file(json.dumps(work)))
    assert isinstance(record, Record)
    assert (record.title, record.abstract) == ("On Widgets", "All widgets are fine widgets")
    assert (record.year, record.doi, record.authors) == (2018, "10.1000/x", ("Ada Example",))
    own = {"title": "T", "abstract": "A", "year": 2020}
    (record,) = items(file(json.dumps(work | own)))
    assert isinstance(record, Record)
    assert (record.title, record.abstract, record.year) == ("T", "A", 2020)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("id", 1.5, '"id" must be text in quotes or a whole number, not 1.5'),
        (
            "publication_year",
            "soon",
            "\"publication_year\" must be a year such as 2026, not 'soon'",
        ),
        *(
            (
                "abstract_inverted_index",
                value,
                '"abstract_inverted_index" must be an object with a list of positions '
                "for each word",
            )
            for value in ([1], {"a": 1}, {"a": ["1"]}, {"a": [True]})
        ),
    ],
)
def test_values_of_the_wrong_kind(file, field, value, reason):
    (bad,) = items(file(json.dumps({"title": "T", field: value})))
    assert isinstance(bad, Rejection)
    assert bad.reason == reason


def kg(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg.cli", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_rejected_jsonl_tells_of_the_graph_beside_it(tmp_path: Path):
    (tmp_path / "good.jsonl").write_text('{"title": "A good title here"}\n{"title": 3}\n')
    (tmp_path / "s.ttl").write_text("@prefix x: <http://example.org/> .\n")
    graph = tmp_path / "graph"
    build(read_inputs([str(tmp_path / "good.jsonl")]), graph, validate=False)
    before = {path: path.read_bytes() for path in graph.iterdir() if path.is_file()}
    done = kg("build", "s.ttl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"Error: s.ttl: is RDF (Turtle); {RDF.format('s.ttl')}",
        "Error: the inputs hold no record that can be used (1 unreadable files); nothing was built",
    ]
    assert {path: path.read_bytes() for path in graph.iterdir() if path.is_file()} == before
    assert kg("build", "s.ttl", "-g", "new", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "new/rejected.jsonl").exists()


def test_a_curation_that_is_not_utf_8_is_named_by_its_line(tmp_path: Path):
    path = tmp_path / "c.toml"
    path.write_bytes('# mine\n[[drop]]\nconcept = "Caf\xe9"\n'.encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_curation(str(path))
    assert str(error.value) == (
        f"{path}:3: byte 0xE9 is not UTF-8; convert the file, for example: "
        "iconv -f LATIN1 -t UTF-8 FILE"
    )


# What testers gave it ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "head", ["# an export of a page\n", "// page 2\n", "\n#\n", 'ract": "cut off"}\n', ""]
)
def test_json_lines_with_another_first_line_lose_that_alone(tmp_path: Path, head: str) -> None:
    lines = "".join(f'{{"title": "Title {n}", "abstract": "Words."}}\n' for n in range(5))
    path = tmp_path / "some.jsonl"
    path.write_text(head + lines)
    found = list(read(str(path)).items)
    assert sum(isinstance(item, Record) for item in found) == 5
    assert sum(isinstance(item, Rejection) for item in found) == sum(
        bool(line.strip()) for line in head.split("\n")
    )


@pytest.mark.parametrize(
    "text",
    [
        "Notes\n\nIts success is often attributed to attention, which we study.\n\n{0}\n",
        "Search results: 25 records\n\nNeurIPS 2024\n\n{0}\n\nICML 2023\n\n{0}\n",
    ],
)
def test_lists_that_sound_like_an_author_page_are_lists(tmp_path: Path, text: str) -> None:
    abstract = "We study why deep networks learn so well, and we prove it for two layers. " * 5
    path = tmp_path / "some.txt"
    path.write_text(text.replace("{0}", abstract.strip()))
    records = [item for item in read(str(path)).items if isinstance(item, Record)]
    assert {record.source.format for record in records} == {"abstract-list"}
    assert any(record.abstract == abstract.strip() for record in records)


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        (
            "Vaswani, A., Shazeer, N., Parmar, N. and Uszkoreit, J.",
            ["Vaswani, A.", "Shazeer, N.", "Parmar, N.", "Uszkoreit, J."],
        ),
        ("Ek, A. B., Sample, C.-D., & Test, E.", ["Ek, A. B.", "Sample, C.-D.", "Test, E."]),
        ("Ek, Ada and Sample, Bo", ["Ek, Ada", "Sample, Bo"]),
        ("Ada Ek, Bo Sample and Cy Test", ["Ada Ek", "Bo Sample", "Cy Test"]),
        ([{"given": ["Ada", "B."], "family": "Ek"}], ["Ada B. Ek"]),
        ([{"firstname": "Ada", "lastname": "Ek"}], ["Ada Ek"]),
        (
            [{"given": "Ludwig", "non-dropping-particle": "van", "family": "Beethoven"}],
            ["Ludwig van Beethoven"],
        ),
    ],
)
def test_names_are_neither_joined_nor_cut(
    tmp_path: Path, authors: object, names: list[str]
) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(json.dumps({"title": "Title", "authors": authors}) + "\n")
    (record,) = read(str(path)).items
    assert isinstance(record, Record)
    assert list(record.authors) == names


@pytest.mark.parametrize(
    "authors", ["Ek, Ada, Sample, Bo and Test, Cy", [{"given": {"x": 1}, "family": "Ek"}]]
)
def test_names_that_cannot_be_told_apart_are_rejected(tmp_path: Path, authors: object) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(json.dumps({"title": "Title", "authors": authors}) + "\n")
    (item,) = read(str(path)).items
    assert isinstance(item, Rejection)
    assert '"authors"' in item.reason
