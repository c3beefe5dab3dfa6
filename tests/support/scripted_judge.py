"""A judge that follows the instructions: reads what it was asked, and replies in the asked form with a real quote.

It stands behind the fake server in tests and benchmarks of everything but judging itself.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from fake_server import Asked, Step, chat

_WORK = re.compile(r"<<<submission (\w+)\n(.*?)\nsubmission \1>>>", re.S)
_QUALITY = re.compile(r"^Judge this quality only: (\w+)", re.M)
_QUALITIES = re.compile(r"^(\w+): .*\n(?=\d+-\d+: )", re.M)
_POINT = re.compile(r"^- ([\w-]+): ", re.M)


class Prompt(NamedTuple):
    """What a request asks."""

    nonce: str
    work: str
    """Without the nonce in our notes: by chance, its digits can look like an order in some code."""
    dimensions: tuple[str, ...]
    red_flags: tuple[str, ...]
    bonuses: tuple[str, ...]
    economy: bool


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
    if "Others have reported faults" in question:
        return Prompt(fenced[1], work, (), tuple(_POINT.findall(question)), (), economy=False)
    one = _QUALITY.search(question)
    economy = '"dimensions":' in question
    return Prompt(
        nonce=fenced[1],
        work=work,
        dimensions=(one[1],) if one else tuple(_QUALITIES.findall(rubric)) if economy else (),
        red_flags=tuple(_POINT.findall(flags)),
        bonuses=tuple(_POINT.findall(bonuses)),
        economy=economy,
    )


def scored(score: int, quotes: list[str], *, says: str = "It does what was asked.") -> dict[str, Any]:
    """What is said of one dimension."""
    low = {10: 9, 9: 9, 8: 7, 7: 7, 6: 5, 5: 5, 4: 3, 3: 3}.get(score, 1)
    return {
        "quotes": quotes,
        "observations": [{"statement": "The task is addressed", "holds": True}],
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
    said: dict[str, Any] = {"reply_to": prompt.nonce}
    if prompt.economy:
        said["dimensions"] = {name: scored(score, quotes) for name in prompt.dimensions}
    elif prompt.dimensions:
        said |= scored(score, quotes)
    if prompt.economy or not prompt.dimensions:
        for key, ids in (("red_flags", prompt.red_flags), ("bonuses", prompt.bonuses)):
            said[key] = {
                id: {"quotes": quotes if id in present else [], "explanation": "Seen.", "present": id in present}
                for id in ids
            }
        said["unlisted"] = []
    return json.dumps(said)


def answer(asked: Asked, *, score: int = 8, present: tuple[str, ...] = ()) -> Step:
    """What the fake server answers."""
    return chat(reply_text(read_prompt(asked.body), score=score, present=present))
