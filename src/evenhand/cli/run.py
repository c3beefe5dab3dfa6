"""evenhand run: the agents of a suite run on its cases, and judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.report_option import report_option
from evenhand.cli.shared import DONE, NOT_SCORED, OUT_OF_REACH, console, indented, one_line, say, store_option, write

if TYPE_CHECKING:
    from evenhand.core.values.preference import Preferences
    from evenhand.core.values.submission import Submission
    from evenhand.core.values.suite import Suite
    from evenhand.pipeline.suite_keeping import SuiteKeeper
    from evenhand.pipeline.suite_running import RunningSuite, SuiteOptions
    from evenhand.pipeline.suite_table import VariantTally

INTERRUPTED_CODE = 130


@click.command("run")
@click.argument("suite", metavar="SUITE")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), default=min(4, os.cpu_count() or 1), show_default=True,
    help="How many runs at once.",
)  # fmt: skip
@click.option("--only", metavar="CASE|TAG", multiple=True, help="Only this case, or the cases with this tag.")
@click.option("--variant", "variants", metavar="NAME", multiple=True, help="Only this variant.")
@click.option("--shard", metavar="K/N", help="Only the K-th of N parts of the cases, for several machines.")
@click.option("--fresh", is_flag=True, help="Run everything again, and ask judges again, whatever is kept.")
@click.option("--retry-failed", is_flag=True, help="Run again what failed, timed out or was stopped by a limit.")
@click.option(
    "--budget", metavar="DOLLARS", help="Stop before a call to a model that could bring the total above this."
)
@click.option(
    "--stop-early", is_flag=True,
    help="Stop as soon as every variant is shown to be better, worse or no different; the error rate is kept.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show how many runs, calls, dollars and minutes it would take, and stop.")
@click.option("--runs", metavar="FOLDER", help="Where finished runs are kept. Default: runs next to the store.")
@click.option("--replies", metavar="FILE|none", help="Where models' replies are kept. Default: next to the store.")
@store_option
@report_option()
def command(
    suite: str,
    jobs: int,
    only: tuple[str, ...],
    variants: tuple[str, ...],
    shard: str | None,
    stop_early: bool,
    dry_run: bool,
    runs: str | None,
    store: str | None,
    format: str,
    **asking: Any,
) -> int:
    """Run the variants of a suite on its cases, and judge what they produce.

    SUITE is a suite file; see evenhand suite new. Each run gets a fresh copy of its case's files and is
    kept when it ends, so that the same command goes on where it was interrupted, and runs nothing again
    whose inputs have not changed. A run that fails or times out is counted apart, with its reason.

    \b
    Examples:
      evenhand run suite.yaml
      evenhand run suite.yaml --dry-run
      evenhand run suite.yaml --jobs 8 --budget 5
      evenhand run suite.yaml --stop-early
      evenhand run suite.yaml --only hard --variant with_skill
      evenhand run suite.yaml --shard 3/8 --format jsonl -o results-3.jsonl

    The run is stored and decided upon: see evenhand suite show. A shard is not: merge the files of all
    shards with evenhand suite merge.

    Exit code 1 when the suite's gate is red; 3 when no run finished or a judge could not score one; 130
    after Ctrl-C.
    """
    from evenhand.cli.shared import chosen_store
    from evenhand.pipeline.suite_keeping import SuiteKeeper
    from evenhand.pipeline.suite_order import narrowed, read_shard
    from evenhand.pipeline.suite_reading import read_suite
    from evenhand.pipeline.suite_results import suite_run
    from evenhand.pipeline.suite_running import RunningSuite
    from evenhand.pipeline.suite_stopping import planned_weight
    from evenhand.settings import runs_folder

    part = None if shard is None else read_shard(shard)
    whole = read_suite(suite)
    chosen = narrowed(whole, shard=part, only=only, variants=variants)
    if not chosen.cases:
        say(f"the shard {shard} has no case; there is nothing to run")
        return DONE
    if stop_early:
        _refuse_with_early_stop(chosen, shard)
    kept_in, settings = chosen_store(store)
    options = _options(jobs, asking, settings.store)._replace(stop_early=stop_early)
    folder = Path(runs) if runs is not None else runs_folder(settings.store)
    secret = None if kept_in is None else kept_in.secret
    if part is not None and format == "html":
        raise click.UsageError("a shard has no report of its own; merge the shards first: evenhand suite merge.")
    with RunningSuite(chosen, folder, options, secret=secret, notice=say) as run:
        if dry_run:
            return _show_plan(run, format, is_paired=chosen.pairs)
        head = suite_run(chosen, cases=len(whole.cases))
        if stop_early:
            head = head._replace(cases=len(chosen.cases), watched=planned_weight(chosen))
        keeper = SuiteKeeper(head, kept_in, partial=part is not None)
        return _shown(run, chosen, keeper, format, is_part=part is not None)


def _refuse_with_early_stop(suite: Suite, shard: str | None) -> None:
    """What would make the moment of stopping depend on something else than this run's own cases."""
    if shard is not None:
        raise click.UsageError("--stop-early needs all cases on one machine; leave out --shard.")
    if len(suite.variants) < 2:
        raise click.UsageError("--stop-early compares variants, and there is only one.")
    if suite.gate is not None and suite.gate.baseline is not None:
        raise click.UsageError("--stop-early compares this run's variants; leave out the gate's baseline.")


def _options(jobs: int, asking: dict[str, Any], store: str) -> SuiteOptions:
    from evenhand.cli.model_run import run_options
    from evenhand.pipeline.suite_running import SuiteOptions
    from evenhand.pipeline.suite_runs import Reuse

    models = run_options({"replies": asking["replies"], "max_cost": asking["budget"], "fresh": asking["fresh"]}, store)
    return SuiteOptions(jobs, Reuse(asking["fresh"], asking["retry_failed"]), models)


def _shown(run: RunningSuite, suite: Suite, keeper: SuiteKeeper, format: str, *, is_part: bool) -> int:
    """Run it, write and keep the results, and decide unless it is only a shard; returns the exit code."""
    from evenhand.cli.run_progress import watched
    from evenhand.core.documents.suite_results import result_document, run_document
    from evenhand.pipeline.suite_table import tallies

    by_variant = tallies(suite)
    if format == "jsonl":
        write(one_line(run_document(keeper.run)))
    unscored = 0
    interrupted = False
    outputs: dict[str, dict[str, Submission]] = {variant.name: {} for variant in suite.variants}
    try:
        for judged in watched(run.results(), run):
            by_variant[judged.result.id.variant].add(judged.result)
            keeper.add(judged)
            if suite.pairs and judged.result.id.repeat == 1 and judged.submission is not None:
                outputs[judged.result.id.variant][judged.result.id.case] = judged.submission
            unscored += judged.run.outcome == "finished" and judged.result.final is None
            if format == "jsonl":
                write(one_line(result_document(judged.result)))
    except KeyboardInterrupt:
        interrupted = True
    tallied = list(by_variant.values())
    is_decided = not (is_part or interrupted or run.budget.stopped is not None)
    if format in ("terminal", "markdown") or (format == "json" and not is_decided):
        _write_table(tallied, suite, format)
    code = _code(run, tallied, interrupted=interrupted, unscored=bool(suite.judges) and unscored > 0)
    if not is_decided:
        return code
    pairs = run.compare_pairs(outputs) if suite.pairs else None
    return _decided(keeper, format, pairs) or code


def _decided(keeper: SuiteKeeper, format: str, pairs: Preferences | None) -> int:
    """Store the run, say what it decided and apply the suite's gate; the gate's exit code."""
    from evenhand.cli.suite_results import gate_code, write_decision

    outcome = keeper.finish()
    for problem in keeper.problems:
        say(f"warning: not stored: {problem}")
    if format == "html":
        from evenhand.reports.html.suite import suite_page

        write(suite_page(keeper.run, outcome.decision, outcome.board, keeper.results, outcome.rulings))
    elif format == "json":
        write_decision(keeper.run, outcome.decision, outcome.rulings, format, pairs=pairs)
    elif format in ("terminal", "markdown") and (outcome.decision.contrasts or outcome.rulings):
        write("\n")
        write_decision(keeper.run, outcome.decision, outcome.rulings, format, table_shown=True, pairs=pairs)
    if keeper.is_stored:
        say(f"stored: evenhand suite show {keeper.run.id}")
    return gate_code(outcome.rulings)


def _code(run: RunningSuite, tallied: list[VariantTally], *, interrupted: bool, unscored: bool) -> int:
    from evenhand.pipeline.many_at_once import INTERRUPTED

    again = "what is finished is kept; run the same command again to continue"
    if interrupted or run.budget.stopped == INTERRUPTED:
        say(f"interrupted; {again}")
        return INTERRUPTED_CODE
    if run.budget.stopped is not None:
        missing = run.runs.activity.total - sum(tally.runs for tally in tallied)
        runs = f", {missing:,} runs were not made" if missing else ""
        say(f"{'error' if run.budget.broken else 'stopped'}: {run.budget.stopped}{runs}; {again}")
        return OUT_OF_REACH if run.budget.broken else NOT_SCORED
    if not any(tally.finished for tally in tallied):
        reason = next((reason for tally in tallied for reason in tally.reasons), "")
        say(f"error: no run finished: {reason}")
        return NOT_SCORED
    return NOT_SCORED if unscored else DONE


def _write_table(tallied: list[VariantTally], suite: Suite, format: str) -> None:
    from evenhand.pipeline.suite_table import tally_document

    if format == "json":
        write(indented({"suite": suite.name, "variants": [tally_document(tally) for tally in tallied]}))
        return
    rows = [_row(tally) for tally in tallied]
    heads = ("variant", "finished", "failed", "score", "met", "faults", "time", "cost")
    if format == "markdown":
        write("".join(f"| {' | '.join(row)} |\n" for row in (heads, ["---"] * len(heads), *rows)))
    else:
        from rich.table import Table

        table = Table(*heads, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*row)
        console().print(table)
    for tally in tallied:
        for reason, count in tally.reasons.most_common():
            write(f"{tally.name}: {count:,} {'run' if count == 1 else 'runs'} did not finish: {reason}\n")


def _row(tally: VariantTally) -> tuple[str, ...]:
    mean, seconds = tally.mean_final, tally.mean_seconds
    return (
        tally.name,
        f"{tally.finished:,} of {tally.runs:,}",
        f"{tally.runs - tally.finished:,}",
        "not read" if mean is None else f"{mean:.2f}",
        f"{tally.met:,} of {tally.expectations:,}" if tally.expectations else "",
        f"{tally.faults:,}",
        "" if seconds is None else f"{seconds:.1f} s",
        f"${tally.cost:.4f}" if tally.is_cost_known else "",
    )


def _show_plan(run: RunningSuite, format: str, *, is_paired: bool) -> int:
    from evenhand.cli.model_run import plan_document, plan_line
    from evenhand.cli.run_progress import duration

    plan = run.plan()
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
