"""evenhand better --side-by-side: a model sees two outputs at once and says which is better, in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evenhand.cli.judge_options import run_options
from evenhand.cli.presenter import present
from evenhand.cli.progress import Counter
from evenhand.cli.shared import BAD_INPUT, DONE, NOT_SCORED, UNDECIDED, chosen_store, complain
from evenhand.options.model_options import used_by


def ask_in_pairs(
    systems: Sequence[str],
    asking: Mapping[str, Any],
    reading: Mapping[str, Any],
    *,
    tasks: str | None,
    judges: Sequence[str],
    rubric: str | None,
    store: str | None,
    format: str,
    dry_run: bool,
    show_prompt: bool,
    undecided: str,
) -> int:
    """Compare outputs in pairs, each with each; show the plan or the prompts instead where that is asked for."""
    from evenhand.cli.model_run import ended, write_plan, write_prompts
    from evenhand.decisions.preferences import preference_document, preferences_decision
    from evenhand.files.text import text_or_file
    from evenhand.judging.keeper import Keeper
    from evenhand.judging.panels.panel import OpenPanel
    from evenhand.judging.panels.preferences import PairComparison, match_outputs
    from evenhand.judging.steps import Steps
    from evenhand.reports.comparison.preferences import preferences_report
    from evenhand.suites.comparison_suite import pattern_files, task_texts

    _refuse_unused(asking, judges)
    kept_in, settings = chosen_store(store)
    of_item = None if tasks is None or not Path(tasks).is_dir() else task_texts(tasks)
    matched = match_outputs(
        systems,
        task=None if tasks is None or of_item is not None else text_or_file(tasks),
        tasks=of_item,
        patterns={name: pattern_files(name) for name in systems if "*" in name and not Path(name).exists()},
        **reading,
    )
    secret = None if kept_in is None else Keeper(kept_in, keep="hash").secret
    options = run_options("pairs", {name: asking.get(name) for name in used_by("pairs")}, settings.store)
    panel = OpenPanel(judges, options, secret=secret, needs_key=not dry_run)
    comparison = PairComparison(panel, Steps(rubric))
    if show_prompt:
        return write_prompts(prompt for pair in matched.pairs for prompt in comparison.pair_prompts(pair))
    for failure in matched.failures:
        complain(failure)
    if dry_run:
        outputs = {id(output) for pair in matched.pairs for output in (pair.first, pair.second)}
        counts = {"submissions": len(outputs), "pairs": len(matched.pairs)}
        write_plan(comparison.plan_pairs(matched.pairs), format, counts)
        return BAD_INPUT if matched.failures else DONE
    counter = Counter(lambda: len(matched.pairs), quiet=len(matched.pairs) < 2)
    results = tuple(counter.count(comparison.compare(matched.pairs)))
    preferences = comparison.preferences(matched, results)
    present(format, lambda: preference_document(preferences), report=lambda: preferences_report(preferences))
    code = BAD_INPUT if matched.failures else DONE
    if code == DONE and any(result.outcome == "undecided" for result in results):
        code = NOT_SCORED
    if code == DONE and undecided != "ok" and preferences_decision(preferences).is_undecided:
        code = UNDECIDED
    return ended(panel, code)


def _refuse_unused(asking: Mapping[str, Any], judges: Sequence[str]) -> None:
    if not judges:
        raise click.UsageError("--side-by-side asks a model; name it with --judge")
    known = used_by("pairs")
    for name, value in asking.items():
        if value is not None and name not in known:
            raise click.UsageError(f"judge.{name} does not go with --side-by-side")
