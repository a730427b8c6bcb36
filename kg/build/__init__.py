"""Building: the stages one after the other, from files to a graph that is swapped in whole.

The graph is a function of the set of records, the model and the options. What belongs to
a run and not to the graph stands beside it in `build.json` and `rejected.jsonl`; the latter tells
of the graph that is there, and stays where a build comes to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from pyoxigraph import Quad, Triple

from kg import __version__, search
from kg.build.cache import Cache, text_key
from kg.build.extracting import confident, extract
from kg.concepts import fingerprint, model_name
from kg.concepts.names import key as concept_key
from kg.errors import InputError, KgError, printable
from kg.files import writing
from kg.identity import identify
from kg.identity.curation import PLURALS, Curation, Kind, Ruler
from kg.identity.matching import linked_to
from kg.identity.papers import disputed
from kg.model import Extraction, Identity, Note, Record, Rejection, Source, Term
from kg.rdf.categories import load_categories
from kg.rdf.dataset import counts, describe_dataset
from kg.rdf.describe import describe
from kg.rdf.iris import Iris
from kg.rdf.vocabulary import DEFAULT_BASE
from kg.read import read
from kg.read.json_lines import unread
from kg.read.naming import named
from kg.store import Generation, locked

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Inputs:
    """Everything that the inputs hold, good and bad."""

    records: list[Record] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    unreadable: list[InputError] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)


@dataclass(frozen=True)
class Summary:
    """What a build did, for people and for `build.json`."""

    records: int
    notes: int
    papers: int
    people: int
    concepts: int
    mentions: int
    triples: int
    rejected: int
    unreadable: int
    violations: int
    swapped_in: bool
    unknown: tuple[str, ...] = ()  # what in the curation names nothing, or two things, by line


def read_inputs(paths: Sequence[str], format: str | None = None) -> Inputs:
    """Read all inputs; a file that cannot be read does not keep the others from being read."""
    inputs = Inputs()
    for path, name in named(paths).items():
        try:
            reading = read(path, format, name)
            inputs.sources.append(reading.source)
            for item in reading.items:
                if isinstance(item, Record):
                    inputs.records.append(item)
                elif isinstance(item, Note):
                    inputs.notes.append(item)
                else:
                    inputs.rejections.append(item)
        except InputError as error:
            inputs.unreadable.append(error)
    return inputs


def remarks(inputs: Inputs) -> Iterator[str]:
    """What a reader of the inputs should know and that is no error."""
    for source in sorted(set(inputs.sources), key=lambda source: source.name):
        held = len({r for r in inputs.records if r.source == source})
        if source.stated is not None and held < source.stated:
            page = f" (page {source.page})" if source.page else ""
            yield f"{source.name}: states at least {source.stated} records, holds {held}{page}"
        if source.format == "author-page" and not source.author:
            yield f"{source.name}: the page names no author"
    for kind, name, titles, found in disputed(inputs.records):
        taken = "taken for one paper" if found == 1 else f"taken for {found} papers"
        yield f"{titles} titles share the {kind} {name}: {taken}"
    for record in inputs.records:
        for fault in unread(record):
            yield f"{record.source.name}:{record.line}: {printable(fault)[:200]}"
    for note in inputs.notes:
        text = " ".join(note.text.split())
        yield f"{note.source.name}:{note.line}: no abstract, kept as a note: {text[:60]}"


def build(
    inputs: Inputs,
    graph: Path,
    *,
    base: str = DEFAULT_BASE,
    min_confidence: float = 0.0,
    curation: Curation | None = None,
    vocabularies: Mapping[str, Sequence[Term]] = MappingProxyType({}),
    jobs: int | None = None,
    validate: bool = True,
    keep_invalid: bool = False,
    progress: Progress = lambda stage, done, total: None,
) -> Summary:
    """Build a graph from inputs and swap it in; the graph that was there stays until then.

    Concepts are linked to those of `vocabularies`, given by the names of their files.
    Raises KgError where there is no record at all, GraphError where another build runs, and
    UsageError where the curation contradicts itself.
    """
    iris = Iris(base)
    ruler = Ruler(curation or Curation(), _mint(iris), concept_key)
    with locked(graph):
        if not inputs.records:
            raise _nothing(inputs)
        cache = _extract(inputs.records, graph, jobs, progress)

        def found(title: str, abstract: str) -> Extraction:
            return confident(cache[text_key(title, abstract)], min_confidence)

        identity = identify(inputs.records, found, inputs.notes, ruler=ruler)
        matched = linked_to(identity.concepts, vocabularies.values(), concept_key)
        identity = replace(identity, concepts=matched)
        generation = Generation(graph)
        try:
            triples = _load(generation, identity, iris)
            violations = _validate(generation, graph, jobs) if validate else 0
            swap = keep_invalid or not violations
            if swap:
                search.write(generation.store, search.path_of(generation.path))
                generation.finish()
        except BaseException:
            generation.discard()
            raise
        if swap:
            generation.swap_in()
            _write_rejections(inputs, graph)
            if not validate:  # what was found before was of another graph
                _findings(graph).unlink(missing_ok=True)
        else:
            generation.discard()
        number = counts(identity)
        summary = Summary(
            records=len(inputs.records),
            notes=len(inputs.notes),
            papers=number["papers"],
            people=number["people"],
            concepts=number["concepts"],
            mentions=number["mentions"],
            triples=triples,
            rejected=len(inputs.rejections),
            unreadable=len(inputs.unreadable),
            violations=violations,
            swapped_in=swap,
            unknown=(*ruler.unknown, *_labels_of_two(identity, ruler)),
        )
        with writing(graph / "build.json") as file:
            about = {"kg": __version__, "base": base, "min_confidence": min_confidence}
            about |= {"curation": curation.name} if curation else {}
            about |= {"vocabularies": sorted(vocabularies)} if vocabularies else {}
            json.dump(about | asdict(summary), file, indent=2)
            file.write("\n")
    return summary


def _mint(iris: Iris) -> Callable[[Kind, str], str]:
    minting = {"paper": iris.paper, "person": iris.person, "concept": iris.concept}
    return lambda kind, key: minting[kind](key).value


def _labels_of_two(identity: Identity, ruler: Ruler) -> Iterator[str]:
    """Warnings of labels that a person gave and that several people or concepts have."""
    curation = ruler.curation
    given = [entry for entry in curation.entries if entry.action == "label"]
    having: dict[tuple[Kind, str], list[str]] = {(e.kind, e.value): [] for e in given}
    for person in identity.people if given else ():
        having.get(("person", person.name), []).append(person.key)
    for concept in identity.concepts if given else ():
        having.get(("concept", concept.label), []).append(concept.key)
    for entry in given:
        some = having[entry.kind, entry.value]
        if len(some) > 1:
            named = ", ".join(ruler.mint(entry.kind, key) for key in some)
            what = f"{len(some)} {PLURALS[entry.kind]}"
            yield f"{curation.at(entry)}: {what} have the label {entry.value!r}: {named}"


def _nothing(inputs: Inputs) -> KgError:
    faults = [
        f"{number:,} {what}"
        for number, what in (
            (len(inputs.unreadable), "unreadable files"),
            (len(inputs.rejections), "rejected records"),
            (len(inputs.notes), "lines that are no abstract"),
        )
        if number
    ]
    held = f" ({', '.join(faults)})" if faults else ""
    return KgError(f"the inputs hold no record that can be used{held}; nothing was built")


def _write_rejections(inputs: Inputs, graph: Path) -> None:
    unreadable = [Rejection(e.source, e.line, e.reason) for e in inputs.unreadable]
    with writing(graph / "rejected.jsonl") as file:
        for rejection in [*unreadable, *inputs.rejections]:
            file.write(json.dumps(asdict(rejection)) + "\n")


def _extract(records: Sequence[Record], graph: Path, jobs: int | None, progress: Progress) -> Cache:
    cache = Cache(graph / "extractions", fingerprint())
    texts = {text_key(r.title, r.abstract): (r.title, r.abstract) for r in records}
    cache.find(texts)
    missing = [texts[key] for key in sorted(texts) if key not in cache]
    done = 0
    for shard, extractions in extract(missing, jobs) if missing else ():
        new = {text_key(*text): found for text, found in zip(shard, extractions, strict=True)}
        cache.save(new)
        done += len(new)
        progress("reading texts", done, len(missing))
    return cache


def _load(generation: Generation, identity: Identity, iris: Iris) -> int:
    generation.load(_quads(describe(identity, iris, load_categories())))
    name, version = model_name().split(" ", 1)
    software = {"kg": ("kg", __version__), "model": (name, version)}
    dataset = describe_dataset(identity, iris, len(generation.store), software)
    generation.load(_quads(dataset))
    return len(generation.store)


def _quads(triples: Iterator[Triple] | list[Triple]) -> Iterator[Quad]:
    return (Quad(triple.subject, triple.predicate, triple.object) for triple in triples)


def _findings(graph: Path) -> Path:
    return graph / "violations.txt"


def _validate(generation: Generation, graph: Path, jobs: int | None) -> int:
    """Validate the new graph, write down what is wrong beside it, and count the violations."""
    from kg.validate import validate
    from kg.validate.human import to_text
    from kg.validate.report import VIOLATION

    # The processes that validate read what lies on disk.
    generation.store.flush()
    report = validate(generation.store, jobs=jobs, folder=generation.path)
    findings = _findings(graph)
    if report.conforms:
        findings.unlink(missing_ok=True)
    else:
        with writing(findings) as file:
            file.write(to_text(report))
    return sum(result.severity == VIOLATION for result in report.results)
