"""How a model's probability lies over the scores, from the tokens of its reply."""

from __future__ import annotations

from decimal import Decimal
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.judges.models.replies.answers import DimensionAnswer
from evenhand.judges.models.replies.distributions import mean, score_distribution
from evenhand.providers.exchange import Reply, Token


def token(text: str, **shares: float) -> Token:
    """A token with what could have stood there; `s` before a digit stands for a space, `q` for a quotation mark."""
    named = {name.replace("s", " ").replace("q", '"').replace("_", ""): share for name, share in shares.items()}
    return Token(text, {name: log(share) for name, share in named.items() if share})


def reply(*tokens: Token, before: str = '{"score":', after: str = "}") -> tuple[Reply, DimensionAnswer]:
    """A reply that ends in a score of these tokens."""
    text = before + "".join(each.text for each in tokens) + after
    digits = "".join(each.text for each in tokens).strip(' "')
    start = text.index(digits, len(before))
    known = (Token(before, {before: 0.0}), *tokens, Token(after, {after: 0.0}))
    return Reply(text, tokens=known), DimensionAnswer(Decimal(digits), span=(start, start + len(digits)))


def test_the_alternatives_of_the_score_token_are_the_distribution():
    """7 with 60 %, 8 with 30 %, 6 with 10 %: the mean is 4.2 + 2.4 + 0.6 = 7.20."""
    found = score_distribution(*reply(token("7", _7=0.6, _8=0.3, _6=0.1)))
    assert found == {600: 100_000, 700: 600_000, 800: 300_000}
    assert mean(found) == Decimal("7.20")


def test_spaces_and_quotation_marks_are_folded():
    """A score is the same score with a space before it."""
    found = score_distribution(*reply(token(" 7", s7=0.5, _7=0.25, q7=0.25)))
    assert found == {700: 1_000_000}


def test_what_is_not_a_score_is_left_out():
    """The rest is scaled: 0.6 of 0.8 is three quarters."""
    found = score_distribution(*reply(token("7", _7=0.6, _8=0.2, _0=0.1, _x=0.1)))
    assert found == {700: 750_000, 800: 250_000}


def test_too_little_on_scores_is_not_a_distribution():
    """Less than half of the probability."""
    assert score_distribution(*reply(token("7", _7=0.3, _8=0.1, _x=0.6))) is None


def test_ten_as_one_token():
    """Then a bare 1 is a 1."""
    found = score_distribution(*reply(token("10", _10=0.5, _9=0.25, _1=0.25)))
    assert found == {100: 250_000, 900: 250_000, 1000: 500_000}


def test_ten_as_two_tokens():
    """The second tells how much of the 1 belongs to 10: 0.8 times 0.9, and 0.8 times 0.1."""
    found = score_distribution(*reply(token("1", _1=0.8, _9=0.2), Token("0", {"0": log(0.9), "}": log(0.1)})))
    assert found == {100: 80_000, 900: 200_000, 1000: 720_000}


def test_one_with_a_possible_zero_behind_it():
    """1 was chosen and ended: 0.8 times 0.25 would have been 10."""
    made, said = reply(token("1", _1=0.8, _2=0.2))
    made = made._replace(tokens=(*made.tokens[:2], Token("}", {"}": log(0.75), "0": log(0.25)})))
    assert score_distribution(made, said) == {100: 600_000, 200: 200_000, 1000: 200_000}


def test_a_bare_one_beside_another_score_is_in_doubt():
    """Up to a hundredth is left out; with more there is no distribution."""
    assert score_distribution(*reply(token("9", _9=0.992, _1=0.008))) == {900: 1_000_000}
    assert score_distribution(*reply(token("9", _9=0.9, _1=0.1))) is None


@pytest.mark.parametrize(
    ("chosen", "band", "expected"),
    [
        ("9", "9-10", {900: 750_000, 1000: 250_000}),  # 0.6 and 0.2, of 0.8
        ("2", "1-2", {100: 500_000, 200: 500_000}),  # 0.2 and 0.2, of 0.4
        ("2", "2-4", {200: 1_000_000}),
        ("9", "", None),
        ("9", "1-10", None),
    ],
)
def test_a_band_tells_what_a_bare_one_is(chosen, band, expected):
    """And only its scores count."""
    made, said = reply(token(chosen, _9=0.6, _1=0.2, _2=0.2))
    assert score_distribution(made, said._replace(band=band)) == expected


def test_a_score_that_is_not_whole_has_no_distribution():
    """Nor has one without tokens, or without a place."""
    assert score_distribution(*reply(token("7.5", **{"7.5": 1.0}))) is None
    assert score_distribution(Reply('{"score":7}'), DimensionAnswer(Decimal(7), span=(9, 10))) is None
    assert score_distribution(reply(token("7", _7=1.0))[0], DimensionAnswer(Decimal(7))) is None


def test_tokens_that_differ_from_the_text_elsewhere_do_no_harm():
    """A garbled character, or a code fence that the server took off; near the score they must agree."""
    made, said = reply(token("7", _7=1.0), before=f'{{"q":"é{"-" * 80}","score":')
    garbled = Token(made.tokens[0].text.replace("é", "??"), {})
    assert score_distribution(made._replace(tokens=(garbled, *made.tokens[1:])), said) == {700: 1_000_000}
    fenced = (Token("```json\n", {}), *made.tokens, Token("\n```", {}))
    assert score_distribution(made._replace(tokens=fenced), said) == {700: 1_000_000}
    near = Token(made.tokens[0].text[:-2] + "?:", {})
    assert score_distribution(made._replace(tokens=(near, *made.tokens[1:])), said) is None
    twice = made.tokens * 2
    assert score_distribution(made._replace(tokens=twice), said) is None


def test_the_mean_is_rounded_half_up():
    """7.125 is 7.13."""
    assert mean({700: 7, 800: 1}) == Decimal("7.13")
    assert mean({100: 1}) == Decimal("1.00")


@given(st.dictionaries(st.sampled_from("23456789"), st.floats(0.001, 1), min_size=1))
@pytest.mark.slow
def test_parts_are_whole_and_sum_to_a_million(shares):
    """Whatever the logarithms."""
    total = sum(shares.values())
    alternatives = {digit: log(share / total) for digit, share in shares.items()}
    chosen = max(shares, key=lambda digit: shares[digit])
    found = score_distribution(*reply(Token(chosen, alternatives)))
    assert found is not None
    assert sum(found.values()) == 1_000_000
    assert all(type(parts) is int and parts > 0 for parts in found.values())
    exact = sum(int(digit) * share / total for digit, share in shares.items())
    assert abs(float(mean(found)) - exact) <= 0.00501
