"""evenhand score: from judgements to scorecards."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from evenhand.cli.cards import CardWriter, FirstSubmission, Layout, layout_options, not_calibrated
from evenhand.cli.commands.judge.score_again import score_again
from evenhand.cli.presenter import report_option
from evenhand.cli.progress import with_progress
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    NOT_SCORED,
    chosen_store,
    not_stored,
    rubric_option,
    scoring_store,
    store_option,
)
from evenhand.core.scorecard import Scorecard
from evenhand.judging.files import score_files
from evenhand.options.settings import Keep

_FIRST_BYTES = 400
"""How much of a file is read to see whether it holds scorecards: their schema stands first."""


@click.command("score")
@click.argument("files", metavar="JUDGEMENT|ID...", nargs=-1, required=True)
@rubric_option
@report_option("junit", "ctrf", "sarif", "github", "otlp")
@setting_option("score.checks")
@layout_options
@setting_option("score.allow_outputs")
@click.option(
    "--calibration",
    metavar="FILE",
    help="A calibration of the judge under this rubric: shows what people would give beside each score.",
)
@setting_option("score.judged_with")
@click.option("--last", type=click.IntRange(min=1), help="For a skill: only this many of its latest evaluations.")
@click.option("--save", is_flag=True, help="For evaluations: store the new scorecards, next to the old ones.")
@store_option
@setting_option("keep")
def command(
    files: tuple[str, ...],
    rubric: str | None,
    format: str,
    checks: bool | None,
    layout: Layout,
    allow_outputs: tuple[str, ...],
    calibration: str | None,
    judged_with: str | None,
    last: int | None,
    save: bool,
    store: str | None,
    keep: Keep | None,
) -> int:
    """Turn judgements into scorecards, or score evaluations again under a changed rubric.

    A judgement is a YAML or JSON file with seven scores, the red flags raised and the bonuses earned;
    a JSONL file holds one per line; '-' is standard input. If it names the output that was judged,
    a file in its own folder or below, every quote is checked against it.
    Each scorecard is compared with its skill's earlier ones, and stored.

    Ids of stored evaluations, skills (all their evaluations) and files of scorecards are scored again with the weights,
    pass mark and amounts of --rubric, without asking a judge. Warnings say which criteria have changed since, and which
    flags and bonuses no judge was asked about. The new scorecards are only shown; --save stores them.

    \b
    Examples:
      evenhand score review.yaml
      evenhand score review.yaml --rubric code-review --audit
      evenhand score many.jsonl --format jsonl --store none > scorecards.jsonl
      evenhand score review.yaml -o report.html
      cat review.json | evenhand score - --format json
      evenhand score recorded.jsonl --calibration judge.calibration.json
      evenhand score 0197f2c1 --rubric code-review
      evenhand score code-review --rubric stricter.md --format jsonl > rescored.jsonl

    Exit code 2 if a judgement could not be read or the calibration does not fit it (the others are still
    scored), 3 if a dimension is unscored, 4 if the scorecards were made but could not be stored.
    """
    if all(map(_is_judged, files)):
        if rubric is None:
            raise click.UsageError("evaluations are scored again under a changed rubric; name it with --rubric.")
        return score_again(
            files, rubric=rubric, judged_with=judged_with, calibration=calibration, last=last, save=save, layout=layout,
            store=store, format=format,
        )  # fmt: skip
    if judged_with is not None or last is not None or save:
        raise click.UsageError(
            "score.judged_with, --last and --save are for stored evaluations and files of scorecards."
        )
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


def _is_judged(name: str) -> bool:
    """Whether this names evaluations: a file of scorecards, or a word that no file has for a name."""
    path = Path(name)
    if not path.is_file():
        return name != "-" and not path.exists() and path.name == name and not path.suffix
    with path.open("rb") as file:
        return b'"evenhand/scorecard/v1"' in file.read(_FIRST_BYTES)


def _verdict(card: Scorecard) -> int:
    return BAD_INPUT if not_calibrated(card) else NOT_SCORED if card.final is None else DONE
