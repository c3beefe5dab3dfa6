"""A rubric looked up once: the rubric a judge reads, the terms it is scored with, and what to warn about.

Whoever has a ResolvedRubric needs no name any more, so a judgement cannot be scored with another rubric than it was
judged with.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from evenhand.core.documents.receipt import terms_of
from evenhand.core.values.rubric import Rubric, Terms
from evenhand.rubrics.library import Place, is_path, load_place, locate, locate_for_skill, other_name


class ResolvedRubric(NamedTuple):
    """A rubric with everything a run needs of it."""

    rubric: Rubric
    terms: Terms
    found_as: str
    """The name it was found by: that of its file, or its own when it came as a value."""
    warnings: tuple[str, ...] = ()
    """What every scorecard made with it has to mention."""

    def is_meant_by(self, written: str) -> bool:
        """Whether what a judgement writes, a name or a path, means this rubric."""
        return (Path(written).stem if is_path(written) else written) == self.found_as


def resolve(rubric: str | Path | Rubric, *, base: Path | None = None) -> ResolvedRubric:
    """The rubric a user names, by path or by name, or one that is loaded already."""
    if isinstance(rubric, Rubric):
        return ResolvedRubric(rubric, terms_of(rubric), rubric.name)
    return resolve_place(locate(str(rubric), base=base))


def resolve_for_skill(skill: str) -> ResolvedRubric:
    """The rubric of exactly the skill's name, or the default with a warning."""
    place, warning = locate_for_skill(skill)
    resolved = resolve_place(place)
    return resolved._replace(warnings=(warning, *resolved.warnings)) if warning else resolved


def resolve_place(place: Place) -> ResolvedRubric:
    """A rubric whose file is known."""
    rubric = load_place(place)
    differs = other_name(place, rubric)
    warnings = (f"rubric {place.path}: {differs}",) if differs else ()
    return ResolvedRubric(rubric, terms_of(rubric), place.name, warnings)
