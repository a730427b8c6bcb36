"""JSON that is no JSON Lines: one document over many lines, or a list inside of an object.

Line by line such a file gives a fault a line and never the cause.
"""

from __future__ import annotations

import json
import re
from typing import Any

# What an object of a paper has; an object without them that holds a list of objects is a
# wrapping, as the answers of web services have it.
_FIELDS = frozenset(
    [
        "title",
        "display_name",
        "abstract",
        "abstract_inverted_index",
        "text",
        "authors",
        "authorships",
        "arxiv",
        "doi",
        "categories",
    ]
)
_RDF = frozenset(("@context", "@graph", "@id", "@type"))
_LINES = 100  # of the beginning that are looked at one by one
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))(\s*:)?|[\[\]{}]', re.DOTALL)
_KEY = re.compile(r"[a-z_]\w*", re.ASCII | re.IGNORECASE)
_ARRAY = "is a JSON array; put one object a line: jq -c '.[]' FILE"
_BROKEN = "is no JSON Lines, and broken as one JSON document at line {}: {}"


def is_json_ld(text: str) -> bool:
    """Whether the first object in a text is RDF."""
    keys, _, _ = _outline(text[max(text.find("{"), 0) :])
    return bool(keys & _RDF) and not keys & _FIELDS


def fault(text: str, whole: bool) -> str:
    """Why a text is no JSON Lines but other JSON, and what to do; `whole` where it is not cut."""
    start = text.lstrip()
    if start.startswith("["):
        return _ARRAY if _is_array(text, whole) else ""
    return _fault(text, whole) if start.startswith("{") else ""


def _is_array(text: str, whole: bool) -> bool:
    if re.match(r"\[\s*\{\s*[\"}]", text.lstrip()):
        return True
    end, error = _first_value(text)
    if error:
        return not whole and _is_cut(text, error)
    return end > 0 and not text[end:].strip()


def _fault(text: str, whole: bool) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    if not whole and len(lines) > 1:
        lines.pop()
    lines = lines[:_LINES]
    alone = [_object(line) for line in lines]
    keys, path, nested = _outline(text[text.find("{") :])
    wrapped = bool(path) and not keys & _FIELDS
    papers = any(found is not None and found.keys() & _FIELDS for found in alone)
    if alone[0] is not None:
        return _advice(keys, path, nested) if wrapped and not papers else ""
    good = len(alone) - alone.count(None)
    commas = [line.rstrip().endswith(",") and _object(line.rstrip()[:-1]) for line in lines]
    parted = sum(isinstance(found, dict) for found in commas)
    if isinstance(commas[0], dict) and (parted > good or len(lines) == 2):
        return r"has a comma after each object; take them off: sed 's/,\s*$//' FILE"
    end, error = _first_value(text)
    if error and not whole and _is_cut(text, error):
        return _advice(keys, path, nested) if len(lines) > 1 or wrapped else ""
    if error:
        by_lines = papers or all(line.lstrip().startswith("{") for line in lines)
        return "" if by_lines else _BROKEN.format(error.lineno, error.msg)
    rest = text[end:].lstrip()
    if "\n" not in text[:end].lstrip() or _object(rest.partition("\n")[0]) is not None:
        return ""
    if rest.startswith(","):
        return "has commas between objects; try: (echo [; cat FILE; echo ]) | jq -c '.[]'"
    return _advice(keys, path, nested)


def _advice(keys: set[str], path: list[str], nested: bool) -> str:
    """What to call so that each paper of a document comes on a line of its own."""
    what = "."
    if not keys & _FIELDS:
        if path and all(map(_KEY.fullmatch, path)):
            what = f"'.{'.'.join(path)}[]'"
        elif nested:
            what = "'.[]'"
    return f"is a JSON document; put one object a line: jq -c {what} FILE"


def _object(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _first_value(text: str) -> tuple[int, json.JSONDecodeError | None]:
    """Where the first value of a text ends, 0 where nobody can say; or what is wrong with it."""
    try:
        return json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))[1], None
    except json.JSONDecodeError as error:
        return 0, error
    except (ValueError, RecursionError):
        return 0, None


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    """Whether a value is sound as far as the text goes."""
    # A line end inside of a text in quotes is another error.
    return error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip()) - 6


def _outline(text: str) -> tuple[set[str], list[str], bool]:
    """Of the first object: its keys, where the highest list of objects in it lies, and whether
    it holds objects. It may be cut.
    """
    keys: set[str] = set()
    path: list[str] = []
    around: list[str] = []  # the keys under which the objects that are open stand
    key, lists, nested = "", 0, False
    for token in _TOKEN.finditer(text):
        if token[2]:
            key = token[1][1:-1]
            if len(around) == 1 and not lists:
                keys.add(key)
        elif token[0] == "[":
            here = [*around[1:], key]
            objects = text[token.end() : token.end() + 100].lstrip().startswith("{")
            if objects and not lists and (not path or len(here) < len(path)):
                path = here
            lists += 1
        elif token[0] == "]":
            lists -= 1
        elif token[0] == "{" and not lists:
            nested = nested or len(around) == 1
            around.append(key)
        elif token[0] == "}" and not lists:
            around.pop()
            if not around:
                break
    return keys, path, nested
