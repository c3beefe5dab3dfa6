"""A submission prepared for the checks: parsed once, asked many times.

Everything here is worked out on demand and kept, so that a check costs only what it alone needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.model import Event, Submission

if TYPE_CHECKING:
    from markdown_it.token import Token

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


class Block(NamedTuple):
    """A fenced code block of the output."""

    language: str
    """As written after the fence, lower case, first word only; empty when none is."""
    code: str
    line: int
    """The line of the output its first line of code stands on, from 1."""


class Subject:
    """What the checks look at."""

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.output = submission.output
        self.task = submission.task or ""

    @property
    def events(self) -> Sequence[Event]:
        """Everything that happened; empty for an output alone."""
        return self.submission.events

    @cached_property
    def calls(self) -> list[Event]:
        """The tool calls, in order."""
        return [event for event in self.events if event.call is not None]

    @cached_property
    def tokens(self) -> list[Token]:
        """The output as Markdown."""
        return _markdown(self.output)

    @cached_property
    def task_tokens(self) -> list[Token]:
        """The task as Markdown."""
        return _markdown(self.task)

    @cached_property
    def blocks(self) -> list[Block]:
        """The fenced code blocks of the output."""
        return list(_blocks(self.tokens))

    @cached_property
    def prose(self) -> str:
        """The output without code blocks, quotes and HTML: what its author says in words."""
        kept = []
        quoted = 0
        for token in self.tokens:
            quoted += (token.type == "blockquote_open") - (token.type == "blockquote_close")
            if token.type == "inline" and not quoted:
                kept.append(token.content)
        return "\n\n".join(kept)

    @cached_property
    def words(self) -> list[str]:
        """The words of the prose, lower case."""
        return [word.lower() for word in _WORD.findall(self.prose)]

    def line_of(self, offset: int) -> int:
        """The line of the output a character stands on."""
        return self.output.count("\n", 0, offset) + 1


def _markdown(text: str) -> list[Token]:
    from markdown_it import MarkdownIt  # costs start-up time, and not every check needs it

    return MarkdownIt("commonmark").enable("table").parse(text)


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    for token in tokens:
        if token.type == "fence" and token.map:
            language = token.info.strip().split()[0].lower() if token.info.strip() else ""
            yield Block(language.strip("{}.,"), token.content, token.map[0] + 2)
