"""The check `truncated-ending`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.checks.text.truncated import CHECKS
from evenhand.work.submission import Submission
from every_case import every_case
from test_checks_commands import bound, in_place

(CHECK,) = CHECKS


def seen(output: str, task: str | None = None) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output, task=task))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


@pytest.mark.parametrize(
    ("output", "where"),
    [
        ("The service has two parts. Finally, restart it and check the", "in the middle of a sentence"),
        ("There are three reasons for this: it is cheap, it is quick,", "in the middle of a sentence"),
        ("- First, open the valve\n- Then close the other valve and", "in the middle of a sentence"),
        ("We looked at it, and the cause is one of a", "in the middle of a sentence"),
        ("I fixed the bug that you saw. Here is the new code:", "with a colon"),
        ("Use this:\n\n```python\ndef f(x):\n    return x +", "inside a code block"),
        ("Use this:\n\n```python", "inside a code block"),
        ("Use this:\n\n```\nx = 1\ny =", "inside a code block"),
        ("Use this:\n\n```\nx = 1\n```\n\nThen this:\n\n```\ny = f(1,\n", "inside a code block"),
        ("1. Use this:\n\n   ```\n   x = 1\n   y", "inside a code block"),
        ('{"name": "evenhand", "tags": ["judge", "ru', "in the middle of a JSON value"),
        ('[{"id": 1}, {"id": 2},', "in the middle of a JSON value"),
    ],
)
def test_an_output_that_breaks_off_is_seen(output, where):
    """The fault is major, once."""
    (finding,) = seen(output)
    assert (finding.dimension, finding.severity) == ("completeness", "major")
    assert f"ends {where}" in finding.message


@every_case(
    "output",
    [
        "It is done.",
        "The answer is a",
        "Paris",
        "Roses are red, violets are blue\nand that is the poem I wrote for you",
        "To start it, sign in and then turn it on",
        "Use this:\n\n```python\nx = 1\n```",
        "Use this:\n\n~~~\nx = 1\n~~~\n\n",
        "Use this:\n\n```python\nx = 1\n```\n```",
        "Use this:\n\n```python\nx = 1\n```\n```\n\nThen start it again.",
        "Use this:\n\n```python\nx = 1\n```\n```\n\n## Then\n\n- start it\n- look at it",
        "1. Use this:\n\n   ```python\n   x = 1\n   ```",
        "````markdown\n```bash\nls\n```\n````",
        "```markdown\n# Title\n\n```bash\nls\n```\n\nMore text.\n```",
        '{"name": "a [b", "n": [1, 2]}',
        "[a link](https://example.org) is all there is to it",
        "| a | b |\n|---|---|\n| 1 | the |",
        "# A heading that ends with the",
        "The last word of this sentence is `the`",
        "> He said it and then the",
        "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1,3 +1,3 @@\n-x = 1\n+x = 2\n def main():",
        "--- a/guide.md\n+++ b/guide.md\n@@ -1 +1,2 @@\n+A new line for the guide.\n Here is how to use it, and the",
        "I changed it:\n\ndiff --git a/a.py b/a.py\n@@ -1,2 +1,2 @@\n-a\n+b\n class Reader:",
        "Use this:\n\n```python\nx = 1\n``` and then start it again.",
        "Use this:\n\n```python\nx = 1\n```  <- the whole program\n\nStart it, and look at the log.",
        "Use this:\n\n```bash\nls\n```bash\n\nThat lists the files.",
        "",
    ],
)
def test_an_end_that_can_be_meant_is_left_alone(output):
    """A missing full stop is not a fault; poems, answers, tables, quotes and nested blocks end as they please."""
    assert not seen(output)


def test_a_last_sentence_without_the_stop_that_all_others_have_is_seen():
    """The fault is minor, for it may be meant."""
    text = "The cache is small. It holds a thousand entries.\n\nEach has a lock.\n\n"
    (finding,) = seen(f"{text}The lock is held while a profile is loaded and sto")
    assert finding.severity == "minor"
    for end in (
        "See the page on locks",
        "Kind regards from the team",
        "- an item that is long and has no full stop at all",
    ):
        assert not seen(text + end)
    assert not seen("The cache is small\n\nIt holds a thousand entries\n\nThe lock is held while a profile is loaded")
    assert not seen(f"{text}The lock is held as the page says, which stands at https://example.com/the/locks")


def test_an_end_that_was_asked_for_is_left_alone():
    """The task may want it so."""
    assert not seen("This is the line that was asked for and", "Write a line that ends with the word and.")


def test_cutting_a_text_never_makes_its_end_better():
    """Of a whole text and its first half, the whole fares no worse."""
    whole = "The service has two parts, and both of the parts are small. Restart it and check the log."
    for end in range(1, len(whole)):
        assert bound(seen(whole[:end])) <= bound(seen(whole))


LONG = "The cache is small. It holds a thousand entries, and each entry has a lock.\n\n" * 1400
"""More than is parsed as Markdown."""


@pytest.mark.parametrize(
    ("end", "where"),
    [
        ("Finally, we looked at the log of the service and found that the", "in the middle of a sentence"),
        ("It is cheap and quick,\nit is small enough to be read in one go,\nand it was\nmade of", "of a sentence"),
        ("- Open the valve.\n- Then close the other valve slowly, look at the gauge, and", "of a sentence"),
        ("I fixed the bug that you saw yesterday. Here is the new code:", "with a colon"),
        ("Use this:\n\n```python\n# Add them.\ndef f(x):\n    return x +", "inside a code block"),
        ("Use this:\n\n```\nx = 1\ny =", "inside a code block"),
        ("```\nx = 1\n```\n\nThen open the valve, close the other one and look at the", "of a sentence"),
        ("```python\n" + "x = [1, 2]\n" * 1000 + "y = [", "inside a code block"),
    ],
)
def test_a_very_long_output_that_breaks_off_is_seen(end, where):
    """Only its end is parsed."""
    (finding,) = seen(LONG + end)
    assert (finding.dimension, finding.severity) == ("completeness", "major")
    assert "ends " in finding.message and where in finding.message


@every_case(
    "end",
    [
        "It is done.",
        "The lock is held while a profile is loaded and sto",  # what the rest is like was not looked at
        "Use this:\n\n```python\nx = 1\n```",
        "Use this:\n\n```python\nx = 1\n```\n```",
        "Use this:\n\n```python\nx = 1\n```\n```\n\nThen start it again.",
        "````\n```python\nx = [\n````",
        "```markdown\n# Title\n\n```bash\nls\n```\n\nMore text that ends with a comma, a colon or the\n```",
        "```inline code``` opens nothing, as every reader of the manual of Markdown knows",
        "The last section\n~~~~~~~~~~~~~~~~\n\nSee the other page",
        "| a | b |\n|---|---|\n| 1 | this cell is long and ends with the |",
        "## A heading that is long enough for a sentence and ends with the",
        "> He said it, went away, came back and then the",
        "    an indented line of code that goes on and on until the",
        "2026-03-01 12:00:01 INFO 4711 started the server 10.0.0.7:8080 with the options:",
        "Anna Smith,works in the north of the country,\nBen Miller,works in the south of the country,",
        "metadata:\n  labels:",
        "</body>\n</html>",
        "Here is the page that you wanted to have as a file:\n\n<table>\n</table>\n</body>",
        "Paris and the",
    ],
)
def test_a_very_long_output_is_not_accused_in_doubt(end):
    """Tables, logs, code and listings end as they please; so does what a stray fence leaves open."""
    assert not seen(LONG + end)


def test_a_very_long_diff_may_end_in_the_middle_of_a_sentence():
    """Its last line is where the context of a change happens to end."""
    change = (
        "diff --git a/guide.md b/guide.md\n@@ -1,3 +1,3 @@\n-old words\n+new words\n" + " and some more words\n" * 6000
    )
    assert not seen(f"{change} and then the reader of the guide may open the next page of the")


def test_a_very_long_output_without_a_line_break_is_judged_by_its_end():
    """There is no paragraph to start from."""
    assert seen("and so on and on " * 7000 + "until the")
    assert not seen("and so on and on " * 7000 + "until it ends.")
