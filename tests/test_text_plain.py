from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.text import plain

SHARED = Path(__file__).parent.parent.parent / "shared"

READABLE = [
    ("<script>alert(1)</script> & co", "<script>alert(1)</script> & co"),  # no mark-up of a title
    ("where $a<b>c$. Then", "where a<b>c. Then"),
    ("where $a<i>b</i>$, <b>bold</b> and <br>on", "where ab, bold and on"),
    ("", ""),
    ("plain words stay", "plain words stay"),
    (r"We introduce $\textbf{HalluHard}$, a", "We introduce HalluHard, a"),
    (r"\textbf{Bold} \emph{and} \textit{slanted}", "Bold and slanted"),
    ("$n$-gram language models", "n-gram language models"),
    (r"$\mathbb{X}$-Sample Contrastive Loss", "X-Sample Contrastive Loss"),
    (r"gains of $3.3$-$5.6$\% over CLIP", "gains of 3.3-5.6% over CLIP"),
    (r"of $16.8\%$ on ImageNet", "of 16.8% on ImageNet"),
    ("such ``hidden factorial structures.''", "such “hidden factorial structures.”"),
    ("1990--2000 --- a decade", "1990–2000 — a decade"),
    ("optimization, and~offline model", "optimization, and offline model"),
    (r"$\alpha$-divergence and $\Delta \le k$", "α-divergence and Δ ≤ k"),
    (r"language $L \subseteq K$", "language L ⊆ K"),
    (r"$\mathcal{O}(1/n)$ and $\Theta(1/\sqrt{n})$", "O(1/n) and Θ(1/√n)"),
    (r"$R^2$, $10^{-5}$, $\ell_1$-norm, $x_{max}$", "R², 10⁻⁵, ℓ₁-norm, x_max"),
    (r"$k^{(1-\varepsilon)s}$", "k^(1-ε)s"),
    (r"$O(\log\log n)$ and $\frac{a}{b}$", "O(log log n) and a/b"),
    (r"$k'$-fold composition", "k'-fold composition"),
    (r"Erd\H{o}s, P\'olya, G{\"o}del, \'{E}tale, na\"{\i}ve", "Erdős, Pólya, Gödel, Étale, naïve"),
    (r"S\o ren {\O}rsted, \L{}ukasz, \v{S}ev\v cik", "Søren Ørsted, Łukasz, Ševčik"),
    (r"Code at \url{https://github.com/a_b}.", "Code at https://github.com/a_b."),
    (r"at \href{https://a.org/x}{the page} now", "at the page now"),
    (r"as shown \cite{a,b} and~\citep[p.~3]{c}", "as shown and"),
    (r"{\bf Bold} old style", "Bold old style"),
    (r"unknown \method reads well", "unknown method reads well"),
    (r"\textcolor{red}{warning} here", "warning here"),
    (r"a \begin{itemize} \item one \end{itemize}", "a one"),
    ("it costs $5 and $10 for $n$-grams", "it costs $5 and $10 for n-grams"),
    ("US$ 5 or US$ 10", "US$ 5 or US$ 10"),
    ("a lone $ and a lone { brace", "a lone $ and a lone { brace"),
    ("binary strings {0,1}^n and {BERT}", "binary strings {0,1}^n and BERT"),
    ("about ~5 at http://a.org/~b", "about ~5 at http://a.org/~b"),
    (r"{sub-$n$-grams are near-stationary}", "sub-n-grams are near-stationary"),
    ("H<sub>2</sub>O and <i>E. coli</i>", "H₂O and E. coli"),
    ("<jats:p>First.</jats:p><jats:p>Second.</jats:p>", "First. Second."),
    ("R&amp;D, a &lt; b, &#233;t&eacute;, AT&T", "R&D, a < b, été, AT&T"),
    ("if a < b and c > d", "if a < b and c > d"),
    ("x <mml:math><mml:mi>y</mml:mi></mml:math> z", "x y z"),
    ("<b>un<i>matched</b>", "unmatched"),
    ("one\n  line,\ttwo", "one line, two"),
    ("one paragraph\n\nand another", "one paragraph\nand another"),
    ("cafe\u0301 \u1100\u1161\u11a8", "café 각"),
    ("nul\x00 and \ud800", "nul and \ufffd"),
    ("C++, C#, snake_case, R^2", "C++, C#, snake_case, R^2"),
    ("Metropolis{-}Hastings and Allen{--}Cahn", "Metropolis-Hastings and Allen–Cahn"),
    (r"\setlength{\oddsidemargin}{-69pt} penalized", "penalized"),
]


@pytest.mark.parametrize(("source", "readable"), READABLE)
def test_a_reader_sees(source: str, readable: str) -> None:
    assert plain(source).text == readable


SPANS = [
    (r"on \textbf{HalluHard} now", "HalluHard", "HalluHard"),
    (r"on $\textbf{HalluHard}$ now", "HalluHard", "HalluHard"),
    ("the $n$-gram language models", "n-gram language models", "$n$-gram language models"),
    (
        r"our $\mathbb{X}$-Sample Contrastive Loss",
        "X-Sample Contrastive Loss",
        r"$\mathbb{X}$-Sample Contrastive Loss",
    ),
    (r"the \textit{planted problem} here", "planted problem", "planted problem"),
    (r"the related \emph{planted} problem,", "planted problem", r"\emph{planted} problem"),
    (r"by \emph{a planted} problem", "planted problem", r"\emph{a planted} problem"),
    (r"in terms of $R^2$.", "R²", "$R^2$"),
    (r"the $\ell_1$-norm of", "ℓ₁-norm", r"$\ell_1$-norm"),
    (r"by G{\"o}del numbering", "Gödel numbering", r"G{\"o}del numbering"),
    ("<i>E. coli</i> growth", "E. coli growth", "<i>E. coli</i> growth"),
    ("the <i>E. coli</i> strain", "E. coli", "E. coli"),
    ("R&amp;D budget", "R&D budget", "R&amp;D budget"),
    ("graph\n  neural   network", "graph neural network", "graph\n  neural   network"),
    ("cafe\u0301 culture", "café", "cafe\u0301"),
    (r"{sub-$n$-grams are}", "n-grams", "$n$-grams"),
]


@pytest.mark.parametrize(("source", "readable", "written"), SPANS)
def test_a_span_of_readable_text_is_written(source: str, readable: str, written: str) -> None:
    read = plain(source)
    at = read.text.index(readable)
    start, end = read.source_span(at, at + len(readable))
    assert source[start:end] == written


def test_text_without_marks_is_taken_as_it_stands() -> None:
    source = "Plain words – and “quotes”."
    read = plain(source)
    assert read.text is source
    assert read.starts == ()
    assert read.source_span(0, 5) == (0, 5)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2), (0, 100)])
def test_a_span_outside_the_text_is_an_error(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        plain("some words").source_span(start, end)


BITS = [
    *("\\(", "\\)", "\\[", "\\]", "\\textbf{", "\\frac{a}{b}", "\\'", "$$", "\\hat{", "\\alpha"),
    *(
        "<i>",
        "</i>",
        "<sub>2</sub>",
        "<p>",
        "&amp;",
        "\\begin{x}",
        "\\cite[",
        "]",
        "\\url{",
        "word",
    ),
]
SIGNS = "{}$\\^_~&<>'`\" -n\u0301\u1161\u11a8\u1100\ud800\n"
PIECES = st.lists(st.sampled_from([*SIGNS, *BITS])).map("".join)


@given(PIECES | st.text(st.characters(codec=None)))
def test_offsets_are_monotone_and_within_bounds(source: str) -> None:
    read = plain(source)
    assert unicodedata.is_normalized("NFC", read.text)
    assert "  " not in read.text
    assert read.text == read.text.strip(" \n")
    if not read.starts:
        assert read.text in (source, "")
        return
    assert len(read.text) == len(read.starts) == len(read.ends) == len(read.inside)
    assert list(read.starts) == sorted(read.starts)
    assert list(read.ends) == sorted(read.ends)
    assert all(0 <= s <= e <= len(source) for s, e in zip(read.starts, read.ends, strict=True))


@given(PIECES, st.data())
def test_source_spans_hold_what_their_text_came_from(source: str, data: st.DataObject) -> None:
    read = plain(source)
    if not read.text:
        return
    start = data.draw(st.integers(0, len(read.text) - 1))
    end = data.draw(st.integers(start + 1, len(read.text)))
    begin, stop = read.source_span(start, end)
    assert 0 <= begin <= stop <= len(source)
    if read.starts:
        assert begin <= read.starts[start]
        assert stop >= read.ends[end - 1]
        for group in read.groups:
            inside = begin <= group.start and group.end <= stop
            around = group.inner_start <= begin and stop <= group.inner_end
            outside = stop <= group.start or group.end <= begin
            assert inside or around or outside or begin == stop


@given(st.text())
def test_readable_text_reads_as_itself_where_it_has_no_marks(source: str) -> None:
    once = plain(source).text
    if not any(c in once for c in "\\$<&{}~`'-"):
        assert plain(once).text == once


HEAPS = [
    "{",
    "$",
    "\\",
    "<i>",
    "&",
    "\u0301",
    "$x_{",
    "\\hat{",
    "<a b='",
    "\\frac{",
    "\\cite[",
    "``--~",
]


@pytest.mark.parametrize("heap", HEAPS)
def test_heaps_of_unmatched_marks_take_linear_time(heap: str) -> None:
    source = (heap * 50_000)[:50_000]
    started = time.process_time()
    read = plain(source)
    if read.text:
        read.source_span(0, len(read.text))
    assert time.process_time() - started < 20


def test_all_annotated_spans_with_marks_can_be_told() -> None:
    """Every annotated span of the real records is the source span of some readable span."""
    gold = SHARED / "gold" / "dev.jsonl"
    if not gold.exists():
        pytest.skip("../shared/gold/dev.jsonl is not here")
    for line in gold.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for mention in (m for concept in record["concepts"] for m in concept["mentions"]):
            read = plain(record[mention["field"]])
            starts = read.starts or range(len(read.text))
            inside = [i for i, at in enumerate(starts) if mention["start"] <= at < mention["end"]]
            span = read.source_span(inside[0], inside[-1] + 1)
            assert span == (mention["start"], mention["end"]), mention["text"]


def test_real_abstracts_are_readable() -> None:
    folder = SHARED / "data" / "arxiv" / "abs"
    if not folder.exists():
        pytest.skip("../shared/data/arxiv/abs is not here")
    for path in sorted(folder.glob("*.abs")):
        text = plain(path.read_text(encoding="utf-8", errors="replace")).text
        assert "\\mathcal" not in text
        assert "\\alpha" not in text
