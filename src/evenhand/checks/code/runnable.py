"""Code to run that cannot run as given, because it holds places to fill in. Pure.

Only where the task asks for something to run. A place that the task itself leaves open is not a fault; what only
the reader can know, such as their key, is a minor one; what the task names is a clear one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from evenhand.checks.facts.wants_code import asks_for_code
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Block, Subject
from evenhand.in_words import counted

ID: Final = "not-runnable"

_TO_RUN = frozenset(
    "bash sh zsh shell console powershell python python3 py js javascript ts typescript go rust java ruby php sql http"
    " env dotenv yaml yml toml ini json dockerfile docker makefile hcl terraform csharp c# perl r".split()
)
_PLACES = {
    "path": r"(?<![\w./])/?path/to(?:/[\w.-]+)*|C:\\\\?path\\\\?to|<path[\w -]*>|<file[ _-]?(?:name|path)>",
    "place": (
        r"<(?:your|my|insert|replace|enter|put)[ _-][\w -]*>|\[(?:insert|replace|enter|your) [\w -]+\]|\bxxxx{2,}\b"
        r"|\byour[_-](?:username|project|bucket|domain|database|table|host|app|repo|org|api|token|key|secret)[\w-]*\b"
        r"|\bYOUR_[A-Z_]+\b|\bREPLACE_ME\b|\bCHANGE_?ME\b|\bsk-\.\.\."
    ),
}
_GIVEN_PATH = (
    r"(?:^|[\s`'\"(])(?:~|\.{0,2})/[\w.-]+(?:/[\w.-]+)*|\b[\w-]+\.(?:csv|json|py|txt|log|ya?ml|sql|db|xlsx|md)\b"
)
_USAGE = r"(?i)^\s*(?:#|//|--|usage\b|options?\b)"


class ToFillIn(NamedTuple):
    """A place to fill in."""

    kind: str
    text: str
    number: int
    """The line of the output that it is on."""


@check(
    ID,
    "actionability",
    sees="A place to fill in, such as `<your-key>`, `YOUR_API_KEY` or `/path/to`, in code asked for to be run.",
    severity="Minor, three at most; major when the task names what belongs there.",
    example='`open("/path/to/file.csv")` when the task says to read `sales.csv`.',
)
def not_runnable(subject: Subject) -> Iterator[Finding]:
    """The places to fill in, each once."""
    blocks = [block for block in subject.blocks if block.language in _TO_RUN]
    if not blocks or not asks_for_code(subject.task):
        return
    places = {place.text: place for block in blocks for place in _places(block) if place.text not in subject.task}
    yield from islice((_finding(subject, place) for place in places.values()), 3)
    if not places:
        message = f"Looked at {counted(len(blocks), 'block')} of code: no placeholders to fill in."
        yield Finding(ID, "actionability", None, message)


def _places(block: Block) -> Iterator[ToFillIn]:
    for number, line in enumerate(block.code.split("\n"), block.line):
        if re.match(_USAGE, line):
            continue
        for kind, pattern in _PLACES.items():
            for match in re.finditer(pattern, line):
                yield ToFillIn(kind, match[0], number)


def _finding(subject: Subject, place: ToFillIn) -> Finding:
    """A clear fault when the task names what belongs there, a small one when only the reader can."""
    named = place.kind == "path" and re.search(_GIVEN_PATH, subject.task)
    if named:
        message = f"The task names the file, but the code has the placeholder `{place.text}`."
    else:
        message = f"The code cannot run until `{place.text}` is filled in."
    quote = place.text[:200]
    offset = subject.on_line(quote, place.number)
    return Finding(ID, "actionability", "major" if named else "minor", message, quote, offset=offset)


CHECKS = (not_runnable,)
