"""The checks and expectations of a run, as they are opened: prices, expectations by file or value, rubrics refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand import InputError
from evenhand.core.judgement import Judgement
from evenhand.errors import Problem, RubricError
from evenhand.judging import program, rubric_choice
from evenhand.judging.program import open_program, read_expectations
from evenhand.judging.rubric_choice import RubricChoice


def test_expectations_come_from_a_file_or_as_values(tmp_path: Path) -> None:
    """A file is read whether it is named by a text or a path; sentences are added."""
    (tmp_path / "expect.yaml").write_text("- answer: {contains: cats}\n")
    path = tmp_path / "expect.yaml"
    (read,) = read_expectations(path)
    assert program._expectations(str(path)) == program._expectations(path) == (read,)
    assert program._expectations([{"answer": {"contains": "cats"}}])[0].words == read.words
    opened = open_program((), expect=path, criteria=["It is short."])
    assert opened is not None


def test_checks_need_no_settings_of_models_that_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with them is reported when a model is asked."""

    def refused(tables: object) -> None:
        raise InputError("a table that is wrong")

    monkeypatch.setattr(program, "configured", refused)
    assert program._rates() == {}


def test_a_skill_s_rubric_with_several_errors_is_named_by_the_skill_the_second_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(name: str) -> None:
        raise RubricError([Problem("first"), Problem("second")])

    monkeypatch.setattr(rubric_choice, "resolve_for_skill", refused)
    choice = RubricChoice()
    judgement = Judgement({}, judge={"name": "human:ana"}, skill="greet")
    with pytest.raises(RubricError) as once:
        choice.for_judgement(judgement, Path())
    assert len(once.value.problems) == 2
    with pytest.raises(RubricError, match="the rubric greet has 2 errors, which are listed once above; not scored"):
        choice.for_judgement(judgement, Path())
