"""Outputs of several systems: which belong together, and what judges make of each pair of them."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

import evenhand
import flat_calls
import models_here
from evenhand import InputError, Submission, Unavailable

GOOD = "The deploy waits for the health check, and rolls back when it fails."
BAD = "Just restart the server and hope that nobody notices it."


@pytest.fixture
def models(monkeypatch, tmp_path):
    """Models that prefer what waits for the health check, wherever it is shown."""
    monkeypatch.chdir(tmp_path)
    made = models_here.install(monkeypatch)
    made.prefers = lambda judge, first, second: (
        "tie" if ("health" in first) == ("health" in second) else "first" if "health" in first else "second"
    )
    return made


# --- which outputs belong together


# --- what judges make of them


# --- from Python


def test_outputs_are_compared_from_python(models):
    """One output each, or several by their order; a list of judges or one."""
    made = flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", task="Deploy.", rubric="default")
    assert [(result.item, result.a, result.b, result.outcome) for result in made.results] == [
        ("the output", "new", "old", "a")
    ]
    several = flat_calls.prefer({"new": [GOOD, BAD], "old": [BAD, GOOD]}, judges=["openai:one", "openai:two"])
    assert [(result.item, result.outcome) for result in several.results] == [("output 1", "a"), ("output 2", "b")]
    assert all("Deploy." in request.messages[-1].content for _, request in models.asked[:2])


def test_submissions_with_ids_are_matched_by_them(models):
    """Whatever their order; one that the other side lacks is listed."""
    new = [Submission(output=GOOD, id="1"), Submission(output=BAD, id="2"), Submission(output=GOOD, id="3")]
    old = [Submission(output=GOOD, id="2"), Submission(output=BAD, id="1")]
    made = flat_calls.prefer({"new": new, "old": old}, judges="openai:one")
    assert [(result.item, result.outcome) for result in made.results] == [("1", "a"), ("2", "b")]
    assert made.unmatched == (("new", "3"),)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"new": GOOD}, "give at least two systems to compare"),
        (
            {"new": [GOOD, BAD], "old": [BAD]},
            "the systems have different numbers of outputs, which can only be",
        ),
        (
            {"new": [Submission(output=GOOD, id="1")] * 2, "old": [Submission(output=BAD, id="1")] * 2},
            "new has two outputs with the same id; each must be unique",
        ),
        (
            {"new": Submission(output=GOOD, task="a"), "old": Submission(output=BAD, task="b")},
            "new and old have different tasks",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anybody_is_asked(models, systems, message):
    """In one line."""
    with pytest.raises(InputError, match=message):
        flat_calls.prefer(systems, judges="openai:one")
    assert models.count == 0


def test_a_task_and_a_reference_are_for_those_that_have_none(models):
    """A submission's own comes first."""
    own = Submission(output=GOOD, task="Own task.", reference="Own reference.")
    other = Submission(output=BAD, task="Own task.")
    flat_calls.prefer({"new": own, "old": other}, judges="openai:one", task="Given.", reference="Own reference.")
    text = models.asked[0][1].messages[-1].content
    assert ("Own task." in text, "Given." in text, "Own reference." in text) == (True, False, True)


def test_a_limit_before_any_pair_is_an_error_and_one_after_some_is_counted(models):
    """What was compared is worth having."""
    with pytest.raises(Unavailable, match="call"):
        flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_calls=1)
    made = flat_calls.prefer(
        {"new": [GOOD] * 3, "old": [BAD] * 3}, judges="openai:one", max_calls=4, concurrency=1, fresh=True
    )
    assert 1 <= len(made.results) <= 2
    assert made.left_out == 3 - len(made.results)


def test_the_ways_of_asking_reach_the_judges(models, tmp_path):
    """Language and temperature are part of who judged; replies that are kept are not asked for again."""
    replies = str(tmp_path / "replies.db")
    arguments = {"judges": "openai:one", "language": "German", "temperature": 0.5, "replies": replies}
    store = evenhand.open_store(str(tmp_path / "s.db"))
    made = flat_calls.prefer({"new": GOOD, "old": BAD}, store=store, **arguments)
    assert made.judges[0]["language"] == "German"
    assert {dict(request.sampling)["temperature"] for _, request in models.asked} == {0.5}
    assert models.count == 2
    again = asyncio.run(flat_calls.prefer_async({"new": GOOD, "old": BAD}, store=store, **arguments))
    assert (models.count, again.results[0].outcome) == (2, "a")
    flat_calls.prefer({"new": GOOD, "old": BAD}, store=store, fresh=True, **arguments)
    assert models.count == 4
    store.close()


def test_a_cost_limit_needs_a_price(models, tmp_path):
    """And with one it holds: a call may cost up to its longest reply."""
    with pytest.raises(InputError, match="`max_cost` needs a price, and the price of openai:one is unknown"):
        flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_cost=Decimal(1))
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 1\nprice_output = 1\n")
    made = flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_cost="1")
    assert made.results[0].calls.cost == Decimal("0.0004")  # two calls, each 200 tokens at a dollar per million
    with pytest.raises(Unavailable):
        flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_cost="0.000001", fresh=True)


# --- in the caller's event loop
