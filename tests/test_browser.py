"""The pages in a real browser: Debian's chromium, with scripts and without.

Every page that a test opens is watched: nothing may come from anywhere but the server, and
the console stays empty, so that the Content-Security-Policy stops nothing of ours. Pictures
of all pages go to `screenshots/`, which git ignores.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from served import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.txt"))
PICTURES = ROOT / "screenshots"
CHROMIUM = shutil.which("chromium")
EDITOR = ROOT / "kg" / "serve" / "static" / "editor" / "editor.js"
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1200, "height": 900}

CONCEPT = "/concept/induction-head"
PERSON = "/person/ada-lindqvist"
QUERY = "SELECT ?label ?method { ?method a kg:Method ; rdfs:label ?label } ORDER BY ?label LIMIT 9"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here; Debian's package is called so")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    from kg.build import build, read_inputs

    graph = tmp_path_factory.mktemp("browser") / "graph"
    build(read_inputs([str(path) for path in EXAMPLES]), graph, jobs=1)
    with serving(graph, timeout=20) as server:
        yield server


@dataclass
class Watched:
    """A page whose console and requests are watched."""

    page: Page
    url: str  # of the server, without a slash at its end
    faults: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)  # addresses that may be refused

    def go(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page

    @property
    def at(self) -> str:
        """The path where the page is."""
        return urlsplit(self.page.url).path

    def watch(self) -> None:
        self.page.on("console", lambda message: self._said(message.type, message.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", lambda request: self._asked(request.url))

    def _said(self, kind: str, text: str) -> None:
        refused = "Failed to load resource" in text and self.page.url in self.refusals
        if kind in ("error", "warning") and not refused:
            self.faults.append(f"{kind} at {self.page.url}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url + "/", "data:")):
            self.faults.append(f"a request to {url}")


Open = Callable[..., contextlib.AbstractContextManager[Watched]]


@pytest.fixture
def opened(browser: Browser, server: Server) -> Open:
    @contextlib.contextmanager
    def open_(**options: object) -> Iterator[Watched]:
        context: BrowserContext = browser.new_context(
            **{"viewport": DESK, "accept_downloads": True, **options}  # type: ignore[arg-type]
        )
        context.set_default_timeout(15_000)
        watched = Watched(context.new_page(), server.url.rstrip("/"))
        watched.watch()
        try:
            yield watched
        finally:
            context.close()
        assert watched.faults == []

    return open_


# The way of a reader


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_from_search_to_download(opened: Open, scripts: bool) -> None:
    with opened(java_script_enabled=scripts) as watched:
        page = watched.go("/")
        field = page.get_by_role("combobox" if scripts else "searchbox").first
        field.fill("indution head")
        field.press("Enter")
        page.wait_for_url("**/search?*")
        page.get_by_role("link", name="induction head", exact=True).first.click()
        assert watched.at == CONCEPT
        assert page.get_by_role("heading", level=1).inner_text().lower() == "induction head"

        page.locator(f"main a[href='{PERSON}']").first.click()
        assert watched.at == PERSON
        assert "Ada Lindqvist" in page.get_by_role("heading", level=1).inner_text()

        page.get_by_role("link", name="Compare with somebody else").click()
        assert watched.at == "/compare"
        page.get_by_label("and", exact=True).fill("joao ferreira")
        page.get_by_role("button", name="Compare").click()
        title = page.get_by_role("heading", level=1).inner_text()
        assert title == "Ada Lindqvist and João Ferreira"
        assert page.locator("main table a[href^='/concept/']").count() > 2

        page.get_by_role("link", name=re.compile("query", re.IGNORECASE)).first.click()
        page.wait_for_url("**/query*")
        if scripts and EDITOR.is_file():
            editor = page.get_by_role("textbox", name="SPARQL query")
            editor.fill(QUERY)
        else:
            page.locator("textarea[name=query]").fill(QUERY)
        page.get_by_role("button", name="Run").click()
        page.get_by_text("9 rows.").wait_for()
        assert page.locator("td a[href^='/concept/']").count() == 9
        with page.expect_download() as downloading:
            page.get_by_role("link", name="csv", exact=True).click()
        download = downloading.value
        assert download.suggested_filename == "result.csv"
        text = Path(download.path()).read_text(encoding="utf-8")
        assert text.startswith("label,method")
        assert text.count("\n") == 10


def test_with_the_keyboard_alone(opened: Open) -> None:
    with opened() as watched:
        page = watched.go("/query")
        page.keyboard.press("Escape")
        watched.go("/search")
        # The field has the focus; a name that is one thing's leads there.
        page.locator("input[type=search]:focus").wait_for()
        page.keyboard.type("induction heads")
        page.keyboard.press("Enter")
        page.wait_for_url("**" + CONCEPT)
        # "/" leads to the search of every page, and the arrows to a suggestion.
        page.keyboard.press("/")
        page.locator("input[type=search]:focus").wait_for()
        page.keyboard.type("lindqist")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**" + PERSON)
        # Everything that leads on is reached with Tab, and shows that it is.
        reached = set()
        for _ in range(400):
            page.keyboard.press("Tab")
            where = page.evaluate(
                """() => { const e = document.activeElement; const s = getComputedStyle(e);
                return [e.tagName, e.getAttribute("href"), s.outlineStyle, s.outlineWidth] }"""
            )
            if where[0] == "BODY":
                break
            assert where[2] != "none", where
            assert where[3] != "0px", where
            reached.add(where[1])
        assert any(href and href.startswith("/concept/") for href in reached)
        assert any(href and href.startswith("/compare") for href in reached)


def test_suggestions(opened: Open) -> None:
    with opened() as watched:
        page = watched.go("/search")
        field = page.locator("input[type=search]:focus")
        field.type("in", delay=20)
        page.get_by_role("option").first.wait_for()
        assert field.get_attribute("aria-expanded") == "true"
        page.keyboard.press("ArrowDown")
        chosen = page.locator("[role=option][aria-selected=true]")
        assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
        page.keyboard.press("Escape")
        assert page.get_by_role("option").count() == 0
        assert field.input_value() == "in"
        field.type("ducton hea", delay=20)
        option = page.get_by_role("option", name="induction head")
        option.first.click()
        page.wait_for_url("**" + CONCEPT)


# The query page


def test_a_question_with_fields(opened: Open) -> None:
    with opened() as watched:
        page = watched.go("/query")
        page.locator("summary", has_text="Concepts that two authors share").click()
        form = page.locator("details[open] form")
        first = form.get_by_label("first")
        first.fill("")
        first.type("lindq", delay=20)
        page.get_by_role("option", name="Ada Lindqvist").click()
        assert first.input_value() == "Ada Lindqvist"
        form.get_by_label("second").fill("joao ferreira")
        form.get_by_role("button", name="Ask").click()
        page.wait_for_url(re.compile(r"/query\?query="))
        assert page.locator("td a[href^='/concept/']").count() > 1


def test_where_a_mistake_is_without_scripts(opened: Open) -> None:
    with opened(java_script_enabled=False) as watched:
        watched.refusals.append(
            f"{watched.url}/query?query=SELECT+*+%7B%0D%0A++%3Fs+foaf%3Aname+%5D"
        )
        page = watched.go("/query")
        page.locator("textarea").fill("SELECT * {\n  ?s foaf:name ]")
        page.get_by_role("button", name="Run").click()
        alert = page.get_by_role("alert")
        assert "line 2, column 16" in alert.inner_text()
        assert alert.locator("mark").inner_text() == "]"


@pytest.mark.skipif(not EDITOR.is_file(), reason="the editor is not built; make editor does it")
def test_the_editor(opened: Open) -> None:
    from playwright.sync_api import expect

    with opened() as watched:
        page = watched.go("/query")
        editor = page.get_by_role("textbox", name="SPARQL query")
        # A prefix is completed, and brings its declaration.
        editor.press_sequentially("SELECT ?label { ?c skos:pref", delay=10)
        page.get_by_role("option", name="skos:prefLabel").wait_for()
        page.wait_for_timeout(200)  # the editor takes no key for a choice that has just come up
        page.keyboard.press("Enter")
        # Waiting for a script of ours to be true would need what our policy forbids.
        expect(page.locator("#query")).to_have_value(re.compile("skos:prefLabel"))
        editor.press_sequentially(" ?label . ?p schema:mentions concept:induction", delay=10)
        page.get_by_role("option", name="induction head").first.wait_for()
        page.wait_for_timeout(200)
        page.keyboard.press("Enter")
        text = page.locator("#query").input_value()
        assert text.startswith("PREFIX skos: <http://www.w3.org/2004/02/skos/core#>\n")
        assert "PREFIX concept: <https://w3id.org/kg/id/concept/>\n" in text
        assert "schema:mentions concept:induction-head" in text
        # Colours, from style sheets that the policy lets through.
        colours = page.evaluate(
            """() => [...new Set([...document.querySelector(".editor").shadowRoot
            .querySelectorAll(".cm-line span")].map((e) => getComputedStyle(e).color))]"""
        )
        assert len(colours) >= 4
        page.keyboard.press("Control+Enter")
        page.wait_for_url(re.compile(r"/query\?query="))


@pytest.mark.skipif(not EDITOR.is_file(), reason="the editor is not built; make editor does it")
def test_the_editor_marks_a_mistake(opened: Open) -> None:
    with opened() as watched:
        address = PAGES["query-mistake"]
        watched.refusals.append(watched.url + address)
        page = watched.go(address)
        page.locator(".cm-lintRange-error").wait_for()
        assert page.locator(".cm-lintRange-error").inner_text() == "]"
        assert page.locator("#query").is_hidden()


def test_the_page_without_an_editor(opened: Open) -> None:
    with opened() as watched:
        watched.page.route("**/static/editor/*", lambda route: route.fulfill(body="", status=200))
        page = watched.go("/query")
        page.locator("textarea").fill("ASK {}")
        page.get_by_role("button", name="Run").click()
        assert page.get_by_text("Yes", exact=True).is_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_keys_are_named_where_they_work(opened: Open, scripts: bool) -> None:
    with opened(java_script_enabled=scripts) as watched:
        keys = watched.go("/query").get_by_text("Ctrl+Enter runs")
        if scripts and EDITOR.is_file():
            keys.wait_for()
        else:
            assert keys.filter(visible=True).count() == 0


def test_the_way_past_the_navigation(opened: Open) -> None:
    with opened() as watched:
        page = watched.go(CONCEPT)
        page.keyboard.press("Tab")
        skip = page.locator(".skip")
        assert skip.evaluate("e => e === document.activeElement && e.offsetLeft >= 0")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"


# Odd data

ODD = """
<paper/odd> a fabio:Preprint ; rdfs:label "{title}" ; dcterms:title "{title}" ;
  dcterms:abstract "{word}" ; dcterms:creator <person/odd>, <person/ada-bly> ;
  schema:mentions <concept/odd>, <concept/transformer> ; dcterms:issued "2024"^^xsd:gYear ;
  schema:about <concept/odd> .
<paper/odd#abstract> a nif:Context ; kg:textOf <paper/odd> ; nif:isString "{word}" .
<person/odd> a foaf:Person ; foaf:name "{name}" ; rdfs:label "{name}" .
<concept/odd> a skos:Concept, kg:Method ; skos:prefLabel "{name}"@en ; rdfs:label "{name}" .
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    """A graph with words that no line can hold."""
    from small_graph import TURTLE, build

    more = ODD.format(title="T" * 250, word="w" * 1120, name="n" * 320)
    graph = build(tmp_path_factory.mktemp("odd") / "graph", turtle=TURTLE + more)
    with serving(graph, timeout=20) as server:
        yield server


@pytest.mark.parametrize("width", [1200, 400])
def test_long_words_do_not_widen_a_page(browser: Browser, odd: Server, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    base = "https%3A%2F%2Fw3id.org%2Fkg%2Fid%2F"
    for path in (
        *("", "papers", "people", "concepts", "paper/odd", "person/odd", "concept/odd"),
        *("person/ada-bly", "concept/transformer", "missing"),
        f"compare?a={base}person%2Fodd&b={base}person%2Fada-bly",
        f"compare?a={base}concept%2Fodd&b={base}concept%2Ftransformer",
        f"describe?iri={base}paper%2Fodd%23abstract",
        f"query?query={quote('SELECT * { <https://w3id.org/kg/id/paper/odd> ?p ?o }')}",
    ):
        page.goto(odd.url + path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, path
    page.close()


def test_a_phone_cuts_no_drawing_and_breaks_no_name(opened: Open) -> None:
    with opened(viewport=PHONE, has_touch=True, is_mobile=True) as watched:
        for path in (CONCEPT, PERSON):
            page = watched.go(path)
            for svg in page.locator("main svg").filter(visible=True).all():
                box = svg.bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= PHONE["width"]
                sizes = svg.evaluate(
                    """(e) => [...e.querySelectorAll("text")].map((t) =>
                    parseFloat(getComputedStyle(t).fontSize) * e.getScreenCTM().a)"""
                )
                assert min(sizes, default=99) >= 11, path
            small = page.evaluate(
                """() => [...document.querySelectorAll("main li > a, header nav a")]
                .filter((e) => e.getBoundingClientRect().height < 24).map((e) => e.outerHTML)"""
            )
            assert small == []
        page = watched.go(f"/query?query={quote('SELECT * { ?s rdf:type ?o } LIMIT 20')}")
        table = page.get_by_role("region", name="Result")
        assert table.evaluate("e => e.scrollWidth > e.clientWidth")
        assert page.locator("td a:not(.long)").evaluate_all(
            "es => es.every(e => e.offsetHeight < 40)"
        )


# All pages

PAGES = {
    "home": "/",
    "search": "/search?q=head&all=1",
    "search-near": "/search?q=indution",
    "concept": CONCEPT,
    "person": PERSON,
    "paper": "/paper/copy-heads-emerge-before-induction-heads",
    "category": "/arxiv/cs.LG",
    "categories": "/arxiv/",
    "ontology": "/ontology",
    "compare": f"/compare?a={quote('Ada Lindqvist')}&b={quote('João Ferreira')}",
    "compare-concepts": f"/compare?a={quote('induction head')}&b={quote('learning rate')}",
    "compare-whom": "/compare",
    "missing": "/missing",
    "papers": "/papers",
    "people": "/people",
    "concepts": "/concepts",
    "query": "/query",
    "query-result": f"/query?query={quote(QUERY)}",
    "query-mistake": f"/query?query={quote('SELECT * { ?s foaf:name ] }')}",
    "not-there": "/concept/not-there",
}
REFUSED = {"query-mistake": 400, "not-there": 404}
LOOKS: dict[str, dict[str, object]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
    "phone-without-scripts": {"viewport": PHONE, "java_script_enabled": False},
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_every_page(opened: Open, name: str, look: str) -> None:
    with opened(**LOOKS[look]) as watched:
        address = watched.url + PAGES[name]
        if name in REFUSED:
            watched.refusals.append(address)
        response = watched.page.goto(address, wait_until="networkidle")
        assert response is not None
        assert response.status == REFUSED.get(name, 200)
        page = watched.page
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}-{look}.png", full_page=True)
        wide, window = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= window, "the page scrolls sideways"
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.get_by_role("main").count() == 1
        assert page.title().strip(" ·")
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll("input:not([type=hidden]), textarea, button, a")]
            .filter((e) => !e.hidden && !(e.labels?.length || e.textContent.trim() || e.title ||
              e.getAttribute("aria-label"))).map((e) => e.outerHTML)"""
        )
        assert unnamed == []
