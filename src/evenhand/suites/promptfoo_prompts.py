"""promptfoo's prompts: inline, in text files, and as a conversation in JSON. Templates with logic are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.basics.numbers import plain
from evenhand.errors import InputError
from evenhand.reading.text import read_text
from evenhand.suites.import_notes import ImportNotes
from evenhand.suites.paths import is_file
from evenhand.suites.placeholders import escaped

_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}")
_LOGIC = re.compile(r"\{\{|\{%|\{#")
_TEXTS = (".txt", ".md", ".j2")
PASS_ON = "{{prompt}}"
"""What promptfoo uses when there are no prompts."""


class Prompt(NamedTuple):
    """One prompt; a conversation has several messages."""

    label: str
    messages: tuple[tuple[str, str], ...]
    """Role and text."""
    steps: tuple[str | int, ...] = ()
    """Where in the configuration."""

    @property
    def variables(self) -> set[str]:
        """The variables in it."""
        return {name for _, text in self.messages for name in _VARIABLE.findall(text)}


def filled(text: str, variables: Mapping[str, Any]) -> str:
    """A text with its variables replaced; one that a test does not have is empty, as in promptfoo."""
    return _VARIABLE.sub(lambda match: shown(variables.get(match[1], "")), text)


def template(text: str, names: Mapping[str, str]) -> str | None:
    """A text with its variables as placeholders of a variant; None when its other braces would be some, too."""
    parts: list[str] = []
    end = 0
    for match in _VARIABLE.finditer(text):
        between = escaped(text[end : match.start()])
        if between is None:
            return None
        parts += [between, names[match[1]]]
        end = match.end()
    last = escaped(text[end:])
    return None if last is None else "".join([*parts, last])


def shown(value: Any) -> str:
    """A variable's value as the template shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return f"{value:f}" if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=plain)


def prompts_of(config: Mapping[str, Any], folder: Path, notes: ImportNotes) -> list[Prompt]:
    """The prompts of a configuration that are plain templates."""
    value = config.get("prompts", [PASS_ON])
    made: list[Prompt] = []
    for number, item in enumerate(value if isinstance(value, list) else [value]):
        steps = ("prompts", number) if isinstance(value, list) else ("prompts",)
        label, text = "", item
        if isinstance(item, Mapping):
            notes.rest(item, ("id", "label", "raw"), *steps)
            label, text = str(item.get("label") or ""), item.get("raw") or item.get("id")
        if not isinstance(text, str):
            notes.left_out("a prompt that is no text", *steps)
            continue
        for prompt in _prompts(text, label, folder, notes, steps):
            if any(_LOGIC.search(_VARIABLE.sub("", words)) for _, words in prompt.messages):
                notes.left_out("a prompt with filters or logic in its template", *steps)
            else:
                made.append(prompt._replace(steps=steps))
    return made


def _prompts(text: str, label: str, folder: Path, notes: ImportNotes, steps: tuple[str | int, ...]) -> Iterator[Prompt]:
    name = text.removeprefix("file://")
    path = folder / name if "\n" not in name and len(name) < 1000 and "\0" not in name else None
    named = path is not None and (text.startswith("file://") or path.suffix in (*_TEXTS, ".json"))
    if path is None or not named or not (text.startswith("file://") or is_file(path)):
        if "://" in text.partition(" ")[0] or text.startswith("exec:"):
            notes.left_out(f"the prompt {text[:60]}", *steps)
        else:
            yield Prompt(label, (("user", text),))
        return
    try:
        if path.suffix in _TEXTS:
            for part in re.split(r"(?m)^---\s*$", read_text(str(path))):
                if part.strip():
                    yield Prompt(label or path.stem, (("user", part.strip()),))
        elif path.suffix == ".json":
            yield Prompt(label or path.stem, _messages(json.loads(read_text(str(path)))))
        else:
            notes.left_out(f"the prompt {text[:60]}: only .txt, .md, .j2 and .json are read", *steps)
    except (InputError, ValueError, RecursionError) as error:
        notes.left_out(f"the prompt {text[:60]}: {error}", *steps)


def _messages(value: Any) -> tuple[tuple[str, str], ...]:
    """The messages of a conversation; ValueError when it has other things in it."""
    if not isinstance(value, list) or not value:
        raise ValueError("it is no list of messages")
    made = []
    for item in value:
        if not isinstance(item, dict) or not isinstance(item.get("content"), str):
            raise ValueError("a message holds more than text")
        if item.get("role") not in ("system", "user", "assistant"):
            raise ValueError(f"a message has the role {str(item.get('role'))[:20]}")
        made.append((item["role"], item["content"]))
    if made[-1][0] != "user":
        raise ValueError("its last message is not the user's")
    return tuple(made)
