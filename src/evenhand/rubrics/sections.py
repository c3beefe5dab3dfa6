"""A rubric file taken apart but not yet understood: front matter, sections, and the problems found on the way."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from evenhand.errors import InputError, Path, Problem, RubricError
from evenhand.reading.located import Located
from evenhand.rubrics.outline import Section, outline

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class Draft:
    """What all parts of the reader share, and where they report problems."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.lines: dict[Path, int] = {}
        """The line of each part of the rubric."""
        self.weight_lines: dict[tuple[str, str], int] = {}
        """The line of each weight by the place that gives it and the dimension."""
        self.criteria_sections: dict[str, list[Section]] = {}
        """For each dimension that has criteria the sections that list them."""
        self.weights_file = ""
        """The file beside the rubric, when the weights came from it."""
        self.located, body, first_line = _split(text, source)
        self.front: dict[str, Any] = self.located.value if self.located else {}
        self.sections: list[Section] = outline(body, first_line)
        tops = [section for section in self.sections if section.level == 1]
        self.title: Section | None = tops[0] if len(tops) == 1 else None
        """The single top heading: a rubric titled Safety is not a section about safety."""
        self.parts = [section for section in self.sections if section is not self.title]

    def say(self, line: int | None, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(message, self.source, line))

    def front_line(self, *path: str | int) -> int | None:
        """The line of a value in the front matter."""
        return self.located.find_line(path) if self.located else None

    def front_text(self, key: str) -> str:
        """A text of the front matter, empty when it is not there."""
        value = self.front.get(key)
        if value is None:
            return ""
        if isinstance(value, Decimal):
            return str(value)
        if isinstance(value, str):
            return " ".join(value.split())
        self.say(self.front_line(key), f"{key} must be text")
        return ""


def _split(text: str, source: str) -> tuple[Located | None, str, int]:
    """The front matter if there is any, the rest, and the line the rest starts on."""
    lines = _LINE.findall(text)  # not splitlines, which splits at characters that editors do not count as line ends
    if not lines or lines[0].strip() != "---":
        return None, text, 1
    for place, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            return _front_matter("".join(lines[1:place]), source), "".join(lines[place + 1 :]), place + 2
    raise RubricError(Problem('the front matter opened here is never closed; end it with a line "---"', source, 1))


def _front_matter(text: str, source: str) -> Located | None:
    from evenhand.reading.yaml_values import load_yaml  # not needed without front matter

    if not text.strip():
        return None
    try:
        front = load_yaml(text, source, first_line=2)
    except InputError as error:
        raise RubricError(error.problems) from None
    if not isinstance(front.value, dict):
        raise RubricError(Problem("the front matter must be a list of keys with values", source, 2))
    return front
