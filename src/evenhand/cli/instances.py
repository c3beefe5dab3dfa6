"""The submissions of a run as they go by; `--instances FILE` writes a line for each of their scores.

The lines are the instance level of Every Eval Ever, written beside its document by the same command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from evenhand.cli.shared import say
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.core.values.submission import Submission


class SeenSubmissions:
    """The submissions of a run as they go by: a page of one scorecard shows the first."""

    def __init__(self) -> None:
        self.submission: Submission | None = None

    def see(self, submission: Submission) -> None:
        """A submission that is about to be scored."""
        self.submission = self.submission or submission

    def watch(self, submissions: Iterable[Submission | InputError]) -> Iterator[Submission | InputError]:
        """Pass submissions on, noting each one."""
        for submission in submissions:
            if not isinstance(submission, InputError):
                self.see(submission)
            yield submission

    def described(self, document: dict[str, Any], cards: Iterable[Scorecard]) -> dict[str, Any]:
        """A document about the scorecards, with what it is to say of single ones."""
        return document


class InstanceFile(SeenSubmissions):
    """Every submission of a run, and the file that gets a line for each score."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._all: dict[str, Submission] = {}

    def see(self, submission: Submission) -> None:
        from evenhand.core.documents.scorecards.receipt import submission_sha256

        super().see(submission)
        self._all[submission_sha256(submission)] = submission

    def described(self, document: dict[str, Any], cards: Iterable[Scorecard]) -> dict[str, Any]:
        """Write the lines; returns the document with a reference to them."""
        from evenhand.judging.kept_transcript import redacted
        from evenhand.reports.exchange.every_eval_ever_instances import instance_lines, reference_to

        judged = [(card, self._all.get(card.receipt.submission or "")) for card in cards]
        lines = list(instance_lines(document, judged, redacted))
        self._file.write("".join(lines).encode())
        return document | {"detailed_evaluation_results": reference_to(lines, judged[0][0])}


def instances_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--instances, as the parameter `seen`: the submissions of a run, for those who show or publish them."""

    @wraps(command)
    def decorated(*arguments: Any, instances: str | None, format: str, **given: Any) -> Any:
        if instances is None:
            return command(*arguments, format=format, seen=SeenSubmissions(), **given)
        if format != "every-eval-ever":
            raise click.UsageError("--instances goes with --format every-eval-ever")
        from evenhand.cli.output_option import STDOUT, output_into

        if instances == STDOUT:
            raise click.UsageError("--instances needs a file of its own; the document goes to standard output or to -o")
        overwrite = click.get_current_context().params["overwrite"]
        with output_into(instances, overwrite=overwrite, format="jsonl") as file:
            code = command(*arguments, format=format, seen=InstanceFile(file), **given)
        say(f"written: {instances}")
        return code

    return click.option(
        "--instances",
        metavar="FILE",
        help="With --format every-eval-ever: also write a line for each score of each output, with its text, here.",
    )(decorated)
