"""Whole tables judged from Python, on a Spark cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evenhand.api.judging import with_replies
from evenhand.judging.program import CHECKS
from evenhand.judging.tables.spark import JudgedTable
from evenhand.judging.tables.spark import judge_table as judge_on_spark
from evenhand.options.model_options import ModelOptions
from evenhand.store.protocol import Store


def judge_table(
    source: str | Path,
    target: str | Path,
    *,
    judges: str | Sequence[str] = CHECKS,
    rubric: str | None = None,
    options: ModelOptions | None = None,
    store: Store | None = None,
    master: str | None = None,
    overwrite: bool = False,
) -> JudgedTable:
    """Judge a table of outputs on Spark, as `evenhand judge IN OUT --set judge.engine=spark` does.

    `source` is Parquet or JSON lines with a column `output`, and may have `task`, `reference`, `skill`, `id` and
    `expect`. `target` gets all its columns and the results. `master` is the cluster; without it, this machine. With a
    `store`, models' replies are kept next to it and not asked for again. What was judged, what was not and what it cost
    is returned; where a limit or a fault stopped it, `stopped` says why. Needs `evenhand[spark]`.
    """
    from secrets import token_bytes

    asked = with_replies(ModelOptions() if options is None else options, store)
    return judge_on_spark(
        str(source),
        str(target),
        judges=[judges] if isinstance(judges, str) else list(judges),
        options=asked,
        rubric=rubric,
        secret=(lambda: token_bytes(32)) if store is None else store.secret,
        master=master,
        overwrite=overwrite,
    )
