"""How judges were used and how far they agree, over many evaluations. Pure: documents of scorecards in, figures out.

Two judges agree as far as they scored the same submission by the same rubric: in one panel, or one after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import Any

from evenhand.core.judgement import DISPUTED, NOT_ASKED
from evenhand.core.rules import DIMENSIONS

Scores = Mapping[str, Any]
MOST_SUBMISSIONS = 20_000
"""Submissions that are remembered to find two judges of one; later ones are left out."""


@dataclass
class JudgeUse:
    """What one judge did."""

    name: str
    evaluations: int = 0
    finals: list[Decimal] = field(default_factory=list)
    scored: int = 0
    unscored: int = 0
    failures: int = 0
    """Calls of a panel's member that gave nothing to vote with."""
    asked: int = 0
    stored: int = 0
    repairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    """Evaluations by models whose price is unknown."""

    @property
    def mean(self) -> Decimal | None:
        """The mean final score."""
        return sum(self.finals, Decimal(0)) / len(self.finals) if self.finals else None


@dataclass
class PairAgreement:
    """Two judges on the same work."""

    first: str
    second: str
    submissions: int = 0
    scores: int = 0
    """Dimensions that both scored."""
    apart: Decimal = Decimal(0)
    """The sum of their differences."""
    same: int = 0
    """Scores less than a point apart."""
    disputed: int = 0
    """Scores two points apart or more."""

    @property
    def mean_difference(self) -> Decimal:
        """How far apart they are on average."""
        return self.apart / self.scores


class JudgeFigures:
    """Figures that grow with every evaluation."""

    def __init__(self) -> None:
        self.evaluations = 0
        self._use: dict[str, JudgeUse] = {}
        self._pairs: dict[tuple[str, str], PairAgreement] = {}
        self._seen: dict[tuple[str, str], dict[str, Scores]] = {}

    def add(self, document: Mapping[str, Any]) -> None:
        """Take in a scorecard's document."""
        self.evaluations += 1
        panel = document.get("panel")
        judge = str((document.get("judge") or {}).get("name", ""))
        use = self._of(judge)
        use.evaluations += 1
        if document.get("final") is not None:
            use.finals.append(Decimal(str(document["final"])))
        scores = {name: line.get("score") for name, line in document["dimensions"].items()}
        self._count(use, scores)
        by_judge: dict[str, Scores] = {judge: scores}
        if panel:
            if "rescored_from" not in document:  # what was asked was paid for where it was first judged
                self._add_calls(use, panel["calls"])
            by_judge = {}
            for member in panel["members"]:
                name = str(member["judge"].get("name", ""))
                by_judge[name] = member["scores"]
                if name != judge:
                    self._count(self._of(name), member["scores"])
                if member["abstained"] not in (None, NOT_ASKED):
                    self._of(name).failures += 1
        self._compare(document, by_judge)

    @property
    def judges(self) -> list[JudgeUse]:
        """Those who judged most first."""
        return sorted(self._use.values(), key=lambda use: (-use.evaluations, -use.scored, use.name))

    @property
    def pairs(self) -> list[PairAgreement]:
        """Those who scored most together first."""
        known = [pair for pair in self._pairs.values() if pair.scores]
        return sorted(known, key=lambda pair: (-pair.scores, pair.first, pair.second))

    def _of(self, name: str) -> JudgeUse:
        return self._use.setdefault(name, JudgeUse(name))

    @staticmethod
    def _count(use: JudgeUse, scores: Scores) -> None:
        scored = sum(score is not None for score in scores.values())
        use.scored += scored
        use.unscored += len(scores) - scored

    @staticmethod
    def _add_calls(use: JudgeUse, calls: Mapping[str, Any]) -> None:
        for name in ("asked", "stored", "repairs", "input_tokens", "output_tokens"):
            setattr(use, name, getattr(use, name) + int(calls[name]))
        if calls["cost"] is None:
            use.unpriced += 1
        else:
            use.cost += Decimal(str(calls["cost"]))

    def _compare(self, document: Mapping[str, Any], by_judge: Mapping[str, Scores]) -> None:
        receipt = document.get("receipt") or {}
        submission = receipt.get("submission")
        key = (str(submission), str(receipt.get("rubric")))
        earlier: dict[str, Scores] = {}
        if submission is not None and (key in self._seen or len(self._seen) < MOST_SUBMISSIONS):
            earlier = self._seen.setdefault(key, {})
        for first, second in combinations(sorted(by_judge), 2):
            self._pair((first, second), by_judge[first], by_judge[second])
        for name, scores in by_judge.items():
            for other in [other for other in earlier if other != name and other not in by_judge]:
                self._pair((min(name, other), max(name, other)), scores, earlier[other])
        earlier.update({name: scores for name, scores in by_judge.items() if name not in earlier})

    def _pair(self, names: tuple[str, str], one: Scores, other: Scores) -> None:
        pair = self._pairs.setdefault(names, PairAgreement(*names))
        both = [name for name in DIMENSIONS if one.get(name) is not None and other.get(name) is not None]
        pair.submissions += bool(both)
        for name in both:
            apart = abs(Decimal(str(one[name])) - Decimal(str(other[name])))
            pair.scores += 1
            pair.apart += apart
            pair.same += apart < 1
            pair.disputed += apart >= DISPUTED


def judge_figures(documents: Iterable[Mapping[str, Any]]) -> JudgeFigures:
    """The figures of some evaluations."""
    figures = JudgeFigures()
    for document in documents:
        figures.add(document)
    return figures
