"""The JSON Schema of a reply, for servers that can hold a model to one. Pure.

Every key is required and no other is allowed, in the order in which a judge should think: quotes, observations, words,
band, score. Limits of length stand in it only on request: some servers refuse those keywords, and the reader of
replies applies the limits anyway. Local models need them, or a small one may never end a list; they are then also held
to a score inside the band they name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.core.values.rubric import Band, Criteria, Rubric
from evenhand.judges.model.question.questions import Question
from evenhand.judges.providers.written_schema import WrittenSchema, closed_object

MOST_QUOTES: Final = 5
"""Quotes in one answer; further ones are not read."""

_ANY_NONCE: Final = "\0nonce\0"
"""Stands for the nonce in a schema that is made for all of them; nothing else in it can hold a NUL."""
_MOST_BOUNDED: Final = 3
_LONGEST_BOUNDED: Final = 240
"""What a model that is held to limits may write: a small one on a processor needs a second for every forty tokens."""


def schema(rubric: Rubric, question: Question, nonce: str, *, bounded: bool = False) -> dict[str, Any]:
    """The shape of the reply to one question.

    `bounded` adds limits to the lengths of lists and texts, and holds the score to the band, for servers that can.
    """
    keys: dict[str, Any] = {"reply_to": {"type": "string", "const": nonce}}
    if question.kind == "dimension":
        assert question.dimension is not None
        return _scored(keys, rubric.dimensions[question.dimension], bounded)
    if question.kind == "all":
        keys["dimensions"] = closed_object(
            {name: _scored({}, criteria, bounded) for name, criteria in rubric.dimensions.items()}
        )
    return closed_object({**keys, **_claimed(rubric, bounded)})


def _with_nonce(made: Mapping[str, Any], nonce: str) -> dict[str, Any]:
    """A schema that was made once, for another nonce."""
    if "anyOf" in made:
        return {"anyOf": [_with_nonce(each, nonce) for each in made["anyOf"]]}
    return {**made, "properties": {**made["properties"], "reply_to": {"type": "string", "const": nonce}}}


class AnyNonce:
    """The schema of the replies to one question. It is longer than the question, so its JSON is written once."""

    def __init__(self, rubric: Rubric, question: Question, *, bounded: bool = False) -> None:
        self._made = schema(rubric, question, _ANY_NONCE, bounded=bounded)
        self._pieces = json.dumps(self._made, ensure_ascii=False).split(json.dumps(_ANY_NONCE))

    def schema(self, nonce: str) -> WrittenSchema:
        """The schema for one nonce."""
        return WrittenSchema(_with_nonce(self._made, nonce), json.dumps(nonce).join(self._pieces))


def _scored(first: dict[str, Any], criteria: Criteria, bounded: bool) -> dict[str, Any]:
    observation = closed_object({"statement": _text(bounded, 120), "holds": {"type": "boolean"}})
    keys = {
        **first,
        "quotes": _quotes(bounded),
        "observations": _list(observation, bounded),
        "justification": _text(bounded),
    }
    if bounded:
        return {"anyOf": [closed_object({**keys, **_verdict([band])}) for band in criteria.bands]}
    return closed_object({**keys, **_verdict(criteria.bands)})


def _verdict(bands: Sequence[Band]) -> dict[str, Any]:
    scores = sorted(score for band in bands for score in range(band.low, band.high + 1))
    return {
        "band": {"type": "string", "enum": [f"{band.low}-{band.high}" for band in bands]},
        "score": {"type": "integer", "enum": scores},
    }


def _claimed(rubric: Rubric, bounded: bool) -> dict[str, Any]:
    point = closed_object({"quotes": _quotes(bounded), "explanation": _text(bounded), "present": {"type": "boolean"}})
    keys = {
        key: closed_object({each.id: point for each in points})
        for key, points in (("red_flags", rubric.red_flags), ("bonuses", rubric.bonuses))
        if points
    }
    return {
        **keys,
        "unlisted": _list(closed_object({"quotes": _quotes(bounded), "observation": _text(bounded)}), bounded),
    }


def _list(items: dict[str, Any], bounded: bool) -> dict[str, Any]:
    made = {"type": "array", "items": items}
    return {**made, "maxItems": _MOST_BOUNDED} if bounded else made


def _quotes(bounded: bool) -> dict[str, Any]:
    return _list(_text(bounded), bounded)


def _text(bounded: bool, longest: int = _LONGEST_BOUNDED) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest} if bounded else {"type": "string"}
