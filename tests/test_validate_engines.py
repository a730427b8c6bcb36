"""All engines say the same: pySHACL on the whole, pySHACL in parts, and the fast one.

Faults of every constraint kind of our shapes are planted in graphs of ours, many at a time; and
shapes that ask for one thing each are held against values of all kinds.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Store, parse
from pyshacl.rdfutil.stringify import stringify_blank_node
from rdflib import SH, Graph
from rdflib.compare import isomorphic
from test_shapes import BASE, rows, sound, update

from kg.errors import UsageError
from kg.rdf.vocabulary import PREFIXES as NAMES
from kg.validate import chunks, engine, engines, fast, read, validate
from kg.validate.coverage import uncovered
from kg.validate.engines import Run
from kg.validate.reach import reach
from kg.validate.read import Data
from kg.validate.report import Result
from kg.validate.shapes import Shapes, load_shapes
from kg.validate.terms import rdflib_term, to_rdflib

EXAMPLE = Path(__file__).parents[1] / "exports" / "example.ttl"
XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

needs_fast = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)


def three(quads: Iterable[Quad], shapes: Shapes) -> tuple[Run, Run, Run]:
    """What pySHACL says on the whole and in parts, and what is said by default."""
    data = Data(tuple(dict.fromkeys(quads)), {})
    return (
        engines.run(data, shapes, "pyshacl", parts=False),
        engines.run(data, shapes, "pyshacl", parts=True),
        engines.run(data, shapes, "auto"),
    )


def assert_alike(runs: tuple[Run, Run, Run]) -> None:
    whole, parts, default = runs
    assert parts.results == whole.results
    assert default.results == whole.results
    assert parts.targets == whole.targets == default.targets
    assert parts.focus_nodes == whole.focus_nodes == default.focus_nodes


# Our own shapes ---------------------------------------------------------------------------


def kinds(results: Iterable[Result]) -> set[str]:
    return {result.constraint.value.removeprefix(str(SH)) for result in results}


@needs_fast
def test_planted_faults_of_every_kind_are_seen_alike() -> None:
    shapes = load_shapes()
    changes = [change for _, change in rows()]
    random.Random(5).shuffle(changes)
    seen: set[str] = set()
    for start in range(0, len(changes), 12):
        store = sound()
        for change in changes[start : start + 12]:
            plant(store, change)
        runs = three(store, shapes)
        assert_alike(runs)
        assert runs[2].engine == "fast"
        seen |= kinds(runs[0].results)
    wanted = {
        str(kind).removeprefix(str(SH))
        for predicate in set(shapes.graph.predicates())
        for kind in [component(str(predicate))]
        if kind
    }
    assert seen >= wanted


def plant(store: Store, changes: str) -> None:
    """Make the changes of one row of the table of faults."""
    prefixes = {**NAMES, "": BASE}
    steps = changes.split(" ; ")
    if "_:x" in changes:  # one blank node needs one INSERT
        added = " . ".join(step.removeprefix("+ ") for step in steps)
        store.update(f"INSERT DATA {{ {added} }}", prefixes=prefixes)
    else:
        for step in steps:
            store.update(update(step), prefixes=prefixes)


def component(predicate: str) -> str:
    """The constraint that a property of a shape states; nothing where it states none."""
    name = predicate.removeprefix(str(SH))
    plain = "class closed datatype disjoint equals hasValue in languageIn lessThan maxCount"
    plain += " maxInclusive minCount minInclusive minLength nodeKind or pattern uniqueLang"
    plain += " qualifiedMinCount qualifiedMaxCount"
    if not predicate.startswith(str(SH)) or name not in plain.split():
        return ""
    return f"{name[0].upper()}{name[1:]}ConstraintComponent"


def literal(value: str, datatype: str) -> Literal:
    return Literal(value, datatype=NamedNode(XSD + datatype))


VALUES = [
    *map(Literal, ("seven", "", "10.1/x", "10.1/x\n", "arXiv:1", "cs.LG\n", "a/b", " Ada")),
    *(Literal("x", language=language) for language in ("en", "de", "en-gb")),
    Literal("", language="en"),
    *(literal(value, "integer") for value in ("-1", "0", "1", "01", "99999", "abc", " 1")),
    *(literal(value, "double") for value in ("0.5", "1.5", "NaN", "INF", "abc")),
    *(literal(value, "gYear") for value in ("2026", "soon", "2026\n")),
    *(literal(value, "date") for value in ("2026-03-31", "2026-02-30")),
    literal("1.5", "decimal"),
    literal("5", "int"),
    literal("7", "float"),
    literal("true", "boolean"),
    literal("2026-03-31T00:00:00", "dateTime"),
    NamedNode("https://example.org/nothing"),
    BlankNode("x1"),
    BlankNode("x2"),
]


def spoilt(quads: list[Quad], seed: int, faults: int) -> Iterator[Quad]:
    """The graph with some quads taken out, put in, or given another value."""
    chance = random.Random(seed)
    quads = list(quads)
    for _ in range(faults):
        place = chance.randrange(len(quads))
        old, other = quads[place], chance.choice(quads)
        value = chance.choice((chance.choice(VALUES), other.object))
        new = chance.choice(
            (
                [],
                [Quad(old.subject, old.predicate, value)],
                [old, Quad(old.subject, old.predicate, value)],
                [old, Quad(other.subject, old.predicate, old.object)],
                [old, Quad(old.subject, NamedNode("https://example.org/unknown"), value)],
            )
        )
        quads[place : place + 1] = new
    yield from quads


@needs_fast
@pytest.mark.parametrize(("seed", "faults"), [(1, 5), (2, 40), (3, 150), (4, 400)])
def test_a_graph_that_is_spoilt_at_random_is_seen_alike(seed: int, faults: int) -> None:
    quads = sorted(read([EXAMPLE]).quads, key=str)
    runs = three(spoilt(quads, seed, faults), load_shapes())
    assert_alike(runs)
    assert runs[0].results
    assert runs[2].engine == "fast"


def test_all_our_shapes_can_be_taken_in_parts_and_are_covered() -> None:
    shapes = load_shapes()
    assert chunks.plan(shapes.graph, shapes.nodes).whole == {}
    assert uncovered(shapes.graph, shapes.nodes) == ()


def on_disk(folder: Path, quads: Iterable[Quad]) -> Store:
    store = Store(str(folder))
    store.bulk_extend(quads)
    store.flush()
    del store
    return Store.read_only(str(folder))


def test_processes_share_a_store_and_give_the_report_of_pyshacl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = on_disk(tmp_path / "store", spoilt(list(read([EXAMPLE]).quads), 7, 40))
    shapes = load_shapes()
    whole = engines.run(store, shapes, "pyshacl", parts=False)
    monkeypatch.setattr(chunks, "NODES", 20)
    monkeypatch.setattr(engines, "LARGE", 100)
    ran = engines.run(store, shapes, "pyshacl", jobs=2, folder=tmp_path / "store")
    assert ran.results == whole.results
    assert (
        ran.log == ("22 shapes validated in parts, in 2 processes",) or "2 processes" in ran.log[0]
    )
    assert ran.graph is not None
    assert whole.graph is not None
    assert isomorphic(ran.graph, whole.graph)


# Shapes of others -------------------------------------------------------------------------

TERMS = r"""
1 | 01 | -1 | 0 | 1.5 | 1.50 | 1e0 | "NaN"^^xsd:double | "INF"^^xsd:double | "x"^^xsd:double
| "x"^^xsd:integer | " 1"^^xsd:integer | "1.0"^^xsd:integer | "5"^^xsd:int | "200"^^xsd:byte
| "-1"^^xsd:nonNegativeInteger | "x"^^xsd:decimal | "1e3"^^xsd:decimal | true | "1"^^xsd:boolean
| "TRUE"^^xsd:boolean | "a" | "" | "abc" | "cs.LG" | "2026-03-31"^^xsd:date | "x"^^xsd:date
| "2026-02-30"^^xsd:date | "2026-03-31T00:00:00Z"^^xsd:dateTime | "2026-03-31"^^xsd:dateTime
| "2026"^^xsd:gYear | "soon"^^xsd:gYear | "P1D"^^xsd:duration | "http://e/"^^xsd:anyURI | "a"@en
| "b"@en-GB | "d"@de | ""@en | "é𝔻" | "😀" | "a\n" | "x"^^ex:own | ex:iri | _:blank | ex:typed
| ex:sub
"""
DATA = PREFIXES + (
    "ex:typed a ex:K . ex:sub a ex:L . ex:L rdfs:subClassOf ex:K . _:blank a ex:K .\n"
    + "".join(f"ex:f{n} a ex:C ; ex:p {term} .\n" for n, term in enumerate(TERMS.split("|")))
)
ONE_BY_ONE = [
    *(f"sh:datatype xsd:{name}" for name in ["integer", "decimal", "double", "boolean", "string"]),
    *(f"sh:datatype xsd:{name}" for name in ["date", "dateTime", "gYear", "anyURI", "int", "byte"]),
    "sh:datatype rdf:langString",
    "sh:datatype ex:own",
    *(f"sh:nodeKind sh:{name}" for name in ("IRI", "BlankNode", "Literal", "BlankNodeOrIRI")),
    *(f"sh:nodeKind sh:{name}" for name in ("BlankNodeOrLiteral", "IRIOrLiteral")),
    *(
        f"sh:datatype xsd:{datatype} ; sh:{bound} 1"
        for datatype in ("integer", "decimal", "double")
        for bound in ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")
    ),
    "sh:minLength 1",
    "sh:minLength 3",
    "sh:maxLength 2",
    'sh:pattern "^a"',
    'sh:pattern "a.b"',
    'sh:pattern "^\\\\S(.*\\\\S)?$"',
    'sh:pattern "^[a-z]{1,2}$"',
    'sh:languageIn ( "en" )',
    'sh:languageIn ( "EN" "de" )',
    "sh:hasValue 1",
    'sh:hasValue "a"@en',
    'sh:in ( 1 "a" ex:iri "01"^^xsd:integer )',
    "sh:class ex:K",
    "sh:class ex:K , ex:L",
    "sh:and ( [ sh:datatype xsd:integer ] [ sh:nodeKind sh:Literal ] )",
    "sh:or ( [ sh:datatype xsd:integer ] [ sh:nodeKind sh:IRI ] )",
    "sh:xone ( [ sh:nodeKind sh:IRI ] [ sh:class ex:K ] )",
    "sh:not [ sh:class ex:K ]",
    "sh:node [ sh:class ex:K ]",
    "sh:node [ sh:property [ sh:path rdf:type ; sh:minCount 1 ] ]",
]
ON_PROPERTIES = [
    "sh:uniqueLang true",
    "sh:minCount 2 ; sh:maxCount 0",
    "sh:qualifiedValueShape [ sh:class ex:K ] ; sh:qualifiedMinCount 1 ; sh:qualifiedMaxCount 1",
    "sh:equals ex:q",
    "sh:disjoint rdf:type",
    "sh:severity sh:Warning ; sh:class ex:K ; sh:message 'not a K'",
]


def shapes_of(tmp_path: Path, text: str) -> Shapes:
    file = tmp_path / "shapes.ttl"
    file.write_text(PREFIXES + text, encoding="utf-8")
    return load_shapes([file])


def quads_of(text: str) -> list[Quad]:
    return [Quad(q.subject, q.predicate, q.object) for q in parse(text, RdfFormat.TURTLE)]


def set_of(run: Run) -> Counter[tuple[object, ...]]:
    return Counter(
        (r.focus, r.path, r.value, r.severity, r.shape, r.constraint) for r in run.results
    )


@needs_fast
@pytest.mark.parametrize(
    "constraint", [*ONE_BY_ONE, *ON_PROPERTIES, *(f"node: {one}" for one in ONE_BY_ONE)]
)
def test_a_constraint_is_seen_alike(tmp_path: Path, constraint: str) -> None:
    if constraint.startswith("node: "):
        text = f"ex:S a sh:NodeShape ; sh:targetObjectsOf ex:p ; {constraint[6:]} ."
    else:
        text = (
            "ex:S a sh:NodeShape ; sh:targetClass ex:C ;"
            f" sh:property [ sh:path ex:p ; {constraint} ] ."
        )
    whole, parts, default = three(quads_of(DATA), shapes_of(tmp_path, text))
    # Here, each engine has its own words, and pySHACL not always the same.
    assert set_of(parts) == set_of(whole)
    assert set_of(default) == set_of(whole)
    assert default.engine == "fast"
    assert default.targets == whole.targets


PATHS = {
    "sequence": ("( ex:p ex:p )", ""),
    "alternative": ("[ sh:alternativePath ( ex:p ex:q ) ]", ""),
    "zero or one": ("[ sh:zeroOrOnePath ex:p ]", ""),
    "inverse": ("[ sh:inversePath ex:p ]", ""),
    "inverse, then on": ("( [ sh:inversePath ex:p ] ex:q )", ""),
    "inverse of a sequence": ("[ sh:inversePath ( ex:q ex:p ) ]", "goes back over nodes"),
    "inverse without end": (
        "[ sh:inversePath ( [ sh:zeroOrMorePath ex:p ] [ sh:zeroOrOnePath ex:q ] ) ]",
        "goes back over nodes",
    ),
    "back over shared nodes": ("( ex:p [ sh:inversePath ex:q ] )", "goes back over nodes"),
    "without end": ("[ sh:zeroOrMorePath ex:p ]", "has no end"),
    "once and without end": ("[ sh:oneOrMorePath ex:p ]", "has no end"),
    "far": ("( ex:p ex:p ex:p ex:p ex:p )", "further than 4 steps"),
}
CHAIN = PREFIXES + (
    "ex:a a ex:C ; ex:p ex:b , 5 ; ex:q ex:c . ex:b a ex:C ; ex:p ex:c ."
    " ex:c ex:p ex:d ; ex:q ex:b ."
    " ex:d a ex:C , ex:K ; ex:p ex:e . ex:e ex:p ex:f . ex:f ex:p ex:a , _:g ."
    " _:g a ex:C ; ex:p ex:b ."
)


@pytest.mark.parametrize(("path", "why"), PATHS.values(), ids=PATHS)
def test_a_path_is_followed_alike(tmp_path: Path, path: str, why: str) -> None:
    shapes = shapes_of(
        tmp_path,
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ;"
        f" sh:property [ sh:path {path} ; sh:class ex:K ; sh:minCount 3 ] .",
    )
    whole, parts, default = three(quads_of(CHAIN), shapes)
    assert whole.results
    assert parts.results == whole.results
    assert set_of(default) == set_of(whole)
    if why:
        assert "1 shape validated whole: ex:S" in parts.log[-1]
        assert why in parts.log[-1]
    else:
        assert parts.log == ("1 shape validated in parts, in 1 process",)


WHOLE = {
    "query": ('sh:sparql [ sh:select "SELECT $this WHERE { $this ex:p ?x }" ]', "sh:sparql"),
    "disjoint": (
        "sh:property [ sh:path ex:p ; sh:qualifiedValueShape [ sh:class ex:K ] ;"
        " sh:qualifiedMinCount 1 ; sh:qualifiedValueShapesDisjoint true ]",
        "sh:qualifiedValueShapesDisjoint",
    ),
    "recursion": ("sh:property [ sh:path ex:p ; sh:node ex:S ]", "refers to itself"),
}


@pytest.mark.parametrize(("constraint", "why"), WHOLE.values(), ids=WHOLE)
def test_what_sees_without_end_is_taken_whole(constraint: str, why: str) -> None:
    text = PREFIXES + f"ex:S a sh:NodeShape ; sh:targetClass ex:C ; {constraint} ."
    graph = Graph().parse(data=text, format="turtle")
    node = rdflib_term(NamedNode("http://example.org/S"))
    assert why in chunks.plan(graph, [node]).whole[node]


def test_what_is_not_whole_is_still_taken_in_parts(tmp_path: Path) -> None:
    shapes = shapes_of(
        tmp_path,
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ; sh:maxCount 1 ] ."
        " ex:T a sh:NodeShape ; sh:targetSubjectsOf ex:q ; sh:property"
        " [ sh:path [ sh:zeroOrMorePath ex:p ] ; sh:class ex:C ] .",
    )
    whole, parts, _ = three(quads_of(CHAIN), shapes)
    assert parts.results == whole.results
    assert [line.split(":")[0] for line in parts.log] == [
        "1 shape validated in parts, in 1 process",
        "1 shape validated whole",
    ]


def test_a_large_hierarchy_of_classes_is_not_carried_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "HIERARCHY", 2)
    shapes = shapes_of(tmp_path, "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:class ex:K .")
    text = (
        CHAIN
        + "ex:1 rdfs:subClassOf ex:K . ex:2 rdfs:subClassOf ex:1 . ex:C rdfs:subClassOf ex:2 ."
    )
    whole, parts, _ = three(quads_of(text), shapes)
    assert parts.results == whole.results
    assert "large hierarchy" in parts.log[0]


def test_targets_of_every_kind_are_found_alike(tmp_path: Path) -> None:
    shapes = shapes_of(
        tmp_path,
        "ex:K a rdfs:Class , sh:NodeShape ; sh:nodeKind sh:Literal ."
        " ex:A a sh:NodeShape ; sh:targetNode ex:a , ex:zero , 5 , 'x'@en ;"
        " sh:nodeKind sh:Literal ."
        " ex:B a sh:NodeShape ; sh:targetObjectsOf ex:p ; sh:nodeKind sh:BlankNode ."
        " ex:D a sh:NodeShape ; sh:targetSubjectsOf ex:q ; sh:targetClass ex:C ;"
        " sh:nodeKind sh:Literal ."
        " ex:E a sh:PropertyShape ; sh:targetClass ex:C ; sh:path ex:p ; sh:class ex:C ."
        " ex:F a sh:NodeShape ; sh:targetClass ex:C ; sh:deactivated true ; sh:class ex:None ."
        " ex:G a sh:NodeShape ; sh:targetClass ex:C ; sh:closed true ; sh:property"
        " [ sh:path ex:p ; sh:maxCount 1 ] ,"
        " [ sh:path ex:r ; sh:minCount 1 ; sh:severity sh:Info ] .",
    )
    store = Store()
    store.extend(quads_of(CHAIN))
    whole, parts, default = three(quads_of(CHAIN), shapes)
    assert whole.results
    assert parts.results == whole.results
    assert set_of(default) == set_of(whole)
    assert parts.targets == whole.targets == default.targets
    assert engines.run(store, shapes, "pyshacl", parts=True).targets == whole.targets


@needs_fast
def test_blank_nodes_keep_their_names(tmp_path: Path) -> None:
    text = "_:a ex:p _:b , ex:c . _:b a ex:C ; ex:x 1 . _:c a ex:C ; ex:p _:a . ex:d a ex:C ."
    shapes = shapes_of(
        tmp_path,
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:closed true ; sh:nodeKind sh:IRI ;"
        " sh:property [ sh:path ex:p ; sh:minCount 1 ; sh:class ex:C ; sh:message 'p' ] ;"
        " sh:message 'closed' .",
    )
    whole, _, default = three(quads_of(PREFIXES + text), shapes)
    assert default.engine == "fast"
    assert default.results == whole.results
    assert len({result.focus for result in default.results}) == 3


# What is not covered ----------------------------------------------------------------------

UNCOVERED = {
    'sh:pattern "(?=a)a"': "sh:pattern",
    'sh:pattern "(a)\\\\1"': "sh:pattern",
    'sh:pattern "\\\\w"': "sh:pattern",
    'sh:pattern "[a-z-[b]]"': "sh:pattern",
    'sh:pattern "a b" ; sh:flags "x"': "sh:flags 'x'",
    'sh:pattern "a.b" ; sh:flags "s"': "sh:flags 's'",
    "sh:datatype rdf:JSON": "sh:datatype rdf:JSON",
    'sh:pattern "^a{2}+$"': "sh:pattern",
    'sh:pattern "^a{1,3}+a$"': "sh:pattern",
    "sh:minInclusive 1": "sh:minInclusive without",
    'sh:datatype xsd:date ; sh:minInclusive "2026-01-01"^^xsd:date': "sh:minInclusive without",
    "sh:lessThan ex:q": "sh:lessThan without",
    "sh:minLength 0": "sh:minLength 0",
    'sh:uniqueLang "1"^^xsd:boolean': "sh:uniqueLang 1",
    "sh:not [ sh:datatype xsd:integer ]": "sh:not over datatypes",
    "sh:qualifiedMaxCount 0 ; sh:qualifiedValueShape [ sh:datatype xsd:integer ]": (
        "sh:qualifiedMaxCount over datatypes"
    ),
    "sh:qualifiedMaxCount 0 ; sh:qualifiedValueShape [ sh:node [ sh:pattern '^a$' ] ]": (
        "sh:qualifiedMaxCount over datatypes"
    ),
    "sh:xone ( [ sh:class ex:K ] [ sh:pattern 'a' ] )": "sh:xone over datatypes",
    'sh:sparql [ sh:select "SELECT $this WHERE { $this ex:p ?x }" ]': "sh:sparql",
    "sh:node ex:S": "shapes that refer to themselves",
    "sh:property [ sh:path ex:q ; sh:class ex:K ]": "sh:property beside a sh:path",
    "sh:closed true": "sh:closed beside a sh:path",
}


@pytest.mark.parametrize(("constraint", "why"), UNCOVERED.items())
def test_what_is_seen_differently_is_not_covered(tmp_path: Path, constraint: str, why: str) -> None:
    text = (
        f"ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ; {constraint} ] ."
    )
    graph = to_rdflib(quads_of(PREFIXES + text))
    nodes = frozenset({*graph.subjects(), *graph.objects()})
    assert any(reason.startswith(why) for reason in uncovered(graph, nodes))


Q = "[ sh:path ex:q ; sh:datatype xsd:integer ]"


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        (f"ex:S sh:property ex:P , {Q} .", True),
        (f"ex:S sh:property ex:P , {Q} . ex:T sh:property ex:P , {Q} .", True),
        (f"ex:S sh:property ex:P , {Q} . ex:T sh:property ex:P .", False),
        (f"ex:S sh:property ex:P , {Q} . ex:T sh:or ( ex:P ) .", False),
        (f"ex:S sh:property ex:P , {Q} . ex:P sh:targetClass ex:C .", False),
        (f"ex:S sh:property ex:P , {Q[:-1]} ; sh:deactivated true ] .", False),
        ("ex:S sh:property ex:P .", False),
        ("ex:P sh:targetClass ex:C .", False),
    ],
)
def test_numbers_are_compared_where_every_way_leads_past_their_datatypes(
    tmp_path: Path, text: str, covered: bool
) -> None:
    ordered = " ex:P sh:path ex:p ; sh:datatype xsd:integer ; sh:lessThanOrEquals ex:q ."
    shapes = shapes_of(tmp_path, text + ordered)
    assert (not uncovered(shapes.graph, shapes.nodes)) == covered


@needs_fast
def test_the_default_engine_says_why_it_is_not_the_fast_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ;"
        ' sh:pattern "(?=a)a" ] .'
    )
    shapes = shapes_of(tmp_path, text)
    ran = engines.run(Data(tuple(quads_of(CHAIN)), {}), shapes)
    assert ran.engine == "pyshacl"
    assert ran.log == ("the fast engine does not cover sh:pattern '(?=a)a'",)
    monkeypatch.setitem(sys.modules, "shacl", None)  # as one of another machine, too
    ran = engines.run(Data(tuple(quads_of(CHAIN)), {}), load_shapes())
    assert ran.engine == "pyshacl"
    assert "not installed" in ran.log[0]
    with pytest.raises(UsageError, match="pip install shacl"):
        engines.run(Data(tuple(quads_of(CHAIN)), {}), shapes, "fast")


@needs_fast
def test_the_fast_engine_warns_of_what_it_does_not_cover(tmp_path: Path) -> None:
    shapes = shapes_of(
        tmp_path,
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ;"
        " sh:property [ sh:path ex:p ; sh:minLength 0 ] .",
    )
    ran = engines.run(Data(tuple(quads_of(CHAIN)), {}), shapes, "fast")
    assert ran.engine == "fast"
    assert ran.warnings == (
        "the fast engine does not cover sh:minLength 0:"
        " the results may differ from those of pySHACL",
    )


def test_what_cannot_be_compared_does_not_conform(tmp_path: Path) -> None:
    """Where pySHACL by itself gives up."""
    shapes = shapes_of(
        tmp_path,
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property"
        " [ sh:path ex:b ; sh:lessThan ex:e ] , [ sh:path ex:b ; sh:lessThanOrEquals ex:e ] .",
    )
    text = PREFIXES + "ex:a a ex:C ; ex:b _:x , 1 ; ex:e 2 . ex:b a ex:C ; ex:b 1 ; ex:e _:y ."
    ran = engines.run(Data(tuple(quads_of(text)), {}), shapes, "pyshacl")
    assert sorted(str(r.focus)[-2] for r in ran.results) == ["a", "a", "b", "b"]


NESTING = "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ; sh:property "
SHARED = (
    "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property ex:P ."
    " ex:P a sh:PropertyShape ; {} sh:path ex:p ; sh:nodeKind sh:IRI ."
)
NUMBERS = (
    NESTING + "[ sh:path ex:q ; sh:datatype xsd:integer ; sh:minInclusive 0 ] ] ;"
    " sh:property [ sh:path ex:n ; sh:datatype xsd:integer ; sh:minInclusive 0 ] ."
)
DAY = (
    "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property"
    " [ sh:path ex:n ; sh:datatype xsd:integer ; sh:minInclusive 0 ; sh:nodeKind sh:IRI ] ."
)
# Shapes, data, and how many results there are of which focus nodes.
RESULTS = {
    "only in a shape in a shape": (NUMBERS, "ex:p ex:b . ex:b ex:q 'x'", "bb"),
    "there and on the target": (NUMBERS, "ex:p ex:b ; ex:n 'x' . ex:b ex:q 'x'", "aabb"),
    "on the target alone": (NUMBERS, "ex:p ex:b ; ex:n 'x' . ex:b ex:q 1", "aa"),
    "twice in doubt": (DAY, "ex:n 'x' , '2026-01-01'^^xsd:date", "aaaaaa"),
    "a day no integer has": (DAY, "ex:n '1x'^^xsd:integer", "aaa"),
    "closed": (
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ;"
        " sh:property [ sh:path ex:p ; sh:closed true ] .",
        "ex:p ex:b ; ex:n 1 . ex:b ex:q 1",
        "a",
    ),
    "on two ways back": (
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property"
        " [ sh:path [ sh:inversePath ( ex:p ex:q ) ] ; sh:maxCount 1 ; sh:nodeKind sh:Literal ] .",
        "ex:n 1 . ex:x ex:p ex:y , ex:z . ex:y ex:q ex:a . ex:z ex:q ex:a",
        "a",
    ),
    "of a shape in another": (SHARED.format(""), "ex:p 1", "a"),
    "of a shape that is a target too": (SHARED.format("sh:targetClass ex:C ;"), "ex:p 1", "aa"),
}


@pytest.mark.parametrize(("shapes", "data", "focus"), RESULTS.values(), ids=RESULTS)
def test_each_result_comes_as_often_as_it_shall(
    tmp_path: Path, shapes: str, data: str, focus: str
) -> None:
    runs = three(quads_of(f"{PREFIXES} ex:a a ex:C ; {data} ."), shapes_of(tmp_path, shapes))
    for run in runs:
        assert "".join(sorted(str(result.focus)[-2] for result in run.results)) == focus


@needs_fast
def test_the_fast_engine_by_name_loses_nothing_of_shapes_in_shapes(tmp_path: Path) -> None:
    shapes = shapes_of(tmp_path, NUMBERS)
    data = Data(tuple(quads_of(PREFIXES + "ex:a a ex:C ; ex:p ex:b . ex:b ex:q 'x' .")), {})
    ran = engines.run(data, shapes, "fast")
    assert len(ran.results) == 2
    assert "may differ" in ran.warnings[0]


NO_MATCH = {  # a value, a constraint on it, and how many values it finds wrong
    "a broken number and a number": ("'x'^^xsd:integer", "sh:{} ex:q", 1),
    "a number and a broken one": ("1", "sh:{} ex:broken", 1),
    "not a number": ("'NaN'^^xsd:double", "sh:{} ex:q", 1),
    "not a number on the other side": ("1", "sh:{} ex:nan", 1),
    "a day and a number": ("'2020-01-01'^^xsd:date", "sh:{} ex:q", 1),
    "a number and a day": ("1", "sh:{} ex:day", 1),
    "a blank node": ("[]", "sh:{} ex:q", 1),
    "a smaller number": ("1", "sh:{} ex:q", 0),
    "a smaller number of another type": ("1.5e0", "sh:{} ex:q", 0),
    "an earlier day": ("'2020-01-01'^^xsd:date", "sh:{} ex:day", 0),
    "a text before": ("'a'", "sh:{} ex:text", 0),
}
NO_MATCH_DATA = (
    "ex:q 2.5 ; ex:broken 'x'^^xsd:integer ; ex:nan 'NaN'^^xsd:double ; ex:text 'b' ;"
    " ex:day '2020-01-02'^^xsd:date"
)
BOUNDS = {
    "a broken number": ("'x'^^xsd:integer", "1", 4),
    "not a number": ("'NaN'^^xsd:double", "1.5", 4),
    "minus not a number": ("'NaN'^^xsd:float", "1e0", 4),
    "a day": ("'2020-01-01'^^xsd:date", "1", 4),
    "a broken day": ("'2020-02-30'^^xsd:date", "'2020-02-01'^^xsd:date", 4),
    "an IRI": ("ex:x", "1", 4),
    "a text": ("'a'", "1", 4),
    "the same number": ("1.0", "1", 2),
    "a larger number": ("2", "1.5", 2),
    "infinity": ("'INF'^^xsd:double", "1.5", 2),
    "a later day": ("'2020-02-02'^^xsd:date", "'2020-02-01'^^xsd:date", 2),
}


@pytest.mark.parametrize("word", ["lessThan", "lessThanOrEquals"])
@pytest.mark.parametrize(("value", "constraint", "wrong"), NO_MATCH.values(), ids=NO_MATCH)
def test_two_values_are_compared_where_they_can_be(
    tmp_path: Path, word: str, value: str, constraint: str, wrong: int
) -> None:
    text = (
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ;"
        f" sh:property [ sh:path ex:p ; {constraint.format(word)} ] ."
    )
    data = quads_of(f"{PREFIXES} ex:a a ex:C ; ex:p {value} ; {NO_MATCH_DATA} .")
    for run in three(data, shapes_of(tmp_path, text)):
        assert len(run.results) == wrong


@pytest.mark.parametrize(("value", "bound", "wrong"), BOUNDS.values(), ids=BOUNDS)
def test_a_value_is_held_against_bounds_where_it_can_be(
    tmp_path: Path, value: str, bound: str, wrong: int
) -> None:
    shapes = "".join(
        f"ex:{word} a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ;"
        f" sh:{word} {bound} ] . "
        for word in ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")
    )
    data = quads_of(f"{PREFIXES} ex:a a ex:C ; ex:p {value} .")
    for run in three(data, shapes_of(tmp_path, shapes)):
        assert len(run.results) == wrong


@needs_fast
@pytest.mark.parametrize(
    ("value", "wrong"), [("'NaN'^^xsd:double", 5), ("'x'^^xsd:double", 6), ("1e0", 2)]
)
def test_the_fast_engine_compares_numbers_alike(tmp_path: Path, value: str, wrong: int) -> None:
    shapes = "".join(
        f"ex:{word} a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ;"
        f" sh:{word} {bound} ; sh:datatype xsd:double ] ,"
        " [ sh:path ex:q ; sh:datatype xsd:double ] . "
        for word, bound in {
            "minInclusive": 1,
            "maxInclusive": 1,
            "minExclusive": 1,
            "maxExclusive": 1,
            "lessThan": "ex:q",
        }.items()
    )
    data = quads_of(f"{PREFIXES} ex:a a ex:C ; ex:p {value} ; ex:q 2e0 .")
    whole, parts, default = three(data, shapes_of(tmp_path, shapes))
    assert default.engine == "fast"
    # One broken number is no xsd:double either, as each of the five shapes says.
    assert len(whole.results) == (10 if "x'" in value else wrong)
    assert set_of(default) == set_of(parts) == set_of(whole)


def test_reports_name_the_engine() -> None:
    report = validate(read([EXAMPLE]), engine="pyshacl")
    assert report.engine == "pyshacl"
    assert report.passed


def test_a_shape_that_only_looks_at_a_node_needs_no_data() -> None:
    shapes = load_shapes()
    named = rdflib_term(NamedNode("https://w3id.org/kg/shapes#Named"))
    assert reach(shapes.graph, named).needs == {}


def test_messages_describe_the_nodes_of_their_own_shapes() -> None:
    # pySHACL remembers how it wrote a blank node by its name and the address of its graph, which
    # in one process is soon that of another graph.
    remembered = stringify_blank_node.dict_cache
    remembered[0, "s1"] = "what another graph called s1"
    engine.run(Graph(), Graph().parse(data="[] a <http://www.w3.org/ns/shacl#NodeShape> ."))
    assert (0, "s1") not in remembered
