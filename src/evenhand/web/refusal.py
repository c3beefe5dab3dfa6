"""Requests that are turned away: with a status, a sentence, and what to do."""

from __future__ import annotations


class Refused(Exception):
    """A request that gets no page."""

    def __init__(
        self,
        status: int,
        what: str,
        advice: str,
        *,
        retry_after: float = 0,
        link: tuple[str, str] | None = None,
        stale_form: bool = False,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.advice = advice
        self.retry_after = retry_after
        self.link = link
        """Where to go on: the words and the address."""
        self.stale_form = stale_form
        """Whether only the token of the form is wrong: what was written can be sent again."""
