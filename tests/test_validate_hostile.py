"""What breaks validators: long lines, deep and circular shapes, shapes that ask for nothing, odd
bytes. Each ends with a word on what to mend, alike with every engine."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rdflib import Graph

from kg.cli import main
from kg.errors import InputError, ShapesError, UsageError
from kg.validate import read, validate

PREFIXES = """\
@prefix e: <http://example.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix kg: <https://w3id.org/kg/ontology#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DATA = PREFIXES + "e:a a e:C ; e:p 1 , e:b .\ne:b a e:C .\n"
TARGET = "e:S a sh:NodeShape ; sh:targetClass e:C ; "
ENGINES = ("auto", "pyshacl", "fast")


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def kg(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)], input=stdin)


def checked(folder: Path, shapes: str, *options: str, data: str = DATA) -> Result:
    given = write(folder, "d.ttl", data)
    return kg(given, "--shapes", write(folder, "s.ttl", PREFIXES + shapes), *options)


# Long lines -------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [5_000, 1_000_000])
@pytest.mark.parametrize("name", ["d.ttl", "d.nt", "d.trig", "d.nq", "d.ttl.gz", "-"])
def test_a_long_line_has_its_number(tmp_path: Path, name: str, length: int) -> None:
    first = "<http://example.org/o> <http://example.org/q> <http://example.org/o> .\n"
    text = f'{first}<http://example.org/a> <http://example.org/p> "{"x" * length}" .\n{first}'
    shapes = write(
        tmp_path,
        "s.ttl",
        PREFIXES + "e:S a sh:NodeShape ; sh:targetSubjectsOf e:p ;"
        " sh:property [ sh:path e:p ; sh:maxLength 3 ] .",
    )
    data = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    file = name if name == "-" else write(tmp_path, name, data)
    result = kg(file, "--shapes", shapes, "--format", "json", stdin=text.encode())
    assert result.exit_code == 1
    assert json.loads(result.stdout)["results"][0]["line"] == 2


@pytest.mark.parametrize("length", [5_000, 1_000_000])
def test_a_long_line_of_the_shapes_has_its_number(tmp_path: Path, length: int) -> None:
    shapes = f'e:S a sh:NodeShape ; sh:closed "{"x" * length}" ; sh:targetClass e:C .'
    result = checked(tmp_path, shapes)
    assert result.exit_code == 2
    assert "s.ttl:8: the shape e:S is malformed: sh:closed" in result.stderr


# Deep and circular shapes -----------------------------------------------------------------

CHAIN = "".join(f"e:S{n} a sh:NodeShape ; sh:node e:S{n + 1} .\n" for n in range(2_000))
DEEP = {
    "chain": "e:S0 sh:targetClass e:C .\n" + CHAIN + "e:S2000 a sh:NodeShape ; sh:class e:D .",
    "nested": TARGET + "sh:node [ " * 1_000 + "sh:class e:D" + " ]" * 1_000 + " .",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shapes", DEEP.values(), ids=DEEP)
def test_shapes_too_deep_are_refused(tmp_path: Path, shapes: str, engine: str) -> None:
    result = checked(tmp_path, shapes, "--engine", engine)
    assert result.exit_code == 2
    assert result.stderr.endswith("shapes stand in shapes more than 30 deep\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_shapes_as_deep_as_is_allowed_are_followed(tmp_path: Path, engine: str) -> None:
    shapes = TARGET + "sh:node [ " * 30 + "sh:class e:D" + " ]" * 30 + " ."
    assert checked(tmp_path, shapes, "--engine", engine).exit_code == 1


def test_shapes_that_share_shapes_are_looked_at_once_each(tmp_path: Path) -> None:
    """Two ways at each of 25 steps are 33 million ways in all."""
    steps = "".join(f"e:S{n} sh:and ( e:S{n + 1} e:S{n + 1} ) .\n" for n in range(25))
    shapes = steps + "e:S25 a sh:NodeShape ; sh:class e:D . e:S0 sh:targetClass e:Nothing ."
    result = checked(tmp_path, shapes)
    assert result.exit_code == 1
    assert "none of the 26 shapes has a target" in result.stdout


def test_shapes_that_come_back_to_themselves_are_noted(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    result = checked(
        tmp_path, TARGET + "sh:property [ sh:path e:p ; sh:node e:S ] ; sh:closed false ."
    )
    assert result.stdout.startswith("Note: The shape e:S refers to itself. SHACL leaves open")
    assert "site-packages" not in result.output
    assert not [one for one in recwarn if "recursi" in str(one.message).lower()]


# Malformed shapes -------------------------------------------------------------------------

MALFORMED = {
    "qualified count": (
        "sh:property [ sh:path e:p ; sh:qualifiedMinCount 1 ] .",
        "e:S at e:p is malformed: sh:qualifiedMinCount needs a sh:qualifiedValueShape beside it",
    ),
    "qualified shape": (
        "sh:property [ sh:path e:p ; sh:qualifiedValueShape [ sh:class e:D ] ] .",
        "sh:qualifiedValueShape needs a sh:qualifiedMinCount or sh:qualifiedMaxCount beside it",
    ),
    "path": ("sh:path e:p ; sh:class e:D .", "it is a sh:NodeShape and has a sh:path"),
    "count of a node": ("sh:minCount 1 .", "sh:minCount is only for shapes with a sh:path"),
    "texts as shapes": ('sh:or ( "a" 1 ) .', 'sh:or "a": it must name a shape'),
    "text as shape": ('sh:node "x" .', 'sh:node "x": it must name a shape, and this is a text'),
    "text as property": ('sh:property "x" .', 'sh:property "x": it must name a shape'),
    "no such shape": ("sh:node e:Missing .", "sh:node e:Missing: there is no shape of that name"),
    "no shapes": (
        "sh:or () .",
        "e:S is malformed: sh:or (): it must be a list of one shape or more",
    ),
    "no steps": (
        "sh:property [ sh:path () ; sh:maxCount 1 ] .",
        "sh:path (): it must be a list of two properties or more",
    ),
    "property shape": (
        "sh:node [ sh:path e:p ; sh:maxCount 1 ] .",
        "e:S is malformed: sh:node: it must name a shape without a sh:path; one with a sh:path",
    ),
    "no list": ("sh:or e:A .", "sh:or e:A: it must be a list, as in sh:or ( ... )"),
    "half a list": ("sh:in _:l . _:l rdf:first e:p .", "sh:in: it must be a list"),
    "circular list": (
        "sh:xone _:l . _:l rdf:first e:S ; rdf:rest _:l .",
        "e:S is malformed: a list in it runs in a circle",
    ),
    "circular path": (
        "sh:property [ sh:path _:l ; sh:minCount 1 ] . _:l rdf:first e:p ; rdf:rest _:l .",
        "e:S is malformed: a list in it runs in a circle",
    ),
    "inverse of itself": (
        "sh:property [ sh:path _:l ; sh:minCount 1 ] . _:l sh:inversePath _:l .",
        "its sh:path runs in a circle",
    ),
    "negative": (
        "sh:property [ sh:path e:p ; sh:minCount -1 ] .",
        "e:S at e:p is malformed: sh:minCount -1: it must be 0 or more",
    ),
    "no number": (
        'sh:minInclusive "abc"^^xsd:integer .',
        "the value is not of the type it names",
    ),
    "no query": (
        'sh:sparql [ sh:select "SELECT $this WHERE { bad " ] .',
        "e:S is malformed: sh:select is no SPARQL (line 1, column 22 of the query)",
    ),
    "prefix": (
        'sh:sparql [ sh:select "SELECT $this WHERE { $this no:p ?x }" ] .',
        "sh:select is no SPARQL: Unknown namespace prefix : no",
    ),
    "without $this": (
        'sh:sparql [ sh:select "SELECT ?that WHERE { ?that ?p ?x }" ] .',
        "sh:select never speaks of $this",
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("shapes", "words"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_shapes_are_refused_alike(
    tmp_path: Path, shapes: str, words: str, engine: str
) -> None:
    result = checked(tmp_path, TARGET + shapes, "--engine", engine)
    assert result.exit_code == 2
    assert "s.ttl:8: the shape " in result.stderr
    assert words in result.stderr
    assert "shacl-shacl" not in result.stderr
    assert result.stderr.count("\n") == 1


# Shapes that ask for nothing --------------------------------------------------------------


def test_misspelt_constraints_are_noted_and_fail_with_strict(tmp_path: Path) -> None:
    shapes = (
        TARGET + "sh:property [ sh:path e:p ; sh:mincount 1 ; sh:nodeKind sh:BlankNodeOrIRI ] ."
    )
    data = PREFIXES + "e:a a e:C ; e:p e:b ."
    result = checked(tmp_path, shapes, data=data)
    assert result.exit_code == 0
    assert (
        "Note: The shape e:S at e:p uses sh:mincount, and SHACL has no such property."
        " Did you mean sh:minCount?\n" in result.stdout
    )
    result = checked(tmp_path, shapes, "--strict", data=data)
    assert result.exit_code == 1
    assert "Does not conform: 1 note that --strict does not let pass; " in result.stdout


@pytest.mark.parametrize("known", ["sh:not", "sh:or", "sh:and", "sh:in", "sh:class", "sh:flags"])
def test_what_shacl_has_is_not_called_misspelt(known: str) -> None:
    from kg.validate.sound import unknown

    shapes = Graph().parse(data=f"{PREFIXES} e:S {known} e:x .")
    assert list(unknown(shapes)) == []


@pytest.mark.parametrize(
    "asked",
    [
        'sh:js [ sh:jsFunctionName "f" ] .',
        "sh:expression [ sh:path e:p ] .",
        "sh:property [ sh:path e:p ; sh:mincount 1 ; sh:dataType xsd:int ] .",
    ],
)
def test_shapes_of_which_nothing_is_run_do_not_conform(tmp_path: Path, asked: str) -> None:
    result = checked(tmp_path, TARGET + asked)
    assert result.exit_code == 1
    assert "Note: The shape e:S asks for nothing that is checked.\n" in result.stdout
    assert result.stdout.endswith(
        "Nothing was checked: the shapes that have a target ask for nothing that is run.\n"
    )


# Odd bytes and files ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["d.ttl", "d.nt", "d.nq", "d.trig", "d.ttl.gz", "d.dat"])
def test_the_mark_of_utf8_is_skipped(tmp_path: Path, name: str) -> None:
    text = b"\xef\xbb\xbf<http://example.org/a> <http://example.org/p> <http://example.org/b> ."
    data = gzip.compress(text) if name.endswith(".gz") else text
    assert len(read([write(tmp_path, name, data)]).quads) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InputError, match="UTF-16; save it as UTF-8"):
        read([write(tmp_path, "d.ttl", DATA.encode(encoding))])


def test_the_same_file_is_read_once(tmp_path: Path) -> None:
    file = write(tmp_path, "s.ttl", PREFIXES + TARGET + "sh:property [ sh:path e:p ] .")
    (tmp_path / "link.ttl").symlink_to(file)
    again = [file, tmp_path, tmp_path / "link.ttl", tmp_path / ".." / tmp_path.name / "s.ttl"]
    assert len(read(again).quads) == len(read([file]).quads)
    assert len(read(again).parts) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# a\n@prefix ex: <http://e/> .\n", "d.rdf:1: this is no RDF/XML, which begins with <"),
        (
            '<!DOCTYPE r [\n<!ENTITY a "aa">\n<!ENTITY b "&a;&a;">]><r>&b;</r>',
            "d.rdf:3: the XML entity b is not allowed",
        ),
    ],
)
def test_what_is_no_plain_xml_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        read([write(tmp_path, "d.rdf", text)])
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_entities_for_namespaces_are_read(tmp_path: Path) -> None:
    text = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e "http://example.org/">]>'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="&e;">'
        '<rdf:Description rdf:about="&e;a"><e:p>1</e:p></rdf:Description></rdf:RDF>'
    )
    (quad,) = read([write(tmp_path, "d.rdf", text)]).quads
    assert quad.subject.value == "http://example.org/a"


def test_an_output_that_is_full_is_named(tmp_path: Path) -> None:
    if not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full")
    result = checked(tmp_path, TARGET + "sh:class e:D .", "-o", "/dev/full")
    assert result.exit_code == 2
    assert result.stderr == "Error: /dev/full: No space left on device\n"
    assert Path("/dev/full").is_char_device()


# From Python, and words -------------------------------------------------------------------


def test_what_cannot_be_validated_is_said_at_once() -> None:
    with pytest.raises(UsageError, match="no engine 'nope'; take auto, pyshacl or fast"):
        validate(Graph(), Graph(), engine="nope")
    with pytest.raises(TypeError, match="data must be paths, an rdflib Graph or a pyox"):
        validate(42)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="shapes must be paths or an rdflib Graph, and not int"):
        validate(Graph(), 42)  # type: ignore[arg-type]
    with pytest.raises(ShapesError, match="the shape e:S is malformed"):
        validate(Graph(), Graph().parse(data=f"{PREFIXES}{TARGET} sh:node 'x' ."))


def test_people_alone_are_foreign_data(tmp_path: Path) -> None:
    people = write(tmp_path, "p.ttl", PREFIXES + "e:a a foaf:Person .")
    result = kg(people)
    assert result.exit_code == 2
    assert "say with --shapes FILE" in result.stderr
    ours = write(tmp_path, "o.ttl", PREFIXES + "e:a a foaf:Person . e:n a kg:Note .")
    assert kg(ours).exit_code == 1


def test_a_misspelt_class_is_shown_with_the_one_meant(tmp_path: Path) -> None:
    data = PREFIXES + 'e:m a skos:Concept , kg:Metrik ; skos:prefLabel "BLEU"@en .\n'
    result = kg(write(tmp_path, "d.ttl", data))
    assert "it is a skos:Concept, a kg:Metrik; did you mean kg:Metric?\n" in result.stdout


def test_nodes_come_in_the_order_of_their_lines(tmp_path: Path) -> None:
    data = PREFIXES + "".join(f"e:{name} a e:C .\n" for name in "dbca")
    result = checked(tmp_path, TARGET + "sh:class e:D .", data=data)
    lines = [line.split(": ")[1] for line in result.stdout.split(os.linesep) if "d.ttl:" in line]
    assert [line for line in lines if line.startswith("e:")] == ["e:d", "e:b", "e:c", "e:a"]


# RDF/XML ----------------------------------------------------------------------------------

XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">
  <e:C rdf:about="http://example.org/a"><e:p>two</e:p></e:C>
  <e:C rdf:about="http://example.org/b"><e:p>2</e:p></e:C>
</rdf:RDF>
"""
NUMBERS = TARGET + "sh:property [ sh:path e:p ; sh:pattern '^[a-z]+$' ] ."


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (XML.replace("</rdf:RDF>\n", ""), 5, "it ends before all of its elements do"),
        ("".join(XML.splitlines(True)[:3]), 4, "it ends before all of its elements do"),
        (XML.partition("two")[0] + "tw", 3, "it ends before all of its elements do"),
        (XML[: XML.index("e:p>2") + 2], 4, "tag not closed"),
        (XML + XML.partition("?>\n")[2], 6, "junk after document element"),
        (XML + "<e", 6, "junk after document element"),
        (XML.replace("two", "t\x01wo"), 3, "not well-formed"),
        ('<?xml version="1.0"?>\n', 2, "it ends before all of its elements do"),
        (XML.replace("UTF-8", "latin9x"), None, "Only UTF-8 is supported"),
        (XML.replace("UTF-8", "ISO-8859-1"), None, "Only UTF-8 is supported"),
    ],
)
@pytest.mark.parametrize("name", ["d.rdf", "d.rdf.gz", "-"])
def test_xml_that_is_not_whole_is_not_taken_for_whole(
    tmp_path: Path, text: str, place: int | None, words: str, name: str
) -> None:
    shapes = write(tmp_path, "s.ttl", PREFIXES + NUMBERS)
    assert kg(write(tmp_path, "whole.rdf", XML), "--shapes", shapes).exit_code == 1
    data = text.encode()
    if name == "-":
        ran = kg("-", "--shapes", shapes, stdin=data)
    else:
        packed = gzip.compress(data) if name.endswith(".gz") else data
        ran = kg(write(tmp_path, name, packed), "--shapes", shapes)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert words in ran.stderr
    assert (f":{place}: broken syntax in column" in ran.stderr) == (place is not None)


def test_xml_of_nothing_is_data_of_nothing(tmp_path: Path) -> None:
    shapes = write(tmp_path, "s.ttl", PREFIXES + NUMBERS)
    for nothing in ("", " \n"):
        ran = kg(write(tmp_path, "d.rdf", nothing), "--shapes", shapes)
        assert (ran.exit_code, "no triple in the data" in ran.stdout) == (1, True)


def test_shapes_that_are_cut_off_are_no_fewer_shapes(tmp_path: Path) -> None:
    whole = Graph().parse(data=PREFIXES + NUMBERS).serialize(format="xml")
    cut = write(tmp_path, "s.rdf", whole.rpartition("</rdf:RDF>")[0])
    ran = kg(write(tmp_path, "d.rdf", XML), "--shapes", cut)
    assert (ran.exit_code, "s.rdf:" in ran.stderr) == (2, True)
