"""`python -m kg.cli` is `kg`."""

from kg.cli import main

main(prog_name="kg")
