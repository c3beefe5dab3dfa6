"""waza's graders as expectations: those whose meaning is the same here, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import (
    about_answer,
    matching,
    no_match,
    seconds,
    text_of,
    with_any,
    without_case,
)

_READ = ("type", "name", "config")


def graders(value: Any, notes: ImportNotes, *steps: str | int) -> list[Any]:
    """The expectations of a list of graders; the others are left out with their line."""
    expectations: list[Any] = []
    for number, item in enumerate(value if isinstance(value, list) else []):
        path = (*steps, number)
        if not isinstance(item, Mapping):
            notes.left_out("a grader that is not an object", *path)
            continue
        kind = str(item.get("type") or "")
        config = item.get("config")
        reader = _GRADERS.get(kind)
        if reader is None or not isinstance(config, Mapping):
            notes.left_out(f"the grader {str(item.get('name') or '')[:40]} ({kind or 'of another file'})", *path)
            continue
        notes.rest(item, _READ, *path)
        expectations += reader(config, notes, (*path, "config"))
    return expectations


def expected(value: Any, notes: ImportNotes, *steps: str | int) -> list[Any]:
    """What is under `expected` in a task."""
    if not isinstance(value, Mapping):
        return []
    expectations: list[Any] = []
    if texts := _texts(value, "output_contains", notes, steps):
        expectations += without_case(texts)
    if texts := _texts(value, "output_contains_any", notes, steps):
        expectations.append(with_any(texts, ignore_case=True))
    expectations += _lacking(_texts(value, "output_not_contains", notes, steps))
    behavior = value.get("behavior")
    if isinstance(behavior, Mapping):
        expectations += _behavior(behavior, notes, (*steps, "behavior"))
    notes.rest(value, ("output_contains", "output_contains_any", "output_not_contains", "behavior"), *steps)
    return expectations


Steps = tuple[str | int, ...]


def _text(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    expectations = without_case(_texts(config, "contains", notes, steps)) + _lacking(
        _texts(config, "not_contains", notes, steps)
    )
    if texts := _texts(config, "contains_cs", notes, steps):
        expectations.append(about_answer("contains", texts))
    if texts := _texts(config, "not_contains_cs", notes, steps):
        expectations.append(about_answer("lacks", texts))
    for key, reader in (("regex_match", matching), ("regex_not_match", no_match)):
        for pattern in _texts(config, key, notes, steps):
            expectation = None if "[[:" in pattern else reader(pattern)
            if expectation is None:
                notes.left_out(f"the pattern {pattern[:60]}", *steps, key)
            else:
                expectations.append(expectation)
    known = ("contains", "not_contains", "contains_cs", "not_contains_cs", "regex_match", "regex_not_match")
    notes.rest(config, known, *steps)
    return expectations


def _file(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    expectations: list[Any] = []
    for key, exists in (("must_exist", True), ("must_not_exist", False)):
        for path in _texts(config, key, notes, steps):
            expectations.append({"file": {"path": path, "exists": exists}})
    notes.rest(config, ("must_exist", "must_not_exist"), *steps)
    return expectations


def _behavior(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    expectations: list[Any] = []
    for key, what in (("max_tokens", "tokens"), ("max_tool_calls", "calls")):
        if isinstance(config.get(key), int | float | Decimal) or str(config.get(key, "")).isdigit():
            expectations.append({"limit": {what: config[key]}})
    for key in ("max_duration_ms", "max_response_time_ms"):
        if (limit := seconds(config.get(key))) is not None:
            expectations.append({"limit": {"seconds": limit}})
    for key, rule in (("required_tools", "made"), ("forbidden_tools", "not_made")):
        if names := _texts(config, key, notes, steps):
            expectations.append({"calls": {rule: names}})
    read = (
        "max_tokens",
        "max_tool_calls",
        "max_duration_ms",
        "max_response_time_ms",
        "required_tools",
        "forbidden_tools",
    )
    notes.rest(config, read, *steps)
    return expectations


def _actions(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    rules = {"in_order_match": "in_order", "any_order_match": "made"}
    mode, names = str(config.get("matching_mode")), _texts(config, "expected_actions", notes, steps)
    if mode not in rules or not names:
        notes.left_out(f"a sequence of actions by {mode[:40]}", *steps)
        return []
    return [{"calls": {rules[mode]: names}}]


def _tools(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    expectations: list[Any] = []
    for key, rule in (("expect_tools", "made"), ("reject_tools", "not_made")):
        listed = config.get(key)
        for number, item in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(item, Mapping) and item.keys() == {"tool"} and isinstance(item["tool"], str):
                expectations.append({"calls": {rule: item["tool"]}})
            else:
                notes.left_out("a tool with a pattern for its arguments", *steps, key, number)
    return expectations


def _skills(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    """The expectations of `skill_invocation`; an order of several skills has no counterpart."""
    required = _texts(config, "required_skills", notes, steps)
    expectations: list[Any] = [{"skill": {"unused": name}} for name in _texts(config, "forbidden_skills", notes, steps)]
    is_set = config.get("mode") == "any_order" or (config.get("mode") == "in_order" and len(required) == 1)
    if required and is_set and len({*required}) == len(required) and config.get("allow_extra", True) is True:
        expectations += [{"skill": {"used": name}} for name in required]
    elif required:
        notes.left_out("skills in an order, several times, or without others", *steps, "required_skills")
    notes.rest(config, ("required_skills", "forbidden_skills", "mode", "allow_extra"), *steps)
    return expectations


def _prompt(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    text = config.get("prompt")
    notes.rest(config, ("prompt",), *steps)
    if not isinstance(text, str) or not text.strip():
        notes.left_out("a prompt that is not text", *steps)
        return []
    notes.changed("the prompt of a grader is a sentence that judges decide; read it again", *steps, "prompt")
    return [{"text": text.strip()}]


def _regex(config: Mapping[str, Any], notes: ImportNotes, steps: Steps) -> list[Any]:
    """The expectations of a `regex` grader, the older form of `text`."""
    names = {"must_match": "regex_match", "must_not_match": "regex_not_match"}
    return _text({names.get(key, key): value for key, value in config.items()}, notes, steps)


_GRADERS = {
    "text": _text,
    "regex": _regex,
    "file": _file,
    "behavior": _behavior,
    "action_sequence": _actions,
    "tool_constraint": _tools,
    "skill_invocation": _skills,
    "prompt": _prompt,
}


def _lacking(texts: list[str]) -> list[Any]:
    return [no_match(f"(?i){re.escape(text)}") for text in texts]


def _texts(config: Mapping[str, Any], key: str, notes: ImportNotes, steps: Steps) -> list[str]:
    """A list of texts, numbers among them as they are written; what else is there is noted."""
    value = config.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        notes.left_out(f"{key}, which is not a list", *steps, key)
        return []
    texts = []
    for number, item in enumerate(value):
        text = text_of(item) if isinstance(item, Decimal) else item
        if isinstance(text, str) and text:
            texts.append(text)
        else:
            notes.left_out(f"an entry of {key} that is not text", *steps, key, number)
    return texts
