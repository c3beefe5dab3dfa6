"""evenhand inside other tools: promptfoo's assertion, Inspect's scorer, DeepEval's metric, in the real tools."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, judged, seven
from example_judges import answer
from fake_server import FakeServer, Fault
from real_tools import npm_tool, python_tool

from evenhand.bridges.promptfoo import get_assert, grading_result

EMPTY = "Push with ghp_16C7e42F292c6912E7710c838347Ae178B4a."
WRONG = "```json\n[44 - 41]\n```"
EXAMPLES = ROOT / "examples"


# --- promptfoo ------------------------------------------------------------------------------------------------------


def asserted(output: Any, prompt: str = "", **config: Any) -> dict[str, Any]:
    return get_assert(output, {"prompt": prompt, "vars": {}, "config": config})


@pytest.mark.usefixtures("every_check_measured")
def test_promptfoo_gets_pass_score_and_reason_with_the_quote():
    """Checks alone: a requirement is met or not, and the quote says why."""
    result = asserted(WRONG, no_fault="major")
    assert (result["pass"], result["score"]) == (False, 0.0)
    assert result["reason"].splitlines()[0] == "major: This JSON does not parse: expecting ',' delimiter on line 2."
    assert "data-does-not-parse: “[44 - 41]”" in result["reason"]
    met = asserted("Cats sleep 12 to 16 hours a day.", no_fault=True)
    assert (met["pass"], met["score"]) == (True, 1.0)


def test_promptfoo_gets_a_tenth_of_the_score_and_of_each_dimension():
    """7.00 of 10 is 0.7; without requirements the rubric's pass mark decides, 7.00 here."""
    result = grading_result(judged(seven(7)), {})
    assert (result["pass"], result["score"]) == (True, 0.7)
    assert result["namedScores"]["safety"] == 0.7
    assert grading_result(judged(seven("6.9")), {})["pass"] is False
    assert grading_result(judged(seven(9)), {"min_grade": "A+"})["pass"] is False


def test_promptfoo_is_told_of_a_grader_error_where_no_one_could_score():
    """Neither a low score nor a pass."""
    unscored = judged(seven(9) | {"safety": {"unscored": "cut off"}})
    for result in (
        grading_result(unscored, {"min_grade": "B"}),
        asserted("Cats sleep."),
        asserted("Cats sleep 12 to 16 hours a day.", no_fault=True, min_grade="F"),
        asserted("Cats sleep.", min_grad="B"),
        asserted("Cats sleep.", judges="nobody:x"),
    ):
        assert result["pass"] is False
        assert result["metadata"] == {"graderError": True}
        assert result["reason"].startswith("not judged: ")
    assert "did you mean min_grade?" in asserted("x", min_grad="B")["reason"]


@pytest.mark.slow
def test_the_real_promptfoo_runs_the_assertion(tmp_path: Path):
    """One output fails for its arithmetic, one passes; the reason arrives in promptfoo's own report."""
    promptfoo = npm_tool("promptfoo")
    (tmp_path / "evenhand_assert.py").write_text(
        "from evenhand.bridges.promptfoo import get_assert\n", encoding="utf-8"
    )
    check = {"type": "python", "value": "file://evenhand_assert.py", "config": {"no_fault": "major", "task": "Answer."}}
    config = {
        "prompts": ["{{text}}"],
        "providers": ["echo"],
        "tests": [{"vars": {"text": text}, "assert": [check]} for text in (EMPTY, "Cats sleep 12 to 16 hours a day.")],
    }
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PYTHONPATH": str(ROOT / "src"),
    }
    command = [promptfoo, "eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "out.json"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert (tmp_path / "out.json").exists(), done.stdout + done.stderr
    results = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["results"]["results"]
    by_text = {row["vars"]["text"]: row for row in results}
    assert by_text[EMPTY]["success"] is False
    assert "critical: " in by_text[EMPTY]["gradingResult"]["reason"]
    assert sum(row["success"] for row in results) == 1


# --- Inspect --------------------------------------------------------------------------------------------------------

INSPECT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from evenhand.bridges.inspect import evenhand_scorer

outputs, options = json.loads(sys.argv[1]), json.loads(sys.argv[2])
replies = [ModelOutput.from_content("mockllm/model", text) for text in outputs]
for reply in replies:
    reply.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a table is downloaded
model = get_model("mockllm/model", custom_outputs=replies)
task = Task(dataset=[Sample(input=sys.argv[3]) for _ in outputs], scorer=evenhand_scorer(**options))
(log,) = eval(task, model=model, display="none", log_dir="logs", max_samples=1)
assert log.status == "success", log.error
rows = [sample.scores["evenhand_scorer"] for sample in log.samples]
print(json.dumps([[row.value, row.explanation, row.metadata] for row in rows]))
print(json.dumps({name: metric.value for name, metric in log.results.scores[0].metrics.items()}))
"""


def in_inspect(folder: Path, outputs: list[str], task: str, **options: Any) -> tuple[list[Any], dict[str, Any]]:
    tool = python_tool("inspect-ai", "inspect_ai")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tool}", "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-c", INSPECT, json.dumps(outputs), json.dumps(options), task]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows, metrics = done.stdout.splitlines()[-2:]
    return json.loads(rows), json.loads(metrics)


@pytest.mark.slow
def test_the_real_inspect_scores_with_a_model_judge(tmp_path: Path, fake_server: FakeServer):
    """The value is the final score, and the explanation holds the quotes."""
    fake_server.answer = answer
    output, task = ((EXAMPLES / name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
    options = {"rubric": "devops", "judges": "openai:first", "options": {"base_url": fake_server.url}}
    rows, metrics = in_inspect(tmp_path, [output], task, **options)
    value, explanation, metadata = rows[0]
    assert value == 3.38
    assert "“I ran the export again, and all 44 parts are there now.”" in explanation
    assert metadata["grade"] == "F" and metadata["rubric"] == "devops"
    assert metrics["mean"] == 3.38


@pytest.mark.slow
def test_in_the_real_inspect_unread_work_has_no_value(tmp_path: Path):
    """NaN, which is not a zero; the faults are in the explanation."""
    rows, _ = in_inspect(tmp_path, [EMPTY], "How many?")
    value, explanation, metadata = rows[0]
    assert math.isnan(value)
    assert "critical: " in explanation
    assert metadata["grade"] is None


# --- DeepEval -------------------------------------------------------------------------------------------------------

DEEPEVAL = """
import json, sys
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase
from evenhand.bridges.deepeval import EvenhandMetric

cases, options, run_async = map(json.loads, sys.argv[1:])
result = evaluate(
    test_cases=[LLMTestCase(input=task, actual_output=output) for task, output in cases],
    metrics=[EvenhandMetric(**options)],
    async_config=AsyncConfig(run_async=run_async),
    display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    error_config=ErrorConfig(ignore_errors=True),
)
rows = [row.metrics_data[0] for row in sorted(result.test_results, key=lambda row: row.index)]
print("ROWS" + json.dumps([[row.name, row.score, row.success, row.reason, row.error] for row in rows]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("run_async", [True, False])
def test_the_real_deepeval_measures_with_a_model_judge(tmp_path: Path, fake_server: FakeServer, run_async: bool):
    """A score from 0 to 1 with quotes; the pass mark decides; what the judge cannot answer is an error and no score."""
    fake_server.answer = lambda asked: Fault.status(400, "no") if "unlucky" in json.dumps(asked.body) else answer(asked)
    output, task = ((EXAMPLES / name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
    options = {"rubric": "devops", "judges": "openai:first", "options": {"base_url": fake_server.url}}
    tool = python_tool("deepeval", "deepeval")
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tool}",
        "OPENAI_API_KEY": "none",
        "HOME": str(tmp_path),
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "DEEPEVAL_DISABLE_DOTENV": "1",
    }
    cases = [[task, output], [task, "This one is unlucky, as the judge fails."]]
    command = [sys.executable, "-c", DEEPEVAL, *map(json.dumps, (cases, options, run_async))]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("ROWS")]
    (name, score, success, reason, error), failed = json.loads(line.removeprefix("ROWS"))
    assert (name, score, success, error) == ("evenhand", 0.338, False, None)
    assert "“I ran the export again, and all 44 parts are there now.”" in reason
    assert failed[1] is None and failed[2] is False and "not judged" in failed[4]
