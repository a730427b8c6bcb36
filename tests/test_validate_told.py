"""What a report must not lose, make up or take for the whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store
from rdflib import SH, Graph
from rdflib.compare import isomorphic
from served import serving
from small_graph import build

from kg.cli import main
from kg.errors import KgError, UsageError
from kg.rdf.vocabulary import RDF
from kg.validate import engines, fast, read, validate
from kg.validate.checks import check
from kg.validate.shapes import load_shapes
from kg.validate.standard import to_rdf

PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SHAPE = "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:n ; {} ] ."
needs_fast = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)


def write(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(PREFIXES + text, encoding="utf-8")
    return str(file)


def kg(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


GRAPH = """\
@prefix kg: <https://w3id.org/kg/ontology#> .
@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix pro: <http://purl.org/spar/pro/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix : <http://example.org/> .
:text nif:isString "Of trees." ; nif:endIndex 9 .
:mention nif:referenceContext :text ; nif:anchorOf "TREES" ; nif:beginIndex {begin} ;
    nif:endIndex {end} .
:one pro:relatesToDocument :paper ; kg:ordinal 1 .
:two pro:relatesToDocument :paper ; kg:ordinal {ordinal} .
"""


def checked(begin: object = 0, end: object = 2, ordinal: object = 2) -> set[str]:
    """The checks that fail, by their names."""
    store = Store()
    turtle = GRAPH.format(begin=begin, end=end, ordinal=ordinal)
    store.load(turtle.encode(), RdfFormat.TURTLE)
    return {str(one.shape).partition("#")[2].rstrip(">") for one in check(store)}


@pytest.mark.parametrize("form", ['"+{}"^^xsd:integer', '"000{}"^^xsd:integer', "{}"])
def test_numbers_in_any_form_are_numbers(form: str) -> None:
    found = checked(form.format(3), form.format(8), form.format(1))
    assert found == {"Check-mention-text", "Check-ordinals"}
    assert checked(form.format(3), form.format(12)) >= {"Check-mention-inside"}


def test_numbers_beyond_all_measure_are_numbers() -> None:
    def long(text: str) -> str:
        return f'"{text}"^^xsd:integer'

    assert checked(3, long("9" * 5000)) >= {"Check-mention-inside"}
    assert "Check-ordinals" in checked(ordinal=long("0" * 5000 + "1"))
    assert "Check-ordinals" not in checked(ordinal=long("9" * 5000))
    assert "Check-ordinals" not in checked(ordinal=long("-" + "9" * 5000))


def test_an_endpoint_that_may_not_give_all_is_refused(tmp_path: Path) -> None:
    with serving(build(tmp_path / "g"), "--max-rows", "50") as server:
        result = kg(server.sparql)
    assert result.exit_code == 2
    assert "/sparql: gives 50 triples at most, and so maybe not all; let it give more" in (
        result.stderr
    )
    assert result.stderr.count("\n") == 1
    with serving(tmp_path / "g", "--max-rows", "5000") as server:
        result = kg(server.sparql)
    assert result.exit_code == 1
    nodes = re.compile(r"[0-9,]+ nodes checked")
    of_the_graph = kg("--graph", tmp_path / "g").stdout
    assert nodes.findall(result.stdout) == nodes.findall(of_the_graph) != []


def test_blank_nodes_with_ill_formed_literals_are_described_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = 'ex:f ex:q ex:f . _:x a ex:C ; ex:n "2020-02-30"^^xsd:date , 1 .'
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    ran = engines.run(
        read([write(tmp_path, "d.ttl", data)]), load_shapes([shapes]), "pyshacl", parts=True
    )
    assert ran.graph is not None
    assert len(ran.results) == 1
    assert capfd.readouterr() == ("", "")


@needs_fast
def test_the_fast_engine_gives_messages_in_all_their_languages(tmp_path: Path) -> None:
    data = write(tmp_path, "d.ttl", "ex:a a ex:C ; ex:n 1 , 2 .")
    said = 'sh:maxCount 1 ; sh:message "Too many"@en , "Zu viele"@de , "Trop"'
    shapes = write(tmp_path, "s.ttl", SHAPE.format(said))
    graphs = [
        Graph().parse(data=to_rdf(validate(data, shapes, engine=engine), "turtle"))
        for engine in ("fast", "pyshacl")
    ]
    assert len(set(graphs[0].objects(None, SH.resultMessage))) == 3
    assert isomorphic(*graphs)


@needs_fast
def test_targets_that_are_not_run_are_run_by_no_engine(tmp_path: Path) -> None:
    data = write(tmp_path, "d.ttl", "ex:a a ex:C ; ex:n 1 , 2 .")
    shapes = write(
        tmp_path,
        "s.ttl",
        "ex:S a sh:NodeShape ; sh:target [ a sh:SPARQLTarget ; sh:select"
        ' "SELECT ?this WHERE { ?this a <http://example.org/C> }" ] ;'
        " sh:property [ sh:path ex:n ; sh:maxCount 1 ] .",
    )
    for engine in ("auto", "fast", "pyshacl"):
        report = validate(data, shapes, engine=engine)
        assert not report.results
        assert report.unchecked


def test_each_value_is_told_what_is_wrong_with_it(tmp_path: Path) -> None:
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:class ex:P"))
    data = write(tmp_path, "d.ttl", 'ex:a a ex:C ; ex:n "Jane" , ex:joe , ex:o . ex:o a ex:O .')
    result = kg(data, "--shapes", shapes)
    for words in (
        '"Jane" (a text, not a node)',
        "ex:joe (the data says nothing of it)",
        "ex:o (it is a ex:O)",
    ):
        assert words in result.stdout
    data = write(tmp_path, "d.ttl", "ex:a a ex:C ; ex:n ex:joe , ex:jim .")
    result = kg(data, "--shapes", shapes)
    assert "ex:jim, ex:joe (the data says nothing of it)" in result.stdout


def loaded(text: str) -> Store:
    """A store that was filled by a careless parser."""
    store = Store()
    store.load((PREFIXES + text).encode(), RdfFormat.TURTLE, lenient=True)
    return store


@pytest.mark.parametrize("text", ['"a"@ar--rtl , "a"@ar', '<<( ex:b ex:c "d" )>>'])
@pytest.mark.parametrize("engine", ["auto", "fast", "pyshacl"])
def test_what_came_with_rdf_1_2_is_refused(tmp_path: Path, text: str, engine: str) -> None:
    if engine == "fast" and not fast.installed():
        pytest.skip("the package shacl is not installed (extra: fast)")
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    data = f"ex:a a ex:C ; ex:n {text} ."
    with pytest.raises(UsageError, match="base directions of RDF"):
        validate(loaded(data), shapes, engine=engine)
    result = kg(write(tmp_path, "d.ttl", data), "--shapes", shapes, "--engine", engine)
    assert result.exit_code == 2
    assert "d.ttl: triple terms and base directions of RDF 1.2" in result.stderr


def test_what_looks_like_rdf_1_2_is_a_text(tmp_path: Path) -> None:
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    report = validate(loaded('ex:a a ex:C ; ex:n "\\t<<( --ltr\\n" , "--rtl"@en .'), shapes)
    assert len(report.results) == 1


@pytest.mark.parametrize(
    "extra", ["ex:a <urn:p q> 1", "ex:a <p> 1", "ex:a ex:q <urn:{x}>", "ex:a ex:q <urn:x y>"]
)
def test_iris_of_careless_parsers_are_for_pyshacl(tmp_path: Path, extra: str) -> None:
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 1"))
    report = validate(loaded(f"ex:a a ex:C ; ex:n 1 , 2 . {extra} ."), shapes)
    assert len(report.results) == 1
    if fast.installed():
        assert report.engine == "pyshacl"
        with pytest.raises(KgError, match=r"cannot read the data|is no IRI"):
            validate(loaded(f"ex:a a ex:C ; ex:n 1 , 2 . {extra} ."), shapes, engine="fast")


def test_texts_that_the_parsers_do_not_take(tmp_path: Path) -> None:
    """Oxigraph and the fast engine have a bound of 16 MiB; a store has none."""
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:maxCount 0"))
    store, text = Store(), "x" * 17_000_000
    a = NamedNode("http://example.org/a")
    store.add(Quad(a, RDF.type, NamedNode("http://example.org/C")))
    store.add(Quad(a, NamedNode("http://example.org/n"), Literal(text)))
    assert len(validate(store, shapes).results) == 1
    for name in ("d.ttl", "d.nt"):
        file = tmp_path / name
        file.write_text(f'<urn:a> <urn:n> "{text}" .')
        result = kg(file, "--shapes", shapes)
        assert result.exit_code == 2
        assert result.stderr.endswith("longer than the 16 MiB that can be read\n")
        assert result.stderr.count("\n") == 1


def test_any_datatype_may_go_into_a_store(tmp_path: Path) -> None:
    data = 'ex:a a ex:C ; ex:n "1"^^<http://[::1]/d> , "01"^^<urn:x-kg:kept:x> , "01"^^xsd:int .'
    shapes = write(tmp_path, "s.ttl", SHAPE.format("sh:datatype xsd:string"))
    file = write(tmp_path, "d.ttl", data)
    for given in (file, read([file], large=1)):
        for engine in ("auto", "pyshacl"):
            found = {str(result.value) for result in validate(given, shapes, engine=engine).results}
            assert found == {
                '"1"^^<http://[::1]/d>',
                '"01"^^<urn:x-kg:kept:x>',
                '"01"^^<http://www.w3.org/2001/XMLSchema#int>',
            }
