"""What judges answered to criteria and sentences, as values that people's labels of the same name are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.stats.agreement.label_scales import Scale
from evenhand.work.label import JUDGED_FIELDS, PASS

_RESULTS = {"met": "yes", "unmet": "no", "undecided": "cannot tell"}


class CriteriaAnswers:
    """The criteria that evaluations of a store answered, by id or sentence."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._denied: set[str] = set()
        """Those that are met by a no."""

    def of(self, document: Mapping[str, Any]) -> dict[str, str]:
        """The answers of one evaluation."""
        answers = answers_of(document)
        self.names |= {id for id, _, _ in answers}
        self._denied |= {id for id, _, denied in answers if denied}
        return {id: answer for id, answer, _ in answers if id not in JUDGED_FIELDS}

    def on_scale(
        self, field: str, values: Mapping[str, Mapping[str, str]], scale: Scale
    ) -> Mapping[str, Mapping[str, str]]:
        """The values of a field by item and rater. Where people said pass or fail of a criterion, so do judges:
        whether it is met; an answer that is neither is left out."""
        if field not in self.names or scale.name != PASS:
            return values
        met, missed = ("no", "yes") if field in self._denied else ("yes", "no")
        words = {met: "pass", missed: "fail", "pass": "pass", "fail": "fail"}
        return {
            item: {rater: words[value] for rater, value in given.items() if value in words}
            for item, given in values.items()
        }


def answers_of(document: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """The criteria of a stored scorecard: id or sentence, the answer, and whether it is met by a no."""
    answers = []
    for line in document["dimensions"].values():
        waiting = list(line.get("criteria", {}).get("criteria", ()))
        for node in waiting:  # grows as groups are opened
            if "criteria" in node:
                waiting += node["criteria"]
            else:
                answers.append((node["id"], node["verdict"], str(node["points"]).startswith("-")))
    for expected in document.get("expectations") or ():
        if expected.get("by"):
            answers.append((expected["expectation"], _RESULTS[expected["result"]], False))
    return answers
