"""Neighbourhoods as drawings in SVG: a thing, what is near it, and how they hang together.

Everything here is decided by the input: places come from stress majorisation (Gansner, Koren
and North, 2004) that begins on a circle, then labels are pushed apart until none covers
another. The drawing brings its style along, light and dark, so that it can be saved; its
digest is what a Content-Security-Policy has to allow.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

MOST = 40  # nodes of a drawing
_FEW = {"people": 6, "others": 11}  # the same beside the centre, on a phone
_MOST_EDGES = 70  # between things that are not the centre
_LONGEST, _LONGEST_TALL = 28, 24  # characters of a label
_TALL = 320.0  # width of what is drawn for a phone
_ROUNDS = 120  # of stress majorisation
_PUSHES = 400
_THICK = 6  # papers in common that make a line the thickest, where none has more
_GAP = (10.0, 7.0)  # between two boxes

KINDS = {
    "Person": "person",
    "Method": "method",
    "Task": "task",
    "Material": "material",
    "Metric": "metric",
    "Concept": "other concept",
}

# Node fill, line and text; in light and in dark. kg.css has the same for labels on pages.
Colour = tuple[str, str]
PLAIN = {
    "light": {"paper": "#ffffff", "ink": "#1b1f24", "edge": "#8a94a0"},
    "dark": {"paper": "#12161b", "ink": "#e6edf3", "edge": "#67727e"},
}
COLOURS: dict[str, dict[str, Colour]] = {
    "light": {
        "Person": ("#f3e3ee", "#8f3f74"),
        "Method": ("#dfeafa", "#2b62ad"),
        "Task": ("#dff1e3", "#2c7a46"),
        "Material": ("#fbe9d2", "#96610f"),
        "Metric": ("#e9e3f8", "#6b4bb0"),
        "Concept": ("#eaedf0", "#5f6b77"),
    },
    "dark": {
        "Person": ("#43213a", "#d58bbd"),
        "Method": ("#1b3252", "#7fb0f0"),
        "Task": ("#173a24", "#74c48e"),
        "Material": ("#43300f", "#dca95b"),
        "Metric": ("#31265a", "#ab92ec"),
        "Concept": ("#2a3138", "#97a3af"),
    },
}


def _style() -> str:
    def rules(scheme: str) -> str:
        plain = PLAIN[scheme]
        lines = [
            f".g-paper{{fill:{plain['paper']}}}",
            f".g text{{fill:{plain['ink']}}}",
            f".g line{{stroke:{plain['edge']}}}",
        ]
        for kind, (fill, line) in COLOURS[scheme].items():
            lines.append(f".g-{kind} rect{{fill:{fill};stroke:{line}}}")
        return "".join(lines)

    fixed = (
        ".g text{font:13px system-ui,sans-serif;text-anchor:middle}"
        ".g .g-centre text{font-weight:700;font-size:15px}"
        ".g .g-centre rect{stroke-width:2.5}"
        ".g .g-legend text{text-anchor:start;font-size:12px}"
        ".g a:hover rect,.g a:focus rect{stroke-width:3}.g a:hover text{text-decoration:underline}"
    )
    dark = rules("dark")
    return f"{fixed}{rules('light')}@media (prefers-color-scheme:dark){{{dark}}}"


STYLE = _style()
STYLE_SOURCE = f"'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"


@dataclass(frozen=True, slots=True)
class Node:
    """A thing in a drawing; the first one is the centre."""

    key: str
    label: str
    kind: str  # one of KINDS
    papers: int  # that it has in common with the centre
    href: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A tie between two things, by their keys."""

    first: str
    second: str
    papers: int
    relation: str = ""  # its name, where it is not just having papers in common


def kind_of(types: Sequence[str]) -> str:
    """The kind of a concept with these types, the first that is known."""
    return next((kind for kind in types if kind in KINDS), "Concept")


def draw(nodes: Sequence[Node], edges: Sequence[Edge], title: str, *, tall: bool = False) -> str:
    """The drawing. Nodes beyond MOST are left out, and of the edges the weakest ones.

    A `tall` one has fewer nodes and is as narrow as a phone, where its labels can be read.
    """
    nodes = _few(nodes) if tall else list(nodes[:MOST])
    at = {node.key: number for number, node in enumerate(nodes)}
    kept = _kept([edge for edge in edges if edge.first in at and edge.second in at], nodes[0].key)
    longest = _LONGEST_TALL if tall else _LONGEST
    sizes = np.array([_size(node, number == 0, longest) for number, node in enumerate(nodes)])
    weights = [(at[edge.first], at[edge.second], edge.papers) for edge in kept]
    places = _apart(_places(len(nodes), weights, tall), sizes, _TALL if tall else inf)
    return _svg(nodes, kept, places, sizes, at, title, tall)


def _few(nodes: Sequence[Node]) -> list[Node]:
    """The centre, and the first of the people and of the others."""
    people = [node.key for node in nodes[1:] if node.kind == "Person"][: _FEW["people"]]
    others = [node.key for node in nodes[1:] if node.kind != "Person"][: _FEW["others"]]
    return [node for node in nodes if node.key in {nodes[0].key, *people, *others}]


def _kept(edges: list[Edge], centre: str) -> list[Edge]:
    """All edges of the centre, and the strongest of the others."""
    own = [edge for edge in edges if centre in (edge.first, edge.second)]
    others = [edge for edge in edges if centre not in (edge.first, edge.second)]
    others.sort(key=lambda edge: (-edge.papers, edge.first, edge.second))
    return own + others[:_MOST_EDGES]


def _shown(label: str, longest: int) -> str:
    return label if len(label) <= longest else label[: longest - 1].rstrip() + "…"


def _size(node: Node, centre: bool, longest: int) -> tuple[float, float]:
    """Width and height of a node's box; fonts differ, so there is room to spare."""
    letter = 9.8 if centre else 7.7
    letters = sum(
        2.0 if ord(c) > 0x2E7F else 0.55 if c in "ilj.,'|:;!I ()[]" else 1.0
        for c in _shown(node.label, longest)
    )
    return letters * letter + 18, 30.0 if centre else 24.0


def _places(count: int, weights: list[tuple[int, int, int]], tall: bool) -> NDArray[np.float64]:
    """Places where distances are near what they should be; shape (count, 2)."""
    angles = np.arange(count) * 2.399963  # the golden angle: even, and no two alike
    radii = 60 * np.sqrt(np.arange(count))
    places = np.column_stack([radii * np.cos(angles) * 1.6, radii * np.sin(angles)])
    if count < 2:
        return places
    wanted = np.full((count, count), 3.0)
    most: dict[int, int] = {}
    for first, second, papers in weights:
        for node in (first, second):
            most[node] = max(most.get(node, 1), papers)
    for first, second, papers in weights:
        share = papers / max(most[first], most[second])
        near = 1.0 + 1.1 * (1 - min(share, 1.0)) ** 2
        wanted[first, second] = wanted[second, first] = min(wanted[first, second], near)
    for middle in range(count):
        wanted = np.minimum(wanted, wanted[:, [middle]] + wanted[[middle], :])
    np.fill_diagonal(wanted, 1.0)
    lengths = wanted * 125
    weight = lengths**-2.0
    np.fill_diagonal(weight, 0.0)
    total = weight.sum(axis=1)
    for _ in range(_ROUNDS):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.sqrt((apart**2).sum(axis=2))
        np.fill_diagonal(distance, 1.0)
        pull = weight * lengths / np.maximum(distance, 1e-6)
        np.fill_diagonal(pull, 0.0)
        places = (weight @ places + (pull[:, :, None] * apart).sum(axis=1)) / total[:, None]
        places -= places[0]
    # Labels are wide and low, and so is a page; a phone is not.
    squeezed: NDArray[np.float64] = places * np.array([0.7, 0.9] if tall else [1.35, 0.75])
    return squeezed


def _apart(
    places: NDArray[np.float64], sizes: NDArray[np.float64], width: float
) -> NDArray[np.float64]:
    """The same places with the boxes pushed apart, the centre left where it is.

    Where there is a width to keep to, boxes go inside it and then only up and down.
    """
    places = places.copy()
    count = len(places)
    half = sizes / 2
    if width < inf:
        free = np.maximum(width / 2 - half[:, 0], 0)
        places[:, 0] = np.clip(places[:, 0], -free, free)
    need = half[:, None, :] + half[None, :, :] + np.array(_GAP)
    for _ in range(_PUSHES):
        apart = places[:, None, :] - places[None, :, :]
        over = need - np.abs(apart)
        covered = (over > 0.01).all(axis=2)
        np.fill_diagonal(covered, False)
        if not covered.any():
            break
        for first, second in zip(*np.nonzero(np.triu(covered)), strict=True):
            gap = places[second] - places[first]
            over_now = need[first, second] - np.abs(gap)
            if (over_now <= 0).any():
                continue
            # The cheaper way out; heights are small, so mostly up or down.
            way = 0 if over_now[0] < over_now[1] and width == inf else 1
            sign = 1.0 if gap[way] > 0 or (gap[way] == 0 and second % 2) else -1.0
            shift = over_now[way] / 2 + 0.05
            places[second, way] += sign * shift
            places[first, way] -= sign * shift
    return places - places[0] if count else places


def _svg(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    places: NDArray[np.float64],
    sizes: NDArray[np.float64],
    at: dict[str, int],
    title: str,
    tall: bool,
) -> str:
    low = (places - sizes / 2).min(axis=0) - 14
    high = (places + sizes / 2).max(axis=0) + 14
    kinds = [kind for kind in KINDS if any(node.kind == kind for node in nodes)]
    width = max(high[0] - low[0], _TALL + 28 if tall else 40.0 + 120 * len(kinds))
    low[0] -= max(0.0, (width - (high[0] - low[0])) / 2)
    legend = _legend(kinds, width)
    rows = 1 + max((row for _, row, _ in legend), default=0)
    height = high[1] - low[1] + 12 + 22 * rows
    most = max((edge.papers for edge in edges), default=1)
    most = max(most, _THICK)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="g {"g-tall" if tall else "g-broad"}"'
        f' width="{ceil(width)}" height="{ceil(height)}"'
        f' viewBox="{_n(low[0])} {_n(low[1])} {_n(width)} {_n(height)}"'
        f' role="group" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect class="g-paper" {_box(low[0], low[1], width, height)}/>',
    ]
    for edge in sorted(edges, key=lambda edge: edge.papers):
        first, second = at[edge.first], at[edge.second]
        own = 0 in (first, second)
        share = (edge.papers / most) ** 0.5
        said = edge.relation or f"{edge.papers} {'paper' if edge.papers == 1 else 'papers'}"
        ends = f"{nodes[first].label} – {nodes[second].label}"
        dashes = "" if edge.relation or own else ' stroke-dasharray="3 3"'
        (x1, y1), (x2, y2) = places[first], places[second]
        parts.append(
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
            f' stroke-width="{_n(0.7 + 4.3 * share)}" opacity="{0.75 if own else 0.45}"{dashes}>'
            f"<title>{escape(ends)}: {escape(said)}</title></line>"
        )
    for number, node in enumerate(nodes):
        text = _shown(node.label, _LONGEST_TALL if tall else _LONGEST)
        parts.append(_node(node, text, places[number], sizes[number], number == 0))
    parts.append('<g class="g-legend" aria-label="Legend">')
    for x, row, kind in legend:
        y = high[1] + 8 + 22 * row
        parts.append(
            f'<g class="g-{kind}"><rect {_box(low[0] + x, y, 22, 14)}'
            f' rx="{7 if kind == "Person" else 3}"/>'
            f'<text x="{_n(low[0] + x + 28)}" y="{_n(y + 11)}">{KINDS[kind]}</text></g>'
        )
    parts.append("</g></svg>")
    return "".join(parts)


def _node(
    node: Node, text: str, place: NDArray[np.float64], size: NDArray[np.float64], centre: bool
) -> str:
    (x, y), (width, height) = place - size / 2, size
    round = height / 2 if node.kind == "Person" else 4.0
    papers = f"{node.papers} {'paper' if node.papers == 1 else 'papers'}"
    count = f" ({papers})" if node.papers else ""
    classes = f"g-{node.kind}{' g-centre' if centre else ''}"
    base = place[1] + (5 if centre else 4.5)
    return (
        f'<a href="{escape(node.href)}" class="{classes}">'
        f"<title>{escape(node.label)}{count}</title>"
        f'<rect {_box(x, y, width, height)} rx="{_n(round)}"/>'
        f'<text x="{_n(place[0])}" y="{_n(base)}">{escape(text)}</text></a>'
    )


def _legend(kinds: Sequence[str], width: float) -> list[tuple[float, int, str]]:
    """Where each kind stands in the legend: from the left, and in which row."""
    found = []
    x, row = 14.0, 0
    for kind in kinds:
        wide = 46.0 + 7 * len(KINDS[kind])
        if x > 14 and x + wide > width:
            x, row = 14.0, row + 1
        found.append((x, row, kind))
        x += wide
    return found


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'


def _n(number: float) -> str:
    """A coordinate, short and the same on every machine."""
    return f"{number:.1f}".removesuffix(".0")
