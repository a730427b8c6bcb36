"""Score the training street on records that it never saw, in several folds.

    python benchmarks/cross_validate.py GOLD.jsonl --unlabelled FILE.gz -o DIR --folds 5

Takes what `python -m kg.concepts.training` takes, and as long for each fold. The texts of the
records that a fold is scored on are kept out of its unlabelled abstracts too. Needs kg[train].
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

from kg.concepts.training.__main__ import add_arguments, plan_of
from kg.concepts.training.plan import Plan, require_extra
from kg.errors import KgError
from kg.evaluation import MEASURES, Evaluation, evaluate, read_gold
from kg.files import writing


def plans(plan: Plan, folds: int) -> Iterator[tuple[Plan, Path]]:
    """The plan of each fold, with the file of the records that it is scored on."""
    lines = [line for line in plan.gold.read_text("utf-8").split("\n") if line.strip()]
    for fold in range(folds):
        folder = plan.output / f"fold-{fold + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        learn, test = folder / "learn.jsonl", folder / "test.jsonl"
        _write(learn, (line for i, line in enumerate(lines) if i % folds != fold))
        _write(test, (line for i, line in enumerate(lines) if i % folds == fold))
        lenient = sum(i % folds != fold for i in range(min(plan.lenient, len(lines))))
        exclude = (*plan.exclude, test)
        yield replace(plan, gold=learn, output=folder, exclude=exclude, lenient=lenient), test


def score(folder: Path, test: Path) -> Evaluation:
    """How well the model in a folder finds what the records of a file are annotated with."""
    from kg.concepts import Extractor
    from kg.concepts.model.finder import Finder
    from kg.concepts.pipeline import Mentions, pipeline

    nlp = pipeline()
    component = nlp.get_pipe("kg_mentions")
    assert isinstance(component, Mentions)
    component.finder = Finder.load(folder)
    gold = read_gold(test)
    found = Extractor(nlp).extract((g.title, g.abstract) for g in gold)
    return evaluate(zip(gold, found, strict=True))


def rows(outcomes: Sequence[Evaluation]) -> Iterator[str]:
    """F1 of every measure, a line for each fold, then the mean and its spread over folds."""
    yield "fold  records  " + "  ".join(f"{m:>10}" for m in MEASURES)
    f1 = [[outcome.measures[m].f1 for m in MEASURES] for outcome in outcomes]
    for fold, (outcome, values) in enumerate(zip(outcomes, f1, strict=True), 1):
        yield f"{fold:4}  {outcome.records:7}  " + _cells(values)
    yield "mean           " + _cells(map(mean, zip(*f1, strict=True)))
    yield "spread         " + _cells(map(stdev, zip(*f1, strict=True)))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        description="Score the training street on records that it never saw, in several folds."
    )
    add_arguments(parser)
    parser.add_argument("--folds", type=int, default=5, metavar="N", help="at least 2 (default 5)")
    arguments = parser.parse_args(argv)
    plan = plan_of(arguments)
    if arguments.folds < 2:
        parser.error("--folds needs at least 2")
    try:
        require_extra()
        from kg.concepts.training.street import Street

        outcomes = []
        for part, test in plans(plan, arguments.folds):
            Street(part).run()
            outcomes.append(score(part.output, test))
    except KgError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    print("\n".join(rows(outcomes)))
    return 0


def _write(path: Path, lines: Iterable[str]) -> None:
    with writing(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def _cells(values: Iterable[float]) -> str:
    return "  ".join(f"{value:10.3f}" for value in values)


if __name__ == "__main__":
    sys.exit(main())
