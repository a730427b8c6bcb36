"""Turtle that people like to read and to compare.

Only prefixes that are used, `a` first, one predicate a line, lists with one object a line,
texts of several lines between triple quotes. Subject by subject, so that the graph need not
fit into memory. https://www.w3.org/TR/turtle/
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from typing import IO

from pyoxigraph import Literal, NamedNode, Store

from kg.export.names import Names, names_for
from kg.export.order import Term, description, subjects
from kg.rdf.vocabulary import RDF, XSD

_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_SPOOL_BYTES = 1 << 24


def write(store: Store, file: IO[bytes]) -> None:
    """Write the default graph; memory grows with the number of subjects only."""
    names = names_for(store)
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
        body = io.TextIOWrapper(spool, encoding="utf-8", newline="\n")
        for subject in subjects(store):
            _subject(store, subject, names, body)
        body.flush()
        for prefix, iri in names.used().items():
            file.write(f"@prefix {prefix}: <{iri}> .\n".encode())
        spool.seek(0)
        shutil.copyfileobj(spool, file)


def _subject(store: Store, subject: Term, names: Names, body: IO[str]) -> None:
    body.write(f"\n{term(subject, names)}")
    separator = " "
    for predicate, values in description(store, subject):  # type: ignore[arg-type]
        verb = "a" if predicate == RDF.type else term(predicate, names)
        written = [term(value, names) for value in values]
        if len(written) == 1 or predicate == RDF.type:
            body.write(f"{separator}{verb} {', '.join(written)}")
        else:
            body.write(f"{separator}{verb}\n        " + ",\n        ".join(written))
        separator = " ;\n    "
    body.write(" .\n")


def term(value: Term, names: Names) -> str:
    """A term in Turtle."""
    if isinstance(value, NamedNode):
        return names.short(value.value) or str(value)
    if not isinstance(value, Literal):
        return str(value)
    if value.language:
        return f"{_quoted(value.value)}@{value.language}"
    if value.datatype == XSD.string:
        return _quoted(value.value)
    if value.datatype == XSD.integer and _INTEGER.fullmatch(value.value):
        return value.value
    return f"{_quoted(value.value)}^^{term(value.datatype, names)}"


def _quoted(text: str) -> str:
    if "\n" not in text:
        return '"' + re.sub(r'[\\"\r\t\b\f]', lambda m: _ESCAPES[m[0]], text) + '"'
    # Between triple quotes only a backslash, a quote that could end the text, and the
    # carriage return that some readers change need an escape.
    text = re.sub(r'[\\\r\t\b\f]|"(?="|$)', lambda m: _ESCAPES[m[0]], text)
    return f'"""{text}"""'
