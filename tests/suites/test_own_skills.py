"""How far runs follow their own variant's skill: which runs are read, and how the readings add up."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import judged, seven

from evenhand.core.finding import Checked, Expected
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.suite import Case, Command, Skill, Suite, Variant
from evenhand.errors import InputError
from evenhand.options.model_options import ModelOptions
from evenhand.runs.planned import PlannedRun
from evenhand.suites import own_skills
from evenhand.suites.own_skills import OwnAdherence, OwnRun, Rule, own_adherence, own_runs
from evenhand.suites.suite_run import OpenSuite, SuiteOptions
from evenhand.work.agent_run import AgentRun
from evenhand.work.submission import Submission

FIRST, SECOND = "Answer in three sentences.", "Name the page that you looked at."


def card(*results: str, quote: str = "") -> Scorecard:
    """A scorecard with a reading of the first rule, the second, and so on."""
    rules = [
        Expected(words, result, "adherence", "major", "", quote=quote)
        for words, result in zip((FIRST, SECOND), results, strict=False)
    ]
    return judged(seven(8))._replace(checked=Checked("0" * 64, expectations=tuple(rules)))


def run(variant: str, case: str) -> OwnRun:
    return OwnRun(variant, case, Submission("x"))


def test_readings_add_up_by_variant_and_rule_with_the_most_broken_first():
    """New: the first rule 2 of 3, the second 0 of 2 and one undecided; 2 met of 3 + 2 decided."""
    made = own_adherence(
        [
            (run("new", "a"), card("met", "unmet", quote="See above.")),
            (run("old", "a"), card("met")),
            (run("new", "b"), card("unmet", "undecided", quote="One.")),
            (run("new", "c"), card("met", "unmet", quote="See below.")),
        ]
    )
    assert made == (
        OwnAdherence(
            "new",
            runs=3,
            met=2,
            decided=5,
            rules=(Rule(SECOND, 0, 2, 1, ("a", "c"), "See above."), Rule(FIRST, 2, 1, 0, ("b",), "One.")),
        ),
        OwnAdherence("old", runs=1, met=1, decided=1, rules=(Rule(FIRST, 1, 0, 0, (), ""),)),
    )


def test_a_case_that_breaks_a_rule_twice_is_named_once_and_the_first_quote_stays():
    """The first of the two has nothing to quote."""
    readings = [(run("v", "a"), card("unmet")), (run("v", "a"), card("unmet", quote="Later."))]
    (made,) = own_adherence(readings)
    assert made.rules == (Rule(FIRST, 0, 2, 0, ("a",), "Later."),)


def test_runs_that_nobody_could_read_are_not_counted():
    readings = [(run("v", "a"), InputError("no")), (run("v", "b"), judged(seven(8))), (run("v", "c"), card("met"))]
    assert [(one.runs, one.met, one.decided) for one in own_adherence(readings)] == [(1, 1, 1)]
    assert own_adherence(readings[:2]) == ()


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Two cases and three variants: with a skill, without one, and with one that has no rules."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("polite", f"# Polite\n\n- {FIRST}\n- {SECOND}\n"), ("bare", "# Bare\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: D.\n---\n{text}")
    does = Command(("true",))
    variants = (
        Variant("with", does, skill=Skill(str(tmp_path / "polite"))),
        Variant("without", does),
        Variant("bare", does, skill=Skill(str(tmp_path / "bare"))),
    )
    cases = tuple(Case(name, f"Prompt {name}", reference="R", expect=[{"text": "It is so."}]) for name in "abc")
    return Suite("s", cases, variants)


def test_runs_are_read_that_finished_with_a_skill_that_has_rules(suite, tmp_path, monkeypatch):
    """Of three, one failed and one was never made. The rules take the place of what the case expects, and its reference
    is not shown."""

    class Made:
        def __init__(self, *_: object, jobs: int) -> None: ...

        def found(self, planned: PlannedRun) -> AgentRun | None:
            outcomes = {"a": "finished", "b": "failed"}
            outcome = outcomes.get(planned.id.case)
            output = f"The answer to {planned.id.case}."
            return None if outcome is None else AgentRun(planned.id, planned.key, outcome, output=output)

    monkeypatch.setattr(own_skills, "SuiteWork", Made)
    (made,) = own_runs(suite, tmp_path / "runs", tmp_path / "revisions")
    assert (made.variant, made.case, made.submission.output) == ("with", "a", "The answer to a.")
    assert (made.submission.expect, made.submission.reference) == ([FIRST, SECOND], None)


def test_outputs_are_held_against_the_skill_of_their_variant_or_the_one_that_judges_see(suite: Suite, tmp_path: Path):
    """A variant without a skill has nothing to be held against."""
    with OpenSuite(suite, tmp_path / "runs", SuiteOptions(1)) as opened:
        skill = opened.skill_of("with")
        assert skill is not None and FIRST in skill.text
        bare = opened.skill_of("bare")
        assert bare is not None and bare.text.endswith("# Bare\n")
        assert opened.skill_of("without") is None
    options = SuiteOptions(1, models=ModelOptions(skill_file=str(tmp_path / "bare" / "SKILL.md")))
    with OpenSuite(suite, tmp_path / "runs", options) as opened:
        shown = opened.skill_of("with")
        assert shown is not None and shown.text.endswith("# Bare\n")
