"""What a file of labels holds, before anything is imported: columns, scale, raters, and what can be computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from evenhand.core.numbers import is_number
from evenhand.errors import InputError, shortened
from evenhand.files.tables import Table
from evenhand.in_words import counted
from evenhand.stats.agreement.agreed import AgreementReport
from evenhand.trust.labels.rating import REASON, list_in
from evenhand.trust.labels.rating_tables import clusters_by_item, read_entries
from evenhand.trust.labels.table_layout import IGNORE, Options
from evenhand.trust.rater_agreement import agree_table, agree_tables

SCHEMA: Final = "evenhand/label-diagnosis/v1"
RESAMPLES: Final = 200


class ColumnSummary(NamedTuple):
    """One column as it stands in the file."""

    name: str
    filled: int
    distinct: int
    holds: str
    """ "numbers from 1 to 5", "words: no, yes", "lists", "texts"."""


class FieldSummary(NamedTuple):
    """The values of one field, as they would be imported."""

    field: str
    scale: str
    raters: tuple[str, ...]
    items: int
    values: int
    shared: int
    """Items with values from at least two raters."""


class Diagnosis(NamedTuple):
    """What a file of labels holds, and what would become of it."""

    source: str
    rows: int
    columns: tuple[ColumnSummary, ...]
    read_as: str
    """What the table was read as; empty when it could not be read."""
    item: str
    """The columns that name an item."""
    fields: tuple[FieldSummary, ...]
    computable: tuple[str, ...]
    """Coefficients that have a value, by field: "final: alpha-interval, icc-2-1"."""
    problems: tuple[str, ...]
    """Why it cannot be read, and the option that helps."""
    joined_by: str | None = None
    """What the items would be joined to evaluations by: id, file, text or submission."""
    clusters: int | None = None
    """How many clusters the items come from, where a column names them."""
    notes: tuple[str, ...] = ()
    """What may be meant otherwise than it is read."""
    left_out: tuple[str, ...] = ()
    """Columns that are not read."""


def diagnose(table: Table, options: Options, *, cluster: str | None = None) -> Diagnosis:
    """Look at a file without storing anything. What cannot be read is a problem of the diagnosis, not an error."""
    columns = tuple(_column(table, name) for name in table.columns)
    if cluster is not None:
        options = options._replace(roles={**options.roles, cluster: IGNORE})
    blank = Diagnosis(table.source, len(table.rows), columns, "", "", (), (), ())
    try:
        entries, layout = read_entries(table, options)
    except InputError as error:
        return blank._replace(problems=tuple(map(str, error.problems)))
    read = blank._replace(
        read_as=layout.shape, item=layout.item, joined_by=layout.kind, left_out=_left_out(layout.ignored, cluster)
    )
    try:
        report = agree_table(table, options, resamples=RESAMPLES, cluster=cluster)
    except InputError as error:
        return read._replace(problems=tuple(map(str, error.problems[:5])))
    fields = []
    for field in dict.fromkeys(entry.field for entry in entries if entry.field != REASON):
        given = [entry for entry in entries if entry.field == field]
        by_item = Counter(entry.item for entry in given)
        scale = next((compared.scale for compared in report.comparisons if compared.field == field), "unknown")
        raters = tuple(dict.fromkeys(entry.rater for entry in given))
        shared = sum(count > 1 for count in by_item.values())
        fields.append(FieldSummary(field, scale, raters, len(by_item), len(given), shared))
    computable = _computable(report)
    if cluster is not None:
        read = read._replace(clusters=len(set(clusters_by_item(table, options, layout, cluster).values())))
    notes = [note for note in report.notes if not note.startswith(("read as ", "columns left out"))]  # said above
    return read._replace(fields=tuple(fields), computable=computable, notes=tuple(notes))


def _left_out(ignored: Sequence[str], cluster: str | None) -> tuple[str, ...]:
    return tuple(column for column in ignored if column != cluster)


def diagnose_together(tables: Sequence[tuple[Table, Options]], *, cluster: str | None = None) -> list[str]:
    """What several files allow together, in lines."""
    try:
        report = agree_tables(tables, resamples=RESAMPLES, cluster=cluster)
    except InputError as error:
        return [f"problem: {problem}" for problem in error.problems[:5]]
    return [f"all files together can be computed for {line}" for line in _computable(report)]


def _computable(report: AgreementReport) -> tuple[str, ...]:
    return tuple(
        f"{compared.field}: {', '.join(found.name for found in compared.coefficients if found.value is not None)}"
        for compared in report.comparisons
        if any(found.value is not None for found in compared.coefficients)
    )


def _column(table: Table, name: str) -> ColumnSummary:
    texts = [text for row in table.rows if (text := row.cells[name]) is not None]
    return ColumnSummary(name, len(texts), len(set(texts)), _holds(texts))


def _holds(texts: list[str]) -> str:
    if not texts:
        return "nothing"
    if any(list_in(text) is not None for text in texts):
        sizes = sorted({len(values) for text in texts if (values := list_in(text)) is not None})
        return f"lists of {sizes[0]}" if len(sizes) == 1 else f"lists of {sizes[0]} to {sizes[-1]}"
    if all(map(is_number, texts)):
        numbers = [float(text) for text in texts]
        return f"numbers from {min(numbers):g} to {max(numbers):g}"
    words = [*dict.fromkeys(texts)]
    if len(words) <= 6 and len(words) < len(texts):
        return "words: " + ", ".join(shortened(word, 20) for word in words)
    return "texts, such as " + repr(shortened(texts[0], 40))


def diagnosis_lines(diagnosis: Diagnosis) -> list[str]:
    """The diagnosis for a terminal."""
    width = max(len(column.name) for column in diagnosis.columns)
    lines = [f"{diagnosis.source}: {counted(diagnosis.rows, 'row')}, {counted(len(diagnosis.columns), 'column')}", ""]
    lines += [
        f"  {column.name:<{width}}  {column.filled} filled, {column.distinct} different; {column.holds}"
        for column in diagnosis.columns
    ]
    lines.append("")
    if diagnosis.read_as:
        lines.append(
            f"read as: {diagnosis.read_as}; items by {diagnosis.item or 'column'}, joined to evaluations by "
            f"{diagnosis.joined_by}"
        )
    if diagnosis.left_out:
        lines.append(f"not read: {', '.join(diagnosis.left_out)}")
    if diagnosis.clusters is not None:
        lines.append(f"clusters: {diagnosis.clusters}")
    for field in diagnosis.fields:
        raters = ", ".join(field.raters[:6]) + (f" and {len(field.raters) - 6} more" if len(field.raters) > 6 else "")
        lines.append(
            f"{field.field}: {counted(field.values, 'value')} of {counted(field.items, 'item')} by "
            f"{counted(len(field.raters), 'rater')} ({raters}), scale {field.scale}; {field.shared} items have "
            "two or more"
        )
    lines += [f"can be computed for {line}" for line in diagnosis.computable]
    lines += [f"note: {note}" for note in diagnosis.notes]
    lines += [f"problem: {problem}" for problem in diagnosis.problems]
    return lines
