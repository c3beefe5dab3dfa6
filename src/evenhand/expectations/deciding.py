"""Every expectation decided: met, unmet or undecided."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from evenhand.core.values.finding import Expected
from evenhand.core.values.submission import Submission
from evenhand.expectations.expectation import NOWHERE, Expectation, Surroundings, Verdict
from evenhand.expectations.expected_answers import decide_answer
from evenhand.expectations.expected_calls import decide_calls
from evenhand.expectations.expected_commands import decide_command
from evenhand.expectations.expected_cost import decide_cost
from evenhand.expectations.expected_files import decide_file
from evenhand.expectations.expected_skills import decide_skill
from evenhand.expectations.skill_creator import decide_graded


def decide(
    expectations: Iterable[Expectation], submission: Submission, surroundings: Surroundings = NOWHERE
) -> tuple[Expected, ...]:
    """The result of each expectation, in order."""
    return tuple(_decided(expectation, submission, surroundings) for expectation in expectations)


def _decided(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Expected:
    verdict = _verdict(expectation, submission, surroundings)
    return Expected(
        words=expectation.words,
        result="undecided" if verdict.met is None else "met" if verdict.met else "unmet",
        dimension=expectation.dimension,
        severity=expectation.severity,
        message=verdict.message,
        quote=verdict.quote,
        place=verdict.place,
        offset=verdict.offset,
    )


def _verdict(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Verdict:
    match expectation.about:
        case "answer":
            return decide_answer(expectation, submission.output)
        case "calls":
            return decide_calls(expectation, submission.events)
        case "skill":
            return decide_skill(expectation, submission.events)
        case "file":
            return decide_file(expectation, submission, surroundings.folder)
        case "command":
            return decide_command(expectation, surroundings.folder, allowed=surroundings.run_commands)
        case "limit":
            return _limit(expectation, submission, surroundings)
        case "graded":
            return decide_graded({"text": expectation.value, **expectation.options}, submission)
        case _:
            return Verdict(None, "only a reader can decide it")


def _limit(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Verdict:
    limit = Decimal(str(expectation.value))
    if expectation.rule == "cost":
        return decide_cost(limit, submission, surroundings.rates)
    used = _used(expectation.rule, submission)
    if used is None:
        return Verdict(None, f"the submission does not say how many {expectation.rule} it took")
    return Verdict(used <= limit, f"it took {used.normalize():f} {expectation.rule}, and {limit} are allowed")


def _used(what: str, submission: Submission) -> Decimal | None:
    if what == "turns":
        turns = sum(event.kind == "message" and event.role == "assistant" for event in submission.events)
        return Decimal(turns) if submission.events else None
    if what == "tokens" and submission.usage is not None:
        return Decimal(submission.usage.input + submission.usage.output)
    if what == "seconds":
        try:
            span = datetime.fromisoformat(submission.ended) - datetime.fromisoformat(submission.started)
        except (ValueError, TypeError):
            return None
        return Decimal(str(span.total_seconds()))
    return None
