"""The version of the rules: raise it with every change that changes results."""

RULES = "1"
