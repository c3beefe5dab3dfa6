"""The Python API: score, rank, verify, rubrics, stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.api.given_settings import read_settings
from evenhand.core.judgement import Judgement
from evenhand.core.ranking import Ranking
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.preference import Preferences
from evenhand.documents import scorecard as documents
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.judges.written import judgement_from
from evenhand.judging.files import Named, named_card, rank_cards
from evenhand.judging.recommended import recommended_document
from evenhand.judging.rubric_choice import log_warnings
from evenhand.judging.steps import Steps
from evenhand.rubrics.resolved import resolve
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.core.curve import Calibration
    from evenhand.decisions.changes import Changes
    from evenhand.decisions.decision import SetComparison
    from evenhand.store.protocol import Store
    from evenhand.trust.probes import ProbeOutcome


def score(
    judgement: Mapping[str, Any] | Judgement,
    *,
    rubric: str | Path | Rubric | None = None,
    output: str | None = None,
    task: str | None = None,
    id: str | None = None,
    created: str | None = None,
    store: Store | None = None,
    calibration: str | Path | Calibration | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Scorecard:
    """Turn a judgement into a scorecard.

    `judgement` is what a judgement file holds. `rubric` is a name, a path or a `Rubric`; without it
    the judgement's own is used, then the one of the skill's name, then the default. `output` is the
    text that was judged: with it every quote is checked. `id` and `created` are generated when not given.
    With a `store`, the scorecard is compared with the skill's earlier ones and kept.
    A file that the judgement names as its output is read from the current folder or below, or from a folder that the
    setting `score.allow_outputs` names.
    A `calibration` of the judge under this rubric, or its file, puts what people would give beside the scores.

    >>> card = score({"skill": "notes", "rubric": "default", "scores": dict.fromkeys(DIMENSIONS, 8)})
    >>> card.final, card.grade.letter
    (Decimal('8.00'), 'B+')
    """
    if created is not None:
        from evenhand.judging.keeper import moment

        moment(created)
    read = judgement if isinstance(judgement, Judgement) else judgement_from(judgement)
    if task is not None:
        read = read._replace(task=task)
    fitted, out_of_date = None, None
    if calibration is not None:
        from evenhand.judging.calibration import given_calibration

        fitted = given_calibration(calibration)
        out_of_date = None if store is None else _stale(store, fitted)
    allowed = read_settings(settings, "score.allow_outputs").get("allow_outputs", ())
    steps = Steps(rubric, calibration=fitted, out_of_date=out_of_date, allow_outputs=allowed)
    evaluated = steps.evaluate_written(read, output=output, id=id, created=created)
    if store is None:
        return evaluated.card
    from evenhand.judging.keeper import keep_one

    return keep_one(store, evaluated)


def _stale(store: Store, calibration: Calibration) -> str | None:
    from evenhand.trust.anchors import moved_since

    return moved_since(store, calibration)


def rescore(
    scorecard: Scorecard | Mapping[str, Any],
    *,
    rubric: str | Path | Rubric,
    judged_with: str | Path | Rubric | None = None,
    calibration: str | Path | Calibration | None = None,
    store: Store | None = None,
) -> Scorecard:
    """Score a judgement again under a changed rubric: its weights, pass mark and amounts. No judge is asked.

    Warnings name criteria that have changed since the judging and anything the judges were not asked about;
    `judged_with` is the rubric as it was then, for scorecards that do not record it. A `calibration` of the judge under
    this rubric, or its file, is applied as well, also when the rubric is the same. With a `store`, the new scorecard is
    kept there beside the original, and an open alarm of the judge's anchors is among the warnings.

    >>> card = score({"scores": dict.fromkeys(DIMENSIONS, 8) | {"safety": 4}}, rubric="default", id="first")
    >>> again = rescore(card, rubric="security-review")
    >>> card.final, again.final, again.rescored_from
    (Decimal('7.60'), Decimal('7.20'), 'first')
    """
    from evenhand.judging.calibration import given_calibration
    from evenhand.judging.rescoring import Rescorer, keep_rescored

    original = document(scorecard) if isinstance(scorecard, Scorecard) else scorecard
    loaded = None if calibration is None else given_calibration(calibration)
    out_of_date = None if store is None or loaded is None else _stale(store, loaded)
    rescored = Rescorer(rubric, judged_with=judged_with, calibration=loaded, out_of_date=out_of_date).rescore(original)
    return rescored.card if store is None else keep_rescored(store, rescored)


def read_submissions(
    path: str | Path, *, format: str | None = None, partial: bool = False
) -> Iterator[Submission | InputError]:
    """Every submission of a file or a folder: outputs, transcripts, logs. What cannot be read is an InputError among
    them, and so is a damaged file, unless `partial` asks for its readable part.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "answer.md")
    >>> _ = path.write_text("Cats sleep 12 to 16 hours a day.")
    >>> [submission.format for submission in read_submissions(path)]
    ['text']
    """
    from evenhand.transcripts import read

    return read(str(path), format, partial=partial)


def open_store(url: str) -> Store:
    """A store: a SQLite file by its path, or a PostgreSQL database by its URL. Created on the first write.

    In a `with` statement it is closed at the end.

    >>> import tempfile
    >>> store = open_store(tempfile.mkdtemp() + "/evaluations.db")
    >>> for points in (7, 8):
    ...     card = score({"skill": "notes", "scores": dict.fromkeys(DIMENSIONS, points)}, store=store)
    >>> card.history.n, card.history.dimensions["safety"].delta
    (1, 1.0)
    >>> [evaluation.grade for evaluation in store.evaluations("notes")]
    ['B-', 'B+']
    """
    from evenhand.store import open_store as opened

    store = opened(url)
    if store is None:
        raise InputError("none is not a store; omit the store to keep nothing")
    return store


def load_rubric(name_or_path: str | Path) -> Rubric:
    """A rubric by name (the project's, then the built-in ones) or by path.

    >>> load_rubric("code-review").pass_mark
    Decimal('7.00')
    """
    resolved = resolve(str(name_or_path))
    log_warnings(resolved.warnings)
    return resolved.rubric


def rank(entries: Iterable[Scorecard | Mapping[str, Any]], *, rubric: str | Path | Rubric | None = None) -> Ranking:
    """Order scorecards (or judgements and scorecard documents), best first.

    >>> low, high = ({"id": name, "scores": dict.fromkeys(DIMENSIONS, n)} for name, n in (("a", 6), ("b", 7)))
    >>> [(entry.rank, entry.id, entry.decided_by) for entry in rank([low, high]).entries]
    [(1, 'b', 'final'), (2, 'a', None)]
    """
    steps = Steps(rubric)
    cards = [
        Named(entry.id, entry) if isinstance(entry, Scorecard) else named_card(entry, steps, Path(), f"entry {place}")
        for place, entry in enumerate(entries, start=1)
    ]
    ranking, failures = rank_cards(cards)
    for failure in failures:
        raise failure
    return ranking


def history(store: Store, skill: str, *, last: int | None = None) -> list[Scorecard]:
    """A skill's scorecards in a store, oldest first.

    >>> import tempfile
    >>> store = open_store(tempfile.mkdtemp() + "/evaluations.db")
    >>> _ = score({"skill": "notes", "scores": dict.fromkeys(DIMENSIONS, 8)}, store=store)
    >>> [card.final for card in history(store, "notes")]
    [Decimal('8.00')]
    """
    from evenhand.core.numbers import own_number
    from evenhand.judging.kept.found_cards import cards_of_skill

    return [named.card for named in cards_of_skill(store, skill, last=own_number(last))]


def changes(before: Scorecard, after: Scorecard) -> Changes:
    """What moved from one scorecard to another, by how many points, and which evidence is new.

    >>> before, after = (score({"scores": dict.fromkeys(DIMENSIONS, 8) | {"safety": n}}) for n in (8, 5))
    >>> [(move.name, str(move.points)) for move in changes(before, after).moves]
    [('safety', '-0.30')]
    """
    from evenhand.decisions.changes import changes as changes_between

    return changes_between(before, after)


def better(
    before: Iterable[Scorecard],
    after: Iterable[Scorecard],
    *more: Iterable[Scorecard],
    cluster: str | None = None,
) -> SetComparison:
    """Whether one set is better or worse than another: paired by submission, id or task where possible.

    With more than two, every pair is compared. Cases of one `cluster` count once: `task`, `skill`, `folder`, or a
    column of a table, `cases.csv:repository`.

    >>> cards = [[score({"id": f"case {n}", "scores": dict.fromkeys(DIMENSIONS, s)}) for n in range(8)] for s in (6, 8)]
    >>> comparison = better(*cards)
    >>> comparison.paired_by, comparison.contrast.verdict, comparison.contrast.estimate
    ('id', 'better', 2.0)
    """
    from evenhand.judging.sets.case_clusters import read_clusters
    from evenhand.judging.sets.compared_sets import compare_sets

    sets = [[Named(card.id, card) for card in cards] for cards in (before, after, *more)]
    names = [f"set {place}" for place in range(1, len(sets) + 1)] if more else ["before", "after"]
    return compare_sets(names, sets, cluster_of=None if cluster is None else read_clusters(cluster))


def document(
    value: Scorecard | Ranking | Rubric | Preferences | ProbeOutcome, *, audit: bool = False
) -> dict[str, Any]:
    """A scorecard, ranking, rubric, comparison in pairs or judge's card in its published JSON shape; `audit` adds a
    scorecard's arithmetic.

    >>> shape = document(score({"scores": dict.fromkeys(DIMENSIONS, 8)}))
    >>> shape["schema"], shape["final"], shape["grade"]
    ('evenhand/scorecard/v1', 8, 'B+')
    """
    if isinstance(value, Preferences):
        from evenhand.decisions.preferences import preference_document

        return preference_document(value)
    if isinstance(value, Scorecard):
        return recommended_document(value, audit=audit)
    if isinstance(value, Ranking):
        return codec.document(value)
    if isinstance(value, Rubric):
        return documents.rubric_document(value)
    from evenhand.stats.trust.judge_card import card_document

    return card_document(*value)
