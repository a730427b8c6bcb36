"""Write docs/cli.md from the commands' own help: python docs/generate_cli.py."""

from __future__ import annotations

from pathlib import Path

import click

from kg.cli import COMMANDS, main

PAGE = Path(__file__).parent / "cli.md"


def page() -> str:
    """The whole page."""
    parts = ["# The command line\n\nThis page is made from `--help` by `docs/generate_cli.py`.\n"]
    settings = {**main.context_settings, "terminal_width": 88}
    root = click.Context(main, info_name="kg", **settings)
    parts.append(_section("kg", main.get_help(root)))
    for name in COMMANDS:
        command = main.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root)
        parts.append(_section(f"kg {name}", command.get_help(context)))
    parts.append(
        "## Exit codes\n\n"
        "| code | means |\n| --- | --- |\n"
        "| 0 | done; what was validated conforms |\n"
        "| 1 | done, but the data does not conform, or nothing was checked; with `--strict`, "
        "a record was rejected |\n"
        "| 2 | a usage error, or input that cannot be read |\n"
        "| 3 | a fault of kg itself; `KG_DEBUG=1` shows where |\n"
    )
    return "\n".join(parts)


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n```\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
