"""The trained model: which words of a record are mentions, and what a record says of them.

`finder.Finder` is the door. Weights lie beside the code in `network.npz` and `words.txt`;
`kg.concepts.training` makes them. Numpy only.
"""
