"""Read a model's reply: the answer, or the reason why it cannot be used. Pure; never raises, however odd the reply.

The first complete JSON object that answers the question counts, outside thoughts and outside any echo of the fenced
text. An object with the question's nonce wins; one with another nonce, or one copied from the submission, is rejected.
An object with slips is read where that cannot change a value, and so is one inside one or two others, such as the
arguments of a call. Without an object, a line `Score: N` answers a question about one dimension. The score must lie in
the band stated with it, and another score after the object contradicts it. A missing score is never filled in: not with
zero, not with the middle of the scale, not with a number from the submission.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evenhand.core.rubric import Rubric
from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.judges.models.replies.answers import (
    SCORES,
    Answer,
    ClaimAnswer,
    DimensionAnswer,
    Unlisted,
    Unreadable,
    read_answer,
)
from evenhand.judges.models.replies.json_objects import JsonObject, find_loose, find_objects
from evenhand.judges.models.replies.score_lines import NO_OBJECT, contradicted, read_score_lines
from evenhand.providers.exchange import Reply

__all__ = ["Answer", "ClaimAnswer", "DimensionAnswer", "Unlisted", "Unreadable", "read_reply"]

LONGEST: Final = 1_000_000
"""Characters of the longest reply that is read."""

_WRAPPERS: Final = 4
"""Objects around an answer that are looked into: a call, its function, its arguments."""

_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.I)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>|<\|channel\|>final<\|message\|>", re.I)
_KEYS: Final = {
    "scores": (*SCORES, "score"), "flags": ("addressed", "red_flags", "bonuses"), "all": SCORES, "pair": ("verdict",),
    "criteria": ("answer", "criteria"), "reports": ("red_flags",),
}  # fmt: skip
_SCORE_KEY = re.compile(r"[\"'“”„‟«»\u2018\u2019](?:scores?|verdict)\\*[\"'“”„‟«»\u2018\u2019]\s*[:\uff1a]", re.I)
_ESCAPES = re.compile(r"\\(?:[\"\\/]|n|t)")


def read_reply(reply: Reply, rubric: Rubric, question: Question, nonce: str, shown: Shown) -> Answer | Unreadable:
    """A model's answer to one question, or why the reply cannot be used."""
    unusable = _unusable(reply)
    if unusable is not None:
        return unusable
    text = _visible(reply.text, nonce)
    if not text.strip():
        return Unreadable("the reply only echoes the question or unfinished thoughts", "truncated")
    strict = find_objects(text)
    readings = [(text, strict)]
    if not any(_has_nonce(found.value, nonce) for found in strict.objects):
        # Only where plain JSON does not hold the answer: what a model meant by a slip is worth less than what it wrote.
        readings += [(spelling, find_loose(spelling)) for spelling in _spellings(text)]
        # A slip in the answer leaves its inner objects, which are no answers. What has the code is the answer.
        readings.sort(key=lambda reading: not any(_has_nonce(found.value, nonce) for found in reading[1].objects))
    for spelling, search in readings:
        if search.given_up:
            return Unreadable("the reply begins too many JSON objects to be read", "malformed")
        objects = [unwrapped(found, question) for found in search.objects]
        candidates = _candidates(objects, question, nonce, shown, spelling)
        if isinstance(candidates, Unreadable):
            return candidates
        if not candidates:
            continue
        written = reply.text if reply.tokens and search is strict else ""  # positions, needed for probabilities only
        answer = _one_answer([read_answer(written, candidate, rubric, question) for candidate in candidates])
        if isinstance(answer, Answer) and contradicted(answer, spelling[candidates[-1].stop :], shown):
            return Unreadable("its text after the JSON object states something else", "contradictory")
        return answer
    if reply.finish == "length" or any(search.unfinished for _, search in readings):
        return Unreadable("the reply ends before its JSON object does", "truncated")
    if _SCORE_KEY.search(text):
        return Unreadable(NO_OBJECT, "malformed")
    return read_score_lines(text[_end_of_thoughts(text) :], rubric, question, shown)


def _spellings(text: str) -> Iterator[str]:
    """The text, then as it reads with one level of JSON escapes undone: models write objects as a text inside JSON."""
    yield text
    if '\\"' in text:
        yield _ESCAPES.sub(lambda escape: {"n": "\n", "t": "\t"}.get(escape[0][1], escape[0][1]), text)


def _unusable(reply: Reply) -> Unreadable | None:
    if reply.finish == "refused":
        return Unreadable("the model refused to answer", "refused")
    if not reply.text.strip():
        if reply.finish == "length":
            return Unreadable("the model used up its tokens before it answered", "truncated")
        return Unreadable(reply.instead or "the reply is empty", "empty")
    if len(reply.text) > LONGEST:
        return Unreadable(f"the reply is longer than {LONGEST:,} characters", "malformed")
    return None


def _visible(text: str, nonce: str) -> str:
    """The text with thoughts and echoes of the fenced text blanked out; positions do not change."""
    end = len(text)
    if opened := _THOUGHT.match(text):
        closed = _THOUGHT_ENDS.search(text, opened.end())
        text = _blank(text, 0, closed.end() if closed else end)
    for name in ("submission", "task", "reference", "first", "second"):
        start = text.find(f"<<<{name} {nonce}")
        while start >= 0:
            closing = f"{name} {nonce}>>>"
            stop = text.find(closing, start)
            text = _blank(text, start, end if stop < 0 else stop + len(closing))
            start = text.find(f"<<<{name} {nonce}", start)
    return text


def _end_of_thoughts(text: str) -> int:
    return max((match.end() for match in _THOUGHT_ENDS.finditer(text)), default=0)


def _blank(text: str, start: int, stop: int) -> str:
    return text[:start] + " " * (stop - start) + text[stop:]


def unwrapped(found: JsonObject, question: Question) -> JsonObject:
    """The object that is meant: of one that only wraps another, such as a tool call, what it wraps.

    What is inside must hold a code, which is then checked, and there must be only one such object.
    """
    value: Any = found.value
    for _ in range(_WRAPPERS):
        if _answers(value, question):
            break
        code = value.get("reply_to")
        inside = [each for each in map(_object_in, value.values()) if each is not None]
        if len(inside) != 1:
            break
        (value,) = inside
        if code is not None:
            value = {"reply_to": code, **value}
    answers = _answers(value, question)
    return found._replace(value=value) if answers and "reply_to" in value else found


def _answers(value: Mapping[str, Any], question: Question) -> bool:
    """Whether an object has a key that the question asks for."""
    return any(key in value for key in (*_KEYS[question.kind], *question.dimensions))


def _object_in(value: Any) -> dict[str, Any] | None:
    """An object, or the one that a text or a list holds and nothing else."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        objects = find_objects(value).objects or find_loose(value).objects
        alone = len(objects) == 1 and not (value[: objects[0].start] + value[objects[0].stop :]).strip()
        return objects[0].value if alone else None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def _candidates(
    objects: Sequence[JsonObject], question: Question, nonce: str, shown: Shown, text: str
) -> list[JsonObject] | Unreadable:
    """The objects that may be the answer; the reason if every one of them is ruled out."""
    thoughts = max((match.start() for match in _THOUGHT_ENDS.finditer(text)), default=-1)
    inside = any(candidate.start < thoughts < candidate.stop for candidate in objects)
    answers = [
        candidate
        for candidate in objects
        if ("reply_to" in candidate.value or _answers(candidate.value, question))
        and (inside or candidate.start > thoughts)
    ]
    matching = [candidate for candidate in answers if _has_nonce(candidate.value, nonce)]
    if matching or not answers:
        return matching
    if any("reply_to" in candidate.value for candidate in answers):
        return Unreadable("its reply_to is not the code of this question", "echoed")
    if (
        question.criteria
        or _SCORE_KEY.search(shown.text)
        or any(shown.contains(text[candidate.start : candidate.stop]) for candidate in answers)
    ):
        return Unreadable(
            "it lacks reply_to, without which it cannot be told from an answer that the work contains", "echoed"
        )
    return answers


def _has_nonce(value: Mapping[str, object], nonce: str) -> bool:
    reply_to = value.get("reply_to")
    return isinstance(reply_to, str) and reply_to.strip() == nonce


def _one_answer(answers: list[Answer | Unreadable]) -> Answer | Unreadable:
    """The answer, if all candidates agree."""
    if len(answers) > 1 and len({_verdict(answer) for answer in answers}) > 1:
        return Unreadable("it gives several answers that differ", "contradictory")
    return answers[0]


class _Verdict(NamedTuple):
    scores: tuple[tuple[str, str], ...]
    present: tuple[tuple[str, str, bool], ...]
    preferred: str
    criteria: tuple[tuple[str, str], ...]


def _verdict(answer: Answer | Unreadable) -> _Verdict | str:
    if isinstance(answer, Unreadable):
        return answer.kind
    return _Verdict(
        tuple((name, str(part.score)) for name, part in answer.dimensions.items()),
        tuple((claim.kind, claim.id, claim.present) for claim in answer.claims),
        "" if answer.preference is None else answer.preference.verdict,
        tuple((id, part.answer) for id, part in answer.criteria.items()),
    )
