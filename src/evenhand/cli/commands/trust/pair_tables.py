"""A table with a judge's scores and people's: the options that `calibrate` and `estimate` share."""

from __future__ import annotations

import click

from evenhand.cli.setting_options import setting_option

columns_option = setting_option("trust.columns", default="judge,people")
cluster_option = click.option(
    "--cluster",
    metavar="COLUMN",
    help="With --table: the case or task of each output; those of one cluster do not count as independent. A store "
    "knows cases and tasks.",
)


def two_columns(columns: str) -> tuple[str, str]:
    """The names in trust.columns."""
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2 or not all(names):
        raise click.UsageError(f'trust.columns "{columns}" is not JUDGE,PEOPLE, such as score,label.')
    return names[0], names[1]


def refuse_cluster_without_table(cluster: str | None, table: str | None) -> None:
    """A store needs no column that names clusters."""
    if cluster is not None and table is None:
        raise click.UsageError("--cluster is for a --table; a store knows cases and tasks itself.")
