"""Expectations from a plain value: a list of objects, each about one thing. Every problem carries its path.

- answer: {one_of: [Paris, "Paris, France"]}
- calls: {exactly: [{name: cancel_order, arguments: {order_id: W1}}]}
  severity: critical
- limit: {turns: 12}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, get_args

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import exact
from evenhand.core.values.finding import Severity
from evenhand.errors import InputError, Path, Problem, unknown
from evenhand.expectations.expectation import OPTIONS, RULES, About, Expectation

_BESIDE: Final = ("dimension", "severity")
_USUAL_DIMENSION: Final[Mapping[About, str]] = {
    "answer": "correctness",
    "calls": "correctness",
    "file": "completeness",
    "command": "correctness",
    "limit": "efficiency",
    "text": "correctness",
    "graded": "correctness",
}


def expectations_from(value: object) -> tuple[Expectation, ...]:
    """The expectations in a plain value. InputError carries every problem."""
    reader = _Reader()
    expectations = reader.all(value)
    if reader.problems:
        raise InputError(reader.problems)
    return expectations


class _Reader:
    """Collects problems instead of stopping at the first."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def all(self, value: object) -> tuple[Expectation, ...]:
        base: Path = ()
        if isinstance(value, Mapping) and "expect" in value:
            value, base = value["expect"], ("expect",)
        if isinstance(value, Mapping):
            return tuple(self._one(value, base))
        if not isinstance(value, list | tuple) or not value:
            self._refuse(base, "expectations are a list of objects such as {answer: {equals: Paris}}")
            return ()
        lists = (self._one(item, (*base, place)) for place, item in enumerate(value))
        return tuple(expectation for expectations in lists for expectation in expectations)

    def _one(self, item: object, path: Path) -> list[Expectation]:
        if isinstance(item, str):  # skill-creator's form: a sentence that only a reader can decide
            return [Expectation("text", "text", item, {}, "correctness", "major", item)]
        kinds = [key for key in item if key in RULES] if isinstance(item, Mapping) else []
        if not isinstance(item, Mapping) or len(kinds) != 1:
            self._refuse(path, f"an expectation is about exactly one of {', '.join(RULES)}")
            return []
        about: About = kinds[0]
        self._known(item, (about, *_BESIDE), path)
        severity = item.get("severity", "major")
        if severity not in get_args(Severity):
            self._refuse((*path, "severity"), unknown("severity", severity, get_args(Severity)))
        dimension = item.get("dimension", _USUAL_DIMENSION[about])
        if dimension not in DIMENSIONS:
            self._refuse((*path, "dimension"), unknown("dimension", dimension, DIMENSIONS))
        rule_table = item[about]
        if not isinstance(rule_table, Mapping):
            rule_table = self._short_form(about, rule_table, path)
        here = (*path, about)
        self._known(rule_table, (*RULES[about], *OPTIONS[about]), here)
        rules = [rule for rule in RULES[about] if rule in rule_table]
        options = {key: rule_table[key] for key in OPTIONS[about] if key in rule_table}
        if not rules:
            self._refuse(here, f"say what is expected of the {about}: {', '.join(RULES[about])}")
        if about == "file" and not isinstance(options.get("path"), str):
            self._refuse(here, "a file needs its path")
        if about == "command" and "contains" in rules:
            rules.remove("contains")
        for rule in rules:
            self._check(about, rule, rule_table[rule], options, (*here, rule))
        return [
            Expectation(
                about, rule, rule_table[rule], options, dimension, severity, _words(about, rule, rule_table, options)
            )
            for rule in rules
        ]

    def _short_form(self, about: About, value: object, path: Path) -> Mapping[str, Any]:
        """`answer: Paris`, `text: ...`: the usual rule, without naming it."""
        if about == "answer" and isinstance(value, str | int | float) and not isinstance(value, bool):
            return {"is": str(value)}
        if about == "text" and isinstance(value, str):
            return {"text": value}
        self._refuse((*path, about), f"must be an object with one of {', '.join(RULES[about])}")
        return {}

    def _check(self, about: About, rule: str, value: Any, options: Mapping[str, Any], path: Path) -> None:
        """What a value must be, so that deciding can rely on it."""
        if rule in ("equals", "is", "matches", "json_schema", "sha256", "text") and not isinstance(value, str):
            self._refuse(path, "must be text; quote numbers and yes/no in YAML")
        elif rule in ("one_of", "in_order", "exactly") and not isinstance(value, list | tuple):
            self._refuse(path, "must be a list")
        elif rule in ("exists", "unchanged") and not isinstance(value, bool):
            self._refuse(path, "must be true or false")
        elif rule in ("contains", "lacks") and not (isinstance(value, str) or _is_texts(value)):
            self._refuse(path, "must be text, or a list of texts")
        elif rule == "run" and not (_is_texts(value) or (isinstance(value, str) and options.get("shell") is True)):
            self._refuse(path, "must be a list of words, such as [pytest, -q]; or text beside shell: true")
        if rule == "matches" and isinstance(value, str):
            try:
                re.compile(value)
            except re.error as error:
                self._refuse(path, f"not a regular expression: {error}")
        numbers = [(path, value)] if about == "limit" or rule == "number" else []
        numbers += [((*path[:-1], key), options[key]) for key in ("tolerance", "seconds") if key in options]
        for where, number in numbers:
            try:
                if exact(number) < 0 and rule != "number":
                    raise ValueError("negative")
            except (ValueError, TypeError):
                self._refuse(where, f"{number!r:.40} is not a number of 0 or more" if rule != "number" else "no number")
        if about == "calls":
            for place, call in enumerate(value if isinstance(value, list | tuple) else [value]):
                self._call(call, (*path, place) if isinstance(value, list | tuple) else path)

    def _call(self, call: object, path: Path) -> None:
        if isinstance(call, str) and call:
            return
        if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
            self._refuse(path, "a call is a tool's name, or an object with name and arguments")
            return
        self._known(call, ("name", "arguments"), path)
        if not isinstance(call.get("arguments", {}), Mapping):
            self._refuse((*path, "arguments"), "arguments are an object")

    def _known(self, item: Mapping[Any, Any], valid: tuple[str, ...], path: Path) -> None:
        for key in item:
            if key not in valid:
                self._refuse((*path, key), unknown("key", key, valid))

    def _refuse(self, path: Path, message: str) -> None:
        self.problems.append(Problem(message, path=path))


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, str) for item in value)


def _words(about: About, rule: str, rule_table: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """An expectation in one line."""
    value = rule_table[rule]
    shown = value if isinstance(value, str) else repr(value) if not _is_texts(value) else ", ".join(value)
    if about in ("text", "graded"):
        return str(value)
    subject = f"file {options.get('path')}" if about == "file" else about
    more = "".join(f", {key} {options[key]}" for key in ("unit", "tolerance", "exit_code") if key in options)
    return f"{subject} {rule.replace('_', ' ')} {shown}{more}"[:300]
