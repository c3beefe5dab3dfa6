"""evenhand trust anchors: frozen submissions that show whether a judge has moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.judge_options import model_options
from evenhand.cli.presenter import (
    format_option,
    lone,
    present,
    report_option,
)
from evenhand.cli.shared import DONE, SAID_NO, CommandGroup, needed_store, rubric_option, say, store_option
from evenhand.in_words import counted

if TYPE_CHECKING:
    from evenhand.stats.trust.anchor_drift import AnchorReport

set_option = click.option(
    "--name", "set_name", metavar="NAME", default="default", show_default=True, help="The set of anchors."
)


@click.group("anchors", cls=CommandGroup)
def command() -> None:
    """Tell a judge's drift from a skill's: frozen submissions, judged again whenever you like.

    \b
    Examples:
      evenhand trust anchors add answers/*.md --task task.md --rubric writing
      evenhand trust anchors run --judge openai:gpt-4o
      evenhand trust anchors run --show
    """


@command.command("add")
@click.argument("names", metavar="FILE|ID...", nargs=-1, required=True)
@set_option
@rubric_option
@click.option("--task", metavar="FILE|TEXT", help="What was asked for: a file, or the text itself.")
@store_option
@format_option()
def add(
    names: tuple[str, ...], set_name: str, rubric: str | None, task: str | None, store: str | None, format: str
) -> int:
    """Freeze submissions with the rubric they are judged by: files, or evaluations of the store by id.

    The store keeps the texts themselves; they never change. An alarm needs 11 anchors; 20 to 30 notice more.

    \b
    Examples:
      evenhand trust anchors add answers/ --rubric writing
      evenhand trust anchors add 0197f2c1 0197f2d4 --name releases
    """
    from evenhand.files.text import text_or_file
    from evenhand.trust.anchors import add_anchors

    kept_in = needed_store(store)
    wanted = None if task is None else text_or_file(task)
    added, known = add_anchors(kept_in, names, set_name=set_name, rubric=rubric, task=wanted)
    total = dict(kept_in.anchor_sets()).get(set_name, 0)
    skipped = f", {counted(known, 'was', 'were')} there already" if known else ""
    present(
        format,
        lambda: {"set": set_name, "added": added, "known": known, "anchors": total},
        plain=lambda: [f"added {added} to {set_name}{skipped}; it has {counted(total, 'anchor')}"],
    )
    return DONE


@command.command("run")
@set_option
@click.option("--judge", metavar="SPEC", help="Who judges. Default: the judge of the set's last run, asked as it was.")
@click.option("--show", is_flag=True, help="Show the runs so far, oldest first; nothing is asked.")
@model_options("anchors", without=("replies",))
@store_option
@report_option()
def run(set_name: str, judge: str | None, show: bool, store: str | None, format: str, **asking: Any) -> int:
    """Judge the anchors again, and compare with the judge's first scores of them.

    The first run is the reference. Later ones say how far the final score and each dimension moved, and
    raise an alarm when that is more than chance. What changed about the judge is listed: the model that
    answers, prompt, settings. Without --judge, the last run's judge is asked at the same address and in the
    same way, except for options given now. After a new calibration of the judge, the next run is the reference.

    \b
    Examples:
      evenhand trust anchors run --judge openai:gpt-4o
      evenhand trust anchors run --format json
      evenhand trust anchors run --show -o anchors.html

    Exit code 1 when the judge moved.
    """
    if show:
        return _show_runs(store, set_name, format)
    from evenhand.cli.commands.trust.probe import fresh_options
    from evenhand.options.settings import load_settings
    from evenhand.trust.anchors import run_anchors

    kept_in = needed_store(store)
    run = {"judge": judge, "set": set_name}
    options = fresh_options("anchors", asking, load_settings(store=store).store, run, as_before=judge is None)
    report = run_anchors(kept_in, options, judge=judge, set_name=set_name, notice=say)
    _show(set_name, [report], format)
    return SAID_NO if report.alarm else DONE


def _show_runs(store: str | None, set_name: str, format: str) -> int:
    """The runs of a set, oldest first, each against its reference."""
    from evenhand.trust.anchors import frozen, reports

    kept_in = needed_store(store)
    anchors = frozen(kept_in, set_name)
    anchor_reports = reports(kept_in, set_name)
    if not anchor_reports:
        say(
            f"{counted(len(anchors), 'anchor')} in {set_name}, not judged yet; "
            "judge them with: evenhand trust anchors run --judge SPEC"
        )
    _show(set_name, anchor_reports, format)
    return DONE


def _show(set_name: str, made: Sequence[AnchorReport], format: str) -> None:
    from evenhand.reports.trust.anchors import anchors_report, run_document

    present(
        format,
        lambda: lone([run_document(report) for report in made]),
        report=lambda: anchors_report(set_name, made),
    )
