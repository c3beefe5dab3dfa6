"""A rubric file's text -> Rubric, or every problem with it, each with its line.

The grammar is closed. What scores is written in one form each, and everything else in a place that scores is refused.
Weights, amounts and the pass mark have no defaults. Where the bands are left out, text that may be meant for them is
refused; once they are written, the same text is only text.

    front matter     name, title, domain, version, weights, pass_mark, pass_mark_reason, official, scale, deductions
    # Title
    ## Overview      prose; so are ## Notes and ## Examples
    ### Correctness (Weight: 25%)       each of the seven, under an optional heading "Dimensions"
        what it measures: paragraphs
        bands: rows of a table or bullets
    #### Criteria    bullets with points
    ## Red Flags     bullets with amounts, or "None."
    ## Bonuses       bullets, or "None."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple

from evenhand.core.numbers import exact, points, score, shown
from evenhand.core.rubric import OFFICIAL, RAW, Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.core.rules import DEDUCTION, DEFAULT_WEIGHTS, DIMENSIONS, PASS_MARK
from evenhand.errors import Path, Problem, RubricError, nearest, shortened, unknown
from evenhand.files.entry import Entry
from evenhand.files.located import Located
from evenhand.rubrics.criteria import CriteriaReader, broken_requirements
from evenhand.rubrics.markdown_document import Block, Document, Item, Section, document_from
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

_TEXT_KEYS: Final = ("name", "title", "domain", "version", "pass_mark_reason")
FRONT_KEYS: Final = (*_TEXT_KEYS, "weights", "pass_mark", "official", "scale", "deductions")
_MOVED: Final = {
    "red_flags": 'list red flags under the heading "## Red Flags", each as - `id` (-0.50): what it is',
    "bonuses": 'list bonuses under the heading "## Bonuses", each as - `id`: what it is',
    "dimensions": 'each dimension is a heading, such as "### Correctness (Weight: 25%)", with its bands under it',
    "criteria": 'criteria are bullets under a heading "Criteria" in the section of their dimension',
}
_USUAL: Final = f"{{{', '.join(f'{name}: {shown(weight * 100)}' for name, weight in DEFAULT_WEIGHTS.items())}}}"
_TO_FIVE: Final = {step: (2 * step - 1, 2 * step) for step in range(1, 6)}
"""`scale: 1-5`: each step is two scores."""

DIMENSIONS_HEADING: Final = "dimensions"
BANDS: Final = "bands"
CRITERIA: Final = "criteria"
RED_FLAGS: Final = "red flags"
BONUSES: Final = "bonuses"
PROSE: Final = ("overview", "notes", "examples")
HEADINGS: Final = {
    **{name: name for name in (*DIMENSIONS, *PROSE, DIMENSIONS_HEADING, BANDS, CRITERIA, RED_FLAGS, BONUSES)},
    "dimension criteria": DIMENSIONS_HEADING,
    "red flag": RED_FLAGS,
    "red flags (auto-deductions)": RED_FLAGS,
    "bonus": BONUSES,
    "domain-specific bonuses": BONUSES,
    "note": "notes",
    "example": "examples",
}
"""Every heading that is read, and what it means."""

KNOWN: Final = (
    "headings are the seven dimensions, Dimensions, Criteria, Red Flags and Bonuses; "
    "text that scores nothing goes under Overview, Notes or Examples"
)
_HEADING = re.compile(r"(?P<name>[^()]+?)\s*(?P<bracket>\([^()]*\))?")
_ORDINAL = re.compile(r"(?:[^\w\s(\[<]\ufe0f?\s+)?(?:(?:[0-9]{1,2}\.)*[0-9]{1,2}[.)]\s+)?")
"""A sign, such as an emoji, and a number before a heading's words: "2.1. Correctness"."""
MEASURES: Final = ("measures", "what it measures", "what it measures in this domain")
_LABEL = re.compile(
    r"(?P<mark>\*\*|__|\*|_)?(?P<label>[^\W\d_][\w'\u2019/ -]{0,60}?)"
    r"(?(mark)(?:\s*[:=]\s*(?P=mark)|(?P=mark)\s*[:=])|\s*[:=](?=\s))\s*(?P<value>.*)"
)
"""A line that sets something: `Weight: 30%`, `**Measures:** text`."""
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1\W*")
_SCORES = r"[0-9]{1,3}(?:\s*(?:-|\u2013|\u2014|to)\s*[0-9]{1,3})?"
_NAME = r"[^\W\d_][^\W\d_ '-]*(?:[ '-][^\W\d_]+){0,3}"
BAND = re.compile(
    rf"(?P<scores>{_SCORES})(?:\s*\((?P<after>{_NAME})\)|\s*[:\u2013\u2014-]\s*(?P<behind>{_NAME}))?"
    rf"|(?P<before>{_NAME})\s*\((?P<inside>{_SCORES})\)"
)
"""9-10, 9-10 (Excellent), 9-10: Excellent, Excellent (9-10)."""
BAND_BULLET = re.compile(
    rf"[*_`]*(?P<band>{_SCORES}(?:\s*\({_NAME}\))?)[*_`]*\s*[:\u2013\u2014-][*_`]*\s+(?P<text>.+)", re.DOTALL
)
_ITEM = re.compile(r"`(?P<id>[^`]+)`\s*(?P<text>.*)", re.DOTALL)
_NAMED = re.compile(r"(?:\*\*|__)(?P<name>(?=[^\W\d_])[^*_]+?):?(?:\*\*|__)\s*(?P<text>.*)", re.DOTALL)
_DETECT = re.compile(r"detect\s*:\s*`?(?P<check>[^`\s]+)`?")
MOST_OPEN_PLACES: Final = 5
"""With more, one message names all their lines."""
OPEN = re.compile(r"\bTODO\b(?=\s*(?:[:()|%\]}]|$))")
_SAID = re.compile(r"`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d|<!--.*?(?:-->|$)")


class ParsedRubric(NamedTuple):
    """A rubric and the line of each of its parts."""

    rubric: Rubric
    source: str
    lines: Mapping[Path, int]
    prose: tuple[tuple[int, int], ...] = ()
    """First and last lines of the texts that score nothing."""
    weights_file: str = ""
    """The file beside the rubric, when the weights came from it."""


def parse_rubric(text: str, source: str, *, name: str, side_weights: Located | None = None) -> ParsedRubric:
    """Read a rubric. `name` is used when the front matter names none; `side_weights` is the weights file beside it."""
    return _Reader(document_from(text, source), name, side_weights).read()


@dataclass
class _Part:
    """A dimension, a list of flags or of bonuses: its heading, and what stands under it."""

    section: Section
    bracket: str
    blocks: list[Block] = field(default_factory=list)
    criteria: list[Section] = field(default_factory=list)


@dataclass
class _Listed:
    """A red flag or bonus as written."""

    id: str
    line: int
    text: str
    amount: str | None
    detect: str


class _Reader:
    def __init__(self, document: Document, name: str, side_weights: Located | None) -> None:
        self._document = document
        self._name = name
        self._side_weights = side_weights
        self._front: Mapping[str, object] = document.front.value if document.front else {}
        self._problems: list[Problem] = []
        self._lines: dict[Path, int] = {}
        self._prose: list[tuple[int, int]] = []
        self._summary: list[str] = []
        self._parts: dict[str, _Part] = {}
        self._title = ""
        self._weight_lines: dict[str, tuple[str, int]] = {}
        """The weight of each dimension, in its heading or under it, and its line."""
        self._unclear_weights = False
        self._measured: dict[str, list[tuple[int, str]]] = {}
        self._five_refused = False
        self._criteria = CriteriaReader(document.source, self._say, self._lines)

    def read(self) -> ParsedRubric:
        self._read_headings()
        if not any(name in self._parts for name in DIMENSIONS):
            self._refuse_other_files()
        self._check_front_keys()
        dimensions: dict[str, Criteria] = {name: self._dimension(name) for name in DIMENSIONS if name in self._parts}
        for name in DIMENSIONS:
            if name not in dimensions:
                what = f'write "### {name.capitalize()} (Weight: 10%)" and its bands 9-10, 7-8, 5-6, 3-4, 1-2 under it'
                self._say(1, f"no section for {name}; {what}")
        weights, weights_file = self._weights()
        texts = {key: self._front_text(key) for key in _TEXT_KEYS}
        rubric = Rubric(
            name=self._checked_name(texts["name"]) or self._name,
            title=texts["title"] or self._title or self._name,
            domain=texts["domain"],
            version=texts["version"] or "1",
            summary="\n\n".join(self._summary),
            weights=weights,
            pass_mark=self._pass_mark(),
            pass_mark_reason=texts["pass_mark_reason"],
            dimensions=dimensions,
            red_flags=self._red_flags(),
            bonuses=self._bonuses(),
            official=self._official(),
        )
        trees = [part.tree for part in dimensions.values() if part.tree is not None]
        self._problems += [
            problem._replace(source=self._document.source) for _, problem in broken_requirements(trees, self._lines)
        ]
        self._refuse_open_places()
        if self._problems:
            raise RubricError(sorted(dict.fromkeys(self._problems), key=lambda problem: problem.line or 0))
        return ParsedRubric(rubric, self._document.source, self._lines, tuple(self._prose), weights_file)

    def _say(self, line: int | None, message: str) -> None:
        self._problems.append(Problem(message, self._document.source, line))

    # --- headings ------------------------------------------------------------------------------------

    def _read_headings(self) -> None:
        """Sort the sections: what each heading means, and to which part the blocks under it belong."""
        title = self._title_section()
        prose: Section | None = None
        dimension: _Part | None = None
        for section in self._document.sections:
            name, bracket = heading_parts(section.heading)
            meaning = HEADINGS.get(name)
            in_overview = prose is not None and HEADINGS.get(heading_parts(prose.heading)[0]) == "overview"
            overview_ends = in_overview and meaning is None and meant(section.heading, False) is not None
            if section.level == 0 or section is title:
                self._title = section.heading if section is title else ""
                self._refuse_outside(section.blocks)
            elif prose is not None and section.level > prose.level and meaning not in SCORING and not overview_ends:
                self._add_prose(section)
            elif meaning in PROSE and not bracket:
                prose, dimension = section, None
                self._add_prose(section)
                if meaning == "overview":
                    self._summary += [_one_line(block.text) for block in section.blocks if block.kind == "paragraph"]
            else:
                prose = None
                dimension = self._scoring(section, meaning, bracket, dimension)

    def _title_section(self) -> Section | None:
        """The heading of level 1 that names the rubric: the only one, or the first if it means nothing else."""
        tops = [section for section in self._document.sections if section.level == 1]
        if not tops or (len(tops) > 1 and HEADINGS.get(heading_parts(tops[0].heading)[0])):
            return None
        return tops[0]

    def _scoring(self, section: Section, meaning: str | None, bracket: str, dimension: _Part | None) -> _Part | None:
        """A section that is not prose; returns the dimension that following criteria belong to."""
        inside = dimension if dimension is not None and section.level >= dimension.section.level else None
        if meaning == CRITERIA and inside is not None and not bracket:
            inside.criteria.append(section)
            return inside
        if meaning == BANDS and inside is not None and not bracket:
            inside.blocks += section.blocks
            return inside
        if meaning == DIMENSIONS_HEADING and not bracket:
            self._refuse_outside(section.blocks)
            return None
        guess = meaning if meaning in (*DIMENSIONS, RED_FLAGS, BONUSES) else meant(section.heading, inside is not None)
        if meaning in (CRITERIA, BANDS):
            self._say(section.line, f'"{section.heading}" belongs to no dimension; put it under one, with more # signs')
        elif meaning is None or guess is None:
            self._refuse_heading(section, guess)
        if guess is None:
            return inside
        if guess in self._parts:
            first = self._parts[guess].section.line
            self._say(section.line, f"a second section for {guess}; the first is on line {first}; keep one")
            return None
        part = self._parts[guess] = _Part(section, bracket if meaning else "", list(section.blocks))
        if guess not in DIMENSIONS:
            return None
        self._lines["dimensions", guess] = section.line
        self._unclear_weights |= meaning is None
        if bracket and meaning:
            self._take_weight(guess, bracket[1:-1], section.line, f'"{bracket}" in the heading')
        return part

    def _refuse_heading(self, section: Section, guess: str | None) -> None:
        write = KNOWN
        if guess in DIMENSIONS:
            write = f'write "### {guess.capitalize()} (Weight: 25%)", with its own weight'
        elif guess == RED_FLAGS:
            write = 'write "## Red Flags (-0.50 each)", or "## Red Flags" and an amount after each flag, like (-1.00)'
        elif guess == BONUSES:
            write = 'write "## Bonuses"; every bonus is 0.25'
        self._say(section.line, f'the heading "{shortened(section.heading)}" is not read; {write}')

    def _refuse_other_files(self) -> None:
        message = f"not a rubric: none of the seven dimensions has a heading ({', '.join(DIMENSIONS)})"
        first = next((section for section in self._document.sections if section.level > 1), None)
        message += f'; "{shortened(first.heading)}" is none of them' if first is not None else ""
        advice = "start one with: evenhand rubric new NAME, or read another tool's with: evenhand rubric convert FILE"
        line = first.line if first is not None else 1
        raise RubricError(Problem(f"{message}; {advice}", self._document.source, line))

    # --- prose ---------------------------------------------------------------------------------------

    def _add_prose(self, section: Section) -> None:
        self._prose.append((section.line, max([section.line, *(block.end for block in section.blocks)])))

    def _refuse_outside(self, blocks: Sequence[Block]) -> None:
        """Refuse what stands outside every section that is read: nothing says whether it scores."""
        first = next((block for block in blocks if block.kind != "comment"), None)
        if first is not None:
            what = f'"{shortened(_one_line(first.text))}"' if first.kind == "paragraph" else f"a {first.kind}"
            message = f'{what} stands outside the sections that are read; put a heading "## Overview" above it'
            self._say(first.line, f"{message} if it is an introduction; {KNOWN}")

    def _is_sentence(self, line: str, number: int) -> bool:
        """Whether a line under a dimension is a sentence; a line that sets something, `Threshold: 8`, is refused."""
        if line.lstrip().startswith("|"):
            self._say(number, "not a table; below the heading of a table stands a line such as |---|---|")
        elif not re.search(r"[^\W\d_]", line) or _BOLD.fullmatch(line.strip()):
            advice = "write it as a sentence, or as a heading if it is one"
            self._say(number, f'"{shortened(line.strip())}" stands alone and is not read; {advice}; {KNOWN}')
        elif (setting := setting_in(line)) is not None:
            message = (
                f'"{shortened(line.strip())}" sets something that is not read; Measures: and Weight: are read here'
            )
            self._say(number, f"{message}; {_instead(setting[0])}")
        else:
            return True
        return False

    def _open_places(self) -> dict[int, str]:
        """The lines with a `TODO`, wherever something is still to be filled in."""
        free = {
            line
            for section in self._document.sections
            for block in section.blocks
            if block.kind in ("code", "comment")
            for line in range(block.line, block.end + 1)
        }
        return {
            number: line.strip()
            for number, line in enumerate(self._document.lines, 1)
            if number not in free and OPEN.search(_SAID.sub("", line))
        }

    def _refuse_open_places(self) -> None:
        """Refuse every `TODO`: a few one by one, many in one sentence, and say nothing else of their lines."""
        places = self._open_places()
        if not places:
            return
        self._problems = [problem for problem in self._problems if problem.line not in places]
        if len(places) > MOST_OPEN_PLACES:
            lines = line_ranges((number, number) for number in places)
            message = f"{len(places)} places are left open, on {lines}; fill each in and take TODO out"
            self._say(min(places), message)
            return
        for number, line in places.items():
            self._say(number, f'"{shortened(line)}" is left open; fill it in and take TODO out')

    # --- front matter --------------------------------------------------------------------------------

    def _check_front_keys(self) -> None:
        for key, advice in _MOVED.items():
            if key in self._front:
                self._say(self._front_line(key), f"{key} is not read in the front matter; {advice}")
        kept = {key: value for key, value in self._front.items() if key not in _MOVED}
        Entry(kept, (), self._problems, self._document.front).known(FRONT_KEYS)

    def _front_line(self, *path: str | int) -> int | None:
        return self._document.front.find_line(path) if self._document.front else None

    def _front_text(self, key: str) -> str:
        value = self._front.get(key)
        if value is None:
            return ""
        if isinstance(value, Decimal):
            return str(value)
        if isinstance(value, str):
            return _one_line(value)
        self._say(self._front_line(key), f"{key} must be text")
        return ""

    def _checked_name(self, name: str) -> str:
        self._lines[("name",)] = self._front_line("name") or 1
        if name and not is_id(name):
            advice = f"must be lower-case words joined by hyphens; try {slug(name) or 'code-review'}"
            self._say(self._front_line("name"), f'the name "{name}" {advice}')
        return name

    def _pass_mark(self) -> Decimal:
        if "pass_mark" not in self._front:
            where = "" if self._document.front else ", between two lines --- at the top of the file"
            self._say(1, f"no pass mark; write pass_mark: 7.0 in the front matter{where}, with your own number")
            return points(PASS_MARK)
        written, line = self._front["pass_mark"], self._front_line("pass_mark") or 1
        self._lines[("pass_mark",)] = line
        try:
            number = exact(written)
            if score(number) != number:
                raise ValueError(f"{shown(number)} has more than two decimals")
            return score(number)
        except ValueError as error:
            self._say(line, f"pass_mark: {error}; write a score from 1 to 10, such as pass_mark: 7.0")
            return points(PASS_MARK)

    def _official(self) -> str:
        value = self._front.get("official", RAW)
        if value in OFFICIAL:
            return str(value)
        self._say(self._front_line("official"), f"official: {unknown('kind of final score', value, OFFICIAL)}")
        return RAW

    def _five(self) -> bool:
        """Whether the bands are written from 1 to 5."""
        written = str(self._front.get("scale", "1-10")).replace("\u2013", "-").replace(" ", "")
        if written not in ("1-10", "1-5"):
            self._say(self._front_line("scale"), f"scale: is 1-10 or 1-5, not {shortened(written)}")
        return written == "1-5"

    # --- weights -------------------------------------------------------------------------------------

    def _take_weight(self, dimension: str, written: str, line: int, what: str) -> None:
        """The weight in a dimension's heading, or on a line under it."""
        value = heading_weight(written)
        if value is None:
            self._unclear_weights = True
            self._say(line, f"{dimension}: {what} is not a weight that is read; write (Weight: 25%) or (0.25)")
            return
        first = self._weight_lines.setdefault(dimension, (value, line))
        if first[0] != value:
            self._say(line, f"{dimension} has two weights, {first[0]} on line {first[1]} and {value} here; keep one")

    def _weights(self) -> tuple[Mapping[str, Decimal], str]:
        """The weights, and the file beside the rubric if they come from it. Several that are stated must agree."""
        stated: list[tuple[str, Mapping[str, Decimal], Mapping[str, int | None]]] = []
        if "weights" in self._front:
            lines = {name: self._front_line("weights", name) for name in DIMENSIONS}
            self._state(stated, "front matter", self._front["weights"], lines, self._front_line("weights"))
        if self._weight_lines and not self._unclear_weights and all(name in self._parts for name in DIMENSIONS):
            written = {name: value for name, (value, _) in self._weight_lines.items()}
            places = {name: line for name, (_, line) in self._weight_lines.items()}
            self._state(stated, "headings", written, places, min(places.values()))
        file = self._side_weights
        if file is not None:
            try:
                stated.append((file.source, weights_from(file.value if isinstance(file.value, dict) else {}), {}))
            except WeightError as error:
                path = (error.dimension,) if error.dimension else ()
                self._problems.append(Problem(str(error), file.source, file.find_line(path)))
        if not stated:
            if not (self._unclear_weights or self._weight_lines or "weights" in self._front or file is not None):
                heading = '"### Safety (Weight: 10%)"'
                message = f"no weights; write weights: {_USUAL} in the front matter, with your own numbers"
                self._say(1, f"{message}, or one in each heading, like {heading}")
            return DEFAULT_WEIGHTS, ""
        source, weights, places_of = stated[0]
        for other, values, _ in stated[1:]:
            apart = [name for name in DIMENSIONS if weights[name] != values[name]]
            if apart:
                differ = ", ".join(
                    f"{name} {shown_percent(weights[name])} against {shown_percent(values[name])}" for name in apart
                )
                line = self._lines.get(("dimensions", apart[0]))
                message = f"two sets of weights contradict each other, {source} against {other}: {differ}"
                self._say(line, f"{message}; keep one of the two")
        self._lines |= {("weights", name): line for name, line in places_of.items() if line is not None}
        return weights, source if file is not None and source == file.source else ""

    def _state(
        self,
        stated: list[tuple[str, Mapping[str, Decimal], Mapping[str, int | None]]],
        source: str,
        written: object,
        lines: Mapping[str, int | None],
        line: int | None,
    ) -> None:
        if not isinstance(written, dict):
            self._say(line, "weights must name the seven dimensions, each with a number")
            return
        try:
            stated.append((source, weights_from(written), lines))
        except WeightError as error:
            self._say(lines.get(error.dimension or "") or line, str(error))

    # --- dimensions ----------------------------------------------------------------------------------

    def _dimension(self, name: str) -> Criteria:
        part = self._parts[name]
        measures: list[str] = []
        bands: list[tuple[Band, int]] = []
        unread = False
        for block in part.blocks:
            if block.kind == "paragraph" and not bands and not unread:
                measures += self._measures(name, block)
            elif block.kind == "paragraph":
                message = f'{name}: the text "{shortened(_one_line(block.text))}" behind the bands is not read'
                self._say(block.line, f'{message}; move it before them, or under a heading "## Notes"')
            elif block.kind in ("table", "list"):
                found = self._table(name, block) if block.kind == "table" else self._bullets(name, block)
                unread = unread or found is None
                bands += found or []
            elif block.kind != "comment":
                self._say(block.line, f"{name}: {block.kind} is not read here; write text, and the bands as a table")
        tree = None
        if part.criteria:
            blocks = part.criteria[0].blocks
            tree = self._criteria.tree(blocks, name, part.criteria[0].line)
            for second in part.criteria[1:]:
                first = part.criteria[0].line
                self._say(second.line, f"{name} has a second list of criteria; the first is on line {first}; keep one")
        elif not bands and not unread:
            bands = [(Band(1, 10, ""), part.section.line)]
            for line, text in self._measured.get(name, ()):
                stray = stray_amount(text, sentence=True)
                if stray is not None:
                    message = f'"{stray}" in "{shortened(text)}" may be meant for the bands, not written elsewhere'
                    advice = "write the bands as | 9-10 | what earns it |, and this is only text"
                    self._say(line, f"{message}; {advice}")
        if bands and not unread:
            self._refuse_gaps(name, bands)
        self._lines |= {("dimensions", name, band.high): line for band, line in bands}
        return Criteria("\n\n".join(measures), tuple(sorted((b for b, _ in bands), key=lambda b: -b.high)), tree)

    def _measures(self, name: str, block: Block) -> list[str]:
        """What a paragraph before the bands says the dimension measures; a line in it may give the weight."""
        text: list[str] = []
        for number, line in _numbered(block):
            setting = setting_in(line)
            if setting is not None and setting[0] == "weight":
                written = line.replace("*", "").replace("_", "").strip().rstrip(".")
                self._take_weight(name, written.replace("=", ":"), number, f'"{shortened(line.strip())}"')
            elif setting is not None and setting[0] in MEASURES:
                text.append(setting[1])
            elif self._is_sentence(line, number):
                text.append(line)
        if block.html:
            self._say(block.line, f"{name}: HTML, such as a comment, inside a text is not read; take it out")
        if text:
            self._prose.append((block.line, block.end))
            self._measured.setdefault(name, []).append((block.line, _one_line(" ".join(text))))
        return [_one_line(" ".join(text))] if text else []

    def _table(self, name: str, block: Block) -> list[tuple[Band, int]] | None:
        if len(block.header) != 2 or any(row.written > 2 for row in block.rows):
            long = next((row.line for row in block.rows if row.written > 2), block.line)
            line = block.line if len(block.header) != 2 else long
            message = f"{name}: a table of bands has two columns, | Score | Criteria |; nothing else in it is read"
            self._say(line, f"{message} (a | inside a text is written \\|)")
            return None
        if any(re.search(r"\d", cell) for cell in block.header):
            head = " | ".join(block.header)
            self._say(
                block.line,
                f'{name}: the first row "{shortened(head)}" of a table is its heading; write | Score | Criteria |',
            )
            return None
        bands: list[tuple[Band, int] | None] = []
        for row in block.rows:
            if row.html:
                self._say(row.line, f"{name}: HTML, such as a comment, in a band is not read; take it out")
            cells = (*row.cells, "", "")
            bands.append(self._band(name, cells[0], cells[1], row.line))
        return _all(bands)

    def _bullets(self, name: str, block: Block) -> list[tuple[Band, int]] | None:
        bands: list[tuple[Band, int] | None] = []
        for item in block.items:
            match = BAND_BULLET.fullmatch(item.text)
            if match is None:
                message = (
                    f'{name}: "{shortened(item.text)}" is neither a band, like "- 9-10: what earns it", nor a criterion'
                )
                self._say(item.line, f'{message}, which stands under a heading "#### Criteria"')
                bands.append(None)
                continue
            if item.children or item.html or item.other is not None:
                line = item.children[0].line if item.children else item.other or item.line
                self._say(line, f"{name}: a band is one paragraph; take what is inside this bullet into its text")
            bands.append(self._band(name, match["band"], match["text"], item.line))
        return _all(bands)

    def _band(self, name: str, label: str, text: str, line: int) -> tuple[Band, int] | None:
        match = BAND.fullmatch(label.strip(" *_`"))
        if match is None:
            self._say(line, f'{name}: "{shortened(label)}" is not a band; write it like 7-8, or 7-8 (Good)')
            return None
        scores = [int(number) for number in re.findall(r"[0-9]+", match["scores"] or match["inside"])]
        low, high = scores[0], scores[-1]
        five = self._five()
        if five and not (low == high and low in _TO_FIVE):
            self._say(line, f"{name}: with scale: 1-5 the bands are 5, 4, 3, 2 and 1, not {shortened(label)}")
            return None
        if not 1 <= low <= high <= 10:
            self._say(line, f"{name}: the band {label} must lie within 1-10, the lower number first")
            return None
        low, high = _TO_FIVE[low] if five else (low, high)
        title = match["after"] or match["behind"] or match["before"]
        return Band(low, high, f"{title}: {_one_line(text)}" if title else _one_line(text)), line

    def _refuse_gaps(self, name: str, bands: Sequence[tuple[Band, int]]) -> None:
        """Refuse bands that leave a score out, or give it two meanings."""
        taken: dict[int, str] = {}
        for band, line in bands:
            label = f"{band.low}-{band.high}"
            overlap = next((taken[number] for number in range(band.low, band.high + 1) if number in taken), None)
            if overlap is not None:
                self._say(line, f"{name}: the band {label} overlaps {overlap}; each score belongs to one band")
            taken |= dict.fromkeys(range(band.low, band.high + 1), label)
        if set(taken) == set(range(1, 6)) and len(bands) == 5:
            if not self._five_refused:
                self._five_refused = True
                message = "the bands go from 1 to 5, and scores from 1 to 10; write the bands 9-10, 7-8, 5-6, 3-4, 1-2"
                self._say(
                    bands[0][1], f"{message}, or scale: 1-5 in the front matter, which reads 5 as 9-10 down to 1 as 1-2"
                )
            return
        missing = [str(number) for number in range(10, 0, -1) if number not in taken]
        if missing:
            line = self._lines["dimensions", name]
            self._say(line, f"{name}: no band for {', '.join(missing)}; the bands together cover 1 to 10")

    # --- red flags and bonuses -----------------------------------------------------------------------

    def _red_flags(self) -> tuple[RedFlag, ...]:
        items = self._listed(RED_FLAGS)
        each = self._each(RED_FLAGS)
        amounts = self._amounts_by_id([item.id for item in items])
        flags = []
        silent = [item for item in items if item.amount is None and item.id not in amounts]
        if silent and each is None and not self._parts[RED_FLAGS].bracket:
            which = "the red flags have" if len(silent) > 1 else f"the red flag {silent[0].id} has"
            advice = f"(-0.50) after {'each' if len(silent) > 1 else 'it'}, or (-0.50 each) after the heading"
            self._say(silent[0].line, f"{which} no amount; write {advice}")
        for item in items:
            written = item.amount if item.amount is not None else amounts.get(item.id, each)
            if item.amount is not None and item.id in amounts and exact(item.amount) != exact(amounts[item.id]):
                message = f"{item.id} has two amounts, {item.amount} here and {amounts[item.id]} in the front matter"
                self._say(item.line, f"{message}; keep one")
            amount = points(DEDUCTION)
            if written is not None:
                try:
                    amount = deduction_from(written)
                except ValueError as error:
                    self._say(item.line, f"the amount of {item.id}: {error}")
            if written is not None:
                above = self._front_line("deductions", item.id) if item.id in amounts else None
                line = above or self._parts[RED_FLAGS].section.line if item.amount is None else item.line
                self._lines["red_flags", item.id, "amount"] = line
            flags.append(RedFlag(item.id, item.text, amount, item.detect))
        return tuple(flags)

    def _each(self, kind: str) -> str | None:
        """The amount in the heading of a list, which counts for each bullet that has none."""
        part = self._parts.get(kind)
        if part is None or not part.bracket:
            return None
        amount = amount_each(part.bracket)
        if amount is None:
            example = "(-0.50 each), or an amount after each flag, like (-1.00)" if kind == RED_FLAGS else "## Bonuses"
            self._say(part.section.line, f'"{part.bracket}" in the heading is not an amount; write {example}')
        return amount

    def _amounts_by_id(self, ids: Sequence[str]) -> dict[str, object]:
        """The amounts that the front matter gives."""
        written = self._front.get("deductions", {})
        if not isinstance(written, dict):
            message = "deductions must name red flags, each with its amount, such as deductions: {leaks-key: 1.00}"
            self._say(self._front_line("deductions"), message)
            return {}
        amounts: dict[str, object] = {}
        for id, amount in written.items():
            line = self._front_line("deductions", id)
            if id not in ids:
                self._say(line, f"deductions: {unknown('red flag', id, ids)}")
                continue
            try:
                amounts[id] = deduction_from(amount)
            except ValueError as error:
                self._say(line, f"the amount of {id}: {error}")
                amounts[id] = points(DEDUCTION)
        return amounts

    def _bonuses(self) -> tuple[Bonus, ...]:
        items = self._listed(BONUSES)
        each = self._each(BONUSES)
        if each is not None and not is_bonus(each):
            self._say(self._parts[BONUSES].section.line, f"every bonus is 0.25, not {each}; write ## Bonuses")
        for item in items:
            if item.amount is not None and not is_bonus(item.amount):
                self._say(item.line, f"the bonus {item.id} is given as {item.amount}; every bonus is 0.25")
        return tuple(Bonus(item.id, item.text, item.detect) for item in items)

    def _listed(self, kind: str) -> list[_Listed]:
        """The bullets of a list, which is needed: without it, what was meant elsewhere would be missed."""
        part = self._parts.get(kind)
        if part is None:
            return []
        listed: list[_Listed] = []
        empty = True
        for block in part.blocks:
            if block.kind == "list":
                listed += [found for item in block.items if (found := self._bullet(kind, item)) is not None]
                empty = False
            elif block.kind == "paragraph" and block.text.strip().lower() in ("none", "none."):
                empty = False
            elif block.kind != "comment":
                what = f'"{shortened(_one_line(block.text))}"' if block.kind == "paragraph" else f"a {block.kind}"
                example = (
                    "- `leaks-key` (-1.00): A key is in the output." if kind == RED_FLAGS else "- `id`: What earns it."
                )
                message = f"{what} stands in the list of {kind} and is not a bullet, so it is not read; write {example}"
                self._say(block.line, f'{message} or move the text under "## Notes"')
                empty = False
        if empty:
            self._say(part.section.line, f'nothing stands under "{part.section.heading}"; write bullets, or None.')
        first: dict[str, int] = {}
        for item in listed:
            if first.setdefault(item.id, item.line) != item.line:
                message = f"two {kind} have the id {item.id}; the other is on line {first[item.id]}"
                self._say(item.line, f"{message}; begin one with an id of its own, such as `another`")
            self._lines[kind.replace(" ", "_"), item.id] = item.line
        return listed

    def _bullet(self, kind: str, item: Item) -> _Listed | None:
        noun = "red flag" if kind == RED_FLAGS else "bonus"
        detect = ""
        for child in item.children:
            match = _DETECT.fullmatch(child.text.strip())
            if match is None or child.children or detect:
                message = f'"{shortened(child.text)}" inside a {noun} is not read'
                self._say(
                    child.line,
                    f"{message}; each {noun} is a bullet of its own, with at most a line - detect: CHECK inside",
                )
            else:
                detect = match["check"]
        if detect and not is_id(detect):
            self._say(item.line, f'detect: "{detect}" is not the id of a check; list them with: evenhand docs checks')
        if item.html or item.other is not None:
            what = "HTML, such as a comment," if item.html else "a second paragraph, a table or code"
            self._say(item.other or item.line, f"{what} in a {noun} is not read; keep each {noun} to one paragraph")
        amount_in = deduction_in if kind == RED_FLAGS else bonus_in
        text = _one_line(item.text)
        named = _ITEM.fullmatch(text) or _NAMED.fullmatch(text)
        if named is not None:
            id = named["id"] if "id" in named.groupdict() else slug(named["name"])
            amount, rest = amount_in(named["text"])
            rest = (
                rest.lstrip(" :\u2013\u2014-") if amount is not None else re.sub(r"^\s*[:\u2013\u2014-]\s+", "", rest)
            )
        else:
            amount, rest = amount_in(text)
            id = slug(rest)
        rest = rest.strip()
        if not re.search(r"\w", rest):
            self._say(item.line, f"the {noun} {id} has no description; write: - `{id or 'its-id'}`: what it is")
            return None
        if not is_id(id):
            self._say(item.line, f'the id "{id}" must be lower-case words joined by hyphens; try {slug(id)}')
        stray = stray_amount(rest, has_amount=amount is not None, fixed=kind == BONUSES)
        if stray is not None:
            form = "(-0.50)" if kind == RED_FLAGS else "(+0.25)"
            message = f'"{stray}" in "{shortened(rest)}" may be an amount and is not read'
            self._say(
                item.line,
                f"{message}; write - `{id[:40].rstrip('-')}` {form}: ..., then numbers in the text are only text",
            )
        return _Listed(id, item.line, rest, amount, detect)


SCORING: Final = (*DIMENSIONS, DIMENSIONS_HEADING, RED_FLAGS, BONUSES)


def heading_parts(heading: str) -> tuple[str, str]:
    """A heading's name in lower case, without an ordinal and emphasis, and the bracket behind it."""
    if " ".join(heading.lower().split()) in HEADINGS:
        return " ".join(heading.lower().split()), ""
    match = _HEADING.fullmatch(_ORDINAL.sub("", heading.replace("*", "").replace("_", "").strip(), count=1).strip(" :"))
    return (" ".join(match["name"].lower().split()).rstrip(" :"), match["bracket"] or "") if match else (heading, "")


def meant(heading: str, inside: bool) -> str | None:
    """What an unreadable heading seems to mean, for the message, and so that what is under it is read all the same."""
    words = re.findall(r"[^\W\d_]+", heading.lower())
    if any(word.startswith("bonus") for word in words):
        return None if inside else BONUSES
    if "red" in words and any(word.startswith("flag") for word in words):
        return None if inside else RED_FLAGS
    found = [name for name in DIMENSIONS if name in words] or nearest(" ".join(words), DIMENSIONS)
    return found[0] if len(found) == 1 and len(words) <= 5 else None


def line_ranges(places: Iterable[tuple[int, int]]) -> str:
    """First and last lines in words, neighbours taken together, also over a blank line: "lines 3, 7-12"."""
    joined: list[list[int]] = []
    for first, last in sorted(places):
        if joined and first <= joined[-1][1] + 2:
            joined[-1][1] = max(last, joined[-1][1])
        else:
            joined.append([first, last])
    ranges = [str(first) if first == last else f"{first}-{last}" for first, last in joined]
    return f"{'line' if len(ranges) == 1 and '-' not in ranges[0] else 'lines'} {', '.join(ranges)}"


def _heading_meaning(section: Section) -> str | None:
    return HEADINGS.get(heading_parts(section.heading)[0])


def _numbered(block: Block) -> list[tuple[int, str]]:
    return list(enumerate(block.text.split("\n"), block.line))


def setting_in(line: str) -> tuple[str, str] | None:
    """The name and the value of a line that sets something; None for a sentence."""
    match = _LABEL.fullmatch(line.strip())
    if match is None:
        return None
    label, value = " ".join(match["label"].lower().split()), match["value"].strip()
    known = label in MEASURES or label == "weight"
    if known or match["mark"] or (len(label.split()) <= 3 and len(value.split()) <= 4):
        return label, value
    return None


def _instead(label: str) -> str:
    """What to write instead of a line that sets something."""
    if label in FRONT_KEYS or label.replace(" ", "_") in FRONT_KEYS:
        return f"write {label.replace(' ', '_')}: in the front matter"
    return 'write it as a sentence, or move it under a heading "## Notes" if it scores nothing'


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _all(bands: Sequence[tuple[Band, int] | None]) -> list[tuple[Band, int]] | None:
    """The bands, or None when one of them could not be read."""
    read = [band for band in bands if band is not None]
    return read if len(read) == len(bands) else None
