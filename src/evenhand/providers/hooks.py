"""What a run wants to hear from its providers during a call: further attempts, and delays a user should know about."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


def _nothing(*_: str) -> None:
    """Without a run there is no limit, nobody to tell and nothing to stop."""


class Hooks(NamedTuple):
    """Called by providers; without a run, none does anything."""

    before_retry: Callable[[], None] = _nothing
    """Before every attempt of a call but the first. Raises `Stopped` when no further one may be made."""
    notice: Callable[[str], None] = _nothing
    """Gets a sentence for the user: why a call takes long, or what is asked differently from now on."""
    stop: Callable[[str], None] = _nothing
    """Ends the run, because nothing further can be asked or collected."""
