"""A suite's decision as a reader sees it, whole: sentences, table, document, and the picture on the page."""

from __future__ import annotations

from decimal import Decimal

import pytest
from conftest import judged, seven
from html_reading import self_contained

from decision_text import decision_lines
from evenhand.core.scoring import NOT_READ
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.decision import (
    Contrast,
    Decision,
    Detail,
    Difference,
    Missing,
    MoreData,
    VariantFacts,
    WhatIf,
)
from evenhand.decisions.values.suite_run import StoredDetail, SuiteRun
from evenhand.reports.comparison.conclusion import conclusion
from evenhand.reports.comparison.suite_decision import chance_text, decision_document, fact_rows, result_rows
from evenhand.reports.exchange.suite_tests import decision_cases
from evenhand.reports.html.suite import Point, _picture, suite_page
from evenhand.work.agent_run import CaseResult, RunId
from suite_cases import met, result

RUN = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 40, notes=("a note",))
PLAIN = Difference(12, 0.5, 0.25, 0.75, 0.0123456789, "t", 0.4, 0.123456789)
NOTHING = Difference(0, None, None, None, None, "none", None)
OLD = VariantFacts("old", 12, 12, 12, 7.0, (), 0, 0, (), Decimal(20), None, Decimal("0.24"), 12, None)
NEW = VariantFacts(
    "new",
    1400,
    12,
    12,
    7.5,
    tuple(Missing("failed" if n % 2 else "unscored", f"reason {n}", 7 - n) for n in range(7)),
    9,
    10,
    (("major", 1000), ("minor", 200)),
    Decimal("12.34"),
    None,
    Decimal("1.68"),
    14,
    Decimal("0.5"),
)
DETAILS = (
    *(Detail("tag", f"t{n}", PLAIN._replace(cases=n), None if n else 0.0004) for n in range(7)),
    Detail("dimension", "safety", PLAIN, 0.0005),
    Detail("finding", "unfinished", NOTHING, None),
)
CONTRAST = Contrast(
    "new",
    "old",
    "better",
    PLAIN,
    0.02,
    None,
    (WhatIf("this variant's", "better", PLAIN), WhatIf("everybody's", "worse", NOTHING)),
    DETAILS,
    1,
    (),
)
DECISION = Decision("final score", "old", 0.05, 0.5, 12, (OLD, NEW), (CONTRAST,))


def test_a_decision_in_lines():
    """The conclusion, the measure, the test, what-ifs, five details of a kind, five reasons for missing runs."""
    assert decision_lines(RUN, DECISION) == [
        "new is better than old: +0.50 in the mean (+0.25 to +0.75) over 12 cases, at 6.0 times the cost",
        "measured by final scores; 12 cases; the repeats of a case count once, by their mean",
        'the chance of a false "better" or "worse" is at most 5%',
        "",
        "new against old: 12 cases with a value on both sides",
        "  1 case left out: no value on one side",
        "  chance of a difference this large if there were none: 0.012, 0.020 corrected (paired t test)",
        "  with this much data, a difference of 0.40 would be detected 80% of the time",
        "  if this variant's runs without a value were losses: the same (+0.50)",
        "  if everybody's runs without a value were losses: worse",
        "  where it differs (exploratory: hints where to look, not conclusions; p-values corrected within a kind):",
        "    tag t0: +0.50 over 0 cases, p below 0.001",
        "    tag t1: +0.50 over 1 case",
        "    tag t2: +0.50 over 2 cases",
        "    tag t3: +0.50 over 3 cases",
        "    tag t4: +0.50 over 4 cases",
        "    and 2 more of this kind",
        "    dimension safety: +0.50 over 12 cases, p 0.001",
        "new: 7 runs unscored: reason 0",
        "new: 6 runs failed: reason 1",
        "new: 5 runs unscored: reason 2",
        "new: 4 runs failed: reason 3",
        "new: 3 runs unscored: reason 4",
        "new: 3 more runs without a value, for other reasons",
        "note: a note",
    ]


def test_five_details_and_five_reasons_are_all_shown():
    """There is no line that counts none."""
    few = DECISION._replace(
        variants=(OLD, NEW._replace(missing=(*NEW.missing[:4], Missing("failed", "last", 1)))),
        contrasts=(CONTRAST._replace(details=DETAILS[:5], unpaired=0, what_if=()),),
    )
    lines = decision_lines(RUN, few)
    assert not [line for line in lines if "more" in line or "left out" in line]
    assert "new: 1 run failed: last" in lines and "    tag t4: +0.50 over 4 cases" in lines
    six = NEW._replace(missing=(*NEW.missing[:5], Missing("failed", "last", 1)))
    assert "new: 1 more run without a value, for other reasons" in decision_lines(
        RUN, DECISION._replace(variants=(OLD, six))
    )
    bare = DECISION._replace(contrasts=(CONTRAST._replace(details=()),))
    assert not [line for line in decision_lines(RUN, bare) if "exploratory" in line]


def test_runs_of_a_shard_are_counted():
    """One run is a run."""
    shard = DECISION._replace(contrasts=(), variants=(OLD._replace(runs=1),), state="shard")
    assert decision_lines(RUN, shard)[0] == (
        "demo, a shard with 1 run: evenhand suite merge puts shards together and compares"
    )
    stopped = DECISION._replace(contrasts=(), state="stopped")
    assert decision_lines(RUN, stopped)[0].endswith(" after 1,412 runs: nothing is decided")


def test_what_nobody_read_is_measured_by_expectations_in_percent():
    """Dimensions keep their points; details of findings are shares."""
    lines = decision_lines(RUN, DECISION._replace(measure="expectations met"))
    assert lines[0] == (
        "new is better than old: +50.0% in the mean (+25.0% to +75.0%) over 12 cases, at 6.0 times the cost"
    )
    assert lines[1].startswith("measured by the share of expectations met: no one has read these outputs; 12 cases;")
    assert "    tag t1: +50.0% over 1 case" in lines
    assert "    dimension safety: +0.50 over 12 cases, p 0.001" in lines
    finding = CONTRAST._replace(details=(DETAILS[-1]._replace(difference=PLAIN),))
    assert "    finding unfinished: in 50.0% more of its runs over 12 cases" in decision_lines(
        RUN, DECISION._replace(contrasts=(finding,))
    )
    fewer = CONTRAST._replace(details=(DETAILS[-1]._replace(difference=PLAIN._replace(mean=-0.5)),))
    assert "    finding unfinished: in 50.0% fewer of its runs over 12 cases" in decision_lines(
        RUN, DECISION._replace(contrasts=(fewer,))
    )


def test_judges_that_scored_nothing_are_not_taken_for_judges_that_no_one_named():
    """With judges that failed and no expectations, it is the scores that are missing, with their reason."""
    board = Board([result(case, name, unscored="no score is stated") for case in "abc" for name in ("old", "new")])
    decision = decide(board, ("old", "new"), "old")
    assert decision.measure == "final score" and board.unscored == "no score is stated"
    assert conclusion(decision.contrasts[0], decision.measure).endswith("undecided: no case has a value on both sides")
    assert Board([met("a", "old", 1, 1, 2), result("b", "old", unscored="refused")]).measure == "expectations met"
    unread = Board([result("a", "old", unscored=NOT_READ)])
    assert (unread.measure, unread.unscored) == ("expectations met", "")


def test_an_uncorrected_chance_is_shown_once_and_several_contrasts_share_the_level():
    """Two contrasts are corrected by Holm's method, and the line says so; an early stop is told."""
    alone = CONTRAST._replace(adjusted=PLAIN.p_value, difference=PLAIN._replace(test="sign"))
    lines = decision_lines(RUN._replace(looks=(12, 40)), DECISION._replace(contrasts=(alone, alone)))
    assert "  chance of a difference this large if there were none: 0.012 (exact sign test)" in lines
    assert lines[3] == ('the chance of a false "better" or "worse" is at most 5% for all comparisons together (Holm)')
    assert lines[4] == ("it was to stop when decided, at looks after 12, 40 cases; 12 cases of 40 were run")


@pytest.mark.parametrize(
    ("p_value", "text"),
    [(None, "-"), (0.0, "below 0.001"), (0.00049, "below 0.001"), (0.0005, "0.001"), (0.25, "0.250"), (1.0, "1.000")],
)
def test_a_probability_is_never_shown_as_zero(p_value: float | None, text: str):
    """0.0005 is the smallest that rounds to 0.001."""
    assert chance_text(p_value) == text


@pytest.mark.parametrize(
    ("more", "cases", "words"),
    [
        (None, 5, "better in 4 of 5 cases, worse in 1; a verdict needs at least 6 that differ"),
        (
            MoreData(1, None, 3),
            5,
            "better in 4 of 5 cases, worse in 1; a verdict needs at least 6 that differ; "
            "if it goes on like this, 1 to 3 more cases will tell",
        ),
        (
            MoreData(30, None),
            9,
            "better in 4 of 9 cases, worse in 1; a verdict needs at least 6 that differ; "
            "if it goes on like this, at least 30 more cases will tell",
        ),
        (MoreData(30, 5), 0, "no case has a value on both sides"),
    ],
)
def test_what_would_be_enough_is_told_where_the_data_are_not(more: MoreData | None, cases: int, words: str):
    """The fewest cases first, then a range."""
    difference = PLAIN._replace(cases=cases, better=4, worse=1, claim="cases", test="sign")
    contrast = CONTRAST._replace(verdict="undecided", more=more, difference=difference, needed=6)
    assert conclusion(contrast, "final score") == f"new against old: undecided: {words}"
    assert decision_lines(RUN, DECISION._replace(contrasts=(contrast,)))[0].startswith(
        f"new against old: undecided: {words}"
    )


def test_more_runs_of_each_case_are_told_where_the_mean_is_claimed():
    """One more case is a case."""
    contrast = CONTRAST._replace(
        verdict="undecided",
        more=MoreData(1, 5, 1),
        difference=PLAIN._replace(claim="mean", cases=40, better=22, worse=18),
    )
    assert conclusion(contrast, "final score").endswith(
        "worse in 18; if it goes on like this, 1 more case or 5 runs of each of these will tell"
    )


@pytest.mark.parametrize(
    ("verdict", "field"),
    [
        ("worse", "failure"),
        ("undecided", "skipped"),
        ("better", "says"),
        ("no difference shown", "says"),
    ],
)
def test_a_contrast_is_a_test_case(verdict, field):
    """Worse fails, what the data cannot tell is skipped, the rest passes with its conclusion."""
    (case,) = decision_cases(DECISION._replace(contrasts=(CONTRAST._replace(verdict=verdict),)))
    assert (case.name, case.group) == ("new against old", "decision")
    filled = {name for name in ("failure", "skipped", "says") if getattr(case, name)}
    assert filled == {field} and getattr(case, field).startswith("new ")


def test_the_table_has_quality_beside_time_and_cost():
    """What is not known is a dash."""
    assert fact_rows(DECISION) == [
        ("old", "12", "12", "0", "7.00", "-", "0", "20.0", "-", "$0.2400", "-"),
        ("new", "1400", "12", "12", "7.50", "9 of 10", "1,200", "12.3", "-", "$1.6800", "$0.5000"),
    ]
    unknown = OLD._replace(mean=None, seconds=None, cost=None)
    assert fact_rows(DECISION._replace(variants=(unknown,))) == [
        ("old", "12", "12", "0", "-", "-", "0", "-", "-", "-", "-")
    ]


def test_a_decision_for_a_program_has_six_places():
    """And everything the lines leave out."""
    document = decision_document(DECISION, {"id": "run-1", "pairs": {"some": "pairs"}})
    (contrast,) = document["contrasts"]
    assert contrast["difference"] == {
        "cases": 12,
        "mean": 0.5,
        "low": 0.25,
        "high": 0.75,
        "p_value": 0.012346,
        "test": "t",
        "detectable": 0.4,
        "error": 0.123457,
        "better": 0,
        "worse": 0,
        "typical": None,
        "claim": None,
    }
    assert (len(contrast["details"]), contrast["details"][-1]["difference"]["mean"]) == (9, None)
    assert [entry["losses"] for entry in contrast["what_if"]] == ["this variant's", "everybody's"]
    assert (contrast["more"], contrast["unpaired"], contrast["adjusted"]) == (None, 1, 0.02)
    assert (document["run"], document["pairs"]) == ({"id": "run-1"}, {"some": "pairs"})
    assert (document["variants"][1]["failed"], document["variants"][1]["cost"]) == (12, 1.68)
    assert document["variants"][1]["faults"] == {"major": 1000, "minor": 200}
    short = CONTRAST._replace(more=MoreData(30, None))
    assert decision_document(DECISION._replace(contrasts=(short,)), {})["contrasts"][0]["more"] == {
        "cases": 30,
        "repeats": None,
        "most": None,
    }


def test_a_row_for_each_run_has_points_and_the_reason_there_are_none():
    """Hundredths become points; what is unknown stays empty."""
    scored = CaseResult(
        RunId("c", "new", 2),
        "finished",
        final=725,
        dimensions=(("safety", 650), ("clarity", None)),
        met=3,
        expectations=4,
        seconds=Decimal("1.5"),
        cost=Decimal("0.25"),
        evaluation="e-1",
    )
    first, second = result_rows([scored, CaseResult(RunId("c", "new", 3), "finished", unscored="nobody read it")])
    assert (first["id"], first["score"], first["safety"], first["clarity"]) == ("e-1", 7.25, 6.5, None)
    assert (first["seconds"], first["cost"], first["met"], first["expectations"]) == (1.5, 0.25, 3, 4)
    assert (second["id"], second["score"], second["reason"]) == ("c/new/3", None, "nobody read it")
    assert (second["seconds"], second["cost"], second["skill"]) == (None, None, "new")


# --- the page


def test_quality_is_drawn_against_cost():
    """Cost from 60 to 380, the highest at 380; scores from 1 at 200 to 10 at 30: 7.75 is three quarters up, at 72.5.

    Old costs 0.24 / 12 = 0.02 a run and new 1.68 / 14 = 0.12, so old is a sixth of 320 along."""
    drawn = _picture(DECISION._replace(variants=(OLD._replace(mean=7.75), NEW._replace(mean=1.0))))
    assert drawn is not None
    old, new = drawn["points"]
    assert (old.x, old.y) == (pytest.approx(60 + 320 / 6), pytest.approx(72.5))
    assert (old.name, old.text) == ("old", "old: 7.75, $0.0200 a run")
    assert new == Point(380, 200, "new", "new: 1.00, $0.1200 a run")
    assert drawn["ticks"] == [(200, "1.00"), (30, "10.00")]
    assert (drawn["along"], drawn["most"]) == ("cost of a run", "$0.1200")


def test_quality_is_drawn_against_time_where_a_cost_is_unknown():
    """The slower one at the right; shares go from 0 to 1; a variant without a mean has no place."""
    variants = (OLD._replace(mean=0.5, cost=None), NEW._replace(mean=1.0), NEW._replace(mean=None))
    drawn = _picture(DECISION._replace(measure="expectations met", variants=variants))
    assert drawn is not None
    assert drawn["points"] == [
        Point(380, 115, "old", "old: 50.0%, 20.0 seconds a run"),
        Point(pytest.approx(60 + 320 * 12.34 / 20), 30, "new", "new: 100.0%, 12.3 seconds a run"),
    ]
    assert drawn["ticks"] == [(200, "0.0%"), (30, "100.0%")]
    assert (drawn["along"], drawn["most"]) == ("seconds of a run", "20.0 s")
    assert _picture(DECISION._replace(variants=(OLD._replace(mean=None),))) is None
    free = _picture(DECISION._replace(variants=(OLD._replace(cost=Decimal(0)),)))
    assert free is not None and free["points"][0].x == 60


def test_a_cell_has_the_mean_of_its_runs_and_how_many_have_none():
    """7.00 and 8.00 are 7.50; a variant that did not run has no value; the runs of a cell are in order."""
    scores = (("safety", 650), ("clarity", None), ("economy", 725))
    made = [
        result("c", "new", 2, 800, evaluation="e-2", faults=(("secrets", "major"), ("style-mix", "minor"))),
        result("c", "new", 1, 700, grade="B-", dimensions=scores, met=1, expectations=2),
        result("c", "new", 3, None, unscored="nobody read it"),
    ]
    page = self_contained(suite_page(RUN, DECISION, Board(made), made))
    assert page.text_in("summary") == ["7.50, 1 without a value"]
    assert "no value" in page.text_in("td")
    assert [" ".join(text.split()) for text in page.text_in("li") if text.startswith("run ")] == [
        "run 1: finished, 7.00 B-, 1 of 2 expectations met",
        "run 2: finished, 8.00",
        "run 3: finished; nobody read it",
    ]
    assert "safety 6.50, economy 7.25" in page.text_in("span.small")
    assert "faults: secrets (major), style-mix (minor)" in page.text_in("span.small")
    assert "scorecard: evenhand show e-2" in page.text_in("span.soft small")


def test_a_cell_opens_on_what_is_stored_of_its_runs():
    """Of one run the scorecard, of another the numbers alone; the page counts both. A failed run has no scorecard."""
    made = [result("c", "new", n, 700, evaluation=f"e-{n}") for n in (1, 2, 3)]
    made.append(result("c", "old", 1, outcome="failed", reason="exit code 1"))
    stored = {
        made[0].id: StoredDetail(judged(seven(7)), "Done.", 0),
        made[1].id: StoredDetail(None, "Half.", 0),
        made[3].id: StoredDetail(None, "Nothing.", 0),
    }
    page = self_contained(suite_page(RUN, DECISION, Board(made), made, details=stored))
    assert "for the cases listed first: 1 in all. Of 2 other runs it has the numbers" in page.words
    assert "Half." in page.words and "Nothing." in page.words
    links = suite_page(RUN, DECISION, Board(made), made, address="/evaluations/{}".format)
    assert '<a class="small" href="/evaluations/e-3">scorecard e-3</a>' in links
