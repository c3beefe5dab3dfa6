"""A model's probability distribution over the scores, from the token probabilities of its reply. Pure.

The score's token is located by aligning the tokens with the reply's text. Each alternative counts for the score it
spells, with or without spaces and quotation marks. If a band was named before, only its scores count: any other would
have contradicted it and been rejected. "10" is one token for some models and two for others; when neither the band nor
the next token shows how much belongs to 1 and how much to 10, there is no distribution, because a guess would move the
score. There is none either when less than half of the probability is on scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import exp, fsum
from typing import Final

from evenhand.core.numbers import half_up, points
from evenhand.judges.models.replies.answers import DimensionAnswer, band_ends
from evenhand.providers.exchange import Reply, Token

PARTS: Final = 1_000_000
"""The parts of a distribution sum to this."""
_DOUBT: Final = 0.01
"""The share on a bare "1" that may be ignored when it is unknown whether it would have become 10."""
_LEAST: Final = 0.5
"""The share of the probability that must be on scores."""
_NEAR: Final = 60
"""Characters before the score used to locate it when the tokens differ from the text elsewhere."""
_SCORE = re.compile(r"[\s\":]*(10|[1-9])([\s\",}\]]*)")
_ZERO = re.compile(r"0(?:[\s\",}\]].*)?", re.S)


def score_distribution(reply: Reply, answer: DimensionAnswer) -> Mapping[int, int] | None:
    """The parts per million on each score, in hundredths; None when unknown.

    Where "1" and "0" are two tokens and "1" was chosen, the next token shows how much of it belongs to 10. Where
    another digit was chosen, the band decides if it holds only one of the two. Otherwise up to a hundredth on "1" is
    ignored; with more there is no distribution. A score that is not whole has none either.
    """
    if answer.span is None or answer.score != answer.score.to_integral_value():
        return None
    place = _token_at(reply, answer.span[0])
    if place is None:
        return None
    weights, bare = _weights(reply.tokens[place])
    if fsum((*weights.values(), bare)) < _LEAST:
        return None
    low, high = band_ends(answer.band) or (1, 10)
    share = _share_of_ten(reply, place, weights, bare, low, high)
    if share is None and bare > _DOUBT * fsum((*weights.values(), bare)):
        return None
    bare, share = (0.0, 0.0) if share is None else (bare, share)
    weights[10] = weights.get(10, 0.0) + bare * share
    weights[1] = weights.get(1, 0.0) + bare * (1 - share)
    weights = {score: weight for score, weight in weights.items() if low <= score <= high and weight}
    return _parts(weights) if int(answer.score) in weights else None


def _share_of_ten(
    reply: Reply, place: int, weights: dict[int, float], bare: float, low: int, high: int
) -> float | None:
    """How much of the probability on a bare "1" belongs to 10; None when unknown."""
    chosen = _SCORE.fullmatch(reply.tokens[place].text)
    if not bare or 10 in weights:  # where 10 is one token, a bare 1 is a 1
        return 0.0
    if chosen and chosen[1] == "1" and not chosen[2]:
        return _becomes_ten(reply.tokens[place + 1 : place + 2])
    if low > 1 or high < 10:
        return 1.0 if high == 10 else 0.0
    return None


def mean(distribution: Mapping[int, int]) -> Decimal:
    """The mean of a distribution, to two decimals, half up."""
    return points(half_up(sum(score * parts for score, parts in distribution.items()), sum(distribution.values())))


def _token_at(reply: Reply, place: int) -> int | None:
    """The token that covers a position in the reply's text."""
    joined = "".join(token.text for token in reply.tokens)
    if joined != reply.text:
        # Servers strip code fences from the text, and characters that span tokens come back garbled.
        near = reply.text[max(0, place - _NEAR) : place + 2]
        if joined.count(near) != 1:
            return None
        place = joined.index(near) + min(place, _NEAR)
    start = 0
    for order, token in enumerate(reply.tokens):
        if start <= place < start + len(token.text):
            return order if _SCORE.fullmatch(token.text) else None
        start += len(token.text)
    return None


def _weights(token: Token) -> tuple[dict[int, float], float]:
    """The probability of each score at a token, and of a "1" that may continue as 10."""
    weights: dict[int, float] = {}
    bare = 0.0
    for text, logarithm in token.alternatives.items():
        match = _SCORE.fullmatch(text)
        probability = exp(min(0.0, logarithm))
        if match and match[1] == "1" and not match[2]:
            bare += probability
        elif match:
            weights[int(match[1])] = weights.get(int(match[1]), 0.0) + probability
    return weights, bare


def _becomes_ten(following: tuple[Token, ...]) -> float | None:
    """The share of the probability after a "1" that is on a "0"; None when unknown."""
    if not following or not following[0].alternatives:
        return None
    known = {text: exp(min(0.0, logarithm)) for text, logarithm in following[0].alternatives.items()}
    zero = fsum(share for text, share in known.items() if _ZERO.fullmatch(text))
    return zero / fsum(known.values())


def _parts(weights: Mapping[int, float]) -> dict[int, int]:
    """Shares as whole parts that sum to a million; the largest remainders are rounded up."""
    total = fsum(weights.values())
    exact = {score * 100: share / total * PARTS for score, share in sorted(weights.items())}
    parts = {score: int(share) for score, share in exact.items()}
    by_remainder = sorted(exact, key=lambda score: (parts[score] - exact[score], score))
    for score in by_remainder[: PARTS - sum(parts.values())]:
        parts[score] += 1
    return {score: count for score, count in parts.items() if count}
