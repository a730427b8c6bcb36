"""What pySHACL compares or follows in its own way, put right while it runs for kg.

A value that cannot be compared does not conform, says SHACL. pySHACL gives up in its place where
sh:lessThan meets a blank node, or one bound a value that is not of the type it names; it takes
NaN for the smallest number, and orders values of two kinds by the names of their datatypes.

A literal that is not written as its datatype asks does not conform to it, and is not compared.
pySHACL takes what Python's own readers take, as "5_0" for an integer.

The inverse of a path of several steps begins with the last of them; pySHACL begins with the first.

Regular expressions and their flags are those of XPath; pySHACL gives them to Python, which does
not know all, and takes no notice of "s", "x" and "q".
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from typing import Any, cast

import rdflib
from pyshacl import shape
from pyshacl.constraints import CONSTRAINT_PARAMETERS_MAP
from pyshacl.constraints.core import property_pair_constraints as pairs
from pyshacl.constraints.core import value_range_constraints as ranges
from pyshacl.constraints.core.other_constraints import InConstraintComponent
from pyshacl.constraints.core.string_based_constraints import (
    LanguageInConstraintComponent,
    PatternConstraintComponent,
)
from pyshacl.constraints.core.value_constraints import DatatypeConstraintComponent
from pyshacl.helper import expression_helper
from pyshacl.rdfutil.stringify import stringify_blank_node
from rdflib import RDF, SH, BNode, Literal, URIRef
from rdflib.term import Node

from kg.validate.datatypes import ill_formed, well_formed
from kg.validate.patterns import compiled

_values_as_is = expression_helper.value_nodes_from_path
_ALONE = threading.Lock()

Outcome = tuple[bool, list[Any]]
_Compare = Callable[[Any, Any, Any, Node], Outcome]


class _LessThan(pairs.LessThanConstraintComponent):
    def _compare_lt(self, values: Any, others: Any, data: Any, focus: Node) -> Outcome:
        return _in_pairs(self, super()._compare_lt, values, others, data, focus)


class _LessThanOrEquals(pairs.LessThanOrEqualsConstraintComponent):
    def _compare_ltoe(self, values: Any, others: Any, data: Any, focus: Node) -> Outcome:
        return _in_pairs(self, super()._compare_ltoe, values, others, data, focus)


class _MinInclusive(ranges.MinInclusiveConstraintComponent):
    def _evaluate_min_rule(self, bound: Node, data: Any, values: Any) -> Outcome:
        return _with_bound(self, super()._evaluate_min_rule, bound, data, values)


class _MinExclusive(ranges.MinExclusiveConstraintComponent):
    def _evaluate_min_rule(self, bound: Node, data: Any, values: Any) -> Outcome:
        return _with_bound(self, super()._evaluate_min_rule, bound, data, values)


class _MaxInclusive(ranges.MaxInclusiveConstraintComponent):
    def _evaluate_max_rule(self, bound: Node, data: Any, values: Any) -> Outcome:
        return _with_bound(self, super()._evaluate_max_rule, bound, data, values)


class _MaxExclusive(ranges.MaxExclusiveConstraintComponent):
    def _evaluate_max_rule(self, bound: Node, data: Any, values: Any) -> Outcome:
        return _with_bound(self, super()._evaluate_max_rule, bound, data, values)


class _Pattern(PatternConstraintComponent):
    def __init__(self, shape: Any) -> None:
        # It compiles with Python, which may not know what is in a pattern.
        super().__init__(cast(Any, _Unpatterned(shape)))
        self.shape = shape
        self.string_rules = list(shape.objects(SH.pattern))
        flags = "".join(map(str, shape.objects(SH.flags)))
        self.compiled_cache = {
            one: compiled(str(one), flags) for one in self.string_rules if isinstance(one, Literal)
        }


@dataclass(frozen=True, slots=True)
class _Unpatterned:
    """A shape of pySHACL, its patterns aside."""

    shape: Any

    def objects(self, predicate: Node) -> Iterable[Node]:
        found: Iterable[Node] = self.shape.objects(predicate)
        return [Literal("")] if predicate == SH.pattern else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shape, name)


class _In(InConstraintComponent):
    in_vals: Any  # in their order: a set has another one in each process

    def __init__(self, shape: Any) -> None:
        super().__init__(shape)
        self.in_vals = dict.fromkeys(shape.sg.graph.items(self.in_list))


class _LanguageIn(LanguageInConstraintComponent):
    """Takes "zh-Hant" for a range of languages, as SPARQL's langMatches does, and not for one."""

    def _evaluate_string_rule(self, tags: Node, data: Any, values: Any) -> Outcome:
        ranges = [str(tag).lower() for tag in self.shape.sg.graph.items(tags)]
        others = {
            focus: [value for value in some if not _within(value, ranges)]
            for focus, some in values.items()
        }
        evaluate: Callable[..., Outcome] = super()._evaluate_string_rule
        return evaluate(tags, data, others)


class _Datatype(DatatypeConstraintComponent):
    def evaluate(self, executor: Any, data: Any, values: Any, path: Any) -> Outcome:
        return _of_datatype(self, super().evaluate, executor, data, values, path)


_OURS = {
    SH.datatype: _Datatype,
    SH.languageIn: _LanguageIn,
    SH["in"]: _In,
    SH.pattern: _Pattern,
    SH.lessThan: _LessThan,
    SH.lessThanOrEquals: _LessThanOrEquals,
    SH.minInclusive: _MinInclusive,
    SH.minExclusive: _MinExclusive,
    SH.maxInclusive: _MaxInclusive,
    SH.maxExclusive: _MaxExclusive,
}
_before: tuple[dict[Any, Any], Callable[..., set[Node]], bool]  # what `put_right` gives back


@contextmanager
def put_right() -> Iterator[None]:
    """Let pySHACL take these in place of its own, and give it its own back at the end.

    One thread at a time: pySHACL itself changes rdflib while it runs. What others have it do
    meanwhile in this process, not by way of kg, is done with these too.
    """
    global _before
    with _ALONE:
        theirs = {parameter: CONSTRAINT_PARAMETERS_MAP[parameter] for parameter in _OURS}
        _before = theirs, _values_as_is, rdflib.NORMALIZE_LITERALS
        _take(_OURS, _values_at, False)
        try:
            yield
        finally:
            _take(*_before)


def _anew() -> None:
    """In a forked process: what another thread has begun here is ended by no one."""
    global _ALONE
    if _ALONE.locked():
        _ALONE = threading.Lock()
        _take(*_before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_anew)


def _take(
    constraints: dict[Any, Any], values_at: Callable[..., set[Node]], normalizing: bool
) -> None:
    rdflib.NORMALIZE_LITERALS = normalizing
    # It remembers blank nodes by the address of their graph, which may be that of the next one:
    # then a message describes a node of other shapes.
    stringify_blank_node.dict_cache.clear()
    CONSTRAINT_PARAMETERS_MAP.update(constraints)
    # It calls itself by the name that it has in the one, and is called by that in the other.
    for module in (expression_helper, shape):
        module.__dict__["value_nodes_from_path"] = values_at


def _values_at(
    shapes: Any, focus: Node, path: Node, data: Any, inverse: bool = False, recursion: int = 0
) -> set[Node]:
    if not inverse or (path, RDF.first, None) not in shapes.graph:
        found: set[Node] = _values_as_is(shapes, focus, path, data, inverse, recursion)
        return found
    nodes = {focus}
    for step in reversed(list(shapes.graph.items(path))):
        ends = (_values_at(shapes, node, step, data, True, recursion + 1) for node in nodes)
        nodes = set().union(*ends)
    return nodes


def _in_pairs(
    constraint: Any,
    compare: _Compare,
    values: Iterable[Node],
    others: Iterable[Node],
    data: Any,
    focus: Node,
) -> Outcome:
    """What pySHACL makes of the values it can compare, and a result for each other pair."""
    results: list[Any] = []
    others = list(others)
    for value in values:
        fit = [other for other in others if _comparable(value, other)]
        results += compare({value}, fit, data, focus)[1] if fit else []
        for _ in range(len(others) - len(fit)):
            results.append(constraint.make_v_result(data, focus, value_node=value))
    return bool(results), results


def _with_bound(
    constraint: Any,
    compare: Callable[[Node, Any, Any], Outcome],
    bound: Node,
    data: Any,
    values: dict[Node, Iterable[Node]],
) -> Outcome:
    """What pySHACL makes of the values it can compare, and a result for each other value."""
    fit: dict[Node, list[Node]] = {}
    results: list[Any] = []
    for focus, some in values.items():
        fit[focus] = []
        for value in some:
            if _comparable(value, bound):
                fit[focus].append(value)
            else:
                results.append(constraint.make_v_result(data, focus, value_node=value))
    results += compare(bound, data, fit)[1]
    return bool(results), results


def _within(value: Node, ranges: Iterable[str]) -> bool:
    """Whether a text is in one of some ranges of languages."""
    tag = value.language if isinstance(value, Literal) else None
    return tag is not None and any(f"{tag.lower()}-".startswith(f"{one}-") for one in ranges)


def _of_datatype(
    constraint: Any,
    evaluate: Callable[[Any, Any, Any, Any], Outcome],
    executor: Any,
    data: Any,
    values: dict[Node, Iterable[Node]],
    path: Any,
) -> Outcome:
    """A result for each value in bad form, and what pySHACL makes of those kg cannot tell of."""
    asked = str(constraint.datatype_rule)
    left: dict[Node, list[Node]] = {}
    results: list[Any] = []
    for focus, some in values.items():
        left[focus] = []
        for value in some:
            fits = None
            if isinstance(value, Literal) and str(value.datatype) == asked:
                fits = well_formed(value, asked)
            if fits is None:
                left[focus].append(value)
            elif not fits:
                results.append(constraint.make_v_result(data, focus, value_node=value))
    results += evaluate(executor, data, left, path)[1]
    return not results, results  # it says whether all conform


def _comparable(one: Node, other: Node) -> bool:
    if isinstance(one, BNode) or isinstance(other, BNode):
        return False
    if isinstance(one, URIRef) or isinstance(other, URIRef):
        return True  # as pySHACL does, each in its way
    assert isinstance(one, Literal)
    assert isinstance(other, Literal)
    kind = _kind(one)
    return kind is not None and kind == _kind(other)


def _kind(literal: Literal) -> object:
    """What only values of the same kind are compared with; None for those that never are."""
    value = literal.value
    if value is None or value != value or ill_formed(literal):
        return None
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return "number"
    if isinstance(value, str | datetime | time):
        return type(value)
    # rdflib has one type for years, months and days.
    return type(value), literal.datatype
