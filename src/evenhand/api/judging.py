"""The Python API's `judge`, `judge_async`, `check` and `Panel`: submissions to scorecards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evenhand.api.keywords import suggesting
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.errors import EvenhandError, InputError, Unavailable, unknown
from evenhand.files.text import refuse_path
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.program import CHECKS, open_program
from evenhand.judging.steps import Steps
from evenhand.options.model_options import ModelOptions
from evenhand.options.settings import KEEP, Keep
from evenhand.store.protocol import Store
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.store.protocol import Store

Result = TypeVar("Result")
Expect = str | Path | Sequence[Any]
"""Expectations: a file, or a list of them."""


def judge(
    submission: str | Submission,
    *,
    task: str | None = None,
    rubric: str | Path | Rubric | None = None,
    judges: str | Sequence[str],
    expect: Expect | None = None,
    store: Store | None = None,
    keep: Keep = "text",
    options: ModelOptions | None = None,
) -> Scorecard:
    """Judge an output, or a submission with its reference, skill, id or workspace.

    `judges` are named as after `--judge`: `openai:MODEL`, `checks` and so on; several make a panel. `expect` holds
    expectations, as a file or a list; the commands they name run only with `options.run_commands`. Sentences among them
    are put to the judges; in a list of sentences alone, and without a rubric, nothing else is. With a `store`, the
    scorecard is compared with the skill's earlier ones and kept, by default with the output's text: `keep="hash"`
    leaves it out, and `keep="transcript"` keeps a transcript too, as the setting `keep` does. `options` say how
    models are asked.
    Raises Unavailable when a provider cannot be reached, or a limit is hit before there is a scorecard.

    >>> judge("Push with ghp_16C7e42F292c6912E7710c838347Ae178B4a.", judges="checks").checked.findings[0].severity
    'critical'
    """
    with Panel(judges, rubric=rubric, expect=expect, store=store, keep=keep, options=options) as panel:
        return panel.judge(submission, task=task)


async def judge_async(
    submission: str | Submission,
    *,
    task: str | None = None,
    rubric: str | Path | Rubric | None = None,
    judges: str | Sequence[str],
    expect: Expect | None = None,
    store: Store | None = None,
    keep: Keep = "text",
    options: ModelOptions | None = None,
) -> Scorecard:
    """Like `judge`, in the caller's event loop; any number may be awaited at once.

    Each call has limits of its own: ten with `max_calls=5` may make fifty calls, and `concurrency` counts within each.
    For one limit over many, open a `Panel`. Cancelling drops the calls in flight, and nothing is stored. Checks run to
    the end, and what is being stored stays.

    >>> import asyncio
    >>> asyncio.run(judge_async("Cats sleep 12 hours a day.", judges="checks")).judge["name"]
    'checks'
    """
    panel = Panel(judges, rubric=rubric, expect=expect, store=store, keep=keep, options=options)
    try:
        return _or_raise((await panel.judge_here([_submission(submission, task)]))[0])
    finally:
        await panel.close_here()


def check(
    submission: str | Submission,
    *,
    task: str | None = None,
    rubric: str | Path | Rubric | None = None,
    expect: Expect | None = None,
    store: Store | None = None,
    keep: Keep = "text",
    options: ModelOptions | None = None,
) -> Scorecard:
    """Run the checks, without a model. The scorecard has findings and bounds, and no grade: no one has read the output.

    >>> card = check("Cats sleep 12 to 16 hours a day, most of it at dusk.", task="How long do cats sleep?")
    >>> card.judge["name"], card.grade, str(card.interval.high)
    ('checks', None, '10.00')
    """
    with Panel(CHECKS, rubric=rubric, expect=expect, store=store, keep=keep, options=options) as panel:
        return panel.judge(submission, task=task)


def _only_sentences(expect: Expect | None) -> bool:
    """Whether expectations are a list of sentences, so that without a rubric nothing else is asked."""
    if expect is None or isinstance(expect, str | Path) or not expect:
        return False
    return all(isinstance(item, str) or (isinstance(item, Mapping) and set(item) == {"text"}) for item in expect)


def with_replies(options: ModelOptions, store: Store | None, judges: Sequence[str] = ()) -> ModelOptions:
    """The options with the file of replies that the command line would use: next to the store."""
    if options.replies is not None or store is None or (judges and set(judges) <= {CHECKS}):
        return options
    from dataclasses import replace

    from evenhand.options.settings import replies_beside

    return replace(options, replies=replies_beside(store.url))


class Panel:
    """Judges that are opened once and judge many submissions, with one budget and one client.

    >>> with Panel("checks") as panel:
    ...     cards = panel.judge_all(["Cats sleep.", "Push with ghp_16C7e42F292c6912E7710c838347Ae178B4a."])
    >>> [len(card.checked.findings) for card in cards]
    [0, 1]
    """

    @suggesting
    def __init__(
        self,
        judges: str | Sequence[str],
        *,
        rubric: str | Path | Rubric | None = None,
        expect: Expect | None = None,
        store: Store | None = None,
        keep: Keep = "text",
        options: ModelOptions | None = None,
    ) -> None:
        if keep not in KEEP:
            raise InputError(f"keep: {unknown('choice', keep, KEEP)}")
        names = (judges,) if isinstance(judges, str) else tuple(judges)
        if not names:
            raise InputError("judges is empty; name at least one, such as checks or openai:MODEL")
        asked = with_replies(ModelOptions() if options is None else options, store, names)
        self._program = open_program(names, expect=expect, run_commands=asked.run_commands)
        only_criteria = rubric is None and _only_sentences(expect)
        self._store = store
        self._keep: Keep = keep
        self._models: Any = None
        self._steps = Steps(rubric, id_of=_given_id)
        self._thread: _LoopThread | None = None
        if set(names) <= {CHECKS}:
            asked.refuse_for("checks", "checks; name a model among the judges")
            return
        from evenhand.judging.calibration import load_calibration
        from evenhand.judging.panels.panel import OpenPanel
        from evenhand.judging.panels.panel_judging import PanelJudging

        calibration = None if asked.calibration is None else load_calibration(asked.calibration)
        out_of_date = None
        if calibration is not None and store is not None:
            from evenhand.trust.anchors import moved_since

            out_of_date = moved_since(store, calibration)
        self._steps = Steps(rubric, calibration=calibration, out_of_date=out_of_date, id_of=_given_id)
        secret = None if store is None else store.secret
        opened = OpenPanel(
            names,
            asked,
            program=self._program,
            secret=secret,
            store=store,
            only_criteria=only_criteria,
        )
        self._models = PanelJudging(opened, self._steps)

    @suggesting
    def judge(self, submission: str | Submission, *, task: str | None = None) -> Scorecard:
        """A scorecard; raises what went wrong."""
        return _or_raise(self._judged([_submission(submission, task)])[0])

    @suggesting
    async def judge_async(self, submission: str | Submission, *, task: str | None = None) -> Scorecard:
        """A scorecard, awaited in any event loop; the panel's calls run in a loop of its own."""
        waiting = asyncio.wrap_future(self._started(self.judge_here([_submission(submission, task)])))
        return _or_raise((await waiting)[0])

    @suggesting
    def judge_all(
        self, submissions: Iterable[str | Submission], *, task: str | None = None
    ) -> list[Scorecard | EvenhandError]:
        """A scorecard for each, in their order; in place of one that cannot be judged, the error."""
        return self._judged([_submission(submission, task) for submission in submissions])

    @property
    def calls(self) -> int:
        """Calls to models so far."""
        return 0 if self._models is None else int(self._models.panel.budget.calls)

    @property
    def cost(self) -> Decimal | None:
        """US dollars so far; None when a price is unknown."""
        cost: Decimal | None = Decimal(0) if self._models is None else self._models.panel.budget.cost
        return cost

    def close(self) -> None:
        """Close the client and the file of replies."""
        if self._models is not None:
            self._run(self.close_here())
        if self._thread is not None:
            self._thread.end()
            self._thread = None

    def __enter__(self) -> Panel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def judge_here(self, submissions: Sequence[Submission]) -> list[Scorecard | EvenhandError]:
        """Judge in the running event loop, which must be the same every time."""
        if self._models is None:
            return await asyncio.to_thread(self._judged, submissions)
        results: list[Scorecard | EvenhandError] = []
        for evaluated in await self._models.evaluate_all(submissions):
            if evaluated is None:
                results.append(Unavailable(self._models.panel.stopped or "the submission was not judged"))
            else:
                results.append(await asyncio.to_thread(self._kept, evaluated))  # a store may be busy
        return results

    async def close_here(self) -> None:
        """Close in the event loop that was used."""
        if self._models is not None:
            await self._models.panel.close()

    def _judged(self, submissions: Sequence[Submission]) -> list[Scorecard | EvenhandError]:
        if self._models is None:
            return [self._checked(submission) for submission in submissions]
        return self._run(self.judge_here(submissions))

    def _checked(self, submission: Submission) -> Scorecard | EvenhandError:
        try:
            return self._kept(self._steps.evaluate(self._steps.ask(submission, self._program)))
        except InputError as error:
            return error

    def _kept(self, evaluated: Evaluated | InputError) -> Scorecard | EvenhandError:
        if isinstance(evaluated, InputError):
            return evaluated
        if self._store is None:
            return evaluated.card
        from evenhand.judging.keeper import keep_one

        try:
            return keep_one(self._store, evaluated, self._keep)
        except EvenhandError as error:
            return error

    def _run(self, judging: Coroutine[Any, Any, Result]) -> Result:
        waiting = self._started(judging)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()  # Ctrl-C ends the calls in flight as well
            raise

    def _started(self, judging: Coroutine[Any, Any, Result]) -> Future[Result]:
        if self._thread is None:
            self._thread = _LoopThread()
        return asyncio.run_coroutine_threadsafe(judging, self._thread.loop)


class _LoopThread:
    """An event loop in a thread of its own. A client belongs to one loop, and callers may have another or none."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="evenhand-panel", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self.loop.run_forever()
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def end(self) -> None:
        """Stop the loop and wait for its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()


def _submission(given: str | Submission, task: str | None) -> Submission:
    submission = given if isinstance(given, Submission) else Submission(output=given)
    refuse_path("task", task)
    if task is None:
        return submission
    if submission.task is not None:
        raise InputError("the submission has a task of its own; leave out `task`, or the submission's")
    return submission._replace(task=task)


def _given_id(submission: Submission) -> str | None:
    """The id that a caller gave. That of a session is not one: it stays the same while the session grows."""
    return submission.id if submission.format == "text" else None


def _or_raise(result: Scorecard | EvenhandError) -> Scorecard:
    if isinstance(result, EvenhandError):
        raise result
    return result
