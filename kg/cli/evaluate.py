"""`kg evaluate`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kg.cli.options import require_output

if TYPE_CHECKING:
    from kg.evaluation import Tally


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.option(
    "--errors",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many of the most frequent misses and false hits to print.",
)
def command(gold: Path, errors: int) -> None:
    """Score extraction against annotated records.

    GOLD is JSON Lines with id, title, abstract, and mentions or concepts as people
    marked them.

    \b
    Example:
      kg evaluate annotated.jsonl
    """
    require_output()
    from kg.concepts import load
    from kg.evaluation import evaluate, read_gold

    records = read_gold(gold)
    found = load().extract((record.title, record.abstract) for record in records)
    result = evaluate(zip(records, found, strict=True))
    click.echo(f"{result.records} records\n")
    click.echo(f"{'':12}{'precision':>10}{'recall':>8}{'F1':>7}{'right':>8}{'found':>8}{'gold':>8}")
    for name, tally in result.measures.items():
        _row(name, tally)
    click.echo("\nMentions by type")
    for name, tally in result.types.items():
        _row(name, tally)
    _list("Missed most often", result.missed, errors)
    _list("Found and not annotated", result.invented, errors)


def _row(name: str, tally: Tally) -> None:
    click.echo(
        f"{name:12}{tally.precision:>10.3f}{tally.recall:>8.3f}{tally.f1:>7.3f}"
        f"{tally.right:>8,}{tally.predicted:>8,}{tally.gold:>8,}"
    )


def _list(title: str, labels: Counter[str], number: int) -> None:
    if number and labels:
        click.echo(f"\n{title}")
        ranked = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
        for label, times in ranked[:number]:
            click.echo(f"{times:>5}  {label}")
