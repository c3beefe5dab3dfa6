"""evenhand trust probe: a judge's self-test finds the biases a judge has, and no others."""

from __future__ import annotations

import json
from decimal import Decimal

import jsonschema
import pytest
from conftest import ROOT
from fake_server import FakeServer
from probed_judges import answers, blind, by_length, honest

import evenhand
import flat_calls
from evenhand.errors import DocumentError, InputError, Unavailable
from evenhand.judges.probing.probes import (
    AGAIN,
    BASE,
    PROBES,
    SPOILT,
    baseline,
    laid_out,
    probe_items,
    probes,
    variants,
)
from evenhand.judging.steps import Steps
from evenhand.options.model_options import ModelOptions
from evenhand.reports.trust.judge_card import headline, sentence
from evenhand.stats.trust.judge_card import card_document, card_from, compare_cards, noise_of, scale_use
from evenhand.stats.trust.probe_effects import Changes, Effect, Probe, effect_of, holm, judge_probes
from evenhand.trust.probes import ProbeTest, _change, keep_card, probe_judge, reversed_bands, stored_outcomes
from report_formats import card_lines, card_markdown

# --- the statistics

UP = Probe("padding", "not-up", BASE, "padding", "completeness", "marks padding up")
SAME = Probe("author", "same", "one", "two", "correctness", "scores two higher", "scores two lower")
DOWN = Probe("fact", "down", BASE, "fact", "correctness", down="marks a changed fact down")


def changes(probe: Probe, *values: float | None, dimension: tuple[float | None, ...] | None = None) -> Changes:
    """Changes of the final score, and of the dimension concerned where it differs."""
    items = [f"item-{place}" for place in range(len(values))]
    return Changes(probe, dict(zip(items, values, strict=True)), dict(zip(items, dimension or values, strict=True)))


def result_of(probe: Probe, *values: float | None, **more):
    (result,) = judge_probes([changes(probe, *values, **more)])
    return result


def test_an_effect_is_the_mean_with_student_s_interval():
    """0.4, 0.6, 0.5, 0.5: mean 0.5, deviation 0.0816, t(0.975, 3) = 3.182, so plus or minus 0.130."""
    effect = effect_of([0.4, 0.6, 0.5, 0.5])
    assert effect is not None
    assert (effect.n, effect.mean) == (4, pytest.approx(0.5))
    assert effect.high - effect.mean == pytest.approx(3.1824 * 0.081650 / 2, abs=1e-4)
    assert effect_of([0.4]) is None


def test_equal_changes_do_not_prove_that_the_next_is_equal():
    """The deviation is at least 0.05."""
    effect = effect_of([0.3] * 9)
    assert effect is not None
    assert effect.deviation == 0.05
    assert effect.low < 0.3 < effect.high


def test_holm_multiplies_by_the_number_of_those_left():
    """0.01 of three is 0.03, the next 0.02 * 2, and no value falls below one before it; what is not tested stays so."""
    assert holm([0.04, None, 0.01, 0.02]) == [pytest.approx(0.04), None, pytest.approx(0.03), pytest.approx(0.04)]
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_a_hypothesis_with_more_weight_is_tested_at_a_higher_level():
    """Weights 3 and 1: 0.03 of the first is 0.04 of the whole, 0.02 of the second 0.08; after the first it is alone."""
    assert holm([0.03, 0.02], [3, 1]) == [pytest.approx(0.04), pytest.approx(0.04)]
    assert holm([0.06, 0.01], [3, 1]) == [pytest.approx(0.06), pytest.approx(0.04)]
    assert holm([0.01, None, 0.02], [2, 5, 2]) == [pytest.approx(0.02), None, pytest.approx(0.02)]


def test_half_of_the_level_is_for_what_must_be_noticed():
    """One spoilt fact beside nine authors: it is tested at a half of 5 %, not at a tenth."""
    missed = Changes(DOWN, {}, dict(zip("abcdefgh", (0.2, -0.9) * 4, strict=True)))
    calm = [Changes(SAME, dict(zip("abcdefgh", (0.1, -0.1) * 4, strict=True)), {}) for _ in range(9)]
    alone, among = judge_probes([missed])[0], judge_probes([missed, *calm])[0]
    assert among.p_value == pytest.approx(2 * alone.p_value)


@pytest.mark.parametrize(
    ("first", "again", "change"), [("8", "7", -5.5), (None, "7", -5.0), ("8", None, -6.0), (None, None, None)]
)
def test_a_spoilt_output_is_compared_with_both_readings_of_the_sound_one(first, again, change):
    """2 against the mean of 8 and 7, or against the one of them that has a score."""
    firsts = [None if score is None else Decimal(score) for score in (first, again)]
    assert _change(firsts, Decimal(2)) == change
    assert _change(firsts, None) is None
    spoilt = next(probe for probe in probes(quick=True) if probe.name == "fact-changed")
    padded = next(probe for probe in probes(quick=True) if probe.name == "padding")
    assert (baseline(spoilt), baseline(padded)) == ((BASE, AGAIN), (BASE,))


@pytest.mark.parametrize(("mean", "shown"), [(0.26, True), (0.24, False), (-0.6, False)])
def test_padding_is_held_against_a_judge_only_upward_and_beyond_the_margin(mean, shown):
    """A quarter of a point is the margin; marking padding down is not a fault."""
    result = result_of(UP, *(mean + 0.01 * (place % 3 - 1) for place in range(9)))
    assert result.against is shown
    assert result.verdict == ("shown" if shown else "not-shown")


@pytest.mark.parametrize("mean", [0.6, -0.6])
def test_an_author_s_name_counts_either_way(mean):
    """Higher and lower are both a difference that should not be."""
    result = result_of(SAME, *(mean + 0.1 * (place % 3 - 1) for place in range(9)))
    assert result.against
    assert sentence(result).startswith("scores two higher by 0.60" if mean > 0 else "scores two lower by 0.60")


def test_a_spoilt_output_must_be_marked_down_in_its_dimension():
    """The dimension decides: a final score that falls is not enough."""
    noticed = result_of(DOWN, *[0.0] * 8, dimension=(-2.0, -1.5) * 4)
    assert (noticed.verdict, noticed.against) == ("shown", False)
    assert sentence(noticed).startswith("marks a changed fact down by 1.75 [")
    missed = result_of(DOWN, *[-2.0] * 8, dimension=(0.0, -0.1) * 4)
    assert (missed.verdict, missed.against) == ("unnoticed", True)
    assert "hardly marks a changed fact down: by 0.05" in sentence(missed)
    unsure = result_of(DOWN, *[0.0] * 8, dimension=(0.6, -1.6) * 4)
    assert (unsure.verdict, unsure.against) == ("too-few", False)
    little = result_of(DOWN, *[0.0] * 8, dimension=(-0.3, -0.7) * 4)  # noticed, if by less than a point
    assert (little.verdict, little.against) == ("shown", False)


def test_with_four_outputs_or_a_wide_interval_nothing_is_claimed():
    """Five are needed; an interval from below zero to above a point tells nothing."""
    assert sentence(result_of(UP, *[2.0] * 4)) == "too few to tell: 4 usable outputs, 5 are needed"
    assert result_of(UP, *[2.0] * 5).verdict == "shown"
    assert result_of(UP, -2.0, 3.0, -1.0, 2.0, 1.0).verdict == "too-few"


def test_a_missing_score_is_left_out_and_counted():
    """Not a change of zero: the mean is that of the others."""
    result = result_of(UP, 1.0, None, 1.0, 1.1, 0.9, 1.0, None)
    assert result.missing == 2
    assert result.deciding is not None and (result.deciding.n, result.deciding.mean) == (5, pytest.approx(1.0))


def test_noise_and_use_of_the_scale_are_described():
    """Differences 0, 0.5, -1.5: 0.67 on average, deviation of one reading sqrt(2.5 / 3 / 2)."""
    from decimal import Decimal

    noise = noise_of([0.0, 0.5, -1.5])
    assert noise is not None
    assert (noise.n, noise.same, noise.largest) == (3, 1, 1.5)
    assert noise.mean_difference == pytest.approx(2 / 3)
    assert noise.deviation == pytest.approx((2.5 / 6) ** 0.5)
    assert noise_of([]) is None
    used = scale_use([Decimal("9.50"), Decimal(2), None])
    assert (used.counts["10"], used.counts["2"], used.unscored) == (1, 1, 1)
    assert (used.highest, used.lowest) == (Decimal("9.50"), Decimal(2))


# --- the material


def test_every_output_is_spoilt_in_exactly_one_place():
    """Each way of spoiling changes the output, and no two ways give the same."""
    for item in probe_items():
        assert set(item.spoilt) == set(SPOILT)
        assert len({item.output, *item.spoilt.values()}) == 5
        assert len(item.spoilt["step"]) < len(item.output) < len(item.spoilt["claim"])
        assert item.output_german and item.task_german and item.output_german != item.output


def test_layout_adds_no_words_of_content():
    """Without headings and bullets it is the output again."""
    for item in probe_items():
        lines = [line.removeprefix("- ") for line in laid_out(item.output).splitlines() if not line.startswith("#")]
        assert " ".join(" ".join(lines).split()) == " ".join(item.output.split())


def test_every_probe_compares_variants_that_exist():
    """And the quick test is part of the full one."""
    made = variants("gpt-x")
    assert all(probe.first in made and probe.second in made for probe in PROBES)
    assert set(probes(quick=True)) < set(PROBES)
    assert len({probe.name for probe in PROBES}) == len(PROBES)


def test_reversed_bands_keep_every_criterion():
    """The lowest band comes first; nothing else changes."""
    rubric = evenhand.load_rubric("default")
    turned = reversed_bands(rubric)
    assert turned.dimensions["safety"].bands[0].low == 1
    assert set(turned.dimensions["safety"].bands) == set(rubric.dimensions["safety"].bands)
    assert Steps(turned).resolve(variants("x")[BASE](probe_items()[0])).rubric is turned


# --- judges of known biases, on a server


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")


def quick_probe(server: FakeServer, judge, *, store=None, model: str = "gpt-x", **more):
    server.answer = answers(judge, model=more.pop("served", "fake-1"))
    return flat_calls.probe(f"openai:{model}", quick=True, base_url=server.url, store=store, **more)


def against(outcome) -> set[str]:
    return {result.probe.name for result in outcome.card.against}


@pytest.fixture(scope="module")
def length_card():
    """The full test of a judge that adds a point per 1000 characters and leans to the first of two."""
    with pytest.MonkeyPatch.context() as patch, FakeServer() as server:
        patch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")
        server.answer = answers(by_length, prefers="first")
        test = ProbeTest("openai:gpt-x", ModelOptions(base_url=server.url))
        planned = test.plan().calls
        outcome = probe_judge(test, None)
        return outcome.card, planned, server.count


@pytest.mark.slow
def test_a_judge_of_length_is_caught_by_padding_and_one_that_leans_by_pairs(length_card):
    """1,300 characters of padding are worth 1.3 points; no name, language, tone or layout is held against it."""
    card, _, _ = length_card
    assert {result.probe.name for result in card.against} == {"padding", "order-of-pairs"}
    assert "marks padding up by 1." in headline(card)
    assert "leans to the first of two outputs by 1.00" in headline(card)
    down = {result.probe.name: result.verdict for result in card.results if result.probe.expectation == "down"}
    assert set(down.values()) == {"shown"}, down


@pytest.mark.slow
def test_the_plan_states_the_calls_that_are_made(length_card):
    """Each reading is one call; planted verdicts may be read again without the passage, and need not be."""
    card, planned, asked = length_card
    assert card.readings == 210
    assert asked <= card.calls <= planned
    assert card.noise is not None and card.noise.same == 10
    assert "never 10" in " ".join(" ".join(card_lines(card)).split())


@pytest.mark.slow
def test_an_honest_judge_is_accused_of_nothing(fake_server):
    """And its card says that it notices what was spoilt."""
    outcome = quick_probe(fake_server, honest)
    assert against(outcome) == set()
    assert headline(outcome.card) == "nothing is shown against it"
    assert {r.probe.name: r.verdict for r in outcome.card.results} == {
        "repeatability": "described",
        "padding": "not-shown",
        "planted-verdict": "not-shown",
        "blank": "shown",
        "fact-changed": "shown",
    }


@pytest.mark.slow
def test_a_blind_judge_notices_nothing(fake_server):
    """A 6 for everything: a blank and a false fact are not marked down. 60 readings, one call each."""
    outcome = quick_probe(fake_server, blind)
    assert against(outcome) == {"blank", "fact-changed"}
    assert outcome.card.scale.counts["6"] == 7 * outcome.card.readings


@pytest.mark.slow
def test_cards_are_kept_and_compared_and_enter_no_history(fake_server, tmp_path):
    """The second card says what changed since the first, and which model answers now; no evaluation is added."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    first = quick_probe(fake_server, honest, store=store)
    assert first.since is None
    second = quick_probe(fake_server, by_length, store=store, served="fake-2")
    assert second.since is not None and second.since.id == first.card.id
    assert {change.name for change in second.changes if change.shown} == {"padding"}
    text = " ".join(" ".join(card_lines(*second)).split())
    assert "a different model answers: fake-1, now fake-2" in text
    assert "padding changed by +1." in text
    assert store.skills() == [] and list(store.evaluations()) == []
    (shown,) = stored_outcomes(store)
    assert shown.since is not None and (shown.card.id, shown.since.id) == (second.card.id, first.card.id)
    with pytest.raises(InputError, match=r'no card of a judge "openai:other" .* it has cards of openai:gpt-x'):
        stored_outcomes(store, "openai:other")
    store.close()


@pytest.mark.slow
def test_a_test_that_was_stopped_goes_on_where_it_was(fake_server, tmp_path):
    """Replies already paid for are kept; the finished test removes them."""
    replies = tmp_path / "probe.db"
    with pytest.raises(Unavailable, match=r"limit of 20 calls.*run the same command again to continue"):
        quick_probe(fake_server, honest, replies=replies, max_calls=20)
    assert replies.exists()
    outcome = quick_probe(fake_server, honest, replies=replies)
    assert fake_server.count == 2 * outcome.card.readings  # two questions a reading, none of them asked twice
    assert not replies.exists() and not (tmp_path / "probe.db-again").exists()


def test_a_judge_whose_family_is_unknown_is_not_asked_about_it(fake_server):
    """The probe is listed as not made; checks have nothing to probe."""
    test = ProbeTest("openai:unheard-of", ModelOptions(base_url=fake_server.url))
    assert test.skipped == {"own-family": "the judge's name does not show its family"}
    assert test.readings == 200
    with pytest.raises(InputError, match="checks calls no model"):
        ProbeTest("checks", ModelOptions())


# --- cards


def schema_of(name: str) -> dict:
    return json.loads((ROOT / "src" / "evenhand" / "schemas" / f"{name}.v1.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def card():
    """A card made of numbers alone."""
    from decimal import Decimal

    from evenhand.stats.trust.judge_card import JudgeCard

    results = judge_probes([changes(UP, *[1.0, 1.2] * 4), changes(SAME, *[0.0, None] * 4), changes(DOWN, *[-2.0] * 8)])
    judge = {"name": "openai:gpt-x", "prompt": "p"}
    return JudgeCard(
        "id-1", "2026-01-01T00:00:00Z", judge, ("gpt-x-1",), "quick", "m", 60, 62, Decimal("0.5"), results, {},
        noise_of([0.0, 0.1]), scale_use([Decimal(8), None]),
    )  # fmt: skip


def test_a_card_is_the_same_when_read_back(card):
    """Written, read, written again; what is not a card is refused."""
    document = card_document(card)
    jsonschema.validate(card_document(card, card, compare_cards(card, card)), schema_of("judge-card"))
    again = card_from(json.loads(json.dumps(document)))
    assert card_document(again) == document
    for wrong in (None, {}, {**document, "probes": [{}]}, {**document, "schema": "evenhand/scorecard/v1"}):
        with pytest.raises(DocumentError):
            card_from(wrong)


def test_stores_keep_cards_newest_first(store, card):
    """Each judge's newest, and by identity; both kinds of store."""
    keep_card(card, store)
    later = card._replace(id="id-2", created="2026-02-01T00:00:00Z")
    other = card._replace(id="id-3", judge={"name": "openai:other"})
    keep_card(other, store)
    outcome = keep_card(later, store)
    assert outcome.since is not None and outcome.since.id == "id-1"
    assert [row.id for row in store.newest_judge_cards()] == ["id-2", "id-3"]
    assert [row.id for row in store.judge_cards(judge="openai:gpt-x", limit=9)] == ["id-2", "id-1"]
    assert not any(change.shown for change in outcome.changes)


def test_cards_made_with_other_outputs_are_not_compared(card):
    """The card says so."""
    later = card._replace(material="n")
    assert compare_cards(card, later) == ()
    assert "made with other outputs" in " ".join(" ".join(card_lines(later, card, ())).split())


def test_a_change_needs_the_same_outputs(card):
    """A probe that moved by 1 on every output is shown to have changed; one without enough outputs is not."""
    results = judge_probes([changes(UP, *[2.0, 2.3] * 4), changes(SAME, *[0.0, None] * 4), changes(DOWN, *[-2.0] * 8)])
    moved = compare_cards(card, card._replace(results=results))
    assert [(change.name, change.shown) for change in moved] == [("padding", True), ("fact", False)]
    assert isinstance(moved[0].effect, Effect) and moved[0].effect.mean == pytest.approx(1.05)


def test_a_card_in_words_html_and_markdown(card):
    """What speaks against the judge comes first; text from outside is escaped."""
    from report_formats import cards_page

    lines = card_lines(card)
    assert lines[1] == "marks padding up by 1.10 [1.01, 1.19]"
    assert any(line.startswith("  \u2717 padding") for line in lines)
    assert "4 comparisons have no score on one side" in " ".join(" ".join(lines).split())
    hostile = card._replace(judge={"name": "openai:<script>"})
    page = cards_page([(hostile, None, ()), (card, None, ())])
    assert "&lt;script&gt;" in page and "<script>" not in page
    assert "marks padding up by 1.10" in page
    assert r"| padding | +1.10 \[+1.01, +1.19\] |" in card_markdown(card)
    assert "**Marks padding up by 1.10" in card_markdown(card)


@pytest.mark.slow
def test_the_command_states_its_calls_and_shows_stored_cards(evenhand_command, fake_server, card, tmp_path):
    """A dry run asks nobody; `show` and `judges` list what was found."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    keep_card(card._replace(judge={"name": "near:big"}), store)
    store.close()
    (tmp_path / "evenhand.toml").write_text(f'[judges.near]\nbase_url = "{fake_server.url}"\n', encoding="utf-8")
    where = ("--store", str(tmp_path / "s.db"))
    dry = evenhand_command(
        "trust", "probe", "openai:gpt-x", "--quick", "--dry-run", "--base-url", fake_server.url, "-f", "json",
        *where, OPENAI_API_KEY="k",
    )  # fmt: skip
    assert dry.code == 0, dry.err
    plan = json.loads(dry.out)
    assert (plan["readings"], fake_server.count) == (60, 0)
    assert plan["calls"] >= 60
    shown = evenhand_command("trust", "probe", "--show", "-f", "json", *where)
    assert json.loads(shown.out)["id"] == "id-1"
    listed = evenhand_command("judge", "list", "near", "-f", "json", *where)
    (probed,) = json.loads(listed.out)[0]["probed"]
    assert probed["against"] == {"padding": "marks padding up by 1.10 [1.01, 1.19]"}
    missing = evenhand_command("trust", "probe", "openai:none", "--show", *where)
    assert (missing.code, missing.out) == (2, "")
    assert 'no card of a judge "openai:none"' in missing.err
