"""Reading a verdict about two outputs, at the boundaries: values, labels, brackets, lists of options, sentences."""

from __future__ import annotations

import pytest

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_verdict
from evenhand.replies.verdicts.verdict_marks import bracketed, labelled, options, value_side
from every_case import every_case

# --- marks of a verdict ----------------------------------------------------------------------------------

SIDES = {
    "a": "A", "1": "A", "b": "B", "2": "B", "c": "tie", "d": "other", "f": "other", "3": "other", "9": "other",
    "g": "", "0": "", "": "", "better": "",
    "a>b": "A", "a>>b": "A", "b<a": "A", "1>2": "A", "a<b": "B", "a≪b": "B", "b≫a": "B", "a>a": "",
    "a=b": "tie", "a≈b": "tie", "tie": "tie", "a tie": "tie", "both": "tie",
    "response a": "A", "clearly response b": "B", "assistant 2's answer": "B", "response 3": "other", "'a'.": "A",
}  # fmt: skip


@every_case(("value", "side"), SIDES.items())
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


@every_case(("words", "expected"), LABELLED.items())
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


# --- sentences -------------------------------------------------------------------------------------------

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
    # beside a bracket, sentences count that conclude, come later, or all say something else
    "Response A is better. Response B is better. [[A]]": "A",
    "Response A is better. Therefore, response B is better. [[A]]": None,
    "Response A is better. [[A]] Response B is better.": None,
    "Response B is better. [[A]]": None,
    # the options to choose from are not a verdict
    "[[A]] [[B]] [[C]]": None,
    "[[A]] [[B]] [[C]]\n\n[[B]]": "B",
    # in code marks: on a line of its own, or after the last sentence
    "x\n`[[A]]`\ny": "A",
    "x\n`[[A]]` (good)\ny": "A",
    "x\n`[[A]]` y": None,
    "It is done. `[[A]]`": "A",
    "It is done. `[[A]]`\ny": None,
    "It says `[[A]]`": None,
}


@every_case(("text", "verdict"), CHOSEN.items())
def test_sentences_that_prefer_an_output(text: str, verdict: str | None):
    """Not about one aspect, on a condition, conceded, denied or asked; the conclusion decides."""
    read = read_verdict(text)
    assert (None if isinstance(read, Unscored) else read) == verdict
