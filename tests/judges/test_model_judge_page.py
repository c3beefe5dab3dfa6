"""The page about model judges shows the prompt that is really sent, and the reply that is really read."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from conftest import ROOT

from evenhand.core.rules import DEFAULT_WEIGHTS, DIMENSIONS
from evenhand.core.values import Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.judges.model import canary, contact, influence, neutral_samples
from evenhand.providers.exchange import Message, Reply
from evenhand.questions import condensed_work, prompt, reply_schema, shown_work, wording
from evenhand.replies import answers, reply
from evenhand.screening import suspects

PAGE = ROOT / "docs" / "reference" / "model-judge.md"
NONCE = "5d0c2f81a9e34b77b6c1e2f09a834d15"
BANDS = (
    Band(9, 10, "Every sum is right."),
    Band(7, 8, "One sum is wrong in an aside."),
    Band(5, 6, "One sum that matters is wrong."),
    Band(3, 4, "Several sums that matter are wrong."),
    Band(1, 2, "The result is wrong."),
)
RUBRIC = Rubric(
    name="sums",
    title="Sums",
    domain="Sums worked out in words",
    version="1",
    summary="",
    weights=DEFAULT_WEIGHTS,
    pass_mark=Decimal(7),
    pass_mark_reason="",
    dimensions=dict.fromkeys(DIMENSIONS, Criteria("Whether the sums are right.", BANDS)),
    red_flags=(RedFlag("made-up-figure", "Uses a figure that stands nowhere in the task.", Decimal("0.5")),),
    bonuses=(Bonus("checked-twice", "Works the sum out a second way and shows both."),),
)
SHOWN = shown_work.Shown("What is 17 plus 25?", "17 plus 25 is 42: 17 and 20 make 37, and 5 more make 42.")
CORRECTNESS = prompt.Question("dimension", "correctness")


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def _question(message: Message) -> str:
    """What follows the part that all questions share."""
    return message.content[message.breaks[-1] :]


@pytest.mark.parametrize("kind", ["system", "dimension", "claims", "reference", "repair"])
def test_the_page_shows_the_prompt_word_for_word(kind):
    """What a reader sees is what a model gets."""
    text = {
        "system": prompt.SYSTEM,
        "dimension": prompt.messages(RUBRIC, SHOWN, CORRECTNESS, NONCE)[1].content,
        "claims": _question(prompt.messages(RUBRIC, SHOWN, prompt.Question("claims"), NONCE)[1]),
        "reference": wording.REFERENCE.format(nonce=NONCE, reference="17 + 25 = 42").rstrip(),
        "repair": prompt.repair(CORRECTNESS, "the score is not from 1 to 10", NONCE).content,
    }[kind]
    assert f"```text\n{text}\n```" in page()


def test_the_replies_on_the_page_are_read_as_it_says():
    """One about a dimension and one about claims, both true to their schema."""
    import jsonschema

    about_score, about_claims = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", page(), re.S))
    for value, question in ((about_score, CORRECTNESS), (about_claims, prompt.Question("claims"))):
        jsonschema.validate(value, prompt.schema(RUBRIC, question, NONCE))
        found = reply.read_reply(Reply(json.dumps(value)), RUBRIC, question, NONCE, SHOWN)
        assert isinstance(found, reply.Answer)
        assert not found.unread
    quotes = [*about_score["quotes"], *about_claims["bonuses"]["checked-twice"]["quotes"]]
    assert quotes
    assert all(shown_work.quotable(SHOWN, quote) for quote in quotes)


def test_the_page_names_every_reason_for_which_a_reply_is_refused():
    """The words that machines get."""
    for kind in answers.Kind.__args__:  # type: ignore[attr-defined]
        assert f"| `{kind}` |" in page()


def test_the_numbers_on_the_page_are_those_of_the_code():
    """Limits and sizes."""
    text = " ".join(page().split())
    assert influence.UPWARD in text and influence.DOWNWARD in text
    assert f"differ by more than {canary.NOISE} points" in text
    assert f"one of {len(neutral_samples.SAMPLES)} short answers" in text
    least, most = influence.NO_SCATTER, influence.MOST_SCATTER
    assert f"at least {least.mean} on average and {least.dimension} in a dimension" in text
    assert f"at most {most.mean} and {most.dimension}" in text
    assert f"{influence.HIGH} or more or {influence.LOW} or less on average" in text
    assert f"From {suspects.LEAST} a sentence" in text and f"a weight of {suspects.CLEAR}" in text
    assert f"at most {reply_schema.MOST_QUOTES} quotes" in text
    assert f"longer than {reply.LONGEST:,} characters" in text
    assert f"{shown_work.SHORTEST_QUOTE} bytes" in text
    assert f"{condensed_work.EXCERPT} characters are shown at first" in text
    assert (condensed_work.FIRST, condensed_work.LAST, condensed_work.GROWTH) == (3, 5, 4)
    assert prompt.PROMPT_VERSION == "3" and "version 3" in text
    assert f"{contact.LONG:,} characters or more" in text
