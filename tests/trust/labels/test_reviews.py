"""One review: what a form may hold, drafts that build on each other, and the judgement that it becomes."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import make_rubric

import evenhand
from contract.doors import run_here
from evenhand import DIMENSIONS, InputError
from evenhand.core.finding import Place
from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import keep_one
from evenhand.judging.steps import Steps
from evenhand.rubrics.resolved import resolve
from evenhand.store.submission_text import submission_text, transcript_from
from evenhand.store.tables.web_log import LogEntry
from evenhand.transcripts import read
from evenhand.trust.labels import review_rounds
from evenhand.trust.labels import reviews as reviewing
from evenhand.trust.labels.judged_items import judged_groups
from evenhand.trust.labels.review_rounds import Request, start_round
from evenhand.work.printable import printable
from evenhand.work.submission import Event, Image, Submission, ToolCall

TEXT = "The loop never ends.\nIt has  no limit, and the\terror is lost.\n"
ENTRY = LogEntry._make(["x"] * len(LogEntry._fields))


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def judged_by_model(store, number: int, *, score: float = 7.5, skill: str = "code-review", **more) -> None:
    judgement = {
        "scores": dict.fromkeys(DIMENSIONS, score),
        "judge": "model:m",
        "skill": skill,
        "task": "Find the bug.",
    }
    arguments = {"output": f"{TEXT}Case {number}.", "id": f"e{number}"} | more
    evenhand.score(judgement, store=store, **arguments)


@pytest.fixture
def task(store):
    """The only item of a round of review."""
    judged_by_model(store, 1)
    started = start_round(store, Request(SAMPLE, 1, seed="7"), "ana")
    return reviewing.open_task(store, started.round.id, 1)


def whole(score: str = "4", **more: str) -> dict[str, str]:
    """A review with every score; `why_safety` is the field `why.safety`."""
    return {f"score.{name}": score for name in DIMENSIONS} | {
        name.replace("__", "-").replace("_", ".", 1): text for name, text in more.items()
    }


def decided(store, task, fields, person: str = "ana") -> dict:
    """The scorecard that a review becomes."""
    id = reviewing.decide(store, task, person, fields, 0, ENTRY)
    return json.loads(store.get(id).scorecard)


def refused(task, fields) -> list[str]:
    with pytest.raises(InputError) as error:
        reviewing.evaluated_review(task, "ana", fields)
    return [problem.message for problem in error.value.problems]


# --- the form


def test_a_form_has_three_fields_for_each_dimension_flag_and_bonus():
    """A score, a reason and quotes; a tick, a reason and quotes."""
    names = reviewing.field_names(make_rubric())
    assert len(names) == 3 * (7 + 6 + 6) == len(set(names))
    assert names[:3] == [f"score.{DIMENSIONS[0]}", f"why.{DIMENSIONS[0]}", f"quotes.{DIMENSIONS[0]}"]
    assert {"flag.f0", "flag-why.f0", "flag-quotes.f0", "bonus.b5", "bonus-why.b5", "bonus-quotes.b5"} <= {*names}


def test_what_a_form_does_not_have_is_dropped_and_empty_fields_are_left_out():
    """Line breaks are those of this system, whatever the browser sends."""
    form = {"why.safety": "a\r\nb\rc", "score.safety": "  ", "else": "x", "why.correctness": ""}
    assert reviewing.cleaned(form, make_rubric()) == {"why.safety": "a\nb\nc"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "why.safety must be text"),
        (["x"], "why.safety must be text"),
        ("a\0b", "why.safety holds the character NUL"),
        ("x" * 20_001, "why.safety has 20001 characters; 20000 are allowed"),
        ("\ud800", "why.safety is not valid Unicode"),
    ],
)
def test_what_no_form_of_ours_sends_is_refused(value, message):
    """The page has limits of its own; a program may send anything."""
    with pytest.raises(InputError, match=message):
        reviewing.cleaned({"why.safety": value}, make_rubric())


@pytest.mark.parametrize("value", ["x" * 20_000, "naïve ✓ 日本"])
def test_long_and_foreign_text_is_taken_as_it_is(value):
    """20,000 characters, in any script."""
    assert reviewing.cleaned({"why.safety": value}, make_rubric()) == {"why.safety": value}


# --- drafts


def test_drafts_build_on_each_other_and_only_the_first_is_logged(store, task):
    """The same text again is the same version; a save that knows only an older one writes nothing."""
    first = reviewing.save_draft(store, task, "ana", {"why.safety": "a"}, 0, ENTRY)
    second = reviewing.save_draft(store, task, "ana", {"why.safety": "b"}, 1, ENTRY)
    assert (first.version, second.version) == (1, 2)
    assert reviewing.save_draft(store, task, "ana", {"why.safety": "b"}, 2, ENTRY) == second
    with pytest.raises(reviewing.DraftConflict, match=r"a newer version .* was saved elsewhere \(version 2\)") as error:
        reviewing.save_draft(store, task, "ana", {"why.safety": "c"}, 1, ENTRY)
    assert error.value.version == 2
    newest = store.review_draft(task.item.round, task.item.place, "ana")
    assert (newest.version, reviewing.draft_fields(newest)) == (2, {"why.safety": "b"})
    assert len(list(store.log_entries(limit=10))) == 1


def test_an_empty_first_draft_is_a_version_too(store, task):
    """Who opens a form and saves it has begun."""
    assert reviewing.save_draft(store, task, "ana", {}, 0, ENTRY).version == 1


def test_everybody_has_a_draft_of_their_own(store, task):
    """Bo's first version is not Ana's second."""
    reviewing.save_draft(store, task, "ana", {"why.safety": "a"}, 0, ENTRY)
    assert reviewing.save_draft(store, task, "bo", {"why.safety": "b"}, 0, ENTRY).version == 1


def test_a_decision_is_made_once_and_ends_the_drafts(store, task):
    """By each person; it builds on the newest draft as a save does."""
    reviewing.save_draft(store, task, "ana", {"why.safety": "a"}, 0, ENTRY)
    with pytest.raises(reviewing.DraftConflict):
        reviewing.decide(store, task, "ana", whole(), 0, ENTRY)
    reviewing.decide(store, task, "ana", whole(), 1, ENTRY)
    for act in (reviewing.decide, reviewing.save_draft):
        with pytest.raises(reviewing.AlreadyDecided):
            act(store, task, "ana", whole("5"), 1, ENTRY)
    reviewing.decide(store, task, "bo", whole(), 0, ENTRY)
    assert [decision.person for decision in store.decisions(task.item.round, 1)] == ["ana", "bo"]
    assert len(list(store.log_entries(limit=10))) == 3


# --- the judgement


def test_a_review_is_a_judgement_by_a_person_linked_to_what_it_reviews(store, task):
    """The same skill, task, rubric and text; the round, how it was drawn and how likely that was."""
    document = decided(store, task, whole("4", why_safety=" Nothing is unsafe. ", quotes_safety="The loop never ends."))
    assert (document["judge"]["name"], document["skill"], document["task"], document["final"]) == (
        "human:ana",
        "code-review",
        "Find the bug.",
        4.0,
    )
    assert document["rubric"]["name"] == "code-review"
    assert document["review"] == {
        "round": task.round.id,
        "of": "e1",
        "method": "sample",
        "probability": 1,
    }
    safety = document["dimensions"]["safety"]
    assert safety["justification"] == "Nothing is unsafe."
    assert [(quote["quote"], quote["verified"]) for quote in safety["evidence"]] == [("The loop never ends.", True)]
    original = json.loads(store.get("e1").scorecard)
    assert document["receipt"]["submission"] == original["receipt"]["submission"]
    assert store.get(document["id"]).id.startswith("review-")


def test_reviews_of_one_item_by_two_people_are_two_evaluations(store, task):
    """And the same review twice would be the same."""
    ids = {reviewing.evaluated_review(task, person, whole()).card.id for person in ("ana", "bo", "ana")}
    assert len(ids) == 2


@pytest.mark.parametrize("value", ["", "0", "11", "7.5", "x", "01"])
def test_a_score_is_a_whole_number_from_1_to_10(task, value):
    """What is missing is asked for; everything that is wrong is listed at once."""
    fields = {
        name: text for name, text in (whole() | {"score.safety": value, "score.correctness": value}).items() if text
    }
    wrong = "give a score" if not value else "a score is a whole number from 1 to 10"
    assert refused(task, fields) == [
        f"{name}: {wrong}, or say that it cannot be scored" for name in DIMENSIONS if name in ("safety", "correctness")
    ]


@pytest.mark.parametrize("value", ["1", "10"])
def test_both_ends_of_the_scale_are_scores(task, value):
    card = reviewing.evaluated_review(task, "ana", whole(value)).card
    assert card.final == Decimal(value)


def test_a_dimension_that_cannot_be_scored_needs_a_reason(store, task):
    """The reason is why it is unscored, not a justification of a score."""
    assert refused(task, whole(score_safety="unscored")) == ["safety: say why it cannot be scored"]
    line = decided(store, task, whole(score_safety="unscored", why_safety="No code."))["dimensions"]["safety"]
    assert (line["score"], line["unscored"], line["justification"]) == (None, "No code.", "")


def test_flags_and_bonuses_are_ticked_with_a_reason_and_quotes(store, task):
    """An explanation or a quote without a tick is a mistake that a person must settle."""
    rubric = task.rubric.rubric
    flag, bonus = rubric.red_flags[0].id, rubric.bonuses[0].id
    ticked = {f"flag.{flag}": "on", f"flag-why.{flag}": "Missed.", f"flag-quotes.{flag}": "The loop never ends."}
    document = decided(store, task, whole() | ticked | {f"bonus.{bonus}": "on"})
    assert [(entry["id"], entry["explanation"]) for entry in document["red_flags"]] == [(flag, "Missed.")]
    assert document["red_flags"][0]["evidence"][0]["quote"] == "The loop never ends."
    assert [entry["id"] for entry in document["bonuses"]] == [bonus]
    for field in ("flag-why", "flag-quotes", "bonus-why"):
        id = bonus if field.startswith("bonus") else flag
        assert refused(task, whole() | {f"{field}.{id}": "The loop never ends."}) == [
            f"{id}: has an explanation or a quote, but is not ticked; tick it or empty them"
        ]


def test_every_line_is_a_quote_and_each_must_be_in_the_text(task):
    """White space is folded; a long one is named by its first 60 characters."""
    good, bad, long = "It has no limit, and the error is lost.", "It has a limit.", "x" * 61
    fields = whole(quotes_safety=f"{good}\n\n  The loop never ends. \n{bad}\n{long}\n{'y' * 60}")
    assert refused(task, fields) == [
        f'safety: the quote "{shown}" is not in the text word for word; select it again'
        for shown in (bad, "x" * 57 + "...", "y" * 60)
    ]
    checks = reviewing.quote_checks(task.submission, {"quotes.safety": f"{good}\n{bad}", "why.safety": "x"})
    assert list(checks) == ["quotes.safety"]
    assert [check.passage is None for check in checks["quotes.safety"]] == [False, True]


def test_a_quote_selected_on_a_page_is_found_where_unseen_characters_are(store):
    """The page shows a sign in place of each; the passage is the text as it was written."""
    judged_by_model(store, 9, output="Before\u200bafter, and nothing else to read here.")
    started = start_round(store, Request(SAMPLE, 1, seed="7"), "ana")
    task = reviewing.open_task(store, started.round.id, 1)
    shown = printable(task.submission.output)
    assert shown != task.submission.output
    (check,) = reviewing.quote_checks(task.submission, {"quotes.safety": shown})["quotes.safety"]
    assert check.passage == task.submission.output


# --- items of a round


def test_an_item_that_is_not_there_says_which_are(store, task):
    """A page of that address says so."""
    with pytest.raises(LookupError, match='There is no round of review "x"'):
        reviewing.open_task(store, "x", 1)
    for place in (0, 2):
        with pytest.raises(LookupError, match=f"The round has items from 1 to 1, and no item {place}"):
            reviewing.open_task(store, task.round.id, place)


# --- transcripts

CALL = ToolCall(
    name="grep",
    arguments={"pattern": "loop", "n": 1.5},
    result="client.py:88",
    failed=True,
    result_place=Place("run.jsonl", 3),
)
EVENTS = (
    Event("message", "user", "Find it.", Place("run.jsonl", 1), images=(Image(media="image/png", sha256="a" * 64),)),
    Event("call", "assistant", "", Place("run.jsonl", 2), call=CALL, agent="helper"),
    Event("call", "assistant", "", Place("run.jsonl", None), call=CALL._replace(result_place=None, result=None)),
)


def test_a_transcript_that_is_kept_is_the_same_when_read_back():
    """Everything that is judged; of pictures the hashes."""
    whole = Submission(
        output="It never ends.", task="Find it.", source="run.jsonl", reference="A loop.", events=EVENTS,
        images=(Image(media="image/jpeg", sha256="b" * 64),),
    )  # fmt: skip
    back = transcript_from(submission_text(whole))
    assert back == whole
    plain = Submission(output="x", task=None, source=None)
    assert transcript_from(submission_text(plain)) == plain


def transcript(store) -> dict:
    """The scorecard of a transcript that lies in run.jsonl."""
    lines = [
        {"role": "user", "content": "Find the bug."},
        {"role": "assistant", "content": "The loop never ends, as the log of the client shows."},
    ]
    Path("run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (submission,) = read("run.jsonl")
    judgement = evenhand.score({"judge": "model:m", "scores": dict.fromkeys(DIMENSIONS, 7)})

    assert judgement.final == 7
    document = {
        "judge": "model:m",
        "skill": "code-review",
        "rubric": "code-review",
        "scores": dict.fromkeys(DIMENSIONS, 7),
    }
    made = judgement_from(document)._replace(task=submission.task)
    keep_one(store, Steps().evaluate_written(made, submission=submission, id="t1"))
    return json.loads(store.get("t1").scorecard)


def test_a_transcript_is_read_again_from_its_file_if_it_still_is_what_was_judged(store):
    """Changed, gone or unnamed, it is not reviewed."""
    document = transcript(store)
    text = review_rounds.transcript_text(document)
    assert text is not None and "never ends" in text
    assert review_rounds.transcript_text(document | {"output": None}) is None
    assert review_rounds.transcript_text(document | {"output": "."}) is None
    assert review_rounds.transcript_text(document | {"receipt": None}) is None
    assert review_rounds.transcript_text(document | {"task": "Another."}) is None
    Path("run.jsonl").write_text(Path("run.jsonl").read_text().replace("never", "often"))
    assert review_rounds.transcript_text(document) is None
    Path("run.jsonl").unlink()
    assert review_rounds.transcript_text(document) is None


def test_a_round_keeps_the_transcripts_that_it_chose(store):
    """On request: a server opens no files. Afterwards the file may go."""
    transcript(store)
    with pytest.raises(InputError, match=r"that people can review \(1 left out: the store does not have their text"):
        start_round(store, Request(SAMPLE, 1), "ana")
    started = start_round(store, Request(SAMPLE, 1, read_files=True), "ana")
    Path("run.jsonl").unlink()
    task = reviewing.open_task(store, started.round.id, 1)
    assert task.submission.output.startswith("The loop never ends")
    document = decided(store, task, whole(quotes_safety="as the log of the client shows"))
    assert document["dimensions"]["safety"]["evidence"][0]["verified"]


# --- choosing


def test_each_work_is_chosen_once_by_its_latest_evaluation(store):
    """People's own, rescored ones and those of another rubric are not candidates."""
    judged_by_model(store, 1)
    judged_by_model(store, 1, id="later", score=8)
    judged_by_model(store, 2, rubric="writing")
    evenhand.score({"scores": dict.fromkeys(DIMENSIONS, 5), "judge": "human:bo"}, output="x", store=store)
    started = start_round(store, Request(SAMPLE, 5, rubric=resolve("code-review"), seed="1"), "ana")
    assert [item.evaluation for item in started.items] == ["later"]
    assert (started.round.population, started.round.size, started.round.rubric) == (1, 1, "code-review")
    assert dict(started.left_out)[review_rounds.SAME_WORK] == 1
    assert [item.evaluation for item in start_round(store, Request(SAMPLE, 5, seed="1"), "ana").items].count("e2") == 1


@pytest.mark.parametrize(("size", "is_refused"), [(0, True), (1, False), (1000, False), (1001, True)])
def test_a_round_has_from_1_to_1000_items(store, size, is_refused):
    judged_by_model(store, 1)
    if is_refused:
        with pytest.raises(InputError, match=f"a round has from 1 to 1000 items, not {size}"):
            start_round(store, Request(SAMPLE, size), "ana")
    else:
        assert len(start_round(store, Request(SAMPLE, size), "ana").items) == 1


def test_a_round_by_doubt_is_drawn_from_what_is_in_doubt(store):
    """7.5 is an edge between two grades; 8.25 is far from any. The doubts are noted with each item."""
    for number, score in enumerate((7.5, 8.25, 7.5)):
        judged_by_model(store, number, score=score)
    started = start_round(store, Request(DOUBT, 2, seed="1"), "ana")
    assert (started.round.population, started.round.method) == (2, "doubt")
    assert sorted(item.evaluation for item in started.items) == ["e0", "e2"]
    assert all(item.doubts for item in started.items)
    assert [item.place for item in started.items] == [1, 2]
    with pytest.raises(InputError, match=r'has no evaluation of the skill "x" that people can review$'):
        start_round(store, Request(SAMPLE, 1, skill="x"), "ana")


def test_nothing_in_doubt_says_to_draw_a_sample(store):
    judged_by_model(store, 1, score=8.25)
    with pytest.raises(
        InputError, match="none of 1 evaluations is in doubt; choose by random sample instead: --sample 3"
    ):
        start_round(store, Request(DOUBT, 3), "ana")


def test_the_same_seed_starts_the_same_round_once_and_another_another(store):
    """The log has one entry for it, under its id."""
    for number in range(6):
        judged_by_model(store, number)
    first = start_round(store, Request(SAMPLE, 2, seed="7"), "ana", ENTRY)
    again = start_round(store, Request(SAMPLE, 2, seed="7"), "bo", ENTRY)
    assert (first.new, again.new) == (True, False)
    assert again.round == first.round and again.round.person == "ana"
    assert len({start_round(store, Request(SAMPLE, 2), "ana").round.seed for _ in range(3)}) == 3
    ids = {start_round(store, Request(SAMPLE, size, seed=seed), "ana").round.id for size, seed in ((2, "7"), (3, "7"))}
    assert len(ids) == 2
    assert [entry.subject for _, entry in store.log_entries(limit=10)] == [first.round.id]


def test_a_rubric_that_the_store_lacks_is_named(store):
    with pytest.raises(InputError, match=r"the store lacks the rubric of this round \(sha256 abc\); start a new round"):
        review_rounds.rubric_of(store, "abc")


# --- corrections


def test_a_decision_is_filled_in_again_as_its_scorecard_has_it(store, task):
    """Scores, reasons and quotes, flags and bonuses; what was left empty is not there."""
    flag, bonus = task.rubric.rubric.red_flags[0].id, task.rubric.rubric.bonuses[0].id
    given = whole("4") | {
        "why.safety": "It never ends.",
        "quotes.safety": "The loop never ends.\nIt has  no limit",
        "score.efficiency": reviewing.CANNOT_SCORE,
        "why.efficiency": "Nothing was measured.",
        f"flag.{flag}": "yes",
        f"flag-why.{flag}": "It is lost.",
        f"flag-quotes.{flag}": "The loop never ends.",
        f"bonus.{bonus}": "yes",
        f"bonus-quotes.{bonus}": "It has  no limit",
    }
    record = store.get(reviewing.decide(store, task, "ana", given, 0, ENTRY))
    assert reviewing.fields_of(record) == given


def test_a_correction_replaces_a_decision_and_keeps_it(store, task):
    """With its reason; the log names both, and a draft is gone."""
    first = reviewing.decide(store, task, "ana", whole("4"), 0, ENTRY)
    reviewing.save_draft(store, task, "ana", whole("5"), 0, ENTRY, correcting=True)
    entry = ENTRY._replace(subject="round 1")
    second = reviewing.correct(store, task, "ana", whole("6"), 1, "  I misread it. ", entry)
    assert second != first
    assert json.loads(store.get(second).scorecard)["review"]["corrects"] == first
    decision = reviewing.decision_of(store, task, "ana")
    assert decision is not None and decision.evaluation == second
    (correction,) = store.corrections(task.item.round, task.item.place)
    assert (correction.person, correction.evaluation, correction.replaces, correction.reason) == (
        "ana", second, first, "I misread it.",
    )  # fmt: skip
    assert store.review_draft(task.item.round, task.item.place, "ana").version == 0
    assert f"round 1: {second} replaces {first}" in [line.subject for _, line in store.log_entries(limit=9)]
    assert store.get(first) is not None


def test_a_correction_needs_a_decision_a_reason_and_a_difference(store, task):
    with pytest.raises(reviewing.NotDecided):
        reviewing.correct(store, task, "ana", whole("6"), 0, "Why.", ENTRY)
    first = reviewing.decide(store, task, "ana", whole("4"), 0, ENTRY)
    with pytest.raises(reviewing.NotDecided):
        reviewing.correct(store, task, "ben", whole("6"), 0, "Why.", ENTRY)
    with pytest.raises(InputError) as caught:
        reviewing.correct(store, task, "ana", {}, 0, " ", ENTRY)
    problems = [problem.message for problem in caught.value.problems]
    assert problems[0] == "say why you correct your decision" and len(problems) > 7
    with pytest.raises(InputError, match="nothing differs from your decision; change something, or leave it as it is"):
        reviewing.correct(store, task, "ana", whole("4"), 0, "Why.", ENTRY)
    with pytest.raises(reviewing.DraftConflict):
        reviewing.correct(store, task, "ana", whole("6"), 3, "Why.", ENTRY)
    decision = reviewing.decision_of(store, task, "ana")
    assert decision is not None and decision.evaluation == first
    assert store.corrections(task.item.round, task.item.place) == []


# --- a round as a table


def shown(store, round: str) -> list[dict[str, str]]:
    """The rows of a round as CSV."""
    ran = run_here("trust", "review", round, "-f", "csv", "--store", store.url, cwd=Path.cwd())
    assert ran.code == 0, ran.err
    return [*csv.DictReader(io.StringIO(ran.out))]


def test_a_round_leaves_as_a_table_and_enters_another_store_as_labels(store, task, tmp_path):
    """Ana gave 4 everywhere, Bo 6; both come back as labels of that text, on the scale that they used."""
    (open_row,) = shown(store, task.round.id)
    assert open_row["output"].startswith("The loop never ends.") and open_row["probability"] == "1"
    assert [cell for column, cell in open_row.items() if column.endswith(":final")] == [""]
    decided(store, task, whole("4"))
    decided(store, task, whole("6"), "bo")
    (row,) = shown(store, task.round.id)
    assert (row["ana:final"], row["bo:safety"]) == ("4.00", "6.00")
    (tmp_path / "round.csv").write_text(
        "\n".join((",".join(row), ",".join(json.dumps(cell) if "\n" not in cell else "x" for cell in row.values()))),
        encoding="utf-8",
    )
    ran = run_here("trust", "labels", "import", "round.csv", "--store", "other.db", cwd=tmp_path)
    assert ran.code == 0, ran.err
    with evenhand.open_store("other.db") as other:
        kept = {(label.rater, label.field, label.kind): label.value for label in other.labels()}
    assert kept["human:ana", "final", "submission"] == "4" and kept["human:bo", "safety", "submission"] == "6"
    assert run_here("trust", "review", "nothing", "--store", "other.db", cwd=tmp_path).code == 2


def test_a_review_and_its_copy_in_a_table_count_once(store, task, tmp_path):
    """Ana's 4 as a review and as a label, and Bo's label of 8: 6 in the mean, not 5.33."""
    decided(store, task, whole("4"))
    (tmp_path / "copy.csv").write_text("id,ana:final,bo:final\ne1,4,8\n", encoding="utf-8")
    ran = run_here("trust", "labels", "import", "copy.csv", "--store", store.url, cwd=tmp_path)
    assert ran.code == 0, ran.err
    ((_, items),) = judged_groups(store).items()
    assert [item.people["final"] for item in items] == [6.0]
