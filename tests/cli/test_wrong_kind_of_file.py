"""A judgement given to `judge`, an output given to everything else: the message names the command that is meant."""

from __future__ import annotations

import json
import shutil

import pytest
from conftest import ROOT, seven

ANSWER = "# Fix\n\nWe changed the parser: it now keeps commas. Run `pytest` to check.\n"


@pytest.fixture
def folder(tmp_path):
    """An output, the judgement of the examples, and a scorecard."""
    (tmp_path / "answer.md").write_text(ANSWER)
    for name in ("review.md", "review.yaml"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    (tmp_path / "judgements.jsonl").write_text(json.dumps({"skill": "s", "output": "answer.md", "scores": seven(8)}))
    return tmp_path


@pytest.mark.parametrize("name", ["review.yaml", "judgements.jsonl"])
def test_judge_does_not_grade_a_judgement(evenhand_command, folder, name):
    """It would be graded as a very short text."""
    done = evenhand_command("judge", name, "--store", "none")
    assert (done.code, done.out) == (2, "")
    assert f"looks like a judgement, not an output; to score it: evenhand score {name}" in done.err


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_judge_does_not_grade_a_scorecard(evenhand_command, folder, format):
    """With or without the name of an output in it."""
    (folder / f"card.{format}").write_text(evenhand_command("score", "review.yaml", "-f", format).out)
    done = evenhand_command("judge", f"card.{format}", "--store", "none")
    assert done.code == 2
    assert f"looks like a scorecard, not an output; to check it: evenhand show --verify card.{format}" in done.err


def test_a_judgement_is_judged_when_it_is_called_a_text(evenhand_command, folder):
    """A skill may well write judgements; and a text about judgements is a text."""
    assert evenhand_command("judge", "review.yaml", "--from", "text", "--store", "none").code == 0
    about = f"# How to write one\n\n```yaml\n{(folder / 'review.yaml').read_text()}\n```\n"
    (folder / "about.md").write_text(about)
    assert evenhand_command("judge", "about.md", "--store", "none").code == 0


def test_the_others_of_a_folder_are_still_judged(evenhand_command, folder):
    """The judgement among them is an error in its place."""
    done = evenhand_command("judge", ".", "--store", "none", "-f", "jsonl")
    assert done.code == 2
    assert [json.loads(line)["output"] for line in done.out.splitlines()] == ["answer.md", "review.md"]


@pytest.mark.slow
@pytest.mark.parametrize("command", [["score"], ["rank"], ["gate", "--min-score", "5"]])
@pytest.mark.parametrize("name", ["answer.md", "review.md", "chat.json", "session.jsonl"])
def test_an_output_is_recognised_where_a_judgement_is_expected(evenhand_command, folder, command, name):
    """One line, however many lines of it are not judgements, and no word about YAML."""
    chat = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
    (folder / "chat.json").write_text(json.dumps(chat))
    (folder / "session.jsonl").write_text("\n".join([json.dumps(chat)] * 3))
    done = evenhand_command(*command, name, "--store", "none")
    assert done.code == 2
    errors = [line for line in done.err.splitlines() if line.startswith("error")]
    assert errors == [f"error: {name}: this looks like an output; judge it first: evenhand judge {name}"]


def test_an_output_is_not_compared_with_a_judgement(evenhand_command, folder):
    done = evenhand_command("better", "review.yaml", "answer.md", "--store", "none")
    said = "review.yaml is evaluations and answer.md is outputs or a skill"
    step = "judge it first: evenhand judge answer.md"
    assert (done.code, done.err) == (2, f"error: only things of one kind can be compared, and {said}; {step}\n")


@pytest.mark.parametrize("command", [["score"], ["rank"]])
@pytest.mark.parametrize("name", ["typo.yaml", "typo.txt"])
def test_a_judgement_with_a_typo_still_gets_its_line(evenhand_command, folder, command, name):
    """Whatever its name, it is not taken for an output."""
    text = (folder / "review.yaml").read_text().replace("\nscores:", "\nscores", 1)
    (folder / name).write_text(text)
    line = text.splitlines().index("scores") + 1
    done = evenhand_command(*command, name, "--store", "none")
    assert done.code == 2
    assert (
        f"error: {name}:{line + 1}: not valid YAML" in done.err or f"error: {name}:{line}: not valid YAML" in done.err
    )
    assert "looks like an output" not in done.err
    if name.endswith(".yaml"):
        assert "looks like a judgement" in evenhand_command("judge", name, "--store", "none").err


def test_a_judgement_with_a_wrong_key_still_gets_its_line(evenhand_command, folder):
    """A misspelt key is a mistake in a judgement, not a sign of an output."""
    (folder / "wrong.yaml").write_text("skill: s\nscore:\n  correctness: 8\nrubric: default\n")
    done = evenhand_command("score", "wrong.yaml", "--store", "none")
    assert 'wrong.yaml:2: unknown key "score"; did you mean scores?' in done.err


@pytest.mark.parametrize("command", [["score"], ["rank"], ["gate", "--min-score", "5"], ["better"]])
def test_a_suite_is_recognised_where_a_judgement_is_expected(evenhand_command, folder, command):
    """One line, not one for each of its keys."""
    (folder / "suite.yaml").write_text("suite: s\nrubric: default\ncases: []\nvariants: {}\n")
    done = evenhand_command(*command, "suite.yaml")
    (error,) = [line for line in done.err.splitlines() if line.startswith("error")]
    assert done.code == 2 and error.startswith("error: suite.yaml: this is a suite; run it with: evenhand run suite.")


def test_a_judgement_is_recognised_where_a_suite_is_expected(evenhand_command, folder):
    done = evenhand_command("run", "review.yaml")
    assert (
        done.err == "error: review.yaml: looks like a judgement, not a suite; to score it: evenhand score review.yaml\n"
    )


def test_a_missing_file_and_a_folder_are_named_for_what_they_are(evenhand_command, folder):
    """Neither looks like an output."""
    assert "none.md: no such file" in evenhand_command("score", "none.md", "--store", "none").err
    (folder / "runs").mkdir()
    done = evenhand_command("score", "runs", "--store", "none")
    assert "is a directory; name a file, or judge the outputs in it first: evenhand judge runs" in done.err


@pytest.mark.parametrize("command", [[], ["rubric"], ["store"], ["trust"]])
def test_a_group_on_its_own_prints_its_help(evenhand_command, command):
    """On standard output, with exit code 0, exactly as --help does."""
    done = evenhand_command(*command)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: {' '.join(['evenhand', *command])} [OPTIONS] COMMAND")
    assert done.out == evenhand_command(*command, "--help").out
