"""evenhand gate: red or green, for CI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from evenhand.cli.ci_formats import CI_FORMATS, GateResult, gate_writers, say_rulings
from evenhand.cli.limit_options import limit_options
from evenhand.cli.output_option import output_into
from evenhand.cli.presenter import report_option, write_as
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import Read, chosen_store, gate_code, sorted_out, store_option
from evenhand.clock import days_ago
from evenhand.core.calibration import CalibrationLimits
from evenhand.core.curve import Calibration
from evenhand.decisions.gate import Gate
from evenhand.errors import InputError
from evenhand.judging.files import Named
from evenhand.judging.kept.found_cards import cards_of_skill, find_cards
from evenhand.judging.sets.gate import rule
from evenhand.reports.tree import Line, text_of
from evenhand.store.protocol import Store
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from evenhand.decisions.suite_run import SuiteRun
    from evenhand.reports.tree import Node
    from evenhand.work.agent_run import CaseResult

_IN_FILES = ("json", "jsonl", *CI_FORMATS, "markdown", "html")
"""The formats that `--also` writes."""


def _margin(value: Any) -> Decimal:
    """A difference of scores, read exactly."""
    from evenhand.core.numbers import exact

    number = exact(value)
    if not 0 <= number <= 9:
        raise ValueError("give a number from 0 to 9")
    return number


def _also(value: str | tuple[str, str]) -> tuple[str, str]:
    """A format and the file it is written to."""
    if isinstance(value, tuple):
        return value
    format, equals, file = value.partition("=")
    if format not in _IN_FILES or not equals or not file:
        raise ValueError(f'"{value}" is not FORMAT=FILE; the formats are {", ".join(_IN_FILES)}')
    return format, file


class _GateCommand(click.Command):
    """With --github, the environment's options come first and those on the command line override them."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if "--github" in args:
            import os

            from evenhand.cli.commands.compare.github import environment_arguments

            args = [*environment_arguments(os.environ), *args]
        return super().parse_args(context, args)


@click.command("gate", cls=_GateCommand)
@click.argument("entries", metavar="[FILE|ID]...", nargs=-1)
@click.option(
    "--skill",
    metavar="NAME",
    help="A skill in the store instead of files: its latest evaluation, or gate.last of them.",
)
@setting_option("gate.last", default=1)
@click.option("--suite", metavar="RUN", help="A run of a suite, as in evenhand run show; --no-fault and so on apply.")
@setting_option("gate.baseline")
@limit_options
@click.option(
    "--criterion",
    "criteria",
    metavar="ID",
    multiple=True,
    help="Red if this criterion is not met: its id in the rubric, or the sentence that a judge was asked about.",
)
@click.option(
    "--require-calibration",
    "require_calibration",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Red if the judge's final score is not calibrated: at judging, or by this file, which must fit.",
)
@setting_option("gate.min_agreement")
@setting_option("gate.max_width")
@setting_option("gate.max_age")
@click.option(
    "--against", "--not-worse-than", metavar="FILE|SKILL", help="Red if scores fell below this baseline, beyond chance."
)
@setting_option("gate.margin", default=_margin("0.2"), read=_margin)
@click.option(
    "--better", is_flag=True,
    help="For a result of claude plugin eval: red unless the plugin is shown to be better than none.",
)  # fmt: skip
@setting_option("gate.undecided", default="5")
@setting_option("gate.rubric")
@store_option
@report_option(*CI_FORMATS)
@click.option(
    "--also",
    type=Read("format=file", _also),
    multiple=True,
    help="Write another format into a file as well: junit=gate.xml, sarif=findings.sarif.",
)
@click.option(
    "--github",
    is_flag=True,
    help="In GitHub Actions: options from EVENHAND_GATE_..., annotations, step summary, outputs, one comment.",
)
def command(
    entries: tuple[str, ...],
    skill: str | None,
    last: int,
    gate: Gate,
    criteria: tuple[str, ...],
    require_calibration: str | None,
    min_agreement: float | None,
    max_width: float | None,
    max_age: int | None,
    against: str | None,
    margin: Decimal,
    better: bool,
    undecided: str,
    rubric: str | None,
    store: str | None,
    format: str,
    also: Sequence[tuple[str, str]],
    github: bool,
    suite: str | None,
    baseline: str | None,
) -> int:
    """Pass or fail a build.

    Against a baseline the gate is red only where evenhand better says worse, by more than the margin:
    six cases out of six are enough. "undecided" means that the data cannot tell: not red, and not a
    pass. The history flags of a scorecard are never used: chance raises them too often.

    \b
    Examples:
      evenhand gate scorecards.jsonl --min-grade B-
      evenhand gate review.yaml --min-score 7.5 --no-red-flag false-run-claim
      evenhand gate now.jsonl --against main.jsonl --format junit > gate.xml
      evenhand gate --skill code-review --min-score 7
      evenhand gate runs.jsonl --no-fault critical
      evenhand gate runs.jsonl --criterion names-cause --criterion "cites the ticket"
      evenhand gate now.jsonl --min-score 7 --require-calibration
      evenhand gate --suite latest --set gate.baseline=v1
      evenhand gate my-plugin/ --better --min-score 0.8 --format junit > gate.xml
      evenhand gate now.jsonl --min-grade B- --github --also junit=gate.xml --also sarif=findings.sarif

    Exit code 1 only for red; 2 if something could not be read, 3 if a scorecard has no final score, 5 if
    it is undecided (0 with gate.undecided=ok).
    """
    gate = gate._replace(criteria=criteria)
    from evenhand.plugin_evals.result_files import are_results

    is_plugin = are_results(entries)
    if better and not is_plugin:
        raise click.UsageError("--better goes with a result of claude plugin eval, or a plugin's folder that holds one")
    if not is_plugin and gate.min_score is not None and gate.min_score < 1:
        raise click.UsageError(
            f"--min-score {gate.min_score} is a share; final scores go from 1 to 10, results of claude plugin eval "
            "from 0 to 1"
        )
    beyond = better or against is not None or require_calibration is not None
    if suite is None:
        _refuse_without_suite(baseline, asks=beyond or gate != Gate())
    elif beyond or entries or skill or gate.min_grade or gate.no_red_flags or criteria:
        raise click.UsageError("--suite goes with --min-score, --no-fault, gate.baseline and gate.margin only")
    gate = gate._replace(margin=margin)
    limits = CalibrationLimits(min_agreement, max_width, None if max_age is None else days_ago(max_age))
    if limits != CalibrationLimits() and not require_calibration:
        raise click.UsageError("gate.min_agreement, gate.max_width and gate.max_age need --require-calibration FILE")

    def ruled() -> GateResult:
        if is_plugin:
            return _ruled_plugin(gate, entries, against, better=better)
        if suite is not None:
            return _ruled_suite(gate, suite, baseline, store, advises=github)
        return _ruled(gate, entries, (skill, last), against, store, rubric, require_calibration, limits)

    result = _reported(ruled, format, also, github=github)
    if click.get_current_context().params["into"] not in (None, "-"):
        say_rulings(result)
    return gate_code(result.rulings, len(result.errors), undecided=undecided)


def _ruled_plugin(gate: Gate, entries: Sequence[str], against: str | None, *, better: bool) -> GateResult:
    """What a result of `claude plugin eval` is held to: better than no plugin, no worse than another, good enough."""
    from evenhand.decisions.gate import judge_better, judge_drop, judge_mean
    from evenhand.plugin_evals.report import change_lines, report
    from evenhand.plugin_evals.result import label
    from evenhand.plugin_evals.result_files import instructions_of, results_in
    from evenhand.plugin_evals.verdict import combined, moved, plugin_verdict, versions_verdict

    least = gate.min_score
    if gate != Gate(margin=gate.margin, min_score=least) or not (better or against or least is not None):
        raise click.UsageError("a result of claude plugin eval goes with --better, --not-worse-than and --min-score")
    if least is not None and least > 1:
        raise click.UsageError(f"--min-score {least}: scores of claude plugin eval go from 0 to 1, such as 0.8")
    result = combined(results_in(entries))
    verdict = plugin_verdict(result)
    rulings = [judge_better(verdict.contrast)] if better else []
    if against is not None:
        versions = versions_verdict(combined(results_in([against])), result)
        ruling = judge_drop(versions.contrast, versions.decision.measure, gate.margin)
        anchor = moved(versions)
        rulings.append(ruling._replace(says=f"{anchor}; {ruling.says}") if anchor else ruling)
    if least is not None:
        rulings.append(judge_mean(verdict.decision.facts(label(result)), verdict.decision.measure, least))
    changes = report(verdict, instructions_of(entries, result)).changes
    return GateResult([], rulings, [], advice=tuple("; ".join(change_lines(change, result)) for change in changes))


def _refuse_without_suite(baseline: str | None, *, asks: bool) -> None:
    if not asks:
        raise click.UsageError(
            "say what the gate asks for: --min-score, --min-grade, --no-red-flag, --no-fault, --criterion, --against "
            "or --require-calibration"
        )
    if baseline is not None:
        raise click.UsageError("gate.baseline needs --suite; evaluations are compared with --against")


def _reported(
    ruled: Callable[[], GateResult], format: str, also: Sequence[tuple[str, str]], *, github: bool
) -> GateResult:
    """What the gate says, written in its format and into other files; these are opened before anything is ruled."""
    overwrite = click.get_current_context().params["overwrite"]
    with ExitStack() as stack:
        files = [
            (kind, stack.enter_context(output_into(name, overwrite=overwrite, format=kind))) for kind, name in also
        ]
        if github:
            from evenhand.cli.commands.compare.github import no_commands, report, with_causes

            with no_commands():
                result = _written(with_causes(ruled()), format, files)
            report(result)
            return result
        return _written(ruled(), format, files)


def _written(result: GateResult, format: str, files: Sequence[tuple[str, BinaryIO]]) -> GateResult:
    writers = gate_writers(result)
    for kind, file in files:
        file.write(printable(writers[kind]() or "").encode())
    write_as(format, writers)
    return result


def _ruled_suite(gate: Gate, suite: str, baseline: str | None, store: str | None, *, advises: bool) -> GateResult:
    """The suite's own gate, with what the command line gives in its place; and what to change, if it `advises`."""
    from evenhand.cli.commands.compare.suite_outcome import suite_tests
    from evenhand.decisions.suite import SuiteGate
    from evenhand.reports.exchange.junit import Case, ruling_case
    from evenhand.suites.results.suite_results import find_run, rulings_on

    kept = chosen_store(store)[0]
    opened = find_run(suite, kept)
    suite_gate = opened.run.gate or SuiteGate()
    margin = click.get_current_context().get_parameter_source("margin") is click.core.ParameterSource.COMMANDLINE
    suite_gate = suite_gate._replace(
        margin=gate.margin if margin else suite_gate.margin,
        min_score=suite_gate.min_score if gate.min_score is None else gate.min_score,
        no_fault=gate.no_fault or suite_gate.no_fault,
    )
    results = list(opened.results)
    rulings = rulings_on(opened.run, results, kept, suite_gate, baseline=baseline)

    def tests() -> dict[str, Sequence[Case]]:
        return suite_tests(opened.run, results, [*map(ruling_case, rulings)], kept)

    return GateResult([], rulings, [], tests, advice=_advice(opened.run, results, kept) if advises else ())


def _advice(run: SuiteRun, results: Sequence[CaseResult], kept: Store | None) -> tuple[str, ...]:
    """What to change in the best variant of a run, with a quote, as far as its scorecards are stored."""
    from evenhand.reports.comparison.what_to_change import change_items
    from evenhand.suites.results.run_answer import run_answer, stored_complaints
    from evenhand.suites.results.suite_results import decision_on

    cases = sorted({result.id.case for result in results})
    complaints = {} if kept is None else stored_complaints(kept, results)
    changes = run_answer(decision_on(run, results), cases, lambda some: complaints).changes
    items = () if changes is None else change_items(changes)
    return tuple("; ".join((f"{text_of(item.head)} ({item.amount})", *_first(item.below))) for item in items)


def _first(nodes: Sequence[Node]) -> list[str]:
    return [text_of(node.words) for node in nodes[:1] if isinstance(node, Line)]


def _ruled(
    gate: Gate,
    entries: tuple[str, ...],
    of_skill: tuple[str | None, int],
    against: str | None,
    store: str | None,
    rubric: str | None,
    require_calibration: str | None,
    limits: CalibrationLimits,
) -> GateResult:
    calibration = None
    if require_calibration:
        from evenhand.judging.calibration import load_calibration

        calibration = load_calibration(require_calibration)
    kept = chosen_store(store)[0]
    cards, bad = _cards(entries, *of_skill, kept, rubric)
    baseline = None
    if against is not None:
        baseline, unread = _baseline(against, kept, rubric)
        bad += unread
    misplaced = {} if calibration is None else _misplaced(calibration, cards, kept)
    rulings = rule(
        cards,
        gate,
        baseline,
        calibrated=require_calibration is not None,
        calibration=calibration,
        limits=limits,
        alarms={} if require_calibration is None else _alarms(kept, calibration),
        misplaced=misplaced,
    )
    return GateResult(cards, rulings, bad)


def _alarms(kept: Store | None, calibration: Calibration | None) -> dict[str, str]:
    from evenhand.trust.anchors import gate_alarms

    return {} if kept is None else gate_alarms(kept, calibration)


def _misplaced(calibration: Calibration, cards: Sequence[Named], kept: Store | None) -> dict[str, str]:
    from evenhand.trust.borrowed_calibrations import misplaced_skills

    return misplaced_skills(calibration, [entry.card for entry in cards], kept)


def _cards(
    entries: tuple[str, ...], skill: str | None, last: int, kept: Store | None, rubric: str | None
) -> tuple[list[Named], list[InputError]]:
    if skill is not None:
        if entries or kept is None:
            raise click.UsageError("--skill takes evaluations from a store; do not name files as well")
        return cards_of_skill(kept, skill, last=last, only_history=True), []
    if not entries:
        raise click.UsageError("name files or ids, or a --skill")
    return sorted_out(find_cards(entries, kept, rubric=rubric))


def _baseline(against: str, kept: Store | None, rubric: str | None) -> tuple[list[Named], list[InputError]]:
    from pathlib import Path

    if Path(against).exists() or kept is None:
        return sorted_out(find_cards([against], kept, rubric=rubric))
    return cards_of_skill(kept, against, only_history=True), []
