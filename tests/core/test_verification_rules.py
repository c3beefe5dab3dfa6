"""Each thing that verifying a scorecard compares, changed by itself; and the documents it reads, field by field."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from conftest import make_rubric

import evenhand
from evenhand.core.comparison import Comparison, DimensionComparison, Drift
from evenhand.core.curve import CalibratedScore, CalibratedScores, Calibration, Curve
from evenhand.core.finding import Checked, Expected, Finding, Lifted
from evenhand.core.judgement import Claim, Discounted, Evidence, Judgement, Member, Opinion, Panel, Unscored
from evenhand.core.numbers import points
from evenhand.core.panel import carried, median, needed, official_score, pooled, voices_of
from evenhand.core.rescoring import changed_since
from evenhand.core.scoring import bounded, bounds_of, by_person, clipped, decisive_findings, unread
from evenhand.documents.calibration import calibration_document, calibration_from, signed
from evenhand.documents.scorecards.differences import Difference, compared, difference
from evenhand.errors import DocumentError
from evenhand.files import codec

# --- differences -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a", "says 1, should say 2")]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [("a.b", "says 1, should say 2")]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [("a.1", "says 2, should say 3")]),
        ({"a": [1]}, {"a": [1, 3]}, [("a", "says [1], should say [1,3]")]),
        ({}, {"a": "x"}, [("a", 'is missing, should say "x"')]),
        ({"a": {"b": 1}}, {"a": {}}, [("a.b", "says 1, should not be there")]),
        ({"a": 1.0}, {"a": 1}, [("a", "says 1.0, should say 1")]),
        ({"a": None}, {"a": False}, [("a", "says null, should say false")]),
    ],
)
def test_documents_are_compared_leaf_by_leaf(actual: Any, expected: Any, found: list[tuple[str, str]]):
    """By path; what it says comes first."""
    assert compared(actual, expected) == [Difference(*one) for one in found]
    assert difference("f", 1, 2) == Difference("f", "says 1, should say 2")


# --- history and calibration -----------------------------------------------------------------------------------------

LINE = DimensionComparison(7.12346, 0.5, -0.00001, True, False, "why", 0.00001234567)
COMPARISON = Comparison(
    9, {"correctness": LINE, "safety": replace(LINE, deviation=None, strength=None, flagged=False, provisional=True)},
    2, 3, Drift(True, 7.5, 0.25, 6.123456, 0.75, 4), 5,
)  # fmt: skip


def test_a_history_is_written_with_four_places_and_read_back():
    """A small probability with four digits; flags are the dimensions that are flagged."""
    document = codec.document(COMPARISON)
    assert document["dimensions"]["correctness"] == {
        "delta": 0, "deviation": 0.5, "flagged": True, "mean": 7.1235, "provisional": False, "reason": "why",
        "strength": 1.235e-05,
    }  # fmt: skip
    assert document["flags"] == ["correctness"]
    assert document["drift"] == {
        "alarm": True, "average": 6.1235, "baseline": 7.5, "deviation": 0.25, "limit": 0.75, "since": 4,
    }  # fmt: skip
    assert (document["n"], document["other_rubric"], document["other_judge"], document["left_out"]) == (9, 2, 3, 5)
    again = codec.read(Comparison, document)
    assert replace(again, dimensions={}, drift=None) == replace(COMPARISON, dimensions={}, drift=None)
    assert again.drift == replace(COMPARISON.drift, average=6.1235)
    assert again.dimensions["safety"] == replace(
        COMPARISON.dimensions["safety"], mean=document["dimensions"]["safety"]["mean"], delta=0.0
    )
    bare = Comparison(0, {}, 0, 0, None)
    assert codec.read(Comparison, codec.document(bare)) == bare
    assert "left_out" not in codec.document(bare)


CURVE = Curve("monotone", ((2.0, 1.5), (8.0, 9.25)), 2.0, 8.0, 50, 0.5, 1.25, 0.75, 0.875, 0.9, 1.5)
CALIBRATION = signed(
    Calibration({"name": "j"}, "r", "ab" * 32, "2026", ("human:ana",), {"final": CURVE}, {"safety": "too few"}, "")
)


def test_a_calibration_is_the_same_when_read_back():
    """Every number by its name."""
    document = calibration_document(CALIBRATION)
    assert calibration_from(json.loads(json.dumps(document))) == CALIBRATION
    assert CALIBRATION.curves["final"] == CURVE
    assert document["curves"]["final"] == {
        "method": "monotone", "labels": 50, "range": [2.0, 8.0], "knots": [[2.0, 1.5], [8.0, 9.25]],
        "bias": 0.5, "raw_error": 1.25, "error": 0.75, "reach": 0.875, "confidence": 0.9, "constant_error": 1.5,
    }  # fmt: skip
    assert (document["scale"], document["rubric"]) == ([1.0, 10.0], {"name": "r", "sha256": "ab" * 32})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "x"}, "not a calibration"),
        ({"scale": [0, 10]}, "another scale than 1 to 10"),
        ({"scale": None}, "another scale than 1 to 10"),
        ({"judge": None}, "not a whole calibration"),
        ({"curves": {}}, "was changed after it was made"),
        ({"created": "2027"}, "was changed after it was made"),
        ({"sha256": "0"}, "was changed after it was made"),
    ],
)
def test_a_calibration_that_was_not_made_here_is_refused(change, message):
    """Each part by itself."""
    with pytest.raises(DocumentError, match=message):
        calibration_from(calibration_document(CALIBRATION) | change)


@pytest.mark.parametrize(
    "change", [{"method": "x"}, {"knots": []}, {"knots": [[8, 1], [2, 1]]}, {"range": [1]}, {"labels": "x"}]
)
def test_a_curve_that_was_not_made_here_is_refused(change):
    """Its knots rise."""
    document = calibration_document(CALIBRATION)
    document["curves"]["final"] |= change
    with pytest.raises(DocumentError, match="not a whole calibration"):
        calibration_from(document)


def test_calibrated_scores_are_the_same_when_read_back():
    """Value, lower and upper end."""
    made = CalibratedScores(
        "ab", Decimal("0.9"), 44, {"final": CalibratedScore(*map(points, (610, 550, 680)))}, {"safety": "x"}
    )
    document = codec.document(made)
    assert document["scores"]["final"] == {"calibrated": 6.1, "low": 5.5, "high": 6.8}
    assert codec.read(CalibratedScores, document, part_of="scorecard", where="calibration") == made
    for wrong in ({**document, "labels": "x"}, {**document, "scores": {"final": {"low": 1}}}, {"sha256": "ab"}):
        with pytest.raises(
            DocumentError, match=r"not a whole scorecard: calibration\.\S+ (is .*; it must be|must be|is missing)"
        ):
            codec.read(CalibratedScores, wrong, part_of="scorecard", where="calibration")


# --- panels ----------------------------------------------------------------------------------------------------------


def member(name: str = "j", **more: Any) -> Member:
    return Member({"name": name}, more.pop("scores", {}), **more)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (["7"], "7.00"),
        (["1", "9", "5"], "5.00"),
        (["7", "8"], "7.50"),
        (["7.00", "7.01"], "7.01"),
        (["1", "2", "3", "9"], "2.50"),
    ],
)
def test_the_median_of_an_even_number_is_rounded_half_up(scores, expected):
    """7.005 is 7.01."""
    assert str(median([Decimal(score) for score in scores])) == expected


def test_more_than_half_of_those_asked_must_have_scored():
    """Two of three; of two, both; a stated quorum replaces that."""
    seven_, unscored = {"safety": Decimal(7)}, {"safety": Unscored("no")}
    panel = [
        member(scores=seven_),
        member(scores=seven_),
        member(scores=unscored),
        member(scores={"adherence": Decimal(1)}),
    ]
    assert needed(panel, "safety", None) == 2
    assert official_score(panel, "safety", None) == 7
    assert official_score(panel[1:], "safety", None) is None
    assert official_score(panel[1:], "safety", 1) == 7
    assert official_score(panel, "safety", 3) is None
    assert official_score([], "safety", 0) is None


def test_claims_are_carried_by_more_than_half_of_those_who_answered():
    """A judge that abstained has no vote, and none votes twice."""
    panel = [
        member(red_flags=("f", "g")),
        member(red_flags=("f", "f")),
        member(bonuses=("b",)),
        member(abstained="why", red_flags=("g",)),
    ]
    assert (carried(panel, "red_flags"), carried(panel, "bonuses")) == (("f",), ())
    assert carried(panel[2:3], "bonuses") == ("b",)


def test_a_pool_weighs_each_judge_alike():
    """One sure of 6, one half and half: three quarters on 6."""
    panel = [
        member(scores={"safety": Decimal(6)}),
        member(scores={"safety": Decimal(7)}, distributions={"safety": {600: 2, 800: 2}}),
        member(scores={"safety": Unscored("no")}, distributions={"safety": {100: 1}}),
    ]
    assert pooled(panel, "safety") == {600: 3, 800: 1}


def test_voices_have_names_of_their_own_and_votes_only_with_verified_quotes():
    """A judge without a panel is taken from its judgement; what it lost before is carried under its name."""
    good, bad = Evidence("q", True), Evidence("q", False)
    opinions = {"safety": Opinion(Decimal(7), distribution={600: 1, 800: 1}), "adherence": Opinion(Decimal(5))}
    plain = Judgement(
        opinions, {"name": "ana"}, "s", red_flags=(Claim("f", "why", (bad, good)), Claim("g", "vain", (bad,))),
        bonuses=(Claim("b", "nice", (good,)), Claim("c", "no quote")),
    )  # fmt: skip
    lost = Discounted("red_flag", "z", "old name", "outvoted")
    listed = member("ana", red_flags=("f", "f", "g"), bonuses=("b",))
    first, second, third = voices_of([plain, plain._replace(panel=Panel((listed,), None, (lost,))), plain])
    assert [voice.name for voice in (first, second, third)] == ["ana", "ana #2", "ana #3"]
    assert first.member.judge == {"name": "ana"}
    assert dict(first.member.scores) == {"safety": Decimal(7), "adherence": Decimal(5)}
    assert dict(first.member.distributions) == {"safety": {600: 1, 800: 1}}
    assert (first.member.red_flags, first.member.bonuses) == (("f",), ("b",))
    assert (second.member.red_flags, second.member.bonuses) == (("f",), ("b",))
    unverified = [("red_flag", "g", "unverified", "vain"), ("bonus", "c", "unverified", "no quote")]
    assert [(one.kind, one.id, one.reason, one.explanation) for one in first.discounted] == unverified
    assert [(one.id, one.judge) for one in second.discounted] == [("z", "ana #2"), ("g", "ana #2"), ("c", "ana #2")]


def test_what_changed_in_a_rubric_since_the_judging_is_reported():
    """Criteria, wordings, the introduction, and what was not listed then."""
    then = {"safety": "1", "adherence": "1", "summary": "1", "red_flags.f": "1", "bonuses.b": "1"}
    now = {"safety": "2", "adherence": "2", "summary": "2", "red_flags.f": "2", "bonuses.b": "2", "red_flags.new": "1"}
    assert changed_since(then, now) == (
        "the criteria for adherence and safety have changed since the judging; the scores are for the old criteria",
        "reworded since the judging: red flag f and bonus b; the judges answered the old wording",
        "the rubric's introduction has changed since the judging; the scores are for the old one",
        "the judges were not asked about red flag new; the rubric did not list it then",
    )
    assert changed_since(then, then) == changed_since(then, {}) == ()
    assert changed_since({}, {"bonuses.b": "1"})[0].startswith("the judges were not asked about bonus b;")


# --- faults ----------------------------------------------------------------------------------------------------------


def fault(severity: str | None = "major", **more: Any) -> Finding:
    return Finding(
        more.pop("check", "c"), more.pop("dimension", "safety"), severity, more.pop("message", "Why."), **more
    )


def judgement(score: str | None = "9", *, judge: str = "agent:a", **checked: Any) -> Judgement:
    opinion = Opinion(Unscored("nobody") if score is None else Decimal(score))
    return Judgement(
        dict.fromkeys(evenhand.DIMENSIONS, opinion),
        {"name": judge},
        "s",
        checked=Checked("h", **checked) if checked else None,
    )


def test_who_read_the_work_and_who_is_a_person():
    """Checks alone read nothing; agents and checks are not people, and neither is a panel of models."""
    one = judgement(None, findings=())
    assert unread(one)
    assert not unread(one._replace(opinions=one.opinions | {"safety": Opinion(Decimal(7))}))
    assert not unread(judgement("9"))
    assert not unread(judgement(None))
    assert [by_person(judgement(judge=name)) for name in ("human:ana", "agent:a", "checks", "model:m")] == [
        True,
        False,
        False,
        True,
    ]
    assert not by_person(judgement(judge="human:ana")._replace(panel=Panel((), None)))


@pytest.mark.parametrize(
    ("finding", "bound"),
    [
        (fault(precise=True), True), (fault(), False), (fault(None, precise=True), False),
        (fault(precise=True, flag="f"), False),
    ],
)  # fmt: skip
def test_which_faults_bound_a_dimension_that_was_read(finding, bound):
    """Precise ones that raised no flag; where nobody read it, others too."""
    assert ("safety" in bounds_of(judgement(findings=(finding,)))) is bound
    alone = bounds_of(judgement(None, findings=(finding,)))
    assert ("safety" in alone) is (finding.severity is not None and not finding.flag)


def test_a_lifted_fault_and_a_met_expectation_bound_nothing():
    """An unmet one does."""
    from evenhand.core.scoring import finding_id

    found = fault(precise=True)
    lifted = (Lifted(finding_id(found), "ana", "wrong"),)
    assert bounds_of(judgement(findings=(found,), lifted=lifted)) == {}
    for result in ("met", "unmet", "undecided"):
        expected = Expected("x", result, "adherence", "critical", "y")
        bounds = bounds_of(judgement(expectations=(expected,)))
        assert (list(bounds) == ["adherence"]) is (result == "unmet")
        assert all(bound.checks == ("expectation",) for bound in bounds.values())


def test_a_person_is_told_of_a_fault_in_what_they_scored_high():
    """From 7 on; an unscored dimension contradicts nothing."""
    for score, told in (("7", True), ("6.99", False), (None, False)):
        one = judgement(score, judge="human:ana", findings=(fault(),))
        if score is None:
            one = one._replace(opinions=one.opinions | {"adherence": Opinion(Decimal(9))})
        made = bounded(one, None)
        assert (made.warnings == (f"safety has {score}, but a check found a fault: Why.",)) is told
        assert made.opinions == one.opinions


@pytest.mark.parametrize(
    ("cap", "expected"),
    [
        (None, {500: 1, 700: 2, 900: 3}),
        (900, {500: 1, 700: 2, 900: 3}),
        (700, {500: 1, 700: 5}),
        (600, {500: 1, 600: 5}),
    ],
)
def test_a_distribution_is_clipped_at_its_cap(cap, expected):
    """Nothing is lost."""
    assert clipped({500: 1, 700: 2, 900: 3}, cap) == expected
    assert clipped({}, cap) == {}


def test_a_fault_is_decisive_when_it_would_cap_or_raise_a_flag():
    """Not below its cap, nor where a person or nobody judged."""
    rubric = make_rubric()
    detecting = rubric._replace(red_flags=(rubric.red_flags[0]._replace(detect="d"),))
    from evenhand.core.receipt import terms_of

    terms = terms_of(detecting)
    capping, flagging = fault("critical", precise=True), fault("minor", precise=True, check="d", dimension="adherence")
    both = judgement("9", findings=(capping, flagging))
    assert decisive_findings(both, terms) == [capping, flagging]
    assert decisive_findings(judgement("1", findings=(capping, flagging)), terms) == [flagging]
    assert decisive_findings(both, terms_of(rubric))[0] == capping
    assert decisive_findings(judgement("9", judge="human:ana", findings=(capping,)), terms) == []
    assert decisive_findings(judgement(None, findings=(capping,)), terms) == []
    assert decisive_findings(judgement("9"), terms) == []
