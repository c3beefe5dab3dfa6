"""Replies and verdicts written by someone who had not seen the reader, each with what it should be read as."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score, read_verdict

CORPUS = Path(__file__).parent / "corpus"


def entries(name: str) -> list[dict[str, Any]]:
    """The entries of a file."""
    return [json.loads(line, parse_float=Decimal) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def outcome(found: object, expected: object) -> str:
    """agree, missed (nothing was read), wrong (something else) or invented (something where there is nothing)."""
    if isinstance(found, Unscored):
        return "agree" if expected is None else "missed"
    return "invented" if expected is None else "agree" if found == expected else "wrong"


@pytest.mark.parametrize(("kind", "most_missed"), [("replies", 27), ("verdicts", 4)])
def test_no_reply_of_the_corpus_is_read_as_something_else(kind, most_missed):
    """A wrong value is worse than none; few are missed."""
    outcomes: dict[str, str] = {}
    for entry in entries(f"{kind}.jsonl"):
        if kind == "replies":
            expected = None if entry["score"] is None else Decimal(entry["score"])
            outcomes[entry["id"]] = outcome(read_score(entry["text"], *entry["scale"]), expected)
        elif entry["kind"] == "pair":
            outcomes[entry["id"]] = outcome(read_verdict(entry["text"]), entry["verdict"])
    assert [name for name, result in outcomes.items() if result in ("wrong", "invented")] == []
    assert Counter(outcomes.values())["missed"] <= most_missed
