"""Whether a run may have seen the answers: what its transcript shows of hidden files. Nobody is accused of more.

A tool call that names a hidden path counts, and a tool result that holds a long enough part of a reference or an
expectation. What the agent was given does not count: its prompt, its files, its skill, and what it has written itself;
nor a path that its prompt names.

A run that could not read the answers has not seen them: a path that was kept from it is only noted, and so is a result
that it must have worked out, or taken from a file that cannot be read here as text, such as a PDF.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.decisions.suite import Case, Recorded, Variant
from evenhand.runs.planned import Planner
from evenhand.runs.run_environment import whole_prompt
from evenhand.runs.visible_paths import Hidden, workspaces
from evenhand.runs.workspaces.start_listing import SKILL_FOLDERS, Listing
from evenhand.work.agent_run import ALIKE, KEPT_FROM, SEEN
from evenhand.work.submission import Event, ToolCall

LENGTH = 40
"""Consecutive characters of an answer that no one writes by chance; white space counts as one space."""

_BLOCK = LENGTH // 2
"""A common part of LENGTH characters holds a whole block of this length, wherever blocks of it begin."""

_MOST_GIVEN = 20_000_000
"""Bytes of given files that are read in all."""

_SHOWN = 60
_PATH_END = r"(?![\w.-])"


class AnswerTraces:
    """Looks for traces of the answers in the transcripts of a suite's runs."""

    def __init__(self, hidden: Hidden, planner: Planner) -> None:
        """`planner` knows what each run starts from."""
        self._hidden = [path for path in hidden.answers if path != os.path.realpath(workspaces())]
        self._planner = planner

    def note(self, events: Iterable[Event], case: Case, variant: Variant, repeat: int, *, is_confined: bool) -> str:
        """A note on the first trace; empty without one. `is_confined`: its reading was.

        A trace that shows more comes before one that shows less.
        """
        weaker = ""
        for note in self._notes(events, case, variant, repeat, is_confined=is_confined):
            if note.startswith(SEEN):
                return note
            weaker = weaker or note
        return weaker

    def _notes(
        self, events: Iterable[Event], case: Case, variant: Variant, repeat: int, *, is_confined: bool
    ) -> Iterator[str]:
        planned = self._planner.plan(case, variant, repeat)
        prompt = whole_prompt(case)
        outside, inside = self._patterns(variant, planned.skill)
        answers = [text for text in map(_folded, _answers(case)) if len(text) >= LENGTH]
        written: list[str] = []
        for event in events:
            call = event.call
            if call is None and event.role == "tool":  # a result whose call is not in the transcript
                call = ToolCall("a tool", {}, result=event.text)
            if call is None:
                written.append(event.text)
                continue
            arguments = "\n".join(_texts(call.arguments))
            written.append(arguments)
            for pattern, is_kept in ((outside, is_confined), (inside, True)):
                for match in pattern.finditer(arguments) if pattern is not None else ():
                    if match[0] not in prompt:
                        yield f"{KEPT_FROM if is_kept else SEEN}its call of {call.name} names {match[0]}"
            for answer in answers:
                if part := _common(answer, _folded(call.result or ""), [prompt, *written], planned.listing):
                    said = f'a result of {call.name} holds {len(part)} characters of one: "{part[:_SHOWN]}"'
                    why = _other_source(call, arguments, variant, planned.listing, is_confined=is_confined)
                    yield f"{ALIKE}{said}; {why}" if why else f"{SEEN}{said}"

    def _patterns(self, variant: Variant, skill: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        """Hidden paths as a call may name them: absolute or upwards from the workspace; and those that were left out of
        the skill's copies, where there is nothing to be seen.
        """
        outside = [rf"(?:\.\.)?{re.escape(path)}" for path in self._hidden]
        left_out = () if variant.skill is None else self._planner.left_out.get(variant.skill, ())
        inside = [re.escape(f"{folder}/{skill}/{path}") for folder in SKILL_FOLDERS for path in left_out]
        return _any_path(outside), _any_path(inside)


def _any_path(paths: list[str]) -> re.Pattern[str] | None:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(paths)}){_PATH_END}") if paths else None


def _other_source(call: ToolCall, arguments: str, variant: Variant, start_files: Listing, *, is_confined: bool) -> str:
    """Where else than from the answers a result may come, as a clause; empty when nothing speaks for that."""
    if isinstance(variant.does, Recorded):
        return "what a recorded run was given is not known here"
    if not _texts_of(start_files).is_all:
        return "it was given files that cannot be read here as text"
    if is_confined and not _NETWORK.search(f"{call.name} {arguments}"):
        return "it could not read the answers, so it worked it out or found it in what it was given"
    return ""


_NETWORK = re.compile(r"://|\bweb|web\b|fetch|search_?web|browse|\b(?:curl|wget)\b", re.IGNORECASE)
"""How a call looks that reaches beyond the machine, where a published reference can be found."""


def _answers(case: Case) -> Iterator[str]:
    """The reference and the texts in the expectations."""
    if case.reference:
        yield case.reference
    yield from _texts(case.expect)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, those of its keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _common(answer: str, result: str, given: list[str], start_files: Listing) -> str:
    """The first part that an answer and a result share and that the agent was not given; empty without one."""
    blocks = _blocks(answer)
    end = 0
    for start in range(0, len(result), _BLOCK):
        if start < end or (place := blocks.get(result[start : start + _BLOCK])) is None:
            continue
        part, end = _extended(answer, result, place, start)
        if len(part) >= LENGTH and (rest := _not_given(part, [*map(_folded, given), *_texts_of(start_files).texts])):
            return rest
    return ""


@lru_cache(maxsize=256)
def _blocks(answer: str) -> dict[str, int]:
    """Where each block of an answer first begins; the last ones are shorter, and found only at the end of a result."""
    return {answer[place : place + _BLOCK]: place for place in reversed(range(len(answer)))}


def _extended(answer: str, result: str, place: int, start: int) -> tuple[str, int]:
    """The whole of what both have in common around a block, and where it ends in the result."""
    low, high = 0, _BLOCK
    while place - low > 0 and start - low > 0 and answer[place - low - 1] == result[start - low - 1]:
        low += 1
    while place + high < len(answer) and start + high < len(result) and answer[place + high] == result[start + high]:
        high += 1
    return result[start - low : start + high], start + high


def _not_given(part: str, given: list[str]) -> str:
    """The part if LENGTH characters in a row of it are in none of the given texts; else empty."""
    windows = (part[place : place + LENGTH] for place in range(len(part) - LENGTH + 1))
    return part if any(not any(window in text for text in given) for window in windows) else ""


class _GivenTexts(NamedTuple):
    """The texts of what a run starts from: its files and its skill, with their names."""

    texts: tuple[str, ...]
    is_all: bool
    """Whether every file was read, and is a text."""


@lru_cache(maxsize=16)
def _texts_of(listing: Listing) -> _GivenTexts:
    texts, size, is_all = [" ".join(entry.target for entry in listing)], 0, True
    for source in dict.fromkeys(entry.source for entry in listing if entry.kind == "file"):
        path = Path(source)
        try:
            size += path.stat().st_size
            data = path.read_bytes() if size <= _MOST_GIVEN else b"\0"
        except OSError:
            data = b"\0"
        is_all = is_all and b"\0" not in data
        texts.append(_folded(data.decode(errors="replace")))
    return _GivenTexts(tuple(texts), is_all)
