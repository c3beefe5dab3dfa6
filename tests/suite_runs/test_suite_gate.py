"""A suite's gate: red, green, undecided, unscored."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from click.testing import CliRunner
from conftest import judged, seven

from evenhand.cli.commands.compare.gate import command as gate_command
from evenhand.core.values import SuitePlace
from evenhand.decisions.gate import Ruling, judge_suite, outcome
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.decision import CaseDifference, Contrast, Decision, Difference, VariantFacts, WhatIf
from evenhand.decisions.values.suite import SuiteGate
from evenhand.errors import InputError
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.store import open_store
from evenhand.work.agent_run import SEEN
from suite_cases import failed, met, scored


def ruled(results, gate=SuiteGate(), variants=("old", "new")):  # noqa: B008 (immutable)
    return judge_suite(decide(results, variants, "old"), gate)


def test_a_large_and_certain_drop_is_red():
    """Ten cases, each a point worse: 1 / 2 ** 10 is below 0.02, and a point is more than 0.2."""
    rulings = ruled(scored({"old": [[600]] * 10, "new": [[500]] * 10}))
    assert [ruling.colour for ruling in rulings] == ["red"]
    assert rulings[0].name == "new against old"
    assert outcome(rulings) == ("red", "red: the gate is closed")


def test_a_certain_drop_within_the_margin_is_green():
    """A tenth of a point is less than 0.2, however certain."""
    rulings = ruled(scored({"old": [[600]] * 10, "new": [[590]] * 10}))
    assert [ruling.colour for ruling in rulings] == ["green"]
    assert outcome(rulings) == ("green", "the gate is open")


def test_too_few_cases_are_undecided_and_not_green():
    """Five cases can never reach 0.02: 1 / 2 ** 5 = 0.031."""
    rulings = ruled(scored({"old": [[600]] * 5, "new": [[100]] * 5}))
    assert [ruling.colour for ruling in rulings] == ["undecided"]
    assert outcome(rulings) == ("undecided", "undecided: the data cannot tell; this is not a pass")


def test_a_variant_that_is_worse_but_not_certainly_enough_is_told_what_a_gate_needs():
    """Fifteen of twenty cases worse: 0.0207 one-sided is worse at 0.05, twice that, and not red at 0.02."""
    (ruling,) = ruled(scored({"old": [[600]] * 20, "new": [[500]] * 15 + [[650]] * 5}))
    assert ruling.colour == "undecided"
    assert ruling.says.endswith("chance of such a drop 0.021; only a chance of at most 0.020 makes a gate red")


def test_six_cases_out_of_six_from_everything_to_nothing_are_red():
    """1 / 2 ** 6 = 0.0156 is at most 0.02."""
    results = [met(f"c{n}", name, 1, value, 2) for n in range(6) for name, value in (("old", 2), ("new", 0))]
    (ruling,) = ruled(results)
    assert (ruling.colour, ruling.says) == (
        "red",
        "mean change -100.0% over 6 cases, better in 0 and worse in 6, chance of such a drop 0.016; "
        "the drop exceeds the margin of 2%",
    )


@pytest.mark.slow
def test_a_drop_of_the_mean_that_most_cases_do_not_share_is_never_green():
    """Nine in ten a little better, one in ten far worse: most cases rule a drop out, the mean fell by 0.71."""
    (ruling,) = ruled(scored({"old": [[900]] * 40, "new": ([[910]] * 9 + [[100]]) * 4}))
    assert ruling.colour == "undecided"
    assert ruling.says.endswith("; the drop exceeds the margin of 0.2, but may be chance")


def test_what_may_have_seen_the_answers_is_never_green():
    """Twelve cases better, one run with a note that it saw the answer."""
    results = scored({"old": [[600]] * 12, "new": [[700], [720]] * 6})
    assert ruled(results)[0].colour == "green"
    results[-1] = results[-1]._replace(notes=(f"{SEEN}: a reference",))
    (ruling,) = ruled(results)
    assert (ruling.colour, ruling.says.rpartition("; ")[2]) == (
        "undecided",
        "but 1 run may have seen the answers, so nothing is concluded",
    )


def test_ties_are_not_said_to_rule_out_a_drop():
    """Ten ties: none was seen, which is all there is to say."""
    (ruling,) = ruled(scored({"old": [[600]] * 10, "new": [[600]] * 10}))
    assert (ruling.colour, ruling.says.rpartition("; ")[2]) == (
        "green",
        "no drop beyond the margin of 0.2 was detected",
    )


def test_a_gain_that_scatters_rules_out_a_drop_and_is_green():
    """Gains of 1 and 3 points by turns are too scattered to see a drop of 0.2, but twelve gains of at least a point
    rule it out: 1 / 2 ** 12 is below 0.02."""
    (ruling,) = ruled(scored({"old": [[500]] * 12, "new": [[600], [800]] * 6}))
    assert (ruling.colour, ruling.says.rpartition("; ")[2]) == (
        "green",
        "a drop beyond the margin of 0.2 is ruled out",
    )


def test_a_scattered_gain_of_few_cases_rules_nothing_out():
    """Five gains of 1 and 3 points: 1 / 2 ** 5 = 0.031 is above 0.02: even the surest drop would not be seen."""
    (ruling,) = ruled(scored({"old": [[500]] * 5, "new": [[600], [800], [600], [800], [600]]}))
    assert ruling.colour == "undecided"
    assert ruling.says.endswith("with cases this few or this scattered, no drop could be detected")


def test_failures_that_could_hide_a_drop_are_not_green():
    """Ten equal cases, and in each a second run that failed: as losses they average (6 + 1) / 2 = 3.5."""
    results = scored({"old": [[600]] * 10, "new": [[600]] * 10})
    assert ruled(results)[0].colour == "green"
    results += [failed(f"case{number:03}", "new", 2) for number in range(10)]
    assert ruled(results)[0].colour == "undecided"


def test_the_limit_on_failed_runs_is_met_exactly():
    """1 of 10 is not more than 0.1; 2 of 11 is."""
    gate = SuiteGate(max_failed=Decimal("0.1"))
    results = [*scored({"old": [[600]] * 10, "new": [[600]] * 9}), failed("case009", "new")]
    assert ruled(results, gate)[1] == ("new: failed runs", "green", "1 of 10 runs failed; at most 10% may")
    assert ruled([*results, failed("case009", "new", 2)], gate)[1].colour == "red"


def test_the_least_score_applies_to_candidates_and_not_to_the_reference():
    """The reference may be what is to be improved."""
    gate = SuiteGate(min_score=Decimal("7"))
    results = scored({"old": [[300]] * 10, "new": [[700]] * 10})
    assert [ruling.colour for ruling in ruled(results, gate)] == ["green", "green"]
    gate = SuiteGate(min_score=Decimal("7.01"))
    assert [ruling.colour for ruling in ruled(results, gate)] == ["green", "red"]


def test_a_score_is_not_asked_of_work_that_nobody_read():
    """Checks and expectations give no score."""
    results = [met(f"c{number}", name, 1, 1, 1) for number in range(10) for name in ("old", "new")]
    rulings = ruled(results, SuiteGate(min_score=Decimal(5)))
    assert [ruling.colour for ruling in rulings] == ["green", "unscored"]


def test_a_single_variant_is_held_to_the_limits_too():
    """There is nothing to compare it with, but it can fail."""
    results = [*scored({"old": [[600]] * 3}), failed("case003", "old")]
    rulings = ruled(results, SuiteGate(max_failed=Decimal(0), min_score=Decimal(6)), variants=("old",))
    assert [(ruling.name, ruling.colour) for ruling in rulings] == [
        ("old: mean score", "green"),
        ("old: failed runs", "red"),
    ]


def test_faults_of_a_severity_or_worse_are_red():
    """Major is red when major or minor is asked for, not when only critical is."""
    results = scored({"old": [[600]] * 3, "new": [[600]] * 3}, faults=(("no-tests", "major"),))
    for severity, colour in (("minor", "red"), ("major", "red"), ("critical", "green")):
        assert ruled(results, SuiteGate(no_fault=severity))[1].colour == colour


def test_a_margin_on_expectations_is_a_tenth_of_the_points():
    """0.2 points of ten are 2 % of expectations; losing 1 of 100 in every case is within it, 3 of 100 is not."""
    for lost, colour in ((1, "green"), (3, "red")):
        results = [met(f"c{number}", "old", 1, 100, 100) for number in range(10)]
        results += [met(f"c{number}", "new", 1, 100 - lost, 100) for number in range(10)]
        assert ruled(results)[0].colour == colour


@pytest.fixture
def skills(tmp_path):
    """A store with ten evaluations each of v1 at 8 and v2 at 7, on the same tasks, and v2 and v3 at 9 in a suite."""
    address = str(tmp_path / "s.db")
    store = open_store(address)
    keeper = Keeper(store)
    for skill, points, run in (("v1", 8, ""), ("v2", 7, ""), ("v2", 9, "run"), ("v3", 9, "run")):
        for number in range(10):
            card = judged(seven(points), id=f"{skill}-{points}-{number}", skill=skill, task=f"task {number}")
            where = SuitePlace(run, f"case {number}", "new", 1) if run else None
            keeper.keep(Evaluated(card._replace(suite=where), None, named=True))
    store.close()
    return address


def gated(store, *arguments):
    """The exit code of the gate and what it says."""
    done = CliRunner().invoke(gate_command, [*arguments, "--store", store], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.return_value, " ".join(done.output.split())


def test_a_skill_is_held_to_its_baseline_without_what_it_did_in_suites(skills):
    """Ten tasks, each a point worse, are red; the ten newer ones at 9 belong to a suite's run and count nowhere."""
    code, output = gated(skills, "--skill", "v2", "--last", "10", "--against", "v1")
    assert (code, "mean change -1.00" in output, "exceeds the margin of 0.2" in output) == (1, True, True)
    assert gated(skills, "--skill", "v1", "--last", "10", "--against", "v1")[0] == 0
    assert gated(skills, "--skill", "v2", "--last", "10", "--against", "v1", "--margin", "1")[0] == 0


def test_a_skill_that_only_ran_in_suites_is_sent_to_their_gate(skills):
    """Nothing is compared in place of what is not there."""
    with pytest.raises(
        InputError, match=r'no evaluation of a skill "v3" .* except in runs of suites; see: evenhand suite'
    ):
        gated(skills, "--skill", "v3", "--against", "v1")
    with pytest.raises(InputError, match=r'unknown skill "v4"; see: evenhand history$'):
        gated(skills, "--skill", "v4", "--against", "v1")


# --- each branch, at its boundary ------------------------------------------------------------------------------------


def against(values, *, what_if=(), verdict="no difference shown", test="sign", **difference):
    """A contrast of cases with these differences in hundredths."""
    cases = tuple(CaseDifference(f"c{place}", Fraction(value), Fraction(1)) for place, value in enumerate(values))
    numbers = {"mean": 0.0, "low": None, "high": None, "p_value": 1.0, "detectable": None} | difference
    made = Difference(len(cases), test=test, **numbers)
    scenarios = tuple(WhatIf(losses, result, made) for losses, result in what_if)
    return Contrast("new", "old", verdict, made, None, None, scenarios, (), 0, cases)


def ruling_on(*contrasts, gate=SuiteGate(), measure="final score"):  # noqa: B008 (immutable)
    facts = [VariantFacts(name, 10, 10, 10, 6.0, (), 0, 0, (), None, None, None, 0, None) for name in ("old", "new")]
    return judge_suite(Decision(measure, "old", 0.05, 0.5, 10, tuple(facts), contrasts), gate)[0]


@pytest.mark.parametrize(
    ("values", "colour", "why"),
    [
        ([], "undecided", "no case has a value on both sides"),
        ([-300], "undecided", "only one case has a value on both sides"),
        ([-300] * 2, "undecided", "the drop exceeds the margin of 0.2, but may be chance"),
        ([-20] * 5, "undecided", "no drop could be detected"),
        ([-20] * 6, "green", "no drop beyond the margin of 0.2 was detected"),  # 2 / 2 ** 6 is at most 2 * 0.02
        ([-21] * 6, "red", "the drop exceeds the margin of 0.2"),  # 1 / 2 ** 6 = 0.016
        ([-21] * 5, "undecided", "the drop exceeds the margin of 0.2, but may be chance"),  # 1 / 2 ** 5 = 0.031
        ([90, 110] * 4, "green", "a drop beyond the margin of 0.2 is ruled out"),
        ([-10, -10, -9, -11] * 2, "green", "a drop beyond the margin of 0.2 is ruled out"),
        ([-300, 300] * 4, "undecided", "only a drop of 4.85 or more could be detected"),
    ],
)
def test_a_drop_is_ruled_on_at_its_boundaries(values, colour, why):
    """Red beyond the margin and below 0.02; green where more is ruled out, or would have been seen."""
    ruling = ruling_on(against(values))
    assert (ruling.colour, ruling.says.endswith(why)) == (colour, True), ruling.says


@pytest.mark.parametrize("places", [1, 2])
def test_several_variants_share_the_level_of_a_gate(places):
    """Six of six worse: 1 / 2 ** 6 = 0.0156 is below 0.02 and not below 0.02 / 2."""
    contrasts = [against([-100] * 6), against([0] * 6)][:places]
    assert ruling_on(*contrasts).colour == ("red" if places == 1 else "undecided")


@pytest.mark.parametrize(
    ("losses", "result", "colour"),
    [
        ("this variant's", "worse", "undecided"),
        ("this variant's", "undecided", "green"),
        ("the reference's", "worse", "green"),
        ("everybody's", "worse", "green"),
    ],
)
def test_only_the_variants_own_losses_keep_a_gate_from_green(losses, result, colour):
    """What the reference lost could hide a gain at most."""
    made = against([100] * 8, what_if=[("everybody's", "better"), (losses, result)], mean=1.0, low=0.5)
    ruling = ruling_on(made)
    assert ruling.colour == colour
    assert ("counted as losses" in ruling.says) == (colour == "undecided")


@pytest.mark.parametrize(
    ("colours", "errors", "word"),
    [
        ([], 0, "green"),
        (["green", "green"], 0, "green"),
        (["green", "red", "unscored"], 0, "red"),
        (["red"], 1, "red"),
        (["green", "undecided"], 0, "undecided"),
        (["unscored", "green"], 0, "undecided"),
        (["green"], 1, "undecided"),
    ],
)
def test_one_red_ruling_closes_a_gate_and_only_green_ones_open_it(colours, errors, word):
    """What the data cannot tell, or what could not be read, neither opens nor closes it."""
    rulings = [Ruling("x", colour, "") for colour in colours]
    assert outcome(rulings, errors).word == word
    assert (outcome(rulings, errors).says == "undecided: 1 could not be read") == (errors == 1 and word != "red")


def test_limits_of_a_variant_without_a_run_are_not_met():
    """No run failed, and none shows anything either."""
    facts = VariantFacts("new", 0, 0, 0, None, (), 0, 0, (), None, None, None, 0, None)
    gate = SuiteGate(min_score=Decimal(5), max_failed=Decimal(0))
    rulings = judge_suite(Decision("final score", "old", 0.05, 0.5, 0, (facts,), ()), gate)
    assert [(ruling.name, ruling.colour, ruling.says) for ruling in rulings] == [
        ("new: mean score", "unscored", "no one has read these outputs, so there is no score to compare with 5"),
        ("new: failed runs", "unscored", "0 of 0 runs failed; at most 0% may"),
    ]


def test_faults_are_counted_from_the_worst_down():
    """Those below the limit are left out."""
    facts = VariantFacts(  # type: ignore[call-arg]
        "new", 9, 9, 9, 6.0, (), 0, 0, (("minor", 4), ("major", 2), ("critical", 1)), *[None] * 3, 0, None
    )
    decision = Decision("final score", "old", 0.05, 0.5, 9, (facts,), ())
    said = {limit: judge_suite(decision, SuiteGate(no_fault=limit))[0].says for limit in ("minor", "major", "critical")}
    assert said == {
        "minor": "faults found: 1 critical, 2 major, 4 minor",
        "major": "faults found: 1 critical, 2 major",
        "critical": "faults found: 1 critical",
    }
    clean = decision._replace(variants=(facts._replace(faults=(("minor", 4),)),))
    assert judge_suite(clean, SuiteGate(no_fault="major"))[0] == (
        "new: faults", "green", "no major fault or worse was found",
    )  # fmt: skip


def test_a_score_is_ruled_on_with_two_decimals():
    """Over the cases that have one."""
    facts = VariantFacts("new", 9, 9, 8, 6.125, (), 0, 0, (), None, None, None, 0, None, (), None, Fraction("6.125"))
    decision = Decision("final score", "old", 0.05, 0.5, 9, (facts,), ())
    (ruling,) = judge_suite(decision, SuiteGate(min_score=Decimal("6.2")))
    assert ruling == ("new: mean score", "red", "6.12 over 8 cases; at least 6.2 is required")
    assert judge_suite(decision, SuiteGate(min_score=Decimal("6.125")))[0].colour == "green"


@pytest.mark.parametrize(("least", "colour"), [("7.1", "green"), ("7.10000000000000000001", "red")])
def test_a_mean_score_is_held_against_its_limit_exactly(least: str, colour: str):
    """The floats nearest to both limits are the same."""
    cases = scored({"new": [[700], [720], [710]]})
    (ruling,) = judge_suite(decide(cases, ("new",), "new"), SuiteGate(min_score=Decimal(least)))
    assert ruling.colour == colour


@pytest.mark.parametrize("hundredths", [610, 620, 630, 640])
def test_a_mean_score_equal_to_the_least_one_is_green(hundredths):
    """6.1 as a binary fraction is a little less than 6.1, and 6.2 a little more: neither makes a difference."""
    results = scored({"old": [[hundredths]] * 10, "new": [[hundredths]] * 10})
    least = Decimal(hundredths) / 100
    assert ruled(results, SuiteGate(min_score=least))[1].colour == "green"
    assert ruled(results, SuiteGate(min_score=least + Decimal("0.01")))[1].colour == "red"


@pytest.mark.parametrize("margin", ["0.1", "0.2", "0.3", "0.7"])
def test_a_drop_of_exactly_the_margin_is_never_red(margin):
    """In every case, so that chance plays no part; a hundredth more is red."""
    drop = int(100 * Decimal(margin))
    for further, colour in ((0, "green"), (1, "red")):
        results = scored({"old": [[600]] * 10, "new": [[600 - drop - further]] * 10})
        assert ruled(results, SuiteGate(margin=Decimal(margin)))[0].colour == colour
