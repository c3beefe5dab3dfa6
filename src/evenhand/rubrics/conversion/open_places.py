"""A rubric in another form -> one of ours, in which everything that could not be read exactly is left open.

What stands in the closed grammar's own forms is taken over. A weight, a band, an amount or a pass mark that does not is
written as TODO with its source line beside it, and so is every other part of the file that may score: the reader
refuses the result until a person has filled it in. No default stands in for anything that was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.numbers import exact, score, shown
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem, RubricError, shortened
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.rubrics.conversion.foreign_data import Part, parts_of
from evenhand.rubrics.markdown_document import Block, Item, Section, document_from
from evenhand.rubrics.rubric_file import (
    BAND,
    BAND_BULLET,
    BONUSES,
    CRITERIA,
    DIMENSIONS_HEADING,
    FRONT_KEYS,
    HEADINGS,
    MEASURES,
    RED_FLAGS,
    heading_parts,
    meant,
    parse_rubric,
    setting_in,
)
from evenhand.rubrics.weights import (
    WeightError,
    amount_each,
    bonus_in,
    deduction_from,
    deduction_in,
    heading_weight,
    is_bonus,
    shown_percent,
    stray_amount,
    weights_from,
)
from evenhand.work.names import is_id, slug

TODO = "TODO"
BANDS = ("9-10", "7-8", "5-6", "3-4", "1-2")
_FIVE = dict(zip(("5", "4", "3", "2", "1"), BANDS, strict=True))


class Draft(NamedTuple):
    """What a model proposes for an open place."""

    value: str
    quote: str
    line: int


class OpenPlace(NamedTuple):
    """Something that a person has to fill in."""

    name: str
    """What it is, such as "weight of safety"; unique in a file."""
    problem: Problem
    """What the source says, and where."""


class Converted(NamedTuple):
    """A rubric file's text, and what is left open in it."""

    text: str
    open: tuple[OpenPlace, ...]


@dataclass
class _Dimension:
    weight: str = ""
    """The weight as it will be written; empty for an open one."""
    measures: list[str] = field(default_factory=list)
    bands: dict[str, str] = field(default_factory=dict)
    criteria: list[str] = field(default_factory=list)


def convert_rubric(path: str, *, name: str | None = None, drafts: Mapping[str, Draft] | None = None) -> Converted:
    """Convert a Markdown, YAML or JSON rubric. `name` is the name of the result, by default the file's."""
    text = read_text(path)
    name = name or slug(Path(path).stem) or "converted"
    suffix = Path(path).suffix.lower()
    writer = _Writer(path, name, text.splitlines(), drafts or {})
    if suffix in (".json", ".yaml", ".yml") or (suffix not in (".md", ".markdown") and text.lstrip()[:1] in "{["):
        _read_data(writer, _loaded(text, path, suffix))
    elif _is_ours(text, path, name):
        return Converted(text, ())
    else:
        _read_markdown(writer, text, path)
    return writer.written()


def _is_ours(text: str, path: str, name: str) -> bool:
    """Whether a file already is one of our rubrics with this name."""
    try:
        return parse_rubric(text, path, name=name).rubric.name == name
    except RubricError:
        return False


def _loaded(text: str, path: str, suffix: str) -> Located:
    from evenhand.files.json_values import load_json
    from evenhand.files.yaml_values import load_yaml

    try:
        return load_yaml(text, path) if suffix in (".yaml", ".yml") else load_json(text, path)
    except InputError as error:
        raise RubricError(error.problems) from None


class _Writer:
    """A rubric being put together, and what is open in it."""

    def __init__(self, source: str, name: str, lines: Sequence[str], drafts: Mapping[str, Draft]) -> None:
        self.source = source
        self.name = name
        self.lines = lines
        self.texts: dict[str, str] = {}
        self.overview: list[str] = []
        self.pass_mark = ""
        self.weights: dict[str, tuple[str, int | None]] = {}
        """Weights as written, with their lines; they count when all seven are exact together."""
        self.dimensions = {name: _Dimension() for name in DIMENSIONS}
        self.flags: list[str] = []
        self.bonuses: list[str] = []
        self.rest: list[str] = []
        self.hints: dict[str, str] = {}
        """The source line of an open place, by its name."""
        self._drafts = drafts
        self._open: dict[str, OpenPlace] = {}

    def leave_open(self, name: str, says: str, line: int | None) -> str:
        """Note an open place; returns the comment that stands beside it. No line: the source says nothing of it."""
        self._open.setdefault(name, OpenPlace(name, Problem(says, self.source, line)))
        source = "nothing read in the source"
        if line is not None and line <= len(self.lines):
            source = f'line {line}: "{shortened(_one_line(self.lines[line - 1]), 120)}"'
        draft = self._drafts.get(name)
        if draft is not None:
            source = f'{source}; draft: {draft.value}, from "{draft.quote}", line {draft.line}'.removeprefix("; ")
        self.hints[name] = source
        return source

    def keep_open(self, text: str, line: int) -> None:
        """A part of the source that has no place of its own: it may score, so a person decides."""
        says = f'"{shortened(_one_line(text), 120)}" has no place in a rubric; move it to where it belongs, or drop it'
        earlier = sum(1 for name in self._open if name.split(":")[0] == f"line {line}")
        beside = self.leave_open(f"line {line}: part {earlier + 1}" if earlier else f"line {line}", says, line)
        draft = beside.rpartition("draft: ")[2] if "draft: " in beside else ""
        self.rest.append(
            f"TODO: line {line}: {_one_line(text)}" + (f" <!-- draft: {_safe(draft)} -->" if draft else "")
        )

    def prose(self, text: str, line: int, where: list[str]) -> None:
        """A text that scores nothing, unless it speaks of numbers: then a person looks at it too."""
        where.append(_one_line(text))
        if stray_amount(_one_line(text)) is not None:
            self.keep_open(text, line)

    def bullet(
        self, kind: str, text: str, line: int, *, id: str = "", amount: str | None = None, detect: str = ""
    ) -> None:
        """A red flag or a bonus; its amount is left open unless it is in a form that is read."""
        inside, rest = (deduction_in if kind == RED_FLAGS else bonus_in)(_one_line(text))
        written = inside if amount is None else amount.strip().lstrip("-\u2212+ ")
        id = id if is_id(id) else slug(id or rest)[:40].strip("-") or f"line-{line}"
        mark = _amount(kind, written)
        if mark and amount is None and stray_amount(rest, has_amount=inside is not None, fixed=kind == BONUSES):
            mark = ""
        if not mark and kind == BONUSES and written is None and not stray_amount(rest, fixed=True):
            mark = "(+0.25)"
        found = self.flags if kind == RED_FLAGS else self.bonuses
        if not mark:
            form = (
                "(-1.00), at most (-2.00)"
                if kind == RED_FLAGS
                else "(+0.25), the amount of every bonus, or leave it out"
            )
            says = f'the amount of "{shortened(rest)}" is not read; write it as {form}'
            beside = self.leave_open(f"amount of {id}", says, line)
            found.append(f"<!-- {_safe(beside)} -->")
        found.append(f"- `{id}` {mark or '(TODO)'}: {rest}")
        found += [f"  - detect: {detect}"] if detect else []

    def written(self) -> Converted:
        """The file."""
        weights = self._exact_weights()
        front = [f"name: {json.dumps(self.name)}"]
        front += [f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in self.texts.items() if text]
        if not self.pass_mark:
            beside = self.hints.get("pass mark") or self.leave_open("pass mark", "no pass mark", None)
            front.append(f"pass_mark: {TODO}  # {beside}")
        else:
            front.append(f"pass_mark: {self.pass_mark}")
        body: list[str] = ["## Overview", "", *_paragraphs(self.overview)] if self.overview else []
        for name in DIMENSIONS:
            body += self._dimension(name, weights.get(name, ""))
        for title, lines in (("Red Flags", self.flags), ("Bonuses", self.bonuses)):
            body += [f"## {title}", ""]
            if not lines:
                kind = title.lower()
                beside = self.leave_open(kind, f"no list of {kind}", None)
                draft = beside.rpartition("draft: ")[2] if "draft: " in beside else ""
                lines = [f"TODO: list {kind}, or write None.", *([f"<!-- draft: {_safe(draft)} -->"] if draft else [])]
            body += [*lines, ""]
        if self.rest:
            body += ["## Notes", "", *_paragraphs(self.rest)]
        title = self.texts.get("title") or self.name.replace("-", " ").capitalize()
        text = "\n".join(["---", *front, "---", "", f"# {title}", "", *body]).rstrip() + "\n"
        return self._checked(text)

    def _exact_weights(self) -> dict[str, str]:
        """All seven as percentages, or none: a share of what was written is a guess."""
        try:
            exact_ones = weights_from({name: value for name, (value, _) in self.weights.items()})
        except WeightError as error:
            why = str(error)
        else:
            return {name: shown_percent(weight) for name, weight in exact_ones.items()}
        missing = len(self.weights) < len(DIMENSIONS)
        kept = {}
        for name in DIMENSIONS:
            value, line = self.weights.get(name, ("", None))
            if missing and value.endswith("%") and heading_weight(value) is not None:
                kept[name] = value  # exact by itself; the others are still open
            else:
                says = f'the weight of {name} is open: "{value}" ({why})' if value else f"no weight of {name}"
                self.leave_open(f"weight of {name}", says, line)
        return kept

    def _dimension(self, name: str, weight: str) -> list[str]:
        part = self.dimensions[name]
        if part.bands.keys() == _FIVE.keys():  # as `scale: 1-5` reads them
            part.bands = {_FIVE[label]: text for label, text in part.bands.items()}
        lines = [f"### {name.capitalize()} (Weight: {weight or TODO})", ""]
        lines += [] if weight else [f"<!-- {_safe(self.hints[f'weight of {name}'])} -->", ""]
        first, *others = part.measures or [""]
        lines += [f"**Measures:** {first}", ""] if first else []
        lines += _paragraphs(others)
        if part.criteria:
            return [*lines, "#### Criteria", "", *part.criteria, ""]
        comments = []
        rows = ["| Score | Criteria |", "|-------|----------|"]
        labels = [*part.bands] if _covers(part.bands) else list(BANDS)
        for label in labels:
            text = part.bands.get(label, "")
            if not text:
                key = f"band {label} of {name}"
                beside = self.leave_open(key, f"no band {label} of {name}", None)
                draft = beside.rpartition("draft: ")[2] if "draft: " in beside else ""
                comments += [f"<!-- {label}: draft: {_safe(draft)} -->"] if draft else []
            rows.append(f"| {label:<5} | {text or TODO} |")
        for label, text in part.bands.items():
            if label not in labels:
                self.rest.append(f"TODO: {name}, {label}: {text}")
        return [*lines, *comments, *([""] if comments else []), *rows, ""]

    def _checked(self, text: str) -> Converted:
        """A result without open places must load; what the reader refuses in it is open as well."""
        try:
            parse_rubric(text, self.source, name=self.name)
        except RubricError as error:
            if not self._open:
                for problem in error.problems:
                    says = f"line {problem.line} of the result: {problem.message}"
                    self._open[says] = OpenPlace(says, Problem(says, self.source))
        places = sorted(self._open.values(), key=lambda place: place.problem.line or 0)
        return Converted(text, tuple(places))


# --- Markdown ------------------------------------------------------------------------------------


def _read_markdown(writer: _Writer, text: str, path: str) -> None:
    document = document_from(text, path)
    if document.front is not None:
        _read_front(writer, document.front)
    title = next((section for section in document.sections if section.level == 1), None)
    if title is not None:
        writer.texts.setdefault("title", title.heading)
    current = ""
    seen: set[str] = set()
    for section in document.sections:
        name, bracket = heading_parts(section.heading)
        meaning = HEADINGS.get(name)
        guess = meaning if meaning in (*DIMENSIONS, RED_FLAGS, BONUSES) else meant(section.heading, bool(current))
        if section is title or section.level == 0 or meaning == "overview":
            current = ""
            _read_overview(writer, section)
        elif meaning == CRITERIA and current in DIMENSIONS:
            _read_criteria(writer, current, section)
        elif meaning == DIMENSIONS_HEADING and not section.blocks:
            current = ""
        elif guess is not None and guess not in seen:
            seen.add(guess)
            current = guess
            if guess in DIMENSIONS:
                _read_dimension(writer, guess, section, bracket, exactly=meaning is not None)
            else:
                _read_list(writer, guess, section, bracket)
        else:
            current = current if guess is None and section.level > 2 else ""
            if section.blocks or section.level:
                writer.keep_open(section.heading, section.line)
            _keep_blocks(writer, section.blocks)


def _read_front(writer: _Writer, front: Located) -> None:
    for key, value in front.value.items():
        line = front.find_line((key,)) or 1
        if key in ("title", "domain", "version", "pass_mark_reason") and isinstance(value, str | int | Decimal):
            writer.texts[key] = _one_line(str(value))
        elif key == "weights" and isinstance(value, dict):
            _take_weights(writer, value, lambda name: front.find_line(("weights", name)) or 1)
        elif key == "pass_mark":
            _take_pass_mark(writer, value, line)
        elif key != "name":
            known = " (write it in the closed form)" if key in FRONT_KEYS else ""
            writer.keep_open(f"{key}: {_shown(value)}{known}", line)


def _take_weights(writer: _Writer, value: Mapping[str, Any], line_of: Any) -> None:
    for name, weight in value.items():
        if str(name).lower() in DIMENSIONS:
            writer.weights[str(name).lower()] = (_shown(weight), line_of(name))
        else:
            writer.keep_open(f"weight of {name}: {_shown(weight)}", line_of(name))


def _take_pass_mark(writer: _Writer, value: object, line: int) -> None:
    try:
        number = exact(value)
        if score(number) != number:
            raise ValueError
        writer.pass_mark = shown(number)
    except ValueError:
        writer.leave_open("pass mark", f'the pass mark "{_shown(value)}" is not a score from 1 to 10', line)


def _read_overview(writer: _Writer, section: Section) -> None:
    for block in section.blocks:
        if block.kind == "paragraph" and setting_in(block.text.split("\n")[0]) is None:
            writer.prose(block.text, block.line, writer.overview)
        elif block.kind != "comment":
            _keep_blocks(writer, [block])


def _read_dimension(writer: _Writer, name: str, section: Section, bracket: str, *, exactly: bool) -> None:
    part = writer.dimensions[name]
    if exactly and bracket:
        writer.weights[name] = (heading_weight(bracket[1:-1]) or bracket, section.line)
    elif not exactly:
        writer.weights[name] = (section.heading, section.line)
    for block in section.blocks:
        if block.kind == "paragraph" and not part.bands:
            for line in block.text.split("\n"):
                setting = setting_in(line)
                if setting is not None and setting[0] == "weight":
                    writer.weights[name] = (heading_weight(f"weight: {setting[1].strip('*_ .')}") or line, block.line)
                elif setting is not None and setting[0] not in MEASURES:
                    writer.keep_open(line, block.line)
                elif part.measures and line is not block.text.split("\n")[0]:
                    part.measures[-1] += f" {line.strip()}"
                else:
                    writer.prose(setting[1] if setting is not None else line, block.line, part.measures)
        elif block.kind == "table" and len(block.header) == 2 and all(row.written <= 2 for row in block.rows):
            for row in block.rows:
                _take_band(writer, name, row.cells[0], (*row.cells, "")[1], row.line)
        elif block.kind == "list":
            for item in block.items:
                match = BAND_BULLET.fullmatch(item.text)
                if match is not None and not item.children and item.other is None:
                    _take_band(writer, name, match["band"], match["text"], item.line)
                else:
                    _keep_item(writer, item)
        elif block.kind != "comment":
            _keep_blocks(writer, [block])


def _take_band(writer: _Writer, name: str, label: str, text: str, line: int) -> None:
    """A band whose scores are plain; anything else is left to a person."""
    match = BAND.fullmatch(label.strip(" *_`"))
    scores = (match["scores"] or match["inside"]) if match is not None else ""
    plain = "-".join(
        scores.replace("to", "-").replace("\u2013", "-").replace("\u2014", "-").replace(" ", "").split("-")
    )
    if not plain or not text.strip() or plain in writer.dimensions[name].bands:
        writer.keep_open(f"{name}: {label}: {text}", line)
        return
    title = match and (match["after"] or match["behind"] or match["before"])
    writer.dimensions[name].bands[plain] = f"{title}: {_one_line(text)}" if title else _one_line(text)


def _read_criteria(writer: _Writer, name: str, section: Section) -> None:
    """Criteria as they are, where our reader takes them; else every line of them is left open."""
    if not section.blocks:
        return
    first, last = section.blocks[0].line, max(block.end for block in section.blocks)
    lines = list(writer.lines[first - 1 : last])
    if _reads_criteria(section, name, writer.source):
        writer.dimensions[name].criteria += lines
    else:
        writer.keep_open(section.heading, section.line)
        _keep_blocks(writer, section.blocks)


def _reads_criteria(section: Section, name: str, source: str) -> bool:
    from evenhand.rubrics.criteria import CriteriaReader

    problems: list[str] = []
    CriteriaReader(source, lambda _line, message: problems.append(message), {}).tree(section.blocks, name, section.line)
    return not problems


def _read_list(writer: _Writer, kind: str, section: Section, bracket: str) -> None:
    each = amount_each(bracket) if bracket else None
    if bracket and each is None:
        writer.keep_open(section.heading, section.line)
    for block in section.blocks:
        if block.kind != "list":
            _keep_blocks(writer, [block])
            continue
        for item in block.items:
            if item.children or item.other is not None or item.html:
                _keep_item(writer, item)
                continue
            text = _one_line(item.text)
            id, text = (text[1:].split("`", 1)) if text.startswith("`") and text.count("`") > 1 else ("", text)
            text = text.lstrip(" :\u2013\u2014")
            amount, rest = (deduction_in if kind == RED_FLAGS else bonus_in)(text.strip())
            inherited = each if amount is None and stray_amount(rest) is None else None
            writer.bullet(kind, text, item.line, id=id, amount=inherited)


def _keep_blocks(writer: _Writer, blocks: Sequence[Block]) -> None:
    for block in blocks:
        if block.kind == "list":
            for item in block.items:
                _keep_item(writer, item)
        elif block.kind == "table":
            for row in block.rows:
                writer.keep_open(
                    " | ".join((*row.cells, *("..." for _ in range(row.written - len(row.cells))))), row.line
                )
            if not block.rows:
                writer.keep_open(" | ".join(block.header), block.line)
        elif block.text.strip():
            writer.keep_open(block.text, block.line)


def _keep_item(writer: _Writer, item: Item) -> None:
    writer.keep_open(item.text, item.line)
    for child in item.children:
        _keep_item(writer, child)
    if item.other is not None:
        writer.keep_open(writer.lines[item.other - 1], item.other)


# --- YAML and JSON -------------------------------------------------------------------------------


def _read_data(writer: _Writer, document: Located) -> None:
    for part in parts_of(document):
        _take_part(writer, part)


def _take_part(writer: _Writer, part: Part) -> None:
    name = part.name
    if part.kind == "text":
        writer.texts.setdefault(name, _one_line(part.text))
    elif part.kind == "overview":
        writer.prose(part.text, part.line, writer.overview)
    elif part.kind == "pass mark":
        _take_pass_mark(writer, part.text, part.line)
    elif part.kind == "weight":
        writer.weights[name] = (part.text, part.line)
    elif part.kind == "measures":
        writer.prose(part.text, part.line, writer.dimensions[name].measures)
    elif part.kind == "band":
        _take_band(writer, name, part.label, part.text, part.line)
    elif part.kind in (RED_FLAGS, BONUSES):
        writer.bullet(part.kind, part.text, part.line, id=name, amount=part.label or None, detect=part.detect)
    else:
        writer.keep_open(part.text, part.line)


def _amount(kind: str, written: str | None) -> str:
    """An amount as a bullet holds it; empty when it is not one."""
    if written is None:
        return ""
    try:
        if kind == BONUSES:
            return "(+0.25)" if is_bonus(written) else ""
        return f"(-{deduction_from(written)})"
    except ValueError:
        return ""


def _covers(bands: Mapping[str, str]) -> bool:
    """Whether bands are exactly the scores from 1 to 10."""
    scores: list[int] = []
    for label in bands:
        low, _, high = label.partition("-")
        scores += range(int(low), int(high or low) + 1)
    return sorted(scores) == list(range(1, 11))


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value
    return shown(value) if isinstance(value, Decimal) else json.dumps(value, default=str, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _safe(text: str) -> str:
    """A text inside an HTML comment."""
    return text.replace("--", "\u2013")


def _paragraphs(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in (f"\\{text}" if text[:1] in "#>|`~*+-=<" else text, "")]
