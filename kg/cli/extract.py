"""`kg extract`."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any

import click

from kg.cli.options import (
    base_option,
    inputs_argument,
    jobs_option,
    output_option,
    progress_bar,
    report_faults,
    writing_output,
)
from kg.model import Extraction, Record

if TYPE_CHECKING:
    from kg.rdf.iris import Iris

_COLUMNS = (
    "id",
    "concept",
    "type",
    "salience",
    "introduced",
    "field",
    "start",
    "end",
    "text",
    "confidence",
    "iri",
)


@click.command()
@inputs_argument
@click.option(
    "--format",
    type=click.Choice(["jsonl", "tsv"]),
    default="jsonl",
    show_default=True,
    help="JSON Lines with a line a record, or a table with a row a mention.",
)
@base_option
@jobs_option
@output_option
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    input_format: str | None,
    format: str,
    base: str,
    jobs: int | None,
    output: str | None,
) -> None:
    """Print the concepts of each record, in the order of the inputs.

    INPUT is what `kg build` takes. Offsets count characters (Unicode code points)
    of the title or abstract as the source has it; the end is exclusive. A record
    without an id of its own is called NAME:N, the N-th block of its source.

    \b
    Examples:
      kg extract papers.jsonl > concepts.jsonl
      kg extract --format tsv examples/*.txt | head
    """
    from kg.build import read_inputs
    from kg.build.extracting import extract
    from kg.rdf.iris import Iris

    iris = Iris(base)
    read = read_inputs(inputs, input_format)
    report_faults(read)
    texts = [(record.title, record.abstract) for record in read.records]
    with progress_bar() as progress, writing_output(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        if format == "tsv":
            csv.writer(text, "excel-tab", lineterminator="\n").writerow(_COLUMNS)
        done = 0
        for shard, finds in extract(texts, jobs):
            for record, found in zip(read.records[done:], finds, strict=False):
                _write(text, format, _as_dict(record, found, iris))
            done += len(shard)
            progress("reading texts", done, len(texts))
        text.detach()
    if read.unreadable:
        ctx.exit(2)


def _as_dict(record: Record, found: Extraction, iris: Iris) -> dict[str, Any]:
    return {
        "id": record.id or f"{record.source.name}:{record.position}",
        "title": record.title,
        "concepts": [
            {
                "iri": iris.concept(concept.name.key).value,
                "label": concept.name.label,
                "aliases": [alias.label for alias in concept.aliases],
                "type": concept.type,
                "salience": concept.salience,
                "introduced": concept.introduced,
                "mentions": [asdict(mention) for mention in concept.mentions],
            }
            for concept in found.concepts
        ],
    }


def _write(file: IO[str], format: str, record: dict[str, Any]) -> None:
    if format == "jsonl":
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    writer = csv.writer(file, "excel-tab", lineterminator="\n")
    for concept in record["concepts"]:
        for mention in concept["mentions"]:
            row = {"id": record["id"], "concept": concept["label"]} | concept | mention
            writer.writerow(row[column] for column in _COLUMNS)
