"""Estimates, anchors, judges' cards and calibrations as a reader sees them, whole."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from evenhand.core.curve import Calibration, Curve
from evenhand.reports.charts import curve_chart
from evenhand.reports.trust.anchors import run_document, run_lines
from evenhand.reports.trust.calibration import summary_lines
from evenhand.reports.trust.estimates import estimate_document
from evenhand.reports.trust.judge_card import HOW, sentence
from evenhand.reports.trust.judge_uses import uses_lines
from evenhand.stats.trust.anchor_drift import AnchorReport, Movement
from evenhand.stats.trust.estimated import Estimated
from evenhand.stats.trust.estimates import Estimate
from evenhand.stats.trust.judge_card import JudgeCard, Noise, ProbeChange, ScaleUse
from evenhand.stats.trust.pass_rate import PassRate
from evenhand.stats.trust.probe_effects import Effect, Probe, ProbeResult
from report_formats import anchors_page, calibration_markdown, calibration_page, card_lines, card_markdown, cards_page

# --- estimates

LONG = [0.123456789, 0.234567891, 0.345678912, 0.456789123, 0.567891234, 0.678912345, 0.789123456, 0.891234567]


def test_an_estimate_for_a_program_has_six_places():
    """Seven digits would pretend to more than a thousand labels can show; the plan is there when it is asked for."""
    made = Estimate(
        LONG[0], LONG[1], LONG[2], 0.95, 30, 70, LONG[3], LONG[4], (LONG[5], LONG[6], LONG[7]), (LONG[1], LONG[2])
    )
    assert estimate_document(Estimated("mean", "a", made, 30, 70, None, None)) == {
        "schema": "evenhand/estimate/v1",
        "what": "mean",
        "subject": "a",
        "value": 0.123457,
        "low": 0.234568,
        "high": 0.345679,
        "confidence": 0.95,
        "method": "ppi++",
        "labels": 30,
        "unlabelled": 70,
        "judge_alone": 0.567891,
        "slope": 0.456789,
        "beyond": {"low": 0.234568, "high": 0.345679},
        "labels_alone": {"value": 0.678912, "low": 0.789123, "high": 0.891235},
    }
    planned = estimate_document(Estimated("mean", "a", made, 30, 70, 0.25, None))
    assert (planned["precision"], planned["labels_needed"]) == (0.25, None)


def test_a_pass_rate_for_a_program_has_the_judge_s_errors_too():
    """The share of what people pass that the judge passes, and of what they fail that it fails."""
    document = estimate_document(Estimated("pass-rate", "a", PassRate(*LONG[:3], 0.95, *LONG[3:6]), 30, 70, 0.05, 120))  # type: ignore[call-arg]
    assert document["method"] == "ppi++"
    assert (document["judge_alone"], document["sensitivity"], document["specificity"]) == (0.456789, 0.567891, 0.678912)
    assert (document["precision"], document["labels_needed"]) == (0.05, 120)
    assert {"slope", "labels_alone", "beyond"} <= set(document)


# --- anchors

DOWN = Movement("final", 12, 0, -0.5, -0.75, -0.25, 0.004, True)
STILL = Movement("safety", 11, 1, 0.123456789, -0.25, 0.5, 1.0, False)
ONE = Movement("correctness", 1, 11, 0.5, None, None, None, False)
NONE = Movement("clarity", 0, 12, None, None, None, None, False)
JUDGE = {"name": "openai:one"}


def test_a_run_of_anchors_in_lines():
    """Whether the judge moved, each field, what changed about the judge, and what to do."""
    moved = (DOWN, STILL, ONE, NONE)
    run = AnchorReport(
        "default",
        JUDGE,
        ("m-1",),
        "2026-02-03T04:05:06Z",
        12,
        "2026-01-02T00:00:00Z",
        moved,
        ("model: m-0, now m-1",),
    )
    assert run_lines(run) == [
        "openai:one on 12 anchors of default, 2026-02-03: the judge moved: final by -0.50 (since 2026-01-02)",
        "  final: -0.50 (-0.75 to -0.25) over 12 anchors; MOVED",
        "  safety: +0.12 (-0.25 to +0.50) over 11 anchors, 1 without a score",
        "  correctness: +0.50 over 1 anchor, 11 without a score",
        "  clarity: no anchor has a score both times",
        "changed since then: model: m-0, now m-1",
        "calibrate the judge again, or replace it; until then a skill's drift cannot be told from its own",
    ]
    assert [row["mean"] for row in run_document(run)["moved"]] == [-0.5, 0.123457, 0.5, None]
    assert run_document(run)["moved"][0]["alarm"] is True


@pytest.mark.parametrize(("anchors", "enough"), [(10, False), (11, True)])
def test_eleven_anchors_are_enough_to_tell(anchors: int, enough: bool):
    """With fewer, the report names how many an alarm needs; the most that any field has counts."""
    few = "too few to tell: an alarm needs 11 anchors with scores; add some: evenhand trust anchors add"
    first = run_lines(AnchorReport("default", JUDGE, (), "2026-02-03", anchors, None, (), ()))
    head = f"openai:one on {anchors} anchors of default, 2026-02-03"
    assert first == [f"{head}: the first judging; later runs are compared with it", *([] if enough else [few])]
    moved = (ONE, STILL._replace(anchors=anchors, missing=0))
    later = run_lines(AnchorReport("default", JUDGE, (), "2026-02-03", anchors, "2026-01-02", moved, ()))
    assert later[0] == f"{head}: no move is shown (since 2026-01-02)"
    assert later[3:] == ([] if enough else [few])


def test_the_page_draws_the_newest_run_and_lists_the_earlier_ones_newest_first():
    """Only what has an interval is drawn."""
    runs = [
        AnchorReport("default", JUDGE, (), "2026-01-02", 12, None, (), ()),
        AnchorReport("default", {"name": "other"}, (), "2026-01-05", 12, None, (), ()),
        AnchorReport("default", JUDGE, (), "2026-01-03", 12, "2026-01-02", (STILL,), ()),
        AnchorReport("default", JUDGE, (), "2026-01-04", 12, "2026-01-02", (DOWN, STILL, ONE, NONE), ()),
    ]
    page = anchors_page("default", runs)
    assert (
        'aria-label="Change in points since the reference, with its interval. final: -0.50 moved; safety: +0.12"'
        in page
    )
    assert (
        page.index("2026-01-04: the judge moved")
        < page.index("2026-01-03: no move")
        < page.index("2026-01-02: the first")
    )
    assert page.count("2026-01-04: ") == page.count("2026-01-05: ") == 1


# --- a judge's card

PADDING = Probe("padding", "not-up", "base", "padding", "completeness", "marks padding up")
FACT = Probe("fact", "down", "base", "fact", "correctness", down="marks a changed fact down")
AUTHOR = Probe("author", "same", "one", "two", None, "scores two higher", "scores two lower")
REPEAT = Probe("repeat", "repeat", "base", "again")


def found(
    probe: Probe, verdict: str, mean: float, *, n: int = 10, against: bool = False, missing: int = 0
) -> ProbeResult:
    """An effect of a mean with an interval of half a point to each side, half of it on the final score of a fact."""
    effect = Effect(n, mean, mean - 0.5, mean + 0.5, 0.7)
    final = effect if probe.expectation != "down" else Effect(n, mean / 2, mean / 2 - 0.25, mean / 2 + 0.25, 0.3)
    dimension = effect if probe.dimension else None
    return ProbeResult(probe, final, dimension, {}, verdict, against, None, missing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (found(PADDING, "shown", 0.75), "marks padding up by 0.75 [0.25, 1.25]"),
        (found(AUTHOR, "shown", 0.75), "scores two higher by 0.75 [0.25, 1.25]"),
        (found(AUTHOR, "shown", -0.75), "scores two lower by 0.75 [0.25, 1.25]"),
        (found(FACT, "shown", -2), "marks a changed fact down by 2.00 [1.50, 2.50]"),
        (
            found(FACT, "unnoticed", -0.25),
            "hardly marks a changed fact down: by 0.25 [-0.75, +0.25], where 1.0 is expected",
        ),
        (
            found(FACT, "unnoticed", 0),
            "hardly marks a changed fact down: by nothing [-0.50, +0.50], where 1.0 is expected",
        ),
        (
            found(FACT, "not-shown", -0.75),
            "not shown that it marks a changed fact down: -0.75 [-1.25, -0.25]",
        ),
        (found(PADDING, "not-shown", 0.25), "not shown that it marks padding up: +0.25 [-0.25, +0.75]"),
        (found(AUTHOR, "too-few", 0.25), "too few to tell that it scores two higher: +0.25 [-0.25, +0.75]"),
        (found(REPEAT, "described", 0.25), "the same output again: +0.25 [-0.25, +0.75]"),
        (found(PADDING, "too-few", 2, n=4), "too few to tell: 4 usable outputs, 5 are needed"),
        (found(PADDING, "not-shown", 0.25, n=5), "not shown that it marks padding up: +0.25 [-0.25, +0.75]"),
        (found(PADDING, "too-few", 2, n=1), "too few to tell: 1 usable output, 5 are needed"),
        (
            ProbeResult(PADDING, None, None, {}, "too-few", False, None, 0),
            "too few to tell: 0 usable outputs, 5 are needed",
        ),
    ],
)
def test_every_verdict_of_a_probe_in_words(result: ProbeResult, words: str):
    """What the judge does, by how much, and what would have been expected; with the interval."""
    assert sentence(result) == words


CARD = JudgeCard(
    "card-1",
    "2026-02-03T04:05:06Z",
    {"name": "openai:one"},
    ("m-1", "m-2"),
    "quick",
    "hash",
    40,
    1200,
    Decimal("0.5"),
    (
        found(REPEAT, "described", 0.0),
        found(PADDING, "shown", 0.75, against=True, missing=2),
        found(FACT, "shown", -2.0, missing=1),
        ProbeResult(AUTHOR, None, None, {}, "too-few", False, None, 0),
    ),
    {"order": "no pairs were asked for"},
    Noise(10, 0.125, 0.5, 6, 0.1),
    ScaleUse({str(score): 3 if score in (7, 9) else 0 for score in range(1, 11)}, Decimal("9.25"), Decimal(7), 4),
)
TITLE = "openai:one: quick probe of 2026-02-03, 40 readings, 1,200 calls, $0.5000"
PROBES = [
    "  repeat  the same output again: +0.00 [-0.50, +0.50]",
    "  \u2717 padding  marks padding up by 0.75 [0.25, 1.25]",
    "  fact  marks a changed fact down by 2.00 [1.50, 2.50]",
    "  author  too few to tell: 0 usable outputs, 5 are needed",
]
NOTES = [
    "repeatability: the same output again differs by 0.12 on average, 0.50 at most; 6 of 10 got the same score",
    "use of the scale: 7, 9; never 10 and never 1; highest 9.25, lowest 7; 4 unscored",
    "3 comparisons have no score on one side: left out, not counted as zero",
    "order: not made: no pairs were asked for",
    "several models answered: m-1, m-2",
]


def words_of(*card: Any) -> str:
    """A card on a terminal, white space folded."""
    return folded(*card_lines(*card))


def folded(*lines: str) -> str:
    return " ".join(" ".join(lines).split())


def test_a_judge_s_card_in_lines():
    """What speaks against the judge is marked; then noise, the scale, and everything that is missing."""
    lines = card_lines(CARD)
    assert lines[:2] == [TITLE, "marks padding up by 0.75 [0.25, 1.25]"]
    assert lines[3:7] == PROBES
    assert words_of(CARD).endswith(folded(*NOTES, HOW, *uses_lines(CARD.uses)))


def test_a_card_with_nothing_against_the_judge_and_nothing_missing_is_short():
    """One model answered, every score was used, no cost is known."""
    every = ScaleUse(dict.fromkeys(map(str, range(1, 11)), 1), Decimal(10), Decimal(1), 0)
    one = CARD._replace(results=(found(REPEAT, "described", 0, missing=1),))
    assert "1 comparison has no score on one side: left out, not counted as zero" in words_of(one)
    calm = CARD._replace(results=(found(REPEAT, "described", 0),), served=("m-1",), skipped={}, cost=None, scale=every)
    lines = card_lines(calm)
    assert lines[:2] == [
        "openai:one: quick probe of 2026-02-03, 40 readings, 1,200 calls",
        "nothing is shown against it",
    ]
    assert words_of(calm).endswith(
        folded(
            NOTES[0],
            "use of the scale: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; highest 10, lowest 1; 0 unscored",
            HOW,
            "for any use  not shown yet: a fault put into 0 outputs got a score; 10 are needed to tell",
        )
    )
    silent = calm._replace(noise=None, scale=ScaleUse({}, None, None, 7))
    assert "repeatability: no output was scored twice use of the scale: no score was given" in words_of(silent)


def test_a_card_is_compared_with_the_one_before():
    """Which model answers, and the changes that are more than chance: those with p of at most 0.05."""
    before = CARD._replace(created="2026-01-02T00:00:00Z", served=("m-0",))
    changes = [
        ProbeChange(name, Effect(10, 0.5, 0.25, 0.75, 0.3), p) for name, p in (("padding", 0.05), ("fact", 0.06))
    ]
    served = "since 2026-01-02 a different model answers: m-0, now m-1, m-2"
    said = words_of(CARD, before, changes)
    assert f"{served} since 2026-01-02 padding changed by +0.50 [+0.25, +0.75] {folded(HOW)}" in said
    same = before._replace(served=CARD.served)
    assert f"no change is shown since 2026-01-02 {folded(HOW)}" in words_of(CARD, same, changes[1:])
    other = words_of(CARD, before._replace(material="other"), changes)
    assert f"{served} the card of 2026-01-02 was made with other outputs; the two cannot be compared" in other


def test_a_judge_s_card_as_markdown():
    """The same sentences, then a row for each probe with its effects."""
    lines = card_markdown(CARD).splitlines()
    assert lines[0] == f"# {TITLE}" and lines[2] == "**Marks padding up by 0.75 \\[0.25, 1.25\\].**"
    assert "- **padding** marks padding up by 0.75 \\[0.25, 1.25\\]" in lines
    start = lines.index("| probe | change of the final score | of the dimension concerned | outputs |")
    assert lines[start + 1 : start + 6] == [
        "|---|---:|---:|---:|",
        "| repeat | +0.00 \\[-0.50, +0.50\\] | - | 10 |",
        "| padding | +0.75 \\[+0.25, +1.25\\] | completeness +0.75 \\[+0.25, +1.25\\] | 10 |",
        "| fact | -1.00 \\[-1.25, -0.75\\] | correctness -2.00 \\[-2.50, -1.50\\] | 10 |",
        "| author | - | - | 0 |",
    ]


def test_a_judge_s_card_as_a_page():
    """The dimension concerned is named beside its effect; probes without an effect are not drawn."""
    page = cards_page([(CARD, None, ())])
    assert (
        '<tr><th scope="row">fact</th><td data-label="change of the final score" class="number">-1.00 [-1.25, -0.75]'
        '</td><td data-label="of the dimension concerned" class="number">correctness -2.00 [-2.50, -1.50]</td>'
        '<td data-label="outputs" class="number">10</td></tr>'
    ) in page
    assert '<li class="of-bad"><b>padding  </b>marks padding up by 0.75 [0.25, 1.25]' in page
    assert (
        'aria-label="Change in points, with its 95 % interval. repeat: +0.00 [-0.50, +0.50]; '
        'padding: +0.75 [+0.25, +1.25]; fact: -2.00 [-2.50, -1.50]"'
    ) in page
    assert "<svg" not in cards_page([(CARD._replace(results=CARD.results[3:]), None, ())])


def test_several_cards_on_one_page_have_headings_of_their_own():
    """Each with an id of its own, so that links lead to one place."""
    page = cards_page([(CARD, None, ()), (CARD, None, ())])
    assert "<title>Judges&#39; cards" in page
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids)) >= 2
    assert f"<title>{TITLE}" in cards_page([(CARD, None, ())])


# --- calibrations

CURVE = Curve("linear", ((1.0, 1.0), (10.0, 10.0)), 3.0, 7.0, 30, 0.5, 0.75, 0.5, 1.0, 0.9, 1.5)
"""People give what the judge gives, give or take a point; there are labels from 3 to 7."""


def test_a_calibration_is_drawn_over_the_scores_that_have_labels():
    """A square of 320 with margins of 36: 3 is at 36 + 248 * 2/9 = 91.1 and 7 at 36 + 248 * 6/9 = 201.3; 40 steps."""
    drawn = curve_chart("final", CURVE)
    curve, bounds = drawn.curve, drawn.bounds
    assert (len(curve), len(bounds)) == (40, 80)
    assert curve[0] == (91.1, 228.9, 93.9, 226.1)  # a tenth of a point further is 2.8 further
    assert curve[-1][2:] == (201.3, 118.7)
    assert bounds[0][:2] == (91.1, 256.4)  # people's 2, a point below
    assert bounds[40][:2] == (91.1, 201.3)  # their 4, a point above
    assert drawn.ticks[0] == (36, 284, "1") and drawn.ticks[-1] == (284, 36, "10")
    assert drawn.label == "final: the judge's 3.00 is people's 3.00, its 7.00 is 7.00"
    assert drawn.side == 320


def test_a_calibration_in_lines_and_as_a_page():
    """Every curve in the table, with its bias; the final score's alone is drawn."""
    low = CURVE._replace(bias=-0.25, labels=31)
    made = Calibration(
        JUDGE, "default", "hash", "now", ("ana", "bo"), {"final": CURVE, "safety": low}, {"clarity": "why"}, "h"
    )
    assert summary_lines(made) == (
        "openai:one with rubric default, labelled by ana, bo",
        "final: 30 labels, linear; the judge is 0.50 points too high on average; mean error 0.75 before, 0.50 after "
        "(cross-validated); 90% of labels within 1.00; one score for every output would be off by 1.50",
        "safety: 31 labels, linear; the judge is 0.25 points too low on average; mean error 0.75 before, 0.50 after "
        "(cross-validated); 90% of labels within 1.00; one score for every output would be off by 1.50",
        "clarity: not calibrated: why",
    )
    assert summary_lines(made._replace(raters=()))[0].endswith("labelled by people who are not named")
    page = calibration_page(made)
    assert page.count("<svg") == 1
    assert "| safety | linear | 31 | -0.25 | 0.75 | 0.50 | 1.00 |" in calibration_markdown(made)
