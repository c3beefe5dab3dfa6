"""How long a server is waited for, and how much it is asked for at once and in all."""

from __future__ import annotations

from typing import NamedTuple


class Timeouts(NamedTuple):
    """Seconds. A reply that is not streamed sends its first byte when the model has finished, so that one is long."""

    connect: float = 10.0
    """To look the host up, connect and agree on encryption."""
    first_byte: float = 120.0
    """For the reply to begin, and between any two parts of it."""
    total: float = 300.0
    """For an attempt as a whole, however busy the line is."""


class Limits(NamedTuple):
    """How much a provider is asked for at once and in all."""

    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    tries: int = 5
    """Attempts of a call that fail before it is given up; those the server only put off (429) are not counted."""
    timeout_tries: int = 2
    """The same where an attempt ran out of time: it may well have been paid for."""
    patience: float = 600.0
    """Seconds from a call's first attempt after which no other is begun."""
    largest: int = 8 * 1024 * 1024
    """The most bytes of a reply that are read."""
