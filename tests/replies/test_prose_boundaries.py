"""Reading a score in a judge's prose, at the boundaries: lines, labels, figures, lists, headings, statements."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score
from evenhand.replies.prose.figures import figures
from evenhand.replies.prose.labels import Label, label_before
from evenhand.replies.prose.listed import is_list_marker
from evenhand.replies.prose.parts import Heading, Headings
from evenhand.replies.prose.prose_lines import line_before, line_end, line_start
from every_case import every_case


def set_fields(value: Any) -> dict[str, Any]:
    """The fields of a named tuple that differ from their defaults."""
    return {name: field for name, field in value._asdict().items() if field != value._field_defaults.get(name)}


# --- lines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "before", "ends"), [(0, "", 0), (1, "", 3), (2, "a", 3), (3, "ab", 3), (4, "", 5), (5, "c", 5)]
)
def test_the_line_around_a_place(place: int, before: str, ends: int):
    """A line ends before its line feed and the next begins after it; the last ends with the text."""
    text = "\nab\nc"
    assert (line_before(text, place), text[: line_start(text, place)] + before) == (before, text[:place])
    assert line_end(text, place) == ends


# --- labels --------------------------------------------------------------------------------------------

WHOLE: dict[str, Any] = {}
"""A label of the whole."""

LABELS: dict[str, dict[str, Any]] = {
    "score: ": WHOLE,
    "my score: ": WHOLE,
    "judge's score: ": WHOLE,
    "final score (1-10): ": {"final": True, "scale": 10},
    "score (10): ": {"scale": 10},
    "overall: ": {"final": True},
    "revised overall: ": {"final": True, "revised": True},
    "revised score: ": {"final": True, "revised": True},
    "(final) ": {"final": True},
    "it was hard (final score) ": {"final": True},
    # a sum or a result may belong to the judged problem
    "total: ": {"final": True, "summed": True},
    "result: ": {"summed": True},
    "final result: ": {"final": True, "summed": True},
    # criteria, known and unknown
    "clarity: ": {"name": "clarity"},
    "| clarity | ": {"name": "clarity"},
    "clarity score: ": {"name": "clarity"},
    "score (clarity): ": {"name": "clarity"},
    "answer quality: ": {"name": "answer quality", "known": False},
    "final answer: ": {"name": "final answer", "known": False},
    "one two three four five: ": {"name": "one two three four five", "known": False},
    "hello score: ": {"name": "hello", "known": False, "noun": True},
    "my very hello score: ": {"name": "very hello", "known": False, "noun": True},
    "in my very hello score: ": WHOLE,
    "my final hello score: ": {"final": True},
    "accuracy " + "x" * 30 + " score: ": {"name": "accuracy"},  # forty characters before the score
    "accuracy " + "x" * 31 + " score: ": {"name": "accuracy " + "x" * 31, "known": False, "noun": True},
    # one of several outputs
    "response 2: ": {"name": "response 2", "output": True},
    "response 2 score: ": {"name": "response 2", "output": True},
    "score for response 2: ": {"name": "response 2", "output": True},
    "score (response b): ": {"name": "response b", "output": True},
    "score a: ": {"name": "a", "output": True},
    # not the verdict
    "average: ": {"excluded": "average"},
    "average score: ": {"excluded": "average"},
    "its own score: ": {"excluded": "its own"},
    "score range: ": {"excluded": "range"},
    # scripts without spaces
    "评分:": WHOLE,
    "最终评分:": {"final": True},
    "平均评分:": {"excluded": "平均"},
    "评分标准:": {"excluded": "标准"},
    "准确性评分:": {"name": "准确性"},
    "回答一评分:": {"name": "回答一", "output": True},
    "一二三四五六评分:": {"name": "一二三四五六", "known": False, "noun": True},
    "甲乙丙丁戊己庚评分:": WHOLE,
    "abc评分:": WHOLE,
    "评分" + "啊" * 12 + ":": WHOLE,
    "评分" + "啊" * 13 + ":": {"name": "评分" + "啊" * 13, "known": False},
}


@every_case(("before", "expected"), LABELS.items())
def test_what_a_label_calls_its_figure(before: str, expected: dict[str, Any]):
    """The whole, a criterion, an output, or nothing that counts; a colon, a bar or a bracket makes it strong."""
    label = label_before(before)
    assert label is not None and set_fields(label) == expected | {"strong": True}


@pytest.mark.parametrize("before", ["score of ", "a score of ", "the score"])
def test_a_label_without_a_mark_is_weak(before: str):
    """Then the words after the figure must show that it is a score."""
    assert label_before(before) == Label()


@pytest.mark.parametrize("before", ["one two three four five six: ", "steps 7: ", "score 12: ", "--: ", ""])
def test_what_is_not_a_label(before: str):
    """Too many words, a number, or no word at all."""
    assert label_before(before) is None


# --- figures -------------------------------------------------------------------------------------------

NO_NUMBER = {"trouble": "no plain number"}
VAGUE = {"trouble": "is vague"}
FIGURES: dict[str, list[dict[str, Any]]] = {
    "7.5": [{"value": "7.5"}],
    "7,25": [{"value": "7.25"}],
    "7.125": [{"trouble": "is given to more than two decimals"}],
    "1.2.3": [NO_NUMBER],
    "123456": [{"value": "123456"}],
    "1234567": [NO_NUMBER],
    # signs and hyphens
    "x -7": [{"value": "-7"}],
    "(-7)": [{"value": "-7"}],
    ":-7": [{"value": "-7"}],
    ")-7": [{"value": "7"}],
    "评-7": [{"value": "7"}],
    "well-7": [{"value": "7"}],
    # not a number
    "7a": [NO_NUMBER],
    "7:30": [NO_NUMBER, {"value": "30"}],
    "7 /x": [NO_NUMBER],
    "7/10/2026": [NO_NUMBER],
    "7/10.5.2": [NO_NUMBER],
    "3-1": [NO_NUMBER],
    "3-3": [NO_NUMBER],
    # scales and units
    "8/10": [{"value": "8", "scale": "10"}],
    "8/10/x": [{"value": "8", "scale": "10"}],
    "seven out of ten": [{"value": "7", "scale": "10", "word": "seven"}],
    "7 on a 10-point scale": [{"value": "7", "scale": "10"}],
    "7 (max 10)": [{"value": "7", "scale": "10"}],
    "7 (1-10)": [{"value": "7", "scale": "10"}],
    "7/10 points": [{"value": "7", "scale": "10", "unit": "points"}],
    "7 stars": [{"value": "7", "unit": "stars"}],
    "7%": [{"value": "7", "unit": "%"}],
    "八分": [{"value": "8", "unit": "分", "word": "八"}],
    # halves and sums
    "7 and a half": [{"value": "7.5"}],
    "7.5 and a half": [{"value": "7.5"}],
    "七分半": [{"value": "7.5", "unit": "分", "word": "七"}],
    "7점 반": [{"value": "7.5", "unit": "점"}],
    "4+3=7": [{"value": "7"}],
    # vague ones, ranges and neighbours
    "7+": [{"value": "7"} | VAGUE],
    "7 or so": [{"value": "7"} | VAGUE],
    "7-8": [{"value": "7", "second": "8", "trouble": "is a range"}],
    "7/10 - 8/10": [{"value": "7", "scale": "10", "second": "8", "trouble": "is a range"}],
    "7 or 8x": [{"value": "7"}, NO_NUMBER],
    "7 or 8评": [{"value": "7", "second": "8", "trouble": "is a range"}],
    "7 8": [{"value": "7", "second": "8", "trouble": "stands beside another"}],
    "7, 8x": [{"value": "7", "second": "8", "trouble": "stands beside another"}],
    "[7] [8]": [{"value": "7"}, {"value": "8"}],
    "7/10, 8/10": [{"value": "7", "scale": "10"}, {"value": "8", "scale": "10"}],
    "7% 8": [{"value": "7", "unit": "%"}, {"value": "8"}],
    "seven 8": [{"value": "7", "word": "seven"}, {"value": "8"}],
    "7 eight": [{"value": "7"}, {"value": "8", "word": "eight"}],
}


def as_figure(fields: dict[str, Any]) -> dict[str, Any]:
    """A figure's fields with their numbers as numbers."""
    numbers = ("value", "scale", "second")
    return {name: Decimal(value) if name in numbers and value else value for name, value in fields.items()}


@every_case(("text", "expected"), FIGURES.items())
def test_figures_with_what_is_around_them(text: str, expected: list[dict[str, Any]]):
    """The number, its scale and unit, and why it may not be a single plain one."""
    made = [set_fields(figure) for figure in figures(text)]
    for figure in made:
        del figure["start"], figure["end"]
    assert made == [as_figure(fields) for fields in expected]


@pytest.mark.parametrize(
    ("text", "ends"),
    {"a 7.5 b": [(2, 5)], "8/10 x": [(0, 4)], ")-7": [(2, 3)], "7 points, 8": [(0, 8), (10, 11)]}.items(),
)
def test_a_figure_ends_after_its_unit_and_scale(text: str, ends: list[tuple[int, int]]):
    """The words after it begin there."""
    assert [(figure.start, figure.end) for figure in figures(text)] == ends


# --- lists and headings ----------------------------------------------------------------------------------

LISTED = {
    "1. a": [True], "1) a": [True], "(1) a": [True], "1.": [False], "7: a": [False], "7: 8": [False, False],
    "7: a\n8: b": [True, True], "8 - a\n7 - b": [True, True], "7: a\n9: b": [False, False],
    "7.5: a\n8.5: b": [False, False], "7/10: a\n8/10: b": [False, False], "7 points: a\n8: b": [False, False],
    "evaluation: 1. a": [True], "x 1. a": [False], "x 1. a 2. b": [True, False], "x 2. a 3. b": [False, False],
}  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), LISTED.items())
def test_a_number_of_a_list_is_not_a_score(words: str, expected: list[bool]):
    """At the start of a line; with a colon or a dash only if the number before or after it begins another line."""
    assert [is_list_marker(words, figure) for figure in figures(words)] == expected


UNDER_CLARITY = Heading(name="under clarity")
HEADINGS = {
    "clarity\n": UNDER_CLARITY, "clarity:\n": UNDER_CLARITY, "1. clarity\n": UNDER_CLARITY, "clarity.\n": Heading(),
    "x\nclarity\ny z.\n": UNDER_CLARITY, "clarity: 7\n": Heading(), "hello\n": Heading(), "7\n": Heading(),
    "": Heading(),
    "on clarity and such other things\n": UNDER_CLARITY, "on clarity and so many other things\n": Heading(),
    "response 2\n": Heading(output="under response 2"), "clarity\noverall\n": Heading(final=True),
    "the overall final verdict\n": Heading(final=True), "my very overall final verdict\n": Heading(),
}  # fmt: skip


@pytest.mark.parametrize(("words", "heading"), HEADINGS.items())
def test_the_heading_above_a_score(words: str, heading: Heading):
    """The last line of at most six words that is not a sentence; one about the whole has four at most."""
    assert Headings(words).above(len(words)) == heading


# --- texts -----------------------------------------------------------------------------------------------

SCORES = {
    "Score: 7 points": "7",
    "Score: 3 issues": None,
    "Score: 7 steps were taken": None,
    "Score: seven": "7",
    "Score: seven dwarfs": None,
    "Score: seven/10 dwarfs": "7",
    "Steps: 7": None,
    "Steps: 7/10": "7",
    "Steps (1-10): 7": "7",
    "I give a score 7/10": "7",
    "the score 7/10": "7",
    "the score 7": None,
    "the score 7/10x": None,
    "I lowered my score to 6.": "6",
    "I lowered the price to 6.": None,
    "I lowered my score to 6 steps.": None,
    "Score: 8. I lower my score from 8 to 6.": "6",
    "Score: 8. The price fell from 8 to 6.": "8",
    "For example, I lowered my score to 6.": None,
    "If that were so, I would have lowered my score to 6.": None,
    "The reviewer says he lowered the score to 6.": None,
    # later statements, and stronger ones
    "It gets a 7. Score: 6": "6",
    "Score: 4\nFinal score: 6": "6",
    "Final score: 6\nScore: 4": None,
    "Score: 8. Revised score: 5.": "5",
    "Revised score: 5. Score: 8.": None,
    "Score: 8. Revised score: 7. Revised score: 5.": "5",
    "Score: 8 or 9. Score: 8": "8",
    "Score: 8 or 9. Score: 7": None,
    # another scale than the asked one
    "The scale is 1 to 5. Score: 4": None,
    "The scale is 1 to 5. Score: 5": None,
    "The scale is 1 to 5. Score: 6": "6",
    # a total may solve the problem that was judged, unless it is all of a short reply
    f"Total: 7. {'x' * 50}": "7",
    f"Total: 7. {'x' * 51}": None,
    "Total: 7.\nx": None,
    "Clarity\nI rate it 7/10.": "7",
}


@pytest.mark.parametrize(("low", "score"), [(-10, None), (0, "7"), (1, "7")])
def test_a_dash_is_a_bullet_unless_scores_can_be_negative(low: int, score: str | None):
    """Otherwise it may be a minus sign."""
    read = read_score("- 7", low, 10)
    assert (None if isinstance(read, Unscored) else str(read)) == score


@every_case(("text", "score"), SCORES.items())
def test_what_makes_a_number_a_score(text: str, score: str | None):
    """A label, a scale, or a change of the score; not what is counted."""
    read = read_score(text, 1, 10)
    assert (None if isinstance(read, Unscored) else str(read)) == score
