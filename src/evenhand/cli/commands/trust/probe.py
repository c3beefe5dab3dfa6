"""evenhand trust probe: a judge's self-test, and the cards of earlier ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.judge_options import model_options, run_options
from evenhand.cli.presenter import lone, present, report_option
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import DONE, NOT_SCORED, chosen_store, needed_store, say, store_option

if TYPE_CHECKING:
    from evenhand.options.model_options import ModelOptions
    from evenhand.trust.probes import ProbeOutcome, ProbeTest


@click.command("probe")
@click.argument("judge", metavar="[JUDGE]", required=False)
@click.option("--show", is_flag=True, help="Show the newest card of JUDGE, or of every judge; nothing is asked.")
@click.option("--quick", is_flag=True, help="Only repeatability, padding, a planted verdict, a blank and a false fact.")
@click.option(
    "--on",
    "paths",
    metavar="FILE|FOLDER",
    multiple=True,
    help="Your own outputs instead of the built-in ones: paraphrased, reordered, padded, cut, contradicted, signed.",
)
@click.option("--rubric", "-r", metavar="NAME|FILE", help="With --on: the rubric to judge by.")
@click.option("--task", metavar="FILE|TEXT", help="With --on: the task, where the outputs do not name theirs.")
@setting_option("trust.outputs", default=10)
@click.option("--dry-run", is_flag=True, help="Show how many calls, tokens and dollars it would take, and stop.")
@model_options("probe", without=("replies",))
@store_option
@report_option()
def command(
    judge: str | None,
    show: bool,
    quick: bool,
    paths: tuple[str, ...],
    rubric: str | None,
    task: str | None,
    outputs: int,
    dry_run: bool,
    store: str | None,
    format: str,
    **asking: Any,
) -> int:
    """Test a judge with built-in outputs, and show its card: what moves its scores that should not, what should.

    Ten short outputs are judged as they are and changed in known ways: padded, repeated, laid out, in a
    confident tone, signed by other authors and models, in another language, with a verdict planted in
    them, and spoilt (a fact changed, a step left out, a unit wrong, a false claim), which a judge must
    mark down. The card has each effect with its interval. Give the same settings as for judging: they are
    part of the judge.

    With --on your own outputs are judged by your rubric, as they are and changed in ways whose effect follows from the
    text; the card then shows every dimension, and how often an honest judge with this noise would be accused.

    The card is kept in the store and compared with the judge's last one. Nothing of it enters a skill's
    history.

    \b
    Examples:
      evenhand trust probe openai:gpt-4o --dry-run
      evenhand trust probe openai:gpt-4o --quick
      evenhand trust probe openai:gpt-4o --on outputs/ --rubric writing
      evenhand trust probe openai:gpt-4o --show -o card.html
    """
    from evenhand.cli.model_run import write_plan
    from evenhand.errors import Unavailable
    from evenhand.files.text import text_or_file
    from evenhand.judges.probing.probes import probe_items
    from evenhand.trust.probes import ProbeTest, own_material, probe_judge

    if show:
        return _show_cards(judge, store, format)
    if judge is None:
        raise click.UsageError("name the judge, such as openai:MODEL, or see the cards of all with --show")
    if not paths and (rubric is not None or task is not None):
        raise click.UsageError("--rubric and --task go with --on; the built-in outputs have their own.")
    if paths and quick:
        raise click.UsageError("--quick is for the built-in outputs; with --on, take fewer: --set trust.outputs=5.")
    on = None
    if paths:
        on = own_material(paths, rubric=rubric, task=None if task is None else text_or_file(task), most=outputs)
    kept_in, settings = chosen_store(store)
    of = {"judge": judge} if on is None else {"judge": judge, "on": [*paths], "outputs": outputs, "rubric": rubric}
    options = fresh_options("probe", asking, settings.store, of)
    test = ProbeTest(judge, options, quick=quick, on=on, notice=say, needs_key=not dry_run)
    if test.spec != judge:
        say(f"auto: the judge is {test.spec}")
    plan = test.plan()
    if dry_run:
        counts = {"submissions": len(probe_items() if on is None else on.items), "readings": test.readings}
        write_plan([(test.identity["name"], plan)], format, counts)
        return DONE
    say(f"probing {test.identity['name']}: {test.readings} readings, {plan.calls:,} calls")
    try:
        outcome = probe_judge(test, kept_in, _ticker(test))
    except Unavailable as error:
        if test.budget.broken or test.budget.stopped is None:
            raise
        say(f"stopped: {error}")
        return NOT_SCORED
    _show([outcome], format)
    return DONE


def fresh_options(
    use: str, asking: dict[str, Any], store: str, of: dict[str, Any], *, as_before: bool = False
) -> ModelOptions:
    """How a judge is asked anew, with a file of replies of its own, in which an interrupted run goes on.

    The file is named after `of`, which says what is run, and after how the judge is asked.
    """
    from evenhand.core.receipt import canonical_text, sha256
    from evenhand.options.model_options import OPTIONS

    options = run_options(use, asking, store, as_before=as_before)
    if options.replies is None:
        return options
    asked = {name: value for name, value in options.given().items() if OPTIONS[name].asked}
    name = f"{use}-{sha256(canonical_text({**of, **asked}))[:12]}.db"
    return replace(options, replies=Path(options.replies).with_name(name))


def _ticker(test: ProbeTest) -> Callable[[], None]:
    """Counts readings on a terminal."""
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            end = "\n" if done == test.readings else ""
            print(f"\r{done} of {test.readings} readings", end=end, file=sys.stderr, flush=True)

    return tick


def _show_cards(judge: str | None, store: str | None, format: str) -> int:
    from evenhand.trust.probes import stored_outcomes

    kept_in = needed_store(store)
    outcomes = stored_outcomes(kept_in, judge)
    if not outcomes:
        say(f"no judge has been probed in {kept_in.url} yet; probe one with: evenhand trust probe JUDGE")
    _show(outcomes, format)
    return DONE


def _show(outcomes: Sequence[ProbeOutcome], format: str) -> None:
    from evenhand.reports.trust.judge_card import cards_report
    from evenhand.stats.trust.judge_card import card_document

    present(
        format,
        lambda: lone([card_document(*outcome) for outcome in outcomes]),
        report=lambda: cards_report(outcomes),
    )
