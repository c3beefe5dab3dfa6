"""One submission judged from Python, by checks or by models."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from evenhand.core.basics.names import nearest
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Unavailable
from evenhand.pipeline.judging import judge_each
from evenhand.pipeline.keeping import Keeper
from evenhand.pipeline.program import open_program
from evenhand.store.protocol import Store


def judge_one(
    submission: Submission,
    *,
    rubric: str | Path | Rubric | None,
    judges: Sequence[str],
    store: Store | None,
    expect: str | Path | Sequence[Any] | None = None,
    workspace: str | Path | None = None,
    run_commands: bool = False,
    asking: Mapping[str, Any],
) -> Scorecard:
    """The scorecard of one submission; what stands in its way is raised."""
    keeper = None if store is None else Keeper(store)
    program = open_program(judges, expect=expect, workspace=workspace, run_commands=run_commands)
    if tuple(judges) == ("checks",) and not asking:
        return _only(judge_each([submission], program, rubric=rubric, keeper=keeper), None, keeper)
    from evenhand.pipeline.panel_run import PanelRun, Wish

    for name in asking:
        if name not in Wish._fields:
            guess = nearest(name, Wish._fields)
            raise TypeError(f"judge() has no argument {name!r}" + (f"; did you mean {guess}?" if guess else ""))
    run = PanelRun(judges, Wish(**asking), rubric=rubric, keeper=keeper, program=program)
    results = _wherever(lambda: list(run.results([submission])))
    return _only(results, run.stopped, keeper)


def _wherever(work: Any) -> Any:
    """Run something that has an event loop of its own, also inside another loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(work).result()


def _only(results: Iterable[Scorecard | InputError], stopped: str | None, keeper: Keeper | None) -> Scorecard:
    for result in results:
        if isinstance(result, InputError):
            raise result
        if keeper is not None and keeper.failure is not None:
            raise keeper.failure
        return result
    raise Unavailable(stopped or "the submission was not judged")
