"""Vocabularies of others that concepts are linked to: SKOS in any syntax, and the CSO.

Every concept of a vocabulary becomes a `Term`: its IRI and its names in English, those without
a language among them. The bytes of the file decide, not its name alone, and nothing is fetched.

SKOS: https://www.w3.org/TR/skos-reference/. CSO, the Computer Science Ontology
(https://cso.kmi.open.ac.uk): its topics have labels, and one of several equivalent topics is
the preferred one; its older releases are text of subject;predicate;object, where the subject is
the topic's label, its newer ones of three IRIs in quotes, with commas.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from kg.errors import InputError
from kg.model import Term

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOSXL = "http://www.w3.org/2008/05/skos-xl#"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_OWL = "http://www.w3.org/2002/07/owl#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_THESAURUS = "http://purl.org/iso25964/skos-thes#"
# What a vocabulary also describes and labels. Concepts need no type: the CSO gives them none.
_NO_CONCEPTS = frozenset(
    {f"{_SKOS}{name}" for name in ("ConceptScheme", "Collection", "OrderedCollection")}
    | {f"{_THESAURUS}{name}" for name in ("ConceptGroup", "ThesaurusArray")}
    | {f"{_OWL}{kind}Property" for kind in ("Object", "Datatype", "Annotation", "Ontology")}
    | {f"{_OWL}Ontology", f"{_RDF}Property"}
)
_CSO = "http://cso.kmi.open.ac.uk/schema/cso#"
_TOPIC = "https://cso.kmi.open.ac.uk/topics/"
_PREFERRED = frozenset({f"{_CSO}preferentialEquivalent", "klink:primaryLabel"})
_FORMATS = {
    "json": RdfFormat.JSON_LD,
    "owl": RdfFormat.RDF_XML,
    "skos": RdfFormat.RDF_XML,
}
_ROW = re.compile(rb'\s*(?:"[^"\n]*"|[^;,"\n<]+)([;,])(?:"[^"\n]*"|[\w:]+)\1')
# What a document type may declare: short stand-ins such as those for namespaces. One that holds
# others, or a long one, makes a small file a huge text.
_ENTITY = re.compile(rb"<!\s*ENTITY\b", re.IGNORECASE)
_PLAIN_ENTITY = re.compile(
    rb"""<!ENTITY\s+[\w.-]+\s+("[^"&%<]{0,200}"|'[^'&%<]{0,200}')\s*>""", re.IGNORECASE
)
_WHAT_TO_DO = "give a SKOS vocabulary (Turtle, RDF/XML, JSON-LD, ...) or the CSO as CSV"


class _Fact(NamedTuple):
    """A triple of a vocabulary; the object is an IRI or the text of a label in English."""

    subject: str
    predicate: str
    object: str


def read_vocabulary(path: str) -> tuple[Term, ...]:
    """The concepts of a vocabulary that have a name in English, sorted by IRI.

    Raises InputError where the file cannot be read or holds no such concept; it names the line
    where there is one.
    """
    data = _bytes(path)
    terms = _terms(_table(path, data) if _is_table(path, data) else _rdf(path, data))
    if not terms:
        raise InputError(path, f"no concept has a name in English here; {_WHAT_TO_DO}")
    return terms


def _bytes(path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "damaged gzip; copy the file again"
        raise InputError(path, f"cannot be read: {reason}") from error


def _is_table(path: str, data: bytes) -> bool:
    name = path.lower().removesuffix(".gz")
    return name.endswith((".csv", ".tsv")) or bool(
        not name.endswith((".ttl", ".nt", ".n3", ".rdf", ".xml")) and _ROW.match(data)
    )


def _table(path: str, data: bytes) -> Iterator[_Fact]:
    """The facts in a table of the CSO."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(path, "this line is not UTF-8; convert the file to UTF-8", line) from error
    head = text[: text.find("\n")]
    rows = csv.reader(io.StringIO(text), delimiter=";" if ";" in head else ",", strict=True)
    try:
        for row in rows:
            if not row:
                continue
            if len(row) != 3:
                reason = f"{len(row)} columns, where subject, predicate and object are three"
                raise InputError(path, f"{reason}; mend the line", rows.line_num)
            subject, predicate, value = (cell.strip() for cell in row)
            predicate = predicate.strip("<>")
            if predicate in ("rdfs:label", _LABEL):
                label = re.sub(r"^\"?(.*?)\"?(@en.*|\^\^.*)?$", r"\1", value)
                yield _Fact(_topic(subject), _LABEL, label)
            elif predicate in _PREFERRED:
                yield _Fact(_topic(subject), predicate, _topic(value))
    except ValueError as error:
        reason = f"no valid IRI stands here: {error}; mend the line"
        raise InputError(path, reason, rows.line_num) from error
    except csv.Error as error:
        reason = f"no valid CSV: {error}; mend the quotes of the line"
        raise InputError(path, reason, rows.line_num) from error


def _topic(cell: str) -> str:
    """The IRI of a topic: as it stands, or made of its label as the CSO makes it.

    Raises ValueError where what stands there is none.
    """
    if cell.startswith("<"):
        return NamedNode(cell.strip("<>")).value
    return _TOPIC + quote("_".join(cell.split()), safe="")


def _rdf(path: str, data: bytes) -> Iterator[_Fact]:
    syntax = _syntax(path, data)
    if syntax == RdfFormat.RDF_XML:
        _refuse_entities(path, data)
    labels: dict[str, str] = {}  # of SKOS-XL: node of a label -> its text
    linked: list[tuple[str, str, str]] = []
    try:
        for quad in parse(data, syntax):
            subject = (
                quad.subject.value if isinstance(quad.subject, NamedNode) else str(quad.subject)
            )
            predicate = quad.predicate.value
            if isinstance(quad.object, Literal):
                if not _is_english(quad.object):
                    continue
                if predicate == f"{_SKOSXL}literalForm":
                    labels[subject] = quad.object.value
                elif isinstance(quad.subject, NamedNode):
                    yield _Fact(subject, predicate, quad.object.value)
            elif predicate.startswith(_SKOSXL):
                node = quad.object.value if isinstance(quad.object, NamedNode) else str(quad.object)
                linked.append((subject, predicate.replace(_SKOSXL, _SKOS), node))
            elif isinstance(quad.object, NamedNode) and isinstance(quad.subject, NamedNode):
                yield _Fact(subject, predicate, quad.object.value)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        message = " ".join(str(getattr(error, "msg", None) or error).split())
        reason = f"no valid {syntax.name}: {message}; mend the file, or {_WHAT_TO_DO}"
        raise InputError(path, reason, line) from error
    for subject, predicate, node in linked:
        if node in labels:
            yield _Fact(subject, predicate, labels[node])


def _refuse_entities(path: str, data: bytes) -> None:
    """Raise InputError where XML declares an entity that is more than a short text."""
    for found in _ENTITY.finditer(data):
        if not _PLAIN_ENTITY.match(data, found.start()):
            line = data.count(b"\n", 0, found.start()) + 1
            reason = "an entity is declared that holds other entities, a file or a long text"
            raise InputError(path, f"{reason}; write out what it stands for", line)


def _syntax(path: str, data: bytes) -> RdfFormat:
    """The syntax that the extension says, else the one that the content looks like."""
    extension = path.lower().removesuffix(".gz").rpartition(".")[2]
    start = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"<?xml", b"<rdf:RDF", b"<!DOCTYPE", b"<!--")):
        return RdfFormat.RDF_XML
    if start.startswith((b"{", b"[")) and extension not in ("trig", "n3", "ttl"):
        return RdfFormat.JSON_LD
    return _FORMATS.get(extension) or RdfFormat.from_extension(extension) or RdfFormat.TURTLE


def _is_english(literal: Literal) -> bool:
    return (literal.language or "en").lower().partition("-")[0] == "en"


def _terms(facts: Iterable[_Fact]) -> tuple[Term, ...]:
    labels: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    preferred: dict[str, str] = {}  # a topic of the CSO -> the equivalent one it goes by
    none: set[str] = set()  # what is no concept, or none any more
    for subject, predicate, value in facts:
        if predicate in (f"{_SKOS}prefLabel", f"{_SKOS}altLabel", _LABEL):
            if text := " ".join(value.split()):
                labels[subject][predicate].add(text)
        elif predicate in _PREFERRED:
            preferred[subject] = min(value, preferred.get(subject, value))
        elif (predicate == f"{_RDF}type" and value in _NO_CONCEPTS) or (
            predicate == f"{_OWL}deprecated" and value.strip() in ("true", "1")
        ):
            none.add(subject)
    for other in none:
        labels.pop(other, None)
    is_skos = any(f"{_SKOS}prefLabel" in found for found in labels.values())
    return _skos_terms(labels) if is_skos else _topics(labels, preferred)


_Labels = Mapping[str, Mapping[str, set[str]]]


def _skos_terms(labels: _Labels) -> tuple[Term, ...]:
    terms = []
    for iri in sorted(labels):
        names = set(labels[iri].get(f"{_SKOS}prefLabel", ()))
        if names:
            others = set(labels[iri].get(f"{_SKOS}altLabel", ())) - names
            terms.append(Term(iri, tuple(sorted(names)), tuple(sorted(others))))
    return tuple(terms)


def _topics(labels: _Labels, preferred: Mapping[str, str]) -> tuple[Term, ...]:
    names: dict[str, set[str]] = defaultdict(set)
    others: dict[str, set[str]] = defaultdict(set)
    for iri, found in labels.items():
        main = preferred.get(iri, iri)
        (names if main == iri else others)[main] |= found[_LABEL]
        if main != iri and main not in labels:
            names[main].add(unquote(main.removeprefix(_TOPIC)).replace("_", " "))
    return tuple(
        Term(iri, tuple(sorted(names[iri])), tuple(sorted(others[iri] - names[iri])))
        for iri in sorted(names)
    )
