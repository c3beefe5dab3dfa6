"""Where reading prose looks, and where it stops: every limit hit from both sides."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score, read_verdict
from evenhand.providers.exchange import Reply
from evenhand.replies.prose.statements import MOST, WINDOW
from evenhand.replies.prose_reply import LONGEST_PROSE
from evenhand.replies.reply import LONGEST, Answer, read_reply
from test_judge_reply import CORRECTNESS, NONCE, RUBRIC, SHOWN, answer, kind_of, read, score_of


def scored(text: str, low: int = 1, high: int = 10) -> Decimal | None:
    found = read_score(text, low, high)
    return None if isinstance(found, Unscored) else found


def filled(start: str, end: str, length: int) -> str:
    """`start`, words of one letter, and `end`, that many characters long."""
    room = length - len(start) - len(end)
    return start + ("q " * room)[: room - 1] + " " + end


def test_a_condition_counts_within_240_characters_of_the_figure():
    """The first letter of `if` is the 240th character before the figure, then the 241st."""
    assert WINDOW == 240
    near, far = (filled("if ", "score: ", length) for length in (240, 241))
    assert scored(near + "7") is None
    assert scored(far + "7") == 7


def test_the_line_above_a_figure_is_its_label_up_to_60_characters():
    """`Score:` at the end of a line of 60, then of 61."""
    fits, long = (filled("the overall", "score:", length) for length in (60, 61))
    assert (len(fits), scored(fits + "\n7")) == (60, 7)
    assert (len(long), scored(long + "\n7")) == (61, None)


def test_the_judges_verb_counts_within_110_characters_of_the_figure():
    """`I rate` and the figure with 110 characters between them, then 111."""
    near, far = (filled("I rate ", "a ", 6 + between) for between in (110, 111))
    assert scored(near + "7.") == 7
    assert scored(far + "7.") is None


def test_a_criterion_alone_labels_the_score_of_a_line_below_60_characters():
    """A line of 59 characters, then of 60."""
    fits, long = (f"Here, {'q' * (length - 19)} coherence: 4" for length in (59, 60))
    assert (len(fits), scored(fits)) == (59, 4)
    assert (len(long), scored(long)) == (60, None)


def test_up_to_50_characters_may_follow_the_word_score_in_a_label():
    """`Score` and 50 characters before the colon, then 51."""
    assert scored(f"Score for {'q' * 45}: 7") == 7  # 5 + 45
    assert scored(f"Score for {'q' * 46}: 7") is None


def test_a_verdict_has_at_most_a_thousand_figures():
    """One more than that is too many for a verdict in prose."""
    assert MOST == 1000
    assert scored("It has 3 parts. " * 999 + "Score: 7") == 7
    assert scored("It has 3 parts. " * 1000 + "Score: 7") is None


def test_a_box_is_a_rating_with_a_word_for_a_score_within_120_characters():
    """The word begins 120 characters before the box, then 121; other words follow the box, so it is not the end."""
    near, far = (filled("score", "", length) for length in (120, 121))
    assert scored(near + "\\boxed{7} and so on") == 7
    assert scored(far + "\\boxed{7} and so on") is None


@pytest.mark.parametrize(("digits", "expected"), [("123456", 123456), ("1234567", None)])
def test_a_score_has_at_most_six_digits(digits, expected):
    """As a whole reply, and after a label."""
    assert scored(digits, 0, 10_000_000) == expected
    assert scored(f"Score: {digits}", 0, 10_000_000) == expected


@pytest.mark.parametrize(("name", "expected"), [("very " * 7 + "good.", 3), ("very " * 7 + "useful.", None)])
def test_the_name_of_a_level_has_at_most_40_characters(name, expected):
    """39 letters and spaces with the number's own end, then 41."""
    assert scored(f"3. {name}", 1, 5) == expected


@pytest.mark.parametrize(("length", "expected"), [(60, 3), (61, None)])
def test_a_note_beside_a_lone_number_has_at_most_60_characters(length, expected):
    """In brackets, after the number."""
    assert scored(f"3 ({'x' * length})", 1, 5) == expected


def test_a_quoted_figure_of_the_judges_own_is_shorter_than_40_characters():
    """What the judge leads up to in quotation marks: 39 characters are kept, 40 are a quotation."""
    for length, expected in ((39, 7), (40, None)):
        inside = filled("Rating: [[7]]", "", length).rstrip() + "z" * 2
        inside = inside[: length - 1] + "z"
        assert len(inside) == length
        assert scored(f'My verdict is as follows: "{inside}"') == expected


# --- replies -------------------------------------------------------------------------------------


def prose(length: int) -> str:
    """A reply in prose of that many characters that states the score 6."""
    ending = "\nScore: 6/10"
    return ("It is fine. " * (length // 12 + 1))[: length - len(ending)] + ending


def test_prose_of_up_to_20000_characters_is_read():
    """One more is malformed."""
    assert LONGEST_PROSE == 20_000
    assert score_of(read(prose(20_000))) == 6
    assert kind_of(read(prose(20_001))) == "malformed"


def test_a_reply_of_up_to_a_million_characters_is_read():
    """The object is found behind white space; one character more is too long."""
    assert LONGEST == 1_000_000
    text = answer(score=6)
    assert score_of(read(" " * (1_000_000 - len(text)) + text)) == 6
    assert kind_of(read(" " * (1_000_001 - len(text)) + text)) == "malformed"


def test_a_prose_reply_is_quoted_as_justification_up_to_1000_characters():
    """The rest is left out."""
    made = read("x" * 1500 + "\nScore: 6/10")
    assert isinstance(made, Answer)
    assert len(made.dimensions["correctness"].justification) == 1000


def test_texts_in_an_answer_are_cut_and_quotes_dropped_at_2000_characters():
    """A quote of 2,000 characters is kept, one of 2,001 proves nothing; a justification keeps its first 2,000."""
    made = read(answer(score=6, quotes=["a" * 2000, "b" * 2001], justification="c" * 2001))
    assert isinstance(made, Answer)
    part = made.dimensions["correctness"]
    assert part.quotes == ("a" * 2000,)
    assert part.justification == "c" * 2000


def test_five_quotes_and_five_observations_are_read():
    """The sixth is not."""
    quotes = [f"quote number {number}" for number in range(6)]
    made = read(answer(score=6, quotes=quotes, observations=[{"statement": quote, "holds": True} for quote in quotes]))
    assert isinstance(made, Answer)
    assert made.dimensions["correctness"].quotes == tuple(quotes[:5])
    assert len(made.dimensions["correctness"].observations) == 5


@pytest.mark.parametrize(("written", "score"), [("1.00", "1.00"), ("0.99", None), ("10.00", "10.00"), ("10.01", None)])
def test_a_score_in_prose_is_from_1_to_10(written, score):
    """Both ends belong to the scale."""
    made = read_reply(Reply(f"Score: {written}"), RUBRIC, CORRECTNESS, NONCE, SHOWN)
    assert (str(made.dimensions["correctness"].score) if isinstance(made, Answer) else None) == score


def test_a_reply_to_of_four_characters_is_a_code_and_a_shorter_one_is_a_word():
    """`reply to you` names nobody's code."""
    assert kind_of(read("reply_to: abcd\nScore: 6/10")) == "echoed"
    assert score_of(read("reply_to: abc\nScore: 6/10")) == 6


# --- verdicts ------------------------------------------------------------------------------------


def test_a_verdict_in_brackets_has_at_most_40_characters():
    """Spaces inside count."""
    for length, expected in ((40, "A"), (41, None)):
        inside = "assistant" + " " * (length - 10) + "a"
        verdict = read_verdict(f"It is so. [[{inside}]]")
        assert (None if isinstance(verdict, Unscored) else verdict) == expected


def test_a_quoted_verdict_of_the_judges_own_is_shorter_than_40_characters():
    """39 characters are kept, 40 are a quotation."""
    for length, expected in ((39, "B"), (40, None)):
        inside = "[[B]]" + "z" * (length - 5)
        verdict = read_verdict(f'It is long. My final verdict: "{inside}"')
        assert (None if isinstance(verdict, Unscored) else verdict) == expected
