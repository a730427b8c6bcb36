"""`kg extract`."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from html import escape
from typing import IO, TYPE_CHECKING, Any

import click

from kg.cli.options import (
    base_option,
    confidence_option,
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

# Of marked mentions; told apart by people who do not tell red from green, too.
_COLOURS = {
    "Method": "#a6cee3",
    "Task": "#fdbf6f",
    "Material": "#b2df8a",
    "Metric": "#cab2d6",
    "Other": "#e0e0e0",
}


@click.command()
@inputs_argument
@click.option(
    "--format",
    type=click.Choice(["jsonl", "tsv", "html"]),
    default="jsonl",
    show_default=True,
    help="A line a record, a table with a row a mention, or a page with the mentions marked.",
)
@base_option
@confidence_option
@jobs_option
@output_option
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    input_format: str | None,
    format: str,
    base: str,
    min_confidence: float,
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
    from kg.build.extracting import confident, extract
    from kg.rdf.iris import Iris

    iris = Iris(base)
    read = read_inputs(inputs, input_format)
    report_faults(read)
    texts = [(record.title, record.abstract) for record in read.records]
    rows: list[dict[str, Any]] = []
    with progress_bar() as progress, writing_output(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        if format == "tsv":
            csv.writer(text, "excel-tab", lineterminator="\n").writerow(_COLUMNS)
        done = 0
        for shard, finds in extract(texts, jobs):
            for record, found in zip(read.records[done:], finds, strict=False):
                row = _as_dict(record, confident(found, min_confidence), iris)
                if format == "html":
                    rows.append(_marked(record, row))
                else:
                    _write(text, format, row)
            done += len(shard)
            progress("reading texts", done, len(texts))
        if format == "html":
            text.write(_page(rows))
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
            writer.writerow(_on_one_line(row[column]) for column in _COLUMNS)


def _on_one_line(cell: object) -> object:
    return " ".join(cell.split()) if isinstance(cell, str) else cell


def _marked(record: Record, row: dict[str, Any]) -> dict[str, Any]:
    """A record as displaCy takes it: title and abstract as one text, mentions as entities."""
    shift = {"title": 0, "abstract": len(record.title) + 2}
    ents = [
        {
            "start": mention["start"] + shift[mention["field"]],
            "end": mention["end"] + shift[mention["field"]],
            "label": concept["type"],
        }
        for concept in row["concepts"]
        for mention in concept["mentions"]
    ]
    ents.sort(key=lambda ent: ent["start"])
    title = escape(row["id"])  # displaCy escapes the text, but no title
    return {"text": f"{record.title}\n\n{record.abstract}", "ents": ents, "title": title}


def _page(rows: list[dict[str, Any]]) -> str:
    from spacy import displacy

    options = {"colors": _COLOURS}
    page: str = displacy.render(rows, "ent", page=True, manual=True, options=options, jupyter=False)
    # What displaCy makes says nothing of its encoding.
    return page.replace("<head>", '<head>\n        <meta charset="utf-8">', 1)
