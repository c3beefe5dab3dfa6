"""evenhand judge: from an output or a transcript to a scorecard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.cards import CardWriter, FirstSubmission, Layout, layout_settings, not_calibrated, unanswered
from evenhand.cli.commands.judge import judges as judge_list
from evenhand.cli.judge_options import model_options, reading_options
from evenhand.cli.limit_options import fewer_limit_options
from evenhand.cli.output_option import refuse_in_folders
from evenhand.cli.presenter import report_option
from evenhand.cli.progress import Counter
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    NOT_SCORED,
    SAID_NO,
    CommandWithCommands,
    chosen_store,
    gate_code,
    not_stored,
    open_keeper,
    rubric_option,
    say,
    store_option,
)
from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.options.command_settings import TYPED
from evenhand.options.model_options import used_by

if TYPE_CHECKING:
    from evenhand.core.scorecard import Scorecard
    from evenhand.decisions.gate import Gate
    from evenhand.judges.program import ProgramJudge
    from evenhand.judging.keeper import Keeper
    from evenhand.judging.panels.panel_judging import PanelJudging
    from evenhand.options.settings import Keep
    from evenhand.work.submission import Submission


@click.group("judge", cls=CommandWithCommands)
@click.argument("outputs", metavar="OUTPUT...", nargs=-1, required=True)
@reading_options
@click.option("--skill", metavar="NAME", help="The skill that produced it; compared with its history.")
@rubric_option
@click.option(
    "--judge",
    "judges",
    metavar="SPEC",
    multiple=True,
    default=("checks",),
    show_default="checks",
    help="Who judges: checks, a provider with its model such as openai:gpt-4o, a name from evenhand.toml, or auto, "
    "the first that is ready. Several make a panel. See: evenhand judge list",
)
@model_options("judge")
@click.option("--dry-run", is_flag=True, help="Show how many calls, tokens and dollars it would take, and stop.")
@setting_option("judge.show_prompt")
@setting_option("judge.checks", "files")
@fewer_limit_options
@setting_option("judge.jobs", default=1)
@click.option(
    "--expect", metavar="FILE", help="What must be so: answers, tool calls, files, commands, limits (YAML or JSON)."
)
@click.option(
    "--criterion",
    "criteria",
    metavar="TEXT",
    multiple=True,
    help="A sentence that a judge answers with yes or no and a quote. Without --rubric, nothing else is asked.",
)
@setting_option("judge.workspace")
@layout_settings
@store_option
@setting_option("keep")
@report_option("junit", "ctrf", "sarif", "github", "otlp", "grading")
def command(
    outputs: tuple[str, ...],
    reading: dict[str, Any],
    skill: str | None,
    rubric: str | None,
    judges: tuple[str, ...],
    files: tuple[str, ...],
    gate: Gate,
    jobs: int,
    layout: Layout,
    store: str | None,
    keep: Keep | None,
    format: str,
    expect: str | None,
    criteria: tuple[str, ...],
    workspace: str | None,
    **asking: Any,
) -> int:
    """Judge an output, or a whole agent transcript: with checks, with a model, or with a panel of them.

    OUTPUT is a text, a Claude Code session, a Codex rollout, a chat in OpenAI form, OpenTelemetry
    spans, an Inspect log, a git diff, a file of many submissions, a trace of one of many other agents,
    or a folder of any of these; '-' is standard input. JSON in no known format is refused; to judge it
    as an output, use --from text.

    Without --judge, only deterministic checks run; they need no key and no network. They report what a
    program can find, and give no grade, which takes a reader. A model judge reads the output.

    \b
    Examples:
      evenhand judge answer.md --task "Summarise the incident in at most 100 words"
      evenhand judge session.jsonl --skill fix-bug
      evenhand judge answer.md -o report.html
      evenhand judge runs/ --format jsonl > scorecards.jsonl
      evenhand judge answer.md --min-grade B-
      evenhand judge answer.md --judge claude-code
      evenhand judge answer.md --judge claude-code --criterion "cites the ticket"
      evenhand judge answer.md --judge openai:gpt-4o --judge anthropic:claude-sonnet-4-5
      evenhand judge runs/ --judge openai:my-model --base-url http://localhost:8000/v1 --dry-run
      evenhand judge answer.md --judge openai:gpt-4o --set judge.samples=3
    """
    seen = FirstSubmission()
    given = _Given(outputs, skill, reading, seen)
    refuse_in_folders(outputs)
    from evenhand.judging.program import open_program

    kept_in, settings = chosen_store(store, keep=keep)
    keeper = None if kept_in is None else open_keeper(kept_in, settings)
    writer = CardWriter(format, one=given.is_one, layout=layout, keeper=keeper, seen=seen)
    program = open_program(
        judges, check_files=files, expect=expect, criteria=criteria, workspace=workspace,
        run_commands=bool(asking["run_commands"]),
    )  # fmt: skip
    if _is_program_only(judges, asking):
        _only_with_models(asking | {"reference": reading["reference"]})
        return _judge_by_program(given, program, rubric, keeper, jobs, writer, gate)
    from evenhand.cli.model_run import model_judging

    models = model_judging(
        judges, asking, program=program, rubric=rubric, store=settings.store, keeper=keeper, kept_in=kept_in,
        only_criteria=bool(criteria) and rubric is None,
    )  # fmt: skip
    if asking["show_prompt"] or asking["dry_run"]:
        return _show_prompts(models, given) if asking["show_prompt"] else _show_plan(models, given, format)
    return _judge_by_models(given, models, keeper, writer, gate)


class _Given:
    """The outputs that the command was given, read when they are asked for."""

    def __init__(
        self, outputs: tuple[str, ...], skill: str | None, reading: dict[str, Any], seen: FirstSubmission
    ) -> None:
        self.outputs = outputs
        self.is_one = len(outputs) == 1 and not os.path.isdir(outputs[0])  # noqa: PTH112 (a name that is too long is not a folder)
        self._seen = seen
        self._skill = skill
        self._reading = reading
        params = click.get_current_context().params
        named = {} if self.is_one else {role: params[role] for role in ("task", "reference") if params[role]}
        self._roles = {os.path.realpath(name): role for role, name in named.items() if os.path.isfile(name)}  # noqa: PTH113 (may be a long text)
        self._left_out: set[str | None] = set()

    def submissions(self) -> Iterator[Submission | InputError]:
        return self._seen.watch(self._outputs())

    def _outputs(self) -> Iterator[Submission | InputError]:
        """What was given, without the file that is the task or the reference of the others: `runs/*.md` may name it."""
        from evenhand.judging.steps import read_submissions

        for submission in read_submissions(self.outputs, skill=self._skill, **self._reading):
            source = None if isinstance(submission, InputError) else submission.source
            role = self._roles.get(os.path.realpath(source)) if source and self._roles else None
            if role is None:
                yield submission
            elif source not in self._left_out:
                self._left_out.add(source)
                say(f"left out: {source} is the {role}, not an output")

    def total(self) -> int | None:
        """How many submissions there are; None where counting them is not worth it, or would use them up."""
        if self.is_one or "-" in self.outputs:
            return None
        return sum(1 for _ in self._outputs())


def _judge_by_program(
    given: _Given,
    program: ProgramJudge,
    rubric: str | None,
    keeper: Keeper | None,
    jobs: int,
    writer: CardWriter,
    gate: Gate,
) -> int:
    from evenhand.judging.processes import judge_each
    from evenhand.judging.steps import Steps

    counter = Counter(activity=(lambda: f"reading and checking {given.outputs[0]}") if given.is_one else None)
    results = counter.count(judge_each(given.submissions(), program, Steps(rubric, keeper=keeper), jobs=jobs))
    code = writer.write_all(((result, "") for result in results), lambda card: _verdict(card, gate, writer))
    return not_stored(keeper, code)


def _judge_by_models(given: _Given, models: PanelJudging, keeper: Keeper | None, writer: CardWriter, gate: Gate) -> int:
    from evenhand.cli.model_run import counted_results, ended
    from evenhand.reports.findings import only_criteria

    graded = failed = 0

    def verdict(card: Scorecard) -> int:
        nonlocal graded, failed
        graded += card.final is not None
        failed += all(line.score is None for line in card.dimensions.values()) and not only_criteria(card)
        return _verdict(card, gate, writer)

    results = counted_results(models, given.submissions(), given.total)
    code = writer.write_all(((result, "") for result in results), verdict)
    if failed and graded + failed > 1 and keeper is not None:
        say(f"{graded:,} graded, {counted(failed, 'attempt')} failed: evenhand history --failed")
    return not_stored(keeper, ended(models.panel, code))


def _show_prompts(models: PanelJudging, given: _Given) -> int:
    from evenhand.cli.model_run import write_prompts
    from evenhand.judges.models.questions.prompt import prompt_hash

    prompts = (prompt for submission in given.submissions() for prompt in models.prompts(_or_raise(submission)))
    return write_prompts(prompts, f" (prompt {prompt_hash()[:16]})")


def _show_plan(models: PanelJudging, given: _Given, format: str) -> int:
    from evenhand.cli.model_run import write_plan

    count, plans, more = models.plan(given.submissions())
    write_plan(plans, format, {"submissions": count}, more)
    return DONE


def _or_raise(submission: Submission | InputError) -> Submission:
    if isinstance(submission, InputError):
        raise submission
    return submission


def _verdict(card: Scorecard, gate: Gate, writer: CardWriter) -> int:
    """1 when the gate is red, 2 when the calibration does not fit, 3 when no one could score what should be scored."""
    from evenhand.decisions.gate import Gate

    refused = not_calibrated(card)
    if gate != Gate():
        from evenhand.judging.files import Named
        from evenhand.judging.sets.gate import rule
        from evenhand.reports.cases import case_name

        (ruling,) = rule([Named(case_name(card), card)], gate, None)
        writer.ruled(ruling)
        if code := gate_code([ruling]):
            say(f"{ruling.colour}: {ruling.name}: {ruling.says}")
            return BAD_INPUT if refused and code != SAID_NO else code
    if refused:
        return BAD_INPUT
    return NOT_SCORED if (card.final is None and not card.unread) or unanswered(card) else DONE


def _is_program_only(judges: tuple[str, ...], asking: dict[str, Any]) -> bool:
    """Whether no model is asked."""
    return judges == ("checks",) and asking["escalate_to"] is None


def _only_with_models(asking: dict[str, Any]) -> None:
    """An option for models has no effect on checks: refuse it rather than ignore it."""
    used = [name for name, value in asking.items() if value not in (False, None) and name not in used_by("checks")]
    if used:
        option = f"--{used[0].replace('_', '-')}" if used[0] in (*TYPED, "dry_run", "reference") else f"judge.{used[0]}"
        raise click.UsageError(f"{option} is for models; name one with --judge, such as --judge openai:MODEL.")


command.add_command(judge_list.listed)
command.add_command(judge_list.check)
