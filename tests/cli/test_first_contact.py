"""What people meet first: a skill in place of an output, a model without its provider, a plan without a key."""

from __future__ import annotations

import json

import pytest
from fake_server import FakeServer
from scripted_judge import answer

SKILL = "---\nname: release-notes\ndescription: Write release notes.\n---\nStart with breaking changes.\n"
WORK = "Breaking: the option --all is gone. Use --every in its place, as the manual shows."


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "skills" / "release-notes").mkdir(parents=True)
    (tmp_path / "skills" / "release-notes" / "SKILL.md").write_text(SKILL)
    (tmp_path / "notes.md").write_text(WORK)
    (tmp_path / "outputs").mkdir()
    for number in range(3):
        (tmp_path / "outputs" / f"{number}.md").write_text(f"{WORK} Case {number}.")
    return tmp_path


def test_a_skill_is_not_judged_and_the_error_says_what_to_do_with_it(evenhand_command, folder):
    ran = evenhand_command("judge", "skills/release-notes/SKILL.md")
    assert ran.code == 2
    assert "is a skill: instructions for an agent, not an output of one" in ran.err
    assert "evenhand better skills/release-notes@HEAD~1 skills/release-notes --tasks TASKS" in ran.err
    assert evenhand_command("judge", "skills/release-notes/SKILL.md", "--from", "text").code == 0


@pytest.mark.parametrize(
    ("given", "meant"), [("gpt-4o", "openai:gpt-4o"), ("claude-opus-4", "anthropic:claude-opus-4"), ("o3", "openai:o3")]
)
def test_a_model_without_its_provider_is_recognised(evenhand_command, folder, given, meant):
    ran = evenhand_command("judge", "notes.md", "--judge", given)
    assert (ran.code, ran.err) == (2, f'error: unknown judge "{given}"; did you mean {meant}?\n')


def test_a_plan_needs_no_key(evenhand_command, folder):
    """Nothing is asked; without --dry-run the key is missed."""
    planned = evenhand_command("judge", "notes.md", "--judge", "openai:gpt-4o", "--dry-run", OPENAI_API_KEY="")
    assert planned.code == 0 and planned.out.startswith("openai:gpt-4o: ")
    asked = evenhand_command("judge", "notes.md", "--judge", "openai:gpt-4o", OPENAI_API_KEY="")
    assert asked.code == 2 and "openai:gpt-4o needs a key" in asked.err


def test_a_refused_connection_names_the_address(evenhand_command, folder):
    """Without what may be secret in it."""
    with FakeServer() as gone:
        address = gone.url
    ran = evenhand_command("judge", "notes.md", "--judge", "openai:m", "--base-url", address, OPENAI_API_KEY="")
    assert ran.code == 4
    assert f"{address.removesuffix('/v1')} cannot be reached: Connection refused; start the server, or" in ran.err


def test_a_folder_that_no_one_read_is_checked_and_not_graded(evenhand_command, folder):
    """Until now: "3 scored: 3 -"."""
    ran = evenhand_command("judge", "outputs")
    assert "None is graded: no one has read these outputs" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("named", [("outputs",), ("outputs/0.md", "outputs/1.md", "outputs/2.md", "outputs/task.md")])
def test_the_task_of_the_outputs_is_not_one_of_them(evenhand_command, folder, named):
    """`runs/*.md --task runs/task.md` names it twice; alone it is judged as it was asked for."""
    (folder / "outputs" / "task.md").write_text("Write release notes for the removed option.")
    ran = evenhand_command("judge", *named, "--task", "outputs/task.md", "--store", "none", "-f", "jsonl")
    assert (ran.code, len(ran.out.splitlines())) == (0, 3)
    assert "left out: outputs/task.md is the task, not an output\n" in ran.err
    alone = evenhand_command("judge", "outputs/task.md", "--task", "outputs/task.md", "--store", "none", "-f", "jsonl")
    assert (alone.code, len(alone.out.splitlines())) == (0, 1)


def test_after_output_to_a_file_count_grades_and_cost_are_reported(evenhand_command, folder, fake_server):
    fake_server.answer = answer
    table = f'[judges.mine]\nbase_url = "{fake_server.url}"\nmodel = "m"\nprice_input = 1\nprice_output = 1\n'
    (folder / "evenhand.toml").write_text(table)
    ran = evenhand_command("judge", "outputs", "--judge", "mine", "-o", "cards.jsonl")
    cost = sum(json.loads(line)["panel"]["calls"]["cost"] for line in (folder / "cards.jsonl").read_text().splitlines())
    assert f"3 scored: 3 B+; ${cost:.4f}\n" in ran.err


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("store chek", 'unknown command "chek"; did you mean check? valid: check, create, export, import'),
        ("trust estimate meen", 'unknown argument "meen"; did you mean mean? valid: mean, pass-rate, difference. See'),
        (
            "trust estimate",
            "an argument is missing; valid: mean, pass-rate, difference. See: evenhand trust estimate --help",
        ),
        ("gate x --min-grade Z", 'unknown --min-grade "Z"; valid: A+, A, A-'),
        ("help", 'there is no command "help"; did you mean: evenhand --help'),
        ("run suite.yaml --judge auto", "evenhand run has no --judge; the suite names its judges"),
    ],
)
def test_a_word_that_is_not_valid_is_answered_with_those_that_are(evenhand_command, command, says):
    """In one wording for commands below others, choices and options; and on one line."""
    done = evenhand_command(*command.split())
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith(f"error: {says}")
