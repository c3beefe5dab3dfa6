"""Count what someone has to learn: commands, options, pages and words, each beside its limit.

python scripts/count.py            a line for each count; exit code 1 if one is above its limit
python scripts/count.py --full     also the options of each command and the words of each page
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import evenhand
from evenhand.cli.main import COMMANDS
from evenhand.cli.main import evenhand as root_command

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GENERATED = ("reference/cli.md", "reference/python.md", "reference/checks.md")
"""Pages that `make_docs.py` writes whole."""
OPTIONS: dict[str, int] = {
    "evenhand judge": 20,
    "evenhand better": 16,
    "evenhand run": 16,
    "evenhand gate": 16,
}
OPTIONS_OF_OTHERS = 12


def leaves(command: click.Command, path: str = "evenhand") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something itself."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    if command.invoke_without_command:
        yield path, command
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from leaves(below, f"{path} {name}")


def options(command: click.Command) -> list[str]:
    """The options that its help lists, without --help."""
    return [
        max(param.opts, key=len)
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden and param.name != "help"
    ]


def words(text: str) -> int:
    """What white space separates and holds a letter or a digit: the bars of a table are not words."""
    return sum(1 for word in text.split() if re.search(r"\w", word))


def by_hand(text: str) -> str:
    """A page without the parts that `make_docs.py` puts between marks."""
    return re.sub(r"<!-- \w+: made by scripts/make_docs\.py -->.*?<!-- end -->", "", text, flags=re.DOTALL)


def counts() -> dict[str, tuple[int, int]]:
    """Each count with its limit."""
    commands = dict(leaves(root_command))
    pages = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
    written = sum(words(by_hand(text)) for name, text in pages.items() if name not in GENERATED)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = {
        "commands": (sum(map(len, COMMANDS.values())), 17),
        "commands and subcommands": (len(commands), 46),
        "options": (sum(len(options(command)) for command in commands.values()), 282),
        "pages": (len(pages), 35),
        "words": (sum(map(words, pages.values())), 65_000),
        "words written by hand": (written, 45_000),
        "words of the README": (words((ROOT / "README.md").read_text(encoding="utf-8")), 900),
        "lines of the changelog": (changelog.count("\n"), 60),
        "names of the package": (len([name for name in dir(evenhand) if not name.startswith("_")]), 60),
    }
    for path, command in commands.items():
        limit = OPTIONS.get(path, OPTIONS_OF_OTHERS)
        found[f"options of {path}"] = (len(options(command)), limit)
    return found


def main() -> int:
    full = "--full" in sys.argv[1:]
    above = 0
    for name, (number, limit) in counts().items():
        too_many = number > limit
        above += too_many
        if full or too_many or not name.startswith("options of"):
            print(f"{number:>7,}  of {limit:>7,}  {name}{'  TOO MANY' if too_many else ''}")
    if full:
        for page in sorted(DOCS.rglob("*.md")):
            print(f"{words(page.read_text(encoding='utf-8')):>7,}  {page.relative_to(DOCS).as_posix()}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
