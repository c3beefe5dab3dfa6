"""Connections on which nothing happens are closed, so that they cannot use up what the process may have open.

A connection that has not sent a whole request within `FIRST` seconds is closed, and so is one that has been silent, or
has sent half of a request, for `LATER` seconds after an answer. One that is waiting for its answer is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from evenhand import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST: Final = 10.0
LATER: Final = 75.0
"""Longer than the server keeps an idle connection by itself."""

PAUSE: Final = 2.0
"""Seconds between two looks."""


class _State:
    """What a connection is doing."""

    def __init__(self, since: float) -> None:
        self.since = since
        """When it was opened, or was answered last."""
        self.patience = FIRST
        self.requests = 0
        """Requests that are being answered."""


class Connections:
    """Every open connection of a server."""

    def __init__(self) -> None:
        self._states: dict[Any, _State] = {}
        """By protocol; those of closed connections are dropped at the next look."""

    def watched(self, make: Callable[[], Any]) -> Callable[[], Any]:
        """What makes the protocol of a new connection, noting when."""

        def made() -> Any:
            protocol = make()
            self._states[protocol] = _State(clock.elapsed())
            return protocol

        return made

    @contextmanager
    def answering(self, protocol: Any) -> Iterator[None]:
        """While a request of a connection is answered."""
        state = self._states.get(protocol)
        if state is None:  # a server that does not watch its connections
            yield
            return
        state.requests += 1
        try:
            yield
        finally:
            state.requests -= 1
            state.since, state.patience = clock.elapsed(), LATER

    def close_silent(self, now: float) -> int:
        """Close the connections that have been silent for too long; returns how many."""
        closed = 0
        for protocol, state in list(self._states.items()):
            transport = protocol.transport
            gone = transport is None and now - state.since > PAUSE  # before that it may not be connected yet
            silent = not state.requests and now - state.since > state.patience
            if gone or silent:
                del self._states[protocol]
            if silent and transport is not None:
                transport.abort()
                closed += 1
        return closed

    async def watch(self) -> None:
        """Look for silent connections until cancelled."""
        while True:
            await asyncio.sleep(PAUSE)
            self.close_silent(clock.elapsed())


def allow_many_files() -> None:
    """Let the process have as many files and connections open as the system lets it."""
    try:
        import resource
    except ImportError:  # not on every system
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 65_536 if most == resource.RLIM_INFINITY else most
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
