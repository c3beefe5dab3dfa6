"""A promptfoo configuration as a suite: prompts, providers, tests and scenarios with variables and assertions.

promptfoo compares prompts with one another, so each is a variant, of every provider. When all have one and the same
variable, that is the case's prompt; otherwise cases have variables, and variants templates with them. A single prompt
with several variables is filled in for each case, and so is a template that does more than showing variables.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.core.numbers import exact
from evenhand.errors import InputError, Problem
from evenhand.files.located import Located
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import seconds, unique
from evenhand.suites.importing.promptfoo_cases import Plan, case_of, plan_of
from evenhand.suites.importing.promptfoo_prompts import Prompt, prompts_of, template
from evenhand.suites.importing.promptfoo_references import dereferenced
from evenhand.suites.importing.promptfoo_tests import tests_of
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
    "description", "prompts", "providers", "targets", "tests", "scenarios", "defaultTest", "evaluateOptions",
    "outputPath", "assertionTemplates",
)  # fmt: skip


def from_promptfoo(document: Located, notes: ImportNotes, folder: Path) -> dict[str, Any]:
    """The suite that a promptfoo configuration describes."""
    base = Path(document.source).absolute().parent
    config: Mapping[str, Any] = dereferenced(document.value, base, notes)
    notes.rest(config, (*_READ, "$schema"))
    prompts = prompts_of(config, base, notes)
    if not prompts:
        raise InputError([*notes.problems, Problem("no prompt could be imported", document.source)])
    tests = tests_of(config, base, notes)
    plan = plan_of(prompts, tests, notes)
    if not plan.prompts:
        raise InputError([*notes.problems, Problem("no prompt could be imported", document.source)])
    variants = _beside(_variants(config, plan, notes), base, folder)
    cases = [case for test in tests if (case := case_of(test, plan)) is not None]
    if not cases:
        raise InputError([*notes.problems, Problem("no test could be imported", document.source)])
    if not variants:
        notes.left_out("every provider; write under variants what is to be run", *_providers_key(config))
    name = slug(str(config.get("description") or base.name))[:60].strip("-") or "imported"
    return {"suite": name, **_options(config, notes), "cases": cases, "variants": variants}


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
    if limit:
        suite["limits"] = {"seconds": limit}
    return suite


def _variants(config: Mapping[str, Any], plan: Plan, notes: ImportNotes) -> dict[str, Any]:
    (key,) = _providers_key(config)
    value = config.get(key, [])
    variants: dict[str, Any] = {}
    taken: set[str] = set()
    for number, item in enumerate(value if isinstance(value, list) else [value]):
        steps = (key, number) if isinstance(value, list) else (key,)
        item = _with_id(item)
        name, fields = _provider(item, notes, steps)
        if fields is None:
            continue
        wanted = [(place, prompt) for place, prompt in enumerate(plan.prompts) if _is_wanted(prompt, item)]
        if not wanted:
            notes.left_out("a provider whose prompts were not imported", *steps, "prompts")
        for place, prompt in wanted:
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


def _providers_key(config: Mapping[str, Any]) -> tuple[str]:
    return ("providers",) if "providers" in config else ("targets",)


def _with_id(item: Any) -> Any:
    """A provider that is written as `id: options`, with its id inside."""
    if isinstance(item, Mapping) and "id" not in item and len(item) == 1:
        ((identity, options),) = item.items()
        return {"id": identity, **(options if isinstance(options, Mapping) else {})}
    return item


def _is_wanted(prompt: Prompt, provider: Any) -> bool:
    """Whether a provider is asked this prompt: all, or those that it names."""
    wanted = provider.get("prompts") if isinstance(provider, Mapping) else None
    if wanted is None:
        return True
    names = [str(name) for name in (wanted if isinstance(wanted, list) else [wanted])]
    return any(_is_named(name, prompt) for name in names)


def _is_named(name: str, prompt: Prompt) -> bool:
    start = name.removesuffix("*") if name.endswith("*") else f"{name}:"
    return any(known in (name, f"file://{name}") or known.startswith(start) for known in prompt.names)


def _with_prompt(fields: dict[str, Any], prompt: Prompt, place: int, plan: Plan) -> dict[str, Any]:
    """A provider's variant with a prompt around the case's own, or around its variables."""
    if plan.is_in_case:
        return fields
    if place in plan.rendered:
        texts = [f"{{vars.{name}}}" for name in plan.rendered[place]]
    else:
        names = {name: "{prompt}" if name == plan.shared else f"{{vars.{name}}}" for name in prompt.variables}
        texts = [template(text, names) or "" for _, text in prompt.messages]
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
        notes.rest(item, ("id", "label", "prompts", "transform"), *steps)
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
