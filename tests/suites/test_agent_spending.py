"""What command agents cost: read from what they print, shown beside quality, and limited."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from evenhand.decisions.suite import Case, Command, Suite, Variant
from evenhand.judges.models.budget import Budget
from evenhand.options.model_options import ModelOptions
from evenhand.suites.execution.agent_runs import BEYOND_LIMIT
from evenhand.suites.suite_run import OpenSuite, SuiteOptions
from evenhand.work.agent_run import AgentRun, CaseResult
from suite_cases import result

CLAUDE = {
    "type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "Four.", "session_id": "s",
    "total_cost_usd": 0.4, "usage": {
        "input_tokens": 10, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 890, "output_tokens": 7
    },
}  # fmt: skip
CODEX = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "Four."}},
    {"type": "turn.completed", "usage": {"input_tokens": 1000, "cached_input_tokens": 5, "output_tokens": 7}},
]
GEMINI = {
    "session_id": "g", "response": "Four.", "stats": {
        "models": {"gemini-3-pro": {"tokens": {"prompt": 1000, "candidates": 5, "thoughts": 2, "total": 1007}}},
        "tools": {},
    },
}  # fmt: skip


def printing(*documents: object) -> Command:
    """An agent that prints lines of JSON."""
    text = "".join(json.dumps(document) + "\n" for document in documents)
    return Command((sys.executable, "-c", "import sys; sys.stdout.write(sys.argv[1])", text))


def run_all(
    folder: Path, *variants: Variant, cases: int = 1, jobs: int = 1, **models: object
) -> tuple[OpenSuite, list]:
    suite = Suite("s", tuple(Case(f"c{place}", "How many?") for place in range(cases)), variants)
    notices: list[str] = []
    options = SuiteOptions(jobs, models=ModelOptions(**models))
    with OpenSuite(suite, folder / "runs", options, notice=notices.append) as running:
        return running, [*sorted(running.results()), notices]


def one(folder: Path, command: Command) -> AgentRun:
    return run_all(folder, Variant("v", command))[1][0].run


@pytest.mark.parametrize(
    ("printed", "cost"),
    [((CLAUDE,), Decimal("0.4")), (CODEX, None), ((GEMINI,), None)],
    ids=["claude", "codex", "gemini"],
)
def test_the_answer_tokens_and_cost_are_read_from_what_an_agent_prints(tmp_path, printed, cost):
    """`--output-format json`, or `--json`: the judged output is the answer, not the report around it."""
    run = one(tmp_path, printing(*printed))
    assert (run.output, run.input_tokens, run.output_tokens, run.cost) == ("Four.", 1000, 7, cost)


@pytest.mark.parametrize(
    "printed", [{"response": "Four."}, {"type": "result"}, {"messages": [{"role": "user"}]}, [1, 2]]
)
def test_other_json_that_a_command_prints_is_its_output(tmp_path, printed):
    run = one(tmp_path, printing(printed))
    assert (run.output, run.transcript, run.cost) == (json.dumps(printed) + "\n", None, None)


def test_no_run_begins_that_could_go_beyond_the_limit(tmp_path):
    """At $0.40 each, a limit of $1 is enough for two: a third could come to $1.20."""
    running, judged = run_all(tmp_path, Variant("v", printing(CLAUDE)), cases=5, max_cost=Decimal(1))
    *runs, _ = judged
    outcomes = [item.run.outcome for item in runs]
    assert outcomes.count("finished") == 2
    assert {item.run.reason for item in runs if item.run.outcome == "not started"} == {BEYOND_LIMIT}
    assert running.budget.cost == Decimal("0.8")
    assert running.budget.stopped == "the next run could exceed the limit of $1"


def test_the_limit_holds_for_runs_at_once(tmp_path):
    """The first run is made alone, since its cost is not known; the others reserve what it cost."""
    running, judged = run_all(tmp_path, Variant("v", printing(CLAUDE)), cases=8, jobs=4, max_cost=Decimal("1.2"))
    assert sum(item.run.outcome == "finished" for item in judged[:-1]) == 3
    assert running.budget.cost == Decimal("1.2")


def test_kept_runs_cost_nothing_again(tmp_path):
    variant = Variant("v", printing(CLAUDE))
    run_all(tmp_path, variant, cases=2)
    running, judged = run_all(tmp_path, variant, cases=2, max_cost=Decimal("0.1"))
    assert [item.run.outcome for item in judged[:-1]] == ["finished", "finished"]
    assert running.budget.stopped is None


def test_a_command_that_does_not_state_its_cost_is_named_once(tmp_path):
    _, judged = run_all(tmp_path, Variant("v", printing(*CODEX)), cases=3, max_cost=Decimal(1))
    assert judged[-1] == ["`max_cost` does not count what v spends: its runs do not state it"]
    assert all(item.run.outcome == "finished" for item in judged[:-1])


def test_a_run_waits_while_calls_in_flight_may_return_what_they_reserved():
    budget = Budget(max_cost=Decimal(1))
    assert budget.begin_run(Decimal("0.7")) is True
    assert budget.begin_run(Decimal("0.4")) is None
    budget.settle(Decimal("0.7"), Decimal("0.6"))
    assert budget.begin_run(Decimal("0.4")) is True
    budget.settle(Decimal("0.4"), Decimal("0.4"))
    assert budget.begin_run(Decimal(0)) is True
    budget.settle(Decimal(0), Decimal(0))
    assert budget.begin_run(Decimal("0.01")) is False
    assert budget.stopped is not None


def spent(variant: str, tokens: int | None, cost: str | None) -> list[CaseResult]:
    price = None if cost is None else Decimal(cost)
    return [result(f"c{place}", variant, 1, 800, tokens=tokens, cost=price) for place in range(6)]
