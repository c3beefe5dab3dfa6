"""Many cases in one test: none is left out, and each that fails is named."""

from __future__ import annotations

import inspect
import sys

import pytest

from every_case import every_case


def test_every_case_runs_and_each_that_fails_is_named():
    """A case that fails does not keep the others from running."""
    ran = []

    @every_case("number", range(5), ids=lambda number: f"number {number}")
    def is_even(number: int) -> None:
        ran.append(number)
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 5 cases failed:\nnumber 1\nnumber 3\n") as failed:
        is_even()
    assert ran == [0, 1, 2, 3, 4]
    assert [why.__notes__ for why in failed.value.exceptions] == [["in the case number 1"], ["in the case number 3"]]


def test_fixtures_are_handed_on_and_cases_can_be_multiplied():
    """Only the fixtures are asked of pytest; two lists of cases make every pair."""
    ran = []

    @every_case("left", [1, 2])
    @every_case(("right", "name"), {3: "c", 4: "d"}.items())
    def takes_both(fixture: str, left: int, right: int, name: str) -> None:
        ran.append((fixture, left, right, name))

    assert list(inspect.signature(takes_both).parameters) == ["fixture"]
    takes_both(fixture="f")
    assert ran == [("f", 1, 3, "c"), ("f", 1, 4, "d"), ("f", 2, 3, "c"), ("f", 2, 4, "d")]


def test_no_cases_at_all_are_a_mistake():
    """Such a test would pass whatever it says. It is one when it runs: where its samples are missing, it is skipped."""

    @every_case("number", [])
    def never_runs(number: int) -> None:
        raise NotImplementedError

    with pytest.raises(AssertionError, match="there are no cases"):
        never_runs()


@pytest.mark.parametrize("ends", [lambda: pytest.fail("it did not"), lambda: pytest.skip("not here"), sys.exit])
def test_a_case_that_ends_in_another_way_keeps_no_other_from_running(ends):
    """What `pytest.raises` raises where nothing was raised is no `Exception`, and neither is a skip."""
    ran = []

    @every_case("number", range(4))
    def fails_and_ends(number: int) -> None:
        ran.append(number)
        if number == 1:
            ends()
        assert number != 0

    with pytest.raises(BaseExceptionGroup, match="of 4 cases failed:\n0\n"):
        fails_and_ends()
    assert ran == [0, 1, 2, 3]


def test_cases_that_skip_are_told_when_none_fails():
    """After all have run."""
    ran = []

    @every_case("number", range(3))
    def skips(number: int) -> None:
        ran.append(number)
        if number:
            pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="2 of 3 cases: not here"):
        skips()
    assert ran == [0, 1, 2]


def test_a_coroutine_is_refused():
    """Called like a function it would pass without having run."""

    async def never_awaited(number: int) -> None:
        raise NotImplementedError

    with pytest.raises(AssertionError, match="would never run"):
        every_case("number", [1])(never_awaited)
