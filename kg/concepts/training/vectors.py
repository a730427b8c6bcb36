"""Word vectors of our own from unlabelled abstracts, as small integers.

Skip-gram with negative sampling (Mikolov et al. 2013, arXiv:1310.4546), one thread and a
fixed seed, so that two runs give the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

DIMENSIONS = 100
LEAST_COUNT = 5
MOST_WORDS = 60_000  # a row fits 16 bits
_LIMIT = 1.6  # values beyond this many are cut; one standard deviation is 0.4
_DEVIATION = 0.4


def train(corpus: Path, vectors: Path, vocabulary: Path, seed: int, epochs: int) -> None:
    """Write the words and their vectors; `corpus` has one record a line.

    `vocabulary` gets one word a line; `vectors`, an .npz file, holds `word` (n + 1, 100) int8,
    row 0 for unknown words, `scale` (100,) and `count` (n + 1,), how often each word stood in
    the corpus.
    """
    from gensim.models import Word2Vec
    from gensim.models.word2vec import LineSentence

    model = Word2Vec(
        LineSentence(str(corpus), max_sentence_length=2000),
        vector_size=DIMENSIONS,
        window=4,
        min_count=LEAST_COUNT,
        max_final_vocab=MOST_WORDS,
        sg=1,
        negative=5,
        sample=1e-4,
        alpha=0.04,
        epochs=epochs,
        workers=1,
        seed=seed,
        hashfxn=_stable_hash,
    )
    words: list[str] = model.wv.index_to_key
    values = model.wv.vectors - model.wv.vectors.mean(0)
    values = np.clip(values / values.std(0) * _DEVIATION, -_LIMIT, _LIMIT)
    rows = np.vstack([np.zeros((1, DIMENSIONS)), np.round(values * (127 / _LIMIT))])
    counts = [0, *(model.wv.get_vecattr(w, "count") for w in words)]
    vocabulary.write_text("\n".join(words), encoding="utf-8")
    with vectors.open("wb") as file:
        np.savez(
            file,
            word=rows.astype(np.int8),
            scale=np.full(DIMENSIONS, _LIMIT / 127, dtype=np.float32),
            count=np.array(counts, dtype=np.float32),
        )


def _stable_hash(word: str) -> int:
    from zlib import crc32

    return crc32(word.encode("utf-8", "replace"))
