"""A gate on criteria: met, missed, undecided; by id or by sentence; nothing undecided passes."""

from __future__ import annotations

import json

import pytest
from fake_server import FakeServer

import evenhand
from evenhand.core.criteria_results import criterion_result
from evenhand.errors import InputError
from evenhand.reports.markdown import rubric_markdown
from test_criteria_judging import ANSWER, server_that, verdict, yes
from test_criteria_scorecards import ANSWERS, TREE, judgement_of, rubric_with, scored


def ruling(answers, *criteria: str) -> tuple[str, str]:
    (ruling,) = evenhand.gate([scored(answers)], criteria=criteria)
    return ruling.colour, ruling.says


def test_a_met_criterion_opens_the_gate():
    assert ruling(ANSWERS, "ticket")[0] == "green"


def test_a_criterion_that_takes_points_away_is_met_by_a_no():
    assert ruling(ANSWERS, "invented")[0] == "green"
    assert ruling({**ANSWERS, "invented": {"answer": "yes", "reason": "41 is nowhere."}}, "invented") == (
        "red",
        "criterion invented is missed: 41 is nowhere.",
    )


def test_one_that_is_met_partly_is_not_met():
    assert ruling(ANSWERS, "tests-run") == ("red", "criterion tests-run is partly met: The tests run.")


def test_one_that_cannot_be_decided_is_undecided():
    colour, says = ruling({**ANSWERS, "ticket": "cannot tell"}, "ticket")
    assert (colour, says) == ("unscored", "criterion ticket could not be decided: The answer names the ticket.")


def test_one_that_does_not_apply_asks_for_nothing():
    assert ruling({**ANSWERS, "ticket": "does not apply"}, "ticket")[0] == "green"


def test_a_misspelt_criterion_is_refused_with_the_right_one():
    with pytest.raises(InputError, match=r'unknown criterion "tiket".*ticket'):
        evenhand.gate([scored(ANSWERS)], criteria=["tiket"])


def test_a_scorecard_that_was_not_asked_is_undecided_beside_one_that_was():
    other = evenhand.score({"id": "plain", "scores": dict.fromkeys(evenhand.DIMENSIONS, 8)})
    rulings = evenhand.gate([scored(ANSWERS), other], criteria=["ticket"])
    assert [ruling.colour for ruling in rulings] == ["green", "unscored"]
    assert rulings[1].says == "criterion ticket was not asked about"


def test_the_command_takes_ids_and_exits_with_1(evenhand_command, tmp_path):
    (tmp_path / "r.md").write_text(rubric_markdown(rubric_with(TREE)))
    (tmp_path / "j.json").write_text(json.dumps(judgement_of(ANSWERS)))
    gate = ("gate", "j.json", "--set", "gate.rubric=r.md", "--store", "none")
    assert evenhand_command(*gate, "--criterion", "ticket").code == 0
    red = evenhand_command(*gate, "--criterion", "ticket", "--criterion", "tests-pass")
    assert (red.code, "criterion tests-pass is missed" in red.out) == (1, True)
    wrong = evenhand_command(*gate, "--criterion", "tets-pass")
    assert (wrong.code, "tests-pass" in wrong.err) == (2, True)


def by_sentence(server: FakeServer, *sentences: str) -> evenhand.Scorecard:
    options = evenhand.ModelOptions(base_url=server.url)
    return evenhand.judge(ANSWER, expect=list(sentences), judges="openai:one", options=options)


def test_a_sentence_is_named_as_it_was_asked(fake_server: FakeServer):
    fake_server.answer = server_that(yes)
    card = by_sentence(fake_server, "Names a test to run.")
    assert criterion_result(card, "names a  test to run") == ("met", "It says yes.")
    assert [ruling.colour for ruling in evenhand.gate([card], criteria="names a test to run")] == ["green"]


def test_a_sentence_that_is_undecided_opens_no_gate(fake_server: FakeServer):
    """By --no-fault too: it was neither met nor unmet."""
    fake_server.answer = server_that(lambda *_: verdict("cannot tell", absent=True))
    card = by_sentence(fake_server, "is kind")
    for limits in ({"no_fault": "minor"}, {"criteria": ["is kind"]}):
        (ruling,) = evenhand.gate([card], **limits)  # type: ignore[arg-type]
        assert ruling.colour == "unscored"
    unasked = evenhand.judge(ANSWER, expect=["is kind"], judges="checks")
    (ruling,) = evenhand.gate([unasked], no_fault="critical")
    assert (ruling.colour, ruling.says) == ("unscored", "1 sentence is undecided: is kind")


def test_sentences_in_mappings_alone_are_asked_alone(fake_server: FakeServer):
    fake_server.answer = server_that(yes)
    card = evenhand.judge(
        ANSWER,
        expect=[{"text": "is kind"}],
        judges="openai:one",
        options=evenhand.ModelOptions(base_url=fake_server.url),
    )
    assert (card.grade, fake_server.count) == (None, 1)
