"""What pySHACL gives up at in the data, put right: `install` before it runs.

A value that cannot be compared does not conform, says SHACL. pySHACL raises an error in its
place where sh:lessThan or sh:lessThanOrEquals meet a blank node.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyshacl.constraints import CONSTRAINT_PARAMETERS_MAP
from pyshacl.constraints.core.property_pair_constraints import (
    LessThanConstraintComponent,
    LessThanOrEqualsConstraintComponent,
)
from rdflib import SH, BNode
from rdflib.term import Node

Outcome = tuple[bool, list[Any]]


class _LessThan(LessThanConstraintComponent):
    def _compare_lt(
        self, values: Iterable[Node], others: Iterable[Node], data: Any, focus: Node
    ) -> Outcome:
        return _compared(self, super()._compare_lt, values, others, data, focus)


class _LessThanOrEquals(LessThanOrEqualsConstraintComponent):
    def _compare_ltoe(
        self, values: Iterable[Node], others: Iterable[Node], data: Any, focus: Node
    ) -> Outcome:
        return _compared(self, super()._compare_ltoe, values, others, data, focus)


def _compared(
    constraint: Any,
    compare: Any,
    values: Iterable[Node],
    others: Iterable[Node],
    data: Any,
    focus: Node,
) -> Outcome:
    """What pySHACL makes of the values it can compare, and a result for each other pair."""
    values, others = list(values), list(others)
    failed, results = compare(
        {value for value in values if not isinstance(value, BNode)},
        {other for other in others if not isinstance(other, BNode)},
        data,
        focus,
    )
    pairs = ((value, other) for value in values for other in others)
    blank = [
        value for value, other in pairs if isinstance(value, BNode) or isinstance(other, BNode)
    ]
    more = [constraint.make_v_result(data, focus, value_node=value) for value in blank]
    return failed or bool(more), [*results, *more]


def install() -> None:
    """Let pySHACL take these in place of its own, in this process."""
    CONSTRAINT_PARAMETERS_MAP[SH.lessThan] = _LessThan
    CONSTRAINT_PARAMETERS_MAP[SH.lessThanOrEquals] = _LessThanOrEquals
