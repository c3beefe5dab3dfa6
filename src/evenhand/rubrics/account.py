"""What was understood of a rubric file: everything that enters a score, as it will be used, and what does not."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from evenhand.core.criteria import number
from evenhand.core.numbers import plain, points
from evenhand.core.rubric import HALF, RAW, Band, Criterion, Group, Tree
from evenhand.core.rules import BONUS
from evenhand.documents.criteria import written
from evenhand.in_words import counted
from evenhand.rubrics.rubric_file import ParsedRubric, line_ranges
from evenhand.rubrics.weights import shown_percent

_GLUE = "\u00a0"
"""Between a name and its number, so that they stay on one line."""


class Taken(NamedTuple):
    """A part of the scoring and where it stands in the file."""

    part: str
    """weight, pass_mark, red_flag, bonus, group or criterion."""
    name: str
    """The dimension, or the id of the flag, bonus, group or criterion; empty for the pass mark."""
    value: Decimal | Fraction
    source: str
    line: int | None
    dimension: str = ""
    """The dimension that a group or a criterion belongs to."""


def account(parsed: ParsedRubric) -> Iterator[Taken]:
    """Every number of a rubric that enters a score, with its line."""
    rubric, source, lines = parsed.rubric, parsed.source, parsed.lines
    for name, weight in rubric.weights.items():
        yield Taken("weight", name, weight, parsed.weights_file or source, lines.get(("weights", name)))
    yield Taken("pass_mark", "", rubric.pass_mark, source, lines.get(("pass_mark",)))
    for flag in rubric.red_flags:
        yield Taken("red_flag", flag.id, flag.deduction, source, lines.get(("red_flags", flag.id, "amount")))
    for bonus in rubric.bonuses:
        yield Taken("bonus", bonus.id, points(BONUS), source, lines.get(("bonuses", bonus.id)))
    for name, criteria in rubric.dimensions.items():
        if criteria.tree is not None:
            yield from _criteria(criteria.tree.children, name, parsed)


def _criteria(nodes: tuple[Criterion | Group, ...], dimension: str, parsed: ParsedRubric) -> Iterator[Taken]:
    for node in nodes:
        line = parsed.lines.get(("criteria", node.id))
        if isinstance(node, Group):
            yield Taken("group", node.id, node.weight, parsed.source, line, dimension)
            yield from _criteria(node.children, dimension, parsed)
        else:
            yield Taken("criterion", node.id, node.points, parsed.source, line, dimension)


def account_document(row: Taken) -> dict[str, object]:
    """One row as JSON."""
    value = plain(row.value) if isinstance(row.value, Decimal) else number(row.value)
    document: dict[str, object] = {"file": row.source, "line": row.line, "kind": "taken", "part": row.part}
    return document | {"name": row.name, "value": value} | ({"dimension": row.dimension} if row.dimension else {})


def account_lines(parsed: ParsedRubric) -> Iterator[tuple[str, str]]:
    """The rubric as it will be used: a label and a text for each part."""
    rubric = parsed.rubric
    weights = [f"{name}{_GLUE}{shown_percent(weight)}" for name, weight in rubric.weights.items()]
    beside = f" (from {parsed.weights_file})" if parsed.weights_file else ""
    yield "weights", f"{_joined(weights)} = 100%{beside}"
    yield "bands", _bands({name: criteria.bands for name, criteria in rubric.dimensions.items()})
    label = "criteria"
    for name, criteria in rubric.dimensions.items():
        if criteria.tree is not None:
            yield label, f"{name}: {_tree(criteria.tree)}"
            label = ""
    flags = [f"{flag.id}{_GLUE}\u2212{flag.deduction}{_detected(flag.detect)}" for flag in rubric.red_flags]
    yield "red flags", _joined(flags) or "none"
    yield "bonuses", _joined([f"{bonus.id}{_GLUE}+{points(BONUS)}" for bonus in rubric.bonuses]) or "none"
    official = "" if rubric.official == RAW else f", by the {rubric.official} score"
    yield "passes at", f"{rubric.pass_mark}{official}"
    if parsed.prose:
        yield "text only", f"{line_ranges(parsed.prose)}: scores nothing"


def _joined(parts: list[str]) -> str:
    return " \u00b7 ".join(parts)


def _detected(check: str) -> str:
    return f" (raised by {check})" if check else ""


def _bands(bands: dict[str, tuple[Band, ...]]) -> str:
    """Which dimensions have which bands; those without are scored by their criteria."""
    by_labels: dict[str, list[str]] = {}
    for name, listed in bands.items():
        by_labels.setdefault(", ".join(_band(band) for band in listed), []).append(name)
    if len(by_labels) == 1 and "" not in by_labels:
        return f"all seven dimensions: {next(iter(by_labels))}"
    without = "none, the criteria give the score"
    by_labels = {_NO_BANDS if labels == "1-10" else labels: names for labels, names in by_labels.items()}
    return _joined([f"{', '.join(names)}: {labels or without}" for labels, names in by_labels.items()])


_NO_BANDS = "none written, the judge is asked for a score from 1 to 10"


def _band(band: Band) -> str:
    return f"{band.low}-{band.high}" if band.low != band.high else str(band.low)


def _tree(tree: Tree) -> str:
    """How many criteria, what each is worth, and which depend on others."""
    criteria = [*tree.criteria()]
    worth = [f"{criterion.id}{_GLUE}{written(criterion.points)}" for criterion in criteria[:12]]
    more = f" and {len(criteria) - 12} more" if len(criteria) > 12 else ""
    text = f"{counted(len(criteria), 'criterion', 'criteria')}, points: {', '.join(worth)}{more}"
    requiring = [criterion for criterion in criteria if criterion.requires]
    text += "".join(f"; {one.id} requires {', '.join(one.requires)}" for one in requiring[:12])
    others = counted(len(requiring) - 12, "more requires others", "more require others")
    text += f"; {others}" if len(requiring) > 12 else ""
    return text if tree.partly == HALF else f"{text}; partly counts {tree.partly}"
