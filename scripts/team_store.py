"""A store as a team has it after 60 days, made up and always the same. Tests ask it what a team lead asks.

python scripts/team_store.py FILE.db       then: evenhand serve --store FILE.db

Three skills judged every day, one of which falls when its judge is served another model and one whose rubric is
exchanged; 50 agent sessions; two suites with three runs each; labels by two people; ten judgements that failed.
"""

from __future__ import annotations

import random
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

import evenhand
from evenhand.core.finding import Place
from evenhand.core.judgement import Calls, Evidence, Judgement, Member, Opinion, Panel, Unscored
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.suite_run import SuiteRun
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.rubrics.resolved import resolve
from evenhand.store import open_store
from evenhand.store.protocol import Store
from evenhand.suites.results.suite_results import name_baseline, save_run
from evenhand.work.agent_run import CaseResult, RunId
from evenhand.work.label import Label
from evenhand.work.submission import Event, Submission, ToolCall

DAYS: Final = 60
NEWEST: Final = datetime(2026, 11, 16, 9, tzinfo=UTC)
JUDGE: Final = "openai:judge-a"
SECOND: Final = "anthropic:judge-b"
COST: Final = Decimal("0.011")
"""Of each judgement, in US dollars."""
AGENT_COST: Final = Decimal("0.02")
"""Of each run of a suite's agent."""


class Skill(NamedTuple):
    """What a made-up skill does."""

    score: float
    task: str
    output: str
    quote: str
    falls: float = 0.0
    """How many points it is worse in the last fifteen days."""
    rubric_until: int = DAYS
    """The day from which another rubric holds."""


SKILLS: Final = {
    "release-notes": Skill(
        8.6,
        "Write the notes for version 2.{day}.",
        "## 2.{day}\n\n- Breaking: `--format` is now `json`.\n- Faster start.\n",
        "Breaking: `--format` is now `json`.",
    ),
    "fix-bug": Skill(
        8.2,
        "Fix the crash in ticket {day}.",
        "# Ticket {day}\n\nThe cache never expires; it now holds for ten minutes.\n",
        "The cache never expires",
        falls=2.4,
    ),
    "sql-writer": Skill(
        7.1,
        "Count the orders of customer {day}.",
        "SELECT count(*) FROM orders WHERE customer = {day};\n",
        "SELECT count(*) FROM orders",
        rubric_until=40,
    ),
}
SESSIONS: Final = 50
FAILURES: Final = 10
BAGGAGE: Final = 17
"""The session that is about baggage."""
WHY: Final = {
    "correctness": "What it says is right.",
    "completeness": "The second question is not answered.",
    "adherence": "The form that was asked for.",
    "actionability": "Says what to do next.",
    "efficiency": "Nothing is said twice.",
    "safety": "No personal data.",
    "consistency": "Fits with itself.",
}
SUITES: Final = {
    "nightly-notes": ("release-notes", {"main": 82, "shorter": 68}),
    "sql-suite": ("sql-writer", {"v1": 70}),
}
"""By suite: its skill, and the usual score of each variant in tenths."""
CASES: Final = 8


def fill(store: Store) -> None:
    """Everything, in the order of time within each part."""
    store.create()
    chance = random.Random(5)
    keeper = Keeper(store)
    for day in range(DAYS):
        for name, skill in SKILLS.items():
            keeper.keep(_daily(name, skill, day, chance))
    for number in range(SESSIONS):
        keeper.keep(_session(number, chance))
    for number in range(FAILURES):
        keeper.keep(_failure(number))
    for run in range(3):
        for suite in SUITES:
            _suite(store, keeper, suite, run, chance)
    keeper.raise_if_not_kept()
    _labels(store, chance)


def _moment(day: int, hour: int = 0, minute: int = 0) -> str:
    return f"{NEWEST - timedelta(days=DAYS - 1 - day) + timedelta(hours=hour, minutes=minute):%Y-%m-%dT%H:%M:%SZ}"


def _daily(name: str, skill: Skill, day: int, chance: random.Random) -> Evaluated:
    late = day >= DAYS - 15
    mean = skill.score - (skill.falls if late else 0)
    rubric = "default" if day < skill.rubric_until else "code-review"
    model = "judge-a-3" if skill.falls and late else "judge-a-2"
    judgement = _judgement(JUDGE, model, name, mean, skill.quote, chance)
    submission = Submission(output=skill.output.format(day=day), task=skill.task.format(day=day), skill=name)
    return _evaluated(judgement, submission, f"{name}-{day}", _moment(day, [*SKILLS].index(name)), rubric)


def _session(number: int, chance: random.Random) -> Evaluated:
    """An agent's session; the transcript has a search and an answer."""
    about = "the lost baggage" if number == BAGGAGE else f"booking {4000 + number}"
    answer = f"The answer about {about} was sent to the customer."
    place = Place("session.jsonl", 1)
    events = (
        Event("message", "user", f"Answer the customer about {about}.", place),
        Event("tool_call", "assistant", "", place, ToolCall("search", {"query": about}, result=f"found {about}")),
        Event("message", "assistant", answer, place),
    )
    submission = Submission(
        output=answer, task=f"Answer the customer about {about}.", skill="support", events=events, format="messages"
    )
    judgement = _judgement(SECOND, "judge-b-1", "support", 7.8, answer, chance)
    return _evaluated(judgement, submission, f"session-{number}", _moment(number, 6), "default")


def _failure(number: int) -> Evaluated:
    """An attempt at a judgement: the model answered, and nothing of it could be read."""
    reason = "the reply was cut off after 4,096 tokens"
    unscored = Opinion(Unscored(reason))
    identity = {"name": SECOND, "model": "judge-b-1", "prompt": "p1"}
    scores = dict.fromkeys(evenhand.DIMENSIONS, unscored.score)
    calls = Calls(2, 0, 1, 2000, 4096, COST, served=("judge-b-1",))
    panel = Panel(members=(Member(judge=identity, scores=scores),), quorum=1, calls=calls)
    judgement = Judgement(dict.fromkeys(evenhand.DIMENSIONS, unscored), identity, "support", panel=panel)
    task = f"Answer the complaint {number}."
    submission = Submission(output=f"We are sorry about complaint {number}.", task=task, skill="support")
    return _evaluated(judgement, submission, f"failed-{number}", _moment(DAYS - 10 + number, 8), "default")


def _suite(store: Store, keeper: Keeper, name: str, number: int, chance: random.Random) -> None:
    """One run: the last of `nightly-notes` is worse than its reference, and has a run that crashed."""
    skill, variants = SUITES[name]
    day = DAYS - 21 + 10 * number
    run_id = f"{name}-run-{number + 1}"
    results = []
    for case in range(CASES):
        for variant, usual in variants.items():
            id = RunId(f"case-{case + 1}", variant, 1)
            if (name, number, case, variant) == ("nightly-notes", 2, 5, "shorter"):
                results.append(CaseResult(id, "failed", "exit code 1: out of memory", cost=AGENT_COST, tokens=900))
                continue
            output = f"## Added\n\nChange {case} of {variant}, night {number}."
            judgement = _judgement(JUDGE, "judge-a-2", skill, usual / 10, f"Change {case} of {variant}", chance)
            task = f"Write the notes of change {case}."
            evaluated = _evaluated(
                judgement,
                Submission(output=output, task=task, skill=skill),
                f"{run_id}-{case}-{variant}",
                _moment(day, 10, case),
                "default",
            )
            card = evaluated.card._replace(suite=SuitePlace(run_id, *id))
            keeper.keep(evaluated._replace(card=card))
            assert card.final is not None and card.grade is not None
            lines = [
                (one, None if line.score is None else int(line.score * 100)) for one, line in card.dimensions.items()
            ]
            results.append(
                CaseResult(
                    id, "finished", final=int(card.final * 100), grade=card.grade.letter, dimensions=tuple(lines),
                    met=3 if variant == "main" else 2, expectations=3, evaluation=card.id, seconds=Decimal(20),
                    tokens=1200, cost=AGENT_COST, judging_cost=COST,
                )
            )  # fmt: skip
    run = SuiteRun(
        run_id, name, "ab" * 32, _moment(day, 10), tuple(variants), next(iter(variants)), 1, CASES, skill=skill,
        judges=(JUDGE,), reference_is_named=True,
    )  # fmt: skip
    save_run(store, run, results)
    if number == 0:
        name_baseline(store, "first", run_id)


def _labels(store: Store, chance: random.Random) -> None:
    """Ana and Ben on forty outputs of one skill, a point apart at most."""
    labels = []
    for day in range(40):
        record = store.get(f"release-notes-{day}")
        assert record is not None and record.final is not None
        for place, rater in enumerate(("human:ana", "human:ben")):
            value = str(max(1, min(10, round(record.final / 100) + chance.choice((-1, 0, 0, 0)))))
            source = f"labels.csv:{2 * day + place + 2}"
            labels.append(Label("id", record.id, rater, "final", value, "1-10", value, None, source, record.completed))
    with store.transaction():
        store.add_labels(sorted(labels))


def _judgement(label: str, model: str, skill: str, mean: float, quote: str, chance: random.Random) -> Judgement:
    identity = {"name": label, "model": model, "prompt": "p1"}
    scores = {one: Decimal(max(1, min(10, round(chance.gauss(mean, 0.4) * 2) / 2))) for one in evenhand.DIMENSIONS}
    found = Evidence(quote, None)
    opinions = {one: Opinion(score, WHY[one], (found,)) for one, score in scores.items()}
    calls = Calls(2, 0, 0, 2000, 300, COST, served=(model,))
    panel = Panel(members=(Member(judge=identity, scores=scores),), quorum=1, calls=calls)
    return Judgement(opinions, identity, skill, panel=panel)


_steps: dict[str, Steps] = {}


def _evaluated(judgement: Judgement, submission: Submission, id: str, created: str, rubric: str) -> Evaluated:
    if rubric not in _steps:
        _steps[rubric] = Steps(resolve(rubric).rubric)
    judgement = judgement._replace(task=submission.task)  # as a judge of a submission says it
    return _steps[rubric].evaluate_written(judgement, submission=submission, id=id, created=created)


if __name__ == "__main__":
    opened = open_store(sys.argv[1])
    assert opened is not None
    with closing(opened):
        fill(opened)
