"""No door turns a result that is unread, undecided or unscored into a pass.

A row of `DOORS` is a door: what it makes of a scorecard, as whether that is a pass. A row of `SUITE_DOORS` is one for
the rulings of a suite. The hook is none: it reports faults and passes nothing. Every door is also shown a result that
does pass, so that none can refuse everything.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from conftest import ROOT, judged, seven
from mcp_client import InProcess

import evenhand
from evenhand.bridges.promptfoo import grading_result
from evenhand.bridges.rewards import reward_of
from evenhand.cli.commands.compare.better import command as better_command
from evenhand.cli.commands.compare.gate import command as gate_command
from evenhand.cli.commands.compare.run import command as run_command
from evenhand.cli.commands.compare.suite_results import show as show_command
from evenhand.cli.commands.judge.judge import command as judge_command
from evenhand.cli.commands.judge.score import command as score_command
from evenhand.cli.commands.use.score_table import command as batch_command
from evenhand.cli.shared import gate_code
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import Ruling, outcome
from evenhand.documents.scorecard import scorecard_json
from evenhand.testing.fixture import assert_requirements

CUT_OFF = {"unscored": "the reply was cut off"}
TEXT = "Cats sleep 12 to 16 hours a day."
RESULTS: dict[str, Callable[[], Scorecard]] = {
    "unread": lambda: evenhand.judge(TEXT, judges="checks", store=None),
    "unscored in one dimension": lambda: judged(seven(8) | {"correctness": CUT_OFF}),  # 0.25 + 6.00 to 2.50 + 6.00
    "unscored in all": lambda: judged(seven(CUT_OFF)),
}
LEAST = {"min_score": 7}
"""What every door asks for, where it can be asked for something; the pass mark is 7 as well."""


def _gate(card: Scorecard, folder: Path) -> bool:
    return all(ruling.colour == "green" for ruling in evenhand.gate([card], **LEAST))


def _lowest_grade(card: Scorecard, folder: Path) -> bool:
    """Every score is at least an F, and a work without a score has none."""
    return all(ruling.colour == "green" for ruling in evenhand.gate([card], min_score=7, min_grade="F"))


def _gate_command(card: Scorecard, folder: Path) -> bool:
    path = folder / "card.json"
    path.write_text(scorecard_json(card), encoding="utf-8")
    return _ran(gate_command, str(path), "--min-score", "7")


def _ran(command: object, *arguments: str) -> bool:
    done = CliRunner().invoke(command, [*arguments, "--store", "none"], standalone_mode=False)  # type: ignore[arg-type]
    return done.exception is None and done.return_value == 0


def _score_command(card: Scorecard, folder: Path) -> bool:
    """Written by hand: what no one scored is left out there."""
    scores = {name: CUT_OFF if line.score is None else float(line.score) for name, line in card.dimensions.items()}
    (folder / "judgement.json").write_text(json.dumps({"skill": "x", "scores": scores}), encoding="utf-8")
    return _ran(score_command, str(folder / "judgement.json"))


def _document(card: Scorecard, folder: Path) -> bool:
    document = json.loads(scorecard_json(card))
    return document.get("passed") is True or document["final"] is not None or document["grade"] is not None


def _pytest(card: Scorecard, folder: Path) -> bool:
    with suppress(AssertionError):
        assert_requirements(card, LEAST)
        return True
    return False


def _promptfoo(card: Scorecard, folder: Path) -> bool:
    return any(grading_result(card, required)["pass"] for required in ({}, LEAST))


def _rewards(card: Scorecard, folder: Path) -> bool:
    return reward_of(card).value is not None


def _mcp(card: Scorecard, folder: Path) -> bool:
    scores = {name: CUT_OFF if line.score is None else float(line.score) for name, line in card.dimensions.items()}
    answer = InProcess(None, folder)("score", judgement={"scores": scores}, output=TEXT)
    return any(made["final"] is not None or made.get("passed") for made in answer.document["scorecards"])


def _action(card: Scorecard, folder: Path) -> bool:
    (folder / "card.json").write_text(scorecard_json(card), encoding="utf-8")
    places = {"RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output.txt"}
    given = {"EVENHAND_OUTPUTS": "", "EVENHAND_GATE_FILES": "card.json", "EVENHAND_GATE_MIN_SCORE": "7"}
    commands = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "EVENHAND_GATE_STORE": "none"}
    script = ["bash", str(ROOT / "scripts" / "gate_on_github.sh")]
    environment = {**os.environ, **places, **given, **commands}
    done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode == 0 or "result=green" in (folder / "output.txt").read_text(encoding="utf-8")


def _against(card: Scorecard, folder: Path) -> bool:
    """Ten like it, compared with ten that passed with less."""
    cards = {"now": [card] * 10, "before": [judged(seven(PASSING - 1))] * 10}
    for name, several in cards.items():
        lines = [scorecard_json(one._replace(task=f"task {place}", id=f"{place}")) for place, one in enumerate(several)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return _ran(gate_command, str(folder / "now.jsonl"), "--against", str(folder / "before.jsonl"))


def _junit(card: Scorecard, folder: Path) -> bool:
    _gate_command(card, folder)
    report = str(folder / "gate.xml")
    _ran(gate_command, str(folder / "card.json"), "--min-score", "7", "-f", "junit", "-o", report)
    (test,) = ElementTree.parse(report).iter("testcase")
    return {child.tag for child in test} <= {"system-out"}


def _batch_command(card: Scorecard, folder: Path) -> bool:
    """A row without all scores is rejected, and the others are written."""
    table = ["skill,created," + ",".join(card.dimensions), "x,2026-01-01T00:00:00Z"]
    table[1] += "".join(f",{'' if line.score is None else line.score}" for line in card.dimensions.values())
    (folder / "rows.csv").write_text("\n".join(table), encoding="utf-8")
    paths = [str(folder / "rows.csv"), str(folder / "scored.csv")]
    done = CliRunner().invoke(batch_command, paths, standalone_mode=False)
    return done.exception is None and done.return_value == 0


DOORS: dict[str, Callable[[Scorecard, Path], bool]] = {
    "gate": _gate,
    "gate on the lowest grade": _lowest_grade,
    "gate command": _gate_command,
    "gate against a baseline": _against,
    "JUnit": _junit,
    "batch": _batch_command,
    "score command": _score_command,
    "scorecard": _document,
    "pytest": _pytest,
    "promptfoo": _promptfoo,
    "rewards": _rewards,
    "mcp": _mcp,
    "action": _action,
}
PASSING = 9


@pytest.mark.slow
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("door", DOORS)
def test_what_has_no_score_passes_through_no_door(door: str, result: str, tmp_path: Path):
    """Neither an exit code of 0, nor a green ruling, a score, a grade or a reward."""
    assert not DOORS[door](RESULTS[result](), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_a_good_work_passes_through_every_door(door: str, tmp_path: Path):
    """9.00 is above every limit."""
    assert DOORS[door](judged(seven(PASSING)), tmp_path)


@pytest.mark.parametrize(("options", "code"), [(["--min-score", "1"], 3), (["--min-grade", "F"], 3)])
def test_an_unread_work_meets_not_even_the_lowest_limit(options: Sequence[str], code: int, tmp_path: Path):
    """The bounds of checks begin at 1, which is not a score of 1."""
    card = tmp_path / "card.json"
    card.write_text(scorecard_json(RESULTS["unread"]()), encoding="utf-8")
    done = CliRunner().invoke(gate_command, [str(card), *options, "--store", "none"], standalone_mode=False)
    assert done.return_value == code


@pytest.mark.slow
def test_a_judge_whose_replies_cannot_be_used_passes_nothing(tmp_path: Path):
    """Not even without a limit: the exit code is 3."""
    (tmp_path / "answer.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    judge = ("--judge", f"replay:{tmp_path / 'empty.jsonl'}", "--set", "judge.replies=none")
    assert not _ran(judge_command, str(tmp_path / "answer.md"), *judge)


SUITE = """\
suite: cats
gate: {min_score: 1}
cases: [{id: one, prompt: How long do cats sleep?}, {id: two, prompt: How long do dogs sleep?}]
variants: {old: {recorded: 'old/{case}.md'}, new: {recorded: 'new/{case}.md'}}
"""
"""No judge reads these outputs."""


@pytest.mark.slow
def test_an_unread_suite_passes_through_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`run`, `suite show --gate` and `gate --suite` exit with 3; `better` says neither better nor worse."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for folder in ("old", "new", "tasks"):
        (tmp_path / folder).mkdir()
        for case in ("one", "two"):
            (tmp_path / folder / f"{case}.md").write_text(TEXT, encoding="utf-8")
    store = ("--store", "kept.db")
    for command, arguments in (
        (run_command, ("suite.yaml",)),
        (show_command, ("latest", "--gate")),
        (gate_command, ("--suite", "latest")),
    ):
        done = CliRunner().invoke(command, [*arguments, *store], standalone_mode=False)
        assert (done.exception, done.return_value) == (None, 3), done.output
    done = CliRunner().invoke(better_command, ["old", "new", "--tasks", "tasks", "--yes", *store])
    assert done.exit_code in (0, 5) and done.stdout.startswith(("new against old: undecided", "undecided"))


@pytest.mark.slow
@pytest.mark.parametrize("limit", [("--min-score", "1"), ("--min-grade", "F")])
def test_judging_with_checks_alone_meets_no_limit(limit: tuple[str, str], tmp_path: Path):
    """No one has read the output, whatever the limit is."""
    (tmp_path / "answer.md").write_text(TEXT, encoding="utf-8")
    assert not _ran(judge_command, str(tmp_path / "answer.md"), *limit)


SUITE_DOORS: dict[str, Callable[[Sequence[Ruling]], bool]] = {
    "gate, run and suite show": lambda rulings: gate_code(rulings) == 0 and outcome(rulings).word == "green",
    "what is said": lambda rulings: outcome(rulings).says == "the gate is open",
}
