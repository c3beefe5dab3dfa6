"""evenhand schema: the JSON Schema of a document."""

from __future__ import annotations

from pathlib import Path

import click

from evenhand.cli.presenter import write

_FOLDER = Path(__file__).parents[3] / "schemas"
_ENDING = ".v1.schema.json"
_NAMES = sorted(path.name.removesuffix(_ENDING) for path in _FOLDER.glob(f"*{_ENDING}"))


@click.command("schema")
@click.argument("name", type=click.Choice(_NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of a document, for editors and other tools.

    \b
    Example:
      evenhand schema judgement > judgement.schema.json
    """
    write((_FOLDER / f"{name}{_ENDING}").read_text(encoding="utf-8"))
