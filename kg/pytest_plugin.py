"""What pytest loads wherever kg is installed: one fixture, and nothing that takes time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kg.validate import Report


@pytest.fixture(name="assert_conforms")
def _assert_conforms() -> Callable[..., Report]:
    """`kg.testing.assert_conforms`: fail unless RDF data conforms to SHACL shapes."""
    from kg.testing import assert_conforms

    return assert_conforms
