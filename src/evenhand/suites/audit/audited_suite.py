"""A suite tried with agents that do not do the work, and its cases compared with each other and with its skill.

A model is asked only where the caller gives a reader for sentences. Commands of expectations run only when that is
allowed. What is not decided stays undecided, and nobody is said to pass a case of which something is undecided.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from evenhand.decisions.suite import Case, Recorded, Suite
from evenhand.errors import InputError, Problem
from evenhand.findings.expectations.decisions import decide
from evenhand.findings.expectations.expectation import Expectation, FreshCopy, Surroundings
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.findings.expectations.products import asked_for, matching
from evenhand.in_words import listed
from evenhand.runs.planned import Planner
from evenhand.runs.run_environment import whole_prompt
from evenhand.runs.workspaces.kept_back import kept_back
from evenhand.runs.workspaces.start_listing import SKILL_FOLDERS, Listing, list_start
from evenhand.runs.workspaces.workspace import fill, remove
from evenhand.suites.audit.certain_expectations import contradicted, offered_answers, stopped_after, why_certain
from evenhand.suites.audit.copies import CaseText, copied_from, duplicates
from evenhand.suites.audit.flaws import KINDS, Flaw, Kind, SuiteAudit
from evenhand.suites.audit.trivial_agents import Attempt, attempts, submission
from evenhand.work.submission import Submission

LARGEST_FILE = 1024 * 1024
"""Bytes of a file that are searched for answers; nothing of a larger one is."""

_SENTENCES = ("text", "graded")
"""The kinds of expectations that need a judge."""

_RUN = ("command", "script")
"""The kinds of expectations that run something."""

_DOES = {
    "passes-nothing-done": 'changes nothing and says "Done"',
    "passes-empty-output": "prints nothing",
    "passes-repeated-task": "repeats the task",
    "passes-judge-addressed": "only praises itself",
    "passes-search": "{}",
    "passes-edited-tests": "edits {} instead of doing the work",
    "passes-forged-result": "writes {} so that the command ends well as soon as it is loaded",
}
_CHANGE = {
    "passes-nothing-done": "Expect something that is there only when the work was done.",
    "passes-empty-output": "Expect something that the output must contain.",
    "passes-repeated-task": "Expect something that the prompt itself does not meet.",
    "passes-judge-addressed": "Expect what the work must contain, not that it is praised.",
    "passes-search": 'Take the answer out of what the agent can read, or expect the answer alone, with "is".',
    "passes-edited-tests": "Leave {0} out of products, or protect it: {{file: {{path: {0}, unchanged: true}}}}.",
    "passes-forged-result": "Start the agent's code from a program of yours, and compare what it prints.",
}


Reader = Callable[[Sequence[Submission]], Sequence[bool]]
"""Whether each output meets every sentence under its `expect`."""


def audit_suite(suite: Suite, *, run_commands: bool = False, reader: Reader | None = None) -> SuiteAudit:
    """Everything that is wrong with a suite's cases, as far as it can be known before a run.

    Without a `reader`, sentences are left out and counted.
    """
    with tempfile.TemporaryDirectory(prefix="evenhand-audit-") as root:
        return _Audit(suite, Path(root), run_commands=run_commands, reader=reader).outcome()


class _Passed(NamedTuple):
    attempts: tuple[Attempt, ...]
    """One of each kind of agent that passes the case."""
    any_choice: tuple[str, ...] = ()
    """The answers among which the prompt lets choose, when all of them pass."""


class _Audit:
    def __init__(self, suite: Suite, root: Path, *, run_commands: bool, reader: Reader | None) -> None:
        self._suite = suite
        self._reader = reader
        self._root = root
        self._run_commands = run_commands
        self._seconds = stopped_after(suite.variants)
        self._listings = {case.id: list_start(case.files) for case in suite.cases}
        self._texts = [
            CaseText(
                case,
                whole_prompt(case),
                () if case.expect is None else expectations_from(case.expect),
                _contents(self._listings[case.id]),
            )
            for case in suite.cases
        ]
        self._skill = self._skill_files()

    def outcome(self) -> SuiteAudit:
        flaws: list[Flaw] = []
        passed: list[str] = []
        read = self._read() if self._reader is not None else {}
        for text in self._texts:
            found = _Passed(tuple(read[text.case.id])) if text.case.id in read else self._passed(text)
            if found.attempts or found.any_choice:
                passed.append(text.case.id)
            flaws += self._flaws_of(text, found)
        flaws += [
            Flaw(
                tuple(text.case.id for text in group),
                "duplicate",
                f"{' and '.join(text.case.id for text in group)} ask the same about the same files.",
                "Keep one of them, or ask something else.",
                group[1].case.place.file,
                group[1].case.place.line,
            )
            for group in duplicates(self._texts)
        ]
        abouts = [part.about for text in self._texts for entry in text.expectations for part in entry.each()]
        return SuiteAudit(
            self._suite.name,
            self._suite.source,
            len(self._texts),
            tuple(passed),
            tuple(sorted(flaws, key=lambda flaw: KINDS.index(flaw.kind))),
            sum(about in (_SENTENCES if self._reader is None else _SENTENCES[1:]) for about in abouts),
            0 if self._run_commands else sum(about in _RUN for about in abouts),
            sum(not self._can_be_tried(text) for text in self._texts),
        )

    def _flaws_of(self, text: CaseText, found: _Passed) -> Iterator[Flaw]:
        case = text.case
        flaw = partial(Flaw, (case.id,), file=case.place.file, line=case.place.line)
        certain = [
            (expectation, reason)
            for expectation in text.expectations
            if (reason := why_certain(expectation, text.files, self._seconds))
        ]
        for expectation, reason in certain:
            yield flaw(
                "cannot-fail", f'"{expectation.words}" cannot fail: {reason}.', "Make it stricter, or remove it."
            )
        if found.any_choice:
            offered = " and ".join(found.any_choice)
            yield flaw("cannot-fail", f"Every answer that is offered passes: {offered}.", "Accept only the right one.")
        elif found.attempts and len(certain) < len(text.expectations):
            yield _passing(case, found.attempts)
        if case.reference is not None:
            for expectation, reason in contradicted(text.expectations, case.reference):
                problem = f'The reference does not meet "{expectation.words}": {reason}.'
                yield flaw("contradicted-reference", problem, "Correct the reference or the expectation.")
        is_trigger = {expectation.about for expectation in text.expectations} == {"skill"}
        if not is_trigger and (copied := copied_from(text, self._skill)):
            yield flaw("copied-from-skill", f"The skill has this case already: {copied}.", "Ask something new.")

    def _read(self) -> dict[str, list[Attempt]]:
        """By case with sentences, the agents that meet them and everything else; one of each kind is read."""
        waiting: list[tuple[str, Attempt, Submission]] = []
        tried: dict[str, list[Attempt]] = {}
        for text in self._texts:
            sentences = [str(expectation.value) for expectation in text.expectations if expectation.about == "text"]
            if not sentences or not self._can_be_tried(text):
                continue
            tried[text.case.id] = []
            rest = tuple(expectation for expectation in text.expectations if expectation.about != "text")
            started = _Workspace(self._root / "start", self._listings[text.case.id], {}, rest)
            kinds: set[Kind] = set()
            try:
                for attempt in attempts(text, self._skill):
                    if attempt.agent not in kinds and not attempt.edits and started.meets(attempt, text.asked):
                        kinds.add(attempt.agent)
                        if attempt.output.strip():  # there is nothing to be read in an empty one
                            work = Submission(attempt.output, task=text.asked, expect=sentences)
                            waiting.append((text.case.id, attempt, work))
            finally:
                started.remove()
        assert self._reader is not None
        verdicts = self._reader([work for _, _, work in waiting]) if waiting else []
        for (case, attempt, _), is_met in zip(waiting, verdicts, strict=True):
            if is_met:
                tried[case].append(attempt)
        return tried

    def _can_be_tried(self, text: CaseText) -> bool:
        """Whether everything that a case expects can be decided here; of a trigger, doing nothing may be right."""
        left_out = {*_SENTENCES} if self._reader is None else {*_SENTENCES[1:]}
        left_out |= set() if self._run_commands else {*_RUN}
        abouts = {part.about for expectation in text.expectations for part in expectation.each()}
        return bool(abouts - {"skill"}) and not abouts & left_out

    def _passed(self, text: CaseText) -> _Passed:
        """The agents that meet every expectation of a case."""
        if not self._can_be_tried(text):
            return _Passed(())
        started = _Workspace(self._root / "start", self._listings[text.case.id], {}, text.expectations)
        passing: dict[Kind, Attempt] = {}
        try:
            for attempt in attempts(text, self._skill):
                if attempt.agent not in passing and self._passes(text, attempt, started):
                    passing[attempt.agent] = attempt
            if passing:
                return _Passed(tuple(passing.values()))
            offered = offered_answers(text.asked, text.expectations)
            every = offered and all(
                self._passes(text, Attempt("passes-repeated-task", answer), started) for answer in offered
            )
            return _Passed((), offered if every else ())
        finally:
            started.remove()

    def _passes(self, text: CaseText, attempt: Attempt, started: _Workspace) -> bool:
        if not attempt.edits:
            return started.meets(attempt, text.asked)
        edited = _Workspace(self._root / "edited", self._listings[text.case.id], attempt.edits, text.expectations)
        try:
            return edited.meets(attempt, text.asked)
        finally:
            edited.remove()

    def _skill_files(self) -> Mapping[str, bytes]:
        """The files of the suite's skills as an agent gets them, by their paths in the skill's folder."""
        planner = Planner(self._suite.variants, self._root / "revisions", kept_back(self._suite))
        found: dict[str, bytes] = {}
        for variant in self._suite.variants:
            if variant.skill is None or isinstance(variant.does, Recorded):
                continue
            planned = planner.plan(Case("audit", ""), variant, 1)
            if planned.problem:
                raise InputError(Problem(planned.problem, variant.place.file, variant.place.line))
            start = f"{SKILL_FOLDERS[0]}/{planned.skill}/"
            inside = tuple(entry for entry in planned.listing if entry.target.startswith(start))
            found |= {path.removeprefix(start): content for path, content in _contents(inside).items()}
        return found


class _Workspace:
    """A workspace after an agent; what only it decides is decided once."""

    def __init__(
        self, folder: Path, listing: Listing, edits: Mapping[str, str], expectations: tuple[Expectation, ...]
    ) -> None:
        self._folder = folder
        self._listing = listing
        self._edits = edits
        self._expectations = sorted(expectations, key=_runs_something)
        self._commands: dict[int, bool] = {}

    def meets(self, attempt: Attempt, asked: str) -> bool:
        """Whether an attempt meets every expectation; commands run when everything else is met."""
        work = submission(attempt, asked)
        for place, expectation in enumerate(self._expectations):
            needs_folder = any(part.about in ("file", "command") for part in expectation.each())
            folder = self._filled() if needs_folder else None
            surroundings = Surroundings(folder, run_commands=True, fresh=partial(self._fresh, asked))
            if expectation.about == "command":
                if place not in self._commands:
                    self._commands[place] = decide([expectation], work, surroundings)[0].result == "met"
                met = self._commands[place]
            else:
                met = decide([expectation], work, surroundings)[0].result == "met"
            if not met:
                return False
        return True

    def remove(self) -> None:
        """Remove it, if it was needed."""
        remove(self._folder)

    @contextmanager
    def _fresh(self, asked: str, expectation: Expectation, whole: bool) -> Iterator[FreshCopy]:
        """A fresh workspace as a run gets it: the given files, and the agent's files that count."""
        options, written, given = expectation.options, tuple(self._edits), {entry.target for entry in self._listing}
        if "products" in options:
            products = matching(options["products"], written)
        else:
            products = asked_for(asked, expectation.value, str(options.get("folder") or ""), written, given)
        copy = self._folder.with_name(f"{self._folder.name}-fresh")
        copy.mkdir()
        try:
            counted = written if whole else products
            _fill(copy, self._listing, {path: self._edits[path] for path in counted})
            yield FreshCopy(copy, products, tuple(path for path in written if path not in products))
        finally:
            remove(copy)

    def _filled(self) -> Path:
        if not self._folder.exists():
            self._folder.mkdir()
            _fill(self._folder, self._listing, self._edits)
        return self._folder


def _fill(folder: Path, listing: Listing, edits: Mapping[str, str]) -> None:
    """The files of a listing and those that an agent wrote."""
    fill(folder, listing)
    for path, content in edits.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")


def _runs_something(expectation: Expectation) -> bool:
    return any(part.about in _RUN for part in expectation.each())


def _passing(case: Case, passing: tuple[Attempt, ...]) -> Flaw:
    """One row for a case, however many agents pass it: the first is the simplest."""
    first, *others = passing
    does = [_DOES[attempt.agent].format(attempt.what) for attempt in others]
    also = f"; so does one that {listed(does, 'or')}" if does else ""
    return Flaw(
        (case.id,),
        first.agent,
        f"An agent passes that {_DOES[first.agent].format(first.what)}{also}.",
        _CHANGE[first.agent].format(next(iter(first.edits), "")),
        case.place.file,
        case.place.line,
        tuple(attempt.agent for attempt in passing),
    )


def _contents(listing: Listing) -> dict[str, bytes]:
    """The bytes of the files in a listing that are not too large to search."""
    contents = {}
    for entry in listing:
        if entry.kind == "file":
            with open(entry.source, "rb") as file:
                data = file.read(LARGEST_FILE + 1)
            contents[entry.target] = data if len(data) <= LARGEST_FILE else entry.sha256.encode()
    return contents
