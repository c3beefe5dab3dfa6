"""Figures over many evaluations: how judges were used, how far they agree, and what checks found."""

from __future__ import annotations

from decimal import Decimal

import pytest
from conftest import seven

import evenhand
from evenhand import DIMENSIONS
from evenhand.store.figures import judge_use
from evenhand.store.figures.fault_counts import CheckCount, FaultCounts
from evenhand.store.figures.judge_use import JudgeFigures, judge_figures
from evenhand.store.figures.newest import newest_records
from evenhand.store.tables.filter import Filter

CALLS = {"asked": 8, "stored": 1, "repairs": 2, "input_tokens": 300, "output_tokens": 40, "cost": 0.25}


def evaluation(judge: str = "model:a", score: object = 8, *, submission: str | None = "s", rubric: str = "r", **more):
    """The document of a scorecard, as far as figures are made of it."""
    scores = score if isinstance(score, dict) else seven(score)
    return {
        "judge": {"name": judge},
        "final": more.pop("final", 8.0),
        "dimensions": {name: {"score": value} for name, value in scores.items()},
        "receipt": {"submission": submission, "rubric": rubric},
        **more,
    }


def member(judge: str, score: object, abstained: str | None = None) -> dict:
    return {
        "judge": {"name": judge},
        "scores": seven(score) if not isinstance(score, dict) else score,
        "abstained": abstained,
    }


# --- judges


def test_a_judge_s_evaluations_scores_and_mean_are_counted():
    """Two evaluations, one of them without a final score and with two dimensions unscored: 12 scores of 14."""
    gaps = seven(6) | {"safety": None, "correctness": None}
    figures = judge_figures([evaluation(final=7.5), evaluation(score=gaps, final=None, submission="t")])
    (use,) = figures.judges
    assert (use.name, use.evaluations, use.scored, use.unscored, use.failures) == ("model:a", 2, 12, 2, 0)
    assert (use.finals, use.mean) == ([Decimal("7.5")], Decimal("7.5"))
    assert figures.evaluations == 2
    assert judge_figures([evaluation(final=None)]).judges[0].mean is None
    assert judge_figures([evaluation(final=7.0), evaluation(final=8.0)]).judges[0].mean == Decimal("7.5")


def test_a_panel_s_calls_and_costs_are_its_own_and_its_members_have_their_scores():
    """The cost of two panels adds up; one of unknown price is counted as such. A member that gave nothing failed."""
    members = [member("a", 8), member("b", seven(None), "no answer"), member("c", seven(None), judge_use.NOT_ASKED)]
    priced = {"members": members, "calls": CALLS}
    unpriced = {"members": [member("a", 8)], "calls": CALLS | {"cost": None}}
    figures = judge_figures([evaluation("panel", panel=priced), evaluation("panel", panel=unpriced, submission="t")])
    uses = {use.name: use for use in figures.judges}
    own = uses["panel"]
    assert (own.asked, own.stored, own.repairs, own.input_tokens, own.output_tokens) == (16, 2, 4, 600, 80)
    assert (own.cost, own.unpriced, own.evaluations, own.scored) == (Decimal("0.25"), 1, 2, 14)
    assert (uses["a"].scored, uses["a"].evaluations, uses["a"].asked, uses["a"].failures) == (14, 0, 0, 0)
    assert (uses["b"].unscored, uses["b"].failures) == (7, 1)
    assert (uses["c"].unscored, uses["c"].failures) == (7, 0)


def test_a_single_model_is_not_counted_twice():
    """It is the only member of its own panel."""
    figures = judge_figures([evaluation("model:a", panel={"members": [member("model:a", 8)], "calls": CALLS})])
    (use,) = figures.judges
    assert (use.scored, use.evaluations) == (7, 1)
    assert figures.pairs == []


def test_who_judged_most_comes_first_then_who_scored_most_then_by_name():
    gaps = seven(6) | {"safety": None}
    documents = [
        evaluation("d", submission="1"),
        evaluation("c", submission="2"),
        evaluation("b", gaps, submission="3"),
        evaluation("a", gaps, submission="4"),
        evaluation("a", gaps, submission="5"),
    ]
    assert [use.name for use in judge_figures(documents).judges] == ["a", "c", "d", "b"]


def test_two_judges_of_one_work_agree_as_far_as_their_scores_do():
    """Differences of 0, 0.9, 1, 1.9, 2 and one that only one of them scored: 5 pairs, two below a point, one of 2."""
    one = dict(zip(DIMENSIONS, (8, 8, 8, 8, 8, 8, None), strict=True))
    two = dict(zip(DIMENSIONS, (8, 7.1, 9, 6.1, 6, None, None), strict=True))
    (pair,) = judge_figures([evaluation("b", one), evaluation("a", two)]).pairs
    assert (pair.first, pair.second, pair.submissions, pair.scores) == ("a", "b", 1, 5)
    assert (pair.apart, pair.same, pair.disputed) == (Decimal("5.8"), 2, 1)
    assert pair.mean_difference == Decimal("1.16")


@pytest.mark.parametrize("other", [{"submission": "t"}, {"rubric": "q"}, {"submission": None}])
def test_judges_are_compared_on_the_same_work_by_the_same_rubric_only(other):
    """What has no hash of its text cannot be known to be the same."""
    assert judge_figures([evaluation("a"), evaluation("b", **other)]).pairs == []
    assert judge_figures([evaluation("a", **other), evaluation("b")]).pairs == []


def test_members_of_a_panel_are_compared_with_each_other_and_with_others():
    """Three pairs: within the panel, and each with the judge who came before; the panel's own verdict is none."""
    panel = {"members": [member("b", 8), member("c", 6)], "calls": CALLS}
    pairs = judge_figures([evaluation("a", 8), evaluation("panel", 7, panel=panel)]).pairs
    assert {(pair.first, pair.second): pair.apart for pair in pairs} == {
        ("a", "b"): 0,
        ("a", "c"): 14,
        ("b", "c"): 14,
    }


def test_of_two_evaluations_by_one_judge_the_first_is_compared_with_others():
    """A judge is not compared with itself."""
    pairs = judge_figures([evaluation("a", 8), evaluation("a", 5), evaluation("b", 8)]).pairs
    assert [(pair.first, pair.second, pair.apart) for pair in pairs] == [("a", "b", 0)]


def test_pairs_that_scored_most_together_come_first():
    """And pairs that share no score are not listed."""
    less = seven(6) | {"safety": None}
    none = dict.fromkeys(DIMENSIONS)
    documents = [evaluation("a", 8), evaluation("b", less), evaluation("c", 8), evaluation("d", none)]
    assert [(pair.first, pair.second, pair.scores) for pair in judge_figures(documents).pairs] == [
        ("a", "c", 7),
        ("a", "b", 6),
        ("b", "c", 6),
    ]


def test_only_so_many_submissions_are_remembered(monkeypatch):
    """Those that are known stay known; later ones are not compared."""
    monkeypatch.setattr(judge_use, "MOST_SUBMISSIONS", 1)
    figures = JudgeFigures()
    for judge, submission in (("a", "s"), ("a", "t"), ("b", "t"), ("b", "s")):
        figures.add(evaluation(judge, submission=submission))
    assert [pair.submissions for pair in figures.pairs] == [1]


def test_a_document_without_a_judge_or_a_receipt_is_still_counted():
    """Damaged or from elsewhere."""
    bare = evaluation() | {"judge": None, "receipt": None}
    assert [(use.name, use.evaluations) for use in judge_figures([bare]).judges] == [("", 1)]


# --- checks


def finding(check: str, severity: str | None) -> dict:
    return {"check": check, "severity": severity}


def counted_faults(*documents: dict) -> FaultCounts:
    counts = FaultCounts()
    assert len(list(counts.counting(documents))) == len(documents)  # each goes on its way
    return counts


def test_findings_are_counted_by_check_and_severity():
    """Evaluations count where a check found a fault, once however many; those without checks are not evidence."""
    counts = counted_faults(
        {"findings": [finding("a", "major"), finding("a", "major"), finding("a", None), finding("b", "minor")]},
        {"findings": [finding("a", "critical"), finding("b", None)]},
        {"findings": []},
        {"findings": None},
        {},
    )
    assert counts.checked == 3
    assert counts.checks() == [
        CheckCount("a", critical=1, major=2, minor=0, in_order=1, evaluations=2),
        CheckCount("b", critical=0, major=0, minor=1, in_order=1, evaluations=1),
    ]
    assert [count.faults for count in counts.checks()] == [3, 1]


def test_checks_with_most_faults_come_first_then_those_that_looked_most_then_by_name():
    findings = [finding("d", "minor"), finding("d", "minor"), finding("c", None), finding("c", None)]
    findings += [finding("b", None), finding("a", None)]
    assert [count.check for count in counted_faults({"findings": findings}).checks()] == ["d", "c", "a", "b"]


# --- going through a store


@pytest.mark.parametrize(("most", "expected"), [(0, 0), (1, 1), (5, 5), (9, 7)])
def test_the_newest_evaluations_come_first_up_to_a_limit(tmp_path, monkeypatch, most, expected):
    """Two at a time, without a gap or a repeat."""
    from evenhand.store.figures import newest as going_through

    monkeypatch.setattr(going_through, "AT_ONCE", 2)
    store = evenhand.open_store(str(tmp_path / "s.db"))
    for number in range(7):
        evenhand.score({"id": f"{number}", "skill": "odd" if number % 2 else "even", "scores": seven(8)}, store=store)
    records = list(newest_records(store, Filter(), most=most))
    assert [record.id for record in records] == [f"{number}" for number in range(6, -1, -1)][:expected]
    assert all(record.document["id"] == record.id for record in records)
    assert [record.id for record in newest_records(store, Filter(skill="odd"), most=most)] == ["5", "3", "1"][:most]
    store.close()
