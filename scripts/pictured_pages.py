"""The pages that pictures in the documentation show, over made-up data that is the same every time."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import evenhand
from evenhand import DIMENSIONS
from evenhand.core.scorecard import SAMPLE
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.reports.html import walker
from evenhand.reports.scorecard import scorecard_report
from evenhand.store import open_store
from evenhand.store.protocol import Store
from evenhand.store.tables.web_log import LogEntry
from evenhand.trust.labels.review_rounds import Request, start_round
from evenhand.trust.labels.reviews import open_task, save_draft
from evenhand.web.pages.review import item_page
from evenhand.web.pages.skill import skill
from evenhand.web.pages.skill_list import skills
from evenhand.web.parameters import Parameters
from evenhand.web.rendering import Frame, Renderer
from evenhand.web.route import MakePage

ROOT = Path(__file__).parents[1]
SKILLS = {
    "code-review": 8.2,
    "release-notes": 8.9,
    "sql-writer": 6.6,
    "support-replies": 7.4,
    "translate-contracts": 9.2,
}
FILLED_IN = {
    "score.correctness": "7",
    "why.correctness": "Both faults are real; the third comment is about a line that did not change.",
    "quotes.correctness": "hides every failure",
}
WORK = """\
# Review of the change

Three comments, most important first.

1. `client.py:88`: `except Exception: pass` hides every failure. A time-out then looks like an empty user,
   and the caller writes that to the cache. Catch `Timeout` only, and raise the rest.
2. `client.py:91`: the loop has no limit. With the server down it never ends. Use three attempts.
3. `models.py:12`: the name `data` says little.

The rest looks fine. I did not run the test-suite.
"""


def report_page() -> str:
    """The page of the example, judged by a panel of three whose replies are recorded."""
    examples = ROOT / "examples"
    output, task = ((examples / name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
    judges = [f"replay:{examples / 'recorded' / name}.jsonl" for name in ("first", "second", "third")]
    card = evenhand.judge(output, task=task, rubric="devops", judges=judges)
    card = card._replace(id="answer.md", created="2026-11-16T12:00:00Z")
    return walker.report_page(scorecard_report(card, submission=evenhand.Submission(output=output, task=task)))


def dashboard_page() -> str:
    """The list of skills over a made-up history, the same every time."""
    return _page_over_history(skills, Parameters("/", {}))


def skill_page() -> str:
    """The skill among them that got worse."""
    return _page_over_history(skill, Parameters("/skill", {"name": ("support-replies",)}))


def _page_over_history(page: MakePage, parameters: Parameters) -> str:
    with _empty_store() as store:
        keeper, chance = Keeper(store), random.Random(4)
        for number in range(24):
            for name, mean in SKILLS.items():
                falls = 1.6 if name == "support-replies" and number > 15 else 0
                scores = {one: max(1, min(10, round(chance.gauss(mean - falls, 0.5) * 2) / 2)) for one in DIMENSIONS}
                given = {"skill": name, "judge": "human:ana", "scores": scores}
                card = evenhand.score(
                    given, rubric="default", id=f"{name}-{number}", created=f"2026-10-{number + 1:02d}T09:00:00Z"
                )
                keeper.keep(Evaluated(card, None, True))
        frame = Frame(parameters, ".evenhand/evenhand.db", False, "ana", False, "")
        return Renderer().page(page(store, parameters), frame)


def review_page() -> str:
    """A review in progress, as the server sends it but for what differs from run to run."""
    with _empty_store() as store:
        for number in range(3):
            judgement = {"scores": dict.fromkeys(evenhand.DIMENSIONS, 7), "judge": "model:m", "skill": "code-review"}
            task = "Review the change to the client. Report faults first."
            evenhand.score({**judgement, "task": task}, output=WORK + "\n" * number, store=store, id=f"e{number}")
        round = start_round(store, Request(SAMPLE, 3, seed="picture"), "ana").round.id
        save_draft(store, open_task(store, round, 1), "ana", FILLED_IN, 0, LogEntry("", "ana", "", "", ""))
        parameters = Parameters("/review", {"round": (round,), "item": ("1",)})
        page = item_page(store, parameters, "ana")
        page = page._replace(shown={**page.shown, "saved": "2026-11-16T12:00:00Z"})
    return Renderer().page(page, Frame(parameters, ".evenhand/evenhand.db", False, "ana", False, "token"))


@contextmanager
def _empty_store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder, "evaluations.db")))
        assert store is not None
        with closing(store):
            yield store
