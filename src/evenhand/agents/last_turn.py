"""The faults in an agent's last turn: as the list and the gate find them, as far as they concern it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.core.finding import Finding, Place
from evenhand.findings.facts.requests import FEEDBACK
from evenhand.findings.finding import Check, sound
from evenhand.findings.registry import built_in
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, Submission

BLOCKING: Final = ("contradicted-claim", "claim-without-calls", "forbidden-change")
"""A claim that an event contradicts, one of a run that called nothing, a forbidden file changed."""
SHOWN: Final = (*BLOCKING, "secret-exposed", "obeyed-result", "unsupported-claim", "unmentioned-failure")
"""The checks whose findings are worth a message while the agent works; the others are for those who look back."""


def faults(submission: Submission) -> list[Finding]:
    """The faults of the last turn, each once. Earlier turns count as evidence only."""
    last = submission.events[turn_start(submission.events) :]
    places = {(place.file, place.line) for event in last for place in _places(event)}
    findings: dict[tuple[str, str], Finding] = {}
    for task in _tasks(submission) or (None,):
        subject = Subject(submission._replace(task=task))
        for check in _checks():
            for finding in sound(check, check.run(subject)):
                in_last_turn = finding.place is None or (finding.place.file, finding.place.line) in places
                if finding.severity is not None and in_last_turn:
                    findings.setdefault((finding.check, finding.quote), finding)
    return list(findings.values())


def needs_everything(submission: Submission, findings: list[Finding]) -> bool:
    """Whether faults found in a session without some earlier lines may differ from those in the whole of it.

    The result of a call that only looked can show that a thing was done after all, or that a test file is old.
    """
    from evenhand.findings.task.forbidden_changes import rules

    return bool(findings) or any(
        rule.paths == ("TESTS",)
        for task in _tasks(submission)
        for rule in rules(Subject(submission._replace(task=task)))
    )


def faults_without_the_rest(submission: Submission) -> list[Finding]:
    """The faults that nothing before the last turn could excuse.

    What a sub-agent did may be missing here, so a turn with one is left alone.
    """
    if any(event.call is not None and event.call.name in ("Task", "Agent") for event in submission.events):
        return []
    return [fault for fault in faults(submission) if fault.check in ("contradicted-claim", "forbidden-change")]


def turn_start(events: tuple[Event, ...]) -> int:
    """The event that the last turn begins with: the last prompt of the user, or the first event."""
    return next((place for place in reversed(range(len(events))) if _is_prompt(events[place])), 0)


def _tasks(submission: Submission) -> tuple[str, ...]:
    """What the session and its last turn began with."""
    last = submission.events[turn_start(submission.events) :]
    prompt = last[0].text if last and _is_prompt(last[0]) else None
    return tuple(dict.fromkeys(task for task in (submission.task, prompt) if task))


def _is_prompt(event: Event) -> bool:
    typed = event.kind == "message" and event.role == "user" and not event.agent
    return typed and not event.text.lstrip().startswith(FEEDBACK)


def _places(event: Event) -> Iterator[Place]:
    yield event.place
    if event.call is not None and event.call.result_place is not None:
        yield event.call.result_place


def _checks() -> Iterator[Check]:
    return (check for check in built_in() if check.id in SHOWN)
