"""Expectations from a plain value: a list of objects, each about one thing. Every problem carries its path.

- answer: {one_of: [Paris, "Paris, France"]}
- calls: {exactly: [{name: cancel_order, arguments: {order_id: W1}}]}
  severity: critical
- limit: {turns: 12}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, get_args

from evenhand.core.finding import Severity
from evenhand.core.numbers import exact
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Path, Problem
from evenhand.files.entry import Entry
from evenhand.findings.expectations.expectation import OPTIONS, RULES, About, Expectation, Weighted
from evenhand.findings.expectations.expected_answers import shown

_BESIDE: Final = ("dimension", "severity")
_USUAL_DIMENSION: Final[Mapping[About, str]] = {
    "answer": "correctness",
    "calls": "correctness",
    "skill": "adherence",
    "file": "completeness",
    "command": "correctness",
    "script": "correctness",
    "limit": "efficiency",
    "share": "correctness",
    "text": "correctness",
    "graded": "correctness",
}


def expectations_from(value: object) -> tuple[Expectation, ...]:
    """The expectations in a plain value. InputError carries every problem."""
    problems: list[Problem] = []
    expectations = _all(value, problems)
    if problems:
        raise InputError(problems)
    return expectations


def given_expectations(value: object, source: str | None = None) -> tuple[Expectation, ...]:
    """Expectations that were given as data, which has no lines: problems name the keys, as in `expect[0]['answer']`."""
    try:
        return expectations_from(value)
    except InputError as error:
        keys = ["".join(f"[{step!r}]" for step in problem.path) for problem in error.problems]
        raise InputError(
            [
                Problem(f"expect{at}: {problem.message}", source)
                for at, problem in zip(keys, error.problems, strict=True)
            ]
        ) from None


def _all(value: object, problems: list[Problem]) -> tuple[Expectation, ...]:
    base: Path = ()
    if isinstance(value, Mapping) and "expect" in value:
        value, base = value["expect"], ("expect",)
    if isinstance(value, Mapping):
        return tuple(_one(value, base, problems))
    if not isinstance(value, list | tuple) or not value:
        problems.append(Problem("expectations are a list of objects such as {answer: {equals: Paris}}", path=base))
        return ()
    lists = (_one(item, (*base, place), problems) for place, item in enumerate(value))
    return tuple(expectation for expectations in lists for expectation in expectations)


def _one(item: object, path: Path, problems: list[Problem]) -> list[Expectation]:
    if isinstance(item, str):  # skill-creator's form: a sentence that only a reader can decide
        return [Expectation("text", "text", item, {}, "correctness", "major", item)]
    kinds: list[About] = [key for key in item if key in RULES] if isinstance(item, Mapping) else []
    exactly_one = f"an expectation is about exactly one of {', '.join(RULES)}"
    entry = Entry(item, path, problems, otherwise=exactly_one)
    if len(kinds) != 1:
        entry.refuse(exactly_one)
        return []
    about = kinds[0]
    entry.known((about, *_BESIDE))
    severity = entry.choice("severity", get_args(Severity), "major")
    dimension = entry.choice("dimension", DIMENSIONS, _USUAL_DIMENSION[about])
    table = Entry(_long_form(about, entry.value[about]), (*path, about), problems, otherwise=_OBJECT[about])
    table.known((*RULES[about], *OPTIONS[about]))
    rules = [rule for rule in RULES[about] if rule in table.value]
    options = {key: table.value[key] for key in OPTIONS[about] if key in table.value}
    if not rules:
        table.refuse(f"say what is expected of the {about}: {', '.join(RULES[about])}")
    if about == "file" and not isinstance(options.get("path"), str):
        table.refuse("a file needs its path")
    if about == "command" and "contains" in rules:
        rules.remove("contains")
    if about == "share":
        return _share(table, path, dimension, severity, problems) if rules else []
    for rule in rules:
        _check(table, about, rule, options)
    return [
        Expectation(
            about, rule, table.value[rule], options, dimension, severity, _words(about, rule, table.value, options)
        )
        for rule in rules
    ]


def _share(table: Entry, path: Path, dimension: str, severity: Severity, problems: list[Problem]) -> list[Expectation]:
    """Several expectations of which a share must be met, by weight."""
    items, weights = table.value["of"], table.value.get("weights")
    if not isinstance(items, list | tuple) or not items:
        table.refuse("must be a list of expectations", "of")
        return []
    if weights is None:
        weights = [1] * len(items)
    at_least = _number(table.value.get("at_least"))
    if at_least is None or not 0 < at_least <= 1:
        table.refuse("a share needs at_least: a number above 0, up to 1", *(["at_least"] if at_least else []))
    numbers = [_number(weight) for weight in weights] if isinstance(weights, list | tuple) else []
    if len(numbers) != len(items) or not all(number is not None and number > 0 for number in numbers):
        table.refuse("must be a list of numbers above 0, one for each expectation under `of`", "weights")
        return []
    parts: list[Weighted] = []
    for place, (item, weight) in enumerate(zip(items, numbers, strict=True)):
        inner = tuple(_one(item, (*path, "share", "of", place), problems))
        if any(part.about in ("text", "graded") for expectation in inner for part in expectation.each()):
            table.refuse("a sentence, which a reader decides, stands for itself and not in a share", "of", place)
        parts.append(Weighted(inner, weight or Decimal(0)))
    share = at_least or Decimal(1)
    listed = "; ".join(expectation.words for part in parts for expectation in part.expectations)
    words = (
        f"at least {share * 100:f}".rstrip("0").rstrip(".")
        if "." in f"{share * 100:f}"
        else f"at least {share * 100:f}"
    )
    return [
        Expectation(
            "share", "of", tuple(parts), {"at_least": share}, dimension, severity, f"{words}% of: {listed}"[:300]
        )
    ]


def _number(value: object) -> Decimal | None:
    try:
        return Decimal(str(exact(value)))
    except (ValueError, TypeError):
        return None


_OBJECT: Final = {
    about: f"{about} must be an object with {'one of ' if len(rules) > 1 else ''}{', '.join(rules)}"
    for about, rules in RULES.items()
}


def _long_form(about: About, value: object) -> object:
    """`answer: Paris`, `text: ...`: the usual rule, without naming it."""
    if about == "answer" and isinstance(value, str | int | float) and not isinstance(value, bool):
        return {"is": str(value)}
    return {"text": value} if about == "text" and isinstance(value, str) else value


def _check(table: Entry, about: About, rule: str, options: Mapping[str, Any]) -> None:
    """What a value must be, so that deciding can rely on it."""
    value = table.value[rule]
    if (about, rule) == ("answer", "json_schema"):
        if not isinstance(value, Mapping | bool):
            table.refuse("must be a JSON Schema: an object, true or false", rule)
    elif rule in (
        "equals",
        "is",
        "json_schema",
        "sha256",
        "text",
        "used",
        "unused",
        "javascript",
        "python",
    ) and not isinstance(value, str):
        table.refuse("must be text; quote numbers and yes/no in YAML", rule)
    elif rule in ("one_of", "in_order", "exactly") and not isinstance(value, list | tuple):
        table.refuse("must be a list", rule)
    elif rule in ("exists", "unchanged") and not isinstance(value, bool):
        table.refuse("must be true or false", rule)
    elif rule in ("contains", "lacks") and not (isinstance(value, str) or _is_texts(value)):
        table.refuse("must be text, or a list of texts", rule)
    elif rule == "run" and not (_is_texts(value) or (isinstance(value, str) and options.get("shell") is True)):
        table.refuse("must be a list of words, such as [pytest, -q]; or text beside shell: true", rule)
    if rule == "matches":
        _check_pattern(table, table.value, rule)
    for key in ("strict", "negated"):
        if not isinstance(options.get(key, False), bool):
            table.refuse("must be true or false", key)
    if "products" in options and not _is_texts(options["products"]):
        table.refuse("must be a list of files and folders that the agent makes, such as [solution.py]", "products")
    if "environment" in options and not _is_texts(options["environment"]):
        table.refuse("must be a list of names of variables, such as [OPENAI_API_KEY]", "environment")
    if not (isinstance(order := options.get("any_order", False), bool | str) or _is_texts(order)):
        table.refuse("must be true, or the names of the lists that may come in any order", "any_order")
    if not (isinstance(ignored := options.get("ignore", ""), str) or _is_texts(ignored)):
        table.refuse("must be the name of a key, or a list of names", "ignore")
    for key in ("vars", "test", "config"):
        if not isinstance(options.get(key, {}), Mapping):
            table.refuse("must be an object of names and values", key)
    numbers = [(rule, value)] if about == "limit" or rule == "number" else []
    numbers += [(key, options[key]) for key in ("tolerance", "threshold", "seconds") if key in options]
    for key, number in numbers:
        try:
            if exact(number) < 0 and rule != "number":
                raise ValueError("negative")
        except (ValueError, TypeError):
            table.refuse(f"{shown(number)} is not a number of 0 or more" if rule != "number" else "no number", key)
    for key in ("at_least", "at_most") if about == "calls" else ():
        if key not in options:
            continue
        if rule != "made":
            table.refuse("goes with made: how often each of its calls is made", key)
        elif not re.fullmatch(r"[0-9]{1,9}", str(options[key])):
            table.refuse("must be a whole number of 0 or more", key)
    if about == "calls":
        for place, call in enumerate(value if isinstance(value, list | tuple) else [value]):
            _check_call(table, call, (rule, place) if isinstance(value, list | tuple) else (rule,))


def _check_pattern(table: Entry, value: Mapping[str, Any], key: str) -> None:
    if key not in value:
        return
    try:
        re.compile(value[key])
    except (re.error, RecursionError, OverflowError) as error:
        table.refuse(f"not a regular expression: {error}", key)
    except TypeError:
        table.refuse("must be text: a regular expression", key)


def _check_call(table: Entry, call: object, steps: Path) -> None:
    if isinstance(call, str) and call:
        return
    if isinstance(call, Mapping) and "one_of" in call:
        inner = table.inside(*steps)
        inner.known(("one_of",))
        choices = call["one_of"]
        if not isinstance(choices, list | tuple) or not choices:
            inner.refuse("must be a list of calls of which one is expected", "one_of")
            return
        for place, choice in enumerate(choices):
            _check_call(table, choice, (*steps, "one_of", place))
        return
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        table.refuse("a call is a tool's name, or an object with name and arguments", *steps)
        return
    inner = table.inside(*steps)
    inner.known(("name", "arguments", "matches"))
    _check_pattern(inner, call, "matches")
    if not isinstance(call.get("arguments", {}), Mapping):
        inner.refuse("arguments are an object", "arguments")


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, str) for item in value)


def _words(about: About, rule: str, rule_table: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """An expectation in one line."""
    value = rule_table[rule]
    text = value if isinstance(value, str) else ", ".join(value) if _is_texts(value) else shown(value, 300)
    if about in ("text", "graded"):
        return str(value)
    subject = f"file {options.get('path')}" if about == "file" else about
    settings = "".join(f", {key} {options[key]}" for key in ("unit", "tolerance", "exit_code") if key in options)
    settings += ", lists in any order" if options.get("any_order") else ""
    return f"{subject} {rule.replace('_', ' ')} {text}{settings}"[:300]
