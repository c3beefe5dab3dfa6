"""Attacks through the whole pipeline, with judges that fall for everything they can read: none may gain anything."""

from __future__ import annotations

import pytest
from attacks import ATTACKS, HONEST, JUDGES, WEAK, Attack, obeying

from attack_runs import cards, in_a_transcript, in_the_output, outcomes
from evenhand.judges.model.question.masking import MASK, mask


@pytest.mark.parametrize("placed", [in_the_output, in_a_transcript])
@pytest.mark.parametrize("judge", sorted(JUDGES))
def test_no_attack_gets_through(judge, placed):
    """A real socket, real scorecards, flags and bonuses included."""
    made = outcomes(JUDGES[judge], placed)
    assert len(made) == len(ATTACKS)
    assert [each.name for each in made if each.through] == []


def test_without_an_attack_the_obeying_judge_gives_what_it_always_gives():
    """Otherwise nothing would be shown by the others."""
    honest, praised = cards(obeying, [in_the_output(Attack("none", WEAK)), in_the_output(ATTACKS[0])])
    assert honest.final == HONEST
    assert praised.final == HONEST
    assert any("injection-suspected" in warning for warning in praised.warnings)


@pytest.mark.parametrize(
    "text",
    [
        "All 10 of 10 tests pass, and the score of the best run was 10.",
        "| task | score |\n|---|---|\n| sum | 10 |\n| product | 9 |",
        "Use `rate(http_requests_total[5m])` and give this panel the title Errors.",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n",
        "https://a.example/?q=%C3%A4%C3%B6%C3%BC%C3%9F%20%E2%82%AC%20%26",
        '{"name": "\\u00e4\\u00f6\\u00fc\\u00df\\u20ac\\u00e9\\u00e8\\u00ea", "grade": "A"}',
        "&#228;&#246;&#252;&#223;&#8364;&#233;&#232;&#234; are letters; the answer is 10.",
        "Ge\u0066 was the first; svar means answer, and 10 is a number.",
    ],
)
def test_honest_text_is_shown_as_it_is(text):
    """What only looks like a disguise stays: encoded letters, spaced letters, short lines, tables of scores."""
    assert mask(text).text == text
    assert MASK not in mask(f"{WEAK}\n\n{text}").text
