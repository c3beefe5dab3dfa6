"""A judge that follows the instructions: reads what it was asked, and replies in the asked form with a real quote.

It stands behind the fake server in tests and benchmarks of everything but judging itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fake_server import Asked, Step, chat

_WORK = re.compile(r"<<<submission (\w+)\n(.*?)\nsubmission \1>>>", re.S)
_QUALITIES = re.compile(r"^(?:Judge|Then judge) each of these qualities on its own.*?: (.*)$", re.M)
_AGAIN = re.compile(r"this time only (.*?), and reply with one JSON object")
_POINT = re.compile(r"^- ([\w-]+): ", re.M)


class Prompt(NamedTuple):
    """What a request asks."""

    nonce: str
    work: str
    """Without the nonce in our notes: by chance, its digits can look like an order in some code."""
    dimensions: tuple[str, ...]
    """Those to score."""
    red_flags: tuple[str, ...]
    bonuses: tuple[str, ...]
    flags: bool
    """Whether it asks about red flags, bonuses and words to a grader."""
    masked: bool = False
    """Whether passages of the work are masked."""


def text_of(content: str | list[dict[str, Any]]) -> str:
    """The text of a turn, without its pictures."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def read_prompt(body: dict[str, Any]) -> Prompt:
    """The question in a chat request."""
    text = text_of(next(message["content"] for message in body["messages"] if message["role"] == "user"))
    fenced = _WORK.search(text)
    assert fenced is not None, "the request shows no work"
    head, question = text[: fenced.start()].partition("\nThe task that the work was made for")[0], text[fenced.end() :]
    rubric = head if head.startswith("Kind of work: ") else question
    flags, _, bonuses = rubric.partition("\nbonuses (rare merits):\n")
    work = fenced[2].replace(fenced[1], "")
    again = _AGAIN.search(text_of(body["messages"][-1]["content"]))
    if "Others have reported faults" in question:
        return Prompt(fenced[1], work, (), tuple(_POINT.findall(question)), (), flags=True)
    named = again or _QUALITIES.search(question)
    return Prompt(
        nonce=fenced[1],
        work=work,
        dimensions=tuple(named[1].split(", ")) if named and named[1] else (),
        red_flags=tuple(_POINT.findall(flags)),
        bonuses=tuple(_POINT.findall(bonuses)),
        flags='"addressed":' in question and again is None,
        masked="In this reading some words" in question,
    )


def in_form(
    prompt: Prompt,
    scores: Mapping[str, dict[str, Any]],
    claims: Mapping[str, dict[str, Any]] | None = None,
    addressed: Sequence[str] = (),
) -> dict[str, Any]:
    """A reply in the form that is asked for, whatever is asked: `scores` by dimension, `claims` that are present."""
    said: dict[str, Any] = {"reply_to": prompt.nonce}
    if prompt.flags:
        said["addressed"] = list(addressed)
        for key, ids in (("red_flags", prompt.red_flags), ("bonuses", prompt.bonuses)):
            said[key] = [{"id": id, **(claims or {})[id]} for id in ids if id in (claims or {})]
        said["unlisted"] = []
    if prompt.dimensions:
        said["scores"] = [{"dimension": name, **scores[name]} for name in prompt.dimensions]
    return said


def scored(score: int, quotes: list[str], *, says: str = "It does what was asked.") -> dict[str, Any]:
    """What is said of one dimension."""
    low = {10: 9, 9: 9, 8: 7, 7: 7, 6: 5, 5: 5, 4: 3, 3: 3}.get(score, 1)
    return {
        "quotes": quotes,
        "justification": says,
        "band": f"{low}-{low + 1}",
        "score": score,
    }


def quote_of(work: str) -> str:
    """A line of the work that is long enough to show something; not one of the legend of tool names, which is ours."""
    lines = [line.strip() for line in work.splitlines() if not line.startswith("  tool ")]
    return next((line[:200] for line in lines if len(line) >= 20), work.strip()[:200])


def reply_text(prompt: Prompt, *, score: int = 8, present: tuple[str, ...] = ()) -> str:
    """A reply in the asked form."""
    quotes = [quote_of(prompt.work)]
    claims = {id: {"quotes": quotes, "explanation": "Seen."} for id in present}
    return json.dumps(in_form(prompt, {name: scored(score, quotes) for name in prompt.dimensions}, claims))


def answer(asked: Asked, *, score: int = 8, present: tuple[str, ...] = ()) -> Step:
    """What the fake server answers."""
    return chat(reply_text(read_prompt(asked.body), score=score, present=present))
