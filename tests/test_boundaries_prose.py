"""The parts of reading a judge's prose, each at its boundaries: labels, figures, quotations, spelling, boxes, marks."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score, read_verdict
from evenhand.judges.model.reply.prose.figures import figures
from evenhand.judges.model.reply.prose.folding import folded
from evenhand.judges.model.reply.prose.labels import Label, label_before
from evenhand.judges.model.reply.prose.prose_lines import line_before, line_end, line_start
from evenhand.judges.model.reply.prose.quoted import GAP, MARK, own_words
from evenhand.judges.model.reply.prose.solved import with_boxes
from evenhand.judges.model.reply.prose.verdict_marks import bracketed, labelled, options, value_side


def told(value: Any) -> dict[str, Any]:
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


@pytest.mark.parametrize(("before", "expected"), LABELS.items())
def test_what_a_label_calls_its_figure(before: str, expected: dict[str, Any]):
    """The whole, a criterion, an output, or nothing that counts; a colon, a bar or a bracket makes it strong."""
    label = label_before(before)
    assert label is not None and told(label) == expected | {"strong": True}


@pytest.mark.parametrize("before", ["score of ", "a score of ", "the score"])
def test_a_label_without_a_mark_is_weak(before: str):
    """Then the words after the figure must show that it is a score."""
    assert label_before(before) == Label()


@pytest.mark.parametrize("before", ["one two three four five six: ", "steps 7: ", "score 12: ", "--: ", ""])
def test_what_is_no_label(before: str):
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


@pytest.mark.parametrize(("text", "expected"), FIGURES.items())
def test_figures_with_what_is_around_them(text: str, expected: list[dict[str, Any]]):
    """The number, its scale and unit, and why it may not be a single plain one."""
    made = [told(figure) for figure in figures(text)]
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


# --- quotations ----------------------------------------------------------------------------------------

SIXTY = "x" * 54 + " seven"
QUOTED = {
    # blocks: one that is the whole reply is the judge's own
    "```\n7\n```": "\n7\n",
    "```json\n7\n```": "\n7\n",
    "score:\n```\n7\n```": "score:\n\n7\n",
    "```python\n7\n```": GAP,
    "it said:\n```\n7\n```": f"it said:\n{GAP}",
    "a\n```\n7\n```\nb": f"a\n{GAP}\nb",
    "```\na\n```\n```\nb\n```": f"{GAP}\n{GAP}",
    "```\n7": GAP,  # never closed
    "``` a`b\n7": "``` a`b\n7",  # marks within a line are no fence
    "~~~ a`b\n7\n~~~\nx": f"{GAP}\nx",
    "````\n```\n7\n````\nx": f"{GAP}\nx",
    "> 9/10\nmine 7": f"{GAP}\nmine 7",
    # a reply that is one quotation
    '"7 x"': "7 x",
    "'7 x'": "7 x",
    "“7 x”": "7 x",
    "`7 x`": "7 x",
    '"7 x" and "8 x"': f"{GAP} and {GAP}",
    "“7 “ x”": GAP,
    # quotations within a reply
    'a "b" c': "a b c",
    'a "7" c': f"a {MARK}7{MARK} c",
    'a "7 x" c': f"a {GAP} c",
    'a "one" c': f"a {GAP} c",
    f'a "{SIXTY[1:]}" c': f"a {GAP} c",
    f'a "{SIXTY}" c': f"a {SIXTY} c",
    'my verdict: "7 of them"': f"my verdict: {MARK}7 of them{MARK}",
    'she wrote my verdict: "7 of them"': f"she wrote my verdict: {GAP}",
    'she wrote it. my verdict: "7 of them"': f"she wrote it. my verdict: {MARK}7 of them{MARK}",
    f'my verdict: "7 {"x" * 37}"': f"my verdict: {MARK}7 {'x' * 37}{MARK}",
    f'my verdict: "7 {"x" * 38}"': f"my verdict: {GAP}",
    # marks of other kinds, in pairs
    "a „7 x“ c": f"a {GAP} c",
    "a „7 x” c": f"a {GAP} c",
    "a »7 x« c": f"a {GAP} c",
    "a 「7 x」 c": f"a {GAP} c",
    "a ‘7 x’ c": f"a {GAP} c",
    "a ''7 x'' c": f"a {GAP} c",
    "a `7 x` c": f"a {GAP} c",
    "a “7 x» c": "a “7 x» c",
    # marks that open or close nothing
    "it's 7, isn't it": "it's 7, isn't it",
    'a"7 x" c': 'a"7 x" c',
    'a "7 x"c': 'a "7 x"c',
    'a "7 x"评': f"a {GAP}评",
    'a " 7 x" c': 'a " 7 x" c',
    'a "7 x " c': 'a "7 x " c',
    'a 6" b "7 x" c': f'a 6" b {GAP} c',
    'a "b "7 x" c': f'a "b {GAP} c',
    "a '7\n\nx' c": "a '7\n\nx' c",
    'a "7\n\nx" c': f"a {GAP} c",
    # what the judge takes back, thinks, or repeats
    "~~9~~7": "7",
    "<s>9</s>7": "7",
    "<think>9</think>7": "7",
    "7<think>9": "7",
    "<response>9</response>7": f"{GAP}7",
    "<response>9<response>8</response>7": f"{GAP}7",
    "<response>9 7": "<response>9 7",
    "[the start of x]9[the end of x]7": f"{GAP}7",
}  # fmt: skip


@pytest.mark.parametrize(("text", "kept"), QUOTED.items())
def test_what_a_judge_quotes_is_not_its_own(text: str, kept: str):
    """A lone figure in quotation marks may be; a quotation without figures does no harm."""
    assert own_words(text) == kept


# --- spelling ------------------------------------------------------------------------------------------

SPELT = {
    "SCORE": "score", "Ａ７！": "a7!", "٧": "7", "é": "e", "ß": "ss", "\u200b7": "7", "7\ufe0f\u20e3": "7",
    "\u3000": " ", "a\tb": "a b", "a\r\nb\rc": "a\nb\nc", "7½": "7.5", "7 ½": "7.5", "½": "0.5", "¾ b": "0.75 b",
    "\u064b\u0652": "", "\u064a\u0653": "\u064a\u0653", "\u0622\u0626": "\u0627\u064a", "\u0627\u0628": "\u0627\u0628",
    "ḁỿ": "aỿ", "ἀ": "ἀ", "й": "и", "\u0530": "\u0530", "①": "①", "µ": "µ", "が": "が", "\ufe0e": "\ufe0e",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SPELT.items())
def test_one_spelling_for_what_reads_the_same(text: str, expected: str):
    """Width, case, accents and hidden characters make no difference; letters that only look composed stay."""
    assert folded(text) == expected


# --- boxes ---------------------------------------------------------------------------------------------

BOXED = {
    r"\boxed{7}": [True],
    r"\boxed{score 7}": [True],
    r"the correct answer is \boxed{7}": [False],
    r"the correct answer is \boxed{score 7}": [True],
    "score:\n\\boxed{7}": [True],
    "score:\n\n\\boxed{7} is it": [False],
    "score\na\n\\boxed{7} is it": [True],
    "score\na\nb\n\\boxed{7} is it": [False],
    r"so \boxed{7}.": [True],
    r"so \boxed{7} is it": [False],
    r"x = 7, so \boxed{7}": [False],
    r"\boxed{7} and \boxed{7}": [False, True],
    r"\boxed{7} and \boxed{8}": [False, False],
}


@pytest.mark.parametrize(("text", "ratings"), BOXED.items())
def test_a_box_is_a_rating_or_the_solution_of_the_problem(text: str, ratings: list[bool]):
    """With a word for a score in it, or in the two lines before it; else only at the end of a text without solving."""
    assert [mark == "[[" for mark in re.findall(rf"\[\[|{GAP}", with_boxes(text))] == ratings


# --- marks of a verdict ----------------------------------------------------------------------------------

SIDES = {
    "a": "A", "1": "A", "b": "B", "2": "B", "c": "tie", "d": "other", "f": "other", "3": "other", "9": "other",
    "g": "", "0": "", "": "", "better": "",
    "a>b": "A", "a>>b": "A", "b<a": "A", "1>2": "A", "a<b": "B", "a≪b": "B", "b≫a": "B", "a>a": "",
    "a=b": "tie", "a≈b": "tie", "tie": "tie", "a tie": "tie", "both": "tie",
    "response a": "A", "clearly response b": "B", "assistant 2's answer": "B", "response 3": "other", "'a'.": "A",
}  # fmt: skip


@pytest.mark.parametrize(("value", "side"), SIDES.items())
def test_what_a_value_names(value: str, side: str):
    """One of the two outputs, a tie, an output beyond the two, or nothing."""
    assert value_side(value) == side


LABELLED = {
    "winner: a": "A!", "winner: a\nx": "A!", "x\nwinner: b": "B!", "so winner: a": "A!", "-- winner: a": "A!",
    "no. winner: a": "A",
    "winner: 2": "B!", "verdict: b": "B!", "verdict: 2": "",  # which may be a score
    # labels that the work may have, too: in the last line only, and spoken in short texts only
    "answer: a": "A!", "x\nanswer: a": "A!", "x\nanswer: a\n": "A!", "answer: a\nx": "", "the answer is a": "A",
    f"{'x' * 24} the answer is a": "A", f"{'x' * 25} the answer is a": "",
    # a word within forty characters that takes it back, in the same sentence
    "not the winner: a": "", "if so, winner: a": "", "it is not so. winner: a": "A!",
    f"not {'x' * 35} winner: a": "", f"not {'x' * 36} winner: a": "A",
    # lines of their own
    "a\nx": "A!", "x\nb": "B!", "x\nresponse a  ": "A!", "c\nx": "", "1\nx": "", "1\nresponse 1 and 2": "A!",
    "response a is better\nx": "", "a": "", "x\na\ny": "",
    # the forms of published judges
    "[result] a": "A!", "1\nreason: x": "A!", "2\nreason: x": "B!", "8 7\nx": "A!", "7 8\nx": "B!", "7 7\nx": "tie!",
}  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), LABELLED.items())
def test_verdicts_after_a_label_or_on_a_line_of_their_own(words: str, expected: str):
    """An exclamation mark here stands for a conclusion."""
    assert "".join(choice.side + "!" * choice.concluding for choice in labelled(words)) == expected


BRACKETED = {
    "[[a]]": "A", "x [[b]]": "B", "[[g]]": "", "[[a]] [[b]]": "AB",
    "[[2]]": "", "winner [[2]]": "B", "winner\n[[2]]": "",  # a rating, unless its line speaks of a choice
    f"winner {'x' * 53}[[2]]": "B", f"winner {'x' * 54}[[2]]": "",
    "[[a]] if better": "", "[[a]] 如果": "",
    "final [[a]]": "A!", "final\n[[a]]": "A", f"final {'x' * 114}[[a]]": "A!", f"final {'x' * 115}[[a]]": "A",
}  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), BRACKETED.items())
def test_verdicts_in_double_brackets(words: str, expected: str):
    """The line before them tells whether they conclude, and whether a number is an output."""
    assert "".join(choice.side + "!" * choice.concluding for choice in bracketed(words)) == expected


LISTS = {
    "[[a]] [[b]] [[c]]": [(0, 17)],
    "x\n[[a]] [[b]] [[c]] y\nz": [(2, 21)],
    "[[a]] [[b]]": [],
    "[[a]] [[a]] [[a]]": [],
    "[[a]]\n\n[[b]] [[c]]": [],
    "[[a]] verdict [[b]] [[c]]": [],
    f"[[a]]{'x' * 85}[[b]][[c]]": [(0, 100)],
    f"[[a]]{'x' * 86}[[b]][[c]]": [],
}


@pytest.mark.parametrize(("words", "expected"), LISTS.items())
def test_three_brackets_with_two_verdicts_are_the_options_to_choose_from(words: str, expected: list[tuple[int, int]]):
    """From the start of their first line to the end of the last; at most ninety characters from one to the next."""
    assert options(words, list(bracketed(words))) == expected


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
}


@pytest.mark.parametrize(("text", "score"), SCORES.items())
def test_what_makes_a_number_a_score(text: str, score: str | None):
    """A label, a scale, or a change of the score; not what is counted."""
    read = read_score(text, 1, 10)
    assert (None if isinstance(read, Unscored) else str(read)) == score


CHOSEN = {
    "Clarity: response A is better.": None,
    "x\nClarity: response A is better.": None,
    "Overall: response A is better.": "A",
    "Response A: it is better.": None,
    "Both are equally good.": "tie",
    "Both are not equally good.": None,
    "It is a tie.": "tie",
    "It is not a tie.": None,
    "Therefore, response A is better. Response B is better.": None,
    "Response B is better. Therefore, response A is better.": "A",
    "Therefore, response A is better and response B is worse.": "A",
    "Response A is better in terms of style.": None,
    "Response A is better at explaining.": None,
    "Response A is better if one likes verse.": None,
    "If one likes verse, response A is better.": None,
    "Although response A is better, response B wins.": "B",
    "I don't think response A is better.": None,
    "Is response A better?": None,
}


@pytest.mark.parametrize(("text", "verdict"), CHOSEN.items())
def test_sentences_that_prefer_an_output(text: str, verdict: str | None):
    """Not about one aspect, on a condition, conceded, denied or asked; the conclusion decides."""
    read = read_verdict(text)
    assert (None if isinstance(read, Unscored) else read) == verdict
