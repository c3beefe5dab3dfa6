"""Whether a run may have seen the answers: what its transcript shows of hidden files. Nobody is accused of more.

A tool call that names a hidden path counts, and a tool result that holds a long enough part of a reference or an
expectation. What the agent was given does not count: its prompt, its files, its skill, and what it has written itself
before; nor a path that its prompt names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from evenhand.core.values.agent_run import SEEN
from evenhand.core.values.submission import Event, ToolCall
from evenhand.core.values.suite import Case, Variant
from evenhand.runs.planned import Planner
from evenhand.runs.readable_paths import Hidden, workspaces
from evenhand.runs.run_environment import whole_prompt
from evenhand.runs.workspaces.start_listing import SKILL_FOLDERS, Listing

LENGTH = 40
"""Consecutive characters of an answer that nobody writes by chance; white space counts as one space."""

_BLOCK = LENGTH // 2
"""A common part of LENGTH characters holds a whole block of this length, wherever blocks of it begin."""

_LARGEST_FILE = 1_000_000
"""Bytes of a given file that are read."""

_MOST_GIVEN = 5_000_000
"""Characters of given files that are read in all."""

_SHOWN = 60
_PATH_END = r"(?![\w.-])"


class AnswerTraces:
    """Looks for traces of the answers in the transcripts of a suite's runs."""

    def __init__(self, hidden: Hidden, planner: Planner) -> None:
        """`planner` knows what each run starts from."""
        self._hidden = [path for path in hidden.answers if path != os.path.realpath(workspaces())]
        self._planner = planner

    def note(self, events: Iterable[Event], case: Case, variant: Variant, repeat: int) -> str:
        """A note on the first trace; empty without one."""
        planned = self._planner.plan(case, variant, repeat)
        prompt = whole_prompt(case)
        named = self._patterns(variant, planned.skill)
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
            for match in named.finditer(arguments) if named is not None else ():
                if match[0] not in prompt:
                    return f"{SEEN}its call of {call.name} names {match[0]}"
            for answer in answers:
                if part := _common(answer, _folded(call.result or ""), [prompt, *written], planned.listing):
                    return f'{SEEN}a result of {call.name} holds {len(part)} characters of one: "{part[:_SHOWN]}"'
            written.append(arguments)
        return ""

    def _patterns(self, variant: Variant, skill: str) -> re.Pattern[str] | None:
        """Hidden paths as a call may name them: absolute, upwards from the workspace, or in the skill's copies."""
        outside = [rf"(?:\.\.)?{re.escape(path)}" for path in self._hidden]
        left_out = () if variant.skill is None else self._planner.left_out.get(variant.skill, ())
        inside = [re.escape(f"{folder}/{skill}/{path}") for folder in SKILL_FOLDERS for path in left_out]
        return re.compile(rf"(?<![\w-])(?:{'|'.join((*outside, *inside))}){_PATH_END}") if outside or inside else None


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
    for start in range(0, len(result) - _BLOCK + 1, _BLOCK):
        if start < end or (place := blocks.get(result[start : start + _BLOCK])) is None:
            continue
        part, end = _extended(answer, result, place, start)
        if len(part) >= LENGTH and (rest := _not_given(part, [*map(_folded, given), *_texts_of(start_files)])):
            return rest
    return ""


@lru_cache(maxsize=256)
def _blocks(answer: str) -> dict[str, int]:
    return {answer[place : place + _BLOCK]: place for place in range(len(answer) - _BLOCK, -1, -1)}


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


@lru_cache(maxsize=16)
def _texts_of(listing: Listing) -> tuple[str, ...]:
    """The texts of what a run starts from: its files and its skill."""
    texts, size = list[str](), 0
    for source in dict.fromkeys(entry.source for entry in listing if entry.kind == "file"):
        path = Path(source)
        try:
            if size < _MOST_GIVEN and path.stat().st_size <= _LARGEST_FILE:
                texts.append(_folded(path.read_text(encoding="utf-8", errors="replace")))
                size += len(texts[-1])
        except OSError:
            continue
    return tuple(texts)
