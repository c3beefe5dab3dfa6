"""Reports on a terminal, with rich: 60 columns or 120, with or without colour, wide characters or plain ASCII."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from evenhand.core.numbers import shown
from evenhand.core.values import RAW, Criteria, Evidence, Ranking, Rubric, Scorecard
from evenhand.in_words import counted
from evenhand.reports.advice import TITLE
from evenhand.reports.cases import UNNAMED, case_name
from evenhand.reports.document import CardReport, DimensionRow, card_report, evidence_note
from evenhand.reports.panel import marked_grade
from evenhand.reports.terminal.pieces import _COLOURS, WIDEST, Glyphs, Text, cut, grade_colour, indented, labelled

if TYPE_CHECKING:
    from evenhand.decisions.gate import Ruling
    from evenhand.documents.scorecards.verification import Verification


def print_scorecard(
    card: Scorecard, console: Console, *, rubric: Rubric | None = None, audit: bool = False, brief: bool = False
) -> None:
    """The whole scorecard; when `brief`, without reasons and quotes. `rubric` is the one it was made with."""
    report = card_report(card, rubric)
    glyphs = Glyphs(console)
    width = min(console.width, WIDEST)
    rule = Rule(characters=glyphs.rule, style="dim")
    parts: list[RenderableType] = [_head(report, glyphs), *_advice(report, glyphs, brief=brief), rule]
    longest_mean = max(len(row.mean) for row in report.rows)
    for row in report.rows if not card.unread else ():
        parts.append(_dimension(row, width, glyphs, longest_mean))
        if row.flagged:
            parts.append(indented(Text(f"{glyphs.warning} {row.flagged}", style=_FLAG_STYLES[row.unusual])))
        if row.says and not brief:
            parts.append(indented(Text(row.says, style="dim")))
        parts += [_quote(quote, glyphs) for quote in row.evidence if not brief]
        if row.criteria is not None:
            from evenhand.reports.terminal.criteria import criteria_parts  # few rubrics have criteria

            parts += criteria_parts(row.criteria, glyphs, brief=brief)
    if report.findings is not None:
        from evenhand.reports.terminal.findings import findings_parts  # few scorecards have any

        parts += [
            *([] if card.unread else [rule]),
            *findings_parts(report.findings, glyphs, all_fine=card.unread or audit),
        ]
    parts.append(rule)
    for claim in report.claims:
        style = "red" if claim.kind == "red flag" else "green"
        amount = claim.amount.replace("-", glyphs.minus)
        parts.append(_amount_line(claim.kind, claim.id, amount, style, width))
        for text, shade in ((claim.explanation, ""), (claim.description, "dim")):
            if text and not brief:
                parts.append(indented(Text(text, style=shade)))
        parts += [_quote(quote, glyphs) for quote in claim.evidence if not brief]
    if report.claims:
        parts.append(rule)
    if report.panel is not None and not brief:
        from evenhand.reports.terminal.panel import panel_parts  # few scorecards have one

        parts += [*panel_parts(report.panel, width), rule]
    arithmetic = report.arithmetic.replace(" - ", f" {glyphs.minus} ")
    parts.append(labelled("score", Text(arithmetic, style="bold")))
    if report.lost:
        parts.append(labelled("lost", Text(report.lost)))
    if report.next_step:
        parts.append(labelled("next", Text(report.next_step)))
    parts += [labelled("calibrated", Text(line)) for line in report.calibration]
    parts += [labelled("history", Text(line, style=_HISTORY_STYLES[weight])) for line, weight in report.history]
    parts += [labelled("warning", Text(warning, style="yellow")) for warning in report.warnings]
    if audit:
        parts += _lost_claims(report, glyphs)
        parts += [rule, *(labelled(rule_id, Text(line)) for rule_id, line in report.audit)]
        parts += [rule, *(labelled(name, Text(value, style="dim")) for name, value in report.facts)]
    else:
        several = report.panel is not None and len(report.panel.judges) > 1 and not brief
        who = "the panel above" if several else dict(report.facts)["judge"]
        parts.append(labelled("judge", Text(f"{who}; rubric {card.rubric}; id {card.id}", style="dim")))
    console.print(Group(*parts), width=width)


def _lost_claims(report: CardReport, glyphs: Glyphs) -> list[RenderableType]:
    """The claims that did not count, with their explanations and quotes."""
    parts: list[RenderableType] = []
    for claim in report.panel.lost if report.panel is not None else ():
        parts.append(labelled("not counted", Text(claim.says)))
        if claim.explanation:
            parts.append(indented(Text(claim.explanation, style="dim")))
        parts += [_quote(quote, glyphs) for quote in claim.evidence]
    return parts


_HISTORY_STYLES = {"alarm": "bold red", "unusual": "yellow", "plain": "", "quiet": "dim"}
_FLAG_STYLES = {True: "bold yellow", False: "yellow"}


def _head(report: CardReport, glyphs: Glyphs) -> RenderableType:
    colour = _COLOURS[report.letter[0]]
    grade = Text(f" {report.letter} ", style=f"bold reverse {colour}")
    verdict_style = {True: "green", False: "red", None: "magenta"}[report.passed]
    summary = Text.assemble((report.headline, "bold"), "\n", report.meaning, "\n", (report.verdict, verdict_style))
    if report.before_claims:
        summary.append(f"\n{report.before_claims.replace('(-', f'({glyphs.minus}')}")
    for line, weight in report.flagged:
        summary.append(f"\n{glyphs.warning} {line}", style=_FLAG_STYLES[weight == "unusual"])
    table = Table.grid(padding=(0, 2))
    table.add_column(width=4)
    table.add_column()
    table.add_row(Text(""), Text(report.skill, style="dim"))
    table.add_row(grade, summary)
    return table


def _advice(report: CardReport, glyphs: Glyphs, *, brief: bool) -> list[RenderableType]:
    """The recommendations, in order; when `brief`, only what to change and what for."""
    advice = report.advice
    if not advice.rows:
        return [Text(f"      {note}") for note in advice.notes]
    parts: list[RenderableType] = [Text(""), Text(f"  {TITLE}", style="bold")]
    for place, row in enumerate(advice.rows, start=1):
        table = Table.grid(padding=(0, 1))
        table.add_column(width=3, justify="right")
        table.add_column(overflow="fold")
        table.add_row(Text(f"{place}"), Text.assemble((f"{row.title}: ", "bold"), (row.effect, "bold green")))
        for label, text in row.lines if not brief else ():
            table.add_row("", Text.assemble((f"{label}: ", "dim"), text))
        parts.append(table)
        parts += [_quote(quote, glyphs) for quote in row.evidence if not brief]
    return parts + [indented(Text(note, style="dim")) for note in advice.notes]


def _dimension(row: DimensionRow, width: int, glyphs: Glyphs, longest_mean: int = 0) -> Text:
    """A row of the table; with means as long as `longest_mean` the bars of all rows have one scale."""
    mean = f"  {row.mean}" if row.mean else ""
    room = width - 2 - 14 - 7 - 2 - max(len(row.sum), 12)
    beside = max(len(row.mean), longest_mean)
    if beside and room - 2 - beside >= 4:
        room -= 2 + beside
    elif mean:  # on a narrow terminal the mean has a line of its own
        mean = f"\n    {row.mean}"
    size = max(4, min(30, room))
    line = Text(glyphs.warning if row.flagged else " ")
    line.append(f" {row.name:<14}", style="bold" if row.flagged else "")
    if row.share is None:
        return line.append(glyphs.unknown * size, style="magenta").append(f" {row.score}", style="magenta")
    filled = round(size * row.share)
    colour = "green" if row.share >= _good else "yellow" if row.share >= _fair else "red"
    line.append(glyphs.full * filled, style=colour).append(glyphs.empty * (size - filled), style="dim")
    line.append(f" {row.score:>6}", style="bold")
    line.append(f"  {row.sum.replace('x', glyphs.times, 1)}" if row.sum else "", style="dim")
    return line.append(mean, style=_FLAG_STYLES[row.unusual] if row.flagged else "dim")


_good, _fair = Decimal("0.7"), Decimal("0.5")
"""Where a bar turns from green to yellow to red; only a colour, never a score."""


def _quote(evidence: Evidence, glyphs: Glyphs) -> RenderableType:
    mark, style = {
        True: (glyphs.yes, "green"),
        False: (glyphs.no, "bold red"),
        None: (glyphs.unknown, "dim"),
    }[evidence.verified]
    quote = " ".join(evidence.quote.split())
    text = Text.assemble(
        (f"{mark} {evidence_note(evidence)} ", style), (f"{glyphs.open}{quote}{glyphs.close}", "italic")
    )
    return indented(text)


def _amount_line(kind: str, id: str, amount: str, style: str, width: int) -> RichText:
    return Text.assemble((cut(f"  {kind:<9} {id}", width - 8), style), (f"{amount:>6}", f"bold {style}"))


def print_card_line(card: Scorecard, console: Console, name: str = "") -> None:
    """One scorecard of many, on one line, under a name that is found for it if none is given."""
    grade = marked_grade(card)
    final = f"{card.final}" if card.final is not None else "unscored"
    marks = f"!{len(card.warnings)}" if card.warnings else ""
    flags = counted(len(card.red_flags), "flag") if card.red_flags else ""
    width = min(console.width, WIDEST)
    name = name or case_name(card)
    name = name if card.skill == UNNAMED else f"{card.skill}  {name}"
    expected = () if card.checked is None else card.checked.expectations
    met = f"  {sum(expectation.result == 'met' for expectation in expected)}/{len(expected)} met" if expected else ""
    console.print(
        Text.assemble(
            (f" {grade:<3}", f"bold {grade_colour(grade)}"),
            (f"{final:>8}  ", "bold"),
            cut(name, max(10, width - 35 - len(met))),
            (f"  {flags:<7}", "red"),
            (f" {marks:<3}", "yellow"),
            {True: ("  pass", "green"), False: ("  fail", "red"), None: ("  open", "magenta")}[card.passed],
            met,
        ),
        no_wrap=True,
        overflow="crop",
    )


def print_ranking(ranking: Ranking, console: Console, names: Mapping[str, str] = {}) -> None:
    """A ranking as a table, with the rule that put each entry above the next. `names` are what people call the ids."""
    glyphs = Glyphs(console)
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim", show_edge=False)
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("name", overflow="fold")
    skills = {entry.skill for entry in ranking.entries} != {UNNAMED}
    if skills:
        table.add_column("skill", overflow="fold")
    table.add_column("final", justify="right", no_wrap=True)
    table.add_column("grade", no_wrap=True)
    table.add_column("above the next by", overflow="fold")
    for entry in ranking.entries:
        shared = "=" if entry.equivalent_to else " "
        decided = {None: "", "equivalent": "equal in everything"}.get(
            entry.decided_by, (entry.decided_by or "").replace("_", " ")
        )
        table.add_row(
            Text(f"{entry.rank}{shared}", style="bold"),
            Text(names.get(entry.id, entry.id)),
            *([Text(entry.skill, style="dim")] if skills else []),
            Text(str(entry.final), style="bold"),
            Text(entry.grade, style=f"bold {_COLOURS[entry.grade[0]]}"),
            Text(decided, style="dim" if entry.decided_by == "final" else ""),
        )
    console.print(table, width=min(console.width, WIDEST))
    for unranked in ranking.unranked:
        name = names.get(unranked.id, unranked.id)
        console.print(Text(f"{glyphs.warning} not ranked: {name} ({unranked.reason})", style="magenta"))
    for warning in ranking.warnings:
        console.print(Text(f"{glyphs.warning} {warning}", style="yellow"))


def print_verification(result: Verification, console: Console) -> None:
    """Whether a scorecard checks out, and what was compared."""
    glyphs = Glyphs(console)
    if result.ok:
        console.print(Text(f"{glyphs.yes} {result.name} holds", style="bold green"))
    else:
        console.print(Text(f"{glyphs.no} {result.name} does not hold", style="bold red"))
    for difference in result.differences:
        console.print(labelled("", Text.assemble((difference.field, "bold"), f": {difference.problem}")))
    for line in result.checked:
        console.print(labelled("checked", Text(line, style="dim")))
    for line in result.unchecked:
        console.print(labelled("open", Text(line, style="yellow")))


def print_rubric(rubric: Rubric, console: Console) -> None:
    """A rubric for reading."""
    width = min(console.width, WIDEST)
    parts: list[RenderableType] = [Text(rubric.title, style="bold"), Text(rubric.domain, style="dim"), Text("")]
    parts += [Text(rubric.summary), Text("")]
    parts.append(Text(f"Pass mark {rubric.pass_mark}. {rubric.pass_mark_reason}"))
    if rubric.official != RAW:
        parts.append(Text(f"The {rubric.official} score is the official one."))
    for name, criteria in rubric.dimensions.items():
        parts += [
            Text(""),
            Text(f"{name}  {shown(rubric.weights[name] * 100)}%", style="bold cyan"),
            Text(criteria.measures),
        ]
        for band in criteria.bands:
            parts.append(labelled(f"{band.low}-{band.high}", Text(band.criteria)))
        parts += _criteria(criteria)
    parts += _listing("Red flags", [(f.id, f"-{f.deduction}", f.description) for f in rubric.red_flags], "red")
    parts += _listing("Bonuses", [(b.id, "+0.25", b.description) for b in rubric.bonuses], "green")
    console.print(Group(*parts), width=width)


def _criteria(criteria: Criteria) -> list[RenderableType]:
    """The criteria that give a dimension's score, as their file has them."""
    if criteria.tree is None:
        return []
    from evenhand.documents.criteria import tree_lines  # few rubrics have any

    lines = [(line.lstrip(), len(line) - len(line.lstrip())) for line in tree_lines(criteria.tree)]
    return [Text(""), *(Padding(Text(text), (0, 0, 0, 2 + indent)) for text, indent in lines)]


def _listing(title: str, rows: Sequence[tuple[str, str, str]], style: str) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(""), Text(title, style=f"bold {style}")]
    for id, amount, description in rows:
        parts.append(Text.assemble(("  " + id, style), f"  {amount}"))
        parts.append(indented(Text(description, style="dim")))
    return parts


def print_lines(lines: Sequence[str], console: Console, *, plain: bool = False) -> None:
    """Sentences, the first of them in bold unless `plain`; an indented one keeps its indent where it wraps."""
    width = min(console.width, WIDEST)
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        text = Text(line.lstrip(), style="" if number or plain else "bold")
        for piece in text.wrap(console, max(20, width - indent)) if indent else (text,):
            piece.rstrip()
            console.print(Text(" " * indent) + piece, width=width)


def print_rulings(rulings: Sequence[Ruling], console: Console) -> None:
    """A gate's rulings, line by line."""
    colours = {"red": "bold red", "green": "green", "undecided": "yellow", "unscored": "magenta"}
    for ruling in rulings:
        text = Text.assemble(
            (f"{ruling.colour:<12} ", colours[ruling.colour]), (ruling.name, "bold"), f"  {ruling.says}"
        )
        console.print(text, width=min(console.width, WIDEST))
