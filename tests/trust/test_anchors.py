"""evenhand trust anchors: a judge that moved is told from a skill that did, on submissions that never change."""

from __future__ import annotations

import json
import sqlite3
from random import Random

import jsonschema
import pytest
from conftest import ROOT, seven
from fake_server import FakeServer
from scripted_judge import answer

import evenhand
import flat_calls
from evenhand.cli.commands.follow.history import _not_told_apart
from evenhand.errors import InputError, StoreUnavailable, Unavailable
from evenhand.judging.kept.found_cards import cards_of_skill
from evenhand.options.model_options import ModelOptions
from evenhand.reports.trust.anchors import run_document, run_lines
from evenhand.stats.trust.anchor_drift import FIELDS, LEAST_ANCHORS, movements
from evenhand.trust.anchors import _asked, add_anchors, frozen, open_alarms, reports, run_anchors
from evenhand.trust.calibration import note_calibration
from evenhand.web.pages.judge_list import judges
from evenhand.web.parameters import Parameters
from report_formats import anchors_page

# --- the statistics


def scores(*finals: int | None) -> dict[str, dict[str, int | None]]:
    """Anchors whose seven dimensions all have the final score."""
    return {f"anchor-{place}": dict.fromkeys(FIELDS, final) for place, final in enumerate(finals)}


def test_eleven_anchors_that_all_move_one_way_are_an_alarm_and_ten_are_not():
    """2 / 2**11 times eight fields is 0.0078, at most 0.01; with ten anchors it is 0.0156, and nothing is tested."""
    moved = movements(scores(*[700] * 11), scores(*[650] * 11))
    assert {(entry.field, entry.alarm) for entry in moved} == {(field, True) for field in FIELDS}
    assert moved[0].p_value == pytest.approx(8 * 2 / 2**11)
    assert moved[0].mean == -0.5
    few = movements(scores(*[700] * 10), scores(*[650] * 10))
    assert not any(entry.alarm for entry in few) and few[0].p_value is None
    assert LEAST_ANCHORS == 11


@pytest.mark.parametrize(("hundredths", "alarm"), [(10, True), (9, False)])
def test_a_move_below_a_tenth_of_a_point_raises_no_alarm(hundredths, alarm):
    """The margin is hit exactly."""
    moved = movements(scores(*[700] * 12), scores(*[700 + hundredths] * 12))
    assert moved[0].alarm is alarm


def test_a_missing_score_is_left_out_and_counted():
    """Twelve anchors, one without a score now: eleven differences, none of them a zero."""
    moved = movements(scores(*[700] * 12), scores(*[600] * 11, None))
    assert (moved[0].anchors, moved[0].missing, moved[0].mean) == (11, 1, -1.0)


def test_one_dimension_may_move_alone():
    """Safety falls by a point on every anchor; the others do not, and are not accused."""
    then, now = scores(*[700] * 12), scores(*[700] * 12)
    for entry in now.values():
        entry["safety"] = 600
    assert [entry.field for entry in movements(then, now) if entry.alarm] == ["safety"]


@pytest.mark.slow
def test_honest_noise_seldom_raises_an_alarm():
    """300 runs with noise of a point: at 1 in 100, more than ten alarms come less than once in 1000 times."""
    draw = Random(1)
    alarms = 0
    for _ in range(300):
        then, now = (scores(*(700 + 100 * draw.choice((-1, 0, 1)) for _ in range(12))) for _ in range(2))
        alarms += any(entry.alarm for entry in movements(then, now))
    assert alarms <= 10


# --- runs


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")


@pytest.fixture
def kept(tmp_path):
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    opened.create()
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path):
    paths = []
    for place in range(12):
        path = tmp_path / f"answer-{place}.md"
        path.write_text(f"Answer {place}: restart the service, then read its log for errors.\n", encoding="utf-8")
        paths.append(str(path))
    return paths


def judge_again(server: FakeServer, store, score: int, **more):
    server.answer = lambda asked: answer(asked, score=score)
    options = ModelOptions(base_url=server.url, **more)
    return run_anchors(store, options, judge="openai:one")


def test_anchors_are_frozen_once(kept, files, tmp_path):
    """Added again they are there already; later changes of the file or in the store do not reach them."""
    assert add_anchors(kept, files, rubric="writing") == (12, 0)
    assert add_anchors(kept, files[:3], rubric="writing") == (0, 3)
    (tmp_path / "answer-0.md").write_text("Something else entirely.\n", encoding="utf-8")
    assert "Answer 0" in frozen(kept, "default")[0].text
    with sqlite3.connect(tmp_path / "s.db") as connection:
        for change in ("UPDATE anchors SET text = ''", "DELETE FROM anchors"):
            with pytest.raises(sqlite3.DatabaseError, match="anchors are frozen"):
                connection.execute(change)
        connection.execute("DROP TRIGGER anchors_stay")
        connection.execute("UPDATE anchors SET text = replace(text, 'restart', 'reboot')")
    connection.close()
    with pytest.raises(StoreUnavailable, match="its text is not the one that was frozen"):
        frozen(kept, "default")


def test_anchors_come_from_evaluations_too_and_what_cannot_be_frozen_is_refused(kept):
    """By id, with the rubric of the evaluation; an unknown name and an empty set are errors that say what to do."""
    evenhand.score({"judge": "model:a", "scores": seven(7)}, output="An answer.", id="e1", store=kept, rubric="writing")
    assert add_anchors(kept, ["e1"], set_name="some") == (1, 0)
    assert '"name":"writing"' in kept.anchors("some")[0].rubric
    with pytest.raises(InputError, match="nothing-here: no such file, and no evaluation"):
        add_anchors(kept, ["nothing-here"])
    with pytest.raises(InputError, match=r'no anchors in the set "default" .* it has some'):
        frozen(kept, "default")
    with pytest.raises(InputError, match="no judge has judged the set"):
        run_anchors(kept, ModelOptions(), set_name="some")


@pytest.fixture
def moved(kept, files, fake_server):
    """Judged at 8, again at 8, then at 6."""
    add_anchors(kept, files, rubric="default")
    return [judge_again(fake_server, kept, score) for score in (8, 8, 6)]


@pytest.mark.slow
def test_a_judge_that_moved_raises_an_alarm_and_enters_no_history(kept, moved):
    """From 8 to 6 on twelve anchors; the first run is the reference, the second is in order."""
    first, second, third = moved
    assert (first.reference, first.moved, first.alarm) == (None, (), False)
    assert second.reference == first.created and not second.alarm
    assert third.alarm
    assert run_lines(third)[0].startswith("openai:one on 12 anchors of default, ")
    assert "the judge moved: final by -2.00" in run_lines(third)[0]
    document = run_document(third)
    schema = ROOT / "src" / "evenhand" / "schemas" / "anchor-run.v1.schema.json"
    jsonschema.validate(document, json.loads(schema.read_text(encoding="utf-8")))
    assert document["alarm"] and document["moved"][0]["mean"] == -2.0
    assert [report.alarm for report in reports(kept, "default")] == [False, False, True]
    assert kept.skills() == [] and list(kept.evaluations()) == []
    (alarm,) = open_alarms(kept).values()
    assert (alarm.judge, alarm.since) == ("openai:one", second.created)


@pytest.mark.slow
def test_a_newer_calibration_settles_the_alarm_and_starts_a_new_reference(kept, moved, fake_server):
    """After it, the next run is the first again."""
    assert open_alarms(kept)
    with kept.transaction():
        kept.note_calibration("openai:one", "2999-01-01T00:00:00.000Z", "s")
    assert open_alarms(kept) == {}
    assert judge_again(fake_server, kept, 6).reference is None


@pytest.mark.slow
def test_a_page_shows_the_newest_run_of_each_judge(kept, moved):
    """What moved, drawn and in words, and the runs before it."""
    page = anchors_page("default", reports(kept, "default"))
    assert "the judge moved: final by" in page and "<svg" in page and "Earlier runs" in page
    assert "Not judged yet" in anchors_page("default", [])


@pytest.mark.slow
def test_the_dashboard_shows_a_judge_s_anchors_and_that_it_has_no_card(kept, moved):
    """The alarm is open; nothing was probed."""
    shown = judges(kept, Parameters("/judges", {"name": ("openai:one",)}))
    assert shown.document["card"] is None and shown.document["open_alarm"]["moved"]
    assert [run["alarm"] for run in shown.document["anchors"]][-1] is True
    assert "the judge moved" in shown.shown["sets"][0]


@pytest.mark.slow
def test_a_calibration_written_from_python_settles_the_alarm(kept, moved, tmp_path):
    """One that is only computed does not: no file was written that could be applied to later scores."""
    card = evenhand.score({"judge": "openai:one", "scores": seven(8)}, rubric="default")
    made = evenhand.trust.calibrate([(3 + n / 10, 2 + n / 10) for n in range(60)], like=card)
    assert open_alarms(kept)
    note_calibration(kept, made._replace(created="2999-01-01T00:00:00.000Z"))
    assert open_alarms(kept) == {}


def test_what_changed_about_the_judge_is_listed(kept, files, fake_server):
    """Another temperature is another setting; the model that answers is named by the server."""
    add_anchors(kept, files, rubric="default")
    judge_again(fake_server, kept, 8)
    report = judge_again(fake_server, kept, 8, temperature=0.5)
    assert report.changes == ("temperature: 0, now 0.5",)
    assert "changed since then: temperature: 0, now 0.5" in run_lines(report)


def test_a_stopped_run_is_not_kept(kept, files, fake_server, tmp_path):
    """No half of a reference; the replies are kept for the next try and removed after it."""
    add_anchors(kept, files, rubric="default")
    replies = tmp_path / "anchors.db"
    with pytest.raises(Unavailable, match="limit of 5 calls"):
        judge_again(fake_server, kept, 8, max_calls=5, replies=str(replies))
    assert kept.anchor_runs() == [] and replies.exists()
    assert judge_again(fake_server, kept, 8, replies=str(replies)).anchors == 12
    assert not replies.exists()


@pytest.mark.slow
def test_anchors_from_python(kept, files, fake_server):
    """The judge of the last run is asked again unless another is named."""
    fake_server.answer = lambda asked: answer(asked, score=8)
    assert evenhand.trust.add_anchors(kept, files, rubric="default") == 12
    flat_calls.run_anchors(kept, "openai:one", base_url=fake_server.url)
    report = flat_calls.run_anchors(kept)
    assert (report.judge["name"], report.alarm, report.changes) == ("openai:one", False, ())


# --- how the last run asked


def last_asked(store) -> dict:
    return json.loads(store.anchor_runs()[-1].document)["asked"]


def test_without_a_judge_the_last_one_is_asked_as_it_was(kept, files, fake_server):
    """Same address, one call for each anchor and the same temperature; what is given now wins."""
    add_anchors(kept, files[:2], rubric="default")
    judge_again(fake_server, kept, 8, temperature=0.5)
    how = {"base_url": fake_server.url, "temperature": 0.5}
    assert last_asked(kept) == how
    calls = len(fake_server.asked)
    report = run_anchors(kept, ModelOptions())
    assert len(fake_server.asked) == 2 * calls
    assert (report.judge["name"], report.changes, last_asked(kept)) == ("openai:one", (), how)
    again = run_anchors(kept, ModelOptions(temperature=0.7))
    assert again.changes == ("temperature: 0.5, now 0.7",)


def keep_again(store, **changes) -> None:
    """The last run once more, with another document."""
    run = store.anchor_runs()[-1]
    document = json.loads(run.document) | changes
    document = {name: value for name, value in document.items() if value is not None}
    with store.transaction():
        store.add_anchor_run(run._replace(id=f"{run.id}-again", created="2999", document=json.dumps(document)))


def test_a_judge_that_would_be_asked_elsewhere_is_refused(kept, files, fake_server):
    """Its address came from settings that are different now."""
    add_anchors(kept, files[:1], rubric="default")
    judge_again(fake_server, kept, 8)
    document = json.loads(kept.anchor_runs()[-1].document)
    keep_again(kept, asked={"thorough": True}, judge=document["judge"] | {"address": "https://models.example/v1"})
    with pytest.raises(InputError, match=r"asked its judge at https://models\.example/v1, and now .* its own address"):
        run_anchors(kept, ModelOptions())
    assert run_anchors(kept, ModelOptions(base_url=fake_server.url)).anchors == 1


@pytest.mark.parametrize("address", ["https://me:k3y@models.example/v1", "https://models.example/v1?key=k3y"])
def test_an_address_that_holds_a_key_is_not_kept(address, kept, files, fake_server):
    """It is refused with what to name when it would be needed."""
    assert _asked(ModelOptions(base_url=address, samples=3)) == {"base_url": "", "samples": 3}
    add_anchors(kept, files[:1], rubric="default")
    judge_again(fake_server, kept, 8)
    keep_again(kept, asked={"base_url": ""})
    with pytest.raises(InputError, match="does not say where its judge was asked, since the address held a key"):
        run_anchors(kept, ModelOptions())


# --- history


def drifting_skill(store, judge: str) -> list:
    """Ten evaluations at 8, then twelve at 5: drift."""
    for place in range(22):
        evenhand.score(
            {"skill": "notes", "judge": judge, "scores": seven(8 if place < 10 else 5)},
            output=f"output {place}", store=store, rubric="default",
        )  # fmt: skip
    return [named.card for named in cards_of_skill(store, "notes")]


@pytest.mark.slow
def test_history_does_not_tell_a_skill_s_drift_from_its_judge_s(kept, moved):
    """While the judge's alarm is open, and only for that judge; a calibration settles it."""
    cards = drifting_skill(kept, "openai:one")
    notes = _not_told_apart(kept, cards)
    assert cards[-1].id in notes and cards[0].id not in notes
    assert (
        "not told apart from the judge's own drift: anchors show that openai:one moved (final -2.00"
        in (notes[cards[-1].id])
    )
    others = [card._replace(judge={"name": "openai:two"}) for card in cards]
    assert _not_told_apart(kept, others) == {}
    with kept.transaction():
        kept.note_calibration("openai:one", "2999-01-01T00:00:00.000Z", "s")
    assert _not_told_apart(kept, cards) == {}


@pytest.mark.slow
def test_the_commands(evenhand_command, files, fake_server, tmp_path):
    """add, run, show; exit code 1 when the judge moved, and history says so."""
    fake_server.answer = lambda asked: answer(asked, score=8)
    added = evenhand_command("trust", "anchors", "add", *files, "--rubric", "default")
    assert (added.code, "it has 12 anchors" in added.out) == (0, True)
    run = ("trust", "anchors", "run", "--judge", "openai:one", "--base-url", fake_server.url)
    assert evenhand_command(*run, OPENAI_API_KEY="k").code == 0
    fake_server.answer = lambda asked: answer(asked, score=6)
    again = evenhand_command(*run, "-f", "json", OPENAI_API_KEY="k")
    assert (again.code, json.loads(again.out)["alarm"]) == (1, True)
    shown = evenhand_command("trust", "anchors", "run", "--show")
    assert "the judge moved: final by -2.00" in " ".join(shown.out.split())
    store = evenhand.open_store(str(tmp_path / ".evenhand" / "evenhand.db"))
    drifting_skill(store, "openai:one")
    store.close()
    for format in ("terminal", "markdown", "html", "json"):
        told = evenhand_command("history", "notes", "-f", format)
        assert "not told apart from the judge" in " ".join(told.out.split()), format


@pytest.mark.slow
def test_stores_keep_anchors_and_runs(store, tmp_path):
    """Both kinds of store."""
    path = tmp_path / "a.md"
    path.write_text("An answer that is frozen.", encoding="utf-8")
    assert add_anchors(store, [str(path)], rubric="default", set_name="s") == (1, 0)
    assert store.anchor_sets() == [("s", 1)]
    assert store.last_calibration("x") is None
    with store.transaction():
        store.note_calibration("x", "2026-01-01T00:00:00Z", "h")
        store.note_calibration("x", "2026-01-01T00:00:00Z", "h")
    assert store.last_calibration("x") == "2026-01-01T00:00:00Z"
    assert frozen(store, "s")[0].name.endswith("a.md")
