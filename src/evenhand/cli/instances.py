"""`--instances FILE`: the instance level of Every Eval Ever, written beside its document by the same command."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from evenhand.cli.cards import SeenSubmissions
from evenhand.core.documents.receipt import submission_sha256
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.judging.kept_transcript import redacted
from evenhand.reports.exchange.every_eval_ever_instances import instance_lines, reference_to


class InstanceFile(SeenSubmissions):
    """Every submission of a run, and the file that gets a line for each score."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._all: dict[str, Submission] = {}

    def see(self, submission: Submission) -> None:
        super().see(submission)
        self._all[submission_sha256(submission)] = submission

    def described(self, document: dict[str, Any], cards: Iterable[Scorecard]) -> dict[str, Any]:
        """Write the lines; returns the document with a reference to them."""
        judged = [(card, self._all.get(card.receipt.submission or "")) for card in cards]
        lines = list(instance_lines(document, judged, redacted))
        self._file.write("".join(lines).encode())
        return document | {"detailed_evaluation_results": reference_to(lines, judged[0][0])}
