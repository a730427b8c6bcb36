"""The command line as a whole: where output goes, and how a command ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kg.build import build, read_inputs

EXAMPLES = sorted(map(str, (Path(__file__).parent.parent / "examples").glob("*.txt")))
KG = f"{sys.executable} -m kg.cli"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    build(read_inputs(EXAMPLES), folder / "graph", jobs=1, validate=False)
    return folder


def sh(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    shell = ["bash", "-c", f"set -o pipefail; {command.replace('kg ', KG + ' ', 1)}"]
    return subprocess.run(shell, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def turtle(folder: Path) -> str:
    return sh("kg export", folder).stdout


def test_output_replaces_a_file_and_keeps_its_permissions(folder: Path, turtle: str):
    file, link = folder / "out.ttl", folder / "link.ttl"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    assert sh("kg export -o link.ttl", folder).returncode == 0
    assert link.is_symlink()
    assert file.read_text() == turtle
    assert file.stat().st_mode & 0o777 == 0o600


def test_output_into_a_pipe_is_written_into_the_pipe(folder: Path, turtle: str):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert sh("kg export --format turtle -o pipe", folder).returncode == 0
    reader.join()
    assert read == [turtle]
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("kg export -o ''", "Error: -o must name a file, not ''"),
        ("kg export -o graph/", "Error: -o must name a file, not 'graph/'"),
        ("kg export --format turtle -o graph", "Error: graph: cannot be written: Is a directory"),
        ("kg export -o no/where.ttl", "Error: no/where.ttl: cannot be written: No such file"),
        ("kg export -o x.foo", "Error: x.foo: say with --format what to write"),
        ("kg export -g nowhere", "Error: nowhere: no graph here; make one with: kg build"),
        ("kg stats >/dev/full", "Error: standard output: No space left on device"),
        ("kg export >/dev/full", "Error: standard output: No space left on device"),
        ("kg export --format turtle -o /dev/full", "Error: /dev/full: No space left on device"),
        ("kg export >&-", "Error: standard output is closed"),
        ("kg validate >&-", "Error: standard output is closed"),
        ("kg extract --min-confidence nan x", "nan is no number from 0 to 1"),
        ("kg serve --timeout nan", "nan is no number of seconds"),
        ("kg nonsense", "Error: There is no command 'nonsense'. The commands are: build,"),
        ("kg -q -v stats", "Error: Choose -q or -v, not both."),
    ],
)
def test_errors_are_one_line_and_exit_with_2(folder: Path, command: str, message: str):
    done = sh(command, folder)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_ends_a_command_like_any_other_program(folder: Path):
    done = sh("kg export | head -c 1", folder)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_fault_of_our_own_is_code_3(folder: Path):
    script = (
        "import kg.store, kg.cli\n"
        "kg.store.open_store = lambda graph: 1 / 0\n"
        "kg.cli.main(['export'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr.startswith("Internal error: ZeroDivisionError")
