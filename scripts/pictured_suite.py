"""The page of a suite's run that pictures in the documentation show, over made-up data that is the same every time."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import evenhand
from evenhand.decisions.decide import decide
from evenhand.decisions.grouped_complaints import CollectedComplaints
from evenhand.decisions.suite_run import StoredDetail, SuiteRun
from evenhand.decisions.suite_table import suite_table
from evenhand.reports.comparison.suite import run_report
from evenhand.reports.html.walker import report_page
from evenhand.suites.results.run_answer import run_answer
from evenhand.work.agent_run import CaseResult, RunId

VARIANTS = {"without_skill": (6, "0.021", 31), "first": (7, "0.034", 40), "second": (8, "0.029", 36)}
"""The usual score, the cost in dollars and the seconds of a run."""

CASES = (
    "changed-default",
    "dropped-platform",
    "new-command",
    "removed-option",
    "renamed-option",
    "security-fix",
    "typo",
)

OUTPUTS = {
    "without_skill": "Various changes to the options.",
    "first": "Some options changed; see the manual.",
    "second": "Breaking: the default of --format is now json. Say --format text to keep the old one.",
}
WHY = {
    "without_skill": {"correctness": "Too vague to be wrong.", "completeness": "The change is not named."},
    "first": {
        "correctness": "The manual is the right place.",
        "completeness": "Says that something changed, not what.",
    },
    "second": {
        "correctness": "The default did change; since which version is not said.",
        "completeness": "Names the change and the way back, but not who is affected.",
    },
}


def suite_run_page() -> str:
    """Seven cases by three variants, two runs each, one of which ran out of time."""
    chance = random.Random(7)
    results, details = [], {}
    for case in CASES:
        for variant in VARIANTS:
            for repeat in (1, 2):
                id = RunId(case, variant, repeat)
                if id == ("security-fix", "first", 2):
                    results.append(CaseResult(id, "timed out", "it took longer than 300 seconds"))
                    continue
                card = _card(id, chance)
                results.append(_result(id, card, chance))
                details[id] = StoredDetail(card, OUTPUTS[variant], 0)
    run = SuiteRun(
        "0197f2c1", "release-notes", "ab" * 32, "2026-11-16T12:00:00Z", tuple(VARIANTS), "without_skill", 2, len(CASES)
    )
    decision = decide(suite_table(run, results))
    complaints: dict[str, CollectedComplaints] = {}
    for id, detail in details.items():
        assert detail.card is not None
        complaints.setdefault(id.variant, CollectedComplaints()).add(detail.card, id.case)
    answer = run_answer(decision, list(CASES), lambda cases: complaints)
    return report_page(run_report(run, decision, results, details=details, answer=answer))


def _card(id: RunId, chance: random.Random) -> evenhand.Scorecard:
    usual, output = VARIANTS[id.variant][0], OUTPUTS[id.variant]
    quote = output.split(";")[0].split(". ")[0]
    scores: dict[str, dict[str, Any]]
    scores = {name: {"score": usual + chance.choice((-1, 0, 0, 1))} for name in evenhand.DIMENSIONS}
    for name, why in WHY[id.variant].items():
        scores[name] |= {"justification": why, "evidence": [quote]}
    name = f"{id.case}-{id.variant}-{id.repeat}"
    return evenhand.score({"scores": scores}, output=output, id=name, created="2026-11-16T12:00:00Z")


def _result(id: RunId, card: evenhand.Scorecard, chance: random.Random) -> CaseResult:
    assert card.final is not None and card.grade is not None
    _, cost, seconds = VARIANTS[id.variant]
    scores = ((name, line.score) for name, line in card.dimensions.items())
    return CaseResult(
        id,
        "finished",
        final=int(card.final * 100),
        grade=card.grade.letter,
        dimensions=tuple((name, None if score is None else int(score * 100)) for name, score in scores),
        evaluation=card.id,
        seconds=Decimal(seconds + chance.randrange(-4, 5)),
        cost=Decimal(cost),
    )
