"""Aider: the history of its chats, `.aider.chat.history.md`. Each chat in it is a submission.

Follows Aider-AI/aider `aider/io.py` (`append_chat_history`, `user_input`, `tool_output`): `#### ` opens what the user
typed, `> ` what aider printed, both with two spaces at the end of the line; the rest is the model's. An edit is a call:
aider prints that it was applied, or which block failed to match. Everything else it prints is a system message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Place, Submission
from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.draft import Draft
from evenhand.transcripts.head import Head
from evenhand.transcripts.shapes.aider_prints import Prints
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment

FORMAT = "aider"
TITLE = "Aider chat history"
PLACE = 150
LOOKS_FOR = "#### "

_STARTED = "# aider chat started at "
_PRINTED = late_pattern(
    r"^> (?:Aider v\d|\$ aider\b|Applied edit to |Added? .+ to the chat|Tokens: [\d.]+|[\d,]+ prompt tokens, "
    r"|Commit [0-9a-f]{7} )",
    re.MULTILINE,
)
_TYPED = late_pattern(r"^#### \S", re.MULTILINE)
_MARKED = late_pattern(r"^(?:#### .*|> .*)  \r?$", re.MULTILINE)
"""A line ending in the two spaces that aider adds; an editor may have stripped them from all lines."""
_HTML = late_pattern(r"\s*</?\w[^<>]*>\s*$")
"""A line of a web page that a chat was published on."""
_COMMAND = late_pattern(r"/(\w[\w-]*)\b\s*(.*)", re.DOTALL)
_SPOKEN = frozenset(("ask", "code", "architect", "context"))
"""Commands whose text is sent to the model."""


class _Line(NamedTuple):
    kind: str
    """chat, typed, printed or answer."""
    text: str
    place: Place


def sniff(head: Head) -> bool:
    """The first line of a chat, or lines that only aider writes next to user input."""
    if head.objects or head.is_binary:
        return False
    text = head.text[: limits.HEAD]
    if text.startswith(_STARTED) or f"\n{_STARTED}" in text:
        return True
    return _PRINTED.search(text) is not None and _TYPED.search(text) is not None


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every chat of a history that has messages."""
    chat = _Chat(source)
    last: _Chat | None = None
    """The last chat with messages; returned once the next one starts."""
    silent = number = 0
    for kind, group in groupby(_lines(source), lambda line: line.kind):
        lines = list(group)
        if kind != "chat":
            chat.take(kind, lines)
            continue
        for line in lines:
            if chat.spoke:
                if last is not None:
                    number += 1
                    yield last.finish(alone=False)
                last = chat
            else:
                silent += chat.started
            chat = _Chat(source, line)
    if chat.spoke:
        if last is not None:
            number += 1
            yield last.finish(alone=False)
        last = chat
    else:
        silent += chat.started
    if last is None:
        yield InputError([Problem(f"nothing in it is {FORMAT}", source.name), *source.take_problems()])
        return
    if silent:
        last.draft.unknown["chat in which nobody spoke"] = silent
    yield last.finish(alone=not number)


def _lines(source: Source) -> Iterator[_Line]:
    """The lines with what they are. Blank ones are part of the answer around them."""
    ending = "  " if _MARKED.search(source.head.text) else ""
    expected = 1
    for number, offset, data in source.lines():
        try:
            text = data.decode()
        except UnicodeDecodeError:
            source.problem("the line is not UTF-8; what could not be read is shown as \ufffd", number)
            text = data.decode(errors="replace")
        text = text.removeprefix("\ufeff").rstrip("\r\n")
        place = Place(source.name, number, offset)
        for _ in range(number - expected):
            yield _Line("answer", "", place)
        expected = number + 1
        if text.startswith(_STARTED):
            yield _Line("chat", text.removeprefix(_STARTED).strip(), place)
        elif text.startswith("####") and text[4:5] in ("", " ") and text.endswith(ending):
            yield _Line("typed", text[5:].removesuffix("  "), place)
        elif text.startswith(">") and text[1:2] in ("", " ") and text.endswith(ending):
            yield _Line("printed", text[2:].removesuffix("  "), place)
        else:
            yield _Line("answer", text, place)


class _Chat:
    """The state of a chat while its lines are read."""

    def __init__(self, source: Source, started: _Line | None = None) -> None:
        self.draft = Draft(source, FORMAT)
        self.prints = Prints(self.draft)
        self.started = started is not None
        self.place = started.place if started else None
        self.time = moment(started.text) if started else ""
        self.draft.saw_time(self.time)

    @property
    def spoke(self) -> bool:
        """Whether the user or the model wrote anything."""
        return any(event.role in ("user", "assistant") for event in self.draft.events)

    def take(self, kind: str, lines: list[_Line]) -> None:
        """Consecutive lines of one kind."""
        if kind == "printed":
            self.prints.take([(line.text, line.place) for line in lines])
            return
        while lines and not lines[0].text.strip():
            lines = lines[1:]
        text = "\n".join(line.text for line in lines).rstrip()
        if not lines:
            return
        if kind == "answer":
            page = all(_HTML.match(line.text) for line in lines if line.text.strip())
            if page:
                self.draft.message("system", text, lines[0].place)
            elif self.started or self.prints.seen or self.draft.task is not None:
                self.draft.message("assistant", text, lines[0].place, "", self.prints.model, "")
                self.prints.answered(text)
            else:
                self.draft.message("system", text, lines[0].place)  # a web page that a chat was published on
        elif text.strip() != "<blank>":
            self.typed(text, lines[0].place)

    def typed(self, text: str, place: Place) -> None:
        """What the user typed; a command is a system message, unless its text is sent to the model."""
        command = _COMMAND.match(text)
        if command is not None and (command[1] not in _SPOKEN or not command[2].strip()):
            self.draft.message("system", text, place)
            return
        self.draft.message("user", text, place)
        if self.draft.task is None:
            self.draft.task = command[2] if command else text

    def finish(self, *, alone: bool) -> Submission:
        """The submission for the whole chat."""
        self.draft.id = self.time
        submission = self.draft.finish()
        if alone or self.place is None:
            return submission
        return submission._replace(source=f"{self.draft.source.name}:{self.place.line}")
