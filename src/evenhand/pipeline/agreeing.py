"""How far raters agree: those of a table, or the people and judges of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from evenhand.core.trust.agreed import AgreementReport, Between, FieldAgreement, among, judge_and_people
from evenhand.core.trust.label_scales import CATEGORIES, NUMBERS, Scale, default_scale, is_number, on_scale, scale_from
from evenhand.core.trust.ratings import MOST_CATEGORIES, Ratings, categories, numbers
from evenhand.core.trust.resampling import RESAMPLES, Draws
from evenhand.core.values.label import GRADE, JUDGED_FIELDS, PASS
from evenhand.errors import InputError, Problem
from evenhand.pipeline.rating_tables import Entry, read_entries
from evenhand.pipeline.table_layout import Options
from evenhand.reading.tables import Table

SHOWN_IN_FULL = 3
"""With more comparisons than this, a terminal shows a summary of each unless all is asked for."""


class Given(NamedTuple):
    """The values of one field: by item and rater."""

    field: str
    scale: Scale
    values: Mapping[str, Mapping[str, str]]
    """By item, then by rater."""
    judges: frozenset[str] = frozenset()
    """Raters that are not people."""
    order: tuple[str, ...] = ()
    """Raters that come first, in this order."""

    @property
    def raters(self) -> list[str]:
        """Every rater, in the given order and then in order of appearance."""
        seen = dict.fromkeys(rater for row in self.values.values() for rater in row)
        return [
            *(rater for rater in self.order if rater in seen),
            *(rater for rater in seen if rater not in self.order),
        ]


def agree_table(
    table: Table, options: Options, *, judges: Iterable[str] = (), scales: Sequence[str] = (), seed: int = 0,
    resamples: int = RESAMPLES, full: bool | None = True,
) -> AgreementReport:  # fmt: skip
    """The raters of a table. Those named as judges are compared with the others, who are people then."""
    entries, layout = read_entries(table, options)
    by_field: dict[str, list[Entry]] = {}
    for entry in entries:
        by_field.setdefault(entry.field, []).append(entry)
    wanted = frozenset(judges)
    unknown = wanted - {entry.rater for entry in entries}
    if unknown:
        known = ", ".join(dict.fromkeys(entry.rater for entry in entries))
        raise InputError(table.problem(f'no rater is named "{min(unknown)}"; raters: {known}'))
    columns = tuple(dict.fromkeys(rater for _, rater, _ in layout.values if rater))
    given = [_given(table, field, rows, scales, wanted)._replace(order=columns) for field, rows in by_field.items()]
    notes = [f"read as {layout.shape}"]
    if layout.missing:
        notes.append("1 value is missing" if layout.missing == 1 else f"{layout.missing:,} values are missing")
    if layout.ignored:
        notes.append(f"columns left out: {', '.join(layout.ignored)}")
    return report(table.source, given, notes, seed=seed, resamples=resamples, full=full)


def _given(table: Table, field: str, entries: Sequence[Entry], scales: Sequence[str], judges: frozenset[str]) -> Given:
    scale = _scale(field, [entry.text for entry in entries], scales)
    values: dict[str, dict[str, str]] = {}
    lines: dict[tuple[str, str], int] = {}
    problems = []
    for entry in entries:
        key = entry.item, entry.rater
        try:
            value = on_scale(entry.text, scale)
        except ValueError as error:
            problems.append(Problem(f"{field} by {entry.rater}: {error}", table.source, entry.line))
            continue
        if key in lines:
            what = f'{entry.rater} rated "{entry.item}" on line {lines[key]} already; keep one'
            problems.append(Problem(what, table.source, entry.line))
            continue
        lines[key] = entry.line
        values.setdefault(entry.item, {})[entry.rater] = value
    if problems:
        raise InputError(problems)
    return Given(field, scale, values, judges)


def _scale(field: str, texts: Sequence[str], given: Sequence[str]) -> Scale:
    """The scale given for a field or for all; that of grades and passes if values are such; else numbers or words."""
    for text in given:
        name, equals, rest = text.partition("=")
        if not equals or name.strip() == field:
            try:
                return scale_from(rest if equals else text)
            except ValueError as error:
                raise InputError(f"--scale: {error}") from None
    default = default_scale(field) if field in (GRADE, PASS) else None
    if default is not None and all(_fits(text, default) for text in texts):
        return default
    return Scale(NUMBERS if all(map(is_number, texts)) else CATEGORIES)


def _fits(text: str, scale: Scale) -> bool:
    try:
        on_scale(text, scale)
    except ValueError:
        return False
    return True


def report(
    source: str,
    given: Iterable[Given],
    notes: Iterable[str],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    full: bool | None = True,
) -> AgreementReport:
    """Every comparison that some values allow: people, each judge and people, judges.

    All coefficients are computed if `full`, those of a summary if not; None leaves it to the number of comparisons.
    """
    draws = Draws(seed, resamples)
    planned = [comparison for field in given for comparison in _comparisons(field)]
    brief = len(planned) > SHOWN_IN_FULL if full is None else not full
    comparisons = tuple(comparison(draws, brief=brief) for comparison in planned)
    return AgreementReport(source, comparisons, tuple(notes), seed, resamples, brief=brief)


def _comparisons(given: Given) -> list[Callable[..., FieldAgreement]]:
    """What is to be compared, each as a function of the resamples."""
    people = [rater for rater in given.raters if rater not in given.judges]
    judges = [rater for rater in given.raters if rater in given.judges]
    name = given.scale.name
    made: list[Callable[..., FieldAgreement]] = []
    if len(people) > 1 or not judges:
        between: Between = "people" if judges or given.field in JUDGED_FIELDS else "raters"
        made.append(partial(among, between, given.field, name, ratings_of(given, people)))
    for judge in judges if people else ():
        rows = ratings_of(given, [judge, *people])
        if any(row[0] is not None and any(value is not None for value in row[1:]) for row in rows.rows):
            made.append(partial(judge_and_people, given.field, name, rows))
    if len(judges) > 1:
        made.append(partial(among, "judges", given.field, name, ratings_of(given, judges)))
    return made


def ratings_of(given: Given, raters: Sequence[str]) -> Ratings:
    """The ratings of some raters, items in rows; items that none of them rated are left out."""
    texts = [[row.get(rater) for rater in raters] for row in given.values.values()]
    texts = [row for row in texts if any(value is not None for value in row)]
    scale = given.scale
    if scale.words:
        return categories(raters, texts, order=scale.words)
    if scale.name == CATEGORIES:
        return categories(raters, texts)
    rows = [[None if text is None else Fraction(text) for text in row] for row in texts]
    return numbers(raters, rows, points=_points(scale, rows))


def _points(scale: Scale, rows: Sequence[Sequence[Fraction | None]]) -> list[Fraction]:
    """The whole points of a scale, where all values lie on them."""
    whole = all(value is None or value.denominator == 1 for row in rows for value in row)
    if scale.low is None or scale.high is None or not whole or scale.low % 1 or scale.high % 1:
        return []
    if scale.high - scale.low >= MOST_CATEGORIES:
        return []
    return [Fraction(point) for point in range(int(scale.low), int(scale.high) + 1)]
