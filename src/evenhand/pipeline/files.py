"""Judgements and scorecards from files: scored, ranked, verified, one after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.values.ranking import Ranking
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import DocumentError, InputError
from evenhand.judges.written import judgement_from
from evenhand.pipeline.run import Evaluated, Run
from evenhand.reading.documents import DocumentFile, open_documents
from evenhand.reading.located import Located
from evenhand.reading.text import STDIN, shown_name

if TYPE_CHECKING:
    from evenhand.core.documents.verification import Verification
    from evenhand.pipeline.keeping import Keeper


class Batch(NamedTuple):
    """Scorecards as they are made, in input order; a failure is a value in its place."""

    one: bool
    """Whether the input is a single document by its form."""
    results: Iterator[Scorecard | InputError]


class Named(NamedTuple):
    """A scorecard and what to call it: its id, or its file when it had none."""

    name: str
    card: Scorecard
    source: str = ""
    """The file and line it came from."""


def score_files(
    paths: Iterable[str],
    *,
    rubric: str | Path | Rubric | None = None,
    keeper: Keeper | None = None,
    allow_outputs: Iterable[str | Path] = (),
) -> Batch:
    """Score every judgement of some files ("-" is standard input), and keep them if there is a keeper.

    A judgement may name an output in its own folder or below, or in one of `allow_outputs`.
    """
    run = Run(rubric, allow_outputs=allow_outputs)
    names = list(paths)
    opened: Iterator[DocumentFile | InputError] = map(_open, names)  # each when its turn comes
    one = False
    if len(names) == 1:
        only = _open(names[0])
        one = only.one if isinstance(only, DocumentFile) else True
        opened = iter([only])
    scored = _scored(opened, run)
    if keeper is None:
        return Batch(one, (each if isinstance(each, InputError) else each.card for each in scored))
    return Batch(one, keeper.keep_each(scored, together=1) if one or STDIN in names else keeper.keep_each(scored))


def cards_from(paths: Iterable[str], *, rubric: str | Path | Rubric | None = None) -> Iterator[Named | InputError]:
    """Every scorecard of some files; judgements among them are scored now."""
    run = Run(rubric)
    for path in paths:
        file = _open(path)
        if isinstance(file, InputError):
            yield file
            continue
        for place, document in enumerate(file.documents, start=1):
            if isinstance(document, InputError):
                yield document
                continue
            name = shown_name(path) if file.one else f"{shown_name(path)}:{document.find_line(()) or place}"
            try:
                yield named_card(document.value, run, _folder(path), name)._replace(source=name)
            except InputError as error:
                yield document.place_all(error)


def named_card(value: Mapping[str, Any], run: Run, base: Path, name: str) -> Named:
    """A scorecard as it was computed, or a judgement scored now; one without an id goes by `name`."""
    from evenhand.core.documents.restore import is_scorecard, restore

    if is_scorecard(value):
        from evenhand.core.documents.verification import verify

        changed = verify(value).differences
        if changed:
            raise DocumentError(f"the scorecard was changed: {changed[0].field} {changed[0].problem}")
        card = restore(value)[0]
        return Named(card.id, card)
    evaluated = run.evaluate(judgement_from(value), base=base)
    return Named(evaluated.card.id if evaluated.named else name, evaluated.card)


def rank_cards(cards: Iterable[Named | InputError]) -> tuple[Ranking, list[InputError]]:
    """Rank named scorecards; what could not be read, and every id that comes again, is returned beside the ranking."""
    from evenhand.core.method.ranking import contender, rank_contenders

    failures: list[InputError] = []
    contenders = {}
    for each in cards:
        if isinstance(each, InputError):
            failures.append(each)
        elif each.name in contenders:
            where = f"{each.source}: " if each.source else ""
            failures.append(
                DocumentError(f'{where}the id "{each.name}" stands twice; a ranking has one place for each id')
            )
        else:
            contenders[each.name] = contender(each.card, each.name)
    return rank_contenders(contenders.values()), failures


def verify_files(
    paths: Iterable[str], *, rubric: str | Path | Rubric | None = None, output: str | Submission | None = None
) -> Iterator[Verification | InputError]:
    """Verify every scorecard of some files."""
    from evenhand.pipeline.verifying import verify

    for path in paths:
        file = _open(path)
        if isinstance(file, InputError):
            yield file
            continue
        for document in file.documents:
            if isinstance(document, InputError):
                yield document
                continue
            try:
                if not isinstance(document.value, Mapping):
                    raise DocumentError("not a scorecard: it must be an object")
                yield verify(document.value, rubric=rubric, output=output)
            except InputError as error:
                yield document.place_all(error)


def _scored(files: Iterable[DocumentFile | InputError], run: Run) -> Iterator[Evaluated | InputError]:
    for file in files:
        if isinstance(file, InputError):
            yield file
            continue
        base = _folder(file.path)
        for document in file.documents:
            yield document if isinstance(document, InputError) else _score_located(document, run, base)


def _score_located(document: Located, run: Run, base: Path) -> Evaluated | InputError:
    try:
        return run.evaluate(judgement_from(document.value), base=base)
    except InputError as error:
        return document.place_all(error)


def _open(path: str) -> DocumentFile | InputError:
    try:
        return open_documents(path)
    except InputError as error:
        return error


def _folder(path: str) -> Path:
    return Path() if path == STDIN else Path(path).parent
