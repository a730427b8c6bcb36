"""What pages are made of: marked texts, charts, drawings, addresses, and colours."""

from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.rdf.vocabulary import ARXIV, KG
from kg.serve import drawing
from kg.serve.drawing import Edge, Node
from kg.serve.pages import charts, marking
from kg.serve.pages.addresses import Addresses
from kg.serve.pages.marking import Span
from kg.text import plain

BASE = "https://w3id.org/kg/id/"
STYLE = Path(__file__).parents[1] / "kg" / "serve" / "static" / "kg.css"


# Marked texts


def marks(pieces: list[marking.Piece]) -> list[str]:
    return [piece.text for piece in pieces if piece.span]


def text_of(pieces: list[marking.Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def test_marks_follow_the_text_that_people_read() -> None:
    source = "The \\emph{induction head} of $x_1$ \\& more"
    begin = source.index("induction")
    pieces = marking.marked(source, [Span(begin, begin + len("induction head"))])
    assert marks(pieces) == ["induction head"]
    assert text_of(pieces) == plain(source).text
    whole = source.index("\\emph")
    pieces = marking.marked(source, [Span(whole, source.index(" of"))])
    assert marks(pieces) == ["induction head"]


def test_of_overlapping_marks_the_longest_stays_and_all_have_a_place() -> None:
    source = "deep neural network models"
    spans = [Span(5, 19, id="a"), Span(0, 19, id="b"), Span(5, 11, id="c"), Span(20, 26, id="d")]
    pieces = marking.marked(source, spans)
    assert marks(pieces) == ["deep neural network", "models"]
    found = [piece.span.id for piece in pieces if piece.span]
    assert found == ["b", "d"]
    assert {id for piece in pieces for id in piece.anchors} == {"a", "c"}


@given(
    st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(1, 20)), max_size=6)
)
def test_marking_keeps_every_character(source: str, places: list[tuple[int, int]]) -> None:
    spans = [Span(b, min(b + n, len(source))) for b, n in places if b < len(source)]
    assert text_of(marking.marked(source, spans)) == plain(source).text
    assert bool(marking.sentences(source, spans)) == bool(spans)


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("First one. We like heads. Third.", "heads", "We like heads."),
        (
            "By e.g. Smith et al. Heads are fine. No.",
            "Heads",
            "By e.g. Smith et al. Heads are fine.",
        ),
        ("Heads copy", "Heads", "Heads copy"),
        ("One? Two heads! Three", "heads", "Two heads!"),
        ("We get 3.5 heads. Next", "heads", "We get 3.5 heads."),
    ],
)
def test_sentences(text: str, word: str, sentence: str) -> None:
    at = text.index(word)
    [found] = marking.sentences(text, [Span(at, at + len(word))])
    assert text_of(found) == sentence


def test_long_sentences_are_cut_around_the_mention() -> None:
    text = "word " * 200 + "head " + "word " * 200
    [pieces] = marking.sentences(text, [Span(1000, 1004)])
    shown = text_of(pieces)
    assert len(shown) < 450
    assert shown.startswith("… word")
    assert shown.endswith("word …")
    assert marks(pieces) == ["head"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A head is a part of a model.", 3),
        ("A head (H) is the part of a model that copies.", 3),
        ("Any head denotes a part.", 3),
        ("A head predicts the next token.", 3),
        ("We introduce the head, which copies.", 2),
        ("This is called a head.", 2),
        ("We use a head for this.", 0),
        ("Results of the proposed head are good.", 0),
    ],
)
def test_what_sounds_like_a_definition(text: str, says: int) -> None:
    at = text.index("head")
    [found] = marking.sentences(text, [Span(at, at + 4)])
    assert marking.defines(found) == says


def test_sentences_with_several_mentions_and_repeated_ones() -> None:
    text = "Heads meet heads. No. We like heads. We like heads.\nHeads"
    spans = [Span(hit.start(), hit.end()) for hit in re.finditer("heads", text, re.IGNORECASE)]
    found = marking.sentences(text, spans)
    assert [text_of(one) for one in found] == ["Heads meet heads.", "We like heads.", "Heads"]
    assert marks(found[0]) == ["Heads", "heads"]
    assert marking.defines(found[1]) == 0
    # One that is longer than a sentence, two at one place, and one without a space before it.
    for text, spans in (
        ("x" * 500 + " y" * 500, [Span(10, 600)]),
        ("$a$ b", [Span(0, 3, "/1"), Span(1, 2, "/2")]),
        ("z" * 1000, [Span(500, 504)]),
    ):
        [found_one] = marking.sentences(text, spans)
        assert len(marks(found_one)) == 1
        assert "".join(marks(found_one)) in plain(text).text
        assert marking.marked(text, spans)


def test_a_long_text_is_read_once() -> None:
    """What is linear takes about as long for each character; cubic it took a minute."""
    text = " ".join(f"In section {n} we train heads with heads." for n in range(20_000))
    spans = [Span(hit.start(), hit.end()) for hit in re.finditer("heads", text)]
    begun = time.process_time()
    assert len(marking.sentences(text, spans)) == 20_000
    assert time.process_time() - begun < 10


# Charts


def test_bars() -> None:
    assert charts.bars({}) is None
    assert charts.bars({2020: 3}) is None
    found = charts.bars({2019: 1, 2021: 4, 2022: 4})
    assert found is not None
    assert [bar.step.name for bar in found.bars] == ["2019", "2020", "2021", "2022"]
    assert [bar.told for bar in found.bars] == [True, False, True, True]
    assert [bar.named for bar in found.bars] == [True, True, True, True]
    assert found.said == "2019: 1, 2021: 4, 2022: 4"
    assert found.bars[1].height == 0
    many = charts.bars(dict.fromkeys(range(1900, 2026), 1))
    assert many is not None
    assert all(0 <= bar.x <= many.width for bar in many.bars)
    assert [bar.step.name for bar in many.bars if bar.told] == ["1900"]
    named = [bar for bar in many.bars if bar.named]
    assert (named[0].step.name, named[-1].step.name) == ("1900", "2025")
    assert all(two.x - one.x >= 30 for one, two in pairwise(named))


@pytest.mark.parametrize(
    ("papers", "count", "first", "said"),
    [
        ({1850: 1, 2024: 2, 2025: 3, 9999: 1}, 6, "1850", "1850: 1, 2024: 2, 2025: 3, 9999: 1"),
        (dict.fromkeys(range(1600, 2026), 1), 43, "1600s", "1600–1609: 10, 1610–1619: 10"),
        ({-(10**9): 1, 10**9: 1}, 3, "-1000000000", "-1000000000: 1, 1000000000: 1"),
        (dict.fromkeys(range(0, 10_000, 3), 1), 100, "0s", "0–99: 34, 100–199: 33"),
    ],
)
def test_bars_of_odd_years(papers: dict[int, int], count: int, first: str, said: str) -> None:
    found = charts.bars(papers)
    assert found is not None
    assert len(found.bars) == count
    assert found.bars[0].step.short == first
    assert found.said.startswith(said)
    assert sum(bar.papers for bar in found.bars) == sum(papers.values())
    assert found.width <= 328


def test_a_timeline_of_odd_years() -> None:
    rows = [
        {"label": "a", "concept": "a", "year": str(year), "papers": "1"}
        for year in (1850, 2023, 2024, 2025, 9999)
    ]
    found = charts.timeline(rows, ["a"])
    assert found is not None
    assert [dot.name for dot in found.lines[0].dots] == ["1850", "2023", "2024", "2025", "9999"]
    assert all(two.x - one.x > 40 for one, two in pairwise(found.lines[0].dots))
    assert len(found.years) <= 7


def test_timeline() -> None:
    rows = [
        {"label": "b" * 60, "concept": "b", "year": "2020", "papers": "1"},
        {"label": "a", "concept": "a", "year": "2020", "papers": "1"},
        {"label": "a", "concept": "a", "year": "2024", "papers": "9"},
    ]
    found = charts.timeline(rows, ["a", "c", "b"])
    assert found is not None
    assert [line.iri for line in found.lines] == ["a", "b"]
    assert len(found.lines[1].shown) < 30
    assert found.lines[0].dots[1].radius > found.lines[0].dots[0].radius
    assert charts.timeline(rows, ["b"]) is None
    narrow = charts.timeline(rows, ["a", "c", "b"], narrow=True)
    assert narrow is not None
    assert narrow.width <= 328
    assert all(dot.x + dot.radius <= narrow.width for line in narrow.lines for dot in line.dots)


# Drawings


def star(count: int) -> tuple[list[Node], list[Edge]]:
    names = ["centre", *(f"thing {n} " + "x" * (n % 25) for n in range(1, count))]
    kinds = list(drawing.KINDS)
    nodes = [Node(f"n{n}", name, kinds[n % 6], n, f"/n{n}") for n, name in enumerate(names)]
    edges = [Edge("n0", f"n{n}", n) for n in range(1, count)]
    edges += [Edge(f"n{n}", f"n{n + 1}", 2) for n in range(1, count - 1, 2)]
    return nodes, edges


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    found = []
    for link in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}a"):
        rect = link.find("{http://www.w3.org/2000/svg}rect")
        assert rect is not None
        x, y, width, height = (float(rect.attrib[k]) for k in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


@pytest.mark.parametrize("count", [1, 2, 3, 10, 25, 40, 60])
def test_no_label_covers_another(count: int) -> None:
    svg = drawing.draw(*star(count), "A star")
    found = boxes(svg)
    assert len(found) == min(count, drawing.MOST)
    for at, (left, top, right, bottom) in enumerate(found):
        for other in found[at + 1 :]:
            apart = other[0] >= right or other[2] <= left or other[1] >= bottom or other[3] <= top
            assert apart, (count, at)
    assert svg == drawing.draw(*star(count), "A star")


@pytest.mark.parametrize("count", [1, 2, 10, 40])
def test_a_tall_drawing_fits_a_phone(count: int) -> None:
    """Its labels keep 12 px on a screen 360 px wide, which leaves 328 px, and cover nothing."""
    svg = drawing.draw(*star(count), "A star", tall=True)
    root = ElementTree.fromstring(svg)
    assert 13 * 328 / float(root.attrib["width"]) >= 12
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    found = boxes(svg)
    assert len(found) == min(count, 18)
    for at, (x, y, right, bottom) in enumerate(found):
        assert left <= x < right <= left + width
        assert top <= y < bottom <= top + height
        for other in found[at + 1 :]:
            apart = other[0] >= right or other[2] <= x or other[1] >= bottom or other[3] <= y
            assert apart, (count, at)
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        assert left <= float(text.attrib["x"]) <= left + width


def test_labels_of_a_drawing_are_text() -> None:
    nodes = [
        Node("a", '<script>"&', "Method", 0, "/a?b=1&c='\""),
        Node("b", "ب" * 99, "Person", 1, "/b"),
    ]
    svg = drawing.draw(nodes, [Edge("a", "b", 1), Edge("a", "gone", 3)], "</svg>")
    root = ElementTree.fromstring(svg)
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert '<script>"&' in texts
    assert len(texts[1] or "") == 28
    assert drawing.kind_of(["Task", "Method"]) == "Task"
    assert drawing.kind_of(["Other"]) == "Concept"


# Addresses


@pytest.mark.parametrize(
    ("iri", "path"),
    [
        (f"{BASE}concept/x", "/concept/x"),
        (f"{BASE}paper/arxiv/1#abstract-1-2", "/paper/arxiv/1#abstract-1-2"),
        (
            f"{BASE}concept/../x",
            f"/describe?iri={BASE.replace(':', '%3A').replace('/', '%2F')}concept%2F..%2Fx",
        ),
        (f"{BASE}concept/what?", "/concept/what%3F"),
        (f"{ARXIV.iri}cs.LG", "/arxiv/cs.LG"),
        (f"{KG.iri}Method", "/ontology#Method"),
        ("https://example.org/x", "/describe?iri=https%3A%2F%2Fexample.org%2Fx"),
    ],
)
def test_addresses(iri: str, path: str) -> None:
    assert Addresses(BASE).href(iri) == path


def test_iris_of_addresses() -> None:
    there = Addresses("http://127.0.0.1:8000/id/")
    assert list(there.iris(b"concept/x")) == [("http://127.0.0.1:8000/id/concept/x", "")]
    assert ("http://127.0.0.1:8000/id/concept/x", "") in list(there.iris(b"id/concept/x"))
    assert ("http://127.0.0.1:8000/id/concept/x", "turtle") in list(there.iris(b"concept/x.ttl"))
    assert (f"{ARXIV.iri}cs.LG", "") in list(Addresses(BASE).iris(b"arxiv/cs.LG"))
    assert (f"{BASE}person/zoë", "") in list(Addresses(BASE).iris(b"person/zo%C3%AB"))
    assert list(Addresses(BASE).iris(b"%ff")) == []


# Colours


def colours(dark: bool) -> dict[str, str]:
    text = STYLE.read_text(encoding="utf-8")
    light = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text[: text.index("@media")]))
    rest = text[text.index("@media") : text.index("* {")]
    other = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rest))
    assert light.keys() == other.keys()
    return other if dark else light


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


KINDS = ("person", "method", "task", "material", "metric", "other")


@pytest.mark.parametrize("dark", [False, True])
def test_texts_can_be_read(dark: bool) -> None:
    """WCAG 2 AA: 4.5 for text, 3 for what is drawn."""
    found = colours(dark)
    texts = [("ink", "paper"), ("soft", "paper"), ("link", "paper"), ("bad", "paper")]
    texts += [("ink", "quiet"), ("mark-ink", "mark"), *(("ink", kind) for kind in KINDS)]
    for text, ground in texts:
        assert contrast(found[text], found[ground]) >= 4.5, (text, ground)
    for kind in KINDS:
        assert contrast(found[f"{kind}-line"], found["paper"]) >= 3, kind
    assert contrast(found["bar"], found["paper"]) >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_drawings_have_the_colours_of_pages(dark: bool) -> None:
    found = colours(dark)
    scheme = "dark" if dark else "light"
    names = {"Concept": "other"} | {
        kind: kind.lower() for kind in drawing.KINDS if kind != "Concept"
    }
    for kind, name in names.items():
        assert drawing.COLOURS[scheme][kind] == (found[name], found[f"{name}-line"])
    plain_ones = drawing.PLAIN[scheme]
    assert (plain_ones["ink"], plain_ones["paper"]) == (found["ink"], found["paper"])
    assert contrast(plain_ones["edge"], found["paper"]) >= 3


def test_style_sheet_loads_nothing() -> None:
    for sheet in STYLE.parent.glob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert "url(" not in text
        assert "@import" not in text
