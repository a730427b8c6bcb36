"""The documents: commands are documented, pages are current, what the README shows is so."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kg.cli import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_generated_page_of_the_commands_is_current():
    made = runpy.run_path(str(ROOT / "docs" / "generate_cli.py"))
    current = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert made["page"]() == current, "run: python docs/generate_cli.py"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme_and_has_an_example(name: str):
    assert f"kg {name}" in README
    help_text = subprocess.run(
        [sys.executable, "-m", "kg.cli", name, "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "Example" in help_text
    assert f"  kg {name}" in help_text


def test_every_block_of_the_readme_is_of_a_kind_that_is_run():
    assert {kind for kind, _ in BLOCKS} <= {"console", "python", "make"}


def test_what_the_readme_shows_is_what_happens():
    made = runpy.run_path(str(ROOT / "docs" / "generate_readme.py"))
    assert made["page"](README) == README, "run: python docs/generate_readme.py"


def test_python_blocks_of_the_readme_run(tmp_path: Path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = [text for kind, text in BLOCKS if kind == "python"]
    assert blocks
    for text in blocks:
        done = subprocess.run(
            [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [
        line.split()[1] for kind, text in BLOCKS if kind == "make" for line in text.splitlines()
    ]
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_help_answers_without_the_heavy_libraries():
    script = (
        "import sys; from kg.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'spacy', 'rdflib', 'pyshacl', 'starlette', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_changelog_names_every_command():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert all(f"kg {name}" in changelog for name in COMMANDS)
