"""What may be written as a value of a datatype, for kg and for both engines."""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache

import pyshacl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store
from rdflib import SH as SHACL
from rdflib import Graph, URIRef
from rdflib import Literal as Text
from rdflib.compare import isomorphic

from kg.validate import engine as reference
from kg.validate import engines, fast, validate
from kg.validate.datatypes import well_formed
from kg.validate.kept import Kept, as_kept
from kg.validate.read import Data
from kg.validate.report import Result
from kg.validate.shapes import Shapes, load_shapes
from kg.validate.terms import to_rdflib

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SH = str(SHACL)
EX = "http://example.org/"
PREFIXES = f"@prefix ex: <{EX}> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
ENGINES = ["pyshacl", *(["auto", "fast"] if fast.installed() else [])]

needs_fast = pytest.mark.skipif(
    not fast.installed(), reason="the package shacl is not installed (extra: fast)"
)

# What is right, and what is wrong, with "|" between them.
NUMBERS = {
    "boolean": ("true|false|1|0", "TRUE|yes| true|true ||01|2"),
    "decimal": ("0|-1.50|+.5|5.|" + "9" * 60, "1e3|INF|NaN|.||1_0|1,5|-|٣|1 |0x1"),
    "integer": ("0|-0|+7|007|" + "9" * 5000, "5_0|٣|１| 1|1\n|1.0|1e3||+|--1|²"),
    "nonNegativeInteger": ("0|-0|+12|-000", "-1|1_0|| 1|٣"),
    "nonPositiveInteger": ("0|-1|+0|-99", "1|+1|-1_0|"),
    "positiveInteger": ("1|+01|100", "0|-1|+0|1_0|"),
    "negativeInteger": ("-1|-010", "0|-0|1|-1_0|"),
    "byte": ("127|-128|+0|-0|000000000000000000000127", "128|-129|1_0|٣||9" + "9" * 5000),
    "short": ("32767|-32768", "32768|-32769|1_0"),
    "int": ("2147483647|-2147483648", "2147483648|-2147483649|1_0| 1"),
    "long": ("9223372036854775807|-9223372036854775808", "9223372036854775808|1_0"),
    "unsignedByte": ("255|+0|-0", "256|-1|1_0"),
    "unsignedShort": ("65535|0", "65536|-1|1_0"),
    "unsignedInt": ("4294967295|0", "4294967296|-1|1_0"),
    "unsignedLong": ("18446744073709551615|-0", "18446744073709551616|-1|1_0"),
    "double": ("1|-1.5e3|.5E-7|1.e+0|INF|-INF|+INF|NaN|1e999", "inf|nan|1_0|infinity|e3|1e||-NaN"),
    "float": ("1|-1.5e3|INF|+INF|NaN", "inf|+inf|+NaN|1_0|Infinity|1e|1e3.5|"),
}
DATES = {
    "date": (
        "2020-01-01|2020-02-29Z|2000-02-29|0000-02-29|-0004-02-29|12000-02-29|2020-12-31-14:00"
        "|10000-01-01|2020-01-01+13:59",
        "2020-01-01+15:00|2020-W01-1|20200101|1900-02-29|2021-02-29|12100-02-29|2020-04-31"
        "|2020-13-01|2020-00-01|2020-01-00|02020-01-01|+2020-01-01|20-01-01|2020-01-01+14:01"
        "|2020-01-01z|2020-01-01T00:00:00|٢٠٢٠-01-01|2020-1-1|2020-01-01\n|2020-001|",
    ),
    "dateTime": (
        "2020-01-01T00:00:00|2020-01-01T24:00:00|2020-01-01T24:00:00.00Z|-0001-01-01T00:00:00"
        "|0000-01-01T00:00:00|10000-01-01T00:00:00.5-05:30|2020-02-29T23:59:59.999999999+14:00",
        "2020-01-01|2020-01-01 00:00:00|2020-01-01T24:00:01|2020-01-01T24:30:00|2020-01-01T00:00"
        "|2020-01-01T24:00:00.1|2020-01-01T00:00:60|2020-01-01t00:00:00|2020-01-01T00:00:00,5"
        "|2020-01-01T00:00:00.|2020-01-01T00:00:00+0100|20200101T000000|2021-02-29T00:00:00"
        "|2020-01-01T25:00:00|2020-01-01T00:00:00+15:00|2020-W01-1T00:00:00",
    ),
    "dateTimeStamp": (
        "2020-01-01T00:00:00Z|10000-01-01T24:00:00-05:30",
        "2020-01-01T00:00:00|soon|2020-01-01|2020-01-01 00:00:00Z|2021-02-29T00:00:00Z",
    ),
    "time": (
        "00:00:00|23:59:59.5Z|24:00:00|24:00:00.0+01:00",
        "24:00:01|24:00:00.1|00:00|000000|T00:00:00|25:00:00|00:60:00|00:00:60|00:00:00+24:00",
    ),
    "gYear": ("2020|0000|-0044|12345|2020Z|2020+14:00", "abcd|20|02020|+2020|2020-01|2020+15:00|"),
    "gYearMonth": ("2020-01|-0044-12Z|12345-06", "2020-13|2020-00|2020|2020-1|abcd-01|2020-01-01"),
    "gMonth": ("--01|--12Z|--10-05:00", "--13|--00|--1|--01--|01|-01|--01+15:00"),
    "gMonthDay": ("--01-31|--02-29|--04-30Z", "--02-30|--04-31|--13-01|--01-32|--01-00|01-01"),
    "gDay": ("---01|---31|---15+01:00", "---32|---00|---1|--01|01|---01+15:00"),
}
OTHERS = {
    "duration": (
        "P1Y|P1M|PT1M|-P1Y2M3DT4H5M6.7S|P0D|PT0.5S|P14M|" + f"P{'9' * 30}Y",
        "P|PT|P1YT|P1M1Y|1Y|P1S|PT1D|P-1Y|P1.5Y|P1W|+P1Y|PT.5S|PT1.S|p1y|P1DT|",
    ),
    "yearMonthDuration": ("P1Y|-P2Y3M|P14M", "P1D|P1Y1D|PT1H|P|P1M1Y|soon"),
    "dayTimeDuration": ("P1D|-P1DT2H|PT5M6.7S|PT0S", "P1Y|P1M|P|PT|P1DT|P1Y1D|soon"),
    "hexBinary": ("|0A|ffAB", "F|0x0A|GG|0A 0B| 0A|ff\n"),
    "base64Binary": ("|YQ==|YWI=|YWJj|Y W J j|YWJj YQ = =", "YQ|YR==|YQ=|Y=|YWJ*|YQ==YQ==| YQ==|="),
    "language": ("en|de-AT|x-klingon|zh-Hant-TW", "|en_GB|toolongone|en-|-en|e1| en|é"),
    "NMTOKEN": ("a|1|-a|a:b|é.·", "|a b|a\n|a,b| a"),
    "Name": ("a|_a|:a|a:b|é|a-1.·", "|1a|-a|.a|a b|·a"),
    "NCName": ("a|_a|é|a-1.·|𐀀", "|a:b|:a|1a|-a|a b"),
    "string": ("|a| a\tb\n|\x0b", None),
    "anyURI": ("|http://e/|a b|%zz|\\", None),
    "normalizedString": ("| a  b ", "a\tb|a\n|\r"),
    "token": ("|a|a b", " a|a |a  b|a\tb|a\n"),
}
JSON = {
    "JSON": (
        '{}|[1]|"a"|null|-1.5e3| [1] |{"a": [true]}|' + "9" * 5000,
        "[1|{a: 1}|'a'|NaN|Infinity|-Infinity|01||[1,]|+1|True|\ufeff1",
    )
}
TABLE = {
    **{XSD + name: forms for name, forms in {**NUMBERS, **DATES, **OTHERS}.items()},
    **{RDF + name: forms for name, forms in JSON.items()},
}


def split(forms: tuple[str, str | None]) -> tuple[list[str], list[str]]:
    right, wrong = forms
    return right.split("|"), [] if wrong is None else wrong.split("|")


def quads_of(forms: Iterable[str], datatype: str) -> tuple[Quad, ...]:
    """A node for each way to write a value, by its number."""
    kind, predicate = NamedNode(datatype), NamedNode(f"{EX}p")
    return tuple(
        Quad(NamedNode(f"{EX}n{number}"), predicate, Literal(form, datatype=kind))
        for number, form in enumerate(forms)
    )


@cache
def shapes_of(datatype: str, more: str = "") -> Shapes:
    text = (
        f"{PREFIXES} ex:S a sh:NodeShape ; sh:targetSubjectsOf ex:p ;"
        f" sh:property [ sh:path ex:p ; sh:datatype <{datatype}> {more} ] ."
    )
    return load_shapes(Graph().parse(data=text))


def number(name: str) -> int:
    return int(name.removeprefix(f"{EX}n"))


# What XML Schema says ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("datatype", "forms"),
    TABLE.items(),
)
def test_what_may_be_written(datatype: str, forms: tuple[str, str | None]) -> None:
    right, wrong = split(forms)
    assert [form for form in right if well_formed(form, datatype) is not True] == []
    assert [form for form in wrong if well_formed(form, datatype) is not False] == []


@pytest.mark.parametrize(
    "datatype", [f"{EX}own", f"{RDF}HTML", f"{RDF}XMLLiteral", f"{RDF}langString", f"{XSD}QName"]
)
def test_of_other_datatypes_nothing_is_said(datatype: str) -> None:
    assert well_formed("soon", datatype) is None


def test_each_day_of_four_centuries_is_one() -> None:
    one, found = date(1900, 1, 1), 0
    while one.year < 2301:
        found += well_formed(one.isoformat(), f"{XSD}date") is True
        one += timedelta(1)
    assert found == (one - date(1900, 1, 1)).days
    years = range(12_500)
    leap = [year for year in years if well_formed(f"{year:04}-02-29", f"{XSD}date")]
    assert leap == list(filter(isleap, years))


def test_json_that_is_very_deep_is_taken() -> None:
    assert well_formed("[" * 100_000 + "]" * 100_000, f"{RDF}JSON") is True


# The engines ------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("datatype", "forms"), TABLE.items())
def test_both_engines_say_so(datatype: str, forms: tuple[str, str | None], engine: str) -> None:
    if engine == "fast" and datatype == f"{RDF}JSON":
        pytest.skip("the fast engine alone does not know rdf:JSON")
    right, wrong = split(forms)
    data = to_rdflib(quads_of([*right, *wrong], datatype))
    report = validate(data, shapes_of(datatype).graph, engine=engine)
    found = {number(result.focus.value) for result in report.results}
    assert found == set(range(len(right), len(right) + len(wrong)))
    assert len(report.results) == len(wrong)
    assert {result.constraint.value.removeprefix(SH) for result in report.results} <= {
        "DatatypeConstraintComponent"
    }


@needs_fast
def test_the_fast_engine_says_so_without_pyshacl() -> None:
    settled = []
    for datatype, forms in TABLE.items():
        right, wrong = split(forms)
        data = Data(quads_of([*right, *wrong], datatype), {})
        ran = engines.run(data, shapes_of(datatype))
        assert ran.engine == ("pyshacl" if datatype == f"{RDF}JSON" else "fast")
        settled += [datatype.removeprefix(XSD) for line in ran.log if "last word" in line]
    # It has no numbers of sixty digits.
    assert settled == ["decimal", "duration"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("datatype", "more", "expected"),
    [
        # Each value in bad form is told once, whatever else the shape asks for.
        ("gYear", "", {"abcd": "D", "20": "D"}),
        ("gYear", '; sh:pattern "^20"', {"abcd": "DP", "20": "D", "1999": "P"}),
        (
            "gYear",
            '; sh:pattern "^20" ; sh:severity sh:Info',
            {"abcd": "DP", "20": "D", "1999": "P"},
        ),
        ("dateTime", '; sh:pattern "^20"', {"abcd": "DP", "20": "D", "2020": "D", "1999": "DP"}),
        ("gYear", "; sh:in ( 1 )", {"abcd": "DI", "20": "DI", "1999": "I", "2020": "I"}),
        ("integer", "; sh:maxInclusive 1999", {"abcd": "DM", "2020": "M"}),
    ],
)
def test_beside_other_constraints(
    datatype: str, more: str, expected: dict[str, str], engine: str
) -> None:
    forms = ["abcd", "20", "1999", "2020"]
    data = Data(quads_of(forms, XSD + datatype), {})
    found: dict[str, str] = {}
    for result in engines.run(data, shapes_of(XSD + datatype, more), engine).results:
        form = forms[number(result.focus.value)]
        kind = result.constraint.value.removeprefix(SH)[0]
        found[form] = "".join(sorted(found.get(form, "") + kind))
    assert found == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_of_another_datatype_is_told_once(engine: str) -> None:
    subject, predicate = NamedNode(f"{EX}n0"), NamedNode(f"{EX}p")
    values = [
        Literal("abcd"),
        Literal("2020"),
        Literal("2020", language="en"),
        Literal("2020", datatype=NamedNode(f"{XSD}date")),
        NamedNode(f"{EX}2020"),
        BlankNode("b"),
    ]
    data = Data(tuple(Quad(subject, predicate, value) for value in values), {})
    results = engines.run(data, shapes_of(f"{XSD}gYear"), engine).results
    assert {(str(one.value), one.constraint.value.removeprefix(SH)[0]) for one in results} == {
        (str(value), "D") for value in values
    }
    assert len(results) == len(values)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_choice_of_datatypes_takes_none_in_bad_form(engine: str) -> None:
    shapes = load_shapes(
        Graph().parse(
            data=f"{PREFIXES} ex:S a sh:NodeShape ; sh:targetSubjectsOf ex:p ; sh:property"
            f" [ sh:path ex:p ; sh:or ( [ sh:datatype <{XSD}gYear> ]"
            f" [ sh:datatype <{XSD}date> ] ) ] ."
        )
    )
    data = Data(quads_of(["2020", "soon", "2020-01-01"], f"{XSD}gYear"), {})
    results = engines.run(data, shapes, engine).results
    assert [number(result.focus.value) for result in results] == [1, 2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("datatype", "form", "bound"),
    [
        ("integer", "5_0", "1"),
        ("decimal", "1e3", "1"),
        ("double", "1_0", "1"),
        ("dateTime", "2020-01-01", f'"2000-01-01T00:00:00"^^<{XSD}dateTime>'),
        ("date", "2020-W01-1", f'"2000-01-01"^^<{XSD}date>'),
    ],
)
def test_what_is_in_bad_form_is_not_compared(
    datatype: str, form: str, bound: str, engine: str
) -> None:
    data = Data(quads_of([form], XSD + datatype), {})
    ran = engines.run(data, shapes_of(XSD + datatype, f"; sh:minInclusive {bound}"), engine)
    kinds = [result.constraint.value.removeprefix(SH)[:4] for result in ran.results]
    assert sorted(kinds) == ["Data", "MinI"]


def test_the_report_of_pyshacl_is_its_own_but_for_these() -> None:
    forms = ["1", "x", "5_0", ""]
    data = to_rdflib(quads_of(forms, f"{XSD}integer"))
    shapes = shapes_of(f"{XSD}integer").graph
    report = reference.run(data, shapes).graph
    odd = Text("5_0", datatype=URIRef(f"{XSD}integer"), normalize=False)
    _, theirs, _ = pyshacl.validate(data, shacl_graph=shapes, inference="none")
    for result in list(report.subjects(SHACL.value, odd)):
        report.remove((None, None, result))
        report.remove((result, None, None))
    assert isomorphic(report, theirs)


SIGNS = " \t\n_+-.:,eETZPYMDHSINFaf/=09٣²\x00\xa0"


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A datatype, and ways to write its values, most of them with a sign or two changed."""
    datatype = draw(st.sampled_from(sorted(TABLE)))
    right, wrong = split(TABLE[datatype])
    known = [form for form in right + wrong if len(form) < 100]
    forms = []
    for _ in range(draw(st.integers(1, 30))):
        form = draw(st.sampled_from(known))
        for _ in range(draw(st.integers(0, 2))):
            at = draw(st.integers(0, len(form)))
            new = draw(st.sampled_from(SIGNS) | st.just(""))
            form = form[:at] + new + form[at + draw(st.integers(0, 1)) :]
        forms.append(form)
    return datatype, forms


@needs_fast
@settings(max_examples=60)
@given(spoilt())
def test_the_default_engine_says_what_pyshacl_says(given_forms: tuple[str, list[str]]) -> None:
    datatype, forms = given_forms
    quads = quads_of(forms, datatype)
    store = Store()
    store.extend(map(as_kept, quads))
    wrong = {at for at, form in enumerate(forms) if well_formed(form, datatype) is False}
    first, *others = (
        engines.run(data, shapes_of(datatype), engine).results
        for data in (Data(quads, {}), Data(Kept(store), {}))
        for engine in ("pyshacl", "auto")
    )
    assert {number(result.focus.value) for result in first} == wrong
    for results in others:
        assert [facts(one) for one in results] == [facts(one) for one in first]


def facts(result: Result) -> tuple[object, ...]:
    return result.focus, result.path, result.value, result.severity, result.shape, result.constraint
