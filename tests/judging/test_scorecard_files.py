"""Judgements and scorecards in files: scored, ranked, verified, rescored and required, each problem in its place."""

from __future__ import annotations

import json
import os
from collections import deque
from dataclasses import replace
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from conftest import judged, make_rubric, seven

import evenhand
import flat_calls
from evenhand import InputError, Submission
from evenhand.cli.locations import located_remarks
from evenhand.decisions.gate import Gate
from evenhand.judging import wrong_files as mistaken
from evenhand.judging.files import Named, cards_from, rank_cards, score_files, verify_files
from evenhand.judging.keeper import Keeper
from evenhand.judging.kept.found_cards import cards_of_skill, find_cards
from evenhand.judging.rescoring import Rescorer, rescore_each
from evenhand.judging.sets.case_pairs import matches, pair_cards
from evenhand.judging.sets.gate import rule, shortcomings
from evenhand.judging.tables.batch import memory_bytes
from evenhand.store.tables.suites import StoredSuite

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


def test_results_come_in_input_order_with_a_failure_in_its_place():
    """Each has the name of its file, and its line where there are several."""
    files = [write("a.json", judgement(7)), write("b.jsonl", judgement(6), {"scores": {}}, judgement(5)), "absent.json"]
    batch = score_files(files)
    results = list(batch.results)
    assert [isinstance(result, InputError) for result in results] == [False, False, True, False, True]
    assert [result.final for result in results if not isinstance(result, InputError)] == [7, 6, 5]
    assert batch.names == deque(["a.json", "b.jsonl:1", "b.jsonl:2", "b.jsonl:3", ""])
    assert not batch.one
    assert "b.jsonl:2" in str(results[2])


@pytest.mark.parametrize(("name", "is_one"), [("a.json", True), ("a.jsonl", False)])
def test_a_single_document_is_told_by_its_form(name, is_one):
    assert score_files([write(name, judgement())]).one is is_one
    assert score_files(["absent.json"]).one
    assert not score_files([write("a.json", judgement()), write("b.json", judgement())]).one


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


def test_the_command_s_rubric_comes_before_the_judgement_s_and_says_so():
    (plain,) = score_files([write("a.json", judgement())], rubric="default").results
    assert plain.warnings == ()
    (other,) = score_files([write("a.json", judgement())], rubric="writing").results
    assert (other.rubric, other.warnings) == (
        "writing",
        ("scored with rubric writing as asked; the judgement names default",),
    )


def test_checks_run_where_an_agent_judged_or_where_they_are_asked_for():
    Path("work.md").write_text("```json\n[44 - 41]\n```\n")
    person = write("p.json", judgement(output="work.md"))
    agent = write("g.json", judgement(output="work.md") | {"judge": "agent:x"})
    found = {
        (name, checks): next(score_files([name], checks=checks).results).checked is not None
        for name in (person, agent)
        for checks in (None, True, False)
    }
    assert found == {
        (person, None): False,
        (person, True): True,
        (person, False): False,
        (agent, None): True,
        (agent, True): True,
        (agent, False): False,
    }


def test_what_a_keeper_stores_is_what_is_shown(store):
    keeper = Keeper(store)
    names = [write("a.jsonl", judgement(7, id="x"), judgement(8, id="y"))]
    results = list(score_files(names, keeper=keeper).results)
    assert [result.id for result in results] == [record.id for record in store.evaluations()] == ["x", "y"]
    assert results[1].history.n == 1


def test_a_calibration_must_fit_every_judgement():
    made = evenhand.calibrate([(3 + n / 10, 2 + n / 10) for n in range(60)], like=evenhand.score(judgement()))
    fitting, other = score_files(
        [write("a.jsonl", judgement(), judgement() | {"judge": "human:bo"})], calibration=made
    ).results
    assert fitting.calibration is not None
    assert "a.jsonl:2" in str(other) and "the calibration does not fit" in str(other)


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


def test_scorecards_are_taken_as_they_are_and_judgements_are_scored():
    """A card goes by its id, a judgement without one by its file and line."""
    files = [write("c.json", card("mine")), write("j.jsonl", judgement(6), judgement(7, id="own"))]
    named = list(cards_from(files))
    assert [(entry.name, entry.card.final, entry.source) for entry in named] == [
        ("mine", 8, "c.json"),
        ("j.jsonl:1", 6, "j.jsonl:1"),
        ("own", 7, "j.jsonl:2"),
    ]


def test_a_scorecard_that_was_changed_is_refused_and_the_others_are_read():
    files = [write("c.jsonl", card("a") | {"final": 9.0}, card("b")), "absent.json"]
    changed, good, absent = cards_from(files)
    assert "c.jsonl:1: " in str(changed) and "the scorecard was changed: final " in str(changed)
    assert good.name == "b"
    assert isinstance(absent, InputError)


def test_a_line_that_cannot_be_read_does_not_end_its_file():
    Path("c.jsonl").write_text(json.dumps(card("a")) + "\n{broken\n" + json.dumps(card("b")) + "\n")
    first, broken, last = cards_from(["c.jsonl"])
    assert (first.name, isinstance(broken, InputError), last.name) == ("a", True, "b")
    assert [isinstance(result, InputError) for result in verify_files(["c.jsonl"])] == [False, True, False]
    assert [isinstance(result, InputError) for result in rescored(["c.jsonl"])] == [False, True, False]


def test_an_id_is_ranked_once():
    cards = [
        Named("a", judged(seven(7)), "x.json"),
        Named("b", judged(seven(8))),
        Named("a", judged(seven(9)), "y.json"),
    ]
    ranking, failures = rank_cards([*cards, InputError("damaged")])
    assert [entry.id for entry in ranking.entries] == ["b", "a"]
    assert [str(failure) for failure in failures] == [
        'y.json: the id "a" appears twice; each id is ranked once',
        "damaged",
    ]
    with pytest.raises(InputError, match=r'^the id "x" appears twice'):
        evenhand.rank([judged(seven(7)), judged(seven(8))])


def test_scorecards_in_files_are_verified_in_order():
    """With the output, the rubric and the task they were made with."""
    made = card("a", output=OUTPUT, task="Find it.")
    good, bad, none, text = verify_files([write("c.jsonl", made, made | {"final": 9.0}, [1], "x")], output=OUTPUT)
    assert good.ok
    assert [difference.field for difference in bad.differences] == ["final"]
    assert isinstance(none, InputError) and "c.jsonl:3: not a scorecard: it must be an object" in str(none)
    assert isinstance(text, InputError)
    (other,) = verify_files([write("c.json", made)], output="Another text.")
    assert not other.ok
    (absent,) = verify_files(["absent.json"])
    assert isinstance(absent, InputError)
    (wrong,) = verify_files([write("c.json", made)], rubric="writing")
    assert not wrong.ok
    assert evenhand.verify(made, rubric="default", output=Submission(output=OUTPUT, task="Find it.")).ok


def test_scorecards_are_found_by_file_first_and_then_by_id(store):
    evenhand.score(judgement(6, id="c.json"), store=store)
    evenhand.score(judgement(5, id="other"), store=store)
    write("c.json", card("mine"))
    found = list(find_cards(["c.json", "other", "none"], store))
    assert [(entry.name, entry.card.final) for entry in found[:2]] == [("mine", 8), ("other", 5)]
    assert str(found[2]) == f"none: no such file, and no evaluation in {store.url} has this id"
    store.add_suite_run(StoredSuite("run-9", "demo", "2026-01-01T00:00:00Z", "{}"), ())
    (run,) = find_cards(["run-9"], store)
    assert str(run) == (
        'run-9: a run of the suite "demo", not an evaluation; '
        "see: evenhand run show run-9, or evenhand run show run-9 --baseline NAME"
    )
    (alone,) = find_cards(["none"], None)
    assert str(alone) == "none: no such file"


def test_a_skill_s_scorecards_are_the_oldest_first_and_a_misspelt_one_is_guessed(store):
    for number in range(3):
        evenhand.score(judgement(6 + number, id=f"{number}"), store=store)
    assert [entry.name for entry in cards_of_skill(store, "notes")] == ["0", "1", "2"]
    assert [entry.name for entry in cards_of_skill(store, "notes", last=2)] == ["1", "2"]
    assert [made.id for made in evenhand.history(store, "notes", last=1)] == ["2"]
    with pytest.raises(InputError, match=r': unknown skill "note"; did you mean notes\? see: evenhand history'):
        cards_of_skill(store, "note")
    with pytest.raises(InputError, match=r'unknown skill "x"; see: evenhand history$'):
        cards_of_skill(store, "x")


# --- comparing sets


def named(name: str, score: object, **more) -> Named:
    return Named(name, judged(seven(score), id=name, **more))


def test_an_output_that_changed_is_read_again():
    """What is scored is what the file holds now."""
    path = write("a.json", judgement(output="work.md"))
    hashes = []
    for place, text in enumerate(("One text.", "Other one.")):
        Path("work.md").write_text(text)
        os.utime("work.md", ns=(0, place + 1))
        hashes.append(next(score_files([path]).results).receipt.submission)
    assert len(set(hashes)) == 2


def test_a_rubric_that_is_not_here_may_list_any_flag():
    """Nobody can say that a flag of a rubric that has changed since is misspelt."""
    other = evenhand.score(judgement())
    other = other._replace(receipt=replace(other.receipt, rubric="0" * 64))
    assert missed(other, no_red_flag="x") == []


def test_files_are_paired_by_their_path_below_the_folder_of_the_set():
    def of(folder: str, *files: str) -> list[Named]:
        return [named(f"{folder}{file}", 7, output=None) for file in files]

    before = [
        entry._replace(card=entry.card._replace(output=f"old/{place}.md"))
        for place, entry in enumerate(of("o", "1", "2"))
    ]
    after = [
        entry._replace(card=entry.card._replace(output=f"new/x/{place}.md"))
        for place, entry in enumerate(of("n", "1", "2"))
    ]
    assert pair_cards(before, after).paired_by == "file name"
    assert matches(before, after) == [(0, 0), (1, 1)]
    assert matches(before, after[::-1]) == [(0, 1), (1, 0)]
    mixed = [before[0], before[1]._replace(card=before[1].card._replace(output="/root/1.md"))]
    assert pair_cards(mixed, after).paired_by == "file name"


def test_a_key_that_occurs_twice_matches_nothing():
    """Which of the two is meant cannot be told."""
    first = [named("a", 6), named("a", 7), named("b", 8)]
    assert matches(first, [named("a", 6), named("b", 8)]) == [(2, 1)]


# --- gates


def test_a_gate_without_limits_rules_on_the_baseline_alone():
    cards = [named(f"{n}", 7) for n in range(10)]
    better = [named(f"{n}", 8) for n in range(10)]
    assert rule(cards, Gate(), None) == []
    (ruling,) = rule(cards, Gate(margin=Decimal("0.2")), better)
    assert ruling.colour == "red"
    (opposite,) = rule(better, Gate(margin=Decimal("0.2")), cards)
    assert opposite.colour == "green"
    assert [entry.colour for entry in rule(cards, Gate(min_score=Decimal(8)), None)] == ["red"] * 10


def test_a_gate_may_ask_for_a_calibrated_judge():
    """Also where nothing else is asked for; a red card stays red with both reasons."""
    plain = evenhand.score(judgement(8, id="a"))
    calibration = evenhand.calibrate([(4.5 + n / 40, 4 + n / 40) for n in range(200)], like=plain)
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


def missed(card, **required) -> list[str]:
    return list(shortcomings(card, required))


@pytest.mark.usefixtures("every_check_measured")
def test_a_score_a_grade_and_faults_may_be_required():
    made = judged(seven(7))
    assert missed(made) == []
    assert missed(made, min_score=7, min_grade="B-") == []
    assert missed(made, min_score=8) == ["7.00 is below 8.00"]
    assert missed(made, min_grade="B") == ["B- is below B"]
    (unchecked,) = missed(made, no_fault=True)
    assert unchecked.endswith('; add the judge "checks"')
    faulty = flat_calls.judge("```json\n[44 - 41]\n```")
    assert len(missed(faulty, no_fault="major")) == len(missed(faulty, no_fault=True)) == 1
    assert missed(faulty, no_fault="critical") == missed(faulty, no_fault=False) == []
    with pytest.raises(InputError, match='no_fault is "big"; valid: True, '):
        missed(made, no_fault="big")


def test_red_flags_may_be_forbidden():
    made = judged(seven(8), flags=2)
    assert missed(made, no_red_flag=True) == ["red flag f0 was raised: flag 0", "red flag f1 was raised: flag 1"]
    assert missed(made, no_red_flag=["f1"]) == missed(made, no_red_flag="f1") == ["red flag f1 was raised: flag 1"]
    assert missed(made, no_red_flag="f5") == []
    explained = evenhand.score(
        {"scores": seven(8), "red_flags": [{"id": "f0", "explanation": "So."}]}, rubric=make_rubric()
    )
    assert missed(explained, no_red_flag=True) == ["red flag f0 was raised: So."]
    unread = flat_calls.judge("Cats sleep 12 hours a day.")
    assert missed(unread, no_red_flag=True) == [
        "no one has read this output: only a reader can tell whether a red flag applies"
    ]
    known = evenhand.score(judgement())
    with pytest.raises(InputError, match='unknown red flag "x"; valid: '):
        missed(known, no_red_flag="x")


def test_expectations_may_be_required():
    """What nobody can decide is not met either."""
    assert missed(judged(seven(8)), expect=True) == ["no expectation was looked at"]
    expect = [{"answer": {"contains": "cats"}}, {"answer": {"contains": "dogs"}}]
    made = flat_calls.judge("All cats sleep.", expect=expect)
    (reason,) = missed(made, expect=expect)
    assert reason.startswith("unmet: ")


def test_a_baseline_may_not_be_missed():
    """Equal is not worse, and not better; the card of the same id counts among several."""
    made = judged(seven(8), id="mine")
    write("same.json", evenhand.document(made))
    write("better.jsonl", card("other", score=5), evenhand.document(judged(seven(9), id="mine")))
    assert missed(made, not_worse_than="same.json") == []
    assert missed(made, better_than="same.json") == [
        "not better than the baseline: equal in everything (8.00 against 8.00)"
    ]
    assert missed(made, not_worse_than="better.jsonl") == [
        "worse than the baseline: decided by final (8.00 against 9.00)"
    ]
    write("worse.json", evenhand.document(judged(seven(7), id="x")))
    assert missed(made, better_than="worse.json", not_worse_than="worse.json") == []
    write("two.jsonl", card("a"), card("b"))
    with pytest.raises(InputError, match=r'two\.jsonl holds 2 scorecards, and none has the id "mine"'):
        missed(made, better_than="two.jsonl")
    gap = judged(seven(8) | {"safety": {"unscored": "no answer"}}, id="mine")
    (reason,) = missed(gap, better_than="same.json")
    assert reason.startswith("this output cannot be compared: ")


# --- rescoring


def rescored(names, store=None, rubric="security-review", **more):
    return list(rescore_each(names, store, Rescorer(rubric), **more))


def test_files_are_rescored_and_what_is_not_a_scorecard_is_refused():
    files = [write("c.jsonl", card("a"), judgement(), card("b") | {"final": 9.0}), "absent.json"]
    good, none, changed, absent = rescored(files)
    assert (good.before.id, good.card.rubric, good.card.rescored_from) == ("a", "security-review", "a")
    assert "c.jsonl:2: not a scorecard; a judgement is scored with: evenhand score FILE --rubric RUBRIC" in str(none)
    assert "the scorecard was changed: final " in str(changed)
    assert "absent.json: no such file; see: evenhand history" in str(absent)


def test_ids_skills_and_starts_of_ids_are_found_in_the_store(store):
    """An id comes before a skill of that name; a skill's rescored evaluations are not rescored again."""
    evenhand.score(judgement(7, id="notes") | {"skill": "other"}, store=store)
    for number in range(3):
        evenhand.score(judgement(6 + number, id=f"n-{number}"), store=store)
    assert [entry.before.id for entry in rescored(["notes"], store)] == ["notes"]
    assert [entry.before.id for entry in rescored(["n-1"], store)] == ["n-1"]
    assert [entry.before.id for entry in rescored(["other"], store)] == ["notes"]
    evenhand.score(judgement(7, id="z") | {"skill": "s"}, store=store)
    assert [entry.before.id for entry in rescored(["s"], store, keeper=Keeper(store))] == ["z"]
    assert [entry.before.id for entry in rescored(["s"], store)] == ["z"]
    (absent,) = rescored(["none"], store)
    assert f"none: no such file, and {store.url} has no evaluation or skill of this name" in str(absent)


def test_only_the_last_of_a_skill_are_rescored_on_request(store):
    for number in range(3):
        evenhand.score(judgement(6 + number, id=f"n-{number}"), store=store)
    assert [entry.before.id for entry in rescored(["notes"], store, last=2)] == ["n-1", "n-2"]
    assert len(rescored(["notes"], store)) == 3


def test_what_is_kept_is_kept_once_and_what_did_not_change_is_not(store):
    evenhand.score(judgement(7, id="a"), output=OUTPUT, store=store)
    for _ in range(2):
        (made,) = rescored(["a"], store, keeper=Keeper(store))
    assert len(list(store.evaluations())) == 2
    assert store.get(made.card.id).submission is not None
    (same,) = rescored(["a"], store, "default", keeper=Keeper(store))
    assert same.card is same.before
    assert len(list(store.evaluations())) == 2


# --- files of the wrong kind


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        (json.dumps(judgement()), "a.txt", "judgement"),
        (json.dumps([judgement()]), "a.txt", "judgement"),
        (json.dumps(judgement()) + "\n" + json.dumps(judgement()), "a.txt", "judgement"),
        ("scores:\n" + "".join(f"  {name}: 8\n" for name in evenhand.DIMENSIONS[:4]), "a.txt", "judgement"),
        ("scores:\n" + "".join(f"  {name}: 8\n" for name in evenhand.DIMENSIONS[:3]), "a.txt", None),
        ("scores: [\n" + "".join(f"{name}: 8\n" for name in evenhand.DIMENSIONS[:4]), "a.yaml", "judgement"),
        ("scores: [\n" + "".join(f"{name}: 8\n" for name in evenhand.DIMENSIONS[:4]), "a.md", None),
        ("scores: [\n" + "".join(f"{name}: 8\n" for name in evenhand.DIMENSIONS[:2]), "a.yaml", None),
        ("The scores were high: correctness: 8, safety: 9.", "a.md", None),
        ("scores: [8, 9]", "a.yaml", None),
        ("- scores", "a.yaml", None),
        ("", "a.yaml", None),
        ("An answer about nothing.", "a.md", None),
    ],
)
def test_a_judgement_where_an_output_is_expected_is_reported(text, name, kind):
    """Four dimensions make a judgement, in JSON, JSONL or YAML, broken or not."""
    made = mistaken.judgement_instead(Submission(output=text, source=name, format="text"))
    assert (made is None) == (kind is None)
    if made is not None:
        assert str(made).startswith(f"{name}: looks like a {kind}, not an output; to score it: evenhand score {name}")


def test_a_scorecard_where_an_output_is_expected_is_reported():
    text = json.dumps(card("a"))
    made = mistaken.judgement_instead(Submission(output=text, source="a.txt", format="text"))
    assert (
        "looks like a scorecard, not an output; to check it: evenhand show --verify a.txt (to judge it anyway"
        in str(made)
    )
    line = Submission(output="", source="a.jsonl:3", format="submissions", unknown={"receipt": 1, "dimensions": 1})
    assert "evenhand show --verify a.jsonl (" in str(mistaken.judgement_instead(line))
    scores = Submission(output="", source="a.jsonl:3", format="submissions", unknown={"scores": 1})
    assert "evenhand score a.jsonl (" in str(mistaken.judgement_instead(scores))
    assert mistaken.judgement_instead(line._replace(unknown={"receipt": 1})) is None
    assert mistaken.judgement_instead(line._replace(format="claude-code")) is None
    stdin = Submission(output=text, source=None, format="text")
    assert "<stdin>: " in str(mistaken.judgement_instead(stdin)) and "verify FILE" in str(
        mistaken.judgement_instead(stdin)
    )


def test_a_text_of_more_than_a_mebibyte_is_not_examined():
    document = json.dumps(judgement(note="x"))
    padded = document[:-1] + " " * (1024 * 1024 - len(document)) + "}"
    assert len(padded) == 1024 * 1024
    assert mistaken.judgement_instead(Submission(output=padded, source="a", format="text")) is not None
    assert mistaken.judgement_instead(Submission(output=padded + " ", source="a", format="text")) is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.md", "The loop never ends.", "this looks like an output; judge it first: evenhand judge a.md"),
        ("a.yaml", "The loop never ends.", None),
        ("a.md", "", None),
        ("a.md", "scores:\n  safety: [\n", None),
        (
            "run.jsonl",
            '{"role": "user", "content": "Hi."}\n{"role": "assistant", "content": "Hello."}\n',
            "evenhand judge run.jsonl",
        ),
    ],
)
def test_an_output_where_a_judgement_is_expected_is_reported(name, text, message):
    Path(name).write_text(text)
    error = InputError("wrong")
    made = mistaken.output_instead(name, error)
    assert (made is error) == (message is None)
    assert message is None or message in str(made)
    assert mistaken.output_instead(name, error, {"scores": {}}) is error


def test_a_folder_and_standard_input_are_reported_too():
    error = InputError("wrong")
    Path("folder").mkdir()
    assert "folder: is a directory; name a file, or judge the outputs in it first" in str(
        mistaken.output_instead("folder", error)
    )
    assert "evenhand judge FILE" in str(mistaken.output_instead("-", error, "A text."))
    assert mistaken.output_instead("-", error, {"x": 1}) is error


# --- places of remarks


def test_a_remark_keeps_its_place_only_if_the_file_confirms_it():
    """The quote starts on its line, white space folded; another line, another file or another text has no place."""
    Path("work.md").write_text("The loop  never ends.\nAll tests were run.\n")
    quotes = [{"quote": "The loop never ends."}, {"quote": "All tests were run."}]

    def places(output: str = "work.md") -> list:
        scores = seven(8) | {"safety": {"score": 4, "evidence": [quote["quote"] for quote in quotes]}}
        made = evenhand.score(judgement() | {"scores": scores, "output": output})
        return [remark.place for remark in located_remarks([made]) if remark.place is not None]

    found = places()
    assert all(place.file == "work.md" and place.line in (1, 2) for place in found)
    made = evenhand.score(judgement() | {"scores": seven(4), "output": "work.md"})
    Path("work.md").write_text("Something else.\n")
    assert [remark.place for remark in located_remarks([made]) if remark.quote] == []


# --- memory


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2GB", 2_000_000_000),
        ("500 MB", 500_000_000),
        ("1.5GiB", 1_610_612_736),
        ("1tb", 10**12),
        ("100000000", 100_000_000),
        ("100000KB", 100_000_000),
        (" 200m ", 200_000_000),
        ("0.5Gi", 536_870_912),
    ],
)
def test_an_amount_of_memory_is_read_as_people_write_it(text, amount):
    assert memory_bytes(text) == amount


@pytest.mark.parametrize("text", ["99MB", "99999999", "1"])
def test_less_than_100_megabytes_are_too_little(text):
    with pytest.raises(InputError, match="is too little; give 100MB or more"):
        memory_bytes(text)


@pytest.mark.parametrize("text", ["much", "-2GB", "2PB", "", "2 G B", "٢GB"])
def test_rejects_what_is_not_an_amount_of_memory(text):
    with pytest.raises(InputError, match="is not an amount of memory; write it like 2GB or 500MB"):
        memory_bytes(text)
