"""The order of an evaluation, and the Python API. The only room that knows the others.

document -> judgement -> rubric -> quotes checked -> settled -> scored
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand import clock
from evenhand.core import documents
from evenhand.core.evidence import verify_judgement
from evenhand.core.model import Judgement, Ranking, Rubric, Scorecard, Submission, Terms
from evenhand.core.receipt import receipt_for, terms_of
from evenhand.core.scoring import score as apply_methodology
from evenhand.core.scoring import settle
from evenhand.errors import DocumentError, InputError, JudgementError, Problem
from evenhand.judges.written import UNNAMED, judgement_from
from evenhand.reading.documents import open_documents
from evenhand.reading.located import Located
from evenhand.reading.text import OUTPUT_LIMIT, STDIN, read_text, shown_name
from evenhand.rubrics import library

if TYPE_CHECKING:
    from evenhand.core.ranking import Contender
    from evenhand.core.verification import Verification

# --- one evaluation ------------------------------------------------------------------------------


def score(
    judgement: Mapping[str, Any] | Judgement,
    *,
    rubric: str | Path | Rubric | None = None,
    output: str | None = None,
    task: str | None = None,
    id: str | None = None,
    created: str | None = None,
) -> Scorecard:
    """Turn a judgement into a scorecard.

    `judgement` is what a judgement file holds. `rubric` is a name, a path or a `Rubric`; without it
    the judgement's own is used, then the one of the skill's name, then the default. `output` is the
    text that was judged: with it every quote is checked. `id` and `created` are made when not given.

    >>> card = score({"skill": "notes", "rubric": "default", "scores": dict.fromkeys(DIMENSIONS, 8)})
    >>> card.final, card.grade.letter
    (Decimal('8.00'), 'B+')
    """
    said = judgement if isinstance(judgement, Judgement) else judgement_from(judgement)
    return _evaluate(said, _Run(_chosen(rubric)), base=Path(), output=output, task=task, id=id, created=created)


def load_rubric(name_or_path: str | Path) -> Rubric:
    """A rubric by name (the project's, then the built-in ones) or by path.

    >>> load_rubric("code-review").pass_mark
    Decimal('7.00')
    """
    return library.load_rubric(str(name_or_path))


def rank(entries: Iterable[Scorecard | Mapping[str, Any]], *, rubric: str | Path | Rubric | None = None) -> Ranking:
    """Order scorecards (or judgements and scorecard documents), best first.

    >>> low, high = ({"id": name, "scores": dict.fromkeys(DIMENSIONS, n)} for name, n in (("a", 6), ("b", 7)))
    >>> [(entry.rank, entry.id, entry.decided_by) for entry in rank([low, high]).entries]
    [(1, 'b', 'final'), (2, 'a', None)]
    """
    from evenhand.core.ranking import contender, rank_contenders

    run = _Run(_chosen(rubric))

    def contenders() -> Iterator[Contender]:
        for place, entry in enumerate(entries, start=1):
            if isinstance(entry, Scorecard):
                yield contender(entry)
            else:
                yield _contender(entry, run, Path(), f"entry {place}")

    return rank_contenders(_refuse_repeated(contenders()))


def verify(
    scorecard: Scorecard | Mapping[str, Any],
    *,
    rubric: str | Path | Rubric | None = None,
    output: str | None = None,
) -> Verification:
    """Recompute a scorecard from its own inputs and receipt.

    Without `rubric`, the rubric of the scorecard's name is used if it is the very one that was scored with.

    >>> document_of = document(score({"scores": dict.fromkeys(DIMENSIONS, 8)}))
    >>> verify(document_of).ok
    True
    >>> [each.field for each in verify(document_of | {"final": 9}).differences]
    ['final']
    """
    from evenhand.core import verification

    stated = document(scorecard) if isinstance(scorecard, Scorecard) else scorecard
    chosen = _chosen(rubric)
    return verification.verify(stated, rubric=_same_rubric(stated) if chosen is None else chosen, output=output)


def document(value: Scorecard | Ranking | Rubric, *, audit: bool = False) -> dict[str, Any]:
    """A scorecard, ranking or rubric in its published JSON shape; `audit` adds a scorecard's arithmetic."""
    if isinstance(value, Scorecard):
        return documents.scorecard_document(value, audit=audit)
    if isinstance(value, Ranking):
        return documents.ranking_document(value)
    return documents.rubric_document(value)


# --- many, from files ----------------------------------------------------------------------------


class Batch(NamedTuple):
    """Scorecards as they are made, in input order; a failure is a value in its place."""

    one: bool
    """Whether the input is a single document by its form."""
    results: Iterator[Scorecard | InputError]


def score_files(paths: Iterable[str], *, rubric: str | Path | Rubric | None = None) -> Batch:
    """Score every judgement of some files ("-" is standard input), one after another."""
    names = list(paths)
    run = _Run(_chosen(rubric))
    opened = [_open(path) for path in names]
    one = len(opened) == 1 and not isinstance(opened[0], InputError) and opened[0].one

    def results() -> Iterator[Scorecard | InputError]:
        for file in opened:
            if isinstance(file, InputError):
                yield file
                continue
            base = Path() if file.path == STDIN else Path(file.path).parent
            for document in file.documents:
                yield document if isinstance(document, InputError) else _score_located(document, run, base)

    return Batch(one, results())


def rank_files(paths: Iterable[str], *, rubric: str | Path | Rubric | None = None) -> tuple[Ranking, list[InputError]]:
    """Rank every scorecard and judgement of some files; what cannot be read is returned beside the ranking."""
    from evenhand.core.ranking import rank_contenders

    run = _Run(_chosen(rubric))
    failures: list[InputError] = []

    def contenders() -> Iterator[Contender]:
        for path in paths:
            file = _open(path)
            if isinstance(file, InputError):
                failures.append(file)
                continue
            base = Path() if path == STDIN else Path(path).parent
            for place, document in enumerate(file.documents, start=1):
                if isinstance(document, InputError):
                    failures.append(document)
                    continue
                name = shown_name(path) if file.one else f"{shown_name(path)}:{document.find_line(()) or place}"
                try:
                    yield _contender(document.value, run, base, name)
                except InputError as error:
                    failures.append(document.place_all(error))

    return rank_contenders(_refuse_repeated(contenders(), failures)), failures


def verify_files(
    paths: Iterable[str],
    *,
    rubric: str | Path | Rubric | None = None,
    output: str | None = None,
) -> Iterator[Verification | InputError]:
    """Verify every scorecard of some files."""
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


# --- inside --------------------------------------------------------------------------------------


class _Run:
    """What one run keeps: the chosen rubric, and those already loaded."""

    def __init__(self, rubric: Rubric | None) -> None:
        self.chosen = terms_of(rubric) if rubric else None
        self.named: dict[tuple[Path, str], Terms] = {}
        self.for_skill: dict[str, tuple[Terms, str | None]] = {}

    def terms(self, judgement: Judgement, base: Path) -> tuple[Terms, tuple[str, ...]]:
        """The rubric to score with: the command's, the judgement's, the skill's, the default."""
        if self.chosen is not None:
            differs = judgement.rubric is not None and not _names(judgement.rubric, self.chosen.rubric)
            note = f"scored with rubric {self.chosen.rubric} as asked; the judgement names {judgement.rubric}"
            return self.chosen, (note,) if differs else ()
        if judgement.rubric is not None:
            key = (base, judgement.rubric)
            named = self.named.get(key)
            if named is None:
                named = self.named[key] = terms_of(library.load_rubric(judgement.rubric, base=base))
            return named, ()
        if judgement.skill not in self.for_skill:
            skill = library.DEFAULT if judgement.skill == UNNAMED else judgement.skill
            rubric, warning = library.rubric_for_skill(skill)
            self.for_skill[judgement.skill] = terms_of(rubric), warning
        terms, warning = self.for_skill[judgement.skill]
        return terms, (warning,) if warning else ()


def _evaluate(
    judgement: Judgement,
    run: _Run,
    *,
    base: Path,
    output: str | None = None,
    task: str | None = None,
    id: str | None = None,
    created: str | None = None,
) -> Scorecard:
    """The one path every judgement takes."""
    if task is not None:
        judgement = judgement._replace(task=task)
    terms, warnings = run.terms(judgement, base)
    if output is None and judgement.output is not None:
        output = _read_output(judgement.output, base)
    submission = None
    if output is not None:
        judgement = verify_judgement(judgement, output)
        submission = Submission(output=output, task=judgement.task)
        warnings += _unverified(judgement)
    settled, repeats = settle(judgement, terms)
    return apply_methodology(
        settled,
        terms,
        id=id or judgement.id or clock.new_id(),
        created=created or clock.now(),
        receipt=receipt_for(settled, terms, submission),
        warnings=warnings + repeats,
    )


def _unverified(judgement: Judgement) -> tuple[str, ...]:
    lists = [said.evidence for said in judgement.opinions.values()]
    lists += [claim.evidence for claim in (*judgement.red_flags, *judgement.bonuses)]
    missing = sum(not quote.verified for evidence in lists for quote in evidence)
    if not missing:
        return ()
    return (
        f"{missing} quote{' is' if missing == 1 else 's are'} not in the output as written; see the marked evidence",
    )


def _score_located(document: Located, run: _Run, base: Path) -> Scorecard | InputError:
    try:
        return _evaluate(judgement_from(document.value), run, base=base)
    except InputError as error:
        return document.place_all(error)


def _contender(value: Mapping[str, Any], run: _Run, base: Path, name: str) -> Contender:
    """A scorecard as it was computed, or a judgement scored now; one without an id goes by `name`."""
    from evenhand.core.ranking import contender
    from evenhand.core.restore import is_scorecard, restore

    if is_scorecard(value):
        return contender(restore(value)[0])
    judgement = judgement_from(value)
    return contender(_evaluate(judgement, run, base=base), name if judgement.id is None else None)


def _refuse_repeated(contenders: Iterator[Contender], failures: list[InputError] | None = None) -> Iterator[Contender]:
    """An id has one place in a ranking."""
    seen = set()
    for each in contenders:
        if each.id in seen:
            error = DocumentError(f'the id "{each.id}" stands twice; a ranking has one place for each id')
            if failures is None:
                raise error
            failures.append(error)
            continue
        seen.add(each.id)
        yield each


def _chosen(rubric: str | Path | Rubric | None) -> Rubric | None:
    return rubric if rubric is None or isinstance(rubric, Rubric) else library.load_rubric(str(rubric))


def _same_rubric(stated: Mapping[str, Any]) -> Rubric | None:
    """The rubric a scorecard names, if the one found here is the very same."""
    named = stated.get("rubric")
    if not isinstance(named, Mapping) or not isinstance(named.get("name"), str):
        return None
    place = library.find(named["name"])
    if place is None:
        return None
    try:
        rubric = library.load_place(place)
    except InputError:
        return None
    return rubric if terms_of(rubric).sha256 == named.get("sha256") else None


def _names(written: str, rubric: str) -> bool:
    """Whether what a judgement writes, a name or a path, means the rubric of this name."""
    return written == rubric or (library.is_path(written) and Path(written).stem == rubric)


def _open(path: str) -> Any:
    try:
        return open_documents(path)
    except InputError as error:
        return error


@lru_cache(maxsize=8)
def _read_output_file(path: str, changed: int) -> str:
    return read_text(path, limit=OUTPUT_LIMIT)


def _read_output(named: str, base: Path) -> str:
    path = str(base / named)
    try:
        changed = Path(path).stat().st_mtime_ns if Path(path).exists() else 0
        return _read_output_file(path, changed)
    except InputError as error:
        first = error.problems[0]
        raise JudgementError(Problem(f"the output {path} {first.message}", path=("output",))) from None


__all__ = ["Batch", "document", "load_rubric", "rank", "rank_files", "score", "score_files", "verify", "verify_files"]
