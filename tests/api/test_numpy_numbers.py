"""Numbers of NumPy are taken wherever the Python API takes a number, by their own digits."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import seven

import evenhand
from evenhand.core.numbers import exact, own_number

WHOLE = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64]


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers_are_taken_as_they_are(kind: Any):
    assert exact(kind(7)) == Decimal(7)
    assert evenhand.score({"scores": seven(kind(7))}).final == Decimal("7.00")


@pytest.mark.parametrize(
    ("value", "digits"), [(np.float16(7.1), "7.1"), (np.float32(7.1), "7.1"), (np.float64(7.1), "7.1")]
)
def test_a_float_is_taken_by_its_own_shortest_digits(value: Any, digits: str):
    """float(numpy.float32(7.1)) is 7.099999904632568, which nobody wrote."""
    assert exact(value) == Decimal(digits)
    assert evenhand.score({"scores": seven(value)}).final == Decimal("7.10")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.bool_(True), "not a number"),
        (True, "true is not a number"),
        (np.float32("nan"), "NaN is not a finite number"),
        (np.float64("-inf"), "-Infinity is not a finite number"),
        (Fraction(7, 2), "a Fraction is not a number"),
        (np.complex64(7), "not a number"),
    ],
)
def test_rejects_what_is_not_a_finite_number(value: Any, said: str):
    with pytest.raises(ValueError, match=said):
        exact(value)


def test_limits_and_counts_may_be_numpy_s(tmp_path):
    """A database takes Python's own numbers only."""
    with closing(evenhand.open_store(str(tmp_path / "kept.db"))) as store:
        cards = [evenhand.score({"id": f"run-{n}", "skill": "s", "scores": seven(7)}, store=store) for n in range(3)]
        assert [card.id for card in evenhand.history(store, "s", last=np.int64(2))] == ["run-1", "run-2"]
    assert [ruling.colour for ruling in evenhand.gate(cards, min_score=np.int64(7))] == ["green"] * 3
    ratings = {"ana": [np.int64(n % 3) for n in range(12)], "bob": [np.int64(n % 3) for n in range(12)]}
    assert evenhand.trust.agree(ratings, settings={"trust.seed": np.int64(1)}, resamples=np.int64(50)).comparisons


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "3", Decimal("2.5"), Fraction(1, 2)])
def test_other_values_stay_what_they_are(value: Any):
    assert own_number(value) is value


def test_numpy_s_numbers_become_python_s_own():
    assert (own_number(np.int64(3)), type(own_number(np.int64(3)))) == (3, int)
    assert (own_number(np.float32(0.1)), type(own_number(np.float32(0.1)))) == (0.1, float)
