"""From pairs of title and abstract to extractions, in order, each on its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spacy.language import Language
from spacy.tokens import Doc

from kg.concepts import model_name
from kg.concepts.grouping import Reading, group
from kg.concepts.pipeline import Mentions, record_doc
from kg.model import Extraction
from kg.text import Plain, plain


class Extractor:
    """Finds concepts with a loaded pipeline."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        component = nlp.get_pipe("kg_mentions")
        assert isinstance(component, Mentions)
        self._finder = component.finder
        self.model = model_name()

    def extract(self, texts: Iterable[tuple[str, str]]) -> Iterator[Extraction]:
        """One extraction for each pair of source texts, title and abstract, in order.

        The extraction of a pair depends on nothing but the pair: sentences are found document
        by document, as floating-point sums of a batch depend on its other documents; the model
        for mentions sums exactly and takes blocks.
        """
        for doc, (title, abstract) in self._nlp.pipe(
            self._docs(texts), as_tuples=True, batch_size=1
        ):
            yield Extraction(group(Reading(doc, title, abstract), self._finder))

    def _docs(self, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Doc, tuple[Plain, Plain]]]:
        for title, abstract in texts:
            read = plain(title), plain(abstract)
            yield record_doc(self._nlp, read[0].text, read[1].text), read
