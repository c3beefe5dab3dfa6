"""evenhand better: which of two is better, and what to change."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.judge_options import model_options, run_options
from evenhand.cli.output_option import refuse_in_folders
from evenhand.cli.presenter import report_option
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import BAD_INPUT, DONE, chosen_store, rubric_option, say, store_option, undecided_option

if TYPE_CHECKING:
    from evenhand.decisions.values.suite import Suite
    from evenhand.suites.comparison_suite import ComparisonSuite
    from evenhand.suites.suite_plan import SuitePlan


@click.command("better")
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option("--tasks", metavar="PATH", help="What was asked for: a folder with a file for each case, or one file.")
@click.option(
    "--agent", metavar="NAME|COMMAND", help="What runs a skill: claude-code, codex, or a command with {prompt} in it."
)
@click.option(
    "--judge", "judges", metavar="SPEC", multiple=True,
    help="Who reads the outputs; repeat it for a panel. Default: checks and expectations alone.",
)  # fmt: skip
@click.option("--repeats", type=click.IntRange(1, 1000), default=1, show_default=True, help="Runs of each case.")
@click.option("--yes", is_flag=True, help="Go on without asking.")
@click.option("--dry-run", is_flag=True, help="Write the suite, show what it would take, and stop.")
@setting_option("run.jobs", default=min(4, os.cpu_count() or 1))
@setting_option("run.runs")
@model_options("run")
@undecided_option
@rubric_option
@store_option
@report_option("junit")
def command(
    first: str,
    second: str | None,
    tasks: str | None,
    agent: str | None,
    judges: tuple[str, ...],
    repeats: int,
    yes: bool,
    dry_run: bool,
    jobs: int,
    runs: str | None,
    undecided: str,
    rubric: str | None,
    store: str | None,
    format: str,
    **asking: Any,
) -> int:
    """Is B better than A, and what should change?

    A and B are two outputs, two folders of outputs, two patterns with a * for the case, or two versions of a
    skill: folders with a SKILL.md, or skills/mine@REVISION for one from git; none stands for no skill. Outputs
    are taken as they are and paired by their names. A skill is run by --agent on every task. They may also be
    files of scorecards or ids of stored evaluations, which need no judge. A alone, which has been judged, says
    what to change.

    A result of claude plugin eval, or a plugin's folder that holds some, is decided as it is: the plugin
    against none, or of two results the newer version against the older.

    It writes a suite file and runs it, as evenhand run does, after showing what that takes. The answer
    comes first: better, worse or undecided, then what to change, what got worse, and the cost.

    \b
    Examples:
      evenhand better old/ new/ --tasks tasks/ --judge auto
      evenhand better old.md new.md --tasks task.md --judge openai:gpt-4o
      evenhand better skills/mine@v1 skills/mine --tasks tasks/ --agent claude-code --judge auto --yes
      evenhand better none skills/mine --agent 'my-agent {prompt}' --tasks tasks/
      evenhand better 'outputs/*/v1.md' 'outputs/*/v2.md' --judge auto
      evenhand better before.jsonl after.jsonl
      evenhand better scorecards.jsonl
      evenhand better my-plugin/
      evenhand better v1.json v2.json

    Exit codes are those of evenhand run: 5 when it is undecided; 2 when it would have to ask and there is
    no terminal: give --yes.
    """
    from evenhand.cli.commands.compare.plugin_results import show_plugin
    from evenhand.cli.commands.compare.run import command as run
    from evenhand.plugin_evals.given import are_results
    from evenhand.suites.checked_suite import read_suite

    context = click.get_current_context()
    if are_results(paths := [path for path in (first, second) if path is not None]):
        return show_plugin(paths, format, undecided)
    if second is None or (_is_judged(first) and _is_judged(second)):
        return _of_evaluations(context, first, second, asking["skill_file"], rubric, store, format)
    refuse_in_folders(path for path in (first, second, tasks) if path is not None)
    settings = chosen_store(store)[1]
    options = run_options("run", asking, settings.store)
    made, path = _written(first, second, tasks, agent, repeats, judges, rubric, options.skill_file)
    for note in made.notes:
        say(f"note: {note}")
    say(f"suite: {path}")
    shared = {"jobs": jobs, "runs": runs, "undecided": undecided, "store": store, "format": format, **asking}
    if dry_run:
        code: int = context.invoke(run, suite=str(path), dry_run=True, **shared)
        return code
    suite = read_suite(path)
    code = _agreed(suite, _plan(suite, jobs, runs, settings.store, asking), agent, yes=yes)
    if code == DONE:
        code = context.invoke(run, suite=str(path), **shared)
    return code


def _is_judged(name: str) -> bool:
    """Whether a name stands for evaluations: a file of scorecards or judgements, or the id of a stored one."""
    from evenhand.errors import EvenhandError
    from evenhand.files.documents import open_documents

    path = Path(name)
    if not path.exists():
        return name != "none" and not set(name) & {"@", "*", os.sep, "."}
    if path.suffix not in (".json", ".jsonl", ".yaml", ".yml") or not path.is_file():
        return False
    try:
        first = next(open_documents(name).documents)
    except (EvenhandError, StopIteration):
        return False
    value = None if isinstance(first, EvenhandError) else first.value
    return isinstance(value, dict) and ("scores" in value or value.get("schema") == "evenhand/scorecard/v1")


def _of_evaluations(
    context: click.Context,
    first: str,
    second: str | None,
    skill_file: str | None,
    rubric: str | None,
    store: str | None,
    format: str,
) -> int:
    """What exists already, compared; or what to change in it."""
    from evenhand.cli.commands.compare import advise, compare

    shared = {"skill_file": skill_file, "rubric": rubric, "store": store, "format": format}
    code: int
    if second is None:
        code = context.invoke(advise.command, entries=(first,), variant=None, everything=False, **shared)
    else:
        code = context.invoke(compare.command, entries=(first, second), skills=(), suite=None, **shared)
    return code


def _written(
    first: str,
    second: str,
    tasks: str | None,
    agent: str | None,
    repeats: int,
    judges: tuple[str, ...],
    rubric: str | None,
    skill_file: str | None,
) -> tuple[ComparisonSuite, Path]:
    """The suite, and the file it is in, whose name has a hash of its text: what is there is never another."""
    from evenhand.core.receipt import sha256
    from evenhand.errors import InputError
    from evenhand.options.settings import DEFAULT_STORE, project_folder
    from evenhand.suites.comparison_suite import comparison_suite, side_of

    folder = project_folder() / DEFAULT_STORE.parent / "suites"
    settings: dict[str, Any] = {"judges": [_from_anywhere(judge) for judge in judges]} if judges else {}
    if rubric is not None:
        is_path = rubric.endswith(".md") or os.sep in rubric
        settings["rubric"] = str(Path(rubric).absolute()) if is_path else rubric
    if skill_file is not None:
        settings["options"] = {"skill_file": str(Path(skill_file).absolute())}
    suite = comparison_suite(
        side_of(first), side_of(second), beside=folder, tasks=tasks, agent=agent, repeats=repeats, settings=settings
    )
    path = folder / f"{suite.name}-{sha256(suite.text)[:6]}.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(suite.text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    return suite, Path(os.path.relpath(path))


def _from_anywhere(judge: str) -> str:
    """A judge as the suite file names it: one in a file by its whole path, since the suite is in another folder."""
    provider, colon, path = judge.partition(":")
    return f"{provider}:{Path(path).absolute()}" if colon and provider == "replay" else judge


def _plan(suite: Suite, jobs: int, runs: str | None, store: str, asking: dict[str, Any]) -> SuitePlan:
    from evenhand.options.settings import runs_folder
    from evenhand.suites.execution.agent_runs import Reuse
    from evenhand.suites.suite_run import OpenSuite, SuiteOptions

    options = run_options("run", asking, store, suite=suite.options)
    reuse = Reuse(bool(asking["fresh"]), bool(asking.get("retry_failed")))
    folder = Path(runs) if runs is not None else runs_folder(store)
    with OpenSuite(suite, folder, SuiteOptions(jobs, reuse, options)) as opened:
        return opened.plan()


def _agreed(suite: Suite, plan: SuitePlan, agent: str | None, *, yes: bool) -> int:
    """Show what it takes, and ask before anything is run or paid for; 2 where no one can answer."""
    from evenhand.cli.commands.compare.run_plan import plan_sentence

    is_free = not agent and not any(judge.calls for _, judge in plan.judges)
    say(f"plan: {plan_sentence(plan, len(suite.cases), len(suite.variants), agent)}")
    if not set(suite.judges) - {"checks"} and all(case.expect is None for case in suite.cases):
        say(
            "warning: without a judge, and with cases that expect nothing, no one can say which is better; give --judge"
        )
    if is_free or yes:
        return DONE
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        say("error: nothing was run: there is no terminal to ask on; to go on without asking, give --yes")
        return BAD_INPUT
    if click.confirm("Go on?", default=False, err=True):
        return DONE
    say("nothing was run")
    return BAD_INPUT
