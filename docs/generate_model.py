"""Write docs/ontology.md and docs/shapes.md from the ontology and the shapes themselves.

Run it after a change of ontology/ or shapes/: python docs/generate_model.py
A test compares the pages with what this script would write.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rdflib import DCTERMS, OWL, RDF, RDFS, SH, Graph, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.rdf.vocabulary import PREFIXES
from kg.resources import folder
from kg.validate.checks import CHECKS, SHAPE
from kg.validate.names import curie, shown
from kg.validate.paths import path_text
from kg.validate.read import read
from kg.validate.terms import ox_term, to_rdflib

DOCS = Path(__file__).parent
ONTOLOGY = URIRef("https://w3id.org/kg/ontology")
NAMES = {
    **PREFIXES,
    "owl": str(OWL),
    "shape": SHAPE.iri,
    "sh": str(SH),
}
TOPICS = {
    "paper": "Papers",
    "person": "People and authorship",
    "concept": "Concepts and categories",
    "text": "Texts and mentions",
    "source": "Sources",
    "dataset": "The dataset, and the names of nodes",
}


def load(file: Path) -> Graph:
    """The triples of a file."""
    return to_rdflib(read([file]).quads)


def name(node: Node) -> str:
    """A term as code."""
    text = str(node)
    return f"`{curie(text, NAMES) if isinstance(node, URIRef) else shown(ox_term(node), NAMES)}`"


def names(graph: Graph, subject: Node, predicate: URIRef) -> str:
    """The values of a property as code, with commas."""
    return ", ".join(sorted(name(node) for node in graph.objects(subject, predicate)))


def cell(text: object) -> str:
    """Text that can stand in a table of Markdown."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a table of Markdown."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell(text) for text in row) + " |"


def ontology_page() -> str:
    """docs/ontology.md."""
    return "\n".join(_ontology(load(folder("ontology") / "kg.ttl"))) + "\n"


def _ontology(graph: Graph) -> Iterator[str]:
    yield "<!-- Written by docs/generate_model.py from ontology/kg.ttl; do not edit. -->"
    yield ""
    yield f"# {graph.value(ONTOLOGY, DCTERMS.title)}"
    yield ""
    yield str(graph.value(ONTOLOGY, DCTERMS.description))
    yield ""
    yield f"- Ontology: <{ONTOLOGY}>, version {graph.value(ONTOLOGY, OWL.versionInfo)}"
    yield f"- Namespace: `{PREFIXES['kg']}`, prefix `kg`"
    yield f"- Licence: <{graph.value(ONTOLOGY, DCTERMS.license)}>"
    yield "- File: [`ontology/kg.ttl`](../ontology/kg.ttl)"
    yield ""
    yield "## Classes"
    yield ""
    classes = sorted(graph.subjects(RDF.type, OWL.Class), key=str)
    yield from table(
        ("class", "meaning", "is a kind of"),
        [
            (
                name(term),
                str(graph.value(term, RDFS.comment)),
                names(graph, term, RDFS.subClassOf),
            )
            for term in classes
        ],
    )
    yield ""
    yield "## Properties"
    yield ""
    properties = sorted(
        {
            term
            for kind in (OWL.ObjectProperty, OWL.DatatypeProperty)
            for term in graph.subjects(RDF.type, kind)
        },
        key=str,
    )
    yield from table(
        ("property", "meaning", "of", "value", "is a kind of"),
        [
            (
                name(term),
                str(graph.value(term, RDFS.comment)),
                names(graph, term, RDFS.domain),
                names(graph, term, RDFS.range),
                names(graph, term, RDFS.subPropertyOf),
            )
            for term in properties
        ],
    )
    yield ""
    yield "## Rules"
    yield ""
    yield from table(
        ("rule", "meaning"),
        [
            (name(term), str(graph.value(term, RDFS.comment)))
            for term in sorted(graph.subjects(RDF.type, URIRef(PREFIXES["kg"] + "Rule")), key=str)
        ],
    )
    yield ""
    yield "## The categories of arXiv"
    yield ""
    yield (
        "[`ontology/arxiv.ttl`](../ontology/arxiv.ttl) has arXiv's categories, archives and its"
        f" group of physics as the SKOS scheme <{PREFIXES['arxiv']}>, with arXiv's own identifiers"
        ' and names: `arxiv:cs.LG` has the `skos:notation` "cs.LG" and the `skos:broader`'
        " `arxiv:cs`. A second name (`arxiv:math.MP`) and a closed archive (`arxiv:cmp-lg`) lead"
        " with `dcterms:isReplacedBy` to the category that has their papers."
    )
    yield ""
    yield "## Vocabularies used besides"
    yield ""
    own = ("kg", "arxiv")
    yield from table(
        ("prefix", "namespace"),
        [
            (f"`{prefix}`", f"`{iri}`")
            for prefix, iri in sorted(PREFIXES.items())
            if prefix not in own
        ],
    )


def shapes_page() -> str:
    """docs/shapes.md."""
    return "\n".join(_shapes()) + "\n"


def _shapes() -> Iterator[str]:
    yield "<!-- Written by docs/generate_model.py from shapes/*.ttl; do not edit. -->"
    yield ""
    yield "# The shapes"
    yield ""
    yield (
        "What a graph of kg keeps, in SHACL Core. `kg validate` checks it; each line that it prints"
        " names one of the shapes below. The prefix `shape:` stands for"
        f" `{SHAPE.iri}`. Shapes marked as closed allow no other properties than those listed."
    )
    for stem, title in TOPICS.items():
        graph = load(folder("shapes") / f"{stem}.ttl")
        yield ""
        yield f"## {title}"
        yield ""
        yield f"From [`shapes/{stem}.ttl`](../shapes/{stem}.ttl)."
        for shape in sorted(graph.subjects(RDF.type, SH.NodeShape), key=str):
            yield ""
            yield from _node_shape(graph, shape)
    yield ""
    yield "## Checks besides the shapes"
    yield ""
    yield (
        "Core SHACL compares a property with another property of the same node, and no further."
        " What needs more, `kg validate` and `kg build` check themselves and report in the same"
        " form."
    )
    yield ""
    yield from table(
        ("check", "rule"), [(f"`{curie(one.shape.value, NAMES)}`", one.comment) for one in CHECKS]
    )


def _node_shape(graph: Graph, shape: Node) -> Iterator[str]:
    yield f"### {graph.value(shape, RDFS.label)}"
    yield ""
    closed = ", closed" if (shape, SH.closed, None) in graph else ""
    yield f"{graph.value(shape, RDFS.comment)} {name(shape)}{closed}."
    yield ""
    yield f"Applies to {', '.join(_targets(graph, shape))}."
    rules = list(_rules(graph, shape))
    if rules:
        yield ""
        yield f"Rule: {'; '.join(rules)}. {graph.value(shape, SH.message)}"
    ignored = graph.value(shape, SH.ignoredProperties)
    others = [node for node in Collection(graph, ignored) if node != RDF.type] if ignored else []
    if others:
        yield ""
        yield f"Allowed without a rule: {', '.join(sorted(map(name, others)))}."
    properties = sorted(graph.objects(shape, SH.property), key=str)
    if properties:
        yield ""
        yield from table(
            ("property", "rule", "what kg says where it is broken"),
            [
                (
                    f"{graph.value(one, SH.name)}<br>{_path(graph, one)}",
                    "; ".join(_rules(graph, one)),
                    str(graph.value(one, SH.message)),
                )
                for one in properties
            ],
        )


def _targets(graph: Graph, shape: Node) -> Iterator[str]:
    for predicate, words in (
        (SH.targetClass, "every {}"),
        (SH.targetSubjectsOf, "whatever has {}"),
        (SH.targetObjectsOf, "every value of {}"),
    ):
        for node in sorted(graph.objects(shape, predicate), key=str):
            yield words.format(name(node))


def _path(graph: Graph, shape: Node) -> str:
    path = graph.value(shape, SH.path)
    assert path is not None
    return f"`{curie(path_text(graph, path), NAMES)}`"


def _rules(graph: Graph, shape: Node) -> Iterator[str]:
    """The constraints of a shape in words."""
    least, most = graph.value(shape, SH.minCount), graph.value(shape, SH.maxCount)
    if least is not None and most is not None:
        yield f"exactly {least}" if least == most else f"{least} to {most}"
    elif least is not None:
        yield f"at least {least}"
    elif most is not None:
        yield f"at most {most}"
    for predicate, words in (
        (SH.datatype, "of the type {}"),
        (SH["class"], "described as {}"),
        (SH.nodeKind, "of the kind {}"),
        (SH.hasValue, "has the value {}"),
        (SH.minInclusive, "from {}"),
        (SH.maxInclusive, "up to {}"),
        (SH.minLength, "at least {} character"),
        (SH.pattern, "matches {}"),
        (SH.equals, "the same as {}"),
        (SH.disjoint, "differs from {}"),
        (SH.lessThan, "smaller than {}"),
    ):
        for value in sorted(graph.objects(shape, predicate), key=str):
            yield words.format(name(value) if isinstance(value, URIRef) else f"`{value}`")
    if (shape, SH.uniqueLang, None) in graph:
        yield "one a language"
    for predicate, words in ((SH.languageIn, "in the language {}"), (SH["in"], "one of {}")):
        for head in graph.objects(shape, predicate):
            yield words.format(", ".join(name(node) for node in Collection(graph, head)))
    for head in graph.objects(shape, SH["or"]):
        choices = ("; ".join(_choice(graph, node)) for node in Collection(graph, head))
        yield " or ".join(choices)
    nested = graph.value(shape, SH.qualifiedValueShape)
    if nested is not None:
        least, most = (
            graph.value(shape, one) for one in (SH.qualifiedMinCount, SH.qualifiedMaxCount)
        )
        count = f"exactly {least}" if least == most else f"at least {least}"
        yield f"{count} {'; '.join(_rules(graph, nested))}"


def _choice(graph: Graph, shape: Node) -> Iterator[str]:
    path = _path(graph, shape) + " " if graph.value(shape, SH.path) is not None else ""
    for rule in _rules(graph, shape):
        yield path + rule


PAGES = {"ontology.md": ontology_page, "shapes.md": shapes_page}


def main() -> None:
    """Write both pages."""
    for file, page in PAGES.items():
        (DOCS / file).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
