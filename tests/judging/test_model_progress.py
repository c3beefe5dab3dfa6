"""The line of progress while models judge: on a terminal only, and never between the lines of a scorecard."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from fake_server import Asked, FakeServer, Step
from scripted_judge import answer, read_prompt

from evenhand.judges.models.budget import Activity
from test_model_judging import ANSWER, KEY, models, write_many


def on_a_terminal(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run the command with standard error on a terminal: its exit code, its output, what the terminal got."""
    outer, inner = pty.openpty()
    environment = {**os.environ, "OPENAI_API_KEY": KEY, "COLUMNS": "200"}
    command = [sys.executable, "-m", "evenhand", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=inner, env=environment)
    os.close(inner)
    shown = b""
    while True:
        try:
            piece = os.read(outer, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(outer)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output.decode(), shown.decode()


@pytest.mark.slow
def test_a_single_slow_judgement_shows_which_question_is_open(fake_server: FakeServer, tmp_path: Path):
    """Seven of eight answers come at once, the one about safety after five seconds; 7 x 20 tokens until then."""

    def slow(asked: Asked) -> Step:
        delay = 5.0 if read_prompt(asked.body).dimensions == ("safety",) else 0.0
        return answer(asked)._replace(delay=delay)

    fake_server.answer = slow
    (tmp_path / "answer.md").write_text(ANSWER)
    code, output, shown = on_a_terminal(
        tmp_path, "judge", "answer.md", *models(fake_server), "--set", "judge.thorough=true", "-f", "json"
    )
    assert code == 0 and '"final": 8' in output
    assert "7 of 8 questions done, waiting for safety, 140 tokens written, 8 calls, cost unknown, 0:0" in shown
    assert shown.endswith("\r")  # the line is gone when the scorecard is printed


@pytest.mark.slow
def test_a_long_reading_without_a_model_says_what_is_read(tmp_path: Path):
    """A check of the user's own that takes two seconds stands for a file of hundreds of megabytes."""
    (tmp_path / "slow.py").write_text(
        "import time\nfrom evenhand.findings import Check\n"
        "CHECKS = (Check('slow-check', ('safety',), 'a', 'b', 'c', lambda subject: time.sleep(2) or ()),)\n"
    )
    (tmp_path / "answer.md").write_text(ANSWER)
    code, output, shown = on_a_terminal(tmp_path, "judge", "answer.md", "--set", "judge.checks=slow.py", "-f", "json")
    assert code == 0 and output.startswith("{")
    assert "reading and checking answer.md, 0:0" in shown
    assert shown.endswith("\r")  # the line is gone when the scorecard is printed


@pytest.mark.slow
def test_many_are_counted_while_they_are_judged(fake_server: FakeServer, tmp_path: Path):
    """Two at a time take 0.4 s each: after more than a second the line counts those that are done."""
    fake_server.answer = lambda asked: answer(asked)._replace(delay=0.4)
    write_many(tmp_path, 8)
    options = [*models(fake_server), "--set", "judge.concurrency=2", "-f", "jsonl"]
    code, output, shown = on_a_terminal(tmp_path, "judge", "many.jsonl", *options)
    assert (code, len(output.splitlines())) == (0, 8)
    assert " done, " in shown and "8 done in " in shown and "16 calls, cost unknown" in shown


@pytest.mark.slow
def test_nothing_is_shown_without_a_terminal(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """Standard error of a script stays empty."""
    fake_server.answer = lambda asked: answer(asked)._replace(delay=1.5)
    (tmp_path / "answer.md").write_text(ANSWER)
    done = evenhand_command("judge", "answer.md", *models(fake_server), "-f", "json", OPENAI_API_KEY=KEY)
    assert (done.code, done.err) == (0, "")


def test_the_line_names_three_questions_and_counts_the_rest():
    """Five are asked, one is answered."""
    activity = Activity()
    for name in ("safety", "a", "b", "c", "d"):
        activity.begin(name)
    activity.end("safety")
    assert activity.line() == "1 of 5 questions done, waiting for a, b, c and 1 more"
    for name in ("a", "b", "c", "d"):
        activity.end(name)
    assert activity.line() == "5 of 5 questions done"
