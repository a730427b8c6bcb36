"""The named queries, what is asked through them, and `kg query`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, QuerySolutions, QueryTriples, Store
from small_graph import BASE, TURTLE, build

from kg import queries
from kg.cli import main, show
from kg.errors import QueryError, UsageError
from kg.queries import find
from kg.queries.ask import ask, is_update, refuse_service
from kg.queries.prefixes import prefixes_of
from kg.queries.syntax import fault, refuse_deep, unknown_prefix
from kg.queries.views import rows
from kg.store import open_store

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("queries") / "graph")


@pytest.fixture(scope="module")
def store(graph: Path) -> Store:
    return open_store(graph)


def run(graph: Path, *arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["query", "-g", str(graph), *arguments], input=stdin)


# The files


@pytest.mark.parametrize("name", queries.names())
def test_every_file_describes_itself_and_runs(name: str, store: Store) -> None:
    query = queries.load(name)
    assert query.title[0].isupper()
    assert not query.title.endswith(".")
    assert query.about.endswith(".")
    assert "ORDER BY" in query.text
    for parameter in query.parameters:
        number = parameter.name in ("limit", "offset")
        assert (parameter.kind == "number") == number
        place = parameter.name.upper() if number else f"VALUES ?{parameter.name} {{"
        assert place in query.text
    ask(store, query.text)  # as it stands, without prefixes of ours
    used = set(re.findall(r"\b([a-z]+):", re.sub(r"<[^>]*>", "", query.text)))
    assert used == set(re.findall(r"PREFIX ([a-z]+):", query.text))


@pytest.mark.parametrize("name", queries.names())
def test_every_order_is_total(name: str, store: Store) -> None:
    """The last word of the order is the thing itself, or all columns are in the order."""
    query = queries.load(name)
    result = ask(store, query.text)
    order = query.text[query.text.rindex("ORDER BY") :]
    if isinstance(result, QuerySolutions):
        columns = [str(variable) for variable in result.variables]
        key = {"counts": "?order", "concept-types": "?type"}
        by_year = ("papers-by-year", "papers-by-year-of-author")
        key |= dict.fromkeys(by_year, "?year")
        ties = name.startswith("ties-") and "?first ?second" in order
        assert columns[-1] in order or ties or key[name] in order
    else:
        assert isinstance(result, QueryTriples)


def test_docs_list_every_query() -> None:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate_queries.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (DOCS / "queries.md").read_text(encoding="utf-8")
    assert written == module.page(), "run: python docs/generate_queries.py"


# What they answer


def asked(store: Store, name: str, **values: str) -> list[tuple[object, ...]]:
    things = {key: BASE + value for key, value in values.items()}
    return [tuple(row.values()) for row in rows(store, name, **things)]


def test_concepts_of_author(store: Store) -> None:
    found = asked(store, "concepts-of-author", author="person/ada-bly")
    assert [row[:3] for row in found] == [
        ("induction head", 2, 1),
        ("associative memory", 1, 1),
        ("ImageNet-1k", 1, 0),
        ("transformer", 1, 0),
    ]


def test_papers_of_concept_have_authors_in_order(store: Store) -> None:
    assert asked(store, "papers-of-concept", concept="concept/induction-head") == [
        (2026, "Memory with heads", "Ada Bly, J. Smith", BASE + "paper/memory-with-heads"),
        (2024, "Heads that copy", "Zoë Müller, Ada Bly", BASE + "paper/arxiv/2401.00001"),
    ]


def test_paper_without_year_and_authors(store: Store) -> None:
    last = rows(store, "newest-papers")[-1]
    assert last == {
        "title": "We measure transformers …",
        "paper": BASE + "paper/text/untitled-1",
    }


def test_coauthors_and_shared_concepts(store: Store) -> None:
    names = [row[:2] for row in asked(store, "coauthors", author="person/ada-bly")]
    assert names == [("J. Smith", 1), ("Zoë Müller", 1)]
    shared = asked(store, "shared-concepts", first="person/ada-bly", second="person/zoë-müller")
    assert [row[:3] for row in shared] == [("induction head", 2, 1), ("transformer", 1, 1)]


def test_concepts_by_year_of_all_and_of_one(store: Store) -> None:
    assert [row[:3] for row in asked(store, "concepts-by-year")] == [
        (2026, "ImageNet-1k", 1),
        (2026, "associative memory", 1),
        (2026, "induction head", 1),
        (2024, "induction head", 1),
        (2024, "transformer", 1),
    ]
    one = asked(store, "concepts-by-year", concept="concept/transformer")
    assert [row[:3] for row in one] == [(2024, "transformer", 1)]


def test_introduced_concepts_of_all_and_of_one(store: Store) -> None:
    assert len(asked(store, "introduced-concepts")) == 1
    assert len(asked(store, "introduced-concepts", author="person/zoë-müller")) == 1
    assert asked(store, "introduced-concepts", author="person/j-smith") == []


def test_counts(store: Store) -> None:
    assert dict(asked(store, "counts")) == {
        "papers": 3,
        "people": 5,
        "concepts": 5,
        "mentions": 1,
        "source records": 3,
        "source documents": 1,
        "triples": 130,
    }


def test_works_on_follows_main_concepts(store: Store) -> None:
    text = queries.load("works-on").bind({"author": [NamedNode(BASE + "person/ada-bly")]})
    found = [triple.object.value.rpartition("/")[2] for triple in ask(store, text)]
    assert found == ["associative-memory", "induction-head"]


def test_limit(store: Store) -> None:
    text = queries.load("top-concepts").bind({"limit": [queries.number("2")]})
    assert len(list(ask(store, text))) == 2


# Binding


def test_values_are_terms_and_never_text(store: Store) -> None:
    evil = 'x" } ?s ?p ?o . VALUES ?name { "y'
    text = queries.load("names-of-people").bind({"name": [Literal(evil)]})
    assert list(ask(store, text)) == []
    brace = queries.load("shared-concepts").bind(
        {
            "first": [Literal("VALUES ?second { <a:a> }")],
            "second": [NamedNode("https://example.org/second")],
        }
    )
    assert '"VALUES ?second { <a:a> }"' in brace
    with pytest.raises(UsageError, match="is not an IRI"):
        find.the_one(store, "<https://example.org/> } #>")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "coauthors needs author: -p author=… \\(person, e.g. "),
        ({"person": "Ada Bly"}, "coauthors has no parameter person; it takes author"),
        ({"author": "Ada Blu"}, 'there is no person called "Ada Blu" .*near it are: Ada Bly'),
        ({"author": "Smith"}, '"Smith" names several things.*Jim Smith <.*; Jo Smith <'),
        ({"author": "induction head"}, "there is no person called"),
        ({"author": BASE + "person/nobody"}, "there is no person called"),
    ],
)
def test_bad_parameters(store: Store, values: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find.bind(store, queries.load("coauthors"), values)


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "", "٣", "9" * 30])
def test_bad_limit(store: Store, value: str) -> None:
    with pytest.raises(UsageError, match="is not a whole number"):
        find.bind(store, queries.load("top-concepts"), {"limit": value})


def test_unknown_query_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r'"coauthor"; did you mean coauthors\?.*top-concepts'):
        queries.load("coauthor")
    with pytest.raises(UsageError):
        queries.load("../queries/counts")


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ("induction head", "concept/induction-head"),
        ("IH", "concept/induction-head"),
        (" Induction  HEAD ", "concept/induction-head"),
        ("zoe muller", "person/zoë-müller"),
        ("ZOË MÜLLER", "person/zoë-müller"),
        ("Zoe\u0308 Mu\u0308ller", "person/zoë-müller"),
        ("A. Bly", "person/ada-bly"),
        ("heads that copy", "paper/arxiv/2401.00001"),
        ("arXiv:2401.00001", "paper/arxiv/2401.00001"),
        ("2401.00001", "paper/arxiv/2401.00001"),
        (f"<{BASE}concept/transformer>", "concept/transformer"),
        (f"{BASE}person/zoë-müller", "person/zoë-müller"),
    ],
)
def test_things_are_found_by_any_name(store: Store, name: str, iri: str) -> None:
    assert find.the_one(store, name).iri == BASE + iri


def test_categories_are_no_concepts(store: Store) -> None:
    assert find.find(store, "Machine Learning") == []


# Asking


def test_a_syntax_error_has_its_place_on_one_line(store: Store) -> None:
    with pytest.raises(QueryError) as caught:
        ask(store, "SELECT *\n{ ?s ?p ?o . FOO }")
    message = str(caught.value)
    assert message.startswith("the query is not valid SPARQL: line 2, column ")
    assert "\n" not in message
    assert "\\u" not in message


UPDATES = [
    "INSERT DATA { <a:a> <a:b> <a:c> }",
    "# a remark\nPREFIX e: <http://e/>\nBASE <http://b/> DELETE WHERE { ?s ?p ?o }",
    "LOAD <file:///etc/passwd>",
    "clear all",
    "DROP ALL",
]


@pytest.mark.parametrize("update", UPDATES)
def test_updates_are_refused(store: Store, update: str) -> None:
    assert is_update(update)
    with pytest.raises(QueryError, match="updates are not available: the graph is read-only"):
        ask(store, update)


class Listener:
    """A socket on this machine that counts who comes."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        self.visits = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                visitor, _ = self.socket.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()


@pytest.fixture
def listener() -> Listener:
    return Listener()


# Oxigraph asks for no space around keywords.
SERVICES = [
    "SELECT * { SERVICE <URL> { ?s ?p ?o } }",
    "SELECT * { service silent <URL> { ?s ?p ?o } }",
    "SELECT * {SERVICESILENT<URL>{?s ?p ?o}}",
    "SELECT * { SERVICE#c {\n<URL>#c\n{ ?s ?p ?o } }",
    "SELECT * { VALUES ?u { <URL> } SERVICE ?u { ?s ?p ?o } }",
    "SELECT * { VALUES ?u { <URL> } SERVICE $u{ ?s ?p ?o } }",
    "PREFIX e: <URL> SELECT * { SERVICE e: { ?s ?p ?o } }",
    "PREFIX e: <URL> SELECT * {SERVICEe:{?s ?p ?o}}",
    "PREFIX e: <URL> SELECT * { SERVICE e:x%20y\\~ { ?s ?p ?o } }",
    "BASE <URL> SELECT * { SERVICE <a> { ?s ?p ?o } }",
    "PREFIX e: <URL> SELECT * { SERVICE e:#c d\n{ ?s ?p ?o } }",
    "PREFIX e: <URL> SELECT * { SERVICE e:#{\n#{\n{ ?s ?p ?o } }",
    "PREFIX SILENTe: <URL> SELECT * { SERVICE SILENTe:{ ?s ?p ?o } }",
    f"PREFIX {'e' * 9000}: <URL> SELECT * {{ SERVICE {'e' * 9000}: {{ ?s ?p ?o }} }}",
    f"SELECT * {{ SERVICE {' ' * 9000} <URL> {{ ?s ?p ?o }} }}",
    f"SELECT * {{ SERVICE #{'e' * 9000}\n <URL> {{ ?s ?p ?o }} }}",
    f"SELECT * {{ SERVICE <URL{'e' * 9000}> {{ ?s ?p ?o }} }}",
    f"SELECT * {{ VALUES ?{'e' * 9000} {{ <URL> }} SERVICE ?{'e' * 9000} {{ ?s ?p ?o }} }}",
    "SELECT * { ?s a ?t ; ?p 1SERVICE <URL> { ?a ?b ?c } }",
    "SELECT * { OPTIONAL { ?s ?p trueSERVICE<URL>{ ?a ?b ?c } } }",
    "SELECT * { ?s ?p 'a>'SERVICE <URL> { ?a ?b ?c } }",
    "SELECT * { FILTER('<'<'a>') SERVICE <URL> {} FILTER('b'='b') }",
    "SELECT * { ?s ?p ?o.SERVICE <URL> { ?a ?b ?c } }",
    "SELECT * { FILTER EXISTS { SERVICE <URL> { ?a ?b ?c } } }",
    "SELECT * { { SELECT * { SERVICE <URL> { ?a ?b ?c } } } }",
    "SELECT * { ?s <a:\\u0041#> ?o SERVICE <URL> { ?a ?b ?c } }",
    "CONSTRUCT { ?s ?p ?o } WHERE { SERVICE <URL> { ?s ?p ?o } }",
    "ASK { SERVICE <URL> { ?s ?p ?o } }",
    "DESCRIBE ?s { SERVICE <URL> { ?s ?p ?o } }",
]
FETCHES_NOTHING = [
    "SELECT * FROM <URL> { ?s ?p ?o }",
    "SELECT * FROM NAMED <URL> { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { GRAPH <URL> { ?s ?p ?o } }",
    "DESCRIBE <URL>",
]


@pytest.mark.parametrize("query", SERVICES)
def test_service_is_refused(store: Store, listener: Listener, query: str) -> None:
    with pytest.raises(QueryError, match="SERVICE is not available"):
        ask(store, query.replace("URL", listener.url))
    assert listener.visits == 0


@pytest.mark.parametrize("query", FETCHES_NOTHING)
def test_graphs_by_address_are_not_fetched(store: Store, listener: Listener, query: str) -> None:
    assert list(ask(store, query.replace("URL", listener.url))) == []
    assert listener.visits == 0


def test_the_listener_would_notice(listener: Listener) -> None:
    """Without our check pyoxigraph does go out, so the tests above mean something."""
    query = f"SELECT * {{ SERVICE <{listener.url}> {{ ?s ?p ?o }} }}"
    with pytest.raises(OSError, match=r".+"):
        list(Store().query(query))
    assert listener.visits > 0


@pytest.mark.parametrize(
    "text",
    [
        "SERVICE" + " " * 900_000,
        "SERVICE" * 130_000,
        "SERVICE#" * 110_000,
        "SERVICE #\n" * 90_000,
        "SERVICE <" * 100_000,
        "SERVICE a:" * 90_000,
        "SERVICEa:" * 100_000,
        ("SERVICE" * 500 + " x ") * 200,
        "?" * 900_000,
        "PREFIX " * 120_000,
        "BASE <" * 150_000,
    ],
)
def test_checking_takes_little_time(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(QueryError):
        refuse_service("ASK {" + text)
    is_update(text)
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?service ?x { ?service ?p ?x }",
        "SELECT $service ?x { ?x ?p $service }",
        "PREFIX e: <http://e/> SELECT * { ?s e:service ?x { ?s ?p ?o } }",
        'SELECT * { ?s ?p "the service" }',
        "SELECT * { ?s ?p ?o } # no SERVICE here",
        "PREFIX service: <http://e/> SELECT * { ?s service:x ?o }",
        "SELECT * { ?s <http://e/SERVICE> ?x }",
    ],
)
def test_the_word_service_alone_is_fine(store: Store, query: str) -> None:
    ask(store, query)


# The command


def test_table_by_default(graph: Path) -> None:
    done = run(graph, "--name", "coauthors", "-p", "author=ada bly")
    assert done.exit_code == 0
    assert done.output.splitlines()[2].split() == [
        *("J.", "Smith", "1", BASE + "person/j-smith"),
    ]


def test_known_prefixes_need_no_declaration(graph: Path) -> None:
    done = run(graph, "ASK { ?c a skos:Concept, kg:Material }")
    assert done.output == "true\n"


def test_turtle_by_default_for_triples(graph: Path) -> None:
    done = run(graph, "--name", "works-on", "-p", "author=Ada Bly")
    assert "kg:worksOn" in done.output
    assert run(graph, "CONSTRUCT { ?s a ?o } { ?s a ?o }", "--format", "table").exit_code == 0


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("json", '{"head"'),
        ("csv", "year,papers"),
        ("tsv", "?year\t?papers"),
        ("xml", "<?xml"),
    ],
)
def test_formats_of_rows(graph: Path, tmp_path: Path, format: str, start: str) -> None:
    file = tmp_path / "out"
    arguments = ("--name", "papers-by-year", "--format", format)
    done = run(graph, *arguments)
    assert done.output.startswith(start)
    assert done.output.endswith("\n")
    assert run(graph, *arguments, "-o", str(file)).output == ""
    assert file.read_bytes() == done.stdout_bytes


def test_query_from_file_and_standard_input(graph: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.rq"
    file.write_bytes(b"\xef\xbb\xbfASK {}")
    assert run(graph, "--file", str(file)).output == "true\n"
    assert run(graph, "--file", "-", stdin="ASK { FILTER(false) }").output == "false\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one of: a query, --file FILE, --name NAME, --list"),
        (("ASK {}", "--list"), "give one of"),
        (("ASK {}", "-p", "a=b"), "-p goes with --name"),
        (("--name", "coauthors", "-p", "author"), "write it as -p name=value"),
        (("--name", "coauthors", "-p", "author=a", "-p", "author=b"), "is given twice"),
        (("--name", "coauthors"), "coauthors needs author"),
        (("--name", "nothing"), 'no query named "nothing"'),
        (("coauthors",), "ask it with: kg query --name coauthors"),
        (("SELECT * {",), "not valid SPARQL: line 1, column "),
        (("DROP ALL",), "updates are not available"),
        (("ASK {}", "--format", "turtle"), "which turtle cannot hold; choose table, json"),
        (("DESCRIBE <a:a>", "--format", "csv"), "choose table, turtle"),
        (("--file", "/nowhere/q.rq"), "/nowhere/q.rq: cannot be read"),
        (("SELECT (<http://e/f>(1) AS ?x) {}",), "the query cannot be answered"),
    ],
)
def test_usage_errors_are_one_line(graph: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(graph, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_format_that_does_not_fit_leaves_no_file(graph: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.ttl"
    assert run(graph, "ASK {}", "--format", "turtle", "-o", str(file)).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_no_graph(tmp_path: Path) -> None:
    done = run(tmp_path / "none", "ASK {}")
    assert done.exit_code == 2
    assert "no graph here" in done.stderr


def test_a_file_that_is_not_text(graph: Path) -> None:
    done = run(graph, "--file", "-", stdin=b"ASK {}\n\xff")
    assert (done.exit_code, done.stderr) == (2, "Error: -:2: the query is not UTF-8\n")


def test_list_names_every_query(graph: Path) -> None:
    lines = run(graph, "--list").output.splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(queries.names())
    assert "shared-concepts first second" in " ".join("\n".join(lines).split())


def test_a_reader_that_goes_is_no_error(graph: Path) -> None:
    query = "SELECT * { ?a ?b ?c . ?d ?e ?f }"
    command = [sys.executable, "-m", "kg.cli", "query", "-g", str(graph), query, "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_json_is_json(graph: Path) -> None:
    done = run(graph, "--name", "counts", "--format", "json")
    assert json.loads(done.output)["head"]["vars"] == ["thing", "count"]


# What would overflow pyoxigraph's stack

DEEP = [
    "ASK " + "{" * 100_000,
    "ASK { FILTER(" + "(" * 100_000,
    "ASK { " + "[ <a:b> " * 100_000,
    "ASK { " + "<< " * 100_000,
    "ASK { FILTER(" + "STR(" * 300,
    # Whatever text and code can be mistaken for each other, no bracket is overlooked.
    "ASK { FILTER('x'<'a>') " + "(" * 300 + "'b'",
    "ASK { FILTER(?a<(" + "(" * 300 + "1>0",
    f"ASK {{ FILTER('<'<'a>' && '{')' * 300}' = ''{'(' * 150}'{')' * 300}'{'(' * 99}",
    "ASK { VALUES ?x { '''a' " + "(" * 300,
    "ASK { VALUES ?x { " + "e:a\\) " * 300 + "(" * 300,
    "ASK { # )))\n" + "(# )\n" * 300,
]
LONG = ["!", "1+", "a:b|", "true||", "{} UNION ", "OPTIONAL {} ", "FILTER(1)", "BIND(1 AS ?x)"]
LARGE = [
    "VALUES (?a ?b) {" + " (1 2)" * 6000 + "}",
    "VALUES ?a {" + " ':-((('" * 6000 + "}",
    "VALUES ?a {" + " <http://example.org/a_(b)#c(>" * 6000 + "}",
    "VALUES ?a {" + " person:ada-bly" * 6000 + "}",
    "VALUES ?a {" + ' "x-y"@en-us "2024-01-01"^^xsd:date' * 6000 + "}",
    "# ((((\n" * 500,
]


@pytest.mark.parametrize("query", DEEP)
def test_what_is_nested_deeply_is_refused(query: str) -> None:
    with pytest.raises(QueryError, match="nested too deeply: at most 200 brackets"):
        ask(Store(), query)


@pytest.mark.parametrize("part", LONG)
def test_long_chains_are_refused(part: str) -> None:
    with pytest.raises(QueryError, match="too long: at most 5,000 operators"):
        ask(Store(), "ASK {" + part * 6000)


@pytest.mark.parametrize("query", LARGE)
def test_large_queries_are_not_refused(query: str) -> None:
    refuse_deep(f"ASK {{ {query} }}")


def test_what_is_nested_less_is_asked(store: Store) -> None:
    assert ask(store, "ASK " + "{" * 200 + "}" * 200)
    assert ask(store, "ASK { FILTER(" + "(" * 190 + "1" + ")" * 190 + ") }")


@pytest.mark.parametrize(
    "text",
    ["a." * 200_000, ",PREFIX" * 100_000, "'''\\" * 100_000, "e:.-" * 100_000, "<" * 400_000],
)
def test_looking_takes_little_time(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(QueryError):
        refuse_deep("ASK {" + text)
    unknown_prefix(text, {})
    assert time.process_time() - start < 30


# Prefixes


@pytest.mark.parametrize(
    ("query", "place", "prefix"),
    [
        ("ASK { foo:a ?b ?c }", "line 1, column 7", "foo"),
        ("ASK {\n ?a a foo:a }", "line 2, column 7", "foo"),
        ("ASK { FILTER(foo:f(1)) }", "line 1, column 14", "foo"),
        (
            'PREFIX e: <e:> # no:x\nASK { e:a e:b "no:x"^^fôo.b-c:x }',
            "line 2, column 23",
            "fôo.b-c",
        ),
    ],
)
def test_an_unknown_prefix_is_named(store: Store, query: str, place: str, prefix: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(store, query)
    assert str(caught.value) == (
        f"the query is not valid SPARQL: {place}: there is no prefix {prefix}; "
        f"declare it with PREFIX {prefix}: <…>"
    )


def test_other_faults_are_not_put_on_prefixes(store: Store) -> None:
    for query in (
        "ASK { http://example.org/a ?b ?c }",
        "ASK { ?a ?b 'no:x' FOO }",
        "ASK { <a> ?b ?c }",
    ):
        with pytest.raises(QueryError, match=r"column \d+: ") as caught:
            ask(store, query)
        assert "prefix" not in str(caught.value).lower()
    with pytest.raises(QueryError, match="not an IRI, or not a whole one"):
        ask(store, "ASK { VALUES ?x { <relative> } }")


def test_own_prefixes_need_no_declaration(graph: Path) -> None:
    assert run(graph, "ASK { concept:transformer a kg:Method }").output == "true\n"
    assert run(graph, "ASK { source:one rdfs:label ?x . ?x ?y person: }").output == "false\n"
    own = "PREFIX concept: <http://example.org/> ASK { concept:transformer a kg:Method }"
    assert run(graph, own).output == "false\n"


def test_prefixes_follow_the_base(tmp_path: Path) -> None:
    turtle = TURTLE.replace("@base <https://w3id.org/kg/id/>", "@base <https://example.org/my/>")
    done = run(build(tmp_path / "graph", turtle=turtle), "DESCRIBE concept:transformer")
    assert done.output.startswith("@prefix concept: <https://example.org/my/concept/> .\n")
    assert prefixes_of(Store())["concept"] == BASE + "concept/"


@pytest.mark.parametrize("value", ["concept:induction-head", "Induction-Heads", "induction heads"])
def test_short_and_loose_names_of_parameters(graph: Path, value: str) -> None:
    done = run(graph, "--name", "papers-of-concept", "-p", f"concept={value}", "--format", "csv")
    assert len(done.output.splitlines()) == 3
    done = run(graph, "--name", "facts", "-p", "thing=arxiv:cs.LG", "--format", "csv")
    assert "cs.LG" in done.output


# More of the command


def test_stray_bytes_are_refused(graph: Path) -> None:
    for arguments in (
        ("ASK {} # \udcff",),
        ("--name", "coauthors", "-p", "author=\udcff"),
        ("--name", "names-of-people", "-p", "name=\udcff"),
        ("--name", "facts", "-p", "thing=<http://\udcff>"),
    ):
        done = run(graph, *arguments)
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert "is not UTF-8" in done.stderr


@pytest.mark.parametrize("format", ["json", "csv", "tsv", "xml"])
def test_the_list_comes_in_every_format_of_rows(graph: Path, format: str) -> None:
    done = run(graph, "--list", "--format", format)
    assert done.exit_code == 0
    if format == "json":
        rows = json.loads(done.output)["results"]["bindings"]
        assert [row["name"]["value"] for row in rows] == list(queries.names())
        assert rows[0]["parameters"]["value"] == "concept"
    elif format == "csv":
        assert done.output.startswith("name,parameters,title")
        assert "authors-of-concept,concept,People" in done.output
    done = run(graph, "--list", "--format", "turtle")
    assert (done.exit_code, done.stdout) == (2, "")


def test_the_examples_are_of_the_bundled_papers(tmp_path: Path) -> None:
    """What the listing and the help give as examples can be asked at once."""
    graph = tmp_path / "graph"
    files = sorted(str(file) for file in (DOCS.parent / "examples").glob("*.txt"))
    assert CliRunner().invoke(main, ["-q", "build", "-g", str(graph), *files]).exit_code == 0
    store = open_store(graph)
    for name in queries.names():
        query = queries.load(name)
        examples = {p.name: p.note.removeprefix("e.g. ") for p in query.parameters}
        for parameter in query.parameters:
            assert (examples[parameter.name] == parameter.note) == (parameter.kind == "number")
            if parameter.kind == "number":
                del examples[parameter.name]
        find.bind(store, query, examples)
        for iri in re.findall(r"VALUES \?\w+ \{ <([^>]*)>", query.text):
            assert store.query(f"ASK {{ {{ <{iri}> ?p ?o }} UNION {{ ?s <{iri}> ?o }} }}"), iri
    for argument in re.findall(r'kg show (".*?"|\S+)', show.command.help or ""):
        assert find.find(store, argument.strip('"')), argument
    done = run(graph, "--name", "coauthors", "-p", "author=Ada Lindqvist")
    assert "João Ferreira" in done.output


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_standard_streams_are_no_fault(graph: Path, closed: str) -> None:
    source = ["--file", "-"] if closed == "<&-" else ["ASK {}"]
    command = [sys.executable, "-m", "kg.cli", "query", "-g", str(graph), *source]
    shell = ["sh", "-c", f'"$@" {closed}', "sh", *command]
    done = subprocess.run(shell, capture_output=True, text=True, timeout=20, check=False)
    assert "Internal error" not in done.stderr
    assert done.stderr.count("\n") <= 1


# Where a query is wrong


def error_of(query: str) -> str:
    try:
        Store().query(query)
    except SyntaxError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("query", "place", "what"),
    [
        ("BAD10", (1, 1), "BAD10 does not belong here"),
        ("ASK+", (1, 4), "+ does not belong here"),
        ("ASK {}}", (1, 7), "} does not belong here"),
        ("ASK", (1, 1), 'the query ends after ASK; expected "{"'),
        ("SELECT * {\n  ?s ?p ?o # open", (2, 9), "the query ends after ?o"),
        ("SELECT * { ?s ?p ?o } ORDER BY", (1, 29), "the query ends after BY"),
        ("SELECT *\r\n{ ?s ?p }", (2, 9), "} does not belong here"),
        ("SELECT * { ?s ?p ?o } LIMI 10", (1, 23), "LIMI does not belong here"),
        ("SELECT * { ?s ?p ?o } LIMIT 10 foo", (1, 32), "foo does not belong here"),
        (
            "ASK { ?s ?p 'é'@en, -1.5e-3 ; ^a/!a ?y FILTR(1) }",
            (1, 40),
            "FILTR does not belong here",
        ),
        (
            "ASK {}\nSELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o }",
            (2, 1),
            "SELECT does not belong here",
        ),
        (
            "# counts\nSELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o }",
            (2, 1),
            "this SELECT contains a variable that is unbound",
        ),
        (
            "SELECT * { ?s ?p ?o } GROUP BY ?s",
            (1, 1),
            "this SELECT * is not authorized with GROUP BY",
        ),
    ],
)
def test_a_fault_is_found_in_its_own_place(query: str, place: tuple[int, int], what: str) -> None:
    found = fault(query, error_of)
    assert found is not None
    assert (found[:2], found[2]) == (place, what)


@pytest.mark.parametrize("query", ["", " ", "# nothing", "ASK {}"])
def test_no_fault_is_made_up(query: str) -> None:
    assert fault(query, error_of) is None


@given(st.sampled_from(sorted(queries.names())), st.data())
def test_a_fault_is_where_a_query_was_broken(name: str, data: st.DataObject) -> None:
    """A wrong word between two others is found, whatever stands before and behind."""
    text = queries.load(name).text
    gaps = [hit.start() for hit in re.finditer(r"(?<=[}.;]) *\n", text)]
    gaps = [at for at in gaps if "#" not in text[text.rfind("\n", 0, at) + 1 : at]]
    if gaps:
        at = data.draw(st.sampled_from(gaps))
        found = fault(f"{text[:at]} &&& {text[at:]}", error_of)
        assert found is not None
        assert found[0] == text.count("\n", 0, at) + 1
