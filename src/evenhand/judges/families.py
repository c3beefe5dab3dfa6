"""Which family a model belongs to: a judge tends to favour output from its own family."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_FAMILIES = {
    "gpt": r"gpt|chatgpt|o[1-9](?:-|$)|davinci|codex",
    "claude": r"claude",
    "gemini": r"gemini|gemma|palm",
    "llama": r"llama|vicuna|alpaca",
    "mistral": r"mistral|mixtral|codestral|ministral|magistral|pixtral|devstral",
    "qwen": r"qwen|qwq",
    "deepseek": r"deepseek",
    "grok": r"grok",
    "command": r"command-|c4ai|aya-",
    "phi": r"phi-?\d",
    "nova": r"nova-(?:micro|lite|pro|premier)",
    "granite": r"granite",
    "glm": r"glm|chatglm",
    "kimi": r"kimi|moonshot",
    "yi": r"yi-\d",
    "falcon": r"falcon",
    "smollm": r"smollm",
}


@lru_cache(maxsize=256)
def family(model: str) -> str | None:
    """The family of a model, by its name; None when the name does not show it."""
    for known, pattern in _FAMILIES.items():
        if re.search(rf"(?:^|[^a-z])(?:{pattern})", model.lower()):
            return known
    return None


def relatives(judge: str, authors: Iterable[str]) -> str | None:
    """The first author of the output that is from the judge's family."""
    judge_family = family(judge)
    return next((author for author in authors if judge_family is not None and family(author) == judge_family), None)
