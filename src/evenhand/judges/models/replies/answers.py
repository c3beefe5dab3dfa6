"""A model's answer to a question, read from the JSON object in its reply. Pure.

A score is a number from 1 to 10, whole or with decimals; text that is only such a number is accepted too. It must lie
in the band stated with it. True, null, lists and anything off the scale are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from math import ceil, floor
from typing import Any, Final, Literal, NamedTuple

from evenhand.core.numbers import exact, score
from evenhand.core.rubric import Answer as CriterionVerdict
from evenhand.core.rubric import Rubric
from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.reply_schema import MOST_QUOTES
from evenhand.judges.models.replies.json_objects import JsonObject, Number, Twice, number_span

_LONGEST_TEXT: Final = 2000
MOST_PASSAGES: Final = 20
"""Passages read of those that speak to a grader."""
_SCORE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*(?:(?:/|out of)\s*10)?\s*")
_BAND = re.compile(
    r"(?<![\d.])(\d{1,2})\s*(?:(?:-|\u2013|\u2014|~|\u2026|\.\.\.?|to|bis|a|à|до|至|到)\s*(\d{1,2}))?(?![\d.])"
)
_UNWRITABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\ud800-\\udfff]")

Kind = Literal["empty", "truncated", "refused", "contradictory", "off-scale", "malformed", "echoed"]


class Unreadable(NamedTuple):
    """A reply, or a part of it, that cannot be used."""

    reason: str
    """What is wrong with it, as a clause that can follow a colon. Sent to the model when a repair is requested, so new
    wording is a new prompt."""
    kind: Kind


class DimensionAnswer(NamedTuple):
    """A judge's answer about one dimension."""

    score: Decimal
    """As stated, with two decimals."""
    quotes: tuple[str, ...] = ()
    justification: str = ""
    band: str = ""
    """As stated, such as "7-8"; empty when none was."""
    span: tuple[int, int] | None = None
    """Where the score's digits are in the reply, to look up their probabilities; None if not written as a number."""


class ClaimAnswer(NamedTuple):
    """A judge's answer about one red flag or bonus."""

    kind: Literal["red_flag", "bonus"]
    id: str
    present: bool
    quotes: tuple[str, ...] = ()
    explanation: str = ""


class Unlisted(NamedTuple):
    """Something a judge noticed that the rubric does not list: kept, never counted (R7)."""

    observation: str
    quotes: tuple[str, ...] = ()


class Preference(NamedTuple):
    """A judge's answer about two works, by the order in which they were shown."""

    verdict: Literal["first", "second", "tie"]
    first_quotes: tuple[str, ...] = ()
    second_quotes: tuple[str, ...] = ()
    justification: str = ""


class CriterionAnswer(NamedTuple):
    """A judge's answer to one criterion."""

    answer: CriterionVerdict
    quotes: tuple[str, ...] = ()
    explanation: str = ""
    absent: bool = False
    """Whether it rests on something that the work does not contain, so that nothing can be quoted."""


class Answer(NamedTuple):
    """A judge's answer to one question."""

    dimensions: Mapping[str, DimensionAnswer] = {}
    claims: tuple[ClaimAnswer, ...] = ()
    """One per id that was answered, present or not."""
    unlisted: tuple[Unlisted, ...] = ()
    addressed: tuple[str, ...] = ()
    """Passages that speak to whoever grades the work, as the judge quotes them."""
    unread: Mapping[str, Unreadable] = {}
    """The parts of a longer answer that cannot be used: a dimension, a claim as `red_flag ID` or `bonus ID`, or a
    criterion's id."""
    preference: Preference | None = None
    """The answer about a pair; None to every other question."""
    criteria: Mapping[str, CriterionAnswer] = {}
    """The answers to criteria, by id."""


def read_answer(text: str, json_object: JsonObject, rubric: Rubric, question: Question) -> Answer | Unreadable:
    """The answer in a JSON object of a reply. `text` is the reply, or empty if score positions are not needed."""
    if _contradictory(json_object.value):
        return Unreadable("a key appears twice", "contradictory")
    if question.kind == "pair":
        preference = _preference(json_object.value)
        return preference if isinstance(preference, Unreadable) else Answer(preference=preference)
    if question.kind == "criteria":
        return _criteria(json_object.value, question)
    scored: dict[str, DimensionAnswer] = {}
    unread: dict[str, Unreadable] = {}
    if len(question.dimensions) == 1 and "score" in json_object.value:
        (name,) = question.dimensions
        answer = _dimension_answer(text, json_object, json_object.value)
        return answer if isinstance(answer, Unreadable) else Answer({name: answer})
    entries = _scores(json_object.value, question)
    for name in question.dimensions:
        _sort(name, _dimension_answer(text, json_object, entries.get(name)), scored, unread)
    claims: tuple[ClaimAnswer, ...] = ()
    unlisted: tuple[Unlisted, ...] = ()
    addressed: tuple[str, ...] = ()
    if question.kind != "scores":
        claims, unlisted = _claims(json_object.value, rubric, unread)
        addressed = _passages(json_object.value.get("addressed"))
    if unread and not scored and not claims:
        return next(iter(unread.values()))
    return Answer(scored, claims, unlisted, addressed, unread)


def _scores(value: Mapping[str, Any], question: Question) -> Mapping[str, Any]:
    """The entries of dimensions, by name; also where no list holds them."""
    for key in SCORES:
        if key in value:
            return _entries(value[key])
    return value


SCORES: Final = ("scores", "dimensions")
"""What the list of scores is called; a model may say what it lists."""


def _passages(value: Any) -> tuple[str, ...]:
    """Quoted passages; an entry with a quote in it is accepted too."""
    passages = []
    for item in [value] if isinstance(value, str) else value if isinstance(value, list) else []:
        text = next((each for each in item.values() if isinstance(each, str)), "") if isinstance(item, dict) else item
        if isinstance(text, str) and text.strip():
            passages.append(text)
    return tuple(passages[:MOST_PASSAGES])


_SAME_ANSWER: Final[Mapping[str, CriterionVerdict]] = {
    "partially": "partly", "not applicable": "does not apply", "n/a": "does not apply", "can't tell": "cannot tell",
    "cannot be told": "cannot tell", "unknown": "cannot tell",
}  # fmt: skip


def _criteria(value: Mapping[str, Any], question: Question) -> Answer | Unreadable:
    """The answers to one criterion or several; what is wrong with some of them does not cost the others."""
    alone = len(question.criteria) == 1
    entries = _entries(value.get("criteria"))
    answers: dict[str, CriterionAnswer] = {}
    unread: dict[str, Unreadable] = {}
    for criterion in question.criteria:
        flat = alone and "criteria" not in value
        answer = _criterion(value if flat else entries.get(criterion.id), criterion.answers)
        if isinstance(answer, Unreadable):
            unread[criterion.id] = answer._replace(reason=f"{criterion.id}: {answer.reason}")
        else:
            answers[criterion.id] = answer
    return Answer(criteria=answers, unread=unread) if answers else next(iter(unread.values()))


def _criterion(value: Any, allowed: Sequence[CriterionVerdict]) -> CriterionAnswer | Unreadable:
    if _contradictory(value):
        return Unreadable("a key appears twice", "contradictory")
    written = value.get("answer") if isinstance(value, dict) else None
    text = {True: "yes", False: "no"}.get(written, "") if isinstance(written, bool) else _text(written).casefold()
    answer = _SAME_ANSWER.get(text.rstrip("."), text.rstrip("."))
    if answer not in allowed:
        return Unreadable(f"the answer is not one of {', '.join(allowed)}", "malformed")
    (verdict,) = (word for word in allowed if word == answer)
    return CriterionAnswer(
        verdict, _quotes(value.get("quotes")), _text(value.get("explanation")), value.get("absent") is True
    )


_VERDICTS: Final[Mapping[str, Literal["first", "second", "tie"]]] = {
    **dict.fromkeys(("first", "1", "a", "the first", "the first work", "first work"), "first"),
    **dict.fromkeys(("second", "2", "b", "the second", "the second work", "second work"), "second"),
    "tie": "tie",
}  # fmt: skip


def _preference(value: Mapping[str, Any]) -> Preference | Unreadable:
    written = value.get("verdict")
    text = written.text if isinstance(written, Number) else written if isinstance(written, str) else ""
    verdict = _VERDICTS.get(text.strip().casefold())
    if verdict is None:
        return Unreadable("the verdict is not first, second or tie", "malformed")
    return Preference(
        verdict,
        _quotes(value.get("first_quotes")),
        _quotes(value.get("second_quotes")),
        _text(value.get("justification")),
    )


def _sort(
    name: str, answer: DimensionAnswer | Unreadable, scored: dict[str, DimensionAnswer], unread: dict[str, Unreadable]
) -> None:
    if isinstance(answer, Unreadable):
        unread[name] = answer._replace(reason=f"{name}: {answer.reason}")
    else:
        scored[name] = answer


def _dimension_answer(text: str, json_object: JsonObject, value: Any) -> DimensionAnswer | Unreadable:
    """The answer about one dimension in a JSON value."""
    if _contradictory(value):
        return Unreadable("a key appears twice", "contradictory")
    if not isinstance(value, dict) or "score" not in value:
        return Unreadable("there is no score", "malformed")
    number = _score(value["score"])
    if isinstance(number, Unreadable):
        return number
    band = _band(value.get("band"))
    if not in_band(number, band):
        return outside(number, band)
    written = value["score"]
    return DimensionAnswer(
        score=number,
        quotes=_quotes(value.get("quotes")),
        justification=_text(value.get("justification")),
        band=band,
        span=number_span(text, json_object, written) if text and isinstance(written, Number) else None,
    )


def _contradictory(value: Any) -> bool:
    """Whether a value, or one inside it, is given twice with different contents."""
    return type(value) is Twice or (type(value) is dict and Twice in map(type, value.values()))


def _score(value: Any) -> Decimal | Unreadable:
    if isinstance(value, str):
        match = _SCORE.fullmatch(value)
        value = match[1] if match else None
    elif isinstance(value, Number):
        value = value.text
    else:
        value = None
    return Unreadable("the score is not a number", "malformed") if value is None else _on_scale(value)


@lru_cache(maxsize=256)
def _on_scale(written: str) -> Decimal | Unreadable:
    try:
        return score(exact(written))
    except ValueError:
        return Unreadable("the score is not from 1 to 10", "off-scale")


def _band(value: Any) -> str:
    """A band as text; also one given as a number, a list of its ends, or an object with them."""
    if isinstance(value, dict):
        value = [value.get("low", value.get("min")), value.get("high", value.get("max"))]
    if isinstance(value, list):
        ends = [end.text for end in value if isinstance(end, Number)]
        return "-".join(ends) if len(ends) == len(value) == 2 else ""
    return value.text if isinstance(value, Number) else _text(value)


@lru_cache(maxsize=256)
def in_band(number: Decimal, band: str) -> bool:
    """Whether a score lies in its band; a score between two bands fits either."""
    ends = band_ends(band)
    return ends is None or any(ends[0] <= whole <= ends[1] for whole in (floor(number), ceil(number)))


def outside(number: Decimal, band: str) -> Unreadable:
    """A score that contradicts its band."""
    return Unreadable(f"the score {number.normalize():f} is not in the band {band[:20]}", "contradictory")


def band_ends(band: str) -> tuple[int, int] | None:
    """The lowest and highest score of a band such as "7-8" or "7 to 8 (good)"; None when the text is not one band."""
    matches = [(int(match[1]), int(match[2] or match[1])) for match in _BAND.finditer(band)]
    return matches[0] if len(matches) == 1 else None


def _claims(
    value: Mapping[str, Any], rubric: Rubric, unread: dict[str, Unreadable]
) -> tuple[tuple[ClaimAnswer, ...], tuple[Unlisted, ...]]:
    """The red flags and bonuses in an object; any that the rubric does not list are unlisted.

    A list holds those that are present. An object may hold every one, each with `present`.
    """
    claims: list[ClaimAnswer] = []
    unlisted = _unlisted(value.get("unlisted"))
    kinds: tuple[tuple[Literal["red_flag", "bonus"], str, list[str]], ...] = (
        ("red_flag", "red_flags", [flag.id for flag in rubric.red_flags]),
        ("bonus", "bonuses", [bonus.id for bonus in rubric.bonuses]),
    )
    for kind, key, ids in kinds:
        if ids and key not in value:
            unread[key] = Unreadable(f"{key} is missing from the reply", "malformed")
            continue
        listed = isinstance(value.get(key), list)
        entries = _entries(value.get(key))
        for id_ in ids:
            claim = _claim(kind, id_, entries.get(id_, _ABSENT if listed else None), listed=listed)
            if isinstance(claim, Unreadable):
                unread[f"{kind} {id_}"] = claim
            else:
                claims.append(claim)
        for id_ in entries.keys() - set(ids):
            extra = _claim(kind, id_, entries[id_], listed=listed)
            if isinstance(extra, ClaimAnswer) and extra.present:
                unlisted.append(Unlisted(f"{_text(id_)[:80]}: {extra.explanation}", extra.quotes))
    return tuple(claims), tuple(unlisted)


_ABSENT: Final = {"present": False}


def _claim(kind: Literal["red_flag", "bonus"], id_: str, value: Any, *, listed: bool) -> ClaimAnswer | Unreadable:
    if _contradictory(value):
        return Unreadable(f"{id_} is answered twice", "contradictory")
    present = value.get("present", True if listed else None) if isinstance(value, dict) else None
    if not isinstance(present, bool):
        return Unreadable(f"{id_} is not answered with present true or false", "malformed")
    return ClaimAnswer(kind, id_, present, _quotes(value.get("quotes")), _text(value.get("explanation")))


def _entries(value: Any) -> dict[str, Any]:
    """Entries by name; a list of entries with an id or name is accepted too."""
    if isinstance(value, dict):
        return value
    entries: dict[str, Any] = {}
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):  # the bare id of a point that is present
            item = {"id": item}
        name = (item.get("id") or item.get("name") or item.get("dimension")) if isinstance(item, dict) else None
        if isinstance(name, str):
            entries[name] = Twice((entries[name], item)) if name in entries else item
    return entries


def _unlisted(value: Any) -> list[Unlisted]:
    unlisted = []
    for item in value[:MOST_QUOTES] if isinstance(value, list) else ():
        if isinstance(item, dict):
            unlisted.append(Unlisted(_text(item.get("observation")), _quotes(item.get("quotes"))))
        elif isinstance(item, str):
            unlisted.append(Unlisted(_text(item)))
    return [entry for entry in unlisted if entry.observation]


def _quotes(value: Any) -> tuple[str, ...]:
    """The first few quotes; overlong ones prove nothing and are dropped."""
    if not value:
        return ()
    quotes = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    texts = [quote for quote in quotes if isinstance(quote, str) and quote.strip() and len(quote) <= _LONGEST_TEXT]
    return tuple([_writable(quote) for quote in texts[:MOST_QUOTES]])


def _text(value: Any) -> str:
    return _writable(value)[:_LONGEST_TEXT].strip() if value and isinstance(value, str) else ""


def _writable(text: str) -> str:
    """A text without characters that files cannot hold. Most have none, which `isprintable` shows quickly."""
    return text if text.isprintable() else _UNWRITABLE.sub("\ufffd", text)
