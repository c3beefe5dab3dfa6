"""A model's replies at their boundaries: samples, preferences, and contact with its provider."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.core.judgement import Calls, Opinion, Unscored
from evenhand.judges.models.attempts import QuestionResult
from evenhand.judges.models.contact import MOST_REFUSED, Contact
from evenhand.judges.models.pair_judge import _lacking, _reading, _Side
from evenhand.judges.models.questions.layout import _name
from evenhand.judges.models.questions.shown_work import Shown, quotable
from evenhand.judges.models.replies.answers import Answer, DimensionAnswer, Preference
from evenhand.judges.models.replies.json_objects import find_objects
from evenhand.judges.models.replies.reply import _unusable
from evenhand.judges.models.weighing import Weighing
from evenhand.providers.exchange import CallFailed, Reply
from evenhand.providers.http.failures import Rejected
from evenhand.work.quotes import checker
from evenhand.work.submission import Submission

# --- replies -----------------------------------------------------------------------------------------


def test_an_object_right_after_a_stray_brace_is_found():
    """The search goes on one character further."""
    search = find_objects('{{"a": 1}')
    assert [(found.start, found.stop) for found in search.objects] == [(1, 9)]


def test_a_reply_without_text_says_what_happened_to_it():
    """Cut off by the limit of tokens, or simply empty."""
    cut, empty = _unusable(Reply("", finish="length")), _unusable(Reply(" \n"))
    assert cut is not None and (cut.reason, cut.kind) == (
        "the model used up its tokens before it answered",
        "truncated",
    )
    assert empty is not None and (empty.reason, empty.kind) == ("the reply is empty", "empty")


@pytest.mark.parametrize(("length", "counts"), [(19, False), (20, True)])
def test_a_quote_of_twenty_bytes_is_evidence(length: int, counts: bool):
    """Within a longer line; a whole line is evidence whatever its length."""
    text = "abcdefghijklmnopqrstuvwxyz, and more of it"
    assert quotable(Shown(text=text, task=None), text[:length]) is counts
    assert quotable(Shown(text="short\nlines", task=None), "short")


def test_names_are_cut_at_sixty_characters():
    """And one without any character is called unnamed."""
    assert (_name("a" * 60), _name("a" * 61), _name("")) == ("a" * 60, "a" * 60, "unnamed")


# --- contact with a provider -------------------------------------------------------------------------


def test_the_latest_failure_is_kept_until_any_reply():
    """A stored reply counts too: the provider has answered before."""
    contact = Contact(answered=False)
    assert (contact.failure, contact.any_reply) == ("", False)
    contact.failed(CallFailed("no route to host", kind="unreachable"))
    assert contact.failure == "no route to host"
    contact.replied(now=False)
    assert (contact.failure, contact.any_reply) == ("", True)
    contact.failed(CallFailed("late", kind="timeout"))
    assert contact.failure == ""


@pytest.mark.parametrize(
    ("kind", "hopeless"), [("rejected", True), ("unreachable", True), ("timeout", False), ("limited", False)]
)
def test_only_a_refusal_or_no_way_there_shows_that_a_judge_cannot_be_asked(kind: str, hopeless: bool):
    """And neither does once it has answered a call of this run."""
    failure = CallFailed("no", kind=kind)  # type: ignore[arg-type]
    assert Contact(answered=False).failed(failure) is hopeless
    assert Contact(answered=True).failed(failure) is False
    stored_only = Contact(answered=False)
    stored_only.replied(now=False)
    assert stored_only.failed(failure) is hopeless
    answered_now = Contact(answered=False)
    answered_now.replied(now=True)
    assert answered_now.failed(failure) is False


@pytest.mark.parametrize("status", [400, 403, 422])
def test_the_twentieth_refusal_that_may_be_about_its_text_is_about_all_texts(status: int):
    """Nineteen may be bad luck."""
    contact = Contact(answered=False)
    refusal = Rejected("refused", status=status, message="invalid", parameter=None)
    assert [contact.failed(refusal) for _ in range(MOST_REFUSED)] == [False] * 19 + [True]
    assert Contact(answered=False).failed(Rejected("refused", status=401, message="invalid", parameter=None))


# --- a sample of our own -----------------------------------------------------------------------------


class _Named:
    def __init__(self) -> None:
        self.identity = {"name": "model:m"}


# --- samples and preferences -------------------------------------------------------------------------

WORK = "The cache kept entries for an hour although prices change every minute."


def _sample(*scores: str) -> list[QuestionResult]:
    """One sample for each score, with a quote from the work."""
    answers = [Answer({"safety": DimensionAnswer(Decimal(score), (WORK,), justification=score)}) for score in scores]
    return [QuestionResult(((answer, Reply("")),), "", Calls(asked=1)) for answer in answers]


def _opinion(*scores: str) -> Opinion:
    submission = Submission(output=WORK)
    return Weighing(submission, Shown(text=WORK, task=None), "model:m").opinion("safety", _sample(*scores))


def test_one_sample_is_its_own_score_and_several_are_a_distribution():
    """6 and 8 make 7; 6, 6 and 9 make 7, with two thirds on 6. Each sample counts a million parts."""
    assert (_opinion("6").score, _opinion("6").distribution) == (6, {})
    assert (_opinion("6", "8").score, _opinion("6", "8").distribution) == (7, {600: 1_000_000, 800: 1_000_000})
    assert (_opinion("6", "6", "9").score, _opinion("6", "6", "9").distribution) == (
        7,
        {600: 2_000_000, 900: 1_000_000},
    )
    assert _opinion("6", "6", "9").justification == "6"  # of the sample nearest to the mean


@pytest.mark.parametrize(
    ("score", "quotes", "lacking"),
    [
        ("6.99", (), ""),
        ("7", (), "safety: a score of 7 without a quote found in the submission"),
        ("7.50", ("Nobody wrote this.",), "safety: a score of 7.5 without a quote found in the submission"),
        ("7", (WORK,), ""),
    ],
)
def test_from_seven_on_a_score_needs_a_quote_from_the_work(score: str, quotes: tuple[str, ...], lacking: str):
    """The judge is told so, and so is the reader of the scorecard."""
    answer = Answer({"safety": DimensionAnswer(Decimal(score), quotes)})
    weighing = Weighing(Submission(output=WORK), Shown(text=WORK, task=None), "model:m")
    opinion = weighing.opinion("safety", [QuestionResult(((answer, Reply("")),), lacking, Calls(asked=1))])
    assert weighing.lacking(answer).problem == lacking
    assert opinion.score == (Unscored(f"{lacking} (asked twice)") if lacking else Decimal(score))


@pytest.mark.parametrize(
    ("verdict", "first", "second", "lacking"),
    [
        ("tie", (), (), ""),
        ("first", (WORK,), (WORK,), ""),
        ("first", (), (WORK,), "it has no quote that occurs in the first work"),
        ("second", (WORK,), ("Nobody wrote this sentence.",), "it has no quote that occurs in the second work"),
        ("second", (), (), "it has no quote that occurs in the first work and in the second work"),
    ],
)
def test_a_preference_needs_a_quote_from_each_work_and_a_tie_none(verdict, first, second, lacking):
    """Otherwise it does not count, and the judge is told which is missing."""
    side = _Side(Shown(text=WORK, task=None), checker(Submission(output=WORK)), submission=Submission(output=""))
    assert _lacking(Answer(preference=Preference(verdict, first, second)), side, side) == lacking
    assert _lacking(Answer(), side, side) == ""


def test_a_reading_without_a_usable_verdict_has_its_reason():
    """The question's own problem, or that no verdict was stated."""
    side = _Side(Shown(text=WORK, task=None), checker(Submission(output=WORK)), submission=Submission(output=""))
    for problem, reason in (("the server hung up", "the server hung up"), ("", "the reply states no verdict")):
        reading = _reading(QuestionResult((), problem, Calls(asked=1)), {"a": side, "b": side}, "a", "b")
        assert (reading.verdict, reading.reason) == (None, reason)
