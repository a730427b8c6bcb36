"""Run the commands that docs/validation.md shows and write down what they print.

python docs/generate_validation.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parent / "validation.md"
_FILE = re.compile(r"^```turtle\n(# (\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(text: str) -> str:
    """The page with the output of each command under it, given its text."""
    with tempfile.TemporaryDirectory() as folder:
        for content, name in _FILE.findall(text):
            Path(folder, name).write_text(content, encoding="utf-8")
        return _BLOCK.sub(lambda block: f"```console\n{_run(block[1], folder)}```", text)


def _run(block: str, folder: str) -> str:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    shown = ""
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        shown += f"$ {command}\n{done.stdout}"
    # Neither the time nor the engine, which depends on what is installed, is what the page shows.
    return re.sub(r"checked by \w+, \d+\.\d s", "checked by fast, 0.1 s", shown)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
