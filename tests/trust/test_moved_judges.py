"""An open alarm of a judge's anchors reaches gates, judging with a calibration, and the first page of the dashboard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import seven

import evenhand
from evenhand.judges.written import judgement_from
from evenhand.judging.steps import Steps
from evenhand.stats.trust.anchor_drift import FIELDS
from evenhand.store.tables.anchors import AnchorRun
from evenhand.trust.anchors import moved_since
from evenhand.trust.calibration import write_calibration
from evenhand.web.pages.skill_list import skills
from evenhand.web.parameters import Parameters

JUDGE = "model:a"
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(store, created: str, final: int, *, alarm: bool, judge: str = JUDGE) -> None:
    """A run of twelve anchors that all got the same score."""
    scores = {f"a{n}": dict.fromkeys(FIELDS, final) for n in range(12)}
    document = {"spec": judge, "judge": {"name": judge}, "served": [], "scores": scores, "asked": {}}
    with store.transaction():
        store.add_anchor_run(
            AnchorRun(created, created, "default", judge, f'{{"name":"{judge}"}}', int(alarm), json.dumps(document))
        )


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A judge that was calibrated in 2024 and moved in 2025."""
    monkeypatch.chdir(tmp_path)
    opened = evenhand.open_store("s.db")
    run(opened, "2024-02-01T00:00:00.000Z", 800, alarm=False)
    run(opened, "2025-02-01T00:00:00.000Z", 600, alarm=True)
    yield opened
    opened.close()


@pytest.fixture
def calibration():
    card = evenhand.score({"judge": JUDGE, "scores": seven(8)}, rubric="default")
    made = evenhand.trust.calibrate([(3 + n / 20, 2.5 + n / 20) for n in range(120)], like=card)
    return made._replace(created="2024-03-01T00:00:00.000Z")


def test_a_calibration_made_before_the_alarm_is_out_of_date(store, calibration):
    """One made after it is not, whether or not the store knows of it."""
    assert moved_since(store, calibration) == (
        "its judge moved on the anchors (final -2.00, correctness -2.00, completeness -2.00, adherence -2.00, "
        "actionability -2.00, efficiency -2.00, safety -2.00, consistency -2.00; 2025-02-01): calibrate it again"
    )
    assert moved_since(store, calibration._replace(created="2025-03-01T00:00:00.000Z")) is None
    assert moved_since(store, calibration._replace(judge={"name": "model:b"})) is None


def test_an_old_file_stays_out_of_date_when_the_judge_was_calibrated_again(store, calibration):
    """The alarm is settled, the newer calibration holds, the older one does not."""
    with store.transaction():
        store.note_calibration(JUDGE, "2025-04-01T00:00:00.000Z", "s")
    assert "was calibrated again since: use that calibration" in str(moved_since(store, calibration))
    assert moved_since(store, calibration._replace(created="2025-04-01T00:00:00.000Z")) is None


def test_judging_warns_and_an_official_calibrated_score_is_refused(store, calibration):
    """Beside the raw score a warning; in place of it nothing, and no one is paid."""
    steps = Steps("default", calibration=calibration, out_of_date="its judge moved: calibrate it again")
    judgement = judgement_from({"judge": JUDGE, "scores": seven(7)})
    card = steps.evaluate_written(judgement).card
    assert card.calibration is not None
    assert "the calibrated scores are out of date: its judge moved: calibrate it again" in card.warnings
    from evenhand.rubrics.library import find, load_place

    official = load_place(find("default"))._replace(official="calibrated")
    like = evenhand.score({"judge": JUDGE, "scores": seven(8)}, rubric=official)
    fitting = evenhand.trust.calibrate([(3 + n / 10, 2 + n / 10) for n in range(60)], like=like)
    steps = Steps(official, calibration=fitting, out_of_date="its judge moved: calibrate it again")
    with pytest.raises(evenhand.InputError, match="the calibration does not fit: its judge moved: calibrate it again"):
        steps.resolve(evenhand.Submission(output="An answer."))


@pytest.mark.slow
def test_a_gate_is_red_while_the_alarm_is_open(store, calibration, evenhand_command, tmp_path):
    """With a file made before the alarm; one made after it opens the gate."""
    card = evenhand.score({"id": "c", "judge": JUDGE, "scores": seven(8)}, rubric="default", store=store)
    write_calibration(evenhand.trust.calibrate([(3 + n / 20, 2.5 + n / 20) for n in range(120)], like=card), "now.json")
    gate = ("gate", "c", "--store", "s.db", "--require-calibration", "now.json")
    red = evenhand_command(*gate)
    assert (red.code, "its judge moved on the anchors" in red.out) == (1, True)
    with store.transaction():
        store.note_calibration(JUDGE, "2999-01-01T00:00:00.000Z", "s")
    settled = evenhand_command(*gate)
    assert settled.code == 0, settled.out


@pytest.mark.slow
def test_score_rescore_and_python_warn_of_it(store, calibration, evenhand_command):
    """A line on standard error, and a warning on the scorecard."""
    write_calibration(calibration, "old.json")
    Path("j.json").write_text(json.dumps({"id": "c", "judge": JUDGE, "rubric": "default", "scores": seven(7)}))
    options = ("--store", "s.db", "--calibration", "old.json", "--format", "json")
    for arguments in (("score", "j.json"), ("score", "c", "--rubric", "default")):
        done = evenhand_command(*arguments, *options)
        assert (done.code, "warning: its judge moved on the anchors (final -2.00" in done.err) == (0, True), done.err
        (warning,) = [line for line in json.loads(done.out)["warnings"] if "out of date" in line]
        assert warning.startswith("the calibrated scores are out of date: its judge moved on the anchors")
    judgement = {"id": "d", "judge": JUDGE, "scores": seven(7)}
    card = evenhand.score(judgement, rubric="default", store=store, calibration=calibration)
    assert any("out of date" in line for line in card.warnings)
    assert not evenhand.score(judgement, rubric="default", calibration=calibration).warnings


def test_rescoring_in_python_with_a_store_warns_and_keeps(store, calibration):
    """Under another rubric the new scorecard stands beside the original, with its text; twice adds nothing."""
    judgement = {"id": "c", "skill": "notes", "judge": JUDGE, "scores": seven(7)}
    card = evenhand.score(judgement, rubric="default", output="An answer.", store=store)
    assert not any("out of date" in line for line in evenhand.rescore(card, rubric="default", store=store).warnings)
    assert len([*store.evaluations("notes")]) == 1  # under the same rubric there is nothing new
    warned = evenhand.rescore(card, rubric="default", calibration=calibration, store=store)
    (warning,) = [line for line in warned.warnings if "out of date" in line]
    assert warning.startswith("the calibrated scores are out of date: its judge moved on the anchors (final -2.00")
    for _ in range(2):
        again = evenhand.rescore(card, rubric="security-review", store=store)
    first, second = store.evaluations("notes")
    assert (first.id, second.id, second.submission) == ("c", again.id, first.submission)
    assert "An answer." in str(second.submission)
    with pytest.raises(TypeError, match="open it with evenhand"):
        evenhand.rescore(card, rubric="security-review", store="s.db")  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_suite_and_its_scorecards_warn_of_a_moved_judge(store, evenhand_command):
    """The suite's judge is a recording, whose anchors moved after its calibration was made."""
    for name in ("answer.md", "task.md"):
        Path(name).write_text((EXAMPLES / name).read_text())
    judge = f"replay:{EXAMPLES}/recorded/first.jsonl"
    judged = evenhand_command(
        *("judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--judge", "checks", "--judge", judge),
        *("--store", "none", "--format", "json"),
    )
    Path("card.json").write_text(judged.out)
    rows = "".join(f"{2 + place / 8:.2f},{1 + place / 8:.2f}\n" for place in range(50))
    Path("pairs.csv").write_text(f"judge,people\n{rows}")
    made = evenhand_command(
        "trust", "calibrate", "--table", "pairs.csv", "--set", "trust.like=card.json", "-o", "c.json", "--store", "none"
    )
    assert made.code == 0, made.err
    name = json.loads(judged.out)["judge"]["name"]
    run(store, "2999-02-01T00:00:00.000Z", 800, alarm=False, judge=name)
    run(store, "2999-03-01T00:00:00.000Z", 600, alarm=True, judge=name)
    task = json.dumps(Path("task.md").read_text())
    Path("suite.yaml").write_text(
        f"suite: s\nrubric: devops\njudges: [{json.dumps(judge)}]\ncalibration: c.json\n"
        f"cases: [{{id: a, prompt: {task}}}]\nvariants: {{one: {{recorded: answer.md}}}}\n"
    )
    done = evenhand_command("run", "suite.yaml", "--store", "s.db", "--format", "json", "--set", "gate.undecided=ok")
    assert done.code == 0, done.err
    assert "warning: its judge moved on the anchors (final -2.00" in done.err, done.err
    notes = json.loads(done.out)["run"]["notes"]
    assert any(note.startswith("the calibrated scores are out of date: its judge moved") for note in notes)


def test_the_first_page_of_the_dashboard_names_the_judge(store):
    """With a link to its page; nothing where no alarm is open."""
    page = skills(store, Parameters("/", {}))
    assert [alarm["judge"] for alarm in page.document["judges_moved"]] == [JUDGE]
    with store.transaction():
        store.note_calibration(JUDGE, "2999-01-01T00:00:00.000Z", "s")
    assert skills(store, Parameters("/", {})).document["judges_moved"] == []
