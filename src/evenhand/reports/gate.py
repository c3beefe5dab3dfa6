"""A gate's report: open, closed or undecided, every ruling with its reason, and the scorecards behind them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import TITLES, Ruling
from evenhand.reports.scorecard import scorecards_nodes
from evenhand.reports.tree import Column, Head, Item, Items, Node, Report, Row, Section, Span, Table, Weight

COLOURS: Final[dict[str, Weight]] = {"red": "bad", "green": "good", "undecided": "unusual", "unscored": "open"}
_TONES: Final = {"red": "F", "green": "A"}


def gate_report(
    word: str,
    rulings: Sequence[Ruling],
    named: Sequence[tuple[str, Scorecard]],
    errors: Sequence[str] = (),
    *,
    is_brief: bool = False,
) -> Report:
    """`word` is red, green or undecided, `named` the scorecards that were looked at; when brief, the rulings alone."""
    if is_brief:
        return Report(TITLES[word], (ruling_lines(rulings),) if rulings else ())
    colours = [ruling.colour for ruling in rulings]
    counts = ", ".join(f"{colours.count(colour)} {colour}" for colour in dict.fromkeys(colours))
    seal = word if word in _TONES else "open question"
    head = Head(title=TITLES[word], headline=counts, seal=seal, tone=_TONES.get(word, ""))
    nodes: list[Node] = [head]
    if rulings:
        nodes.append(Section(title="Rulings", nodes=(rulings_table(rulings),)))
    return Report(TITLES[word], (*nodes, *scorecards_nodes(named, errors)))


def ruling_lines(rulings: Sequence[Ruling]) -> Items:
    """A line for each ruling, where a table would be too wide."""
    return Items(
        tuple(
            Item(head=(Span(f"{ruling.colour:<12} ", COLOURS[ruling.colour], tag=True), Span(ruling.name, "strong"),
                       f"  {ruling.says}"))
            for ruling in _worst_first(rulings)
        )
    )  # fmt: skip


def rulings_table(rulings: Sequence[Ruling]) -> Table:
    """Every ruling with its reason; what is not green comes first."""
    return Table(
        (Column("ruling"), Column("name"), Column("why")),
        tuple(
            Row(((Span(ruling.colour, COLOURS[ruling.colour], tag=True),), ruling.name, ruling.says))
            for ruling in _worst_first(rulings)
        ),
        "What is not green comes first",
    )


def _worst_first(rulings: Sequence[Ruling]) -> list[Ruling]:
    return sorted(rulings, key=lambda ruling: ruling.colour == "green")
