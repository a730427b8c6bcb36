"""For the tests of other projects: assert that RDF conforms to SHACL shapes.

    from kg.testing import assert_conforms

    def test_data() -> None:
        assert_conforms("data/", "shapes.ttl")

Where kg is installed, pytest has the fixture `assert_conforms` besides, which is this function.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyoxigraph import Store
    from rdflib import Graph

    from kg.validate import Data, Report


def assert_conforms(
    data: Graph | str | Path | Sequence[str | Path] | Store | Data,
    shapes: Graph | str | Path | Sequence[str | Path] | None = None,
    allow: str | None = None,
    strict: bool = True,
) -> Report:
    """Fail, with the report for people as the reason, unless data conforms to shapes.

    Data and shapes are those of `kg.validate`. Nothing checked is a failure too, and with
    `strict` also that a shape targets what the data does not have, or asks for what is not run.
    `allow` is "infos", or "warnings" for warnings and infos. Returns the report. Raises
    AssertionError, and the errors of `kg.validate` for what cannot be read.
    """
    __tracebackhide__ = True
    from kg.validate import validate
    from kg.validate.human import to_text

    report = validate(data, shapes)
    if not report.passes(allow, strict):
        raise AssertionError("\n" + to_text(report, allow=allow, strict=strict))
    return report
