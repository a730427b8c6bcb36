from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.concepts.names import is_cased, key, label, short_within, singular, uncapitalised

LABELS = [
    ("induction heads", "induction head"),
    ("Mirror Descent", "Mirror Descent"),
    ("Lean 4", "Lean 4"),
    ("$n$-gram language models", "n-gram language model"),
    (r"$\mathbb{X}$-Sample Contrastive", "X-Sample Contrastive"),
    ("LLMs", "LLM"),
    ("loss spikes", "loss spike"),
    ("indices", "index"),
    ("vertices", "vertex"),
    ("hypotheses", "hypothesis"),
    ("data", "data"),
    ("AdaBoost", "AdaBoost"),
    ("Gaussian processes", "Gaussian process"),
    ("training dynamics", "training dynamics"),
    ("Chain-of-Thought (CoT) reasoning", "Chain-of-Thought reasoning"),
    ("k-NN", "k-NN"),
    ("C++", "C++"),
    ("C#", "C#"),
    ("ℓ1-norm", "ℓ1-norm"),
    ("self–attention", "self-attention"),
    ("Scaling laws", "scaling law"),
    ("mixtures of experts", "mixture of experts"),
    ("curse of dimensionality", "curse of dimensionality"),
    ("trade-offs", "trade-off"),
    ("f(R) gravity", "f(R) gravity"),
    ("Support Vector Machines", "Support Vector Machine"),
    ("cross-entropy losses", "cross-entropy loss"),
    ("caches", "cache"),
    ("inverse problems", "inverse problem"),
    ("NeurIPS", "NeurIPS"),
    ("“uniform coverage”", "uniform coverage"),
    ("policies", "policy"),
    ("biases", "bias"),
    ("databases", "database"),
    ("k-means", "k-means"),
    ("Navier-Stokes", "Navier-Stokes"),
    ("spherical harmonics", "spherical harmonic"),
    ("computer graphics", "computer graphics"),
    ("nuScenes", "nuScenes"),
    ("movies", "movie"),
    ("atlases", "atlas"),
    ("Allen{-}Cahn equations", "Allen-Cahn equation"),
    ("p$-dimensional regression", "p-dimensional regression"),
    (r"Mistral-8$\times$7B", "Mistral-8×7B"),
    ("\u200bGenerative models", "generative model"),
    ("staggered ``fourth root trick''", "staggered fourth root trick"),
    ('"spatial" latents', "spatial latent"),
    ("Mixtures-of-Experts", "Mixture-of-Experts"),
    ("bag-of-words", "bag-of-words"),
    ("bag-of-words models", "bag-of-words model"),
    ("sum-of-squares", "sum-of-squares"),
    ("Tree-of-Thoughts", "Tree-of-Thoughts"),
    ("difference-in-differences", "difference-in-differences"),
    ("in-context learners", "in-context learner"),
    ("4D (non-)Abelian 1-form gauge theories", "4D (non-)Abelian 1-form gauge theory"),
    ("nilpotent (anti-)BRST symmetry invariance", "nilpotent (anti-)BRST symmetry invariance"),
    ("Minkowski or (A)dS4 backgrounds", "Minkowski or (A)dS4 background"),
    ("correlation filters (DCF)-based tracker", "correlation filters-based tracker"),
    ("*quantal response equilibrium*", "quantal response equilibrium"),
    ("**Proximal Policy Optimization**", "Proximal Policy Optimization"),
    ("**PPO**", "PPO"),
    ("multi-agent reinforcement learning*", "multi-agent reinforcement learning"),
    ("diffusion Schrödinger bridges_", "diffusion Schrödinger bridge"),
    ("A*", "A*"),
    ("RRT*", "RRT*"),
    ("*-algebras", "*-algebra"),
    ("Keras", "Keras"),
    ("pandas", "pandas"),
    ("Texas", "Texas"),
    ("Thomas", "Thomas"),
    ("United States", "United States"),
    ("Los Angeles", "Los Angeles"),
    ("Oxford Pets", "Oxford Pets"),
    ("alias", "alias"),
    ("aliases", "alias"),
    ("potatoes", "potato"),
    ("headaches", "headache"),
    ("astrophysics", "astrophysics"),
    ("quantum chromodynamics", "quantum chromodynamics"),
    ("comics", "comic"),
    ("GRAPH NEURAL NETWORKS", "graph neural network"),
    ("US DATA", "US DATA"),
    ("SWAG", "SWAG"),
    ("😀mirror descent🚀", "mirror descent"),
]


@pytest.mark.parametrize(("name", "readable"), LABELS)
def test_label(name: str, readable: str) -> None:
    assert label(name) == readable


ONE_KEY = [
    ("self\u2013attention", "self-attention"),
    ("Self-Attention", "self attention"),
    ("Induction Heads", "induction head"),
    (r"$\ell_1$-norm", "ℓ1-norm"),
    ("$R^2$", "R^2"),
    ("LLMs", "LLM"),
    (r"\textbf{HalluHard}", "HalluHard"),
    ("AdaBoost", "Adaboost"),
    ("Erd\\H{o}s number", "Erdős numbers"),
    ("Mixture-of-Experts", "mixture of experts"),
    ("mixture-of-experts", "Mixture of Experts"),
    ("bag-of-words", "bags of words"),
    ("bag-of-words models", "bag of words model"),
    ("sum-of-squares", "sum of squares"),
    ("tree-of-thought", "Tree of Thoughts"),
    ("difference-in-differences", "difference in differences"),
    ("*quantal response equilibrium*", "quantal response equilibria"),
    ("GRAPH NEURAL NETWORKS", "graph neural network"),
]
OTHER_KEYS = [("C", "C++"), ("C", "C#"), ("C++", "C#"), ("CoT", "cot"), ("GAN", "gan"), ("R", "r")]


@pytest.mark.parametrize(("one", "other"), ONE_KEY)
def test_two_spellings_of_one_concept(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), OTHER_KEYS)
def test_two_concepts(one: str, other: str) -> None:
    assert key(one) != key(other)


BITS = [
    *(
        "Heads",
        "models",
        "LLMs",
        "(CoT)",
        "(non-)",
        "DEEP",
        "🚀",
        "_",
        "-of-",
        "indices",
        "$n$",
        "of",
        "Mirror",
        "²",
        "ness",
        "ies",
    ),
    *("es", "\u0301", "İ", "ß", "ﬁ", "ſ"),
]
NAMES = st.text() | st.lists(st.sampled_from([*" -–/()'+#s", *BITS])).map("".join)


@given(NAMES)
def test_names_are_idempotent(name: str) -> None:
    readable = label(name)
    if "\\" not in readable and "$" not in readable:
        assert label(readable) == readable
        assert key(readable) == key(name)
        assert key(key(name)) == key(name)
    assert singular(singular(readable)) == singular(readable)


@pytest.mark.parametrize(
    ("title", "running"),
    [
        ("The Mechanistic Study of Loss Spikes", "the mechanistic study of loss spikes"),
        ("Gaussian Processes for AdaBoost and LLMs", "Gaussian processes for AdaBoost and LLMs"),
        ("Training dynamics of ResNet", "Training dynamics of ResNet"),
        ("GRAPH NEURAL NETWORKS FOR SAT", "graph neural networks for SAT"),
    ],
)
def test_titles_in_running_case(title: str, running: str) -> None:
    assert uncapitalised(title) == running


def test_titles_in_capitals_are_written_as_their_abstract_has_them() -> None:
    abstract = "Pions decay; a pion, GraphSAGE and the Gaussian kernel. Kernel"
    title = "THE PION AND GRAPHSAGE: GAUSSIAN KERNEL OF NANOTUBES, RLHF"
    running = "the pion and GraphSAGE: Gaussian kernel of nanotubes, RLHF"
    assert uncapitalised(title, abstract) == running


@given(st.text(), st.text())
def test_running_case_keeps_offsets(title: str, abstract: str) -> None:
    for text in (title, title.upper(), abstract.upper()):
        assert len(uncapitalised(text, abstract)) == len(text)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Chain-of-Thought (CoT) reasoning", "CoT reasoning"),
        ("reverse Kullback-Leibler (KL) divergence", "reverse KL divergence"),
        ("Stochastic gradient descent ascent (GDA) methods", "stochastic GDA method"),
        ("discriminative correlation filters (DCF)-based tracker", "DCF-based tracker"),
        ("CANDECOMP/PARAFAC (CP) decomposition", "CP decomposition"),
        ("text-to-video (T2V) generation", "T2V generation"),
        ("reasoning", None),
        ("quark (antiquark) fragmentation functions", None),
        ("Nb (110)", None),
        ("co-moving (13 sigma) stellar companion", None),
        ("degenerate (i.e. graded) affine Hecke algebras", None),
        ("analytic (or differential geometric) viewpoint", None),
        ("total variation (TV)) contamination", None),
        ("compound Cu₃(CO₃)₂(OH)₂", None),
        ("4D (non-)Abelian 1-form gauge theories", None),
    ],
)
def test_the_short_form_within_a_name(name: str, short: str | None) -> None:
    assert short_within(name) == short


@pytest.mark.parametrize(
    ("name", "cased"), [("CoT", True), ("C", True), ("cot", False), ("AdaBoost", False)]
)
def test_names_known_by_their_case(name: str, cased: bool) -> None:
    assert is_cased(name) is cased
