"""What a run's judges are doing at the moment, for a line of progress. It affects nothing else."""

from __future__ import annotations

from evenhand.in_words import counted

NAMED = 3
"""Questions named in the line; the others are counted."""


class Activity:
    """The questions asked so far in a run, and how many are done with."""

    def __init__(self) -> None:
        self.started = 0
        self.done = 0
        self.output_tokens = 0
        """In the replies so far."""
        self._open: dict[str, int] = {}
        """How many questions of each name are not done."""

    def begin(self, name: str) -> None:
        """A question is asked."""
        self.started += 1
        self._open[name] = self._open.get(name, 0) + 1

    def end(self, name: str) -> None:
        """It is done with, answered or not."""
        self.done += 1
        self._open[name] -= 1

    def line(self, tokens_under_way: int = 0) -> str:
        """In words: how many questions are done, which are not, and how many tokens the replies have."""
        tokens = self.output_tokens + tokens_under_way
        written = f", {counted(tokens, 'token')} written" if tokens else ""
        return f"{self.done} of {self.started} questions done{self._waiting()}{written}"

    def _waiting(self) -> str:
        names = [name for name, count in list(self._open.items()) if count]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return f", waiting for {', '.join(names[:NAMED])}{more}" if names else ""
