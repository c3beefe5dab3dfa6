"""--format every-eval-ever: a skill's scores in the exchange format, held against its published schema."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import ROOT, Ran, judged, seven

from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.reports.exchange.evaluator import evaluator
from evenhand.reports.exchange.every_eval_ever import SCHEMA_VERSION, every_eval_ever_document
from evenhand.reports.exchange.otlp import otlp_document

SCHEMA = json.loads((ROOT / "tests/fixtures/every_eval_ever/eval.schema.json").read_text(encoding="utf-8"))
MODEL = {"name": "openai:m", "provider": "openai", "model": "m", "prompt": "ab" * 32}


def document(*cards: Scorecard) -> dict[str, Any]:
    made = every_eval_ever_document(cards, moment=1767225600)
    jsonschema.validate(made, SCHEMA)
    return made


def test_the_version_is_that_of_the_schema():
    assert SCHEMA["version"] == SCHEMA_VERSION


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
