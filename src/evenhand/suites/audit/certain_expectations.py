"""Expectations that every plausible output meets, and references that do not meet their own. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from evenhand.decisions.suite import Command, Function, Variant
from evenhand.findings.expectations.expectation import Expectation
from evenhand.findings.expectations.expected_answers import decide_answer, folded

TIMES_THE_NUMBER: Final = 10
LEAST_TOLERANCE: Final = Decimal(100)
TOLERANCE_AROUND_ZERO: Final = Decimal(1_000_000)
"""A tolerance is as wide as any guess when it is ten times the number and at least 100; around 0, a million."""

_OFFERED: Final = re.compile(
    r"(?i)\b(?:answer|reply|respond|say|choose|pick|return|print|output|write|state|either)\b[^.?!\n]{0,40}?"
    r"((?:[\"'`]?\b[\w-]+[\"'`]?,\s+)*[\"'`]?\b[\w-]+[\"'`]?),?\s+or\s+[\"'`]?([\w-]+)"
)
_OPPOSITES: Final = (("yes", "no"), ("true", "false"))
_ALWAYS_SUCCEEDS: Final = re.compile(r"(?:\|\||;)\s*(?:true|:|exit 0)\s*$")


def why_certain(expectation: Expectation, given: Collection[str], seconds: Decimal | None) -> str:
    """Why an expectation cannot fail; empty when it can. `seconds` is when every run is stopped anyway."""
    value = expectation.value
    match expectation.about, expectation.rule:
        case "answer", "contains" if not any(_texts(value)):
            return "every output contains an empty text"
        case "file", "contains" if not any(_texts(value)) and expectation.options["path"] in given:
            return "the file is given, and every text contains an empty one"
        case "answer", "number" if _is_any_number(value, expectation.options):
            return "the tolerance lets any number pass that someone would guess"
        case "calls", "made" | "not_made" | "in_order" if isinstance(value, list | tuple) and not value:
            return "it lists no calls"
        case "limit", "seconds" if seconds is not None and Decimal(str(value)) >= seconds:
            return f"a run is stopped after {seconds.normalize():f} seconds anyway"
        case "command", "run" if _succeeds(value, expectation.options):
            return "the command succeeds whatever is there"
        case _:
            return ""


def stopped_after(variants: Sequence[Variant]) -> Decimal | None:
    """After how many seconds the run of any variant is stopped; None when one may go on."""
    limits = [variant.limits.seconds if isinstance(variant.does, Command | Function) else None for variant in variants]
    known = [limit for limit in limits if limit is not None]
    return max(known) if known and len(known) == len(limits) else None


def offered_answers(prompt: str, expectations: Sequence[Expectation]) -> tuple[str, ...]:
    """The answers among which a prompt lets choose, or both of a pair that an expectation accepts; often none."""
    offers = list(_OFFERED.finditer(prompt))
    if offers:
        options = [*re.split(r",\s+", offers[-1][1]), offers[-1][2]]
        return tuple(option.strip("\"'`") for option in options)
    accepted = {str(item).casefold() for entry in expectations if entry.rule == "one_of" for item in entry.value}
    return next((pair for pair in _OPPOSITES if accepted.issuperset(pair)), ())


def _is_any_number(value: Any, options: Mapping[str, Any]) -> bool:
    number, tolerance = abs(Decimal(str(value))), Decimal(str(options.get("tolerance", 0)))
    if number == 0:
        return tolerance >= TOLERANCE_AROUND_ZERO
    return tolerance >= LEAST_TOLERANCE and tolerance >= TIMES_THE_NUMBER * number


def _succeeds(command: Any, options: Mapping[str, Any]) -> bool:
    if options.get("exit_code", 0) != 0 or options.get("contains"):
        return False
    if isinstance(command, str):
        return command.strip() in ("true", ":") or _ALWAYS_SUCCEEDS.search(command) is not None
    return command[0] in ("true", "echo")


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(item) for item in value]


# --- references that do not meet the expectations of their own case: they may say more than an answer has to

_NEGATED: Final = re.compile(r"(?i)\b(?:not?|never|without|avoids?|nor|lacks?|n't)\b[^.;\n]{0,40}$")


def contradicted(expectations: Sequence[Expectation], reference: str) -> Iterator[tuple[Expectation, str]]:
    """The expectations about the answer that a reference does not meet, each with the reason."""
    for expectation in expectations:
        if expectation.about != "answer":
            continue
        verdict = decide_answer(expectation, reference)
        if verdict.met is False and not _says_it_among_other_things(expectation, reference):
            yield expectation, verdict.message.replace("the output", "the reference").replace("answer", "reference")


def _says_it_among_other_things(expectation: Expectation, reference: str) -> bool:
    value = expectation.value
    match expectation.rule:
        case "equals" | "is" | "one_of":
            answers = [str(item) for item in ([value] if isinstance(value, str) else value)]
            whole = _words(reference)
            return any(f" {_words(answer)} " in f" {whole} " and _words(answer) != whole for answer in answers)
        case "matches":
            pieces = (*reference.split(), *reference.splitlines(), *re.split(r"[.,;:]\s+", reference))
            return any(re.search(value, piece) for piece in pieces)
        case "lacks":
            texts = [value] if isinstance(value, str) else value
            return all(
                _NEGATED.search(reference[: match.start()])
                for text in texts
                for match in re.finditer(re.escape(text), reference)
            )
        case _:
            return False


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", folded(text)))
