"""Reports as Markdown, to paste into a pull request or keep beside the output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from evenhand.core.basics.numbers import shown
from evenhand.core.documents.verification import Verification
from evenhand.core.text.printable import printable
from evenhand.core.values.opinion import Evidence
from evenhand.core.values.ranking import Ranking
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.reports.document import card_report, evidence_note
from evenhand.reports.panel import PanelReport

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def scorecard_markdown(card: Scorecard) -> str:
    """The whole report of one scorecard."""
    report = card_report(card)
    lines = [f"# {_safe(report.skill)}: {report.letter if report.letter != '-' else 'no grade'}", ""]
    lines += [f"**{' '.join(report.headline.split())}.** {report.meaning}", "", f"{_sentence(report.verdict)}", ""]
    lines += [f"{_sentence(report.arithmetic)}", ""]
    lines += [
        f"{_sentence(each)}" for each in (f"Lost: {report.lost}" if report.lost else "", report.next_step) if each
    ]
    lines += ["", "| dimension | score | points | why |", "|---|---:|---|---|"]
    for row in report.rows:
        lines.append(f"| {row.name} | {row.score} | {row.sum} | {table_cell(row.says)} |")
    quoted = [(row.name, row.evidence) for row in report.rows if row.evidence]
    if quoted:
        lines += ["", "## Evidence", ""]
        for name, evidence in quoted:
            lines += [f"- {name}", *_quotes(evidence)]
    for title, kind in (("Red flags", "red flag"), ("Bonuses", "bonus")):
        claims = [claim for claim in report.claims if claim.kind == kind]
        if claims:
            lines += ["", f"## {title}", ""]
            for claim in claims:
                said = f" {_safe(claim.explanation)}" if claim.explanation else ""
                lines.append(f"- **{claim.id}** ({claim.amount}): {_safe(claim.description)}{said}")
                lines += _quotes(claim.evidence)
    if report.panel is not None:
        lines += _panel(report.panel)
    if report.history:
        lines += ["", "## History", "", *(f"- {_safe(each)}" for each in report.history)]
    if report.warnings:
        lines += ["", "## Warnings", "", *(f"- {_safe(each)}" for each in report.warnings)]
    lines += ["", "## How the score was computed", ""]
    lines += [f"{place}. {_safe(text)} ({rule})" for place, (rule, text) in enumerate(report.audit, start=1)]
    lines += ["", "## Receipt", "", "| what | value |", "|---|---|"]
    lines += [f"| {name} | {table_cell(value)} |" for name, value in report.facts]
    return "\n".join(_one_blank(lines)) + "\n"


def _panel(panel: PanelReport) -> list[str]:
    """Who said what, and what to know about it."""
    lines = ["", "## Judges", ""]
    if panel.rows:
        lines.append(f"| dimension | {' | '.join(map(table_cell, panel.judges))} | panel | spread |")
        lines.append(f"|---|{'---:|' * (len(panel.judges) + 2)}")
        for row in panel.rows:
            spread = f"**{row.spread}**" if row.disputed else row.spread
            lines.append(f"| {row.name} | {' | '.join(row.scores)} | {row.official} | {spread} |")
        lines.append("")
    for label, said, _ in panel.lines:
        if label == "not counted":
            lines.append(f"- {label}:")
            for claim in panel.lost:
                lines.append(f"  - {_safe(' '.join((claim.says, claim.explanation)))}")
                lines += [f"  {each}" for each in _quotes(claim.evidence)]
        else:
            lines.append(f"- {label}: {_safe(said)}")
    return lines


def ranking_markdown(ranking: Ranking) -> str:
    """A ranking as a table."""
    lines = ["| rank | id | skill | final | grade | above the next by |", "|---:|---|---|---:|---|---|"]
    for entry in ranking.entries:
        decided = (entry.decided_by or "").replace("_", " ")
        shared = " (shared)" if entry.equivalent_to else ""
        lines.append(
            f"| {entry.rank}{shared} | {table_cell(entry.id)} | {table_cell(entry.skill)} "
            f"| {entry.final} | {entry.grade} | {decided} |"
        )
    lines += [""] if ranking.unranked or ranking.warnings else []
    lines += [f"- not ranked: {_safe(each.id)} ({_safe(each.reason)})" for each in ranking.unranked]
    lines += [f"- {_safe(warning)}" for warning in ranking.warnings]
    return "\n".join(lines) + "\n"


def verification_markdown(result: Verification) -> str:
    """What checking a scorecard found."""
    lines = [f"**{_safe(result.id)}** {'holds' if result.ok else 'does not hold'}", ""]
    lines += [f"- {_safe(each.field)}: {_safe(each.problem)}" for each in result.differences]
    lines += [f"- checked: {_safe(each)}" for each in result.checked]
    lines += [f"- not checked: {_safe(each)}" for each in result.unchecked]
    return "\n".join(lines) + "\n"


def rubric_markdown(rubric: Rubric) -> str:
    """A rubric in the form its files have, weights and ids spelled out."""
    lines = ["---", f"name: {_yaml(rubric.name)}", f"title: {_yaml(rubric.title)}"]
    lines += [f"domain: {_yaml(rubric.domain)}"] if rubric.domain else []
    lines += [f"version: {_yaml(rubric.version)}", "weights:"]
    lines += [f"  {name}: {shown(weight * 100)}" for name, weight in rubric.weights.items()]
    lines.append(f"pass_mark: {shown(rubric.pass_mark)}")
    lines += [f"pass_mark_reason: {_yaml(rubric.pass_mark_reason)}"] if rubric.pass_mark_reason else []
    lines.append("red_flags:" if rubric.red_flags else "red_flags: []")
    for flag in rubric.red_flags:
        lines += [f"  - id: {_yaml(flag.id)}", f"    deduction: {shown(flag.deduction)}"]
        lines += [f"    detect: {_yaml(flag.detect)}"] if flag.detect else []
    lines.append("bonuses:" if rubric.bonuses else "bonuses: []")
    for bonus in rubric.bonuses:
        lines += [f"  - id: {_yaml(bonus.id)}"] if bonus.detect else [f"  - {_yaml(bonus.id)}"]
        lines += [f"    detect: {_yaml(bonus.detect)}"] if bonus.detect else []
    lines += ["---", "", f"# {rubric.title}", ""]
    lines += [rubric.summary, ""] if rubric.summary else []
    lines += ["## Dimensions", ""]
    for name, criteria in rubric.dimensions.items():
        lines += [f"### {name.capitalize()}", "", f"**Measures:** {criteria.measures}", ""]
        lines += ["| Score | Criteria |", "|-------|----------|"]
        lines += [f"| {_band(band.low, band.high):<5} | {band.criteria} |" for band in criteria.bands]
        lines.append("")
    lines += ["## Red flags", "", *(f"- `{flag.id}`: {flag.description}" for flag in rubric.red_flags), ""]
    lines += ["## Bonuses", "", *(f"- `{bonus.id}`: {bonus.description}" for bonus in rubric.bonuses)]
    return "\n".join(lines) + "\n"


def lines_markdown(lines: Sequence[str]) -> str:
    """Plain sentences as a list."""
    return "".join(f"- {_safe(line)}\n" for line in lines)


def table_cell(text: str) -> str:
    """Text from outside as a cell of a table."""
    return _safe(" ".join(text.split()))


def _band(low: int, high: int) -> str:
    return f"{low}-{high}" if low != high else str(low)


def _yaml(text: str) -> str:
    """Text as a YAML value, quoted unless it is plainly a word or a phrase."""
    return text if _PLAIN.fullmatch(text) and text.lower() not in ("true", "false", "null") else json.dumps(text)


_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 ,.()/'-]*[A-Za-z0-9.)])?")
"""A letter first, and no colon or other sign that YAML might read as something else."""


def _quotes(evidence: Sequence[Evidence]) -> Iterable[str]:
    for each in evidence:
        yield f"  - {evidence_note(each)}: \u201c{_safe(' '.join(each.quote.split()))}\u201d"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _safe(text: str) -> str:
    """Text from outside, so that none of it is taken for markup."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def _one_blank(lines: Iterable[str]) -> Iterable[str]:
    previous = "."
    for line in lines:
        if line or previous:
            yield line
        previous = line
