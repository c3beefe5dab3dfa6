"""Weights (R6): exactly the seven dimensions, none negative, exactly 1 or exactly 100 % together.

Checked on the decimal text, with no tolerance and no normalising.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from functools import reduce

from evenhand.core.basics.methodology import DEFAULT_WEIGHTS, DIMENSIONS, WEIGHT_DECIMALS
from evenhand.core.basics.names import nearest
from evenhand.core.basics.numbers import exact, shown
from evenhand.errors import Problem
from evenhand.reading.located import Located
from evenhand.rubrics.outline import Section
from evenhand.rubrics.sections import Draft

_NUMBER = r"[-\u2212+]?[0-9]*[.,]?[0-9]+(?![.,]?[0-9])\s*%?"
_WEIGHT = re.compile(
    rf"\bweight\s*(?:[:=]|(?=[-\u2212+.0-9]))\s*(?P<said>{_NUMBER}|[^()\[\]]*)"  # (Weight: 35%), Weight 0.35
    rf"|[(\[]\s*(?P<alone>{_NUMBER})\s*[)\]]"  # (35%), [0.35]
    r"|[:\u2013\u2014-]\s*(?P<last>[0-9.]+\s*%)\s*$",  # Safety: 35%
    re.IGNORECASE,
)
_FINEST = Decimal((0, (1,), 2 - WEIGHT_DECIMALS))
_WIDE = Context(prec=60)  # a caller's own precision must not reach a sum


class WeightError(ValueError):
    """What is wrong with a set of weights; `dimension` is set when it is wrong with one of them."""

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
            numbers[name] = exact(text)
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
    """A weight as people say it: 0.25 as 25%."""
    return f"{shown(_WIDE.multiply(weight, Decimal(100)))}%"


def _as_fractions(numbers: Mapping[str, Decimal], *, percent: bool) -> dict[str, Decimal]:
    total = reduce(_WIDE.add, numbers.values())
    if total == 1 and not percent:
        return dict(numbers)
    if total == 100:
        return {name: _hundredth(number) for name, number in numbers.items()}
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


def _hundredth(number: Decimal) -> Decimal:
    return _WIDE.scaleb(number, -2) if number else Decimal(0)


def _exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)


def _refuse_other_names(written: Mapping[str, object]) -> None:
    for name in written:
        if name not in DIMENSIONS:
            guess = nearest(name, DIMENSIONS)
            hint = f"did you mean {guess}? " if guess else ""
            raise WeightError(f'"{name}" is not a dimension; {hint}valid: {", ".join(DIMENSIONS)}', name)
    missing = [name for name in DIMENSIONS if name not in written]
    if missing:
        raise WeightError(f"no weight for {', '.join(missing)}; give all seven, or none for the defaults")


def weights_of(draft: Draft, found: Mapping[str, list[Section]], beside: Located | None) -> Mapping[str, Decimal]:
    """From front matter, headings, a table or the file beside the rubric; where several speak, they must agree."""
    sources = [
        (f"{draft.source} (front matter)", _front_weights(draft)),
        (f"{draft.source} (headings)", _heading_weights(draft, found)),
        (f"{draft.source} (table)", _table_weights(draft)),
        (beside.source if beside else "", _file_weights(draft, beside)),
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
    try:
        return weights_from(written)
    except WeightError as error:
        path = ("weights", error.dimension) if error.dimension else ("weights",)
        draft.say(draft.front_line(*path), str(error))
        return None


def _heading_weights(draft: Draft, found: Mapping[str, list[Section]]) -> Mapping[str, Decimal] | None:
    written: dict[str, object] = {}
    for name, sections in found.items():
        match = _WEIGHT.search(sections[0].heading)
        if match:
            said = next(text for text in match.groups() if text is not None)
            written[name] = said.replace(" ", "").replace("\u2212", "-")
        for piece in sections[0].paragraphs:
            if piece.label.lower() == "weight" and name not in written:
                written[name] = piece.text.split()[0].rstrip(".,;") if piece.text else ""
    if not written or len(found) < len(DIMENSIONS):
        return None
    first = found[next(iter(written))][0].line
    try:
        return weights_from(written)
    except WeightError as error:
        at = found[error.dimension][0].line if error.dimension else first
        draft.say(at, f"in the headings: {error}")
        return None


def _table_weights(draft: Draft) -> Mapping[str, Decimal] | None:
    """From a table of dimensions and weights that stands by itself."""
    rows = {}
    for section in draft.sections:
        for row in section.rows:
            name = row.cells[0].strip("*_` ").lower()
            if name in DIMENSIONS and len(row.cells) > 1 and _BARE.fullmatch(row.cells[1].strip()):
                rows[name] = row
    if not rows:
        return None
    try:
        return weights_from({name: row.cells[1].strip().replace(" ", "") for name, row in rows.items()})
    except WeightError as error:
        row = rows.get(error.dimension or "", next(iter(rows.values())))
        draft.say(row.line, f"in the table: {error}")
        return None


_BARE = re.compile(r"[0-9.]+\s*%?")


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
