"""Ollama on this machine, which has OpenAI's API."""

from __future__ import annotations

from evenhand.providers.known import HOSTED, KnownProvider
from evenhand.providers.limits import Timeouts


def _is_free(model: str) -> bool:
    """Whether a model runs here: its cloud models do not."""
    return not model.endswith("cloud")


PROVIDER = KnownProvider(
    "ollama",
    "a model in Ollama on this machine",
    place=6,
    settings=("base_url", *HOSTED),
    address="http://localhost:11434/v1",
    takes_key=False,
    window=4096,  # its default context length; it truncates longer prompts silently
    concurrency=4,
    timeouts=Timeouts(first_byte=600.0, total=900.0),  # a model may take minutes to load before its first byte
    batches=False,
    is_free=_is_free,
    auto="",
)
