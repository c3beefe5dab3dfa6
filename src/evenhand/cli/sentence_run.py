"""Sentences about many outputs put to model judges: the plan, the question whether to go on, the answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from evenhand.cli.judge_options import run_options
from evenhand.cli.model_run import counted_results, plan_line, write_plan
from evenhand.cli.shared import chosen_store, say
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError, Unavailable
from evenhand.in_words import counted
from evenhand.judges.models.call_plan import add_plans
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.program import open_program
from evenhand.judging.steps import Steps
from evenhand.work.submission import Submission


class Declined(Exception):
    """Nothing is asked: only the plan was wanted, or the user does not want to go on."""


def read_sentences(
    judges: Sequence[str],
    submissions: Sequence[Submission],
    asking: dict[str, Any],
    *,
    store: str | None,
    format: str,
    dry_run: bool,
    yes: bool,
) -> list[Scorecard | InputError]:
    """A scorecard for each, with the sentences under its `expect` decided and nothing else read.

    Declined after the plan of a dry run, or when the user says no; Unavailable when the judges stopped before the end.
    """
    kept_in, settings = chosen_store(store)
    panel = OpenPanel(
        judges,
        run_options("run", asking, settings.store),
        program=open_program(judges),
        notice=say,
        secret=None if kept_in is None else kept_in.secret,
        needs_key=not dry_run,
        only_criteria=True,
    )
    judging = PanelJudging(panel, Steps(None))
    _, plans, more = judging.plan(submissions)
    if dry_run:
        write_plan(plans, format, {"outputs": len(submissions)}, more)
        raise Declined
    total = add_plans(plan for _, plan in plans)
    say(f"plan: {counted(len(submissions), 'output')}; {plan_line(total)}")
    if total.calls and not yes:
        if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise InputError("nothing was asked: there is no terminal to ask on; to go on without asking, give --yes")
        if not click.confirm("Go on?", default=False, err=True):
            say("nothing was asked")
            raise Declined
    cards = list(counted_results(judging, submissions, lambda: len(submissions)))
    if panel.stopped is not None or len(cards) < len(submissions):
        raise Unavailable(f"{panel.stopped or 'not every output was read'}; what was asked is kept; run it again")
    return cards
