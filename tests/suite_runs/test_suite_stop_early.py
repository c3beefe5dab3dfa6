"""A suite that stops as soon as the answer is clear, and what it then says."""

from __future__ import annotations

import json
import random
import sys
from decimal import Decimal

import pytest

from decision_text import decision_lines
from evenhand.cli.main import run as command_line
from evenhand.core.history.gate import judge_suite
from evenhand.core.suites.board import Board
from evenhand.core.suites.early_stop import decide_watched
from evenhand.core.suites.looks import planned_order
from evenhand.core.values.suites.suite import SuiteGate
from evenhand.core.values.suites.suite_run import SuiteRun
from evenhand.errors import InputError
from evenhand.suite_runs.results.shards import merge_results
from evenhand.suite_runs.results.suite_results import StoredResults, decision_on
from suite_cases import failed, result

SUITE = """
suite: answers
cases: cases.jsonl
variants:
  old: {recorded: "old/{case}.md"}
  new: {recorded: "new/{case}.md"}
"""


def run_of(cases: int) -> SuiteRun:
    return SuiteRun("id", "s", "0", "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, cases, watched=Decimal(cases))


def results(cases: int, gain: int) -> list:
    """Old scores at random, new ones higher by `gain` hundredths."""
    draw = random.Random(1)
    rows = []
    for number in range(cases):
        score = draw.randrange(300, 700)
        rows += [result(f"c{number}", "old", 1, score), result(f"c{number}", "new", 1, score + gain)]
    return rows


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


def test_the_decision_is_that_of_the_planned_order_as_far_as_it_is_complete():
    """A gap in the planned order hides everything behind it, however many cases have finished there."""
    rows = results(40, 150)
    whole = decide_watched(Board(rows), run_of(40)).contrasts[0]
    assert (whole.verdict, whole.difference.cases) == ("better", 40)
    third = planned_order(f"c{number}" for number in range(40))[2]
    gap = [row for row in rows if (row.id.case, row.id.variant) != (third, "new")]
    assert decide_watched(Board(gap), run_of(40)).contrasts[0].difference.cases == 2


def test_the_interval_holds_at_any_time_and_so_is_wider():
    """The same data as a fixed design: a watched run pays for having looked."""
    rows = results(40, 100)
    draw = random.Random(2)
    rows = [row._replace(final=row.final + draw.randrange(-100, 101)) for row in rows]
    fixed = decision_on(run_of(40)._replace(watched=None), Board(rows)).contrasts[0].difference
    watched = decision_on(run_of(40), Board(rows)).contrasts[0].difference
    assert watched.mean == pytest.approx(fixed.mean)
    assert watched.high - watched.low > fixed.mean_high - fixed.mean_low


def test_a_difference_that_varies_is_not_said_to_be_the_same_in_every_case():
    """Without an interval there is only the mean; nor are the weights blamed."""
    rows = results(6, 300)
    rows[1] = rows[1]._replace(final=rows[1].final - 100)
    lines = decision_lines(run_of(6), decide_watched(Board(rows), run_of(6)))
    assert "in every case" not in lines[0]
    assert not any("nearly all the weight" in line for line in lines)


def test_failed_runs_as_losses_are_tried_by_the_same_test():
    """Ten of thirty new runs failed: better where both have a value, and said to depend on them."""
    rows = results(30, 150)
    lost = {f"c{number}" for number in range(10)}
    rows = [
        failed(row.id.case, "new", 1, "exit code 1") if row.id.variant == "new" and row.id.case in lost else row
        for row in rows
    ]
    contrast = decide_watched(Board(rows), run_of(30)).contrasts[0]
    assert contrast.difference.cases == 20
    assert {one.losses for one in contrast.what_if} == {"this variant's", "the reference's", "everybody's"}
    assert all(one.difference.test == "anytime" for one in contrast.what_if)
    assert contrast.depends_on_losses


@pytest.mark.parametrize(("gain", "colour"), [(-200, "red"), (200, "green"), (0, "undecided")])
def test_the_gate_rules_by_what_holds_at_any_time(gain, colour):
    """Two points down, two points up, and six cases without any difference, which rule nothing out."""
    cases = 6 if gain == 0 else 40
    decision = decide_watched(Board(results(cases, gain)), run_of(cases))
    assert [ruling.colour for ruling in judge_suite(decision, SuiteGate())] == [colour]


def test_a_watched_run_is_compared_with_nothing_else():
    """Where it stopped depends on its own variants: neither a baseline nor other shards fit."""
    with pytest.raises(InputError, match="without --stop-early"):
        decision_on(run_of(4), Board(results(4, 0)), StoredResults(run_of(4), results(4, 0)), "v1")
    with pytest.raises(InputError, match="are not merged"):
        merge_results([StoredResults(run_of(4), results(4, 0))] * 2)
