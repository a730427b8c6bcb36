"""The curation file: TOML with one table for each statement of a person.

    [[same]]
    concept = ["fine-tuning", "finetuning"]

    [[never]]
    person = ["Wei Wang", "person:wei-wang-2"]

    [[label]]
    paper = "arXiv:2306.00802"
    label = "Birth of a Transformer"

    [[drop]]
    concept = "art"

    [[type]]
    concept = "ImageNet"
    type = "Material"

A table with `confirm = false` is a proposal and counts for nothing; `note` is for people.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.identity.curation import ACTIONS, PLURALS, Action, Curation, Entry, Kind, check_alone
from kg.model import CONCEPT_TYPES

_HEADER = re.compile(r"\s*\[\[")
_FREE = frozenset({"confirm", "note"})


def read_curation(path: str) -> Curation:
    """Read a curation file.

    Raises InputError, which names the line, and UsageError where two lines contradict each other.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(path, "there is no such file") from error
    except UnicodeDecodeError as error:
        start, line = error.start, error.object.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{error.object[start]:02X} is not UTF-8; convert the file, for example: "
        raise InputError(path, f"{reason}iconv -f LATIN1 -t UTF-8 FILE", line) from error
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    return parse_curation(text, path)


def parse_curation(text: str, path: str = "curation.toml") -> Curation:
    """Parse the text of a curation file; raises what `read_curation` raises."""
    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        reason = str(error)[: where.start()] if where else str(error)
        line = int(where[1] or text.count("\n") + 1) if where else None
        raise InputError(path, f"is no TOML: {reason}", line) from error
    entries: list[Entry] = []
    proposals: list[Entry] = []
    for line, table in _tables(text, path):
        for action, tables in table.items():
            if action not in ACTIONS:
                allowed = ", ".join(f"[[{name}]]" for name in ACTIONS)
                raise InputError(path, f"{action!r} is none of {allowed}", line)
            if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
                raise InputError(path, f"begin each statement with [[{action}]]", line)
            for one in tables:
                confirmed, entry = _entry(action, one, path, line)
                (entries if confirmed else proposals).append(entry)
    curation = Curation(tuple(entries), Path(path).name, tuple(proposals))
    check_alone(curation)
    return curation


def _tables(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The tables one by one, with the line on which each begins.

    A line that looks like a header may stand inside a text of several lines; then what comes
    before it is no TOML by itself, and goes on.
    """
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if _HEADER.match(line)]
    begin = 0
    for end in [*starts, len(lines)]:
        part = "\n".join(lines[begin:end])
        try:
            table = tomllib.loads(part)
        except tomllib.TOMLDecodeError:
            if end == len(lines):
                raise
            continue
        if table:
            yield begin + 1, table
        begin = end


def _entry(action: Action, table: dict[str, Any], path: str, line: int) -> tuple[bool, Entry]:
    """One statement, and whether it is more than a proposal."""

    def fail(reason: str) -> InputError:
        return InputError(path, f"[[{action}]]: {reason}", line)

    kinds: list[Kind] = [kind for kind in PLURALS if kind in table]
    if len(kinds) != 1:
        raise fail("name one paper, person or concept, such as: concept = ...")
    kind = kinds[0]
    wants = action if action in ("label", "type") else ""
    if extra := set(table) - {kind, wants} - _FREE:
        raise fail(f"{sorted(extra)[0]!r} has no meaning here")
    names = _names(table[kind])
    if action in ("same", "never"):
        if len(names) < 2 or len(set(names)) < len(names):
            raise fail(f"{kind} must be a list of two or more different names")
    elif len(names) != 1 or isinstance(table[kind], list):
        raise fail(f"{kind} must be one name in quotes")
    value = _value(table.get(wants)) if wants else ""
    if not _is_printable(table.get(wants, "")):
        raise fail(f"the {wants} has a control character, which nothing can show")
    if wants:
        if not value:
            example = "Method" if wants == "type" else "..."
            raise fail(f'give the {wants}, such as: {wants} = "{example}"')
        if wants == "type" and kind != "concept":
            raise fail("only concepts have a type")
        if wants == "type" and value not in CONCEPT_TYPES:
            raise fail(f"{value!r} is none of {', '.join(CONCEPT_TYPES)}")
    confirm = table.get("confirm", True)
    if not isinstance(confirm, bool):
        raise fail("confirm is true or false")
    return confirm, Entry(action, kind, names, value, line)


def _names(value: object) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    if not all(isinstance(name, str) and name.strip() for name in names):
        return ()
    return tuple(" ".join(str(name).split()) for name in names)


def _is_printable(value: object) -> bool:
    """Whether a text has only characters that XML and terminals take, and white space."""
    return not isinstance(value, str) or all(
        c in "\t\n\r" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in "\ufffe\uffff")
        for c in value
    )


def _value(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
