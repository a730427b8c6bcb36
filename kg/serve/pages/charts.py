"""Small charts: what a template needs to draw them, in the units of their view box.

Time is drawn in steps: years, or decades and more where there are very many of them. Where
one odd year would make it long, what lies between is one step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
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
_LETTER = 8.5  # the width of one of a year below, with room
_STEPS = 140  # at most
_GAP = 10  # steps without papers from which on they may be one


@dataclass(frozen=True, slots=True)
class Step:
    """Some years that are drawn as one, or what is left out between others."""

    first: int
    last: int
    gap: bool = False

    @property
    def name(self) -> str:
        """The year, or the years."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    @property
    def short(self) -> str:
        """What stands below."""
        return "…" if self.gap else f"{self.first}{'s' if self.first != self.last else ''}"


@dataclass(frozen=True, slots=True)
class Bar:
    """A step and its papers."""

    step: Step
    papers: int
    x: float
    y: float
    width: float
    height: float
    named: bool  # whether its name stands below
    told: bool  # whether the number stands above: that of the highest, or of all


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar for every step."""

    bars: tuple[Bar, ...]
    width: int
    height: int

    @property
    def said(self) -> str:
        """The same in words."""
        return ", ".join(f"{bar.step.name}: {bar.papers}" for bar in self.bars if bar.papers)


@dataclass(frozen=True, slots=True)
class Dot:
    """A concept in a step."""

    x: float
    radius: float
    name: str  # of the step
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
    years: tuple[tuple[str, float], ...]  # what stands below, with the places
    left: int  # where the lines begin, and labels beside them end
    width: int
    height: int
    narrow: bool  # whether labels stand above their lines


def bars(papers: Mapping[int, int]) -> Bars | None:
    """Papers by year as bars; None where there are less than two years."""
    if len(papers) < 2:
        return None
    steps = _steps(papers)
    counts = Counter[int]()
    for year, number in papers.items():
        counts[_at(steps, year)] += number
    most = max(counts.values())
    wide = min((_BARS - 2 * _EDGE) / len(steps), _WIDEST + 6)
    all_told = _DIGIT * len(f"{most:,}") <= wide
    named = _named(steps, wide)
    found: list[Bar] = []
    for at, step in enumerate(steps):
        count = counts[at]
        height = round(max((_HEIGHT - 34) * count / most, 2 if count else 0), 1)
        x = round(_EDGE + at * wide, 1)
        width = round(max(wide - min(6, wide / 4), 1), 1)
        highest = count == most and all(bar.papers < most for bar in found)
        told = highest or (all_told and count > 0)
        y = round(_HEIGHT - 18 - height, 1)
        found.append(Bar(step, count, x, y, width, height, at in named, told))
    return Bars(tuple(found), round(wide * len(found)) + 2 * _EDGE, _HEIGHT)


def timeline(
    rows: Iterable[Mapping[str, str]], chosen: Iterable[str], *, narrow: bool = False
) -> Timeline | None:
    """The lines of the chosen concepts, in their order; None where there is no time between.

    `rows` have "label", "concept", "year" and "papers". A `narrow` one is for a phone.
    """
    found: dict[str, Counter[int]] = {}
    labels: dict[str, str] = {}
    for row in rows:
        found.setdefault(row["concept"], Counter())[int(row["year"])] += int(row["papers"])
        labels[row["concept"]] = row["label"]
    kept = [concept for concept in chosen if concept in found]
    all_years = {year for concept in kept for year in found[concept]}
    if len(all_years) < 2:
        return None
    steps = _steps(all_years)
    counts = {concept: Counter[int]() for concept in kept}
    for concept in kept:
        for year, papers in found[concept].items():
            counts[concept][_at(steps, year)] += papers
    width, left, row_height = (_NARROW, 0, _TWO_LINES) if narrow else (_WIDTH, _LABELS, _ROW)
    begin = left + (_EDGE if narrow else 12)
    wide = (width - begin - _EDGE) / max(len(steps) - 1, 1)
    largest = sqrt(max(max(count.values()) for count in counts.values()))
    most = min(10.0, max(wide / 2, 4))

    def x(at: int) -> float:
        return round(begin + at * wide, 1)

    lines = tuple(
        Line(
            labels[concept],
            shortened(labels[concept], 40 if narrow else 25),
            concept,
            (number + (0.75 if narrow else 0.5)) * row_height,
            tuple(
                Dot(
                    x(at), round(max(most * sqrt(papers) / largest, 2.5), 1), steps[at].name, papers
                )
                for at, papers in sorted(counts[concept].items())
            ),
        )
        for number, concept in enumerate(kept)
    )
    years = tuple((steps[at].short, x(at)) for at in sorted(_named(steps, wide)))
    height = round(len(lines) * row_height + 22)
    return Timeline(lines, years, left, width, height, narrow)


def _steps(years: Collection[int]) -> list[Step]:
    """The steps from the first to the last of some years."""
    size = 1
    while True:
        found: list[Step] = []
        begins = sorted({year // size * size for year in years})
        whole = (begins[-1] - begins[0]) // size < _STEPS
        for begin in begins:
            after = found[-1].last + 1 if found else begin
            if not whole and begin - after >= _GAP * size:
                found.append(Step(after, begin - 1, gap=True))
            else:
                found += [Step(at, at + size - 1) for at in range(after, begin, size)]
            found.append(Step(begin, begin + size - 1))
        if len(found) <= _STEPS:
            return found
        size *= 10


def _at(steps: list[Step], year: int) -> int:
    return bisect_right(steps, year, key=lambda step: step.first) - 1


def _named(steps: Sequence[Step], wide: float) -> set[int]:
    """The steps whose names stand below, so that none touches another.

    They are the first and the last, those around gaps, and every n-th from the end.
    """
    each = max(1, round(_LETTER * max(len(step.short) for step in steps) / wide + 0.49))
    last = len(steps) - 1
    gaps = [at for at, step in enumerate(steps) if step.gap]
    around = [at + by for at in gaps for by in (1, -1)]
    found: set[int] = set()
    for at in (0, last, *around, *range(last, -1, -each)):
        if not steps[at].gap and all(abs(at - other) >= each for other in found):
            found.add(at)
    return found


def shortened(text: str, length: int) -> str:
    """Text of at most `length` characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def by_year(rows: Iterable[Mapping[str, str]]) -> dict[int, int]:
    """Rows with "year" and "papers" as numbers."""
    return {int(row["year"]): int(row["papers"]) for row in rows if row["year"]}
