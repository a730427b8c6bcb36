"""Concepts: names that are one concept are joined, others kept apart, in any order."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.concepts.names import key
from kg.identity import identify
from kg.identity.curation import Curation, Entry, Ruler
from kg.identity.hierarchy import above, heads, without_circles
from kg.identity.patterns import kinds
from kg.identity.related import MOST_RELATED, related
from kg.identity.spelling import doubtful_spellings, spellings
from kg.model import Concept, Extraction, Identity, Mention, Name, Record, RecordConcept, Source
from kg.model import Text as Wording

ROWS = Source("rows.jsonl", "json-lines")


def concept(label: str, *shorts: str, type="Method", others: Iterable[str] = ()) -> RecordConcept:
    aliases = [Name(short, key(short), True) for short in shorts]
    aliases += [Name(other, key(other)) for other in others]
    mention = Mention("abstract", 0, 1, "W", 0.9)
    return RecordConcept(Name(label, key(label)), type, 1, False, (mention,), tuple(aliases))


def concepts_of(*papers: Iterable[RecordConcept], entries: tuple[Entry, ...] = ()) -> Identity:
    """The identity of papers that mention these concepts."""
    found = {f"paper number {i} of many": Extraction(tuple(p)) for i, p in enumerate(papers)}
    records = [
        Record(ROWS, i, i, raw=title, title=title, abstract="W") for i, title in enumerate(found, 1)
    ]
    ruler = Ruler(Curation(entries))
    return identify(records, lambda title, abstract: found[title], ruler=ruler)


def by_label(identity: Identity) -> dict[str, Concept]:
    return {concept.label: concept for concept in identity.concepts}


def test_a_short_form_goes_where_three_records_agree():
    defining = [[concept("Chain of Thought", "CoT")]] * 3
    (only,) = concepts_of(*defining, [concept("CoT", type="Task")]).concepts
    assert (only.label, only.aliases) == ("Chain of Thought", ("CoT",))
    assert only.types == ("Method", "Task")
    assert only.former == ("CoT",)
    assert [(g.rule, g.value, g.names) for g in only.grounds] == [
        ("DefinedAbbreviation", "CoT", ("Chain of Thought", "CoT")),
        ("MajorityAbbreviation", "CoT", ("Chain of Thought", "CoT")),
    ]
    assert len(concepts_of(*defining[:2], [concept("CoT")]).concepts) == 2


def test_a_word_that_is_no_short_form_stays():
    identity = concepts_of(*[[concept("Chain of Thought", "CoT")]] * 3, [concept("cot")])
    assert set(by_label(identity)) == {"Chain of Thought", "cot"}


def test_a_short_form_with_two_meanings_stays_by_itself():
    meanings = ["massively parallel processing", "matrix product projection"]
    papers = [[concept(meaning, "MPP")] for meaning in meanings for _ in range(3)]
    assert {c.label: c.aliases for c in concepts_of(*papers).concepts} == dict.fromkeys(
        meanings, ("MPP",)
    )
    found = by_label(concepts_of(*papers, [concept("MPP")]))
    assert set(found) == {*meanings, "MPP"}
    assert found["MPP"].aliases == ()


def test_what_a_record_defines_wins_over_the_majority():
    clustering = [[concept("spectral clustering", "SC")]] * 9
    identity = concepts_of(*clustering, [concept("superconductor", "SC")], [concept("SC")])
    assert {c.label: c.aliases for c in identity.concepts} == {
        "spectral clustering": ("SC",), "superconductor": ("SC",),
    }  # fmt: skip
    mentioned = {p.concepts[0].name.key: identity.concept_of[p.concepts[0].name.key]
                 for p in identity.papers}  # fmt: skip
    assert mentioned["superconductor"] == "superconductor"


def test_spellings_of_a_long_form_vote_together():
    papers = [[concept("variational autoencoder", "VAE")]] * 3
    papers += [[concept("variational auto-encoder", "VAE")]] * 2
    identity = concepts_of(*papers, [concept("VAE")])
    (only,) = identity.concepts
    assert set(only.aliases) == {"VAE", "variational auto-encoder"}


def test_names_that_define_each_other_are_one_concept():
    papers = [[concept("aaaa bb", "AB")], [concept("AB", "aaaa bb")]] * 3
    (only,) = concepts_of(*papers).concepts
    assert (only.label, only.aliases) == ("aaaa bb", ("AB",))


def test_a_bracket_that_is_no_short_form_names_nothing():
    identity = concepts_of([concept("smooth function", others=["nonconvex function"])])
    assert by_label(identity)["smooth function"].aliases == ()
    identity = concepts_of([concept("chain-of-thought reasoning", others=["CoT reasoning"])])
    assert identity.concepts[0].aliases == ("CoT reasoning",)


def test_the_label_is_the_most_frequent_and_a_rare_type_is_a_slip():
    papers = [[concept("gradient descent")]] * 9 + [[concept("Gradient descent", type="Task")]] * 2
    papers += [[concept("gradient descent", type="Other")]]
    (only,) = concepts_of(*papers).concepts
    assert (only.label, only.types) == ("gradient descent", ("Method", "Task"))
    tied = concepts_of([concept("BERT model")], [concept("Bert model")])
    assert tied.concepts[0].label == "BERT model"


@pytest.mark.parametrize(
    ("a", "b", "one"),
    [
        ("fine-tuning", "finetuning", True),
        ("Fine-tuning", "finetuning", True),
        ("data set", "dataset", True),
        ("super- vised learning", "supervised learning", True),
        ("MS-COCO", "MSCOCO", True),
        ("Llama 2 7B", "Llama2-7B", True),
        ("E-Motion", "emotion", False),  # other capitals: the name of something
        ("feature norm", "FeatureNorm", False),
        ("a i", "ai", False),  # too short
        ("size 1 000 set", "size 10 00 set", False),  # digits that meet make another number
    ],
)
def test_spellings(a, b, one):
    labels = {key(a): {a: 1}, key(b): {b: 1}}
    assert bool(list(spellings(labels, labels.__getitem__))) is one
    assert bool(list(doubtful_spellings(labels, labels.__getitem__))) is not one


def test_spellings_are_one_concept_under_the_more_frequent():
    (only,) = concepts_of(*[[concept("fine-tuning")]] * 2, [concept("finetuning")]).concepts
    assert (only.key, only.label, only.aliases) == ("fine tuning", "fine-tuning", ("finetuning",))
    assert [(g.rule, g.value) for g in only.grounds] == [("SameLetters", "finetuning")]
    assert only.former == ("finetuning",)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("selective induction head", ["induction head", "head"]),
        ("non-convex loss function", ["loss function", "function"]),
        ("self-supervised learning", ["learning"]),
        ("self supervised learning", ["learning"]),
        ("fast rate of convergence", ["rate of convergence"]),
        ("learning with noisy labels", []),
        ("search and rescue robot", []),
        ("encoder/decoder model", []),
        ("attention", []),
    ],
)
def test_heads(label, expected):
    assert list(heads(key(label), label)) == [key(head) for head in expected]


def test_the_form_of_a_name_says_what_is_broader():
    identity = concepts_of(
        [concept("selective induction head"), concept("induction head", type="Other")],
        [concept("graph neural network"), concept("attention head")],
        [concept("neural network")],
        [concept("soft matter", type="Material"), concept("matter", type="Other")],
    )
    assert {c.key: c.broader for c in identity.concepts if c.broader} == {
        "selective induction head": ("induction head",),  # a paper has both
        "graph neural network": ("neural network",),  # one type
    }


def text(words: str, *mentions: str) -> Wording:
    places = []
    at = 0
    for mention in mentions:
        start = words.index(mention, at)
        at = start + len(mention)
        places.append((Mention("abstract", start, at, mention, 0.9), key(mention)))
    return Wording("abstract", words, (), tuple(places))


@pytest.mark.parametrize(
    ("words", "mentions", "expected"),
    [
        ("We study attention heads such as induction heads, and copying.",
         ["attention heads", "induction heads", "copying"],
         {("induction head", "attention head"), ("copying", "attention head")}),
        ("models (e.g., GANs and VAEs), diffusion", ["models", "GANs", "VAEs", "diffusion"],
         {("GAN", "model"), ("VAE", "model")}),
        ("tasks including the parsing of text", ["tasks", "parsing"], {("parsing", "task")}),
        ("a method for parsing such as ours", ["method", "parsing"], set()),
        ("a method for parsing called Para", ["parsing", "Para"], set()),
        ("a dependency parser called “Para”", ["dependency parser", "Para"],
         {("para", "dependency parser")}),
        ("GANs, VAEs and other generative models", ["GANs", "VAEs", "generative models"],
         {("GAN", "generative model"), ("VAE", "generative model")}),
        ("A bandit is a special case of a Markov decision process.",
         ["bandit", "Markov decision process"], {("bandit", "markov decision process")}),
        ("networks such as long short-term memory (LSTM) and GRUs",
         ["networks", "long short-term memory", "GRUs"],
         {("long short term memory", "network")}),
        ("losses such as losses", ["losses", "losses"], set()),
        ("heads with induction heads", ["heads", "induction heads"], set()),
    ],
)  # fmt: skip
def test_what_texts_call_kinds(words, mentions, expected):
    assert set(kinds(text(words, *mentions))) == expected


def test_a_short_form_in_brackets_does_not_end_a_list():
    words = "networks such as long memories (LSTM) and GRUs"
    found = text(words, "networks", "long memories", "LSTM", "GRUs")
    places = [(m, "long memory" if k == "LSTM" else k) for m, k in found.mentions]
    found = Wording("abstract", words, (), tuple(places))
    assert set(kinds(found)) == {("long memory", "network"), ("GRU", "network")}


links = st.dictionaries(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), st.integers(1, 3), max_size=15
)


@given(links)
def test_there_are_no_circles(weights: dict[tuple[str, str], int]):
    broader = without_circles(weights)
    for name in broader:
        assert name not in above(name, broader)
    # What the links say between two, where nothing heavier contradicts, still holds.
    heaviest = min(weights, key=lambda pair: (-weights[pair], pair), default=None)
    if heaviest and heaviest[0] != heaviest[1]:
        assert heaviest[1] in above(heaviest[0], broader)


@given(
    st.lists(st.sets(st.integers(0, 15), max_size=9), max_size=30),
    st.randoms(use_true_random=False),
)
def test_related_is_symmetric_capped_and_does_not_depend_on_order(papers, shuffle: random.Random):
    found = related(papers, 16, {(0, 1)})
    for a, others in found.items():
        assert len(others) == len(set(others)) <= MOST_RELATED
        assert a not in others
        assert all(a in found[b] for b in others)
    assert 1 not in found.get(0, ())
    again = list(papers)
    shuffle.shuffle(again)
    assert related(again, 16, {(0, 1)}) == found


def test_related_is_what_goes_together_more_than_chance():
    papers = [{0, 1, 9}, {0, 1, 9}, {0, 1, 9}, {2, 9}, {3, 9}, {2, 3}, {4}, {5}, {6}, {7}]
    assert related(papers, 10)[0] == [1, 9]
    assert 2 not in related(papers, 10)


def test_a_curation_is_applied_last():
    papers = [[concept("fine-tuning"), concept("tuning"), concept("noise", type="Other")],
              [concept("finetuning"), concept("adaptation")]]  # fmt: skip
    entries = (
        Entry("never", "concept", ("fine-tuning", "finetuning"), line=1),
        Entry("same", "concept", ("finetuning", "adaptation"), line=2),
        Entry("label", "concept", ("tuning",), "hyperparameter tuning", 3),
        Entry("type", "concept", ("tuning",), "Task", 4),
        Entry("drop", "concept", ("noise",), line=5),
    )
    identity = concepts_of(*papers, entries=entries)
    found = by_label(identity)
    assert set(found) == {"fine-tuning", "adaptation", "hyperparameter tuning"}
    assert found["adaptation"].aliases == ("finetuning",)
    assert found["hyperparameter tuning"].types == ("Task",)
    assert "noise" not in identity.concept_of
    assert all(c.name.key != "noise" for paper in identity.papers for c in paper.concepts)


labels = st.sampled_from(
    ["induction head", "selective induction head", "head", "fine-tuning", "finetuning", "SC",
     "spectral clustering", "superconductor", "clustering", "E-Motion", "emotion"]
)  # fmt: skip
found_concepts = st.builds(
    lambda label, shorts, kind: concept(label, *shorts, type=kind),
    labels,
    st.sets(st.sampled_from(["SC", "IH"]), max_size=1).map(tuple),
    st.sampled_from(["Method", "Task"]),
)


@given(
    st.lists(st.lists(found_concepts, max_size=4), max_size=8), st.randoms(use_true_random=False)
)
def test_laws(papers: list[list[RecordConcept]], shuffle: random.Random):
    identity = concepts_of(*papers)
    titles = {f"paper number {i} of many": Extraction(tuple(p)) for i, p in enumerate(papers)}
    records = [r for paper in identity.papers for r in paper.records]
    shuffle.shuffle(records)
    assert identify(records, lambda title, abstract: titles[title]) == identity
    known = {c.key: c for c in identity.concepts}
    assert set(identity.concept_of.values()) == set(known)
    below = defaultdict(set)
    for c in identity.concepts:
        assert set(c.broader) | set(c.related) <= set(known) - {c.key}
        assert all(c.key in known[other].related for other in c.related)
        assert set(c.former).isdisjoint(known)
        assert c.label not in c.aliases
        below[c.key] = above(c.key, {k: v.broader for k, v in known.items()})
        assert c.key not in below[c.key]
        assert below[c.key].isdisjoint(c.related)


@given(st.lists(st.lists(found_concepts, max_size=4), min_size=1, max_size=8))
def test_a_never_pair_is_never_one(papers: list[list[RecordConcept]]):
    said = {c.name.label for paper in papers for c in paper}
    for a, b in [("fine-tuning", "finetuning"), ("SC", "spectral clustering")]:
        if {a, b} <= said:
            entries = (Entry("never", "concept", (a, b), line=1),)
            identity = concepts_of(*papers, entries=entries)
            assert identity.concept_of[key(a)] != identity.concept_of[key(b)]
