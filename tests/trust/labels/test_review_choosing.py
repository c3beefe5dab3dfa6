"""Choosing what people review: every item's probability is known, and is the one it was chosen with."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import judged, seven
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.core.receipt import canonical_text
from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.documents.scorecard import scorecard_document
from evenhand.errors import InputError, StoreUnavailable
from evenhand.rubrics.resolved import resolve
from evenhand.stats.trust.selection import (
    Candidate,
    Chosen,
    by_doubt,
    by_sample,
    doubts_in,
    doubts_of,
    inclusion,
    near_edge,
)
from evenhand.store.record import record_of
from evenhand.trust.labels.review_rounds import NO_TEXT, OTHER_RUBRIC, SAME_WORK, Request, rubric_of, start_round
from scorecard_kinds import kinds


def candidates(*doubts: int) -> list[Candidate]:
    """Items a, b, ... with so many doubts each."""
    return [Candidate(chr(97 + place), ("x",) * count) for place, count in enumerate(doubts)]


def test_a_sample_gives_every_item_the_same_probability():
    """3 of 8: each is chosen with probability 3/8, and in 4,000 draws about 1,500 times (five deviations: 153)."""
    items = candidates(0, 0, 1, 2, 0, 0, 3, 0)
    times: Counter[str] = Counter()
    for seed in range(4000):
        chosen = by_sample(items, 3, str(seed))
        assert [item.probability for item in chosen] == [Fraction(3, 8)] * 3
        times.update(item.key for item in chosen)
    assert all(abs(times[item.key] - 1500) < 153 for item in items)


@pytest.mark.slow
def test_doubtful_items_are_chosen_as_often_as_their_probability_says():
    """Doubts 1, 1, 2, 4 and 2 items: the share 2/8 gives 1/4, 1/4, 1/2 and 1; the item without doubts never comes."""
    items = candidates(1, 1, 2, 4, 0)
    times: Counter[str] = Counter()
    for seed in range(4000):
        chosen = by_doubt(items, 2, str(seed))
        assert len(chosen) == 2
        times.update(item.key for item in chosen)
    for key, expected in {"a": 1000, "b": 1000, "c": 2000, "d": 4000, "e": 0}.items():
        assert abs(times[key] - expected) < 160, key
    assert {item.key: item.probability for item in by_doubt(items, 2, "7")}["d"] == 1


def test_a_probability_never_exceeds_one_and_they_sum_to_the_size():
    """Weights 1, 1, 6 and size 2: 6 * 2/8 is above 1, so it is sure, and the others share the rest: 1/2 each."""
    assert inclusion([1, 1, 6], 2) == [Fraction(1, 2), Fraction(1, 2), Fraction(1)]
    assert inclusion([1, 2], 2) == inclusion([1, 2], 9) == [1, 1]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=30), st.integers(1, 30), st.text(max_size=5))
@pytest.mark.slow
def test_whatever_the_doubts_the_size_is_kept_and_the_order_of_items_is_irrelevant(doubts, size, seed):
    """The probabilities sum to the size, exactly."""
    items = [Candidate(str(place), ("x",) * count) for place, count in enumerate(doubts)]
    probabilities = inclusion(doubts, size)
    assert sum(probabilities) == min(size, len(doubts))
    assert all(0 < probability <= 1 for probability in probabilities)
    chosen = by_doubt(items, size, seed)
    assert len(chosen) == min(size, len(doubts))
    assert by_doubt(items[::-1], size, seed) == chosen
    assert by_sample(items[::-1], size, seed) == by_sample(items, size, seed)


def test_a_probability_is_recorded_to_nine_decimals_and_never_as_zero():
    """5/12 is 0.416666667."""
    assert Chosen("a", Fraction(5, 12), ()).recorded == Decimal("0.416666667")
    assert Chosen("a", Fraction(1, 10**12), ()).recorded == Decimal("0.000000001")
    assert f"{Chosen('a', Fraction(1), ()).recorded:f}" == "1"


@pytest.mark.parametrize(
    ("final", "near"), [(760, True), (761, False), (740, True), (739, False), (750, True), (105, False)]
)
def test_a_final_score_within_a_tenth_of_an_edge_is_near_it(final, near):
    """B begins at 7.50. F begins at the lowest score there is, and nothing is below it."""
    assert near_edge(final) is near


def test_the_four_doubts():
    """A dispute in a panel, a grade's edge, an alarm of the history, a missing final score."""
    assert doubts_of({"panel": {"disputed": ["safety"]}}, 771) == ("disputed",)
    assert doubts_of({"panel": {"disputed": []}, "history": {"flags": [], "drift": {"alarm": False}}}, 771) == ()
    assert doubts_of({"history": None}, 745) == ("near a grade edge",)
    assert doubts_of({"history": {"flags": ["safety"]}}, 771) == ("alarm",)
    assert doubts_of({"history": {"flags": [], "drift": {"alarm": True}}}, 771) == ("alarm",)
    assert doubts_of({}, None) == ("unscored",)
    assert doubts_of({"history": {"flags": ["safety"]}, "panel": {"disputed": ["safety"]}}, 750) == (
        "disputed",
        "near a grade edge",
        "alarm",
    )


# --- from a store


def fill(store, count=10, prefix="e", **more):
    """Evaluations by a model, each of a work of its own; every second one is within 0.10 of an edge."""
    for number in range(count):
        judgement = {"scores": seven(7.5 if number % 2 else 7.7), "judge": "model:m", "skill": "code-review", **more}
        evenhand.score(judgement, output=f"work {number}", store=store, id=f"{prefix}{number}")


def test_a_round_records_how_each_item_was_chosen(store):
    """4 of 10 at random: probability 0.4; by doubt 4 of the 5 near an edge: 0.8."""
    fill(store)
    sample = start_round(store, Request(SAMPLE, 4, seed="s"), "ana")
    assert (sample.round.population, sample.round.size) == (10, 4)
    assert [item.probability for item in store.review_items(sample.round.id)] == ["0.4"] * 4
    assert [item.place for item in sample.items] == [1, 2, 3, 4]
    doubt = start_round(store, Request(DOUBT, 4, seed="s"), "ana")
    assert (doubt.round.population, doubt.round.size) == (5, 4)
    assert {(item.probability, item.doubts) for item in doubt.items} == {("0.8", "near a grade edge")}
    assert [round.id for round in store.review_rounds()] == [doubt.round.id, sample.round.id]


def test_the_same_round_is_started_once(store):
    """With the same seed over the same evaluations; another seed is another round."""
    fill(store)
    first = start_round(store, Request(SAMPLE, 4, seed="s"), "ana")
    again = start_round(store, Request(SAMPLE, 4, seed="s"), "bo")
    assert (first.new, again.new) == (True, False)
    assert again.round == first.round
    assert again.items == first.items
    assert start_round(store, Request(SAMPLE, 4, seed="t"), "ana").round.id != first.round.id
    assert start_round(store, Request(SAMPLE, 4), "ana").new
    assert len(store.review_rounds()) == 3


def test_a_seed_chooses_what_it_always_chose(store):
    """4 of 20, as chosen when every scorecard was read: a published sample can be drawn again."""
    fill(store, 20)
    sample = start_round(store, Request(SAMPLE, 4, seed="s"), "ana")
    assert [item.evaluation for item in sample.items] == ["e2", "e11", "e6", "e0"]
    assert sample.round.id == "ff2de030074b"
    doubt = start_round(store, Request(DOUBT, 4, seed="s"), "ana")
    assert [item.evaluation for item in doubt.items] == ["e17", "e15", "e7", "e5"]
    assert doubt.round.id == "043d0c7fbad1"


WRITTEN = '"disputed":["safety"],"flags":["x"],"drift":{"alarm":true},"rescored_from":"a","submission":"'
"""What would be taken for fields of a scorecard if a text on it could hold it unescaped."""


def test_the_database_finds_on_a_scorecard_what_its_document_says(store):
    """For every kind of scorecard, and one whose reasons quote the names of fields."""
    documents = [*kinds().values()]
    scores = {name: {"score": 8, "justification": WRITTEN, "evidence": [WRITTEN]} for name in seven(1)}
    documents.append(scorecard_document(judged(scores, id="quotes")))
    template = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)
    rows = []
    for place, document in enumerate(documents):
        final = document["final"]
        text = canonical_text(document) if place % 2 else json.dumps(document, separators=(",", ":"), default=float)
        card = template._replace(
            id=f"{place:02}",
            completed=place,
            scorecard=text,
            final=None if final is None else round(final * 100),
            submission='{"output":"x"}' if place % 3 else None,
        )
        rows.append(card)
    with store.transaction():
        store.add_all(rows)
    found = list(store.review_candidates())
    assert [one.id for one in found] == [row.id for row in rows]
    for one, row, document in zip(found, rows, documents, strict=True):
        assert one.submission == document["receipt"]["submission"], row.id
        assert one.text_kept is (row.submission is not None)
        assert one.rescored is ("rescored_from" in document), row.id
        assert doubts_in(row.final, disputed=one.disputed, alarm=one.alarm) == doubts_of(document, row.final), row.id
    assert {"disputed", "alarm"} <= {
        doubt for row, d in zip(rows, documents, strict=True) for doubt in doubts_of(d, 771)
    }
    assert any(one.rescored for one in found) and any(one.submission for one in found)


@pytest.mark.parametrize(
    "change", [lambda text: text[:-4], lambda text: "", lambda text: text.partition('"submission":"')[2]]
)
def test_a_damaged_scorecard_is_told_and_not_left_out(store, monkeypatch, change):
    """As by everything else that reads it: otherwise a round would be drawn from another population."""
    whole = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True).scorecard
    rows = [(id, "s", "r", "h", "{}", None, text, True) for id, text in (("whole", whole), ("odd", change(whole)))]
    monkeypatch.setattr(store, "_stream", lambda *_: iter(rows))
    candidates = store.review_candidates()
    assert next(candidates).id == "whole"
    with pytest.raises(StoreUnavailable, match="the stored scorecard odd is damaged; see: evenhand store check"):
        next(candidates)


@pytest.mark.parametrize("judge", ["x", "{}", '{"name":null}', "[]"])
def test_a_damaged_judge_is_reported(store, judge):
    """In one line, with the evaluation."""
    template = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)
    with store.transaction():
        store.add_all([template._replace(id="odd", judge=judge)])
    with pytest.raises(StoreUnavailable, match="the stored scorecard odd is damaged"):
        start_round(store, Request(SAMPLE, 1), "ana")


def test_only_what_a_round_chose_is_read_whole(store, monkeypatch):
    """The texts of the others stay in the database, however many there are."""
    fill(store, 6)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("every scorecard was read")

    monkeypatch.setattr(store, "evaluations", refuse)
    assert len(start_round(store, Request(SAMPLE, 2, seed="s"), "ana").items) == 2


def test_a_round_has_the_whole_rubric(store):
    """Bands and all, so that the server needs no files, and exactly the one that was judged with."""
    fill(store, 1)
    started = start_round(store, Request(SAMPLE, 1), "ana")
    assert rubric_of(store, started.items[0].rubric_sha256).rubric == resolve("code-review").rubric


def test_what_cannot_be_reviewed_is_left_out_and_counted(store):
    """No text, another version of the rubric, people's own judgements; of one work only the latest evaluation."""
    fill(store, 2)
    evenhand.score(
        {"scores": seven(5), "judge": "model:n", "skill": "code-review"}, output="work 0", store=store, id="late"
    )
    evenhand.score({"scores": seven(5), "judge": "model:n", "skill": "code-review"}, store=store)
    other = resolve("code-review").rubric._replace(version="99")
    evenhand.score(
        {"scores": seven(5), "judge": "model:n", "skill": "code-review"}, rubric=other, output="x", store=store
    )
    evenhand.score({"scores": seven(5), "judge": "human:bo", "skill": "code-review"}, output="y", store=store)
    started = start_round(store, Request(SAMPLE, 10), "ana")
    assert sorted(item.evaluation for item in started.items) == ["e1", "late"]
    assert dict(started.left_out) == {NO_TEXT: 1, OTHER_RUBRIC: 1, SAME_WORK: 1}
    assert {item.probability for item in started.items} == {"1"}


def test_a_round_can_be_of_one_skill_or_rubric(store):
    """Nothing else is in its population."""
    fill(store, 3)
    fill(store, 5, "s", skill="summary", rubric="writing")
    assert start_round(store, Request(SAMPLE, 2, skill="code-review"), "ana").round.population == 3
    assert start_round(store, Request(SAMPLE, 2, rubric=resolve("writing")), "ana").round.population == 5
    assert start_round(store, Request(SAMPLE, 2), "ana").round.population == 8


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(SAMPLE, 0), "from 1 to 1000"),
        (Request(SAMPLE, 1001), "from 1 to 1000"),
        (Request(SAMPLE, 3, skill="nobody"), 'no evaluation of the skill "nobody"'),
    ],
)
def test_a_round_without_items_is_refused(store, request_, message):
    """With what is valid; nothing is written."""
    fill(store, 2)
    with pytest.raises(InputError, match=message):
        start_round(store, request_, "ana")
    assert store.review_rounds() == []


def test_without_doubt_there_is_no_doubtful_round(store):
    """And the message names the other way."""
    evenhand.score({"scores": seven(7.7), "judge": "model:m", "skill": "code-review"}, output="w", store=store)
    with pytest.raises(InputError, match="none of 1 evaluations is in doubt"):
        start_round(store, Request(DOUBT, 3), "ana")


@pytest.mark.slow
def test_the_command_starts_and_lists_rounds(evenhand_command, store, store_address):
    """Machine output on standard output, advice on standard error."""
    fill(store, 6)
    place = ["--store", store_address]
    ran = evenhand_command(
        "trust", "review", "--sample", "2", "--set", "trust.review_seed=1", "--format", "json", *place
    )
    assert ran.code == 0, ran.err
    round = json.loads(ran.out)
    assert [item["probability"] for item in round["items"]] == [0.333333333] * 2
    ran = evenhand_command("trust", "review", *place)
    assert round["id"] in ran.out
    assert "2 items chosen at random from 6; done: none" in ran.out
    assert evenhand_command("trust", "review", "--skill", "notes", *place).code == 2
    assert evenhand_command("trust", "review", "--sample", "1", "--doubtful", "1", *place).code == 2
