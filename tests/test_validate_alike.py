"""What the engines once differed in: all say the same, in memory, in a store, and in parts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, Store, parse
from rdflib import Graph

from kg.validate import engines, fast
from kg.validate.kept import Kept, as_kept
from kg.validate.read import Data
from kg.validate.shapes import load_shapes

PREFIXES = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ENGINES = ["pyshacl", *(["auto"] if fast.installed() else [])]
AIM = "ex:S a sh:NodeShape ; sh:targetClass ex:C ; "


def ways(data: str, shapes: str) -> list[tuple[int, list[tuple[str, str, str]]]]:
    """The number of focus nodes and the results, in each way that there is."""
    quads = list(parse((PREFIXES + data).encode(), RdfFormat.TURTLE))
    store = Store()
    store.extend(map(as_kept, quads))
    loaded = load_shapes(Graph().parse(data=PREFIXES + shapes))
    found = []
    for given_data in (Data(tuple(quads), {}), Data(Kept(store), {})):
        for engine, parts in [(engine, False) for engine in ENGINES] + [("pyshacl", True)]:
            ran = engines.run(given_data, loaded, engine=engine, parts=parts)
            results = [(str(r.focus), str(r.value), str(r.constraint)) for r in ran.results]
            found.append((ran.focus_nodes, sorted(results)))
    return found


@pytest.mark.parametrize(
    ("classes", "nodes"),
    [
        ("_:k rdfs:subClassOf ex:C . ex:a a _:k .", 1),
        ("_:k rdfs:subClassOf ex:C . ex:a a _:k . ex:b a ex:C .", 2),
        ("ex:K rdfs:subClassOf _:k . _:k rdfs:subClassOf ex:C . ex:a a ex:K . ex:b a _:k .", 2),
        (
            "_:k rdfs:subClassOf ex:C , _:k . ex:a a _:k . _:l rdfs:subClassOf ex:D . ex:b a _:l .",
            1,
        ),
    ],
)
def test_classes_without_a_name_have_members_too(classes: str, nodes: int) -> None:
    data = classes + "\n".join(f" ex:{name} ex:p 1, 2 ; ex:n 9 ." for name in "ab")
    shapes = AIM + (
        "sh:property [ sh:path ex:p ; sh:maxCount 1 ] ,"
        " [ sh:path ex:n ; sh:datatype xsd:integer ; sh:maxInclusive 5 ] ."
    )
    first, *others = ways(data, shapes)
    assert (first[0], len(first[1])) == (nodes, 2 * nodes)
    assert all(other == first for other in others)


@pytest.mark.parametrize("true", ["true", '"1"^^xsd:boolean'])
def test_what_is_true_is_so_however_it_is_written(true: str) -> None:
    disjoint = f"sh:qualifiedMinCount 1 ; sh:qualifiedValueShapesDisjoint {true}"
    shapes = AIM + (
        f"sh:closed {true} ; sh:property"
        f" [ sh:path ex:p ; sh:qualifiedValueShape [ sh:class ex:D ] ; {disjoint} ] ,"
        f" [ sh:path ex:p ; sh:qualifiedValueShape [ sh:class ex:E ] ; {disjoint} ] ."
    )
    first, *others = ways("ex:a a ex:C ; ex:p ex:b ; ex:q 1 . ex:b a ex:D , ex:E .", shapes)
    assert len(first[1]) == 4  # closed twice; neither shape has a value of its own kind alone
    assert all(other == first for other in others)


@pytest.mark.parametrize(
    "held",
    [
        "sh:property [ sh:path ex:p ; sh:qualifiedValueShape ex:Whole ; sh:qualifiedMinCount 1 ;"
        " sh:qualifiedMaxCount 1 ]",
        "sh:node ex:Whole",
        "sh:not ex:Whole",
        "sh:node [ sh:not ex:Whole ]",
        "sh:or ( ex:Whole [ sh:class ex:D ] )",
        "sh:xone ( ex:Whole [ sh:class ex:D ] )",
        "sh:and ( ex:Whole )",
    ],
)
def test_a_shape_with_a_target_is_whole_where_another_refers_to_it(held: str) -> None:
    shapes = (
        AIM
        + held
        + (
            " .\nex:Whole a sh:NodeShape ; sh:targetClass ex:C ;"
            " sh:property [ sh:path ex:q ; sh:minCount 2 ] ,"
            " [ sh:path ex:q ; sh:datatype xsd:integer ] .\n"
        )
    )
    data = "ex:a a ex:C ; ex:p ex:b ; ex:q 1 . ex:b a ex:C , ex:D ; ex:q 1, 2 ; ex:p ex:a, ex:b ."
    first, *others = ways(data, shapes)
    assert first[1]
    assert all(other == first for other in others)


TAGS = ["zh", "zh-Hant", "zh-Hant-TW", "zh-Hans", "en", "en-US", "EN-us-x-y", "e", "*", "zh-Han"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(TAGS), min_size=1, max_size=3), st.sampled_from(TAGS[:7]))
def test_ranges_of_languages_match_as_in_sparql(ranges: list[str], tag: str) -> None:
    listed = " ".join(f'"{one}"' for one in ranges)
    data = f'ex:a a ex:C ; ex:p "x"@{tag} , "plain" .'
    shapes = AIM + f"sh:property [ sh:path ex:p ; sh:languageIn ( {listed} ) ] ."
    query = " || ".join(f'langMatches(lang("x"@{tag}), "{one}")' for one in ranges)
    fits = bool(Graph().query(f"ASK {{ FILTER({query}) }}"))
    first, *others = ways(data, shapes)
    assert len(first[1]) == (1 if fits else 2)
    assert all(other == first for other in others)
