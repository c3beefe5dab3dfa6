"""evenhand history: a skill's evaluations over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from evenhand.cli.commands.follow.show_cost import show_cost
from evenhand.cli.presenter import present, report_option
from evenhand.cli.shared import needed_store, say, store_option
from evenhand.core.numbers import hundredths
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.in_words import counted, dollars, listed
from evenhand.judging.kept.found_cards import cards_of_skill
from evenhand.reports.history import history_row
from evenhand.reports.tree import Column, Head, Line, Report, Row, Table
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of
from evenhand.store.tables.browsed_lists import Listed, paid_for


@click.command("history")
@click.argument("skill", required=False)
@click.option(
    "--suite", metavar="NAME", help="Evaluations made by runs of this suite instead; the history does not include them."
)
@click.option("--last", type=click.IntRange(min=1), default=20, show_default=True, help="How many evaluations to show.")
@click.option("--failed", is_flag=True, help="Attempts in which nothing was scored, with why and what they cost.")
@click.option("--cost", is_flag=True, help="What was spent instead, by skill, judge and suite.")
@click.option("--since", metavar="DATE", help="With --cost: only what was made from this day on, such as 2026-11-01.")
@store_option
@report_option("svg")
def command(
    skill: str | None,
    suite: str | None,
    last: int,
    failed: bool,
    cost: bool,
    since: str | None,
    store: str | None,
    format: str,
) -> None:
    """Show a skill's evaluations over time; without a skill, all skills.

    Evaluations made by suites are listed apart, with --suite, and never count in a history. A skill that was only
    evaluated in suites shows those; a plugin with kept results of claude plugin eval, how they went.

    \b
    Examples:
      evenhand history
      evenhand history code-review --last 50
      evenhand history --failed
      evenhand history --cost --since 2026-11-01
      evenhand history code-review --format svg > code-review.svg
      evenhand history code-review -o code-review.html
    """
    if cost:
        if skill is not None or format in ("html", "svg"):
            raise InputError("--cost counts all skills, and has no --format html or svg; leave those out")
        show_cost(since, store, format)
        return
    if since is not None:
        raise InputError("--since goes with --cost")
    kept = needed_store(store)
    if failed:
        _failed(kept, skill or "", last, format)
        return
    if skill is None:
        if suite is not None:
            raise InputError("--suite lists the evaluations of one skill; name it: evenhand history SKILL --suite NAME")
        if format == "svg":
            raise InputError("--format svg draws one skill; name it: evenhand history SKILL")
        _overview(kept, format)
        return
    try:
        cards = [named.card for named in cards_of_skill(kept, skill, last=last, suite=suite)]
    except InputError:
        from evenhand.cli.commands.follow.suite_course import course_of, show_course

        if not (steps := course_of(kept, suite or skill, last)):
            raise
        show_course(steps, format)
        return
    notes = _not_told_apart(kept, cards)

    def report() -> Report:
        from evenhand.reports.skill_history import Failed, history_report

        failures = kept.failed_attempts().get(skill, 0)
        failed = (
            [Failed(what=row.title, why=row.reason) for row in kept.failed(skill, limit=_NAMED)] if failures else []
        )
        lines = [*_in_suites(kept, skill, cards), *(Line(note, "alarm") for note in dict.fromkeys(notes.values()))]
        return history_report(skill, cards, lines, failed, failures)

    def svg() -> str:
        from evenhand.reports.html.picture import chart_picture
        from evenhand.reports.skill_history import skill_chart

        return chart_picture(skill, skill_chart(skill, cards))

    def document() -> list[dict[str, Any]]:
        return [history_row(card) | {"not_told_apart": notes.get(card.id)} for card in cards]

    present(format, document, report=report, svg=svg)


_NAMED: Final = 5
"""Attempts that failed, named below a history."""


def _in_suites(kept: Store, skill: str, cards: Sequence[Scorecard]) -> list[Line]:
    """That there are evaluations which do not count here."""
    count = kept.skills_in_suites().get(skill, 0)
    listed = "these" if cards[-1].suite is not None else "list them with --suite NAME"
    return [Line(f"{counted(count, 'evaluation')} in runs of suites, outside the history: {listed}")] if count else []


def _not_told_apart(kept: Store, cards: Sequence[Scorecard]) -> dict[str, str]:
    """By id, why a drift alarm may be the judge's: its anchors have an open alarm."""
    from evenhand.reports.trust.anchors import drift_note
    from evenhand.trust.anchors import judge_alarm, open_alarms

    if not any(card.history and card.history.drift and card.history.drift.alarm for card in cards):
        return {}
    alarms = open_alarms(kept)
    return {
        card.id: drift_note(alarm.judge, alarm.raised, alarm.says)
        for card in cards
        if (alarm := judge_alarm(card, alarms)) is not None
    }


_FAILED_HEAD = ("when", "skill", "what", "judge", "calls", "tokens", "cost", "why", "id")


def _failed(kept: Store, skill: str, last: int, format: str) -> None:
    """Attempts that failed, newest first: a judge scored nothing, or the agent of a suite gave nothing to judge."""
    if format == "svg":
        raise InputError("--failed has no --format svg; use terminal, markdown, html, json or jsonl")
    rows = kept.failed(skill, limit=last)
    counts = kept.failed_attempts()
    total = counts.get(skill, 0) if skill else sum(counts.values())
    if not rows:
        say(f"no attempt failed{f' of {skill}' if skill else ''} in {kept.url}")
    elif total > len(rows):
        say(f"the last {len(rows)} of {total} attempts that failed; more with: --last {total}")

    present(format, lambda: [_failed_document(row) for row in rows], report=lambda: _failed_report(rows))


def _failed_report(rows: Sequence[Listed]) -> Report:
    cells = [_failed_cells(row) for row in rows]
    filled = [place for place in range(len(_FAILED_HEAD)) if any(row[place] for row in cells)]
    names = [_FAILED_HEAD[place] for place in filled]
    columns = tuple(Column(name, name in ("calls", "tokens", "cost"), whole=name == "id") for name in names)
    table = Table(columns, tuple(Row(tuple(row[place] for place in filled)) for row in cells))
    title = "Attempts that failed"
    return Report(title, (Head(title=title), table) if rows else ())


def _failed_cells(row: Listed) -> tuple[str, ...]:
    tokens = row.input_tokens + row.output_tokens + (row.agent_tokens or 0)
    when = row.created[:16].replace("T", " ")
    asked = "" if row.asked is None else f"{row.asked:,}"
    cost = paid_for(row)
    shown = "unknown" if cost is None else dollars(cost)
    return (when, row.skill, row.title, row.judge_name, asked, f"{tokens:,}", shown, row.reason, row.id)


def _failed_document(row: Listed) -> dict[str, Any]:
    cost = paid_for(row)
    return {
        "id": row.id,
        "skill": row.skill,
        "created": row.created,
        "state": row.state,
        "kind": row.kind,
        "title": row.title,
        "judge": row.judge_name or None,
        "reason": row.reason,
        "calls": row.asked,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cost": None if cost is None else float(cost),
        "suite": row.suite_run,
        "variant": row.variant,
    }


def _overview(kept: Store, format: str) -> None:
    from evenhand.reports.skill_history import SkillLine, overview_report

    lines = []
    in_suites, failed = kept.skills_in_suites(), kept.failed_attempts()
    for name, count in sorted((dict.fromkeys(in_suites, 0) | dict(kept.skills())).items()):
        cards = [card_of(record) for record in kept.evaluations(name, last=20, reviews=False)]
        cards = cards or [card_of(record) for record in kept.evaluations(name, last=20, suites=True)]
        if not cards:  # of runs of agents that gave nothing to judge: history --failed lists them
            continue
        newest = cards[-1]
        finals = [hundredths(card.final) for card in cards if card.final is not None and card.suite is None]
        lines.append(
            SkillLine(
                name=name,
                evaluations=count,
                finals=finals,
                newest=newest,
                in_suites=in_suites.get(name, 0),
                failed=failed.get(name, 0),
            )
        )
    suites = sorted({run.suite for run in kept.suite_runs(limit=1_000)} - {line.name for line in lines})
    if suites:
        say(f"runs of {listed(suites)}: evenhand history {suites[0]}")
    elif not lines:
        say(f"no evaluations in {kept.url} yet; make one with: evenhand judge OUTPUT")
    present(
        format,
        lambda: [
            {
                "skill": line.name,
                "evaluations": line.evaluations,
                "last": history_row(line.newest),
                "in_suites": in_suites.get(line.name, 0),
                "failed": failed.get(line.name, 0),
            }
            for line in lines
        ],
        report=lambda: overview_report(lines),
    )
