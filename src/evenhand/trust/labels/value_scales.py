"""What the values of each field are: how numbers are written, and the scale they are on. Nothing is guessed.

`75%`, `7/10`, `4 of 5 stars` and drawn stars are numbers with the end of their scale. All values of a field must be
written in one way, since `7` beside `3/5` may be either.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from evenhand.core.numbers import is_number
from evenhand.errors import InputError, Problem
from evenhand.files.tables import Table
from evenhand.stats.agreement.label_scales import CATEGORIES, NUMBERS, TEN_SCALE, Scale, default_scale, scale_from
from evenhand.trust.labels.rating import REASON, Entry

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_OUT_OF = re.compile(
    r"(?P<number>[+-]?\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(?P<end>\d+)(?:\s*(?:stars?|points?|pts))?", re.IGNORECASE
)
_PERCENT = re.compile(r"(?P<number>[+-]?\d+(?:\.\d+)?)\s*%")
_STARS = re.compile(r"★*☆*")
_DATE = re.compile(r"\d{1,2}[-. ][A-Za-z]{3,}|[A-Za-z]{3,}[-. ]\d{1,4}")

PERCENT = "%"
LOW_MARKS = 8
"""With this many values of a field that judges score from 1 to 10, all low and whole, the scale must be given."""


def plain_numbers(table: Table, entries: Sequence[Entry]) -> tuple[list[Entry], dict[str, str]]:
    """The entries with plain numbers, and by field what they are out of: `10`, `5`, or `%`.

    InputError lists the values that are not written as the first of their field is.
    """
    first: dict[str, tuple[str, Entry]] = {}
    plain, problems = [], list[Problem]()
    written = {text: _written(text) for text in {entry.text for entry in entries if entry.field != REASON}}
    for entry in entries:
        number, end = entry.text, ""
        if entry.field != REASON:
            number, end = written[entry.text]
            known, before = first.setdefault(entry.field, (end, entry))
            if known != end and (is_number(number) or known):
                what = f'"{entry.text}" and "{before.text}" of line {before.line} are written in two ways'
                problems.append(Problem(f"{what}; make them the same", table.source, entry.line))
        plain.append(entry if number == entry.text else entry._replace(text=number, written=entry.text))
    if problems:
        raise InputError(problems)
    return plain, {field: end for field, (end, _) in first.items() if end}


def _written(text: str) -> tuple[str, str]:
    """A number and what it is out of; other text as it is."""
    found = _OUT_OF.fullmatch(text)
    if found is not None:
        return found["number"], found["end"]
    found = _PERCENT.fullmatch(text)
    if found is not None:
        return found["number"], PERCENT
    if text and _STARS.fullmatch(text):
        return str(text.count("★")), str(len(text))
    return text, ""


def scale_of(table: Table, field: str, entries: Sequence[Entry], out_of: str, given: str | None) -> Scale | None:
    """The scale of a field as given, or as its values say themselves; None where neither tells."""
    if given is not None:
        scale = given_scale(given)
        if out_of and str(scale.high) != _end(out_of):
            raise table.refusal(f"values of {field} are out of {_end(out_of)}, and `scale` says {scale.name}")
        return scale
    if not out_of:
        return None
    if out_of == PERCENT:
        return scale_from("0-100")
    if default_scale(field) is TEN_SCALE:
        if out_of == "10":
            return TEN_SCALE
        raise table.refusal(
            f"{field} is scored from 1 to 10, and these values are out of {out_of}; say where their scale begins, and "
            f"how it becomes 1 to 10: `scale` 1-{out_of} or `scale` 0-{out_of}, with `rule` linear"
        )
    lowest = 0 if int(out_of) > 10 or any(is_number(e.text) and float(e.text) < 1 for e in entries) else 1
    return scale_from(f"{lowest}-{out_of}")


def _end(out_of: str) -> str:
    return "100" if out_of == PERCENT else out_of


def refuse_other_marks(table: Table, field: str, entries: Sequence[Entry]) -> None:
    """Refuse values of a field that judges score from 1 to 10 which are likely on another scale: words, school marks,
    stars. No value tells, and read as points they would be wrong without a word."""
    words = [entry for entry in entries if not any(char.isdigit() for char in entry.text)]
    if words and len(words) == len(entries):
        raise table.refusal(
            f'{field} is scored from 1 to 10, and "{words[0].text}" of line {words[0].line} is a word; say the order '
            'of the words and what each is worth: `scale` "poor<fair<good" `rule` poor=2,fair=5,good=9'
        )
    if len(entries) < LOW_MARKS or not all(entry.text.isdigit() for entry in entries):
        return
    values = {int(entry.text) for entry in entries}
    if len(values) > 1 and max(values) <= 6:
        end = max(5, max(values))
        raise table.refusal(
            f"no {field} is above {end}: if people used 1 to {end}, say `scale` 1-{end} `rule` linear, or `rule` "
            "inverted if 1 is the best; if they used 1 to 10, say `scale` 1-10"
        )


def hint_for(text: str, field: str, given: bool) -> str:
    """What may be meant by a value that is not on its scale; empty where nothing is likely."""
    if _DECIMAL_COMMA.fullmatch(text):
        return "; numbers with a decimal comma need `decimal_comma`=true"
    if _DATE.fullmatch(text):
        return "; it is a date, which spreadsheets make of 7/10: correct it where it was written"
    if is_number(text):
        high = default_scale(field) is TEN_SCALE and not given and 20 < float(text) <= 100
        return "; if people used another scale, say so, as in `scale` 0-100 `rule` linear" if high else ""
    if not any(char.isdigit() for char in text):
        return f"; if it means that there is no value: `missing`={shlex.quote(text)}"
    return "; a cell holds one value: correct it, or leave such rows out with `skip_bad`"


def by_field(options: Sequence[str], fields: Mapping[str, object], what: str) -> dict[str, str]:
    """Options that hold for one field ("final=1-5") or, without a field, for all."""
    named: dict[str, str] = {}
    for text in options:
        field, equals, rest = text.partition("=")
        if equals and field.strip() in fields:
            named[field.strip()] = rest
        elif equals and not is_number(field) and not is_number(rest.partition(",")[0]):
            raise InputError(f'`{what}` "{text}": no values of "{field}" here; fields: {", ".join(fields)}')
        else:
            named.update({name: text for name in fields if name not in named})
    return named


def given_scale(text: str) -> Scale:
    """A scale as a person wrote it."""
    try:
        return scale_from(text)
    except ValueError as error:
        raise InputError(f"`scale`: {error}") from None


def scale_of_values(table: Table, entries: Sequence[Entry]) -> Scale:
    """Numbers if all values are, or else categories.

    Words among numbers are refused: they mean missing values, or numbers are written with a decimal comma.
    """
    wordy = {text for text in {entry.text for entry in entries} if not is_number(text)}
    words = [entry for entry in entries if entry.text in wordy]
    if not words:
        return Scale(NUMBERS)
    if all(_DECIMAL_COMMA.fullmatch(entry.text) for entry in words):
        first = words[0]
        what = f'"{first.text}" is not a number; if it has a decimal comma, use `decimal_comma`=true'
        raise InputError(Problem(what, table.source, first.line))
    if len(words) * 2 < len(entries):
        first = words[0]
        what = f'"{first.text}" by {first.rater} is not a number, as most values of {first.field} are'
        missing = f"`missing`={shlex.quote(first.text)} if it means that there is no value"
        raise InputError(
            Problem(f"{what}; use {missing}, or `scale` categories if it is one", table.source, first.line)
        )
    first_seen: dict[str, Entry] = {}
    for entry in words:
        known = first_seen.setdefault(" ".join(entry.text.split()).casefold(), entry)
        if known.text != entry.text:
            what = f'"{entry.text}" and "{known.text}" of line {known.line} differ in case or white space only'
            advice = 'make them the same, or list the categories, as in `scale` "low<medium<high"'
            raise InputError(Problem(f"{what}; {advice}", table.source, entry.line))
    return Scale(CATEGORIES)
