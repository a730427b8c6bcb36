"""Extraction over many texts: in this process, or shard by shard in several."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from kg.cores import cores
from kg.errors import KgError
from kg.model import Extraction

Texts = Sequence[tuple[str, str]]

SHARD = 200
# Loading the model takes about as long as reading this many abstracts.
_WORTH_A_PROCESS = 100


def confident(found: Extraction, least: float) -> Extraction:
    """An extraction without the mentions of less confidence, and without concepts left bare."""
    kept = (
        replace(c, mentions=tuple(m for m in c.mentions if m.confidence >= least))
        for c in found.concepts
    )
    return Extraction(tuple(concept for concept in kept if concept.mentions))


def default_jobs(texts: int) -> int:
    """How many processes serve so many texts best on this machine."""
    return max(1, min(cores(), texts // _WORTH_A_PROCESS))


def extract(texts: Texts, jobs: int | None = None) -> Iterator[tuple[Texts, list[Extraction]]]:
    """Extract from titles and abstracts; yield each shard with its finds, in order.

    Raises KgError where a process dies.
    """
    jobs = jobs or default_jobs(len(texts))
    parts = _shards(texts, jobs)
    if jobs == 1:
        worker = _Worker()
        for part in parts:
            yield part, worker(part)
        return
    # Forked children would share the locks of our threads; spawned ones start clean.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_start, initargs=(os.getpid(),)
    ) as pool:
        try:
            yield from zip(parts, pool.map(_run, parts), strict=True)
        except BrokenProcessPool as error:
            raise KgError(
                "a process that reads texts was ended from outside (out of memory?); what was "
                "read is kept: run the same command again, with --jobs 1"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _shards(texts: Texts, jobs: int) -> list[Texts]:
    """Shards of which each process gets several, so that none waits long for the last."""
    size = SHARD if jobs == 1 else max(1, min(SHARD, -(-len(texts) // (jobs * 4))))
    return [texts[i : i + size] for i in range(0, len(texts), size)]


class _Worker:
    """An extractor, loaded when the first shard comes."""

    def __init__(self) -> None:
        from kg.concepts import load

        self._extractor = load()

    def __call__(self, texts: Texts) -> list[Extraction]:
        return list(self._extractor.extract(texts))


_worker: _Worker | None = None  # one a spawned process, set by its initializer


def _start(parent: int) -> None:
    global _worker
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _worker = _Worker()


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _run(texts: Texts) -> list[Extraction]:
    assert _worker is not None
    return _worker(texts)
