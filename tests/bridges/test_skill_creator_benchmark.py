"""benchmark.json for skill-creator, made from gradings whose evidence is looked up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.bridges.skill_creator import benchmark, main
from evenhand.errors import InputError

TEXT = "Extracted names: John Smith, Sarah Johnson. The total is 42."


def grade(run: Path, *rows: tuple[str, Any, str], **more: Any) -> Path:
    """A graded run with its output."""
    (run / "outputs").mkdir(parents=True)
    (run / "outputs" / "answer.md").write_text(TEXT, encoding="utf-8")
    expectations = [{"text": text, "passed": passed, "evidence": evidence} for text, passed, evidence in rows]
    document = {"expectations": expectations, "summary": {"pass_rate": 1.0}, **more}
    (run / "grading.json").write_text(json.dumps(document), encoding="utf-8")
    return run


NAMED = ("It names John Smith", True, "Found: 'Extracted names: John Smith'")
TOTAL = ("It has the total", True, '"The total is 42."')
MADE_UP = ("It cites a source", True, "Found: 'as the annual report of 2024 shows'")
FAILED = ("It has a table", False, "There is no table.")


def test_a_passed_expectation_counts_only_if_its_evidence_is_in_the_outputs(tmp_path: Path):
    """Of four, one is made up: 2 of 3 passed, 0.6667, and the fourth is a note, not a failure."""
    grade(tmp_path / "eval-1" / "with_skill" / "run-1", NAMED, TOTAL, MADE_UP, FAILED)
    document = benchmark(tmp_path, skill_name="pdf")
    (run,) = document["runs"]
    assert run["result"]["pass_rate"] == 0.6667
    assert (run["result"]["passed"], run["result"]["failed"], run["result"]["total"]) == (2, 1, 3)
    assert [row["passed"] for row in run["expectations"]] == [True, True, False]
    assert len(document["notes"]) == 1
    assert "not counted: It cites a source" in document["notes"][0] and run["notes"] == document["notes"]


def test_the_fields_are_those_the_viewer_reads(tmp_path: Path):
    """Means and sample deviations by configuration, differences as text; what nobody recorded is left out."""
    timing = {"timing": {"total_duration_seconds": 40.0}, "execution_metrics": {"total_tool_calls": 5}}
    grade(tmp_path / "eval-1" / "with_skill" / "run-1", NAMED, TOTAL, **timing)
    second = grade(tmp_path / "eval-1" / "with_skill" / "run-2", NAMED, FAILED)
    (second / "timing.json").write_text('{"duration_ms": 50500, "total_tokens": 900}', encoding="utf-8")
    grade(tmp_path / "eval-1" / "without_skill" / "run-1", FAILED, timing={"total_duration_seconds": 30})
    (tmp_path / "eval-1" / "eval_metadata.json").write_text('{"eval_id": 7, "eval_name": "Ocean"}', encoding="utf-8")
    document = benchmark(tmp_path)
    assert list(document) == ["metadata", "runs", "run_summary", "notes"]
    assert document["metadata"]["evals_run"] == [7] and document["metadata"]["runs_per_configuration"] == 2
    assert [(run["eval_name"], run["configuration"], run["run_number"]) for run in document["runs"]] == [
        ("Ocean", "with_skill", 1),
        ("Ocean", "with_skill", 2),
        ("Ocean", "without_skill", 1),
    ]
    assert document["runs"][0]["result"]["tool_calls"] == 5 and document["runs"][0]["result"]["tokens"] is None
    summary = document["run_summary"]
    # 1 and 0.5: mean 0.75, deviation sqrt(2 * 0.25^2 / 1) = 0.3536
    assert summary["with_skill"]["pass_rate"] == {"mean": 0.75, "stddev": 0.3536, "min": 0.5, "max": 1.0}
    assert summary["with_skill"]["time_seconds"]["mean"] == 45.25
    assert "tokens" not in summary["without_skill"]
    assert summary["delta"] == {"pass_rate": "+0.75", "time_seconds": "+15.2"}


def test_other_layouts_and_names_are_read(tmp_path: Path):
    """Below runs/, without run-K, and with assertion_results."""
    run = grade(tmp_path / "runs" / "eval-2" / "old_skill")
    rows = {"assertion_results": [{"text": "Named", "passed": True, "evidence": NAMED[2]}]}
    (run / "grading.json").write_text(json.dumps(rows), encoding="utf-8")
    (run_of,) = benchmark(tmp_path)["runs"]
    assert (run_of["eval_id"], run_of["configuration"], run_of["run_number"]) == (2, "old_skill", 1)
    assert run_of["result"]["pass_rate"] == 1.0


def test_a_run_without_a_decided_expectation_is_left_out(tmp_path: Path):
    """The viewer would show 0 % for it."""
    grade(tmp_path / "eval-1" / "with_skill" / "run-1", MADE_UP)
    document = benchmark(tmp_path)
    assert document["runs"] == [] and "left out" in document["notes"][-1]


def test_the_command_writes_the_file_or_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Exit code 2 for bad input, and nothing is written."""
    run = grade(tmp_path / "eval-1" / "with_skill" / "run-1", NAMED)
    assert main([str(tmp_path), "--skill-name", "pdf"]) == 0
    written = json.loads((tmp_path / "benchmark.json").read_text(encoding="utf-8"))
    assert written["metadata"]["skill_name"] == "pdf"
    (run / "grading.json").write_text("{", encoding="utf-8")
    assert main([str(tmp_path)]) == 2
    assert "grading.json:1: not valid JSON" in capsys.readouterr().err
    assert json.loads((tmp_path / "benchmark.json").read_text(encoding="utf-8")) == written
    with pytest.raises(InputError, match="holds no eval"):
        benchmark(tmp_path / "eval-1")
