"""Does a skill trigger? Prompts that should activate it and prompts that should not, from the file to the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decision_text import decision_lines
from evenhand.core.values import Place
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.decision import Triggers
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.errors import InputError
from evenhand.expectations.decisions import decide as decide_expectations
from evenhand.expectations.expectation_list import expectations_from
from evenhand.reports.comparison.suite_decision import decision_document
from evenhand.suites.suite_file import read_suite
from evenhand.work.agent_run import CaseResult
from evenhand.work.submission import Event, Submission, ToolCall
from suite_cases import failed, result

SUITE = """\
suite: s
triggers:
  should: [Make an invoice., Bill Ada.]
  should_not: [Explain invoices.]
variants: {command: [agent], skill: skills/invoices, versions: [now, ./skills/invoices]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    skill = tmp_path / "skills" / "invoices"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: invoices\ndescription: Writes invoices.\n---\n")
    return tmp_path


def test_each_prompt_is_a_case_with_one_expectation(folder):
    """Named after its first words, so that a report says which prompt went wrong; the skill is that of the variants."""
    (folder / "suite.yaml").write_text(SUITE)
    cases = read_suite("suite.yaml").cases
    assert [(case.id, case.prompt, case.tags, case.expect[0]["skill"], case.place.line) for case in cases] == [
        ("should-1-make-an-invoice", "Make an invoice.", ("should",), {"used": "invoices"}, 3),
        ("should-2-bill-ada", "Bill Ada.", ("should",), {"used": "invoices"}, 3),
        ("should-not-1-explain-invoices", "Explain invoices.", ("should-not",), {"unused": "invoices"}, 4),
    ]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"[Make an invoice., Bill Ada.]": "[]", "[Explain invoices.]": "[]"}, "triggers needs prompts"),
        ({"skill: skills/invoices, versions: [now, ./skills/invoices]": ""}, "no variant has one"),
        ({"should_not": "should_never"}, 'unknown key "should_never"'),
        ({"suite: s": "suite: s\ncases: []"}, "cases cannot stand beside triggers"),
        ({"suite: s": "suite: s\njudges: checks"}, "judges cannot stand beside triggers"),
    ],
)  # fmt: skip
def test_mistakes_are_told(folder, changed, problem):
    text = SUITE
    for before, after in changed.items():
        text = text.replace(before, after)
    (folder / "suite.yaml").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_suite("suite.yaml")


def used(name: str, arguments: object, rule: str = "used", *, failed: bool = False) -> str:
    """Whether `invoices` counts as used after one call."""
    call = Event("tool_call", "assistant", "", Place("t"), ToolCall(name, arguments, failed=failed))
    expectation = expectations_from([{"skill": {rule: "invoices"}}])
    return decide_expectations(expectation, Submission("done", events=(call,)))[0].result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Skill", {"skill": "invoices"}),
        ("Skill", {"command": "invoices"}),
        ("Skill", {"skill": "billing:invoices"}),
        ("activate_skill", {"name": "invoices"}),
        ("skill", {"name": "invoices"}),
        ("Read", {"file_path": "/w/.claude/skills/invoices/SKILL.md"}),
        ("shell", {"command": ["bash", "-lc", "sed -n 1,80p .codex/skills/invoices/SKILL.md"]}),
        ("exec_command", {"cmd": "cat invoices/SKILL.md"}),
    ],
)
def test_a_skill_is_activated_by_its_tool_or_by_reading_it(name, arguments):
    assert (used(name, arguments), used(name, arguments, "unused")) == ("met", "unmet")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Skill", {"skill": "other"}),
        ("Skill", {"skill": "invoices-old"}),
        ("Skill", {}),
        ("Read", {"file_path": "/w/.claude/skills/old-invoices/SKILL.md"}),
        ("Read", {"file_path": "/w/invoices/README.md"}),
        ("Bash", {"command": "ls .claude/skills/invoices"}),
        ("Write", {"content": "about invoices"}),
    ],
)
def test_other_calls_do_not_activate_it(name, arguments):
    assert (used(name, arguments), used(name, arguments, "unused")) == ("unmet", "met")


def test_a_call_that_fails_does_not_activate_it():
    assert used("Skill", {"skill": "invoices"}, failed=True) == "unmet"


def test_without_a_transcript_it_cannot_be_told():
    expectation = expectations_from([{"skill": {"unused": "invoices"}}])
    assert decide_expectations(expectation, Submission("done"))[0].result == "undecided"


def prompt(case: str, *activated: bool) -> list[CaseResult]:
    """The runs of a prompt; its tag is the part of its name before the dot."""
    tag = case.partition(".")[0]
    return [
        result(case, "v", repeat, met=int(did == (tag == "should")), expectations=1, tags=(tag,))
        for repeat, did in enumerate(activated, start=1)
    ]


def found(*runs: list[CaseResult]) -> Triggers:
    facts = decide(Board([one for some in runs for one in some]), ["v"], "v").variants[0]
    assert facts.triggers is not None
    return facts.triggers


def test_recall_and_precision_count_each_prompt_once():
    """Activated at 1 and 1/2 of two prompts it is for, at 1/2 of one it is not for: recall 1.5 / 2, precision 1.5 / 2.
    Wilson's interval of 1.5 of 2: centre (0.75 + 0.96) / (1 + 1.92) = 0.586, width 0.671 * sqrt(0.334) = 0.388."""
    triggers = found(
        prompt("should.a", True, True), prompt("should.b", True, False), prompt("should-not.a", False, True)
    )
    assert triggers.recall is not None and triggers.precision is not None
    assert (triggers.recall.value, triggers.precision.value) == (0.75, 0.75)
    assert (round(triggers.recall.low or 0, 3), round(triggers.recall.high or 0, 3)) == (0.198, 0.973)
    assert [tuple(entry) for entry in triggers.prompts] == [
        ("should-not.a", False, 1, 2),
        ("should.a", True, 2, 2),
        ("should.b", True, 1, 2),
    ]


def test_a_skill_that_is_never_activated_has_no_precision():
    triggers = found(prompt("should.a", False), prompt("should-not.a", False))
    assert triggers.recall is not None
    assert (triggers.recall.value, triggers.precision) == (0.0, None)


def test_runs_that_did_not_finish_tell_nothing():
    """Neither activated nor passed over: they are in neither count."""
    broken = failed("should-not.a", "v", 2, tags=("should-not",), met=0, expectations=1)
    triggers = found(prompt("should.a", True), [*prompt("should-not.a", False), broken])
    assert triggers.prompts[0] == ("should-not.a", False, 0, 1)
    assert triggers.precision is not None and triggers.precision.value == 1.0


def test_a_suite_without_triggers_has_none():
    decision = decide(Board([result("c", "v", 1, met=1, expectations=1)]), ["v"], "v")
    assert decision.variants[0].triggers is None
    assert decision_document(decision, {})["variants"][0]["triggers"] is None


def test_the_report_names_the_prompts_that_went_wrong():
    runs = [*prompt("should.a", True, True), *prompt("should.b", True, False), *prompt("should-not.a", False, False)]
    decision = decide(Board(runs), ["v"], "v")
    head = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("v",), "v", 2, 3)
    lines = decision_lines(head, decision)
    first = next(place for place, line in enumerate(lines) if "recall" in line)
    assert lines[first : first + 2] == [
        "v: activated at 75.0% [19.8% to 97.3%] of the prompts it is for (recall); "
        "100.0% [28.1% to 100.0%] of its activations were wanted (precision)",
        "  should.b: activated in 1 of 2 runs",
    ]
    assert not any("should.a" in line or "should-not.a" in line for line in lines)
    assert decision_document(decision, {})["variants"][0]["triggers"]["prompts"][2]["activated"] == 1


@pytest.mark.slow
def test_the_real_claude_code_activates_a_skill_at_the_right_prompts(tmp_path):
    """Two descriptions of one skill, tried against a model that follows the description it is shown."""
    from real_agents import Asked, ScriptedServer

    from evenhand.decisions.values.suite import Skill, Suite, Variant
    from evenhand.providers.commands.wire import Call
    from evenhand.suite_runs.suite_run import OpenSuite, SuiteOptions
    from test_suite_real import command_of

    variants = []
    with ScriptedServer() as server:

        def answer(asked: Asked) -> str | list[Call]:
            text = json.dumps(asked.body)
            is_eager = "For everything" in text
            if asked.tools and "Launching skill" not in text and (is_eager or "Greet" in text):
                return [Call("Skill", {"skill": "greet"})]
            return "done"

        server.answer = answer
        for name, description in (("precise", "To welcome people"), ("eager", "For everything")):
            skill = tmp_path / name / "greet"
            skill.mkdir(parents=True)
            (skill / "SKILL.md").write_text(f"---\nname: greet\ndescription: {description}.\n---\nUse full names.\n")
            variants.append(Variant(name, command_of("claude", server), Skill(str(skill))))
        (tmp_path / "suite.yaml").write_text(
            "suite: s\ntriggers: {skill: greet, should: [Greet Ada.], should_not: [Add 1 and 2.]}\n"
            "variants: {v: {command: [x]}}\n"
        )
        cases = read_suite(str(tmp_path / "suite.yaml")).cases
        suite = Suite("s", cases, tuple(variants), "precise")
        with OpenSuite(suite, Path(tmp_path / "runs"), SuiteOptions(jobs=2)) as running:
            results = [item.result for item in running.results()]
    decision = decide(Board(results), ["precise", "eager"], "precise")
    rates = {}
    for facts in decision.variants:
        assert facts.triggers is not None and facts.triggers.recall and facts.triggers.precision, results
        rates[facts.name] = (facts.triggers.recall.value, facts.triggers.precision.value)
    assert rates == {"precise": (1.0, 1.0), "eager": (1.0, 0.5)}
