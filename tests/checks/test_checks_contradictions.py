"""The check `contradicting-numbers`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.text.contradictions import CHECKS
from every_case import every_case
from test_checks_commands import faults, subject

(CHECK,) = CHECKS


@pytest.mark.parametrize(
    ("output", "quote"),
    [
        ("There are three reasons:\n\n- cost\n- speed\n", "There are three reasons:"),
        ("The tool has 4 commands:\n\n1. a\n2. b\n3. c\n", "The tool has 4 commands:"),
        ("Follow these two steps:\n\n1. a\n2. b\n3. c\n\n## Next\n\n- x\n", "Follow these two steps:"),
        (
            "The setup takes 3 steps. It is quick.\n\nOnce the 4 steps are done, restart.",
            "Once the 4 steps are done, restart.",
        ),
        ("The plan is split into three phases.\n\nAll five phases are short.", "All five phases are short."),
        (
            "The total cost is $1,200. Fine.\n\nIn the end the total cost is $1,250.",
            "In the end the total cost is $1,250.",
        ),
        (
            "The outage lasted 45 minutes and hit 9 customers.\n\n## Details\n\nThe outage lasted 90 minutes.",
            "The outage lasted 90 minutes.",
        ),
        ("Grand total: 14 hours\n\nWe need a grand total of 12 hours.", "We need a grand total of 12 hours."),
    ],
)
def test_two_values_for_one_quantity_are_a_clear_fault(output, quote):
    """The fault is major and the second place is quoted."""
    (finding,) = faults(CHECK, subject(output))
    assert (finding.dimension, finding.severity, finding.quote) == ("consistency", "major", quote)


@every_case(
    "output",
    [
        "There are three reasons:\n\n- cost\n- speed\n- size\n",
        "There are at least three reasons:\n\n- a\n- b\n- c\n- d\n",
        "There are 3 steps for each of the 2 hosts:\n\n- a\n- b\n",
        "There are three steps:\n\n1. a\n\n```sh\nls\n```\n\n2. b\n3. c\n",  # the list goes on after the block
        "In two hours do these things:\n\n- a\n- b\n- c\n",
        "The function takes two arguments and has these properties:\n\n- a\n- b\n- c\n",
        "Here is a program to find the common elements in two arrays:\n\n- a\n- b\n- c\n",
        "The setup takes 3 steps. The first 2 steps are short; the other 1 is long.",
        "The install takes 3 steps. The upgrade takes 4 steps. Once the 4 steps are done, stop.",
        "The setup takes 3 steps. Of the 4 steps that the old guide had, one is gone.",
        "Option A: the total cost is $100. Option B: the total cost is $200.",
        "The total cost is about $100. The total cost is $98.",
        "The total cost is $1,200. As said, the total cost is $1200.",
        'The guide says "takes 3 steps". The 4 steps are here.',
        "It runs in 3 stages `takes 4 steps`.",
        "Both were run.\n\n## Redis\n\nThe benchmark took 45 seconds.\n\n## Valkey\n\nThe benchmark took 60 seconds.",
        "The build took 45 seconds.\n\n## Now\n\nThe build took 20 seconds after the change.",
        "The outage lasted 45 minutes. The repair took 9 hours.\n\n## Details\n\nThe outage lasted 45 minutes.",
    ],
)
def test_other_quantities_and_rough_numbers_are_left_alone(output):
    """When it is not certain that one thing is meant, nothing is said."""
    assert list(CHECK.run(subject(output))) == []


def test_three_findings_at_most():
    """One habit does not sink everything."""
    section = "## Part\n\nThere are three reasons:\n\n- cost\n- speed\n\n"
    assert len(list(CHECK.run(subject(section * 6)))) == 3
