"""Judgements and scorecards from files: scored, ranked, verified, one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.errors import DocumentError, InputError
from evenhand.files.documents import DocumentFile, open_documents
from evenhand.files.located import Located
from evenhand.files.text import STDIN, shown_name
from evenhand.judges.written import judgement_from
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.rubric_choice import RubricChoice
from evenhand.judging.steps import Steps
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.core.curve import Calibration
    from evenhand.core.ranking import Ranking
    from evenhand.documents.verification import Verification
    from evenhand.judging.keeper import Keeper

Result = TypeVar("Result")


class Batch(NamedTuple):
    """Scorecards as they are made, in input order; a failure is a value in its place."""

    one: bool
    """Whether the input is a single document by its form."""
    results: Iterator[Scorecard | InputError]
    names: deque[str]
    """The name of each result, in the same order, added before the result is yielded."""


class Named(NamedTuple):
    """A scorecard and its id, or its file's name when it had none."""

    name: str
    card: Scorecard
    source: str = ""
    """The file and line it came from."""

    @property
    def case(self) -> str:
        """What pairs it with other evaluations of the same case: the id that was given, or its name."""
        return self.card.case or self.name

    @property
    def label(self) -> str:
        """Its name in a list that people read."""
        from evenhand.reports.cases import case_name  # only for people

        return case_name(self.card) if self.name == self.card.id else self.name


def score_files(
    paths: Iterable[str],
    *,
    rubric: str | Path | Rubric | None = None,
    keeper: Keeper | None = None,
    checks: bool | None = None,
    allow_outputs: Iterable[str | Path] = (),
    rubric_folders: Iterable[str | Path] | None = None,
    on_submission: Callable[[Submission], None] | None = None,
    calibration: Calibration | None = None,
    out_of_date: str | None = None,
) -> Batch:
    """Score every judgement in some files ("-" is standard input), and store them if there is a keeper.

    With `checks`, the checks run on each output; by default only where an agent judged. A judgement may name an output
    in its own folder or below, or in one of `allow_outputs`; and a rubric file in one of `rubric_folders` if given.
    `on_submission` is called with every output that a judgement names. A `calibration` must fit every judgement's judge
    and rubric; one that it does not fit is an error. `out_of_date` says why it no longer holds, if that is so.
    """
    rubrics = RubricChoice(rubric, folders=rubric_folders)
    steps = Steps(
        rubrics=rubrics,
        calibration=calibration,
        out_of_date=out_of_date,
        checks=checks,
        allow_outputs=allow_outputs,
    )
    names = list(paths)
    opened: Iterator[DocumentFile | InputError] = map(_open, names)  # lazily, one at a time
    one = False
    if len(names) == 1:
        only = _open(names[0])
        one = only.one if isinstance(only, DocumentFile) else True
        opened = iter([only])
    called: deque[str] = deque()

    def score(value: Any, base: Path, name: str) -> Evaluated:
        return steps.evaluate_written(judgement_from(value), base=base)

    def scored() -> Iterator[Evaluated | InputError]:
        for name, result in _each(opened, score):
            called.append(name)
            if on_submission is not None and isinstance(result, Evaluated) and result.submission is not None:
                on_submission(result.submission)
            yield result

    if keeper is None:
        return Batch(one, (result if isinstance(result, InputError) else result.card for result in scored()), called)
    options = {"batch_size": 1} if one or STDIN in names else {}
    return Batch(one, keeper.keep_each(scored(), **options), called)


def cards_from(
    paths: Iterable[str],
    *,
    rubric: str | Path | Rubric | None = None,
    allow_outputs: Iterable[str | Path] = (),
    rubric_folders: Iterable[str | Path] | None = None,
) -> Iterator[Named | InputError]:
    """Every scorecard in some files; judgements among them are scored now.

    A judgement may name an output as for `score_files`, and a rubric file in one of `rubric_folders` if given.
    """
    steps = Steps(rubrics=RubricChoice(rubric, folders=rubric_folders), allow_outputs=allow_outputs)

    def card(value: Any, base: Path, name: str) -> Named:
        return named_card(value, steps, base, name)._replace(source=name)

    return (result for _, result in _each(map(_open, paths), card))


def named_card(value: Mapping[str, Any], steps: Steps, base: Path, name: str) -> Named:
    """A scorecard as it was computed, or a judgement scored now; one without an id goes by `name`."""
    from evenhand.documents.restore import is_scorecard, restore

    if is_scorecard(value):
        from evenhand.documents.verification import refuse_changed

        refuse_changed(value)
        card = restore(value)[0]
        return Named(card.id, card)
    evaluated = steps.evaluate_written(judgement_from(value), base=base)
    return Named(evaluated.card.id if evaluated.named else name, evaluated.card)


def rank_cards(cards: Iterable[Named | InputError]) -> tuple[Ranking, list[InputError]]:
    """Rank named scorecards; unreadable files and repeated ids are returned as errors beside the ranking."""
    from evenhand.core.ranking import contender, rank_contenders

    failures: list[InputError] = []
    contenders = {}
    for entry in cards:
        if isinstance(entry, InputError):
            failures.append(entry)
        elif entry.name in contenders:
            where = f"{entry.source}: " if entry.source else ""
            failures.append(DocumentError(f'{where}the id "{entry.name}" appears twice; each id is ranked once'))
        else:
            contenders[entry.name] = contender(entry.card, entry.name)
    return rank_contenders(contenders.values()), failures


def verify_files(
    paths: Iterable[str],
    *,
    rubric: str | Path | Rubric | None = None,
    output: str | Submission | None = None,
    calibration: Calibration | None = None,
) -> Iterator[Verification | InputError]:
    """Verify every scorecard in some files."""
    from evenhand.judging.verification import verify

    def verified(value: Any, base: Path, name: str) -> Verification:
        if not isinstance(value, Mapping):
            raise DocumentError("not a scorecard: it must be an object")
        return verify(value, rubric=rubric, output=output, calibration=calibration)._replace(file=name)

    return (result for _, result in _each(map(_open, paths), verified, may_be_output=False))


def _each(
    files: Iterable[DocumentFile | InputError], use: Callable[[Any, Path, str], Result], *, may_be_output: bool = True
) -> Iterator[tuple[str, Result | InputError]]:
    """What `use` makes of every document, with the document's name; what is wrong with one is a value in its place.

    `use` is given the document, the folder that its file names start from, and the name. If it cannot use the first
    document of a file that looks like an output, that is said, and the rest of the file is passed over.
    """
    for file in files:
        if isinstance(file, InputError):
            yield "", file
            continue
        base = Path() if file.path == STDIN else Path(file.path).parent
        for place, document in enumerate(file.documents, start=1):
            name = _place_name(file, document, place)
            if isinstance(document, InputError):
                yield name, document
                continue
            try:
                result: Result | InputError = use(document.value, base, name)
            except InputError as error:
                result = document.place_all(error)
                if may_be_output and place == 1:
                    from evenhand.judging.wrong_files import output_instead

                    mistake = output_instead(file.path, result, document.value)
                    if mistake is not result:
                        yield name, mistake
                        break
            yield name, result


def _place_name(file: DocumentFile, document: Located | InputError, place: int) -> str:
    """The file, and the line when it holds several documents."""
    line = document.find_line(()) if isinstance(document, Located) else None
    return shown_name(file.path) if file.one else f"{shown_name(file.path)}:{line or place}"


def _open(path: str) -> DocumentFile | InputError:
    """An opened file, or the error: what is wrong with it, or that it looks like an output."""
    try:
        return open_documents(path)
    except InputError as error:
        from evenhand.judging.wrong_files import output_instead

        return output_instead(path, error)
