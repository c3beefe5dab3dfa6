"""Runs of a judge over anchors: what is frozen, what each run is compared with, and which alarms are open."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from conftest import make_rubric, seven

import evenhand
import flat_calls
import models_here
from evenhand import InputError, StoreUnavailable, Submission, Unavailable, clock
from evenhand.core.comparison import Drift
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import CallFailed
from evenhand.store.tables.anchors import AnchorRun
from evenhand.trust import anchors as anchoring
from evenhand.trust.calibration import note_calibration
from evenhand.work.submission import Image
from panels import card_of as panel_card
from panels import panel_of


@pytest.fixture
def models(monkeypatch):
    """Models that give 8, and a clock that goes on by a second whenever it is looked at."""
    seconds = count(1)
    monkeypatch.setattr(clock, "now", lambda: f"2026-01-01T00:{next(seconds) // 60:02}:{next(seconds) % 60:02}.000Z")
    return models_here.install(monkeypatch)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def answers(folder: Path, number: int = 11) -> list[str]:
    """Files with different answers."""
    paths = [folder / f"answer-{place}.md" for place in range(number)]
    for place, path in enumerate(paths):
        path.write_text(f"Answer {place}: the service hangs because its disk is full.\n")
    return [str(path) for path in paths]


def judge_again(store, models, score: int, judge: str | None = "openai:one", **more):
    models.score = lambda name, work: score
    return flat_calls.run_anchors(store, judge, **more)


# --- freezing


def test_submissions_are_frozen_with_their_task_and_rubric_and_once(store, tmp_path):
    """The number of new ones is told; the same text under another rubric is another anchor."""
    files = answers(tmp_path, 3)
    assert evenhand.trust.add_anchors(store, files[:2], rubric="writing", task="Help.") == 2
    assert evenhand.trust.add_anchors(store, files, rubric="writing", task="Help.") == 1
    assert evenhand.trust.add_anchors(store, files[:1], rubric="default", task="Help.") == 1
    assert anchoring.add_anchors(store, files, rubric="writing", task="Help.") == (0, 3)
    assert anchoring.add_anchors(store, [*files[:1], *files[:1]], rubric="writing", task="Another.") == (1, 0)
    frozen = anchoring.frozen(store, "default")
    assert len(frozen) == 5
    assert all('"task":"' in anchor.text for anchor in frozen)
    assert Path(frozen[0].name).name == "answer-0.md"


def test_an_anchor_goes_by_its_id_or_its_file(store, tmp_path):
    (tmp_path / "two.jsonl").write_text('{"id": "one", "output": "An answer."}\n{"output": "Another answer."}\n')
    evenhand.trust.add_anchors(store, [str(tmp_path / "two.jsonl")], rubric="default")
    names = [anchor.name for anchor in anchoring.frozen(store, "default")]
    assert sorted(name.rpartition("/")[2] for name in names) == ["one", "two.jsonl:2"]


def test_a_set_has_its_own_anchors(store, tmp_path):
    """One that is empty says which there are."""
    evenhand.trust.add_anchors(store, answers(tmp_path, 1), set="mine", rubric="default")
    assert [anchor.set_name for anchor in anchoring.frozen(store, "mine")] == ["mine"]
    with pytest.raises(
        InputError, match=r'no anchors in the set "default" of .*; it has mine; add some with: evenhand'
    ):
        anchoring.frozen(store, "default")


def test_an_empty_store_has_no_sets_to_name(store):
    with pytest.raises(
        InputError, match=r'no anchors in the set "x" of [^;]*; add some with: evenhand trust anchors add'
    ):
        anchoring.frozen(store, "x")


def test_an_evaluation_is_frozen_with_its_own_rubric_unless_another_is_named(store):
    """By its id; one of which only the hash is kept cannot be."""
    evenhand.score({"id": "e1", "scores": seven(7)}, output="An answer.", rubric="writing", store=store)
    evenhand.trust.add_anchors(store, ["e1"], set="own")
    evenhand.trust.add_anchors(store, ["e1"], set="other", rubric="default")
    assert ['"name":"writing"' in anchoring.frozen(store, name)[0].rubric for name in ("own", "other")] == [True, False]
    evenhand.score({"id": "e2", "scores": seven(7)}, rubric="writing", store=store)
    with pytest.raises(InputError, match="e2: the store keeps only the hash of this submission; name its file"):
        evenhand.trust.add_anchors(store, ["e2"])
    with pytest.raises(InputError, match=r"e3: no such file, and no evaluation in .* has this id"):
        evenhand.trust.add_anchors(store, ["e3"])


def test_pictures_and_files_that_cannot_be_read_are_refused(store, tmp_path, monkeypatch):
    """A picture is not kept, so that a judge could not be shown it again."""
    picture = Submission(output="See above.", images=(Image(media="image/png", sha256="0" * 64),), source="a.json")
    (tmp_path / "a.json").write_text("{}")
    monkeypatch.setattr(anchoring, "read_submissions", lambda *names, **more: iter([picture]))
    with pytest.raises(InputError, match=r"a\.json: has pictures, which cannot be frozen; give outputs without any"):
        evenhand.trust.add_anchors(store, ["a.json"], rubric="default")
    monkeypatch.setattr(anchoring, "read_submissions", lambda *names, **more: iter([InputError("damaged")]))
    with pytest.raises(InputError, match="damaged"):
        evenhand.trust.add_anchors(store, ["a.json"], rubric="default")


# --- running


def test_every_run_is_compared_with_the_first(store, models, tmp_path):
    """From 8 to 6 on eleven anchors: all fields move by -2 points; the second run is in order."""
    evenhand.trust.add_anchors(store, answers(tmp_path), rubric="default")
    first, second, third = (judge_again(store, models, score) for score in (8, 8, 6))
    assert (first.reference, first.moved, first.alarm, first.changes) == (None, (), False, ())
    assert (second.reference, second.alarm, second.anchors) == (first.created, False, 11)
    assert (third.reference, third.alarm) == (first.created, True)
    assert {movement.mean for movement in third.moved} == {-2.0}
    assert (third.set_name, third.judge["name"], third.served) == ("default", "openai:one", ("served-1",))
    assert first.created < second.created < third.created
    assert [report.alarm for report in anchoring.reports(store, "default")] == [False, False, True]
    assert [report.reference for report in anchoring.reports(store, "default")] == [None, first.created, first.created]
    assert list(store.evaluations()) == []


def test_without_a_name_the_judge_of_the_last_run_is_asked(store, models, tmp_path):
    """Not that of the first, and not that of another set."""
    files = answers(tmp_path, 2)
    for name in ("default", "other"):
        evenhand.trust.add_anchors(store, files, set=name, rubric="default")
    with pytest.raises(InputError, match='no judge has judged the set "default" yet; name one with `judge`'):
        judge_again(store, models, 8, None)
    judge_again(store, models, 8, "openai:one")
    judge_again(store, models, 8, "openai:two")
    judge_again(store, models, 8, "openai:three", set="other")
    assert judge_again(store, models, 8, None).judge["name"] == "openai:two"


def test_judges_are_compared_with_their_own_runs_only(store, models, tmp_path):
    """Another judge's scores say nothing about this one."""
    evenhand.trust.add_anchors(store, answers(tmp_path), rubric="default")
    judge_again(store, models, 8, "openai:one")
    other = judge_again(store, models, 5, "openai:two")
    assert (other.reference, other.alarm) == (None, False)
    assert [report.reference for report in anchoring.reports(store, "default")] == [None, None]


def test_an_anchor_that_came_later_is_compared_with_its_own_first_score(store, models, tmp_path):
    """Eleven anchors at 8, then another one at 6 from its first time on."""
    files = answers(tmp_path, 12)
    evenhand.trust.add_anchors(store, files[:11], rubric="default")
    judge_again(store, models, 8)
    evenhand.trust.add_anchors(store, files[11:], rubric="default")
    models.score = lambda name, work: 6 if "Answer 11:" in work else 8
    flat_calls.run_anchors(store)
    again = flat_calls.run_anchors(store)
    assert {movement.mean for movement in again.moved} == {0.0}
    assert {movement.anchors for movement in again.moved} == {12}


def test_what_changed_about_the_judge_is_reported(store, models, tmp_path):
    """Its settings, and the model that its server names."""
    evenhand.trust.add_anchors(store, answers(tmp_path, 2), rubric="default")
    judge_again(store, models, 8)
    models.served = "served-2"
    report = judge_again(store, models, 8, temperature=0.5)
    assert report.changes == ("temperature: 0, now 0.5", "the model that answers: served-1, now served-2")
    assert {dict(request.sampling)["temperature"] for _, request in models.asked} == {0.0, 0.5}


def test_the_ways_of_asking_reach_the_judge(store, models, tmp_path):
    """A question a call takes more; two more samples are two more of either question."""
    evenhand.trust.add_anchors(store, answers(tmp_path, 1), rubric="default")
    calls = []
    for options in ({}, {"samples": 3}, {"thorough": True}):
        before = models.count
        flat_calls.run_anchors(store, "openai:one", **(options))
        calls.append(models.count - before)
    assert calls[1] == calls[0] + 4
    assert calls[2] > calls[0]


def test_a_run_that_stops_is_not_kept_and_its_replies_are_for_the_next(store, models, tmp_path):
    """No half of a reference; the file of replies goes with a finished run."""
    evenhand.trust.add_anchors(store, answers(tmp_path), rubric="default")
    replies = tmp_path / "replies.db"
    options = ModelOptions(replies=str(replies), concurrency=1)
    with pytest.raises(Unavailable, match=r"calls.*; replies already paid for are kept; run it again"):
        anchoring.run_anchors(store, replace(options, max_calls=5), judge="openai:one")
    assert (store.anchor_runs(), models.count, replies.exists()) == ([], 5, True)
    with pytest.raises(Unavailable):
        judge_again(store, models, 8, max_calls=2)
    assert anchoring.run_anchors(store, options, judge="openai:one").anchors == 11
    assert not replies.exists()


def test_a_judge_that_never_answers_makes_no_run(store, models, tmp_path):
    """Without a single score there is nothing to compare with."""
    evenhand.trust.add_anchors(store, answers(tmp_path, 2), rubric="default")
    models.fails = lambda number: CallFailed("nobody answers", kind="rejected")
    with pytest.raises(Unavailable, match="nobody answers"):
        judge_again(store, models, 8)
    assert store.anchor_runs() == []


def test_a_judge_whose_every_call_fails_makes_no_run_though_nothing_stopped_it(store, models, tmp_path):
    """A server that is busy again and again has not moved."""
    evenhand.trust.add_anchors(store, answers(tmp_path, 1), rubric="default")
    models.fails = lambda number: CallFailed("busy", kind="timeout")
    with pytest.raises(Unavailable, match="busy"):
        judge_again(store, models, 8)
    assert store.anchor_runs() == []


def test_an_anchor_whose_text_was_changed_is_not_judged(store, models, tmp_path):
    """It would be another question."""
    evenhand.trust.add_anchors(store, answers(tmp_path, 1), rubric="default")
    with sqlite3.connect(tmp_path / "s.db") as connection:
        connection.execute("DROP TRIGGER anchors_stay")
        connection.execute("UPDATE anchors SET text = replace(text, 'hangs', 'stops')")
    connection.close()
    with pytest.raises(StoreUnavailable, match="is damaged: its text is not the one that was frozen"):
        judge_again(store, models, 8)


@pytest.mark.parametrize("document", ["not JSON", "[]", '{"spec": "openai:one"}'])
def test_a_run_that_was_damaged_in_the_store_is_named(store, models, tmp_path, document):
    """Nothing is compared with it."""
    with store.transaction():
        store.add_anchor_run(AnchorRun("run-1", "2026-01-01T00:00:00.000Z", "default", "openai:one", "{}", 0, document))
    with pytest.raises(StoreUnavailable, match="the stored run run-1 of anchors is damaged"):
        anchoring.reports(store, "default")


# --- alarms


def test_an_alarm_is_open_from_the_run_that_raised_it_until_one_in_order(store, models, tmp_path):
    """It names the judge, what moved, and when it was last in order."""
    evenhand.trust.add_anchors(store, answers(tmp_path), rubric="default")
    judge_again(store, models, 8)
    assert anchoring.open_alarms(store) == {}
    calm, raised = judge_again(store, models, 8), judge_again(store, models, 6)
    (alarm,) = anchoring.open_alarms(store).values()
    assert (alarm.judge, alarm.raised, alarm.since) == ("openai:one", raised.created, calm.created)
    assert alarm.says.startswith("final -2.00, ")
    judge_again(store, models, 8)
    assert anchoring.open_alarms(store) == {}


def test_a_newer_calibration_settles_an_alarm_and_starts_anew(store, models, tmp_path):
    """One from before it does not; the run after it is a first run, and the reports of earlier ones stay."""
    evenhand.trust.add_anchors(store, answers(tmp_path), rubric="default")
    card = evenhand.score({"judge": "openai:one", "scores": seven(8)}, rubric="default")
    calibration = evenhand.trust.calibrate([(3 + n / 10, 2 + n / 10) for n in range(60)], like=card)
    note_calibration(store, calibration)  # no run yet: there is nothing to settle
    assert store.last_calibration("openai:one") is None
    judge_again(store, models, 8)
    note_calibration(store, calibration._replace(created="2025-12-31T00:00:00.000Z"))
    judge_again(store, models, 6)
    assert list(anchoring.open_alarms(store)) == ["openai:one"]
    note_calibration(store, calibration._replace(created=clock.now()))
    assert anchoring.open_alarms(store) == {}
    after = judge_again(store, models, 6)
    assert after.reference is None
    later = judge_again(store, models, 6)
    assert (later.reference, later.alarm) == (after.created, False)
    references = [report.reference for report in anchoring.reports(store, "default")]
    assert references[0] is None and references[1] is not None
    assert references[2:] == [None, after.created]


def test_only_a_drift_that_began_after_the_judge_was_in_order_is_the_judge_s(store, models, tmp_path):
    """A scorecard without drift, by another judge, or from before the last calm run is told apart."""
    alarms = {"openai:one": anchoring.OpenAlarm("openai:one", "2026-01-03", "2026-01-01", "final -2.00")}
    base = evenhand.score({"skill": "s", "judge": "openai:one", "scores": seven(8)}, store=store, id="a")

    def card(alarm: bool = True, **more):
        drift = Drift(alarm, 0, 0, 0, 0, 0)
        return base._replace(history=replace(base.history, drift=drift), **{"created": "2026-01-02", **more})

    assert anchoring.judge_alarm(card(), alarms) == alarms["openai:one"]
    assert anchoring.judge_alarm(card(alarm=False), alarms) is None
    assert anchoring.judge_alarm(card(created="2026-01-01"), alarms) is None
    assert anchoring.judge_alarm(card(created="2025-12-31"), alarms) is None
    assert anchoring.judge_alarm(card(judge={"name": "openai:two"}), alarms) is None
    assert anchoring.judge_alarm(base._replace(history=None), alarms) is None
    never = {"openai:one": alarms["openai:one"]._replace(since=None)}
    assert anchoring.judge_alarm(card(created="2025-12-31"), never) == never["openai:one"]


def test_a_member_of_a_panel_that_moved_counts_too(store):
    """The panel's own name has no anchors."""
    history = evenhand.score({"skill": "s", "scores": seven(8)}, store=store).history
    drift = Drift(True, 0, 0, 0, 0, 0)
    card = panel_card(panel_of(8, 8), make_rubric())._replace(history=replace(history, drift=drift))
    alarm = anchoring.OpenAlarm("b", "2026-01-03", None, "final -2.00")
    assert anchoring.judge_alarm(card, {"b": alarm}) == alarm
    assert anchoring.judge_alarm(card, {"c": alarm}) is None
