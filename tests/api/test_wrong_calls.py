"""Wrong calls of public functions: the error names the argument and says what it should be; none passes unnoticed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import evenhand
from evenhand.api.keywords import suggesting

SEVENS = dict.fromkeys(evenhand.DIMENSIONS, 7)
CARD = evenhand.score({"id": "case", "rubric": "writing", "scores": SEVENS})


def any_type(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, without what a type checker would say of a wrong call."""
    return function


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "message"),
    [
        (
            "judge",
            ["a"],
            {"judges": "checks", "options": {"max_cost": 2}},
            "options is a dict, not ModelOptions | None; give ModelOptions(max_cost=...)",
        ),
        ("judge", ["a"], {"judges": None}, "judges is None, not str | Sequence[str]"),
        ("judge", [None], {"judges": "checks"}, "submission is None, not str | Submission"),
        ("judge", [b"a"], {"judges": "checks"}, "submission is a bytes, not str | Submission"),
        ("judge", [Path("a.md")], {"judges": "checks"}, "submission is a PosixPath, not str | Submission"),
        (
            "judge",
            ["a"],
            {"judges": "checks", "store": "s.db"},
            "store is a str, not Store | None; open it with evenhand.open_store('s.db')",
        ),
        ("history", ["s.db", "skill"], {}, "store is a str, not Store; open it with evenhand.open_store('s.db')"),
        ("run", ["cases.yaml"], {"settings": "4"}, "settings is a str, not Mapping[str, Any] | None"),
        ("score", [{"scores": SEVENS}], {"id": 7}, "id is an int, not str | None"),
        ("verify", [CARD], {"output": 3}, "output is an int, not str | Submission | None"),
        ("changes", [CARD, "b"], {}, "after is a str, not Scorecard"),
        ("gate", [CARD], {"min_score": 3}, "cards is a Scorecard, not Iterable[Scorecard]"),
        ("rank", [CARD], {}, "entries is a Scorecard, not Iterable[Scorecard | Mapping[str, Any]]"),
        ("side_by_side", [["a", "b"]], {"judges": "checks"}, "systems is a list, not Mapping[str, Outputs]"),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(
    name: str, arguments: list[Any], keywords: dict[str, Any], message: str
):
    """What is plainly wrong is said before anything runs."""
    with pytest.raises(TypeError) as caught:
        getattr(evenhand, name)(*arguments, **keywords)
    assert str(caught.value) == f"{name}: {message}"


def test_one_text_is_not_a_list_of_submissions():
    """Its characters would be judged, each in calls of its own."""
    with (
        evenhand.Panel("checks") as panel,
        pytest.raises(TypeError, match=r"^Panel.judge_all: submissions is a str, not"),
    ):
        any_type(panel.judge_all)("one text")


def test_values_of_unchecked_types_pass():
    """Only plain types are told apart: arrays and stand-ins for a store are as good as what they stand for."""

    def function(names: Sequence[str], share: float, store: evenhand.Store | None = None, many: Any = ()) -> str:
        return "called"

    called = any_type(suggesting(function))
    assert (
        called(range(2), 1, object(), 3) == called(("a",), 0.5, None, CARD) == called(names={}, share=True) == "called"
    )


def test_data_that_is_not_a_judgement_is_an_error_about_data():
    """It may come from a file, and whoever goes through many catches what evenhand raises."""
    with pytest.raises(evenhand.JudgementError, match="not a list"):
        any_type(evenhand.score)([1, 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: evenhand.gate([CARD], no_red_flags="invented-prof"),
            r'unknown red flag "invented-prof"; did you mean invented-proof\?',
        ),
        (lambda: evenhand.gate([CARD], no_red_flags=["fabricated"]), 'unknown red flag "fabricated"; valid: '),
        (lambda: evenhand.gate([CARD], criteria="names-cause"), 'unknown criterion "names-cause"'),
        (lambda: evenhand.gate([CARD]), "^say what the gate asks for: min_score, min_grade, "),
        (lambda: evenhand.gate([], min_score=3), "^cards is empty, so there is nothing to rule on"),
        (lambda: evenhand.judge("a", judges=[]), "^judges is empty; name at least one, such as checks"),
        (
            lambda: evenhand.score({"scores": SEVENS}, created="yesterday"),
            '^created is "yesterday"; it must be a moment',
        ),
        (
            lambda: any_type(evenhand.trust.estimate)("meen", [(5.0, 5.0)] * 30, random_labels=True),
            r'^unknown estimate "meen"; did you mean mean\? valid: mean, pass-rate, difference',
        ),
        (
            lambda: evenhand.check("a", expect=[{"command": "true"}]),
            r"^expect\[0\]\['command'\]: command must be an object with run$",
        ),
        (
            lambda: evenhand.check("a", expect=[{"text": "is short"}, {"command": {"run": "true"}}]),
            r"^expect\[1\]\['command'\]\['run'\]: must be a list of words",
        ),
    ],
)
def test_a_wrong_value_is_an_error_and_never_passes(call: Callable[[], object], message: str):
    """A gate that is given a flag that does not exist, no limit or no scorecard would otherwise stand open."""
    with pytest.raises(evenhand.InputError, match=message):
        call()


def test_a_misspelt_field_of_a_value_is_reported_for_the_value():
    with pytest.raises(TypeError, match=r"^Submission\S* got an unexpected keyword argument 'outptu'"):
        any_type(evenhand.Submission)(outptu="a")
