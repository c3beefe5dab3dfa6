"""The Python API's `side_by_side` and `side_by_side_async`: outputs of several systems, compared in pairs by models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from evenhand.core.rubric import Rubric
from evenhand.decisions.preference import Preferences
from evenhand.errors import InputError, Unavailable
from evenhand.files.text import refuse_path
from evenhand.judging.panels.panel import OpenPanel, run_to_the_end
from evenhand.judging.panels.preferences import Matched, PairComparison, match_items
from evenhand.judging.steps import Steps
from evenhand.options.model_options import ModelOptions
from evenhand.store.protocol import Store
from evenhand.work.submission import Submission

Outputs = str | Submission | Iterable[str | Submission]
"""One output of a system, or several."""


def side_by_side(
    systems: Mapping[str, Outputs],
    *,
    judges: str | Sequence[str],
    task: str | None = None,
    reference: str | None = None,
    rubric: str | Path | Rubric | None = None,
    store: Store | None = None,
    options: ModelOptions | None = None,
) -> Preferences:
    """Compare the outputs of systems in pairs: which one is better, asked in both orders.

    `systems` maps each system's name to its output, or to its outputs. Several are matched by id if all of them are
    submissions with one, else by their order. `task` and `reference` are for all that have none. Nothing is added to
    the `store`; with one, the fences around the outputs are the same in every run, so that servers' caches are used.
    `options` say how models are asked. `document` gives the published JSON shape of the result.
    Raises Unavailable when a provider cannot be reached, or a limit is hit before any pair is compared; pairs that a
    limit leaves out later are counted in `left_out`.
    """
    matched = _matched(systems, task, reference)
    return run_to_the_end(_compared(matched, judges, options or ModelOptions(), rubric, store))


async def side_by_side_async(
    systems: Mapping[str, Outputs],
    *,
    judges: str | Sequence[str],
    task: str | None = None,
    reference: str | None = None,
    rubric: str | Path | Rubric | None = None,
    store: Store | None = None,
    options: ModelOptions | None = None,
) -> Preferences:
    """Like `side_by_side`, in the caller's event loop; any number may be awaited at once, each with its own limits."""
    return await _compared(_matched(systems, task, reference), judges, options or ModelOptions(), rubric, store)


async def _compared(
    matched: Matched,
    judges: str | Sequence[str],
    options: ModelOptions,
    rubric: str | Path | Rubric | None,
    store: Store | None,
) -> Preferences:
    options.refuse_for("pairs", "a comparison in pairs")
    names = (judges,) if isinstance(judges, str) else tuple(judges)
    secret = None if store is None else store.secret
    steps = Steps(rubric)
    async with OpenPanel(names, options, secret=secret) as panel:
        comparison = PairComparison(panel, steps)
        results = await comparison.compare_here(matched.pairs)
    if matched.pairs and not results:
        raise Unavailable(panel.stopped or "no pair was compared")
    return comparison.preferences(matched, results)


def _matched(systems: Mapping[str, Outputs], task: str | None, reference: str | None) -> Matched:
    if len(systems) < 2:
        raise InputError("give at least two systems to compare")
    refuse_path("task", task)
    refuse_path("reference", reference)
    outputs = {name: _submissions(submissions, task, reference) for name, submissions in systems.items()}
    by_id = all(submission.id is not None for submissions in outputs.values() for submission in submissions)
    if not by_id and len({len(submissions) for submissions in outputs.values()}) > 1:
        raise InputError(
            "the systems have different numbers of outputs, which can only be matched by id; give submissions with ids"
        )
    matched = match_items({name: _by_item(name, submissions, by_id) for name, submissions in outputs.items()})
    for failure in matched.failures:
        raise failure
    return matched


def _submissions(source: Outputs, task: str | None, reference: str | None) -> list[Submission]:
    outputs = [source] if isinstance(source, str | Submission) else list(source)
    submissions = [output if isinstance(output, Submission) else Submission(output=output) for output in outputs]
    return [
        submission._replace(
            task=task if submission.task is None else submission.task,
            reference=reference if submission.reference is None else submission.reference,
        )
        for submission in submissions
    ]


def _by_item(name: str, submissions: Sequence[Submission], by_id: bool) -> dict[str, Submission]:
    items = {
        str(submission.id) if by_id else f"output {place}": submission
        for place, submission in enumerate(submissions, 1)
    }
    if len(items) < len(submissions):
        raise InputError(f"{name} has two outputs with the same id; each must be unique")
    return items
