"""The gallery of the site: real reports, made by running evenhand on the examples."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).parents[1]
_PANEL: Final = " ".join(f"--judge replay:recorded/{name}.jsonl" for name in ("first", "second", "third"))
_QUESTION: Final = "answer.md --task task.md --rubric devops"


class Exhibit(NamedTuple):
    """A report, and the command that makes it."""

    name: str
    title: str
    says: str
    command: str


EXHIBITS: Final = (
    Exhibit(
        "scorecard",
        "A scorecard by a panel",
        "Three judges, their quotes marked in the text, what they dispute, the arithmetic:",
        f"evenhand judge {_QUESTION} {_PANEL} -o scorecard.html",
    ),
    Exhibit(
        "checked",
        "Checks alone",
        "What a program can find, and no grade:",
        f"evenhand judge {_QUESTION} -o checked.html",
    ),
    Exhibit(
        "written",
        "A judgement by a person",
        "Ana's scores, one red flag, one bonus:",
        "evenhand score review.yaml -o written.html",
    ),
    Exhibit(
        "better",
        "Two versions compared",
        "Eight cases with two versions of a prompt:",
        "evenhand better notes/old notes/new --tasks notes/tasks --judge replay:recorded/reader.jsonl --yes "
        "-o better.html",
    ),
    Exhibit(
        "ranking",
        "A ranking",
        "Four scorecards in order, with the rule behind each place:",
        "evenhand rank cards.jsonl -o ranking.html",
    ),
    Exhibit(
        "gate",
        "A red gate",
        "What a build is stopped for:",
        "evenhand gate review.yaml --min-grade B- --no-red-flag false-run-claim -o gate.html",
    ),
    Exhibit(
        "history",
        "A skill over time",
        "Fourteen evaluations; the last ones raise the drift alarm:",
        "evenhand history writing -o history.html",
    ),
)

_SCORES: Final = (
    *((8, 7, 8, 7.5, 8, 9, 8), (8.5, 7.5, 8, 7, 7.5, 9, 8), (7.5, 7, 8.5, 7.5, 8, 8.5, 7.5), (8, 8, 8, 8, 8, 9, 8)),
    *((8.5, 7, 7.5, 7.5, 7.5, 9.5, 8.5), (8, 6.5, 8, 8, 8.5, 9, 8), (7.5, 7.5, 8.5, 7, 8, 8.5, 7.5)),
    *((8, 7, 8, 7.5, 7.5, 9, 8), (8.5, 7.5, 7.5, 8, 8, 9.5, 8.5), (8, 7, 8, 7.5, 8, 9, 8), (8, 7, 8, 7.5, 8, 9, 8)),
    *((8, 7, 8, 7.5, 8, 7, 8), (7, 6, 8, 7.5, 8, 9, 8), (7, 6, 8, 7.5, 8, 9, 8)),
)
_DIMENSIONS: Final = "correctness completeness adherence actionability efficiency safety consistency".split()


def make_gallery(folder: Path) -> None:
    """Run the commands of all exhibits in a copy of the examples, and keep what they write."""
    folder.mkdir()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name, "examples")
        shutil.copytree(ROOT / "examples", work, ignore=shutil.ignore_patterns(".*"))
        (work / ".git").mkdir()
        _prepare(work)
        for exhibit in EXHIBITS:
            _run(exhibit.command, work)
            shutil.copy(work / f"{exhibit.name}.html", folder)


def _prepare(work: Path) -> None:
    lines = [
        f'{{"skill": "writing", "id": "run-{number}", "scores": {{{", ".join(map(_pair, _DIMENSIONS, scores))}}}}}\n'
        for number, scores in enumerate(_SCORES, 1)
    ]
    (work / "writing.jsonl").write_text("".join(lines), encoding="utf-8")
    _run("evenhand score writing.jsonl", work)
    cards = _run("evenhand score writing.jsonl --format jsonl --store none", work)
    (work / "cards.jsonl").write_text("".join(f"{line}\n" for line in cards.splitlines()[:4]), encoding="utf-8")


def _pair(name: str, score: float) -> str:
    return f'"{name}": {score}'


def _run(command: str, work: Path) -> str:
    """Standard output; 0 and 1, a red gate, are fine."""
    words = [sys.executable, "-m", *command.split()]
    environment = {name: value for name, value in os.environ.items() if name != "EVENHAND_STORE"}
    done = subprocess.run(words, cwd=work, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
