"""A promptfoo configuration as a suite: prompts, providers, tests and scenarios with variables and assertions.

promptfoo compares prompts with one another, so each is a variant, of every provider. When all have one and the same
variable, that is the case's prompt; otherwise cases have variables, and variants templates with them. A single prompt
with several variables is filled in for each case.
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
from evenhand.suites.promptfoo_prompts import Prompt, filled, prompts_of, shown, template
from evenhand.suites.promptfoo_tests import Test, tests_of

_MODELS = ("openai", "anthropic", "ollama")
_KINDS = ("chat", "completion", "completions", "messages", "responses")
_READ = (
    "description", "prompts", "providers", "targets", "tests", "scenarios", "defaultTest", "evaluateOptions",
    "outputPath",
)  # fmt: skip


def from_promptfoo(document: Located, notes: ImportNotes, folder: Path) -> dict[str, Any]:
    """The suite that a promptfoo configuration describes."""
    config: Mapping[str, Any] = document.value
    here = Path(document.source).absolute().parent
    notes.rest(config, (*_READ, "$schema"))
    prompts = prompts_of(config, here, notes)
    if not prompts:
        raise InputError([*notes.problems, Problem("no prompt could be imported", document.source)])
    shared = _shared_variable(prompts)
    if shared is None and len(prompts) > 1:
        prompts = [prompt for prompt in prompts if _is_template(prompt, notes)]
        if not prompts:
            raise InputError([*notes.problems, Problem("no prompt could be imported", document.source)])
    variants = _variants(config, prompts, shared, notes)
    tests = tests_of(config, here, notes)
    cases = [case for test in tests if (case := _case(test, prompts, shared)) is not None]
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


def _is_template(prompt: Prompt, notes: ImportNotes) -> bool:
    """Whether a prompt can be a variant's template beside others: one message, or a system's and a user's."""
    roles = [role for role, _ in prompt.messages]
    is_short = roles in (["user"], ["system", "user"])
    if is_short and prompt.variables:
        return True
    title = " ".join((prompt.label or prompt.messages[-1][1]).split())[:50]
    why = "it has no variable" if is_short else "it is a longer conversation"
    notes.left_out(f'the prompt "{title}": {why}; import it by itself, in a configuration of its own', *prompt.steps)
    return False


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


def _case(test: Test, prompts: list[Prompt], shared: str | None) -> dict[str, Any] | None:
    made: dict[str, Any] = {"id": test.id}
    used = set[str]().union(*(prompt.variables for prompt in prompts))
    if shared is not None:
        made["prompt"] = shown(test.variables.get(shared, ""))
    else:
        messages = [(role, filled(text, test.variables)) for role, text in prompts[0].messages]
        if len(messages) == 1:
            made["prompt"] = messages[0][1]
        elif len(prompts) == 1:
            made["conversation"] = [{"role": role, "content": text} for role, text in messages]
        else:
            made["prompt"] = messages[-1][1]
        if len(prompts) > 1 and used:
            made["vars"] = {name: shown(test.variables.get(name, "")) for name in sorted(used)}
    for name in sorted(used - test.variables.keys()):
        test.notes.changed(f"the test {test.id} has no variable {name}; it is empty", *test.steps)
    if "prompt" in made and not made["prompt"].strip():
        test.notes.left_out(f"the test {test.id}, because its prompt is empty", *test.steps)
        return None
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
            whole = _with_prompt(fields, prompt, shared, is_alone=len(prompts) == 1)
            if whole is None:
                notes.left_out("a prompt with words in braces that are placeholders here", *prompt.steps)
            else:
                made[unique((slug(name)[:60] or "provider") + more, taken)] = whole
    return made


def _with_prompt(
    fields: dict[str, Any], prompt: Prompt, shared: str | None, *, is_alone: bool
) -> dict[str, Any] | None:
    """A provider's variant with a prompt around the case's own, or around its variables; None when that has no form."""
    if shared is None and is_alone:
        return fields
    names = {name: "{prompt}" if name == shared else f"{{vars.{name}}}" for name in prompt.variables}
    texts = [template(text, names) for _, text in prompt.messages]
    if None in texts:
        return None
    system, text = (texts[0] if len(texts) > 1 else None), texts[-1] or ""
    if text.strip() == "{prompt}" and system is None:
        return fields
    if "model" in fields:
        return {**fields, "prompt": text} | ({} if system is None else {"system": system})
    return {"command": [*fields["command"][:-1], text if system is None else f"{system}\n\n{text}"]}


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
