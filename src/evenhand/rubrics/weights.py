"""Weights (R6): exactly the seven dimensions, none negative, exactly 1 or exactly 100 % together.

Checked on the decimal text, with no tolerance and no normalising.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from functools import reduce

from evenhand.core.numbers import exact, shown
from evenhand.core.rules import DEFAULT_WEIGHTS, DIMENSIONS, WEIGHT_DECIMALS
from evenhand.errors import Problem, unknown
from evenhand.reading.located import Located
from evenhand.rubrics.dimensions import after_name, before_name
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.written_weights import (
    WORD,
    Unclear,
    are_ordinals,
    decimal_comma,
    entry_weight,
    heading_weight,
    leading_weight,
    line_weight,
    plain,
    value_of,
)

_FINEST = Decimal((0, (1,), 2 - WEIGHT_DECIMALS))
_WIDE = Context(prec=60)  # independent of the caller's decimal context


class WeightError(ValueError):
    """A problem with a set of weights; `dimension` is set when it concerns one of them."""

    def __init__(self, message: str, dimension: str | None = None) -> None:
        super().__init__(message)
        self.dimension = dimension


def weights_from(written: Mapping[str, object]) -> dict[str, Decimal]:
    """Weights as fractions of 1 from what an author wrote: 0.25, 25, or "25%" each."""
    _refuse_other_names(written)
    numbers: dict[str, Decimal] = {}
    signed: list[str] = []
    for name in DIMENSIONS:
        text = written[name]
        if isinstance(text, str) and text.strip().endswith("%"):
            signed.append(name)
            text = text.strip()[:-1]
        try:
            numbers[name] = exact(decimal_comma(text) if isinstance(text, str) else text)
        except ValueError as error:
            raise WeightError(f"the weight of {name} is not usable: {error}", name) from None
        if numbers[name] < 0:
            raise WeightError(f"the weight of {name} is {shown(numbers[name])}; a weight is 0 or more", name)
        if numbers[name] > 100:
            raise WeightError(f"the weight of {name} is {shown(numbers[name])}; a weight is at most 100 %", name)
        finest = numbers[name].quantize(_FINEST, context=_WIDE)
        if finest != numbers[name]:
            raise WeightError(
                f"the weight of {name} has more than {WEIGHT_DECIMALS - 2} decimals, the most that is read", name
            )
        numbers[name] = max(numbers[name], finest, key=_exponent)
    if signed and len(signed) < len(DIMENSIONS):
        bare = ", ".join(name for name in DIMENSIONS if name not in signed)
        raise WeightError(f"weights mix percentages and fractions: no % on {bare}; write all seven the same way")
    return _as_fractions(numbers, percent=bool(signed))


def shown_percent(weight: Decimal) -> str:
    """A weight as a percentage: 0.25 as 25%."""
    return f"{shown(_WIDE.multiply(weight, Decimal(100)))}%"


def _as_fractions(numbers: Mapping[str, Decimal], *, percent: bool) -> dict[str, Decimal]:
    total = reduce(_WIDE.add, numbers.values())
    if total == 1 and not percent:
        return dict(numbers)
    if total == 100:
        return {name: (_WIDE.scaleb(number, -2) if number else Decimal(0)) for name, number in numbers.items()}
    large = [name for name in DIMENSIONS if numbers[name] > 1]
    small = [name for name in DIMENSIONS if 0 < numbers[name] < 1]
    if large and small and not percent:
        raise WeightError(
            f"weights mix percentages and fractions: {', '.join(small)} below 1, {', '.join(large)} above; "
            f"they sum to {shown(total)}; write all seven the same way"
        )
    whole = 100 if percent or total > 10 else 1
    off = _WIDE.subtract(total, Decimal(whole))
    side = "too much" if off > 0 else "too little"
    sign = "%" if percent else ""
    raise WeightError(
        f"weights sum to {shown(total)}{sign}, {shown(abs(off))}{sign} {side}; "
        f"the seven must sum to exactly {whole}{sign}"
    )


def _exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)


def _refuse_other_names(written: Mapping[str, object]) -> None:
    for name in written:
        if name not in DIMENSIONS:
            raise WeightError(unknown("dimension", name, DIMENSIONS), name)
    missing = [name for name in DIMENSIONS if name not in written]
    if missing:
        raise WeightError(f"no weight for {', '.join(missing)}; give all seven, or none for the defaults")


def weights_of(draft: Draft, dimensions: Mapping[str, list[Section]], beside: Located | None) -> Mapping[str, Decimal]:
    """The weights, from front matter, headings, a list, a table or the file beside the rubric; several must agree."""
    sources = [
        ("front matter", _front_weights(draft)),
        ("headings", _heading_weights(draft, dimensions)),
        ("list", _list_weights(draft, dimensions)),
        ("table", _table_weights(draft, dimensions)),
        (beside.source if beside else "", _file_weights(draft, beside)),
    ]
    stated = [(source, weights) for source, weights in sources if weights is not None]
    if not stated:
        return DEFAULT_WEIGHTS
    for name in DIMENSIONS:
        if (stated[0][0], name) in draft.weight_lines:
            draft.lines["weights", name] = draft.weight_lines[stated[0][0], name]
    if beside is not None and stated[0][0] == beside.source:
        draft.weights_file = beside.source
    stated = [
        (source if beside is not None and source == beside.source else f"{draft.source} ({source})", weights)
        for source, weights in stated
    ]
    first_source, first = stated[0]
    for source, weights in stated[1:]:
        if weights != first:
            apart = ", ".join(
                f"{name} {shown_percent(first[name])} against {shown_percent(weights[name])}"
                for name in DIMENSIONS
                if first[name] != weights[name]
            )
            draft.say(
                draft.lines.get(("dimensions", next(n for n in DIMENSIONS if first[n] != weights[n]))),
                f"two sets of weights contradict each other, {first_source} against {source}: {apart}; keep one",
            )
    return first


def _front_weights(draft: Draft) -> Mapping[str, Decimal] | None:
    written = draft.front.get("weights")
    if written is None:
        return None
    if not isinstance(written, dict):
        draft.say(draft.front_line("weights"), "weights must name the seven dimensions, each with a number")
        return None
    for name in DIMENSIONS:
        draft.weight_lines["front matter", name] = draft.front_line("weights", name) or draft.front_line("weights") or 1
    try:
        return weights_from(written)
    except WeightError as error:
        path = ("weights", error.dimension) if error.dimension else ("weights",)
        draft.say(draft.front_line(*path), str(error))
        return None


def _heading_weights(draft: Draft, dimensions: Mapping[str, list[Section]]) -> Mapping[str, Decimal] | None:
    """Weights from the headings of the dimensions, or from a line `Weight: 0.40` under each."""
    written: dict[str, object] = {}
    unclear = False
    leading = {name: before_name(sections[0].heading) for name, sections in dimensions.items()}
    counted = are_ordinals(leading.values())
    for name, sections in dimensions.items():
        heading = sections[0]
        draft.weight_lines["headings", name] = heading.line
        try:
            weight = heading_weight(after_name(heading.heading))
            before = None if counted else leading_weight(leading[name])
            if weight is not None and before is not None and weight != before:
                raise Unclear(f"{before} and {weight} may both be its weight")
            weight = weight if weight is not None else before
        except Unclear as error:
            draft.say(heading.line, f'"{heading.heading}": {error}; write it like (Weight: 40%), or without the number')
            weight, unclear = None, True
        lines = [
            (piece, piece.line + offset, line)
            for piece in (*heading.paragraphs, *heading.items)
            for offset, line in enumerate(piece.lines or (piece.whole,))
        ]
        for piece, number, line in lines:
            value = line_weight(line)
            if value is None:
                continue
            piece.read = True
            if weight is not None and value != weight:
                draft.say(
                    piece.line,
                    f'"{line.strip()}" states a weight, and the heading of {name} above it states {weight}; keep one',
                )
            if weight is None:
                weight, draft.weight_lines["headings", name] = value, number
        if weight is not None:
            written[name] = weight
    if not written or unclear or len(dimensions) < len(DIMENSIONS):
        return None
    first = dimensions[next(iter(written))][0].line
    try:
        return weights_from(written)
    except WeightError as error:
        at = dimensions[error.dimension][0].line if error.dimension else first
        draft.say(at, f"in the headings: {error}")
        return None


def _outside(draft: Draft, dimensions: Mapping[str, list[Section]]) -> list[Section]:
    inside = {id(section) for sections in dimensions.values() for section in sections}
    return [section for section in draft.sections if id(section) not in inside]


def _list_weights(draft: Draft, dimensions: Mapping[str, list[Section]]) -> Mapping[str, Decimal] | None:
    """Weights from bullets or lines outside the dimensions: `Correctness: 40%`."""
    written: dict[str, str] = {}
    lines: dict[str, int] = {}
    for section in _outside(draft, dimensions):
        for piece in (*section.items, *section.paragraphs):
            for offset, line in enumerate(piece.lines or (piece.whole,)):
                entry = entry_weight(line)
                if entry is None:
                    continue
                name, value = entry
                if written.setdefault(name, value) != value:
                    draft.say(piece.line + offset, f"{name} has two weights, {written[name]} and {value}; keep one")
                lines.setdefault(name, piece.line + offset)
                draft.weight_lines["list", name] = lines[name]
                piece.read = True
    if not written:
        return None
    try:
        return weights_from(written)
    except WeightError as error:
        draft.say(lines.get(error.dimension or "", next(iter(lines.values()))), f"in the list of weights: {error}")
        return None


def _table_weights(draft: Draft, dimensions: Mapping[str, list[Section]]) -> Mapping[str, Decimal] | None:
    """Weights from a separate table of dimensions and weights."""
    rows: dict[str, tuple[Piece, str]] = {}
    for section in _outside(draft, dimensions):
        for row in section.rows:
            cells = [plain(cell) for cell in row.cells]
            names = [cell.lower() for cell in cells if cell.lower() in DIMENSIONS]
            if len(names) != 1 or _SCORES.search(" ".join(row.header[1:])):
                continue
            weight = _weight_cell(draft, row, cells)
            if weight is not None:
                row.read = True
                rows[names[0]] = row, weight
                draft.weight_lines["table", names[0]] = row.line
    if not rows:
        return None
    try:
        return weights_from({name: weight for name, (_, weight) in rows.items()})
    except WeightError as error:
        row, _ = rows.get(error.dimension or "", next(iter(rows.values())))
        draft.say(row.line, f"in the table: {error}")
        return None


_SCORES = re.compile(r"^(?:example|sample|score|rating)\b", re.IGNORECASE)


def _weight_cell(draft: Draft, row: Piece, cells: list[str]) -> str | None:
    """The cell in the column headed "weight", else the one cell that can be a weight."""
    named = [place for place, title in enumerate(row.header) if re.search(WORD, title, re.IGNORECASE)]
    if len(named) == 1 and named[0] < len(cells):
        return value_of(cells[named[0]]) or cells[named[0]]
    values = [
        value for place, cell in enumerate(cells) if _counts(row, place) and (value := value_of(cell)) is not None
    ]
    if len(values) > 1:
        draft.say(row.line, f'cannot tell which is the weight in "{row.whole}"; head its column with "Weight"')
    return values[0] if len(values) == 1 else None


def _counts(row: Piece, place: int) -> bool:
    """Whether a column may hold weights: not one of running numbers."""
    title = row.header[place].strip() if place < len(row.header) else ""
    return title.lower() not in ("#", "no", "no.", "nr", "nr.", "number")


def _file_weights(draft: Draft, beside: Located | None) -> Mapping[str, Decimal] | None:
    if beside is None:
        return None
    try:
        if not isinstance(beside.value, dict):
            raise WeightError("weights must be an object that names the seven dimensions")
        return weights_from(beside.value)
    except WeightError as error:
        path = (error.dimension,) if error.dimension else ()
        draft.problems.append(beside.place(Problem(str(error), path=path)))
        return None
