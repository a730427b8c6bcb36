"""Run the commands that the README shows and write down what they print.

python docs/generate_readme.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(text: str) -> str:
    """The README with the output of each command under it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        return _BLOCK.sub(lambda block: f"```console\n{_run(block[1], folder)}```", text)


def _run(block: str, folder: str) -> str:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "88",
    }
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
    # How long it took is not the same twice, and kg[fast] may be installed or not.
    return re.sub(r"checked by \w+, \d+\.\d s\.", "checked by fast, 0.1 s.", shown)


if __name__ == "__main__":
    README.write_text(page(README.read_text(encoding="utf-8")), encoding="utf-8")
