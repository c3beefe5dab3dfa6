"""Stores for the dashboard's tests: ordinary evaluations, and some in which every field is an attack."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from conftest import make_rubric, seven

import evenhand
from evenhand.core.judgement import Calls, Evidence
from evenhand.core.rubric import Rubric
from evenhand.decisions.preference import JudgePreference, PairReading, PairResult, Preferences
from evenhand.decisions.suite_run import SuiteRun
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store import open_store
from evenhand.store.protocol import Store
from evenhand.store.record import record_of
from evenhand.suites.results.suite_results import name_baseline, save_run
from evenhand.work.submission import Submission
from panels import OUTPUT, model_judgement
from suite_cases import failed, scored

ATTACKS = (
    "\"><script>document.title='ran'</script>",
    "'><img src=x onerror=\"document.title='ran'\">",
    "</title></style></textarea><svg onload=alert(1)><script>alert(1)</script>",
    "<iframe src=https://evil.example/></iframe><link rel=stylesheet href=https://evil.example/x.css>",
    '" onmouseover="alert(1)" autofocus onfocus="alert(1)" x="',
    "javascript:alert(1)//<a href=javascript:alert(1)>x</a>",
    "{{ 7 * 7 }}{% include 'base.html' %}${7*7}",
    '=HYPERLINK("https://evil.example")<form action=https://evil.example><button>x</button></form>',
    "../../../../etc/passwd?name=x&id=y#z%00%0d%0aSet-Cookie: a=b",
    "\u202e\u2066<b>bold</b>\u2028\u2029</script>&amp;&lt;script&gt;",
    "<!--><meta http-equiv=refresh content='0;url=https://evil.example'><base href=https://evil.example/>",
)


def store_with_history(url: str, *, evaluations: int = 14) -> None:
    """Two skills judged by two people; the second one's scores fall at the end."""
    store = open_store(url)
    store.create()
    keeper = Keeper(store)
    for number in range(evaluations):
        for skill, base in (("code", 8), ("prose", 7 if number < evaluations - 2 else 3)):
            for judge in ("human:ana", "human:bo"):
                text = f"Output {number} of {skill}.\nIt never expires.\n"
                keep(
                    keeper,
                    text,
                    skill=skill,
                    judge=judge,
                    scores=seven(*(base + (number + place + (judge == "human:bo")) % 2 for place in range(7))),
                    created=f"2026-01-{number + 1:02d}T00:00:00Z",
                    id=f"{skill}-{number}-{judge[6:]}",
                    red_flags=["f0"] if number == 3 else [],
                )
    keep_suite(store, evaluation="code-0-ana")
    store.close()


def keep_suite(store: Store, text: str = "demo", evaluation: str | None = None) -> None:
    """A run of a suite with two variants, a failed run, a pair, and a baseline; every text of it is the given one."""
    names = (text, f"{text}2")
    reading = PairReading("a", "second", justification=text, evidence={"a": (Evidence(text, True, 1),)})
    pair = PairResult("case000", *names, "b", (JudgePreference(text, "b", (reading,)),), (text,))
    pairs = Preferences(names, (pair,), ({"name": text},), {text: "ab" * 32})
    run = SuiteRun(
        f"run-{text}", text, "ab" * 32, "2026-01-01T00:00:00Z", names, text, 1, 6, notes=(text,), pairs=pairs
    )
    results = scored({text: [[500]] * 6, f"{text}2": [[600]] * 6}, tags=(text,), faults=((text, "major"),))
    results[0] = results[0]._replace(evaluation=evaluation)
    save_run(store, run, [*results, failed("case000", text, 2, text)])
    name_baseline(store, "v1", run.id)


def store_of_attacks(url: str) -> None:
    """For each attack an evaluation whose every text is that attack."""
    store = open_store(url)
    store.create()
    keeper = Keeper(store)
    for number, attack in enumerate(ATTACKS):
        rubric = _rubric_of(attack)
        scores = {name: {"score": 7, "justification": attack, "evidence": [attack]} for name in evenhand.DIMENSIONS}
        flags = [{"id": flag.id, "explanation": attack, "evidence": [attack]} for flag in rubric.red_flags]
        bonuses = [{"id": bonus.id, "explanation": attack, "evidence": [attack]} for bonus in rubric.bonuses]
        for turn in range(2):
            keep(
                keeper,
                f"{attack}\n{turn}\n{attack}",
                rubric=rubric,
                skill=attack,
                judge=attack if turn else f"{attack}2",
                scores=scores,
                red_flags=flags,
                bonuses=bonuses,
                task=attack,
                id=f"{attack}{turn}",
                created=f"2026-02-{number + 1:02d}T00:00:0{turn}Z",
            )
    for attack in ATTACKS:
        keep_suite(store, attack, f"{attack}0")
    store.close()


def _rubric_of(attack: str) -> Rubric:
    made = make_rubric(amounts=["0.5"], bonuses=1)
    return made._replace(
        name=attack,
        title=attack,
        red_flags=tuple(flag._replace(description=attack) for flag in made.red_flags),
        bonuses=tuple(bonus._replace(description=attack) for bonus in made.bonuses),
    )


def keep(keeper: Keeper, output: str, *, created: str, id: str, rubric: Rubric | None = None, **judgement: Any) -> None:
    """Score and store one judgement."""
    submission = Submission(output=output, task=judgement.get("task"))
    card = evenhand.score(judgement, rubric=rubric or make_rubric(), output=output, id=id, created=created)
    keeper.keep(Evaluated(card, submission, True))
    keeper.raise_if_not_kept()


def store_with_course(url: str, *, evaluations: int = 300, fall: int = 200) -> None:
    """A skill over some months: it falls with a new model, costs money, and has some evaluations without a score."""
    store = open_store(url)
    store.create()
    day = 86_400_000_000
    start = 1_767_225_600_000_000  # 2026-01-01
    records = []
    for number in range(evaluations):
        final = (800 if number < fall else 600) + 10 * (number % 5)
        calls = Calls(2, 0, 0, 1000, 100, Decimal("0.01"))
        identity = {"name": "openai:m", "model": "m-2" if number < fall else "m-3"}
        judgement = model_judgement(8, name="openai:m", calls=calls)._replace(skill="fix-bug", judge=identity)
        card = Steps(make_rubric()).evaluate_written(judgement, output=OUTPUT, id=f"fix-{number:04}").card
        completed = start + number * day // 3
        kept = Submission(
            output=f"Fixed bug {number}.\nThe cache never expires.", task=f"Fix bug {number}\nAnd test it."
        )
        record = record_of(card, completed=completed, submission=kept, keep_text=True)
        scored = number % 10 != 9
        created = datetime.fromtimestamp(completed / 1e6, UTC).isoformat().replace("+00:00", "Z")
        records.append(
            record._replace(
                final=final if scored else None,
                grade=record.grade if scored else None,
                in_history=int(scored),
                fingerprint=None,
                created=created,
            )
        )
    with store.transaction():
        store.add_all(records)
    store.close()
