"""`kg review`: the pairs that may be one thing, for a person to rule on."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kg.cli.options import graph_option, say, writing_output
from kg.errors import UsageError


@click.command("review")
@graph_option
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(("paper", "person", "concept")),
    multiple=True,
    help="Look only among these; may be given several times.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="At most so many pairs of each kind, the most rewarding first.",
)
@click.option(
    "--curation",
    metavar="FILE",
    help="Leave out the pairs on which this file has something already.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(("text", "json")),
    default="text",
    help="How to print the pairs; json is one object a line.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Add the pairs as proposals to this curation file; what stands there is kept.",
)
def command(
    graph: Path,
    kinds: tuple[str, ...],
    limit: int,
    curation: str | None,
    style: str,
    output: str | None,
) -> None:
    """List the pairs that may be one thing, for you to rule on.

    These are pairs that no rule joins and that look alike: papers of one title
    whose authors differ, names of one person or of two, spellings of a concept.
    A pair comes the earlier the more papers of the rarer one would be found under
    one name.

    With -o they become proposals in a curation file. Read them, take the line
    "confirm = false" out of those that hold, and build with that file.

    \b
    Examples:
      kg review
      kg review --kind concept --limit 100
      kg review -o curation.toml
      kg build examples/*.txt --curation curation.toml
    """
    from kg.cli.explain import meant
    from kg.identity.curation import PLURALS
    from kg.identity.curation_file import read_curation
    from kg.queries.prefixes import prefixes_of
    from kg.results import printable
    from kg.review import doubts
    from kg.review.proposals import HEAD, proposals, ruled_pairs, short
    from kg.store import open_store

    if output == "-":
        raise UsageError("-o must name a curation file; without it the pairs are printed")
    store = open_store(graph)
    base = prefixes_of(store)["paper"].removesuffix("paper/")
    there = output is not None and Path(output).exists() and Path(output).stat().st_size > 0
    known = [read_curation(name) for name in (curation, output if there else None) if name]
    old = Path(output).read_text(encoding="utf-8") if output and there else ""
    ruled = {
        pair
        for one in known
        for pair in ruled_pairs(one, lambda name, kind: meant(store, name, kind))
    }
    shown = dict.fromkeys(PLURALS, 0)
    found = []
    hidden = 0
    for doubt in doubts(store, [kind for kind in PLURALS if not kinds or kind in kinds]):
        if frozenset((doubt.a, doubt.b)) in ruled:
            continue
        shown[doubt.kind] += 1
        if shown[doubt.kind] <= limit:
            found.append(doubt)
        else:
            hidden += 1
    if output is not None:
        with writing_output(output) as out:
            out.write((old.rstrip() + "\n" if old else HEAD).encode())
            for text in proposals(found, base):
                out.write(text.encode())
        added, held = len(found), len(known[-1].proposals) if old else 0
        number = f"{added:,} proposal" if added == 1 else f"{added:,} proposals"
        whole = f" added to {output}, {added + held:,} in all" if old else f" in {output}"
        say(f"{number}{whole}", err=False)
    elif style == "json":
        with writing_output(None) as out:
            for doubt in found:
                row = {
                    "kind": doubt.kind,
                    "pair": [doubt.a, doubt.b],
                    "labels": doubt.labels,
                    "papers": doubt.papers,
                    "why": doubt.why,
                }
                out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    else:
        with writing_output(None) as out:
            for doubt in found:
                counts = doubt.papers if doubt.kind != "paper" else (0, 0)
                for label, iri, count in zip(doubt.labels, (doubt.a, doubt.b), counts, strict=True):
                    papers = f"  {count:,} papers" if count > 1 else "  1 paper" if count else ""
                    out.write(f"{printable(label)}  {short(iri, base)}{papers}\n".encode())
                out.write(f"  {doubt.kind}: {printable(doubt.why)}\n\n".encode())
    if hidden:
        say(f"... and {hidden:,} pairs more; see them with --limit")
    elif not found:
        say("There is no doubtful pair.")
