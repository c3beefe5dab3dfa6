"""Parts of a rubric that look meaningful but were not read: refused and quoted, never dropped.

Plain prose is ignored. Weights, amounts, lists of flags or bonuses and pass marks are refused when they are written
where, or in a way that, they have no effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import exact, shown
from evenhand.core.values.rubric import Rubric
from evenhand.rubrics.amounts import stray_amount
from evenhand.rubrics.list_headings import list_kind, mentions_list
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.weights import shown_percent
from evenhand.rubrics.written_weights import LONGEST_LINE, NUMBER, WORD, claims, line_weight, plain, value_of

TO_DECIDE = "TODO(convert)"
"""How `evenhand rubric convert` marks what a person has to decide."""

_PASS_MARK = re.compile(
    r"(?:minimum\s+|overall\s+|required\s+)?pass(?:ing)?[ -](?:mark|score|threshold|grade|bar|line)\W*"
    rf"(?:is|of|at\s+least)?\W*(?:(?P<number>{NUMBER})\s*(?P<of>%|/\s*100|/\s*10)?|(?P<letter>[A-F][+-]?))\W*",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    rf"\b(?:{WORD}|counts?|worth|carries)(?:\s+(?:of|at|for|is|as|a|an|this|the|dimension|criterion|exactly|weight))*"
    rf"\W*(?P<number>{NUMBER}\s*%|0?\.[0-9]+\b)",
    re.IGNORECASE,
)
_SCORES = re.compile(r"(?:example|sample|score|rating)s?", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:li|td|tr|table|h[1-6]|ul|ol|dl|dt)\b", re.IGNORECASE)
_SETTING = re.compile(
    rf"^\W*(?:{WORD}|red_flags|bonuses|deductions?|penalties|pass_mark)\W*[:=]", re.IGNORECASE | re.MULTILINE
)


def refuse_leftovers(draft: Draft, dimensions: Mapping[str, list[Section]], rubric: Rubric) -> None:
    """Report every part of a rubric that looks meaningful but was not read."""
    inside = {id(section): name for name, sections in dimensions.items() for section in sections}
    for section in draft.sections:
        name = inside.get(id(section))
        for at, message in _leftovers(section, name, rubric):
            draft.say(at, message)
        if section is not draft.title and not section.read:
            _refuse_heading(draft, section, rubric)


def _leftovers(section: Section, name: str | None, rubric: Rubric) -> Iterator[tuple[int, str]]:
    for piece in section.paragraphs:
        for offset, line in enumerate(piece.lines):
            yield from _at(piece.line + offset, _in_line(line, piece, name, rubric))
        yield from _at(piece.line, _in_text(piece.whole, None if piece.read else name, rubric))
    for item in section.items:
        problem = _in_line(item.whole, item, name, rubric) or _in_text(item.whole, None if item.read else name, rubric)
        yield from _at(item.line, problem)
    for row in section.rows:
        yield from _at(row.line, None if row.read else _in_row(row))
    headers = {row.header: row.line - 2 for row in reversed(section.rows)}
    for header, at in headers.items():
        if any(_weighs(cell, header) for cell in header):
            yield (
                at,
                f'the weight in the table header "{" | ".join(header)}" is not read; write it as a row or a heading',
            )
    for block in section.blocks:
        yield from _at(block.line, _in_block(block))


def _at(line: int, problem: str | None) -> Iterator[tuple[int, str]]:
    if problem is not None:
        yield line, problem


def _in_line(line: str, piece: Piece, name: str | None, rubric: Rubric) -> str | None:
    """What is wrong with a line of a paragraph, or with a bullet."""
    text = re.sub(r"^[>\s]+", "", plain(line))
    if text.startswith(TO_DECIDE):
        return f"still to decide: {line.partition(TO_DECIDE)[2].strip(': ')}"
    pass_mark = _PASS_MARK.fullmatch(text[:LONGEST_LINE])
    if pass_mark and _pass_mark(pass_mark) != rubric.pass_mark:
        counts = shown(rubric.pass_mark)
        return f'"{text}" is not read, and the pass mark is {counts}; write pass_mark: in the front matter'
    if piece.read:
        return None
    if name is None and line_weight(line) is not None and re.search("[0-9]", text):
        return f'"{text}" is the weight of no dimension; write it under the heading of one'
    amount = stray_amount(text)
    if amount is None:
        return None
    return f'the amount {amount} in "{_short(text)}" has no effect here; put amounts in bullets under "## Red flags"'


def _in_text(text: str, name: str | None, rubric: Rubric) -> str | None:
    """Weights mentioned in prose must match the ones in use."""
    stated = claims(text)
    if len(stated) >= 3 or re.search(rf"\b{WORD}\b", text, re.IGNORECASE):
        for dimension, number in stated:
            if not _same(number, rubric.weights.get(dimension)):
                return _other_weight(text, dimension, number, rubric)
    if name is not None and name in rubric.weights:
        for match in _WEIGHS.finditer(plain(text)):
            if not stated and not _same(match["number"], rubric.weights[name]):
                return _other_weight(text, name, match["number"], rubric)
    return None


def _other_weight(text: str, dimension: str, number: str, rubric: Rubric) -> str:
    counts = shown_percent(rubric.weights[dimension])
    return (
        f'"{_short(text)}" gives {dimension} a weight of {number}, but {counts} counts; '
        "write the weights in the headings or the front matter"
    )


def _same(written: str, weight: Decimal | None) -> bool:
    try:
        number = exact(re.sub(r"\s|%|\D+$", "", written))
    except ValueError:
        return False
    return weight is not None and (number == weight * 100 if "%" in written or number > 1 else number == weight)


def _in_row(row: Piece) -> str | None:
    """A row of a table outside the dimensions that was not read as a weight."""
    cells = [plain(cell) for cell in row.cells]
    amount = next((cell for cell in cells if stray_amount(cell)), None)
    announced = next((cell for cell in row.header if list_kind(cell)), None)
    if amount or announced:
        return f'"{row.whole}" is in a table, which is not read for flags and bonuses; write each as a bullet'
    named = next((cell for cell in cells if cell.lower() in DIMENSIONS), None)
    numbers = [place for place, cell in enumerate(cells) if value_of(cell) is not None]
    titles = [row.header[place] for place in numbers if place < len(row.header)]
    if (
        named
        and numbers
        and not all(_SCORES.fullmatch(title.strip()) or title.strip() in ("#", "No.") for title in titles)
    ):
        return f'cannot tell what the numbers in "{row.whole}" mean; head the column with "Weight", or leave it out'
    return None


def _weighs(cell: str, header: tuple[str, ...]) -> bool:
    """Whether a header cell gives a weight, alone or with its neighbour."""
    if line_weight(cell) is not None and re.search("[0-9]", cell):
        return True
    return re.fullmatch(WORD, plain(cell), re.IGNORECASE) is not None and any(map(value_of, header))


def _in_block(block: Piece) -> str | None:
    """Code and HTML are not read, so settings in them are refused."""
    if block.label == "html_block":
        return "HTML is not read; write headings, lists and tables in Markdown" if _MARKUP.search(block.text) else None
    setting = _SETTING.search(block.text)
    named = any(name in block.text.lower() for name in DIMENSIONS)
    if setting and (named or "red_flags" in setting[0] or "bonuses" in setting[0]):
        return f'"{setting[0].strip()}" is in a code block, which is not read; write it in the front matter'
    return None


def _refuse_heading(draft: Draft, section: Section, rubric: Rubric) -> None:
    """Check a heading that is neither a list nor a dimension."""
    match = _PASS_MARK.fullmatch(plain(section.heading)[:LONGEST_LINE])
    if match and _pass_mark(match) != rubric.pass_mark:
        draft.say(section.line, f'"{section.heading}" is not read; write pass_mark: in the front matter')
    marked = next((item for item in section.items if item.code), None)
    if mentions_list(section.heading) and marked is not None:
        draft.say(
            marked.line, f'cannot tell whether "{section.heading}" heads a list; name it "Red flags" or "Bonuses"'
        )


def _pass_mark(match: re.Match[str]) -> Decimal | None:
    if match["number"] is None:
        return None
    try:
        number = exact(match["number"])
    except ValueError:
        return None
    return number / 10 if re.search("%|100", match["of"] or "") else number


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else f"{text[: most - 3].rstrip()}..."
