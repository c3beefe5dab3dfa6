"""Reports as Markdown, to paste into a pull request or keep beside the output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.core.numbers import shown
from evenhand.core.values import RAW, Evidence, Ranking, Rubric, Scorecard
from evenhand.reports.advice import TITLE
from evenhand.reports.comparison.verdict_answer import AnswerReport
from evenhand.reports.document import CardReport, card_report, evidence_note
from evenhand.reports.findings import FindingsReport
from evenhand.reports.history import FLAGGED
from evenhand.reports.markdown_pieces import lines_markdown, safe, table_cell
from evenhand.reports.panel import PanelReport

if TYPE_CHECKING:
    from evenhand.documents.scorecards.verification import Verification


def scorecard_markdown(card: Scorecard, rubric: Rubric | None = None) -> str:
    """The whole report of one scorecard. `rubric` is the one it was made with."""
    report = card_report(card, rubric)
    lines = [f"# {safe(report.skill)}: {report.letter if report.letter != '-' else 'no grade'}", ""]
    lines += [f"**{' '.join(report.headline.split())}.** {report.meaning}", "", f"{_sentence(report.verdict)}", ""]
    lines += [f"{_sentence(report.arithmetic)}", ""]
    lines += [f"- {_history(*line)}" for line in report.flagged]
    lines += ["", *_advice(report), ""]
    lines += [
        f"{_sentence(line)}" for line in (f"Lost: {report.lost}" if report.lost else "", report.next_step) if line
    ]
    lines += [] if card.unread else _dimensions(report)
    quoted = [(row.name, row.evidence) for row in report.rows if row.evidence]
    if quoted:
        lines += ["", "## Evidence", ""]
        for name, evidence in quoted:
            lines += [f"- {name}", *_quotes(evidence)]
    lines += _criteria(report)
    for title, kind in (("Red flags", "red flag"), ("Bonuses", "bonus")):
        claims = [claim for claim in report.claims if claim.kind == kind]
        if claims:
            lines += ["", f"## {title}", ""]
            for claim in claims:
                explanation = f" {safe(claim.explanation)}" if claim.explanation else ""
                lines.append(f"- **{claim.id}** ({claim.amount}): {safe(claim.description)}{explanation}")
                lines += _quotes(claim.evidence)
    if report.findings is not None:
        lines += _findings(report.findings)
    if report.panel is not None:
        lines += _panel(report.panel)
    if report.calibration:
        lines += ["", "## Calibrated", "", *(f"- {safe(line)}" for line in report.calibration)]
    if report.history:
        lines += ["", "## History", "", *(f"- {_history(*line)}" for line in report.history)]
    if report.warnings:
        lines += ["", "## Warnings", "", *(f"- {safe(warning)}" for warning in report.warnings)]
    lines += ["", "## How the score was computed", ""]
    lines += [f"{place}. {safe(text)} ({rule})" for place, (rule, text) in enumerate(report.audit, start=1)]
    lines += ["", "## Receipt", "", "| what | value |", "|---|---|"]
    lines += [f"| {name} | {table_cell(value)} |" for name, value in report.facts]
    return "\n".join(_one_blank(lines)) + "\n"


def _advice(report: CardReport) -> list[str]:
    """The recommendations as a numbered list."""
    advice = report.advice
    lines = [f"## {TITLE}", ""] if advice.rows else []
    for place, row in enumerate(advice.rows, start=1):
        lines.append(f"{place}. **{safe(row.title)}**: {safe(row.effect)}")
        lines += [f"   - {label}: {safe(text)}" for label, text in row.lines]
        lines += [f" {quote}" for quote in _quotes(row.evidence)]
    return [*lines, "", *(_sentence(safe(note)) for note in advice.notes)]


def _dimensions(report: CardReport) -> list[str]:
    """The seven scores as a table."""
    means = any(row.mean for row in report.rows)
    lines = ["", f"| dimension | score |{' history |' if means else ''} points | why |"]
    lines.append(f"|---|---:|{'---|' if means else ''}---|---|")
    for row in report.rows:
        history = f"**{row.mean}, {FLAGGED}**" if row.flagged else row.mean
        mean = f" {history} |" if means else ""
        lines.append(f"| {row.name} | {row.score} |{mean} {row.sum} | {table_cell(row.says)} |")
    return lines


def _criteria(report: CardReport) -> list[str]:
    """The criteria of each dimension that has some: missed ones first, with reasons and quotes."""
    lines = []
    for row in report.rows:
        if row.criteria is None:
            continue
        lines += ["", f"## Criteria of {row.name}", "", f"{_sentence(row.criteria.summary)}", ""]
        for criterion in row.criteria.rows:
            cost = f" ({criterion.cost})" if criterion.cost else ""
            says = f" {safe(criterion.says)}" if criterion.says else ""
            name = f"**{criterion.answer}**{cost} `{criterion.id}`"
            lines.append(f"- {name}: {safe(criterion.sentence)}{says}")
            lines += _quotes(criterion.evidence)
    return lines


def _findings(findings: FindingsReport) -> list[str]:
    """Faults with their quotes, expectations, and what is fine."""
    lines = []
    if findings.faults:
        lines += ["", "## Faults", ""]
        for fault in findings.faults:
            consequence = f" ({safe(fault.consequence)})" if fault.consequence else ""
            lines.append(f"- **{fault.severity}** {fault.dimension}: {safe(fault.message)}{consequence}")
            lines += _quotes(() if fault.evidence is None else (fault.evidence,))
            lines += [f"  - the event: {safe(fault.event)}"] if fault.event else []
    if findings.expectations:
        lines += ["", "## Expectations", ""]
        for row in findings.expectations:
            consequence = f"; {safe(row.consequence)}" if row.consequence else ""
            lines.append(f"- **{row.result}** {safe(row.words)}: {safe(row.message)}{consequence}")
            lines += _quotes(() if row.evidence is None else (row.evidence,))
    if findings.endings:
        lines += ["", "## How things ended", ""]
        for thing in findings.endings:
            lines.append(f"- {thing.thing}: {safe(thing.what)}: **{thing.outcome}** {safe(thing.event)}".rstrip())
    if findings.notes:
        lines += ["", "## Notes", "", "What is only likely: hints that count for nothing.", ""]
        for note in findings.notes:
            lines.append(f"- {note.dimension}: {safe(note.message)}")
            lines += _quotes(() if note.evidence is None else (note.evidence,))
    if findings.caps:
        lines += ["", "## Capped scores", "", *(f"- {safe(cap)}" for cap in findings.caps)]
    if findings.fine:
        lines += ["", "## Checked and fine", "", *(f"- {safe(message)}" for message in findings.fine)]
    return lines


def _history(line: str, weight: str) -> str:
    return f"**{safe(line)}**" if weight in ("alarm", "unusual") or FLAGGED in line else safe(line)


def _panel(panel: PanelReport) -> list[str]:
    """The judges' scores side by side, and what to know about them."""
    lines = ["", "## Judges", ""]
    if panel.rows:
        lines.append(f"| dimension | {' | '.join(map(table_cell, panel.judges))} | panel | spread |")
        lines.append(f"|---|{'---:|' * (len(panel.judges) + 2)}")
        for row in panel.rows:
            spread = f"**{row.spread}**" if row.disputed else row.spread
            lines.append(f"| {row.name} | {' | '.join(row.scores)} | {row.official} | {spread} |")
        lines.append("")
    for label, sentence, _ in panel.lines:
        if label == "not counted":
            lines.append(f"- {label}:")
            for claim in panel.lost:
                lines.append(f"  - {safe(' '.join((claim.says, claim.explanation)))}")
                lines += [f"  {quote}" for quote in _quotes(claim.evidence)]
        else:
            lines.append(f"- {label}: {safe(sentence)}")
    return lines


def ranking_markdown(ranking: Ranking, names: Mapping[str, str] = {}) -> str:
    """A ranking as a table. `names` are what people call the ids."""
    lines = ["| rank | name | skill | final | grade | above the next by |", "|---:|---|---|---:|---|---|"]
    for entry in ranking.entries:
        decided = (entry.decided_by or "").replace("_", " ")
        shared = " (shared)" if entry.equivalent_to else ""
        lines.append(
            f"| {entry.rank}{shared} | {table_cell(names.get(entry.id, entry.id))} | {table_cell(entry.skill)} "
            f"| {entry.final} | {entry.grade} | {decided} |"
        )
    lines += [""] if ranking.unranked or ranking.warnings else []
    lines += [
        f"- not ranked: {safe(names.get(entry.id, entry.id))} ({safe(entry.reason)})" for entry in ranking.unranked
    ]
    lines += [f"- {safe(warning)}" for warning in ranking.warnings]
    return "\n".join(lines) + "\n"


def verification_markdown(result: Verification) -> str:
    """The result of checking a scorecard."""
    lines = [f"**{safe(result.name)}** {'holds' if result.ok else 'does not hold'}", ""]
    lines += [f"- {safe(difference.field)}: {safe(difference.problem)}" for difference in result.differences]
    lines += [f"- checked: {safe(line)}" for line in result.checked]
    lines += [f"- not checked: {safe(line)}" for line in result.unchecked]
    return "\n".join(lines) + "\n"


def rubric_markdown(rubric: Rubric) -> str:
    """A rubric in the form its files have, weights and ids spelled out."""
    lines = ["---", f"name: {_yaml(rubric.name)}", f"title: {_yaml(rubric.title)}"]
    lines += [f"domain: {_yaml(rubric.domain)}"] if rubric.domain else []
    lines += [f"version: {_yaml(rubric.version)}", "weights:"]
    lines += [f"  {name}: {shown(weight * 100)}" for name, weight in rubric.weights.items()]
    lines.append(f"pass_mark: {shown(rubric.pass_mark)}")
    lines += [f"pass_mark_reason: {_yaml(rubric.pass_mark_reason)}"] if rubric.pass_mark_reason else []
    lines += [] if rubric.official == RAW else [f"official: {rubric.official}"]
    lines += ["---", "", f"# {rubric.title}", ""]
    lines += ["## Overview", "", rubric.summary, ""] if rubric.summary else []
    lines += ["## Dimensions", ""]
    for name, criteria in rubric.dimensions.items():
        lines += [
            f"### {name.capitalize()}",
            "",
            *([f"**Measures:** {criteria.measures}", ""] if criteria.measures else []),
        ]
        if criteria.bands:
            lines += ["| Score | Criteria |", "|-------|----------|"]
            lines += [f"| {_band(band.low, band.high):<5} | {_cell(band.criteria)} |" for band in criteria.bands]
        lines.append("")
        if criteria.tree is not None:
            from evenhand.documents.criteria import tree_lines  # few rubrics have any

            lines += ["#### Criteria", "", *tree_lines(criteria.tree), ""]
    lines += ["## Red Flags", ""]
    for flag in rubric.red_flags:
        lines += [f"- `{flag.id}` (-{flag.deduction}): {flag.description}", *_detect(flag.detect)]
    lines += [*([] if rubric.red_flags else ["None."]), "", "## Bonuses", ""]
    for bonus in rubric.bonuses:
        lines += [f"- `{bonus.id}` (+0.25): {bonus.description}", *_detect(bonus.detect)]
    lines += [] if rubric.bonuses else ["None."]
    return "\n".join(lines) + "\n"


def _detect(check: str) -> list[str]:
    return [f"  - detect: {check}"] if check else []


def _cell(text: str) -> str:
    """A text in a table, where a bar would end the cell."""
    return text if "|" not in text else re.sub(r"(?<!\\)\|", r"\|", text)


def answer_markdown(report: AnswerReport | None) -> str:
    """What follows a verdict: what to change as a numbered list, then what got worse and the cost."""
    if report is None:
        return ""
    text = ""
    if report.changes is not None:
        text = f"\n**{safe(report.changes.title)}**\n\n"
        for number, row in enumerate(report.changes.rows, start=1):
            text += f"{number}. {safe(row.says)} ({safe(row.cost)})\n"
            text += "".join(f"   - {safe(line)}\n" for line in row.lines)
        text += "".join(f"\n{safe(note)}\n" for note in report.changes.notes)
    if report.worse:
        text += f"\n**Got worse**\n\n{lines_markdown(report.worse)}"
    return text + (f"\n**Cost** {safe(report.cost)}\n" if report.cost else "") + "\n"


def _band(low: int, high: int) -> str:
    return f"{low}-{high}" if low != high else str(low)


def _yaml(text: str) -> str:
    """Text as a YAML value, quoted unless it is plainly a word or a phrase."""
    return text if _PLAIN.fullmatch(text) and text.lower() not in ("true", "false", "null") else json.dumps(text)


_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 ,.()/'-]*[A-Za-z0-9.)])?")
"""A letter first, and no colon or other sign that YAML might read as something else."""


def _quotes(evidence: Sequence[Evidence]) -> Iterable[str]:
    for quote in evidence:
        yield f"  - {evidence_note(quote)}: \u201c{safe(' '.join(quote.quote.split()))}\u201d"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _one_blank(lines: Iterable[str]) -> Iterable[str]:
    previous = "."
    for line in lines:
        if line or previous:
            yield line
        previous = line
