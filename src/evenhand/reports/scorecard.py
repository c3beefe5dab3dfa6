"""A scorecard's report, and a list of them: every sentence and number that any format shows. Pure."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.core.audit import audit
from evenhand.core.bounds import NONE_READ, NOT_READ
from evenhand.core.finding import Severity
from evenhand.core.judgement import Evidence
from evenhand.core.numbers import cents, points, shown
from evenhand.core.rubric import Rubric
from evenhand.core.rules import BONUS_CAP, DEDUCTION_CAP, GRADES, HIGHEST, LOWEST
from evenhand.core.scorecard import Award, Deduction, Scorecard, ScoredDimension
from evenhand.errors import shortened_line
from evenhand.in_words import counted, dollars
from evenhand.reports.advice import TITLE, advice_report, shortened_quote
from evenhand.reports.cases import UNNAMED, case_name
from evenhand.reports.findings import (
    HOW_TO_GET_IT_READ,
    EndedRow,
    ExpectationRow,
    FaultRow,
    FindingsReport,
    bounds_line,
    findings_report,
    only_criteria,
    unread_headline,
)
from evenhand.reports.history import (
    FLAGGED,
    flag_lines,
    flag_words,
    history_lines,
    is_unusual,
    mean_words,
    strength_words,
)
from evenhand.reports.judge_reasons import judge_reasons
from evenhand.reports.panel import DISPUTED_LEGEND, DISPUTED_MARK, is_disputed, is_too_sure, panel_report
from evenhand.reports.tree import (
    Bar,
    Bars,
    Code,
    Column,
    Drawing,
    Facts,
    Head,
    Item,
    Items,
    Line,
    Node,
    Quote,
    QuoteKind,
    Quotes,
    Report,
    Row,
    Section,
    Span,
    Table,
    Weight,
    Words,
    Work,
)
from evenhand.reports.trust.calibration import calibration_lines
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.core.criteria_results import State
    from evenhand.reports.charts import GradeChart
    from evenhand.reports.criteria_rows import CriterionRow

LONGEST_TITLE: Final = 90
"""Characters of a task in a report's title."""
LONGEST_SENTENCE: Final = 160
"""Characters of a reason beside its bar."""
_END: Final = re.compile(r"(?<=[.!?])\s")
_SEVERITIES: Final[dict[Severity, Weight]] = {"critical": "alarm", "major": "bad", "minor": "unusual"}
_STATES: Final[dict[State, Weight]] = {"missed": "bad", "open": "open", "met": "good", "out": "quiet"}
_RESULTS: Final[dict[str, Weight]] = {"met": "good", "unmet": "bad", "undecided": "open"}
_HISTORY: Final[dict[str, Weight]] = {"alarm": "alarm", "unusual": "unusual", "plain": "plain", "quiet": "quiet"}


def scorecard_report(
    card: Scorecard, rubric: Rubric | None = None, submission: Submission | None = None, *, brief: bool = False
) -> Report:
    """The whole report of a scorecard; when `brief`, without reasons and quotes.

    With the rubric it was made with, its advice says what that asks for; with the submission, a page has the text
    beside the reasons.
    """
    title = evaluation_title(card, submission)
    nodes: list[Node | None] = [
        _head(card, title),
        None if card.unread else Section(title="Seven dimensions", nodes=(bars(card),)),
        _advice(card, rubric, brief=brief),
        None if submission is None or brief else _work(card, submission),
        None if card.unread or brief else _reasons(card, linked=True),
        *_claims(card, brief=brief),
        _findings(card),
        None if brief else _panel(card),
        _section("As people would score it", [Line(line) for line in calibration_lines(card)]),
        _history(card),
        _section("Warnings", [Items(tuple(Item(head=warning, mark="unusual") for warning in card.warnings))])
        if card.warnings
        else None,
        _arithmetic_section(card),
        _receipt(card),
    ]
    return Report(f"{title}: {grade_words(card)}", tuple(node for node in nodes if node is not None))


def summary_nodes(card: Scorecard, rubric: Rubric | None = None) -> tuple[Node, ...]:
    """A scorecard as a part of a report about something else."""
    nodes: list[Node | None] = [
        Line(headline(card), "strong"),
        Line(verdict(card), _passing(card)),
        *(Line(line, weight) for line, weight in _flagged(card)),
        None if card.unread else Section(title="Seven dimensions", nodes=(bars(card, linked=False),)),
        _advice(card, rubric),
        None if card.unread else _reasons(card, linked=False),
        *_claims(card),
        _findings(card),
        *(Line(warning, "unusual") for warning in card.warnings),
    ]
    return tuple(node for node in nodes if node is not None)


def scorecards_report(named: Sequence[tuple[str, Scorecard]], errors: Sequence[str] = ()) -> Report:
    """A list of scorecards: how many of each grade, a row for each, and the details of each to unfold."""
    title = counted(len(named), "scorecard")
    summary = grade_counts([card.grade.letter if card.grade else "-" for _, card in named])
    head = Head(title=title, headline=summary.replace(" -", " without a grade"))
    return Report(title, (head, *scorecards_nodes(named, errors)))


def scorecards_nodes(named: Sequence[tuple[str, Scorecard]], errors: Sequence[str] = ()) -> tuple[Node, ...]:
    """The same without its headline, to follow something else."""
    cards = [card for _, card in named]
    nodes: list[Node] = []
    if errors:
        items = Items(tuple(Item(head=error, mark="bad") for error in errors))
        nodes.append(Section(title="Could not be read", nodes=(items,)))
    if not cards:
        return tuple(nodes)
    grades = Counter("none" if card.grade is None else card.grade.letter for card in cards)
    from evenhand.reports.charts import count_chart  # one scorecard needs none

    nodes.append(Section(title="Grades", nodes=(Drawing("grade_chart", count_chart(grades)),)))
    unfolded = len(cards) <= MOST_UNFOLDED
    dimensions = next((tuple(card.dimensions) for card in cards if not card.unread), ())
    table = Table(
        (
            Column("name"),
            Column("grade"),
            Column("final", right=True),
            *(Column(name, right=True) for name in dimensions),
            Column("red flags"),
            Column("faults", right=True),
        ),
        tuple(
            _card_row(name, card, dimensions, f"#card-{place}" if unfolded else "")
            for place, (name, card) in enumerate(named, start=1)
        ),
        DISPUTED_LEGEND if any(map(is_disputed, cards)) else "",
    )
    nodes.append(Section(title="Every scorecard", nodes=(table,)))
    if unfolded:
        folded = tuple(
            Section(
                title=(Span(grade_words(card), "strong"), f" {name}"),
                nodes=(*summary_nodes(card), Code(verify_command(card))),
                folded=True,
                id=f"card-{place}",
            )
            for place, (name, card) in enumerate(named, start=1)
        )
        nodes.append(Section(title="Details", nodes=folded))
    else:
        nodes.append(Line(("The details of one: ", Span("evenhand show ID --format html -o report.html", "code"))))
    return tuple(nodes)


MOST_UNFOLDED: Final = 200
"""With more scorecards than this, a report lists them without their details, and stays small enough to open."""


def _card_row(name: str, card: Scorecard, dimensions: Sequence[str], address: str) -> Row:
    interval = card.interval
    final = str(card.final) if interval is None else f"{interval.low} to {interval.high}"
    scores = [card.dimensions[dimension].score for dimension in dimensions]
    faults = 0 if card.checked is None else sum(finding.is_fault for finding in card.checked.findings)
    return Row(
        (
            (Span(name, address=address),),
            f"{grade_words(card)}{f' {DISPUTED_MARK}' if is_disputed(card) else ''}",
            final,
            *("" if score is None else str(score) for score in scores),
            ", ".join(flag.id for flag in card.red_flags),
            str(faults or ""),
        )
    )


def _section(title: str, nodes: Sequence[Node], *, folded: bool = False) -> Section | None:
    return Section(title=title, nodes=tuple(nodes), folded=folded) if nodes else None


def evaluation_title(card: Scorecard, submission: Submission | None = None) -> str:
    """What an evaluation is called: its task and its skill, or its name where the task is not known."""
    task = next(filter(None, map(_bare, (submission.task or "").splitlines())), "") if submission else ""
    skill = "" if card.skill == UNNAMED else card.skill
    return " · ".join(filter(None, (shortened_line(task, LONGEST_TITLE) or case_name(card), skill)))


def _bare(line: str) -> str:
    """A line without the marks of a Markdown heading, and without the colon before what follows."""
    return line.strip().lstrip("#").rstrip(":").strip()


def grade_words(card: Scorecard) -> str:
    """The grade, or what there is in its place, in as few words as possible."""
    if card.unread:
        return "not graded"
    if card.grade is not None:
        return card.grade.letter
    return " to ".join(card.interval.grades) if card.interval is not None else "no grade"


def _passing(card: Scorecard) -> Weight:
    return "open" if card.passed is None else "good" if card.passed else "bad"


def _flagged(card: Scorecard) -> list[tuple[str, Weight]]:
    """A line for each dimension flagged for review, and how loudly to show it."""
    lines = () if card.history is None else flag_lines(card.history)
    return [(line, "unusual" if weight == "unusual" else "quiet") for line, weight in lines]


def _head(card: Scorecard, title: str) -> Head:
    several = card.panel is not None and len(card.panel.members) > 1
    judge = f"panel of {len(card.panel.members)}" if several and card.panel is not None else card.judge.get("name", "")
    name = case_name(card)
    kicker = (
        name if name not in title else "",
        judge,
        f"rubric {card.rubric}",
        card.created[:16].replace("T", " "),
        f"id {card.id}" if card.id != name or card.id not in title else "",
    )
    lines = [Line(_meaning(card))]
    if before := before_claims(card):
        lines.append(Line(_signs(before)))
    lines += [Line(line, weight) for line, weight in _flagged(card)]
    return Head(
        title=title,
        kicker=" · ".join(filter(None, kicker)),
        seal=grade_words(card),
        tone=card.grade.letter[0] if card.grade else "",
        headline=headline(card),
        verdict=Span(verdict(card), _passing(card)),
        lines=tuple(lines),
    )


SCALE = 10
"""Units of a bar's drawing for a point of score."""


class ScoreBar(NamedTuple):
    """A dimension's bar, in units of a drawing 100 wide."""

    start: float
    width: float
    known: bool
    """Whether it ends at a score; otherwise it covers every score that is possible."""
    mean: float | None
    """Where the mean of earlier evaluations is."""
    readers: float | None
    """The score that readers gave, where a fault capped it."""


def score_bar(card: Scorecard, name: str) -> ScoreBar:
    """The bar of one dimension: up to its score, or over the scores that are possible."""
    line = card.dimensions[name]
    compared = card.history.dimensions.get(name) if card.history is not None else None
    mean = None if compared is None else round(compared.mean * SCALE, 1)
    readers = None if line.uncapped is None else _units(line.uncapped)
    if line.score is not None:
        return ScoreBar(0, _units(line.score), True, mean, readers)
    if line.interval is not None:
        low, high = map(_units, line.interval)
        return ScoreBar(low, high - low, False, mean, readers)
    highest = _units(card.bounds[name].at_most) if name in card.bounds else 100
    return ScoreBar(SCALE, highest - SCALE, False, mean, readers)


def _units(score: Decimal) -> float:
    return float(score * SCALE)


def bars(card: Scorecard, *, linked: bool = True) -> Bars:
    """The seven scores as bars."""
    past = {} if card.history is None else card.history.dimensions
    reasons = _reasons_by_dimension(card) if linked else {}
    rows = []
    for name, line in card.dimensions.items():
        compared = past.get(name)
        rows.append(
            Bar(
                name=name,
                **score_bar(card, name)._asdict(),
                score="unscored" if line.score is None else str(line.score),
                sum="" if line.score is None else f"x {_percent(line.weight):>3} = {line.points}",
                compared="" if compared is None else mean_words(compared),
                flag="" if compared is None else flag_words(compared),
                weight="unusual" if compared is not None and is_unusual(compared) else "quiet",
                says=_first_sentence(card, name, line),
                address=f"#dimension-{name}" if reasons.get(name) else "",
            )
        )
    return Bars(tuple(rows))


def _first_sentence(card: Scorecard, name: str, line: ScoredDimension) -> str:
    """The first sentence of a reason, shortened to a line; of several judges, the first one's."""
    reasons = judge_reasons(card, name)
    text = reasons[0].words if reasons and reasons[0].words else _says(line)
    return shortened_line(_END.split(" ".join(text.split()), maxsplit=1)[0], LONGEST_SENTENCE)


def _says(line: ScoredDimension) -> str:
    """The justification, or why there is no score."""
    return line.justification if line.unscored is None else _no_score(line)


def _advice(card: Scorecard, rubric: Rubric | None, *, brief: bool = False) -> Section | None:
    """What to do first, in order; when `brief`, only what to change and the gain."""
    advice = advice_report(card, rubric)
    items = tuple(
        Item(
            head=(Span(f"{row.title}: ", "strong"), Span(row.effect, "good")),
            below=()
            if brief
            else (
                *(Line((Span(f"{label}: ", "quiet"), text)) for label, text in row.lines),
                *_quotes(Quote(evidence=quote, shortened=shortened_quote(quote).quote) for quote in row.evidence),
            ),
        )
        for row in advice.rows
    )
    notes = tuple(Line(note, "quiet") for note in advice.notes)
    nodes = (*((Items(items, ordered=True),) if items else ()), *notes)
    return Section(title=TITLE, nodes=nodes) if nodes else None


def _quotes(quotes: Iterable[Quote]) -> tuple[Node, ...]:
    kept = tuple(quotes)
    return (Quotes(kept),) if kept else ()


def _evidence(evidence: Iterable[Evidence], quoted_for: QuoteKind, label: str) -> tuple[Node, ...]:
    return _quotes(Quote(evidence=quote, quoted_for=quoted_for, label=label) for quote in evidence)


def _work(card: Scorecard, submission: Submission) -> Work:
    """The output's file name says what it is, unless that is the file of a transcript."""
    return Work(submission, "" if submission.events else submission.source or card.output or "")


def _reasons(card: Scorecard, *, linked: bool) -> Section | None:
    nodes = _reasons_by_dimension(card)
    items = tuple(
        Item(
            head=(Span(name, "strong"), Span(f"  {_figures(card, name, line)}", "quiet")),
            below=below,
            id=f"dimension-{name}" if linked else "",
        )
        for name, line in card.dimensions.items()
        if (below := nodes[name])
    )
    return Section(title="Reasons and quotes", nodes=(Items(items, wide=True),)) if items else None


def _reasons_by_dimension(card: Scorecard) -> dict[str, tuple[Node, ...]]:
    """What stands below each dimension; nothing where the first lines say why none of them is scored."""
    nodes = {name: _reason_nodes(card, name, line) for name, line in card.dimensions.items()}
    if _why_nothing_is_scored(card) and all(len(below) == 1 for below in nodes.values()):
        return dict.fromkeys(nodes, ())
    return nodes


def _figures(card: Scorecard, name: str, line: ScoredDimension) -> str:
    if line.score is not None:
        return f"{line.score} x {_percent(line.weight)} = {line.points}"
    if line.interval is not None:
        return "unscored"
    return f"unscored; possible: 1 to {card.bounds[name].at_most if name in card.bounds else 10}"


def _reason_nodes(card: Scorecard, name: str, line: ScoredDimension) -> tuple[Node, ...]:
    reasons = judge_reasons(card, name)
    says: list[Node] = []
    if reasons:
        items = (
            Item(head=(Span(f"{it.judge} {it.score}", "quiet"), f": {it.words}" if it.words else "")) for it in reasons
        )
        says.append(Items(tuple(items)))
    elif text := _says(line):
        says += [Line(part) for part in text.splitlines() if part.strip()]
    return (*says, *_evidence(line.evidence, "score", name), *_criteria(line))


def _criteria(line: ScoredDimension) -> tuple[Node, ...]:
    """The criteria that give a score: what was missed with its cost, reason and quotes, then the rest."""
    if line.criteria is None:
        return ()
    from evenhand.reports.criteria_rows import criteria_report  # few rubrics have criteria

    report = criteria_report(line)
    if report is None:
        return ()
    nodes: list[Node] = [Line(report.summary, "strong")]
    listed = [row for row in report.rows if row.state in ("missed", "open")]
    rest = [row for row in report.rows if row.state in ("met", "out")]
    if listed:
        nodes.append(Items(tuple(map(_criterion, listed))))
    if rest:
        out = any(row.state == "out" for row in rest)
        title = f"{'Met, or does not apply' if out else 'Met'}: {', '.join(row.id for row in rest)}"
        nodes.append(Section(title=title, nodes=(Items(tuple(map(_criterion, rest))),), folded=True))
    return tuple(nodes)


def _criterion(row: CriterionRow) -> Item:
    cost = f" {row.cost}" if row.cost else ""
    group = f"{row.group}: " if row.group else ""
    says = (Line(f"{group}{row.says}", "quiet"),) if row.says else ()
    kind: QuoteKind = {"missed": "fault", "met": "bonus"}.get(row.state, "score")  # type: ignore[assignment]
    return Item(
        head=(Span(row.answer, _STATES[row.state], tag=True), f"{cost} {row.sentence} ", Span(row.id, "code")),
        below=(*says, *_evidence(row.evidence, kind, row.id)),
        mark=_STATES[row.state],
    )


def _claims(card: Scorecard, *, brief: bool = False) -> Iterator[Section]:
    for title, claims in (("Red flags", card.red_flags), ("Bonuses", card.bonuses)):
        items = tuple(_claim(claim, brief=brief) for claim in claims)
        if items:
            yield Section(title=title, nodes=(Items(items, wide=True),))


def _claim(claim: Deduction | Award, *, brief: bool) -> Item:
    deducts = isinstance(claim, Deduction)
    kind: QuoteKind = "flag" if deducts else "bonus"
    label = f"{'red flag' if deducts else 'bonus'} {claim.id}"
    explained = (
        *(Line(part) for part in claim.explanation.splitlines() if part.strip()),
        Line(claim.description, "quiet"),
    )
    return Item(
        head=(Span(claim.id, "strong"),),
        amount=f"-{claim.deduction}" if isinstance(claim, Deduction) else f"+{claim.bonus}",
        mark="bad" if deducts else "good",
        below=() if brief else (*(line for line in explained if line.words), *_evidence(claim.evidence, kind, label)),
    )


def _findings(card: Scorecard) -> Section | None:
    report = findings_report(card)
    if report is None:
        return None
    return Section(title="What the checks found", nodes=findings_nodes(report, unread=card.unread))


def findings_nodes(report: FindingsReport, *, unread: bool = False) -> tuple[Node, ...]:
    """What the checks saw: faults, expectations, how things ended, hints, caps, and what is fine.

    What is fine is shown at once where no one has read the work: there is little else to show.
    """
    nodes: list[Node | None] = [
        Items(tuple(map(_fault, report.faults))) if report.faults else Line("No faults.", "good"),
        _list("Expectations", [_expectation(row) for row in report.expectations]),
        _list("Still open", [_ended(row) for row in report.endings if row.is_open]),
        _list("How things ended", [_ended(row) for row in report.endings if not row.is_open], folded=True),
        _list("Notes: hints that may be wrong and do not count", [_note(row) for row in report.notes]),
        _list("Capped scores", [Item(head=cap, mark="unusual") for cap in report.caps]),
        _list("Checked and fine", [Item(head=text, mark="good") for text in report.fine], folded=not unread),
    ]
    return tuple(node for node in nodes if node is not None)


def _list(title: str, items: Sequence[Item], *, folded: bool = False) -> Section | None:
    if not items:
        return None
    shown = f"{title}: {len(items)}" if folded else title
    return Section(title=shown, nodes=(Items(tuple(items)),), folded=folded)


def _fault(row: FaultRow) -> Item:
    weight = _SEVERITIES[row.severity]
    quote = Quote(
        evidence=row.evidence or Evidence(""),
        quoted_for="fault",
        label=f"{row.severity} fault, {row.dimension}",
        severity=row.severity,
        message=row.message,
    )
    return Item(
        head=(Span(row.severity, weight, tag=True), Span(f" {row.dimension}: ", "strong"), row.message),
        below=(
            *((Quotes((quote,)),) if row.evidence is not None else ()),
            *((Line(f"the event: {row.event}", "quiet"),) if row.event else ()),
            *((Line(row.consequence, "quiet"),) if row.consequence else ()),
        ),
        mark="bad",
    )


def _note(row: FaultRow) -> Item:
    evidence = () if row.evidence is None else (row.evidence,)
    return Item(head=f"{row.dimension}: {row.message}", below=_evidence(evidence, "other", "a note"), mark="quiet")


def _expectation(row: ExpectationRow) -> Item:
    weight = _RESULTS[row.result]
    consequence = f"; {row.consequence}" if row.consequence else ""
    evidence = () if row.evidence is None else (row.evidence,)
    return Item(
        head=(Span(row.result, weight, tag=True), f" {row.words}: {row.message}{consequence}"),
        below=_evidence(evidence, "score", row.words),
        mark=weight,
    )


def _ended(row: EndedRow) -> Item:
    weight: Weight = "bad" if row.is_open else "good" if row.outcome == "done" else "quiet"
    return Item(
        head=(f"{row.thing}: {row.what} ", Span(row.outcome, weight, tag=True)),
        below=(Line(row.event, "quiet"),) if row.event else (),
        mark=weight,
    )


def _panel(card: Scorecard) -> Section | None:
    """The judges' own scores side by side, and what to know about them."""
    report = panel_report(card)
    if report is None:
        return None
    nodes: list[Node] = []
    if report.rows:
        columns = (Column("judges"), *(Column(name, right=True) for name in report.judges))
        rows = tuple(
            Row(
                (row.name, *row.scores, row.official, f"{row.spread} !" if row.disputed else row.spread),
                "unusual" if row.disputed else "plain",
            )
            for row in report.rows
        )
        nodes.append(Table((*columns, Column("panel", right=True), Column("spread", right=True)), rows))
    if chart := _chance_chart(card):
        nodes.append(Drawing("grade_chart", chart, "How sure the grade is"))
    rows_of_facts = tuple((label, text, "unusual" if warns else "plain") for label, text, warns in report.lines)
    if rows_of_facts:
        nodes.append(Facts(rows_of_facts))  # type: ignore[arg-type]
    lost = tuple(
        Item(
            head=claim.says,
            below=(
                *((Line(claim.explanation, "quiet"),) if claim.explanation else ()),
                *_evidence(claim.evidence, "other", claim.says),
            ),
        )
        for claim in report.lost
    )
    if lost:
        title = f"Claims that did not count: {len(lost)}"
        nodes.append(Section(title=title, nodes=(Items(lost),), folded=True))
    return Section(title="The judges" if report.rows else "The judge", nodes=tuple(nodes)) if nodes else None


def _chance_chart(card: Scorecard) -> GradeChart | None:
    """The probability of each grade, when several judges or distributions make it more than a guess."""
    if card.agreement is None or not card.agreement.grades or card.panel is None or is_too_sure(card.agreement):
        return None
    from evenhand.reports.charts import probability_chart  # few scorecards need it

    known = len(card.panel.members) > 1 or card.panel.members[0].distributions
    return probability_chart(card.agreement.grades) if known else None


def _history(card: Scorecard) -> Section | None:
    """The comparison with earlier evaluations, in words and dimension by dimension."""
    if card.history is None:
        return None
    lines: list[Node] = [Line(line, _HISTORY[weight]) for line, weight in history_lines(card.history, flags=False)]
    rows = tuple(
        Row(
            (
                name,
                f"{line.mean:.2f}",
                "" if line.deviation is None else f"{line.deviation:.2f}",
                f"{line.delta:+.2f}",
                "" if line.strength is None else strength_words(line.strength),
                FLAGGED if line.flagged else "",
            ),
            "unusual" if is_unusual(line) else "plain",
        )
        for name, line in card.history.dimensions.items()
    )
    if any(line.deviation is not None for line in card.history.dimensions.values()):
        columns = (
            Column("dimension"),
            Column("mean", right=True),
            Column("deviation", right=True),
            Column("difference", right=True),
            Column("by chance"),
            Column("flag"),
        )
        table = Table(columns, rows, "Scores against the mean of earlier evaluations")
        lines.append(Section(title="Dimension by dimension", nodes=(table,), folded=True))
    return _section("Against earlier evaluations", lines)


def _arithmetic_section(card: Scorecard) -> Section:
    facts: list[tuple[str, Words, Weight]] = [
        ("score", _signs(arithmetic(card)), "strong"),
        ("lost", _lost(card), "plain"),
        ("next", _next_step(card), "plain"),
    ]
    steps = Facts(tuple((line.rule, line.text, "plain") for line in audit(card)))
    nodes = (
        Facts(tuple(fact for fact in facts if fact[1])),
        Section(title="Every step", nodes=(steps,), folded=True),
    )
    return Section(title="The arithmetic", nodes=nodes)


def _receipt(card: Scorecard) -> Section:
    nodes = (
        Facts(tuple((name, value, "plain") for name, value in _facts(card))),
        Line("To recompute every number here from the stored scorecard, without asking a judge:"),
        Code(verify_command(card)),
    )
    return Section(title="Receipt", nodes=nodes, folded=True)


def named_quotes(card: Scorecard) -> list[str]:
    """Every quote of a dimension, a red flag or a bonus, after its name: for tools that show plain text."""
    named = [(name, line.evidence) for name, line in card.dimensions.items()]
    named += [(flag.id, flag.evidence) for flag in card.red_flags]
    named += [(award.id, award.evidence) for award in card.bonuses]
    return [f"{name}: \u201c{quote.quote}\u201d" for name, evidence in named for quote in evidence]


def _signs(text: str) -> str:
    """A sum with the sign for less."""
    return text.replace(" - ", " \u2212 ").replace("(-", "(\u2212")


def verify_command(card: Scorecard) -> str:
    """What recomputes a stored scorecard."""
    return f"evenhand show {shlex.quote(card.id)} --format json | evenhand show --verify -"


def _no_score(line: ScoredDimension) -> str:
    if line.interval is None:
        return f"no score: {line.unscored}"
    return f"no score, but between {line.interval[0]} and {line.interval[1]}: {line.unscored}"


def _meaning(card: Scorecard) -> str:
    if card.unread:
        return bounds_line(card)
    if card.no_official is not None:
        return f"No official score: {card.no_official}."
    if why := _why_nothing_is_scored(card):
        return f"No dimension was scored: {why}."
    return card.grade.meaning if card.grade else "No single grade: a dimension is unscored."


def _why_nothing_is_scored(card: Scorecard) -> str:
    """The one reason why all seven are unscored; empty where one has a score, or they have different reasons."""
    reasons = {
        line.unscored if (line.score, line.interval) == (None, None) else None for line in card.dimensions.values()
    }
    return (reasons.pop() or "") if len(reasons) == 1 else ""


def headline(card: Scorecard) -> str:
    """The final score, or what there is in its place: "7.80 of 10  Above Average"."""
    if card.unread:
        return unread_headline(card)
    if card.no_official is not None:
        return "no official score"
    if card.interval is not None:
        low, high = card.interval.grades
        if card.interval.low == card.interval.high:
            return f"{card.interval.low} of 10 ({low}), whatever scores the unscored dimensions get"
        grades = low if low == high else f"{low} to {high}"
        return f"between {card.interval.low} and {card.interval.high} of 10 ({grades})"
    assert card.grade is not None
    return f"{card.final} of 10  {card.grade.label}{'' if card.official is None else ' (calibrated)'}"


def verdict(card: Scorecard) -> str:
    """Whether it reaches the pass mark."""
    if only_criteria(card):
        return "for a grade as well, name a rubric with --rubric"
    if card.unread:
        return f"to get a grade, {HOW_TO_GET_IT_READ}"
    mark = f"the rubric {card.rubric} asks for {card.pass_mark}"
    if card.passed is None:
        return f"undecided: {mark}"
    return f"passes: {mark}" if card.passed else f"does not pass: {mark}"


def arithmetic(card: Scorecard) -> str:
    """From the composite to the final score, in one line."""
    if card.official is None:
        return _to_final(card)
    raw = card._replace(final=card.official.raw.final, interval=card.official.raw.interval)
    end = "" if card.final is None else f", calibrated {card.final}"
    return f"{_to_final(raw)} raw{end}"


def _to_final(card: Scorecard) -> str:
    if only_criteria(card):
        return "no score was asked for"
    if card.unread and card.interval is not None:
        flags = f", {counted(len(card.red_flags), 'red flag')} included" if card.red_flags else ""
        return f"anything from {card.interval.low} to {card.interval.high}{flags}"
    if card.interval is not None:
        unscored = sum(line.score is None for line in card.dimensions.values())
        which = _spelled(unscored, "unscored dimension", "unscored dimensions")
        if any(line.interval is not None for line in card.dimensions.values()):
            whose = "its" if unscored == 1 else "their"
            return f"{which} at {whose} lowest gives {card.interval.low}, at {whose} highest {card.interval.high}"
        return f"{which} at 1 gives {card.interval.low}, at 10 gives {card.interval.high}"
    assert card.composite is not None and card.after_deductions is not None
    text = f"composite {card.composite}"
    if card.red_flags:
        text += f" - {card.deduction.applied} ({counted(len(card.red_flags), 'red flag')}"
        if card.deduction.applied < card.deduction.nominal:
            text += f", {card.deduction.nominal} capped at {points(DEDUCTION_CAP)}"
        if card.composite - card.deduction.applied < points(LOWEST):
            text += f", but not below {points(LOWEST)}"
        text += f") = {card.after_deductions} after deductions"
    if card.bonuses:
        text += f" + {card.bonus.applied} ({counted(len(card.bonuses), 'bonus', 'bonuses')}"
        if card.bonus.applied < card.bonus.nominal:
            text += f", {card.bonus.nominal} capped at {points(BONUS_CAP)}"
        if card.after_deductions + card.bonus.applied > points(HIGHEST):
            text += f", but not above {points(HIGHEST)}"
        text += ")"
    return f"{text} = {card.final}" if card.bonuses or not card.red_flags else f"{text}, final {card.final}"


def before_claims(card: Scorecard) -> str:
    """What red flags and bonuses changed, for the first lines."""
    if card.composite is None or card.official is not None or not (card.red_flags or card.bonuses):
        return ""
    claims = []
    if card.red_flags:
        claims.append(f"{_spelled(len(card.red_flags), 'red flag', 'red flags')} (-{card.deduction.applied})")
    if card.bonuses:
        claims.append(f"{_spelled(len(card.bonuses), 'bonus', 'bonuses')} (+{card.bonus.applied})")
    after = f"; {card.after_deductions} after deductions" if card.red_flags else ""
    return f"was {card.composite} before {' and '.join(claims)}{after}"


def _lost(card: Scorecard) -> str:
    """The dimensions that lost the most points."""
    costs = sorted(
        ((line.weight * 10 - line.points, name) for name, line in card.dimensions.items() if line.points is not None),
        key=lambda cost: -cost[0],
    )
    named = [f"{name} ({cents(cost)})" for cost, name in costs[:2] if cost > 0]
    return f"most points in {' and '.join(named)}" if named else ""


def _next_step(card: Scorecard) -> str:
    step = card.next_step
    if card.unread:
        return ""
    if step is None and card.official is not None and card.official.raw.final is not None:
        return ""
    if step is None:
        return "Have the unscored dimensions scored to get a grade"
    if step.next_grade is None:
        return "This is the best grade"
    return f"{step.next_grade} is {step.distance} away"


def _facts(card: Scorecard) -> tuple[tuple[str, str], ...]:
    judge = card.judge.get("name", "")
    settings = ", ".join(f"{key} {value}" for key, value in card.judge.items() if key != "name")
    facts = [
        ("id", card.id),
        *([("case", card.case)] if card.case not in (None, card.id) else []),
        ("made", card.created),
        ("judge", f"{judge} ({settings})" if settings else judge),
        ("rubric", f"{card.rubric}, sha256 {card.receipt.rubric}"),
        ("judgement", f"sha256 {card.receipt.judgement}"),
    ]
    if card.receipt.submission is not None:
        facts.append(("output", f"{card.output or 'given as text'}, sha256 {card.receipt.submission}"))
    facts.append(("methodology", card.receipt.methodology))
    return tuple(facts)


def _percent(weight: Decimal) -> str:
    return f"{shown(weight * 100)}%"


def _spelled(number: int, one: str, many: str) -> str:
    return f"one {one}" if number == 1 else f"{number} {many}"


def counts_line(
    letters: Sequence[str],
    cost: Decimal | None = None,
    *,
    unread: int = 0,
    asks: int = 0,
    answers: Counter[str] | None = None,
) -> str:
    """How many were judged, their grades and what models took: "5 scored: 3 B, 2 not graded; $0.0312".

    `asks` is how many expectations need a judge; `answers` are the results of all criteria, where nothing else was
    asked.
    """
    count = len(letters)
    if answers:
        results = ", ".join(
            f"{answers[result]} {result}" for result in ("met", "unmet", "undecided") if answers[result]
        )
        spent = "" if cost is None else f"; {dollars(cost)}"
        return f"{count} judged by criteria alone, none graded: {results}{spent}"
    if unread == count:
        need = f"; {counted(asks, 'expectation needs', 'expectations need')} a judge" if asks else ""
        return f"{count} checked, none graded: {NONE_READ if count > 1 else NOT_READ}{need}"
    graded = grade_counts([letter for letter in letters if letter != "-"])
    left = f"{letters.count('-')} not graded" if "-" in letters else ""
    spent = "" if cost is None else f"; {dollars(cost)}"
    if not graded:
        return f"{count} judged, none graded{spent}"
    return f"{count} scored: {', '.join(filter(None, (graded, left)))}{spent}"


def grade_counts(letters: Sequence[str]) -> str:
    """How many of each grade, best first: "3 A, 1 C+"."""
    counts = Counter(letters)
    order = [grade.letter for grade in GRADES] + ["-"]
    return ", ".join(f"{counts[letter]} {letter}" for letter in order if counts[letter])
