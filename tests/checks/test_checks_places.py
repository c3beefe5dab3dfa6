"""Where a fault is: the very place it is about, not the first place with the same words."""

from __future__ import annotations

import pytest

from evenhand.checks.registry import built_in
from test_checks_commands import in_place, subject

FENCE = "```"


def only_fault(check: str, output: str, task: str = ""):
    (finding,) = (
        finding
        for one in built_in()
        if one.id == check
        for finding in one.run(subject(output, task))
        if finding.severity
    )
    assert in_place(finding, output)
    return finding


@pytest.mark.parametrize(
    ("check", "output", "task", "before"),
    [
        ("wrong-arithmetic", "Is 12 + 7 = 20 right?\n\nSo 12 + 7 = 20.", "", "So "),
        (
            "truncated-ending",
            "Go on and check the\nlog. It has two parts.\n\nGo on and check the",
            "",
            "parts.\n\n",
        ),
        ("mixed-style", 'The colour is called "color" in it. Then the color is changed.', "", "Then the "),
        (
            "code-does-not-parse",
            f"{FENCE}text\ntotal = (1\n{FENCE}\n\n{FENCE}python\nx = 1\ntotal = (1\n{FENCE}\n",
            "",
            "python\nx = 1\n",
        ),
        (
            "data-does-not-parse",
            f'{FENCE}text\n"b": 2\n{FENCE}\n\n{FENCE}json\n{{\n  "a": 1\n  "b": 2\n}}\n{FENCE}\n',
            "",
            '"a": 1\n  ',
        ),
        (
            "unfinished",
            "TBD is for later.\n\n# Plan\n\nWe start.\n\n## Cost\n\nTBD\n",
            "Write a plan.",
            "## Cost\n\n",
        ),
        ("unfinished", "The Risks are few.\n\n## Risks\n\n## Cost\n\nTen.\n", "Write a plan.", "## "),
        (
            "contradicting-numbers",
            "> The total cost is $500.\n\nThe total cost is $400.\n\nThe total cost is $500.",
            "",
            "$400.\n\n",
        ),
        ("dangling-reference", "Write `#setup` into it.\n\nSee [the setup](#setup).", "", "[the setup]("),
    ],
)
def test_the_offset_is_that_of_the_fault(check, output, task, before):
    """The same words occur earlier, innocently."""
    finding = only_fault(check, output, task)
    assert output[: finding.offset].endswith(before)
    assert output.index(finding.quote) < finding.offset


def test_a_quote_from_a_list_in_a_quotation_or_a_table_is_found():
    """Markers and cells stand before the words."""
    for output in ("- one\n- so 12 + 7 = 20.\n", "| sum |\n|---|\n| 12 + 7 = 20 |\n", "1. a\n\n   So 12 + 7 = 20.\r\n"):
        finding = only_fault("wrong-arithmetic", output)
        assert output.startswith("12 + 7 = 20", finding.offset)
