"""evenhand trust estimate: what people would say about everything, from a judge and a few labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evenhand.cli.commands.trust.calibrate import confidence_option, like_evaluation
from evenhand.cli.commands.trust.pair_tables import (
    cluster_option,
    columns_option,
    refuse_cluster_without_table,
    two_columns,
)
from evenhand.cli.presenter import present, report_option
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import DONE, needed_store, store_option
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.stats.trust.estimated import Estimated, What
    from evenhand.trust.estimates import EstimateRequest


@click.command("estimate")
@click.argument("what", type=click.Choice(("mean", "pass-rate", "difference")))
@click.option("--skill", "skills", metavar="NAME", multiple=True, help="Only this skill; for a difference give two.")
@click.option("--judge", metavar="NAME", help="The judge, as its scorecards name it.")
@click.option("--rubric", "-r", metavar="NAME", help="The rubric it judged with.")
@setting_option("trust.like")
@setting_option("trust.field", default="final")
@click.option(
    "--table",
    metavar="FILE",
    help="Numbers from a table instead of the store: columns judge and people, where people may be empty; "
    "for a difference judge_a, people_a, judge_b and people_b. A column probability has each item's chance of being "
    "labelled.",
)
@columns_option
@cluster_option
@setting_option("trust.pass_mark")
@click.option(
    "--random-labels",
    is_flag=True,
    help="The labelled outputs were drawn at random from all judged ones. Needed unless that is recorded, as by "
    "evenhand trust review.",
)
@setting_option("trust.doubtful", default=False)
@confidence_option
@setting_option("trust.precision")
@store_option
@report_option()
def command(
    what: What,
    skills: tuple[str, ...],
    judge: str | None,
    rubric: str | None,
    like: str | None,
    field: str,
    table: str | None,
    columns: str,
    cluster: str | None,
    pass_mark: float | None,
    random_labels: bool,
    doubtful: bool,
    confidence: float,
    precision: float | None,
    store: str | None,
    format: str,
) -> int:
    """Estimate what people would say about all outputs, although they labelled only some.

    A judge's mean is biased; a few labels are scattered. Together they give an estimate without the
    judge's bias, more precise than the labels alone (prediction-powered inference), of scores and of
    verdicts. A judge that predicts no label is not relied on. Where the interval would not hold it is refused with
    the reason: too few labels (and how many are needed), labels that are not a random sample, labels
    from too few cases.

    \b
    Examples:
      evenhand trust estimate mean --skill code-review --random-labels
      evenhand trust estimate pass-rate --skill code-review --random-labels --set trust.precision=0.05
      evenhand trust estimate difference --skill v1 --skill v2 --random-labels
      evenhand trust estimate mean --table scores.csv --random-labels --format json
      evenhand trust estimate mean --skill code-review --doubtful

    Exit code 2 when no honest estimate can be given.
    """
    from evenhand.reports.trust.estimates import estimate_document, estimate_report
    from evenhand.trust.estimates import EstimateRequest, estimate_store

    refuse_cluster_without_table(cluster, table)
    request = EstimateRequest(what, field, confidence, precision, pass_mark, two_columns(columns), cluster)
    if table is not None:
        if doubtful:
            raise click.UsageError("trust.doubtful takes reviews from a store; a table has its chances in probability")
        estimated = _estimate_from_table(table, request, random_labels=random_labels)
    else:
        estimated = estimate_store(
            needed_store(store), request, skills=skills, judge=judge, rubric=rubric,
            like=None if like is None else like_evaluation(like, store)[0],
            random_labels=random_labels, doubtful=doubtful,
        )  # fmt: skip
    present(format, lambda: estimate_document(estimated), report=lambda: estimate_report(estimated))
    return DONE


def _estimate_from_table(table: str, request: EstimateRequest, *, random_labels: bool) -> Estimated:
    from evenhand.files.tables import read_table
    from evenhand.trust.estimates import estimate_table
    from evenhand.trust.labels.label_samples import NOT_DECLARED, recorded_at_random

    rows = read_table(table)
    if not random_labels and not recorded_at_random(rows):
        raise InputError(NOT_DECLARED)
    return estimate_table(rows, request)
