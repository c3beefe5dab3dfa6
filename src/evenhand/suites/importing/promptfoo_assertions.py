"""promptfoo's assertions as expectations: those whose meaning is the same here, and nothing else."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.numbers import is_number
from evenhand.errors import InputError
from evenhand.files.text import read_text
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import (
    PATTERN_FLAGS,
    about_answer,
    amount,
    in_python,
    matching,
    no_match,
    seconds,
    text_of,
    with_all_ignoring_case,
    with_any,
    without_case,
)
from evenhand.suites.importing.promptfoo_prompts import NotRendered, rendered

Steps = tuple[str | int, ...]


class Surroundings(NamedTuple):
    """What an assertion's value may depend on."""

    variables: Mapping[str, Any]
    """The test's."""
    folder: Path
    """The configuration's, where files with values are."""
    is_transformed: bool = False
    """Whether assertions see another text than the output."""
    test: Mapping[str, Any] = {}
    """The rest of the test, as scripts see it: description, metadata, options, threshold."""
    templates: Mapping[str, Any] = {}
    """The configuration's assertionTemplates, which `$ref: '#/assertionTemplates/NAME'` stands for."""

    def fill(self, text: str) -> str:
        """A text with the test's variables."""
        return rendered(text, self.variables)


class _Asserted(NamedTuple):
    """An assertion as one expectation, and what it weighs towards a threshold."""

    expectation: Any
    weight: Decimal


_TEMPLATES = "#/assertionTemplates/"
_KEYS = ("type", "value", "weight")
_AMOUNTS = ("cost", "latency")
_SCRIPTS = ("javascript", "python", "not-javascript", "not-python")
_UNTOLD = re.compile(r"\b(?:provider|providerResponse|logProbs|trace|assert)\b")
"""What promptfoo's context holds beside the variables, the prompt, the test and the options."""


def expectations_of(
    listed: Sequence[tuple[Any, ImportNotes, Steps]],
    threshold: Any,
    around: Surroundings,
    notes: ImportNotes,
    steps: Steps,
) -> list[Any]:
    """The expectations of a test, or of a set in it, from lists of assertions with their places.

    Each must be met, or with a threshold a share of them, by weight. `notes` and `steps` are the threshold's.
    """
    asserted = [item for value, place, path in listed for item in _assertions(value, around, place, path)]
    everything = [item.expectation for item in asserted]
    if threshold is None or not asserted:
        return everything
    least = amount(threshold)
    if least is None or least <= 0 or least > 1:
        notes.left_out("the threshold, which is not a share above 0 and up to 1", *steps, "threshold")
        return [] if least is not None and least <= 0 else everything
    if any("text" in item for item in everything):
        what = "the threshold, because a sentence for a judge is among the assertions; each counts by itself"
        notes.left_out(what, *steps, "threshold")
        return everything
    if least == 1 or len(asserted) == 1:  # a single one is worth 0 or 1
        return everything
    if any("script" in item or "share" in item for item in everything):
        what = "each script and each set with a threshold counts as 0 or 1 towards the test's threshold"
        notes.changed(what, *steps, "threshold")
    weights = [item.weight for item in asserted]
    share = {"at_least": least, "of": everything}
    return [{"share": share if len({*weights}) == 1 else share | {"weights": weights}}]


def _assertions(value: Any, around: Surroundings, notes: ImportNotes, steps: Steps) -> Iterator[_Asserted]:
    """A list of assertions; what has no counterpart is left out with its line."""
    if not isinstance(value, list):
        notes.left_out("assert, which is not a list", *steps)
        return
    for number, item in enumerate(value):
        path = (*steps, number)
        reference = item.get("$ref") if isinstance(item, Mapping) else None
        if isinstance(reference, str):
            item = {**around.templates.get(reference.removeprefix(_TEMPLATES), {}), **item}
            del item["$ref"]
        if not isinstance(item, Mapping) or not isinstance(item.get("type"), str):
            notes.left_out("an assertion without a type", *path)
            continue
        kind, weight = item["type"], amount(item.get("weight", 1))
        if weight is None or weight < 0:
            notes.left_out("weight, which is not a number", *path, "weight")
            weight = Decimal(1)
        if kind == "assert-set":
            notes.rest(item, ("type", "assert", "threshold", "weight"), *path)
            inner = [(item.get("assert"), notes, (*path, "assert"))]
            expectations = expectations_of(inner, item.get("threshold"), around, notes, path)
            if not expectations:
                notes.left_out("a set without assertions", *path)
        elif weight == 0:
            notes.left_out(f"the assertion {kind}, because its weight is 0", *path)
            continue
        elif "transform" in item or (around.is_transformed and kind not in _AMOUNTS):
            notes.left_out(f"the assertion {kind}, because its output is transformed first", *path)
            continue
        else:
            expectations = _one(kind, item, around, notes, path)
        for expectation in expectations:
            yield _Asserted(expectation, weight / len(expectations))


def _one(kind: str, item: Mapping[str, Any], around: Surroundings, notes: ImportNotes, path: Steps) -> list[Any]:
    try:
        expectations = _made(kind, item, around)
    except (NotRendered, InputError) as error:
        notes.left_out(f"the assertion {kind}, because of {error}", *path)
        return []
    if not expectations or None in expectations:
        notes.left_out(f"the assertion {kind}", *path)
        return []
    if kind.endswith("regex") and PATTERN_FLAGS.match(str(item.get("value"))):
        notes.changed("flags at the start of a pattern take effect here; promptfoo rejects such a pattern", *path)
    known = {"threshold"} if kind in _AMOUNTS else {"threshold", "config"} if kind in _SCRIPTS else set[str]()
    notes.rest(item, (*_KEYS, *known), *path)
    return expectations


def _made(kind: str, item: Mapping[str, Any], around: Surroundings) -> list[Any]:
    """The expectations of an assertion; none where there is no counterpart."""
    raw = item.get("value")
    if kind in _AMOUNTS:
        threshold = item.get("threshold")
        number = amount(threshold) if kind == "cost" else seconds(threshold)
        return [] if number is None else [{"limit": {"cost" if kind == "cost" else "seconds": number}}]
    if kind in _SCRIPTS:
        return _script(kind, item, around)
    if kind not in _TEXTS and kind not in ("is-json", "equals"):
        return []
    value = _value(raw, around)
    if kind == "is-json":
        schema = True if value in (None, "") else value
        return [about_answer("json_schema", schema)] if isinstance(schema, bool | Mapping) else []
    if kind == "equals" and isinstance(value, Mapping | list):
        return [{"answer": {"json": value, "strict": True}}]
    if isinstance(value, str) and kind.endswith(("-any", "-all")):
        value = _fields(value)
    texts = [
        text_of(text) if isinstance(text, str) or is_number(text) else ""
        for text in (value if isinstance(value, list) else [value])
    ]
    if not texts or not all(texts) or (isinstance(value, list) and not kind.endswith(("-any", "-all"))):
        return []
    return _TEXTS[kind](texts)


def _script(kind: str, item: Mapping[str, Any], around: Surroundings) -> list[Any]:
    """Code that says whether an output passes, unless it is in a file, or needs what only promptfoo knows."""
    code = item.get("value")
    if not isinstance(code, str) or code.startswith("file://"):
        return []
    code = around.fill(code)
    if not code.strip() or ("context" in code and _UNTOLD.search(code)):
        return []
    script: dict[str, Any] = {kind.removeprefix("not-"): code}
    if "context" in code:
        script["vars"] = dict(around.variables)
        script |= {"test": dict(around.test)} if around.test and re.search(r"\btest\b", code) else {}
        script |= {"config": dict(item["config"])} if isinstance(item.get("config"), Mapping) else {}
    if "threshold" in item:
        if (threshold := amount(item["threshold"])) is None:
            return []
        script["threshold"] = threshold
    return [{"script": script | ({"negated": True} if kind.startswith("not-") else {})}]


def _value(value: Any, around: Surroundings) -> Any:
    """A value with the test's variables in it, or what is in the file that it names."""
    if isinstance(value, str) and value.startswith("file://"):
        path = around.folder / around.fill(value.removeprefix("file://"))
        if path.suffix.lower() not in (".txt", ".md", ".json"):
            raise InputError(f"{path.name[:60]}: of files with values, only .txt, .md and .json are read")
        text = read_text(str(path)).strip()
        try:
            return json.loads(text) if path.suffix.lower() == ".json" else text
        except ValueError:
            raise InputError(f"{path.name[:60]}: is not JSON") from None
    if isinstance(value, str):
        return around.fill(value)
    if isinstance(value, list):
        return [_value(item, around) for item in value]
    return {key: _value(item, around) for key, item in value.items()} if isinstance(value, Mapping) else value


def _fields(text: str) -> list[str]:
    """The fields of a text, as promptfoo splits it; one in quotes may hold commas. None when quotes are left open."""
    if '\\"' in text or text.count('"') % 2:
        return []
    (fields,) = csv.reader([" ".join(text.splitlines())], skipinitialspace=True)
    return [field.strip() for field in fields if field.strip()]


def _by_pattern(make: Callable[[str], Any]) -> Callable[[list[str]], list[Any]]:
    return lambda texts: [None if (pattern := in_python(texts[0])) is None else make(pattern)]


_TEXTS: Mapping[str, Callable[[list[str]], list[Any]]] = {
    "contains": lambda texts: [about_answer("contains", texts[0])],
    "contains-all": lambda texts: [about_answer("contains", texts)],
    "contains-any": lambda texts: [with_any(texts)],
    "icontains": without_case,
    "icontains-all": lambda texts: [with_all_ignoring_case(texts)],
    "icontains-any": lambda texts: [with_any(texts, ignore_case=True)],
    "not-contains": lambda texts: [about_answer("lacks", texts)],
    "not-contains-any": lambda texts: [about_answer("lacks", texts)],
    "not-icontains": lambda texts: [no_match(f"(?i){re.escape(texts[0])}")],
    "not-icontains-any": lambda texts: [no_match(f"(?i){'|'.join(map(re.escape, texts))}")],
    # White space counts, as in promptfoo, but for the end of the line that a command prints.
    "equals": lambda texts: [matching(rf"\A{re.escape(texts[0])}\n?\Z")],
    "not-equals": lambda texts: [matching(rf"\A(?!{re.escape(texts[0])}\n?\Z)")],
    "starts-with": lambda texts: [matching(rf"\A{re.escape(texts[0])}")],
    "not-starts-with": lambda texts: [matching(rf"\A(?!{re.escape(texts[0])})")],
    "regex": _by_pattern(matching),
    "not-regex": _by_pattern(no_match),
    "llm-rubric": lambda texts: [{"text": texts[0]}],
    "model-graded-closedqa": lambda texts: [{"text": texts[0]}],
}
