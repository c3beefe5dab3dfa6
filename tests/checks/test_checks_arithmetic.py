"""The check `wrong-arithmetic`: what it must see, and what it must leave alone."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.checks.text.sums import CHECKS
from evenhand.core.values.submission import Submission
from every_case import every_case
from test_checks_commands import in_place

(CHECK,) = CHECKS


def seen(output: str, task: str | None = None) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output, task=task))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


@every_case(
    ("output", "result"),
    [
        ("The total is 17 * 23 = 401.", "391"),
        ("With 23 bottles in each box there are 17 * 23 = 401 bottles.", "391"),
        ("Together that makes 12 + 7 = 20, which is too many.", "19"),
        ("So 17 × 23 = **401**.", "391"),
        (r"Therefore $17 \times 23 = 401$.", "391"),
        ("Hence `12 + 7 = 20`.", "19"),
        ("15% of 80 is 10.", "12"),
        ("A tip of 15% of $80 is $10, so leave that.", "12"),
        ("12 plus 7 equals 20.", "19"),
        ("84 divided by 7 is 11.", "12"),
        ("(12 + 7) * 2 = 40.", "38"),
        ("2^10 = 1023", "1024"),
        ("3.2 × 4 = 12.9", "12.8"),
        ("45 / 60 = 70%", "75%"),
        ("1,200 + 350 = 1,500.", "1550"),
        ("The cost is 3 * $4 + $2 = $15.", "14"),
        ("20% + 30% = 60%", "50%"),
        ("1. First\n2. 12 + 7 = 20", "19"),
        ("10 − 4 = 5", "6"),
    ],
)
def test_a_wrong_result_is_a_clear_fault(output, result):
    """The fault is major, and the right result is given."""
    (finding,) = seen(output)
    assert (finding.dimension, finding.severity) == ("correctness", "major")
    assert finding.message == f"This calculation is wrong: the result is {result}."


@pytest.mark.parametrize(
    "output",
    [
        "17 * 23 = 391",
        "1/3 = 0.33 and 2/3 = 0.67",
        "2/3 = 0.66",  # cut off
        "7 / 2 = 3",  # cut off
        "1.15 * 3 = 3.5",  # 3.45
        "17 * 23 = 400",  # 391 to the hundred
        "0.1 + 0.2 = 0.30000000000000004",
        "15 / 60 = 25%",
        "12 / 80 * 100 = 15%",
        "10% of 55 is 5.5",
        "3 - 5 = -2",
        "1920x1080 = 2,073,600",
    ],
)
def test_a_right_or_rounded_result_is_in_order(output):
    """Rounding to what is shown is not a fault."""
    (finding,) = seen(output)
    assert finding.severity is None
    assert finding.message.startswith("Recomputed") and finding.message.endswith("no errors.")


@every_case(
    "output",
    [
        "x + 12 + 7 = 20",
        "f(2) + 3 = 9 and a_2 + 3 = 9 and 2³ + 1 = 10",
        "2(12 + 7) = 40",
        "1 h + 30 min = 90 min",
        "1024 * 1024 = 1 MB",
        "30 * 2 = 1 hours",
        "That makes 2 * 12 = 2 dozens, and 5 * 3 = 16 thousand users.",
        "60 * 60 * 24 = 1 day",
        "5 * 3 = 16k",
        "9 + 5 = 2 (mod 12)",
        "In binary 1 + 1 = 10.",
        "2019-2020 = 1 season",
        "The date 12/25/2024 = 3 days from now",
        "10:30 + 45 = 11:15",
        "1 000 + 500 = 1 500",
        "Python 3 - 2 = 5",
        "version 1.2.3 + 4 = 5",
        "1/3 + 1/6 = 1/3",
        "5 + 3 = 8 + 2 = 10",
        "100 + 10% = 110",
        "Is 2 + 2 = 5?",
        "It is wrong that 2 + 2 = 5.",
        "The tool claims that 2 + 2 = 5.",
        'He wrote "2 + 2 = 5".',
        "About 17 * 23 = 401.",
        "17 * 23 ≈ 401",
        "2 + 2 ≠ 5",
        "12 + 7 is 20 characters long",
        "The string '1' + '1' = 11",
        "```\n2 + 2 = 5\n```",
        "> 2 + 2 = 5",
        "1 / 0 = 0",
        "No numbers at all.",
    ],
)
def test_what_is_not_a_plain_calculation_is_left_alone(output):
    """Units, dates, versions, ranges, variables, other bases, guesses, denials, questions, quotes and code."""
    assert not [finding for finding in seen(output) if finding.severity]


def test_an_equation_of_the_task_is_not_the_outputs_own():
    """Whoever answers may repeat the question."""
    assert not seen("You wrote: 2 + 2 = 5.", task="Why do people say 2 + 2 = 5?")


def test_one_habit_is_reported_three_times_at_most():
    """Five wrong sums cost as much as three."""
    output = "\n\n".join(f"{n} + 1 = {n + 3}" for n in range(2, 7))
    assert [finding.severity for finding in seen(output)] == ["major"] * 3


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(1, 10**6), st.sampled_from("+-*"), st.integers(1, 50))
def test_whole_numbers_are_right_exactly_when_python_says_so(first, second, sign, off):
    """The exact result passes; any other result of a sum or difference does not."""
    result = eval(f"{first} {sign} {second}")
    (finding,) = seen(f"{first:,} {sign} {second} = {result}")
    assert finding.severity is None
    if sign != "*":  # a product may be rounded
        (finding,) = seen(f"{first} {sign} {second} = {result + off}")
        assert finding.severity == "major"


@pytest.mark.parametrize("output", ["1" * 100_000 + " = 2", "1 + " * 50_000 + "1", "(" * 50_000 + "1 + 1 = 3"])
def test_long_nonsense_takes_no_time(output):
    """Neither a crash nor a hang."""
    started = time.process_time()
    assert not seen(output)
    assert time.process_time() - started < 10
