"""Expectations: what a case says must be so is met, unmet, or cannot be told."""

from __future__ import annotations

import json
import shutil
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import flat_calls
from check_subjects import call
from evenhand.core.finding import Expected, Finding, Place
from evenhand.core.receipt import expected_document, finding_document
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.findings.expectations.decisions import Surroundings, decide, decide_cost
from evenhand.findings.expectations.expectation import Rates
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.judging.program import read_expectations
from evenhand.runs.confinement import way
from evenhand.transcripts import read
from evenhand.work.submission import Event, Submission, Usage
from every_case import every_case


def result(expectation: Any, output: str = "", *events: Event, **more: Any) -> str:
    """What becomes of one expectation."""
    surroundings = Surroundings(more.pop("folder", None), more.pop("run_commands", False))
    (decided,) = decide(
        expectations_from([expectation]), Submission(output=output, events=events, **more), surroundings
    )
    return decided.result


@every_case(
    ("expectation", "output", "expected"),
    [
        ({"equals": "Paris"}, "Paris\n", "met"),
        ({"equals": "Paris"}, "paris", "unmet"),
        ({"equals": "Paris"}, "It is in France.\nFinal answer: Paris", "met"),
        ({"is": "the Eiffel Tower"}, " eiffel  tower. ", "met"),
        ({"is": "Paris"}, "I considered Lyon.\n\n**Answer:** Paris", "met"),
        ({"is": "Paris"}, "Not Paris", "unmet"),
        ({"is": "A"}, "a.", "met"),  # a letter, not an article
        ({"is": "A"}, "B", "unmet"),
        ({"one_of": ["A", "B"]}, "Answer: C", "unmet"),
        ({"is": "Paris"}, "", "unmet"),
        ({"one_of": ["Paris", "Paris, France"]}, "Paris, France", "met"),
        ({"one_of": ["Paris"]}, "Lyon", "unmet"),
        ({"number": 42}, "42", "met"),
        ({"number": -5, "unit": "km"}, "Answer: -5 km", "met"),
        ({"number": 5, "unit": "km"}, "Answer: -5 km", "unmet"),
        ({"number": "3.14", "tolerance": "0.01"}, "about 3.15", "met"),
        ({"number": "3.14", "tolerance": "0.01"}, "about 3.1501", "unmet"),
        ({"number": 1234567}, "1,234,567", "met"),
        ({"number": 7}, "In 2019 there were 7 of them.", "undecided"),
        ({"number": 7, "unit": "m"}, "In 2019 it was 7 m long.", "met"),
        ({"number": 7, "unit": "m"}, "It was 7 miles.", "unmet"),
        ({"number": 7}, "No idea.", "unmet"),
        ({"matches": r"^Total: \d+$"}, "Total: 12", "met"),
        ({"matches": r"^Total: \d+$"}, "Total: a lot", "unmet"),
        ({"json": {"a": 1, "b": [2]}}, '{"b": [2.0], "a": "1"}', "met"),
        ({"json": {"a": 1}}, '{"a": 1, "b": 2}', "unmet"),
        ({"json_contains": {"a": 1}}, 'Here:\n```json\n{"a": 1, "b": 2}\n```', "met"),
        ({"json_contains": {"a": 1}}, "not json", "unmet"),
        ({"json": {"a": 1}, "strict": True}, '{"a": 1.0}', "met"),
        ({"json": {"a": 1}, "strict": True}, '{"a": "1"}', "unmet"),
        ({"json": {"a": 1}, "strict": True}, '```json\n{"a": 1}\n```', "unmet"),
        ({"json_schema": {"required": ["a"]}}, '{"a": 1}', "met"),
        ({"json_schema": {"required": ["a"]}}, "{}", "unmet"),
        ({"json_schema": {"type": 5}}, "{}", "undecided"),
        ({"contains": ["one", "two"]}, "two and one", "met"),
        ({"contains": ["one", "two"]}, "one only", "unmet"),
        ({"lacks": "TODO"}, "all done", "met"),
        ({"lacks": "TODO"}, "TODO: rest", "unmet"),
    ],
)
def test_an_answer_is_compared_as_the_case_says(expectation, output, expected):
    """Exactly, folded, by number with unit and tolerance, as JSON, by what it contains."""
    assert result({"answer": expectation}, output) == expected


CANCEL = call("cancel_order", {"order_id": "W1", "reason": "no longer needed"}, "ok", line=7)
REFUND = call("refund", {"amount": 10}, "ok", line=9)
LOOK = call("get_order_details", {"order_id": "W1"}, "...", line=5)
FAILED = call("cancel_order", {"order_id": "W2"}, "Error: order not found", line=6)
WANTED = {"name": "cancel_order", "arguments": {"order_id": "W1", "reason": "no longer needed"}}


@pytest.mark.parametrize(
    ("expectation", "events", "expected"),
    [
        ({"made": "cancel_order"}, [LOOK, CANCEL], "met"),
        ({"made": {"name": "cancel_order", "arguments": {"order_id": "W1"}}}, [CANCEL], "met"),
        ({"made": {"name": "cancel_order", "arguments": {"order_id": "W9"}}}, [CANCEL], "unmet"),
        ({"made": "cancel_order"}, [FAILED], "unmet"),  # what failed changed nothing
        ({"not_made": "refund"}, [CANCEL], "met"),
        ({"not_made": "refund"}, [CANCEL, REFUND], "unmet"),
        ({"in_order": ["get_order_details", "cancel_order"]}, [LOOK, CANCEL], "met"),
        ({"in_order": ["cancel_order", "get_order_details"]}, [LOOK, CANCEL], "unmet"),
        ({"exactly": [WANTED]}, [LOOK, CANCEL], "met"),
        ({"exactly": [WANTED]}, [LOOK, FAILED, CANCEL], "met"),
        ({"exactly": [WANTED]}, [LOOK], "unmet"),
        ({"exactly": [WANTED]}, [CANCEL, REFUND], "unmet"),
        ({"exactly": [WANTED]}, [CANCEL, CANCEL], "unmet"),
        ({"exactly": [WANTED], "tools": ["cancel_order"]}, [CANCEL, REFUND], "met"),
        ({"exactly": []}, [LOOK, call("calculate", {"expression": "1"}), call("think", {"thought": "x"})], "met"),
        ({"exactly": []}, [REFUND], "unmet"),
        ({"made": "cancel_order"}, [], "undecided"),
    ],
)
def test_calls_are_compared_by_name_and_arguments(expectation, events, expected):
    """A subset of the arguments for made calls, all of them where exactly these calls are expected."""
    assert result({"calls": expectation}, "Done.", *events) == expected


def test_an_unmet_call_shows_the_call_that_is_one_too_many():
    """With its place in the transcript."""
    submission = Submission(output="Done.", events=(CANCEL, REFUND))
    (decided,) = decide(expectations_from([{"calls": {"exactly": [WANTED]}}]), submission)
    assert decided.message == 'an extra call was made: refund({"amount": 10})'
    assert decided.place == Place("session.jsonl", 9)


def test_files_are_looked_at_in_the_workspace(tmp_path):
    """Existence, content, hash; outside of it and without one nothing is decided."""
    (tmp_path / "out.csv").write_text("a,b\n1,2\n")
    for expectation, expected in [
        ({"path": "out.csv", "exists": True}, "met"),
        ({"path": "gone.csv", "exists": True}, "unmet"),
        ({"path": "gone.csv", "exists": False}, "met"),
        ({"path": "out.csv", "contains": "1,2"}, "met"),
        ({"path": "out.csv", "lacks": "1,2"}, "unmet"),
        ({"path": "gone.csv", "contains": "1"}, "unmet"),
        ({"path": "../x", "exists": True}, "undecided"),
        ({"path": "out.csv", "sha256": "0" * 64}, "unmet"),
    ]:
        assert result({"file": expectation}, "Done.", folder=tmp_path) == expected, expectation
    assert result({"file": {"path": "out.csv", "exists": True}}, "Done.") == "undecided"


def test_a_file_follows_its_schema(tmp_path):
    """JSON Schema, read from the workspace."""
    pytest.importorskip("jsonschema")
    (tmp_path / "schema.json").write_text(json.dumps({"type": "object", "required": ["a"]}))
    (tmp_path / "good.json").write_text('{"a": 1}')
    (tmp_path / "bad.json").write_text("{}")
    for name, expected in [("good.json", "met"), ("bad.json", "unmet")]:
        assert result({"file": {"path": name, "json_schema": "schema.json"}}, "", folder=tmp_path) == expected


def test_an_unchanged_file_is_told_from_the_transcript():
    """By what was written in it."""
    edit = call("Edit", {"file_path": "tests/test_a.py", "old_string": "a", "new_string": "b"})
    for path, expected in [("tests/test_a.py", "unmet"), ("src/b.py", "met")]:
        assert result({"file": {"path": path, "unchanged": True}}, "Done.", edit) == expected
    assert result({"file": {"path": "a", "unchanged": True}}, "Done.") == "undecided"


def test_a_command_runs_only_when_asked_for(tmp_path):
    """In the workspace, without a shell, and its exit code and output decide."""
    touch = {"command": {"run": ["touch", "made"]}}
    assert result(touch, folder=tmp_path) == "undecided"
    assert not (tmp_path / "made").exists()
    assert result(touch, folder=tmp_path, run_commands=True) == "met"
    assert (tmp_path / "made").exists()
    assert result({"command": {"run": ["false"]}}, folder=tmp_path, run_commands=True) == "unmet"
    assert result({"command": {"run": ["false"], "exit_code": 1}}, folder=tmp_path, run_commands=True) == "met"
    echo = {"run": ["echo", "$HOME; x"], "contains": "$HOME; x"}
    assert result({"command": echo}, folder=tmp_path, run_commands=True) == "met"
    shell = {"run": "echo $((1+1))", "shell": True, "contains": "2"}
    assert result({"command": shell}, folder=tmp_path, run_commands=True) == "met"
    gone = {"command": {"run": ["no-such-command-here"]}}
    assert result(gone, folder=tmp_path, run_commands=True) == "undecided"


def test_a_command_that_hangs_is_stopped_with_its_children(tmp_path):
    """It counts as unmet: the case gave it a time."""
    hangs = {"command": {"run": "sleep 60 & sleep 60", "shell": True, "seconds": "0.2"}}
    assert result(hangs, folder=tmp_path, run_commands=True) == "unmet"


def test_limits_count_what_the_submission_says():
    """Turns, tokens and seconds; what it does not say cannot be decided."""
    turn = Event("message", "assistant", "hello", Place("s", 1))
    times = {"started": "2026-01-01T00:00:00Z", "ended": "2026-01-01T00:01:00Z"}
    assert result({"limit": {"turns": 2}}, "x", turn, turn) == "met"
    assert result({"limit": {"turns": 1}}, "x", turn, turn) == "unmet"
    assert result({"limit": {"calls": 1}}, "x", turn, LOOK) == "met"
    assert result({"limit": {"calls": 0}}, "x", turn, LOOK) == "unmet"
    assert result({"limit": {"calls": 0}}, "x") == "undecided"
    assert result({"limit": {"tokens": 10}}, "x", usage=Usage(6, 5)) == "unmet"
    assert result({"limit": {"tokens": 11}}, "x", usage=Usage(6, 5)) == "met"
    assert result({"limit": {"seconds": 60}}, "x", **times) == "met"
    assert result({"limit": {"seconds": 59}}, "x", **times) == "unmet"
    assert result({"limit": {"cost": 1}}, "x") == "undecided"


def test_a_stated_cost_decides_a_limit_of_money():
    """The limit itself is allowed."""
    assert result({"limit": {"cost": 0.05}}, "x", cost=Decimal("0.05")) == "met"
    assert result({"limit": {"cost": 0.05}}, "x", cost=Decimal("0.0501")) == "unmet"


def test_tokens_with_a_known_price_decide_it_unless_the_limit_is_inside_the_range():
    """1,000 read at $2, of them 400 cached, and 100 written at $10 a million; what a cached token costs is not known.

    At least 600 * 2 + 100 * 10 = 2,200, at most 600 * 2.5 + 400 * 2 + 100 * 10 = 3,300 millionths.
    """
    submission = Submission(output="x", usage=Usage(1_000, 100, 400), models=("m",))
    rates = {"m": Rates(Decimal(2), Decimal(10))}
    bounds = ("0.002199", "0.0022", "0.003299", "0.0033")
    verdicts = [decide_cost(Decimal(limit), submission, rates) for limit in bounds]
    assert [verdict.met for verdict in verdicts] == [False, None, None, True]
    assert "between $0.0022 and $0.0033" in verdicts[0].message
    exact = {"m": Rates(Decimal(2), Decimal(10), Decimal(1), Decimal(2))}
    assert "it cost $0.0026," in decide_cost(Decimal(1), submission, exact).message  # 1,200 + 400 + 1,000


@pytest.mark.parametrize(
    ("submission", "reason"),
    [
        (Submission(output="x"), "neither what it cost nor how many tokens"),
        (Submission(output="x", usage=Usage(1, 1)), "names no model"),
        (Submission(output="x", usage=Usage(1, 1), models=("a", "b")), "names 2 models"),
        (Submission(output="x", usage=Usage(1, 1), models=("a",)), "the price of a is not in evenhand.toml"),
    ],
)
def test_a_cost_that_nobody_knows_is_undecided_with_the_reason(submission, reason):
    """And is never taken for zero."""
    verdict = decide_cost(Decimal(1), submission, {"m": Rates(Decimal(1), Decimal(1))})
    assert verdict.met is None and reason in verdict.message


def test_prices_come_from_the_settings(tmp_path, monkeypatch):
    """By model, also of providers that are not asked."""
    monkeypatch.chdir(tmp_path)
    text = '[judges.openai.prices."gpt-4o"]\ninput = 2.5\noutput = 10\n'
    (tmp_path / "evenhand.toml").write_text(text)
    submission = Submission(output="The answer is 4.", usage=Usage(1_000_000, 0), models=("gpt-4o",))
    card = flat_calls.judge(submission, expect=[{"limit": {"cost": 2}}])
    assert card.checked is not None
    assert [(made.result, made.message[:60]) for made in card.checked.expectations] == [
        ("unmet", "by its tokens and the price of gpt-4o it cost between $2.5 a")
    ]


@pytest.mark.parametrize(
    ("file", "cost"),
    [
        ("mini-swe-agent/gruckion_mini-swe-agent__django__django-16255.traj.json", "0.08934840000000001"),
        ("swe-agent/SWE-agent_SWE-agent__pydicom__pydicom-1458.traj", "1.26719"),
        ("swe-agent/SWE-agent_SWE-agent__function_calling__marshmallow-1867.traj", None),
    ],
)
def test_real_transcripts_state_their_cost(file, cost):
    """Zero is what is written when the price was not known."""
    path = Path(__file__).parents[2].parent / "shared/data/transcripts" / file
    if not path.exists():
        pytest.skip("the real transcripts are not here")
    (submission,) = read(str(path), None)
    assert submission.cost == (None if cost is None else Decimal(cost))


def test_several_rules_about_one_thing_are_several_expectations():
    """Each with its own result."""
    made = expectations_from([{"answer": {"contains": "a", "lacks": "b"}}])
    assert [expectation.rule for expectation in made] == ["contains", "lacks"]


def test_every_mistake_in_a_file_has_its_line(tmp_path):
    """And says what is valid."""
    file = tmp_path / "expect.yaml"
    file.write_text(
        "- answr: {equals: x}\n- answer: {matchs: x}\n- answer: {matches: '('}\n"
        "- limit: {turns: many}\n- calls: {made: 3}\n- answer: x\n  severity: huge\n"
    )
    with pytest.raises(InputError) as raised:
        read_expectations(file)
    lines = [str(problem).removeprefix(f"{file}:") for problem in raised.value.problems]
    assert [line.split(":")[0] for line in lines] == ["1", "2", "2", "3", "4", "5", "7"]
    assert "did you mean matches?" in lines[1]
    assert "valid: minor, major, critical" in lines[-1]


@pytest.mark.parametrize("text", ["[]", "{}", "null", "3", "answer: x\nanswer2: y\n"])
def test_a_file_that_states_nothing_is_refused(tmp_path, text):
    """Rather than everything being met."""
    file = tmp_path / "expect.yaml"
    file.write_text(text)
    with pytest.raises(InputError):
        read_expectations(file)


def test_the_sentences_of_evals_json_need_a_reader(tmp_path):
    """One eval of several is named behind the file."""
    file = tmp_path / "evals.json"
    evals = [{"id": 1, "prompt": "p", "expectations": ["It is short."]}, {"id": 2, "expectations": ["It is long."]}]
    file.write_text(json.dumps({"skill_name": "s", "evals": evals}))
    (expectation,) = read_expectations(f"{file}#2")
    assert expectation.words == "It is long."
    assert decide([expectation], Submission(output="x"))[0].result == "undecided"
    with pytest.raises(InputError, match="FILE#ID"):
        read_expectations(file)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"passed": True, "evidence": 'It says "the cache is flushed on exit".'}, "met"),
        ({"passed": True, "evidence": "the cache is flushed"}, "met"),
        ({"passed": True, "evidence": 'It says "the cache is never flushed".'}, "undecided"),
        ({"passed": True, "evidence": ""}, "undecided"),
        ({"passed": False, "evidence": "nothing about it"}, "unmet"),
        ({"evidence": "x"}, "undecided"),
    ],
)
def test_a_graders_evidence_is_looked_up(tmp_path, row, expected):
    """A passed expectation counts only when what it quotes is in the output."""
    file = tmp_path / "grading.json"
    file.write_text(json.dumps({"expectations": [{"text": "Explains flushing.", **row}]}))
    decided = decide(read_expectations(file), Submission(output="Note that the cache is flushed on exit."))
    assert decided[0].result == expected


def test_an_expectation_comes_with_a_submission(evenhand_command, tmp_path: Path):
    """In the key `expect` of a line; a mistake in it is that line's error."""
    rows = [
        {"id": "a", "output": "42", "expect": [{"answer": {"number": 42}}]},
        {"id": "b", "output": "41", "expect": [{"answer": {"number": 42}}]},
        {"id": "c", "output": "41", "expect": [{"answr": {"number": 42}}]},
    ]
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = evenhand_command("judge", "runs.jsonl", "--format", "jsonl", "--store", "none", "--no-fault", "major")
    assert done.code == 1  # red, whatever else there is
    assert "runs.jsonl:3: expect[0]: an expectation is about exactly one of" in done.err
    cards = [json.loads(line) for line in done.out.splitlines()]
    assert [card["expectations"][0]["result"] for card in cards] == ["met", "unmet"]
    assert cards[1]["bounds"]["correctness"]["at_most"] == 6


EXPECT = [{"answer": {"number": 42}}, {"answer": {"contains": "cats"}}, {"answer": {"contains": "dogs"}}, "Is kind."]


def test_results_come_back_as_skill_creator_s_grading(evenhand_command, tmp_path: Path):
    """Only what could be decided passes or fails, with its quote; the rest is listed as uncertain. 1 of 3 is 0.3333."""
    rows = [{"id": "a", "output": "42", "expect": EXPECT}, {"id": "b", "output": "42", "expect": ["Is kind."]}]
    for row in rows:
        (tmp_path / f"{row['id']}.jsonl").write_text(json.dumps(row))
    done = evenhand_command("judge", "a.jsonl", "--format", "grading", "--store", "none")
    grading = json.loads(done.out)
    assert grading == {
        "expectations": [
            {"text": "answer number 42", "passed": True, "evidence": 'the answer is 42: "42"'},
            {"text": "answer contains cats", "passed": False, "evidence": 'the output does not contain "cats"'},
            {"text": "answer contains dogs", "passed": False, "evidence": 'the output does not contain "dogs"'},
        ],
        "summary": {"passed": 1, "failed": 2, "total": 3, "pass_rate": 0.3333},
        "generator": "evenhand",
        "user_notes_summary": {
            "uncertainties": ["Is kind: only a reader can decide it"],
            "needs_review": [],
            "workarounds": [],
        },
    }
    done = evenhand_command("judge", "a.jsonl", "b.jsonl", "--format", "grading", "--store", "none")
    first, second = json.loads(done.out)  # one list, as with `--format json`
    assert first == grading
    assert second["expectations"] == []
    assert second["summary"] == {"passed": 0, "failed": 0, "total": 0, "pass_rate": 0.0}
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = evenhand_command("judge", "both.jsonl", "--format", "grading", "--store", "none")
    assert json.loads(done.out) == [first, second]


@pytest.mark.parametrize("place", [None, Place("run.jsonl"), Place("run.jsonl", 7)])
def test_a_finding_and_an_expectation_come_back_with_the_place_of_their_quote(place: Place | None):
    """In the output, in a transcript's file, and on a line of it."""
    finding = Finding("last-error", "correctness", "major", "It failed.", "boom", place, verified=True)
    assert codec.read(Finding, finding_document(finding)) == finding
    expected = Expected("no errors", "unmet", "correctness", "major", "There was one.", "boom", place)
    assert codec.read(Expected, expected_document(expected)) == expected


SCRIPTS = [
    ({"javascript": "output.length > 3"}, "four", "met"),
    ({"javascript": "output.length > 3"}, "two", "unmet"),
    ({"javascript": "output.length > 3", "negated": True}, "two", "met"),
    ({"javascript": "const n = ';'; n === output"}, ";", "met"),
    ({"javascript": "const n = output.length;\nreturn {pass: n > 3, score: 0};"}, "four", "met"),
    ({"javascript": "1 / (output.length + 1)"}, "x", "met"),
    ({"javascript": "0.5", "threshold": 0.5}, "x", "met"),
    ({"javascript": "0.5", "threshold": 0.51}, "x", "unmet"),
    ({"javascript": "output === context.vars.word", "vars": {"word": "a"}}, "a", "met"),
    ({"javascript": "Promise.resolve(true)"}, "x", "met"),
    ({"javascript": "missing.name"}, "x", "unmet"),
    ({"javascript": "missing.name", "negated": True}, "x", "unmet"),
    ({"javascript": "'yes'"}, "x", "unmet"),
    ({"python": "len(output) > 3"}, "four", "met"),
    ({"python": "len(output) > 3"}, "two", "unmet"),
    ({"python": "if output == 'x':\n    return 0.4\nreturn 0", "threshold": 0.4}, "x", "met"),
    ({"python": "if output == 'x':\n    return 0.4\nreturn 0", "threshold": 0.4}, "y", "unmet"),
    ({"python": "{'pass': True, 'score': 0.3}", "threshold": 0.4}, "x", "unmet"),
    ({"python": "{'pass': True, 'score': 0.4}", "threshold": 0.4}, "x", "met"),
    ({"python": "context['vars']['n'] + 1 == 3", "vars": {"n": 2}}, "x", "met"),
    ({"python": "1 / 0"}, "x", "unmet"),
    ({"python": "print(output) or True"}, "x", "met"),
    ({"python": "None"}, "x", "unmet"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("script", "output", "expected"), SCRIPTS)
def test_a_script_decides_as_in_promptfoo(script, output, expected):
    """True, a number above 0 or from the threshold on, or an object that passes; an error never passes."""
    if "javascript" in script and shutil.which("node") is None:
        pytest.skip("node is not installed")
    assert result({"script": script}, output, run_commands=True) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        {"javascript": "context.prompt === 'Say a.' && context.config.most === 2", "config": {"most": 2}},
        {"javascript": "context.config === undefined && context.test.vars.n === 1", "vars": {"n": 1}},
        {"python": "context['test']['metadata']['level'] == 2", "test": {"metadata": {"level": 2}}},
        {"python": "context['prompt'] == 'Say a.' and 'config' not in context"},
    ],
)
def test_a_script_is_told_what_promptfoo_tells_it(script):
    """The prompt is the task; the test has its variables."""
    if "javascript" in script and shutil.which("node") is None:
        pytest.skip("node is not installed")
    assert result({"script": script}, "a", task="Say a.", run_commands=True) == "met"


A, B = {"answer": {"contains": "a"}}, {"answer": {"contains": "b"}}
UNKNOWN = {"limit": {"cost": 1}}


@pytest.mark.parametrize(
    ("share", "output", "expected"),
    [
        ({"at_least": 0.5, "of": [A, B]}, "a", "met"),
        ({"at_least": 0.51, "of": [A, B]}, "a", "unmet"),
        ({"at_least": 0.75, "of": [A, B], "weights": [3, 1]}, "a", "met"),  # 3 of 4
        ({"at_least": 0.75, "of": [A, B], "weights": [1, 3]}, "a", "unmet"),  # 1 of 4
        ({"at_least": 0.5, "of": [A, UNKNOWN]}, "a", "met"),  # whatever it cost
        ({"at_least": 0.6, "of": [A, UNKNOWN]}, "a", "undecided"),
        ({"at_least": 0.6, "of": [A, UNKNOWN]}, "x", "unmet"),
        ({"at_least": 1, "of": [{"answer": {"contains": "a", "lacks": "b"}}]}, "a b", "unmet"),  # both rules of one
    ],
)
def test_a_share_of_several_expectations_by_weight(share, output, expected):
    """Undecided only where the undecided ones would decide."""
    assert result({"share": share}, output) == expected


@pytest.mark.parametrize(
    "share",
    [
        {"of": [A]},
        {"at_least": 0, "of": [A]},
        {"at_least": 1.1, "of": [A]},
        {"at_least": "half", "of": [A]},
        {"at_least": 0.5, "of": []},
        {"at_least": 0.5, "of": A},
        {"at_least": 0.5, "of": [A], "weights": [1, 2]},
        {"at_least": 0.5, "of": [A], "weights": [0]},
        {"at_least": 0.5, "of": ["is polite", A]},
        {"at_least": 0.5, "of": [{"answer": {"matches": "("}}]},
    ],
)
def test_rejects_a_share_that_is_not_one(share):
    with pytest.raises(InputError):
        expectations_from([{"share": share}])


def test_a_script_runs_only_when_asked(tmp_path: Path):
    """Like a command."""
    script = {"python": f"open({str(tmp_path / 'ran')!r}, 'w') and True"}
    assert result({"script": script}, "x") == "undecided"
    assert not (tmp_path / "ran").exists()


def test_a_script_does_not_run_what_an_agent_left_in_its_workspace(tmp_path: Path):
    """A json.py that ends at once with exit code 0 would pass everything."""
    (tmp_path / "json.py").write_text("import os\nos._exit(0)\n")
    expectations = expectations_from([{"script": {"python": "False"}}])
    (decided,) = decide(expectations, Submission("x"), Surroundings(tmp_path, run_commands=True))
    assert decided.result == "unmet"


@pytest.mark.slow
@pytest.mark.skipif(way() == "none", reason="nothing confines here, so scripts are not confined")
@pytest.mark.parametrize(
    "language",
    [pytest.param("javascript", marks=pytest.mark.skipif(not shutil.which("node"), reason="no node")), "python"],
)
def test_a_script_reads_and_writes_only_in_a_folder_of_its_own(language, tmp_path: Path):
    """It is often someone else's, and needs nothing but the output."""
    secret, mark = tmp_path / "secret", tmp_path / "mark"
    secret.write_text("s")
    actions = {
        "javascript": [f"require('fs').readFileSync('{secret}')", f"require('fs').writeFileSync('{mark}', 'm')"],
        "python": [f"open('{secret}').read()", f"open('{mark}', 'w').write('m')"],
    }
    for action in actions[language]:
        assert result({"script": {language: f"({action}, true)" if language == "javascript" else action}}, "x") != "met"
        done = {"javascript": f"({action}, true)", "python": f"bool({action}) or True"}[language]
        assert result({"script": {language: done}}, "x", run_commands=True) == "unmet"
    assert not mark.exists()
    here = {"javascript": "(require('fs').writeFileSync('m', 'm'), true)", "python": "open('m', 'w').write('m') == 1"}
    assert result({"script": {language: here[language]}}, "x", run_commands=True) == "met"


def test_commands_and_scripts_get_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A command may run what an agent wrote. It gets the keys that its expectation lists, and everything else."""
    monkeypatch.setenv("SOME_API_KEY", "k" * 20)
    monkeypatch.setenv("OTHER_TOKEN", "t" * 20)
    monkeypatch.setenv("BUILD_MODE", "fast")
    run = [sys.executable, "-c", "import os; print(sorted(n for n in os.environ if n[:4] in ('SOME', 'OTHE', 'BUIL')))"]

    def prints(text: str, **more: object) -> bool:
        (decided,) = decide(
            expectations_from([{"command": {"run": run, "contains": text, **more}}]),
            Submission("x"),
            Surroundings(tmp_path, run_commands=True),
        )
        return decided.result == "met"

    assert prints("['BUILD_MODE']")
    assert prints("['BUILD_MODE', 'SOME_API_KEY']", environment=["SOME_API_KEY"])
    none = {"python": "not any('KEY' in n or 'TOKEN' in n for n in __import__('os').environ)"}
    assert result({"script": none}, "x", run_commands=True) == "met"
    with pytest.raises(InputError, match="a list of names"):
        expectations_from([{"command": {"run": run, "environment": "SOME_API_KEY"}}])


def test_a_script_that_does_not_end_is_stopped():
    """Within its own limit."""
    script = {"python": "__import__('time').sleep(60)", "seconds": 0.2}
    assert result({"script": script}, "x", run_commands=True) == "unmet"


@pytest.mark.parametrize("script", [{"python": 5}, {"python": "1", "negated": "no"}, {"python": "1", "vars": [1]}, {}])
def test_rejects_a_script_that_is_not_one(script):
    """Before anything runs."""
    with pytest.raises(InputError):
        expectations_from([{"script": script}])
