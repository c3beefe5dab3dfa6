"""evenhand batch sql: the query that scores evaluations where they are kept."""

from __future__ import annotations

from typing import Literal

import click

from evenhand.cli.commands.tables.column_roles import roles_of
from evenhand.cli.presenter import write
from evenhand.cli.shared import rubric_option, say

_DIALECTS = ("duckdb", "spark", "postgres", "bigquery", "snowflake")


@click.command("sql")
@click.option("--dialect", "-d", type=click.Choice(_DIALECTS), required=True, help="The database it is written for.")
@click.option("--table", "-t", default="evaluations", show_default=True, help="The table, with its schema if need be.")
@rubric_option
@click.option("--map", "mapped", metavar="ROLE=COLUMN", multiple=True, help="The column that holds a role.")
@click.option(
    "--scores",
    type=click.Choice(("exact", "float")),
    default="exact",
    show_default=True,
    help="How scores are kept: whole or decimal numbers, or binary floats.",
)
@click.option(
    "--claims",
    type=click.Choice(("ids", "counts", "none")),
    default="ids",
    show_default=True,
    help="What red_flags and bonuses hold: arrays of ids, or how many; or that they are not there.",
)
@click.option("--keep", metavar="COLUMN", multiple=True, help="Another column to hand on.")
@click.option("--no-id", is_flag=True, help="The table has no id.")
@click.option("--no-rank", is_flag=True, help="Leave the rank out.")
@click.option("--rank-by", metavar="COLUMN", help="Rank within each value of a column.")
@click.option("--no-history", is_flag=True, help="Leave out the comparison with earlier evaluations.")
@click.option("--rejected", is_flag=True, help="The query for the rows that cannot be scored, with the reasons.")
def command(
    dialect: str,
    table: str,
    rubric: str | None,
    mapped: tuple[str, ...],
    scores: str,
    claims: Literal["ids", "counts", "none"],
    keep: tuple[str, ...],
    no_id: bool,
    no_rank: bool,
    rank_by: str | None,
    no_history: bool,
    rejected: bool,
) -> None:
    """Print the whole methodology as one query for a database.

    It gives the same numbers as everything else here: whole hundredths inside, no floats on the way to a result.
    Rows that cannot be scored are left out; --rejected prints the query that lists them.

    \b
    Examples:
      evenhand batch sql --dialect postgres --table runs.evaluations | psql
      evenhand batch sql --dialect bigquery --table project.data.runs --rubric code-review --claims counts
    """
    from evenhand.engine.columns import make_layout
    from evenhand.engine.warehouses import rejected_query, warehouse_columns, warehouse_query
    from evenhand.judging.tables.batch import batch_rubric

    columns = warehouse_columns(
        renamed=roles_of(mapped),
        floats=scores == "float",
        claims=claims,
        id=not no_id,
        history=not no_history,
        others=[*keep, *([rank_by] if rank_by else [])],
    )
    layout = make_layout(columns, renamed=roles_of(mapped), rank=not no_rank, rank_by=rank_by, history=not no_history)
    make = rejected_query if rejected else warehouse_query
    resolved = batch_rubric(rubric)
    for warning in resolved.warnings:
        say(f"warning: {warning}")
    write(make(dialect, table, resolved.terms, layout, [column.name for column in columns]) + ";\n")
