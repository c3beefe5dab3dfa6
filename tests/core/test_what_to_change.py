"""What to change in a skill, collected over the scorecards of its outputs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.decisions.complaints import complaints_of, reason_of
from evenhand.decisions.grouped_complaints import what_to_change
from evenhand.decisions.what_to_change import Change, Changes
from planted_weaknesses import SKILL, card, output, planted

WITHOUT_INSTRUCTION = {"invented-numbers", "wrong-date", "exploit"}


def changes(*, with_skill: bool = True) -> Changes:
    cases = {case: [complaints_of(card(case), case)] for case in planted()["cases"]}
    return what_to_change(
        cases, is_read=True, is_shown=with_skill, skill=("SKILL.md", SKILL.read_text()) if with_skill else None
    )


def weakness_of(change: Change) -> str | None:
    """The planted weakness whose wordings a change has, if it has those alone."""
    names = {
        name for name, weakness in planted()["weaknesses"].items() if set(change.wordings) & set(weakness["wordings"])
    }
    return names.pop() if len(names) == 1 and set(change.wordings) <= set(_wordings()) else None


def _wordings() -> list[str]:
    return [wording for weakness in planted()["weaknesses"].values() for wording in weakness["wordings"]]


def test_the_six_planted_weaknesses_are_the_first_six_entries():
    found = changes().changes
    assert {weakness_of(change) for change in found[:6]} == set(planted()["weaknesses"])
    for change in found[:6]:
        weakness = planted()["weaknesses"][weakness_of(change)]
        assert set(change.cases) == set(weakness["in"])
        assert set(change.wordings) == {weakness["wordings"][number] for number in weakness["in"].values()}


def test_the_first_six_are_found_without_the_skill_too():
    """Nothing tells two wordings then but their own words."""
    assert {weakness_of(change) for change in changes(with_skill=False).changes[:6]} == set(planted()["weaknesses"])


def test_every_entry_has_a_verbatim_quote_of_the_output():
    for change in changes().changes:
        assert change.quotes
        for quote in change.quotes[:1]:
            assert quote.source == "output" and quote.text in output(quote.case)
    assert all(len(change.quotes) == 2 for change in changes().changes[:6])


def test_the_broken_instruction_is_quoted_or_none_covers_it():
    for change in changes().changes[:6]:
        weakness = planted()["weaknesses"][weakness_of(change)]
        if weakness["breaks"] is None:
            assert change.instruction is None
        else:
            assert change.instruction is not None and change.instruction.text == weakness["breaks"]
            line = SKILL.read_text().splitlines()[change.instruction.line - 1]
            assert weakness["breaks"] in line


def test_cost_is_the_mean_over_all_cases():
    """Completeness weighs 0.20 and lacks 7 points in 4 of 12 cases: 0.20 x 7 x 4 / 12 = 0.4667."""
    first = changes().changes[0]
    assert weakness_of(first) == "migration"
    assert first.cost == Decimal("0.47")


@pytest.mark.parametrize(
    ("justification", "is_panel", "reason"),
    [
        ("Too long.", False, "Too long."),
        ("Too long. (The task is addressed: yes; Sources (two) are named: no.)", False, "Too long."),
        ("Too long (by half). (The task is addressed: yes.)", False, "Too long (by half)."),
        ("Too long (by half.)", False, "Too long (by half.)"),
        ("(The task is addressed: yes; Sources are named: no.)", False, "Sources are named: no"),
        ("a:x 7: Fine. (Is it: yes.)\nb:y 4.5: Too long.\nIt rambles. (Is it: no.)", True, "Too long.\nIt rambles."),
        ("a:x 7: Fine.\nb:y 4", True, "Fine."),
        ("a:x no score: down\nb:y 4: Too long.", True, "Too long."),
    ],
)
def test_a_reason_is_what_a_judge_says_in_its_own_words(justification, is_panel, reason):
    """Without observations and names, which are alike in all cases; of a panel, the strictest judge's."""
    assert reason_of(justification, is_panel=is_panel) == reason
