"""Aider: the history of its chats, `.aider.chat.history.md`. Each chat in it is a submission.

Follows Aider-AI/aider `aider/io.py` (`append_chat_history`, `user_input`, `tool_output`): `#### ` opens what the user
typed, `> ` what aider printed, both with two spaces at the end of the line; the rest is the model's. An edit is a call:
aider prints that it was applied, or which block failed to match. Everything else it prints is a system message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

from evenhand.core.finding import Place
from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.draft import Draft
from evenhand.transcripts.head import Head
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission, Usage

FORMAT = "aider"
TITLE = "Aider chat history"
PLACE = 150
LOOKS_FOR = "#### "

_STARTED = "# aider chat started at "
_PRINTED = re.compile(
    r"^> (?:Aider v\d|\$ aider\b|Applied edit to |Added? .+ to the chat|Tokens: [\d.]+|[\d,]+ prompt tokens, "
    r"|Commit [0-9a-f]{7} )",
    re.MULTILINE,
)
_TYPED = re.compile(r"^#### \S", re.MULTILINE)
_MARKED = re.compile(r"^(?:#### .*|> .*)  \r?$", re.MULTILINE)
"""A line ending in the two spaces that aider adds; an editor may have stripped them from all lines."""
_HTML = re.compile(r"\s*</?\w[^<>]*>\s*$")
"""A line of a web page that a chat was published on."""
_COMMAND = re.compile(r"/(\w[\w-]*)\b\s*(.*)", re.DOTALL)
_SPOKEN = frozenset(("ask", "code", "architect", "context"))
"""Commands whose text is sent to the model."""


# What aider prints into a chat's history: its models, tokens, edits that were applied or failed, errors.
#
# Follows Aider-AI/aider `aider/coders/base_coder.py` (`show_usage_report`, `apply_updates`, `get_announcements`) and
# `aider/coders/editblock_coder.py` (the report on blocks that failed to match).

_MODEL = re.compile(r"(?:Models?|Main model): (\S+) with \S+ edit format")
_OLD_TOKENS = re.compile(r"([\d,]+) prompt tokens, ([\d,]+) completion tokens")
_COUNT = r"([\d.,]+[kM]?)"
_TOKENS = re.compile(
    rf"Tokens: {_COUNT} sent(?:, [\d.,]+[kM]? cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received"
)
_BLOCK = re.compile(
    r"^<{5,9} (?:SEARCH|ORIGINAL|HEAD).*?^>{5,9} (?:REPLACE|UPDATED|updated).*?$", re.MULTILINE | re.DOTALL
)
_APPLIED = re.compile(r"(?:Applied edit to|Did not apply edit to) (.+?)(?: \(--dry-run\))?$")
_NO_MATCH = re.compile(r"## \w*NoExactMatch: .* (?:in|match) (\S+)$")
_REPORT_ENDS = re.compile(r"# The other \d+|Only \d+ reflections|Tokens: |[\d,]+ prompt tokens|Applied edit to")
_ERROR = re.compile(
    r"(?:The LLM did not conform to the edit format|Only \d+ reflections allowed|\^C|"
    r"Model .+ has hit a token limit|The API provider|(?:litellm\.)?[\w.]*(?:Error|Exception)\b\s*:)"
)


class Prints:
    """What aider's output in one chat tells."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model = ""
        self.seen = False
        self._answer = ""
        self._blocks: dict[str, list[str]] = {}
        """The blocks of the last answer that are not applied yet, by file."""

    def answered(self, text: str) -> None:
        """Remember an answer: it contains the edits that are applied next."""
        self._answer, self._blocks = text, {}
        for block in _BLOCK.finditer(text):
            above = [line.strip(" `*#:") for line in text[: block.start()].splitlines() if line.strip(" `*#:")]
            named = next((line for line in reversed(above[-2:]) if "." in line or "/" in line), "")
            self._blocks.setdefault(named, []).append(block[0])

    def _edit(self, path: str, times: int) -> str:
        """The content of an edit: the next block for the file in the last answer, or the whole answer."""
        blocks = self._blocks.get(path) or []
        if times > 1 and len(blocks) > 1:
            return blocks.pop(0)
        return "\n".join(blocks) or self._answer

    def take(self, lines: list[tuple[str, Place]]) -> None:
        """Consecutive output lines. Those that are neither an edit nor an error are system messages."""
        self.seen = True
        words: list[tuple[str, Place]] = []
        report: list[str] = []
        """The lines about a block that failed to match."""

        def flush() -> None:
            text = "\n".join(word for word, _ in words).strip()
            if text:
                self.draft.message("system", text, words[0][1])
            words.clear()

        times = Counter(match[1] for text, _ in lines if (match := _APPLIED.match(text)))
        index = None
        for text, place in lines:
            if index is not None and not _REPORT_ENDS.match(text) and not _NO_MATCH.match(text):
                report.append(text)
                continue
            if index is not None:
                self._fail(index, report)
                index = None
            if failed := _NO_MATCH.match(text):
                flush()
                index = self.draft.call("edit", {"path": failed[1], "edit": ""}, place, model=self.model)
                report = [text]
            elif applied := _APPLIED.match(text):
                flush()
                edit = self._edit(applied[1], times[applied[1]])
                call = self.draft.call("edit", {"path": applied[1], "edit": edit}, place, model=self.model)
                self.draft.answer(call, text, place, False)
            elif _ERROR.match(text):
                flush()
                self.draft.error(text, place)
            else:
                self.facts(text, place)
                words.append((text, place))
        if index is not None:
            self._fail(index, report)
        flush()

    def _fail(self, index: int, report: list[str]) -> None:
        """An edit that failed to match, with the block that the report shows."""
        event, text = self.draft.events[index], "\n".join(report).strip()
        block = _BLOCK.search(text)
        if event.call is not None:
            arguments = {**event.call.arguments, "edit": block[0] if block else self._answer}
            self.draft.events[index] = event._replace(call=event.call._replace(arguments=arguments))
        self.draft.answer(index, text, event.place, True)

    def facts(self, text: str, place: Place) -> None:
        """The model, and the tokens of a request."""
        if model := _MODEL.match(text):
            self.model = self.draft.saw_model(model[1])
        elif counts := _TOKENS.match(text):
            sent, cached, received = (_count(count) for count in counts.groups())
            self.draft.usage[place] = Usage(sent, received, cached)  # sent includes the cache
        elif old := _OLD_TOKENS.match(text):
            self.draft.usage[place] = Usage(_count(old[1]), _count(old[2]))


def _count(shown: str | None) -> int:
    """A number of tokens as aider shows it: 4,357 or 4.2k or 1.1M."""
    if not shown:
        return 0
    factor = {"k": 1_000, "M": 1_000_000}.get(shown[-1], 1)
    digits = shown.rstrip("kM").replace(",", "").strip(".")
    return int(Decimal(digits) * factor) if digits.replace(".", "", 1).isdecimal() else 0


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
    last: _Chat | None = None
    """The last chat with messages; returned once the next one starts."""
    silent = number = 0
    for chat in _chats(source):
        if not chat.spoke:
            silent += chat.started
            continue
        if last is not None:
            number += 1
            yield last.finish(alone=False)
        last = chat
    if last is None:
        yield InputError([Problem(f"nothing in it could be read as {FORMAT}", source.name), *source.take_problems()])
        return
    if silent:
        last.draft.unknown["chat without a message"] = silent
    yield last.finish(alone=not number)


def _chats(source: Source) -> Iterator[_Chat]:
    chat = _Chat(source)
    for kind, group in groupby(_lines(source), lambda line: line.kind):
        if kind != "chat":
            chat.take(kind, list(group))
            continue
        for line in group:
            yield chat
            chat = _Chat(source, line)
    yield chat


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
