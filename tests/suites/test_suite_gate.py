"""A suite's gate: red, green, undecided, unscored."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from conftest import judged, seven

from evenhand.cli.commands.compare.gate import command as gate_command
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.gate import Ruling, outcome
from evenhand.errors import InputError
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.store import open_store


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
    code, output = gated(skills, "--skill", "v2", "--set", "gate.last=10", "--against", "v1")
    assert (code, "typically by -1.00" in output, "exceeds the margin of 0.2" in output) == (1, True, True)
    assert (
        gated(skills, "--skill", "v1", "--set", "gate.last=10", "--against", "v1")[0] == 5
    )  # ten that are equal show little
    assert gated(skills, "--skill", "v2", "--set", "gate.last=10", "--against", "v1", "--set", "gate.margin=1")[0] == 0


def test_a_skill_that_only_ran_in_suites_is_sent_to_their_gate(skills):
    """Nothing is compared in place of what is not there."""
    with pytest.raises(
        InputError, match=r'no evaluation of a skill "v3" .* except in runs of suites; see: evenhand run'
    ):
        gated(skills, "--skill", "v3", "--against", "v1")
    with pytest.raises(InputError, match=r'unknown skill "v4"; see: evenhand history$'):
        gated(skills, "--skill", "v4", "--against", "v1")


# --- each branch, at its boundary ------------------------------------------------------------------------------------


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


def test_a_gate_on_faults_is_not_green_where_no_run_finished(evenhand_command, tmp_path):
    """There was nothing to find faults in. The other variant's run was looked at."""
    variants = 'variants: {good: {command: [echo, hi]}, bad: {command: ["false"]}}'
    (tmp_path / "s.yaml").write_text(
        f"suite: s\ncases: [{{id: a, prompt: x}}]\n{variants}\ngate: {{no_fault: major}}\n"
    )
    done = evenhand_command("run", "s.yaml", "--store", "none")
    assert done.code not in (0, 1)
    assert "undecided    bad: faults  no run finished" in done.out
    assert "good: faults" not in done.out, "only what is not green is listed"
