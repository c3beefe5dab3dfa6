"""One case from a mapping, wherever the mapping was written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.decisions.suite import NO_RUBRIC, Case, Message
from evenhand.errors import InputError, shortened_line, unknown
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.start_files import SuiteFolder
from evenhand.work.names import slug

CASE = (
    "id",
    "prompt",
    "conversation",
    "files",
    "task",
    "rubric",
    "reference",
    "expect",
    "tags",
    "cluster",
    "weight",
    "vars",
)

_ROLES = ("system", "user", "assistant")


def _anything(value: Any) -> object:
    return None


class Validators(NamedTuple):
    """What other rooms know: each raises InputError when a value is wrong."""

    expect: Callable[[Any], object] = _anything
    rubric: Callable[[str], object] = _anything
    """A name, or an absolute path."""
    judge: Callable[[str], object] = _anything
    """A spec as after --judge."""
    calibration: Callable[[str], object] = _anything
    """An absolute path."""


class CaseReader:
    """Makes cases out of entries, and refuses an id that was there before."""

    def __init__(self, folder: SuiteFolder, validators: Validators) -> None:
        self.folder = folder
        self.validators = validators
        self._places: dict[str, Place] = {}
        self._expectations: dict[str, Any] = {}
        """By their text: cases that expect the same share it."""
        self._rubrics: dict[str, InputError | None] = {}

    def case(self, entry: SuiteEntry, *, id: str | None = None, files_from: Path | None = None) -> Case:
        """The case in an entry. `id` is its name when the entry has none, and relative files start at `files_from`."""
        entry.known(CASE)
        conversation, prompt = self._words(entry)
        name = entry.name("id") if "id" in entry.value else id or _made_id(prompt)
        place = entry.place
        self._take(name, entry, place)
        return Case(
            id=name or "",
            prompt=prompt,
            conversation=conversation,
            files=self.folder.start_files(entry, files_from),
            task=entry.text("task", empty=True),
            rubric=self.rubric(entry),
            reference=entry.text("reference"),
            expect=self._expect(entry),
            tags=_same_tags(tuple(dict.fromkeys(tag.strip() for tag in entry.texts("tags")))),
            cluster=(entry.text("cluster") or "").strip(),
            weight=entry.above_zero("weight") or Decimal(1),
            place=place,
            variables=_variables(entry),
        )

    def rubric(self, entry: SuiteEntry) -> str | None:
        """The rubric an entry names: its name, or the absolute path of its file."""
        text = entry.text("rubric")
        if text is None or (text == NO_RUBRIC and "suite" in entry.value):
            return text
        if text.endswith(".md") or "/" in text or "\\" in text:
            text = str(entry.at(text))
        if text not in self._rubrics:
            self._rubrics[text] = _refusal(self.validators.rubric, text)
        problem = self._rubrics[text]
        if problem is not None:
            entry.refuse("; ".join(str(part) for part in problem.problems), "rubric")
        return text

    def _take(self, name: str | None, entry: SuiteEntry, place: Place) -> None:
        if name is None:
            return
        if name in self._places:
            first = self._places[name]
            advice = "give each case an id of its own" if "id" in entry.value else "give one of them an id"
            where = first.file if first.line is None else f"{first.file}:{first.line}"
            entry.refuse(f'the case "{shortened_line(name)}" already exists, at {where}; {advice}')
        self._places.setdefault(name, place)

    def _words(self, entry: SuiteEntry) -> tuple[tuple[Message, ...], str]:
        """The conversation before the prompt, and the prompt."""
        if ("prompt" in entry.value) == ("conversation" in entry.value):
            entry.refuse("a case needs either a prompt or a conversation")
        if "conversation" not in entry.value:
            return (), entry.text("prompt") or ""
        turns = entry.value["conversation"]
        if not isinstance(turns, list) or not turns:
            entry.refuse("conversation must be a list of {role:, content:}, the last one from the user", "conversation")
            return (), ""
        messages = [_message(entry.inside("conversation", number))
                    for number in range(len(turns))]  # fmt: skip
        if messages[-1].role != "user":
            entry.refuse("the last message of a conversation must be the user's", "conversation", len(turns) - 1)
        return tuple(messages[:-1]), messages[-1].text

    def _expect(self, entry: SuiteEntry) -> Any:
        if "expect" not in entry.value:
            return None
        value = entry.value["expect"]
        listed = [value] if isinstance(value, str) else value
        text = repr(listed)
        if text not in self._expectations:
            problem = _refusal(self.validators.expect, listed)
            if problem is not None:
                entry.refuse_all(problem, "expect")
                return listed
            self._expectations[text] = listed
        return self._expectations[text]


def _refusal(validate: Callable[[Any], object], value: Any) -> InputError | None:
    try:
        validate(value)
    except InputError as error:
        return error
    return None


def _message(entry: SuiteEntry) -> Message:
    entry.known(("role", "content"))
    role, text = entry.text("role"), entry.text("content", empty=True)
    if role is None and "role" not in entry.value:
        entry.refuse(f"a message needs a role: {', '.join(_ROLES)}")
    if "content" not in entry.value:
        entry.refuse("a message needs its content")
    if role is not None and role not in _ROLES:
        entry.refuse(unknown("role", role, _ROLES), "role")
    return Message(role if role in _ROLES else "user", text or "")  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def _same_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """One object for all cases with the same tags."""
    return tags


def _variables(entry: SuiteEntry) -> tuple[tuple[str, str], ...]:
    inner = entry.inner("vars")
    if inner is None:
        return ()
    variables = {}
    for name, value in inner.value.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            inner.refuse("a variable's name has letters, digits and underscores, and does not start with a digit", name)
        if isinstance(value, Decimal):
            variables[name] = f"{value:f}"
        elif (text := inner.text(name, empty=True)) is not None:
            variables[name] = text
    return tuple(variables.items())


def _made_id(prompt: str) -> str | None:
    """An id for a case that has none: its first words, and a hash, so that the order of cases does not matter."""
    if not prompt:
        return None
    words = "-".join(slug(prompt[:200]).split("-")[:4])[:40].strip("-")
    digest = hashlib.sha256(prompt.encode()).hexdigest()[:6]
    return f"{words}-{digest}" if words else digest
