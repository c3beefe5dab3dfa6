"""A suite that stops as soon as the answer is clear, and what it then says."""

from __future__ import annotations

import json
import sys

import pytest

from evenhand.cli.main import run as command_line
from evenhand.decisions.suites.board import Board
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.errors import InputError
from evenhand.suite_runs.results.shards import merge_results
from evenhand.suite_runs.results.suite_results import StoredResults, decision_on

SUITE = """
suite: answers
cases: cases.jsonl
variants:
  old: {recorded: "old/{case}.md"}
  new: {recorded: "new/{case}.md"}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Sixty cases; the new answers are right, the old ones are not."""
    (tmp_path / "suite.yaml").write_text(SUITE)
    cases = [{"id": f"c{n}", "prompt": "Say yes.", "expect": [{"answer": {"equals": "yes"}}]} for n in range(60)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    for variant, text in (("old", "no"), ("new", "yes")):
        (tmp_path / variant).mkdir()
        for case in cases:
            (tmp_path / variant / f"{case['id']}.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(monkeypatch, capfd, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
    code = command_line()
    return (code, *capfd.readouterr())


def test_a_clear_answer_ends_the_run(project, monkeypatch, capfd):
    """Every case differs by all there is: the first of four looks is enough, and the other cases are not run."""
    code, output, _ = command(
        monkeypatch, capfd, "run", "suite.yaml", "--stop-early", "--format", "json", "--jobs", "2"
    )
    decision = json.loads(output)
    assert code == 0
    assert decision["contrasts"][0]["verdict"] == "better"
    assert decision["contrasts"][0]["difference"]["test"] == "sign"
    assert decision["contrasts"][0]["part"] == 0.0625, "(15 / 60) ** 2"
    assert decision["cases"] == 15
    assert decision["run"]["looks"] == [15, 30, 45, 60]
    assert decision["run"]["cases"] == 60
    _, shown, _ = command(monkeypatch, capfd, "suite", "show", "latest")
    assert "15 cases of 60 were run" in " ".join(shown.split())
    _, planned, _ = command(monkeypatch, capfd, "run", "suite.yaml", "--stop-early", "--dry-run")
    assert "15 (0.3%), 30 (0.9%), 45 (1.6%), 60 (2.2%)" in planned


@pytest.mark.slow
def test_alike_variants_are_run_to_the_end(project, monkeypatch, capfd):
    """Nothing differs: sixty equal cases, and no false better or worse."""
    for path in (project / "old").iterdir():
        path.write_text("yes")
    _, output, _ = command(monkeypatch, capfd, "run", "suite.yaml", "--stop-early", "--format", "json")
    assert json.loads(output)["contrasts"][0]["verdict"] in ("no difference shown", "undecided")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "1/2"], "needs all cases on one machine"),
        (["--variant", "old"], "there is only one"),
    ],
)
def test_what_would_spoil_the_stopping_is_refused(project, monkeypatch, capfd, arguments, message):
    """Exit code 2, before anything runs."""
    code, _, errors = command(monkeypatch, capfd, "run", "suite.yaml", "--stop-early", *arguments)
    assert (code, message in errors) == (2, True)


def test_a_run_that_stops_early_is_compared_with_nothing_else():
    """Where it stopped depends on its own variants: neither a baseline nor other shards fit."""
    run = SuiteRun("id", "s", "0", "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 4, looks=(2, 4))
    with pytest.raises(InputError, match="without --stop-early"):
        decision_on(run, Board([]), StoredResults(run, []), "v1")
    with pytest.raises(InputError, match="are not merged"):
        merge_results([StoredResults(run, [])] * 2)
