"""The JSON Schema of a reply, for servers that can enforce one. Pure.

Hosted services put the schema in front of the prompt, so another schema is another prompt to their cache. All questions
about the works under one rubric therefore have the same one: what is not asked for is an empty list. It sets no limits
of length, which some of them reject; the reader applies them anyway.

A small model on one's own machine may never end a list, so a bounded schema holds just what one question asks for, with
limits; it also requires the nonce, an entry for every dimension, and the score to lie in its band.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.core.rubric import ANSWERS, Rubric
from evenhand.judges.models.questions.questions import Question
from evenhand.providers.exchange import WrittenSchema, closed_object

MOST_QUOTES: Final = 5
"""Quotes read per answer; any more are ignored."""

Ends = tuple[int, int]
"""The lowest and the highest score of a band."""

_ANY_NONCE: Final = "\0nonce\0"
"""Replaces the nonce in a cached schema; nothing else in it can contain a NUL."""
_MOST_BOUNDED: Final = 3
_LONGEST_BOUNDED: Final = 240
"""Limits on what a local model may write: a small one on a CPU produces about forty tokens per second."""


def schema(rubric: Rubric, question: Question, nonce: str, *, bounded: bool = False) -> dict[str, Any]:
    """The shape of the reply to one question; without `bounded` the nonce is not in it."""
    if question.kind == "pair":
        verdict = {"type": "string", "enum": ["first", "second", "tie"]}
        quotes = {"first_quotes": _quotes(bounded), "second_quotes": _quotes(bounded)}
        return closed_object({**_code(nonce, bounded), **quotes, "justification": _text(bounded), "verdict": verdict})
    return _exact(rubric, question, nonce) if bounded else _shared(rubric, question)


def _shared(rubric: Rubric, question: Question) -> dict[str, Any]:
    """The one schema of all questions under a rubric, every answer a list; statements of others have their own."""
    keys = _code("", False)
    answers = tuple(dict.fromkeys(answer for criterion in question.criteria for answer in criterion.answers))
    has_criteria = any(part.tree is not None for part in rubric.dimensions.values())
    if question.kind == "reports" or (answers and not has_criteria):
        about = question.about(rubric)._replace(dimensions={})
        parts = {"criteria": _entries(_criterion(answers, False))} if answers else _points(about, False)
        return closed_object({**keys, **parts})
    every_band = tuple(dict.fromkeys(band[:2] for part in rubric.dimensions.values() for band in part.bands))
    keys |= {"addressed": _list(_text(False), False), **_points(rubric, False), "unlisted": _unlisted(False)}
    if rubric.dimensions:
        keys["scores"] = _entries(_scored(tuple(rubric.dimensions), every_band, False))
    if has_criteria:
        keys["criteria"] = _entries(_criterion(ANSWERS, False))
    return closed_object(keys)


def _exact(rubric: Rubric, question: Question, nonce: str) -> dict[str, Any]:
    """Just what one question asks for, within limits."""
    keys = _code(nonce, True)
    if question.asks_flags:
        keys |= {"addressed": _list(_text(True), True), **_points(rubric, True), "unlisted": _unlisted(True)}
    if question.kind == "reports":
        keys |= _points(question.about(rubric), True)
    if question.criteria:
        entries = {criterion.id: _criterion(criterion.answers, True) for criterion in question.criteria}
        keys["criteria"] = closed_object({id: closed_object(entry) for id, entry in entries.items()})
    if question.dimensions:
        keys["scores"] = closed_object(
            {
                name: {"anyOf": [closed_object(_scored((name,), [ends], True)) for ends in _ends(rubric, name)]}
                for name in question.dimensions
            }
        )
    return closed_object(keys)


def _code(nonce: str, bounded: bool) -> dict[str, Any]:
    return {"reply_to": {"type": "string", "const": nonce} if bounded else {"type": "string"}}


def _ends(rubric: Rubric, name: str) -> tuple[Ends, ...]:
    return tuple(band[:2] for band in rubric.dimensions[name].bands)


def _with_nonce(schema: Mapping[str, Any], nonce: str) -> dict[str, Any]:
    """A copy of the schema with another nonce."""
    return {**schema, "properties": {**schema["properties"], "reply_to": {"type": "string", "const": nonce}}}


class ReplySchema:
    """The schema of the replies to one question, for any nonce. Its JSON is long, so it is cached."""

    def __init__(self, rubric: Rubric, question: Question, *, bounded: bool = False) -> None:
        self._made = schema(rubric, question, _ANY_NONCE, bounded=bounded)
        self._pieces = json.dumps(self._made, ensure_ascii=False).split(json.dumps(_ANY_NONCE))

    def schema(self, nonce: str) -> WrittenSchema:
        """The schema for one nonce."""
        if len(self._pieces) == 1:
            return WrittenSchema(self._made, self._pieces[0])
        return WrittenSchema(_with_nonce(self._made, nonce), json.dumps(nonce).join(self._pieces))


def _scored(names: Sequence[str], bands: Sequence[Ends], bounded: bool) -> dict[str, Any]:
    scores = sorted({score for low, high in bands for score in range(low, high + 1)})
    return {
        "dimension": {"type": "string", "enum": list(names)},
        "quotes": _quotes(bounded),
        "justification": _text(bounded),
        "band": {"type": "string", "enum": [f"{low}-{high}" for low, high in bands]},
        "score": {"type": "integer", "enum": scores},
    }


def _criterion(answers: Sequence[str], bounded: bool) -> dict[str, Any]:
    id = {} if bounded else {"id": {"type": "string"}}  # bounded, it is the key of the entry
    return {
        **id,
        "quotes": _quotes(bounded),
        "explanation": _text(bounded),
        "absent": {"type": "boolean"},
        "answer": {"type": "string", "enum": list(answers)},
    }


def _points(rubric: Rubric, bounded: bool) -> dict[str, Any]:
    """The lists of red flags and bonuses, for those that a rubric has."""
    keys: dict[str, Any] = {}
    for key, points in (("red_flags", rubric.red_flags), ("bonuses", rubric.bonuses)):
        if points:
            id = {"type": "string", "enum": [point.id for point in points]}
            entries = _entries({"id": id, "quotes": _quotes(bounded), "explanation": _text(bounded)})
            keys[key] = {**entries, "maxItems": len(points)} if bounded else entries
    return keys


def _unlisted(bounded: bool) -> dict[str, Any]:
    return _list(closed_object({"observation": _text(bounded), "quotes": _quotes(bounded)}), bounded)


def _entries(keys: dict[str, Any]) -> dict[str, Any]:
    return _list(closed_object(keys), False)


def _list(items: dict[str, Any], bounded: bool) -> dict[str, Any]:
    schema = {"type": "array", "items": items}
    return {**schema, "maxItems": _MOST_BOUNDED} if bounded else schema


def _quotes(bounded: bool) -> dict[str, Any]:
    return _list(_text(bounded), bounded)


def _text(bounded: bool) -> dict[str, Any]:
    return {"type": "string", "maxLength": _LONGEST_BOUNDED} if bounded else {"type": "string"}
