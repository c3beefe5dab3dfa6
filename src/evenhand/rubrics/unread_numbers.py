"""What a line, bullet, row or block of a rubric says about the scoring that was not read, and what to do about it.

`leftovers` goes through a rubric's sections and asks about each part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from evenhand.core.numbers import exact, points, shown
from evenhand.core.rules import BONUS, BONUS_CAP, DEDUCTION, DEDUCTION_CAP, DIMENSIONS, GRADES
from evenhand.core.values import Rubric
from evenhand.in_words import shortened
from evenhand.rubrics.amounts import stray_amount
from evenhand.rubrics.list_headings import list_kind
from evenhand.rubrics.outline import Piece
from evenhand.rubrics.scoring_statements import (
    GIVES,
    NAMES,
    TAKES,
    Setting,
    Statement,
    limit_in_dimension,
    lone_number,
    setting_in,
    share_in,
    statements,
)
from evenhand.rubrics.weights import shown_percent
from evenhand.rubrics.written_weights import (
    LONGEST_LINE,
    NUMBER,
    WORD,
    claims,
    decimal_comma,
    entry_weight,
    line_weight,
    plain,
    value_of,
)

TO_DECIDE = "TODO(convert)"
"""How `evenhand rubric convert` marks what a person has to decide."""
STILL = "still to decide"
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
_SCORES = re.compile(r"(?:example|sample|score|rating|grade|band|range|level)s?", re.IGNORECASE)
_RUNNING = re.compile(r"#|no\.?|nr\.?|n|count|id|version|date|year|pages?|revision|step", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:li|td|tr|table|h[1-6]|ul|ol|dl|dt)\b", re.IGNORECASE)
_SETTING = re.compile(
    rf"^\W*(?:{WORD}|red_flags|bonuses|deductions?|penalties|pass_mark)\W*[:=]", re.IGNORECASE | re.MULTILINE
)
_SCORING_LABEL = re.compile(
    rf"{WORD}|points?|punkte?|pass|fail|threshold|schwelle|seuil|umbral|cut-?off|deduct|penalt|bonus|flag|multipl|factor|faktor"
    rf"|share|importance|max|min|cap|limit|{NAMES}",
    re.IGNORECASE,
)
"""In code and comments only a label with such a word is a setting of the rubric: `timeout: 30` is not."""
_ONLY_NUMBER = re.compile(
    rf"[-+~<>=x\u2248\u2264\u2265\s]*{NUMBER}\s*(?:%|points?|pts?|punkte?|x|/\s*100?)?", re.IGNORECASE
)
_ONLY_RANGE = re.compile(
    rf"(?:{NAMES})\W*[:=(|\u2013\u2014-]\s*[~\u2248]?{NUMBER}\s*%?\s*(?:-|\u2013|to|bis)\s*{NUMBER}\s*%?\W*", re.I
)
_POINTED = re.compile(
    rf"^{NUMBER}\s*(?:points?|pts?)\b(?!\s+of)|[(\[]\s*{NUMBER}\s*(?:points?|pts?|%)\s*[)\]]\W*$", re.I
)
_TAG = re.compile(r"<!--|-->|</?[a-z][^>]*>", re.IGNORECASE)
IN_EXAMPLES = ("formula", "multiplier")
"""What is refused even in an example."""
_SHARE = re.compile(rf"%|cent|points?\b|total|overall|final|{WORD}", re.IGNORECASE)
_OF_GRADE = re.compile(r"\bof\s+the\s+(?:grade|score|mark|result)\b", re.IGNORECASE)
IN_MEASURES = ("formula", "multiplier", "weight")
"""What is refused in the sentence that says what a dimension measures."""
DO = {
    "weight": "write the weights in the headings or the front matter",
    "amount": 'write amounts in bullets under "## Red flags", like (-1.00)',
    "limit": "a rubric cannot set limits; leave it out, or write a red flag with what it costs",
    "pass mark": "write pass_mark: in the front matter",
    "gate": "a rubric cannot fail one dimension; leave it out, or write a red flag with what it costs",
    "scale": "every dimension is scored from 1 to 10; leave it out",
    "multiplier": "write the weights in the headings or the front matter",
    "formula": "the final score is always the weighted sum; write the weights in the headings or the front matter",
}
"""What can be stated about scoring, and what to do where it is not read."""
_A = {"amount": "an amount"}


class Place(NamedTuple):
    """Where a part of the file stands: what may be said there differs."""

    dimension: str | None
    example: bool
    listed: bool
    """Whether it is in a section of red flags or bonuses, whose own reader has been there."""


def located(line: int, problem: str | None) -> Iterator[tuple[int, str]]:
    """A problem with its line; nothing without one."""
    if problem is not None:
        yield line, problem


def in_line(line: str, piece: Piece, place: Place, rubric: Rubric, settings: bool) -> str | None:
    """What is wrong with a line of a paragraph, or with a bullet."""
    text = re.sub(r"^[>\s]+", "", plain(line))
    if text.startswith(TO_DECIDE):
        return f"{STILL}: {line.partition(TO_DECIDE)[2].strip(': ')}"
    if states_other_pass_mark(text, rubric):
        counts = shown(rubric.pass_mark)
        return f'"{text}" is not read, and the pass mark is {counts}; write pass_mark: in the front matter'
    if piece.read:
        return None
    if place.dimension is None and line_weight(line) is not None and re.search("[0-9]", text):
        return f'"{text}" is a weight without a dimension; write it under the heading of one'
    if _ONLY_RANGE.fullmatch(text):
        return f'cannot read the weight in "{shortened(text)}"; write one number, like 40%'
    amount = stray_amount(text)
    if amount is not None:
        put = 'put amounts in bullets under "## Red flags"'
        return f'the amount {amount} in "{shortened(text)}" has no effect here; {put}'
    if not place.example and (lone := lone_number(text)):
        return f'cannot tell what the number "{lone}" means; write a weight in the heading, an amount in its bullet'
    if not place.example and _are_shares(text):
        return f'"{shortened(text)}" looks like the seven weights, which are not read here; write them in the headings'
    if settings and (share := share_in(text)):
        write = "write weights in the headings as numbers, or make it a sentence"
        return f'cannot tell what "{shortened(share)}" means; {write}'
    if settings and place.dimension and (limit := limit_in_dimension(text)):
        return f'"{shortened(limit)}" limits the score of a dimension, which is not read here; put it into the bands'
    setting = setting_in(text) if settings else None
    return unknown_setting(text, setting, rubric) if setting else None


def beside_list(line: str) -> str | None:
    """What is wrong with a line of a paragraph beside red flags or bonuses, whose reader looks for amounts only."""
    text = plain(line)
    if _are_shares(text) or (line_weight(line) is not None and re.search("[0-9]", text)):
        return f'"{shortened(text)}" looks like weights, which are not read here; write them in the headings'
    return None


def _are_shares(text: str) -> bool:
    """Whether a text holds exactly seven numbers that are 1 or 100 together."""
    if len(text) > LONGEST_LINE:
        return False
    numbers = [decimal_in(number) for number in re.findall(rf"(?<![\w.]){NUMBER}(?![\w])", text)]
    return len(numbers) == len(DIMENSIONS) and sum(number or 0 for number in numbers) in (1, 100)


def in_item(item: Piece, place: Place, rubric: Rubric) -> Iterator[tuple[int, str]]:
    """What is wrong with a bullet or with those inside it."""
    if place.listed or (item.read and not item.nested):
        yield from located(item.line, in_line(item.whole, item, place, rubric, False))
        return
    nested = [
        (
            inner.line,
            f'"{shortened(inner.whole)}" is nested inside another bullet and not read; move it to the top level',
        )
        for inner in item.nested
        if entry_weight(inner.whole) or line_weight(inner.whole) or stray_amount(plain(inner.whole))
    ]
    if nested:
        yield from nested
        return
    if item.read:
        return
    problem = in_line(item.whole, item, place, rubric, not place.example)
    problem = problem or in_text(item.whole, place.dimension, rubric)
    pointed = _POINTED.search(plain(item.whole)) if not place.example else None
    if problem is None and pointed:
        problem = f'the amount {pointed[0]} in "{shortened(item.whole)}" has no effect here; leave it out'
    yield from located(item.line, problem)
    if problem is None:
        yield from stated(item.whole, item.line, IN_EXAMPLES if place.example else tuple(DO), place, rubric)


def stated(text: str, line: int, kinds: Sequence[str], place: Place, rubric: Rubric) -> Iterator[tuple[int, str]]:
    """The statements about scoring in a text that do not hold anyway, each with its line."""
    lines = [plain(row) for row in text.split("\n")]
    for statement in statements(" ".join(text.split())):
        share = _SHARE.search(statement.words) or _OF_GRADE.search(statement.clause)
        if kinds is IN_MEASURES and statement.kind == "weight" and not share:
            continue  # a measure may count things
        if statement.kind in kinds and not _holds(statement, place.dimension, rubric):
            start = statement.words.split(" ")[0]
            offset = next((number for number, row in enumerate(lines) if statement.words[:25] in row), None)
            if offset is None:
                offset = next((number for number, row in enumerate(lines) if start in row), 0)
            yield line + offset, _refusal(statement)


def _refusal(statement: Statement) -> str:
    kind = _A.get(statement.kind, f"a {statement.kind}")
    return f'"{shortened(statement.words)}" states {kind}, which is not read here; {DO[statement.kind]}'


def _holds(statement: Statement, dimension: str | None, rubric: Rubric) -> bool:
    """Whether a statement only repeats what holds anyway."""
    numbers = statement.numbers
    if not numbers and not (statement.kind in ("amount", "limit") and re.search("[0-9]", statement.clause)):
        return False
    if statement.kind == "weight":
        named = [name for name in DIMENSIONS if name in statement.clause.lower()] or ([dimension] if dimension else [])
        return bool(named) and all(any(_same(number, rubric.weights.get(name)) for name in named) for number in numbers)
    if statement.kind == "pass mark":
        return all(_on_scale(number) == rubric.pass_mark for number in numbers)
    if statement.kind in ("amount", "limit"):
        takes, gives = TAKES.search(statement.clause), GIVES.search(statement.clause)
        usual = {points(amount) for amount in (DEDUCTION, DEDUCTION_CAP) if takes or not gives}
        usual |= {points(amount) for amount in (BONUS, BONUS_CAP) if gives or not takes}
        return {decimal_in(number) for number in re.findall(NUMBER, statement.clause)} <= usual
    return False


def unknown_setting(text: str, setting: Setting, rubric: Rubric) -> str | None:
    """What is wrong with a label that has a number, unless it repeats a grade or the pass mark."""
    label = setting.label.lower()
    if any(setting.label == grade.letter and decimal_in(setting.number) == points(grade.lower) for grade in GRADES):
        return None
    if re.search("pass|threshold|bestehen|seuil|umbral", label) and _on_scale(setting.number) == rubric.pass_mark:
        return None
    return (
        f'cannot tell what the number in "{shortened(text)}" sets; write weights in the headings, the pass mark '
        "in the front matter, amounts in the bullets, or make it a sentence"
    )


def in_text(text: str, name: str | None, rubric: Rubric) -> str | None:
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
        f'"{shortened(text)}" gives {dimension} a weight of {number}, but {counts} counts; '
        "write the weights in the headings or the front matter"
    )


def _same(written: str, weight: Decimal | None) -> bool:
    number = decimal_in(written)
    if number is None or weight is None:
        return False
    return number == weight * 100 if "%" in written or number > 1 else number == weight


def decimal_in(written: str) -> Decimal | None:
    """A number without its unit."""
    match = re.match(rf"\s*({NUMBER})", written)
    try:
        return exact(decimal_comma(match[1])) if match else None
    except ValueError:
        return None


def _on_scale(written: str) -> Decimal | None:
    """A score on our scale: 8, 8/10, 80%, 80/100."""
    number = decimal_in(written)
    return number / 10 if number is not None and re.search("%|cent|100", written) else number


def in_row(row: Piece, place: Place, rubric: Rubric) -> str | None:
    """A row of a table: of bands, of weights, or of something that is not read."""
    cells = [plain(cell) for cell in row.cells]
    titles = [row.header[number].strip() if number < len(row.header) else "" for number in range(len(cells))]
    lone = [
        number
        for number, cell in enumerate(cells)
        if _ONLY_NUMBER.fullmatch(cell)
        and not _SCORES.fullmatch(titles[number])
        and not _RUNNING.fullmatch(titles[number])
    ]
    if place.dimension is not None:
        if any(number > 0 for number in lone):
            return f'cannot tell what the number beside the band means in "{shortened(row.whole)}"; leave it out'
        return None
    if row.read or place.listed:
        return None
    amount = next((cell for cell in cells if stray_amount(cell)), None)
    announced = next((cell for cell in row.header if list_kind(cell)), None)
    if amount or announced:
        return f'"{row.whole}" is in a table, which is not read for flags and bonuses; write each as a bullet'
    if place.example:
        return None
    grade = next((grade for grade in GRADES if grade.letter in cells), None)
    if lone and grade and all(decimal_in(cells[number]) == points(grade.lower) for number in lone):
        return None
    if lone:
        return (
            f'cannot tell what the numbers in "{shortened(row.whole)}" mean; head the column "Weight", or leave it out'
        )
    return next((words for _, words in stated(" ".join(cells), row.line, tuple(DO), place, rubric)), None)


def gives_weight(cell: str, header: tuple[str, ...]) -> bool:
    """Whether a header cell gives a weight, alone or with its neighbour."""
    if line_weight(cell) is not None and re.search("[0-9]", cell):
        return True
    return re.fullmatch(WORD, plain(cell), re.IGNORECASE) is not None and any(map(value_of, header))


def in_block(block: Piece, place: Place, rubric: Rubric) -> str | None:
    """Code and HTML are not read, so what sets something in them is refused."""
    is_html = block.label in ("html_block", "reference")
    if is_html and _MARKUP.search(block.text):
        return "HTML is not read; write headings, lists and tables in Markdown"
    what = {"html_block": "HTML or a comment", "reference": "a link reference"}.get(block.label, "a code block")
    text = _TAG.sub(" ", block.text) if is_html else block.text
    setting = _SETTING.search(text)
    named = any(name in text.lower() for name in DIMENSIONS)
    if setting and not is_html and (named or "red_flags" in setting[0] or "bonuses" in setting[0]):
        return f'"{setting[0].strip()}" is in a code block, which is not read; write it in the front matter'
    setter = None
    numbered = {name for name, _ in re.findall(rf"\b({NAMES})\b\W*({NUMBER})", text.lower())}
    if len(numbered) >= 3 and not place.example and "score" not in text.lower():
        setter = f"numbers for {' and '.join(name for name in DIMENSIONS if name in numbered)}"
    for line in text.splitlines():
        if (is_html and lone_number(line)) or (not place.example and _are_shares(line)):
            setter = setter or line.strip()
        written = setting_in(line)
        if not place.example and written and _SCORING_LABEL.search(written.label):
            setter = setter or (None if unknown_setting(line, written, rubric) is None else line.strip())
        if stray_amount(plain(line).lstrip("-* ")) and (is_html or place.listed):
            setter = setter or line.strip()
    kinds = IN_EXAMPLES if place.example or not is_html else tuple(DO)
    for statement in statements(" ".join(text.split()) if is_html else text):
        of_ours = is_html or any(name in statement.clause.lower() for name in DIMENSIONS)  # not total = i * 2
        if of_ours and statement.kind in kinds and not _holds(statement, place.dimension, rubric):
            setter = setter or statement.words
    if setter is None:
        return None
    return (
        f'"{shortened(setter)}" is in {what}, which is not read; '
        "write weights in the headings, the pass mark in the front matter, amounts in the bullets"
    )


def states_other_pass_mark(text: str, rubric: Rubric) -> bool:
    """Whether a text is nothing but a pass mark, and another than the rubric's."""
    match = _PASS_MARK.fullmatch(text[:LONGEST_LINE])
    return match is not None and _pass_mark(match) != rubric.pass_mark


def _pass_mark(match: re.Match[str]) -> Decimal | None:
    if match["number"] is None:
        return None
    try:
        number = exact(decimal_comma(match["number"]))
    except ValueError:
        return None
    return number / 10 if re.search("%|100", match["of"] or "") else number
