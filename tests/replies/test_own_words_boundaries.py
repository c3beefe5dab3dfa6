"""A judge's own words, at the boundaries: what it quotes, spelling, boxes and decoration."""

from __future__ import annotations

import re

import pytest

from evenhand.replies.prose.folded_text import folded
from evenhand.replies.prose.markup import plain
from evenhand.replies.prose.quoted import GAP, MARK, own_words
from evenhand.replies.prose.solved import with_boxes
from every_case import every_case

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
    "``` a`b\n7": "``` a`b\n7",  # marks within a line are not a fence
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


@every_case(("text", "kept"), QUOTED.items())
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


@every_case(("text", "expected"), SPELT.items())
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


# --- decoration ----------------------------------------------------------------------

DECORATED = {
    "★": " ", "★★": " 2 stars ", "★★★★★": " 5 stars ", "★★☆": " 2/3 ", "**7**": "7", "<b>7</b>": "7", "$7$": "7",
    "$7": "$7", "3*4": "3×4", "7/10 (7/10)": "7/10", r"\frac{7}{10}": "7/10", "<score>7</score>": "\nscore: 7\n",
    "<answer>7</answer>": "\nscore: 7\n", "<my-score>7</my-score>": "\nmy score: 7\n",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DECORATED.items())
def test_decoration_is_taken_off(text: str, expected: str):
    """Rows of stars become figures; what is left with a dollar sign is money."""
    assert plain(text) == expected
