"""`evenhand run --dry-run`: what a suite would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.cli.model_run import plan_document, plan_line
from evenhand.cli.run_progress import duration
from evenhand.cli.shared import DONE, indented, one_line, write

if TYPE_CHECKING:
    from evenhand.pipeline.suite_running import RunPlan


def show_plan(plan: RunPlan, format: str, *, is_paired: bool) -> int:
    """Write the plan; the exit code."""
    if format in ("json", "jsonl"):
        document = {
            "runs": plan.runs,
            "kept": plan.kept,
            "seconds": None if plan.seconds is None else round(float(plan.seconds), 1),
            "judges": [{"judge": name, **plan_document(judge)} for name, judge in plan.judges],
            "runs_not_planned_for_judges": plan.unjudged if plan.judges else 0,
        }
        write(indented(document) if format == "json" else one_line(document))
        return DONE
    time = "how long is unknown" if plan.seconds is None else f"about {duration(float(plan.seconds))}"
    write(f"{plan.runs:,} runs: {plan.kept:,} are kept, {plan.runs - plan.kept:,} to be made, {time}\n")
    for name, judge in plan.judges:
        write(f"{name}: {plan_line(judge)}\n")
    if is_paired:
        write("What comparing pairs afterwards takes is not in it.\n")
    if plan.judges and plan.unjudged:
        write(f"What judging the other {plan.unjudged:,} takes is not known before their outputs are.\n")
    return DONE
