"""Reading the score a judge states in prose: one consistent score on the asked scale, or Unscored with the reason."""

from __future__ import annotations

import doctest
import gzip
import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from time import process_time

import pytest
from conftest import SHARED_DATA
from hypothesis import example, given
from hypothesis import strategies as st
from read_score_cases import NOT_STATED, STATED

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score
from evenhand.replies.prose import reader
from evenhand.replies.prose.statements import statements
from every_case import every_case
from unscored_texts import scored_texts, unscored_texts

ROOT = Path(__file__).parents[2]
JUDGE_TEXTS = SHARED_DATA / "judge_texts" / "mtbench.jsonl.gz"


def read(text: str) -> Decimal | str:
    """The score from 1 to 10, or the reason there is none."""
    found = read_score(text, 1, 10)
    return found.reason if isinstance(found, Unscored) else found


@every_case(("text", "scale", "expected"), STATED)
def test_a_stated_score_is_read_exactly(text, scale, expected):
    """What is said is what is read."""
    assert read_score(text, *scale) == Decimal(expected)


@every_case(("text", "scale", "expected"), NOT_STATED)
def test_a_text_that_states_no_single_score_is_unscored(text, scale, expected):
    """Never a guess: the reason stands in its place."""
    assert isinstance(read_score(text, *scale), Unscored)


def test_there_are_no_two_cases_with_the_same_text_and_scale():
    """Each case says something of its own."""
    keys = [(text, scale) for text, scale, _ in STATED + NOT_STATED]
    assert len(keys) == len(set(keys))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        (" \n", "the reply is empty"),
        ("It is good.", "no score is stated"),
        ("I'm sorry, but I cannot rate this.", "the judge refuses or cannot score; no score is stated"),
        ("My verdict is [[A]].", "a letter or a choice is stated, not a number"),
        ("The text is good. Rating:", "the reply is cut off before a score"),
        ("Score: 7-8", "the score is a range"),
        ("Score: 8 9", "the score stands beside another"),
        ("Score: 8+", "the score is vague"),
        ("Score: 7.125", "the score is given to more than two decimals"),
        ("Score: 7. Score: 8.", "two different scores are stated: 7, 8"),
        ("Score: 4/5", "the score is on a scale to 5, not to 10"),
        ("Score: 11", "the score 11 is outside 1 to 10"),
        ("Accuracy: 8/10, clarity: 9/10", "scores of criteria, none for the whole"),
        ("Assistant A: 8, Assistant B: 6", "several outputs are rated"),
        ("1 " * 3000, "more than 1000 figures, too many for a verdict in prose"),
    ],
)
def test_the_reason_says_what_is_wrong(text, reason):
    """A person who sees Unscored knows why."""
    assert read(text) == reason


def test_the_examples_of_the_docstring_run():
    """What the docstring shows is what happens."""
    results = doctest.testmod(reader)
    assert results.attempted == 3
    assert results.failed == 0


def test_a_scale_without_room_is_refused():
    """Low must be below high, as in every scale."""
    with pytest.raises(ValueError, match="low must be below high"):
        read_score("Score: 7", 10, 1)


def test_statements_tell_what_was_found_and_how():
    """For explanations: value, scale, kind, and what each is of."""
    found = statements("Accuracy: 8/10. I would give it a 7 out of 10. Final rating: [[7]]")
    assert [(str(each.value), each.kind, each.name, each.final) for each in found] == [
        ("8", "label", "accuracy", False),
        ("7", "phrase", "", False),
        ("7", "boxed", "", True),
    ]


def judgements() -> list[tuple[str, Decimal | None]]:
    """Real judgements with the score stored with each; None where none could be read."""
    if not JUDGE_TEXTS.exists():
        pytest.skip("the shared data is not here")
    with gzip.open(JUDGE_TEXTS, "rt", encoding="utf-8") as lines:
        records = [json.loads(line, parse_float=Decimal) for line in lines]
    assert len(records) > 1000
    return [
        (each["judgment"], None if each["stored_score"] == -1 else Decimal(each["stored_score"])) for each in records
    ]


@pytest.mark.slow
def test_every_score_that_was_stored_with_a_real_judgement_is_read():
    """1,120 judgements of a real judge: the same score on each, and Unscored where none could be read."""
    different = []
    for text, stored in judgements():
        found = read_score(text, 1, 10)
        if (None if isinstance(found, Unscored) else found) != stored:
            different.append((text[-100:], stored, found))
    assert different == []


VERDICT = re.compile(r"(?:Rating: )?\[\[[\d.]+\]\]")


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["Score: {}/10", "**Final score:** {}", "I would give it a {} out of 10.", "评分：{}分"]
)
def test_a_real_judgement_with_its_verdict_in_another_form_is_read_alike(form):
    """The figures of the reasoning never stand in the way of the verdict."""
    different = []
    for text, stored in judgements():
        if stored is not None:
            reworded = VERDICT.sub("", text) + "\n\n" + form.format(stored)
            if read_score(reworded, 1, 10) != stored:
                different.append((text[-100:], stored))
    assert different == []


@pytest.mark.slow
def test_a_real_judgement_without_its_verdict_never_gives_another_number():
    """The figures of the reasoning are not a score: none is read, or the one the prose says too."""
    different = []
    for text, stored in judgements():
        found = read_score(VERDICT.sub("", text), 1, 10)
        if not isinstance(found, Unscored) and found != stored:
            different.append((text[-100:], stored, found))
    assert different == []


@pytest.mark.parametrize("count", [500, pytest.param(2_500, marks=pytest.mark.slow)])
def test_no_score_is_invented_for_a_text_that_states_none(count):
    """Numbered points, worked problems, counts, conditions and choices, in every language: none of it is a score."""
    invented = [
        (text, scale) for text in unscored_texts(count) for scale in ((1, 10), (1, 5))
        if not isinstance(read_score(text, *scale), Unscored)
    ]  # fmt: skip
    assert invented == []


@pytest.mark.parametrize("count", [500, pytest.param(2_500, marks=pytest.mark.slow)])
def test_a_stated_score_among_such_pieces_is_read_or_none_is(count):
    """Never another number, and at most one text in a hundred goes unread."""
    read_ = [(text, score, read_score(text, 1, 10)) for text, score in scored_texts(count)]
    assert [entry for entry in read_ if not isinstance(entry[2], Unscored) and entry[2] != entry[1]] == []
    assert sum(isinstance(found, Unscored) for _, _, found in read_) <= count / 100


# --- laws ----------------------------------------------------------------------------------------

WORDS = (
    "the answer covers question clearly and mentions every cause yet leaves out a source "
    "die Antwort ist klar la réponse est claire la respuesta es clara 回答 很 清楚 この 回答 は 明確 です"
).split()
prose = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(lambda words: " ".join(words) + ".")
scores = st.integers(100, 1000).map(lambda cents: Decimal(cents).scaleb(-2)) | st.integers(1, 10).map(Decimal)
TEMPLATES = (
    "Rating: [[{}]]",
    "Score: {}/10",
    "**Score:** {} / 10",
    "Final score: {}",
    "Score: \\boxed{{{}}}",
    "<score>{}</score>",
    '{{"score": {}}}',
    "I would give this response a {} out of 10.",
    "Overall, I rate it {}/10.",
    "Bewertung: {} von 10",
    "Note finale : {}/10",
    "Puntuación: {} de 10",
    "Punteggio: {} su 10",
    "Оценка: {} из 10",
    "评分：{}分",
    "スコア：{}",
    "점수: {}점",
    "التقييم: {} من 10",
)
FOREIGN = (
    'The assistant wrote "{}" there.',
    "The assistant wrote “{}” there.",
    "The assistant wrote '{}' there.",
    "The assistant wrote `{}` there.",
    "The assistant wrote:\n\n```\n{}\n```\n",
    "The assistant wrote:\n\n~~~text\n{}\n~~~\n",
    "The assistant wrote:\n\n> {}\n",
    "<response>{}</response>",
    "<think>{}</think>",
)


@given(prose, st.sampled_from(TEMPLATES), scores, prose)
@pytest.mark.slow
def test_a_score_in_a_template_is_read_whatever_stands_around_it(before, template, score, after):
    """Prose without figures changes nothing."""
    assert read(f"{before}\n\n{template.format(score)}\n\n{after}") == score


@pytest.mark.slow
@given(prose, st.sampled_from(FOREIGN), st.sampled_from(TEMPLATES), scores, st.sampled_from(TEMPLATES), scores)
def test_a_quoted_score_never_changes_the_result(words, quotation, template, score, other_template, other):
    """Fences, block quotes, quotation marks, echoes and thoughts: none of it is the judge's own word."""
    foreign = quotation.format(other_template.format(other))
    own = f"{words}\n\n{template.format(score)}"
    assert read(f"{foreign}\n\n{own}") == read(own) == score
    if "<think>" not in quotation:  # what follows a thought is the whole reply
        assert read(f"{own}\n\n{foreign}") == score


@given(prose, st.sampled_from(FOREIGN), st.sampled_from(TEMPLATES), scores)
@pytest.mark.slow
def test_a_quoted_score_alone_is_not_a_score(words, quotation, template, score):
    """There is nothing of the judge's own to read."""
    assert isinstance(read_score(f"{words}\n\n{quotation.format(template.format(score))}", 1, 10), Unscored)


@pytest.mark.slow
@given(prose, st.sampled_from(TEMPLATES), scores, st.sampled_from(TEMPLATES), scores)
def test_two_different_scores_are_never_one(words, first, one, second, two):
    """Unless one is marked as final, or the later closes the text; it is never a third number, and never the mean."""
    found = read(f"{first.format(one)}\n\n{words}\n\n{second.format(two)}")
    if one == two:
        assert found == one
    else:
        assert isinstance(found, str) or found in (one, two)
        final = ("Final score", "Overall", "finale")
        assert isinstance(found, str) or found == two or any(word in first + second for word in final)


PIECES = (
    *"0123456789./,:;-–—*_`'\"“”«»[](){}<>|\\$~%+=?!\n #",
    "Score",
    "rating",
    " out of ",
    "10",
    "评分",
    "分",
    "★",
    "☆",
    "if ",
)


@given(st.text(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@example("[[" * 50)
@example('"' * 51)
@example("```\n```")
@example("Score: ٣١٢")
@pytest.mark.slow
def test_no_text_breaks_the_reader(text):
    """Whatever stands there: a score on the scale, or Unscored with a reason."""
    found = read_score(text, 1, 10)
    assert found.reason if isinstance(found, Unscored) else 1 <= found <= 10


HOSTILE = (
    "1 ", "7", "8/10 ", "score: ", "score: 7, ", '"a ', "'a ", "`", "```\n", "[[", "\\boxed{", "*", "_", "★",
    "> ", "\n", " ", "<score>", "<think>", "(", "1/", "1-", "7 and ", "i give ", "it ", "if ",
    "the assistant said ", "评分", "1,", "1.", ":", "\u0301\u0323", "\\frac{", "[the start of ", "$", "1+",
    "~~9", "accuracy\nscore: 7\n", "“", "the the response x said ",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_time_grows_no_faster_than_the_text(piece):
    """Four times the text takes about four times as long; were it quadratic, sixteen times."""

    def cost(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        times = []
        for _ in range(100_000 // size):
            start = process_time()
            read_score(text, 1, 10)
            times.append(process_time() - start)
        return min(times)

    assert cost(100_000) < 10 * cost(25_000) + 0.025


@pytest.mark.slow
def test_the_reader_loads_when_it_is_first_used():
    """Importing the judges costs nothing, and the name is always the function."""
    code = (
        "import sys, evenhand.judges\n"
        "assert not [name for name in sys.modules if name.startswith('evenhand.judges.')]\n"
        "from evenhand.judges import read_score\n"
        "import evenhand.replies.prose.reader\n"
        "assert evenhand.judges.read_score is read_score and callable(read_score)\n"
        "print(read_score('Score: 7', 1, 10))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "7\n"
