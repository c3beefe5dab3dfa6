"""The table of outputs that only checks looked at."""

from __future__ import annotations

import pytest

import evenhand
from evenhand.reports.unread_table import UnreadTable, cut_in_front, told_apart
from evenhand.work.submission import Submission

EMPTY = evenhand.check(Submission(output="", task="Summarise the report."))
FINE = evenhand.check(Submission(output="Sales rose by a tenth in May.", task="Summarise the report."))


def table(*names: str, fine: int = 0) -> UnreadTable:
    """Outputs with one fault each, and some without."""
    made = UnreadTable()
    for name in names:
        made.add(EMPTY, name)
    for number in range(fine):
        made.add(FINE, f"fine-{number}.md")
    return made


def test_rows_are_outputs_with_faults_and_the_end_names_each_fault_with_two_examples():
    """Three outputs have it, and two are named."""
    lines = list(table("runs/a.md", "runs/b.md", "runs/c.md", fine=5).lines(80))
    assert lines[0].split() == ["file", "faults", "at", "best", "most", "serious"]
    assert [line.split()[:2] for line in lines[1:4]] == [["a", "1"], ["b", "1"], ["c", "1"]]
    assert lines[4] == " 5 more without faults"
    assert any(line.startswith("3 faults in 3 of 8 outputs") for line in lines)
    assert "None is graded: no one has read these outputs." in lines
    (kind,) = [number for number, line in enumerate(lines) if " x  " in line]
    assert lines[kind].startswith("   3 x  no-answer: The output is empty")
    assert [line.split()[0] for line in lines[kind + 1 :]] == ["a", "b"]


def test_without_faults_the_table_says_so():
    """No row, no letter, no "184 scored: 184 -"."""
    assert list(table(fine=2).lines(80)) == [
        "no faults in 2 outputs.",
        "None is graded: no one has read these outputs.",
    ]


@pytest.mark.parametrize("width", [50, 80, 100])
def test_no_line_is_wider_than_the_screen(width):
    """Names lose their beginning."""
    names = [f"a-very-long-folder-name/another-one/case-{n}/output-of-the-agent-{n}.md" for n in range(3)]
    assert all(len(line) <= width for line in table(*names, fine=1).lines(width))


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["runs/a.json", "runs/b.json"], ["a", "b"]),
        (["runs/a/1.json", "runs/b/1.json"], ["a/1", "b/1"]),
        (["m__x__important_instructions__1.gz", "m__y__important_instructions__2.gz"], ["x__…__1", "y__…__2"]),
        (["a.json", "a.yaml"], ["a.json", "a.yaml"]),
        (["only.json"], ["only.json"]),
    ],
)
def test_names_lose_what_they_share_and_still_differ(names, short):
    """The folder, the ending, and long parts that all have."""
    assert told_apart(names) == short


def test_a_long_name_is_cut_in_front():
    """The end of a name tells it apart."""
    assert cut_in_front("airline/task-07.json", 12) == "…ask-07.json"
    assert len(cut_in_front("airline/task-07.json", 12)) == 12
