"""What extraction found, kept in files of one shard each, so that no text is read twice.

A shard is written beside and then renamed. A killed build finds all shards that were
complete, and another build over some of the same texts finds these.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kg.files import writing
from kg.model import Extraction, Mention, Name, RecordConcept


def text_key(title: str, abstract: str) -> str:
    """What the finds of a title and an abstract are kept under."""
    return hashlib.sha256(f"{title}\0{abstract}".encode()).hexdigest()


class Cache:
    """The extractions of one extractor, known by its fingerprint, in one folder."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        # Finds of another extractor say nothing: they lie in a folder of their own.
        self.folder = folder / fingerprint[:12]

    def load(self, wanted: Iterable[str]) -> dict[str, Extraction]:
        """What is known of the wanted keys."""
        missing = set(wanted)
        found = {}
        for shard in sorted(self.folder.glob("*.jsonl")):
            for line in shard.read_text(encoding="utf-8", errors="replace").split("\n"):
                key, _, data = line.partition("\t")
                if key in missing:
                    # What is damaged is read again.
                    with suppress(ValueError, KeyError, TypeError):
                        found[key] = decode(data)
                        missing.discard(key)
        return found

    def save(self, finds: dict[str, Extraction]) -> None:
        """Keep a shard of finds."""
        name = hashlib.sha256("".join(sorted(finds)).encode()).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        with writing(self.folder / f"{name}.jsonl") as file:
            for key in sorted(finds):
                file.write(f"{key}\t{encode(finds[key])}\n")


def encode(extraction: Extraction) -> str:
    """An extraction as one line of JSON."""
    return json.dumps(asdict(extraction)["concepts"], separators=(",", ":"))


def decode(text: str) -> Extraction:
    """An extraction from its line of JSON."""
    return Extraction(tuple(_concept(data) for data in json.loads(text)))


def _concept(data: dict[str, Any]) -> RecordConcept:
    return RecordConcept(
        name=Name(**data["name"]),
        type=data["type"],
        salience=data["salience"],
        introduced=data["introduced"],
        mentions=tuple(Mention(**mention) for mention in data["mentions"]),
        aliases=tuple(Name(**alias) for alias in data["aliases"]),
    )
