"""The verdict on a judge: use, use with calibration, do not use, and why."""

from __future__ import annotations

import pytest

from evenhand.judges.probing.catalogue import PROBES
from evenhand.stats.trust.judge_verdict import judge_verdict
from evenhand.stats.trust.probe_effects import Changes, judge_probes


def results(**changes: list[float]):
    """Probes by name with the change of each output; others are not made."""
    named = {name.replace("_", "-"): values for name, values in changes.items()}
    made = []
    for probe in PROBES:
        if probe.name in named:
            by_item = {str(place): value for place, value in enumerate(named[probe.name])}
            made.append(Changes(probe, by_item, by_item))
    return judge_probes(made)


def test_a_judge_that_scores_an_empty_output_like_any_other_is_not_to_be_used():
    """A constant judge changes nothing; a random one as often up as down; one band at most a point."""
    for blank in ([0.0] * 10, [4.0, -5.0, 2.0, -3.0, 6.0, -4.0, 1.0, -2.0, 3.0, -1.0], [-1.0] * 10):
        verdict = judge_verdict(results(blank=blank, fact_changed=[0.0] * 10), 0.1)
        assert verdict.use == "do-not-use"
        assert verdict.reasons[0].startswith("its scores say nothing about quality: ")


def test_an_honest_judge_is_to_be_used():
    """It takes five points off an empty output, and two off a changed fact."""
    honest = results(blank=[-5.0, -6.0, -4.0] * 3, fact_changed=[-2.0, -3.0, -2.0] * 3, padding=[0.0, -0.1] * 5)
    assert judge_verdict(honest, 0.3).use == "use"


@pytest.mark.parametrize(("blank", "use"), [([-1.0] * 9 + [-1.1], "do-not-use"), ([-1.1] * 9 + [-1.2], "use")])
def test_an_empty_output_must_be_shown_to_score_more_than_a_point_lower(blank, use):
    """The mean of -1.01 with the least spread of 0.05: t = 0.01 / (0.05 / sqrt(10)) = 0.63; of -1.11: t = 7."""
    assert judge_verdict(results(blank=blank), 0.1).use == use


def test_a_judge_that_sees_only_emptiness_is_not_to_be_used():
    """Four faults, none of them noticed; one fault alone, as in a quick test, does not reject it."""
    empty = {"blank": [-5.0, -6.0] * 5}
    nothing = [0.0, 0.1] * 5
    blind = results(**empty, fact_changed=nothing, step_left_out=nothing, unit_wrong=nothing, false_claim=nothing)
    assert judge_verdict(blind, 0.1).use == "do-not-use"
    quick = judge_verdict(results(**empty, fact_changed=nothing), 0.1)
    assert (quick.use, quick.reasons) == ("use-with-calibration", ("fact-changed speaks against it",))


def test_a_biased_or_noisy_judge_is_to_be_calibrated():
    """Padding raises its scores; or two readings deviate by more than 0.75."""
    sees = [-5.0, -6.0] * 5
    biased = judge_verdict(results(blank=sees, padding=[1.0, 1.2] * 5), 0.1)
    assert (biased.use, biased.reasons) == ("use-with-calibration", ("padding speaks against it",))
    assert judge_verdict(results(blank=sees), 0.75).use == "use"
    assert judge_verdict(results(blank=sees), 0.76).use == "use-with-calibration"


def test_a_judge_whose_scores_never_move_is_not_to_be_used_though_empty_outputs_have_no_score():
    """It praises them, can quote nothing, and is unscored. One change of a score, or no fault tried: undecided."""
    still = {"padding": [0.0] * 10, "blank": [0.0] * 4}
    verdict = judge_verdict(results(**still, fact_changed=[0.0] * 10), 0.0)
    assert verdict == ("do-not-use", ("it gives an output the same score whatever is changed in it, faults too",))
    assert judge_verdict(results(**still, fact_changed=[0.0] * 9 + [-0.5]), 0.0).use == "undecided"
    assert judge_verdict(results(**still), 0.0).use == "undecided"


def test_too_few_scores_of_empty_outputs_decide_nothing():
    """Four are too few, five will do."""
    assert judge_verdict(results(blank=[-5.0] * 4), 0.1).use == "undecided"
    assert judge_verdict(results(blank=[-5.0] * 5), 0.1).use == "use"
    assert judge_verdict(results(padding=[0.0] * 10), 0.1).use == "undecided"
