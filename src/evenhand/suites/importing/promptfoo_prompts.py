"""promptfoo's prompts: templates, inline or in files, as one text or as a conversation.

A template is rendered by a sandboxed Jinja2, of which promptfoo's nunjucks is a port.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import ChainableUndefined, Template, TemplateError, meta
from jinja2.sandbox import SandboxedEnvironment

from evenhand.core.numbers import plain
from evenhand.errors import InputError
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import text_of
from evenhand.suites.placeholders import escaped

PLAIN = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_LOGIC = re.compile(r"\{\{|\{%|\{#")
_LARGEST = 1_000_000
"""The most characters that a template may make."""

_FILTERS = (
    "capitalize", "d", "default", "first", "join", "last", "length", "lower", "replace", "safe", "title", "trim",
    "upper",
)  # fmt: skip
"""Those of Jinja2 that nunjucks has too, beside `dump`."""

_FILES = (".txt", ".md", ".j2", ".json", ".yaml", ".yml")
_NAMED = re.compile(r"\S+\.(?:txt|md|j2|jsonl?|ya?ml|csv|py|[cm]?[jt]s|sh)(?::\w+)?")
"""What promptfoo takes for the name of a file."""

_ELSEWHERE = ("exec:", "portkey://", "langfuse://", "helicone://", "http://", "https://")
PASS_ON = "{{prompt}}"
"""What promptfoo uses when there are no prompts."""

Messages = tuple[tuple[str, str], ...]
"""Role and text."""


class NotRendered(ValueError):
    """A template that cannot be rendered; the message is a noun phrase."""


class Prompt(NamedTuple):
    """One prompt; a conversation has several messages."""

    label: str
    messages: Messages
    steps: tuple[str | int, ...] = ()
    """Where in the configuration."""

    @property
    def variables(self) -> set[str]:
        """The variables that its templates mention."""
        return {name for _, text in self.messages for name in names_in(text)}

    def template(self, names: Mapping[str, str]) -> list[str] | None:
        """Its texts with our placeholders; None where they hold more than variables, or words in braces of ours."""
        texts = []
        for _, text in self.messages:
            pieces = PLAIN.split(text)  # text, name, text, ...
            outside = [escaped(piece) for piece in pieces[::2]]
            if None in outside or any(_LOGIC.search(piece) for piece in pieces[::2]):
                return None
            pieces[::2] = [piece or "" for piece in outside]
            pieces[1::2] = [names[name] for name in pieces[1::2]]
            texts.append("".join(pieces))
        return texts

    def filled(self, variables: Mapping[str, Any]) -> Messages:
        """Its messages for one test."""
        return tuple((role, rendered(text, variables)) for role, text in self.messages)


class _Environment(SandboxedEnvironment):
    """Nothing of Python can be reached by a name: a value's parts are those that JSON gave it."""

    def getitem(self, obj: Any, argument: Any) -> Any:
        if argument == "length" and isinstance(obj, list | str):
            return len(obj)
        try:
            return obj[argument]
        except (LookupError, TypeError):
            return self.undefined(name=str(argument))

    def getattr(self, obj: Any, attribute: str) -> Any:
        is_loop = type(obj).__name__ == "LoopContext"
        return super().getattr(obj, attribute) if is_loop else self.getitem(obj, attribute)


def _dump(value: Any, spaces: int | None = None) -> str:
    return json.dumps(
        value, ensure_ascii=False, indent=spaces, separators=None if spaces else (",", ":"), default=plain
    )


def _finalize(value: Any) -> str:
    return "" if isinstance(value, ChainableUndefined) else text_of(value)


_ENVIRONMENT = _Environment(
    keep_trailing_newline=True, autoescape=False, undefined=ChainableUndefined, finalize=_finalize, cache_size=0
)
_ENVIRONMENT.filters = {name: _ENVIRONMENT.filters[name] for name in _FILTERS} | {"dump": _dump}
_ENVIRONMENT.globals = {}


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[Template, frozenset[str]]:
    try:
        tree = _ENVIRONMENT.parse(text)
        names = frozenset(meta.find_undeclared_variables(tree))
        template = _ENVIRONMENT.from_string(text)
    except (TemplateError, SyntaxError, RecursionError, MemoryError) as error:
        raise _refused(error) from None
    if "env" in names:
        raise NotRendered("a variable of the environment in a template")
    return template, names


def _refused(error: BaseException) -> NotRendered:
    return NotRendered(
        f"an error in a template ({(str(error) or type(error).__name__).splitlines()[0][:60].rstrip('.')})"
    )


def names_in(text: str) -> frozenset[str]:
    """The variables that a template mentions."""
    return _parsed(text)[1] if _LOGIC.search(text) else frozenset()


def is_logic(text: str) -> bool:
    """Whether a template does more than showing variables."""
    return _LOGIC.search(PLAIN.sub("", text)) is not None


def rendered(text: str, variables: Mapping[str, Any]) -> str:
    """A template with its variables; one that is not there is empty, as in promptfoo."""
    if not is_logic(text):  # as it is otherwise: Jinja2 would make line breaks alike
        return PLAIN.sub(lambda match: text_of(variables.get(match[1])), text)
    pieces: list[str] = []
    length = 0
    try:
        for piece in _parsed(text)[0].generate(dict(variables)):
            pieces.append(piece)
            length += len(piece)
            if length > _LARGEST:
                raise NotRendered("a text of more than a million characters")
    except (TemplateError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        if isinstance(error, NotRendered):
            raise
        raise _refused(error) from None
    return "".join(pieces)


def prompts_of(config: Mapping[str, Any], folder: Path, notes: ImportNotes) -> list[Prompt]:
    """The prompts of a configuration that can be read."""
    value = config.get("prompts", [PASS_ON])
    prompts: list[Prompt] = []
    for number, item in enumerate(value if isinstance(value, list) else [value]):
        steps = ("prompts", number) if isinstance(value, list) else ("prompts",)
        label, text = "", item
        if isinstance(item, Mapping):
            notes.rest(item, ("id", "label", "raw"), *steps)
            label, text = str(item.get("label") or ""), item.get("raw") or item.get("id")
        if not isinstance(text, str) or not text.strip():
            notes.left_out("a prompt that is not text", *steps)
            continue
        try:
            for name, part in _texts(text, folder):
                prompt = Prompt(label or name, _messages(part), steps)
                shows = prompt.variables  # raises where a template cannot be rendered
                if shows and any("{%" in words for _, words in prompt.messages):
                    notes.changed("a template is rendered by Jinja2; look at its conditions and loops", *steps)
                prompts.append(prompt)
        except (InputError, ValueError, RecursionError) as error:
            notes.left_out(f"the prompt {' '.join(text.split())[:60]}: {error}", *steps)
    return prompts


def _texts(text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """What a prompt is, or the texts in the files that it names, each with its name."""
    if text.startswith(_ELSEWHERE):
        raise ValueError("it is not in a file here")
    name = text.removeprefix("file://").strip()
    if name == text.strip() and not (len(name) < 1000 and _NAMED.fullmatch(name)):
        yield "", text
        return
    paths = files_named(folder, name)
    if not paths:
        raise ValueError("there are no such files")
    for path in paths:
        suffix = path.suffix.partition(":")[0].lower()
        if suffix not in _FILES:
            raise ValueError(f"of files with prompts, only {', '.join(_FILES)} are read")
        content = read_text(str(path))
        # Only in a text file do lines of dashes separate several prompts.
        parts = re.split(r"(?m)^[^\S\n]*---[^\S\n]*$", content.replace("\r\n", "\n")) if suffix == ".txt" else [content]
        if suffix in (".yaml", ".yml"):
            parts = [json.dumps(load_yaml(content, str(path)).value, ensure_ascii=False, default=plain)]
        for part in parts:
            if part.strip():
                yield path.stem, part.strip() if suffix == ".txt" else part


def files_named(folder: Path, name: str) -> list[Path]:
    """The files in a folder that a name or a pattern stands for, in order."""
    if "*" not in name:
        return [folder / name]
    try:
        return sorted(path for path in folder.glob(name) if path.is_file())
    except (ValueError, OSError, NotImplementedError, IndexError):
        return []


def _messages(text: str) -> Messages:
    """A prompt's messages; one that is JSON, or a list of roles in YAML, is a conversation."""
    value: Any = None
    stripped = text.strip()
    if stripped.startswith(("[", "{")) and not stripped.startswith(("{{", "{%", "{#")):
        try:
            value = json.loads(stripped)
        except ValueError:
            value = None
    elif stripped.startswith("- role:"):
        value = load_yaml(stripped, "a conversation").value
    if not isinstance(value, list | dict):
        return (("user", text),)
    if not isinstance(value, list) or not value:
        raise ValueError("it is not a list of messages")
    messages = []
    for item in value:
        if not isinstance(item, dict) or not isinstance(item.get("content"), str) or item.keys() - {"role", "content"}:
            raise ValueError("a message holds more than text")
        if item.get("role") not in ("system", "user", "assistant"):
            raise ValueError(f"a message has the role {str(item.get('role'))[:20]}")
        messages.append((str(item["role"]), str(item["content"])))
    if messages[-1][0] != "user":
        raise ValueError("its last message is not the user's")
    return tuple(messages)
