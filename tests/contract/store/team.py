"""A store as a team has it, made through doors alone. The agent of its suite prints what it is told to."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import evenhand
from contract.doors import Ran, run_here

SILENT = {"unscored": "the judge fell asleep over the report"}
RUBRIC = "default"


def judgement(id: str, score: Any = 8, *, skill: str = "notes", day: int = 1, **more: Any) -> dict[str, Any]:
    """One judgement: a score for all dimensions, or several."""
    values = score if isinstance(score, list) else [score] * 7
    return {
        "id": id,
        "skill": skill,
        "judge": "human:ana",
        "created": f"2026-01-{day:02}T10:00:00Z",
        "scores": dict(zip(evenhand.DIMENSIONS, values, strict=True)),
        **more,
    }


def write(path: Path, one: dict[str, Any]) -> None:
    """A judgement as a file, which says no moment."""
    path.write_text(json.dumps({name: value for name, value in one.items() if name != "created"}), encoding="utf-8")


def keep(address: str, *judgements: dict[str, Any], output: str = "", task: str = "") -> list[evenhand.Scorecard]:
    """Score judgements into a store, one after another."""
    with closing(evenhand.open_store(address)) as store:
        store.create()
        cards = []
        for one in judgements:
            given = {name: value for name, value in one.items() if name != "created"}
            cards.append(
                evenhand.score(
                    given,
                    output=output.format(**one) if output else None,
                    task=task.format(**one) if task else None,
                    created=one["created"],
                    store=store,
                )
            )
        return cards


def evenhand_here(folder: Path, address: str, *arguments: str, **more: Any) -> Ran:
    """A command in a folder, over a store."""
    return run_here(*arguments, cwd=folder, environment={"EVENHAND_STORE": address, "COLUMNS": "200"}, **more)


def shown(folder: Path, address: str, *arguments: str) -> Any:
    """What a command prints as JSON."""
    done = evenhand_here(folder, address, *arguments, "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)


SUITE = """suite: demo
skill: notes
cases:
  - {id: sum, prompt: Add the luggage numbers.}
  - {id: crash, prompt: Crash now.}
variants:
  old: {command: [PYTHON, AGENT, old, "{prompt}"]}
  new: {command: [PYTHON, AGENT, new, "{prompt}"]}
"""
AGENT = """import sys
variant, prompt = sys.argv[1:]
if "Crash" in prompt and variant == "old":
    sys.exit("the engine stalled")
print(f"The total of {variant} luggage is 7.")
"""


def run_suite(folder: Path, address: str) -> Ran:
    """A suite of two variants and two cases; one run of an agent fails."""
    agent = folder / "agent.py"
    agent.write_text(AGENT, encoding="utf-8")
    suite = SUITE.replace("PYTHON", json.dumps(sys.executable)).replace("AGENT", json.dumps(str(agent)))
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    return evenhand_here(folder, address, "run", "suite.yaml")
