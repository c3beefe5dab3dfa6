"""Submissions judged by a program, one after another or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from evenhand.core.judgement import Judgement
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError, Problem
from evenhand.judges.protocol import Judge
from evenhand.judging.evaluated import Judged
from evenhand.judging.steps import Steps
from evenhand.work.submission import Submission


def judge_each(
    submissions: Iterable[Submission | InputError], judge: Judge, steps: Steps, *, jobs: int = 1
) -> Iterator[Scorecard | InputError]:
    """Judge submissions, in their order. A submission that cannot be judged is a value in its place."""
    if jobs == 1:
        judged: Iterator[Judged | InputError] = (_judged(submission, judge, steps) for submission in submissions)
    else:
        judged = _in_processes(submissions, judge, steps, jobs)
    for entry in judged:
        yield from steps.keep([steps.evaluate_or_error(entry)])


def _judged(submission: Submission | InputError, judge: Judge, steps: Steps) -> Judged | InputError:
    try:
        return submission if isinstance(submission, InputError) else steps.ask(submission, judge)
    except InputError as error:
        return error


def _in_processes(
    submissions: Iterable[Submission | InputError], judge: Judge, steps: Steps, jobs: int
) -> Iterator[Judged | InputError]:
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

    def start(submission: Submission | InputError) -> Callable[[], Judged | InputError]:
        if isinstance(submission, InputError):
            return lambda: submission
        try:
            rubric = steps.resolve(submission)
            future = pool.submit(_judge_in_worker, rubric.rubric, submission)
        except InputError as error:
            failure = error
            return lambda: failure
        except BrokenProcessPool:
            return lambda: _died(submission)

        def result() -> Judged | InputError:
            try:
                judgement = future.result()
            except BrokenProcessPool:
                return _died(submission)
            return judgement if isinstance(judgement, InputError) else Judged(submission, judgement, rubric)

        return result

    try:
        running = [start(submission) for submission in islice(waiting, 2 * jobs)]
        while running:
            yield running.pop(0)()
            running += [start(submission) for submission in islice(waiting, 1)]
    except BaseException:
        # Leaving the pool would wait for checks under way, which may take minutes on a hostile text.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _died(submission: Submission) -> InputError:
    why = "not judged: a worker process died, perhaps out of memory; judge the rest with --set judge.jobs=1"
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
