"""What `evenhand better` says of results of `claude plugin eval`, and how it has them made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import groupby
from pathlib import Path

import click

from evenhand.api.judging import Panel
from evenhand.cli.commands.trust.table_options import judged_and_labelled
from evenhand.cli.presenter import present
from evenhand.cli.shared import BAD_INPUT, DONE, agreed, chosen_store, say
from evenhand.core.curve import UseVerdict
from evenhand.core.finding import Expected
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import judge_better
from evenhand.errors import InputError
from evenhand.files.codec import document
from evenhand.in_words import counted
from evenhand.options.model_options import ModelOptions
from evenhand.plugin_evals.report import badge, plugin_report, report
from evenhand.plugin_evals.result_files import instructions_of, is_plugin, result_file, results_in
from evenhand.plugin_evals.runner_judge import JudgeCheck, Question, checked, labels_path, questions
from evenhand.plugin_evals.running import EvalPlan, Wanted, eval_plan, run_evals
from evenhand.plugin_evals.verdict import PluginVerdict, verdict_of
from evenhand.reports.exchange.junit import junit_xml, ruling_case
from evenhand.suites.importing.claude_plugin_results import keep_plugin_run
from evenhand.work.submission import Submission

UNDECIDED = 5


def show_plugin(
    paths: Sequence[str],
    format: str,
    undecided: str,
    judges: tuple[str, ...],
    options: Callable[[], ModelOptions],
    *,
    full: bool,
    yes: bool,
    dry_run: bool,
) -> int:
    """Show whether the plugin, or its newer version, is better; exit code 5 when that is undecided.

    With judges, the runner's judge is checked against them.
    """
    verdict = verdict_of(results_in(paths))
    uses = _uses_by_labels(paths)
    if not judges:
        return _shown(verdict, paths, format, undecided, full=full, judge_uses=uses)
    asked, unseen = questions(verdict.results[-1])
    if not asked:
        raise InputError("this result does not record what the runner's judge was shown; leave out --judge")
    say(f"plan: {counted(len(asked), 'question')} to {' and '.join(judges)}")
    if dry_run:
        return DONE
    if not yes and not all(judge.startswith("replay:") for judge in judges) and not agreed():
        return BAD_INPUT
    asked.sort(key=lambda question: question.sentence)
    answers = _answers(asked, judges, options())
    check = checked(judges, list(zip(asked, answers, strict=True)), unseen)
    return _shown(verdict, paths, format, undecided, full=full, judge_check=check, judge_uses=uses)


def _uses_by_labels(paths: Sequence[str]) -> tuple[UseVerdict, ...]:
    """Whether the runner's judge can be used, by the labels beside the results; nothing where there are none."""
    if not any(labels_path(result_file(path)).is_file() for path in paths):
        return ()
    from evenhand.trust.rater_agreement import uses_of_tables

    try:
        return next(iter(uses_of_tables([*judged_and_labelled(paths)]).values()), ())
    except InputError as error:  # labels that are not filled in, or damaged: the plugin is decided without them
        say(f"note: {error}")
        return ()


def _answers(asked: Sequence[Question], judges: tuple[str, ...], options: ModelOptions) -> list[Expected | None]:
    """What other judges say of each question; None where they could not be asked."""
    found: list[Expected | None] = []
    for sentence, together in groupby(asked, key=lambda question: question.sentence):
        with Panel(judges, expect=[{"text": sentence}], options=options) as panel:
            works = [Submission(question.text, task=question.task) for question in together]
            for card in panel.judge_all(works):
                looked = card.checked if isinstance(card, Scorecard) else None
                found.append(None if looked is None else looked.expectations[0])
    return found


def run_plugin(
    paths: Sequence[str],
    wanted: Wanted,
    format: str,
    undecided: str,
    store: str | None,
    *,
    full: bool,
    yes: bool,
    dry_run: bool,
) -> int:
    """Show what running its cases takes, run them once that is agreed to, and show what they tell."""
    if len(paths) != 1 or not is_plugin(Path(paths[0])):
        raise click.UsageError("--run takes the folder of one plugin that has cases for claude plugin eval")
    plan = eval_plan(Path(paths[0]), wanted)
    for line in plan.lines():
        say(f"plan: {line}")
    if dry_run:
        return DONE
    if plan.ceiling is None:
        raise click.UsageError("no result says what a run costs: say how much may be spent, as in --max-cost 2")
    if not yes and not agreed():
        return BAD_INPUT
    made = run_evals(plan)
    kept = chosen_store(store)[0]
    for file in made.files:
        as_run = "" if kept is None else f", kept as the run {keep_plugin_run(kept, file)}"
        say(f"result: {file}{as_run}")
    return _shown(made.verdict, paths, format, undecided, full=full, also=_of_looks(plan, made.verdict))


def _shown(
    verdict: PluginVerdict,
    paths: Sequence[str],
    format: str,
    undecided: str,
    *,
    full: bool,
    also: tuple[str, ...] = (),
    judge_check: JudgeCheck | None = None,
    judge_uses: tuple[UseVerdict, ...] = (),
) -> int:
    newest = verdict.results[-1]
    found = report(verdict, instructions_of(paths, newest), also=also, judge_check=judge_check, judge_uses=judge_uses)
    present(
        format,
        lambda: document(found),
        report=lambda: plugin_report(found, newest, is_brief=format == "terminal" and not full),
        svg=lambda: badge(verdict),
        junit=lambda: junit_xml("evenhand better", [ruling_case(judge_better(verdict.contrast))]),
    )
    return UNDECIDED if verdict.contrast.verdict == "undecided" and undecided != "ok" else DONE


def _of_looks(plan: EvalPlan, verdict: PluginVerdict) -> tuple[str, ...]:
    if len(plan.looks) == 1:
        return ()
    level = Decimal(verdict.contrast.level).quantize(Decimal("0.0001"))
    return (f"looked at along the way: this verdict has {level:.2%} of the error rate of 5%",)
