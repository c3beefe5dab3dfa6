"""What a pytest test's limits say is what the gate says."""

from __future__ import annotations

import pytest
from conftest import seven

import evenhand
from evenhand.testing.fixture import assert_requirements


def test_a_limit_of_a_test_gives_the_reason_and_the_quote_of_the_gate():
    """A judgement with a reason and a quote, held to the same limit by both."""
    line = {"score": 4, "justification": "Nothing was tested.", "evidence": ["We did not test it."]}
    card = evenhand.score(
        {"scores": seven(8) | {"safety": line}, "id": "one"}, output="# Notes\n\nWe did not test it.\n"
    )
    (ruling,) = evenhand.gate([card], min_score=9)
    assert ruling.says.endswith("safety 4.00: Nothing was tested. \u201cWe did not test it.\u201d")
    with pytest.raises(AssertionError) as refused:
        assert_requirements(card, {"min_score": 9})
    for part in ruling.says.split("; "):
        assert part in str(refused.value)
