"""skill-creator's benchmark: read, decided, held to a gate and kept like a result of `claude plugin eval`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract.doors import run_here


def row(eval: int, configuration: str, number: int, passed: list[bool | None], **more: Any) -> dict[str, Any]:
    """One run with its expectations, its pass rate rounded as skill-creator rounds it."""
    decided = [one for one in passed if one is not None]
    rate = round(sum(decided) / len(decided), 2) if decided else 0
    return {
        "eval_id": eval, "configuration": configuration, "run_number": number,
        "result": {"pass_rate": rate, "time_seconds": 2.0, "tokens": 1000} | more,
        "expectations": [{"text": f"Holds {n}", "passed": one, "evidence": "x"} for n, one in enumerate(passed)],
    }  # fmt: skip


def benchmark(folder: Path, rows: list[dict[str, Any]]) -> None:
    """The file of a benchmark in its iteration's folder."""
    (folder / "it").mkdir(exist_ok=True)
    value = {"metadata": {"skill_name": "pdf", "executor_model": "opus"}, "runs": rows, "run_summary": {}}
    (folder / "it" / "benchmark.json").write_text(json.dumps(value), encoding="utf-8")


def whole(good: list[bool | None], bad: list[bool | None], reference: str = "without_skill") -> list[dict[str, Any]]:
    """Eight evals of three runs in both configurations."""
    sides = (("with_skill" if reference == "without_skill" else "new_skill", good), (reference, bad))
    return [row(number, name, run, passed) for number in range(8) for name, passed in sides for run in (1, 2, 3)]


def decided(folder: Path) -> dict[str, Any]:
    contrast: dict[str, Any]
    (contrast,) = json.loads(run_here("better", "it", "--store", "none", "-f", "json", cwd=folder).out)["decision"][
        "contrasts"
    ]
    return contrast


@pytest.mark.parametrize(("reference", "name"), [("without_skill", "no skill"), ("old_skill", "the old skill")])
def test_a_benchmark_is_decided_by_its_expectations(tmp_path: Path, reference: str, name: str) -> None:
    """Three of three against one of three in eight evals: better by 2/3, although the file says 0.33."""
    benchmark(tmp_path, whole([True] * 3, [True, False, False], reference))
    contrast = decided(tmp_path)
    assert (contrast["verdict"], contrast["reference"], contrast["better"]) == ("better", name, 8)
    assert contrast["estimate"] == pytest.approx(2 / 3, abs=1e-6)
    shown = run_here("better", "it/benchmark.json", "--store", "none", cwd=tmp_path).out
    assert "Holds 0 passes in every run of both arms" in " ".join(shown.split())
    assert run_here("gate", "it", "--better", "--store", "none", cwd=tmp_path).code == 0


def test_what_was_not_decided_is_no_failure(tmp_path: Path) -> None:
    """An expectation without a verdict is left out of its run; a run without any has no score."""
    rows = whole([True, None, True], [False, None, True])
    rows[0] = row(0, "with_skill", 1, [None, None, None])
    benchmark(tmp_path, rows)
    contrast = decided(tmp_path)
    assert (contrast["verdict"], contrast["unscored"]) == ("better", 1)
    assert contrast["estimate"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([row(0, "with_skill", 1, [True, False], pass_rate=1.0)], "contradicts its own graders"),
        ([row(0, "with_skill", 1, [True]), row(0, "mine", 1, [True])], "its configurations are with_skill, mine"),
        ([], "its configurations are none"),
    ],
)
def test_a_benchmark_that_cannot_be_trusted_is_refused(tmp_path: Path, rows: list[dict[str, Any]], says: str) -> None:
    benchmark(tmp_path, rows)
    ran = run_here("better", "it", "--store", "none", cwd=tmp_path)
    assert ran.code == 2 and says in ran.err and len(ran.err.splitlines()) == 1


def test_a_benchmark_is_kept_and_has_a_history(tmp_path: Path) -> None:
    benchmark(tmp_path, whole([True] * 3, [False] * 3))
    done = run_here("run", "import", "it/benchmark.json", "--save", "--store", "kept.db", cwd=tmp_path)
    assert done.code == 0, done.err
    (step,) = json.loads(run_here("history", "pdf", "--store", "kept.db", "-f", "json", cwd=tmp_path).out)
    assert (step["what"], step["means"]) == ("by opus", {"no skill": 0, "pdf": 1})
