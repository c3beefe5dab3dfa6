"""Expectations of one case that exclude each other, or that nothing can meet. Pure, apart from the given files.

Only what can be shown is reported: two expectations that no rule here speaks about may still exclude each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any, Final

from evenhand.core.values.submission import Event, Place, ToolCall
from evenhand.expectations.expectation import Expectation
from evenhand.expectations.expected_answers import decide_answer, differs, folded, labelled
from evenhand.expectations.expected_calls import decide_calls
from evenhand.suite_audit.patterns import can_hold, is_whole, needed_texts, never_matches

EXACT: Final = ("equals", "is", "one_of")
"""Rules that list the answers they accept."""


def contradictions(expectations: Sequence[Expectation], given: Mapping[str, bytes]) -> Iterator[str]:
    """Why a case cannot be passed, a sentence each; `given` are the files that its workspace starts with."""
    for expectation in expectations:
        if reason := _impossible(expectation):
            yield f'Nothing meets "{expectation.words}": {reason}.'
    for left, right in combinations(expectations, 2):
        if reason := _excluded(left, right, given):
            yield f'"{left.words}" and "{right.words}" exclude each other: {reason}.'
    yield from _calls([expectation for expectation in expectations if expectation.about == "calls"])


def _impossible(expectation: Expectation) -> str:
    value, rule = expectation.value, expectation.rule
    if rule == "matches" and never_matches(value):
        return "no text can match this pattern"
    if rule == "one_of" and not value:
        return "the list of accepted answers is empty"
    if rule == "lacks" and "" in _texts(value):
        return "every text contains an empty one"
    if expectation.about == "file" and _is_outside(str(expectation.options["path"])):
        return "the path leads out of the workspace"
    return ""


def _is_outside(path: str) -> bool:
    depth = 0
    for part in path.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return path.startswith("/")


def _excluded(left: Expectation, right: Expectation, given: Mapping[str, bytes]) -> str:
    if left.about != right.about:
        return ""
    if left.about == "skill":
        return "" if left.rule == right.rule or left.value != right.value else "a skill is used or it is not"
    if left.about == "answer":
        return _answers(left, right) or _answers(right, left)
    if left.about == "file":
        return _files(left, right, given) or _files(right, left, given)
    same_command = left.about == "command" and (left.value, left.options.get("folder")) == (
        right.value,
        right.options.get("folder"),
    )
    codes = [expectation.options.get("exit_code", 0) for expectation in (left, right)]
    return "one command cannot end in two ways" if same_command and codes[0] != codes[1] else ""


def _answers(left: Expectation, right: Expectation) -> str:
    rule = _ANSWERS.get((left.rule, right.rule))
    if rule is None and left.rule in EXACT:
        rule = _exact_and_exact if right.rule in EXACT else _EXACT.get(right.rule)
    return "" if rule is None else rule(left, right)


def _contains_and_lacks(left: Expectation, right: Expectation) -> str:
    pairs = ((text, part) for text in _texts(left.value) for part in _texts(right.value) if part)
    pair = next(((text, part) for text, part in pairs if part in text), None)
    return "" if pair is None else f'whatever contains "{pair[0][:60]}" contains "{pair[1][:60]}"'


def _pattern_and_lacks(left: Expectation, right: Expectation) -> str:
    needed = needed_texts(left.value)
    part = next((part for part in _texts(right.value) if part and any(part in text for text in needed)), None)
    return "" if part is None else f'whatever matches contains "{part[:60]}"'


def _pattern_and_contains(left: Expectation, right: Expectation) -> str:
    if not is_whole(left.value):
        return ""
    text = next((text for text in _texts(right.value) if not can_hold(left.value, text)), None)
    return "" if text is None else f'the pattern is for the whole output and does not let "{text[:60]}" in'


def _numbers(left: Expectation, right: Expectation) -> str:
    if left.options.get("unit") != right.options.get("unit"):
        return ""
    gap = abs(_decimal(left.value) - _decimal(right.value))
    reach = sum((_decimal(expectation.options.get("tolerance", 0)) for expectation in (left, right)), Decimal(0))
    return "no number is near enough to both" if gap > reach else ""


def _two_jsons(left: Expectation, right: Expectation) -> str:
    return "the output is one JSON value, and these are two" if differs(left.value, right.value, whole=True) else ""


def _exact_and_exact(left: Expectation, right: Expectation) -> str:
    accepted = [{folded(str(item)) for item in _texts(expectation.value)} for expectation in (left, right)]
    return "" if accepted[0] & accepted[1] else "no answer is accepted by both"


def _exact_and_lacks(left: Expectation, right: Expectation) -> str:
    parts = [part for part in _texts(right.value) if part]
    every = all(any(part in answer for part in parts) for answer in _texts(left.value))
    return "every accepted answer has a text that must be missing" if every else ""


def _exact_and_pattern(left: Expectation, right: Expectation) -> str:
    if not is_whole(right.value) or any(_can_be(answer, right.value) for answer in _texts(left.value)):
        return ""
    return "the pattern is for the whole output and lets no accepted answer in"


def _can_be(answer: str, pattern: str) -> bool:
    """Whether a pattern for the whole output can hold an answer, in any capitals."""
    letters = [char for char in folded(answer) if char.isalnum()]
    return all(can_hold(pattern, char) or can_hold(pattern, char.upper()) for char in letters)


def _exact_and_number(left: Expectation, right: Expectation) -> str:
    answers = _texts(left.value)
    if any(labelled(answer) is not None or decide_answer(right, answer).met is not False for answer in answers):
        return ""
    return "no accepted answer is that number"


_Rule = Callable[[Expectation, Expectation], str]
_ANSWERS: Final[Mapping[tuple[str, str], _Rule]] = {
    ("contains", "lacks"): _contains_and_lacks,
    ("matches", "lacks"): _pattern_and_lacks,
    ("matches", "contains"): _pattern_and_contains,
    ("number", "number"): _numbers,
    ("json", "json"): _two_jsons,
}
_EXACT: Final[Mapping[str, _Rule]] = {
    "lacks": _exact_and_lacks,
    "matches": _exact_and_pattern,
    "number": _exact_and_number,
}
"""What goes with a list of accepted answers. A text that must be contained may stand before the answer's label."""


def _files(left: Expectation, right: Expectation, given: Mapping[str, bytes]) -> str:
    path = _path(left)
    if path != _path(right):
        return ""
    rules, values = (left.rule, right.rule), (left.value, right.value)
    needs_it = right.rule in ("contains", "sha256", "json_schema") or (right.rule, right.value) == ("exists", True)
    if (left.rule, left.value) == ("exists", False) and (needs_it or right.rule == "lacks"):
        return "the file must not exist"
    if rules == ("contains", "lacks"):
        return _contains_and_lacks(left, right)
    if rules == ("sha256", "sha256") and values[0].lower() != values[1].lower():
        return "a file has one hash"
    if rules == ("unchanged", "unchanged") and values[0] != values[1]:
        return "a file is changed or it is not"
    if (left.rule, left.value) != ("unchanged", True):
        return ""
    if path not in given:
        return "the file is not given, so it cannot be there without being written" if needs_it else ""
    content = given[path]
    text = content.decode("utf-8", "replace")
    match right.rule:
        case "contains":
            as_given = all(item in text for item in _texts(right.value))
        case "lacks":
            as_given = not any(item in text for item in _texts(right.value))
        case "sha256":
            as_given = hashlib.sha256(content).hexdigest() == right.value.lower()
        case "exists":
            as_given = right.value is True
        case _:
            return ""
    return "" if as_given else "the file as it is given does not meet the other"


def _path(expectation: Expectation) -> str:
    return "/".join(part for part in str(expectation.options["path"]).split("/") if part not in ("", "."))


def _calls(expectations: Sequence[Expectation]) -> Iterator[str]:
    """Make all calls that are asked for, and see whether every expectation is met by them."""
    wanted: list[Any] = []
    for rule in ("exactly", "in_order", "made"):
        for expectation in expectations:
            if expectation.rule == rule:
                calls = expectation.value if isinstance(expectation.value, list | tuple) else [expectation.value]
                wanted += [call for call in calls if rule == "in_order" or call not in wanted]
    if not wanted:
        return
    events = [Event("tool_call", "assistant", "", Place(""), _call(call)) for call in wanted]
    for expectation in expectations:
        if expectation.rule in ("not_made", "exactly"):
            verdict = decide_calls(expectation, events)
            if verdict.met is False:
                yield f'"{expectation.words}" excludes a call that another expectation asks for: {verdict.message}.'


def _call(call: Any) -> ToolCall:
    if isinstance(call, str):
        return ToolCall(call, {}, result="")
    return ToolCall(str(call["name"]), call.get("arguments", {}), result="")


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(item) for item in value]


def _decimal(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))
