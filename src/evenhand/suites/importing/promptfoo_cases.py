"""promptfoo's tests as cases: which part of a prompt is in the case, and which in the variant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.promptfoo_prompts import Messages, Prompt
from evenhand.suites.importing.promptfoo_templates import NotRendered, has_object, text_of
from evenhand.suites.importing.promptfoo_tests import Test


class Plan(NamedTuple):
    """Where the prompts of a configuration go."""

    prompts: tuple[Prompt, ...]
    shared: str | None = None
    """The variable that is the case's prompt."""
    rendered: Mapping[int, tuple[str, ...]] = {}
    """By a prompt's place: the variables of each case that hold its finished messages."""

    @property
    def is_in_case(self) -> bool:
        """Whether the case holds the whole prompt."""
        return len(self.prompts) == 1 and self.shared is None


def plan_of(prompts: list[Prompt], tests: list[Test], notes: ImportNotes) -> Plan:
    """The plan for some prompts; those that cannot be beside others are left out."""
    is_changed = any(test.prefix or test.suffix for test in tests)
    shared = None if is_changed else _shared_variable(prompts)
    if shared is not None or len(prompts) == 1:
        return Plan(tuple(prompts), shared)
    fitting = [prompt for prompt in prompts if _is_short(prompt, notes)]
    if len(fitting) < len(prompts):
        return plan_of(fitting, tests, notes) if fitting else Plan(())
    taken = {name for prompt in fitting for name in prompt.variables}
    rendered = {}
    for place, prompt in enumerate(fitting):
        if is_changed or not prompt.is_template:
            name = f"prompt_{place + 1}"
            while name in taken:
                name += "_"
            rendered[place] = (f"{name}_system", name) if len(prompt.messages) > 1 else (name,)
    return Plan(tuple(fitting), None, rendered)


def _shared_variable(prompts: list[Prompt]) -> str | None:
    """The one variable that all prompts have, each in one message with nothing but text around it."""
    names = set().union(*(prompt.variables for prompt in prompts))
    plain = all(len(prompt.messages) == 1 and prompt.variables == names and prompt.is_template for prompt in prompts)
    return names.pop() if plain and len(names) == 1 else None


def _is_short(prompt: Prompt, notes: ImportNotes) -> bool:
    """Whether a prompt can be a variant's beside others: one message, or a system's and a user's."""
    if [role for role, _ in prompt.messages] in (["user"], ["system", "user"]):
        return True
    title = " ".join((prompt.label or prompt.messages[-1][1]).split())[:50]
    what = f'the prompt "{title}": it is a longer conversation; import it by itself, in a configuration of its own'
    notes.left_out(what, *prompt.steps)
    return False


def case_of(test: Test, plan: Plan) -> dict[str, Any] | None:
    """The case that a test is; None when it is left out."""
    case: dict[str, Any] = {"id": test.id}
    used = set[str]().union(*(prompt.variables for prompt in plan.prompts))
    if lost := sorted(name for name in test.unread if _is_mentioned(name, plan)):
        test.notes.left_out(f"the test {test.id}, because its variable {lost[0]} could not be read", *test.steps)
        return None
    try:
        texts = [prompt.filled(test.variables, test.prefix, test.suffix) for prompt in plan.prompts]
    except NotRendered as error:
        test.notes.left_out(f"the test {test.id}, because of {error} in a template", *test.steps)
        return None
    case |= _words(test, plan, texts)
    if not plan.is_in_case and plan.shared is None:
        plain = {name for place, prompt in enumerate(plan.prompts) if place not in plan.rendered
                 for name in prompt.variables}  # fmt: skip
        case["vars"] = {name: text_of(test.variables.get(name)) for name in sorted(plain)}
        for place, names in plan.rendered.items():
            case["vars"] |= dict(zip(names, (text for _, text in texts[place]), strict=True))
    for name in sorted(used - test.variables.keys()):
        test.notes.changed(f"the test {test.id} has no variable {name}; it is empty", *test.steps)
    for name in sorted(used & test.variables.keys()):
        if has_object(test.variables[name]):
            test.notes.changed(
                f"the variable {name} holds an object, which is written as JSON", *test.steps, "vars", name
            )
    if "prompt" in case and not case["prompt"].strip():
        test.notes.left_out(f"the test {test.id}, because its prompt is empty", *test.steps)
        return None
    if test.expect:
        case["expect"] = list(test.expect)
    if test.tags:
        case["tags"] = list(test.tags)
    return case


def _words(test: Test, plan: Plan, texts: list[Messages]) -> dict[str, Any]:
    """The case's own prompt or conversation."""
    if plan.shared is not None:
        return {"prompt": text_of(test.variables.get(plan.shared))}
    if plan.is_in_case and len(texts[0]) > 1:
        return {"conversation": [{"role": role, "content": text} for role, text in texts[0]]}
    return {"prompt": texts[0][-1][1]}


def _is_mentioned(name: str, plan: Plan) -> bool:
    tag = re.compile(rf"\{{[{{%][^}}]*\b{re.escape(name)}\b")
    return any(tag.search(text) for prompt in plan.prompts for _, text in prompt.messages)
