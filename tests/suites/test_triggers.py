"""Does a skill trigger? Prompts that should activate it and prompts that should not, from the file to the report."""

from __future__ import annotations

import pytest

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.findings.expectations.decisions import decide as decide_expectations
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.suites.suite_file import read_suite
from evenhand.work.agent_run import CaseResult
from evenhand.work.submission import Event, Submission, ToolCall
from suite_cases import result

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
def test_mistakes_are_reported(folder, changed, problem):
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


def test_without_a_transcript_it_cannot_be_decided():
    expectation = expectations_from([{"skill": {"unused": "invoices"}}])
    assert decide_expectations(expectation, Submission("done"))[0].result == "undecided"


def prompt(case: str, *activated: bool) -> list[CaseResult]:
    """The runs of a prompt; its tag is the part of its name before the dot."""
    tag = case.partition(".")[0]
    return [
        result(case, "v", repeat, met=int(did == (tag == "should")), expectations=1, tags=(tag,))
        for repeat, did in enumerate(activated, start=1)
    ]
