"""What `evenhand better` says of results of `claude plugin eval`, and how it has them made."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import click

from evenhand.cli.presenter import present
from evenhand.cli.shared import BAD_INPUT, DONE, agreed, chosen_store, say
from evenhand.decisions.gate import judge_better
from evenhand.files.codec import document
from evenhand.plugin_evals.given import instructions_of, is_plugin, results_in, verdict_of
from evenhand.plugin_evals.report import badge, lines, report
from evenhand.plugin_evals.running import EvalPlan, Wanted, eval_plan, run_evals
from evenhand.plugin_evals.verdict import PluginVerdict
from evenhand.reports.exchange.junit import junit_xml, ruling_case
from evenhand.suites.importing.claude_plugin_results import keep_plugin_run

UNDECIDED = 5


def show_plugin(paths: Sequence[str], format: str, undecided: str) -> int:
    """Show whether the plugin, or its newer version, is better; exit code 5 when that is undecided."""
    return _shown(verdict_of(results_in(paths)), paths, format, undecided)


def run_plugin(
    paths: Sequence[str], wanted: Wanted, format: str, undecided: str, store: str | None, *, yes: bool, dry_run: bool
) -> int:
    """Show what running its cases takes, run them once that is agreed to, and show what they tell."""
    if len(paths) != 1 or not is_plugin(Path(paths[0])):
        raise click.UsageError("--run takes the folder of one plugin that has cases for claude plugin eval")
    plan = eval_plan(Path(paths[0]), wanted)
    for line in plan.lines():
        say(f"plan: {line}")
    if dry_run:
        return DONE
    if plan.ceiling is None:
        raise click.UsageError("no result tells what a run costs: say how much may be spent, as in --max-cost 2")
    if not yes and not agreed():
        return BAD_INPUT
    made = run_evals(plan)
    kept = chosen_store(store)[0]
    for file in made.files:
        as_run = "" if kept is None else f", kept as the run {keep_plugin_run(kept, file)}"
        say(f"result: {file}{as_run}")
    return _shown(made.verdict, paths, format, undecided, _of_looks(plan, made.verdict))


def _shown(
    verdict: PluginVerdict, paths: Sequence[str], format: str, undecided: str, also: tuple[str, ...] = ()
) -> int:
    newest = verdict.results[-1]
    found = report(verdict, instructions_of(paths, newest), also=also)
    present(
        format,
        lambda: document(found),
        terminal=lambda: "\n".join(lines(found, newest)) + "\n",
        markdown=lambda: "\n".join(lines(found, newest, full=True)) + "\n",
        svg=lambda: badge(verdict),
        junit=lambda: junit_xml("evenhand better", [ruling_case(judge_better(verdict.contrast))]),
    )
    return UNDECIDED if verdict.contrast.verdict == "undecided" and undecided != "ok" else DONE


def _of_looks(plan: EvalPlan, verdict: PluginVerdict) -> tuple[str, ...]:
    if len(plan.looks) == 1:
        return ()
    level = Decimal(verdict.contrast.level).quantize(Decimal("0.0001"))
    return (f"results were looked at as they came, so that this verdict has {level:.2%} of the error rate of 5%",)
