"""How far raters agree: those of a table, or the people and judges of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import atanh, sqrt
from statistics import correlation
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.curve import UseVerdict
from evenhand.errors import InputError, Problem, shortened_line
from evenhand.files.tables import Table
from evenhand.in_words import counted
from evenhand.stats.agreement.agreed import AgreementReport, Between, FieldAgreement, among, judge_and_people
from evenhand.stats.agreement.disagreements import WORST, worst_disagreements
from evenhand.stats.agreement.interval import RESAMPLES
from evenhand.stats.agreement.label_scales import CATEGORIES, Scale, default_scale, on_scale
from evenhand.stats.agreement.ratings import MOST_CATEGORIES, Ratings, categories, numbers
from evenhand.stats.arrays import require_arrays
from evenhand.stats.clusters import cluster_count
from evenhand.trust.judge_uses import TableValues, uses_of_table
from evenhand.trust.labels.rating import REASON, Entry
from evenhand.trust.labels.rating_tables import clusters_by_item, read_entries
from evenhand.trust.labels.table_layout import IGNORE, Options
from evenhand.trust.labels.value_scales import by_field as scales_by_field
from evenhand.trust.labels.value_scales import scale_of, scale_of_values
from evenhand.work.label import FINAL, GRADE, JUDGE, JUDGED_FIELDS, PASS

if TYPE_CHECKING:
    from evenhand.stats.agreement.resampling import Draws


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
    clusters: Mapping[str, Hashable] = {}
    """By item: the case or task it belongs to; empty where items are independent."""
    reasons: Mapping[tuple[str, str], str] = {}
    """By item and rater: why the rater gave the item its value."""
    names: Mapping[str, str] = {}
    """By item: what people call it, where that is not the item itself."""

    @property
    def raters(self) -> list[str]:
        """Every rater, in the given order and then in order of appearance."""
        seen = dict.fromkeys(rater for row in self.values.values() for rater in row)
        return [
            *(rater for rater in self.order if rater in seen),
            *(rater for rater in seen if rater not in self.order),
        ]


Read = tuple[Table, Options]
"""A table and how it is to be read."""


def agree_table(table: Table, options: Options, **settings: Any) -> AgreementReport:
    """The raters of one table; see `agree_tables`."""
    return agree_tables([(table, options)], **settings)


def agree_tables(
    tables: Sequence[Read], *, judges: Iterable[str] = (), scales: Sequence[str] = (), seed: int = 0,
    resamples: int = RESAMPLES, full: bool = True, skip_bad: bool = False, cluster: str | None = None,
    worst: int = WORST, pass_mark: float | None = None,
) -> AgreementReport:  # fmt: skip
    """The raters of tables. Those named as judges, or called `judge:NAME`, are compared with the others, who are people
    then.

    Values off the scale and second values of a rater are refused; with `skip_bad` they are left out. `cluster` names
    the column that says which items belong together: intervals then draw those clusters. What was written in a field
    `reason` is shown beside the `worst` disagreements.
    """
    given, notes = _given(tables, frozenset(judges), scales, cluster, skip_bad=skip_bad)
    source = ", ".join(dict.fromkeys(table.source for table, _ in tables))
    made = report(source, given, notes, seed=seed, resamples=resamples, full=full, worst=worst)
    return made._replace(uses=_uses(given, pass_mark))


def uses_of_tables(tables: Sequence[Read]) -> dict[str, tuple[UseVerdict, ...]]:
    """What each judge of some tables can be used for, as `agree_tables` says it, without the coefficients."""
    return _uses(_given(tables, frozenset(), (), None, skip_bad=False)[0], None)


def _given(
    tables: Sequence[Read], named_judges: frozenset[str], scales: Sequence[str], cluster: str | None, *, skip_bad: bool
) -> tuple[list[Given], list[str]]:
    """The values of every field, and what to know of how they were read."""
    read, clusters = [], dict[str, Hashable]()
    for table, options in tables:
        column = options.cluster or cluster
        if column is not None:
            options = options._replace(roles={**options.roles, column: IGNORE})
        read.append((table, *read_entries(table, options)))
        if column is not None:
            clusters |= clusters_by_item(table, options, read[-1][2], column)
    entries = [entry for _, own, _ in read for entry in own]
    reasons = {(entry.item, entry.rater): entry.text for entry in entries if entry.field == REASON}
    by_field: dict[str, list[tuple[str, Entry]]] = {}
    for table, own, _ in read:
        for entry in own:
            if entry.field != REASON:
                by_field.setdefault(entry.field, []).append((table.source, entry))
    first = read[0][0]
    known_raters = dict.fromkeys(entry.rater for entry in entries)
    unknown = named_judges - known_raters.keys()
    if unknown:
        raise first.refusal(f'no rater is named "{min(unknown)}"; raters: {", ".join(known_raters)}')
    wanted = named_judges | {rater for rater in known_raters if rater.startswith(JUDGE)}
    columns = tuple(dict.fromkeys(rater for _, _, layout in read for _, rater, _ in layout.values if rater))
    named = scales_by_field(scales, by_field, "scale")
    shapes = dict.fromkeys(layout.shape for _, _, layout in read)
    notes = [f"read as {'; '.join(shapes)}"]
    given = []
    for field, placed in by_field.items():
        rows = [entry for _, entry in placed]
        table, layout = next((table, layout) for table, own, layout in read if any(e.field == field for e in own))
        out_of = layout.out_of.get(field, "")
        scale = scale_of(table, field, rows, out_of, named.get(field)) or _scale(table, field, rows)
        values, problems = _values(field, placed, scale)
        if problems and not skip_bad:
            raise InputError(_first(problems))
        if problems:
            notes.append(f"{field}: {len(problems)} values left out, the first because: {problems[0]}")
        given.append(Given(field, scale, values, wanted, columns, clusters, reasons))
        if scale.name == CATEGORIES:
            notes += other_words(field, rows)
        if scale.name == CATEGORIES and len({entry.text for entry in rows}) > 2:
            notes.append(
                f"{field} is read as categories without an order; if they have one, give it for coefficients that "
                'count how far apart values are: `scale` "low<medium<high"'
            )
    notes += cluster_notes(clusters)
    missing = sum(layout.missing for _, _, layout in read)
    if missing:
        notes.append(counted(missing, "value is missing", "values are missing"))
    ignored = dict.fromkeys(column for _, _, layout in read for column in layout.ignored)
    if ignored:
        notes.append(f"columns left out: {', '.join(ignored)}")
    return given, notes


def _uses(given: Sequence[Given], pass_mark: float | None) -> dict[str, tuple[UseVerdict, ...]]:
    """What each judge of a table can be used for: by the final score, or the only other scores there are."""
    numeric = [field for field in given if not field.scale.words and field.scale.name != CATEGORIES]
    chosen = [field for field in numeric if field.field == FINAL] or (numeric if len(numeric) == 1 else [])
    passes = next(
        (field for field in given if field.field == PASS and set(field.scale.words) == {"fail", "pass"}), None
    )
    if not chosen and passes is None:
        return {}
    scores = None
    if chosen:
        values = {item: {rater: float(text) for rater, text in row.items()} for item, row in chosen[0].values.items()}
        every = [value for row in values.values() for value in row.values()]
        low, high = chosen[0].scale.low, chosen[0].scale.high
        width = float(high - low) if low is not None and high is not None else max(every) - min(every)
        scores = TableValues(values, width or 1.0)
    verdicts = (
        {}
        if passes is None
        else {item: {rater: text == "pass" for rater, text in row.items()} for item, row in passes.values.items()}
    )
    raters = dict.fromkeys(rater for field in (*chosen, *([passes] if passes else [])) for rater in field.raters)
    judges = given[0].judges
    people = [rater for rater in raters if rater not in judges]
    return {
        judge: uses_of_table(judge, people, scores, verdicts, given[0].clusters, pass_mark)
        for judge in raters
        if judge in judges and people
    }


_USED = 3
"""How often each word of a rater is used, on average, where its words tell what vocabulary it has."""


def other_words(field: str, entries: Sequence[Entry]) -> list[str]:
    """What to say where two raters have hardly a word in common, as model_a and A: they may mean the same."""
    words: dict[str, Counter[str]] = {}
    for entry in entries:
        words.setdefault(entry.rater, Counter())[entry.text] += 1
    known = [rater for rater, counts in words.items() if counts.total() >= _USED * len(counts)]
    for first, second in combinations(known, 2):
        shared = words[first].keys() & words[second].keys()
        own = [sorted(words[rater].keys() - shared) for rater in (first, second)]
        if len(shared) < 2 <= min(map(len, own)):
            both = f"share only {', '.join(shared)}" if shared else "share no value"
            return [
                f"{field}: {first} and {second} {both}: {first} has {', '.join(own[0])}, {second} {', '.join(own[1])}; "
                f"if {own[0][0]} and {own[1][0]} mean the same, write both alike"
            ]
    return []


def _turned(given: Given) -> list[str]:
    """What to say of raters who fall when the others rise: their scale may be turned round, as school marks are."""
    if given.scale.name == CATEGORIES or not given.scale.ordered:
        return []
    ratings = ratings_of(given, given.raters)
    notes = []
    for place, rater in enumerate(ratings.raters):
        pairs = []
        for row in ratings.rows:
            value = row[place]
            others = [other for column, other in enumerate(row) if column != place and other is not None]
            if value is not None and others:
                pairs.append((value, sum(others) / len(others)))
        if len(pairs) < 8 or min(len({pair[side] for pair in pairs}) for side in (0, 1)) < 2:
            continue
        falls = max(-0.9999, min(0.0, correlation(*zip(*pairs, strict=True))))
        if atanh(falls) + _SURELY / sqrt(len(pairs) - 3) < 0:
            names = [name for name in ratings.raters if name != rater]
            asked = (
                f"{rater} falls when {names[0]} rises: is one of their scales inverted?"
                if len(names) == 1
                else f"{rater} falls when the others rise: is {rater}'s scale inverted?"
            )
            notes.append(f"{given.field}: {asked}")
    return notes[: 1 if len(ratings.raters) == 2 else None]


_SURELY = 2.807
"""Normal quantile: raters who have nothing in common are asked about in 1 of 400 tables."""


def cluster_notes(clusters: Mapping[str, Hashable]) -> list[str]:
    """What to say where items belong together."""
    if not clusters:
        return []
    count = cluster_count([*clusters.values()])
    return [f"{len(clusters)} items of {count} clusters (cases or tasks): intervals draw clusters, not items"]


_LISTED = 20
"""How many problems are listed one by one."""


def _first(problems: list[Problem]) -> list[Problem]:
    """The first problems, and how many there are besides them."""
    unlisted = len(problems) - _LISTED
    rest = [Problem(f"and {unlisted} more like these", problems[0].source)] if unlisted > 0 else []
    return problems[:_LISTED] + rest


_ALSO = ", leave both out with `skip_bad`, or map each column that is part of the item's name: `roles` COLUMN=item"


def _values(
    field: str, placed: Sequence[tuple[str, Entry]], scale: Scale
) -> tuple[dict[str, dict[str, str]], list[Problem]]:
    """The values by item and rater, and what is wrong with others; of two values by one rater neither is taken."""
    values: dict[str, dict[str, str]] = {}
    places: dict[tuple[str, str], tuple[str, int]] = {}
    problems = []
    torn: list[tuple[str, str]] = []
    known: dict[str, str] = {}
    for source, entry in placed:
        key = entry.item, entry.rater
        try:
            if entry.text not in known:
                known[entry.text] = on_scale(entry.text, scale)
            value = known[entry.text]
        except ValueError as error:
            problems.append(Problem(f"{field} by {entry.rater}: {error}", source, entry.line))
            continue
        if key in places:
            file, line = places[key]
            where = f"line {line}" + ("" if file == source else f" of {file}")
            what = f'{entry.rater} rated "{shortened_line(entry.item, 60)}" on {where} already; keep one{_ALSO}'
            problems.append(Problem(what, source, entry.line))
            torn += [key] if values[entry.item][entry.rater] != value else []
            continue
        places[key] = source, entry.line
        values.setdefault(entry.item, {})[entry.rater] = value
    for item, rater in torn:
        values[item].pop(rater, None)
    return {item: row for item, row in values.items() if row}, problems


def _scale(table: Table, field: str, entries: Sequence[Entry]) -> Scale:
    """The scale of the values: of grades or passes if they are such, else what they look like."""
    default = default_scale(field) if field in (GRADE, PASS) else None
    if default is not None and all(_fits(entry.text, default) for entry in entries):
        return default
    return scale_of_values(table, entries)


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
    full: bool = True,
    worst: int = WORST,
) -> AgreementReport:
    """Every comparison that some values allow: people, each judge and people, judges.

    All coefficients are computed if `full`, those of a summary if not.
    """
    require_arrays("agreement")
    from evenhand.stats.agreement.resampling import Draws

    draws = Draws(seed, resamples)
    given = [*given]
    notes = [*notes, *(note for field in given for note in _turned(field))]
    planned = [comparison for field in given for comparison in _comparisons(field, worst)]
    comparisons = tuple(comparison(draws, brief=not full) for comparison in planned)
    return AgreementReport(source, comparisons, tuple(notes), seed, resamples, brief=not full)


def _comparisons(given: Given, worst: int) -> list[Callable[..., FieldAgreement]]:
    """What is to be compared, each as a function of the resamples."""
    people = [rater for rater in given.raters if rater not in given.judges]
    judges = [rater for rater in given.raters if rater in given.judges]
    name = given.scale.name
    comparisons: list[Callable[..., FieldAgreement]] = []
    if len(people) > 1 or not judges:
        between: Between = "people" if judges or given.field in JUDGED_FIELDS else "raters"
        comparisons.append(partial(among, between, given.field, name, ratings_of(given, people)))
    for judge in judges if people else ():
        rows = ratings_of(given, [judge, *people])
        if any(row[0] is not None and any(value is not None for value in row[1:]) for row in rows.rows):
            comparisons.append(partial(_judge, given, judge, people, rows, worst))
    if len(judges) > 1:
        comparisons.append(partial(among, "judges", given.field, name, ratings_of(given, judges)))
    return comparisons


def _judge(
    given: Given, judge: str, people: Sequence[str], rows: Ratings, worst: int, draws: Draws, *, brief: bool = False
) -> FieldAgreement:
    """One judge against people, with the items on which they differ most."""
    compared = judge_and_people(given.field, given.scale.name, rows, draws, brief=brief)
    found = worst_disagreements(judge, people, given.values, given.scale, given.reasons, most=worst)
    return compared._replace(
        worst=tuple(entry._replace(item=given.names.get(entry.item, entry.item)) for entry in found)
    )


def ratings_of(given: Given, raters: Sequence[str]) -> Ratings:
    """The ratings of some raters, items in rows; items that none of them rated are left out."""
    by_item = {item: [row.get(rater) for rater in raters] for item, row in given.values.items()}
    by_item = {item: row for item, row in by_item.items() if any(value is not None for value in row)}
    texts = [*by_item.values()]
    scale = given.scale
    if scale.words:
        ratings = categories(raters, texts, order=scale.words, ordered=scale.ordered)
    elif scale.name == CATEGORIES:
        ratings = categories(raters, texts)
    else:
        different = {text for row in texts for text in row if text is not None}
        exact: dict[str | None, Fraction] = {text: Fraction(text) for text in different}
        rows = [[exact.get(text) for text in row] for row in texts]
        ratings = numbers(raters, rows, points=_points(scale, rows))
    numbered: dict[Hashable, int] = {}
    for item in by_item if given.clusters else ():
        numbered.setdefault(given.clusters[item], len(numbered))
    return ratings._replace(clusters=tuple(numbered[given.clusters[item]] for item in by_item)) if numbered else ratings


def _points(scale: Scale, rows: Sequence[Sequence[Fraction | None]]) -> list[Fraction]:
    """The whole points of a scale, where all values lie on them."""
    whole = all(value is None or value.denominator == 1 for row in rows for value in row)
    if scale.low is None or scale.high is None or not whole or scale.low % 1 or scale.high % 1:
        return []
    if scale.high - scale.low >= MOST_CATEGORIES:
        return []
    return [Fraction(point) for point in range(int(scale.low), int(scale.high) + 1)]
