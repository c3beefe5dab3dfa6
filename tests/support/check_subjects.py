"""What the tests of checks share: submissions prepared for a check, and what it holds against them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.core.finding import Place
from evenhand.findings.finding import Check, Finding
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, Submission, ToolCall


def subject(output: str = "Done as asked.", task: str = "", *events: Event) -> Subject:
    """A submission prepared for checks."""
    return Subject(Submission(output=output, task=task, events=events))


def call(name: str, arguments: Any, result: str | None = "ok", *, failed: bool = False, line: int = 1) -> Event:
    """A tool call as a transcript holds it."""
    made = ToolCall(name=name, arguments=arguments, result=result, failed=failed)
    return Event("tool_call", "assistant", "", Place("session.jsonl", line), made)


def ran(command: str, result: str | None = "ok", **more: Any) -> Event:
    """A command that a shell tool ran."""
    return call("Bash", {"command": command}, result, **more)


def said(text: str) -> Event:
    """A message of the user."""
    return Event("message", "user", text, Place("session.jsonl", 1))


def faults(check: Check, looked_at: Subject) -> list[Finding]:
    """What a check holds against a submission."""
    found = [finding for finding in check.run(looked_at) if finding.severity]
    assert all(in_place(finding, looked_at.output) for finding in found)
    return found


def in_place(finding: Finding, output: str) -> bool:
    """Whether a quote from the output is where the finding says; one from a transcript has its place instead."""
    if finding.place is not None or not finding.quote:
        return True
    return finding.offset is not None and output.startswith(finding.quote, finding.offset)


def bound(findings: Iterable[Finding]) -> int:
    """The most that a dimension can get with these findings."""
    most = {"minor": 8, "major": 6, "critical": 4, None: 10}
    return min((most[finding.severity] for finding in findings), default=10)
