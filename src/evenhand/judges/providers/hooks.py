"""What a run wants to hear from its providers during a call: further attempts, and delays a user should know about."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


def _allow() -> None:
    """No limit."""


def _ignore(text: str) -> None:
    """Nobody is listening."""


class Hooks(NamedTuple):
    """Called by providers; without a run, neither does anything."""

    before_retry: Callable[[], None] = _allow
    """Before every attempt of a call but the first. Raises `Stopped` when no further one may be made."""
    notice: Callable[[str], None] = _ignore
    """Gets a sentence for the user: why a call takes long, or what is asked differently from now on."""
