"""evenhand prefer: which of two outputs, or of several systems, is better."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.judge_options import model_options, reading_options, run_options
from evenhand.cli.output_option import refuse_in_folders
from evenhand.cli.presenter import present, report_option
from evenhand.cli.progress import Counter
from evenhand.cli.shared import BAD_INPUT, DONE, NOT_SCORED, chosen_store, complain, rubric_option, store_option


@click.command("prefer")
@click.argument("systems", metavar="A B...", nargs=-1, required=True)
@reading_options
@rubric_option
@click.option(
    "--judge",
    "judges",
    metavar="SPEC",
    multiple=True,
    required=True,
    help="Who compares: a provider with its model such as openai:gpt-4o, or a name from evenhand.toml. "
    "Several decide by more than half. See: evenhand judge list",
)
@model_options("prefer")
@click.option("--dry-run", is_flag=True, help="Show how many calls, tokens and dollars it would take, and stop.")
@click.option("--show-prompt", is_flag=True, help="Show the exact prompts, and stop.")
@store_option
@report_option()
def command(
    systems: tuple[str, ...],
    reading: dict[str, Any],
    rubric: str | None,
    judges: tuple[str, ...],
    store: str | None,
    format: str,
    dry_run: bool,
    show_prompt: bool,
    **asking: Any,
) -> int:
    """Compare outputs in pairs: a model says which is better, in both orders.

    A and B are two outputs or transcripts, two folders of them, or two files of many submissions; more
    than two are compared each with each. Outputs are matched by id in a file of many submissions, and by
    path in a folder; those that not all have are listed.

    Every pair is asked about twice, with the outputs in either order. A preference counts only if it
    survives the swap, and only with a quote from each output that really occurs in it. Ties, verdicts that
    depend on the order and missing verdicts are counted apart. Nothing is added to the store; replies are
    kept as those of `evenhand judge` are.

    \b
    Examples:
      evenhand prefer old.md new.md --task task.md --judge openai:gpt-4o
      evenhand prefer runs/v1/ runs/v2/ runs/v3/ --judge anthropic:claude-sonnet-4-5 --rubric code-review
      evenhand prefer v1.jsonl v2.jsonl --judge openai:my-model --base-url http://localhost:8000/v1 --dry-run
    """
    from evenhand.cli.model_run import ended, write_plan, write_prompts
    from evenhand.documents.preferences import preference_document
    from evenhand.judging.keeper import Keeper
    from evenhand.judging.panels.panel import OpenPanel
    from evenhand.judging.panels.preferences import PairComparison, match_outputs
    from evenhand.judging.steps import Steps
    from evenhand.reports.comparison.preferences import preference_lines
    from evenhand.reports.html.preferences import preferences_page

    if len(systems) < 2:
        raise click.UsageError("give at least two outputs, folders or files of submissions to compare")
    refuse_in_folders(systems)
    kept_in, settings = chosen_store(store)
    matched = match_outputs(systems, **reading)
    secret = None if kept_in is None else Keeper(kept_in, keep="hash").secret
    steps = Steps(rubric)
    panel = OpenPanel(judges, run_options("prefer", asking, settings.store), secret=secret, needs_key=not dry_run)
    comparison = PairComparison(panel, steps)
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
    present(
        format,
        lambda: preference_document(preferences),
        lines=lambda: preference_lines(preferences),
        html=lambda: preferences_page(preferences),
    )
    code = BAD_INPUT if matched.failures else DONE
    if code == DONE and any(result.outcome == "undecided" for result in results):
        code = NOT_SCORED
    return ended(panel, code)
