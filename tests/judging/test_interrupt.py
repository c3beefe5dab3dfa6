"""Ctrl-C in the middle of a run: it ends at once, in one line, and what is finished is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import InputError
from evenhand.findings.finding import Check, Finding
from evenhand.findings.judge import ChecksJudge
from evenhand.findings.subject import Subject
from evenhand.judges.program import ProgramJudge
from evenhand.judging.processes import judge_each
from evenhand.judging.steps import Steps
from evenhand.work.submission import Submission

MANY = 100
PARAGRAPH = "Part {n} of answer {answer} says that the lock is held while the profile is loaded and stored.\n\n"


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """A folder of many outputs, no two alike, which take some seconds to judge."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    for answer in range(MANY):
        text = "".join(PARAGRAPH.format(n=n, answer=answer) for n in range(60))
        (folder / f"{answer:03}.md").write_text(text)
    return folder


def interrupted(folder: Path, jobs: int, send: Callable[[int, int], None], format: str) -> tuple[int, str, str]:
    """Judge a folder in a session of its own, as a terminal does, and interrupt it once something is shown."""
    shown, said = folder.parent / "shown", folder.parent / "said"
    arguments = ["judge", str(folder), "--set", f"judge.jobs={jobs}", "--store", "kept.db", "--format", format]
    with shown.open("wb") as out, said.open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "evenhand", *arguments],
            cwd=folder.parent,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        while shown.stat().st_size < 20_000:
            assert process.poll() is None, said.read_text()
            time.sleep(0.005)
        send(process.pid, signal.SIGINT)
        code = process.wait(timeout=60)
    return code, shown.read_text(), said.read_text()


def members(group: int) -> list[str]:
    """The processes of a group that still run."""
    done = subprocess.run(["ps", "-A", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in done.stdout.splitlines()]
    return [" ".join(row) for row in rows if row[0] == str(group) and not row[1].startswith("Z")]


@pytest.mark.slow
@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["terminal", "one process"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_is_finished(outputs, evenhand_command, jobs, send):
    """Exit code 130, one line, no traceback, no process left; every line shown is whole and in the store."""
    groups = []

    def noted(pid: int, number: int) -> None:
        groups.append(pid)
        send(pid, number)

    code, shown, said = interrupted(outputs, jobs, noted, "jsonl")
    assert (code, said.count("\n")) == (130, 1), said
    assert said.startswith("interrupted")
    assert members(groups[0]) == []
    cards = [json.loads(line) for line in shown.splitlines()]
    assert shown.endswith("\n") and 0 < len(cards) < MANY
    store = evenhand.open_store(str(outputs.parent / "kept.db"))
    kept = {record.id for record in store.evaluations()}
    assert store.check() == []
    store.close()
    assert {card["id"] for card in cards} <= kept
    assert len(kept) <= len(cards) + 1  # one may be safe and not yet shown
    again = evenhand_command("judge", str(outputs), "--store", "kept.db", "--format", "jsonl", cwd=outputs.parent)
    assert (again.code, len(again.out.splitlines())) == (0, MANY)
    assert f"{len(kept)} were already stored" in again.err


@pytest.mark.slow
def test_ctrl_c_leaves_a_whole_json_document(outputs):
    """The list is closed, so that it can be read."""
    code, shown, _ = interrupted(outputs, 2, os.killpg, "json")
    assert (code, json.loads(shown)[0]["schema"]) == (130, "evenhand/scorecard/v1")


def dies(subject: Subject) -> list[Finding]:
    if "fatal" in subject.output:
        os.kill(os.getpid(), signal.SIGKILL)
    return []


def test_a_process_that_dies_is_an_error_in_its_place():
    """As when the system ends one for want of memory: the run goes to its end, without a traceback."""
    check = Check("own-check", ("safety",), "sees", "effect", "example", dies)
    texts = ["The lock is held all the time.", "A fatal word stands in here.", "Nobody else writes to it."]
    submissions = [Submission(output=text, source=f"{n}.md") for n, text in enumerate(texts)]
    results = list(judge_each(submissions, ProgramJudge(ChecksJudge([check])), Steps(), jobs=2))
    assert len(results) == 3
    assert isinstance(results[1], InputError)
    assert "1.md: not judged" in str(results[1])
