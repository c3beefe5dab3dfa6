"""Versions of a rubric: what scorecards show of them, whole texts by their hash, and how two of them differ."""

from __future__ import annotations

from decimal import Decimal

import pytest
from conftest import make_rubric

import evenhand
from evenhand import DIMENSIONS
from evenhand.core.receipt import canonical_rubric, canonical_text, terms_of
from evenhand.judging.kept.rubric_texts import known_whole, rubric_differences, whole_rubric
from evenhand.judging.kept.rubric_versions import Difference, KnownVersion, known_version, percent, version_differences


class Kept:
    """A store that keeps one rubric, whatever its hash."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def kept_rubric(self, digest: str) -> str | None:
        return self.text


# --- whole rubrics


def test_a_kept_rubric_comes_before_the_one_of_its_name():
    """It is the very one that was judged with; the name may stand for another by now."""
    rubric = make_rubric()
    digest = terms_of(rubric).sha256
    assert whole_rubric(Kept(canonical_text(canonical_rubric(rubric))), "default", digest).name == "made"


def test_a_kept_rubric_that_was_changed_is_not_any_scorecard_s():
    """Its hash gives it away; the built-in one of the same hash is still found."""
    default = evenhand.load_rubric("default")
    digest = terms_of(default).sha256
    changed = canonical_text(canonical_rubric(make_rubric()))
    assert whole_rubric(Kept(changed), "default", digest).name == "default"
    assert whole_rubric(Kept(changed), "made", "0" * 64) is None
    assert whole_rubric(Kept(None), "default", digest).name == "default"


def test_a_whole_rubric_shows_everything_that_scorecards_may_show():
    """Flags with their amounts, raised or not; bonuses have none."""
    made = known_whole(make_rubric(amounts=["0.5", "1.5"], bonuses=1, pass_mark="6.50"))
    assert made == KnownVersion(
        terms_of(make_rubric(amounts=["0.5", "1.5"], bonuses=1, pass_mark="6.50")).sha256,
        Decimal("6.50"),
        make_rubric().weights,
        {"f0": ("flag 0", Decimal("0.50")), "f1": ("flag 1", Decimal("1.50"))},
        {"b0": ("bonus 0", None)},
        {},
    )


def test_equal_rubrics_do_not_differ():
    assert rubric_differences(make_rubric(), make_rubric()) == []


def test_everything_that_a_rubric_says_of_itself_may_differ():
    """In the order of a rubric file; what is empty is said to be."""
    before = make_rubric()
    after = before._replace(
        title="New",
        version="2",
        domain="prose",
        summary="For all.",
        pass_mark=Decimal("6.50"),
        pass_mark_reason="Because.",
        official="calibrated",
    )
    assert rubric_differences(before, after) == [
        Difference("title", "Made", "New"),
        Difference("version", "1", "2"),
        Difference("domain", "empty", "prose"),
        Difference("introduction", "empty", "For all."),
        Difference("pass mark", "7", "6.5"),
        Difference("reason for the pass mark", "empty", "Because."),
        Difference("official score", "raw", "calibrated"),
    ]
    assert rubric_differences(after, before)[2] == Difference("domain", "prose", "empty")


def test_weights_measures_and_bands_differ_by_dimension():
    """A band that only one of them has is not there in the other."""
    before = make_rubric()
    weights = before.weights | {"correctness": Decimal("0.2"), "safety": Decimal("0.2")}
    criteria = before.dimensions["safety"]
    bands = (criteria.bands[0]._replace(criteria="Nothing unsafe."), *criteria.bands[2:])
    after = before._replace(
        weights=weights,
        dimensions=before.dimensions | {"safety": criteria._replace(measures="Harm.", bands=bands)},
    )
    assert rubric_differences(before, after) == [
        *(
            Difference(f"weight of {name}", percent(before.weights[name]), "20%")
            for name in DIMENSIONS
            if name in ("correctness", "safety")
        ),
        Difference("what safety measures", "empty", "Harm."),
        Difference("safety, 9 to 10", "criteria 9", "Nothing unsafe."),
        Difference("safety, 7 to 8", "criteria 7", "not there"),
    ]


def test_flags_and_bonuses_differ_by_id():
    """New, gone, or another amount, wording or check."""
    before = make_rubric(amounts=["0.5", "0.5", "0.5"], bonuses=2)
    flags = (
        before.red_flags[0]._replace(deduction=Decimal("1.00"), description="worse"),
        before.red_flags[1]._replace(detect="secrets"),
        before.red_flags[2]._replace(id="f9", description="flag 9"),
    )
    after = before._replace(red_flags=flags, bonuses=before.bonuses[:1])
    assert rubric_differences(before, after) == [
        Difference("amount of red flag f0", "0.5", "1"),
        Difference("description of red flag f0", "flag 0", "worse"),
        Difference("check of red flag f1", "not there", "secrets"),
        Difference("red flag f2", "flag 2", "not there"),
        Difference("red flag f9", "not there", "flag 9"),
        Difference("bonus b1", "bonus 1", "not there"),
    ]
    assert rubric_differences(after, before)[2] == Difference("check of red flag f1", "secrets", "not there")


# --- what scorecards show


def document(**more) -> dict:
    """The parts of a scorecard's document that tell of its rubric."""
    usual = {
        "pass_mark": 7.0,
        "dimensions": {name: {"weight": 0.25 if name == "correctness" else 0.125} for name in DIMENSIONS},
        "red_flags": [],
        "bonuses": [],
    }
    return usual | more


FLAG = {"id": "f", "description": "a flag", "deduction": 0.5}
BONUS = {"id": "b", "description": "a bonus", "bonus": 0.25}


def test_scorecards_add_up_to_what_is_known_of_their_version():
    """Flags and bonuses from any of them, criteria where models judged."""
    known = known_version(
        "x",
        [
            document(red_flags=[FLAG], panel={"criteria": {"safety": "1"}}),
            document(bonuses=[BONUS], panel=None),
            document(red_flags=[FLAG | {"id": "g"}], panel={"criteria": {"correctness": "2"}}, pass_mark=6.5),
        ],
    )
    assert (known.sha256, known.pass_mark, known.weights["correctness"]) == ("x", 6.5, 0.25)
    assert known.flags == {"f": ("a flag", 0.5), "g": ("a flag", 0.5)}
    assert known.bonuses == {"b": ("a bonus", 0.25)}
    assert known.criteria == {"safety": "1", "correctness": "2"}
    assert known_version("x", []) is None


def test_a_flag_that_only_one_version_raised_is_not_a_difference():
    """It may be in both; an amount or a description that changed is one."""
    before = known_version("a", [document(red_flags=[FLAG, FLAG | {"id": "old"}], bonuses=[BONUS])])
    changed = FLAG | {"deduction": 1.0, "description": "another"}
    after = known_version("b", [document(red_flags=[changed], bonuses=[BONUS | {"bonus": 0.5}], pass_mark=6.5)])
    assert version_differences(before, after) == [
        Difference("pass mark", "7.0", "6.5"),
        Difference("amount of red flag f", "0.5", "1.0"),
        Difference("description of red flag f", "a flag", "another"),
        Difference("amount of bonus b", "0.25", "0.5"),
    ]
    assert version_differences(before, before) == []


def test_weights_that_changed_or_are_missing_are_shown_as_percentages():
    before = known_version("a", [document()])
    after = known_version("b", [document(dimensions={"correctness": {"weight": 0.125}})])
    changes = version_differences(before, after)
    assert changes[0] == Difference("weight of correctness", "25%", "12.5%")
    assert Difference("weight of safety", "12.5%", "none") in changes
    assert len(changes) == 7


def test_wordings_are_compared_only_where_models_judged_with_both():
    """Another text, a new one, one that is gone."""
    before = known_version("a", [document(panel={"criteria": {"both": "1", "gone": "2", "same": "3"}})])
    after = known_version("b", [document(panel={"criteria": {"both": "9", "here": "2", "same": "3"}})])
    assert version_differences(before, after) == [
        Difference("wording of both", "there", "another text"),
        Difference("wording of gone", "there", "not there"),
        Difference("wording of here", "not there", "there"),
    ]
    silent = known_version("c", [document()])
    assert version_differences(before, silent) == version_differences(silent, after) == []


@pytest.mark.parametrize(
    ("weight", "shown"), [(None, "none"), (0.125, "12.5%"), (Decimal("0.3"), "30%"), ("0.05", "5%")]
)
def test_a_weight_is_a_percentage(weight, shown):
    assert percent(weight) == shown
