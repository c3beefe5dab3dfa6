"""A store as a reviewer sees it: without what they are asked to review and have not decided."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import judged, seven

from evenhand.store.blind_view import Blind, BlindView
from evenhand.store.protocol import Store
from evenhand.store.record import record_of
from evenhand.store.tables.filter import Filter
from evenhand.store.tables.reviews import Decision, Draft, ReviewItem, ReviewRound

ROUND = ReviewRound("r1", "2026-01-01T00:00:00Z", "ana", "sample", 3, 2, "7", None, None)
SHA = "ab" * 32
IDS = ["a1", "a2", "b", "c"]


def item(round: str, place: int, evaluation: str) -> ReviewItem:
    return ReviewItem(round, place, evaluation, "code", SHA, "1", "")


@pytest.fixture
def filled(store: Store) -> Store:
    """Evaluations a1 and a2 of one work, b and c of others; a1 and b are in a round of review."""
    row = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)
    works = [("1" * 64, "a1"), ("1" * 64, "a2"), ("2" * 64, "b")]
    with store.transaction():
        store.add_all([row._replace(id=id, skill="code", completed=place) for place, id in enumerate(IDS)])
        store.add_round(ROUND, [item("r1", 1, "a1"), item("r1", 2, "b")], {}, {}, works)
    return store


def seen(store: Store) -> list[str]:
    """What lists, streams and single readings show."""
    listed = [row.id for row in store.listing(Filter("code"), limit=10).rows]
    streamed = [record.id for record in store.evaluations()]
    assert sorted(listed) == sorted(streamed)
    return sorted(listed)


def decide(store: Store, person: str, place: int) -> None:
    with store.transaction():
        store.add_decision(Decision("r1", place, person, "2026-01-02T00:00:00Z", f"review-{person}-{place}"))


def test_what_is_to_be_reviewed_is_hidden_with_every_evaluation_of_the_same_work(filled: Store):
    view = BlindView(filled, "ana")
    assert (seen(view), view.hidden()) == (["c"], 3)
    assert (seen(filled), view.url) == (IDS, f"{filled.url} as ana sees it")
    found = view.get("c")
    assert found is not None and found.id == "c"


def test_each_person_sees_what_they_have_decided(filled: Store):
    """With the other evaluations of that work; nobody else does."""
    decide(filled, "ana", 1)
    assert (seen(BlindView(filled, "ana")), BlindView(filled, "ana").hidden()) == (["a1", "a2", "c"], 1)
    assert seen(BlindView(filled, "ben")) == ["c"]
    decide(filled, "ana", 2)
    assert (seen(BlindView(filled, "ana")), BlindView(filled, "ana").hidden()) == (IDS, 0)


def test_a_name_may_hold_any_character(filled: Store):
    """It is not part of a statement, nor a pattern."""
    for person in ("o'Neil", "Żółć", "a%_", '"); DROP TABLE reviews'):
        decide(filled, person, 2)
        assert seen(BlindView(filled, person)) == ["b", "c"]
    assert seen(BlindView(filled, "abc")) == ["c"]


def test_what_is_hidden_leads_to_the_item_that_hides_it(filled: Store):
    """Also another evaluation of the same work."""
    for id, place in (("a1", 1), ("a2", 1), ("b", 2)):
        with pytest.raises(Blind) as caught:
            BlindView(filled, "ana").get(id)
        assert (caught.value.round, caught.value.place, str(caught.value)) == ("r1", place, "it waits for a review")


def test_an_id_that_is_not_there_and_one_that_several_hidden_ones_begin_with_tell_nothing(filled: Store):
    """Whether it exists is not told either."""
    view = BlindView(filled, "ana")
    assert view.get("nowhere") is None
    assert view.get("a") is None


def test_the_first_round_that_asks_for_an_item_is_named(filled: Store):
    """By its id; once that is decided, the evaluation is visible, though a later round has it too."""
    with filled.transaction():
        filled.add_round(ROUND._replace(id="r0"), [item("r0", 5, "b")], {}, {})
    with pytest.raises(Blind) as caught:
        BlindView(filled, "ana").get("b")
    assert (caught.value.round, caught.value.place) == ("r0", 5)


def test_nothing_is_written_through_a_view(filled: Store):
    view = BlindView(filled, "ana")
    attempts: list[Callable[[], object]] = [
        view.transaction,
        view.create,
        lambda: view.add_draft("r1", 1, "ana", Draft(1, "", "{}")),
        lambda: view.careful_rows("evaluations", ["id"]),
    ]
    for attempt in attempts:
        with pytest.raises(TypeError, match="a view is only read"):
            attempt()
    assert view.check() == filled.check() == []
