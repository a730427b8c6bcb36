"""The training of the concept model: `python -m kg.concepts.training --help`.

Needs the extra `train` (torch, gensim); nothing else of kg imports this package.
"""
