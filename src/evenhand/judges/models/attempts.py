"""One question to a model: its attempts, first, with more room, as a repair; and what came of them. Pure."""

from __future__ import annotations

from typing import NamedTuple

from evenhand.core.judgement import Calls
from evenhand.judges.models.replies.answers import Answer, Unreadable
from evenhand.providers.exchange import Reply


class Lacking(NamedTuple):
    """What of an answer cannot be used."""

    problem: str = ""
    """What is wrong with the reply, as a clause; empty when all of it can be used."""
    dimensions: tuple[str, ...] = ()
    """The dimensions that have to be asked about again; empty where it is everything."""


class Turn(NamedTuple):
    """The state of one question between attempts."""

    number: int = 0
    nonce: str = ""
    cut: bool = False
    """Whether an empty or truncated reply was requested again."""
    rejected: str | None = None
    """The unusable reply, when this turn is a repair request."""
    problem: str = ""
    """What was wrong with it."""
    dimensions: tuple[str, ...] = ()
    """The only ones that this turn asks about; empty when it asks about all of them."""

    def following(self, nonce: str, reply: Reply, answer: Answer | Unreadable, lacks: Lacking) -> Turn | None:
        """The next turn; None when there is none: no question is paid for more than twice."""
        if self.number:
            return None
        if isinstance(answer, Unreadable) and answer.kind in ("empty", "truncated"):
            return self._replace(number=1, nonce=nonce, cut=True)
        return Turn(1, nonce, rejected=reply.text, problem=lacks.problem, dimensions=lacks.dimensions)


class QuestionResult(NamedTuple):
    """The outcome of one question."""

    answers: tuple[tuple[Answer, Reply], ...]
    """The readable answers, latest first: after a repair there may be two, and each dimension uses the first that it
    can."""
    problem: str
    """Why there is no answer, or what is still wrong with it; empty when nothing is."""
    calls: Calls
    nonce: str = ""
    """The nonce of the conversation; empty when there was no reply."""
    unread: bool = False
    """Whether the model was asked now, and none of its replies could be read."""
    timed_out: bool = False
    """Whether it was asked now and gave no reply in the time it had."""
