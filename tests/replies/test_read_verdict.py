"""Reading which of two outputs a judge prefers: one consistent verdict, or Unscored with the reason."""

from __future__ import annotations

import doctest
import gzip
import json
from time import process_time

import pytest
from conftest import SHARED_DATA
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score, read_verdict
from evenhand.replies.verdicts import verdicts
from every_case import every_case
from judge_formats import judge_texts
from unscored_texts import CHOICES
from verdict_cases import CASES
from verdict_texts import contradictory_texts, verdict_texts

JUDGE_TEXTS = SHARED_DATA / "judge_texts" / "mtbench.jsonl.gz"


def read(text: str) -> str | None:
    """The verdict, or None."""
    verdict = read_verdict(text)
    return None if isinstance(verdict, Unscored) else verdict


@every_case(("text", "expected"), CASES)
def test_a_stated_verdict_is_read_and_no_other(text, expected):
    """Brackets, labels, JSON and sentences in every language; none where none is stated."""
    assert read(text) == expected


def test_there_are_no_two_cases_with_the_same_text():
    """Each case has something of its own."""
    assert len({text for text, _ in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        ("Both are fine.", "no verdict is stated"),
        ("I'm sorry, but I cannot compare them.", "the judge refuses or cannot decide"),
        ("[[A]] or [[B]]", "two different verdicts are stated: A, B"),
        ("Winner: A\nWinner: tie", "two different verdicts are stated: A, tie"),
        ("Response 3 is better.", "an output beyond the two is preferred"),
        ("x" * 100_001, "the text is longer than 100,000 characters, too long for a verdict in prose"),
    ],
)
def test_the_reason_says_why_there_is_no_verdict(text, reason):
    """A person who sees no preference knows why."""
    assert read_verdict(text) == Unscored(reason)


@pytest.mark.slow
def test_the_longest_text_is_still_read():
    """100,000 characters, the verdict among them."""
    assert read("x" * (100_000 - 6) + "\n[[B]]") == "B"


@pytest.mark.parametrize("count", [500, pytest.param(2_500, marks=pytest.mark.slow)])
def test_generated_verdicts_agree_with_their_labels(count):
    """None is wrong, and at most one in two hundred goes unread."""
    read_ = [(text, label, read(text)) for text, label in verdict_texts(count)]
    assert [entry for entry in read_ if entry[2] not in (None, entry[1])] == []
    assert sum(verdict is None for _, _, verdict in read_) <= count / 200


@pytest.mark.parametrize("count", [20, pytest.param(400, marks=pytest.mark.slow)])
def test_texts_in_the_forms_of_published_judges_are_read_as_their_authors_meant_them(count):
    """MT-Bench, Arena-Hard, Auto-J, PandaLM, JudgeLM, Prometheus and others: none wrong, invented or missed."""
    assert [made for made in judge_texts(count) if read(made.text) != made.label] == []


@pytest.mark.parametrize("count", [250, pytest.param(2_000, marks=pytest.mark.slow)])
def test_contradictory_verdicts_give_none(count):
    """Two verdicts in the same form, one for each output."""
    assert [text for text in contradictory_texts(count) if read(text) is not None] == []


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.slow)])
def test_a_verdict_text_states_no_score(count):
    """What prefers an output rates none, whatever numbers it holds."""
    assert [text for text, _ in verdict_texts(count, seed=7) if not isinstance(read_score(text, 1, 10), Unscored)] == []


@pytest.mark.slow
def test_a_text_that_rates_one_output_states_no_verdict():
    """1,120 judgements of a real judge that rated single answers: [[2]] is a rating, not the second output."""
    if not JUDGE_TEXTS.exists():
        pytest.skip("the shared data is not here")
    with gzip.open(JUDGE_TEXTS, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["judgment"] for line in lines]
    assert [text[-80:] for text in texts if read(text) is not None] == []


def test_the_choices_of_the_other_corpus_are_read():
    """What ends those texts is a verdict here, but for an empty end, a doubt and a remark."""
    unread = [choice for choice in CHOICES if read(choice) is None]
    assert unread == ["", "I cannot decide.", "The response is helpful overall."]


def test_the_examples_of_the_docstring_run():
    """What the docstring shows is what happens."""
    results = doctest.testmod(verdicts)
    assert (results.attempted, results.failed) == (3, 0)


PIECES = (
    "[[",
    "]]",
    "A",
    "B",
    ">",
    ">>",
    "=",
    " is ",
    "better",
    "Output (a)",
    "Response 2",
    "\n",
    ".",
    '"',
    "tie",
    "回答",
    "更好",
    "not ",
    "if ",
    "Winner: ",
)


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=50).map("".join))
@example("[[" * 50)
@example("回答一回答二" * 20)
@pytest.mark.slow
def test_no_text_breaks_the_reader(text):
    """A verdict, or Unscored with a reason."""
    verdict = read_verdict(text)
    assert verdict.reason if isinstance(verdict, Unscored) else verdict in ("A", "B", "tie")


HOSTILE = (
    "[[A", "Assistant A is ", "better ", "Output (a) ", "winner: ", "the first ", '"', "回答", "回答一", "if ",
    "tie ", "a b ", "I ", "[[A]] ", "prefer ", "verdict ", "both ", "one two ", "  ", "\n", "(", "wait, ",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_time_grows_no_faster_than_the_text(piece):
    """Four times the text takes about four times as long; were it quadratic, sixteen times."""

    def cost(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        times = []
        for _ in range(2 if size > 50_000 else 4):
            start = process_time()
            read_verdict(text)
            times.append(process_time() - start)
        return min(times)

    assert cost(80_000) < 10 * cost(20_000) + 0.05
