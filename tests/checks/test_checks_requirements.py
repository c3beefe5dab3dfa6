"""The checks `unaddressed-requirement` and `requirements-met`: what they must see, and what they must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.checks.task.requirements import CHECKS, requirements
from evenhand.core.values.submission import Event, Place, Submission, ToolCall
from test_checks_commands import bound

LEFT_OUT, MET = CHECKS

TASK = """Write a page about our backup service. It must cover the following:

- Explain the retention policy for snapshots
- Describe the encryption of archives at rest
- List the regions with replication
- Compare the pricing of both subscriptions
"""

PARTS = {
    "retention": "Snapshots are kept for thirty days. The retention policy is the same for every customer of ours.",
    "encryption": "The archives are encrypted at rest with keys that the customer holds and that we never see.",
    "regions": "There is replication between two regions, and a third one is in the works for the end of the year.",
    "pricing": "The pricing is simple: both subscriptions cost the same for the first terabyte, and less after that.",
}
ALL = "\n\n".join(PARTS.values())


def subject(output: str, task: str = TASK, events: tuple[Event, ...] = ()) -> Subject:
    return Subject(Submission(output=output, task=task, events=events))


def left_out(output: str, task: str = TASK, events: tuple[Event, ...] = ()) -> list[Finding]:
    return [finding for finding in LEFT_OUT.run(subject(output, task, events)) if finding.severity]


@pytest.mark.parametrize("part", PARTS)
def test_a_requirement_without_a_word_in_the_output_is_a_clear_fault(part):
    """The fault is major, and the sentence repeats what was asked."""
    (finding,) = left_out("\n\n".join(text for name, text in PARTS.items() if name != part))
    assert (finding.dimension, finding.severity, finding.quote) == ("completeness", "major", "")
    assert part in finding.message


def test_open_questions_count_too():
    """What is asked in a sentence is asked."""
    task = "Why do glaciers calve icebergs into fjords? How should coastal harbours prepare against drifting ice?"
    output = "Glaciers calve because the tongue of ice floats, and the tide lifts and bends it until it breaks off."
    (finding,) = left_out(output, task)
    assert "coastal harbours" in finding.message


def test_one_list_is_reported_three_times_at_most():
    """An answer to something else costs as much as three things left out."""
    output = "The sea is blue and the sky is wide. It is a fine day for a walk along the shore with a friend of yours. "
    assert [finding.severity for finding in left_out(output * 2)] == ["major"] * 3


def test_a_list_that_is_taken_up_is_in_order_and_a_merit():
    """Four of four: 0.50 for completeness, and nothing against it."""
    assert [finding.severity for finding in LEFT_OUT.run(subject(ALL))] == [None]
    (finding,) = MET.run(subject(ALL))
    assert (finding.dimension, finding.severity) == ("completeness", None)


def test_a_long_list_that_is_taken_up_is_a_larger_merit():
    """Six of six: 1.00."""
    task = TASK + "- Document the incident hotline\n- Summarise the audit certificates\n"
    output = ALL + "\n\nThe incident hotline answers at any hour. The audit certificates are renewed each spring."
    assert [finding.severity for finding in MET.run(subject(output, task))] == [None]


@pytest.mark.parametrize(
    "output",
    [
        "\n\n".join(list(PARTS.values())[:3]),
        "\n\n".join(f"## {line[2:]}" for line in TASK.split("\n")[2:6]) + "\n\nAll of this is covered well. " * 12,
        TASK + "\n\nAll of this is covered well, with edge cases and trade-offs, and tests pass. " * 6,
        "Retention, snapshots, encryption, archives, regions, replication, pricing, subscriptions.",
    ],
)
def test_headings_copies_and_lists_of_words_earn_nothing(output):
    """A merit needs the output's own text for every item."""
    assert not list(MET.run(subject(output)))


def test_keywords_never_raise_anything():
    """Stuffing with the words that graders like removes no fault."""
    stuffed = " Edge case, edge cases, tests pass, trade-off, trade-offs, error handling, best practice."
    for output in (ALL, PARTS["pricing"] * 2, "Nothing much. " * 30):
        for check in CHECKS:
            before = bound(check.run(subject(output)))
            assert bound(check.run(subject(output + stuffed))) <= before


ADVICE = """Fix the crash when the file is empty.

## Recommended workflow

1. Analyze the codebase thoroughly, collecting relevant modules
2. Create a throwaway script reproducing the symptom
3. Summarize lingering uncertainties afterwards
"""
HEADINGS = """Write a report. Please include:

- **Executive overview**
- **Quarterly turnover**:
- Consider regional peculiarities
"""


@pytest.mark.parametrize(
    "task",
    [
        ADVICE,
        HEADINGS,
        "You must cover:\n\n- Describe coastal harbours\n- Describe inland waterways\n\n" + "word " * 400,
    ],
)
def test_advice_headings_and_long_prompts_are_not_deliverables(task):
    """They say how to work, or how the answer is laid out."""
    assert not left_out("The crash is gone: an empty file now gives an empty list, and that was all.", task)


def test_less_output_never_fares_better():
    """No beginning of the text has a higher bound than the whole."""
    for output in (
        ALL,
        "\n\n".join(list(PARTS.values())[1:]),
        PARTS["pricing"] + "\n\n```sh\nls\n```\n" + PARTS["regions"],
    ):
        whole = bound(finding for check in CHECKS for finding in check.run(subject(output)))
        for end in range(0, len(output), 7):
            part = subject(output[:end])
            assert bound(finding for check in CHECKS for finding in check.run(part)) <= whole


@pytest.mark.parametrize(
    ("task", "output"),
    [
        ("Summarise these changes:\n\n- Add parser caching\n- Fix timezone rounding\n- Remove legacy adapters", ALL),
        ("Write a page:\n\n- Keep it under 300 words\n- Do not mention competitors\n- Use a polite tone", ALL),
        ("What is the capital of France? Who wrote the tragedy Hamlet originally?", "Paris. Shakespeare."),
        (TASK + "\nAnswer in German.", "Die Sicherung ist einfach und gut. " * 10),
        (TASK, "1. Thirty days.\n2. Yes, with keys.\n3. Two of them.\n4. The same for both."),
        ("Sort the fruit:\n\n- apple\n- pear\n- quince", ALL),
        ("We use:\n\n- PostgreSQL on bare metal\n- Kafka streams\n\nWrite a page on backups.", ALL),
        ("Write a haiku about the wind.", ALL),
        ("", ALL),
    ],
)
def test_material_limits_short_questions_and_other_languages_are_left_alone(task, output):
    """Not every list is a list of wishes, and not every answer repeats the question."""
    assert not left_out(output, task)


def test_what_an_agent_wrote_counts_as_given():
    """The last message may be short when the work is in the files."""
    call = ToolCall("Write", {"file_path": "page.md", "content": ALL}, "1", "created")
    events = (Event("tool_call", "assistant", "", Place("run.jsonl", 2), call),)
    assert not left_out("Done, see the page that I wrote for you.", events=events)


def test_code_may_say_it_in_other_words():
    """Two missing words are not enough when the answer is code."""
    task = "Write a function. It must:\n\n- Remove duplicate entries\n- Read spreadsheets of invoices"
    output = "```python\ndef load(path):\n    return set(read_invoices(path))\n```"
    assert not left_out(output, task)


def test_only_distinct_words_of_the_outermost_items_are_compared():
    """Verbs of asking and common words are not what a requirement is about."""
    found = requirements(subject(ALL, "Please do the following:\n\n- Explain the retention policy\n  - in detail\n"))
    assert [each.stems for each in found] == [frozenset({"retent", "polic"})]
