"""What TeX commands, accents and HTML tags stand for: data for `kg.text.plain`."""

from __future__ import annotations

import unicodedata


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi omicron pi rho "
    "sigma tau upsilon phi chi psi omega"
)


def _greek() -> dict[str, str]:
    letters = {}
    for name in _GREEK.split():
        command = "lambda" if name == "lamda" else name
        for size, shown in (("SMALL", command), ("CAPITAL", command.capitalize())):
            letters[shown] = unicodedata.lookup(f"GREEK {size} LETTER {name.upper()}")
    variants = {f"var{k}": letters[k] for k in _set("epsilon theta pi rho kappa phi")}
    return letters | variants | {"varsigma": "ς"}


# Commands that stand for one sign.
SYMBOLS = _greek() | _pairs(
    """
    le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ ll ≪ gg ≫ lesssim ≲ gtrsim ≳
    lt < gt > approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ doteq ≐ triangleq ≜ prec ≺ succ ≻
    preceq ⪯ succeq ⪰ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ in ∈ ni ∋ notin ∉
    cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆
    circ ∘ bullet • oplus ⊕ otimes ⊗ odot ⊙ ominus ⊖ wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬
    forall ∀ exists ∃ nexists ∄ top ⊤ bot ⊥ perp ⊥ vdash ⊢ models ⊨ parallel ∥ mid | nmid ∤
    to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐
    Leftrightarrow ⇔ iff ⇔ implies ⇒ mapsto ↦ longrightarrow ⟶ longmapsto ⟼ hookrightarrow ↪
    uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ searrow ↘ rightharpoonup ⇀ leadsto ⇝
    rightleftharpoons ⇌ twoheadrightarrow ↠ xrightarrow →
    infty ∞ partial ∂ nabla ∇ sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ oint ∮ sqrt √ surd √ ell ℓ
    hbar ℏ hslash ℏ Re ℜ Im ℑ wp ℘ aleph ℵ imath ı jmath ȷ prime ′ angle ∠ triangle △ square □
    Box □ Diamond ◇ diamond ⋄ sharp ♯ flat ♭ natural ♮ dagger † dag † ddagger ‡ ddag ‡ S § P ¶
    langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert | Vert ‖ lVert ‖ rVert ‖ lvert |
    rvert | lbrace { rbrace } lbrack [ rbrack ] backslash \\
    ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … textellipsis … colon : coloneqq ≔
    odot ⊙ sun ☉ earth ⊕ degree ° textdegree ° textmu µ micro µ AA Å aa å O Ø o ø L Ł l ł
    ae æ AE Æ oe œ OE Œ ss ß SS ẞ i ı j ȷ dh ð DH Ð th þ TH Þ dj đ DJ Đ ng ŋ NG Ŋ
    copyright © textcopyright © textregistered ® texttrademark ™ trademark ™ pounds £ euro €
    texteuro € textdollar $ textpercent % textunderscore _ textasciitilde ~ textasciicircum ^
    textbackslash \\ textbar | textless < textgreater > textendash – textemdash —
    textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ” lq ‘ rq ’
    guillemotleft « guillemotright » textbullet • textperiodcentered · checkmark ✓
    blacksquare ■ bigstar ★ lightning ↯ ltimes ⋉ rtimes ⋊ bowtie ⋈ amalg ⨿ uplus ⊎ sqcup ⊔
    sqcap ⊓ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀ complement ∁
    """
)

# Commands whose name is what a reader sees.
OPERATORS = _set(
    """
    arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf
    limsup ln log max min mod bmod Pr sec sin sinh sup tan tanh argmax argmin polylog poly
    """
)

# Commands that a reader does not see and that take no argument.
SILENT = _set(
    """
    left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle limits
    nolimits displaystyle textstyle scriptstyle scriptscriptstyle bf it rm sf tt em sc sl cal
    bfseries itshape rmfamily sffamily ttfamily scshape upshape mdseries normalfont tiny
    scriptsize footnotesize small normalsize large Large LARGE huge Huge boldmath unboldmath
    centering noindent protect xspace relax null allowbreak nobreak nonumber notag mathstrut
    sloppy par maketitle hfill vfill smallskip medskip bigskip newline linebreak pagebreak
    newpage clearpage item quad qquad space enspace thinspace hspace vspace
    """
)

# Silent commands that part words.
SPACING = _set(
    """
    par item quad qquad space enspace thinspace hspace vspace newline linebreak hfill
    """
)

# Commands that vanish with their arguments.
VANISHING = _set(
    """
    cite citep citet citealp citealt citeauthor citeyear citeyearpar nocite parencite textcite
    label ref eqref autoref cref Cref pageref footnote footnotetext thanks begin end color
    vspace hspace includegraphics bibliography bibliographystyle index pagestyle thispagestyle
    newcommand renewcommand setlength def input usepackage documentclass phantom hphantom vphantom
    """
)

# Commands whose first argument is not shown, but the second is.
SECOND_ARGUMENT = _set("href textcolor colorbox raisebox hyperref")

# Accents: the command and the combining mark that it sets.
ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
    "grave": "\u0300",
    "acute": "\u0301",
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "overline": "\u0304",
    "breve": "\u0306",
    "dot": "\u0307",
    "ddot": "\u0308",
    "mathring": "\u030a",
    "check": "\u030c",
    "vec": "\u20d7",
    "underline": "",  # emphasis in text, and no accent of a letter in mathematics
}

# One-sign escapes.
ESCAPES = {
    "%": "%",
    "$": "$",
    "&": "&",
    "#": "#",
    "_": "_",
    "{": "{",
    "}": "}",
    "|": "‖",
    "-": "",
    "/": "",
    "!": "",
    "@": "",
    ",": " ",
    ";": " ",
    ":": " ",
    ">": " ",
    "\\": " ",
}

SUPERSCRIPTS = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyz′∘°",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ′°°",
        strict=True,
    )
)
SUBSCRIPTS = dict(
    zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)

# Tags that a reader does not see; those of BLOCKS part words, those of HIDDEN hide what they hold.
INLINE_TAGS = _set(
    """
    a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span
    strike strong sub sup tt u var italic bold sc monospace roman underline overline sans-serif
    ext-link xref named-content styled-content inline-formula alternatives uri email inf math
    mrow mi mn mo ms mtext msub msup msubsup mfrac msqrt mroot mstyle mover munder munderover
    mfenced mspace mpadded mphantom menclose mtable mtr mtd semantics tex-math annotation
    annotation-xml
    """
)
BLOCK_TAGS = _set(
    """
    p br div sec title li ul ol dl dt dd h1 h2 h3 h4 h5 h6 hr tr td th table tbody thead
    blockquote pre section article abstract header list list-item disp-formula label caption
    """
)
HIDDEN_TAGS = _set("annotation annotation-xml tex-math")
