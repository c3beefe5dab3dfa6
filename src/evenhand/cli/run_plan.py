"""`evenhand run --dry-run`: what a suite would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.cli.model_run import plan_document, plan_line
from evenhand.cli.run_progress import duration
from evenhand.cli.shared import DONE, indented, one_line, write
from evenhand.core.basics.numbers import plain

if TYPE_CHECKING:
    from evenhand.suite_runs.suite_plan import Assumed, RunPlan

_BASES = {
    "its kept runs": "the mean of its kept runs",
    "other variants' kept runs": "the mean of the kept runs of other variants",
    "its model's limit": "the most its model may reply",
    "nothing is kept": "a guess: for a better one, first run a case with --only",
}


def show_plan(plan: RunPlan, format: str) -> int:
    """Write the plan; the exit code."""
    if format in ("json", "jsonl"):
        document = run_plan_document(plan)
        write(indented(document) if format == "json" else one_line(document))
        return DONE
    missing = plan.runs - plan.kept
    time = "how long is unknown" if plan.seconds is None else f"about {duration(float(plan.seconds))}"
    write(f"{plan.runs:,} runs: {plan.kept:,} are kept, {missing:,} to be made, {time}{_cost(plan)}\n")
    for name, judge in plan.judges:
        write(f"{name}: {plan_line(judge)}\n")
    for name, judge in plan.pairs:
        write(f"{name}, comparing pairs: {plan_line(judge)}\n")
    for entry in plan.assumed:
        write(f"{_assumption(entry)}\n")
    for skill, paths in plan.left_out:
        write(f"not copied with the skill {skill}, as agents must not find answers: {', '.join(paths)}\n")
    if plan.judges and missing:
        write("How long the judges take is not in it; they judge while runs go on.\n")
    return DONE


def run_plan_document(plan: RunPlan) -> dict[str, Any]:
    """A plan as JSON."""
    return {
        "schema": "evenhand/suite-plan/v1",
        "runs": plan.runs,
        "kept": plan.kept,
        "seconds": None if plan.seconds is None else round(float(plan.seconds), 1),
        "cost": plain(round(plan.cost, 6)),
        "runs_without_cost": plan.unpriced,
        "judges": [{"judge": name, **plan_document(judge)} for name, judge in plan.judges],
        "pairs": [{"judge": name, **plan_document(judge)} for name, judge in plan.pairs],
        "assumed": [entry._asdict() for entry in plan.assumed],
        "left_out": [{"skill": skill, "paths": list(paths)} for skill, paths in plan.left_out],
    }


def _cost(plan: RunPlan) -> str:
    if not plan.cost:
        return ""
    return f", about ${plan.cost:.4f}" + (f" without {plan.unpriced:,} of unknown cost" if plan.unpriced else "")


def _assumption(entry: Assumed) -> str:
    runs = "1 run" if entry.runs == 1 else f"{entry.runs:,} runs"
    return f"assumed: {runs} of {entry.variant} with {entry.tokens:,} tokens to read each, {_BASES[entry.basis]}"
