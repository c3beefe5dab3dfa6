"""One judgement on its way to a scorecard; what a run of many shares."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from evenhand import clock
from evenhand.core.documents.receipt import receipt_for, terms_of
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
from evenhand.settings import allowed_outputs

KINDS = 5
"""Kinds of entries that were not understood and are named in a warning; `evenhand transcript show` lists all."""


class Evaluated(NamedTuple):
    """A scorecard and what a store wants to know beside it."""

    card: Scorecard
    submission: Submission | None
    named: bool
    """Whether the id was given, rather than made up just now."""


class Run:
    """The rubric a run was told to use, and those already loaded."""

    def __init__(self, rubric: str | Path | Rubric | None = None, *, allow_outputs: Iterable[str | Path] = ()) -> None:
        chosen = choose(rubric)
        self._chosen = terms_of(chosen) if chosen else None
        self._allowed = tuple(map(Path, allow_outputs))
        self._named: dict[tuple[Path, str], Terms] = {}
        self._for_skill: dict[str, tuple[Terms, str | None]] = {}

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
    ) -> Evaluated:
        """The one path every judgement takes. `base` is the folder its file names start from.

        What was judged comes as the output's text, as a submission, or from the file the judgement names.
        """
        if task is not None:
            judgement = judgement._replace(task=task)
        terms, warnings = self._terms(judgement, base)
        if submission is None and output is None and judgement.output is not None:
            output = _read_output(judgement.output, base, self._allowed)
        if output is not None:
            submission = Submission(output=output, task=judgement.task)
        if submission is not None:
            judgement = verify_judgement(judgement, submission)
            warnings += _unverified(judgement) + _unread(submission)
        settled, repeats = settle(judgement, terms)
        given = id or judgement.id
        card = score(
            settled,
            terms,
            id=given or clock.new_id(),
            created=created or clock.now(),
            receipt=receipt_for(settled, terms, submission),
            warnings=warnings + repeats,
        )
        return Evaluated(with_panel(card, settled, terms), submission, given is not None)

    def _terms(self, judgement: Judgement, base: Path) -> tuple[Terms, tuple[str, ...]]:
        """The rubric to score with: the command's, the judgement's, the skill's, the default."""
        if self._chosen is not None:
            differs = judgement.rubric is not None and not _means(judgement.rubric, self._chosen.rubric)
            note = f"scored with rubric {self._chosen.rubric} as asked; the judgement names {judgement.rubric}"
            return self._chosen, (note,) if differs else ()
        if judgement.rubric is not None:
            return self._named_terms(judgement.rubric, base), ()
        if judgement.skill not in self._for_skill:
            skill = library.DEFAULT if judgement.skill == UNNAMED else judgement.skill
            rubric, warning = library.rubric_for_skill(skill)
            self._for_skill[judgement.skill] = terms_of(rubric), warning
        terms, warning = self._for_skill[judgement.skill]
        return terms, (warning,) if warning else ()

    def _named_terms(self, rubric: str, base: Path) -> Terms:
        """The rubric a judgement names; what is wrong with it is said at the judgement's own line."""
        found = self._named.get((base, rubric))
        if found is None:
            try:
                found = self._named[base, rubric] = terms_of(library.load_rubric(rubric, base=base))
            except RubricError as error:
                raise JudgementError(
                    [
                        Problem(f"the rubric {each}" if each.source else each.message, path=("rubric",))
                        for each in error.problems
                    ]
                ) from None
        return found


def choose(rubric: str | Path | Rubric | None) -> Rubric | None:
    """The rubric a caller names, if any."""
    return rubric if rubric is None or isinstance(rubric, Rubric) else library.load_rubric(str(rubric))


def _means(written: str, rubric: str) -> bool:
    """Whether what a judgement writes, a name or a path, means the rubric of this name."""
    return written == rubric or (library.is_path(written) and Path(written).stem == rubric)


def _unverified(judgement: Judgement) -> tuple[str, ...]:
    lists = [said.evidence for said in judgement.opinions.values()]
    lists += [claim.evidence for claim in (*judgement.red_flags, *judgement.bonuses)]
    missing = sum(not quote.verified for evidence in lists for quote in evidence)
    if not missing:
        return ()
    are = "quote is" if missing == 1 else "quotes are"
    return (f"{missing} {are} not in the output as written; see the marked evidence",)


def _unread(submission: Submission) -> tuple[str, ...]:
    """What of the submission's file did not reach the judge."""
    said = []
    if submission.problems:
        count = "1 problem" if len(submission.problems) == 1 else f"{len(submission.problems)} problems"
        said.append(f"{count} in reading it; the first: {submission.problems[0]}")
    if submission.unknown:
        kinds = [f"{kind} ({count})" for kind, count in islice(submission.unknown.items(), KINDS)]
        more = f" and {len(submission.unknown) - KINDS} more kinds" if len(submission.unknown) > KINDS else ""
        said.append(f"not understood, and so not judged: {', '.join(kinds)}{more}")
    return tuple(said)


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
    """A judgement may come from anybody, and what it names is read and stored: so only what lies beside it.

    Links are followed first.
    """
    with readable(path):
        real = Path(path).resolve()
        if any(real.is_relative_to(folder.resolve()) for folder in (base, *allowed, *allowed_outputs())):
            return
    raise InputError(
        Problem("lies outside the judgement's folder; allow it with --allow-outputs FOLDER, or move it there", path)
    )
