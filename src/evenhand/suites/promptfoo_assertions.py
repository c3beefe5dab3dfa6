"""promptfoo's assertions as expectations: those whose meaning is the same here, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evenhand.core.basics.numbers import exact
from evenhand.suites.import_notes import ImportNotes
from evenhand.suites.imported_expectations import (
    about_answer,
    amount,
    matching,
    no_match,
    seconds,
    with_any,
    without_case,
)

Fill = Callable[[str], str]
"""Puts a test's variables into a text."""

_KEYS = ("type", "value", "threshold", "assert")
_CELL = re.compile(r"((?:not-)?[a-z]+(?:-[a-z]+)*)(?:\(([0-9.]+)\))?:\s*(.*)", re.DOTALL)
_QUOTED = re.compile(r'"((?:\\["\\]|""|[^"])*)"\s*(?=,|\Z)')
_IN_QUOTES = re.compile(r'(?:\\|"(?="))(["\\])')
_TYPES = (
    "equals",
    "contains",
    "icontains",
    "contains-all",
    "contains-any",
    "icontains-all",
    "icontains-any",
    "regex",
    "starts-with",
    "is-json",
    "cost",
    "latency",
    "llm-rubric",
    "similar",
    "javascript",
    "python",
    "factuality",
)


def expectations(assertions: Any, fill: Fill, notes: ImportNotes, *steps: str | int) -> list[Any]:
    """The expectations of a list of assertions; the others are left out with their line."""
    if not isinstance(assertions, list):
        notes.left_out("assert, which is no list", *steps)
        return []
    made: list[Any] = []
    for number, item in enumerate(assertions):
        here = (*steps, number)
        if not isinstance(item, Mapping) or not isinstance(item.get("type"), str):
            notes.left_out("an assertion without a type", *here)
        elif item["type"] == "assert-set" and "threshold" not in item:
            made += expectations(item.get("assert"), fill, notes, *here, "assert")
        elif "transform" in item:
            notes.left_out(f"the assertion {item['type']}, because its output is transformed first", *here)
        else:
            made += _one(item, fill, notes, here)
    return made


def from_cell(cell: str) -> dict[str, Any]:
    """The assertion in a table's column `__expected`: `contains: Paris`, or the text that the output must equal."""
    match = _CELL.fullmatch(cell.strip())
    if match is None or match[1].removeprefix("not-") not in _TYPES:
        return {"type": "equals", "value": cell}
    kind, threshold, value = match.groups()
    listed = kind.removeprefix("not-").endswith(("-any", "-all"))
    texts = [part.strip() for part in value.split(",")] if listed else value
    made: dict[str, Any] = {"type": kind, "value": texts}
    if threshold or kind in ("cost", "latency"):
        made["threshold"] = threshold or value
    return made


def _one(item: Mapping[str, Any], fill: Fill, notes: ImportNotes, here: tuple[str | int, ...]) -> list[Any]:
    kind = str(item["type"])
    made = _made(kind, item, fill)
    if made is None:
        notes.left_out(f"the assertion {kind}", *here)
        return []
    if kind == "is-json":
        notes.changed("is-json accepts JSON objects only, also in a block of code", *here)
        if item.get("value"):
            notes.left_out("the schema of is-json", *here, "value")
    notes.rest(item, _KEYS, *here)
    return made


def _made(kind: str, item: Mapping[str, Any], fill: Fill) -> list[Any] | None:
    """The expectations of an assertion; None when there is no counterpart."""
    if kind == "is-json":
        return [about_answer("json_contains", {})]
    if kind in ("cost", "latency"):
        return _limit(kind, item.get("threshold"))
    raw = item.get("value")
    if kind == "equals" and isinstance(raw, Mapping | list):
        return [about_answer("json", raw)]
    is_several = kind.endswith(("-any", "-all"))
    if isinstance(raw, list) and not is_several:
        return None
    if isinstance(raw, str) and is_several:
        raw = comma_separated(fill(raw))
        if not raw:
            return None
    listed = raw if isinstance(raw, list) else [raw]
    texts = [fill(_plain(text)) for text in listed if isinstance(text, str) or _is_number(text)]
    if len(texts) != len(listed) or not all(texts) or any("file://" in text for text in texts):
        return None
    rule = _ALL.get(kind)
    if rule is not None:
        return rule(texts)
    single = _SINGLE.get(kind)
    made = single(texts[0]) if single is not None and len(texts) == 1 else None
    return None if made is None else [made]


_ALL: Mapping[str, Callable[[list[str]], list[Any]]] = {
    "contains": lambda texts: [about_answer("contains", texts[0])],
    "contains-all": lambda texts: [about_answer("contains", texts)],
    "contains-any": lambda texts: [with_any(texts)],
    "icontains": without_case,
    "icontains-all": without_case,
    "icontains-any": lambda texts: [with_any(texts, ignore_case=True)],
    "not-contains": lambda texts: [about_answer("lacks", texts)],
    "not-contains-any": lambda texts: [about_answer("lacks", texts)],
    "not-icontains-any": lambda texts: [no_match(f"(?i){re.escape(text)}") for text in texts],
    "not-icontains": lambda texts: [no_match(f"(?i){re.escape(text)}") for text in texts],
}
_SINGLE: Mapping[str, Callable[[str], Any]] = {
    "equals": lambda text: about_answer("equals", text),
    "not-equals": lambda text: matching(rf"\A(?!{re.escape(text)}\Z)"),
    "not-starts-with": lambda text: matching(rf"\A(?!{re.escape(text)})"),
    "regex": matching,
    "not-regex": no_match,
    "starts-with": lambda text: matching(rf"\A{re.escape(text)}"),
    "llm-rubric": lambda text: {"text": text},
}


def comma_separated(text: str) -> list[str]:
    """The fields of a text as promptfoo splits it; one in quotes may hold commas. Empty when quotes are left open."""
    fields: list[str] = []
    rest = text.strip(" \t\r\n,")
    while rest:
        if rest[0] != '"':
            field, _, rest = rest.partition(",")
            fields.append(field.strip())
        else:
            match = _QUOTED.match(rest)
            if match is None:
                return []
            fields.append(_IN_QUOTES.sub(r"\1", match[1]))
            rest = rest[match.end() :]
        rest = rest.lstrip(" \t\r\n,")
    return fields


def _limit(kind: str, threshold: Any) -> list[Any] | None:
    number = amount(threshold) if kind == "cost" else seconds(threshold)
    return None if number is None else [{"limit": {"cost" if kind == "cost" else "seconds": number}}]


def _is_number(value: object) -> bool:
    try:
        exact(value)
    except ValueError:
        return False
    return True


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else f"{exact(value):f}"
