"""evenhand agree: is the judge right? Judges and people, people among themselves, judges among themselves."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.commands.trust.table_options import all_ratings, options_used, rater_option, table_options
from evenhand.cli.presenter import present, report_option
from evenhand.cli.shared import DONE, needed_store, store_option, with_options
from evenhand.core.agreement.agreed import AgreementReport
from evenhand.core.agreement.disagreements import WORST
from evenhand.core.agreement.resampling import RESAMPLES
from evenhand.core.values.label import RATING


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
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=WORST,
    show_default=True,
    help="How many of the items to list on which a judge and people differ most; with --full.",
)
@click.option("--skip-bad", is_flag=True, help="Leave out values of FILE that are not right, and say how many.")
@click.option(
    "--cluster", metavar="COLUMN",
    help="Of FILE: the case or task of each item; intervals draw those. A store knows cases and tasks.",
)  # fmt: skip
@click.option(
    "--curve", is_flag=True,
    help="FILE has recorded samples of judges: how often each ranks the best answer first, by samples and cost.",
)  # fmt: skip
@click.option("--price", metavar="JUDGE=DOLLARS", multiple=True, help="With --curve: what one call of a judge costs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where resampling starts.")
@click.option(
    "--resamples", type=click.IntRange(min=200, max=100_000), default=RESAMPLES, show_default=True,
    help="How many resamples an interval is made from.",
)  # fmt: skip
@click.option(
    "--full/--summary", default=None, help="Every coefficient, or the few that fit. Default: by their number."
)
@store_option
@report_option("svg")
def command(files: tuple[str, ...], store: str | None, format: str, full: bool | None, **more: Any) -> int:
    """Show how far judges and people agree, for each dimension, the final score, the grade and the pass.

    Without FILE: the labels and evaluations of the store (see: evenhand labels import). People against people is the
    ceiling: a judge that agrees with people as well as they do with each other cannot be told from one of them.

    With FILE: the raters of tables, with no store. Every row is an item and every column a rater, or every row is one
    rater's value of one item, or cells hold lists of values. Name the raters that are judges with --judge, or call
    them judge:NAME.

    \b
    Examples:
      evenhand agree
      evenhand agree --field final --judge openai:gpt-5 -o agreement.html
      evenhand agree ratings.csv
      evenhand agree ratings.csv --judge model --scale 1-5 --format json
      evenhand agree diagnoses.csv --counts
      evenhand agree runs.csv --judge model --cluster case
      evenhand agree ana.csv bob.csv model.csv --rater ana --rater bob --rater judge:model
      evenhand agree samples.jsonl --curve -o curve.svg
    """
    from evenhand.reports.html.rater_agreement import agreement_page
    from evenhand.reports.trust.rater_agreement import agreement_document, agreement_lines, agreement_markdown

    if more["curve"]:
        if len(files) != 1:
            raise click.UsageError("--curve needs one FILE of recorded samples.")
        return _curve(files[0], more["price"], format)
    more["full"] = full if format == "terminal" or full is not None else True
    if not files:
        from evenhand.trust.stored_agreement import agree_stored

        if used := [
            *options_used(more),
            *(["--cluster"] if more["cluster"] else []),
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
        lines=lambda: agreement_lines(report),
        markdown=lambda: agreement_markdown(report),
        html=lambda: agreement_page(report),
    )
    return DONE


def _curve(file: str, prices: tuple[str, ...], format: str) -> int:
    """Show the curve of accuracy against cost."""
    from evenhand.cli.presenter import markdown_table
    from evenhand.core.trust.sample_curve import sample_curve
    from evenhand.labels.recorded_samples import read_samples
    from evenhand.reports.html.sample_curve import curve_page
    from evenhand.reports.trust.sample_curve import HEADINGS, curve_document, curve_drawing, curve_lines, curve_rows

    questions = read_samples(file)
    points = sample_curve(questions, _prices(prices, [*questions[0].scores]))
    present(
        format,
        lambda: curve_document(file, points),
        plain=lambda: curve_lines(file, points),
        markdown=lambda: markdown_table(HEADINGS, curve_rows(points)),
        svg=lambda: curve_drawing(points),
        html=lambda: curve_page(file, points),
    )
    return DONE


def _prices(given: tuple[str, ...], judges: list[str]) -> dict[str, float]:
    prices: dict[str, float] = {}
    for text in given:
        judge, _, price = text.rpartition("=")
        try:
            prices[judge] = float(price.removeprefix("$"))
        except ValueError:
            raise click.UsageError(f'--price "{text}" is not JUDGE=DOLLARS, such as model-a=0.002.') from None
    if prices and (prices.keys() != set(judges) or min(prices.values()) < 0):
        raise click.UsageError(f"--price needs one for each judge, none below 0; judges: {', '.join(judges)}.")
    return prices


def _of_files(files: tuple[str, ...], more: dict[str, Any]) -> AgreementReport:
    from evenhand.trust.rater_agreement import agree_tables

    if more["skill"] is not None:
        raise click.UsageError("--skill is for evaluations in a store, not for a FILE.")
    fields = more["fields"]
    tables = all_ratings(files, more, raters=more["raters"], field=fields[0] if len(fields) == 1 else RATING)
    names = ("judges", "scales", "seed", "resamples", "full", "skip_bad", "cluster", "worst")
    report = agree_tables(tables, **{name: more[name] for name in names})
    if fields:
        kept = tuple(compared for compared in report.comparisons if compared.field in fields)
        if not kept:
            known = ", ".join(dict.fromkeys(compared.field for compared in report.comparisons))
            raise tables[0][0].refusal(f'has no values of "{fields[0]}"; fields: {known}')
        report = report._replace(comparisons=kept)
    return report
