"""`evenhand run --dry-run`: what a suite would take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evenhand.cli.model_run import plan_line
from evenhand.cli.presenter import present
from evenhand.cli.shared import DONE
from evenhand.files import codec
from evenhand.in_words import counted, stopwatch

if TYPE_CHECKING:
    from evenhand.suites.suite_plan import Assumed, SuitePlan

_BASES = {
    "its kept runs": "the mean of its kept runs",
    "other variants' kept runs": "the mean of the kept runs of other variants",
    "its model's limit": "the most its model may reply",
    "nothing is kept": "a guess: for a better one, first run a case with --only",
}


def show_plan(plan: SuitePlan, format: str) -> int:
    """Write the plan; the exit code."""
    present(format, lambda: run_plan_document(plan), plain=lambda: _lines(plan))
    return DONE


def plan_sentence(plan: SuitePlan, cases: int, versions: int, agent: str | None) -> str:
    """What a comparison takes: "8 cases x 2 versions, 16 runs of claude-code, ..., at most $1.92"."""
    missing = plan.runs - plan.kept
    parts = [f"{counted(cases, 'case')} x {versions} versions"]
    if agent:
        kept = f" ({plan.kept:,} more are kept)" if plan.kept else ""
        time = "" if plan.seconds is None or not missing else f", about {stopwatch(float(plan.seconds))}"
        confined = f", {plan.confined}" if plan.confined else ""
        parts.append(f"{counted(missing, 'run')} of {agent.split()[0]}{kept}{confined}{time}{_cost(plan)}")
    for name, judge in plan.judges:
        stored = f" ({judge.stored:,} more are stored)" if judge.stored else ""
        cost = "cost unknown" if judge.cost is None else f"at most ${judge.cost:.2f}"
        parts.append(f"{counted(judge.calls, 'call')} to {name}{stored}, {cost}")
    return "; ".join(parts) if plan.judges else f"{'; '.join(parts)}; no judge: checks and expectations alone"


def _lines(plan: SuitePlan) -> Iterator[str]:
    missing = plan.runs - plan.kept
    time = "time unknown" if plan.seconds is None else f"about {stopwatch(float(plan.seconds))}"
    kept = counted(plan.kept, "is", "are")
    if plan.confined:
        yield f"{plan.confined[0].upper()}{plan.confined[1:]}"
    yield f"{counted(plan.runs, 'run')}: {kept} kept, {missing:,} to be made, {time}{_cost(plan)}"
    yield from (f"{name}: {plan_line(judge)}" for name, judge in plan.judges)
    yield from (f"{name}, comparing pairs: {plan_line(judge)}" for name, judge in plan.pairs)
    yield from map(_assumption, plan.assumed)
    for skill, paths in plan.left_out:
        yield f"not copied with the skill {skill}, as agents must not find answers: {', '.join(paths)}"
    if plan.looks:
        from evenhand.decisions.looks import look_levels

        parts = [f"{look:,} ({level:.1%})" for look, level in zip(plan.looks, look_levels(plan.looks), strict=True)]
        yield f"looks after this many cases, each with its part of the error rate: {', '.join(parts)}"
    for variant, key in plan.keys:
        yield f"{variant} needs {key}"
    if plan.judges and missing:
        yield "The judges' time is not included; they judge while runs go on."


def run_plan_document(plan: SuitePlan) -> dict[str, Any]:
    """A plan as JSON."""
    return codec.document(plan, "evenhand/suite-plan/v1") | {
        "judges": [{"judge": name, **codec.document(judge)} for name, judge in plan.judges],
        "pairs": [{"judge": name, **codec.document(judge)} for name, judge in plan.pairs],
        "keys": [{"variant": variant, "variable": key} for variant, key in plan.keys],
        "left_out": [{"skill": skill, "paths": list(paths)} for skill, paths in plan.left_out],
    }


def _cost(plan: SuitePlan) -> str:
    if not plan.cost:
        return ""
    return f", about ${plan.cost:.4f}" + (f" without {plan.unpriced:,} of unknown cost" if plan.unpriced else "")


def _assumption(entry: Assumed) -> str:
    runs = counted(entry.runs, "run")
    return f"assumed: {runs} of {entry.variant} with {entry.tokens:,} tokens to read each, {_BASES[entry.basis]}"
