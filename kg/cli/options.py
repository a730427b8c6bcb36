"""Options that several commands share, and how commands talk."""

from __future__ import annotations

import errno
import math
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from kg.errors import UsageError
from kg.files import writing_bytes
from kg.rdf.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    from kg.build import Inputs

_ENDS = (signal.SIGTERM, signal.SIGHUP)  # what a process is told when it shall end
SHOWN = 20  # rejected records, and notes, that are named without -v

Command = TypeVar("Command", bound=Callable[..., Any])


def _named(ctx: click.Context, parameter: click.Parameter, value: Path) -> Path:
    if value == Path():
        raise click.BadParameter("name a folder of its own, such as graph")
    return value


def graph_option(command: Command) -> Command:
    """Add `-g/--graph DIR`, given to the command as `graph: Path`."""
    return click.option(
        "-g",
        "--graph",
        type=click.Path(path_type=Path, file_okay=False),
        callback=_named,
        default="graph",
        show_default=True,
        envvar="KG_GRAPH",
        show_envvar=True,
        help="The graph's folder.",
    )(command)


def output_option(command: Command) -> Command:
    """Add `-o/--output FILE`, given to the command as `output: str | None`."""
    return click.option(
        "-o", "--output", metavar="FILE", help="Write to this file; - is standard output."
    )(command)


def inputs_argument(command: Command) -> Command:
    """Add the inputs, given as `inputs: tuple[str, ...]`, and `--input-format`."""
    command = click.option(
        "--input-format",
        type=click.Choice(["author-page", "abstract-list", "json-lines"]),
        help="The form of all inputs. [default: found by content]",
    )(command)
    return click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)(command)


def base_option(command: Command) -> Command:
    """Add `--base IRI`."""
    return click.option(
        "--base",
        default=DEFAULT_BASE,
        show_default=True,
        metavar="IRI",
        help="What the IRIs of papers, people and concepts begin with.",
    )(command)


def _number(ctx: click.Context, parameter: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter("nan is no number from 0 to 1")
    return value


def confidence_option(command: Command) -> Command:
    """Add `--min-confidence N`, given as `min_confidence: float`."""
    return click.option(
        "--min-confidence",
        type=click.FloatRange(0, 1),
        callback=_number,
        default=0.0,
        metavar="N",
        help="Leave out mentions of which the model is less sure, from 0 to 1.",
    )(command)


def jobs_option(command: Command) -> Command:
    """Add `-j/--jobs N`, given as `jobs: int | None`."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        help="Processes that read texts. [default: as many as the machine and the work allow]",
    )(command)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show progress on standard error where that is a terminal; yields what to call."""
    shown = sys.stderr.isatty() and verbosity() >= 0

    def progress(stage: str, done: int, total: int) -> None:
        if shown:
            width = 30 * done // max(1, total)
            bar = "#" * width + "-" * (30 - width)
            click.echo(f"\r{stage} [{bar}] {done:,} of {total:,}", nl=False, err=True)

    try:
        yield progress
    finally:
        if shown:
            click.echo("\r\033[K", nl=False, err=True)


def require_output() -> None:
    """Raise UsageError where standard output is closed."""
    if sys.stdout is None:
        raise UsageError("standard output is closed")


@contextmanager
def writing_output(output: str | None) -> Iterator[IO[bytes]]:
    """Open standard output, or a file that appears only when it is complete."""
    if output == "" or (output or "").endswith("/"):
        raise UsageError(f"-o must name a file, not {output!r}")
    try:
        if output is None or output == "-":
            require_output()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:
            with writing_bytes(Path(output)) as file:
                yield file
    except OSError as error:
        # What a full disk says names no file.
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) and not error.filename:
            error.filename = "standard output" if output in (None, "-") else output
        raise


@contextmanager
def tidy() -> Iterator[None]:
    """Where the process is told to end, as by `timeout`, let it take away what is half done."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    # `nohup` has a process take no notice of it.
    heard = [number for number in _ENDS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def verbosity() -> int:
    """-1 with `-q`, 1 with `-v`, else 0."""
    level: int = click.get_current_context().find_root().obj or 0
    return level


def say(message: str, level: int = 0, err: bool = True) -> None:
    """Print a message to standard error; level 0 unless `-q`, level 1 only with `-v`."""
    if level <= verbosity():
        click.echo(message, err=err)


def report_faults(read: Inputs) -> None:
    """Print what of the inputs cannot be used, a line each; all of it only with `-v`."""
    for error in read.unreadable:
        click.echo(f"Error: {error}", err=True)
    verbose = verbosity() > 0
    shown = len(read.rejections) if verbose else SHOWN
    for rejection in read.rejections[:shown]:
        click.echo(f"Rejected: {rejection}", err=True)
    if (hidden := len(read.rejections) - shown) > 0:
        click.echo(f"... and {hidden:,} more; see them all with kg -v", err=True)
