"""What inputs are called: by the names of their files, with folders where two have one name."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

from kg.read.check import FORBIDDEN

STDIN = "-"
_PACKED = re.compile(r"(?:\.gz)+$")


def named(paths: Iterable[str]) -> dict[str, str]:
    """Each file once, by the first spelling of its path, and what it is called.

    That is the name of the file without .gz, in characters that a graph can hold. Files of one
    name are called by as many of their folders as tell them apart, below the one that all of them
    lie in; so it follows from the files, and not from their order or the current folder.
    """
    spelt: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        spelt[path if path == STDIN else os.path.realpath(path)].append(path)
    parts = {some[0]: min(map(_parts, some)) for some in spelt.values()}
    alike: dict[str, list[str]] = defaultdict(list)
    for path, own in parts.items():
        alike[_PACKED.sub("", _text(own[-1], exact=False))].append(path)
    names = dict.fromkeys(parts, "")
    for block in alike.values():
        names |= zip(block, _told_apart([parts[path] for path in block]), strict=True)
    return names


def _parts(path: str) -> tuple[str, ...]:
    if path == STDIN:
        return ("stdin",)
    whole = Path(path).absolute()
    # Of a link to a file the name counts; a folder is the one that it is, also before "..".
    return Path(os.path.realpath(whole.parent), whole.name).parts[1:] or ("",)


def _told_apart(paths: Sequence[Sequence[str]]) -> list[str]:
    """The shortest ends of paths that are all different."""
    levels = enumerate(zip(*paths, strict=False))
    least = min(map(len, paths)) - 1
    common = next((n for n, parts in levels if len(set(parts)) > 1), least)
    own = [path[min(common, least) :] for path in paths]
    names: list[str] = []
    # In one folder only .gz, or what no graph can hold, tells two of them apart.
    for exact, length in product((False, True), range(1, max(map(len, own)) + 1)):
        names = ["/".join(_text(part, exact) for part in path[-length:]) for path in own]
        if not exact:
            names = [name.removesuffix(".gz") or name for name in names]
        if len(set(names)) == len(names):
            break
    return names


def _text(part: str, exact: bool) -> str:
    text = os.fsencode(part).decode("utf-8", "backslashreplace" if exact else "replace")
    return FORBIDDEN.sub(lambda bad: ascii(bad[0])[1:-1] if exact else "\ufffd", text)
