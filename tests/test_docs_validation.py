"""The page on validation shows what happens."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "validation.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_what_the_page_shows_is_what_happens() -> None:
    made = runpy.run_path(str(DOCS / "generate_validation.py"))
    assert made["page"](PAGE) == PAGE, "run: python docs/generate_validation.py"


@pytest.mark.parametrize("code", [text for kind, text in BLOCKS if kind == "python"])
def test_the_python_of_the_page_runs(tmp_path: Path, code: str) -> None:
    for kind, text in BLOCKS:
        if kind == "turtle":
            (tmp_path / text.split()[1]).write_text(text, encoding="utf-8")
    # The functions that it defines are tests of data that does not conform.
    calls = "".join(
        f"\ntry:\n    {name}()\nexcept AssertionError as why:\n    assert 'Does not' in str(why)"
        for name in re.findall(r"^def (\w+)", code, re.MULTILINE)
    )
    subprocess.run([sys.executable, "-c", code + calls], cwd=tmp_path, check=True)


def test_the_page_names_every_format_and_option() -> None:
    help_text = subprocess.run(
        [sys.executable, "-m", "kg.cli", "validate", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for option in set(re.findall(r"--[a-z]+", help_text)) - {"--help", "--graph", "--jobs"}:
        assert option in PAGE or option in {"--output"}, option
    (formats,) = re.findall(
        r"--format \[([a-z|]+)\]", re.sub(r"\s+", "", help_text).replace("--format[", "--format [")
    )
    for name in formats.split("|"):
        assert f"`{name}`" in PAGE
