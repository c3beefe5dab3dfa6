"""How long to wait for a server, and how many requests to send it at once and per minute."""

from __future__ import annotations

from typing import NamedTuple


class Timeouts(NamedTuple):
    """Seconds. Replies are not streamed: the first byte arrives when the model has finished, so that one is long."""

    connect: float = 10.0
    """For the DNS lookup, the connection and the TLS handshake."""
    first_byte: float = 120.0
    """For the reply to begin, and between any two parts of it."""
    total: float = 300.0
    """For a whole attempt, even while data keeps arriving."""


class Limits(NamedTuple):
    """How many requests a provider gets at once, per minute and per call."""

    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    tries: int = 5
    """Failed attempts before a call is given up, not counting those the server deferred (429)."""
    timeout_tries: int = 2
    """Failed attempts that timed out before a call is given up: they may have been billed."""
    patience: float = 600.0
    """Seconds after a call's first attempt beyond which no further attempt starts."""
    not_ready: float = 300.0
    """Seconds to wait for a server that says it is not ready (503), as while it loads its model."""
    largest: int = 8 * 1024 * 1024
    """The most bytes read of a reply."""
