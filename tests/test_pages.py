"""Pages and linked data, on a real server with a small graph, and on the bundled examples."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin

import httpx
import pytest
from click.testing import CliRunner
from pyoxigraph import NamedNode, RdfFormat, parse
from served import Server, serving
from small_graph import BASE, TURTLE, build

from kg.cli import main
from kg.rdf.vocabulary import DCTERMS

EXAMPLES = Path(__file__).parents[1] / "examples"
HTML = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

# What the small graph of all tests lacks: texts with mentions, relations, grounds, a former
# IRI, odd titles.
MORE = """
<paper/arxiv/2401.00001#abstract> a nif:Context ; kg:textOf <paper/arxiv/2401.00001> ;
  nif:isString "We study induction heads (IH) in small transformers." ;
  nif:beginIndex 0 ; nif:endIndex 52 .
<paper/arxiv/2401.00001#abstract-9-24> nif:referenceContext <paper/arxiv/2401.00001#abstract> ;
  itsrdf:taConfidence "0.9"^^xsd:double .
<paper/arxiv/2401.00001#abstract-39-51> a nif:Phrase, kg:Mention ; nif:anchorOf "transformers" ;
  nif:beginIndex 39 ; nif:endIndex 51 ; itsrdf:taIdentRef <concept/transformer> ;
  nif:referenceContext <paper/arxiv/2401.00001#abstract> .
<paper/odd> a fabio:Preprint, schema:ScholarlyArticle ;
  rdfs:label "</title><script>alert('\\"1\\"')</script> \\\\alpha" ;
  dcterms:title "</title><script>alert('\\"1\\"')</script> \\\\alpha" ;
  dcterms:issued "2025"^^xsd:gYear ; schema:mentions <concept/transformer> ;
  dcterms:creator <person/ada-bly>, <person/rtl> ; prov:wasDerivedFrom <record/one/1-abc> .
<person/rtl> a foaf:Person ; foaf:name "محمد ابن موسى" ; rdfs:label "محمد ابن موسى" ;
  schema:sameAs <https://orcid.org/0000-0000-0000-0001> ;
  dcterms:identifier "orcid:0000-0000-0000-0001" .
<concept/transformer> skos:broader <concept/associative-memory> ;
  skos:related <concept/imagenet-1k> ; skos:exactMatch <https://example.org/transformer> ;
  prov:qualifiedDerivation <concept/transformer#ground-1> .
<concept/transformer#ground-1> a kg:Ground, prov:Derivation ; kg:rule kg:DefinedAbbreviation ;
  prov:value "TF" ; prov:entity <record/one/1-abc> ; rdfs:label "abbreviation" .
<concept/transformer-model> dcterms:isReplacedBy <concept/transformer> ; rdfs:label "transformer" .
<concept/older-model> dcterms:isReplacedBy <concept/transformer-model> .
<concept/loop> dcterms:isReplacedBy <concept/loop> .
<concept/elsewhere> dcterms:isReplacedBy <http://example.org/x> .
<person/bly> dcterms:isReplacedBy <person/ada-bly>, <person/rtl> ; rdfs:label "Bly" .
<concept/part> dcterms:isReplacedBy <paper/arxiv/2401.00001#abstract-9-24> .
<https://w3id.org/kg/arxiv/> a skos:ConceptScheme ; rdfs:label "arXiv categories"@en .
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = tmp_path_factory.mktemp("pages") / "graph"
    gone = "<concept/phlogiston> a skos:Concept, kg:Method ; skos:prefLabel 'phlogiston'@en .\n"
    build(graph, turtle=TURTLE + gone)
    build(graph, turtle=TURTLE + MORE)
    with serving(graph, timeout=20) as server:
        yield server


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    graph = tmp_path_factory.mktemp("examples") / "graph"
    files = sorted(str(file) for file in EXAMPLES.glob("*.txt"))
    assert CliRunner().invoke(main, ["-q", "build", "-g", str(graph), *files]).exit_code == 0
    with serving(graph, timeout=20) as server:
        yield server


def get(server: Server, path: str, status: int = 200, accept: str = "") -> httpx.Response:
    headers = {"accept": accept} if accept else HTML
    response = httpx.get(server.url + path.lstrip("/"), headers=headers, timeout=20)
    assert response.status_code == status, (path, response.text[:500])
    return response


class Page(HTMLParser):
    """A page that is taken apart, and must be well-formed: every element is closed."""

    VOID = frozenset(("meta", "link", "input", "br", "hr", "img"))

    def __init__(self, response: httpx.Response) -> None:
        super().__init__()
        self.url = str(response.url)
        self.open: list[str] = []
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.ids: list[str] = []
        self.feed(response.text)
        self.close()
        assert not self.open, (self.url, self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert name != "style"
            assert value is not None or name in ("required", "autofocus", "defer", "open", "hidden")
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "action") and tag in ("a", "form"):
                self.links.add(urljoin(self.url, value or ""))
            elif name in ("href", "src"):
                self.loads.add(urljoin(self.url, value or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, (self.url, tag)
        assert self.open.pop() == tag, (self.url, tag)


def crawl(server: Server) -> dict[str, Page]:
    """All pages of a server that links lead to, from the start page on."""
    pages: dict[str, Page] = {}
    seen: set[str] = set()
    waiting = {server.url}
    with httpx.Client(headers=HTML, timeout=20) as client:
        while waiting:
            url = waiting.pop()
            seen.add(url)
            response = client.get(url)
            assert response.status_code in (200, 303), (url, response.status_code)
            if response.status_code == 303:
                waiting |= {urljoin(url, response.headers["location"])} - seen
            elif response.headers["content-type"].startswith("text/html"):
                page = pages[url] = Page(response)
                assert len(page.ids) == len(set(page.ids)), url
                found = {urldefrag(link).url for link in page.links}
                # The result of any query may lead anywhere; the questions are asked once.
                if "/query?query=" in url:
                    found = set()
                waiting |= {link for link in found if link.startswith(server.url)} - seen
                assert all(load.startswith(server.url) for load in page.loads), url
    return pages


@pytest.mark.parametrize("graph", ["server", "examples"])
def test_every_link_and_every_part_is_there(graph: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(graph)
    pages = crawl(server)
    ids = {url: set(page.ids) for url, page in pages.items()}
    kinds = {url[len(server.url) :].partition("/")[0].partition("?")[0] for url in pages}
    assert {"concept", "paper", "person", "record", "compare", "missing", "concepts"} <= kinds
    for page in pages.values():
        for link in page.links:
            url, part = urldefrag(link)
            if part and url in ids:
                assert part in ids[url], (page.url, link)


def test_every_iri_of_the_graph_answers(server: Server) -> None:
    """At its own address there is a page, and triples about it."""
    triples = list(parse(TURTLE + MORE, RdfFormat.TURTLE))
    subjects = {q.subject.value for q in triples if isinstance(q.subject, NamedNode)}
    replaced = {q.subject.value for q in triples if q.predicate == DCTERMS.isReplacedBy}
    with httpx.Client(timeout=20) as client:
        for iri in sorted(subjects):
            if not iri.startswith(BASE) or iri in replaced:
                continue
            url, part = urldefrag(server.url + iri.removeprefix(BASE))
            response = client.get(url, headers=HTML)
            assert response.status_code == 200, iri
            if part and "author" not in part:
                assert part in Page(response).ids, iri
            data = client.get(url, headers={"accept": "application/n-triples"})
            known = {q.subject.value for q in parse(data.content, RdfFormat.N_TRIPLES)}
            assert iri in known, iri


# Linked data


def test_what_several_have_replaced_shows_them(server: Server) -> None:
    page = Page(get(server, "person/bly"))
    assert {server.url + "person/ada-bly", server.url + "person/rtl"} <= set(page.links)
    data = get(server, "person/bly.ttl")
    assert (data.status_code, data.text.count("isReplacedBy")) == (200, 1)
    assert "ada-bly" in data.text
    assert "rtl" in data.text


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("ttl", "text/turtle; charset=utf-8"),
        ("jsonld", "application/ld+json"),
        ("nt", "application/n-triples"),
        ("rdf", "application/rdf+xml"),
        ("html", "text/html; charset=utf-8"),
    ],
)
def test_formats_by_ending_and_by_accept(server: Server, ending: str, kind: str) -> None:
    response = get(server, f"concept/induction-head.{ending}")
    assert response.headers["content-type"] == kind
    same = get(server, "concept/induction-head", accept=kind.partition(";")[0])
    assert same.headers["content-type"] == kind
    assert same.headers["content-location"] == f"/concept/induction-head.{ending}"
    assert same.headers["vary"].lower().startswith("accept")
    assert f'<{BASE}concept/induction-head>; rel="canonical"' in same.headers["link"]
    assert same.content == response.content


def test_an_ending_may_belong_to_the_iri(server: Server) -> None:
    assert "Heads that copy" in get(server, "paper/arxiv/2401.00001").text
    assert "2401.00001#abstract-9-24>" in get(server, "paper/arxiv/2401.00001.nt").text
    get(server, "paper/arxiv/2401", 404)


def test_any_iri_can_be_described(server: Server) -> None:
    def described(iri: str, status: int, accept: str = "") -> httpx.Response:
        return get(server, f"describe?iri={quote(iri, safe='')}", status, accept)

    mention = f"{BASE}paper/arxiv/2401.00001#abstract-9-24"
    assert described(mention, 303).headers["location"] == mention.replace(BASE, "/")
    location = described(mention, 303, "application/n-triples").headers["location"]
    assert f"<{mention}>" in get(server, location[1:], 200, "application/n-triples").text
    term = "https://w3id.org/kg/ontology#Method"
    assert described(term, 303).headers["location"] == "/ontology#Method"
    described("https://example.org/none", 404)
    described("no iri", 400)


def test_former_iris_lead_on(server: Server) -> None:
    for accept in ("text/html", "text/turtle"):
        response = get(server, "concept/transformer-model", 301, accept)
        assert response.headers["location"] == "/concept/transformer"
    moved = get(server, "concept/transformer-model.ttl", 301)
    assert moved.headers["location"] == "/concept/transformer.ttl"
    for asked, place in (
        ("concept/transformer-model?format=ttl", "/concept/transformer?format=ttl"),
        (
            "concept/transformer-model.html?page=2&x=%C3%A9",
            "/concept/transformer.html?page=2&x=%C3%A9",
        ),
        (
            f"describe?iri={BASE}concept/transformer-model&format=nt",
            "/concept/transformer?format=nt",
        ),
        ("concept/transformer-model/picture.svg", "/concept/transformer/picture.svg"),
        ("concept/older-model?format=ttl", "/concept/transformer-model?format=ttl"),
        ("concept/elsewhere?format=ttl", "/describe?iri=http%3A%2F%2Fexample.org%2Fx&format=ttl"),
        ("concept/elsewhere.ttl", "/describe?iri=http%3A%2F%2Fexample.org%2Fx&format=turtle"),
        ("concept/part.ttl?x=1", "/paper/arxiv/2401.00001.ttl?x=1#abstract-9-24"),
    ):
        assert get(server, asked, 301, "*/*").headers["location"] == place
    get(server, "concept/elsewhere/picture.svg", 404)


def test_former_iris_are_compared_as_what_took_their_place(server: Server) -> None:
    for old in ("transformer-model", "older-model"):
        page = Page(get(server, f"compare?a={BASE}concept/{old}&b={BASE}concept/induction-head"))
        assert server.url + "concept/transformer" in page.links
    get(server, f"compare?a={BASE}concept/loop&b={BASE}concept/induction-head", 404)


def test_what_is_gone_and_what_never_was(server: Server) -> None:
    assert "it is in it no longer" in get(server, "concept/phlogiston", 410).text.replace(
        "and is in it", "it is in it"
    )
    assert get(server, "concept/phlogiston", 410, "text/turtle").text.count("\n") == 1
    for _ in range(40):
        text = get(server, "concept/induktion-head", 404).text
        if "Something with a name like it" in text:
            break
    assert 'href="/search?q=induktion%20head&amp;all=1"' in text


def test_a_base_on_this_very_server(tmp_path: Path) -> None:
    base = "http://127.0.0.1:1/my/id/"
    graph = build(tmp_path / "graph", turtle=TURTLE.replace(BASE, base))
    with serving(graph, timeout=20) as server:
        for path in ("my/id/concept/transformer", "concept/transformer"):
            assert ">transformer</h1>" in get(server, path).text
        data = get(server, "my/id/concept/transformer.nt").text
        assert f"<{base}concept/transformer>" in data


def test_vocabulary_and_categories(server: Server) -> None:
    assert 'id="SourceRecord"' in get(server, "ontology").text
    for path, accept in (("ontology", "text/turtle"), ("ontology.ttl", "")):
        response = get(server, path, accept=accept)
        assert len(list(parse(response.content, RdfFormat.TURTLE))) > 50
    assert ">Machine Learning <small>cs.LG</small></h1>" in get(server, "arxiv/cs.LG").text
    assert "cs.LG" in get(server, "arxiv/cs.LG.ttl").text
    get(server, "ontology.xyz", 404)


# Pages


def test_a_concept(server: Server) -> None:
    text = get(server, "concept/transformer").text
    assert '<mark><a href="/paper/arxiv/2401.00001#abstract-39-51"' in text
    assert "We study induction heads (IH) in small <mark>" in text
    for title in ("Broader", "Related", "The same elsewhere", "Why these are one concept"):
        assert title in text
    assert 'href="https://example.org/transformer"' in text
    assert 'id="ground-1"' in text
    assert '<svg class="bars"' in text
    assert "2024: 1, 2025: 1" in text
    assert "Narrower" in get(server, "concept/associative-memory").text
    first = get(server, "concept/induction-head").text
    assert "In the words of the paper that introduces it" in first


def test_a_person(server: Server) -> None:
    text = get(server, "person/ada-bly").text
    assert "3 papers, 3 co-authors" in text
    assert re.search(r"/compare\?a=[^\"]+&amp;b=[^\"]+zo%C3%AB", text)
    assert "2024: 1, 2025: 1, 2026: 1" in text
    assert "orcid.org/0000-0000-0000-0001" in get(server, "person/rtl").text


def test_a_paper(server: Server) -> None:
    text = get(server, "paper/arxiv/2401.00001").text
    mark = '<mark id="abstract-9-24"><a href="/concept/induction-head" title="induction head">'
    assert f"{mark}induction heads</a></mark> (IH)" in text
    assert text.index("Zoë Müller") < text.index("Ada Bly")
    assert 'id="author-2"' in text
    assert "one.txt, record 1" in text
    similar = text[text.index("Similar papers") :]
    assert similar.index("Memory with heads") < similar.index("Where the record came from")
    assert "The sources give no title." in get(server, "paper/text/untitled-1").text


def test_texts_are_text(server: Server) -> None:
    for path in ("paper/odd", "papers?year=2025", "", "person/ada-bly"):
        text = get(server, path).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(" in text
        assert "\\alpha" in text
    text = get(server, "person/rtl").text
    assert '<h1 dir="auto">محمد ابن موسى</h1>' in text


def test_compare(server: Server) -> None:
    def compared(a: str, b: str, status: int = 200) -> str:
        return get(server, f"compare?a={quote(a)}&b={quote(b)}", status).text

    people = compared(BASE + "person/ada-bly", BASE + "person/zoë-müller")
    assert "Papers together" in people
    assert "Heads that copy" in people
    assert "Only Ada Bly" in people
    concepts = compared(BASE + "concept/transformer", BASE + "concept/induction-head")
    assert "Papers with both" in concepts
    unlike = compared(BASE + "concept/transformer", BASE + "person/rtl", 400)
    assert "One is a concept, one a person; compare takes two people or two concepts." in unlike
    assert 'name="b" value="محمد ابن موسى"' in unlike
    paper = compared(BASE + "paper/memory-with-heads", "", 400)
    assert "“Memory with heads” is a paper; compare takes two people or two concepts." in paper
    assert "is the name of nothing here" in compared("xyzzy", "plugh", 404)
    assert 'name="a"' in get(server, "compare").text
    compared("http://[", "<>", 404)


@pytest.mark.parametrize(
    ("a", "b"), [("", "transformer"), ("transformer", ""), (None, "transformer")]
)
def test_compare_with_one_of_two(server: Server, a: str | None, b: str) -> None:
    """The form stands there, filled as far as it is known."""
    search = f"?b={b}" if a is None else f"?a={a}&b={b}"
    for _ in range(40):
        text = httpx.get(f"{server.url}compare{search}", headers=HTML).text
        if "is the name of nothing here" not in text:  # the index is being made
            break
        time.sleep(0.1)
    text = get(server, f"compare{search}").text
    assert "<h1>Compare</h1>" in text
    assert f'name="a" value="{a or ""}"' in text
    assert f'name="b" value="{b}"' in text


def test_compare_with_itself(server: Server) -> None:
    iri = quote(BASE + "concept/transformer")
    text = get(server, f"compare?a={iri}&b={iri}").text
    assert "Both are “transformer”; choose another one to compare it with." in text
    assert "<table>" not in text


def test_compare_says_how_many_there_are(tmp_path: Path) -> None:
    """Of 305 concepts the first 20 are shown, and a link leads to all of them."""
    many = "".join(
        f"<concept/c{n}> a skos:Concept, kg:Method ; skos:prefLabel 'c{n}'@en ; rdfs:label 'c{n}' ."
        f"<paper/memory-with-heads> schema:mentions <concept/c{n}> ; schema:about <concept/c{n}> ."
        for n in range(304)
    )
    graph = build(tmp_path / "graph", turtle=TURTLE + many)
    with serving(graph, timeout=20) as server:
        one, two = (quote(BASE + f"person/{name}") for name in ("j-smith", "zoë-müller"))
        text = get(server, f"compare?a={one}&b={two}").text
        part = text[text.index("Only J. Smith") : text.index("Only Zoë")]
        assert part.startswith("Only J. Smith (305)")
        assert part.count("<tr>") == 21
        link = re.search(r'These are the first 20; <a href="([^"]+)">all 305</a>', part)
        assert link is not None
        address = get(server, link[1].replace("&amp;", "&"), 303).headers["location"]
        assert "305 rows." in get(server, address).text
        one, two = quote(BASE + "concept/associative-memory"), quote(BASE + "concept/transformer")
        text = get(server, f"compare?a={one}&b={two}").text
        assert "Only beside associative memory (305)" in text
        assert "all 305</a>" in text


def test_missing(server: Server) -> None:
    text = get(server, "missing").text
    assert "<code>kg review</code>" in text
    assert "We measure transformers …" in text
    assert '<a href="/person/j-smith" dir="auto">J. Smith</a>' in text
    assert "both “<bdi>Smith</bdi>”" in text


def test_lists(server: Server) -> None:
    assert "5 in all" in get(server, "concepts").text
    method = get(server, "concepts?type=Method").text
    assert ">transformer</a>" in method
    assert ">ImageNet-1k</a>" not in method
    assert "6 in all" in get(server, "people").text
    assert "without a year" in get(server, "papers?year=none").text
    assert "the graph has papers of 2024 to 2026" in get(server, "papers?year=1066", 404).text
    get(server, "papers?year=abc", 404)
    bogus = get(server, "concepts?type=Bogus", 404).text
    assert "the types are Method, Task, Material, Metric, Other" in bogus
    for path in ("people?page=99", "people?page=-1", "concepts?page=x", "arxiv/cs.LG?page=9"):
        assert "<li>" in get(server, path).text
    beyond = get(server, "concept/transformer?page=9", 303)
    assert beyond.headers["location"] == "/concept/transformer#mentions"


def test_every_panel_shows_its_query(server: Server) -> None:
    paths = ("", "concept/transformer", "person/ada-bly", "paper/arxiv/2401.00001", "missing")
    for path in paths:
        links = re.findall(r'class="asked" href="([^"]+)"', get(server, path).text)
        assert len(links) > 3, path
        for link in links:
            if not link.endswith(".svg"):
                assert link.startswith("/query?")
                assert get(server, link.replace("&amp;", "&"), 303).headers["location"]


def test_a_drawing_has_the_types_of_related_things(server: Server) -> None:
    """What is only related keeps its colour, and no papers in common are claimed."""
    svg = get(server, "concept/transformer/picture.svg", accept="*/*").text
    assert re.search(r'class="g-Material"><title>ImageNet-1k</title>', svg)
    assert re.search(r'class="g-Method"><title>associative memory</title>', svg)
    narrower = get(server, "concept/associative-memory/picture.svg", accept="*/*").text
    assert re.search(r'class="g-Method"><title>transformer</title>', narrower)


def test_numbers_beside_concepts_fall(examples: Server) -> None:
    """What is sorted is what is shown, and the heading says what it counts."""
    for path, said in (
        ("person/ada-lindqvist", "With the number of papers."),
        ("concept/induction-head", "With the number of papers that have both."),
    ):
        text = get(examples, path).text
        part = text[text.index(said) :]
        shown = re.findall(r"<small[^>]*>(\d+)</small>", part[: part.index("</ul>")])
        assert len(shown) > 5
        assert [int(n) for n in shown] == sorted(map(int, shown), reverse=True)


def test_a_very_long_title_is_cut_in_lists(tmp_path: Path) -> None:
    title = "A title that goes on " * 17 + "and ends"
    odd = f"<paper/long> a fabio:Preprint ; rdfs:label '{title}' ; dcterms:title '{title}' ; "
    odd += "dcterms:issued '2026'^^xsd:gYear ."
    with serving(build(tmp_path / "graph", turtle=TURTLE + odd), timeout=20) as server:
        text = get(server, "").text
        shown = re.search(r'<a href="/paper/long" title="([^"]+)" dir="auto">([^<]+)</a>', text)
        assert shown is not None
        assert shown[1] == title
        assert len(shown[2]) <= 188
        assert shown[2].endswith("…")
        assert title in get(server, "paper/long").text


def test_every_page_leads_to_all_parts(server: Server) -> None:
    text = get(server, "concept/transformer").text
    for place in ("/compare", "/missing"):
        assert f'<a href="{place}">' in text[: text.index("<main")]
    assert '<a class="skip" href="#content">Skip to content</a>' in text
    assert '<main id="content" tabindex="-1">' in text


def test_headers_of_tables_begin_alike(server: Server) -> None:
    one, two = quote(BASE + "person/ada-bly"), quote(BASE + "person/zoë-müller")
    heads = re.findall(r"<th [^>]*>([^<]+)</th>", get(server, f"compare?a={one}&b={two}").text)
    assert "Papers" in heads
    assert all(head[:1].isupper() for head in heads)


# Looks


def test_policy_and_pictures(server: Server) -> None:
    response = get(server, "concept/transformer/picture.svg", accept="*/*")
    assert response.headers["content-type"].startswith("image/svg+xml")
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    inside = get(server, "concept/transformer").text
    assert response.text in inside
    assert response.text == get(server, "concept/transformer/picture.svg", accept="*/*").text
    assert "<svg" in get(server, "person/ada-bly/picture.svg", accept="*/*").text
    get(server, "paper/odd/picture.svg", 404)
    get(server, "concept/none/picture.svg", 404)


def test_nothing_is_lost_of_the_examples(examples: Server) -> None:
    """Every mention of the built examples is marked on the page of its paper."""
    text = get(examples, "paper/copy-heads-emerge-before-induction-heads").text
    marks = re.findall(r'<mark id="([^"]+)"', text)
    assert len(marks) > 5
    for mark in marks:
        begin, end = map(int, mark.split("-")[1:])
        assert 0 <= begin < end
