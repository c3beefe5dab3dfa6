"""One judgement to its scorecard, and the state that a run of many shares."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evenhand import clock
from evenhand.core.basics.wording import plural
from evenhand.core.documents.receipt import receipt_for
from evenhand.core.method.bounds import bounded
from evenhand.core.method.scoring import score, settle
from evenhand.core.panel.card import with_panel
from evenhand.core.text.evidence import verify_judgement
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.rubric import Rubric, Terms
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, JudgementError, Problem, RubricError
from evenhand.judges.written import UNNAMED
from evenhand.reading.text import OUTPUT_LIMIT, read_text, readable
from evenhand.rubrics import library
from evenhand.rubrics.resolved import ResolvedRubric, resolve, resolve_for_skill
from evenhand.settings import allowed_outputs

if TYPE_CHECKING:
    from evenhand.judges.program import ProgramJudge

KINDS = 5
"""The most unrecognised kinds of entries a warning names; `evenhand transcript show` lists all."""


class Evaluated(NamedTuple):
    """A scorecard, with what a store needs besides it."""

    card: Scorecard
    submission: Submission | None
    named: bool
    """Whether the id was given rather than generated."""


class Run:
    """The rubric chosen for a run, and those already loaded."""

    def __init__(
        self,
        rubric: str | Path | Rubric | None = None,
        *,
        checks: bool | None = None,
        allow_outputs: Iterable[str | Path] = (),
        rubric_folders: Iterable[str | Path] | None = None,
    ) -> None:
        self.chosen = None if rubric is None else resolve(rubric)
        self._checks = checks
        """Whether checks run on what was judged; None runs them only where an agent judged, perhaps its own work."""
        self._program: ProgramJudge | None = None
        self._allowed = tuple(map(Path, allow_outputs))
        self._rubric_folders = None if rubric_folders is None else tuple(map(Path, rubric_folders))
        """Where the rubric files lie that a judgement may name; None allows any."""
        self._named: dict[tuple[Path, str], ResolvedRubric] = {}
        self._for_skill: dict[str, ResolvedRubric] = {}
        self._refused = RefusedRubrics()

    def evaluate(
        self,
        judgement: Judgement,
        *,
        base: Path = Path(),
        output: str | None = None,
        submission: Submission | None = None,
        task: str | None = None,
        id: str | None = None,
        created: str | None = None,
        judged_with: ResolvedRubric | None = None,
    ) -> Evaluated:
        """Evaluate a judgement; all of them go through here. `base` is the folder its relative file names start from.

        What was judged comes as the output's text, as a submission, or from the file the judgement names.
        `judged_with` is the rubric its judge was given; without it the rubric is looked up here.
        """
        if task is not None:
            judgement = judgement._replace(task=task)
        if judged_with is None:
            terms, warnings = self._look_up(judgement, base)
        else:
            terms, warnings = judged_with.terms, judged_with.warnings
        if submission is None and output is None and judgement.output is not None:
            output = _read_output(judgement.output, base, self._allowed)
        if output is not None:
            submission = Submission(output=output, task=judgement.task)
        if submission is not None:
            judgement = self._checked(judgement, submission)
            judgement = verify_judgement(_with_source(judgement, submission), submission)
            warnings += _unverified(judgement) + _unread(submission)
        settled, repeats = settle(bounded(judgement, terms), terms)
        known_id = id or judgement.id
        card = score(
            settled,
            terms,
            id=known_id or clock.new_id(),
            created=created or clock.now(),
            receipt=receipt_for(settled, terms, submission),
            warnings=warnings + repeats + _unexplained(settled),
        )
        return Evaluated(with_panel(card, settled, terms), submission, known_id is not None)

    def _checked(self, judgement: Judgement, submission: Submission) -> Judgement:
        """The judgement with the results of the checks, where they should run."""
        by_agent = judgement.panel is None and judgement.judge["name"].startswith("agent:")
        if judgement.checked is not None or not (by_agent if self._checks is None else self._checks):
            return judgement
        if self._program is None:
            from evenhand.judging.program import CHECKS, open_program  # few judgements need it

            self._program = open_program([CHECKS])
        checked, notes = self._program.look(submission)
        return judgement._replace(checked=checked, warnings=(*judgement.warnings, *notes))

    def _look_up(self, judgement: Judgement, base: Path) -> tuple[Terms, tuple[str, ...]]:
        """The rubric to score with: the command's, the judgement's, the skill's, the default."""
        if self.chosen is not None:
            chosen, written = self.chosen, judgement.rubric
            if written is None or chosen.is_meant_by(written):
                return chosen.terms, chosen.warnings
            note = f"scored with rubric {chosen.found_as} as asked; the judgement names {written}"
            return chosen.terms, (*chosen.warnings, note)
        if judgement.rubric is not None:
            resolved = self._named.get((base, judgement.rubric)) or self._resolve_named(judgement.rubric, base)
        else:
            resolved = self._for_skill.get(judgement.skill) or self._resolve_for_skill(judgement.skill)
        return resolved.terms, resolved.warnings

    def _resolve_named(self, rubric: str, base: Path) -> ResolvedRubric:
        """The rubric a judgement names; its problems are reported at the judgement's own line."""
        self._refused.raise_again((base, rubric))
        folders = self._rubric_folders
        if folders is not None and library.is_path(rubric) and not _is_readable(base / rubric, folders):
            message = f"the rubric {rubric} lies outside the folders that may be read; give a rubric's name"
            raise JudgementError(Problem(message, path=("rubric",)))
        try:
            resolved = self._named[base, rubric] = resolve(rubric, base=base)
        except RubricError as error:
            placed = [
                Problem(f"the rubric {problem}" if problem.source else problem.message, path=("rubric",))
                for problem in error.problems
            ]
            raise self._refused.remember((base, rubric), rubric, JudgementError(placed)) from None
        return resolved

    def _resolve_for_skill(self, skill: str) -> ResolvedRubric:
        self._refused.raise_again(skill)
        try:
            resolved = self._for_skill[skill] = resolve_for_skill(library.DEFAULT if skill == UNNAMED else skill)
        except RubricError as error:
            raise self._refused.remember(skill, skill, error) from None
        return resolved


class RefusedRubrics:
    """The rubrics of a run that have errors: read once, reported once, then named in one line a judgement."""

    def __init__(self) -> None:
        self._errors: dict[Hashable, tuple[type[InputError], Problem]] = {}

    def remember(self, key: Hashable, name: str, error: InputError) -> InputError:
        """The error to raise now; from now on `raise_again` has a short one."""
        first = error.problems[0]
        if len(error.problems) > 1:
            message = f"the rubric {name} has {len(error.problems)} errors, which are listed once above; not scored"
            first = Problem(message, path=("rubric",))
        self._errors[key] = type(error), first
        return error

    def raise_again(self, key: Hashable) -> None:
        """Raise the short error of a rubric that was refused before."""
        if key in self._errors:
            kind, problem = self._errors[key]
            raise kind(problem)


def choose(rubric: str | Path | Rubric | None) -> Rubric | None:
    """The rubric a caller names, if any."""
    return None if rubric is None else resolve(rubric).rubric


def log_warnings(warnings: Iterable[str]) -> None:
    """Warnings about a rubric where there is no scorecard to carry them: to the logger `evenhand`."""
    for warning in warnings:
        import logging  # costs start-up time, and is rarely needed

        logging.getLogger("evenhand").warning(warning)


def _unverified(judgement: Judgement) -> tuple[str, ...]:
    lists = [opinion.evidence for opinion in judgement.opinions.values()]
    lists += [claim.evidence for claim in (*judgement.red_flags, *judgement.bonuses)]
    missing = sum(not quote.verified for evidence in lists for quote in evidence)
    if not missing:
        return ()
    are = plural(missing, "quote is", "quotes are")
    return (f"{missing} {are} not in the output as written; see the marked evidence",)


def _unexplained(judgement: Judgement) -> tuple[str, ...]:
    """A warning for red flags without an explanation: nobody can argue with a deduction that gives no reason."""
    bare = [claim.id for claim in judgement.red_flags if not claim.explanation.strip()]
    if not bare:
        return ()
    return (f"no explanation was given for the {plural(len(bare), 'red flag')} {', '.join(bare)}",)


def _with_source(judgement: Judgement, submission: Submission) -> Judgement:
    """The judgement with the file that was judged, so that lists can name it."""
    if judgement.output is not None or submission.source is None or submission.source.startswith("<"):
        return judgement
    return judgement._replace(output=submission.source)


def _unread(submission: Submission) -> tuple[str, ...]:
    """Warnings about the parts of the submission's file that the judge did not see."""
    warnings = [str(warning) for warning in submission.warnings]
    if submission.problems:
        more = f" (the first of {len(submission.problems)} problems)" if submission.problems[1:] else ""
        warnings.append(f"only partly judged, because the file is damaged: {submission.problems[0]}{more}")
    if submission.unknown:
        kinds = [f"{kind} ({count})" for kind, count in islice(submission.unknown.items(), KINDS)]
        more = f" and {len(submission.unknown) - KINDS} more kinds" if len(submission.unknown) > KINDS else ""
        warnings.append(f"not recognised, so not judged: {', '.join(kinds)}{more}")
    return tuple(warnings)


@lru_cache(maxsize=8)
def _read_output_file(path: str, changed: int) -> str:
    return read_text(path, limit=OUTPUT_LIMIT)


def _read_output(named: str, base: Path, allowed: tuple[Path, ...]) -> str:
    path = str(base / named)
    try:
        _refuse_outside(path, base, allowed)
        changed = Path(path).stat().st_mtime_ns if Path(path).exists() else 0
        return _read_output_file(path, changed)
    except InputError as error:
        first = error.problems[0]
        raise JudgementError(Problem(f"the output {path}: {first.message}", path=("output",))) from None


def _refuse_outside(path: str, base: Path, allowed: tuple[Path, ...]) -> None:
    """A judgement may come from anybody, and what it names is read and stored: so only what lies beside it."""
    if not is_inside(path, (base, *allowed, *allowed_outputs())):
        raise InputError(
            Problem("lies outside the judgement's folder; allow it with --allow-outputs FOLDER, or move it there", path)
        )


def _is_readable(rubric: Path, folders: Iterable[Path]) -> bool:
    """Whether a rubric and the weights beside it are in some folders."""
    return all(is_inside(str(path), folders) for path in (rubric, library.weights_path(rubric)))


def is_inside(path: str, folders: Iterable[Path]) -> bool:
    """Whether a path leads into one of some folders, or to one of them, once links are followed."""
    with readable(path):
        real = Path(
            os.path.realpath(path)
        )  # unlike Path.resolve, it takes a loop of links for a file that is not there
        return any(real.is_relative_to(folder.resolve()) for folder in folders)
