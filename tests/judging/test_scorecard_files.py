"""Judgements and scorecards in files: scored, ranked, verified, rescored and required, each problem in its place."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from conftest import judged, seven

import evenhand
from evenhand import InputError
from evenhand.judging.files import Named, score_files
from evenhand.judging.rescoring import Rescorer, rescore_each

OUTPUT = "The loop never ends, and the error is lost.\nAll tests were run twice."


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store():
    opened = evenhand.open_store("s.db")
    yield opened
    opened.close()


def judgement(score: object = 8, **more) -> dict:
    return {"skill": "notes", "rubric": "default", "judge": "human:ana", "scores": seven(score), **more}


def write(name: str, *documents: object) -> str:
    """A file of one document, or of one a line."""
    text = "".join(json.dumps(document) + "\n" for document in documents)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name


def card(name: str, *, score: object = 8, **more) -> dict:
    return evenhand.document(evenhand.score(judgement(score, id=name), **more))


# --- scoring


def test_outputs_are_read_beside_the_judgement_or_where_it_is_allowed(tmp_path):
    """What a judgement names is read and stored, so that it may lie nowhere else; it is shown to who asks."""
    Path("sub").mkdir()
    Path("sub/work.md").write_text(OUTPUT)
    Path("work.md").write_text(OUTPUT)
    seen: list[str] = []
    inside = write("sub/a.json", judgement(output="work.md"))
    (made,) = score_files([inside], on_submission=lambda submission: seen.append(submission.output)).results
    assert (made.output, seen) == ("work.md", [OUTPUT])
    outside = write("sub/b.json", judgement(output="../work.md"))
    (refused,) = score_files([outside]).results
    assert "lies outside the judgement's folder; allow it with the setting score.allow_outputs" in str(refused)
    (allowed,) = score_files([outside], allow_outputs=[tmp_path]).results
    assert allowed.receipt.submission == made.receipt.submission
    (missing,) = score_files([write("c.json", judgement(output="none.md"))]).results
    assert "the output none.md: " in str(missing)


def test_rubric_files_are_read_in_some_folders_only_if_such_are_named(tmp_path):
    Path("rubrics").mkdir()
    text = (files("evenhand") / "rubrics" / "builtin" / "writing.md").read_text(encoding="utf-8")
    Path("rubrics/mine.md").write_text(text)
    named = write("a.json", judgement() | {"rubric": "rubrics/mine.md"})
    (anywhere,) = score_files([named]).results
    assert anywhere.final == 8
    (inside,) = score_files([named], rubric_folders=["rubrics"]).results
    assert inside.final == 8
    (outside,) = score_files([named], rubric_folders=[]).results
    assert "the rubric rubrics/mine.md lies outside the folders that may be read; give a rubric's name" in str(outside)


def test_quotes_and_flags_that_lack_something_are_warned_about():
    """One quote or two that are not in the output, a flag or two without a reason."""
    quotes = seven(8) | {"safety": {"score": 8, "evidence": ["The loop never ends", "Not there at all."]}}
    one = evenhand.score(judgement() | {"scores": quotes}, output=OUTPUT)
    assert one.warnings == ("1 quote is not in the output as written; see the marked evidence",)
    quotes["safety"]["evidence"].append("Nor is this one.")
    two = evenhand.score(judgement() | {"scores": quotes}, output=OUTPUT)
    assert two.warnings == ("2 quotes are not in the output as written; see the marked evidence",)
    assert judged(seven(8), flags=1).warnings == ("no explanation was given for the red flag f0",)
    assert judged(seven(8), flags=2).warnings == ("no explanation was given for the red flags f0, f1",)


# --- scorecards


# --- comparing sets


def named(name: str, score: object, **more) -> Named:
    return Named(name, judged(seven(score), id=name, **more))


# --- gates


def test_a_gate_may_ask_for_a_calibrated_judge():
    """Also where nothing else is asked for; a red card stays red with both reasons."""
    plain = evenhand.score(judgement(8, id="a"))
    calibration = evenhand.trust.calibrate([(4.5 + n / 40, 4 + n / 40) for n in range(200)], like=plain)
    made = evenhand.score(judgement(8, id="b"), calibration=calibration)
    assert [(ruling.name, ruling.colour) for ruling in evenhand.gate([plain, made], calibration=True)] == [
        ("a", "red"),
        ("b", "green"),
    ]
    assert evenhand.gate([made], calibration=True)[0].colour == "green"
    (both,) = evenhand.gate([plain], min_score=9, calibration=True)
    assert both.says.startswith("8.00 is below 9") and "; " in both.says
    (one,) = evenhand.gate([plain], min_score=7, calibration=True)
    assert (one.colour, "; " in one.says) == ("red", False)
    (kept,) = evenhand.gate([made], min_score=9, calibration=True)
    assert kept.says.startswith("8.00 is below 9")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_grade": "Z"}, 'unknown grade "Z"; valid: A'),
        ({"min_score": 11}, "the gate's limits are not valid: "),
        ({"settings": {"gate.margin": "much"}}, "gate.margin: "),
    ],
)
def test_limits_that_are_none_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        evenhand.gate([judged(seven(8))], **options)


# --- requirements


# --- rescoring


def rescored(names, store=None, rubric="security-review", **more):
    return list(rescore_each(names, store, Rescorer(rubric), **more))


# --- files of the wrong kind


# --- places of remarks


# --- memory
