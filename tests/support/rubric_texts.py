"""The text of a sound rubric, with any part of it replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand import DIMENSIONS

PERCENT = (25, 20, 15, 15, 10, 10, 5)
TABLE = """\
| Score | Criteria |
|-------|----------|
| 9-10  | nothing is wrong |
| 7-8   | one slip in a detail |
| 5-6   | several slips |
| 3-4   | the main point is wrong |
| 1-2   | nothing is right |
"""
FLAGS = "- Invented a source\n- Left the work unfinished\n"
BONUSES = "- Found a fault nobody asked about\n"


def rubric_text(
    front: str = "---\n---\n",
    weights: Sequence[object] | None = PERCENT,
    bands: str = TABLE,
    flags: str = FLAGS,
    bonuses: str = BONUSES,
    headings: Mapping[str, str] | None = None,
) -> str:
    """A rubric file that passes at 7 unless `front` says otherwise; `weights` go into the headings, `headings` replaces
    a heading by another."""
    if "pass_mark" not in front:
        front = front.replace("---\n", "---\npass_mark: 7\n", 1)
    marks = [f" (Weight: {weight}%)" for weight in weights] if weights else [""] * 7
    parts = [front, "# Notes\n\n## Overview\n\nFor notes taken in a meeting.\n\n## Dimensions\n"]
    for name, mark in zip(DIMENSIONS, marks, strict=True):
        heading = (headings or {}).get(name, f"### {name.capitalize()}{mark}")
        parts.append(f"{heading}\n\n**Measures:** how good the {name} is.\n\n{bands}")
    parts += [f"## Red Flags (-0.50 each)\n\n{flags}", f"## Bonuses\n\n{bonuses}"]
    return "\n".join(part for part in parts if part)


def front_matter(*lines: str) -> str:
    """Front matter with these lines."""
    return "\n".join(["---", *lines, "---", ""])
