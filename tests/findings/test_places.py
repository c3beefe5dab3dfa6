"""Where a fault is: the very place it is about, not the first place with the same words."""

from __future__ import annotations

import pytest

from check_subjects import in_place, subject
from evenhand.findings.registry import built_in

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
