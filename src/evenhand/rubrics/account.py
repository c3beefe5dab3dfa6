"""What was taken from a rubric file, and from which line: weights, pass mark, each red flag and bonus, the defaults."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from evenhand.core.criteria import number, shown_fraction, signed
from evenhand.core.numbers import plain, points
from evenhand.core.rules import BONUS, DIMENSIONS
from evenhand.core.values import Criterion, Group
from evenhand.rubrics.rubric_file import ParsedRubric
from evenhand.rubrics.weights import shown_percent


class Taken(NamedTuple):
    """A part of the scoring and where it stands in the file."""

    part: str
    """weight, pass_mark, red_flag, bonus, group or criterion."""
    name: str
    """The dimension, or the id of the flag, bonus, group or criterion; empty for the pass mark."""
    value: Decimal | Fraction
    source: str
    line: int | None
    """Where the value stands, or the entry that leaves it out; None for a default that belongs to no line."""
    default: bool
    """Whether the file gives no value, so that the default counts."""
    dimension: str = ""
    """Of groups and criteria: where they belong."""


def account(parsed: ParsedRubric) -> Iterator[Taken]:
    """Everything of a rubric that enters a score, with its line."""
    rubric, source, lines = parsed.rubric, parsed.source, parsed.lines
    for name in DIMENSIONS:
        line = lines.get(("weights", name))
        file = parsed.weights_file
        yield Taken("weight", name, rubric.weights[name], file or source, line, line is None and not file)
    line = lines.get(("pass_mark",))
    yield Taken("pass_mark", "", rubric.pass_mark, source, line, line is None)
    for flag in rubric.red_flags:
        given = lines.get(("red_flags", flag.id, "amount"))
        at = given or lines.get(("red_flags", flag.id))
        yield Taken("red_flag", flag.id, flag.deduction, source, at, given is None)
    for bonus in rubric.bonuses:
        yield Taken("bonus", bonus.id, points(BONUS), source, lines.get(("bonuses", bonus.id)), False)
    for name, criteria in rubric.dimensions.items():
        if criteria.tree is not None:
            yield from _criteria(criteria.tree.children, name, parsed)


def _criteria(nodes: tuple[Criterion | Group, ...], dimension: str, parsed: ParsedRubric) -> Iterator[Taken]:
    for node in nodes:
        line = parsed.lines.get(("criteria", node.id))
        if isinstance(node, Group):
            yield Taken("group", node.id, node.weight, parsed.source, line, False, dimension)
            yield from _criteria(node.children, dimension, parsed)
        else:
            yield Taken("criterion", node.id, node.points, parsed.source, line, False, dimension)


def account_lines(parsed: ParsedRubric) -> Iterator[str]:
    """The account as a list: the line, and what was taken from it."""
    yield f"taken from {parsed.source}:"
    for row in account(parsed):
        where = row.source if row.source != parsed.source else f"line {row.line}" if row.line is not None else ""
        yield f"  {where:<8}  {_sentence(row)}"


def account_document(row: Taken) -> dict[str, object]:
    """One row as JSON."""
    return {
        "file": row.source,
        "line": row.line,
        "kind": "taken",
        "message": _sentence(row),
        "part": row.part,
        "name": row.name,
        "value": plain(row.value) if isinstance(row.value, Decimal) else number(row.value),
        "default": row.default,
    }


def _sentence(row: Taken) -> str:
    default = " (the default)" if row.default else ""
    if isinstance(row.value, Fraction):
        worth = signed(row.value) if row.part == "criterion" else f"weighs {shown_fraction(row.value)}"
        return f"{row.dimension}: {row.name} {worth}"
    if row.part == "weight":
        return f"weight of {row.name} {shown_percent(row.value)}{default}"
    if row.part == "pass_mark":
        return f"pass mark {row.value}{default}"
    if row.part == "red_flag":
        return f"red flag {row.name} -{row.value}{default}"
    return f"bonus {row.name} +{row.value}"
