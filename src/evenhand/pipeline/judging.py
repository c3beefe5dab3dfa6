"""Submissions judged: read, judged, scored, compared, kept, one after another or several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from evenhand.core.values.judgement import Judgement
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Problem
from evenhand.judges.protocol import Judge
from evenhand.pipeline.keeping import Keeper
from evenhand.pipeline.mistaken import judgement_instead
from evenhand.pipeline.run import Evaluated, Run
from evenhand.rubrics import library
from evenhand.transcripts import read

Judged = tuple[Submission, Judgement] | InputError
"""A submission with what a judge says of it, or why there is nothing."""

AGENT_RUN = "agent-run"
"""The rubric of a transcript whose skill has none of its own."""


def read_submissions(
    paths: Iterable[str], *, format: str | None = None, task: str | None = None, skill: str | None = None
) -> Iterator[Submission | InputError]:
    """Every submission of some files and folders; a task or skill given here comes first.

    A judgement or scorecard among them is refused, unless a format was chosen.
    """
    for path in paths:
        for submission in read(path, format):
            if isinstance(submission, InputError):
                yield submission
                continue
            mistake = judgement_instead(submission) if format is None else None
            yield mistake or submission._replace(
                task=submission.task if task is None else task, skill=skill or submission.skill
            )


def judge_each(
    submissions: Iterable[Submission | InputError],
    judge: Judge,
    *,
    rubric: str | Path | Rubric | None = None,
    keeper: Keeper | None = None,
    jobs: int = 1,
) -> Iterator[Scorecard | InputError]:
    """Judge submissions, in their order. A submission that cannot be judged is a value in its place."""
    desk = Desk(rubric)
    at_work = _AtWork(judge, desk)
    judged = map(at_work.judge, submissions) if jobs == 1 else _several(at_work, submissions, jobs)
    results = (desk.evaluate(each) for each in judged)
    if keeper is None:
        return (each if isinstance(each, InputError) else each.card for each in results)
    return keeper.keep_each(results, together=1)


class Desk:
    """The rubrics a run needs, and the way from a judgement to a scorecard."""

    def __init__(self, rubric: str | Path | Rubric | None) -> None:
        self._chosen = rubric
        self._run = Run(rubric)
        self._rubrics: dict[str, Rubric] = {}

    def evaluate(self, judged: Judged) -> Evaluated | InputError:
        """A judgement's scorecard."""
        if isinstance(judged, InputError):
            return judged
        submission, judgement = judged
        try:
            return self._run.evaluate(judgement, submission=submission)
        except InputError as error:
            return error

    def rubric(self, submission: Submission) -> Rubric:
        """The rubric that was asked for, that of the skill's name, or the one for its kind of submission."""
        if isinstance(self._chosen, Rubric):
            return self._chosen
        name = str(self._chosen) if self._chosen is not None else _usual(submission)
        if name not in self._rubrics:
            self._rubrics[name] = library.load_rubric(name)
        return self._rubrics[name]


class _AtWork:
    """A judge with what it needs, as one process uses it."""

    def __init__(self, judge: Judge, desk: Desk) -> None:
        self._judge = judge
        self._desk = desk

    def judge(self, submission: Submission | InputError) -> Judged:
        if isinstance(submission, InputError):
            return submission
        try:
            rubric = self._desk.rubric(submission)
            return submission, self._judge.judge(rubric, submission)._replace(rubric=rubric.name)
        except InputError as error:
            return error


def _usual(submission: Submission) -> str:
    if submission.skill is not None and library.find(submission.skill):
        return submission.skill
    return AGENT_RUN if submission.events else library.DEFAULT


def _several(at_work: _AtWork, submissions: Iterable[Submission | InputError], jobs: int) -> Iterator[Judged]:
    """Several processes at once, results in order, never more waiting than there are jobs to take them.

    Whoever stops in the middle, by Ctrl-C or because nobody reads on, ends the processes with it.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    waiting = iter(submissions)
    # Forked, so that checks need not be picklable: a check may well be a lambda.
    fork = multiprocessing.get_context("fork")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(max_workers=jobs, mp_context=fork, initializer=_sit_down, initargs=(at_work,))

    def start(each: Submission | InputError) -> Callable[[], Judged]:
        if isinstance(each, InputError):
            return lambda: each
        try:
            future = pool.submit(_judge_here, each)
        except BrokenProcessPool:
            return lambda: _died(each)

        def result() -> Judged:
            try:
                return future.result()
            except BrokenProcessPool:
                return _died(each)

        return result

    try:
        running = [start(each) for each in islice(waiting, 2 * jobs)]
        while running:
            yield running.pop(0)()
            running += [start(each) for each in islice(waiting, 1)]
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _died(submission: Submission) -> InputError:
    why = "not judged: a process ended that judges, perhaps for want of memory; judge the rest with --jobs 1"
    return InputError(Problem(why, submission.source))


_here: list[_AtWork] = []


def _sit_down(at_work: _AtWork) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all; who started this one decides
    _here.append(at_work)


def _judge_here(submission: Submission) -> Judged:
    return _here[0].judge(submission)
