"""A rubric looked up once: the rubric a judge reads, the terms it is scored with, and what to warn about.

Code that has a ResolvedRubric does not look names up again, so a judgement cannot be scored with a different rubric
from the one it was judged with.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Rubric, Terms
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.rubrics.library import (
    Place,
    find,
    is_path,
    load_place,
    locate,
    locate_for_skill,
    other_name,
    weights_path,
)


class ResolvedRubric(NamedTuple):
    """A rubric with everything a run needs."""

    rubric: Rubric
    terms: Terms
    found_as: str
    """The name it was looked up by: its file name, or its own name when it was passed as a value."""
    warnings: tuple[str, ...] = ()
    """Warnings for every scorecard made with it."""

    def is_meant_by(self, written: str) -> bool:
        """Whether the name or path in a judgement means this rubric."""
        return (Path(written).stem if is_path(written) else written) == self.found_as


def resolve(rubric: str | Path | Rubric, *, base: Path | None = None) -> ResolvedRubric:
    """The rubric a user names, by path or by name, or one that is already loaded."""
    if isinstance(rubric, Rubric):
        return _remembered(ResolvedRubric(rubric, terms_of(rubric), rubric.name))
    return resolve_place(locate(str(rubric), base=base))


def resolve_for_skill(skill: str) -> ResolvedRubric:
    """The rubric of exactly the skill's name, or the default with a warning."""
    place, warning = locate_for_skill(skill)
    resolved = resolve_place(place)
    return resolved._replace(warnings=(warning, *resolved.warnings)) if warning else resolved


def installed(name: str, digest: str) -> Rubric | None:
    """The rubric of this name on this machine, if it still has this hash."""
    try:
        place = find(name)
    except InputError:
        return None
    if place is None:
        return None
    files = (place.path, weights_path(place.path))
    rubric = _loaded(place, tuple(path.stat().st_mtime_ns if path.is_file() else 0 for path in files))
    return rubric if rubric is not None and terms_of(rubric).sha256 == digest else None


@lru_cache(maxsize=32)
def _loaded(place: Place, changed: tuple[int, ...]) -> Rubric | None:
    """The rubric in a file that has not changed since, or None for one with errors: many scorecards name the same."""
    try:
        return load_place(place)
    except InputError:
        return None


def resolve_place(place: Place) -> ResolvedRubric:
    """A rubric whose file is known."""
    rubric = load_place(place)
    differs = other_name(place, rubric)
    warnings = (f"rubric {place.path}: {differs}",) if differs else ()
    return _remembered(ResolvedRubric(rubric, terms_of(rubric), place.name, warnings))


MOST_REMEMBERED = 64
_used: OrderedDict[str, Rubric] = OrderedDict()
"""The rubrics this process has used, by hash: a report quotes the one its scorecard was made with, wherever its file
lies."""


def _remembered(resolved: ResolvedRubric) -> ResolvedRubric:
    _used[resolved.terms.sha256] = resolved.rubric
    if len(_used) > MOST_REMEMBERED:
        _used.popitem(last=False)
    return resolved


def rubric_used(card: Scorecard) -> Rubric | None:
    """The rubric a scorecard was made with, if this process has used it or it is installed under its name."""
    digest = card.receipt.rubric
    return _used.get(digest) or installed(card.rubric, digest)
