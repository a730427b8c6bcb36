"""What a training run is made from, and the checks before it starts. Without torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kg.errors import InputError, UsageError
from kg.files import writing

CONFIG = Path(__file__).with_name("config.cfg")
_NEEDED = ("torch", "gensim")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is made from what.

    `lenient` first records of the gold follow a looser guide; records of the files in
    `exclude` (JSON Lines) are left out of the unlabelled abstracts, so that they can serve
    for a last look. The seed is the config's where it is None.
    """

    gold: Path
    unlabelled: Path
    output: Path
    exclude: tuple[Path, ...] = ()
    lenient: int = 0
    seed: int | None = None
    config: Path = CONFIG

    @property
    def work(self) -> Path:
        """Where the stages keep their files."""
        return self.output / "work"


def require_extra(needed: Iterable[str] = _NEEDED) -> None:
    """Raises UsageError where a package that only training needs is not installed."""
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise UsageError(f"training needs {' and '.join(missing)}: install kg[train]")


def read_config(path: Path) -> dict[str, Any]:
    """The section `training` of a spaCy config. Raises InputError where there is none."""
    from spacy.util import load_config

    try:
        section = load_config(path, interpolate=True)["training"]
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(str(path), f"is no config with a section [training]: {reason}") from error
    return dict(section)


def claim(plan: Plan, config: Mapping[str, Any]) -> None:
    """Make the work folder this plan's own.

    Raises UsageError where it holds the stages of another plan, which must not be mixed with
    this one's; InputError where a file of the plan cannot be read or the folder not be made.
    """
    stamp = json.dumps(_digests(plan, config), indent=1) + "\n"
    try:
        plan.work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(plan.work), f"cannot be made: {error.strerror}") from error
    path = plan.work / "plan.json"
    if not path.exists():
        with writing(path) as file:
            file.write(stamp)
    elif path.read_text(encoding="utf-8") != stamp:
        raise UsageError(
            f"{plan.work} holds stages made from other files, another config or seed: "
            "choose another folder or remove it"
        )


def _digests(plan: Plan, config: Mapping[str, Any]) -> dict[str, str]:
    files = {"gold": plan.gold, "unlabelled": plan.unlabelled}
    files |= {f"exclude {i}": path for i, path in enumerate(plan.exclude, 1)}
    said = json.dumps([config, plan.seed, plan.lenient], sort_keys=True)
    out = {"config": hashlib.sha256(said.encode()).hexdigest()}
    for name, path in files.items():
        try:
            with path.open("rb") as file:
                out[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {error.strerror}") from error
    return out
