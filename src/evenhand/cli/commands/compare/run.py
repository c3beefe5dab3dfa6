"""evenhand run: the agents of a suite run on its cases, and judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.commands.compare import suite as suites
from evenhand.cli.commands.compare import suite_pack, suite_results
from evenhand.cli.judge_options import model_options, run_options
from evenhand.cli.presenter import report_option, write
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import (
    DONE,
    CommandWithCommands,
    full_option,
    say,
    store_option,
    suite_cluster_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.decisions.suite import Suite
    from evenhand.decisions.suite_run import SuiteRun
    from evenhand.options.settings import Keep


@click.group("run", cls=CommandWithCommands)
@click.argument("suite", metavar="SUITE")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), default=min(4, os.cpu_count() or 1), show_default=True,
    help="How many runs at once.",
)  # fmt: skip
@click.option("--only", metavar="CASE|TAG", multiple=True, help="Only this case, or the cases with this tag.")
@click.option("--variant", "variants", metavar="NAME", multiple=True, help="Only this variant.")
@click.option("--shard", metavar="K/N", help="Only the K-th of N parts of the cases, for several machines.")
@suite_cluster_option
@click.option("--retry-failed", is_flag=True, help="Run again what failed, timed out or was stopped by a limit.")
@setting_option("run.stop_early", default=False)
@click.option("--dry-run", is_flag=True, help="Show how many runs, calls, dollars and minutes it would take, and stop.")
@setting_option("run.runs")
@setting_option("keep")
@model_options("run")
@full_option
@setting_option("gate.undecided", default="5")
@store_option
@report_option("junit")
def command(
    suite: str,
    jobs: int,
    only: tuple[str, ...],
    variants: tuple[str, ...],
    shard: str | None,
    cluster: str | None,
    stop_early: bool,
    dry_run: bool,
    runs: str | None,
    keep: Keep | None,
    full: bool,
    undecided: str,
    store: str | None,
    format: str,
    **asking: Any,
) -> int:
    """Run the variants of a suite on its cases, and judge what they produce.

    SUITE is a suite file; see evenhand run new. Each run gets a fresh copy of its case's files and is
    kept when it ends, so that the same command goes on where it was interrupted, and runs nothing again
    whose inputs have not changed. A run that fails or times out is counted apart, with its reason.

    \b
    Examples:
      evenhand run suite.yaml
      evenhand run suite.yaml --dry-run
      evenhand run suite.yaml --jobs 8 --max-cost 5
      evenhand run suite.yaml --set run.stop_early=true
      evenhand run suite.yaml --only hard --variant with_skill
      evenhand run suite.yaml --shard 3/8 --format jsonl -o results-3.jsonl

    The run is stored and decided upon: see evenhand run show. A shard is not: merge the files of all
    shards with evenhand run import.

    Exit code 1 when the suite's gate is red; 3 when no run finished or a judge could not score one; 5 when
    it is undecided: by the suite's gate, or without one by any of its comparisons; 130 after Ctrl-C.
    """
    from evenhand.cli.commands.compare.run_outcome import run_and_show
    from evenhand.cli.commands.compare.run_plan import show_plan
    from evenhand.cli.shared import chosen_store
    from evenhand.cli.stale_calibration import warn_of_stale
    from evenhand.options.settings import runs_folder
    from evenhand.suites.checked_suite import read_suite
    from evenhand.suites.execution.agent_runs import Reuse
    from evenhand.suites.execution.run_order import narrowed, read_shard
    from evenhand.suites.results.kept_results import SuiteKeeper
    from evenhand.suites.suite_run import OpenSuite, SuiteOptions

    part = None if shard is None else read_shard(shard)
    whole = read_suite(suite, cluster=cluster)
    wanted = narrowed(whole, only=only, variants=variants)
    chosen = narrowed(wanted, shard=part)
    if not chosen.cases:
        return _nothing_to_run(whole, chosen, shard, format)
    if stop_early:
        _refuse_with_early_stop(chosen, shard)
    if part is not None and format == "html":
        raise click.UsageError("a shard has no report of its own; merge the shards first: evenhand run import.")
    kept_in, settings = chosen_store(store, keep=keep)
    asked = run_options("run", asking, settings.store, suite=chosen.options)
    reuse = Reuse(bool(asking["fresh"]), asking["retry_failed"])
    options = SuiteOptions(jobs, reuse, asked, stop_early, needs_keys=not dry_run)
    folder = Path(runs) if runs is not None else runs_folder(settings.store)
    secret = None if kept_in is None else kept_in.secret
    stale = None if kept_in is None else lambda calibration: warn_of_stale(calibration, kept_in)
    with OpenSuite(chosen, folder, options, secret=secret, notice=say, stale=stale) as run:
        if dry_run:
            return show_plan(run.plan(), format)
        head = _head(whole, chosen, run.notes, stop_early)
        keep = "transcript" if settings.keep == "transcript" else "text"
        keeper = SuiteKeeper(head, kept_in, partial=part is not None, keep=keep)
        return run_and_show(
            run, chosen, keeper, format, is_part=part is not None, undecided=undecided, full=full,
            left_out=_left_out(whole, wanted),
        )  # fmt: skip


def _left_out(whole: Suite, wanted: Suite) -> list[tuple[str, str]]:
    """The cases and variants that the user did not ask for."""
    asked = {(case.id, variant.name) for case in wanted.cases for variant in wanted.variants}
    every = [(case.id, variant.name) for case in whole.cases for variant in whole.variants]
    return [cell for cell in every if cell not in asked]


def _head(whole: Suite, chosen: Suite, notes: Sequence[str], stop_early: bool) -> SuiteRun:
    """The lines about the whole run; one that may stop early is about its own cases and says when it looks."""
    from evenhand.suites.execution.case_blocks import looks_of
    from evenhand.suites.results.suite_results import suite_run

    head = suite_run(chosen, cases=len(whole.cases), notes=notes)
    return head._replace(cases=len(chosen.cases), looks=looks_of(chosen)) if stop_early else head


def _nothing_to_run(whole: Suite, chosen: Suite, shard: str | None, format: str) -> int:
    from evenhand.suites.results.suite_results import results_text, suite_run

    say(f"the shard {shard} has no cases; there is nothing to run")
    if format == "jsonl":  # so that its file can be merged like the others
        write("".join(results_text(suite_run(chosen, cases=len(whole.cases)), ())))
    return DONE


def _refuse_with_early_stop(suite: Suite, shard: str | None) -> None:
    """What would make the moment of stopping depend on something else than this run's own cases."""
    if shard is not None:
        raise click.UsageError("run.stop_early needs all cases on one machine; leave out --shard.")
    if len(suite.variants) < 2:
        raise click.UsageError("run.stop_early compares variants, and there is only one.")
    if suite.gate is not None and suite.gate.baseline is not None:
        raise click.UsageError("run.stop_early compares this run's variants; leave out the gate's baseline.")


for _below in (*suites.COMMANDS, *suite_results.COMMANDS, *suite_pack.COMMANDS):
    command.add_command(_below)
