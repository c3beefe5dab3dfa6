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
from evenhand.core.finding import Checked, Expected, Finding, Lifted, Place, Severity
from evenhand.core.judgement import Evidence, Judgement, Member, Opinion, Panel, Unscored
from evenhand.core.panel import with_panel
from evenhand.core.ranking import contender, rank_contenders
from evenhand.core.receipt import receipt_for, terms_of
from evenhand.core.rubric import RedFlag, Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import (
    NOT_READ,
    bounded,
    bounds_of,
    decisive_findings,
    evidence_of,
    failures,
    finding_id,
    score,
    settle,
)
from evenhand.decisions.gate import Gate, judge_card
from evenhand.reports.findings import findings_report
from evenhand.work.submission import Submission, submission_sha256

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


@pytest.mark.parametrize(("severity", "limit"), [("minor", "8.00"), ("major", "6.00"), ("critical", "4.00")])
def test_a_fault_bounds_its_dimension_by_its_severity(severity, limit):
    """The bound of correctness, which weighs a quarter: 10 - 0.25 x (10 - bound)."""
    card = card_of(by_checks(fault(severity=severity)))
    assert card.bounds["correctness"].at_most == Decimal(limit)
    assert card.interval.high == Decimal(10) - Decimal("0.25") * (10 - Decimal(limit))


def test_even_a_certain_F_is_not_a_letter_when_nobody_read_it():
    """Critical everywhere: at best 4 - 0 flags = 4.00, D; with two flags at best F, and still no letter."""
    rubric = RUBRIC._replace(red_flags=(RedFlag("f", "", Decimal("0.50"), detect="flagged"),))
    findings = [fault(name, "critical") for name in seven(0)] + [Finding("flagged", "safety", "major", "Bad.")]
    card = card_of(by_checks(*findings), rubric)
    assert card.interval.high == Decimal("3.50")
    assert card.grade is None


@pytest.mark.parametrize(
    ("place", "evidence"),
    [
        (None, Evidence("it passes", True, 3, 40)),
        (Place("notes.md", 7, 90), Evidence("it passes", True, source="notes.md:7")),
        (Place("data.bin"), Evidence("it passes", True, source="data.bin")),
    ],
)
def test_a_quote_is_evidence_at_the_very_place_of_the_finding(place: Place | None, evidence: Evidence):
    """In the output by line and offset; in a file by its name, with the line where it has lines."""
    assert evidence_of(fault(quote="it passes", verified=True, line=3, offset=40, place=place)) == evidence


def test_a_panels_median_is_capped_and_its_probabilities_with_it():
    """Medians of 8; with correctness at most 4 the final is 8 - 0.25 x 4 = 7.00, B-, for every member alone too."""
    card = card_of(by_panel([8, 8, 8], fault(severity="critical", precise=True)))
    assert card.final == Decimal("7.00")
    assert card.agreement.grades == {"B-": 1.0}
    assert set(card.agreement.member_grades) == {"B-"}
    free = card_of(by_panel([8, 8, 8], fault(severity="critical")))
    assert free.agreement.grades == {"B+": 1.0}


def test_a_lifted_finding_bounds_nothing_and_is_not_a_failure():
    """Refuted by readers or waived by a person."""
    finding = fault(precise=True)
    lifted = (Lifted(finding_id(finding), "human:ana", "ran in CI"),)
    assert card_of(by_reader(8, finding, lifted=lifted)).final == Decimal("8.00")
    assert card_of(by_checks(finding, lifted=lifted)).bounds == {}
    assert failures(Checked("hash", (finding,), lifted=lifted)) == []


def test_only_findings_that_change_something_are_put_to_the_readers():
    """One that caps, not one below which the score lies already, nor one of a check that may not cap."""
    terms = terms_of(RUBRIC)
    assert decisive_findings(by_panel([8, 8, 8], fault(precise=True)), terms) == [fault(precise=True)]
    assert decisive_findings(by_panel([6, 6, 6], fault(precise=True)), terms) == []
    assert decisive_findings(by_panel([8, 8, 8], fault()), terms) == []


def expected(result: str, severity: Severity = "major") -> Expected:
    return Expected("answer is 42", result, "correctness", severity, "the answer is 41")


def test_a_gate_on_scores_is_red_when_the_best_case_is_below_and_unscored_when_the_worst_is():
    """Unread work never turns it green. At best 10 - 0.25 x 6 = 8.50."""
    card = card_of(by_checks(fault(severity="critical")))
    assert judge_card(card, Gate(min_score=Decimal("8.51"))).colour == "red"
    assert judge_card(card, Gate(min_score=Decimal("8.50"))).colour == "unscored"
    assert judge_card(card, Gate(min_grade="F")).colour == "unscored"  # no score is below F, but there is none


def test_a_gate_on_faults_looks_at_their_severity():
    """Red from the severity that was asked for; a scorecard without checks cannot be told."""
    card = card_of(by_checks(fault(severity="major")))
    assert judge_card(card, Gate(no_fault="minor")).colour == "red"
    assert judge_card(card, Gate(no_fault="major")).colour == "red"
    assert judge_card(card, Gate(no_fault="critical")).colour == "green"
    assert judge_card(card_of(by_reader(8)._replace(checked=None)), Gate(no_fault="minor")).colour == "unscored"


def test_a_gate_on_red_flags_is_not_green_when_nobody_read_it():
    """Only a reader can tell whether most flags apply."""
    assert judge_card(card_of(by_checks()), Gate(no_red_flags=("f0",))).colour == "unscored"


def test_without_a_rank_an_entry_keeps_its_name_its_skill_and_the_reason():
    """With or without an interval."""
    known = contender(card_of(by_checks()), "known")
    for interval in (known.interval, None):
        (entry,) = rank_contenders([known._replace(interval=interval)]).unranked
        assert (entry.id, entry.skill, entry.reason) == ("known", "s", known.reason)
        assert (entry.at_best is None) is (interval is None)


def test_unread_work_has_no_rank_but_is_placed_where_its_interval_allows():
    """At best 8.50: below the 9, and overlapping with the 7 and the 2."""
    cards = {name: card_of(by_reader(value)._replace(checked=None)) for name, value in (("a", 9), ("b", 7), ("c", 2))}
    unread = card_of(by_checks(fault(severity="critical")))
    ranking = rank_contenders([contender(unread, "u"), *(contender(card, name) for name, card in cards.items())])
    assert [entry.id for entry in ranking.entries] == ["a", "b", "c"]
    (row,) = ranking.unranked
    assert (row.reason, row.at_best, row.below, row.above) == (NOT_READ, Decimal("8.50"), 1, 0)


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


def test_the_order_of_findings_does_not_matter():
    """For any bound."""
    findings = [fault("safety", "minor"), fault("safety", "critical"), fault("adherence", "major")]
    bounds = [bounds_of(by_checks(*order)) for order in (findings, findings[::-1])]
    assert {name: bound.at_most for name, bound in bounds[0].items()} == {
        name: bound.at_most for name, bound in bounds[1].items()
    }


# --- what a published scorecard must agree with --------------------------------------------------------------------

DETECTED = RUBRIC._replace(red_flags=(RedFlag("listed", "words", Decimal("0.50"), detect="some-check"),))


def differences(card: Scorecard) -> list[str]:
    """What `verify` finds in the published form."""
    document = json.loads(json.dumps(evenhand.document(card)), parse_float=Decimal)
    return [f"{found.field} {found.problem}" for found in evenhand.verify(document).differences]


@pytest.mark.parametrize(
    "card",
    [
        card_of(by_reader(8)),
        card_of(by_reader(8, fault())),
        card_of(by_reader(8, fault(precise=True))),
        card_of(by_reader(5, fault(precise=True))),
        card_of(by_panel([7, 8, 9])),
        card_of(by_panel([7, 8, 9], fault(precise=True))),
        card_of(by_panel([7, 8, 9], fault(precise=True)), DETECTED),
        card_of(by_checks(fault())),
        card_of(by_checks(fault()), DETECTED),
    ],
)
def test_a_scorecard_with_findings_holds(card):
    """Read or not, capped or not, by one or by a panel, with a flag that a finding raised."""
    assert differences(card) == []


def test_a_score_above_its_bound_does_not_hold():
    """The readers gave 8, a finding allows 6: 8.00 is too much, and 5.00 less than capping would make of it."""
    judgement, terms = bounded(by_reader(8, fault(precise=True)), terms_of(RUBRIC)), terms_of(RUBRIC)
    for score_given in ("8.00", "5.00"):
        opinions = judgement.opinions | {"correctness": Opinion(Decimal(score_given))}
        changed = judgement._replace(opinions=opinions)
        card = score(changed, terms, id="x", created="2026-01-01T00:00:00Z", receipt=receipt_for(changed, terms, None))
        expected = f"dimensions.correctness.score says {score_given}, should say 6.00, after capping for its faults"
        assert differences(card) == [expected]


@pytest.mark.parametrize(
    ("output", "fields"), [("and here it is", []), ("it is gone", ["receipt.submission", "findings.0"])]
)
def test_the_quote_of_a_finding_is_looked_up_again(output, fields):
    """In the output that is given: the one that was judged, or another."""
    judgement = by_checks(fault(quote="here", verified=True, line=1, offset=4))
    terms, submission = terms_of(RUBRIC), Submission(output="and here it is")
    receipt = receipt_for(judgement, terms, submission_sha256(submission))
    card = score(judgement, terms, id="x", created="2026-01-01T00:00:00Z", receipt=receipt)
    document = json.loads(json.dumps(evenhand.document(card)), parse_float=Decimal)
    assert [found.field for found in evenhand.verify(document, output=output).differences] == fields


# --- what a report says of a fault -----------------------------------------------------------------------------------


def consequences(card: Scorecard) -> list[str]:
    report = findings_report(card)
    assert report is not None
    return [row.consequence for row in report.faults]


def test_a_report_says_what_follows_from_each_fault():
    """The one that sets the bound is named with it; a milder one, one beside a reader, a flag and a lifted one too."""
    mild, worse = fault(severity="minor"), Finding("worse", "correctness", "critical", "Worse.")
    bound = f"correctness is at most 4.00 [{finding_id(worse)}]"
    assert consequences(card_of(by_checks(mild, worse))) == [bound, ""]
    assert consequences(card_of(by_reader(8, mild))) == ["for information"]
    assert consequences(card_of(by_checks(mild), DETECTED)) == ["raises the red flag listed"]
    lifted = (Lifted(finding_id(mild), "human:ana", "ran in CI"),)
    assert consequences(card_of(by_checks(mild, lifted=lifted))) == ["does not count: human:ana: ran in CI"]
