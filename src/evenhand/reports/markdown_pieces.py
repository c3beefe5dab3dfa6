"""The pieces every Markdown report is made of; none of them lets markup through."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from evenhand.work.printable import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def lines_markdown(lines: Sequence[str]) -> str:
    """Plain sentences as a list."""
    return "".join(f"- {safe(line)}\n" for line in lines)


def table_markdown(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Container[str] = ()) -> str:
    """A table; the columns under the headings `right` are aligned to the right."""
    ruler = "".join("---:|" if heading in right else "---|" for heading in headings)
    head, *body = (f"| {' | '.join(map(table_cell, line))} |\n" for line in (headings, *rows))
    return f"{head}|{ruler}\n{''.join(body)}"


def table_cell(text: str) -> str:
    """Text from outside as a cell of a table."""
    return safe(" ".join(text.split()))


def safe(text: str) -> str:
    """Text from outside, so that none of it is taken for markup."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))
