"""Very long and hostile outputs: what is not looked at is said, nothing is made up, the work stays in proportion."""

from __future__ import annotations

import time

import pytest

from check_subjects import call, subject
from evenhand.core.judgement import Evidence
from evenhand.core.scorecard import Scorecard
from evenhand.errors import Problem
from evenhand.findings.facts import shell
from evenhand.findings.finding import Check, Finding
from evenhand.findings.judge import ChecksJudge
from evenhand.findings.registry import built_in
from evenhand.findings.safety import insecure_code
from evenhand.findings.subject import OPENING, Subject
from evenhand.judges.program import ProgramJudge
from evenhand.judging.processes import judge_each
from evenhand.judging.steps import Steps
from evenhand.rubrics.library import load_rubric
from evenhand.work.quotes import Quotable
from evenhand.work.submission import Submission

SECTION = (
    "## Part {n}\n\nThe lock of part {n} is held while the profile is loaded, so that nobody else writes.\n\n"
    "```python\ndef load_{n}(user):\n    return cache[user]\n```\n\n"
)


def document(size: int) -> str:
    """Markdown of at least so many characters, no two sections alike."""
    parts, length = [], 0
    while length < size:
        parts.append(SECTION.format(n=len(parts)))
        length += len(parts[-1])
    return "".join(parts)


def judged(output: str, task: str | None = None) -> Scorecard:
    (card,) = judge_each([Submission(output=output, task=task)], ProgramJudge(ChecksJudge()), Steps())
    assert isinstance(card, Scorecard)
    return card


def faults(card: Scorecard) -> list[str]:
    """What is held against an output."""
    assert card.checked is not None
    return [finding.message for finding in card.checked.findings if finding.severity]


@pytest.mark.slow
def test_a_very_long_output_is_judged_by_its_opening_and_the_scorecard_says_so() -> None:
    """Markdown is parsed up to a limit; the warning names the limit and the length."""
    output = document(3 * OPENING)
    card = judged(output)
    assert len(card.warnings) == 1
    assert f"first {OPENING:,} of its {len(output):,} characters" in card.warnings[0]
    assert not faults(card)


def test_an_output_that_ends_at_the_limit_is_judged_whole() -> None:
    """The limit itself is within the limit."""
    assert judged("word " * (OPENING // 5)).warnings == ()


@pytest.mark.slow
def test_a_very_long_task_is_reported_as_read_in_part() -> None:
    """The task is parsed as Markdown too."""
    assert "the task is very long" in judged("The answer is a lock.", "word " * OPENING).warnings[0]


@pytest.mark.parametrize("place", range(0, 140, 7))
@pytest.mark.slow
def test_text_cut_in_two_by_the_limit_is_not_accused(place: int) -> None:
    """Wherever the cut falls, no half of a block counts as broken, no ending as missing."""
    assert not faults(judged("x" * place + "\n\n" + document(OPENING + 2000)))


def test_one_endless_paragraph_is_read_as_far_as_the_limit() -> None:
    """It has no earlier block to fall back on, and its words still count."""
    prose = Subject(Submission(output="word " * OPENING)).prose
    assert OPENING - 10 < len(prose) <= OPENING


@pytest.mark.slow
def test_a_secret_after_the_limit_is_still_found() -> None:
    """What only needs searching is searched to the end."""
    token = "ghp_" + "Zk3vQ9pLm2Xw8RtB5nYc7JdF4hGs6KaE1uTo"[:36]
    card = judged(document(2 * OPENING) + f"The token is {token}.\n")
    assert any("GitHub token" in said for said in faults(card))


def test_the_lines_of_an_output_are_counted_as_markdown_counts_them() -> None:
    """A lone carriage return ends a line, a form feed does not."""
    assert Subject(Submission(output="a\rb\r\nc\x0cd\ne")).lines == ["a", "b", "c\x0cd", "e"]


def test_a_command_of_extreme_length_is_read_from_its_beginning_and_that_is_reported() -> None:
    """What stands first is seen; the rest is not, and the scorecard warns."""
    looked = subject("Done.", "", call("Bash", {"command": "rm -rf ~/\n" + "echo a\n" * shell.LONGEST}, "ok"))
    found = [finding for check in built_in() for finding in check.run(looked) if finding.severity]
    assert [finding.check for finding in found] == ["destructive-command"]
    assert any(f"{shell.LONGEST:,} characters" in note for note in looked.notes)


@pytest.mark.slow
def test_python_beyond_the_limit_is_not_given_to_bandit_and_that_is_reported() -> None:
    """Ten files of a tenth of the limit and a bit more are too much."""
    code = "import pickle\n" + "x = 1\n" * (insecure_code.MOST // 60)
    writes = [call("Write", {"file_path": f"/a/{n}.py", "content": code}, "written") for n in range(11)]
    looked = subject("Done.", "", *writes)
    (check,) = (check for check in built_in() if check.id == "insecure-code")
    list(check.run(looked))
    assert any(f"{insecure_code.MOST:,} characters" in note for note in looked.notes)


def test_a_letter_with_very_many_marks_can_be_quoted() -> None:
    """A piece of a thousand marks is composed by itself; a quote before and after it is found where it stands."""
    text = "before e" + "\u0301\u0323" * 2000 + " after"
    found = Quotable(text).check(Evidence("after"))
    assert (found.verified, found.offset) == (True, text.index("after"))


def broken(subject: Subject) -> list[Finding]:
    raise ZeroDivisionError("by itself")


def test_a_check_that_fails_is_named_and_the_others_go_on() -> None:
    """It is a warning: no finding pretends that it ran."""
    check = Check("own-check", ("safety", "efficiency"), "sees", "severity", "example", broken)
    judgement = ProgramJudge(ChecksJudge([check])).judge(load_rubric("default"), Submission(output=document(500)))
    assert "the check own-check failed: ZeroDivisionError: by itself" in judgement.warnings
    assert judgement.checked is not None
    assert judgement.checked.coverage
    assert "own-check" not in judgement.checked.coverage


HOSTILE = {
    "one letter": "a",
    "blank lines": "x\n\n",
    "backticks": "`",
    "fences": "```python\n",
    "quotes in quotes": "> ",
    "lists in lists": "- ",
    "open brackets": "[",
    "open links": "[a](",
    "links": "[a](http://example.com/b) ",
    "stars": "*a ",
    "open tags": "<a ",
    "pipes": "|",
    "headings": "# a\n",
    "one word": "word ",
    "sums": "1+",
    "addresses": "a.",
    "marks": "\u0301\u0323",
    "escaped quotes": '\\"',
    "spaces": " ",
    "dashes": "-",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_output_four_times_as_long_costs_in_proportion(piece: str) -> None:
    """Growth with the square would be sixteen times; an ordinary text is added to both sides, against noise."""
    size = OPENING
    base = _seconds(document(size))
    for _ in range(3):
        once, four = (_seconds("x" + piece * (length // len(piece)) + " y") for length in (size, 4 * size))
        if four + base < 6 * (once + base):
            return
    pytest.fail(f"{once:.2f} s became {four:.2f} s")


@pytest.mark.slow
@pytest.mark.parametrize("inside", ["json\n[", "yaml\n[", "toml\na.", 'jsonc\n{"a": /* ', "python\n(", "js\n} ( "])
def test_a_hostile_block_four_times_as_long_costs_in_proportion(inside: str) -> None:
    """The parsers of data and code meet what they take the square of."""
    language, piece = inside.split("\n")
    once, four = (_seconds(f"```{language}\n{piece * (size // len(piece))}\n```\n") for size in (20_000, 80_000))
    assert four + 0.2 < 8 * (once + 0.2)


def _seconds(output: str) -> float:
    begun = time.process_time()
    judged(output)
    return time.process_time() - begun


def test_what_was_not_understood_of_a_transcript_is_a_warning() -> None:
    """The kinds are named with their number, so that nobody takes the scorecard for one of the whole file."""
    unknown = {f"kind {number}": number for number in range(1, 8)}
    problems = (Problem("is not JSON", "run.jsonl", 3), Problem("is not JSON", "run.jsonl", 5))
    submission = Submission(output=document(200), unknown=unknown, problems=problems)
    (card,) = judge_each([submission], ProgramJudge(ChecksJudge()), Steps())
    assert isinstance(card, Scorecard)
    assert card.warnings[0].startswith("not checked, because part of the file could not be read: ")
    assert card.warnings[1:] == (
        "only partly judged, because the file is damaged: run.jsonl:3: is not JSON (the first of 2 problems)",
        "not recognised, so not judged: kind 1 (1), kind 2 (2), kind 3 (3), kind 4 (4), kind 5 (5) and 2 more kinds",
    )
