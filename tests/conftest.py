from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kg.concepts import Extractor


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    from kg.concepts import load

    return load()
