"""What `evenhand run` is doing, on a terminal: what is running, done, failed, spent and left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from evenhand import clock
from evenhand.in_words import stopwatch
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evenhand.suites.suite_run import OpenSuite

Item = TypeVar("Item")
SHOWN = 8
"""Runs under way that are listed."""


def watched(items: Iterable[Item], run: OpenSuite) -> Iterator[Item]:
    """Pass items on, with a display that moves while nothing is finished, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.live import Live

    display = progress_lines(run, clock.elapsed())
    with Live(get_renderable=display, console=Console(stderr=True), refresh_per_second=4, transient=True):
        yield from items


def progress_lines(run: OpenSuite, begun: float) -> Callable[[], RenderableType]:
    """What to show at any moment."""
    from rich.text import Text

    def lines() -> Text:
        return Text("\n".join([progress_line(run, clock.elapsed() - begun), *_running(run)]), no_wrap=True)

    return lines


def progress_line(run: OpenSuite, seconds: float) -> str:
    """The counts in one line."""
    activity = run.runs.activity
    ended = sum(activity.outcomes.values())
    failed = ended - activity.outcomes["finished"]
    new_runs = ended - activity.reused
    parts = [f"{ended:,} of {activity.total:,} runs done"]
    if activity.reused:
        parts.append(f"{activity.reused:,} reused")
    if failed:
        parts.append(f"{failed:,} failed")
    parts.append(f"{len(activity.running):,} running")
    if run.has_judges:
        parts.append(f"{run.judged:,} judged")
    if run.budget.calls:
        cost = "cost unknown" if run.budget.cost is None else f"${run.budget.cost:.4f} spent"
        parts.append(f"{run.budget.calls:,} calls, {cost}")
    parts.append(stopwatch(seconds))
    runs_left = seconds / new_runs * (activity.total - ended) if new_runs else 0.0
    judging_left = seconds / run.judged * (activity.total - run.judged) if run.has_judges and run.judged else 0.0
    if left := max(runs_left, judging_left):
        parts.append(f"about {stopwatch(left)} left")
    return ", ".join(parts)


def _running(run: OpenSuite) -> list[str]:
    now = clock.elapsed()
    running = sorted(run.runs.activity.running.copy().items(), key=lambda item: item[1])
    lines = [
        f"  {printable(id.variant)}  {printable(id.case)}  run {id.repeat}  {stopwatch(now - begun)}"
        for id, begun in running[:SHOWN]
    ]
    return [*lines, f"  and {len(running) - SHOWN:,} more"] if len(running) > SHOWN else lines
