"""Making the index: one SQLite file beside the generation that it is made of.

    thing       id, kind, label, iri, note, weight
    name        id, thing, text (NULL: the label), key: a hash of the bare name
    identifier  key, thing
    words_KIND  full text of the names of one kind, with words that are written apart or joined
                (`joined`) at the end of each; rowid is the name's id
    word        id, text, seen: every word of a name, and how many names have it
    gram        letters, word: what is looked up for words with slips (`grams`)
    about       what the IRIs of the graph begin with; a thing's is cut there

Ids run by kind, then by weight, so that the first rows of a table are the best ones and
nothing is ever sorted. The file is a pure function of the store.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pyoxigraph import Store

from kg.errors import GraphError
from kg.rdf.dataset import base_of
from kg.rdf.vocabulary import DEFAULT_BASE
from kg.search.things import KINDS, Named, things
from kg.search.words import bare, grams, joined, words

VERSION = 3  # of what is described above
_SHORTEST, _LONGEST = 3, 40  # letters of a word that is found in spite of a slip

_TOKENS = "tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co M*'\""
_SCHEMA = """
CREATE TABLE thing (id INTEGER PRIMARY KEY, kind TEXT, label TEXT, iri TEXT, note TEXT,
  weight INTEGER);
CREATE TABLE name (id INTEGER PRIMARY KEY, thing INTEGER, text TEXT, key INTEGER);
CREATE TABLE identifier (key INTEGER, thing INTEGER, PRIMARY KEY (key, thing)) WITHOUT ROWID;
CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT, seen INTEGER);
CREATE TABLE gram (letters TEXT, word INTEGER, PRIMARY KEY (letters, word)) WITHOUT ROWID;
CREATE TABLE about (base TEXT);
"""
_WORDS = """
CREATE VIRTUAL TABLE words_{kind} USING fts5(text, content='', columnsize=0, prefix='1 2 3',
  {tokens});
CREATE VIRTUAL TABLE terms_{kind} USING fts5vocab(words_{kind}, row);
"""


def key(name: str, kind: str) -> int:
    """The hash of a bare name, the same on every machine."""
    digest = hashlib.blake2b(bare(name, kind).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def write(store: Store, path: Path) -> None:
    """Make the index of a store; `path` is there whole at the end, or as it was before.

    Raises GraphError where it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise GraphError(f"{path}: cannot be written: {error.strerror}") from error
    os.close(handle)
    beside = Path(name)
    try:
        with closing(sqlite3.connect(beside, isolation_level=None)) as index:
            _fill(index, store)
        beside.chmod(0o644)
        beside.replace(path)
    except (sqlite3.Error, OSError) as error:
        raise GraphError(f"{path}: the search index cannot be made: {error}") from error
    finally:
        beside.unlink(missing_ok=True)


def _fill(index: sqlite3.Connection, store: Store) -> None:
    base = base_of(store) or DEFAULT_BASE
    # Nobody reads the file before it is whole, so that nothing has to be undone in it.
    index.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=8192;")
    index.executescript(_SCHEMA)
    index.execute("BEGIN")
    index.execute("INSERT INTO about VALUES (?)", (base,))
    first_thing = first_name = 1
    for kind in KINDS:
        index.execute(_WORDS.split(";")[0].format(kind=kind, tokens=_TOKENS))
        index.execute(_WORDS.split(";")[1].format(kind=kind))
        found = things(store, kind)
        _write_things(index, kind, found, first_thing, base)
        rows = list(_names(found, first_thing))
        index.executemany(
            "INSERT INTO name VALUES (?, ?, ?, ?)",
            (
                (first_name + at, thing, None if preferred else name, key(name, kind))
                for at, (thing, name, preferred) in enumerate(rows)
            ),
        )
        index.executemany(
            f"INSERT INTO words_{kind} (rowid, text) VALUES (?, ?)",
            (
                (first_name + at, " ".join([*words(row[1]), *joined(row[1])]))
                for at, row in enumerate(rows)
            ),
        )
        index.execute(f"INSERT INTO words_{kind} (words_{kind}) VALUES ('optimize')")
        first_thing, first_name = first_thing + len(found), first_name + len(rows)
        del found, rows
    _write_words(index)
    index.execute("CREATE INDEX name_key ON name (key)")
    index.execute("CREATE INDEX name_thing ON name (thing)")
    index.execute(f"PRAGMA user_version = {VERSION}")
    index.execute("COMMIT")


def _write_things(
    index: sqlite3.Connection, kind: str, found: list[Named], first: int, base: str
) -> None:
    index.executemany(
        "INSERT INTO thing VALUES (?, ?, ?, ?, ?, ?)",
        (
            (first + at, kind, thing.label, thing.iri.removeprefix(base), thing.note, thing.weight)
            for at, thing in enumerate(found)
        ),
    )
    index.executemany(
        "INSERT OR IGNORE INTO identifier VALUES (?, ?)",
        ((key(name, kind), first + at) for at, thing in enumerate(found) for name in thing.keys),
    )


def _names(found: list[Named], first: int) -> Iterator[tuple[int, str, bool]]:
    """The names of things, with the number of the thing and whether it is its label."""
    for at, thing in enumerate(found, first):
        yield at, thing.label, True
        for name in thing.names:
            if name != thing.label:
                yield at, name, False


def _write_words(index: sqlite3.Connection) -> None:
    every = " UNION ALL ".join(f"SELECT term, doc FROM terms_{kind}" for kind in KINDS)
    index.execute(
        f"""
        INSERT INTO word (text, seen) SELECT term, SUM(doc) AS seen FROM ({every})
        WHERE LENGTH(term) BETWEEN {_SHORTEST} AND {_LONGEST} AND term GLOB '*[^0-9]*'
        GROUP BY term ORDER BY seen DESC, term"""
    )
    found = index.execute("SELECT id, text FROM word ORDER BY id").fetchall()
    index.executemany(
        "INSERT INTO gram VALUES (?, ?)",
        sorted((letters, at) for at, word in found for letters in grams(word)),
    )
