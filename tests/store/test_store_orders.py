"""Orders, filters, sums over time and beginnings of texts, the same in a SQLite file and on a PostgreSQL server."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from conftest import judged, make_rubric, seven

from evenhand.core.judgement import Calls
from evenhand.errors import InputError
from evenhand.judging.steps import Steps
from evenhand.store.record import Record, record_of
from evenhand.store.tables import browsed_lists
from evenhand.store.tables.browsed_lists import Key, ScoreKey
from evenhand.store.tables.filter import DRIFT, FLAGGED, NOT_GRADED, Filter
from evenhand.store.tables.notes import Note, tags_of
from evenhand.store.tables.over_time import CallSums, Part
from every_case import every_case
from panels import OUTPUT, model_judgement

ROW = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)


def row(id: str, completed: int, final: int | None = 800, *, skill: str = "code", **more) -> Record:
    return ROW._replace(id=id, skill=skill, completed=completed, final=final, in_history=int(final is not None), **more)


def put(store, *records: Record) -> None:
    with store.transaction():
        store.add_all(records)


def everything(store, filter: Filter, **options) -> str:
    """The ids of every part of a list, one after another."""
    found, before = "", None
    while True:
        part = store.listing(filter, before=before, **options)
        found += "".join(one.id for one in part.rows)
        if part.next is None:
            return found
        before = part.next


@pytest.fixture
def five(store):
    """Two of the same score, one without, one of another skill."""
    rows = [row("a", 1, 700), row("b", 2, 300), row("c", 3, None), row("d", 4, 700), row("e", 5, 900, skill="prose")]
    put(store, *rows)
    return store


@every_case("limit", [1, 2, 9])
@every_case(
    ("order", "all_skills", "one_skill"),
    [("newest", "edcba", "dcba"), ("oldest", "abcde", "abcd"), ("best", "edab", "dab"), ("worst", "bade", "bad")],
)
def test_a_list_has_the_same_order_in_parts_of_any_size(five, limit, order, all_skills, one_skill):
    """By score, the newer of two equal ones is the better; one without a score is left out."""
    assert everything(five, Filter(), limit=limit, order=order) == all_skills
    assert everything(five, Filter("code"), limit=limit, order=order) == one_skill


def test_a_place_of_another_order_is_refused(five):
    """Its numbers would mean something else."""
    with pytest.raises(InputError, match="another order"):
        five.listing(Filter(), before=Key(1, "a"), limit=1, order="best")
    with pytest.raises(InputError, match="another order"):
        five.listing(Filter(), before=ScoreKey(1, 1, "a"), limit=1)


@every_case("order", ["newest", "oldest", "best", "worst"])
@every_case(("near", "reach"), [(200, 1), (200, 2), (200, 100), (1, 2), (2, 4), (2, 100)])
def test_filters_find_the_same_whatever_the_order_and_however_far_a_search_goes(five, monkeypatch, order, near, reach):
    """Each boundary is hit exactly: 7.00 is within 7 to 7, the end of a span is not within it."""
    monkeypatch.setattr(browsed_lists, "_NEAR", near)

    def found(**asked) -> str:
        return "".join(sorted(everything(five, Filter(**asked), limit=2, order=order, reach=reach)))

    assert found(low=700) == "ade"
    assert found(high=700) == "abd"
    assert found(low=700, high=700) == "ad"
    assert found(since=2, until=4) == ("b" if order in ("best", "worst") else "bc")
    assert found(skill="code", low=301, since=2) == "d"


def test_a_grade_a_flag_a_finding_and_a_criterion_are_asked_of_the_scorecard(store):
    """A text on a scorecard that looks like one of them is not taken for it."""
    cards = {
        "a": {"history": {"drift": {"alarm": True}}},
        "b": {"history": {"dimensions": {"safety": {"flagged": True}}}},
        "c": {"red_flags": [{"id": "leak"}]},
        "d": {"findings": [{"check": "secrets", "severity": "major"}]},
        "e": {"note": '"drift":{"alarm":true "flagged":true "id":"leak" "check":"secrets"'},
    }
    rows = [
        row(id, place, scorecard=json.dumps(card, separators=(",", ":")), grade="F" if id == "a" else "B")
        for place, (id, card) in enumerate(cards.items())
    ]
    put(store, *rows, row("f", 9, None, grade=None))
    for asked, expected in (
        ({"flag": DRIFT}, "a"),
        ({"flag": FLAGGED}, "b"),
        ({"flag": "leak"}, "c"),
        ({"finding": "secrets"}, "d"),
        ({"finding": "secret_"}, ""),
        ({"grade": "F"}, "a"),
        ({"grade": NOT_GRADED}, "f"),
    ):
        assert everything(store, Filter(**asked), limit=9) == expected, asked


def test_a_tag_is_found_while_it_is_on(five):
    """Put on, taken off, put on again; a note of the same words is not a tag."""
    for evaluation, kind, minute in (
        ("a", "tag", 1),
        ("b", "tag", 1),
        ("b", "untag", 2),
        ("c", "tag", 1),
        ("c", "untag", 2),
        ("c", "tag", 3),
        ("d", "note", 1),
    ):
        with five.transaction():
            five.add_note(Note(evaluation, f"2026-01-01T00:0{minute}:00Z", "ana", kind, "odd"))
    for evaluation in "abcde":
        assert ("odd" in tags_of(five.notes(evaluation))) == (evaluation in "ac")
    assert everything(five, Filter(tag="odd"), limit=1) == "ca"
    assert everything(five, Filter("code", tag="odd"), limit=9, order="worst") == "a"
    assert everything(five, Filter(tag="other"), limit=9) == ""


def test_scores_are_summed_in_parts_of_a_span(five):
    """Parts of 2 from 1 on: 1 and 2, then 3 and 4; the one without a score is counted apart."""
    assert five.span_of("code") == (1, 4)
    assert five.span_of("nothing") is None
    assert five.scores_in_parts(Filter("code"), 1, 2, 5) == [Part(0, 2, 300, 700, 1000), Part(1, 1, 700, 700, 700)]
    assert five.scores_in_parts(Filter("code", low=700), 1, 2, 5)[0] == Part(0, 1, 700, 700, 700)
    assert five.unscored_in_parts("code", 1, 2, 5) == {1: (1, 0)}
    assert five.all_finals("code") == [700, 300, 700]
    assert five.state_of_history("code") == (3, 4, "d")
    places = [five.place_in_history("code", number, count=3, last=Key(4, "d")) for number in range(4)]
    assert places == [Key(1, "a"), Key(2, "b"), Key(4, "d"), None], "from either end"
    assert five.place_in_history("code", 1, count=2, last=Key(2, "b")) == Key(2, "b"), "whatever was added after it"
    before, after = five.around("code", Key(2, "b"), count=5)
    assert ([one.id for one in before], [one.id for one in after]) == (["a"], ["b", "d"])


def paid(id: str, completed: int, cost: str | None, asked: int = 2) -> Record:
    """An evaluation by a model: 100 tokens in, 10 out."""
    calls = Calls(asked, 0, 0, 100, 10, None if cost is None else Decimal(cost), served=('odd } "cost":9',))
    judgement = model_judgement(8, name="openai:m", calls=calls)._replace(skill="notes")
    card = Steps(make_rubric()).evaluate_written(judgement, output=f"{OUTPUT} {id}", id=id).card
    return record_of(card, completed=completed, submission=None, keep_text=True)


def test_what_judges_cost_is_summed_by_time_and_by_skill(store):
    """0.25 + 0.000001 dollars, and one whose price is unknown; evaluations that asked no one are not there."""
    put(store, paid("a", 1, "0.25"), paid("b", 2, "0.000001"), paid("c", 3, None), row("d", 3))
    assert store.calls_between(1, 4) == CallSums(3, 6, 300, 30, 250_001_000, 0, 1)
    assert store.calls_between(1, 4).cost == Decimal("0.250001")
    assert store.calls_between(2, 3, skill="notes") == CallSums(1, 2, 100, 10, 1000, 0)
    assert store.calls_in_parts("notes", 1, 2, 4) == {
        0: CallSums(2, 4, 200, 20, 250_001_000),
        1: CallSums(1, 2, 100, 10, 0, 0, 1),
    }


def test_what_no_one_read_is_counted_apart_from_what_has_no_score(store):
    """Two by a judge, one by checks alone; and the skills of the newest evaluations, the latest first."""
    unread = '{"name":"checks","version":"1"}'
    put(
        store,
        row("a", 1, None),
        row("b", 2, None),
        row("c", 3, None, judge=unread, state="unread"),
        row("d", 2, 700, skill="prose"),
    )
    assert store.unscored_in_parts("code", 1, 10, 9) == {0: (2, 1)}
    assert store.newest_skills(limit=5, among=9) == ["code", "prose"]
    assert store.newest_skills(limit=1, among=9) == ["code"]
    assert store.newest_skills(limit=5, among=1) == ["code"]
    assert store.newest_keys("", limit=2) == [Key(3, "c"), Key(2, "d")]
    assert store.newest_keys("prose", limit=2) == [Key(2, "d")]
    assert store.newest_ids(["prose", "code", "none"]) == ["d", "c"]
    assert store.state_of_newest(2) == (Key(3, "c"), Key(2, "d"))
    assert store.state_of_newest(9) == (Key(3, "c"), 4)
