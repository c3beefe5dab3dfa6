"""No door lets work pass that no one has read."""

from __future__ import annotations

import pytest

import evenhand
from evenhand.cli.shared import DONE, NOT_SCORED, end_gate, gate_code
from evenhand.core.rules import DIMENSIONS
from evenhand.decisions.gate import Gate, Ruling
from evenhand.errors import InputError
from evenhand.judging.files import Named
from evenhand.judging.sets.gate import rule

NINES = dict.fromkeys(DIMENSIONS, 9)
UNREAD = evenhand.check("Cats sleep 12 to 16 hours a day.")


@pytest.mark.parametrize("judge", ["checks", "Checks ", {"name": "checks"}])
def test_a_written_judgement_by_checks_is_refused(judge):
    """Checks give no scores, whoever writes them down."""
    with pytest.raises(InputError, match="checks have not read the work"):
        evenhand.score({"scores": NINES, "judge": judge})


@pytest.mark.parametrize("gate", [Gate(), Gate(no_fault="minor")])
def test_unread_work_is_not_compared_with_a_baseline(gate):
    """Exit code 3, however green the rest is."""
    cards = [Named("a", UNREAD)]
    rulings = rule(cards, gate, cards)
    assert rulings[-1].colour == "unscored" and "no one has read these outputs" in rulings[-1].says
    assert gate_code(rulings) == NOT_SCORED


def test_a_gate_is_not_called_open_while_something_has_no_score(capsys):
    """What the command ends with and what it says agree."""
    green = [Ruling("a", "green", "7.00")]
    assert end_gate(green, NOT_SCORED) == NOT_SCORED
    assert "open" not in capsys.readouterr().err
    assert end_gate(green) == DONE
    assert "the gate is open" in capsys.readouterr().err


def test_an_empty_output_is_a_fault():
    """It has no word to judge."""
    card = evenhand.check("")
    assert {finding.message for finding in card.checked.findings if finding.is_fault} == {"The output is empty."}
