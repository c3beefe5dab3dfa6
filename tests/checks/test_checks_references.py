"""The check `dangling-reference`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.checks.text.references import CHECKS
from evenhand.core.values.submission import Event, Place, Submission, ToolCall
from test_checks_commands import in_place

(CHECK,) = CHECKS


def seen(output: str, task: str | None = None, events: tuple[Event, ...] = ()) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output, task=task, events=events))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


SECTIONS = "# Guide\n\n## 1. Install\n\nRun it.\n\n## 2. Use\n\n"


@pytest.mark.parametrize(
    ("output", "severity", "quote"),
    [
        ("# Guide\n\nSee [setup](#setting-up).\n\n## Use\n\nText.", "minor", "#setting-up"),
        ("# Guía\n\nVéase [la instalación](#instalación).\n\n## Uso\n\nTexto.", "minor", "#instalación"),
        ("It is so.[^1] And so.[^2]\n\n[^1]: A book.", "minor", "[^2]"),
        (SECTIONS + "For details see Section 4.", "minor", "see Section 4"),
        ("# A\n\nSee the **Backups** section below.\n\n# B\n\nText.", "minor", "See the **Backups** section below"),
        ("Call the function `parse_rows` above for each file.", "major", "function `parse_rows` above"),
        ("The `Retry` class shown below does it:\n\n```python\nx = 1\n```", "major", "`Retry` class shown below"),
        ("The table below compares both. One is fast, the other is small.", "minor", "The table below"),
    ],
)
def test_a_reference_that_leads_nowhere_is_seen(output, severity, quote):
    """A small fault for a link or a section, a clear one for code that is not there."""
    (finding,) = seen(output)
    assert (finding.dimension, finding.severity, finding.quote) == ("correctness", severity, quote)


@pytest.mark.parametrize(
    "output",
    [
        "# Guide\n\nSee [setup](#setting-up-the-tool).\n\n## Setting up: the `tool`\n\nText.",
        "# Guide\n\n[Back](#guide) and [up](#top).",
        "# Guía\n\nVéase [la instalación](#instalación).\n\n## Instalación\n\nTexto.",
        "See [it](#custom).\n\n<a id='custom'></a>\n\nText.",
        "It is so.[^note]\n\n[^note]: A longer text.",
        SECTIONS + "For details see Section 2.",
        "# A\n\nSee the **Backups** section below.\n\n# Backups and restores\n\nText.",
        "Call the function `parse_rows` above.\n\n```python\ndef parse_rows(): return []\n```",
        "The table below compares both.\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    ],
)
def test_references_that_lead_somewhere_are_in_order(output):
    """They are followed, and move nothing."""
    (finding,) = seen(output)
    assert finding.severity is None


@pytest.mark.parametrize(
    ("output", "task"),
    [
        ("See [the docs](https://example.org/#setup) and [a file](docs/setup.md).", None),
        ("The pattern `[^1]` matches anything but a one.", None),
        ("```\n[^1] and [x](#nowhere)\n```", None),
        (SECTIONS + "See Section 4 of the RFC.", None),
        ("See Section 4.", None),
        ("The function `parse_rows` above is slow.", "Why is `parse_rows` slow?"),
        ("The `main` branch above all needs care.", None),
        ("Put the table below the chart.", "Where does the table go?"),
    ],
)
def test_what_points_elsewhere_is_left_alone(output, task):
    """The web, other documents, the task, patterns and code."""
    assert not [finding for finding in seen(output, task) if finding.severity]


def work(result: str) -> tuple[Event, ...]:
    call = ToolCall("Read", {"file_path": "/app/src/db.py"}, "1", result)
    return (Event("tool_call", "assistant", "", Place("run.jsonl", 2), call),)


def test_a_link_to_a_file_that_nothing_speaks_of_is_a_clear_fault():
    """Neither the task nor a call nor a result names it."""
    (finding,) = seen("I changed [cache.py](src/cache.py#L12).", "Fix db.py.", work("import os"))
    assert (finding.severity, finding.quote) == ("major", "src/cache.py#L12")


@pytest.mark.parametrize("output", ["See [db.py](src/db.py:12).", "See [util.py](src/util.py).", "See [m](setup.md)."])
def test_a_link_to_a_file_of_the_transcript_is_in_order(output):
    """A call, a result or the task names it."""
    (finding,) = seen(output, "Fix what setup.md says.", work("from util.py"))
    assert finding.severity is None


def test_one_habit_is_reported_three_times_at_most():
    """Five dead links cost as much as three."""
    output = "# A\n\n" + " ".join(f"[x](#nowhere-{n})" for n in "abcde")
    assert [finding.severity for finding in seen(output)] == ["minor"] * 3
