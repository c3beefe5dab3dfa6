"""A skill's evaluations over time, and all skills at a glance. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from shlex import quote

from evenhand import clock
from evenhand.core.comparison import DimensionComparison
from evenhand.core.numbers import half_up, hundredths
from evenhand.core.scorecard import Scorecard
from evenhand.in_words import counted, listed
from evenhand.reports.cases import short_ids
from evenhand.reports.charts import Kind, Scored, TimeChart, sparkline, time_chart
from evenhand.reports.history import LIKELY_CHANCE, is_unusual
from evenhand.reports.panel import DISPUTED_LEGEND, is_disputed, marked_grade
from evenhand.reports.tree import Column, Drawing, Head, Line, Node, Report, Row, Section, Span, Table, Words
from evenhand.work.printable import printable

LEGEND = "grey ring: unusual, but chance explains it; dark ring: chance does not explain it; red: drift alarm"
CHANCE = f"By chance: flagged, but chance explains it (p above {LIKELY_CHANCE})."
DRIFT = "DRIFT: the final scores have moved away from the skill's first ten."
_BARS = 36
"""Little bars in a row: with names and numbers they fit 60 columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An attempt that gave nothing to score."""

    what: str
    """Its task's first words, or its file."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLine:
    """A skill in the overview."""

    name: str
    evaluations: int
    finals: Sequence[int]
    """The latest final scores, oldest first, in hundredths."""
    newest: Scorecard
    in_suites: int = 0
    """Evaluations made by suites, which no history counts."""
    failed: int = 0
    """Attempts that gave nothing to score."""

    @property
    def counted(self) -> str:
        """How many evaluations there are, those made by suites apart."""
        if not self.in_suites:
            return str(self.evaluations)
        alone = f"{self.in_suites} in suites"
        return f"{self.evaluations} + {alone}" if self.evaluations else alone


def history_report(
    skill: str, cards: Sequence[Scorecard], notes: Sequence[Line] = (), failed: Sequence[Failed] = (), failures: int = 0
) -> Report:
    """The evaluations of a skill, oldest first, as a chart and a table; `notes` stand above them.

    `failed` are the newest attempts that gave nothing to score, of so many `failures`.
    """
    head = Head(title=skill, headline=counted(len(cards), "evaluation"), lines=tuple(notes))
    over_time = Section(title="Over time", nodes=(*_drawing(skill, cards), *_trends(cards)))
    every = Section(title="Every evaluation", nodes=(_evaluations(cards), *_explained(cards)))
    return Report(skill, (head, over_time, every, *_failures(skill, failed, failures)))


def overview_report(lines: Sequence[SkillLine]) -> Report:
    """Every skill in a row."""
    columns = (
        Column("skill"),
        Column("evaluations", right=True),
        Column("final scores"),
        Column("last", right=True),
        Column("grade"),
    )
    rows = tuple(
        Row(
            (
                (Span(line.name, "strong"),),
                line.counted,
                (Span(sparkline(_thinned(line.finals)), "spark"),),
                str(line.newest.final or "-"),
                (Span(marked_grade(line.newest), "grade"),),
            )
        )
        for line in lines
    )
    nodes: list[Node] = [Head(title="Skills"), Table(columns, rows), *_legend([line.newest for line in lines])]
    failed = [f"{line.failed} of {line.name}" for line in lines if line.failed]
    if failed:
        nodes.append(Line(("attempts that failed: ", listed(failed), "; list them: ", Span(_COMMAND, "code"))))
    return Report("Skills", tuple(nodes) if lines else ())


_COMMAND = "evenhand history --failed"


def skill_chart(skill: str, cards: Sequence[Scorecard]) -> TimeChart | None:
    """The final scores over time with their words; None where there are none."""
    points = chart_points(cards)
    chart = time_chart(points)
    return None if chart is None else chart._replace(label=alternative(skill, points), caption=LEGEND)


def chart_points(cards: Sequence[Scorecard]) -> list[Scored]:
    """The evaluations that have a final score."""
    return [
        Scored(
            card.id,
            clock.microseconds(card.created),
            hundredths(card.final),
            f"{_when(card)}  {card.final}  {', '.join(_unusual(card))}".strip(),
            _kind(card),
        )
        for card in cards
        if card.final is not None
    ]


def alternative(title: str, points: Sequence[Scored]) -> str:
    """The drawing in words."""
    if not points:
        return printable(title)
    unusual, alarms = (sum(point.kind == kind for point in points) for kind in ("flag", "alarm"))
    ends = " to ".join(f"{point.final / 100:.2f} on {point.label[:10]}" for point in (points[0], points[-1]))
    return printable(
        f"{title}: {len(points)} final scores, from {ends}; {unusual} unusual, {alarms} with a drift alarm"
    )


def _drawing(skill: str, cards: Sequence[Scorecard]) -> tuple[Node, ...]:
    chart = skill_chart(skill, cards)
    return () if chart is None else (Drawing("time_chart", chart),)


def _trends(cards: Sequence[Scorecard]) -> tuple[Node, ...]:
    """The final score and each dimension, oldest first."""
    names = cards[-1].dimensions if cards else {}
    scores = {"final": [card.final for card in cards]}
    scores |= {name: [card.dimensions[name].score for card in cards if name in card.dimensions] for name in names}
    known = {name: [score for score in given if score is not None] for name, given in scores.items()}
    rows = tuple(
        Row((name, (Span(sparkline(_thinned([hundredths(score) for score in given])), "spark"),), str(given[-1])))
        for name, given in known.items()
        if given
    )
    table = Table((Column("score"), Column("oldest to newest"), Column("newest", right=True)), rows)
    return (table,) if rows else (Line("No score yet."),)


def _thinned(values: Sequence[int]) -> list[int]:
    """All values, or the means of as many parts as there is room for."""
    count = min(len(values), _BARS)
    parts = (values[len(values) * place // count : len(values) * (place + 1) // count] for place in range(count))
    return [half_up(sum(part), len(part)) for part in parts]


def _evaluations(cards: Sequence[Scorecard]) -> Table:
    """Every evaluation, newest first."""
    ids = short_ids([card.id for card in cards])
    rows = tuple(
        Row(
            (
                _when(card),
                "-" if card.final is None else str(card.final),
                (Span(marked_grade(card), "grade"),),
                ids[card.id],
                _remarks(card),
            )
        )
        for card in reversed(cards)
    )
    return Table(
        (Column("when"), Column("final", right=True), Column("grade"), Column("id"), Column("worth a look")), rows
    )


def _remarks(card: Scorecard) -> Words:
    """The most important first."""
    flagged = _flagged(card, unusual=False)
    chance = ", ".join(text.partition(" (")[0] for text in flagged)
    early = ", provisional" if any("provisional" in text for text in flagged) else ""
    remarks = [
        *((Span("DRIFT", "alarm"),) if _drifts(card) else ()),
        *(Span(text, "unusual") for text in _flagged(card, unusual=True)),
        *(Span(f"red flag {flag.id}", "bad") for flag in card.red_flags),
        *((Span(f"by chance{early}: {chance}", "quiet"),) if chance else ()),
    ]
    return tuple(piece for remark in remarks for piece in (", ", remark))[1:]


def _explained(cards: Sequence[Scorecard]) -> tuple[Line, ...]:
    """What the marks mean that stand in the table."""
    lines = [Line(CHANCE, "quiet")] if any(_flagged(card, unusual=False) for card in cards) else []
    lines += [Line(DRIFT, "quiet")] if any(map(_drifts, cards)) else []
    return (*lines, *_legend(cards))


def _legend(cards: Iterable[Scorecard]) -> tuple[Line, ...]:
    return (Line(DISPUTED_LEGEND, "quiet"),) if any(map(is_disputed, cards)) else ()


def _failures(skill: str, failed: Sequence[Failed], failures: int) -> tuple[Node, ...]:
    """The attempts that failed by name, and the command that lists all with what they cost."""
    if not failed:
        return ()
    table = Table((Column("what"), Column("why")), tuple(Row((entry.what, entry.why)) for entry in failed))
    command = f"evenhand history {quote(skill)} --failed"
    more = f"the newest {len(failed)}; all with what they cost: " if failures > len(failed) else "what they cost: "
    title = f"{counted(failures, 'attempt')} failed"
    return (Section(title=title, nodes=(table, Line((more, Span(command, "code")), "quiet"))),)


def _when(card: Scorecard) -> str:
    return card.created[:16].replace("T", " ")


def _unusual(card: Scorecard) -> list[str]:
    """A drift alarm, and the dimensions further from their mean than chance explains."""
    return [*(["DRIFT"] if _drifts(card) else []), *_flagged(card, unusual=True)]


def _flagged(card: Scorecard, *, unusual: bool) -> list[str]:
    """The flagged dimensions with their difference and strength: those that chance does not explain, or the others."""
    lines = {} if card.history is None else card.history.dimensions
    return [
        f"{name} {line.delta:+.2f}{_strength(line)}"
        for name, line in lines.items()
        if line.flagged and is_unusual(line) == unusual
    ]


def _strength(line: DimensionComparison) -> str:
    """A flag's strength, and that it is provisional while the history is short (R15)."""
    notes = [] if line.strength is None else [f"p {_shown_p(line.strength)}"]
    notes += ["provisional"] if line.provisional else []
    return f" ({', '.join(notes)})" if notes else ""


def _shown_p(strength: float) -> str:
    return "<0.001" if strength < 0.001 else f"{strength:.3f}"


def _drifts(card: Scorecard) -> bool:
    return bool(card.history and card.history.drift and card.history.drift.alarm)


def _kind(card: Scorecard) -> Kind:
    if _drifts(card):
        return "alarm"
    if _flagged(card, unusual=True):
        return "flag"
    return "chance" if _flagged(card, unusual=False) else "point"
