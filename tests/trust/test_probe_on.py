"""`probe --on`: a judge's self-test on a user's own outputs, changed in ways whose effect follows from the text."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from conftest import ROOT

import evenhand
import flat_calls
import models_here
from evenhand import InputError
from evenhand.judges.probing.own_outputs import (
    OWN_PROBES,
    OwnOutput,
    contradicted,
    own_variants,
    paraphrased,
    reordered,
    truncated,
)
from evenhand.judges.probing.probes import PADDING
from evenhand.stats.trust.judge_card import card_document, card_from
from evenhand.stats.trust.probe_effects import LEAST_PAIRS, Changes, accusation_rate, judge_probes
from evenhand.trust.probes import own_material
from report_formats import card_lines, card_markdown, cards_page

OUTPUT = """The export stopped because the disk was full. For example, run {n} wrote 40 files in 12 minutes.

- Do not delete the parts that are finished.
- Free 20 GB, then start the export again with `export --resume`.
- Raise an alert when the disk is 80 % full.

In order to see what is left, list the whole folder and compare it with the plan of the night before."""


# --- what is done to an output


def test_other_words_mean_the_same_and_code_stays_as_it_is():
    """Capitals are kept; with fewer than two words to replace there is no paraphrase."""
    text = "For example, `for example` does not count.\n\n```\nfor example, do not\n```\nIt does not."
    assert paraphrased(text) == (
        "For instance, `for example` doesn't count.\n\n```\nfor example, do not\n```\nIt doesn't."
    )
    assert paraphrased("It does not matter.") is None


def test_only_lists_without_numbers_are_reordered():
    """The order of steps may matter, that of bullets does not; nor is code touched."""
    assert reordered("Do:\n\n- one\n- two\n- three\n\nThen:\n\n1. first\n2. second\n") == (
        "Do:\n\n- three\n- two\n- one\n\nThen:\n\n1. first\n2. second\n"
    )
    assert reordered("1. first\n2. second\n") is None
    assert reordered("```\n- one\n- two\n```\n") is None


def test_half_of_an_output_ends_within_a_word():
    """A short output is left out: half of it may be as good."""
    half = truncated("word " * 100)
    assert half is not None and 250 <= len(half) <= 255 and half[-1].isalnum()
    assert truncated("word " * 30) is None


def test_a_fact_is_contradicted_by_the_output_itself():
    """Three times the number and one more: 12 becomes 37. Names, versions and dates are not numbers."""
    assert contradicted("It ran. It took 12 minutes.") == (
        "It ran. It took 12 minutes.\n\nTo sum up: It took 37 minutes."
    )
    assert contradicted("Version 1.2.3 of 2024-01-02, see T14.") is None


def test_every_probe_compares_variants_that_exist():
    """And an output of every kind has room for all of them but the format, since it has a list already."""
    item = OwnOutput("a", None, OUTPUT)
    made = {name: variant(item) for name, variant in own_variants().items()}
    assert {probe.first for probe in OWN_PROBES} | {probe.second for probe in OWN_PROBES} == made.keys()
    assert [name for name, shown in made.items() if shown is None] == ["format"]


# --- how often an honest judge is accused


@pytest.mark.slow
def test_a_judge_without_noise_is_never_accused_and_one_with_noise_seldom():
    """At most 5 cards in 100, and the Monte Carlo error of 400; nothing is known without a second reading."""
    sizes = dict.fromkeys((probe.name for probe in OWN_PROBES), 10)
    assert accusation_rate(OWN_PROBES, sizes, []) is None
    assert accusation_rate(OWN_PROBES, sizes, [0.0] * 10) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("noise", [[0.0, 0.25, -0.5, 0.1, 0.3], [1.0, -1.5, 0.5, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0, 3.0]])
@pytest.mark.parametrize("n", [5, 10, 20])
def test_honest_noise_is_seldom_accused(noise, n):
    """Small, large, and rare slips of three points; 0.05 and two standard errors of 400 cards are 0.072."""
    rate = accusation_rate(OWN_PROBES, dict.fromkeys((probe.name for probe in OWN_PROBES), n), noise)
    assert rate is not None and rate <= 0.072


def test_a_contradicted_fact_that_is_not_noticed_is_never_an_accusation():
    """Whether it can be noticed depends on the output; what is noticed is shown."""
    probe = next(probe for probe in OWN_PROBES if probe.name == "fact-changed")
    for drop, verdict in ((0.0, "not-shown"), (-2.0, "shown")):
        values = {str(place): drop + place / 100 for place in range(10)}
        (result,) = judge_probes([Changes(probe, values, values)])
        assert (result.verdict, result.against, result.p_value) == (verdict, False, None)


# --- a whole test


@pytest.fixture
def models(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("outputs").mkdir()
    for n in range(12):
        Path(f"outputs/{n:02}.md").write_text(OUTPUT.format(n=n))
    made = models_here.install(monkeypatch)
    made.score = honest
    return made


def honest(judge: str, work: str) -> int:
    """7 for an output, 1 for a blank one, 4 for half of one, 5 for one that contradicts itself."""
    if len(work) < 50:
        return 1
    if "To sum up" in work:
        return 5
    return 7 if "night before" in work else 4


def probe(**more):
    return flat_calls.probe("openai:gpt-x", **({"on": "outputs", "outputs": 6} | more)).card


@pytest.mark.slow
def test_a_probe_on_own_outputs_shows_every_dimension_and_accuses_no_honest_judge(models):
    """Six of twelve outputs; base, again and the eight variants that this output has room for."""
    card = probe()
    assert (card.size, card.outputs, card.readings) == ("own", "6 of 12 outputs of outputs", 10 * 6)
    changes = {result.probe.name: result.final and round(result.final.mean, 2) for result in card.results}
    assert changes == {
        "repeatability": 0.0, "paraphrase": 0.0, "reordering": 0.0, "padding": 0.0, "format": None, "author": 0.0,
        "truncation": -3.0, "fact-changed": -2.0, "blank": -6.0,
    }  # fmt: skip
    assert (card.against, card.uses[0].verdict, card.false_accusations) == ((), "not-shown", 0.0)
    truncation = card.results[6]
    assert {name: effect.mean for name, effect in truncation.dimensions.items()} == dict.fromkeys(
        evenhand.DIMENSIONS, -3.0
    )
    lines = card_lines(card)
    said = " ".join(" ".join(lines).split())
    assert said.startswith("openai:gpt-x: probe of ") and " on 6 of 12 outputs of outputs, 60 readings" in said
    assert any(line.split()[:3] == ["truncation", "-3.00*", "-3.00*"] for line in lines)
    assert "an honest judge with this noise would be accused on 0.0% of such cards (400 simulated)" in said
    assert "By dimension" in cards_page([(card, None, ())])
    assert "| truncation | -3.00" in card_markdown(card)


@pytest.mark.slow
def test_a_judge_that_likes_padding_is_caught_on_own_outputs(models):
    """A point for the empty sentences."""
    models.score = lambda judge, work: honest(judge, work) + (PADDING[:40] in work)
    assert [result.probe.name for result in probe().against] == ["padding"]


@pytest.mark.slow
def test_a_card_on_own_outputs_is_read_back_and_compared_with_its_own_kind(models, tmp_path):
    """Not with a card of the built-in outputs that was made in between."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    first = flat_calls.probe("openai:gpt-x", on="outputs", outputs=6, store=store)
    flat_calls.probe("openai:gpt-x", quick=True, store=store)
    again = flat_calls.probe("openai:gpt-x", on="outputs", outputs=6, store=store)
    assert again.since is not None and again.since.id == first.card.id
    assert not any(change.shown for change in again.changes)
    document = card_document(again.card)
    schema = ROOT / "src" / "evenhand" / "schemas" / "judge-card.v1.schema.json"
    jsonschema.validate(json.loads(json.dumps(document)), json.loads(schema.read_text(encoding="utf-8")))
    assert card_from(json.loads(json.dumps(document))).results[6].dimensions.keys() == set(evenhand.DIMENSIONS)
    store.close()


def test_too_few_outputs_and_options_that_do_not_go_together_are_refused(models, evenhand_command):
    """Five are the fewest from which anything is claimed."""
    assert len(own_material(["outputs"], most=5).items) == LEAST_PAIRS
    with pytest.raises(InputError, match=r"outputs/00\.md: 1 outputs; a probe needs at least 5"):
        own_material(["outputs/00.md"])
    assert evenhand_command("trust", "probe", "openai:gpt-x", "--on", "outputs", "--quick").code == 2
    assert evenhand_command("trust", "probe", "openai:gpt-x", "--rubric", "writing").code == 2
    planned = evenhand_command("trust", "probe", "openai:gpt-x", "--on", "outputs", "--dry-run", "--store", "none")
    assert (planned.code, "100 readings" in planned.out) == (0, True), planned.err
