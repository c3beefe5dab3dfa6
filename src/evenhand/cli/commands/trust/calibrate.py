"""evenhand trust calibrate: from labels, a map from a judge's scores to people's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evenhand.cli.commands.trust.pair_tables import (
    cluster_option,
    columns_option,
    refuse_cluster_without_table,
    two_columns,
)
from evenhand.cli.output_option import output_option, written_into
from evenhand.cli.presenter import (
    format_of,
    format_option,
    known_ending,
    present,
    show_report,
)
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import DONE, chosen_store, needed_store, say, store_option
from evenhand.errors import InputError
from evenhand.reports.trust.calibration import calibration_report

if TYPE_CHECKING:
    from evenhand.core.curve import Calibration
    from evenhand.stats.clusters import Clusters
    from evenhand.trust.labels.judged_items import JudgeKey


def _share(value: object) -> float:
    """A share such as 0.95 or 95%."""
    text = str(value)
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0.5 <= share <= 0.99:
        raise ValueError(f'"{text}" is not a confidence; give a share from 0.5 to 0.99, such as 0.95')
    return share


confidence_option = setting_option("trust.confidence", default=0.95, read=_share)


@click.command("calibrate")
@click.option("--skill", metavar="NAME", help="Only evaluations of this skill.")
@click.option("--judge", metavar="NAME", help="The judge, as its scorecards name it.")
@click.option("--rubric", "-r", metavar="NAME", help="The rubric it judged with.")
@setting_option("trust.like")
@click.option(
    "--table",
    metavar="FILE",
    help="Pairs from a table instead of the store: columns judge and people, and field if there are several. "
    "Needs trust.like.",
)
@columns_option
@cluster_option
@confidence_option
@store_option
@output_option("Its ending decides the format where --format is not given: JSON for judge.calibration, HTML to read.")
@format_option("html")
def command(
    skill: str | None,
    judge: str | None,
    rubric: str | None,
    like: str | None,
    table: str | None,
    columns: str,
    cluster: str | None,
    confidence: float,
    store: str | None,
    into: str | None,
    overwrite: bool,
    format: str,
) -> int:
    """Learn from people's labels what a judge's scores mean.

    For the final score and each dimension with enough labels: a line or a rising curve from the judge's
    scores to people's, its error on labels it has not seen, and the interval that holds one label as often
    as trust.confidence says. Where the judge's own scores are as near, none is written. The file is bound to
    the judge, its prompt and the rubric, and is refused with any other.

    \b
    Examples:
      evenhand trust calibrate --skill code-review -o code-review.calibration.json
      evenhand trust calibrate --judge openai:gpt-4o --rubric writing --format json > writing.json
      evenhand trust calibrate --table pairs.csv --set trust.like=0197f2c1 -o judge.json
      evenhand trust calibrate --table runs.csv --set trust.columns=score,expert --set trust.like=0197f2c1
      evenhand judge answer.md --judge openai:gpt-4o --set judge.calibration=judge.json

    Exit code 2 when there are too few labels, or several judges to choose from.
    """
    from evenhand.documents.calibration import calibration_document
    from evenhand.trust.calibration import calibrate_pairs, calibrate_store

    refuse_cluster_without_table(cluster, table)
    format = format_of(into, format, otherwise="json")
    with written_into(into, overwrite=overwrite, format=format), known_ending(into):
        if table is None:
            key = None if like is None else like_evaluation(like, store)[0]
            calibration = calibrate_store(
                needed_store(store),
                skill=skill,
                judge=judge,
                rubric=rubric,
                like=key,
                confidence=confidence,
                notice=lambda note: say(f"warning: {note}"),
            )
        elif like is None:
            raise click.UsageError(
                "--table holds numbers only; name the judge they come from with --set trust.like=ID or a file."
            )
        else:
            pairs, clusters = _read_pairs(table, two_columns(columns), cluster)
            key, known_skill = like_evaluation(like, store)
            calibration = calibrate_pairs(
                key, pairs, confidence=confidence, clusters=clusters, skills=[skill or known_skill]
            )
        present(
            format,
            lambda: calibration_document(calibration),
            report=lambda: calibration_report(calibration),
        )
        is_kept = into is not None and format == "json"
        if is_kept:
            show_report(calibration_report(calibration), stderr=True)
    if is_kept:
        _note(calibration, store)
    return DONE


def _note(calibration: Calibration, store: str | None) -> None:
    """Note in the store, if there is one, that the judge was calibrated: that settles an alarm of its anchors."""
    from evenhand.trust.calibration import note_calibration

    opened, _ = chosen_store(store)
    if opened is not None:
        note_calibration(opened, calibration)


def like_evaluation(name: str, store: str | None) -> tuple[JudgeKey, str]:
    """The judge and rubric of one evaluation in the store, or of a file with one scorecard, and its skill."""
    from evenhand.judging.kept.found_cards import find_cards
    from evenhand.trust.labels.judged_items import key_of

    cards = list(find_cards([name], chosen_store(store)[0]))
    if len(cards) != 1 or isinstance(cards[0], InputError):
        raise next((card for card in cards if isinstance(card, InputError)), InputError(f"{name} holds no scorecard"))
    return key_of(cards[0].card), cards[0].card.skill


def _read_pairs(
    path: str, columns: tuple[str, str], cluster: str | None
) -> tuple[dict[str, list[tuple[float, float]]], dict[str, Clusters] | None]:
    """The pairs of a table by field, and their clusters."""
    from evenhand.files.tables import read_table
    from evenhand.trust.labels.judged_items import clusters_by_field, pairs_by_field

    table = read_table(path)
    clusters = None if cluster is None else clusters_by_field(table, cluster, columns)
    return pairs_by_field(table, columns), clusters
