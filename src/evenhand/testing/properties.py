"""A scorecard as properties of a test report: what JUnit files show, and what workers send to the controller."""

from __future__ import annotations

from evenhand.core.method.bounds import NOT_READ
from evenhand.core.text.printable import printable
from evenhand.core.values.scorecard import Scorecard


def card_properties(card: Scorecard, number: int) -> list[tuple[str, str]]:
    """The properties of a test's n-th scorecard: `evenhand` is its line in the summary, the others are for programs."""
    start = "evenhand" if number == 1 else f"evenhand.{number}"
    judge = card.judge.get("name", "unknown")
    properties = {
        "id": card.id,
        "rubric": card.rubric,
        "judge": judge,
        "grade": card.grade.letter if card.grade else "",
        "final": "" if card.final is None else str(card.final),
        "low": str(card.interval.low) if card.interval else "",
        "high": str(card.interval.high) if card.interval else "",
        "red_flags": " ".join(flag.id for flag in card.red_flags),
        "faults": "" if card.checked is None else str(sum(f.is_fault for f in card.checked.findings)),
    }
    line = f"{_result(card)}  {card.rubric}, {judge}"
    return [
        ("evenhand", printable(" ".join(line.split("\n")))),
        *((f"{start}.{name}", printable(value)) for name, value in properties.items() if value),
    ]


def _result(card: Scorecard) -> str:
    if card.final is not None:
        return f"{card.grade.letter if card.grade else '-':<2} {card.final:>5}"
    assert card.interval is not None
    if card.unread:
        return f"-  at best {card.interval.grades[1]}, {NOT_READ}"
    letter = card.grade.letter if card.grade else "-"
    return f"{letter:<2} {card.interval.low} to {card.interval.high}"
