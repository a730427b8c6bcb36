"""Asking a store: the one place where SPARQL of users meets pyoxigraph.

Nothing is changed and nothing is fetched: updates never reach the store, and a query with
SERVICE is refused, because pyoxigraph would follow it over the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    NamedNode,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    Store,
)

from kg.errors import QueryError
from kg.queries.columns import with_columns
from kg.queries.syntax import fault, refuse_deep, texts, unknown_prefix

Result = QuerySolutions | QueryBoolean | QueryTriples

# Keywords need no space around them in Oxigraph ("trueSERVICESILENT<…>{"), and strings or
# comments cannot always be told from code without a whole parser. So whatever looks like
# `SERVICE place {` counts, wherever it stands, save where the word is the end of a variable
# or of a prefixed name, or in a text or a comment beyond doubt: see `_in_texts`. Only so much of
# what follows the word is looked at, so that the time grows with the length of the query and no
# more; what is undecided by then counts too.
_WORD = re.compile(r"[?$]\w+|:[\w%][\w%-]*|(?P<service>SERVICE)", re.IGNORECASE)
_LOOKED_AT = 4000  # characters
_GAP = r"(?:\s|#[^\n\r]*+)*+"
_OPEN = rf"{_GAP}(?:\{{|\Z)"
_PLACE = (
    rf"(?:\Z|<[^<>\s]*+(?:\Z|>{_OPEN})|[?$]\w*+{_OPEN}"
    rf"|[^\s<>(){{}}:?$\"'#]*+(?:\Z|:(?:\\.|[^\s<>{{}}#\\])*+\\?{_OPEN}))"
)
_SERVICE = re.compile(rf"{_GAP}(?:SILENT)?{_GAP}{_PLACE}", re.IGNORECASE)

_SUSPECTS = 1000  # services in texts and comments; what has more is refused unread

_PROLOGUE = re.compile(
    r"(?:\s|#[^\n\r]*|BASE\s*<[^>]*>|PREFIX\s*[^\s:]*:\s*<[^>]*>)*", re.IGNORECASE
)
_UPDATE = re.compile(
    r"(?:INSERT|DELETE|LOAD|CLEAR|CREATE|DROP|COPY|MOVE|ADD|WITH)\b", re.IGNORECASE
)
_ERROR = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)


def ask(
    store: Store,
    query: str,
    *,
    base: str | None = None,
    prefixes: Mapping[str, str] | None = None,
    default_graphs: Sequence[str] = (),
    named_graphs: Sequence[str] = (),
) -> Result:
    """Ask `store` a SPARQL query.

    `prefixes` need no declaration in the query. `default_graphs` and `named_graphs` are the
    IRIs of a dataset that replaces the query's own FROM clauses; with both empty the query's
    own stand. Consume and drop the result in the thread that asked. Raises QueryError where
    the query cannot be understood or answered.
    """
    if not _is_text(query):
        raise QueryError("the query is not UTF-8")
    refuse_deep(query)
    refuse_service(query, base, prefixes)
    try:
        dataset: list[NamedNode | BlankNode | DefaultGraph] = [
            NamedNode(iri) for iri in default_graphs
        ]
        named: list[NamedNode | BlankNode] = [NamedNode(iri) for iri in named_graphs]
    except ValueError as error:
        raise QueryError(f"a graph's name must be an absolute IRI: {error}") from error
    known = dict(prefixes or {})
    given: dict[str, Any] = {"base_iri": base, "prefixes": known}
    if dataset or named:
        given |= {"default_graph": dataset, "named_graphs": named}
    with answering():
        try:
            return _in_order(store, query, given, store.query(query, **given))
        except SyntaxError as error:
            raise QueryError(_syntax(query, str(error), base, known)) from error


@contextmanager
def answering() -> Iterator[None]:
    """Turn what pyoxigraph raises while a query runs into QueryError.

    Running goes on while a result is read, so reading belongs in such a block too.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of our output has gone
    except (ValueError, RuntimeError, OSError) as error:
        message = " ".join(str(error).split())
        raise QueryError(f"the query cannot be answered: {message}") from error


def refuse_service(
    query: str, base: str | None = None, prefixes: Mapping[str, str] | None = None
) -> None:
    """Raise QueryError where a query would ask another endpoint."""
    suspects = []
    ended = query + "\n )"  # which nothing of what counts goes across
    for word in _WORD.finditer(query):
        follows = ended[word.end() : word.end() + _LOOKED_AT]
        if word["service"] and _SERVICE.match(follows):
            suspects.append(word.span())
    if suspects and not _in_texts(query, suspects, base, prefixes):
        raise QueryError("SERVICE is not available: nothing is fetched from other endpoints")


def _in_texts(
    query: str,
    places: Sequence[tuple[int, int]],
    base: str | None,
    prefixes: Mapping[str, str] | None,
) -> bool:
    """Whether all these places are in texts and comments, both to us and to pyoxigraph.

    To us: before anything that can be read in two ways. To pyoxigraph: the query can still be
    read with control characters there, which nothing but texts and comments may hold.
    """
    if len(places) > _SUSPECTS:
        return False
    known = iter(texts(query))
    begin = end = 0
    for first, last in places:
        while end < last:
            begin, end = next(known, (len(query), len(query)))
            if begin >= len(query):
                return False
        if first < begin:
            return False
    pieces, at = [], 0
    for first, last in places:
        pieces += [query[at:first], "\x01" * (last - first)]
        at = last
    try:
        Store().query("".join([*pieces, query[at:]]), base_iri=base, prefixes=dict(prefixes or {}))
    except SyntaxError:
        return False
    return True


def is_update(query: str) -> bool:
    """Whether a text that is no SPARQL query begins like a SPARQL update."""
    start = _PROLOGUE.match(query)
    return bool(_UPDATE.match(query, start.end() if start else 0))


def _in_order(store: Store, query: str, given: dict[str, Any], result: Result) -> Result:
    """The result, its columns in the order of the query."""
    if not isinstance(result, QuerySolutions) or len(result.variables) < 2:
        return result
    start = _PROLOGUE.match(query)
    names = [variable.value for variable in result.variables]
    ordered = with_columns(query, start.end() if start else 0, names)
    if ordered is None:
        return result
    try:
        return store.query(ordered, **given)
    except SyntaxError:
        return result


def _is_text(query: str) -> bool:
    """Whether there are no stray bytes, as a command line's arguments may hold."""
    try:
        query.encode()
    except UnicodeEncodeError:
        return False
    return True


def _error_of(query: str, base: str | None, prefixes: Mapping[str, str]) -> str:
    """What pyoxigraph says of a query; "" where it can be read."""
    try:
        Store().query(query, base_iri=base, prefixes=dict(prefixes))
    except SyntaxError as error:
        return str(error)
    return ""


def _syntax(query: str, message: str, base: str | None, known: Mapping[str, str]) -> str:
    if is_update(query):
        return "updates are not available: the graph is read-only; change it with kg build"
    match = _ERROR.fullmatch(message)
    if match is None:
        return f"the query is not valid SPARQL: {' '.join(message.split())}"
    line, column, rest = int(match[1]), int(match[2]), match[3]
    undeclared = unknown_prefix(query, known)
    if undeclared is not None and undeclared[:2] < (line, column):
        line, column, prefix = undeclared
        name = prefix or "without a name"
        rest = f"there is no prefix {name}; declare it with PREFIX {prefix}: <…>"
    elif "IRI parsing failed" in rest:
        rest = "this is not an IRI, or not a whole one"
    elif found := fault(query, lambda text: _error_of(text, base, known)):
        line, column, rest = found
    else:
        rest = "this does not belong here"
    return f"the query is not valid SPARQL: line {line}, column {column}: {rest}"
