"""Errors of the model's own service, which say nothing about a tool or about the agent's work. Pure."""

from __future__ import annotations

import re
from typing import Final

from evenhand.lazy_pattern import late_pattern

_LONGEST: Final = 5000
"""Characters of an error message; a longer text may only mention one."""

_OF_THE_MODEL = late_pattern(
    r"\blitellm\b|\b(?:openai|anthropic|google\.genai|mistralai)\.\w*(?:Error|Exception)|\boverloaded(?:_error)?\b"
    r"|\bAPI Error: (?:4|5)\d\d\b|\bAPI Error\b.{0,80}\b(?:connection|timed? ?out|overload)"
    r"|\b(?:AgentGenerationError|error in generating model output|context_length_exceeded|maximum context length"
    r"|insufficient_quota|prompt is too long|rate_limit_error|model_not_found|content_policy_violation)\b",
    re.I,
)


def is_model_error(text: str) -> bool:
    """Whether an error message comes from the model's service rather than from a tool."""
    return len(text) <= _LONGEST and _OF_THE_MODEL.search(text) is not None
