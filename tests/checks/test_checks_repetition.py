"""The check `repetition`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.text.repetition import CHECKS
from test_checks_commands import bound, faults, subject

(CHECK,) = CHECKS

SENTENCE = (
    "The queue is drained before the worker stops, so that no job is lost when the service is restarted at night."
)
ANSWER = """The service keeps its jobs in a table of the database and reads them in the order in which they came.
A worker takes one job at a time, marks it as taken, and removes it when its result has been written.
When a worker dies, another one takes the job after five minutes, because the mark has then grown old.
Results are kept for a week and then deleted by a task that runs every night at two in the morning.
"""
TASK = (
    "Our service keeps its jobs in a table and loses some of them when it is restarted at night by the scheduler that "
    "operations installed last year, so please find out why this happens, tell us what to change in the worker, and "
    "say how we can test the change before we roll it out to the customers in the north."
)


def test_a_sentence_that_stands_there_twice_is_a_small_fault():
    """The fault is minor and is quoted."""
    (finding,) = faults(CHECK, subject(f"{SENTENCE} {ANSWER}\n\n{SENTENCE}\n"))
    assert (finding.dimension, finding.severity, finding.quote) == ("efficiency", "minor", SENTENCE)


def test_a_text_padded_with_itself_is_a_clear_fault():
    """Half of it is wasted: 1.50 once, not for each sentence."""
    (finding,) = faults(CHECK, subject(ANSWER + "\n" + ANSWER))
    assert finding.severity == "major"


def test_one_short_sentence_said_over_and_over_is_padding():
    """Thirty times seven words are more than a quarter of the text."""
    (finding,) = faults(CHECK, subject(ANSWER + "\n" + "This is important to keep in mind. " * 30))
    assert finding.severity == "major"


def test_a_code_block_that_stands_there_twice_is_seen():
    """Five lines or more, and the first is quoted."""
    block = "```python\nimport sys\n\ndef main():\n    x = 1\n    return x\n```\n"
    (finding,) = faults(CHECK, subject(f"{ANSWER}\n{block}\nThen run it:\n\n{block}"))
    assert finding.quote == "import sys"


def test_the_task_told_back_is_a_small_fault():
    """Forty words of it in one piece."""
    (finding,) = faults(CHECK, subject(f"You asked the following. {TASK}\n\n{ANSWER}", TASK))
    assert finding.severity == "minor" and "copied from the task" in finding.message
    assert finding.quote and finding.quote in TASK


def test_two_sentences_of_filler_are_a_small_fault():
    """The first is quoted."""
    (finding,) = faults(CHECK, subject(f"Certainly! {ANSWER}\nI hope this helps!\n"))
    assert (finding.severity, finding.quote) == ("minor", "Certainly!")


@pytest.mark.parametrize(
    ("output", "task"),
    [
        (ANSWER, ""),
        (f"{ANSWER}\nI hope this helps!", ""),  # one is a courtesy
        (f"{SENTENCE}\n\n> {SENTENCE}\n\n{ANSWER}", ""),  # a quotation
        (f"{SENTENCE}\n\n{SENTENCE}\n", "Write a song with a refrain."),
        (f"Certainly! {ANSWER}\nI hope this helps!", "Write an e-mail to a customer."),
        (f"{TASK}\n\n{ANSWER}", f"Rewrite this politely: {TASK}"),
        ("Run the tests.\n\n" * 3 + ANSWER, ""),  # short sentences
        ("Our service keeps its jobs in a table and loses some of them. " + ANSWER, TASK),  # a few words of the task
        (
            f"{SENTENCE} "
            + ANSWER.replace("job", "task") * 1
            + " ".join(f"Word {n} is new." for n in range(400))
            + SENTENCE,
            "",
        ),
    ],
)
def test_what_is_said_once_or_wanted_twice_is_left_alone(output, task):
    """Quotations, refrains, letters, texts to be reworked, and one line in a long text."""
    assert [finding.severity for finding in CHECK.run(subject(output, task))] == [None]


def test_a_long_reference_may_say_the_same_of_several_items():
    """Its entries are looked up one by one."""
    entries = "".join(
        f"## option {n}\n\n{SENTENCE} Number {n} {'differs from the others in a word ' * 9}.\n\n" for n in range(12)
    )
    assert not faults(CHECK, subject(entries))


def test_a_reply_that_is_written_for_someone_may_have_pleasantries():
    """They are part of what was asked for."""
    output = "Here is the corrected response:\n\nCertainly! The valve is shut.\n\nI hope this helps!"
    assert not faults(CHECK, subject(output))


def test_padding_never_raises_the_score():
    """What is added can only cost."""
    before = bound(CHECK.run(subject(ANSWER)))
    for padding in (ANSWER, SENTENCE * 2, "edge case. trade-off. tests pass. " * 20):
        assert bound(CHECK.run(subject(f"{ANSWER}\n\n{padding}"))) <= before


def test_an_empty_output_is_not_looked_at():
    """There is nothing to say about it here."""
    assert list(CHECK.run(subject("  \n"))) == []
