"""The JSON Schema of a reply, for servers that can enforce one. Pure.

Every key is required and no other is allowed, in the order in which a judge should think: quotes, observations,
justification, band, score. Length limits are optional: some servers reject those keywords, and the reader applies the
limits anyway. Local models need them, or a small one may never end a list; the schema then also requires the nonce,
and the score to lie in its band.

Hosted services put the schema in front of the prompt, so another schema is another prompt to their cache. Without
limits it is therefore the same for every submission, and the same for every dimension.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.core.values import Criteria, Rubric
from evenhand.providers.written_schema import WrittenSchema, closed_object
from evenhand.questions.questions import Question

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
    """The shape of the reply to one question.

    `bounded` limits the lengths of lists and texts, fixes the nonce and ties the score to its band, for servers that
    support this. Otherwise the nonce is not in the schema.
    """
    keys: dict[str, Any] = {"reply_to": {"type": "string", "const": nonce} if bounded else {"type": "string"}}
    every_band = tuple(dict.fromkeys(band[:2] for criteria in rubric.dimensions.values() for band in criteria.bands))
    if question.kind == "dimension":
        assert question.dimension is not None
        return _scored(keys, _ends(rubric.dimensions[question.dimension]) if bounded else every_band, bounded)
    if question.kind == "pair":
        verdict = {"type": "string", "enum": ["first", "second", "tie"]}
        quotes = {"first_quotes": _quotes(bounded), "second_quotes": _quotes(bounded)}
        return closed_object({**keys, **quotes, "justification": _text(bounded), "verdict": verdict})
    if question.kind == "criteria":
        single = len(question.criteria) == 1
        entries = {criterion.id: _criterion(criterion.answers, bounded) for criterion in question.criteria}
        return closed_object(keys | (next(iter(entries.values())) if single else {"criteria": _objects(entries)}))
    if question.kind == "all":
        keys["dimensions"] = closed_object(
            {name: _scored({}, _ends(criteria), bounded) for name, criteria in rubric.dimensions.items()}
        )
    return closed_object({**keys, **_claimed(question.about(rubric), bounded)})


def _ends(criteria: Criteria) -> tuple[Ends, ...]:
    return tuple(band[:2] for band in criteria.bands)


def _with_nonce(schema: Mapping[str, Any], nonce: str) -> dict[str, Any]:
    """A copy of the schema with another nonce."""
    if "anyOf" in schema:
        return {"anyOf": [_with_nonce(option, nonce) for option in schema["anyOf"]]}
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


def _scored(first: dict[str, Any], bands: Sequence[Ends], bounded: bool) -> dict[str, Any]:
    observation = closed_object({"statement": _text(bounded, 120), "holds": {"type": "boolean"}})
    keys = {
        **first,
        "quotes": _quotes(bounded),
        "observations": _list(observation, bounded),
        "justification": _text(bounded),
    }
    if bounded:
        return {"anyOf": [closed_object({**keys, **_verdict([band])}) for band in bands]}
    return closed_object({**keys, **_verdict(bands)})


def _verdict(bands: Sequence[Ends]) -> dict[str, Any]:
    scores = sorted({score for low, high in bands for score in range(low, high + 1)})
    return {
        "band": {"type": "string", "enum": [f"{low}-{high}" for low, high in bands]},
        "score": {"type": "integer", "enum": scores},
    }


def _criterion(answers: Sequence[str], bounded: bool) -> dict[str, Any]:
    """The keys of the answer to one criterion: the same for all that may be answered alike."""
    return {
        "quotes": _quotes(bounded),
        "explanation": _text(bounded),
        "absent": {"type": "boolean"},
        "answer": {"type": "string", "enum": list(answers)},
    }


def _objects(entries: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return closed_object({id: closed_object(keys) for id, keys in entries.items()})


def _claimed(rubric: Rubric, bounded: bool) -> dict[str, Any]:
    point = closed_object({"quotes": _quotes(bounded), "explanation": _text(bounded), "present": {"type": "boolean"}})
    keys = {
        key: closed_object({item.id: point for item in points})
        for key, points in (("red_flags", rubric.red_flags), ("bonuses", rubric.bonuses))
        if points
    }
    return {
        **keys,
        "unlisted": _list(closed_object({"quotes": _quotes(bounded), "observation": _text(bounded)}), bounded),
    }


def _list(items: dict[str, Any], bounded: bool) -> dict[str, Any]:
    schema = {"type": "array", "items": items}
    return {**schema, "maxItems": _MOST_BOUNDED} if bounded else schema


def _quotes(bounded: bool) -> dict[str, Any]:
    return _list(_text(bounded), bounded)


def _text(bounded: bool, longest: int = _LONGEST_BOUNDED) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest} if bounded else {"type": "string"}
