"""What a provider has replied so far, and whether it is worth asking again. Shared by all who ask it."""

from __future__ import annotations

from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.ladders import refuses_this_text

MAY_BE_THE_TEXT = (400, 403, 422)
"""Statuses of a refusal that may be about one text, or about all of them."""

MOST_REFUSED = 20
"""After this many refusals with one of these statuses, and no reply, all texts seem to be refused."""


class Contact:
    """The contact with one provider."""

    def __init__(self, *, answered: bool) -> None:
        self._answered = self.any_reply = answered
        self.failure = ""
        """Why the most recent call failed, as long as there is no reply at all, new or stored."""
        self._refused = 0

    def replied(self, *, now: bool) -> None:
        """Note a reply: to a call made now, or a stored one."""
        self._answered = self._answered or now
        self.any_reply = True
        self.failure = ""

    def failed(self, failure: CallFailed) -> bool:
        """Note a failure; whether the judge cannot be asked at all, which one refused text does not show."""
        if not self.any_reply:
            self.failure = str(failure)
        if self._answered or failure.kind not in ("rejected", "unreachable") or refuses_this_text(failure):
            return False
        if getattr(failure, "status", 0) in MAY_BE_THE_TEXT:
            self._refused += 1
            return self._refused >= MOST_REFUSED
        return True
