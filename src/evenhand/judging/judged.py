"""Submissions judged: read, judged, scored, compared, kept, one after another or several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from evenhand.core.values.calibration import Calibration
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Problem, RubricError
from evenhand.judges.protocol import Judge
from evenhand.judging.evaluation import Evaluated, RefusedRubrics, Run
from evenhand.judging.keeper import Keeper
from evenhand.judging.wrong_files import judgement_instead
from evenhand.rubrics import library
from evenhand.rubrics.resolved import ResolvedRubric, resolve
from evenhand.transcripts import read

Judged = tuple[Submission, Judgement, ResolvedRubric] | InputError
"""A submission, its judgement and the rubric it was judged with, or why there is none."""

AGENT_RUN = "agent-run"
"""The rubric of a transcript whose skill has none."""


def read_submissions(
    paths: Iterable[str],
    *,
    format: str | None = None,
    task: str | None = None,
    skill: str | None = None,
    reference: str | None = None,
    partial: bool = False,
) -> Iterator[Submission | InputError]:
    """Every submission of some files and folders; a task, skill or reference given here comes first.

    A judgement or scorecard among them is refused, unless a format was chosen.
    """
    for path in paths:
        for submission in read(path, format, partial=partial):
            if isinstance(submission, InputError):
                yield submission
                continue
            mistake = judgement_instead(submission) if format is None else None
            yield mistake or submission._replace(
                task=submission.task if task is None else task,
                skill=skill or submission.skill,
                reference=submission.reference if reference is None else reference,
            )


def judge_each(
    submissions: Iterable[Submission | InputError],
    judge: Judge,
    *,
    rubric: str | Path | Rubric | None = None,
    keeper: Keeper | None = None,
    jobs: int = 1,
    context: JudgingContext | None = None,
) -> Iterator[Scorecard | InputError]:
    """Judge submissions, in their order. A submission that cannot be judged is a value in its place.

    A `context` of the caller's own chooses the rubrics in place of `rubric`.
    """
    context = context or JudgingContext(rubric)
    if jobs == 1:
        judged: Iterator[Judged] = (_judged(submission, judge, context) for submission in submissions)
    else:
        judged = _in_processes(submissions, judge, context, jobs)
    results = map(context.evaluate, judged)
    if keeper is None:
        return (result if isinstance(result, InputError) else result.card for result in results)
    return keeper.keep_each(results, batch_size=1)


class JudgingContext:
    """The rubrics of a run, each looked up once, and the way from a judgement to a scorecard."""

    def __init__(self, rubric: str | Path | Rubric | None, calibration: Calibration | None = None) -> None:
        self._run = Run(rubric)
        self._usual: dict[str, ResolvedRubric] = {}
        self._refused = RefusedRubrics()
        self._calibration = calibration

    def evaluate(self, judged: Judged) -> Evaluated | InputError:
        """A judgement's scorecard, under the rubric it was judged with."""
        if isinstance(judged, InputError):
            return judged
        submission, judgement, resolved = judged
        judgement = judgement._replace(rubric=resolved.rubric.name)
        try:
            evaluated = self._run.evaluate(judgement, submission=submission, judged_with=resolved)
        except InputError as error:
            return error
        if self._calibration is None:
            return evaluated
        from evenhand.judging.calibration import calibrated_card  # loads much that few runs need

        return evaluated._replace(card=calibrated_card(evaluated.card, self._calibration))

    def resolve(self, submission: Submission) -> ResolvedRubric:
        """The rubric to judge with. InputError when the judge was calibrated with another."""
        resolved = self._resolve(submission)
        if self._calibration is not None:
            from evenhand.judging.calibration import refuse_misfit

            refuse_misfit(self._calibration, self._calibration.judge, resolved.terms.sha256)
        return resolved

    def _resolve(self, submission: Submission) -> ResolvedRubric:
        """The rubric the user chose, the one with the skill's name, or the default for this kind of submission."""
        if self._run.chosen is not None:
            return self._run.chosen
        name = _usual(submission)
        if name not in self._usual:
            self._refused.raise_again(name)
            try:
                self._usual[name] = resolve(name)
            except RubricError as error:
                raise self._refused.remember(name, name, error) from None
        return self._usual[name]


def _judged(submission: Submission | InputError, judge: Judge, context: JudgingContext) -> Judged:
    if isinstance(submission, InputError):
        return submission
    try:
        resolved = context.resolve(submission)
        return submission, judge.judge(resolved.rubric, submission), resolved
    except InputError as error:
        return error


def _usual(submission: Submission) -> str:
    if submission.skill is not None and library.find(submission.skill):
        return submission.skill
    return AGENT_RUN if submission.events else library.DEFAULT


def _in_processes(
    submissions: Iterable[Submission | InputError], judge: Judge, context: JudgingContext, jobs: int
) -> Iterator[Judged]:
    """Judge in several processes, results in order, with a bounded number of submissions in flight.

    Stopping early, by Ctrl-C or because no more results are read, also ends the processes.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    waiting = iter(submissions)
    # Forked, so that checks need not be picklable: a check may be a lambda.
    fork = multiprocessing.get_context("fork")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(max_workers=jobs, mp_context=fork, initializer=_start_worker, initargs=(judge,))

    def start(submission: Submission | InputError) -> Callable[[], Judged]:
        if isinstance(submission, InputError):
            return lambda: submission
        try:
            resolved = context.resolve(submission)
            future = pool.submit(_judge_in_worker, resolved.rubric, submission)
        except InputError as error:
            failure = error
            return lambda: failure
        except BrokenProcessPool:
            return lambda: _died(submission)

        def result() -> Judged:
            try:
                judgement = future.result()
            except BrokenProcessPool:
                return _died(submission)
            return judgement if isinstance(judgement, InputError) else (submission, judgement, resolved)

        return result

    try:
        running = [start(submission) for submission in islice(waiting, 2 * jobs)]
        while running:
            yield running.pop(0)()
            running += [start(submission) for submission in islice(waiting, 1)]
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _died(submission: Submission) -> InputError:
    why = "not judged: a worker process died, perhaps out of memory; judge the rest with --jobs 1"
    return InputError(Problem(why, submission.source))


_worker_judge: list[Judge] = []
"""The judge of this process, when it is a worker."""


def _start_worker(judge: Judge) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all; the parent decides
    _worker_judge.append(judge)


def _judge_in_worker(rubric: Rubric, submission: Submission) -> Judgement | InputError:
    try:
        return _worker_judge[0].judge(rubric, submission)
    except InputError as error:
        return error
