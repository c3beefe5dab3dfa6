"""Labels out of a store as JSONL, and back as they were."""

from __future__ import annotations

from typing import Any

from evenhand.core.judgement import PERSON
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.files.tables import Table
from evenhand.stats.agreement.label_scales import on_scale, scale_from
from evenhand.work.label import JUDGE, Label

SCHEMA = "evenhand/label/v1"


def label_document(label: Label) -> dict[str, Any]:
    """A label as `labels list --all` writes it."""
    return codec.document(label, SCHEMA)


def is_exported(table: Table) -> bool:
    """Whether a table was written by `labels list --all`."""
    return all(row.cells.get("schema") == SCHEMA for row in table.rows)


def exported_labels(table: Table) -> list[Label]:
    """The labels of an export. InputError lists every row that is not a whole one."""
    labels, problems = [], []
    for row in table.rows:
        cells = {name: row.cells.get(name) for name in Label._fields}
        lacking = [name for name, cell in cells.items() if cell is None and name != "rule"]
        try:
            if lacking:
                raise ValueError(f"has no {lacking[0]}")
            fields: Any = {**cells, "imported": int(str(cells["imported"]))}
            label = Label(**fields)
            kinds = ("submission", "id", "text", "file")
            if label.kind not in kinds or not label.rater.startswith((PERSON, JUDGE)):
                raise ValueError(
                    "its kind must be submission, id, text or file, and its rater human:NAME or judge:NAME"
                )
            if on_scale(label.value, scale_from(label.scale)) != label.value:
                raise ValueError(f"{label.value} is not written as the scale {label.scale} has it")
        except ValueError as error:
            problems.append(table.problem(f"is not an exported label: {error}", row))
        else:
            labels.append(label)
    if problems:
        raise InputError(problems)
    return labels
