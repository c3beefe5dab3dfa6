"""An output that admits that the task was not done, and a run that was stopped before its end. Pure.

Saying so is honest: only completeness suffers. Finding nothing where something was looked for, a policy that
forbids it, and a talk with a user who can go on are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Event

ID: Final = "gave-up"
LONGEST: Final = 60
"""Words of an output that may consist of giving up alone; a longer one delivers something."""

_TRIED = (
    r"(?:find|determine|locate|complete|solve|answer|identify|retrieve|finish|resolve|fix|implement|compute|obtain"
    r"|extract|figure out|produce|derive|establish)"
)
_GIVES_UP = late_pattern(
    r"^(?:\W|final answer:?|answer:?|result:?|unfortunately,?|i(?:'m| am) sorry,?(?: but)?|sorry,?(?: but)?"
    r"|after [^,.]{3,60},)*\s*(?:"
    rf"(?:i|we) (?:was|were|am|are) (?:unable|not able) to {_TRIED}\b"
    rf"|(?:i|we) (?:could not|couldn't|cannot|can't|can not|did not manage to|failed to) {_TRIED}\b"
    rf"|(?:unable|not able|failed) to {_TRIED}\b"
    r"|(?:i (?:do not|don't) know|no answer (?:was |could be )?found|none found|not found|unknown|n/?a|none"
    r"|undetermined|(?:it |the answer )?(?:cannot|could not|can't) be (?:determined|found|answered))\W*$)",
    re.I,
)
_AN_ANSWER = late_pattern(
    r"\b(?:any|evidence|no (?:bugs?|issues?|problems?|errors?)|bugs?|issues?|vulnerabilit\w+|duplicates?)\b", re.I
)
_ASKS_BACK = late_pattern(
    r"\?\s*$|\b(?:please|could you|can you) (?:provide|check|confirm|clarify|share|specify|let me know)\b"
    r"|\bwould you like\b",
    re.I,
)
"""A question to the user is not giving up."""
_MAY_BE_NONE = late_pattern(r"\b(?:none|unknown|n/a|not found|if (?:any|there)|whether|not exist|no answer)\b", re.I)
_STOPPED = late_pattern(
    r"\bstopped at the \w* ?limit\b|\b(?:stopped due to|reached|hit|exceeded) (?:the )?(?:max(?:imum)? ?(?:number of )?"
    r"(?:steps|iterations|turns|tokens)|(?:iteration|step|time|message|token|turn|cost) limit)|error_max_turns",
    re.I,
)


@check(
    ID,
    "completeness",
    sees="A short output that says the task could not be done, or a run that ended at a limit of steps or time.",
    severity="Major: it is honest, but the reader has no answer.",
    example="I was unable to determine the year of publication.",
    whole=True,
)
def gave_up(subject: Subject) -> Iterator[Finding]:
    """The words of giving up, or the event that stopped the run."""
    stopped = _last(subject)
    if stopped and stopped.kind == "error" and _STOPPED.search(stopped.text):
        message = "The run hit a limit before the agent had finished."
        yield Finding(
            ID, "completeness", "major", message, stopped.text.strip().partition("\n")[0][:200], stopped.place
        )
        return
    first = subject.output.strip().partition("\n")[0].strip()[:400]
    if (
        len(subject.output.split(maxsplit=LONGEST)) > LONGEST
        or _in_conversation(subject)
        or not first
        or _ASKS_BACK.search(subject.output)
    ):
        return
    if _STOPPED.search(first):
        message = "The output says that the run hit a limit."
    elif _GIVES_UP.search(first) and not _AN_ANSWER.search(first) and not _MAY_BE_NONE.search(subject.task):
        message = "The output itself says that the task was not completed."
    else:
        return
    yield Finding(ID, "completeness", "major", message, first[:200], offset=subject.output.find(first))


def _last(subject: Subject) -> Event | None:
    main_events = (event for event in reversed(subject.events) if not event.agent and event.kind != "reasoning")
    return next(main_events, None)


def _in_conversation(subject: Subject) -> bool:
    """Whether the user replied after the agent, and so may reply again."""
    roles = [event.role for event in subject.events if event.kind == "message" and not event.agent]
    answered = roles.index("assistant") if "assistant" in roles else len(roles)
    return bool(subject.events) and "user" in roles[answered:] and not subject.task.rstrip().endswith("?")


CHECKS = (gave_up,)
