"""The Python API's `judge` and `judge_async`: one submission, by checks or by models."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from evenhand.core.basics.numbers import exact
from evenhand.core.values.model_options import ModelOptions
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Unavailable
from evenhand.judges.program import ProgramJudge
from evenhand.judging.keeper import Keeper, keep_one
from evenhand.judging.processes import judge_each
from evenhand.judging.program import open_program
from evenhand.judging.steps import Steps
from evenhand.store.protocol import Store

_CHECKS = ("checks",)
Result = TypeVar("Result")


def judge(
    output: str | Submission,
    *,
    task: str | None = None,
    reference: str | None = None,
    skill: str | None = None,
    id: str | None = None,
    rubric: str | Path | Rubric | None = None,
    judges: str | Sequence[str] = _CHECKS,
    store: Store | None = None,
    base_url: str | None = None,
    economy: bool = False,
    samples: int = 1,
    temperature: float | None = None,
    quorum: int | None = None,
    escalate_to: str | None = None,
    concurrency: int | None = None,
    max_calls: int | None = None,
    max_cost: Decimal | float | str | None = None,
    fresh: bool = False,
    replies: str | Path | None = None,
    record: str | Path | None = None,
    replay: str | Path | None = None,
    language: str | None = None,
    examples: str | Path | None = None,
    calibration: str | Path | None = None,
    examples_from_store: int | None = None,
    batch: bool = False,
    expect: str | Path | Sequence[Any] | None = None,
    workspace: str | Path | None = None,
    run_commands: bool = False,
) -> Scorecard:
    """Judge an output, or a submission that was read from a transcript.

    `reference` is an answer that models compare the output with; checks do not use it.
    `judges` are named as after `--judge`: `checks`, `openai:MODEL` and so on; several make a panel. `id` is generated
    when not given. With a `store`, the scorecard is compared with the skill's earlier ones and kept. The arguments
    after it control how models are asked, like the options of the same names; `replies` is the file that keeps replies.
    `calibration` is a file of `evenhand calibrate`: its scores are beside the judge's own in `card.calibration`.
    With `batch`, questions go through the services' batch APIs, at half the price and within a day; that needs a store
    and `replies`. If `record` is a folder, each judge's replies are recorded there; as `replay`, it answers in place of
    the models.
    `expect` holds expectations, as a file or a list; `workspace` is the folder the agent worked in, and commands that
    expectations name run there only with `run_commands`.
    Raises Unavailable when a provider cannot be reached, or a limit is hit before there is a scorecard.

    >>> card = judge("Cats sleep 12 to 16 hours a day, most of it at dusk.", task="How long do cats sleep?")
    >>> card.judge["name"], card.grade, str(card.interval.high)
    ('checks', None, '10.00')
    >>> judge("The sum of 2 and 2 is 4, and 44 - 41 = 4.").checked.findings[0].severity
    'major'
    """
    options = model_options(
        base_url, economy, samples, temperature, quorum, escalate_to, concurrency, max_calls, max_cost, fresh, replies,
        record, replay, language, examples, calibration, examples_from_store, batch,
    )  # fmt: skip
    request = _request(output, task, reference, skill, id, rubric, judges, store, (expect, workspace, run_commands))
    if request.judges == _CHECKS and options == ModelOptions():
        return _by_checks(request)
    return run_to_the_end(_by_panel(request, options))


async def judge_async(
    output: str | Submission,
    *,
    task: str | None = None,
    reference: str | None = None,
    skill: str | None = None,
    id: str | None = None,
    rubric: str | Path | Rubric | None = None,
    judges: str | Sequence[str] = _CHECKS,
    store: Store | None = None,
    base_url: str | None = None,
    economy: bool = False,
    samples: int = 1,
    temperature: float | None = None,
    quorum: int | None = None,
    escalate_to: str | None = None,
    concurrency: int | None = None,
    max_calls: int | None = None,
    max_cost: Decimal | float | str | None = None,
    fresh: bool = False,
    replies: str | Path | None = None,
    record: str | Path | None = None,
    replay: str | Path | None = None,
    language: str | None = None,
    examples: str | Path | None = None,
    calibration: str | Path | None = None,
    examples_from_store: int | None = None,
    batch: bool = False,
    expect: str | Path | Sequence[Any] | None = None,
    workspace: str | Path | None = None,
    run_commands: bool = False,
) -> Scorecard:
    """Like `judge`, in the caller's event loop; any number may be awaited at once.

    Each call has limits of its own: ten with `max_calls=5` may make fifty calls, and `concurrency` counts within each.
    Cancelling drops the calls in flight, and nothing is stored. Checks run to the end, and what is being stored stays.

    >>> import asyncio
    >>> async def both():
    ...     return await asyncio.gather(judge_async("Thought process:"), judge_async("Cats sleep 12 hours a day."))
    >>> [card.judge["name"] for card in asyncio.run(both())]
    ['checks', 'checks']
    """
    options = model_options(
        base_url, economy, samples, temperature, quorum, escalate_to, concurrency, max_calls, max_cost, fresh, replies,
        record, replay, language, examples, calibration, examples_from_store, batch,
    )  # fmt: skip
    request = _request(output, task, reference, skill, id, rubric, judges, store, (expect, workspace, run_commands))
    if request.judges == _CHECKS and options == ModelOptions():
        import asyncio

        return await asyncio.to_thread(_by_checks, request)
    return await _by_panel(request, options)


class _Request(NamedTuple):
    """What is judged, by whom, and where it is kept."""

    submission: Submission
    id: str | None
    rubric: str | Path | Rubric | None
    judges: tuple[str, ...]
    store: Store | None
    program: ProgramJudge


def _request(
    output: str | Submission,
    task: str | None,
    reference: str | None,
    skill: str | None,
    id: str | None,
    rubric: str | Path | Rubric | None,
    judges: str | Sequence[str],
    store: Store | None,
    expected: tuple[str | Path | Sequence[Any] | None, str | Path | None, bool],
) -> _Request:
    submission = output if isinstance(output, Submission) else Submission(output=output)
    submission = submission._replace(
        task=task or submission.task, skill=skill or submission.skill, reference=reference or submission.reference
    )
    names = (judges,) if isinstance(judges, str) else tuple(judges)
    expect, workspace, run_commands = expected
    program = open_program(names, expect=expect, workspace=workspace, run_commands=run_commands)
    return _Request(submission, id, rubric, names, store, program)


def model_options(
    base_url: str | None,
    economy: bool,
    samples: int,
    temperature: float | None,
    quorum: int | None,
    escalate_to: str | None,
    concurrency: int | None,
    max_calls: int | None,
    max_cost: Decimal | float | str | None,
    fresh: bool,
    replies: str | Path | None,
    record: str | Path | None,
    replay: str | Path | None,
    language: str | None,
    examples: str | Path | None,
    calibration: str | Path | None = None,
    examples_from_store: int | None = None,
    batch: bool = False,
) -> ModelOptions:
    """The arguments that say how models are asked, as options."""
    return ModelOptions(
        base_url=base_url,
        economy=economy,
        samples=samples,
        temperature=temperature,
        quorum=quorum,
        escalate_to=escalate_to,
        concurrency=concurrency,
        max_calls=max_calls,
        max_cost=max_cost,
        fresh=fresh,
        replies=replies,
        record=record,
        replay=replay,
        language=language,
        examples=examples,
        calibration=calibration,
        examples_from_store=examples_from_store,
        batch=batch,
    )


def dollars(amount: Decimal | float | str | None) -> Decimal | None:
    """An amount that a user gave as `max_cost`."""
    if amount is None:
        return None
    try:
        number = exact(amount)
    except ValueError as error:
        raise InputError(f"max_cost is an amount of US dollars, such as 2.50: {error}") from None
    if number < 0:
        raise InputError(f"max_cost is {amount}; it must be 0 or more US dollars")
    return number


def _by_checks(request: _Request) -> Scorecard:
    keeper = None if request.store is None else Keeper(request.store)
    steps = Steps(request.rubric, keeper=keeper, id_of=lambda submission: request.id)
    (result,) = judge_each([request.submission], request.program, steps)
    if isinstance(result, InputError):
        raise result
    if keeper is not None:
        keeper.raise_if_not_kept()
    return result


async def _by_panel(request: _Request, options: ModelOptions) -> Scorecard:
    import asyncio

    from evenhand.judging.calibration import load_calibration
    from evenhand.judging.panel import OpenPanel
    from evenhand.judging.panel_judging import PanelJudging

    calibration = None if options.calibration is None else load_calibration(options.calibration)
    steps = Steps(request.rubric, calibration=calibration, id_of=lambda submission: request.id)
    secret = None if request.store is None else request.store.secret
    panel = OpenPanel(request.judges, options, program=request.program, secret=secret, store=request.store)
    async with panel:
        (evaluated,) = await PanelJudging(panel, steps).evaluate_all([request.submission])
    if evaluated is None:
        raise Unavailable(panel.stopped or "the submission was not judged")
    if isinstance(evaluated, InputError):
        raise evaluated
    if request.store is None:
        return evaluated.card
    return await asyncio.to_thread(keep_one, request.store, evaluated)  # a store may be busy, the loop must not be


def run_to_the_end(judging: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end, also inside another event loop, as in a notebook."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(judging)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, judging).result()
