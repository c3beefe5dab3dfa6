"""promptfoo's assertions as expectations: those whose meaning is the same here, and nothing else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.numbers import exact, is_number
from evenhand.errors import InputError
from evenhand.files.text import read_text
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import (
    about_answer,
    amount,
    matching,
    no_match,
    seconds,
    with_all_ignoring_case,
    with_any,
    without_case,
)
from evenhand.suites.importing.javascript_patterns import FLAGS, in_python
from evenhand.suites.importing.promptfoo_templates import NotRendered, number_text

Fill = Callable[[str], str]
"""Puts a test's variables into a text."""


class Surroundings(NamedTuple):
    """What an assertion's value may depend on."""

    fill: Fill
    folder: Path
    """The configuration's, where files with values are."""
    is_transformed: bool = False
    """Whether assertions see another text than the output."""
    is_trimmed: bool = False
    """Whether they see it without the white space at its ends."""
    variables: Mapping[str, Any] = {}
    """The test's."""
    test: Mapping[str, Any] = {}
    """The rest of the test, as scripts see it: description, metadata, options, threshold."""


class Asserted(NamedTuple):
    """An assertion as expectations, or a set of assertions."""

    expectations: tuple[Any, ...]
    weight: Fraction = Fraction(1)
    inner: tuple[Asserted, ...] = ()
    """The assertions of a set."""
    threshold: Fraction | None = None
    """For a set: the share that must pass; None when each must."""
    notes: ImportNotes | None = None
    steps: tuple[str | int, ...] = ()


_KEYS = ("type", "value", "weight")
_AMOUNTS = ("cost", "latency")
_SCRIPTS = ("javascript", "python", "not-javascript", "not-python")
_CONTEXT = ("vars", "prompt", "test", "config")
"""The context that a script is given here."""
_MEMBER = re.compile(r"\bcontext\s*(?:\??\.\s*(?:get\(\s*['\"])?|(?:\?\.)?\[\s*['\"])(\w+)")
_ASSERT = re.compile(r"\bcontext\b.*\btest\b['\"\])]*\s*(?:\??\.\s*|\[\s*['\"])assert\b", re.DOTALL)
_UNTOLD = re.compile(rf"\b(?:provider|providerResponse|logProbs|trace)\b|{_ASSERT.pattern}", re.DOTALL)
"""Context that only promptfoo could give a script."""
_QUOTED = re.compile(r'"((?:\\["\\]|""|[^"])*)"\s*(?=,|\Z)')
_IN_QUOTES = re.compile(r'(?:\\|"(?="))(["\\])')


def assertions_of(assertions: Any, around: Surroundings, notes: ImportNotes, *steps: str | int) -> list[Asserted]:
    """A list of assertions as expectations; the others are left out with their line."""
    if not isinstance(assertions, list):
        notes.left_out("assert, which is not a list", *steps)
        return []
    accepted: list[Asserted] = []
    for number, item in enumerate(assertions):
        path = (*steps, number)
        if not isinstance(item, Mapping) or not isinstance(item.get("type"), str):
            notes.left_out("an assertion without a type", *path)
            continue
        weight = _weight(item, notes, path)
        if item["type"] == "assert-set":
            notes.rest(item, ("type", "assert", "threshold", "weight"), *path)
            if item.get("assert") == []:
                notes.left_out("a set without assertions", *path)
            inner = assertions_of(item.get("assert"), around, notes, *path, "assert")
            threshold = threshold_of(item, notes, path)
            accepted += [Asserted((), weight, tuple(inner), threshold, notes, path)] if inner else []
        elif why := _why_not(item, around):
            notes.left_out(f"the assertion {item['type']}, because {why}", *path)
        elif assertion := _one(item, around, notes, path):
            accepted.append(Asserted(tuple(assertion), weight))
    return accepted


def threshold_of(item: Mapping[str, Any], notes: ImportNotes, steps: tuple[str | int, ...]) -> Fraction | None:
    """The share of the assertions, by weight, from which on they pass together; None where each must pass."""
    if item.get("threshold") is None:
        return None
    number = _fraction(item["threshold"])
    if number is None:
        notes.left_out("threshold, which is not a number", *steps, "threshold")
    return number


def _weight(item: Mapping[str, Any], notes: ImportNotes, path: tuple[str | int, ...]) -> Fraction:
    number = _fraction(item.get("weight", 1))
    if number is None or number < 0:
        notes.left_out("weight, which is not a number", *path, "weight")
        return Fraction(1)
    return number


def _fraction(value: Any) -> Fraction | None:
    try:
        return None if isinstance(value, bool | str) else Fraction(str(exact(value)))
    except (ValueError, TypeError):
        return None


def expectations_of(asserted: Sequence[Asserted], threshold: Fraction | None, note: Callable[[str], None]) -> list[Any]:
    """The expectations of a test: each assertion must be met, or with a threshold a share of them, by weight."""
    if threshold is None:
        return [expectation for item in asserted for expectation in _every(item)]
    if threshold <= 0:
        note("the assertions, because every output passes with this threshold")
        return []
    parts = [part for item in asserted for part in _parts(item, item.weight)]
    if any("text" in expectation for part in parts for expectation in part.expectations):
        note("the threshold, because a sentence for a judge is among the assertions; each counts by itself")
        return [expectation for part in parts for expectation in part.expectations]
    if threshold > 1:
        note("the threshold, which no output reaches")
    if threshold >= 1 or len(parts) <= 1:  # a single one is worth 0 or 1
        return [expectation for part in parts for expectation in part.expectations]
    if any("script" in expectation for part in parts for expectation in part.expectations):
        note("the scores that scripts give: each counts as 0 or 1 towards the threshold")
    several = [_together(part.expectations) for part in parts]
    whole = math.lcm(*(part.weight.denominator for part in parts))
    weights = [int(part.weight * whole) for part in parts]
    least = math.gcd(*weights)
    share: dict[str, Any] = {"at_least": _decimal(threshold), "of": several}
    if len({*weights}) > 1:
        share["weights"] = [weight // least for weight in weights]
    return [{"share": share}]


def _every(item: Asserted) -> list[Any]:
    if not item.inner:
        return list(item.expectations)
    assert item.notes is not None
    return expectations_of(item.inner, item.threshold, lambda what: item.notes.left_out(what, *item.steps))  # type: ignore[union-attr]


def _parts(item: Asserted, weight: Fraction) -> Iterator[Asserted]:
    """An assertion, or those of a set: the score of a set is the mean of its own, by weight, whatever its threshold."""
    if not item.inner:
        yield item._replace(weight=weight)
        return
    total = sum(inner.weight for inner in item.inner)
    for inner in item.inner:
        if total and inner.weight:
            yield from _parts(inner, weight * inner.weight / total)


def _together(expectations: Sequence[Any]) -> Any:
    """One entry of a share: what several expectations of one assertion ask for."""
    return expectations[0] if len(expectations) == 1 else {"share": {"at_least": 1, "of": list(expectations)}}


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _why_not(item: Mapping[str, Any], around: Surroundings) -> str:
    if "transform" in item or (around.is_transformed and item["type"] not in _AMOUNTS):
        return "its output is transformed first"
    return "its weight is 0" if item.get("weight") == 0 else ""


def _one(item: Mapping[str, Any], around: Surroundings, notes: ImportNotes, path: tuple[str | int, ...]) -> list[Any]:
    kind = str(item["type"])
    try:
        accepted = _made(kind, item, around)
    except (NotRendered, InputError) as error:
        notes.left_out(f"the assertion {kind}, because of {error}", *path)
        return []
    if accepted is None:
        notes.left_out(f"the assertion {kind}", *path)
        return []
    if kind in ("regex", "not-regex") and FLAGS.match(str(item.get("value"))):
        notes.changed("flags at the start of a pattern take effect here; promptfoo rejects such a pattern", *path)
    known = {"threshold"} if kind in _AMOUNTS else {"threshold", "config"} if kind in _SCRIPTS else set[str]()
    notes.rest(item, (*_KEYS, *known), *path)
    return accepted


def _made(kind: str, item: Mapping[str, Any], around: Surroundings) -> list[Any] | None:
    """The expectations of an assertion; None when there is no counterpart."""
    if kind == "is-json":
        schema = _schema(item.get("value"), around)
        return None if schema is None else [about_answer("json_schema", schema)]
    if kind in _AMOUNTS:
        return _limit(kind, item.get("threshold"))
    if kind in _SCRIPTS:
        return _script(kind, item, around)
    if kind not in _ALL and kind not in _SINGLE:
        return None
    raw = _value(item.get("value"), around)
    if kind == "equals" and isinstance(raw, Mapping | list):
        return [{"answer": {"json": raw, "strict": True}}]
    is_several = kind.endswith(("-any", "-all"))
    if isinstance(raw, list) and not is_several:
        return None
    if isinstance(raw, str) and is_several:
        raw = comma_separated(raw)
    listed = raw if isinstance(raw, list) else [raw]
    texts = [_plain(text) for text in listed if isinstance(text, str) or is_number(text)]
    if not texts or len(texts) != len(listed) or not all(texts):
        return None
    if kind in _ALL:
        return _ALL[kind](texts)
    if around.is_trimmed and kind in ("equals", "not-equals"):
        whole = rf"\s*{re.escape(texts[0])}\s*\Z"
        return [matching(rf"\A{whole}" if kind == "equals" else rf"\A(?!{whole})")]
    expectation = _SINGLE[kind](texts[0]) if len(texts) == 1 else None
    return None if expectation is None else [expectation]


def _script(kind: str, item: Mapping[str, Any], around: Surroundings) -> list[Any] | None:
    """Code that says whether an output passes; None when it is in a file, or needs what only promptfoo knows."""
    code = item.get("value")
    if not isinstance(code, str) or code.startswith("file://") or around.is_trimmed:
        return None
    code = around.fill(code)
    if not code.strip() or _needs_more(code):
        return None
    script: dict[str, Any] = {kind.removeprefix("not-"): code}
    if "context" in code:
        script["vars"] = dict(around.variables)
        script |= {"test": dict(around.test)} if around.test and re.search(r"\btest\b", code) else {}
        script |= {"config": dict(item["config"])} if isinstance(item.get("config"), Mapping) else {}
    if "threshold" in item:
        threshold = amount(item["threshold"])
        if threshold is None:
            return None
        script["threshold"] = threshold
    return [{"script": script | ({"negated": True} if kind.startswith("not-") else {})}]


def _needs_more(code: str) -> bool:
    """Whether code uses what it would not be told; where the whole context is passed on, any such name counts."""
    members = _MEMBER.findall(code)
    if any(name not in _CONTEXT for name in members):
        return True
    is_passed_on = len(re.findall(r"\bcontext\b", code)) > len(members)
    return bool((_UNTOLD if is_passed_on else _ASSERT).search(code))


def _schema(value: Any, around: Surroundings) -> Any:
    """The schema of is-json, inline or in a file of JSON: true without one, None when it is written otherwise."""
    if value in (None, ""):
        return True
    if isinstance(value, str) and value.startswith("file://") and value.endswith(".json"):
        path = around.folder / around.fill(value.removeprefix("file://"))
        try:
            value = json.loads(read_text(str(path)))
        except ValueError:
            raise InputError(f"{path.name[:60]}: is not JSON") from None
    return _value(value, around) if isinstance(value, Mapping) else value if isinstance(value, bool) else None


def _value(value: Any, around: Surroundings) -> Any:
    """A value with the test's variables in it, or the text in the file that it names."""
    if isinstance(value, str) and value.startswith("file://"):
        path = around.folder / around.fill(value.removeprefix("file://"))
        if path.suffix.lower() not in (".txt", ".md"):
            raise InputError(f"{path.name[:60]}: of files with values, only .txt and .md are read")
        return read_text(str(path)).strip()
    if isinstance(value, str):
        return around.fill(value)
    if isinstance(value, list):
        return [_value(item, around) for item in value]
    return {key: _value(item, around) for key, item in value.items()} if isinstance(value, Mapping) else value


_ALL: Mapping[str, Callable[[list[str]], list[Any]]] = {
    "contains": lambda texts: [about_answer("contains", texts[0])],
    "contains-all": lambda texts: [about_answer("contains", texts)],
    "contains-any": lambda texts: [with_any(texts)],
    "icontains": without_case,
    "icontains-all": lambda texts: [with_all_ignoring_case(texts)],
    "icontains-any": lambda texts: [with_any(texts, ignore_case=True)],
    "not-contains": lambda texts: [about_answer("lacks", texts)],
    "not-contains-any": lambda texts: [about_answer("lacks", texts)],
    "not-icontains-any": lambda texts: [no_match(f"(?i){'|'.join(map(re.escape, texts))}")],
    "not-icontains": lambda texts: [no_match(f"(?i){re.escape(text)}") for text in texts],
}
_SINGLE: Mapping[str, Callable[[str], Any]] = {
    # White space counts, as in promptfoo, but for the end of the line that a command prints.
    "equals": lambda text: matching(rf"\A{re.escape(text)}\n?\Z"),
    "not-equals": lambda text: matching(rf"\A(?!{re.escape(text)}\n?\Z)"),
    "not-starts-with": lambda text: matching(rf"\A(?!{re.escape(text)})"),
    "regex": lambda text: _by_pattern(matching, text),
    "not-regex": lambda text: _by_pattern(no_match, text),
    "starts-with": lambda text: matching(rf"\A{re.escape(text)}"),
    "llm-rubric": lambda text: {"text": text},
    "model-graded-closedqa": lambda text: {"text": text},
}


def _by_pattern(make: Callable[[str], Any], pattern: str) -> Any:
    translated = in_python(pattern)
    return None if translated is None else make(translated)


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


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else number_text(exact(value))
