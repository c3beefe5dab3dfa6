"""Files of made-up judgements, one a line, the same ones every time."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evenhand import DIMENSIONS

_WORDS = (
    "the change cache entry expires request returns profile lock writes older value test covers path names file "
    "reader finds cause says what breaks where how often naïve “quoted” fallback stays misses one of three callers"
).split()
_FLAGS = ("missed-crash", "false-run-claim", "invented-rule")
_SCORES = [1 + step / 2 for step in range(19)]
"""From 1 to 10 in halves, as most people score."""

Judgement = dict[str, Any]


def bare(chance: random.Random, place: int) -> Judgement:
    """Seven numbers and nothing else."""
    return {"skill": "code-review", "scores": {name: _score(chance) for name in DIMENSIONS}}


def typical(chance: random.Random, place: int) -> Judgement:
    """A reason for each score, and a red flag in every third judgement."""
    scores = {name: {"score": _score(chance), "justification": _sentence(chance, 16)} for name in DIMENSIONS}
    flags = [{"id": chance.choice(_FLAGS), "explanation": _sentence(chance, 12)}] if place % 3 == 0 else []
    return {**_head(place), "scores": scores, "red_flags": flags}


def full(chance: random.Random, place: int) -> Judgement:
    """A reason and a quote for each score, a red flag in every third judgement."""
    judgement = typical(chance, place)
    for said in judgement["scores"].values():
        said["evidence"] = [_sentence(chance, 10)]
    return judgement


KINDS: dict[str, Callable[[random.Random, int], Judgement]] = {"bare": bare, "typical": typical, "full": full}


def write_judgements(path: Path, kind: str, lines: int) -> None:
    """Write so many judgements of a kind, one after another: what measures memory must stay small itself."""
    chance = random.Random(20)
    with path.open("w", encoding="utf-8") as file:
        for place in range(lines):
            file.write(json.dumps(KINDS[kind](chance, place), ensure_ascii=False) + "\n")


def _head(place: int) -> Judgement:
    return {"id": f"run-{place}", "skill": "code-review", "rubric": "code-review", "judge": "human:ana"}


def _score(chance: random.Random) -> int | float:
    score = chance.choice(_SCORES)
    return int(score) if score.is_integer() else score


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words)).capitalize() + "."
