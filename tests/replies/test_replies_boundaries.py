"""A model's replies at their boundaries: numbers in words, samples, preferences, and contact with its provider."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.core.text.evidence import checker
from evenhand.core.values.opinion import Opinion, Unscored
from evenhand.core.values.panel import Calls
from evenhand.core.values.submission import Submission
from evenhand.judges.model.attempts import QuestionResult
from evenhand.judges.model.canary import Canary
from evenhand.judges.model.contact import MOST_REFUSED, Contact
from evenhand.judges.model.pair_judge import _lacking, _reading, _Side
from evenhand.judges.model.weighing import Weighing
from evenhand.providers.exchange import CallFailed, Reply
from evenhand.providers.http.failures import Rejected
from evenhand.questions.layout import _name
from evenhand.questions.shown_work import Shown, quotable
from evenhand.replies.answers import Answer, DimensionAnswer, Preference
from evenhand.replies.json_objects import find_objects
from evenhand.replies.prose.figures import value_of
from evenhand.replies.prose.folded_text import folded
from evenhand.replies.prose.reader import _within
from evenhand.replies.prose.scales import mentioned
from evenhand.replies.prose.statements import Statement
from evenhand.replies.reply import _unusable
from every_case import every_case

# --- numbers in words --------------------------------------------------------------------------------

TENS = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
    "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix",
)


@pytest.mark.parametrize("words", TENS)
def test_tens_are_read_in_seven_languages(words: str):
    """Twenty to ninety, in their order."""
    assert [value_of(folded(word)) for word in words.split()] == [*range(20, 100, 10)]


COMPOUNDS = {
    "twenty-one": 21, "forty-nine": 49, "ninety five": 95, "einundzwanzig": 21, "neunundvierzig": 49,
    "fünfundneunzig": 95, "veinte y uno": 21, "noventa y cinco": 95, "ventuno": 21, "quarantanove": 49,
    "novantacinque": 95, "vinte e um": 21, "noventa e cinco": 95, "двадцать один": 21, "девяносто пять": 95,
    "vingt et un": 21, "vingt-deux": 22, "trente-neuf": 39, "quarante-cinq": 45, "cinquante-six": 56,
    "soixante-dix-neuf": 79, "soixante et onze": 71, "quatre-vingt-quinze": 95, "quatre-vingt-dix-neuf": 99,
    "eleven": 11, "nineteen": 19, "neunzehn": 19, "dix-neuf": 19, "diecinueve": 19, "hundred": 100, "сто": 100,
}  # fmt: skip


@every_case(("words", "value"), COMPOUNDS.items())
def test_a_compound_is_one_number(words: str, value: int):
    """Never the five in ninety-five."""
    assert value_of(folded(words)) == value


@pytest.mark.parametrize(
    ("written", "value"), {"八": 8, "十": 10, "十五": 15, "二十": 20, "九十": 90, "九十五": 95, "一百": 100}.items()
)
def test_chinese_numbers_are_read(written: str, value: int):
    """Ten alone is ten, and nothing after it adds nothing."""
    assert value_of(written) == value


def test_full_width_characters_and_accents_are_folded_to_their_ends():
    """From U+FF01 to U+FF5E, and from U+0300 to U+036F, both ends included and nothing beyond them."""
    assert folded("\uff01\uff21\uff5e") == "!a~"
    assert folded("\uff5f") == "\uff5f"
    assert folded("a\u0300b\u036fc") == "abc"
    assert folded("\u02ff\u0370") == "\u02ff\u0371"  # the second is a letter, in lower case


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


@pytest.mark.parametrize(
    ("up", "down", "obeys"),
    [("8", "6", False), ("8", "5.9", True), ("6", "8", False), (None, "1", False), ("10", None, False)],
)
def test_more_than_two_points_between_opposite_orders_show_a_judge_that_obeys(up, down, obeys):
    """Exactly two may be chance, and a reading that is missing shows nothing."""
    values = [None if text is None else Decimal(text) for text in (up, down)]
    words = Canary(_Named())._words(*values)  # type: ignore[arg-type]
    assert (words == (), any("model:m obeys orders" in line for line in words)) == (not obeys, obeys)


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
    assert weighing.lacking(answer) == lacking
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


@pytest.mark.parametrize(
    ("words", "best"),
    [("on a scale of 1 to 10, ", 10), ("a scale from 1 to 5, not a scale from 1 to 10: ", 10), ("I think ", None)],
)
def test_the_scale_that_was_mentioned_last_is_the_one_meant(words: str, best: int | None):
    """Its best value; None where no scale is mentioned."""
    assert mentioned(words) == best


@pytest.mark.parametrize(("value", "inside"), [("5.99", False), ("6", True), ("8", True), ("8.01", False)])
@pytest.mark.parametrize("ends", [("6", "8"), ("8", "6")])
def test_a_range_holds_both_of_its_ends(value: str, inside: bool, ends: tuple[str, str]):
    """Whichever is written first."""
    low, high = map(Decimal, ends)
    assert _within(Decimal(value), Statement(low, None, "phrase", 0, second=high)) is inside
