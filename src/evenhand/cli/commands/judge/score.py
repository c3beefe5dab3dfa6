"""evenhand score: from judgements to scorecards."""

from __future__ import annotations

import gc

import click

from evenhand.cli.cards import CardWriter, FirstSubmission, Layout, layout_options, not_calibrated
from evenhand.cli.presenter import report_option
from evenhand.cli.progress import with_progress
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    NOT_SCORED,
    chosen_store,
    files_argument,
    keep_option,
    not_stored,
    rubric_option,
    scoring_store,
    store_option,
)
from evenhand.core.values import Scorecard
from evenhand.judging.files import score_files
from evenhand.options.settings import Keep


@click.command("score")
@files_argument
@rubric_option
@report_option("junit", "ctrf", "sarif", "github", "otlp")
@click.option(
    "--checks/--no-checks",
    default=None,
    help="Run the checks on each output and show what they find; they cap an agent's scores, never a person's. "
    "Default: only where the judge is agent:NAME.",
)
@layout_options
@click.option(
    "--allow-outputs",
    metavar="FOLDER",
    multiple=True,
    help="Another folder whose files judgements may name as their output. Default: each judgement's own folder only.",
)
@click.option(
    "--calibration",
    metavar="FILE",
    help="A calibration of the judge under this rubric: shows what people would give beside each score.",
)
@store_option
@keep_option("text", "hash")
def command(
    files: tuple[str, ...],
    rubric: str | None,
    format: str,
    checks: bool | None,
    layout: Layout,
    allow_outputs: tuple[str, ...],
    calibration: str | None,
    store: str | None,
    keep: Keep | None,
) -> int:
    """Turn judgements into scorecards, compare each with its skill's earlier ones, and store it.

    A judgement is a YAML or JSON file with seven scores, the red flags raised and the bonuses earned;
    a JSONL file holds one per line; '-' is standard input. If it names the output that was judged,
    a file in its own folder or below, every quote is checked against it.

    \b
    Examples:
      evenhand score review.yaml
      evenhand score review.yaml --rubric code-review --audit
      evenhand score many.jsonl --format jsonl --store none > scorecards.jsonl
      evenhand score review.yaml -o report.html
      cat review.json | evenhand score - --format json
      evenhand score recorded.jsonl --calibration judge.calibration.json

    Exit code 2 if a judgement could not be read or the calibration does not fit it (the others are still
    scored), 3 if a dimension is unscored, 4 if the scorecards were made but could not be stored.
    """
    gc.set_threshold(1_000_000, 50, 50)  # scorecards hold no cycles, so looking for them only costs time
    loaded = None
    if calibration is not None:
        from evenhand.judging.calibration import load_calibration

        loaded = load_calibration(calibration)
    keeper, out_of_date = None, None
    if store != "none":
        from evenhand.judging.keeper import Keeper

        kept_in, settings = scoring_store(store, keep=keep)
        keeper = None if kept_in is None else Keeper(kept_in, keep=settings.text_or_hash)
        if loaded is not None:
            from evenhand.cli.stale_calibration import warn_of_stale

            out_of_date = warn_of_stale(loaded, chosen_store(store)[0])
    seen = FirstSubmission()
    batch = score_files(
        files, rubric=rubric, keeper=keeper, checks=checks, allow_outputs=allow_outputs, on_submission=seen.see,
        calibration=loaded, out_of_date=out_of_date,
    )  # fmt: skip
    writer = CardWriter(format, one=batch.one, layout=layout, keeper=keeper, seen=seen)
    results = with_progress(batch.results, quiet=batch.one or format == "terminal")
    return not_stored(keeper, writer.write_all(((result, batch.names.popleft()) for result in results), _verdict))


def _verdict(card: Scorecard) -> int:
    return BAD_INPUT if not_calibrated(card) else NOT_SCORED if card.final is None else DONE
