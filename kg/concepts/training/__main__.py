"""Makes the concept model from annotated records and unlabelled abstracts.

    python -m kg.concepts.training GOLD.jsonl --unlabelled FILE.gz -o DIR

The stages, each with a file in DIR/work that is not made again where it is there:

  corpus.txt       words of the unlabelled abstracts
  vectors.npz      word vectors, with words.txt
  unlabelled.npz   the abstracts as features
  pretrained.pt    a first layer that has read them
  teacher-N.pt     networks that learned from four fifths of the gold
  silver.pickle    unlabelled abstracts with the labels on which the teachers agree
  student.pt       a network that learned from four fifths of the gold and from silver
  judged.pt        the same after a last round on four fifths of the gold alone
  heads.npz        confidence, salience and novelty, fitted on the other fifth
  final.pt         the student after a last round on all gold

DIR then holds network.npz and words.txt, the files of kg/concepts/model, and scores.json with
what judged.pt reaches on the held-out fifth. See docs/model.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kg.concepts.training.plan import CONFIG, Plan, require_extra
from kg.errors import KgError


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    try:
        plan = read_arguments(argv)
        require_extra()
        from kg.concepts.training.street import Street

        Street(plan).run()
    except KgError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def read_arguments(argv: Sequence[str] | None = None) -> Plan:
    """The plan that the arguments ask for; ends the program where they make no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m kg.concepts.training",
        description="Make kg's concept model from annotated records and unlabelled abstracts.",
    )
    add_arguments(parser)
    return plan_of(parser.parse_args(argv))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what makes a plan."""
    parser.add_argument("gold", type=Path, help="annotated records, JSON Lines")
    parser.add_argument(
        "--unlabelled",
        type=Path,
        required=True,
        metavar="FILE.gz",
        help="titles and abstracts, gzipped JSON Lines",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the model"
    )
    parser.add_argument(
        "--exclude",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.jsonl",
        help="records to keep out of the unlabelled abstracts (repeatable)",
    )
    parser.add_argument("--seed", type=int, help="in place of the config's")
    parser.add_argument("--config", type=Path, default=CONFIG, help="another spaCy config")
    parser.add_argument(
        "--lenient",
        type=int,
        default=0,
        metavar="N",
        help="the first N records follow a looser guide (900 of kg's own gold)",
    )


def plan_of(a: argparse.Namespace) -> Plan:
    """The plan that parsed arguments ask for."""
    return Plan(a.gold, a.unlabelled, a.output, tuple(a.exclude), a.lenient, a.seed, a.config)


if __name__ == "__main__":
    sys.exit(main())
