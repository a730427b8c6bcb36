"""Data written while it is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import IO

import pytest

from kg.validate.pipe import apart, written

LINES = b"<s> <p> <o> .\n" * 100_000  # far more than a pipe holds


def whole(out: IO[bytes], content: bytes = LINES) -> None:
    out.write(content)


def complaining(file: Path, size: int) -> None:
    with file.open("rb") as data:
        data.read(size)
    raise ValueError("broken syntax in line 1")


def test_what_is_written_is_read() -> None:
    with written(whole) as file:
        assert file.suffix == ".nt"
        assert file.read_bytes() == LINES
    assert not file.exists()


def test_nothing() -> None:
    with written(partial(whole, content=b"")) as file:
        assert file.read_bytes() == b""


def test_who_does_not_read_does_not_wait() -> None:
    with pytest.raises(ValueError, match="of no use"), written(whole):
        raise ValueError("of no use")


def test_who_leaves_early_is_heard() -> None:
    with pytest.raises(ValueError, match="in line 1"), written(whole) as file:
        complaining(file, size=14)


def test_half_of_the_data_is_not_all() -> None:
    """The reader took it for the whole, or complained of it: both are wrong."""

    def broken(out: IO[bytes]) -> None:
        out.write(LINES)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"), written(broken) as file:
        assert file.read_bytes() == LINES
    with pytest.raises(OSError, match="the disk is gone"), written(broken) as file:
        complaining(file, size=-1)


def test_ctrl_c_is_heard_while_a_call_goes_on_elsewhere() -> None:
    code = (
        "import ctypes, signal\n"
        "from kg.validate.pipe import apart\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('ready', flush=True)\n"
        "apart(lambda: ctypes.CDLL(None).sleep(60))\n"  # as in Rust, Python hears nothing there
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == -signal.SIGINT


def test_what_a_call_elsewhere_gives_or_raises() -> None:
    assert apart(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        apart(lambda: 1 // 0)


def test_nobody_writes_for_one_who_has_gone() -> None:
    def endless(out: IO[bytes]) -> None:
        while True:
            out.write(LINES)

    def read_on(file: Path) -> None:
        with file.open("rb") as data:
            opened.set()
            while data.read(len(LINES)):
                pass

    def interrupted() -> None:
        with written(endless) as file:
            threads.append(threading.Thread(target=read_on, args=[file]))
            threads[0].start()
            opened.wait()
            raise KeyboardInterrupt

    opened = threading.Event()
    threads: list[threading.Thread] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    threads[0].join(timeout=30)
    assert not threads[0].is_alive()


def test_a_validation_that_is_told_to_end_leaves_no_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kg.cli", "validate", "-"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        process.stdin.write(LINES)
        process.stdin.flush()
        while not list(tmp_path.iterdir()):
            assert process.poll() is None
        process.terminate()
        assert process.wait(timeout=30) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
