"""A suite's gate: red, green, underpowered, unscored."""

from __future__ import annotations

from decimal import Decimal

import pytest
from click.testing import CliRunner
from conftest import judged, seven

from evenhand.cli.gate import command as gate_command
from evenhand.core.suites.contrasts import decide
from evenhand.core.suites.suite_gate import is_open, is_red, suite_gate
from evenhand.core.values.agent_run import SuitePlace
from evenhand.core.values.suite import SuiteGate
from evenhand.errors import InputError
from evenhand.pipeline.keeping import Keeper
from evenhand.pipeline.run import Evaluated
from evenhand.store import open_store
from suite_cases import failed, met, scored


def ruled(results, gate=SuiteGate(), variants=("old", "new")):  # noqa: B008 (immutable)
    return suite_gate(decide(results, variants, "old"), gate)


def test_a_large_and_certain_drop_is_red():
    """Ten cases, each a point worse: 1 / 2 ** 10 is below 0.01, and a point is more than 0.2."""
    rulings = ruled(scored({"old": [[600]] * 10, "new": [[500]] * 10}))
    assert [ruling.colour for ruling in rulings] == ["red"]
    assert rulings[0].name == "new against old"
    assert is_red(rulings)


def test_a_certain_drop_within_the_margin_is_green():
    """A tenth of a point is less than 0.2, however certain."""
    rulings = ruled(scored({"old": [[600]] * 10, "new": [[590]] * 10}))
    assert [ruling.colour for ruling in rulings] == ["green"]
    assert is_open(rulings)


def test_too_few_cases_are_underpowered_and_not_green():
    """Six cases can never reach 0.01: 1 / 2 ** 6 = 0.016."""
    rulings = ruled(scored({"old": [[600]] * 6, "new": [[100]] * 6}))
    assert [ruling.colour for ruling in rulings] == ["underpowered"]
    assert not is_open(rulings)
    assert not is_red(rulings)


def test_a_variant_that_is_worse_but_not_certainly_enough_is_told_what_a_gate_needs():
    """Six of six cases worse: 1 / 2 ** 6 = 0.016 makes it worse at 0.05 and does not make a gate red at 0.01."""
    (ruling,) = ruled(scored({"old": [[600]] * 6, "new": [[500]] * 6}))
    assert ruling.colour == "underpowered"
    assert ruling.says.endswith("chance of such a drop 0.016; only a chance of at most 0.010 makes a gate red")


def test_ties_are_not_said_to_rule_out_a_drop():
    """Ten ties: none was seen, which is all there is to say."""
    (ruling,) = ruled(scored({"old": [[600]] * 10, "new": [[600]] * 10}))
    assert (ruling.colour, ruling.says.rpartition("; ")[2]) == ("green", "no drop beyond the margin of 0.20 was seen")


def test_a_gain_that_scatters_rules_out_a_drop_and_is_green():
    """Gains of 1 and 3 points by turns are too scattered to see a drop of 0.2, but twelve gains of at least a point
    rule it out: 1 / 2 ** 12 is below 0.01."""
    (ruling,) = ruled(scored({"old": [[500]] * 12, "new": [[600], [800]] * 6}))
    assert (ruling.colour, ruling.says.rpartition("; ")[2]) == (
        "green",
        "a drop beyond the margin of 0.20 is ruled out",
    )


def test_a_scattered_gain_of_few_cases_rules_nothing_out():
    """Six gains of 1 and 3 points: 1 / 2 ** 6 = 0.016 is above 0.01, so that even the surest drop would not be seen."""
    (ruling,) = ruled(scored({"old": [[500]] * 6, "new": [[600], [800]] * 3}))
    assert ruling.colour == "underpowered"
    assert ruling.says.endswith("with cases this few or this scattered, no drop would be seen")


def test_failures_that_could_hide_a_drop_are_not_green():
    """Ten equal cases, and in each a second run that failed: as losses they average (6 + 1) / 2 = 3.5."""
    results = scored({"old": [[600]] * 10, "new": [[600]] * 10})
    assert ruled(results)[0].colour == "green"
    results += [failed(f"case{number:03}", "new", 2) for number in range(10)]
    assert ruled(results)[0].colour == "underpowered"


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
    with pytest.raises(InputError, match=r'skill "v4" in [^,;]*$'):
        gated(skills, "--skill", "v4", "--against", "v1")
