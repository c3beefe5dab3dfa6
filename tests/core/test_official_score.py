"""A rubric that makes the calibrated score official: what counts, what is shown beside it, what verify recomputes."""

from __future__ import annotations

import pytest
from conftest import make_rubric, seven

import evenhand
from evenhand.core.curve import Calibration, Curve
from evenhand.core.receipt import canonical_rubric, terms_of
from evenhand.documents.calibration import signed
from evenhand.documents.scorecard import field_digests
from evenhand.errors import RubricError
from evenhand.judging.calibration import calibrated_card
from evenhand.rubrics.rubric_file import parse_rubric

RUBRIC = make_rubric()._replace(official="calibrated")
KNOTS = ((4.0, 3.0), (8.0, 7.0), (9.0, 7.5))
"""A point too kind up to 8, and above that people give half of what the judge does."""


def calibration_for(rubric=RUBRIC, *, judge="model:a", knots=KNOTS, **more) -> Calibration:
    curve = Curve("monotone", knots, knots[0][0], knots[-1][0], 50, 1.0, 1.0, 0.3, 0.8, 0.95, 1.5)
    made = Calibration(
        {"name": judge}, rubric.name, terms_of(rubric).sha256, "2026-01-01T00:00:00Z", ("human:ana",), {"final": curve},
        {"safety": "no one labelled it"}, "",
    )  # fmt: skip
    return signed(made._replace(**more))


def judged(*scores, judge="model:a", rubric=RUBRIC, **more):
    return evenhand.score({"skill": "s", "judge": judge, "scores": seven(*scores), **more}, rubric=rubric, id="card")


def official(*scores, **more):
    return calibrated_card(judged(*scores, **more), calibration_for())


def signed_again(document):
    """The document with every checksum made to fit, as someone who changes a scorecard would do it."""
    document["receipt"]["fields"] = field_digests(document)
    return document


def test_without_the_option_a_rubric_hashes_as_before():
    """The key is left out of what is hashed, so that no earlier receipt changes."""
    assert "official" not in canonical_rubric(make_rubric())
    assert canonical_rubric(RUBRIC)["official"] == "calibrated"
    assert terms_of(make_rubric()).sha256 != terms_of(RUBRIC).sha256


def test_a_rubric_file_says_which_score_is_official():
    """`official: calibrated` in the front matter; `raw` is what every rubric means without it."""
    text = "---\nname: made\npass_mark: 7.0\nofficial: {0}\n---\n# Made\n" + "".join(
        f"### {name} (Weight: {weight}%)\n| Score | Criteria |\n|---|---|\n| 1-10 | All. |\n"
        for name, weight in zip(evenhand.DIMENSIONS, (25, 20, 15, 15, 10, 10, 5), strict=True)
    )
    assert parse_rubric(text.format("calibrated"), "r.md", name="r").rubric.official == "calibrated"
    assert parse_rubric(text.format("raw"), "r.md", name="r").rubric.official == "raw"
    with pytest.raises(RubricError, match=r'r.md:4: official: unknown kind of final score "people"; valid: raw'):
        parse_rubric(text.format("people"), "r.md", name="r")


@pytest.fixture
def store(tmp_path):
    opened = evenhand.open_store(str(tmp_path / "e.db"))
    opened.create()
    yield opened
    opened.close()


def beside(card=None):
    """A scorecard whose rubric leaves the raw score official, with calibrated ones beside it, and its calibration."""
    made = calibration_for(make_rubric())
    return calibrated_card(card or judged(8.5, rubric=make_rubric()), made), made
