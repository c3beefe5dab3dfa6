"""A team's store for pictures in the documentation: skills, a suite, people and models, made up and always the same."""

from __future__ import annotations

import atexit
import random
import shutil
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Final, NamedTuple
from unittest.mock import patch
from urllib.parse import parse_qs

import evenhand
from evenhand.core.panel import consensus
from evenhand.core.values import SAMPLE, Calls, Evidence, Judgement, Member, Opinion, Panel
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.labels.review_rounds import Request, start_round
from evenhand.rubrics.resolved import resolve
from evenhand.store import open_store
from evenhand.store.protocol import Store
from evenhand.store.tables.notes import NOTE, TAGGED, Note
from evenhand.store.tables.web_log import LogEntry
from evenhand.suite_runs.results.suite_results import save_run
from evenhand.web.pages.comparison import compare
from evenhand.web.pages.evaluation import evaluation
from evenhand.web.pages.evaluations import evaluations
from evenhand.web.pages.findings import findings
from evenhand.web.pages.judges import judges
from evenhand.web.pages.review import rounds
from evenhand.web.pages.skill import skill
from evenhand.web.pages.skill_list import skills
from evenhand.web.pages.suites import suite
from evenhand.web.parameters import Parameters
from evenhand.web.rendering import Frame, Renderer
from evenhand.web.route import MakePage
from evenhand.work.agent_run import CaseResult, RunId
from evenhand.work.submission import Submission

DAYS: Final = 30
NEWEST: Final = datetime(2026, 11, 16, 9, tzinfo=UTC)


class MadeSkill(NamedTuple):
    """What a made-up skill does."""

    score: float
    task: str
    output: str
    quote: str
    falls: float = 0.0
    """How many points it is worse in the last ten days."""


SKILLS: Final = {
    "code-review": MadeSkill(
        8.2,
        "Review the change to the payment client.",
        "# Review\n\n1. `client.py:88`: `except Exception: pass` hides every failure. Catch `Timeout` only.\n"
        "2. `client.py:91`: the loop has no limit; use three attempts.\n\nThe rest looks fine.\n",
        "hides every failure",
    ),
    "release-notes": MadeSkill(
        8.8,
        "Write the notes for version 2.4.",
        "## 2.4\n\n- Breaking: `--format` is now `json`. Say `--format text` to keep the old one.\n"
        "- Faster start.\n\nUpgrade with `pip install -U tool`.\n",
        "Breaking: `--format` is now `json`",
    ),
    "sql-writer": MadeSkill(
        6.9,
        "Count the orders of each customer in 2025.",
        "```sql\nSELECT customer, count(*) FROM orders\nWHERE created >= '2025-01-01' GROUP BY customer;\n```\n"
        "\nCustomers without orders are left out.\n",
        "Customers without orders are left out",
    ),
    "support-replies": MadeSkill(
        8.3,
        "Answer the customer: the invoice is wrong.",
        "Dear customer,\n\nwe have corrected the invoice and sent it again. The refund of $12 takes five days.\n\n"
        "Kind regards\n",
        "The refund of $12 takes five days",
        falls=2.4,
    ),
}
WHY: Final = {
    "correctness": "What it says is right; the amount was not checked.",
    "completeness": "The second question is not answered.",
    "adherence": "The form that was asked for.",
    "actionability": "Says what to do next.",
    "efficiency": "Nothing is said twice.",
    "safety": "No personal data.",
    "consistency": "Fits with itself.",
}


FAULTY: Final = '\n```json\n{"customer": 7, "orders": 12,}\n```\n'
"""An example that no program can read."""


PAGES: Final[dict[str, MakePage]] = {
    "/": skills,
    "/skill": skill,
    "/evaluations": evaluations,
    "/evaluation": evaluation,
    "/compare": compare,
    "/reviews": lambda store, parameters: rounds(store, parameters, "ana"),
    "/suite": suite,
    "/judges": judges,
    "/findings": findings,
}


def team_page(address: str) -> str:
    """A page of the dashboard over this store."""
    path, _, query = address.partition("?")
    parameters = Parameters(path, {name: tuple(values) for name, values in parse_qs(query).items()})
    frame = Frame(parameters, ".evenhand/evenhand.db", False, "ana", False, "")
    with closing(_filled()) as store:
        return Renderer().page(PAGES[path](store, parameters), frame)


def _filled() -> Store:
    store = open_store(_file())
    assert store is not None
    return store


@cache
def _file() -> str:
    """Made once, for as long as the process lives."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    store = open_store(f"{folder}/team.db")
    assert store is not None
    with closing(store):
        fill(store)
    return store.url


def fill(store: Store) -> None:
    """Thirty days of four skills, a suite, a round of review, a note and a tag."""
    chance = random.Random(5)
    keeper, steps = Keeper(store), Steps(resolve("default").rubric, checks=True)
    for day in range(DAYS):
        for name in SKILLS:
            keeper.keep(_evaluated(steps, name, day, chance))
    keeper.raise_if_not_kept()
    _suite(store, chance)
    _people(store)


def _evaluated(steps: Steps, name: str, day: int, chance: random.Random) -> Evaluated:
    made, late = SKILLS[name], day >= DAYS - 10
    moment = NEWEST - timedelta(days=DAYS - 1 - day) + timedelta(hours=[*SKILLS].index(name))
    mean = made.score - (made.falls if late else 0)
    disputed = name == "sql-writer" and day % 9 == 4
    models = {"openai:judge-a": "judge-a-3" if late else "judge-a-2", "anthropic:judge-b": "judge-b-1"}
    judgement = consensus(
        [
            _judgement(label, model, name, mean - (4 if disputed and place else 0), chance)
            for place, (label, model) in enumerate(models.items())
        ]
    )
    assert judgement.panel is not None
    tokens = (2 * chance.randrange(1700, 2300), 2 * chance.randrange(280, 420))
    cost = Decimal(tokens[0] * 3 + tokens[1] * 15) / 1_000_000
    calls = Calls(2, 0, 0, *tokens, cost, served=tuple(sorted(models.values())))
    judgement = judgement._replace(panel=judgement.panel._replace(calls=calls))
    output = made.output + (FAULTY if name == "sql-writer" and day % 5 == 0 else "")
    submission = Submission(output=output, task=f"{made.task} (ticket {1200 + day})")
    created = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    return steps.evaluate_written(judgement, submission=submission, id=f"{name}-{day}", created=created)


def _judgement(label: str, model: str, name: str, mean: float, chance: random.Random) -> Judgement:
    judge = {"name": label, "model": model, "prompt": "p1"}
    quote = SKILLS[name].quote
    scores = {one: Decimal(max(1, min(10, round(chance.gauss(mean, 0.4) * 2) / 2))) for one in evenhand.DIMENSIONS}
    offset = SKILLS[name].output.index(quote)
    found = Evidence(quote, True, SKILLS[name].output.count("\n", 0, offset) + 1, offset)
    opinions = {one: Opinion(score, WHY[one], (found,)) for one, score in scores.items()}
    panel = Panel(members=(Member(judge=judge, scores=scores),), quorum=1)
    return Judgement(opinions, judge, name, panel=panel)


def _suite(store: Store, chance: random.Random) -> None:
    variants = {"main": 750, "shorter-prompt": 815}
    results = [
        CaseResult(
            RunId(f"ticket-{1300 + number}", variant, 1),
            "finished",
            final=usual + chance.randrange(-40, 40),
            grade="B",
            seconds=Decimal(chance.randrange(20, 45)),
            cost=Decimal(chance.randrange(18, 30)) / 1000,
        )
        for number in range(8)
        for variant, usual in variants.items()
    ]
    run = SuiteRun("0197f2c1", "support-tickets", "ab" * 32, "2026-11-15T12:00:00Z", tuple(variants), "main", 1, 8)
    save_run(store, run, results)


def _people(store: Store) -> None:
    with patch("evenhand.clock.now", lambda: "2026-11-16T12:30:00Z"):
        start_round(store, Request(SAMPLE, 5, skill="support-replies", seed="picture"), "ana")
    late = "support-replies-29"
    with store.transaction():
        store.add_note(Note(late, "2026-11-16T13:05:00Z", "ana", NOTE, "Promises a refund that nobody approved."))
        store.add_note(Note(late, "2026-11-16T13:06:00Z", "ana", TAGGED, "refund"))
        for moment, person, action, subject in (
            ("2026-11-16T12:30:00Z", "ana", "started a round of review", "5 of support-replies"),
            ("2026-11-16T13:05:00Z", "ana", "wrote a note", late),
            ("2026-11-16T13:06:00Z", "ana", "put on a tag", late),
        ):
            store.add_log(LogEntry(moment, person, "127.0.0.1", action, subject))
