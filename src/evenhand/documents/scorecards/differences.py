"""Two documents compared field by field. Pure."""

from __future__ import annotations

from typing import NamedTuple

from evenhand.core.receipt import canonical_text
from evenhand.documents.scorecards.scorecard import covered


class Difference(NamedTuple):
    """A field with the wrong value."""

    field: str
    problem: str


def difference(field: str, actual: object, expected: object) -> Difference:
    """A field that says one thing and should say another."""
    return Difference(field=field, problem=f"says {_cut(actual)}, should say {_cut(expected)}")


_LONGEST = 300
"""The most characters of a value that are shown: a changed field may say anything."""


def _cut(value: object) -> str:
    text = " to ".join(map(str, value)) if type(value) is tuple else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def compared(actual: object, expected: object, field: str = "") -> list[Difference]:
    """Every leaf that differs, by its path."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        differences = []
        for key in expected | actual:
            path = f"{field}.{key}" if field else str(key)
            if key in actual and key in expected:
                differences += compared(actual[key], expected[key], path)
            elif key in expected:
                differences.append(
                    Difference(field=path, problem=f"is missing, should say {_cut(canonical_text(expected[key]))}")
                )
            elif field or covered(key):  # other added fields are caught by their checksums
                differences.append(
                    Difference(field=path, problem=f"says {_cut(canonical_text(actual[key]))}, should not be there")
                )
        return differences
    if isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        return [
            differing
            for place, (left, right) in enumerate(zip(actual, expected, strict=True))
            for differing in compared(left, right, f"{field}.{place}")
        ]
    if canonical_text(actual) == canonical_text(expected):
        return []
    return [difference(field, canonical_text(actual), canonical_text(expected))]
