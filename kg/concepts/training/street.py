"""The stages that make the model, each resumed from its file."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from kg.concepts.model.features import Features
from kg.concepts.model.finder import LEAST_CONFIDENCE
from kg.concepts.model.network import Network as Runner
from kg.concepts.tokens import fit_tokenizer
from kg.concepts.training import heads, silver, unlabelled, vectors
from kg.concepts.training.export import export
from kg.concepts.training.gold import Example, read_gold, split, titles
from kg.concepts.training.net import Network
from kg.concepts.training.plan import Plan, claim, read_config
from kg.concepts.training.pretrain import pretrain
from kg.concepts.training.scores import scores
from kg.concepts.training.train import Sample, Settings, State, fit
from kg.files import writing, writing_bytes
from kg.text import fold, plain

if TYPE_CHECKING:
    from spacy.tokens import Token

LONGEST_SILVER = 420  # tokens of an abstract that the teachers label


class Street:
    """A plan under way; the stages' files are in its work folder."""

    def __init__(self, plan: Plan) -> None:
        """Raises InputError or UsageError where the plan cannot be carried out."""
        self.config: Mapping[str, Any] = read_config(plan.config)
        self.plan = plan
        self.seed: int = self.config["seed"] if plan.seed is None else plan.seed
        claim(plan, self.config)
        self.examples: list[Example] = read_gold(plan.gold, self._tokens)
        self.source = unlabelled.Source(plan.unlabelled, titles(plan.exclude))

    def run(self) -> None:
        """Run the stages that are missing, and write the model."""
        learn, held = split(len(self.examples), self.seed, self.config["held_out"])
        everything = range(len(self.examples))
        self._stage("corpus.txt", self._corpus)
        self._stage("vectors.npz", self._vectors)
        store = self._stage("unlabelled.npz", self._encode)
        first = self._stage("pretrained.pt", lambda part: self._pretrain(store, part))
        teachers = [
            self._network(f"teacher-{n}.pt", "network", learn, first, shift=n)
            for n in range(self.config["silver"]["teachers"])
        ]
        labels = self._stage("silver.pickle", lambda part: self._silver(store, teachers, part))
        student = self._network("student.pt", "silver", learn, first, labels)
        judged = self._network("judged.pt", "final", learn, student)
        fitted = self._stage("heads.npz", lambda part: self._heads(judged, held, part))
        final = self._network("final.pt", "final", everything, student)
        self._write(final, fitted)

    # -- what several stages use --------------------------------------------------------

    def _stage(self, name: str, make: Callable[[Path], None]) -> Path:
        """The file of a stage, written beside and renamed where it is not there yet."""
        path = self.plan.work / name
        if not path.exists():
            _say(f"{name}:")
            part = path.with_name(f"part.{name}")
            make(part)
            part.rename(path)
        return path

    @cached_property
    def _tokens(self) -> Callable[[str], Iterable[Token]]:
        import spacy

        nlp = spacy.blank("en")
        fit_tokenizer(nlp)
        return nlp.tokenizer

    def _tokenize(self, source: str) -> list[str]:
        return [t.text for t in self._tokens(plain(source).text) if not t.is_space]

    @cached_property
    def _features(self) -> Features:
        words = (self.plan.work / "words.txt").read_text(encoding="utf-8")
        return Features(words.split("\n"))

    @cached_property
    def _word_vectors(self) -> dict[str, Any]:
        with np.load(self.plan.work / "vectors.npz") as arrays:
            return dict(arrays)

    def _table(self) -> NDArray[np.float32]:
        rows = self._word_vectors["word"].astype(np.float32)
        table: NDArray[np.float32] = rows * self._word_vectors["scale"]
        return table

    def _samples(self, indexes: Sequence[int]) -> Iterator[Sample]:
        for i in indexes:
            e = self.examples[i]
            strict = 0.0 if i < self.plan.lenient else 1.0
            yield Sample(self._features.encode(e.title, e.abstract), e.spans, strict)

    def _runner(self, network: Path) -> Runner:
        return Runner(self._export(network))

    def _export(self, network: Path) -> dict[str, NDArray[np.generic]]:
        state = torch.load(network, weights_only=True)
        return export(state, self._word_vectors["word"], self._word_vectors["scale"])

    def _network(
        self,
        name: str,
        section: str,
        gold: Sequence[int],
        start: Path,
        labels: Path | None = None,
        shift: int = 0,
    ) -> Path:
        """A network trained from `start` on gold, and on labels where there are some."""
        own = self.config[section]
        settings = Settings(**self.config["network"], seed=self.seed + shift)
        changed = {k: own[k] for k in ("epochs", "rate") if k in own}
        settings = replace(settings, **changed)

        def report(epoch: int, loss: float, seconds: float, _: State) -> None:
            _say(f"  epoch {epoch + 1} of {settings.epochs}: loss {loss:.1f}, {seconds:.0f} s")

        def make(part: Path) -> None:
            samples = list(self._samples(gold)) * own.get("gold_repeats", 1)
            if labels is not None:
                samples += pickle.loads(labels.read_bytes())
            state = torch.load(start, weights_only=True)
            torch.save(fit(samples, self._table(), settings, state, report).state_dict(), part)

        return self._stage(name, make)

    # -- stages -------------------------------------------------------------------------

    def _corpus(self, part: Path) -> None:
        unlabelled.write_corpus(self.source, self._tokenize, part)

    def _vectors(self, part: Path) -> None:
        work = self.plan.work
        epochs = self.config["vectors"]["epochs"]
        vectors.train(work / "corpus.txt", part, work / "words.txt", self.seed, epochs)

    def _encode(self, part: Path) -> None:
        unlabelled.Store.make(self.source, self._tokenize, self._features).save(part)

    def _pretrain(self, store: Path, part: Path) -> None:
        section, abstracts = self.config["pretrain"], unlabelled.Store.load(store)
        order = np.random.default_rng(self.seed).permutation(len(abstracts.lengths))
        order = order[: int(len(order) * section["share"])]
        steps = int(abstracts.lengths[order].sum() / section["tokens"] * 1.12)
        torch.manual_seed(self.seed)
        torch.set_num_threads(1)
        form = self.config["network"]
        net = Network(self._table(), form["hidden"], form["layers"], form["dropout"])

        def report(step: int, loss: float, seconds: float) -> None:
            _say(f"  step {step + 1} of about {steps}: loss {loss:.3f}, {seconds:.0f} s")

        records = abstracts.pick(order)
        counts = self._word_vectors["count"]
        pretrain(net, records, counts, self.seed, steps, section["tokens"], report)
        torch.save(net.state_dict(), part)

    def _silver(self, store: Path, teachers: Sequence[Path], part: Path) -> None:
        abstracts = unlabelled.Store.load(store)
        known = {fold(e.heading) for e in self.examples}
        read = enumerate(fold(title) for title, _ in self.source)
        free = [i for i, t in read if t not in known and abstracts.lengths[i] <= LONGEST_SILVER]
        order = np.random.default_rng(self.seed + 7).permutation(len(free))
        picked = [free[i] for i in order[: self.config["silver"]["records"]]]
        runners = [self._runner(t) for t in teachers]
        part.write_bytes(pickle.dumps(list(silver.label(runners, list(abstracts.pick(picked))))))

    def _heads(self, network: Path, held: Sequence[int], part: Path) -> None:
        # Not those of the looser guide: they call more concepts main.
        examples = [self.examples[i] for i in held if i >= self.plan.lenient]
        encoded = [self._features.encode(e.title, e.abstract) for e in examples]
        spans = list(self._runner(network)(encoded))
        with part.open("wb") as file:
            np.savez(file, **heads.fit(examples, spans, LEAST_CONFIDENCE))
        found = scores(examples, spans, LEAST_CONFIDENCE)
        with writing(self.plan.output / "scores.json") as text:
            text.write(json.dumps(found, indent=1) + "\n")
        _say(f"  on {len(examples)} held-out records: {found}")

    def _write(self, network: Path, fitted: Path) -> None:
        """`network.npz` and `words.txt`, what `Finder.load` reads."""
        arrays: dict[str, Any] = dict(self._export(network))
        with np.load(fitted) as more:
            arrays.update(more)
        with writing_bytes(self.plan.output / "network.npz") as file:
            np.savez_compressed(file, **arrays)
        with writing_bytes(self.plan.output / "words.txt") as file:
            file.write((self.plan.work / "words.txt").read_bytes())
        _say(f"model written to {self.plan.output}")


def _say(text: str) -> None:
    print(text, flush=True)
