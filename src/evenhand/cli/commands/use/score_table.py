"""evenhand table: a table of evaluations, and the same table with results added."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from evenhand.cli.presenter import format_option, markdown_table, present
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import BAD_INPUT, DONE, rubric_option, say
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.in_words import counted

if TYPE_CHECKING:
    from evenhand.judging.batch import Summary


@click.command("table")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@rubric_option
@click.option(
    "--map", "mapped", metavar="ROLE=COLUMN", multiple=True, help="Which column to use for a role, as in safety=harm."
)
@click.option(
    "--verdicts",
    is_flag=True,
    help="IN is a long table with id, criterion and verdict; OUT has the scores of dimensions with criteria.",
)
@setting_option("table.no_rank", default=False)
@click.option("--rank-by", metavar="COLUMN", help="Rank within each value of a column instead of over the whole table.")
@setting_option("table.no_history", default=False)
@setting_option("table.allow_rejects", default=False)
@setting_option("output.overwrite", default=False)
@setting_option("table.memory")
@setting_option("table.engine", default="duckdb")
@setting_option("table.master")
@format_option()
def command(
    source: str,
    target: str,
    rubric: str | None,
    mapped: tuple[str, ...],
    verdicts: bool,
    no_rank: bool,
    rank_by: str | None,
    no_history: bool,
    allow_rejects: bool,
    overwrite: bool,
    memory: str | None,
    engine: str,
    master: str | None,
    format: str,
) -> int:
    """Score a table of evaluations: millions of rows, exactly, with ranks and a comparison with each skill's history.

    IN is a Parquet, CSV, JSONL or Arrow file, or a quoted pattern for several. Its columns are named after the
    dimensions; red_flags and bonuses hold ids or counts; skill, created and id place a row in its skill's history.
    OUT has the same columns and the results, in the format of its extension; it is written completely or not at
    all. Rows that cannot be scored go to OUT.rejected with their number and the reason.

    \b
    Examples:
      evenhand table evaluations.parquet scored.parquet
      evenhand table 'runs/*.parquet' scored.parquet --rubric code-review --set table.memory=2GB
      evenhand table runs.csv scored.csv --map correctness=acc --set table.no_history=true
      evenhand table runs.parquet scored.parquet --set table.engine=spark \\
        --set table.master=spark://host:7077
      evenhand table verdicts.parquet dimensions.parquet --verdicts --rubric mine

    With --verdicts, IN has a row for each evaluation and criterion, and OUT one for each evaluation: its score in each
    dimension that has criteria, or between which scores it lies. Evaluations with a verdict that is unknown or given
    twice are rejected.

    Exit code 2 if rows were rejected (the others are written), unless table.allow_rejects is set.
    """
    from evenhand.judging.batch import batch_files, batch_verdicts, memory_bytes
    from evenhand.tables.duck import BatchOptions

    _refuse_contradictions(engine, master, rank_by, verdicts=verdicts, no_rank=no_rank)
    wanted = BatchOptions(
        renamed=_roles(mapped),
        rank=not no_rank,
        rank_by=rank_by,
        history=not no_history,
        memory=None if memory is None else memory_bytes(memory),
    )
    with _Counter() as counter:
        if verdicts:
            summary = batch_verdicts(
                source, target, rubric=rubric, columns=wanted.renamed, memory=wanted.memory, overwrite=overwrite
            )
        else:
            summary = batch_files(
                source,
                target,
                rubric=rubric,
                wanted=wanted,
                overwrite=overwrite,
                engine=engine,
                master=master,
                progress=counter if sys.stderr.isatty() else None,
            )
    _show(summary, "evaluation" if verdicts else "row", format)
    return BAD_INPUT if summary.rejected and not allow_rejects else DONE


def _roles(mapped: tuple[str, ...]) -> dict[str, str]:
    """The columns by role: {"correctness": "acc"}."""
    pairs = {}
    for pair in mapped:
        role, _, column = pair.partition("=")
        if not role or not column:
            raise InputError(f'--map "{pair}" is not ROLE=COLUMN, such as correctness=acc')
        pairs[role] = column
    return pairs


def _refuse_contradictions(
    engine: str, master: str | None, rank_by: str | None, *, verdicts: bool, no_rank: bool
) -> None:
    if rank_by is not None and no_rank:
        raise click.UsageError("--rank-by and table.no_rank cannot be used together.")
    if verdicts and (engine == "spark" or rank_by is not None):
        raise click.UsageError("--verdicts goes with neither --rank-by nor table.engine=spark.")
    if master is not None and engine != "spark":
        raise click.UsageError("table.master needs table.engine=spark.")


def _show(summary: Summary, what: str, format: str) -> None:
    for warning in summary.warnings:
        say(f"warning: {warning}")
    facts = summary._asdict()
    present(
        format,
        lambda: codec.document(summary, "evenhand/batch/v1"),
        plain=lambda: [
            f"{summary.scored:,} of {summary.rows:,} {what}s scored with rubric {summary.rubric}: {summary.output}"
        ],
        markdown=lambda: markdown_table(
            ("what", "value"), [(name, str(value)) for name, value in facts.items() if value not in (None, ())]
        ),
    )
    if summary.rejected:
        say(f"{counted(summary.rejected, f'{what} was', f'{what}s were')} rejected; see {summary.rejects}")


_WIDTH = 70
"""The width of the progress line, which is overwritten in full each time."""


class _Counter:
    """A progress line on standard error; a run that fails clears it."""

    def __enter__(self) -> _Counter:
        self._begun = self._shown = time.monotonic()
        return self

    def __call__(self, doing: str, done: int, rows: int) -> None:
        now = time.monotonic()
        if now - self._begun > 1 and now - self._shown > 0.2:
            self._shown = now
            line = f"{doing}: {done / rows:.0%} of {rows:,} rows"
            print(f"\r{line:<{_WIDTH}}", end="", file=sys.stderr, flush=True)

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if self._shown > self._begun:
            line = f"done in {time.monotonic() - self._begun:.1f} s\n" if failed is None else ""
            print(f"\r{'':{_WIDTH}}\r{line}", end="", file=sys.stderr, flush=True)
