"""Why a row cannot be scored, worded as in the plan in SQL. For the few rows that were rejected."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import ALLOWED
from evenhand.core.values.rubric import Terms
from evenhand.engine.acceptance import MOST
from evenhand.engine.columns import CLAIMS, Layout
from evenhand.engine.dialect import COUNT_PATTERN
from evenhand.engine.kernel import normal
from evenhand.engine.kernel.windows import PADDED

if TYPE_CHECKING:
    import pyarrow as pa


def repeated(id: str, first: int) -> str:
    """The reason for a row whose id is already taken."""
    return f'the id "{id}" is that of row {first} already; an evaluation is in a history once'


def reasons(batch: pa.RecordBatch, terms: Terms, layout: Layout) -> Iterator[str]:
    """A reason for each row of a batch that holds only bad ones."""
    import numpy as np

    tests = {}
    for name in DIMENSIONS:
        tests[name] = np.ones(batch.num_rows, bool)
        normal.rows([batch.column(name)], np.empty((batch.num_rows, PADDED), np.int16), tests[name])
    for role in CLAIMS:
        if role in layout.roles:
            listed = terms.red_flags if role == "red_flags" else terms.bonuses
            tests[role] = normal.claims(batch.column(role), dict.fromkeys(listed, 1), 1, batch.num_rows).good
    if layout.history:
        tests["created"] = normal.times(batch.column("created"))[1]
    names = [*tests, *(["skill"] if layout.history else [])]
    values = {name: batch.column(name).to_pylist() for name in names}
    for place in range(batch.num_rows):
        row = {name: values[name][place] for name in names}
        yield "; ".join(_problems(row, {name: bool(good[place]) for name, good in tests.items()}, terms))


def _problems(row: Mapping[str, Any], good: Mapping[str, bool], terms: Terms) -> Iterator[str]:
    for name in DIMENSIONS:
        if not good[name]:
            value = row[name]
            missing = f"{name} is missing; a score is {ALLOWED}"
            yield missing if value is None else f"{name}: {value} is not {ALLOWED}"
    for role in CLAIMS:
        if not good.get(role, True):
            yield f"{role}: {_odd_claim(role, row[role], terms)}"
    if "skill" in row and row["skill"] is None:
        yield "skill is missing"
    if not good.get("created", True):
        yield "created is missing" if row["created"] is None else f"created: {row['created']} is not a time"


def _odd_claim(role: str, value: Any, terms: Terms) -> str:
    listed = terms.red_flags if role == "red_flags" else terms.bonuses
    noun = "red flag" if role == "red_flags" else "bonus"
    if isinstance(value, str) and not re.fullmatch(COUNT_PATTERN, value, re.ASCII):
        value = [part.strip(" ") for part in value.split(";") if part.strip(" ")]
    if not isinstance(value, list):
        return f"{value} is not a whole number from 0 to {MOST}"
    odd = next((id for id in value if id not in listed), None)
    shown = "null" if odd is None else odd
    return f"{shown} is not a {noun} of rubric {terms.rubric}; valid ids: {', '.join(listed) or 'none'}"
