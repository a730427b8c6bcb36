"""`kg build`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kg.cli.options import (
    SHOWN,
    base_option,
    confidence_option,
    graph_option,
    inputs_argument,
    jobs_option,
    progress_bar,
    report_faults,
    say,
    tidy,
    verbosity,
)

if TYPE_CHECKING:
    from kg.build import Summary


@click.command()
@inputs_argument
@graph_option
@base_option
@confidence_option
@jobs_option
@click.option(
    "--curation",
    metavar="FILE",
    help="What you ruled on what is one and what is not; see `kg review`.",
)
@click.option(
    "--vocabulary",
    "vocabularies",
    metavar="FILE",
    multiple=True,
    help="Link concepts to this SKOS vocabulary, or to the CSO as CSV; may be given again.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 where a record was rejected.")
@click.option(
    "--keep-invalid", is_flag=True, help="Take the new graph even where it breaks a shape."
)
@click.option("--no-validate", is_flag=True, help="Do not check the new graph against the shapes.")
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    input_format: str | None,
    graph: Path,
    base: str,
    min_confidence: float,
    jobs: int | None,
    curation: str | None,
    vocabularies: tuple[str, ...],
    strict: bool,
    keep_invalid: bool,
    no_validate: bool,
) -> None:
    """Build a graph from papers' titles and abstracts.

    INPUT is an author page, a bare list of abstracts, or JSON Lines with title
    and abstract, also gzipped; - is standard input. The form is found by content.

    The graph holds what these inputs say and nothing else: name all of them each
    time. What was read before is not read again. The graph that was there stays
    in use until the new one is complete and has passed validation.

    \b
    Examples:
      kg build examples/*.txt
      kg build papers.jsonl.gz -g graphs/papers --jobs 2
      kg build papers.jsonl.gz --curation curation.toml
      kg build papers.jsonl.gz --vocabulary thesaurus.ttl
    """
    from kg.build import build, read_inputs, remarks
    from kg.identity.curation_file import read_curation
    from kg.read.naming import named
    from kg.vocabularies import read_vocabulary

    ruled = read_curation(curation) if curation is not None else None
    terms = {name: read_vocabulary(path) for path, name in named(vocabularies).items()}
    read = read_inputs(inputs, input_format)
    report_faults(read)
    notes = list(remarks(read))
    for note in notes if verbosity() > 0 else notes[:SHOWN]:
        say(f"Note: {note}")
    if len(notes) > SHOWN and verbosity() == 0:
        say(f"... and {len(notes) - SHOWN:,} notes more; see them all with kg -v")
    with tidy(), progress_bar() as progress:
        summary = build(
            read,
            graph,
            base=base,
            min_confidence=min_confidence,
            curation=ruled,
            vocabularies=terms,
            jobs=jobs,
            validate=not no_validate,
            keep_invalid=keep_invalid,
            progress=progress,
        )
    for warning in summary.unknown:
        say(f"Warning: {warning}")
    _print(summary, graph)
    if read.unreadable:
        ctx.exit(2)
    if summary.violations or (strict and summary.rejected):
        ctx.exit(1)


def _print(summary: Summary, graph: Path) -> None:
    rows = {
        "records": summary.records,
        "notes": summary.notes,
        "papers": summary.papers,
        "people": summary.people,
        "concepts": summary.concepts,
        "mentions": summary.mentions,
        "triples": summary.triples,
        "rejected": summary.rejected,
        "unreadable": summary.unreadable,
        "violations": summary.violations,
    }
    for name, number in rows.items():
        if number or name != "unreadable":
            say(f"{name:<11}{number:>10,}", err=False)
    if summary.swapped_in and (summary.rejected or summary.unreadable):
        say(f"What was rejected, and why: {graph / 'rejected.jsonl'}")
    if summary.violations:
        click.echo(
            f"Error: the graph does not conform: {graph / 'violations.txt'} says why", err=True
        )
    if not summary.swapped_in:
        there = (graph / "CURRENT").exists()
        before = "The graph that was there stays in use" if there else "There is no graph yet"
        say(f"{before}; take the new one with --keep-invalid.")
