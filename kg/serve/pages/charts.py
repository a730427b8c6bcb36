"""Small charts: what a template needs to draw them, in the units of their view box."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

_WIDTH = 640  # of the timeline
_NARROW = 328  # the same on a phone
_BARS, _HEIGHT = 328, 130  # of the bars; a phone is not wider
_WIDEST = 30  # of a bar
_ROW = 26  # height of a row of the timeline
_TWO_LINES = 42  # the same where the label stands above
_DIGIT = 7.5  # the width of one, with room
_LABELS = 205  # width of its labels
_EDGE = 16  # beyond the last year, for its name


@dataclass(frozen=True, slots=True)
class Bar:
    """A year and its papers."""

    year: int
    papers: int
    x: float
    y: float
    width: float
    height: float
    named: bool  # whether the year stands below
    told: bool  # whether the number stands above: that of the highest, or of all


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar for every year from the first to the last."""

    bars: tuple[Bar, ...]
    width: int
    height: int

    @property
    def said(self) -> str:
        """The same in words."""
        return ", ".join(f"{bar.year}: {bar.papers}" for bar in self.bars if bar.papers)


@dataclass(frozen=True, slots=True)
class Dot:
    """A concept in a year."""

    x: float
    radius: float
    year: int
    papers: int


@dataclass(frozen=True, slots=True)
class Line:
    """A concept over the years."""

    label: str
    shown: str  # the label, shortened
    iri: str
    y: float
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Concepts over the years, one a line."""

    lines: tuple[Line, ...]
    years: tuple[tuple[int, float], ...]  # those that stand below, with their places
    left: int  # where the lines begin, and labels beside them end
    width: int
    height: int
    narrow: bool  # whether labels stand above their lines


def bars(papers: Mapping[int, int]) -> Bars | None:
    """Papers by year as bars; None where there are less than two years."""
    if len(papers) < 2:
        return None
    first, last = min(papers), max(papers)
    most = max(papers.values())
    step = min((_BARS - 2 * _EDGE) / (last - first + 1), _WIDEST + 6)
    each = max(1, round(34 / step + 0.49))  # so that the years do not touch
    all_told = _DIGIT * len(f"{most:,}") <= step
    found: list[Bar] = []
    for year in range(first, last + 1):
        count = papers.get(year, 0)
        height = round(max((_HEIGHT - 34) * count / most, 2 if count else 0), 1)
        x = round(_EDGE + (year - first) * step, 1)
        width = round(max(step - min(6, step / 4), 1), 1)
        # The first and the last year, and every n-th between that touches neither.
        named = year == first or ((last - year) % each == 0 and year - first >= each)
        highest = count == most and all(bar.papers < most for bar in found)
        told = highest or (all_told and count > 0)
        y = round(_HEIGHT - 18 - height, 1)
        found.append(Bar(year, count, x, y, width, height, named, told))
    return Bars(tuple(found), round(step * len(found)) + 2 * _EDGE, _HEIGHT)


def timeline(
    rows: Iterable[Mapping[str, str]], chosen: Iterable[str], *, narrow: bool = False
) -> Timeline | None:
    """The lines of the chosen concepts, in their order; None where there is no time between.

    `rows` have "label", "concept", "year" and "papers". A `narrow` one is for a phone.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    labels: dict[str, str] = {}
    for row in rows:
        found.setdefault(row["concept"], []).append((int(row["year"]), int(row["papers"])))
        labels[row["concept"]] = row["label"]
    kept = [concept for concept in chosen if concept in found]
    all_years = [year for concept in kept for year, _ in found[concept]]
    if len(set(all_years)) < 2:
        return None
    first, last = min(all_years), max(all_years)
    width, left, row_height = (_NARROW, 0, _TWO_LINES) if narrow else (_WIDTH, _LABELS, _ROW)
    begin = left + (_EDGE if narrow else 12)
    step = (width - begin - _EDGE) / (last - first)
    largest = sqrt(max(papers for concept in kept for _, papers in found[concept]))
    most = min(10.0, max(step / 2, 4))

    def x(year: int) -> float:
        return round(begin + (year - first) * step, 1)

    lines = tuple(
        Line(
            labels[concept],
            shortened(labels[concept], 40 if narrow else 25),
            concept,
            (at + (0.75 if narrow else 0.5)) * row_height,
            tuple(
                Dot(x(year), round(max(most * sqrt(papers) / largest, 2.5), 1), year, papers)
                for year, papers in found[concept]
            ),
        )
        for at, concept in enumerate(kept)
    )
    each = max(1, round(40 / step + 0.49))
    years = tuple((year, x(year)) for year in range(last, first - 1, -each))
    height = round(len(lines) * row_height + 22)
    return Timeline(lines, years, left, width, height, narrow)


def shortened(text: str, length: int) -> str:
    """Text of at most `length` characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def by_year(rows: Iterable[Mapping[str, str]]) -> dict[int, int]:
    """Rows with "year" and "papers" as numbers."""
    return {int(row["year"]): int(row["papers"]) for row in rows if row["year"]}
