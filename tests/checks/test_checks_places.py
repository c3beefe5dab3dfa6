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
        (
            "truncated-ending",
            "Go on and check the\nlog. It has two parts.\n\nGo on and check the",
            "",
            "parts.\n\n",
        ),
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
    ],
)
def test_the_offset_is_that_of_the_fault(check, output, task, before):
    """The same words occur earlier, innocently."""
    finding = only_fault(check, output, task)
    assert output[: finding.offset].endswith(before)
    assert output.index(finding.quote) < finding.offset


def test_a_quote_from_a_list_in_a_quotation_or_a_table_is_found():
    """Markers and cells stand before the words."""
    task = 'Describe the sky. Do not use the word "blue" in your answer.'
    for output in ("- one\n- so blue it is.\n", "| sky |\n|---|\n| blue |\n", "1. a\n\n   So blue it is.\r\n"):
        finding = only_fault("constraint-broken", output, task)
        assert output.startswith("blue", finding.offset), finding
