"""A promptfoo configuration as a suite: prompts, providers, tests with their variables and assertions, defaultTest.

When all prompts have one and the same variable, each is a variant and the variable is the case's prompt, so that
prompts can be compared. Otherwise the first prompt is filled in for each case.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.core.basics.names import slug
from evenhand.core.basics.numbers import exact
from evenhand.errors import InputError, Problem
from evenhand.reading.located import Located
from evenhand.suites.import_notes import ImportNotes
from evenhand.suites.imported_expectations import seconds, unique
from evenhand.suites.promptfoo_prompts import Prompt, filled, prompts_of, shown
from evenhand.suites.promptfoo_tests import Test, tests_of

_MODELS = ("openai", "anthropic", "ollama")
_KINDS = ("chat", "completion", "completions", "messages", "responses")
_READ = ("description", "prompts", "providers", "targets", "tests", "defaultTest", "evaluateOptions", "outputPath")


def from_promptfoo(document: Located, notes: ImportNotes, folder: Path) -> dict[str, Any]:
    """The suite that a promptfoo configuration describes."""
    config: Mapping[str, Any] = document.value
    here = Path(document.source).absolute().parent
    notes.rest(config, (*_READ, "$schema"))
    prompts = prompts_of(config, here, notes)
    if not prompts:
        raise InputError([*notes.problems, Problem("no prompt could be imported", document.source)])
    shared = _shared_variable(prompts)
    if shared is None:
        for prompt in prompts[1:]:
            notes.left_out(
                f"the prompt {_title(prompt)}: import it by itself, in a configuration of its own", "prompts"
            )
    variants = _variants(config, prompts if shared else prompts[:1], shared, notes)
    tests = tests_of(config, here, notes)
    cases = [_case(test, prompts[0], shared, notes) for test in tests]
    if not cases or not variants:
        what = "test" if variants else "provider"
        raise InputError([*notes.problems, Problem(f"no {what} could be imported", document.source)])
    name = slug(str(config.get("description") or here.name))[:60].strip("-") or "imported"
    return {"suite": name, **_options(config, notes), "cases": cases, "variants": variants}


def _shared_variable(prompts: list[Prompt]) -> str | None:
    """The one variable that all prompts have, each in one message."""
    names = set().union(*(prompt.variables for prompt in prompts))
    plain = all(len(prompt.messages) == 1 and prompt.variables == names for prompt in prompts)
    return names.pop() if plain and len(names) == 1 else None


def _title(prompt: Prompt) -> str:
    return f'"{" ".join((prompt.label or prompt.messages[-1][1]).split())[:50]}"'


def _options(config: Mapping[str, Any], notes: ImportNotes) -> dict[str, Any]:
    made: dict[str, Any] = {}
    options = config.get("evaluateOptions")
    if not isinstance(options, Mapping):
        return made
    notes.rest(options, ("repeat", "timeoutMs", "maxConcurrency", "showProgressBar", "cache"), "evaluateOptions")
    try:
        if "repeat" in options:
            made["repeats"] = int(exact(options["repeat"]))
    except ValueError:
        notes.left_out("repeat, which is no number", "evaluateOptions", "repeat")
    limit = seconds(options.get("timeoutMs", 0))
    if limit:
        made["limits"] = {"seconds": limit}
    return made


def _case(test: Test, prompt: Prompt, shared: str | None, notes: ImportNotes) -> dict[str, Any]:
    made: dict[str, Any] = {"id": test.id}
    if shared is not None:
        made["prompt"] = shown(test.variables.get(shared, ""))
    else:
        messages = [(role, filled(text, test.variables)) for role, text in prompt.messages]
        if len(messages) == 1:
            made["prompt"] = messages[0][1]
        else:
            made["conversation"] = [{"role": role, "content": text} for role, text in messages]
    for name in sorted(prompt.variables - test.variables.keys()):
        test.notes.changed(f"the test {test.id} has no variable {name}; it is empty", *test.steps)
    if test.expect:
        made["expect"] = list(test.expect)
    if test.tags:
        made["tags"] = list(test.tags)
    return made


def _variants(
    config: Mapping[str, Any], prompts: list[Prompt], shared: str | None, notes: ImportNotes
) -> dict[str, Any]:
    key = "providers" if "providers" in config else "targets"
    value = config.get(key, [])
    made: dict[str, Any] = {}
    taken: set[str] = set()
    for number, item in enumerate(value if isinstance(value, list) else [value]):
        steps = (key, number) if isinstance(value, list) else (key,)
        name, fields = _provider(item, notes, steps)
        if fields is None:
            continue
        for place, prompt in enumerate(prompts):
            more = f"-{slug(prompt.label)[:30] or place + 1}" if len(prompts) > 1 else ""
            variant = unique((slug(name)[:60] or "provider") + more, taken)
            made[variant] = _with_prompt(fields, prompt, shared)
    return made


def _with_prompt(fields: dict[str, Any], prompt: Prompt, shared: str | None) -> dict[str, Any]:
    """A provider's variant with a prompt around the case's own."""
    if shared is None:
        return fields
    template = filled(prompt.messages[0][1], {shared: "{prompt}"})
    if template.strip() == "{prompt}":
        return fields
    if "model" in fields:
        return {**fields, "prompt": template}
    return {"command": [*fields["command"][:-1], template]}


def _provider(item: Any, notes: ImportNotes, steps: tuple[str | int, ...]) -> tuple[str, dict[str, Any] | None]:
    """A provider's name, and the variant it is; None when it has no counterpart."""
    label = ""
    if isinstance(item, Mapping) and "id" not in item and len(item) == 1:
        ((identity, options),) = item.items()
        item = {"id": identity, **(options if isinstance(options, Mapping) else {})}
    if isinstance(item, Mapping):
        notes.rest(item, ("id", "label"), *steps)
        label, item = str(item.get("label") or ""), item.get("id")
    if not isinstance(item, str):
        notes.left_out("a provider that is no text", *steps)
        return label, None
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
    model = rest if colon and kind in _KINDS else model
    if provider in _MODELS and model and model not in _KINDS:
        return label or item, {"model": f"{provider}:{model}"}
    notes.left_out(f"the provider {item[:60]}", *steps)
    return label, None
