"""evenhand advise: what to change in a skill, over its cases."""

from __future__ import annotations

import click

from evenhand.cli.presenter import console, format_option, present
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    chosen_store,
    rubric_option,
    skill_file_option,
    sorted_out,
    store_option,
)
from evenhand.decisions.values.change import Changes
from evenhand.errors import InputError, unknown
from evenhand.store.protocol import Store


@click.command("advise")
@click.argument("entries", metavar="RUN|FILE|ID...", nargs=-1, required=True)
@skill_file_option
@click.option(
    "--variant", metavar="NAME", help="Of a suite's run: this variant. Default: the best that is not the reference."
)
@click.option("--all", "everything", is_flag=True, help="Show all changes, not only the most costly.")
@rubric_option
@store_option
@format_option()
def command(
    entries: tuple[str, ...],
    skill_file: str | None,
    variant: str | None,
    everything: bool,
    rubric: str | None,
    store: str | None,
    format: str,
) -> int:
    """Show what to change in a skill, most costly first.

    Reasons of judges, red flags, faults and unmet expectations are collected over cases and grouped by what
    they say. Each has its cost (points of the final score, in the mean over all cases), its cases, two
    quotes, and with --skill-file the instruction it breaks.

    RUN is a stored run of a suite (its id, or `latest`); FILE holds scorecards or judgements; ID is a stored
    evaluation.

    \b
    Examples:
      evenhand advise latest --skill-file skills/release-notes
      evenhand advise scorecards.jsonl --format json
      evenhand advise 0197f2c1
    """
    from evenhand.evaluations.collected_complaints import changes_of
    from evenhand.evaluations.comparisons import find_cards
    from evenhand.judging.skill_file import read_skill
    from evenhand.reports.comparison.what_to_change import MOST, changes_document, changes_lines, changes_report

    kept = chosen_store(store)[0]
    skill = None if skill_file is None else read_skill(skill_file)
    found = _of_run(entries[0], variant, kept, skill) if len(entries) == 1 else None
    if found is None:
        if variant is not None:
            raise click.UsageError("--variant goes with a run of a suite")
        good, bad = sorted_out(find_cards(entries, kept, rubric=rubric))
        if bad:
            return BAD_INPUT
        found = "", changes_of(good, skill)
    name, changes = found
    report = changes_report(changes, of=name, most=None if everything else MOST)

    def terminal() -> None:
        from evenhand.reports.terminal.changes import print_changes

        print_changes(report, console())

    present(format, lambda: changes_document(changes), lines=lambda: [*changes_lines(report)], terminal=terminal)
    return DONE


def _of_run(
    name: str, variant: str | None, kept: Store | None, skill: tuple[str, str] | None
) -> tuple[str, Changes] | None:
    """The variant and what to change in it; None when no run of a suite has this name."""
    from evenhand.suites.results.run_answer import advised_variant, stored_complaints
    from evenhand.suites.results.suite_results import decision_on, stored_run

    if kept is None or (name != "latest" and "@" not in name and kept.suite_run(name) is None):
        return None
    opened = stored_run(kept, name)
    if variant is not None and variant not in opened.run.variants:
        raise InputError(unknown("variant", variant, opened.run.variants))
    chosen = variant or advised_variant(decision_on(opened.run, opened.results))
    collected = stored_complaints(kept, stored_run(kept, name).results)
    if chosen not in collected:
        raise InputError(f"no scorecard of {chosen} is stored; run the suite again with a store")
    return chosen, collected[chosen].changes(skill)
