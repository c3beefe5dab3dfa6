"""Whether a model accepts pictures: as the settings say, else by the family its name belongs to. Pure."""

from __future__ import annotations

import re

_SEES = re.compile(
    r"claude-(?!2|instant|v?1)|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-turbo|gpt-4-vision|gpt-[5-9]|chatgpt-4o|o1(?!-mini|-preview)"
    r"|o3(?!-mini)|o4|gemini-|gemma-?3(?!n?[-:](?:270m|1b))|pixtral|mistral-(?:small-3|medium-3|large-3)|llava|llama-?4"
    r"|llama-?3\.2-(?:11b|90b)|grok-(?:2-vision|4)|internvl|minicpm-v|moondream|phi-(?:3\.5-vision|4-multimodal)"
)
_ANYWHERE = re.compile(r"(?:^|[-_.:/])(?:vl|vision|omni|multimodal)(?:$|[-_.:\d])|\dvl\b")
"""Parts of a name that say so in any family."""
_BLIND = re.compile(r"audio|realtime|search-api|transcribe|tts|embedding")


def sees(model: str) -> bool:
    """Whether a model is known to accept pictures."""
    name = model.lower().rpartition("/")[2]
    return not _BLIND.search(name) and (_SEES.match(name) is not None or _ANYWHERE.search(name) is not None)


def known_sight(model: str, setting: bool | None) -> bool | None:
    """Whether a model accepts pictures, as the settings or its name say; None when neither does."""
    if setting is not None:
        return setting
    return True if sees(model) else None


def no_pictures(model: str, provider: str, setting: bool | None) -> str:
    """Why pictures are not passed to a model, as a clause; empty when they are."""
    if setting is None:
        how = f"to pass them, set images = true under [judges.{provider}] in evenhand.toml"
        return "" if sees(model) else f"the model is not known to accept images; {how}"
    return "" if setting else f"images = false under [judges.{provider}] in evenhand.toml"
