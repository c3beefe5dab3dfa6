"""The fixture `evenhand`: judges an output, keeps the result for the summary, and fails the test if it falls short."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from inspect import signature
from io import StringIO
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import pytest

from evenhand.api.judging import judge
from evenhand.api.scorecards import read_submissions
from evenhand.core.bounds import NOT_READ
from evenhand.core.scorecard import Scorecard
from evenhand.errors import EvenhandError, InputError, unknown
from evenhand.judging.program import CHECKS
from evenhand.judging.sets.gate import REQUIREMENTS, shortcomings
from evenhand.options.model_options import OPTIONS, ModelOptions, options_from
from evenhand.options.settings import option_defaults
from evenhand.providers.builtin.replay import MISSING
from evenhand.work.printable import printable
from evenhand.work.submission import Submission

WIDEST = 100
MARGIN = 8
"""What pytest puts before each line of an assertion's message."""

FOLDER = "evenhand-replies"
"""Beside the test file: the recorded replies, a folder for each test."""

_HOW = frozenset(signature(judge).parameters) - {"submission"}
"""The arguments of `evenhand.judge` that a test may give."""


class Judging:
    """What one test judges."""

    def __init__(self, item: pytest.Item, *, live: bool, record: bool) -> None:
        self._item = item
        self._live = live
        self._record = record
        self._replies = replies_folder(item)
        self._given = _marker_arguments(item)
        self._complete = True
        """Whether every judging so far ended with a scorecard, so that its recording is whole."""
        self.cards: list[Scorecard] = []
        """Every scorecard of this test, in order."""

    def judge(self, output: str | Path | Submission, **given: Any) -> Scorecard:
        """Judge an output, or the one submission of a file given as a `Path`, and assert what the test requires.

        Takes the arguments of `evenhand.judge`, and the requirements of `check`. The marker's are the default.
        """
        __tracebackhide__ = True
        arguments = {"judges": CHECKS, **self._given, **_known(given)}
        required = {name: arguments.pop(name) for name in REQUIREMENTS if name in arguments}
        if "expect" in required:
            arguments["expect"] = required["expect"]
        try:
            card = self._judged(output, arguments)
        except EvenhandError as error:
            raise error.with_traceback(None) from None  # the test's own line says where, the message why
        return self._checked(card, required)

    def check(self, card: Scorecard, **required: Any) -> Scorecard:
        """Assert requirements on a scorecard that the test already has.

        `min_grade`, `min_score`; `no_red_flag` (True, or ids); `no_fault` (True, or the lowest severity that counts);
        `criteria` (ids in the rubric, or sentences that a judge was asked about, that must be met);
        `not_worse_than` and `better_than` (a file of scorecards, or an id in the store). `expect` must be met in full.
        """
        __tracebackhide__ = True
        inherited = {name: value for name, value in self._given.items() if name in REQUIREMENTS}
        return self._checked(card, {**inherited, **_known(required, REQUIREMENTS)})

    def _judged(self, output: str | Path | Submission, arguments: Mapping[str, Any]) -> Scorecard:
        submission = _submission(output)
        options = _options(arguments.get("options"), arguments["judges"])
        if options.record is not None or options.replay is not None:
            raise InputError("recordings of tests are managed for them; leave `record` and `replay` out of the options")
        recordings = self._recordings(arguments["judges"], options)
        self._complete = False
        card = judge(submission, **{**arguments, "options": replace(options, **recordings)})
        self._complete = True
        if arguments.get("store") is None and submission.id is None:
            card = card._replace(id=self._name())
        asked = () if card.checked is None else card.checked.expectations
        said = [*(line.unscored or "" for line in card.dimensions.values()), *(one.message for one in asked if one.by)]
        if any(MISSING in text for text in said):
            raise InputError(f"{_short(self._replies)}: some questions have no recorded reply; {_RECORD}")
        return card

    def _checked(self, card: Scorecard, required: Mapping[str, Any]) -> Scorecard:
        __tracebackhide__ = True
        self.cards.append(card)
        self._item.user_properties += card_properties(card, len(self.cards))
        assert_requirements(card, required)
        return card

    def _name(self) -> str:
        count = len(self.cards)
        return self._item.nodeid if not count else f"{self._item.nodeid}#{count + 1}"

    def _recordings(self, judges: str | Sequence[str], options: ModelOptions) -> dict[str, Any]:
        """Where models' replies come from or go to; nothing for checks and for recordings the test names itself."""
        names = [judges] if isinstance(judges, str) else [*judges]
        names += [options.escalate_to] if options.escalate_to else []
        models = [name for name in names if name != CHECKS and not name.startswith("replay:")]
        if not models:
            return {}
        if len(models) < len([name for name in names if name != CHECKS]):
            raise InputError("judges mixes recordings (replay:FILE) and models; in a test, use only one kind")
        if not self._live:
            if not self._replies.is_dir():
                raise InputError(f"no recorded replies of {', '.join(models)} in {_short(self._replies)}; {_RECORD}")
            return {"replay": self._replies}
        return {"record": self._new_recordings()} if self._record else {}

    def _new_recordings(self) -> Path:
        """A folder beside the recordings, which takes their place when the test ends."""
        folder = self._replies.with_name(f"{self._replies.name}.new")
        if not self.cards:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def end(self) -> None:
        """Put new recordings in the place of the old ones, if they are whole."""
        new = self._replies.with_name(f"{self._replies.name}.new")
        if self._record and self._complete and new.is_dir():
            shutil.rmtree(self._replies, ignore_errors=True)
            new.replace(self._replies)

    def refuse_nothing(self) -> None:
        """A test that requires something of what it judges, and judges nothing, must not pass."""
        __tracebackhide__ = True
        required = [name for name in self._given if name in REQUIREMENTS]
        if required and not self.cards:
            pytest.fail(f"the marker evenhand requires {', '.join(required)}, but the test judged nothing", False)


_RECORD = "record them with: pytest --evenhand-live --evenhand-record"
_JUDGING = pytest.StashKey[Judging]()


class _Watching:
    """Registered when the fixture is first used, so that other test suites do not pay for it."""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        __tracebackhide__ = True
        result = yield
        judging = pyfuncitem.stash.get(_JUDGING, None)
        if judging is not None:
            judging.refuse_nothing()
        return result


@contextmanager
def judging_in(item: pytest.Item) -> Iterator[Judging]:
    """The judging of one test, from its set-up to its end."""
    plugins = item.config.pluginmanager
    if not plugins.has_plugin(__name__):
        plugins.register(_Watching(), __name__)
    options = item.config.option  # without these, where a test imports the fixture and no plug-in was loaded
    judging = Judging(
        item, live=getattr(options, "evenhand_live", False), record=getattr(options, "evenhand_record", False)
    )
    item.stash[_JUDGING] = judging
    try:
        yield judging
    finally:
        judging.end()


def replies_folder(item: pytest.Item) -> Path:
    """`evenhand-replies/MODULE/TEST` beside the test file, with a short hash where the name cannot be a file's."""
    name = item.nodeid.partition("::")[2] or item.name
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:80]
    if plain != name:
        plain = f"{plain}-{sha256(name.encode()).hexdigest()[:8]}"
    return item.path.parent / FOLDER / item.path.stem / plain


def _marker_arguments(item: pytest.Item) -> dict[str, Any]:
    """The arguments of every marker on the test, its class and its module; the nearest counts."""
    arguments: dict[str, Any] = {}
    for marker in item.iter_markers("evenhand"):
        if marker.args:
            raise InputError("the marker evenhand takes named arguments only, such as min_grade='B-'")
        arguments = {**_known(marker.kwargs), **arguments}
    return arguments


def _known(options: Mapping[str, Any], valid: frozenset[str] = _HOW | REQUIREMENTS) -> dict[str, Any]:
    for name in options:
        if name in OPTIONS and "options" in valid:
            raise InputError(f'{name} is one of the options; give options={{"{name}": ...}}')
        if name not in valid:
            raise InputError(unknown("argument", name, sorted(valid)))
    return dict(options)


def _options(given: ModelOptions | Mapping[str, Any] | None, judges: str | Sequence[str]) -> ModelOptions:
    """The test's own options, then the project's."""
    use = "checks" if judges == CHECKS or set(judges) == {CHECKS} else "judge"
    given_options = given.given() if isinstance(given, ModelOptions) else given or {}
    return options_from({**option_defaults(use), **given_options})


def _short(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _submission(output: str | Path | Submission) -> Submission:
    if not isinstance(output, Path):
        return output if isinstance(output, Submission) else Submission(output)
    submissions = list(read_submissions(output))
    if len(submissions) != 1:
        raise InputError(f"{output} holds {len(submissions)} submissions; judge them one by one with read_submissions")
    if isinstance(submissions[0], InputError):
        raise submissions[0]
    return submissions[0]


def assert_requirements(card: Scorecard, required: Mapping[str, Any]) -> None:
    """Raise AssertionError if the scorecard misses a requirement, or if that cannot be told."""
    __tracebackhide__ = True
    reasons = shortcomings(card, required)
    if reasons:
        raise AssertionError("\n".join((*map(printable, reasons), "", scorecard_text(card))))


def scorecard_text(card: Scorecard) -> str:
    """A scorecard with its reasons and quotes, as plain text."""
    from rich.console import Console

    from evenhand.reports.scorecard import scorecard_report
    from evenhand.reports.terminal.walker import print_report
    from evenhand.rubrics.resolved import rubric_used

    text = StringIO()
    width = min(WIDEST, get_terminal_size().columns - MARGIN)
    console = Console(file=text, width=width, color_system=None, highlight=False, emoji=False)
    print_report(scorecard_report(card, rubric_used(card)), console)
    return printable("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def card_properties(card: Scorecard, number: int) -> list[tuple[str, str]]:
    """The properties of a test's n-th scorecard: `evenhand` is its line in the summary, the others are for programs."""
    start = "evenhand" if number == 1 else f"evenhand.{number}"
    judge = card.judge.get("name", "unknown")
    properties = {
        "id": card.id,
        "rubric": card.rubric,
        "judge": judge,
        "grade": card.grade.letter if card.grade else "",
        "final": "" if card.final is None else str(card.final),
        "low": str(card.interval.low) if card.interval else "",
        "high": str(card.interval.high) if card.interval else "",
        "red_flags": " ".join(flag.id for flag in card.red_flags),
        "faults": "" if card.checked is None else str(sum(f.is_fault for f in card.checked.findings)),
    }
    line = f"{_result(card)}  {card.rubric}, {judge}"
    return [
        ("evenhand", printable(" ".join(line.split("\n")))),
        *((f"{start}.{name}", printable(value)) for name, value in properties.items() if value),
    ]


def _result(card: Scorecard) -> str:
    if card.final is not None:
        return f"{card.grade.letter if card.grade else '-':<2} {card.final:>5}"
    assert card.interval is not None
    if card.unread:
        return f"-  at best {card.interval.grades[1]}, {NOT_READ}"
    letter = card.grade.letter if card.grade else "-"
    return f"{letter:<2} {card.interval.low} to {card.interval.high}"
