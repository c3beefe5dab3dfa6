"""A judge's self-test from the first question to the card that is kept, on a few of its outputs."""

from __future__ import annotations

from decimal import Decimal

import pytest
from probed_judges import by_length, honest

import evenhand
import flat_calls
import models_here
from evenhand import InputError, Unavailable
from evenhand.decisions.preference import PairReading
from evenhand.judges.probing.probes import probe_items
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import CallFailed
from evenhand.trust import probes as probing

ITEMS = 5
"""Outputs of the tests here; five are the fewest from which anything is claimed."""


@pytest.fixture
def models(monkeypatch, tmp_path):
    """Honest models, and a test of five outputs in place of ten."""
    monkeypatch.chdir(tmp_path)
    few = probe_items()[:ITEMS]
    monkeypatch.setattr(probing, "probe_items", lambda: few)
    made = models_here.install(monkeypatch)
    made.score = lambda judge, work: honest(work)
    return made


def probe(models, model: str = "gpt-x", **more):
    return flat_calls.probe(f"openai:{model}", **({"quick": True} | more))


def effects(card) -> dict[str, float | None]:
    """The mean change of the final score by probe."""
    return {result.probe.name: result.final and round(result.final.mean, 2) for result in card.results}


def test_a_quick_test_reads_each_output_six_times_and_finds_what_an_honest_judge_does(models):
    """Base, again, padding, planted, blank and changed fact: 6 * 5 readings; a blank is worth 1, a false fact 3."""
    outcome = probe(models)
    card = outcome.card
    assert (card.readings, card.size, card.served) == (6 * ITEMS, "quick", ("served-1",))
    assert card.judge["name"] == card.name == "openai:gpt-x"
    assert effects(card) == {
        "repeatability": 0.0,
        "padding": 0.0,
        "planted-verdict": 0.0,
        "blank": -5.0,
        "fact-changed": -3.0,
    }
    assert card.against == ()
    assert (card.noise.n, card.noise.same) == (ITEMS, ITEMS)
    assert (card.calls, card.cost) == (models.count, None)
    assert (outcome.since, outcome.changes) == (None, ())
    counts = card.scale.counts
    assert counts["6"] == 7 * 4 * ITEMS and counts["1"] == counts["3"] == 7 * ITEMS


def test_a_second_reading_is_a_second_question(models):
    """With a nonce of its own, so that no cache answers it; a judge that wavers has noise."""
    readings: dict[str, int] = {}

    def wavering(judge: str, work: str) -> int:
        readings[work] = readings.get(work, 0) + 1
        return 6 if readings[work] <= 2 else 7  # the flags and the scores are two calls

    models.score = wavering
    card = probe(models).card
    assert card.noise is not None and (card.noise.same, card.noise.largest) == (0, pytest.approx(1.0))


def test_a_judge_of_length_is_held_against_it(models):
    """A point for every 1,000 characters of padding."""
    models.score = lambda judge, work: by_length(work)
    assert "padding" in {result.probe.name for result in probe(models).card.against}


def test_the_full_test_has_pairs_and_the_order_of_the_bands(models):
    """A judge that always prefers the first of two leans by 1; one that reads the bands from below sees them so."""
    models.prefers = lambda judge, first, second: "first"
    card = probe(models, quick=False).card
    assert card.size == "full"
    leaning = next(result for result in card.results if result.probe.name == "order-of-pairs")
    assert leaning.final is not None and leaning.final.mean == 1.0 and leaning.against
    assert card.skipped == {}
    turned = [request for _, request in models.asked if _bands_rise(request)]
    assert len({request.messages[-1].content for request in turned}) == 2 * ITEMS  # flags and scores


def _bands_rise(request) -> bool:
    text = "\n".join(message.content for message in request.messages)
    return "1-2: " in text and "9-10: " in text and text.index("1-2: ") < text.index("9-10: ")


def test_a_plan_counts_the_calls_and_makes_none(models):
    """Every reading once, and each pair in both orders in a full test."""
    options = ModelOptions()
    quick, full = (probing.ProbeTest("openai:gpt-x", options, quick=quick) for quick in (True, False))
    assert (quick.readings, full.readings) == (6 * ITEMS, 21 * ITEMS)
    assert full.plan().calls - quick.plan().calls >= (21 - 6) * ITEMS + 2 * ITEMS
    assert quick.plan().calls >= quick.readings
    assert models.count == 0


def test_a_family_that_the_name_does_not_show_is_not_asked_about(models):
    """The probe is listed with the reason, and its readings are left out."""
    test = probing.ProbeTest("openai:unheard-of", ModelOptions())
    assert test.skipped == {"own-family": "the judge's name does not show its family"}
    assert test.readings == 20 * ITEMS
    with pytest.raises(InputError, match="checks calls no model; there is nothing to probe"):
        flat_calls.probe("checks")


def test_every_reading_is_told_of_as_it_comes(models):
    """For a progress bar."""
    ticks: list[int] = []
    test = probing.ProbeTest("openai:gpt-x", ModelOptions(), quick=True)
    probing.probe_judge(test, None, lambda: ticks.append(1))
    assert len(ticks) == test.readings


def test_cards_are_kept_with_the_one_before(models, tmp_path):
    """Of the same judge and settings; nothing enters a history."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    first = probe(models, store=store)
    models.score = lambda judge, work: by_length(work)
    second = probe(models, store=store)
    assert (first.since, second.since.id) == (None, first.card.id)
    assert [change.name for change in second.changes if change.shown] == ["padding"]
    other = probe(models, store=store, temperature=0.5)
    assert other.since is None
    newest = probing.stored_outcomes(store)
    assert [outcome.card.id for outcome in newest if outcome.card.id == other.card.id] == [other.card.id]
    (shown,) = probing.stored_outcomes(store, "openai:gpt-x")
    assert shown.card.id == other.card.id
    with pytest.raises(
        InputError,
        match=r'no card of a judge "openai:two" in .*; it has cards of openai:gpt-x; make one with: evenhand',
    ):
        probing.stored_outcomes(store, "openai:two")
    assert list(store.evaluations()) == []
    store.close()


def test_an_empty_store_has_no_cards(tmp_path):
    store = evenhand.open_store(str(tmp_path / "s.db"))
    assert probing.stored_outcomes(store) == []
    with pytest.raises(InputError, match=r'no card of a judge "x" in [^;]*; make one with: evenhand trust probe x'):
        probing.stored_outcomes(store, "x")
    store.close()


def test_a_damaged_card_is_named(models, tmp_path):
    """One row of the store cannot be read."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    probe(models, store=store)
    (row,) = store.newest_judge_cards()
    with pytest.raises(Unavailable, match=f"the stored card {row.id} is damaged"):
        probing.read_card(row._replace(document="{"))
    store.close()


@pytest.mark.usefixtures("same_nonces")
def test_a_test_that_stops_keeps_its_replies_and_goes_on(models, tmp_path):
    """The finished one removes both files; what the first one asked is not asked again."""
    whole = probe(models).card.calls
    replies = tmp_path / "probe.db"
    with pytest.raises(Unavailable, match=r"calls.*; replies already paid for are kept; run the same command again to"):
        probe(models, replies=replies, max_calls=20, concurrency=1)
    assert (models.count, replies.exists()) == (whole + 20, True)
    probe(models, replies=replies)
    assert models.count == 2 * whole
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("probe")) == []


def test_a_judge_that_never_answers_has_no_card(models):
    """Silence is not a bias."""
    models.fails = lambda number: CallFailed("nobody answers", kind="rejected")
    with pytest.raises(Unavailable, match="nobody answers"):
        probe(models)


def test_a_price_makes_a_cost(models, tmp_path):
    """200 tokens a call at a dollar per million."""
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 1\nprice_output = 1\n")
    card = probe(models, max_cost="5").card
    assert card.cost == Decimal("0.0002") * card.calls


@pytest.mark.parametrize(
    ("verdicts", "leans"),
    [
        (("first", "first"), 1.0),
        (("second", "second"), -1.0),
        (("first", "second"), 0.0),
        (("first", "tie"), 0.5),
        (("second", "tie"), -0.5),
        (("tie", "tie"), 0.0),
        (("first", None), None),
        ((None, None), None),
    ],
)
def test_a_judge_leans_as_far_as_its_verdicts_follow_the_order(verdicts, leans):
    """The mean of both orders; one without a verdict tells nothing."""
    readings = [PairReading(side, verdict) for side, verdict in zip("ab", verdicts, strict=True)]
    assert probing.lean(readings) == leans


def test_material_is_the_hash_of_everything_shown():
    """Another model's name in a variant, or another rubric, is other material."""
    rubric = evenhand.load_rubric("default")
    same = probing.material("gpt-x", rubric)
    assert probing.material("gpt-x", rubric) == same
    assert probing.material("claude-x", rubric) != same
    assert probing.material("gpt-x", evenhand.load_rubric("writing")) != same
