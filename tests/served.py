"""A real `kg serve` in its own process, on a free loopback port, for tests and benchmarks."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

TIMEOUT = 1.0  # seconds, of the server of most tests

# Works for hours on any graph of more than a few hundred triples.
ENDLESS = """SELECT (COUNT(*) AS ?n) {
  ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?a != ?g && ?c != ?l) }"""
ENDLESS_ROWS = ENDLESS.replace("(COUNT(*) AS ?n)", "*")


@dataclass
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    url: str

    @property
    def sparql(self) -> str:
        return self.url + "sparql"

    @property
    def place(self) -> tuple[str, int]:
        """Host and port."""
        host, _, port = self.url[7:-1].rpartition(":")
        return host, int(port)

    def ask(self, query: str, **headers: str) -> httpx.Response:
        return httpx.get(self.sparql, params={"query": query}, headers=headers, timeout=20)

    def workers(self) -> set[int]:
        pid = self.process.pid
        found: set[int] = set()
        # Children are listed with the thread that has started them.
        for listed in Path(f"/proc/{pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found |= {int(child) for child in listed.read_text(encoding="ascii").split()}
        return found


@contextlib.contextmanager
def serving(graph: Path, *options: str, timeout: float = TIMEOUT) -> Iterator[Server]:
    """Serve a graph; what the server says goes to its pipes, so it must not say much."""
    command = [sys.executable, "-m", "kg.cli", "serve", "-g", str(graph), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--timeout", str(timeout), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        match = re.search(r"http://\S+/", line)
        assert match, line
        yield Server(process, match[0])
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=20)


def eventually(condition: Callable[[], object], seconds: float = 10) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())
