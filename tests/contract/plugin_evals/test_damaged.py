"""Odd and damaged results of `claude plugin eval`: read right, or refused with one line; never a 0 out of nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contract.doors import run_here
from contract.plugin_evals import making

Value = dict[str, Any]
Damage = Callable[[Value], Any]


def snake(value: Any) -> Any:
    """The same with the spellings of an older runner."""
    if isinstance(value, list):
        return [snake(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower(): snake(entry) for key, entry in value.items()}


def runs(value: Value, arm: str = "with") -> list[Any]:
    """The runs of the first case."""
    found: list[Any] = value["cases"][0]["arms"][arm]
    return found


READ: dict[str, Damage] = {
    "unknown fields": lambda value: value | {"invented": [1], "cases": [{**one, "more": {}} for one in value["cases"]]},
    "snake_case": snake,
    "trace paths gone": lambda value: [run.pop("tracePath") for one in value["cases"] for run in one["arms"]["with"]],
    "no cost": lambda value: [run.pop("costUsd") for run in runs(value)],
    "no client version": lambda value: value.pop("claudeVersion"),
    "no aggregates": lambda value: [value.pop("aggregates"), *(one.pop("aggregates") for one in value["cases"])],
    "runs cut by time": lambda value: [run.update(error="timeout after 60s") for run in runs(value)],
    "a third arm": lambda value: [one["arms"].update(other=one["arms"]["without"]) for one in value["cases"]],
}
REFUSED: dict[str, Damage] = {
    "another version": lambda value: value.update(schemaVersion=3),
    "no cases": lambda value: value.update(cases=[]),
    "cases are an object": lambda value: value.update(cases={}),
    "a case is a text": lambda value: value["cases"].__setitem__(0, "case-1"),
    "a case without a name": lambda value: value["cases"][0].pop("name"),
    "one name twice": lambda value: value["cases"][1].update(name="case-1"),
    "arms are a list": lambda value: value["cases"][0].update(arms=[]),
    "a run is a number": lambda value: runs(value).__setitem__(0, 1),
    "a changed score": lambda value: runs(value)[0].update(score=0.1),
    "a score as a text": lambda value: runs(value)[0].update(score="high"),
    "a verdict as a text": lambda value: runs(value)[0]["graders"][0].update(passed="yes"),
    "a negative weight": lambda value: runs(value)[0]["graders"][0].update(weight=-1),
    "a changed mean": lambda value: value["cases"][0]["aggregates"].update(score=0.9),
    "a score beyond the scale": lambda value: runs(value)[0].update(score=1.7),
    "an infinite cost": lambda value: value.update(costUsd=float("inf")),
    "no value for its cases": lambda value: value.update(cases=None),
}


def damaged(change: Damage, folder: Path) -> Path:
    """Eight cases, better by .3 in each, changed."""
    value = making.steady([("8", "5")] * 8)
    made = change(value)
    return making.write(folder, made if isinstance(made, dict) and "cases" in made else value)


@pytest.mark.parametrize("name", READ)
def test_odd_but_valid_results_are_read(name: str, tmp_path: Path) -> None:
    damaged(READ[name], tmp_path)
    done = run_here("better", "result.json", "--format", "json", cwd=tmp_path)
    assert done.code == 0, done.err
    (contrast,) = json.loads(done.out)["decision"]["contrasts"]
    assert (contrast["verdict"], contrast["better"], contrast["estimate"]) == ("better", 8, 0.3)


@pytest.mark.parametrize("name", REFUSED)
def test_contradictory_results_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    damaged(REFUSED[name], tmp_path)
    done = run_here("better", "result.json", cwd=tmp_path)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), done
    assert "result.json" in done.err or "notes 1.0.0" in done.err


def test_a_file_that_ends_in_its_middle_is_refused_in_one_line(tmp_path: Path) -> None:
    path = damaged(lambda value: None, tmp_path)
    path.write_bytes(path.read_bytes()[:4000])
    done = run_here("better", "result.json", cwd=tmp_path)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), done


def test_zero_runs_and_no_arm_without_the_plugin_decide_nothing(tmp_path: Path) -> None:
    """There is nothing to compare, and the answer says why."""
    for name, pairs in (("zero", [("", "")] * 3), ("alone", [("8", "5")] * 8)):
        value = making.steady(pairs)
        for one in value["cases"]:
            if name == "alone":
                one["arms"].pop("without")
                for key in ("scoreWithout", "passRateWithout", "delta"):
                    one["aggregates"].pop(key)
        value["aggregates"].pop("meanDelta", None)
        making.write(tmp_path, value, f"{name}.json")
        done = run_here("better", f"{name}.json", cwd=tmp_path)
        assert done.code in (2, 5) and "is better" not in done.out and "is worse" not in done.out, done


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda text: f"[{text}, {text}]", "is a list of results; give each a file of its own"),
        (lambda text: f"{text}\n{text}", "Extra data"),
        (lambda text: text.replace('"partial": false', '"partial": false, "partial": true'), "appears twice"),
    ],
)
def test_a_file_that_is_not_one_result_is_refused_in_one_line(
    write: Callable[[str], str], says: str, tmp_path: Path
) -> None:
    path = damaged(lambda value: None, tmp_path)
    path.write_text(write(path.read_text()))
    done = run_here("better", "result.json", cwd=tmp_path)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), done
    assert says in done.err


def test_marks_and_line_ends_of_another_system_change_nothing(tmp_path: Path) -> None:
    path = damaged(lambda value: None, tmp_path)
    text = json.dumps(json.loads(path.read_text()), indent=1).replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    done = run_here("better", "result.json", cwd=tmp_path)
    assert done.code == 0 and "better than no plugin: in 8 of 8 cases" in " ".join(done.out.split())


def test_what_has_no_score_or_is_not_compared_is_named_with_its_reason(tmp_path: Path) -> None:
    """Paid graders skipped, the harness failed, weights that are all zero, an arm that is not known."""

    def change(value: Value) -> None:
        runs(value)[0]["skippedPaidGraders"] = True
        value["cases"][1]["arms"]["with"] = [making.broken("spawn ENOENT")]
        value["cases"][1]["aggregates"] = {}
        for run in (*value["cases"][2]["arms"]["with"], *value["cases"][2]["arms"]["without"]):
            for grader in run["graders"]:
                grader["weight"] = 0
        value["cases"][3]["arms"]["other"] = []
        value["aggregates"] = {}

    damaged(change, tmp_path)
    done = run_here("better", "result.json", "--full", cwd=tmp_path)
    said = " ".join(done.out.split())
    assert "3 more cases could not be scored" in said, done
    assert "Not compared: the arm other." in said
    reasons = ("graders that ask a model were skipped", "the harness failed: spawn ENOENT", "none of its graders is")
    assert "4 runs not scored: " in said and all(reason in said for reason in reasons)
