"""A rubric file's text -> Rubric, or every problem with it, each with its line.

What the front matter leaves out comes from the prose: weights from headings such as
`### Safety (Weight: 35%)`, flags and bonuses from bullet lists, their ids from the words. Where both
have a value, they must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from evenhand.core.numbers import exact, points, score, shown
from evenhand.core.rules import DIMENSIONS, PASS_MARK
from evenhand.core.values import OFFICIAL, RAW, Rubric
from evenhand.errors import Path, Problem, RubricError, unknown
from evenhand.names import is_id
from evenhand.reading.entry import Entry
from evenhand.reading.located import Located
from evenhand.rubrics.bullets import list_entries
from evenhand.rubrics.criteria_list import refuse_broken_requirements
from evenhand.rubrics.dimensions import criteria_from, dimension_of, dimension_sections
from evenhand.rubrics.leftovers import refuse_leftovers
from evenhand.rubrics.list_headings import list_kind
from evenhand.rubrics.lists import bonuses_from, red_flags_from
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.weights import weights_of

_FRONT_KEYS = (
    "name",
    "title",
    "domain",
    "version",
    "weights",
    "pass_mark",
    "pass_mark_reason",
    "red_flags",
    "bonuses",
    "official",
)


class ParsedRubric(NamedTuple):
    """A rubric and the line of each of its parts."""

    rubric: Rubric
    source: str
    lines: Mapping[Path, int]
    weights_file: str = ""
    """The file beside the rubric, when the weights came from it."""


def parse_rubric(text: str, source: str, *, name: str, side_weights: Located | None = None) -> ParsedRubric:
    """Read a rubric. `name` is used when the front matter names none; `side_weights` is the weights file beside it."""
    draft = Draft(text, source)
    _refuse_other_files(draft)
    _check_front_keys(draft)
    sections = dimension_sections(draft)
    entries = list_entries(draft)
    rubric = Rubric(
        name=_named(draft) or name,
        title=draft.front_text("title") or _first_heading(draft) or name,
        domain=draft.front_text("domain"),
        version=draft.front_text("version") or "1",
        summary=_summary(draft),
        weights=weights_of(draft, sections, side_weights),
        pass_mark=_pass_mark(draft),
        pass_mark_reason=draft.front_text("pass_mark_reason"),
        dimensions={dimension: criteria_from(draft, dimension, parts) for dimension, parts in sections.items()},
        red_flags=red_flags_from(draft, entries["red_flags"]),
        bonuses=bonuses_from(draft, entries["bonuses"]),
        official=_official(draft),
    )
    refuse_broken_requirements(draft, rubric)
    refuse_leftovers(draft, sections, rubric)
    if draft.problems:
        raise RubricError(sorted(draft.problems, key=lambda problem: problem.line or 0))
    return ParsedRubric(rubric, source, draft.lines, draft.weights_file)


def _check_front_keys(draft: Draft) -> None:
    Entry(draft.front, (), draft.problems, draft.located).known(_FRONT_KEYS)


def _named(draft: Draft) -> str:
    name = draft.front_text("name")
    draft.lines[("name",)] = draft.front_line("name") or 1
    if name and not is_id(name):
        draft.say(
            draft.front_line("name"),
            f'the name "{name}" must be lower-case words joined by hyphens, like code-review',
        )
    return name


def _pass_mark(draft: Draft) -> Decimal:
    value = draft.front.get("pass_mark")
    if value is None:
        return points(PASS_MARK)
    try:
        number = exact(value)
        if score(number) != number:
            raise ValueError(f"{shown(number)} has more than two decimals")
        draft.lines[("pass_mark",)] = draft.front_line("pass_mark") or 1
        return score(number)
    except ValueError as error:
        draft.say(draft.front_line("pass_mark"), f"pass_mark: {error}; it is a score from 1 to 10")
        return points(PASS_MARK)


def _official(draft: Draft) -> str:
    value = draft.front.get("official", RAW)
    if value in OFFICIAL:
        return str(value)
    draft.say(draft.front_line("official"), f"official: {unknown('kind of final score', value, OFFICIAL)}")
    return RAW


def _refuse_other_files(draft: Draft) -> None:
    if not any(dimension_of(section.heading) for section in draft.parts):
        raise RubricError(
            Problem(
                "not a rubric: none of the seven dimensions has a heading "
                f"({', '.join(DIMENSIONS)}); start one with: evenhand rubric new NAME",
                draft.source,
                1,
            )
        )


def _first_heading(draft: Draft) -> str:
    return next((section.heading for section in draft.sections if section.level == 1), "")


def _summary(draft: Draft) -> str:
    """The paragraphs before the first section that matters for scoring."""
    paragraphs = []
    for section in draft.sections:
        if section is not draft.title and (dimension_of(section.heading) or list_kind(section.heading)):
            break
        paragraphs += [f"{piece.label}: {piece.text}" if piece.label else piece.text for piece in section.paragraphs]
    return "\n\n".join(paragraphs)
