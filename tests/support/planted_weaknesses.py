"""A skill's outputs with six planted weaknesses, and the judge that meets them: see fixtures/planted_weaknesses."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from fake_server import Asked, Step, chat
from scripted_judge import in_form, read_prompt, reply_text, scored

import evenhand

FOLDER = Path(__file__).parents[1] / "fixtures" / "planted_weaknesses"
SKILL = FOLDER / "SKILL.md"
SAFE = "Nothing here could do harm to anyone."


@cache
def planted() -> dict[str, Any]:
    """The weaknesses, complaints and cases."""
    value: dict[str, Any] = yaml.safe_load((FOLDER / "weaknesses.yaml").read_text(encoding="utf-8"))
    return value


def output(case: str) -> str:
    """The release notes of a case, with every line that shows a weakness."""
    shown = [w["quotes"][w["in"][case]] for w in planted()["weaknesses"].values() if case in w["in"]]
    return "\n".join([f"# Release notes for the case {case}", "", *(f"- {line}" for line in shown), ""])


def remarks(case: str) -> dict[str, tuple[int, str, str]]:
    """By dimension: score, reason and quote. A weakness comes before a complaint about the same dimension."""
    title = f"Release notes for the case {case}"
    said = dict.fromkeys(evenhand.DIMENSIONS, (10, "Nothing to remark.", title))
    number = planted()["cases"].index(case)
    for complaint in planted()["complaints"].values():
        wordings = complaint["wordings"]
        said[complaint["dimension"]] = (complaint["score"], wordings[number % len(wordings)], title)
    for weakness in planted()["weaknesses"].values():
        if case in weakness["in"]:
            wording = weakness["in"][case]
            said[weakness["dimension"]] = (
                weakness["score"],
                weakness["wordings"][wording],
                weakness["quotes"][wording],
            )
    return said


def card(case: str) -> evenhand.Scorecard:
    """The scorecard of a case."""
    scores = {
        name: {"score": score, "justification": reason, "evidence": [quote]}
        for name, (score, reason, quote) in remarks(case).items()
    }
    judgement = {"id": case, "skill": "release-notes", "judge": "human:ana", "scores": scores}
    return evenhand.score(judgement, output=output(case), id=case, created="2026-01-01T00:00:00Z")


def reply(asked: Asked) -> Step:
    """What the scripted server says of the case whose notes it is shown; any other work is flawless."""
    prompt = read_prompt(asked.body)
    case = next((name for name in planted()["cases"] if f"for the case {name}\n" in f"{prompt.work}\n"), None)
    if case is None or not prompt.dimensions:
        return chat(reply_text(prompt, score=10))
    import json

    said = {name: scored(score, [quote], says=reason) for name, (score, reason, quote) in remarks(case).items()}
    return chat(json.dumps(in_form(prompt, said)))
