"""Findings and bounds: what a program saw limits a score, and never makes one."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from conftest import make_rubric, seven
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.core.bounds import NOT_READ, bounded
from evenhand.core.finding import Checked, Expected, Finding, Severity
from evenhand.core.judgement import Judgement, Member, Opinion, Panel, Unscored
from evenhand.core.panel import with_panel
from evenhand.core.receipt import receipt_for, terms_of
from evenhand.core.rubric import RedFlag, Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import score, settle
from evenhand.reports.findings import findings_report

RUBRIC = make_rubric()
"""Weights 25, 20, 15, 15, 10, 10, 5 percent; pass mark 7."""


def fault(dimension: str = "correctness", severity: Severity | None = "major", **more: Any) -> Finding:
    return Finding("some-check", dimension, severity, "Something is wrong.", **more)


def card_of(judgement: Judgement, rubric: Rubric = RUBRIC) -> Scorecard:
    terms = terms_of(rubric)
    settled, _ = settle(bounded(judgement, terms), terms)
    card = score(settled, terms, id="x", created="2026-01-01T00:00:00Z", receipt=receipt_for(settled, terms, None))
    return with_panel(card, settled, terms)


def by_checks(*findings: Finding, **more: Any) -> Judgement:
    """A judgement in which only checks looked."""
    unscored = dict.fromkeys(seven(0), Opinion(Unscored(NOT_READ)))
    return Judgement(unscored, {"name": "checks"}, "s", checked=Checked("hash", findings, **more))


def by_reader(score: int, *findings: Finding, judge: str = "agent:me", **more: Any) -> Judgement:
    """A judgement with seven equal scores, beside which checks looked."""
    opinions = dict.fromkeys(seven(0), Opinion(Decimal(score).quantize(Decimal("0.01"))))
    return Judgement(opinions, {"name": judge}, "s", checked=Checked("hash", findings, **more))


def by_panel(scores: list[int], *findings: Finding, **more: Any) -> Judgement:
    """Three models that gave equal scores in all dimensions; the median is taken as their official score."""
    members = tuple(
        Member({"name": f"m{n}"}, dict.fromkeys(seven(0), Decimal(value).quantize(Decimal("0.01"))))
        for n, value in enumerate(scores)
    )
    middle = sorted(scores)[len(scores) // 2]
    return by_reader(middle, *findings, judge="panel", **more)._replace(panel=Panel(members, None))


def expected(result: str, severity: Severity = "major") -> Expected:
    return Expected("answer is 42", result, "correctness", severity, "the answer is 41")


severities = st.sampled_from(["minor", "major", "critical"])
dimensions = st.sampled_from(list(seven(0)))


@given(st.lists(st.tuples(dimensions, severities), max_size=8), dimensions, severities)
@pytest.mark.slow
def test_a_further_fault_never_raises_a_bound_or_the_interval(faults, dimension, severity):
    """Whatever was found before."""
    findings = [fault(name, level) for name, level in faults]
    before, after = card_of(by_checks(*findings)), card_of(by_checks(*findings, fault(dimension, severity)))
    assert after.interval.high <= before.interval.high
    assert after.interval.low == before.interval.low == Decimal("1.00")
    assert all(after.bounds[name].at_most <= bound.at_most for name, bound in before.bounds.items())


@given(st.lists(st.tuples(dimensions, severities), max_size=8), st.integers(1, 10))
@pytest.mark.slow
def test_no_finding_ever_raises_a_readers_score(faults, given_score):
    """Capped or not."""
    plain = card_of(by_reader(given_score))
    capped = card_of(by_reader(given_score, *(fault(name, level, precise=True) for name, level in faults)))
    assert capped.final <= plain.final


# --- what a published scorecard must agree with --------------------------------------------------------------------

DETECTED = RUBRIC._replace(red_flags=(RedFlag("listed", "words", Decimal("0.50"), detect="some-check"),))


def differences(card: Scorecard) -> list[str]:
    """What `verify` finds in the published form."""
    document = json.loads(json.dumps(evenhand.document(card)), parse_float=Decimal)
    return [f"{found.field} {found.problem}" for found in evenhand.verify(document).differences]


# --- what a report says of a fault -----------------------------------------------------------------------------------


def consequences(card: Scorecard) -> list[str]:
    report = findings_report(card)
    assert report is not None
    return [row.consequence for row in report.faults]
