"""evenhand better: which is better, and what to change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.judge_options import model_options, pair_reading_settings, run_options
from evenhand.cli.output_option import refuse_in_folders
from evenhand.cli.presenter import report_option
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    agreed,
    chosen_store,
    full_option,
    rubric_option,
    say,
    store_option,
)

if TYPE_CHECKING:
    from evenhand.decisions.suite import Suite
    from evenhand.suites.suite_plan import SuitePlan


@click.command("better")
@click.argument("systems", metavar="A [B] [C...]", nargs=-1, required=True)
@click.option(
    "--tasks", "--task", metavar="PATH", help="What was asked for: a folder with a file for each case, or one."
)
@click.option(
    "--agent", metavar="NAME|COMMAND", help="What runs a skill: claude-code, codex, or a command with {prompt} in it."
)
@click.option(
    "--judge", "judges", metavar="SPEC", multiple=True,
    help="Who reads the outputs; repeat it for a panel. Default: checks and expectations alone.",
)  # fmt: skip
@click.option("--side-by-side", is_flag=True, help="Show the judge two outputs at once, in both orders, and ask which.")
@click.option(
    "--criterion",
    "criteria",
    metavar="TEXT",
    multiple=True,
    help="A sentence that a judge answers for each output. Without --rubric, the share that is met decides.",
)
@pair_reading_settings
@setting_option("better.repeats", default=1)
@click.option(
    "--cluster", metavar="NAME|FILE:COLUMN",
    help="Cases that belong together count once: those of one task, skill or folder, or by a column of a table with "
    "a column id, such as cases.csv:repository.",
)  # fmt: skip
@setting_option("better.last")
@setting_option("better.variant")
@full_option
@click.option("--yes", is_flag=True, help="Go on without asking.")
@click.option("--dry-run", is_flag=True, help="Show what it would take, and stop.")
@click.option("--run", is_flag=True, hidden=True, help="For a plugin: the same as --agent claude-code.")
@setting_option("plugin.model", default="")
@setting_option("plugin.arm_runs", default=3)
@setting_option("plugin.until_decided", default=False)
@setting_option("plugin.arguments")
@setting_option("judge.show_prompt", default=False)
@setting_option("run.jobs", default=min(4, os.cpu_count() or 1))
@setting_option("run.runs")
@model_options("run", "pairs")
@setting_option("gate.undecided", default="5")
@rubric_option
@store_option
@report_option("junit", "svg")
def command(
    systems: tuple[str, ...],
    tasks: str | None,
    agent: str | None,
    judges: tuple[str, ...],
    side_by_side: bool,
    criteria: tuple[str, ...],
    reading: dict[str, Any],
    repeats: int,
    cluster: str | None,
    last: int | None,
    variant: str | None,
    full: bool,
    yes: bool,
    dry_run: bool,
    run: bool,
    model: str,
    arm_runs: int,
    until_decided: bool,
    arguments: tuple[str, ...],
    show_prompt: bool,
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
    are taken as they are and paired by their names. A skill is run by --agent on every task. With more than two,
    every pair is compared.

    What has been judged needs no judge: files of scorecards, ids of stored evaluations, skills of the store, and
    two runs of one suite. Two single evaluations are laid side by side: what moved, by how many points. A alone,
    if it has been judged, says what to change.

    A result of claude plugin eval, or a plugin's folder that holds some, is decided as it is: the plugin
    against none, or of two results the newer version against the older. --run runs its cases first.

    With --side-by-side a model sees two outputs at once and says which is better, in both orders. A preference
    counts only if it survives the swap, and only with a quote from each output that occurs in it.

    Outputs and skills become a suite, which is run as evenhand run does, after showing what that takes. The
    answer comes first: better, worse or undecided, then what to change, what got worse, and the cost.

    \b
    Examples:
      evenhand better old/ new/ --tasks tasks/ --judge auto
      evenhand better old.md new.md --tasks task.md --judge openai:gpt-4o
      evenhand better old/ new/ --judge auto --criterion "Names the folder it writes to"
      evenhand better old/ new/ --side-by-side --judge openai:gpt-4o
      evenhand better skills/mine@v1 skills/mine --tasks tasks/ --agent claude-code --judge auto --yes
      evenhand better none skills/mine --agent 'my-agent {prompt}' --tasks tasks/
      evenhand better 'outputs/*/v1.md' 'outputs/*/v2.md' --judge auto
      evenhand better before.jsonl after.jsonl --cluster folder
      evenhand better release-notes@v1 latest
      evenhand better latest --set judge.skill_file=skills/release-notes
      evenhand better my-plugin/
      evenhand better my-plugin/ --run --max-cost 2
      evenhand better my-plugin/ --run --set plugin.until_decided=true
      evenhand better v1.json v2.json

    Exit codes are those of evenhand run: 5 when it is undecided; 2 when it would have to ask and there is
    no terminal: give --yes.
    """
    from evenhand.cli.commands.compare.better_judged import (
        Judged,
        compare_evaluations,
        compare_runs,
        kind_of,
        show_changes,
    )
    from evenhand.cli.commands.compare.plugin_results import run_plugin, show_plugin
    from evenhand.options.model_options import ModelOptions
    from evenhand.plugin_evals.result_files import are_results
    from evenhand.plugin_evals.running import Wanted
    from evenhand.suites.comparison_suite import written_suite

    if side_by_side:
        if criteria:
            raise click.UsageError("--criterion asks about one output at a time; leave out --side-by-side")
        from evenhand.cli.commands.compare.side_by_side import ask_in_pairs

        if len(systems) < 2:
            raise click.UsageError("--side-by-side needs two outputs, folders or files of submissions")
        refuse_in_folders(systems)
        return ask_in_pairs(
            systems, asking, reading, tasks=tasks, judges=judges, rubric=rubric, store=store, format=format,
            dry_run=dry_run, show_prompt=show_prompt, undecided=undecided,
        )  # fmt: skip
    _refuse_without_pairs(reading, show_prompt, asking.pop("batch"))
    if run or (agent == "claude-code" and are_results(systems)):
        most = ModelOptions(max_cost=asking["max_cost"]).max_cost
        wanted = Wanted(arm_runs, model, until_decided, jobs, most, arguments)
        return run_plugin(systems, wanted, format, undecided, store, full=full, yes=yes, dry_run=dry_run)
    if criteria and not judges:
        raise click.UsageError("--criterion asks a judge; name it with --judge")
    if are_results(systems):
        return show_plugin(
            systems, format, undecided, judges, lambda: run_options("run", asking, chosen_store(store)[1].store),
            full=full, yes=yes, dry_run=dry_run,
        )  # fmt: skip
    kept, settings = chosen_store(store)
    judged = Judged(kept, rubric, asking["skill_file"], cluster, last, format, full, undecided)
    kind = kind_of(systems, kept)
    if criteria and kind != "output":
        raise click.UsageError("--criterion asks about outputs and skills; what has been judged is compared as it was")
    if len(systems) == 1:
        return show_changes(systems[0], kind, variant, judged)
    if variant is not None:
        raise click.UsageError("better.variant goes with one run of a suite, of which it says what to change")
    if kind == "run":
        return compare_runs(systems, judged)
    if kind == "evaluations":
        return compare_evaluations(systems, judged)
    if last is not None:
        raise click.UsageError("better.last goes with skills of the store")
    refuse_in_folders(path for path in (*systems, tasks) if path is not None)
    shared = {"jobs": jobs, "runs": runs, "undecided": undecided, "store": store, "format": format, "full": full,
              "cluster": cluster, **asking}  # fmt: skip
    options = run_options("run", asking, settings.store)
    made, path = written_suite(
        systems, tasks=tasks, agent=agent, repeats=repeats, judges=judges, rubric=rubric,
        skill_file=options.skill_file, criteria=criteria,
    )  # fmt: skip
    for note in made.notes:
        say(f"note: {note}")
    say(f"suite: {path}")
    return _run(path, shared, agent, settings.store, asking, yes=yes, dry_run=dry_run)


def _refuse_without_pairs(reading: dict[str, Any], show_prompt: bool, batch: Any) -> None:
    given = {
        "better.reference": reading["reference"],
        "better.from": reading["format"],
        **{f"judge.{name}": reading[name] for name in ("partial", "include", "exclude")},
        "judge.show_prompt": show_prompt,
        "judge.batch": batch,
    }
    for name, value in given.items():
        if value:
            raise click.UsageError(f"{name} goes with --side-by-side")


def _run(
    path: Path,
    shared: dict[str, Any],
    agent: str | None,
    store: str,
    asking: dict[str, Any],
    *,
    yes: bool,
    dry_run: bool,
) -> int:
    """Run the suite, unless no one agrees to what that takes."""
    from evenhand.cli.commands.compare.run import command as run
    from evenhand.suites.checked_suite import read_suite

    context = click.get_current_context()
    code: int
    if dry_run:
        code = context.invoke(run, suite=str(path), dry_run=True, **shared)
        return code
    suite = read_suite(path)
    code = _agreed(suite, _plan(suite, shared["jobs"], shared["runs"], store, asking), agent, yes=yes)
    if code == DONE:
        code = context.invoke(run, suite=str(path), **shared)
    return code


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
    return DONE if is_free or yes or agreed() else BAD_INPUT
