"""JSON-LD 1.1: one flat list of nodes under a context of prefixes, one node a line.

https://www.w3.org/TR/json-ld11/
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from typing import IO, Any

from pyoxigraph import Literal, NamedNode, Store

from kg.export.names import Names, names_for
from kg.export.order import Term, description, subjects
from kg.rdf.vocabulary import RDF, XSD

_SPOOL_BYTES = 1 << 24
_EXACT_INTEGER = 1 << 53


def write(store: Store, file: IO[bytes]) -> None:
    """Write the default graph; memory grows with the number of subjects only."""
    names = names_for(store)
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
        body = io.TextIOWrapper(spool, encoding="utf-8", newline="\n")
        separator = "\n"
        for subject in subjects(store):
            node: dict[str, Any] = {"@id": _id(subject, names)}
            for predicate, values in description(store, subject):
                if predicate == RDF.type:
                    node["@type"] = _one([_id(value, names) for value in values])
                else:
                    node[_id(predicate, names)] = _one([_value(value, names) for value in values])
            body.write(separator + json.dumps(node, ensure_ascii=False))
            separator = ",\n"
        body.flush()
        context = json.dumps(names.used(), ensure_ascii=False, indent=1)
        file.write(f'{{"@context": {context},\n"@graph": ['.encode())
        spool.seek(0)
        shutil.copyfileobj(spool, file)
        file.write(b"\n]}\n")


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _id(node: Term, names: Names) -> str:
    if isinstance(node, NamedNode):
        return names.short(node.value) or node.value
    return str(node)


def _value(value: Term, names: Names) -> Any:
    if not isinstance(value, Literal):
        return {"@id": _id(value, names)}
    if value.language:
        return {"@value": value.value, "@language": value.language}
    if value.datatype == XSD.string:
        return value.value
    if value.datatype == XSD.integer and str(_integer(value.value)) == value.value:
        return _integer(value.value)
    return {"@value": value.value, "@type": _id(value.datatype, names)}


def _integer(text: str) -> int | None:
    """The number, where all readers of JSON keep it exactly."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if abs(number) < _EXACT_INTEGER else None
