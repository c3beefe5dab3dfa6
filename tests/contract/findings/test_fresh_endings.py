"""The endings of `fresh_endings.yaml`, written before the engine's patterns were read: one verdict at every door.

What the engine does not see is listed in `UNSEEN`, so that it is known; what is true accuses no one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from contract.findings.test_endings import Call, at_every_door

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("fresh_endings.yaml").read_text("utf-8"))
UNSEEN: frozenset[str] = frozenset()


def calls_of(case: dict[str, Any]) -> list[Call]:
    """The calls of a case, as a session holds them."""
    return [
        ("Bash", {"command": call["run"]}, call["says"], call.get("failed", False))
        if "run" in call
        else (call["call"], dict(call["with"]), call["says"], call.get("failed", False))
        for call in case["calls"]
    ]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['half']}: {case['name']}" for case in CASES])
def test_an_ending_has_one_verdict_at_every_door(tmp_path: Path, case: dict[str, Any]):
    """Red where the answer is contradicted, and nothing where it is true or only looks alike."""
    expected = case["contradicted"] and case["name"] not in UNSEEN
    gate = expected or case.get("uncalled", False)
    assert at_every_door(tmp_path, calls_of(case), case["answer"]) == (expected, gate, expected)
