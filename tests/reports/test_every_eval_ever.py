"""--format every-eval-ever: a skill's scores in the exchange format, held against its published schema."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import ROOT, Ran, judged, seven

from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Event, Place, Submission, ToolCall, Usage
from evenhand.errors import InputError
from evenhand.reports.exchange.evaluator import evaluator
from evenhand.reports.exchange.every_eval_ever import SCHEMA_VERSION, every_eval_ever_document
from evenhand.reports.exchange.every_eval_ever_instances import Judged, instance_lines, reference_to
from evenhand.reports.exchange.otlp import otlp_document

INSTANCE = json.loads(
    (ROOT / "tests/fixtures/every_eval_ever/instance_level_eval.schema.json").read_text(encoding="utf-8")
)
SCHEMA = json.loads((ROOT / "tests/fixtures/every_eval_ever/eval.schema.json").read_text(encoding="utf-8"))
TOKEN = "ghp_" + "Zq8Lr2Xw5Vt1Bn7Md4Kc9Hj3Fs6Gp0Ay" + "QeRt"
MODEL = {"name": "openai:m", "provider": "openai", "model": "m", "prompt": "ab" * 32}


def document(*cards: Scorecard) -> dict[str, Any]:
    made = every_eval_ever_document(cards, moment=1767225600)
    jsonschema.validate(made, SCHEMA)
    return made


def test_the_version_is_that_of_the_schema():
    assert SCHEMA["version"] == INSTANCE["version"] == SCHEMA_VERSION


def test_means_with_their_uncertainty_the_final_score_first():
    """7 and 8: mean 7.5, deviation sqrt(0.5), standard error sqrt(0.5) / sqrt(2) = 0.5."""
    made = document(judged(seven(7)), judged(seven(8)))
    assert made["evaluation_id"] == "made/unnamed/1767225600"
    final, *dimensions = made["evaluation_results"]
    assert final["score_details"] == {
        "score": 7.5,
        "details": {"without_a_score": "0"},
        "uncertainty": {
            "num_samples": 2,
            "standard_deviation": math.sqrt(0.5),
            "standard_error": {"value": pytest.approx(0.5), "method": "analytic"},
        },
    }
    assert [result["metric_config"]["metric_name"] for result in dimensions] == list(seven(7))
    assert "llm_scoring" not in final["metric_config"]


def test_one_score_has_no_deviation_and_what_has_none_is_counted():
    """Never a zero: the mean is that of the scored ones."""
    made = document(judged(seven(9)), judged(seven(9) | {"safety": {"unscored": "cut off"}}))
    details = made["evaluation_results"][0]["score_details"]
    assert details == {"score": 9.0, "details": {"without_a_score": "1"}, "uncertainty": {"num_samples": 1}}


def test_a_model_judge_is_named_with_its_prompt_and_the_rubric_with_its_hash():
    card = judged(seven(7))._replace(judge=MODEL)
    metric = document(card)["evaluation_results"][0]["metric_config"]
    assert metric["llm_scoring"]["judges"][0]["model_info"]["id"] == "openai:m"
    assert metric["llm_scoring"]["input_prompt"] == f"sha256 {'ab' * 32}"
    assert metric["additional_details"]["rubric_sha256"] == card.receipt.rubric
    panel = {"name": "panel", "judges": "openai:m + anthropic:n", "identities": "c0ffee"}
    scoring = document(card._replace(judge=panel))["evaluation_results"][0]["metric_config"]["llm_scoring"]
    assert (len(scoring["judges"]), scoring["aggregation_method"]) == (2, "median")


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([], "nothing to export"),
        ([judged(seven(9) | {"safety": {"unscored": "cut off"}})], "nothing to export"),
        ([judged(seven(7)), judged(seven(7))._replace(skill="other")], "one skill under one rubric by one judge"),
        ([judged(seven(7)), judged(seven(7))._replace(judge=MODEL)], "one skill under one rubric by one judge"),
    ],
)
def test_what_is_not_one_evaluation_is_refused(cards: list[Scorecard], message: str):
    with pytest.raises(InputError, match=message):
        every_eval_ever_document(cards, moment=0)


@pytest.mark.parametrize(
    ("judge", "kind", "version"),
    [
        ({"name": "human:ana"}, "human", ""),
        ({"name": "agent:codex"}, "agent", ""),
        ({"name": "checks", "version": "3"}, "checks", "3"),
        (MODEL, "model", "ab" * 32),
        ({"name": "panel", "judges": "a + b", "identities": "c0ffee"}, "panel", "c0ffee"),
        ({"name": "someone"}, "unknown", ""),
    ],
)
def test_an_evaluator_has_kind_and_version_also_in_opentelemetry(judge: dict[str, str], kind: str, version: str):
    assert evaluator(judge) == (judge["name"], kind, version)
    card = judged(seven(7))._replace(judge=judge)
    (record, *_) = otlp_document([card])["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    sent = {row["key"]: row["value"].get("stringValue") for row in record["attributes"]}
    assert [sent[f"evenhand.evaluator.{name}"] for name in ("id", "type", "version")] == [judge["name"], kind, version]
    assert (sent["evenhand.rubric.sha256"], sent["evenhand.methodology"]) == (card.receipt.rubric, "1")


def test_commands_write_one_document(evenhand_command: Callable[..., Ran], tmp_path: Path):
    """score and judge; an error and exit code 2 where there is nothing to export."""
    review = str(ROOT / "examples" / "review.yaml")
    done = evenhand_command("score", review, "--store", "none", "--format", "every-eval-ever")
    made = json.loads(done.out)
    jsonschema.validate(made, SCHEMA)
    assert (done.code, made["evaluation_results"][0]["score_details"]["score"]) == (0, 7.8)
    unread = evenhand_command("judge", "-", "--store", "none", "--format", "every-eval-ever", stdin="Cats sleep a lot.")
    assert (unread.code, unread.out) == (2, "") and "nothing to export" in unread.err


# --- the instance level


def instances(*judged: Judged) -> list[dict[str, Any]]:
    """The lines of some outputs, each held against the schema."""
    made = document(*(card for card, _ in judged))
    rows = [json.loads(line) for line in instance_lines(made, judged, lambda text: text.replace("s3cret", "***"))]
    for row in rows:
        jsonschema.validate(row, INSTANCE)
        assert (row["evaluation_id"], row["model_id"]) == (made["evaluation_id"], made["model_info"]["id"])
    known = {result["evaluation_result_id"] for result in made["evaluation_results"]}
    assert {row["evaluation_result_id"] for row in rows} == known
    return rows


def test_every_score_is_a_line_that_names_its_result():
    """Eight of each output, the final score first; the means of the lines are those of the document."""
    cards = [judged(seven(7)), judged(seven(9))]
    rows = instances(*((card, Submission("An answer.", task="Answer.")) for card in cards))
    assert len(rows) == 16
    assert rows[0]["evaluation_result_id"] == "made.final" and rows[1]["evaluation_result_id"] == "made.correctness"
    for result in document(*cards)["evaluation_results"]:
        own = [row for row in rows if row["evaluation_result_id"] == result["evaluation_result_id"]]
        assert sum(row["evaluation"]["score"] for row in own) / 2 == result["score_details"]["score"]
    assert [row["evaluation"]["is_correct"] for row in rows] == [True] * 16  # 7 is the pass mark


def test_an_output_alone_is_one_turn_with_its_task_and_reference():
    card = judged(seven(6))
    row = instances((card, Submission("My s3cret.", task="Say it.", reference="No.")))[0]
    assert row["interaction_type"] == "single_turn" and row["output"] == {"raw": ["My ***."]}
    assert row["input"] == {"raw": "Say it.", "reference": ["No."]}
    assert row["sample_hash"] == hashlib.sha256(b"Say it.No.").hexdigest()
    assert row["evaluation"] == {"score": 6.0, "is_correct": False, "num_turns": 1}
    (answer,) = row["answer_attribution"]
    assert (answer["source"], answer["extracted_value"], answer["is_terminal"]) == ("output.raw", "My ***.", True)


def test_without_the_text_a_line_says_nothing_about_it():
    """A judgement that names no output."""
    row = instances((judged(seven(7)), None))[0]
    assert (row["output"], row["answer_attribution"], row["sample_hash"]) == ({"raw": []}, [], None)


def test_a_transcript_is_messages_with_calls_and_their_results():
    place = Place("run.jsonl")
    events = (
        Event("message", "user", "How many?", place),
        Event("reasoning", "assistant", "Count them.", place),
        Event("tool_call", "assistant", "", place, ToolCall("wc", {"lines": True, "path": "s3cret"}, "c1", "12")),
        Event("tool_call", "assistant", "", place, ToolCall("ls", "raw", "", None)),
        Event("message", "assistant", "Twelve.", place),
    )
    row = instances((judged(seven(7)), Submission("Twelve.", task="How many?", events=events, usage=Usage(9, 2, 4))))[0]
    assert (row["interaction_type"], row["output"]) == ("agentic", None)
    assert [(message["turn_idx"], message["role"], message["content"]) for message in row["messages"]] == [
        (0, "user", "How many?"), (1, "assistant", None), (2, "assistant", None), (3, "tool", "12"),
        (4, "assistant", None), (5, "assistant", "Twelve."),
    ]  # fmt: skip
    assert row["messages"][1]["reasoning_trace"] == "Count them."
    assert row["messages"][2]["tool_calls"] == [
        {"id": "c1", "name": "wc", "arguments": {"lines": "true", "path": "***"}}
    ]
    assert row["messages"][3]["tool_call_id"] == ["c1"]
    assert row["messages"][4]["tool_calls"] == [{"id": "call-4", "name": "ls", "arguments": {"arguments": "raw"}}]
    assert row["evaluation"] == {"score": 7.0, "is_correct": True, "num_turns": 6, "tool_calls_count": 2}
    assert row["token_usage"] == {
        "input_tokens": 9, "output_tokens": 2, "total_tokens": 11, "input_tokens_cache_read": 4
    }  # fmt: skip
    assert row["answer_attribution"][0]["source"] == "messages[5].content"
    talk = instances((judged(seven(7)), Submission("No.", events=events[:1])))[0]
    assert (talk["interaction_type"], talk["answer_attribution"][0]["turn_idx"]) == ("multi_turn", 0)


def test_what_has_no_score_has_no_line():
    """A dimension that a judge could not score leaves no final score, so the whole output is left out."""
    unscored = judged(seven(9) | {"safety": {"unscored": "cut off"}})
    assert len(instances((judged(seven(9)), None), (unscored, None))) == 8


def test_the_document_refers_to_the_lines_by_place_hash_and_number():
    """The place is the one that the schema asks for; the same lines have the same place."""
    card = judged(seven(7))._replace(skill="Write Notes!")
    lines = list(instance_lines(document(card), [(card, None)], str))
    made = document(card) | {"detailed_evaluation_results": reference_to(lines, card)}
    jsonschema.validate(made, SCHEMA)
    reference = made["detailed_evaluation_results"]
    assert reference["file_path"].startswith("data/evenhand-made/unknown/write-notes/")
    assert (reference["total_rows"], reference["checksum"]) == (8, hashlib.sha256("".join(lines).encode()).hexdigest())
    assert reference_to(lines, card) == reference != reference_to(lines[1:], card)


def test_commands_write_the_lines_beside_the_document(
    evenhand_command: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Both belong together; a second time replaces both; the option alone is refused, and an input never replaced."""
    monkeypatch.chdir(tmp_path)
    Path("answer.md").write_text(f"The key is {TOKEN}, and 2 + 2 = 4.\n")
    scores = {"id": "case-1", "output": "answer.md", "task": "Add.", "rubric": "default", "scores": seven(8)}
    Path("j.json").write_text(json.dumps(scores))
    ask = ("score", "j.json", "--store", "none", "--format", "every-eval-ever", "--instances")
    for _ in range(2):
        done = evenhand_command(*ask, "samples.jsonl", "-o", "evaluation.json")
        assert done.code == 0 and "written: samples.jsonl" in done.err, done.err
    made, written = json.loads(Path("evaluation.json").read_text()), Path("samples.jsonl").read_bytes()
    jsonschema.validate(made, SCHEMA)
    assert made["detailed_evaluation_results"]["checksum"] == hashlib.sha256(written).hexdigest()
    rows = [json.loads(line) for line in written.splitlines()]
    for row in rows:
        jsonschema.validate(row, INSTANCE)
        assert (row["evaluation_id"], row["sample_id"]) == (made["evaluation_id"], "case-1")
    assert rows[0]["output"]["raw"] == ["The key is [redacted], and 2 + 2 = 4.\n"]
    assert rows[0]["input"]["raw"] == "Add."
    alone = evenhand_command("score", "j.json", "--store", "none", "--instances", "other.jsonl")
    assert alone.code == 2 and "--instances goes with --format every-eval-ever" in alone.err
    mixed = evenhand_command(*ask, "-")
    assert mixed.code == 2 and "--instances needs a file of its own" in mixed.err and not Path("-").exists()
    kept = evenhand_command(*ask, "j.json")
    assert kept.code == 2 and "is an input of this command" in kept.err
    twice = evenhand_command(*ask, "e.json", "-o", "e.json")
    assert twice.code == 2 and "would be written twice" in twice.err
    unread = evenhand_command("judge", "answer.md", *ask[2:], "none.jsonl")
    assert unread.code == 2 and not Path("none.jsonl").exists()
