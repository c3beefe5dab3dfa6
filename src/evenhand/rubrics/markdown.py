"""A rubric file's text -> Rubric, or every problem with it, each with its line.

What the front matter leaves out comes from the prose: weights from headings such as
`### Safety (Weight: 35%)`, flags and bonuses from bullet lists, their ids from the words. What both
say must agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evenhand.core.methodology import DEDUCTION, DEDUCTION_CAP, DEFAULT_WEIGHTS, DIMENSIONS, PASS_MARK
from evenhand.core.model import Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.core.names import is_id, nearest, slug
from evenhand.core.numbers import at_most_decimals, exact, points, score, shown
from evenhand.errors import InputError, Path, Problem, RubricError
from evenhand.reading.located import Located
from evenhand.rubrics.outline import Piece, Section, outline
from evenhand.rubrics.weights import WeightError, shown_percent, weights_from

_FRONT_KEYS = (
    "name",
    "title",
    "domain",
    "version",
    "weights",
    "pass_mark",
    "pass_mark_reason",
    "red_flags",
    "bonuses",
)
_WEIGHT = re.compile(r"\(\s*(?:weight\s*[:=]?\s*)?([0-9.]+\s*%?)\s*\)", re.IGNORECASE)
_RANGE = re.compile(r"([0-9]+)(?:\s*(?:-|\u2013|\u2014|to)\s*([0-9]+))?", re.IGNORECASE)
_AMOUNT = re.compile(r"\(\s*[-\u2212\u2013]?\s*([0-9.]+)\s*(?:points?)?\s*\)\s*")
_LEAD = ":-\u2013\u2014 "


@dataclass(frozen=True, slots=True)
class ParsedRubric:
    """A rubric and the line each of its parts stands on."""

    rubric: Rubric
    source: str
    lines: Mapping[Path, int]


@dataclass(slots=True)
class _Listed:
    """A red flag or bonus as it is put together from front matter and prose."""

    id: str
    line: int
    description: str = ""
    amount: object = None


def parse_rubric(text: str, source: str, *, name: str, side_weights: Located | None = None) -> ParsedRubric:
    """Read a rubric. `name` is used when the front matter names none; `side_weights` is the weights file beside it."""
    return _Parser(text, source, name, side_weights).parse()


class _Parser:
    def __init__(self, text: str, source: str, name: str, side_weights: Located | None) -> None:
        self._source = source
        self._name = name
        self._side_weights = side_weights
        self._problems: list[Problem] = []
        self._lines: dict[Path, int] = {}
        self._front, body, first_line = self._split(text)
        self._front_value: dict[str, Any] = self._front.value if self._front else {}
        self._sections = outline(body, first_line)

    def parse(self) -> ParsedRubric:
        self._refuse_other_files()
        self._check_front_keys()
        found = self._dimension_sections()
        rubric = Rubric(
            name=self._named(),
            title=self._front_text("title") or self._first_heading() or self._name,
            domain=self._front_text("domain"),
            version=self._front_text("version") or "1",
            summary=self._summary(),
            weights=self._weights(found),
            pass_mark=self._pass_mark(),
            pass_mark_reason=self._front_text("pass_mark_reason"),
            dimensions={name: self._criteria(name, sections) for name, sections in found.items()},
            red_flags=tuple(self._red_flag(each) for each in self._listed("red_flags", "red flag")),
            bonuses=tuple(Bonus(id=each.id, description=each.description) for each in self._listed("bonuses", "bonus")),
        )
        if self._problems:
            raise RubricError(sorted(self._problems, key=lambda problem: problem.line or 0))
        return ParsedRubric(rubric, self._source, self._lines)

    # --- front matter

    def _split(self, text: str) -> tuple[Located | None, str, int]:
        lines = text.splitlines(keepends=True)
        if not lines or lines[0].strip() != "---":
            return None, text, 1
        for place, line in enumerate(lines[1:], start=1):
            if line.strip() == "---":
                from evenhand.reading.yaml_values import load_yaml  # not needed without front matter

                try:
                    front = load_yaml("".join(lines[1:place]), self._source, first_line=2)
                except InputError as error:
                    raise RubricError(error.problems) from None
                if not isinstance(front.value, dict):
                    raise RubricError(Problem("the front matter must be a list of keys with values", self._source, 2))
                return front, "".join(lines[place + 1 :]), place + 2
        raise RubricError(
            Problem('the front matter opened here is never closed; end it with a line "---"', self._source, 1)
        )

    def _check_front_keys(self) -> None:
        for key in self._front_value:
            if key not in _FRONT_KEYS:
                guess = nearest(key, _FRONT_KEYS)
                hint = f"did you mean {guess}? " if guess else ""
                self._say(self._front_line((key,)), f'unknown key "{key}"; {hint}valid: {", ".join(_FRONT_KEYS)}')

    def _front_text(self, key: str) -> str:
        value = self._front_value.get(key)
        if value is None:
            return ""
        if isinstance(value, Decimal):
            return str(value)
        if isinstance(value, str):
            return " ".join(value.split())
        self._say(self._front_line((key,)), f"{key} must be text")
        return ""

    def _named(self) -> str:
        name = self._front_text("name")
        if name and not is_id(name):
            self._say(
                self._front_line(("name",)),
                f'the name "{name}" must be lower-case words joined by hyphens, like code-review',
            )
        return name or self._name

    def _pass_mark(self) -> Decimal:
        value = self._front_value.get("pass_mark")
        if value is None:
            return points(PASS_MARK)
        try:
            number = exact(value)
            if not at_most_decimals(number, 2):
                raise ValueError(f"{shown(number)} has more than two decimals")
            return score(number)
        except ValueError as error:
            self._say(self._front_line(("pass_mark",)), f"pass_mark: {error}; it is a score from 1 to 10")
            return points(PASS_MARK)

    def _front_line(self, path: Path) -> int | None:
        return self._front.find_line(path) if self._front else None

    # --- prose

    def _refuse_other_files(self) -> None:
        names = [section.heading for section in self._sections]
        if not any(_dimension_of(heading) for heading in names):
            raise RubricError(
                Problem(
                    "not a rubric: none of the seven dimensions has a heading "
                    f"({', '.join(DIMENSIONS)}); start one with: evenhand rubric new NAME",
                    self._source,
                    1,
                )
            )

    def _first_heading(self) -> str:
        return next((section.heading for section in self._sections if section.level == 1), "")

    def _summary(self) -> str:
        """The paragraphs before the first section that means something to the scoring."""
        said = []
        for section in self._sections:
            if _dimension_of(section.heading) or _list_kind(section.heading):
                break
            said += [f"{piece.label}: {piece.text}" if piece.label else piece.text for piece in section.paragraphs]
        return "\n\n".join(said)

    def _dimension_sections(self) -> dict[str, list[Section]]:
        """For each dimension its section and the deeper ones under it."""
        found: dict[str, list[Section]] = {}
        current: list[Section] | None = None
        for section in self._sections:
            name = _dimension_of(section.heading)
            if name and name in found:
                first = found[name][0].line
                self._say(section.line, f"a second section for {name}; the first is on line {first}; keep one")
                current = None
            elif name:
                current = found[name] = [section]
                self._lines["dimensions", name] = section.line
            elif current and section.level > current[0].level and not _list_kind(section.heading):
                current.append(section)
            else:
                current = None
                self._refuse_weighted(section)
        headings = {section.heading.lower(): section for section in self._sections}
        for name in DIMENSIONS:
            if name not in found:
                guess = nearest(name, [heading for heading in headings if _dimension_of(heading) is None])
                at = headings[guess] if guess else None
                hint = f'; is "{at.heading}" meant for it?' if at else ""
                self._say(
                    at.line if at else None,
                    f"no section for {name}; each of the seven needs a heading with its bands{hint}",
                )
        return {name: found[name] for name in DIMENSIONS if name in found}

    def _refuse_weighted(self, section: Section) -> None:
        if re.search(r"\(\s*weight\b", section.heading, re.IGNORECASE):
            self._say(
                section.line, f'"{section.heading}" has a weight but is not one of the seven: {", ".join(DIMENSIONS)}'
            )

    def _criteria(self, name: str, sections: list[Section]) -> Criteria:
        paragraphs = [piece for section in sections for piece in section.paragraphs]
        labelled = [piece for piece in paragraphs if "measures" in piece.label.lower()]
        measures = labelled[0].text if labelled else next((piece.text for piece in paragraphs if not piece.label), "")
        bands = []
        for section in sections:
            for row in section.rows:
                bands += self._band(name, row, row.cells[0], " ".join(row.cells[1:]).strip())
            for item in section.items:
                scale, colon, rest = (item.code or item.text).partition(":")
                if item.code:
                    bands += self._band(name, item, item.code, item.text.lstrip(_LEAD))
                elif colon and _RANGE.fullmatch(scale.strip("* ")):
                    bands += self._band(name, item, scale.strip("* "), rest.lstrip("* "))
        if not bands:
            self._say(sections[0].line, f"{name} has no bands; give a table with the rows 9-10, 7-8, 5-6, 3-4 and 1-2")
        return Criteria(measures=measures, bands=tuple(sorted(bands, key=lambda band: -band.high)))

    def _band(self, name: str, piece: Piece, written: str, criteria: str) -> list[Band]:
        match = _RANGE.fullmatch(written.strip())
        if not match:
            self._say(piece.line, f'{name}: "{written}" is not a band; write it like 7-8')
            return []
        low, high = int(match[1]), int(match[2] or match[1])
        if not 1 <= low <= high <= 10:
            self._say(piece.line, f"{name}: the band {written} must lie within 1-10, the lower number first")
            return []
        self._lines["dimensions", name, high] = piece.line
        return [Band(low=low, high=high, criteria=criteria)]

    # --- weights

    def _weights(self, found: Mapping[str, list[Section]]) -> Mapping[str, Decimal]:
        """From the front matter, the headings and the file beside the rubric; where several speak, they must agree."""
        sources = [
            (f"{self._source} (front matter)", self._front_weights()),
            (f"{self._source} (headings)", self._heading_weights(found)),
            (self._side_weights.source if self._side_weights else "", self._file_weights()),
        ]
        given = [(source, weights) for source, weights in sources if weights is not None]
        if not given:
            return DEFAULT_WEIGHTS
        first_source, first = given[0]
        for source, weights in given[1:]:
            if weights != first:
                apart = ", ".join(
                    f"{name} {shown_percent(first[name])} against {shown_percent(weights[name])}"
                    for name in DIMENSIONS
                    if first[name] != weights[name]
                )
                self._say(
                    self._lines.get(("dimensions", next(n for n in DIMENSIONS if first[n] != weights[n]))),
                    f"two sets of weights contradict each other, {first_source} against {source}: {apart}; keep one",
                )
        return first

    def _front_weights(self) -> Mapping[str, Decimal] | None:
        written = self._front_value.get("weights")
        if written is None:
            return None
        if not isinstance(written, dict):
            self._say(self._front_line(("weights",)), "weights must name the seven dimensions, each with a number")
            return None
        try:
            return weights_from(written)
        except WeightError as error:
            path = ("weights", error.dimension) if error.dimension else ("weights",)
            self._say(self._front_line(path), str(error))
            return None

    def _heading_weights(self, found: Mapping[str, list[Section]]) -> Mapping[str, Decimal] | None:
        written: dict[str, object] = {}
        for name, sections in found.items():
            match = _WEIGHT.search(sections[0].heading)
            if match:
                written[name] = match[1].replace(" ", "")
        if not written or len(found) < len(DIMENSIONS):
            return None
        first = found[next(iter(written))][0].line
        try:
            return weights_from(written)
        except WeightError as error:
            at = found[error.dimension][0].line if error.dimension in found else first
            self._say(at, f"in the headings: {error}")
            return None

    def _file_weights(self) -> Mapping[str, Decimal] | None:
        if self._side_weights is None:
            return None
        located = self._side_weights
        try:
            if not isinstance(located.value, dict):
                raise WeightError("weights must be an object that names the seven dimensions")
            return weights_from(located.value)
        except WeightError as error:
            path = (error.dimension,) if error.dimension else ()
            self._problems.append(located.place(Problem(str(error), path=path)))
            return None

    # --- red flags and bonuses

    def _listed(self, field: str, noun: str) -> list[_Listed]:
        prose = self._prose_items(field, noun)
        front = self._front_items(field, noun)
        if front is None:
            listed = prose
        else:
            listed = front
            spoken = {each.id: each for each in prose}
            for each in front:
                said = spoken.pop(each.id, None)
                if said is not None:
                    each.description = each.description or said.description
                    each.amount = said.amount if each.amount is None else each.amount
                if not each.description:
                    self._say(
                        each.line, f"the {noun} {each.id} is described nowhere; add a bullet: - `{each.id}`: what it is"
                    )
            for id, said in spoken.items():
                guess = nearest(id, [each.id for each in front])
                hint = f"did you mean {guess}?" if guess else f"add its id to {field} there"
                self._say(said.line, f'the {noun} "{id}" is not in the front matter; {hint}')
        seen: dict[str, int] = {}
        for each in listed:
            if each.id in seen:
                self._say(
                    each.line,
                    f"two {noun} entries have the id {each.id} (the other is on line {seen[each.id]}); rename one",
                )
            seen[each.id] = each.line
            self._lines[field, each.id] = each.line
        return listed

    def _prose_items(self, field: str, noun: str) -> list[_Listed]:
        found = []
        for section in self._sections:
            if _list_kind(section.heading) != field:
                continue
            for item in section.items:
                id, text = item.code, item.text
                amount = None
                if match := _AMOUNT.match(text.lstrip()):
                    amount, text = match[1], text.lstrip()[match.end() :]
                text = text.lstrip(_LEAD)
                if id and not is_id(id):
                    id, text = "", f"`{id}` {item.text}"
                if not (id or slug(text)):
                    self._say(item.line, f"an empty {noun}; say what it is")
                    continue
                found.append(_Listed(id or slug(text), item.line, text, amount))
        return found

    def _front_items(self, field: str, noun: str) -> list[_Listed] | None:
        written = self._front_value.get(field)
        if written is None:
            return None
        if not isinstance(written, list):
            self._say(self._front_line((field,)), f"{field} must be a list of ids, or of entries with an id")
            return []
        found = []
        for place, entry in enumerate(written):
            line = self._front_line((field, place)) or 1
            made = self._front_item(entry, field, noun, line)
            if made:
                found.append(made)
        return found

    def _front_item(self, entry: object, field: str, noun: str, line: int) -> _Listed | None:
        valid = ("id", "description", "deduction") if field == "red_flags" else ("id", "description")
        if isinstance(entry, str):
            entry = {"id": entry}
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            self._say(line, f"an entry of {field} must be an id, or have an id")
            return None
        for key in entry:
            if key not in valid:
                why = "; every bonus is 0.25" if field == "bonuses" and key in ("bonus", "deduction", "amount") else ""
                self._say(line, f'unknown key "{key}" in the {noun} {entry["id"]}{why}; valid: {", ".join(valid)}')
        if not is_id(entry["id"]):
            self._say(
                line, f'the id "{entry["id"]}" must be lower-case words joined by hyphens; try {slug(entry["id"])}'
            )
        description = entry.get("description") or ""
        if not isinstance(description, str):
            self._say(line, f"the description of {entry['id']} must be text")
            description = ""
        return _Listed(entry["id"], line, " ".join(description.split()), entry.get("deduction"))

    def _red_flag(self, listed: _Listed) -> RedFlag:
        amount = points(DEDUCTION)
        if listed.amount is not None:
            try:
                amount = exact(listed.amount)
                if not 0 < amount <= points(DEDUCTION_CAP):
                    raise ValueError(f"{shown(amount)} is outside 0 to {points(DEDUCTION_CAP)}")
                if not at_most_decimals(amount, 2):
                    raise ValueError(f"{shown(amount)} has more than two decimals")
            except ValueError as error:
                self._say(
                    listed.line,
                    f"the deduction of {listed.id}: {error}; it is more than 0, at most {points(DEDUCTION_CAP)}, "
                    "with at most two decimals",
                )
                amount = points(DEDUCTION)
        return RedFlag(id=listed.id, description=listed.description, deduction=amount.quantize(Decimal("0.01")))

    def _say(self, line: int | None, message: str) -> None:
        self._problems.append(Problem(message, self._source, line))


def _dimension_of(heading: str) -> str | None:
    """The dimension a heading is about: its name, alone or before a bracket, a colon or a dash."""
    words = re.split(r"[(:\u2013\u2014]| - ", heading, maxsplit=1)[0]
    name = words.strip("*_ 0123456789.").lower()
    return name if name in DIMENSIONS else None


def _list_kind(heading: str) -> str | None:
    """Which list stands under a heading."""
    lowered = heading.lower()
    if "red flag" in lowered or "red-flag" in lowered:
        return "red_flags"
    return "bonuses" if "bonus" in lowered else None
