"""Which rubric a submission is judged with or a judgement scored with: the one asked for, the one that the judgement
names, the skill's, the usual one. Each is read once, and one with errors is reported once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

from evenhand.core.judgement import Judgement
from evenhand.core.rubric import Rubric
from evenhand.errors import InputError, JudgementError, Problem, RubricError
from evenhand.judges.written import UNNAMED
from evenhand.judging.named_files import is_inside
from evenhand.rubrics import library
from evenhand.rubrics.resolved import ResolvedRubric, resolve, resolve_for_skill
from evenhand.work.submission import Submission

AGENT_RUN = "agent-run"
"""The rubric of a transcript whose skill has none."""


class RubricChoice:
    """The rubric that was asked for, or else one for each submission or judgement."""

    def __init__(
        self, rubric: str | Path | Rubric | None = None, *, folders: Iterable[str | Path] | None = None
    ) -> None:
        self._asked_for = None if rubric is None else resolve(rubric)
        self._folders = None if folders is None else tuple(map(Path, folders))
        """Where the rubric files lie that a judgement may name; None allows any."""
        self._known: dict[Hashable, ResolvedRubric] = {}
        self._refused: dict[Hashable, tuple[type[InputError], Problem]] = {}

    def for_submission(self, submission: Submission) -> ResolvedRubric:
        """The rubric asked for, the one with the skill's name, or the usual one for this kind of submission."""
        if self._asked_for is not None:
            return self._asked_for
        if submission.skill is not None and library.find(submission.skill):
            name = submission.skill
        else:
            name = AGENT_RUN if submission.events else library.DEFAULT
        return self._once(name, name, lambda: resolve(name))

    def for_judgement(self, judgement: Judgement, base: Path) -> ResolvedRubric:
        """The rubric asked for, the one the judgement names, its skill's, or the default."""
        written, asked_for = judgement.rubric, self._asked_for
        if asked_for is not None:
            if written is None or asked_for.is_meant_by(written):
                return asked_for
            note = f"scored with rubric {asked_for.found_as} as asked; the judgement names {written}"
            return asked_for._replace(warnings=(*asked_for.warnings, note))
        if written is not None:
            return self._once((base, written), written, lambda: self._named(written, base))
        skill = judgement.skill
        return self._once(
            ("skill", skill), skill, lambda: resolve_for_skill(library.DEFAULT if skill == UNNAMED else skill)
        )

    def _once(self, key: Hashable, name: str, find: Callable[[], ResolvedRubric]) -> ResolvedRubric:
        """A rubric, read when it is first needed. One with errors is read once too: a file of a thousand judgements
        lists them once, and then names the rubric in a line for each."""
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._refused:
            kind, problem = self._refused[key]
            raise kind(problem)  # a new one each time: one that is raised again and again keeps every traceback
        try:
            known = self._known[key] = find()
        except (RubricError, JudgementError) as error:
            self._refused[key] = type(error), _short(error, name)
            raise
        return known

    def _named(self, rubric: str, base: Path) -> ResolvedRubric:
        """The rubric a judgement names; its problems are reported at the judgement's own line."""
        if self._folders is not None and library.is_path(rubric):
            # The weights beside a rubric are read with it, so they must lie in the folders too.
            for path in (base / rubric, library.weights_path(base / rubric)):
                if not is_inside(str(path), self._folders):
                    message = f"the rubric {rubric} lies outside the folders that may be read; give a rubric's name"
                    raise JudgementError(Problem(message, path=("rubric",)))
        try:
            return resolve(rubric, base=base)
        except RubricError as error:
            raise JudgementError(
                [
                    Problem(f"the rubric {problem}" if problem.source else problem.message, path=("rubric",))
                    for problem in error.problems
                ]
            ) from None


def _short(error: InputError, name: str) -> Problem:
    if len(error.problems) == 1:
        return error.problems[0]
    message = f"the rubric {name} has {len(error.problems)} errors, which are listed once above; not scored"
    return Problem(message, path=("rubric",))


def log_warnings(warnings: Iterable[str]) -> None:
    """Warnings about a rubric where there is no scorecard to carry them: to the logger `evenhand`."""
    for warning in warnings:
        import logging  # costs start-up time, and is rarely needed

        logging.getLogger("evenhand").warning(warning)
