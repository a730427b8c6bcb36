"""What extraction found, kept in files of one shard each, so that no text is read twice.

A shard is written beside and then renamed. A killed build finds all shards that were
complete, and another build over some of the same texts finds these. A line has the key of a text,
a checksum of what was found, and what was found, parted by tabs.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kg.errors import GraphError
from kg.files import writing
from kg.model import Extraction, Mention, Name, RecordConcept


def text_key(title: str, abstract: str) -> str:
    """What the finds of a title and an abstract are kept under."""
    return hashlib.sha256(f"{title}\0{abstract}".encode()).hexdigest()


class Cache:
    """The extractions of one extractor, known by its fingerprint, in one folder.

    They stay on disk, and are read one by one as they are asked for.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        # Finds of another extractor say nothing: they lie in a folder of their own.
        self.folder = folder / fingerprint[:12]
        self._places: dict[str, tuple[Path, int, int]] = {}  # by key: file, first byte, bytes

    def find(self, wanted: Iterable[str]) -> None:
        """Look for the extractions under some keys; what is damaged counts as not there."""
        missing = set(wanted) - self._places.keys()
        for shard in sorted(self.folder.glob("*.jsonl")) if missing else ():
            at = 0
            with suppress(OSError), shard.open("rb") as file:
                for line in file:
                    key, _, rest = line.removesuffix(b"\n").partition(b"\t")
                    checksum, _, data = rest.partition(b"\t")
                    name = key.decode("ascii", "replace")
                    if name in missing and checksum == _checksum(data):
                        start = at + len(key) + 1 + len(checksum) + 1
                        self._places[name] = shard, start, len(data)
                        missing.discard(name)
                    at += len(line)

    def __contains__(self, key: str) -> bool:
        """Whether it is known what was found under a key."""
        return key in self._places

    def __getitem__(self, key: str) -> Extraction:
        """What was found under a key that is in the cache."""
        shard, start, size = self._places[key]
        with shard.open("rb") as file:
            file.seek(start)
            data = file.read(size)
        try:
            return decode(data)
        except (ValueError, KeyError, TypeError) as error:
            raise GraphError(f"{shard} is damaged; delete it and build again") from error

    def save(self, finds: Mapping[str, Extraction]) -> None:
        """Keep a shard of finds."""
        name = hashlib.sha256("".join(sorted(finds)).encode()).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        shard, at = self.folder / f"{name}.jsonl", 0
        while shard.is_dir():
            shard = shard.with_stem(f"{shard.stem}-")
        with writing(shard) as file:
            for key in sorted(finds):
                data = encode(finds[key])
                head = f"{key}\t{_checksum(data.encode()).decode()}\t"
                file.write(f"{head}{data}\n")
                self._places[key] = shard, at + len(head), len(data)
                at += len(head) + len(data) + 1


def _checksum(data: bytes) -> bytes:
    return b"%08x" % zlib.crc32(data)


def encode(extraction: Extraction) -> str:
    """An extraction as one line of JSON, in ASCII."""
    return json.dumps(asdict(extraction)["concepts"], separators=(",", ":"))


def decode(text: str | bytes) -> Extraction:
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
