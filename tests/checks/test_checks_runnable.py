"""The check `not-runnable`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.code.runnable import CHECKS
from evenhand.checks.facts.wants_code import asks_for_code
from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.core.values.submission import Submission
from test_checks_commands import in_place

(CHECK,) = CHECKS
TASK = "Write a script that uploads the report."


def seen(output: str, task: str | None = TASK) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output, task=task))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


def fence(language: str, code: str) -> str:
    return f"Run this:\n\n```{language}\n{code}\n```\n"


@pytest.mark.parametrize(
    ("language", "code", "place"),
    [
        ("bash", 'curl -H "Authorization: Bearer YOUR_API_KEY" https://api.example.org', "YOUR_API_KEY"),
        ("python", 'client = Client("<your-key>")', "<your-key>"),
        ("python", 'df = read("/path/to/report.csv")', "/path/to/report.csv"),
        ("bash", "scp report.csv your-username@host:/srv", "your-username"),
        ("js", "const bucket = '[your bucket name]'", "[your bucket name]"),
        ("yaml", "password: CHANGEME", "CHANGEME"),
        ("sh", "cd <path to project> && make", "<path to project>"),
    ],
)
def test_a_place_to_fill_in_is_a_small_fault(language, code, place):
    """The fault is minor: only the reader knows what belongs there."""
    (finding,) = seen(fence(language, code))
    assert (finding.dimension, finding.severity, finding.quote) == ("actionability", "minor", place)
    assert finding.message == f"The code cannot run until `{place}` is filled in."


@pytest.mark.parametrize("task", ["Write a script that reads /srv/in/sales.csv.", "Write code to sum up sales.csv."])
def test_a_path_to_fill_in_where_the_task_names_it_is_a_clear_fault(task):
    """The fault is major: the author knew it."""
    (finding,) = seen(fence("python", 'open("/path/to/file.csv")'), task)
    assert finding.severity == "major"


@pytest.mark.parametrize(
    ("output", "task"),
    [
        (fence("python", 'key = os.environ["API_KEY"]'), TASK),
        (fence("bash", "tar czf out.tgz docs/path/total"), TASK),
        (fence("bash", "# replace YOUR_API_KEY first\n./upload.sh"), TASK),
        (fence("bash", "curl -H YOUR_API_KEY x"), "Write a script that calls it with YOUR_API_KEY."),
        (fence("bash", "curl -H YOUR_API_KEY x"), "Explain how bearer tokens work."),
        (fence("bash", "curl -H YOUR_API_KEY x"), "Write a template of a script."),
        (fence("bash", "curl -H YOUR_API_KEY x"), None),
        (fence("html", "<your-element></your-element>"), TASK),
        (fence("", "YOUR_API_KEY"), TASK),
        ("Set `YOUR_API_KEY` first.", TASK),
        (fence("js", "const item = list[replace]"), TASK),
    ],
)
def test_names_comments_the_task_and_talk_are_left_alone(output, task):
    """A place is a place only in code that was asked for to be run."""
    assert not [finding for finding in seen(output, task) if finding.severity]


def test_code_without_a_place_to_fill_in_is_in_order():
    """It is looked at, and moves nothing."""
    (finding,) = seen(fence("bash", "scp report.csv web1:/srv"))
    assert (finding.severity, finding.message) == (None, "Looked at 1 block of code: no placeholders to fill in.")


def test_the_same_place_counts_once_and_three_at_most():
    """Two uses of one key are one thing to fill in."""
    assert len(seen(fence("bash", "a YOUR_KEY\nb YOUR_KEY"))) == 1
    assert len(seen(fence("bash", "a YOUR_KEY YOUR_HOST YOUR_PORT YOUR_NAME YOUR_TOWN"))) == 3


@pytest.mark.parametrize(
    ("task", "asks"),
    [
        ("Write a Python function that adds numbers and explain it.", True),
        ("Implement the parser.", True),
        ("Install nginx and deploy it.", True),
        ("Fix the bug in this function.", True),
        ("Explain how deploys work.", False),
        ("Write a poem about the sea.", False),
        ("Give me a skeleton of the code.", False),
        ("", False),
    ],
)
def test_what_counts_as_asking_for_code(task, asks):
    """Something that runs, not words about it or a bare frame of it."""
    assert asks_for_code(task) is asks
