"""evenhand trust agree: is the judge right? Judges and people, people among themselves, judges among themselves."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.commands.trust.table_options import (
    all_ratings,
    judged_and_labelled,
    options_used,
    rater_option,
    table_options,
)
from evenhand.cli.presenter import present, report_option
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import DONE, needed_store, store_option, with_options
from evenhand.errors import InputError, Problem
from evenhand.stats.agreement.agreed import AgreementReport
from evenhand.stats.agreement.disagreements import WORST
from evenhand.stats.agreement.interval import RESAMPLES
from evenhand.work.label import RATING


@click.command("agree")
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option(
    "--judge", "judges", metavar="NAME", multiple=True, help="A rater that is a judge; in a store, only this one."
)
@click.option(
    "--field", "fields", metavar="FIELD", multiple=True, help="Only this field, as in final, grade or safety."
)
@click.option("--skill", metavar="NAME", help="Only evaluations of this skill.")
@rater_option
@table_options
@setting_option("trust.worst", default=WORST)
@setting_option("labels.skip_bad", default=False)
@click.option(
    "--cluster", metavar="COLUMN",
    help="With FILE: the column with the case or task of each item; intervals resample those.",
)  # fmt: skip
@setting_option("trust.pass_mark")
@setting_option("trust.seed", default=0)
@setting_option("trust.resamples", default=RESAMPLES)
@click.option(
    "--full/--summary", default=None, help="Every coefficient, or the few that fit. Default on a terminal: the few."
)
@store_option
@report_option()
def command(files: tuple[str, ...], store: str | None, format: str, full: bool | None, **more: Any) -> int:
    """Show whether a judge can be used: to compare outputs of a case, to give a level, to gate at the pass mark.

    Each is yes, no, or not shown yet with the number of labels that would tell. Below that: how far judges and people
    agree, for each dimension, the final score, the grade and the pass.

    Without FILE: the labels and evaluations of the store (evenhand trust labels import). People against people is the
    ceiling: a judge that agrees with people as well as they do with each other cannot be told from one of them.

    With FILE: the raters of tables, with no store. Every row is an item and every column a rater, or every row is one
    rater's value of one item, or cells hold lists of values. Name the raters that are judges with --judge, or call
    them judge:NAME. A result of claude plugin eval is what its judge said.

    \b
    Examples:
      evenhand trust agree
      evenhand trust agree --field final --judge openai:gpt-5 -o agreement.html
      evenhand trust agree ratings.csv
      evenhand trust agree ratings.csv --judge model --scale 1-5 --format json
      evenhand trust agree diagnoses.csv --set labels.anonymous=true
      evenhand trust agree runs.csv --judge model --cluster case
      evenhand trust agree my-plugin/ ana.csv
      evenhand trust agree ana.csv bob.csv model.csv --rater ana --rater bob --rater judge:model
    """
    from evenhand.reports.trust.rater_agreement import agreement_document, agreement_report
    from evenhand.stats.arrays import require_arrays

    require_arrays("agreement")  # said before a file is read and its columns are asked about
    more["full"] = format != "terminal" if full is None else full
    if not files:
        from evenhand.trust.stored_agreement import agree_stored

        if used := [
            *options_used(more),
            *(["--cluster"] if more["cluster"] else []),
            *(["trust.pass_mark"] if more["pass_mark"] is not None else []),
            *(["--rater"] if more["raters"] else []),
        ]:
            raise click.UsageError(f"{', '.join(used)}: only for a FILE.")
        chosen = {name: more[name] for name in ("skill", "fields", "judges", "seed", "resamples", "full", "worst")}
        report = agree_stored(needed_store(store), **chosen)
    else:
        report = _of_files(files, more)
    report = report._replace(notes=tuple(map(with_options, report.notes)))
    present(
        format,
        lambda: agreement_document(report),
        report=lambda: agreement_report(report),
    )
    return DONE


def _of_files(files: tuple[str, ...], more: dict[str, Any]) -> AgreementReport:
    from evenhand.plugin_evals.result_files import are_results
    from evenhand.trust.rater_agreement import agree_tables

    if more["skill"] is not None:
        raise click.UsageError("--skill is for evaluations in a store, not for a FILE.")
    fields = more["fields"]
    results = [file for file in files if are_results([file])]
    others = [file for file in files if file not in results]
    tables = all_ratings(others, more, raters=more["raters"], field=fields[0] if len(fields) == 1 else RATING)
    tables += judged_and_labelled(results)
    if results and len(tables) == len(results):
        raise InputError(
            Problem("has no labels by people; write them into the table of: evenhand trust review RESULT", results[0])
        )
    names = ("judges", "scales", "seed", "resamples", "full", "skip_bad", "cluster", "worst", "pass_mark")
    report = agree_tables(tables, **{name: more[name] for name in names})
    if fields:
        kept = tuple(compared for compared in report.comparisons if compared.field in fields)
        if not kept:
            known = ", ".join(dict.fromkeys(compared.field for compared in report.comparisons))
            raise tables[0][0].refusal(f'has no values of "{fields[0]}"; fields: {known}')
        report = report._replace(comparisons=kept)
    return report
