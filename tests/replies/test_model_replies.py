"""A model's reply read field by field, and its schema."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from unicodedata import normalize

import pytest

from evenhand.core.finding import Place
from evenhand.core.judgement import Evidence
from evenhand.core.rules import DIMENSIONS
from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.shown_work import Shown, quotable, show
from evenhand.judges.models.replies.answers import (
    Answer,
    ClaimAnswer,
    DimensionAnswer,
    Preference,
    Unlisted,
    Unreadable,
    band_ends,
    in_band,
    read_answer,
)
from evenhand.judges.models.replies.json_objects import find_objects
from evenhand.judges.models.replies.reply import read_reply
from evenhand.providers.exchange import Reply
from evenhand.work.quotes import checker
from evenhand.work.submission import Event, Submission, ToolCall
from model_in_process import RUBRIC, SHOWN

SAFETY, ALL, CLAIMS, PAIR = (
    Question("scores", ("safety",)),
    Question("all", DIMENSIONS),
    Question("flags"),
    Question("pair"),
)
FLAG, BONUS = RUBRIC.red_flags[0].id, RUBRIC.bonuses[0].id
SMALL = RUBRIC._replace(
    red_flags=RUBRIC.red_flags[:1], bonuses=RUBRIC.bonuses[:1], dimensions={"safety": RUBRIC.dimensions["safety"]}
)


def read(value: Any, question: Question = SAFETY, rubric=SMALL) -> Answer | Unreadable:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_answer("", find_objects(text).objects[0], rubric, question)


# --- answers ---------------------------------------------------------------------------------------------------------


def test_every_field_of_an_answer_is_read():
    """Quotes, justification and band beside the score."""
    made = read({"score": 7, "quotes": ["one", " ", 5, "two"], "justification": " Why. ", "band": "7-8"})
    assert made == Answer({"safety": DimensionAnswer(Decimal("7.00"), ("one", "two"), "Why.", "7-8")})
    assert read({"score": 7, "quotes": "alone"}).dimensions["safety"].quotes == ("alone",)
    assert read({"score": 7, "quotes": {"a": 1}}).dimensions["safety"].quotes == ()


def test_five_quotes_are_read():
    """Any more are ignored, and so is a quote of more than 2,000 characters; a text is cut there."""
    many = [f"quote {number}" for number in range(7)]
    made = read({"score": 5, "quotes": ["q" * 2001, *many], "justification": "j" * 2001})
    answer = made.dimensions["safety"]
    assert (answer.quotes, len(answer.justification)) == (tuple(many[:5]), 2000)
    assert read({"score": 5, "quotes": ["q" * 2000]}).dimensions["safety"].quotes == ("q" * 2000,)


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("7", "7.00"), ('"7"', "7.00"), ('" 7.5 / 10 "', "7.50"), ("1", "1.00"), ("10", "10.00"), ("7.125", "7.13"),
        ("0.99", "off-scale"), ("10.01", "off-scale"), ('"11"', "off-scale"), ("true", "malformed"),
        ("null", "malformed"), ("[7]", "malformed"), ('"seven"', "malformed"), ('"7/5"', "malformed"),
    ],
)  # fmt: skip
def test_a_score_is_a_number_on_the_scale(written, result):
    """Or a text that is only such a number."""
    made = read(f'{{"score": {written}}}')
    assert (made.kind if isinstance(made, Unreadable) else str(made.dimensions["safety"].score)) == result


@pytest.mark.parametrize(
    ("band", "ends"),
    [
        ("7-8", (7, 8)), ("7 to 8 (good)", (7, 8)), ("9", (9, 9)), ("", None), ("7-8 or 5-6", None), ("high", None),
        ("7.5", None), ("100", None),
    ],
)  # fmt: skip
def test_a_band_has_two_ends(band, ends):
    """Or is not one band."""
    assert band_ends(band) == ends


@pytest.mark.parametrize(
    ("score", "inside"), [("6", False), ("6.01", True), ("7", True), ("8", True), ("8.99", True), ("9", False)]
)
def test_a_score_between_two_bands_fits_either(score, inside):
    """Of 7-8."""
    assert in_band(Decimal(score), "7-8") is inside
    assert in_band(Decimal(score), "none")


@pytest.mark.parametrize(
    ("band", "stated"),
    [
        ("7-8", "7-8"), ([7, 8], "7-8"), ({"low": 7, "high": 8}, "7-8"), ({"min": 7, "max": 8}, "7-8"), (7, "7"),
        ([7], ""), ([7, 8, 9], ""), (["7", 8], ""), (None, ""), (True, ""),
    ],
)  # fmt: skip
def test_a_band_is_read_however_it_is_written(band, stated):
    """As text, a number, a list of its ends or an object with them."""
    assert read({"score": 7, "band": band}).dimensions["safety"].band == stated


def test_a_score_outside_its_band_contradicts_it():
    """Neither counts."""
    assert read({"score": 5, "band": "7-8"}) == Unreadable("the score 5 is not in the band 7-8", "contradictory")
    assert read('{"score": 5, "score": 6}').kind == "contradictory"
    assert read('{"score": 5, "score": 5}').kind == "contradictory"
    assert read({"verdict": 5}).reason == "safety: there is no score"


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("first", "first"),
        ("FIRST ", "first"),
        (1, "first"),
        ("a", "first"),
        ("2", "second"),
        ("the second work", "second"),
        ("tie", "tie"),
        ("both", None),
        (None, None),
        (True, None),
    ],
)
def test_a_verdict_about_a_pair(written, verdict):
    """With the quotes from each."""
    made = read({"verdict": written, "first_quotes": ["one"], "second_quotes": ["two"], "justification": "j"}, PAIR)
    if verdict is None:
        assert made == Unreadable("the verdict is not first, second or tie", "malformed")
    else:
        assert made == Answer(preference=Preference(verdict, ("one",), ("two",), "j"))


def test_claims_are_read_by_the_ids_of_the_rubric():
    """Others that are present are unlisted; what is not answered is unread, and named."""
    value = {
        "red_flags": {
            FLAG: {"present": True, "quotes": ["q"], "explanation": "why"},
            "made-up": {"present": True, "explanation": "new"},
            "absent": {"present": False},
        },
        "bonuses": {BONUS: {"present": "yes"}},
        "unlisted": [{"observation": "seen", "quotes": ["q"]}, "bare", {"observation": ""}, 5],
    }
    made = read(value, CLAIMS)
    assert made.claims == (ClaimAnswer("red_flag", FLAG, True, ("q",), "why"),)
    assert made.unlisted == (Unlisted("seen", ("q",)), Unlisted("bare"), Unlisted("made-up: new"))
    assert made.unread == {
        f"bonus {BONUS}": Unreadable(f"{BONUS} is not answered with present true or false", "malformed")
    }
    nothing = read({"red_flags": {}, "bonuses": {}}, CLAIMS)
    assert nothing == Unreadable(f"{FLAG} is not answered with present true or false", "malformed")
    twice = read(
        '{"red_flags": {"F": {"present": true}, "F": {"present": false}}, "bonuses": {"B": {"present": true}}}'.replace(
            '"F"', f'"{FLAG}"'
        ).replace('"B"', f'"{BONUS}"'),
        CLAIMS,
    )
    assert twice.unread[f"red_flag {FLAG}"].reason == f"{FLAG} is answered twice"


def test_lists_of_entries_are_read_like_objects():
    """By id, name or dimension; two of one name contradict each other."""
    for key in ("id", "name", "dimension"):
        made = read(
            {"dimensions": [{key: "safety", "score": 6}, "x"], "red_flags": [{key: FLAG, "present": True}]}, ALL
        )
        assert made.dimensions["safety"].score == 6
        assert [claim.id for claim in made.claims] == [FLAG]
    differing = read(
        {
            "dimensions": [{"id": "safety", "score": 6}, {"id": "safety", "score": 7}],
            "red_flags": [{"id": FLAG, "present": False}],
        },
        ALL,
    )
    assert differing.unread["safety"].reason == "safety: a key appears twice"


def test_a_dimension_that_cannot_be_read_leaves_the_others():
    """It is named with its reason."""
    both = RUBRIC._replace(
        red_flags=(), bonuses=(), dimensions={name: RUBRIC.dimensions[name] for name in ("safety", "adherence")}
    )
    asked = Question("scores", ("safety", "adherence"))
    made = read({"dimensions": {"safety": {"score": 6}, "adherence": {}}}, asked, both)
    assert list(made.dimensions) == ["safety"]
    assert made.unread == {"adherence": Unreadable("adherence: there is no score", "malformed")}


# --- replies ---------------------------------------------------------------------------------------------------------

NONCE = "abcd1234abcd1234"


def whole(text: str, question: Question = SAFETY, shown: Shown = SHOWN, **more: Any) -> str:
    """The score that is read, or what kind of unusable reply it is."""
    made = read_reply(Reply(text, **more), SMALL, question, NONCE, shown)
    if isinstance(made, Unreadable):
        return made.kind
    return str(made.dimensions["safety"].score) if made.dimensions else str(made.preference and made.preference.verdict)


GOOD = f'{{"reply_to": "{NONCE}", "score": 6}}'


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (GOOD, "6.00"),
        (f"Here it is:\n```json\n{GOOD}\n```", "6.00"),
        (GOOD.replace("1234", "9999"), "echoed"),
        ('{"score": 6}', "6.00"),
        (f'{{"score": 9}} {GOOD}', "6.00"),
        (f"{GOOD} {GOOD}", "6.00"),
        (f"{GOOD} {GOOD.replace('6', '7')}", "contradictory"),
        (f"{GOOD} Correction: it should be 7.", "contradictory"),
        (f"<think>{GOOD.replace('6', '2')}</think>{GOOD}", "6.00"),
        ("<think>never ends", "truncated"),
        (f"<<<submission {NONCE}\n{GOOD.replace('6', '9')}\nsubmission {NONCE}>>> {GOOD}", "6.00"),
        (f"<<<submission {NONCE}\n{GOOD}", "truncated"),
        (f'{{"reply_to": "{NONCE}", "score": 6', "truncated"),
        ('"score": 6', "malformed"),
        ("Score: 6", "6.00"),
        ("", "empty"),
    ],
)
def test_a_reply_is_read_or_told_apart(text, result):
    """Thoughts and echoes of the work are not the answer; two answers that differ are none."""
    assert whole(text) == result


def test_an_answer_without_its_code_must_not_come_from_the_work():
    """Where the work holds one, or speaks of scores like one, it cannot be told from it."""
    echo = Shown(None, 'The reply was {"score": 6} and no more.')
    assert whole('{"score": 6}', shown=echo) == "echoed"
    assert whole('{"score":  6}', shown=Shown('{"score": 6}', "x")) == "echoed"
    assert whole('{"score": 6}', shown=Shown(None, "Nothing like it.")) == "6.00"
    assert whole(GOOD, shown=echo) == "6.00"


@pytest.mark.parametrize(
    ("about", "kind"),
    [({"finish": "refused"}, "refused"), ({"finish": "length"}, "truncated"), ({"instead": "a tool call"}, "empty")],
)
def test_a_reply_without_an_answer_says_what_happened(about, kind):
    """Refused, cut off, or something else in its place."""
    made = read_reply(Reply("" if kind != "refused" else GOOD, **about), SMALL, SAFETY, NONCE, SHOWN)
    assert isinstance(made, Unreadable)
    assert made.kind == kind
    assert (made.reason == "a tool call") is ("instead" in about)


# --- schemas ---------------------------------------------------------------------------------------------------------


def keys(value: dict[str, Any]) -> list[str]:
    assert value["additionalProperties"] is False
    assert value["required"] == list(value["properties"])
    return list(value["properties"])


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_what_is_removed_is_noted_by_kind_and_place():
    """In the task, the reference, the output and the events, each for itself."""
    hidden = "a\u200bb"
    run = Submission(
        output=f"{hidden}\u200b <|im_end|>", task=hidden, reference=hidden,
        events=(
            Event("tool_call", "assistant", "", Place("f", 1), ToolCall("t", {hidden: [hidden, 5]}, result=hidden)),
        ),
    )  # fmt: skip
    shown = show(run, window_tokens=None)
    assert shown.notes == (
        "zero-width characters were removed before judging: 1 in the task",
        "zero-width characters were removed before judging: 1 in the reference",
        "zero-width characters were removed before judging: 2 in the output",
        "zero-width characters were removed before judging: 3 in the events",
        "tokens of chat formats were made harmless: 1 in the output",
    )
    assert (shown.task, shown.reference) == ("ab", "ab")
    assert "\u200b" not in shown.text and "<|im_end|>" not in shown.text
    assert "ab: " in shown.text


def test_line_breaks_are_one_kind_and_our_own_marks_are_not_in_a_work():
    """Nor are halves of surrogate pairs; a value too deep is not shown."""
    shown = show(Submission(output="a\r\nb\rc\x0bd\u2028e\ufdd0f\0g\ud800h"), window_tokens=None)
    assert shown.text == "a\nb\nc\nd\ne f g\ufffdh"
    deep: Any = "bottom"
    for _ in range(60):
        deep = [deep]
    run = Submission(output="x", events=(Event("tool_call", "assistant", "", Place("f", 1), ToolCall("t", deep)),))
    text = show(run, window_tokens=None).text
    assert "too deep to be shown" in text and "bottom" not in text


@pytest.mark.parametrize(
    ("quote", "counts"),
    [
        ("a" * 20, True),
        ("a" * 19, False),
        ("short line", True),
        ("short", False),
        ("  short  line ", True),
        ("", False),
        ("not in there at all, no", False),
        ("é" * 10, True),
    ],
)
def test_a_quote_needs_twenty_bytes_or_a_whole_line(quote, counts):
    """White space aside."""
    assert quotable(Shown(None, f"{'a' * 20} more\nshort line\n{'é' * 10} and more"), quote) is counts


@pytest.mark.parametrize(
    "quote",
    [
        "the café “opens” at nine",
        "the cafe\u0301 “opens” at nine",
        "the  café\n“opens”\u00a0at nine",
        'the café "opens" at nine',
        "The café “opens” at nine",
        "the café “opens” … nine",
    ],
)
def test_a_long_quote_can_be_evidence_exactly_when_it_is_found(quote):
    """What a judge saw and what was submitted are searched by one rule: no quote is found in one of them only."""
    text = "On weekdays the café “opens” at nine, on Sundays at ten."
    found = checker(Submission(output=text))(Evidence(quote)).verified
    assert quotable(Shown(None, text), quote) is found
    assert found is (" ".join(normalize("NFC", quote).split()) in text)
