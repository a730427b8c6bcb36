"""Telling the form of a source by its beginning, or why it is none that kg reads."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg.errors import InputError
from kg.read import abstract_list, author_page, foreign, json_document, json_lines

FORMATS = (author_page.NAME, abstract_list.NAME, json_lines.NAME)

_READS = f"kg reads {', '.join(FORMATS[:-1])} and {FORMATS[-1]}"
_OTHERWISE = f"{_READS}; if it is one of these, say which with --input-format"
# A line of JSON Lines; a list of abstracts may hold other objects in braces.
_JSON_LINE = re.compile(
    r'^\ufeff?\{\s*"[^\n]*?(?<=")(?:title|display_name|abstract\w*|text)"\s*:', re.MULTILINE
)


_OBJECT = re.compile(r"""\{\s*(?:["'{}]|\w+\s*:|\Z)""")  # and no TeX


@dataclass(frozen=True)
class Sample:
    """The beginning of a source, `whole` where that is all, `packed` where it was gzipped."""

    data: bytes
    whole: bool
    packed: bool


def form(path: str, shown: str, sample: Sample, given: str | None) -> str:
    """The form of a source: `given` where that is said, else by its beginning and its name.

    `shown` is what messages call it. Raises InputError where it is of no form that kg reads.
    """
    text = sample.data.decode("utf-8", "replace").removeprefix("\ufeff")
    start = text.lstrip()
    if not start:
        raise InputError(shown, "is empty")
    found, fault = (given, "") if given else _form(path, sample, text)
    if found == json_lines.NAME:
        fault = json_document.fault(text, sample.whole)
    if fault or not found:
        raise InputError(shown, fault)
    return found


def _form(path: str, sample: Sample, text: str) -> tuple[str, str]:
    """The form of a source, or what is wrong with it."""
    start = text.lstrip()
    if sample.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "", "is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE"
    if _binary(sample.data, text):
        return "", f"is no text; {_READS}"
    objects = _OBJECT.match(start)
    if (objects or re.match(r"\[\s*\{", start)) and json_document.is_json_ld(start):
        return "", foreign.is_rdf(path, "JSON-LD")
    if objects:
        return json_lines.NAME, ""
    if start.startswith("[") and (is_array := json_document.fault(text, sample.whole)):
        return "", is_array
    if is_rdf := foreign.rdf(path, start):
        return "", is_rdf
    if _are_json_lines(text):
        return json_lines.NAME, ""  # what stands between is rejected line by line
    if what := foreign.beginning(start, sample.whole):
        return "", f"looks like {what}; {_OTHERWISE}"
    if b"\r" in sample.data and b"\n" not in sample.data:
        return "", "has lines that end in CR alone; convert it: tr '\\r' '\\n' < FILE"
    if author_page.looks_like(text):
        return author_page.NAME, ""
    if foreign.ending(path, sample.packed) == ".gz":
        return "", f"is named .gz and is not gzipped; {_OTHERWISE}"
    if what := foreign.by_name(path, sample.packed):
        return "", f"is {what} by its name; {_OTHERWISE}"
    if foreign.ending(path) in (".json", ".jsonl", ".ndjson"):
        return json_lines.NAME, ""
    return abstract_list.NAME, ""


def _are_json_lines(text: str) -> bool:
    """Whether a text is JSON Lines in good part; an abstract may show an object."""
    if not _JSON_LINE.search(text):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    return 3 * sum(line.lstrip().startswith("{") for line in lines) >= len(lines)


def _binary(data: bytes, text: str) -> bool:
    """Whether more than one byte in ten is no text: a control byte, or not UTF-8."""
    control = sum(data.count(bytes([byte])) for byte in range(32) if byte not in b"\t\n\r\f")
    return control + text.count("\ufffd") > len(data) / 10
