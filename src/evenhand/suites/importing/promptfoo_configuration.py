"""A promptfoo configuration as a suite: prompts, providers, and tests with variables and assertions.

promptfoo compares prompts with one another, so each is a variant, of every provider. When all have one and the same
variable, that is the case's prompt; otherwise cases have variables, and variants templates with them. A single prompt
with several variables is filled in for each case, and so is a template that does more than showing variables.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.numbers import exact
from evenhand.errors import InputError, Problem
from evenhand.files.located import Located
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import is_plain, seconds, text_of, unique
from evenhand.suites.importing.promptfoo_prompts import NotRendered, Prompt, prompts_of
from evenhand.suites.importing.promptfoo_tests import Test, tests_of
from evenhand.suites.paths import absolute, is_file
from evenhand.work.names import slug

_MODELS = ("openai", "anthropic", "ollama")
_KINDS = ("chat", "completion", "completions", "messages", "responses")
_NO_TEXT = (
    "agents", "assistant", "chatkit", "claude-agent-sdk", "claude-code", "codex", "codex-app-server", "codex-sdk",
    "embedding", "embeddings", "image", "moderation", "realtime", "speech", "transcription", "tts", "video",
)  # fmt: skip
"""Kinds of models under a provider's name that do not answer with text."""

_READ = (
    "description",
    "prompts",
    "providers",
    "targets",
    "tests",
    "defaultTest",
    "evaluateOptions",
    "outputPath",
    "assertionTemplates",
)


class _Plan(NamedTuple):
    """Where the prompts of a configuration go."""

    prompts: tuple[Prompt, ...]
    shared: str | None = None
    """The variable that is the case's prompt."""
    rendered: frozenset[int] = frozenset()
    """The places of prompts that each case holds finished, in variables of its own."""

    @property
    def is_in_case(self) -> bool:
        """Whether the case holds the whole prompt."""
        return len(self.prompts) == 1 and self.shared is None


def from_promptfoo(document: Located, notes: ImportNotes, folder: Path) -> dict[str, Any]:
    """The suite that a promptfoo configuration describes, with paths that start at `folder`."""
    base = Path(document.source).absolute().parent
    config: Mapping[str, Any] = document.value
    notes.rest(config, (*_READ, "$schema"))
    plan = _plan(prompts_of(config, base, notes), notes)
    if not plan.prompts:
        raise InputError([*notes.problems, Problem("no prompt could be imported", document.source)])
    variants = _beside(_variants(config, plan, notes), base, folder)
    cases = [case for test in tests_of(config, base, notes) if (case := _case(test, plan)) is not None]
    if not cases:
        raise InputError([*notes.problems, Problem("no test could be imported", document.source)])
    if not variants:
        notes.left_out("every provider; write under variants what is to be run", _providers_key(config))
    name = slug(str(config.get("description") or base.name))[:60].strip("-") or "imported"
    return {"suite": name, **_options(config, notes), "cases": cases, "variants": variants}


def _plan(prompts: list[Prompt], notes: ImportNotes) -> _Plan:
    """The plan for some prompts. Beside others, only one message, or a system's and a user's, can be a variant's."""
    if len(prompts) > 1:
        for prompt in prompts:
            if not _is_short(prompt):
                title = " ".join((prompt.label or prompt.messages[-1][1]).split())[:50]
                what = "it is a longer conversation; import it by itself, in a configuration of its own"
                notes.left_out(f'the prompt "{title}": {what}', *prompt.steps)
        prompts = [prompt for prompt in prompts if _is_short(prompt)]
    names = set().union(*(prompt.variables for prompt in prompts))
    templates = [prompt.template(dict.fromkeys(prompt.variables, "")) is not None for prompt in prompts]
    alike = all(len(prompt.messages) == 1 and prompt.variables == names for prompt in prompts)
    if len(names) == 1 and alike and all(templates):
        return _Plan(tuple(prompts), names.pop())
    # A text without a variable could not say where the prompt goes.
    rendered = [place for place, prompt in enumerate(prompts) if not (templates[place] and prompt.variables)]
    return _Plan(tuple(prompts), None, frozenset(rendered))


def _is_short(prompt: Prompt) -> bool:
    return [role for role, _ in prompt.messages] in (["user"], ["system", "user"])


def _case(test: Test, plan: _Plan) -> dict[str, Any] | None:
    """The case that a test is; None when it is left out."""
    try:
        texts = [prompt.filled(test.variables) for prompt in plan.prompts]
    except NotRendered as error:
        test.notes.left_out(f"the test {test.id}, because of {error}", *test.steps)
        return None
    used = set[str]().union(*(prompt.variables for prompt in plan.prompts))
    case: dict[str, Any] = {"id": test.id, "prompt": texts[0][-1][1]}
    if plan.shared is not None:
        case["prompt"] = text_of(test.variables.get(plan.shared))
    elif not plan.is_in_case:
        plain = [prompt.variables for place, prompt in enumerate(plan.prompts) if place not in plan.rendered]
        case["vars"] = {name: text_of(test.variables.get(name)) for name in sorted(set().union(*plain))}
        for place in sorted(plan.rendered):
            case["vars"] |= dict(zip(_names(place, plan), (text for _, text in texts[place]), strict=True))
    elif len(texts[0]) > 1:
        del case["prompt"]
        case["conversation"] = [{"role": role, "content": text} for role, text in texts[0]]
    for name in sorted(used):
        if name not in test.variables:
            test.notes.changed(f"the test {test.id} has no variable {name}; it is empty", *test.steps)
        elif not is_plain(test.variables[name]):
            what = f"the variable {name} holds an object, which is written as JSON"
            test.notes.changed(what, *test.steps, "vars", name)
    if not case.get("prompt", "x").strip():
        test.notes.left_out(f"the test {test.id}, because its prompt is empty", *test.steps)
        return None
    return case | {key: list(value) for key, value in (("expect", test.expect), ("tags", test.tags)) if value}


def _names(place: int, plan: _Plan) -> list[str]:
    """The variables of a case that hold a prompt's finished messages."""
    name = f"prompt_{place + 1}"
    taken = {name for prompt in plan.prompts for name in prompt.variables}
    while name in taken:
        name += "_"
    return [name] if len(plan.prompts[place].messages) == 1 else [f"{name}_system", name]


def _options(config: Mapping[str, Any], notes: ImportNotes) -> dict[str, Any]:
    suite: dict[str, Any] = {}
    options = config.get("evaluateOptions")
    if not isinstance(options, Mapping):
        return suite
    notes.rest(options, ("repeat", "timeoutMs", "maxConcurrency", "showProgressBar", "cache"), "evaluateOptions")
    try:
        if "repeat" in options:
            suite["repeats"] = int(exact(options["repeat"]))
    except ValueError:
        notes.left_out("repeat, which is not a number", "evaluateOptions", "repeat")
    limit = seconds(options.get("timeoutMs", 0))
    if limit is None:
        notes.left_out("timeoutMs, which is not a number", "evaluateOptions", "timeoutMs")
    if limit:
        suite["limits"] = {"seconds": limit}
    return suite


def _variants(config: Mapping[str, Any], plan: _Plan, notes: ImportNotes) -> dict[str, Any]:
    key = _providers_key(config)
    value = config.get(key, [])
    variants: dict[str, Any] = {}
    taken: set[str] = set()
    for number, item in enumerate(value if isinstance(value, list) else [value]):
        steps = (key, number) if isinstance(value, list) else (key,)
        item = _with_id(item)
        name, fields = _provider(item, notes, steps)
        if fields is None:
            continue
        for place, prompt in enumerate(plan.prompts):
            if "command" in fields and len(prompt.messages) > 1:
                notes.changed("a program is given the texts of a conversation, not its JSON", *prompt.steps)
            suffix = f"-{slug(prompt.label)[:30] or place + 1}" if len(plan.prompts) > 1 else ""
            variant = unique((slug(name)[:60] or "provider") + suffix, taken)
            variants[variant] = _with_prompt(fields, prompt, place, plan)
    return variants


def _beside(variants: dict[str, Any], base: Path, folder: Path) -> dict[str, Any]:
    """Commands with the files of the configuration's folder by their way from the suite's: a run works in neither.

    A program of that folder may load whatever is beside it, so it can read the folder, without the suite's own files.
    """
    for fields in variants.values():
        if "command" in fields:
            *words, prompt = fields["command"]
            ways = [_way(word, place, base, folder) for place, word in enumerate(words)]
            fields["command"] = [*ways, prompt]
            if ways != words:
                fields["limits"] = {"reads": [Path(os.path.relpath(base.absolute(), folder.absolute())).as_posix()]}
    return variants


def _way(word: str, place: int, base: Path, folder: Path) -> str:
    """The path of a file that a word names; a program without a slash is looked for on PATH, as a shell does."""
    path = absolute(base, word)
    if Path(word).is_absolute() or (place == 0 and "/" not in word) or not is_file(path):
        return word
    way = os.path.relpath(path, folder.absolute())
    return way if way.startswith("../") else f"./{way}"


def _providers_key(config: Mapping[str, Any]) -> str:
    return "providers" if "providers" in config else "targets"


def _with_id(item: Any) -> Any:
    """A provider that is written as `id: options`, with its id inside."""
    if isinstance(item, Mapping) and "id" not in item and len(item) == 1:
        ((identity, options),) = item.items()
        return {"id": identity, **(options if isinstance(options, Mapping) else {})}
    return item


def _with_prompt(fields: dict[str, Any], prompt: Prompt, place: int, plan: _Plan) -> dict[str, Any]:
    """A provider's variant with a prompt around the case's own, or around its variables."""
    if plan.is_in_case:
        return fields
    if place in plan.rendered:
        texts = [f"{{vars.{name}}}" for name in _names(place, plan)]
    else:
        names = {name: "{prompt}" if name == plan.shared else f"{{vars.{name}}}" for name in prompt.variables}
        texts = prompt.template(names) or []
    system, text = (texts[0] if len(texts) > 1 else None), texts[-1]
    if text.strip() == "{prompt}" and system is None:
        return fields
    if "model" in fields:
        return {**fields, "prompt": text} | ({} if system is None else {"system": system})
    return {"command": [*fields["command"][:-1], text if system is None else f"{system}\n\n{text}"]}


def _provider(item: Any, notes: ImportNotes, steps: tuple[str | int, ...]) -> tuple[str, dict[str, Any] | None]:
    """A provider's name, and the variant it is; None when it has no counterpart."""
    label = ""
    if isinstance(item, Mapping):
        notes.rest(item, ("id", "label", "transform"), *steps)
        if "transform" in item:
            notes.left_out("transform; expectations are about the output as it is", *steps, "transform")
        label, item = str(item.get("label") or ""), item.get("id")
    if not isinstance(item, str):
        notes.left_out("a provider that is not text", *steps)
        return label, None
    if item == "echo":
        return label or item, {"command": ["printf", "%s", "{prompt}"]}
    if item.startswith("exec:"):
        try:
            words = shlex.split(item.removeprefix("exec:"))
        except ValueError:
            words = []
        if words:
            notes.changed("exec: the program is given the prompt, but not promptfoo's options and context", *steps)
            return label or words[0], {"command": [*words, "{prompt}"]}
    provider, _, model = item.partition(":")
    kind, colon, rest = model.partition(":")
    if kind in _NO_TEXT or "{{" in item:
        notes.left_out(f"the provider {item[:60]}", *steps)
        return label, None
    model = rest if colon and kind in _KINDS else model
    if provider in _MODELS and model and model not in _KINDS:
        return label or item, {"model": f"{provider}:{model}"}
    notes.left_out(f"the provider {item[:60]}", *steps)
    return label, None
