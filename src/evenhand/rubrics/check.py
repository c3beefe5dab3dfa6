"""Weaknesses of a rubric that loads: each with its line and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from evenhand.core.rubric import Criteria, Criterion, Group, Rubric, Tree
from evenhand.core.rules import BONUS, BONUS_CAP
from evenhand.errors import Problem, RubricError
from evenhand.rubrics.library import Place, find, is_path, other_name, parse_file
from evenhand.rubrics.rubric_file import ParsedRubric

MOST_FLAGS = 10
"""With more than this, judges stop looking for every one."""

MOST_BONUSES = 2 * BONUS_CAP // BONUS
"""Four bonuses reach the cap; twice as many leave a choice, more only dilute it."""

SAME = 0.6
"""The share of content words two texts must have in common to be called a restatement of each other."""

_BANDS = ((9, 10), (7, 8), (5, 6), (3, 4), (1, 2))
_PLACEHOLDER = re.compile(
    r"(?<![\w\])])\[[^\]\[]*[^\W\d_]{2}[^\]\[]*\](?![(\[:])"  # [domain], but no link, no footnote, no items[key]
    r"|<(?!https?:|mailto:)[A-Za-z][^<>]*>"
    r"|\b(?:TODO|TBD|FIXME|XXX)(?=:|$)|^(?:TODO|TBD|FIXME|XXX)\b(?! (?:comment|marker|note|item)s?\b)"
    r"|(?i:lorem ipsum dolor|\binsert [a-z ]+ here\b)"
)
_SPOKEN_OF = re.compile(r"`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d")
"""Code and quotations: a rubric may mention placeholders without containing one."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_SEPARATORS = re.compile(r"[\W_]+")
_COMMON = frozenset(
    "the and for with that this are was were not but its has have had from into than then they their them which "
    "when what where who one two any all some more most other each every such only also can could would should may "
    "about without within does did done been being output".split()
)


def parsed_rubric(name_or_path: str) -> ParsedRubric:
    """A rubric with its lines; RubricError when it does not load, or its name differs from its file name."""
    path = name_or_path
    if not is_path(path) and not Path(path).exists() and (place := find(path)):
        path = str(place.path)
    parsed = parse_file(path)
    differs = other_name(Place(Path(path).stem, "file", Path(path)), parsed.rubric)
    if differs:
        raise RubricError(Problem(differs, path, parsed.lines.get(("name",))))
    return parsed


def weaknesses(parsed: ParsedRubric) -> list[Problem]:
    """The weaknesses of a rubric that loads, in the order of its lines."""
    return sorted(_weaknesses(parsed), key=lambda problem: problem.line or 0)


def _weaknesses(parsed: ParsedRubric) -> Iterator[Problem]:
    rubric = parsed.rubric

    def at(*path: str | int) -> int | None:
        return parsed.lines.get(path)

    for name, criteria in rubric.dimensions.items():
        if criteria.bands or criteria.tree is None:
            yield from _bands(parsed, name, criteria)
        if not criteria.measures:
            yield Problem(f"{name} does not say what it measures in this domain", parsed.source, at("dimensions", name))
    for field, noun, items in (("red_flags", "red flag", rubric.red_flags), ("bonuses", "bonus", rubric.bonuses)):
        if not items:
            yield Problem(f"lists no {noun}; add one for what can be observed", parsed.source, 1)
        for item in items:
            if _unfilled(item.description):
                yield Problem(
                    f"{noun} {item.id} still holds a placeholder: {item.description}", parsed.source, at(field, item.id)
                )
    if len(rubric.red_flags) > MOST_FLAGS:
        message = f"{len(rubric.red_flags)} red flags; with more than {MOST_FLAGS}, judges stop looking for every one"
        yield Problem(message, parsed.source, at("red_flags", rubric.red_flags[MOST_FLAGS].id))
    for id, message in _criteria(rubric):
        yield Problem(message, parsed.source, at("criteria", id))
    yield from _ignored_checks(parsed)
    yield from _double_counting(parsed)
    yield from _unreachable(parsed)
    if _unfilled(rubric.title) or _unfilled(rubric.summary):
        yield Problem("the title or introduction still holds a placeholder", parsed.source, 1)


def _bands(parsed: ParsedRubric, name: str, criteria: Criteria) -> Iterator[Problem]:
    def weak(message: str, high: int | None = None) -> Problem:
        path = ("dimensions", name) if high is None else ("dimensions", name, high)
        return Problem(f"{name}: {message}", parsed.source, parsed.lines.get(path))

    previous = None
    for band in criteria.bands:
        label = f"{band.low}-{band.high}"
        if (band.low, band.high) == (1, 10) and not band.criteria:
            yield weak("it has no bands; give a table with the rows 9-10, 7-8, 5-6, 3-4 and 1-2")
        elif not band.criteria:
            yield weak(f"the band {label} is empty; say what a reader would see", band.high)
        elif _unfilled(band.criteria):
            yield weak(f"the band {label} still holds a placeholder", band.high)
        elif previous is not None and _alike(band.criteria, previous.criteria) > 0.9:
            yield weak(
                f"the bands {label} and {previous.low}-{previous.high} say the same; two judges will differ", band.high
            )
        previous = band
    if [band[:2] for band in criteria.bands] == [(1, 10)]:
        return
    if tuple((band.low, band.high) for band in criteria.bands) != _BANDS:
        yield weak("the bands are not the usual five, 9-10, 7-8, 5-6, 3-4, 1-2")
    if _unfilled(criteria.measures):
        yield weak("what it measures still holds a placeholder")


def _criteria(rubric: Rubric) -> Iterator[tuple[str, str]]:
    """The id of each weak criterion or group, and what is weak about it."""
    trees = {name: criteria.tree for name, criteria in rubric.dimensions.items() if criteria.tree is not None}
    required = {id for tree in trees.values() for criterion in tree.criteria() for id in criterion.requires}
    said: dict[str, str] = {}
    for name, tree in trees.items():
        if not rubric.weights[name]:
            first = next(tree.criteria())
            yield first.id, f"{name} has criteria and no weight, so they cannot change the final score"
        for criterion in tree.criteria():
            if _unfilled(criterion.sentence) or _unfilled(criterion.applies_when):
                yield criterion.id, f"{criterion.id} still holds a placeholder: {criterion.sentence}"
            if not criterion.points and criterion.id not in required:
                yield criterion.id, f"{criterion.id} cannot be reached: it has no points, and nothing requires it"
            same = said.setdefault(_folded(criterion), criterion.id)
            if same != criterion.id:
                yield criterion.id, f"{criterion.id} says the same as {same}; what holds counts twice"
        yield from _weightless(tree)


def _folded(criterion: Criterion) -> str:
    """A sentence by which duplicates are known: case, punctuation and white space do not matter."""
    words = f"{criterion.sentence} when {criterion.applies_when}"
    return _SEPARATORS.sub(" ", words.casefold()).strip() or criterion.id


def _weightless(node: Tree | Group) -> Iterator[tuple[str, str]]:
    for child in node.children:
        if isinstance(child, Group) and not child.weight:
            yield child.id, f"nothing in {child.id} can be reached: the group has no weight"
        elif isinstance(child, Group):
            yield from _weightless(child)


def _ignored_checks(parsed: ParsedRubric) -> Iterator[Problem]:
    """A `detect` check that has no effect."""
    for bonus in parsed.rubric.bonuses:
        if bonus.detect:
            message = (
                f"bonus {bonus.id}: detect {bonus.detect} is ignored; only a judge who read the output awards a bonus"
            )
            yield Problem(message, parsed.source, parsed.lines.get(("bonuses", bonus.id)))


def _double_counting(parsed: ParsedRubric) -> Iterator[Problem]:
    """A flag that restates a dimension's lowest band charges one fault twice."""
    for flag in parsed.rubric.red_flags:
        for name, criteria in parsed.rubric.dimensions.items():
            if criteria.bands and _alike(flag.description, criteria.bands[-1].criteria) >= SAME:
                message = f"red flag {flag.id} restates the lowest band of {name}, so one fault would be charged twice"
                yield Problem(message, parsed.source, parsed.lines.get(("red_flags", flag.id)))
                break


def _unreachable(parsed: ParsedRubric) -> Iterator[Problem]:
    """A bonus that cannot be earned, or cannot count."""
    rubric = parsed.rubric
    if len(rubric.bonuses) > MOST_BONUSES:
        message = f"{len(rubric.bonuses)} bonuses, of which {BONUS_CAP // BONUS} can count; keep at most {MOST_BONUSES}"
        yield Problem(message, parsed.source, parsed.lines.get(("bonuses", rubric.bonuses[MOST_BONUSES].id)))
    for place, bonus in enumerate(rubric.bonuses):
        line = parsed.lines.get(("bonuses", bonus.id))
        for flag in rubric.red_flags:
            if bonus.id == flag.id or _alike(bonus.description, flag.description) >= 0.8:
                message = f"bonus {bonus.id} cannot be reached: what earns it also raises the red flag {flag.id}"
                yield Problem(message, parsed.source, line)
        same = next((o for o in rubric.bonuses[:place] if _alike(bonus.description, o.description) >= 0.8), None)
        if same and not _unfilled(bonus.description):
            yield Problem(f"bonus {bonus.id} repeats {same.id}; the same merit counts once", parsed.source, line)


def _alike(first: str, second: str) -> float:
    """The share of content words in common, relative to the shorter text; 0 for texts too short to tell."""
    left, right = _content(first), _content(second)
    fewer = min(len(left), len(right))
    return len(left & right) / fewer if fewer >= 3 else float(bool(left) and left == right)


def _unfilled(text: str) -> bool:
    """Whether a text still contains a placeholder."""
    return _PLACEHOLDER.search(_SPOKEN_OF.sub("", text)) is not None


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _COMMON)
