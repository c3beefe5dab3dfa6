"""The check `vague-steps`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.checks.task.next_steps import CHECKS
from evenhand.core.values.submission import Submission

(CHECK,) = CHECKS
TASK = "How do I move the database to the new server?"

VAGUE = (
    "Moving a database is an important decision. Many teams find that a good strategy and the right mindset are the "
    "key to success. There are several aspects of such a move, and each of them deserves attention. In the end the "
    "best approach depends on the needs of the organisation and on its goals, which differ from case to case."
)


def seen(output: str, task: str | None = TASK) -> list[Finding]:
    return list(CHECK.run(Subject(Submission(output=output, task=task))))


@pytest.mark.parametrize(
    "output",
    [
        VAGUE,
        "# How to move it\n\n## Step 1\n\n" + VAGUE,
        VAGUE + "\n\n- Strategy\n- Mindset\n- Goals",
        VAGUE + "\n\nNext steps, edge cases and trade-offs are all part of the picture.",
    ],
)
def test_words_without_anything_to_do_are_a_clear_fault(output):
    """The fault is major; headings, lists of nouns and the word "step" change nothing."""
    (finding,) = seen(output)
    assert (finding.dimension, finding.severity) == ("actionability", "major")


@pytest.mark.parametrize(
    "task", ["Give me step-by-step instructions.", "Write a runbook.", "Explain how to bake bread."]
)
def test_a_task_can_ask_for_steps_in_many_ways(task):
    """A question, or a thing made of steps."""
    (finding,) = seen(VAGUE, task)
    assert finding.severity == "major"


@pytest.mark.parametrize(
    "output",
    [
        "It is easy.\n\n```bash\npg_dump shop | psql -h new shop\n```",
        "1. Stop the application for a while.\n2. Copy the files over.\n3. Start it again.",
        "- **Backup**: take a snapshot of it.\n- **Restore**: load the snapshot on the new server.",
        "First, stop the application. Then copy the files to the new server. Finally, start it again there.",
        "You can dump it with `pg_dump`. You should test the copy before you use it. Check the logs afterwards.",
        "1. The old server is stopped.\n2. The files are copied over.\n3. The new one is started.",
        "| step | what |\n|---|---|\n| 1 | Stop the application |\n| 2 | Copy the files |",
    ],
)
def test_commands_instructions_and_lists_of_steps_are_in_order(output):
    """However they are laid out."""
    (finding,) = seen(output + "\n\n" + VAGUE)
    assert finding.severity is None


@pytest.mark.parametrize(
    ("output", "task"),
    [
        (VAGUE, "Why do teams move databases?"),
        (VAGUE, "How does replication work?"),
        (VAGUE, None),
        ("Ask your host.", TASK),
        ("Die Verlagerung einer Datenbank ist eine wichtige Entscheidung. " * 10, TASK),
        ("", TASK),
    ],
)
def test_other_questions_short_answers_and_other_languages_are_left_alone(output, task):
    """Nobody asked for steps, or nobody can tell."""
    assert not seen(output, task)


@pytest.mark.parametrize(
    "task",
    [
        "The parser crashes on empty files.\n\n### How to Reproduce\n\nRun it on an empty file.",
        "Read CONTRIBUTING, which says how to contribute, and fix the crash.",
    ],
)
def test_a_bug_report_does_not_ask_for_steps(task):
    """Its headings and pointers are about something else."""
    assert not seen(VAGUE, task)
