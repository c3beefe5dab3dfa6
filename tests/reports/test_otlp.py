"""--format otlp: scorecards as OpenTelemetry's evaluation events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Ran, judged, seven
from real_tools import python_tool

from evenhand.reports.exchange.otlp import otlp_document

TRACE = "0af7651916cd43dd8448eb211c80319c"


def records(document: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = document["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    return rows


def attributes(record: dict[str, Any]) -> dict[str, Any]:
    return {row["key"]: next(iter(row["value"].values())) for row in record["attributes"]}


def test_a_scorecard_is_eight_events_the_final_score_first():
    """Seven dimensions under the rubric's name; the range is an attribute of ours, whole numbers are text."""
    rows = records(otlp_document([judged(seven(7), flags=1)]))  # 7.00 - 0.50
    assert len(rows) == 8 and {row["eventName"] for row in rows} == {"gen_ai.evaluation.result"}
    final = attributes(rows[0])
    assert final["gen_ai.evaluation.name"] == "made"
    assert final["gen_ai.evaluation.score.value"] == 6.5
    assert final["gen_ai.evaluation.score.label"] == "C+"
    assert (final["evenhand.score.min"], final["evenhand.score.max"]) == ("1", "10")
    assert final["evenhand.red_flags"] == {"values": [{"stringValue": "f0"}]}
    assert rows[0]["timeUnixNano"] == "1767225600000000000"  # 2026-01-01
    assert attributes(rows[1])["gen_ai.evaluation.name"] == "made.correctness"
    assert "traceId" not in rows[0]


def test_what_nobody_scored_has_an_error_type_and_no_score():
    """Never a zero."""
    rows = records(otlp_document([judged(seven(9) | {"safety": {"unscored": "cut off"}}, id=TRACE)]))
    final, safety = (attributes(rows[0]), attributes(rows[6]))
    for row in (final, safety):
        assert row["error.type"] == "unscored" and "gen_ai.evaluation.score.value" not in row
    assert safety["gen_ai.evaluation.explanation"] == "cut off"
    assert attributes(rows[1])["gen_ai.evaluation.score.value"] == 9.0
    assert {row["traceId"] for row in rows} == {TRACE}


@pytest.mark.parametrize(
    ("judge", "kind", "version"),
    [
        ({"name": "human:ana"}, "human", ""),
        ({"name": "agent:codex"}, "agent", ""),
        ({"name": "checks", "version": "3"}, "checks", "3"),
        ({"name": "openai:m", "provider": "openai", "model": "m", "prompt": "ab" * 32}, "model", "ab" * 32),
        ({"name": "panel", "judges": "a + b", "identities": "c0ffee"}, "panel", "c0ffee"),
        ({"name": "someone"}, "unknown", ""),
    ],
)
def test_an_evaluator_has_kind_and_version(judge: dict[str, str], kind: str, version: str):
    card = judged(seven(7))._replace(judge=judge)
    sent = attributes(records(otlp_document([card]))[0])
    assert [sent[f"evenhand.evaluator.{name}"] for name in ("id", "type", "version")] == [judge["name"], kind, version]
    assert (sent["evenhand.rubric.sha256"], sent["evenhand.methodology"]) == (card.receipt.rubric, "1")


def test_commands_write_one_document_on_one_line(evenhand_command: Callable[..., Ran], tmp_path: Path):
    """judge, score and gate; a file of such lines is what collectors read."""
    review = str(ROOT / "examples" / "review.yaml")
    scored = evenhand_command("score", review, review, "--store", "none", "--format", "otlp")
    assert scored.out.count("\n") == 1 and len(records(json.loads(scored.out))) == 16
    also = ("--store", "none", "--also", "otlp=events.json")
    assert evenhand_command("gate", review, "--min-grade", "F", *also).code == 0
    assert len(records(json.loads((tmp_path / "events.json").read_text(encoding="utf-8")))) == 8
    checked = evenhand_command("judge", "-", "--store", "none", "--format", "otlp", stdin="Cats sleep a lot.")
    assert attributes(records(json.loads(checked.out))[0])["error.type"] == "unread"


READER = """
import sys
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
request = Parse(sys.stdin.read(), ExportLogsServiceRequest())
rows = request.resource_logs[0].scope_logs[0].log_records
print(len(rows), rows[0].event_name, rows[0].attributes[1].value.double_value)
"""


@pytest.mark.slow
def test_the_official_protocol_definition_accepts_the_document():
    """Parsed without unknown fields by OpenTelemetry's own message types."""
    tool = python_tool("opentelemetry-proto", "opentelemetry")
    document = json.dumps(otlp_document([judged(seven(7), id=TRACE)]))
    environment = {**os.environ, "PYTHONPATH": str(tool)}
    done = subprocess.run(
        [sys.executable, "-c", READER], input=document, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["8", "gen_ai.evaluation.result", "7.0"], done.stderr
