"""`evenhand judge IN OUT --set judge.engine=spark`: a table of submissions, judged on a cluster."""

from __future__ import annotations

from typing import Any, Final

import click

from evenhand.cli.judge_options import run_options
from evenhand.cli.presenter import PLAIN_FORMATS, present
from evenhand.cli.setting_options import Setting
from evenhand.cli.shared import BAD_INPUT, DONE, NOT_SCORED, OUT_OF_REACH, chosen_store, say
from evenhand.files import codec
from evenhand.in_words import counted, dollars
from evenhand.options.model_options import used_by

ALLOWED: Final = {
    *("outputs", "judges", "rubric", "store", "format", "engine", "master", "overwrite"),
    *used_by("spark"),
}
"""The options that work on a cluster; the others concern one file or one machine."""


def judge_on_spark(
    context: click.Context,
    outputs: tuple[str, ...],
    judges: tuple[str, ...],
    rubric: str | None,
    store: str | None,
    format: str,
    master: str | None,
    overwrite: bool,
    asking: dict[str, Any],
) -> int:
    """Judge the table IN into OUT; returns the exit code."""
    from evenhand.judging.tables.spark import judge_table

    if len(outputs) != 2:
        raise click.UsageError("judge.engine=spark takes a table and where to write it: evenhand judge IN OUT.")
    if format not in PLAIN_FORMATS:
        raise click.UsageError(f"with judge.engine, the formats are {', '.join(PLAIN_FORMATS)}.")
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is click.core.ParameterSource.COMMANDLINE and name not in ALLOWED:
            param = next(p for p in context.command.params if p.name == name)
            option = param.setting_name if isinstance(param, Setting) else param.opts[0]
            raise click.UsageError(f"{option} does not work with judge.engine=spark.")
    kept_in, settings = chosen_store(store)
    result = judge_table(
        *outputs,
        judges=judges,
        options=run_options("spark", asking, settings.store),
        rubric=rubric,
        secret=_random if kept_in is None else kept_in.secret,
        master=master,
        overwrite=overwrite,
    )
    calls = f"; {counted(result.calls, 'call')}, {dollars(result.cost)}" if result.calls else ""
    present(
        format,
        lambda: codec.document(result, "evenhand/judged-table/v1"),
        plain=lambda: [f"{result.judged:,} of {result.rows:,} rows judged into {result.output}{calls}"],
    )
    if result.stopped is not None:
        say(
            f"stopped: {result.stopped}; replies already paid for are kept; "
            "run it again with --set output.overwrite=true to continue"
        )
        return OUT_OF_REACH if result.broken else NOT_SCORED
    if result.problems:
        say(f"{counted(result.problems, 'row has', 'rows have')} no scorecard; see the column `problem`")
        return BAD_INPUT
    return DONE


def _random() -> bytes:
    from secrets import token_bytes

    return token_bytes(32)
