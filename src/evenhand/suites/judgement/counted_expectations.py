"""Which expectations of a run count: all that it could have met. What it made undecidable itself, it has not met.

Left out are those that no judge was named for, and those that a kind of variant cannot meet, such as tool calls of a
recorded text; a comparison leaves them out on both sides.
"""

from __future__ import annotations

from evenhand.core.finding import AMBIGUOUS, NO_TRANSCRIPT
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.suite import Case, Command, Function, Model, Variant
from evenhand.findings.expectations.expectation import Expectation
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.runs.known_agents import AUTO
from evenhand.work.agent_run import CaseResult

FAILURES = ("failed", "timed out", "stopped by a limit")
"""Outcomes that are the run's own doing: nothing that was expected of it is met."""

NO_JUDGE = "only a model judge can decide it, and the suite names none"
NO_WORKSPACE = "a {kind} has no workspace"
NO_CALLS = NO_TRANSCRIPT + " of a {kind}"


def card_verdicts(card: Scorecard, variant: Variant, *, has_transcript: bool) -> tuple[str, ...]:
    """For each expectation of a judged run: met, unmet, or why it does not count."""
    expected = () if card.checked is None else card.checked.expectations
    writes_one = isinstance(variant.does, Command) and variant.does.transcript not in (AUTO, None)
    verdicts: list[str] = []
    for expectation in expected:
        is_own_doing = expectation.message.endswith(AMBIGUOUS) or (
            writes_one and not has_transcript and expectation.message.startswith(NO_TRANSCRIPT)
        )
        if expectation.result != "undecided":
            verdicts.append(expectation.result)
        else:
            verdicts.append("unmet" if is_own_doing else expectation.message)
    return tuple(verdicts)


def failed_verdicts(case: Case, variant: Variant, *, has_judge: bool) -> tuple[str, ...]:
    """For each expectation of a run that did not finish: unmet, or why it would not have counted anyway."""
    expected = () if case.expect is None else expectations_from(case.expect)
    return tuple(_beyond(expectation, variant, has_judge=has_judge) or "unmet" for expectation in expected)


def with_verdicts(result: CaseResult, verdicts: tuple[str, ...]) -> CaseResult:
    """A result with its expectations counted."""
    met = verdicts.count("met")
    return result._replace(verdicts=verdicts, met=met, expectations=met + verdicts.count("unmet"))


def _beyond(expectation: Expectation, variant: Variant, *, has_judge: bool) -> str:
    """Why no run of a variant could meet an expectation; empty when one could."""
    if expectation.about == "share":
        return next(filter(None, (_beyond(part, variant, has_judge=has_judge) for part in expectation.each())), "")
    kind = type(variant.does).__name__.lower()
    if expectation.about == "text" and not has_judge:
        return NO_JUDGE
    if expectation.about in ("calls", "skill") and isinstance(variant.does, Function | Model):
        return NO_CALLS.format(kind=kind)
    if expectation.about in ("file", "command") and isinstance(variant.does, Model):
        return NO_WORKSPACE.format(kind=kind)
    return ""
