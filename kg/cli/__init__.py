"""The command line: thin click commands over the rooms below, one file each.

A command's module is imported when the command runs, and imports what is heavy only then,
so that `kg --help` answers at once.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from kg import __version__
from kg.errors import KgError

# Name of the command -> what `kg --help` says of it; the module kg.cli.NAME holds it.
COMMANDS = {
    "build": "Build a graph from papers' titles and abstracts.",
    "extract": "Print the concepts of each record.",
    "validate": "Validate RDF files, or the graph, against SHACL shapes.",
    "export": "Write the graph as Turtle, N-Triples or JSON-LD.",
    "query": "Ask the graph in SPARQL, or by a named question.",
    "serve": "Serve the graph over SPARQL and as web pages.",
    "show": "Show a concept, a person or a paper.",
    "explain": "Say why two things are one, or are not.",
    "review": "List the pairs that may be one thing, for you to rule on.",
    "stats": "Count what the graph holds.",
    "evaluate": "Score extraction against annotated records.",
}


class _ReaderGoneError(Exception):
    """The reader of our output has gone, as with `kg export | head`."""


class Commands(click.Group):
    """A group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which one uses them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"kg.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command named, or say which there are."""
        if args and args[0] not in COMMANDS:
            raise click.UsageError(
                f"There is no command '{args[0]}'. The commands are: {', '.join(COMMANDS)}.", ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a closed pipe is not left to click, which would exit with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGoneError from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and turn errors into one line and their exit code, here and only here."""
        start: Callable[..., Any] = super().main
        run = functools.partial(start, args, prog_name, complete_var, False, **extra)
        if not standalone_mode:
            return run()
        try:
            code = run()
            if sys.stdout is not None:
                sys.stdout.flush()
        except Exception as error:
            if os.environ.get("KG_DEBUG"):
                raise
            code = _outcome(error)
        sys.exit(code if isinstance(code, int) else 0)


def _outcome(error: Exception) -> int:
    """Say what went wrong and give the exit code."""
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, KgError):
        click.echo(f"Error: {error}", err=True)
        return error.exit_code
    if isinstance(error, click.Abort):
        click.echo("Interrupted.", err=True)
        return 130
    if isinstance(error, OSError | _ReaderGoneError):
        # What is in the buffers can go nowhere, and the interpreter must not try at its end.
        if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
        if not isinstance(error, OSError) or isinstance(error, BrokenPipeError):
            return 141  # as of a program that a closed pipe ends
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"Error: {place}{error.strerror or ' '.join(str(error).split())}", err=True)
        return 2
    click.echo(
        f"Internal error: {type(error).__name__}: {error}\n"
        "This is a fault of kg. Run again with KG_DEBUG=1 to see where.",
        err=True,
    )
    return 3


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: kg build examples/*.txt && kg show 'induction head'",
)
@click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong.")
@click.option("-v", "--verbose", is_flag=True, help="Say more of what happens.")
@click.version_option(__version__, prog_name="kg")
@click.pass_context
def main(ctx: click.Context, quiet: bool, verbose: bool) -> None:
    """Build a knowledge graph from scientific papers' titles and abstracts.

    kg finds the concepts, links them with papers and authors as RDF, validates
    the graph with SHACL, and lets you query, export and browse it. Everything
    runs on this machine; nothing is sent or fetched.
    """
    if quiet and verbose:
        raise click.UsageError("Choose -q or -v, not both.")
    ctx.obj = -1 if quiet else int(verbose)
