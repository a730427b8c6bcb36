from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from kg.concepts import Extractor

# Time says nothing on a shared machine. CI tries the same examples every time, so that a
# change fails for what it changed; everybody else's runs look for new ones.
settings.register_profile("kg", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("kg")


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    from kg.concepts import load

    return load()
