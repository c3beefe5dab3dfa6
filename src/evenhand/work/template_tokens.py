"""Special tokens of chat formats inside a judged text. Pure, linear.

A server's tokenizer may take one of these for a change of speaker, wherever it occurs. One character of each is
replaced by another that looks alike, so that places in the text stay the same and quotes can be traced back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NAMED: Final = (
    "s|bos|eos|pad|unk|sop|eop|eoh|eoa|mask|gmask|sep|cls|start_of_turn|end_of_turn|start_of_image|end_of_image"
    "|turn|image_soft_token|tool_call|tool_response|tools|think|thinking|fim_prefix|fim_suffix|fim_middle"
    "|beginning_of_sentence|end_of_sentence|end_of_text|reserved_\\d+|unused\\d+|extra_id_\\d+|special_\\d+|0x[0-9a-f]{2}"
    "|seed:\\w+|human|bot|assistant|system|user"
)
_BRACKETED: Final = (
    "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|MODEL_SETTINGS|THINK|ARGS|CALL_ID|PREFIX"
    "|SUFFIX|MIDDLE|IMG|gMASK|sMASK|MASK|SEP|CLS|PAD|UNK|control_\\d+"
)
_TOKEN = re.compile(
    rf"<(?=[|\uff5c][^<>\n|\uff5c]{{1,60}}[|\uff5c]>|/?(?:{_NAMED})>|</?SYS>>)"
    rf"|\[(?=/?(?:{_BRACKETED})\]|\|[\w/ ]{{1,40}}\|\])",
    re.I,
)
_TURN = re.compile(r"(?<=\n\n)(?:Human|Assistant)(?P<mark>:)(?=[ \n])")
INSTEAD: Final = {"<": "\u2039", "[": "\u2045", ":": "\u2236"}
"""None of these becomes the other again under any Unicode normalisation."""


def template_tokens(text: str) -> Iterator[tuple[int, int]]:
    """The places of the characters that make a token of what follows."""
    if "<" in text or "[" in text:
        yield from (match.span() for match in _TOKEN.finditer(text))
    if "\n\nHuman:" in text or "\n\nAssistant:" in text:
        yield from (match.span("mark") for match in _TURN.finditer(text))


def without_tokens(text: str) -> tuple[str, int]:
    """A text of the same length in which no token is one any more, and how many there were."""
    places = sorted(start for start, _ in template_tokens(text))
    if not places:
        return text, 0
    signs = list(text)
    for place in places:
        signs[place] = INSTEAD[signs[place]]
    return "".join(signs), len(places)
