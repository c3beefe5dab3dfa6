"""The Python API of trust: labels into a store, and how far raters agree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.api.given_settings import read_settings
from evenhand.core.numbers import own_number
from evenhand.errors import InputError
from evenhand.files.tables import Row, Table, cell_text
from evenhand.stats.agreement.agreed import AgreementReport
from evenhand.stats.agreement.interval import RESAMPLES
from evenhand.trust.labels.rating_tables import READING, read_ratings
from evenhand.trust.labels.table_layout import Options
from evenhand.work.label import RATING

if TYPE_CHECKING:
    from evenhand.store.protocol import Store
    from evenhand.trust.labels.label_import import LabelImport

_READING = tuple(f"labels.{name}" for name in READING)


def agree(
    source: Store | str | Path | Mapping[str, Sequence[Any]],
    *,
    judges: Iterable[str] = (),
    fields: Iterable[str] = (),
    skill: str | None = None,
    scale: str | None = None,
    roles: Mapping[str, str] | None = None,
    resamples: int = RESAMPLES,
    settings: Mapping[str, Any] | None = None,
) -> AgreementReport:
    """How far raters agree: in a store, in a table file, or in lists of values by rater (None where one is missing).

    `judges` are raters that are not people: each is compared with all people, and people with each other. `scale`
    ("1-5", "low<medium<high") and `roles` (by column, as with --map) are for a file or lists; `skill` for a store.
    Intervals come from `resamples` drawn anew, from `trust.seed` on. `settings` also say how a file is read, as in
    {"labels.missing": ["99"]}.

    >>> report = agree({"ana": [1, 2, 3, 3], "bob": [1, 2, 3, 4]}, scale="1-5")
    >>> round(report.comparisons[0].coefficient("alpha-interval").value, 3)
    0.889
    """
    given = read_settings(settings, "trust.seed", *_READING)
    drawn = {"seed": given.pop("seed", 0), "resamples": own_number(resamples)}
    if isinstance(source, str | os.PathLike | Mapping):
        from evenhand.trust.rater_agreement import agree_table

        if skill is not None:
            raise InputError("skill is for a store")
        wanted = tuple(fields)
        field = wanted[0] if len(wanted) == 1 else RATING
        if isinstance(source, Mapping):
            raters = {name: f"{name}:{field}" for name in source}  # a key is a rater, whatever its values look like
            table, options = _table(source), Options({"item": "item", **raters, **(roles or {})}, field=field)
        else:
            table, options = read_ratings(str(source), given, roles=dict(roles or {}), field=field)
        report = agree_table(table, options, judges=judges, scales=[scale] if scale else [], **drawn)
        kept = tuple(entry for entry in report.comparisons if not wanted or entry.field in wanted)
        return report._replace(comparisons=kept)
    from evenhand.trust.stored_agreement import agree_stored

    if scale is not None or roles is not None or given:
        raise InputError(
            "scale, roles and how a file is read are for a file or for lists; a store knows its labels' scale"
        )
    return agree_stored(source, skill=skill, fields=fields, judges=judges, **drawn)


def _table(ratings: Mapping[str, Sequence[Any]]) -> Table:
    lengths = {len(values) for values in ratings.values()}
    if len(lengths) != 1 or "item" in ratings:
        raise InputError("give each rater a list of values, all of one length; None where a value is missing")
    rows = tuple(
        Row(place + 1, {"item": str(place + 1), **{name: cell_text(values[place]) for name, values in ratings.items()}})
        for place in range(lengths.pop())
    )
    return Table("ratings", ("item", *ratings), rows)


def import_labels(
    store: Store,
    file: str | Path,
    *,
    roles: Mapping[str, str] | None = None,
    rater: str | None = None,
    field: str = RATING,
    scale: str | None = None,
    rule: str | None = None,
    dry_run: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> LabelImport:
    """People's labels from a CSV, JSON or Parquet file into a store; what was wrong with rows is in `problems`.

    `settings` say how the file is read: {"labels.each": ["responses"]}. With {"labels.skip_bad": True} rows that are
    not right are left out; otherwise nothing is added if one is not.

    >>> import tempfile, pathlib
    >>> from evenhand import open_store
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "labels.csv").write_text("item,rater,final\\ncase-1,ana,8\\ncase-1,bob,11\\n")
    >>> store = open_store(str(folder / "store.db"))
    >>> done = import_labels(store, folder / "labels.csv", settings={"labels.skip_bad": True})
    >>> done.added, done.problems[0].message
    (1, 'final by bob of "case-1": 11 is outside the scale 1-10')
    """
    from evenhand.trust.labels.label_import import import_labels as imported

    given = read_settings(settings, "labels.join", "labels.skip_bad", *_READING)
    skip_bad, kind = given.pop("skip_bad", False), given.pop("join", None)
    table, options = read_ratings(str(file), given, roles=dict(roles or {}), rater=rater, field=field, kind=kind)
    return imported(
        store,
        table,
        options,
        scales=[scale] if scale else [],
        rules=[rule] if rule else [],
        dry_run=dry_run,
        skip_bad=skip_bad,
    )
