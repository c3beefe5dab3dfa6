"""Which model ran: what the traces of a result say, or the pin, since the result itself does not record it."""

from __future__ import annotations

import json
from pathlib import Path

from evenhand.plugin_evals.result import Result

_HEAD = 1_000_000
"""How much of a trace is read for its first record; that one lists every tool and skill."""


def models_of(result: Result) -> frozenset[str]:
    """The models that the runs used; empty where neither a pin nor a trace tells.

    A trace says what really ran, so it goes before the pin. Traces are deleted after a run unless they were kept.
    """
    traced = {
        model
        for case in result.cases
        for run in (*case.arms.with_plugin, *(case.arms.without or ()))
        if run.trace_path and (model := _model_in(Path(run.trace_path)))
    }
    pinned = {case.model or result.suite.model for case in result.cases if case.model or result.suite.model}
    return frozenset(traced or pinned)


def _model_in(path: Path) -> str:
    """The model that the first records of a trace name; empty where it is gone or is something else."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file.read(_HEAD).splitlines()[:20]:
                record = json.loads(line)
                if (
                    isinstance(record, dict)
                    and record.get("subtype") == "init"
                    and isinstance(record.get("model"), str)
                ):
                    return str(record["model"])
    except (OSError, ValueError):
        pass
    return ""
