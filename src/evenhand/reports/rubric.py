"""A rubric for reading. Pure; as a file it is written by `rubric_markdown`."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.numbers import shown
from evenhand.core.rubric import RAW, Bonus, Criteria, RedFlag, Rubric
from evenhand.reports.tree import Facts, Head, Item, Items, Line, Node, Report, Section


def rubric_report(rubric: Rubric) -> Report:
    """What it is for, when work passes, and what each dimension, red flag and bonus asks for."""
    lines = [Line(rubric.summary)] if rubric.summary else []
    lines.append(Line(f"Pass mark {rubric.pass_mark}. {rubric.pass_mark_reason}".strip()))
    if rubric.official != RAW:
        lines.append(Line(f"The {rubric.official} score is the official one."))
    nodes: list[Node] = [Head(title=rubric.title, kicker=rubric.domain, lines=tuple(lines))]
    for name, criteria in rubric.dimensions.items():
        nodes.append(Section(title=f"{name}  {shown(rubric.weights[name] * 100)}%", nodes=_dimension(criteria)))
    for title, claims in (("Red flags", rubric.red_flags), ("Bonuses", rubric.bonuses)):
        if claims:
            nodes.append(Section(title=title, nodes=(Items(tuple(map(_claim, claims)), wide=True),)))
    return Report(rubric.title, tuple(nodes))


def _dimension(criteria: Criteria) -> tuple[Node, ...]:
    bands = tuple((f"{band.low}-{band.high}", band.criteria, "plain") for band in criteria.bands)
    nodes: list[Node] = [Line(criteria.measures)] if criteria.measures else []
    if bands:
        nodes.append(Facts(bands))  # type: ignore[arg-type]
    return (*nodes, *_criteria(criteria))


def _criteria(criteria: Criteria) -> Sequence[Node]:
    """The criteria that give a dimension's score, as their file has them."""
    if criteria.tree is None:
        return ()
    from evenhand.documents.criteria import tree_lines  # few rubrics have any

    return [Line(line) for line in tree_lines(criteria.tree)]


def _claim(claim: RedFlag | Bonus) -> Item:
    deducts = isinstance(claim, RedFlag)
    return Item(
        head=claim.id,
        amount=f"-{claim.deduction}" if isinstance(claim, RedFlag) else "+0.25",
        mark="bad" if deducts else "good",
        below=(Line(claim.description, "quiet"),),
    )
