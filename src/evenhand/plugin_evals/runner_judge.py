"""The runner's judge beside another one: the same criteria about the same texts, and where the two differ. Pure.

The runner's judge answers in one word, by the majority of three votes. What it was shown stands in the result as
evidence, or is the last message of a trace that was kept. Which of two judges is right, neither tells: people do, in a
table that has a row for each text and stands beside the result once it is filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.core.finding import Expected
from evenhand.files.tables import Row, Table
from evenhand.plugin_evals.result import Case, GraderResult, Result, Run
from evenhand.work.label import JUDGE, PASS

_PASS_IF = re.compile(r"PASS (?:only )?if (?:and only if )?(.+?)\.?(?:\s*FAIL\b.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """One verdict of the runner's judge."""

    case: str
    arm: str
    run: int
    grader: str
    passed: bool
    split: bool
    """Whether its votes differed."""

    def item(self, result: Result) -> str:
        """What people's labels call it; the start of the runs tells it from the same place of another result."""
        parts = (result.started, self.case, f"{self.arm} the plugin", f"run {self.run}", self.grader)
        return " / ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion about a text, as another judge is asked it; the same text of several runs is asked about once."""

    sentence: str
    task: str
    text: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A verdict on which the two differ."""

    case: str
    """Its case."""
    arm: str
    """With the plugin, or without it."""
    run: int
    """Its number in the arm."""
    grader: str
    """The grader that asked."""
    runner: str
    """What the runner's judge said: PASS or FAIL."""
    split: bool
    """Whether its votes differed."""
    judge: str
    """What the other says: met or unmet."""
    why: str
    """Its reason."""
    quote: str
    """The words of the text that it points at, verified."""


@dataclass(frozen=True, slots=True)
class JudgeCheck:
    """How far another judge agrees with the runner's."""

    judges: tuple[str, ...]
    """Who was asked."""
    verdicts: int
    """Verdicts of the runner's judge whose text is known."""
    agreed: int
    """Those on which both say the same."""
    untold: int
    """Those that the other could not tell."""
    unseen: int
    """Verdicts whose text is not recorded; these are not compared."""
    differences: tuple[Difference, ...]
    """Where they differ."""

    @property
    def says(self) -> str:
        """All of it in a sentence."""
        told = self.verdicts - self.untold
        if not told:
            return f"{' and '.join(self.judges)} could tell none of the {self.verdicts} verdicts of the runner's judge"
        split = sum(difference.split for difference in self.differences)
        text = f"{' and '.join(self.judges)} agrees with the runner's judge in {self.agreed} of {told} verdicts"
        if self.differences:
            text += f"; in {split} of the {len(self.differences)} others its own three votes were split"
        if self.untold or self.unseen:
            text += f"; {self.untold} could not be told, of {self.unseen} the text is not recorded"
        return text


def questions(result: Result) -> tuple[list[Question], int]:
    """What to ask another judge, and how many verdicts have no text."""
    found: dict[tuple[str, str, str], list[Place]] = {}
    unseen = 0
    for place, key in _places(result):
        if key is None:
            unseen += 1
        else:
            found.setdefault(key, []).append(place)
    return [Question(*key, tuple(places)) for key, places in found.items()], unseen


def _places(result: Result) -> Iterator[tuple[Place, tuple[str, str, str] | None]]:
    """Every verdict of the runner's judge, with its sentence, task and text where the text is known."""
    for case in result.cases:
        for arm, runs in (("with", case.arms.with_plugin), ("without", case.arms.without or ())):
            for number, run in enumerate(runs, 1):
                for verdict, criteria, text in _judged(case, run):
                    split = len(set(verdict.judge_votes)) > 1
                    place = Place(case.name, arm, number, verdict.name, verdict.passed, split)
                    yield place, (_sentence(criteria), case.prompt, text) if text else None


def labels_path(result: Path) -> Path:
    """Where people's labels of a result stand: beside it, `aggregate-result.labels.csv`."""
    return result.with_suffix(".labels.csv")


def label_sheet(result: Result, person: str) -> list[dict[str, str]]:
    """A table for a person to fill in: a row for each text with its criterion, without what the runner's judge said."""
    return [
        {
            "item": question.places[0].item(result), "asked": question.task, "criterion": question.sentence,
            "text": question.text, f"{person}:{PASS}": "",
        }
        for question in questions(result)[0]
    ]  # fmt: skip


CASE = "case"
"""The column of `verdict_table` that says which verdicts belong together."""


def verdict_table(result: Result, source: str) -> Table:
    """What the runner's judge said, as a table that people's labels are joined to."""
    judge = f"{JUDGE}{result.suite.judge_model or 'runner'}:{PASS}"
    rows = [
        Row(number, {"item": place.item(result), CASE: place.case, judge: "pass" if place.passed else "fail"})
        for number, (place, _) in enumerate(_places(result), 1)
    ]
    table = Table(source, ("item", CASE, judge), tuple(rows))
    if not rows:
        raise table.refusal("has no grader of type llm, so there is no judge to check")
    return table


def _judged(case: Case, run: Run) -> Iterator[tuple[GraderResult, str, str]]:
    declared: dict[str, Mapping[str, Any]] = {
        grader.name: grader.config or {} for grader in case.graders if grader.type == "llm"
    }
    for verdict in run.graders:
        config = declared.get(verdict.name)
        criteria = "" if config is None else str(config.get("criteria") or "")
        if config is not None and criteria:
            is_last = config.get("focus", "last_message") == "last_message"
            yield verdict, criteria, verdict.evidence.strip() or (_last_message(run) if is_last else "")


def _last_message(run: Run) -> str:
    """From a trace that was kept; empty where there is none."""
    try:
        lines = Path(run.trace_path).read_text(encoding="utf-8").splitlines() if run.trace_path else []
        records = [json.loads(line) for line in lines if '"result"' in line]
    except (OSError, ValueError):
        return ""
    texts = [record.get("result") for record in records if isinstance(record, dict) and record.get("type") == "result"]
    return texts[-1].strip() if texts and isinstance(texts[-1], str) else ""


def _sentence(criteria: str) -> str:
    """What must hold: "PASS if the reply names it. FAIL if not." asks whether the reply names it."""
    text = " ".join(criteria.split())
    match = _PASS_IF.fullmatch(text)
    return text if match is None else f"{match[1][0].upper()}{match[1][1:]}."


def checked(judges: Sequence[str], asked: Sequence[tuple[Question, Expected | None]], unseen: int) -> JudgeCheck:
    """What the other judge's answers come to; None where it gave none."""
    verdicts = agreed = untold = 0
    differences = []
    for question, answer in asked:
        verdicts += len(question.places)
        if answer is None or answer.result == "undecided":
            untold += len(question.places)
            continue
        for place in question.places:
            if place.passed == (answer.result == "met"):
                agreed += 1
                continue
            differences.append(
                Difference(
                    place.case, f"{place.arm} the plugin", place.run, place.grader, "PASS" if place.passed else "FAIL",
                    place.split, answer.result, answer.message, answer.quote,
                )
            )  # fmt: skip
    return JudgeCheck(tuple(judges), verdicts, agreed, untold, unseen, tuple(differences))
