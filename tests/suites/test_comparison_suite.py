"""The suite behind `evenhand better`: what it names, and agents that cannot be run."""

from __future__ import annotations

import pytest

from evenhand import InputError
from evenhand.suites.comparison_suite import comparison_suite, side_of


@pytest.fixture(autouse=True)
def skills(tmp_path, monkeypatch):
    """Two versions of a skill, another skill, and a task."""
    for name in ("v1/notes", "v2/notes", "v2/mails", "tasks"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("v1/notes", "v2/notes", "v2/mails"):
        (tmp_path / name / "SKILL.md").write_text("---\nname: x\ndescription: y\n---\nWrite.\n")
    (tmp_path / "tasks" / "a.md").write_text("Write notes.")
    (tmp_path / "agent.py").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text_of(first, second, folder, agent="python3 ./agent.py {prompt}"):
    return comparison_suite([side_of(first), side_of(second)], beside=folder, tasks="tasks", agent=agent).text


@pytest.mark.parametrize(
    ("first", "second", "filed"),
    [("v1/notes", "v2/notes", True), ("none", "v2/notes", True), ("v1/notes", "v2/mails", False)],
)
def test_versions_of_one_skill_are_filed_under_its_name(skills, first, second, filed):
    """So that cost, history and the dashboard name it; two different skills have no name in common."""
    assert ("\nskill: notes\n" in text_of(first, second, skills)) is filed


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("claud-code {prompt}", "--agent claud-code: there is no such command; did you mean claude-code? name"),
        ("no-such-agent", "--agent no-such-agent: there is no such command; name claude-code, codex or a command"),
        ("./agnt {prompt}", "--agent ./agnt: there is no such command"),
    ],
)
def test_an_agent_that_cannot_be_run_is_an_error_before_anything_is(skills, agent, says):
    """Not sixteen runs that did not start."""
    with pytest.raises(InputError) as refused:
        text_of("v1/notes", "v2/notes", skills, agent)
    assert str(refused.value).startswith(says)


def test_an_argument_may_be_a_file_that_the_agent_writes(skills):
    assert "./notes.md" in text_of("v1/notes", "v2/notes", skills, "python3 ./agent.py --out ./notes.md {prompt}")
