"""A rubric that makes the calibrated score official: what counts, what is shown beside it, what verify recomputes."""

from __future__ import annotations

import json
from decimal import Decimal
from importlib.resources import files

import jsonschema
import pytest
from conftest import make_rubric, seven

import evenhand
from evenhand.core.audit import audit
from evenhand.core.calibration import exactly_calibrated, exactly_in_range
from evenhand.core.curve import Calibration, Curve
from evenhand.core.receipt import canonical_rubric, canonical_text, checksum, terms_of
from evenhand.documents.calibration import calibration_document, signed
from evenhand.documents.scorecards.restore import restore
from evenhand.documents.scorecards.scorecard import field_digests
from evenhand.errors import InputError, RubricError
from evenhand.judging.calibration import calibrated_card
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import keep_one
from evenhand.judging.tables.batch import batch_rubric
from evenhand.reports.scorecard import arithmetic, headline
from evenhand.reports.trust.calibration import calibration_lines
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
    text = "---\nname: made\nofficial: {0}\n---\n# Made\n" + "".join(
        f"### {name} (Weight: {weight}%)\n| Score | Criteria |\n|---|---|\n| 1-10 | All. |\n"
        for name, weight in zip(evenhand.DIMENSIONS, (25, 20, 15, 15, 10, 10, 5), strict=True)
    )
    assert parse_rubric(text.format("calibrated"), "r.md", name="r").rubric.official == "calibrated"
    assert parse_rubric(text.format("raw"), "r.md", name="r").rubric.official == "raw"
    with pytest.raises(RubricError, match=r'r.md:3: official: unknown kind of final score "people"; valid: raw'):
        parse_rubric(text.format("people"), "r.md", name="r")


def test_the_calibrated_score_is_graded_and_passed_or_not():
    """8.50 is halfway from 8 to 9, so halfway from 7.00 to 7.50: 7.25, B-; raw it is A-, and both pass at 7."""
    card = official(8.5)
    assert (card.final, card.grade.letter, card.passed) == (Decimal("7.25"), "B-", True)
    assert (card.official.raw.final, card.official.raw.grade.letter) == (Decimal("8.50"), "A-")
    assert card.raw_final == Decimal("8.50")
    assert card.dimensions["safety"].score == Decimal("8.50")
    lower = official(7.9)  # 6.90 is below the pass mark of 7.00, 7.90 is not
    assert (lower.final, lower.passed, lower.official.raw.passed) == (Decimal("6.90"), False, True)


def test_flags_and_bonuses_count_before_the_calibration():
    """8.50 - 0.50 + 0.25 = 8.25 raw, and a quarter of the way from 7.00 to 7.50 is 7.125: half up 7.13 (R2)."""
    card = official(8.5, red_flags=[{"id": "f0", "explanation": "x"}], bonuses=[{"id": "b0"}])
    assert (card.raw_final, card.final) == (Decimal("8.25"), Decimal("7.13"))
    assert card.calibration.scores["final"].value == card.final


def test_exact_arithmetic_rounds_once_and_halves_up():
    """4.005 is not a float; from 1.00 to 2.01 a third of the way is 1.33666...; reach is cut at the scale's ends."""
    curve = calibration_for(knots=((4.0, 4.0), (4.02, 4.01))).curves["final"]
    assert exactly_calibrated(curve, Decimal("4.01")).value == Decimal("4.01")
    third = calibration_for(knots=((1.0, 1.0), (4.0, 2.01))).curves["final"]
    assert exactly_calibrated(third, Decimal("2.00")) == (Decimal("1.34"), Decimal("1.00"), Decimal("2.14"))
    assert exactly_calibrated(third, Decimal("9.00")).value == Decimal("2.01")
    assert exactly_calibrated(third, Decimal("1.00")).value == Decimal("1.00")


@pytest.mark.parametrize(("raw", "inside"), [("2.99", False), ("3.00", True), ("10.00", True)])
def test_the_range_ends_exactly_one_point_beyond_the_labels(raw, inside):
    """Labels from 4.00 to 9.00."""
    assert exactly_in_range(calibration_for().curves["final"], Decimal(raw)) is inside


def test_without_a_calibration_there_is_no_official_score():
    """Never the raw score in its place: it stays beside, with the reason and the way out."""
    card = judged(8)
    assert (card.final, card.grade, card.passed, card.next_step) == (None, None, None, None)
    assert (card.interval.low, card.interval.high) == (Decimal("1.00"), Decimal("10.00"))
    assert card.raw_final == Decimal("8.00")
    assert "evenhand trust calibrate" in card.no_official
    assert evenhand.verify(evenhand.document(card), rubric=RUBRIC).ok


def test_a_score_beyond_the_labelled_ones_is_not_official():
    """2.50 with labels from 4: nobody knows what people would say."""
    card = official(2.5)
    assert card.final is None
    assert card.no_official == "2.50 is outside the range of the labelled outputs, 4.00 to 9.00"
    assert evenhand.verify(evenhand.document(card), rubric=RUBRIC).ok


def test_a_calibration_of_dimensions_alone_makes_no_score_official():
    """The final score has no curve, so there is none."""
    made = calibration_for()
    made = signed(made._replace(curves={"safety": made.curves["final"]}, left_out={"final": "no one labelled it"}))
    card = calibrated_card(judged(8), made)
    assert (card.final, card.no_official) == (None, "the calibration has no final score: no one labelled it")
    assert card.calibration.scores["safety"].value == Decimal("7.00")


def test_a_calibration_of_another_judge_makes_no_score_official():
    """The judging pipeline refuses it before a model is asked; the arithmetic does not take it either."""
    card = calibrated_card(judged(8), calibration_for(judge="model:b"))
    assert card.final is None
    assert card.no_official.startswith("the calibration does not fit: it was made for another judge")


def test_a_person_needs_no_calibration():
    """What people give is what a calibration aims at."""
    card = judged(8, judge="human:ana")
    assert (card.final, card.official) == (Decimal("8.00"), None)
    assert evenhand.verify(evenhand.document(card), rubric=RUBRIC).ok


def test_both_ends_of_an_interval_are_calibrated():
    """Safety unscored: raw 7.30 with 1 and 8.20 with 10, so 6.30 and 7.10; the pass mark lies between."""
    judgement = {"skill": "s", "judge": "model:a", "scores": seven(8) | {"safety": {"unscored": "no access"}}}
    card = calibrated_card(evenhand.score(judgement, rubric=RUBRIC, id="card"), calibration_for())
    raw = card.official.raw.interval
    assert (raw.low, raw.high) == (Decimal("7.30"), Decimal("8.20"))
    assert (card.interval.low, card.interval.high) == (Decimal("6.30"), Decimal("7.10"))
    assert (card.final, card.passed, card.no_official) == (None, None, None)
    assert evenhand.verify(evenhand.document(card), rubric=RUBRIC).ok
    *_, final, grade = audit(card)
    assert final.text.startswith("official final = 6.30 to 7.10, halves up: 7.30 to 8.20 by calibration ")
    assert grade.text == "official grade = no single grade"


def test_the_next_step_is_reported_in_official_points():
    """8.00 raw is 7.00; B is 0.50 away."""
    step = official(8).next_step
    assert (step.next_grade, step.distance) == ("B", Decimal("0.50"))


def test_a_scorecard_is_restored_with_its_official_score():
    """Everything it needs is on it: the raw scores and the calibration."""
    card = official(8.5)
    again, _, terms = restore(json.loads(json.dumps(evenhand.document(card))))
    assert again == card
    assert terms.official == "calibrated"
    assert card.receipt.calibration == calibration_for().sha256


def test_verify_recomputes_the_official_score():
    """And says so."""
    result = evenhand.verify(evenhand.document(official(8.5)), rubric=RUBRIC)
    assert result.ok
    assert any("official score, from the raw one" in line for line in result.checked)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda d: d.update(final=8.5), "final"),
        (lambda d: d.update(grade="A-"), "grade"),
        (lambda d: d["official"]["raw"].update(final=8.4), "official.raw.final"),
        (lambda d: d["official"].update(unscored="no"), "official.unscored"),
        (lambda d: d["calibration"]["scores"]["final"].update(calibrated=7.3), "calibration.scores.final.calibrated"),
        (lambda d: d["receipt"].update(calibration="0" * 64), "receipt.calibration"),
        (lambda d: d["receipt"].pop("calibration"), "receipt.calibration"),
        (lambda d: d["official"].pop("calibration"), "final"),
        (lambda d: d["official"].update(calibration=calibration_document(calibration_for(judge="model:b"))), "final"),
        (lambda d: d["dimensions"]["safety"].update(score=9), "final"),
    ],
    ids=["final", "grade", "raw", "unscored", "beside", "hash", "no hash", "no map", "another judge's map", "a score"],
)
def test_what_was_changed_does_not_verify(change, field):
    """Even when every checksum was made to fit again: the recomputation disagrees."""
    document = evenhand.document(official(8.5))
    change(document)
    result = evenhand.verify(signed_again(document), rubric=RUBRIC)
    assert field in {difference.field for difference in result.differences}


def test_a_changed_curve_does_not_verify():
    """The calibration is hashed whole: a knot moved on the scorecard is named, whatever the checksums say."""
    document = evenhand.document(official(8.5))
    document["official"]["calibration"]["curves"]["final"]["knots"][1][1] = 7.9
    result = evenhand.verify(document, rubric=RUBRIC)
    assert any(difference.field == "official.calibration" for difference in result.differences)
    with pytest.raises(InputError, match=r"official.calibration must be a calibration that was not changed"):
        evenhand.verify(signed_again(document), rubric=RUBRIC)


def test_an_official_score_cannot_be_passed_off_as_raw():
    """Without the field the raw score is consistent in itself, but not with the rubric."""
    document = evenhand.document(official(8.5))
    raw = evenhand.document(judged(8.5, rubric=make_rubric()))
    for name in ("official", "calibration"):
        document.pop(name)
    document["receipt"].pop("calibration")
    document |= {name: raw[name] for name in ("final", "grade", "label", "passed", "next_step")}
    result = evenhand.verify(signed_again(document), rubric=RUBRIC)
    assert [difference.field for difference in result.differences] == ["official"]


def test_ranks_gates_and_comparisons_use_the_official_score():
    """9.00 raw is 7.50 official: below a raw 7.60 of a person, and red at 8."""
    kind, strict = official(9), judged(7.6, judge="human:ana")._replace(id="strict")
    ranking = evenhand.rank([kind, strict])
    assert [(entry.id, entry.final) for entry in ranking.entries] == [
        ("strict", Decimal("7.60")),
        ("card", Decimal("7.50")),
    ]
    assert [ruling.colour for ruling in evenhand.gate([kind], min_score=8)] == ["red"]
    assert [ruling.colour for ruling in evenhand.gate([kind], min_score="7.5")] == ["green"]
    assert evenhand.changes(strict, kind).final == Decimal("-0.10")


def test_a_missing_official_score_is_not_ranked_and_opens_no_gate():
    """Both say why."""
    card = judged(9)
    (entry,) = evenhand.rank([card]).unranked
    assert entry.reason.startswith("no official score: its judge is not calibrated")
    (ruling,) = evenhand.gate([card], min_score=5)
    assert ruling.colour == "unscored"
    assert ruling.says.startswith("no official score (its judge is not calibrated")


def test_reports_show_both_scores_and_which_is_official():
    """In words, in the arithmetic and in the audit."""
    card = official(8.5)
    assert headline(card) == "7.25 of 10  Satisfactory (calibrated)"
    assert arithmetic(card) == "composite 8.50 = 8.50 raw, calibrated 7.25"
    assert calibration_lines(card)[0] == "the calibrated score is official: 7.25 (B-); the raw score is 8.50 (A-)"
    assert ("official", "official grade = B-") in [(line.rule, line.text) for line in audit(card)]
    missing = judged(8.5)
    assert headline(missing) == "no official score"
    assert calibration_lines(missing)[0].endswith("the raw score is 8.50 (A-)")


@pytest.fixture
def store(tmp_path):
    opened = evenhand.open_store(str(tmp_path / "e.db"))
    opened.create()
    yield opened
    opened.close()


def test_a_store_keeps_the_official_score(store):
    """Judged without a calibration it is stored but not in the history; with one it is a further evaluation."""
    judgement = {"skill": "s", "judge": "model:a", "scores": seven(8.5)}
    waiting = evenhand.score(judgement, rubric=RUBRIC, output="text", store=store)
    done = calibrated_card(waiting, calibration_for())._replace(id="done")
    keep_one(store, Evaluated(done, None, False))
    records = [store.get(waiting.id), store.get("done")]
    assert [record.final for record in records] == [None, 725]
    assert [record.raw_final for record in records] == [850, 850]
    assert [record.in_history for record in records] == [0, 1]


def test_a_calibration_is_made_from_raw_scores(store):
    """Twenty outputs judged before any calibration, and labelled a point lower: a shift of one point."""
    for place in range(20):
        score = 4 + place / 5
        for judge, value in (("model:a", score), ("human:ana", score - 1)):
            judgement = {"skill": "s", "judge": judge, "scores": seven(value)}
            evenhand.score(judgement, rubric=RUBRIC, output=f"text {place}", store=store)
    made = evenhand.calibrate(store)
    assert made.curves["final"].bias == 1.0
    assert calibrated_card(judged(7), made).final == Decimal("6.00")


def test_rescoring_applies_a_calibration_without_a_judge():
    """What was judged before its judge was calibrated gets its official score; a file of another judge is refused."""
    waiting = judged(8.5)
    done = evenhand.rescore(waiting, rubric=RUBRIC, calibration=calibration_for())
    assert (done.final, done.rescored_from) == (Decimal("7.25"), "card")
    assert evenhand.verify(evenhand.document(done), rubric=RUBRIC).ok
    assert evenhand.rescore(waiting, rubric=RUBRIC).final is None
    with pytest.raises(InputError, match=r"the calibration does not fit: it was made for another judge"):
        evenhand.rescore(waiting, rubric=RUBRIC, calibration=calibration_for(judge="model:b"))


def test_a_table_of_scores_is_refused():
    """It does not say whose scores it holds, so they cannot be calibrated."""
    with pytest.raises(InputError, match=r"rubric made makes the calibrated score official, which is not known for"):
        batch_rubric(RUBRIC)


def test_the_field_is_checksummed_like_any_other():
    """The receipt vouches for it."""
    document = evenhand.document(official(8.5))
    assert document["receipt"]["fields"]["official"] == checksum(canonical_text(document["official"]))


def beside(card=None):
    """A scorecard whose rubric leaves the raw score official, with calibrated ones beside it, and its calibration."""
    made = calibration_for(make_rubric())
    return calibrated_card(card or judged(8.5, rubric=make_rubric()), made), made


def test_verify_computes_calibrated_scores_again():
    """Given the file; without it they are listed as open."""
    card, made = beside()
    document = evenhand.document(card)
    result = evenhand.verify(document, calibration=made)
    assert result.ok
    assert "the calibrated scores, from the calibration given" in result.checked
    assert any("pass it with --calibration" in line for line in evenhand.verify(document).unchecked)
    assert evenhand.verify(evenhand.document(official(8.5)), calibration=calibration_for()).ok


@pytest.mark.parametrize("part", ["calibrated", "low", "high"])
def test_a_changed_calibrated_score_is_named(part):
    """Also when its checksum was made to fit."""
    card, made = beside()
    document = evenhand.document(card)
    document["calibration"]["scores"]["final"][part] = 7.77
    result = evenhand.verify(signed_again(document), calibration=made)
    assert [difference.field for difference in result.differences] == [f"calibration.scores.final.{part}"]


def test_a_calibration_with_another_hash_is_refused():
    """And a scorecard that has no calibrated scores has nothing to compare."""
    card, made = beside()
    other = signed(made._replace(raters=("human:ben",)))
    with pytest.raises(InputError, match=rf"calibrated with {made.sha256}, and this calibration is {other.sha256}"):
        evenhand.verify(evenhand.document(card), calibration=other)
    with pytest.raises(InputError, match=r"the scorecard has no calibrated scores to compare with"):
        evenhand.verify(evenhand.document(judged(8, rubric=make_rubric())), calibration=made)


def test_a_calibration_named_by_another_judges_scorecard_does_not_fit():
    """The hash is the same, the judge is not."""
    card, made = beside()
    document = evenhand.document(card._replace(judge={"name": "model:b"}))
    fields = {difference.field for difference in evenhand.verify(signed_again(document), calibration=made).differences}
    assert "calibration" in fields


@pytest.mark.slow
@pytest.mark.parametrize("card", [official(8.5), judged(8.5), official(2.5)], ids=["official", "waiting", "beyond"])
def test_an_official_scorecard_follows_its_published_schema(card):
    """With a calibration, without one, and with one that does not reach it."""
    schema = files("evenhand.schemas").joinpath("scorecard.v1.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(evenhand.document(card), json.loads(schema))
