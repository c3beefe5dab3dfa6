"""No rubric loses anything in silence: an odd spelling is read as its author meant it, or refused with a line."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import evenhand
from odd_rubrics import INNOCENT, ODD, Odd

PROSE = "## Notes"
"""What stands under it scores nothing; `rubric check` shows its lines as text only."""


def read(odd: Odd, folder: Path) -> evenhand.Rubric:
    path = folder / "notes.md"
    path.write_text(odd.text, encoding="utf-8")
    return evenhand.load_rubric(path)


def outcome(odd: Odd, folder: Path) -> evenhand.Rubric | list[int | None]:
    """The rubric, or the lines of what is wrong with it."""
    try:
        return read(odd, folder)
    except evenhand.RubricError as error:
        return [problem.line for problem in error.problems]


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd.refused is not None], ids=lambda odd: odd.id)
def test_an_odd_spelling_is_refused_with_a_line(odd: Odd, tmp_path: Path):
    """The message names a line, and says what to write. What stands under Notes is prose, and says so."""
    if PROSE in odd.text:
        assert read(odd, tmp_path).red_flags == ()
        return
    with pytest.raises(evenhand.RubricError) as caught:
        read(odd, tmp_path)
    for problem in caught.value.problems:
        assert problem.line is not None, problem
        assert any(mark in problem.message for mark in (";", ": ", "must")), problem


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd.refused is None], ids=lambda odd: odd.id)
def test_an_odd_spelling_is_read_as_written_or_refused(odd: Odd, tmp_path: Path):
    """Never as something else."""
    rubric = outcome(odd, tmp_path)
    if isinstance(rubric, list):
        assert None not in rubric
        return
    if odd.weights is not None:
        assert [weight * 100 for weight in rubric.weights.values()] == list(odd.weights)
    if odd.flags is not None:
        assert tuple((flag.id, str(flag.deduction)) for flag in rubric.red_flags) == odd.flags
    if odd.bonuses is not None:
        assert tuple(bonus.id for bonus in rubric.bonuses) == odd.bonuses
    assert rubric.pass_mark == Decimal(odd.pass_mark or "7.00")


@pytest.mark.parametrize("odd", INNOCENT, ids=lambda odd: odd.id)
def test_an_innocent_text_changes_no_score(odd: Odd, tmp_path: Path):
    """It is read as text, or refused in at most three places."""
    rubric = outcome(odd, tmp_path)
    if isinstance(rubric, list):
        assert len(rubric) <= 3
        return
    assert set(rubric.weights.values()) == {Decimal(text) for text in ("0.25", "0.20", "0.15", "0.10", "0.05")}
    assert {flag.deduction for flag in rubric.red_flags} <= {Decimal("0.50")}
    assert rubric.pass_mark == Decimal("7.00")
