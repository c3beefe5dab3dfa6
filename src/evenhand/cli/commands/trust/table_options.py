"""How a table of ratings is read: the options that `labels import` and `agree` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from evenhand.cli.setting_options import setting_option
from evenhand.files.tables import Table
from evenhand.trust.labels.table_layout import Options
from evenhand.work.label import RATING

_OPTIONS = (
    click.option(
        "--map", "mapped", metavar="COLUMN=FIELD", multiple=True,
        help="What a column holds: item (several together name one), rater, a field, ignore, or RATER:FIELD. Many at "
        'once: "{field}_{rater}".',
    ),
    setting_option("labels.rows", default=False),
    setting_option("labels.by_place", default=False),
    setting_option("labels.anonymous", default=False),
    setting_option("labels.each"),
    click.option(
        "--scale", "scales", metavar="[FIELD=]SCALE", multiple=True,
        help='The scale as people used it: a range such as 1-5, grades, pass, numbers, categories, "low<medium<high" '
        'in order, or "cat|dog|other" without.',
    ),
    setting_option("labels.skip", default=0),
    setting_option("labels.fold_ids", default=False),
    setting_option("labels.missing"),
    setting_option("labels.encoding"),
    setting_option("labels.separator"),
    setting_option("labels.decimal_comma", default=False),
    setting_option("labels.no_header", default=False),
    setting_option("labels.no_quotes", default=False),
)  # fmt: skip

_NAMES = {"mapped": "--map", "scales": "--scale"} | {
    name: f"labels.{name}"
    for name in ("rows", "by_place", "anonymous", "each", "missing", "encoding", "separator", "skip", "decimal_comma",
                 "no_header", "no_quotes", "fold_ids")
}  # fmt: skip


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add them to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def options_used(options: Mapping[str, Any]) -> list[str]:
    """Those that were given, as a person writes them."""
    return [shown for name, shown in _NAMES.items() if options[name]]


def ratings_in(
    file: str, options: Mapping[str, Any], *, rater: str | None = None, field: str = RATING, join: Any = None
) -> tuple[Table, Options]:
    """The table in a file, and how it is to be read."""
    from evenhand.trust.labels.rating_tables import READING, read_ratings
    from evenhand.trust.labels.table_layout import roles_from

    reading = {name: options[name] for name in READING}
    return read_ratings(file, reading, roles=roles_from(options["mapped"]), rater=rater, field=field, kind=join)


def all_ratings(
    files: Sequence[str],
    options: Mapping[str, Any],
    *,
    raters: Sequence[str] = (),
    field: str = RATING,
    join: Any = None,
) -> list[tuple[Table, Options]]:
    """The tables in several files. Raters are named once for all of them, or one for each."""
    if len(raters) > 1 and len(raters) != len(files):
        raise click.UsageError(
            f"--rater is given {len(raters)} times for {len(files)} files; give it once, or once for each file."
        )
    named: list[str | None] = [*raters] * len(files) if len(raters) == 1 else [*raters] or [None] * len(files)
    return [
        ratings_in(file, options, rater=rater, field=field, join=join) for file, rater in zip(files, named, strict=True)
    ]


def judged_and_labelled(paths: Sequence[str]) -> Iterator[tuple[Table, Options]]:
    """What the judge of `claude plugin eval` said in some results, and people's labels beside them."""
    from evenhand.files.tables import read_table
    from evenhand.plugin_evals.result_files import read_result, result_file
    from evenhand.plugin_evals.runner_judge import CASE, labels_path, verdict_table
    from evenhand.trust.labels.table_layout import IGNORE, ITEM

    for path in paths:
        file = result_file(path)
        table = verdict_table(read_result(file), str(file))
        roles = {table.columns[0]: ITEM, CASE: IGNORE, table.columns[-1]: table.columns[-1]}
        yield table, Options(roles, cluster=CASE)
        if (labels := labels_path(file)).is_file():
            yield read_table(str(labels)), Options()


rater_option = click.option(
    "--rater", "raters", metavar="NAME", multiple=True,
    help="Who gave the values, when no column says so; judge:NAME for a judge. Once, or once for each file.",
)  # fmt: skip
