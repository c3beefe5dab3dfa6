"""The check `mixed-style`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.code.style_mix import CHECKS
from test_checks_commands import bound, faults, subject

(CHECK,) = CHECKS


@pytest.mark.parametrize(
    ("output", "quote"),
    [
        ("# Guide\n\nText.\n\n### Install\n\nText.\n", "### Install"),
        ("# Guide\n\n## One\n\n#### Deep\n", "#### Deep"),
        ("First:\n\n- one\n- two\n\nThen:\n\n* three\n* four\n", "* three"),
        ("The colour is set first. Then the color is changed.", "color"),
        ("We analyse the log, and the script analyzes the rest.", "analyzes"),
        ("The behaviour is new; this behavior was wanted.", "behavior"),
        ("Send an email. The second e-mail follows.", "e-mail"),
        ("It is hosted on GitHub, and Github shows it.", "Github"),
    ],
)
def test_a_thing_done_in_two_ways_is_a_small_fault(output, quote):
    """The fault is minor and the second way is quoted."""
    (finding,) = faults(CHECK, subject(output))
    assert (finding.dimension, finding.severity, finding.quote) == ("consistency", "minor", quote)


def test_each_kind_counts_once():
    """Two jumps of headings are one habit."""
    output = "# A\n\n### B\n\n# C\n\n#### D\n\n- one\n\n* two\n\nThe colour, the color, the grey and the gray.\n"
    assert [finding.severity for finding in faults(CHECK, subject(output))] == ["minor", "minor", "minor"]


@pytest.mark.parametrize(
    "output",
    [
        "# Guide\n\n## One\n\n### Two\n\n## Three\n",
        "### Only small headings\n\nText.\n\n### Here\n",
        "- one\n  * nested\n- two\n",
        "1. one\n2. two\n\n- three\n",
        "+ good\n+ cheap\n\n- slow\n",  # for and against
        "The colour of the box is set by `color: red`.",
        "The colour is set here:\n\n```css\na { color: red }\n```\nChange the color to taste.",
        'The colour is called "color" in the style sheet.',
        "The Center for Science has a new centre.",
        "See https://example.com/color for the colour.",
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n- one\n* two\n",
        "Many analyses were made; we analyze one.",
        "#!/bin/sh\n# Start\n\n### BEGIN\n",
        "License it; the text is optimized and organized.",
    ],
)
def test_one_way_throughout_is_left_alone(output):
    """Names in code, quotations, other levels, and lists for and against."""
    assert [finding.severity for finding in CHECK.run(subject(output))] == [None]


def test_headings_that_are_added_raise_nothing():
    """In order or not, they earn nothing."""
    plain = bound(CHECK.run(subject("Some text about the setup.")))
    for heading in ("# Edge cases\n\n", "# A\n\n## B\n\n", "# A\n\n### B\n\n"):
        assert bound(CHECK.run(subject(heading + "Some text about the setup."))) <= plain


def test_nothing_to_look_at_gives_nothing():
    """An empty output is not a consistent one."""
    assert list(CHECK.run(subject(""))) == []
