"""promptfoo's prompts: templates, as a text or as a conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.promptfoo_prompt_files import Raw, from_file, paths_of
from evenhand.suites.importing.promptfoo_templates import NotRendered, check_template, rendered
from evenhand.suites.placeholders import escaped

_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}")
_PLAIN = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_LOGIC = re.compile(r"\{\{|\{%|\{#")
_ELSEWHERE = ("exec:", "portkey://", "langfuse://", "helicone://", "http://", "https://")
PASS_ON = "{{prompt}}"
"""What promptfoo uses when there are no prompts."""

Messages = tuple[tuple[str, str], ...]
"""Role and text."""


class Prompt(NamedTuple):
    """One prompt; a conversation has several messages."""

    label: str
    messages: Messages
    names: tuple[str, ...] = ()
    """The names by which a provider may ask for it."""
    steps: tuple[str | int, ...] = ()
    """Where in the configuration."""

    @property
    def variables(self) -> set[str]:
        """The variables that are shown in it as they are."""
        return {name for _, text in self.messages for name in _VARIABLE.findall(text)}

    @property
    def is_template(self) -> bool:
        """Whether it can be a variant's template: text with variables, and no other word in braces."""
        texts = [text for _, text in self.messages]
        names = dict.fromkeys(self.variables, "")
        is_plain = not any(_LOGIC.search(_PLAIN.sub("", text)) for text in texts)
        return is_plain and bool(_PLAIN.search(texts[-1])) and all(template(text, names) is not None for text in texts)

    def filled(self, variables: Mapping[str, Any], prefix: str = "", suffix: str = "") -> Messages:
        """Its messages for one test; NotRendered when a template does more than can be done here."""
        if (prefix or suffix) and len(self.messages) > 1:
            raise NotRendered("a prefix or suffix around a conversation")
        return tuple((role, rendered(f"{prefix}{text}{suffix}", variables)) for role, text in self.messages)


def template(text: str, names: Mapping[str, str]) -> str | None:
    """A text with its variables as placeholders of a variant; None when its other braces would be taken for some."""
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


def prompts_of(config: Mapping[str, Any], folder: Path, notes: ImportNotes) -> list[Prompt]:
    """The prompts of a configuration whose templates are understood."""
    prompts: list[Prompt] = []
    for label, text, names, steps in _listed(config.get("prompts", [PASS_ON]), notes):
        try:
            for raw in _raw(text, label, folder):
                prompt = _prompt(raw, names, steps)
                for _, words in prompt.messages:
                    check_template(words)
                prompts.append(prompt)
        except NotRendered as error:
            notes.left_out(f"a prompt with {error} in its template", *steps)
        except (InputError, ValueError, RecursionError) as error:
            notes.left_out(f"the prompt {' '.join(text.split())[:60]}: {error}", *steps)
    return prompts


def _listed(value: Any, notes: ImportNotes) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str | int, ...]]]:
    """Every prompt's label, text or file, names, and place."""
    if isinstance(value, Mapping) and not value.keys() & {"id", "raw"}:
        for name, label in value.items():
            yield str(label or ""), str(name), (str(label), str(name)), ("prompts", str(name))
        return
    for number, item in enumerate(value if isinstance(value, list) else [value]):
        steps = ("prompts", number) if isinstance(value, list) else ("prompts",)
        label, text = "", item
        if isinstance(item, Mapping):
            notes.rest(item, ("id", "label", "raw"), *steps)
            label, text = str(item.get("label") or ""), item.get("raw") or item.get("id")
        if isinstance(text, str) and text.strip():
            names = [label, str(item["id"]) if isinstance(item, Mapping) and "id" in item else "", text]
            yield label, text, tuple(name for name in names if name), steps
        else:
            notes.left_out("a prompt that is not text", *steps)


def _raw(text: str, label: str, folder: Path) -> Iterator[Raw]:
    """The templates that a text is or names."""
    if text.startswith(_ELSEWHERE):
        raise ValueError("it is not in a file here")
    paths = paths_of(text, folder)
    if paths is None:
        yield Raw(label, text)
    for path in paths or []:
        for raw in from_file(path):
            yield raw if not label else raw._replace(label=label)


def _prompt(raw: Raw, names: tuple[str, ...], steps: tuple[str | int, ...]) -> Prompt:
    """A prompt; one that is JSON, or a list of roles in YAML, is a conversation."""
    text = raw.text.strip()
    names = (*names, raw.name) if raw.name else names
    value: Any = None
    if text.startswith(("[", "{")) and not text.startswith(("{{", "{%", "{#")):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
    elif text.startswith("- role:"):
        from evenhand.files.yaml_values import load_yaml

        value = load_yaml(text, "a conversation").value
    if isinstance(value, list | dict):
        return Prompt(raw.label, _messages(value), names, steps)
    return Prompt(raw.label, (("user", raw.text),), names, steps)


def _messages(value: Any) -> Messages:
    """The messages of a conversation; ValueError when it has other things in it."""
    if not isinstance(value, list) or not value:
        raise ValueError("it is not a list of messages")
    messages = []
    for item in value:
        content = item.get("content") if isinstance(item, dict) else None
        if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
            content = content[0].get("text")
        if not isinstance(content, str) or item.keys() - {"role", "content"}:
            raise ValueError("a message holds more than text")
        if item.get("role") not in ("system", "user", "assistant"):
            raise ValueError(f"a message has the role {str(item.get('role'))[:20]}")
        messages.append((str(item["role"]), content))
    if messages[-1][0] != "user":
        raise ValueError("its last message is not the user's")
    return tuple(messages)
