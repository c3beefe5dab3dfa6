"""The Python API's `calibrate` and `estimate`: from a store with labels, or from plain pairs of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from evenhand.api.given_settings import read_settings
from evenhand.core.curve import Calibration
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError, unknown
from evenhand.trust.labels.judged_items import JudgeKey, key_of

if TYPE_CHECKING:
    from evenhand.stats.trust.estimated import Estimated, What
    from evenhand.store.protocol import Store

_OF_REQUEST = ("field", "pass_mark", "confidence", "precision")


def calibrate(
    source: Store | Iterable[tuple[float, float]],
    *,
    like: Scorecard | None = None,
    skill: str | None = None,
    judge: str | None = None,
    rubric: str | None = None,
    confidence: float = 0.95,
    clusters: Sequence[str] | None = None,
    out: str | Path | None = None,
) -> Calibration:
    """Learn from people's labels what a judge's scores mean.

    `source` is a store with labels, or pairs of the judge's final score and people's; then `like` is a scorecard of
    the judge, `skill` what produced the outputs (default: the skill of `like`), and `clusters` the case or task of each
    pair, where outputs belong together. The calibration is bound to the judge, its prompt and the rubric. `out` is the
    file to write it to; with it, a store also notes that the judge was calibrated, which settles an alarm of its
    anchors.

    >>> card = score({"judge": "model:a", "scores": dict.fromkeys(DIMENSIONS, 8)}, rubric="default")
    >>> made = calibrate([(3 + n / 20, 2.5 + n / 20) for n in range(120)], like=card)
    >>> made.curves["final"].bias, made.curves["final"].method
    (0.5, 'line')
    >>> [(entry.use, entry.verdict) for entry in made.uses]
    [('compare', 'not-shown'), ('level', 'yes'), ('gate', 'yes')]
    >>> [ruling.colour for ruling in gate([card], calibration=made)]
    ['green']
    """
    from evenhand.trust.calibration import (
        calibrate_pairs,
        calibrate_store,
        labelled_pairs,
        note_calibration,
        write_calibration,
    )

    pairs = _pairs(source)
    if pairs is None:
        calibration = calibrate_store(
            source,  # type: ignore[arg-type]
            skill=skill,
            judge=judge,
            rubric=rubric,
            like=None if like is None else key_of(like),
            confidence=confidence,
        )
    elif like is None:
        raise InputError("pairs of scores do not say whose they are; give a scorecard of the judge as `like`")
    else:
        rows = [*pairs]
        if clusters is not None and len(clusters) != len(rows):
            raise InputError("give one of `clusters` for each pair")
        kept = (
            None if clusters is None else [name for name, row in zip(clusters, rows, strict=True) if row[1] is not None]
        )
        calibration = calibrate_pairs(
            key_of(like),
            {"final": labelled_pairs(rows)},
            confidence=confidence,
            clusters=None if kept is None else {"final": kept},
            skills=[skill or like.skill],
        )
    if out is not None:
        write_calibration(calibration, out)
        if pairs is None:
            note_calibration(source, calibration)  # type: ignore[arg-type]
    return calibration


def estimate(
    what: What,
    source: Store | Iterable[tuple[float, float | None]],
    *,
    random_labels: bool | Sequence[float | None] = False,
    clusters: Sequence[str] | None = None,
    skills: str | Sequence[str] = (),
    judge: str | Scorecard | None = None,
    rubric: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Estimated:
    """Estimate what people would say about all outputs: the "mean", the "pass-rate", or the "difference" of two skills.

    `source` is a store with labels, or pairs of the judge's score and people's, None where no one labelled it (for a
    difference, pairs of differences). `random_labels` declares that the labelled ones were drawn at random; where their
    chances differed it has the chance of each pair. Without it, and wherever the estimate would not hold, InputError
    says why. `clusters` has the case or task of each pair, where items belong together; a store knows them itself.
    `judge` is a name, or a scorecard that stands for its judge, prompt and rubric. `settings` are `trust.field`,
    `trust.pass_mark`, `trust.confidence`, `trust.precision` and `trust.doubtful`.

    >>> rows = [(5 + n % 5, 4 + n % 5 if n < 60 else None) for n in range(600)]
    >>> made = estimate("mean", rows, random_labels=True)
    >>> round(made.result.value, 2), round(made.result.judge_alone, 2)
    (6.0, 7.0)
    """
    from evenhand.stats.trust.estimated import What
    from evenhand.trust.estimates import (
        RANDOM_IN_PYTHON,
        Drawn,
        EstimateRequest,
        estimate_mean,
        estimate_pass_rate,
        estimate_store,
    )

    if what not in (kinds := get_args(What)):
        raise InputError(unknown("estimate", what, kinds))
    given = read_settings(settings, *(f"trust.{name}" for name in ("doubtful", *_OF_REQUEST)))
    request = EstimateRequest(what, **{name: value for name, value in given.items() if name in _OF_REQUEST})
    rows = _pairs(source)
    if rows is None:
        if not isinstance(random_labels, bool):
            raise InputError("a store records the chance of each label itself; give random_labels=True")
        key: JudgeKey | None = key_of(judge) if isinstance(judge, Scorecard) else None
        named = (skills,) if isinstance(skills, str) else tuple(skills)
        return estimate_store(
            source,  # type: ignore[arg-type]
            request,
            skills=named,
            judge=judge if isinstance(judge, str) else None,
            rubric=rubric,
            like=key,
            random_labels=random_labels,
            doubtful=given.get("doubtful", False),
        )
    if random_labels is False:
        raise InputError(RANDOM_IN_PYTHON)
    chances = None if isinstance(random_labels, bool) else random_labels
    if chances is not None and len(chances) != len(rows):
        raise InputError("give one chance of `random_labels` for each pair")
    if clusters is not None and len(clusters) != len(rows):
        raise InputError("give one of `clusters` for each pair")
    drawn = Drawn(chances, clusters)
    if what != "pass-rate":
        return estimate_mean(rows, "these outputs", request, drawn)
    pass_mark = request.pass_mark
    if pass_mark is None:
        raise InputError("trust.pass_mark is required: the lowest passing score")
    verdicts = [(judged >= pass_mark, None if people is None else people >= pass_mark) for judged, people in rows]
    return estimate_pass_rate(verdicts, "these outputs", request, drawn)


def _pairs(source: object) -> list[tuple[float, float | None]] | None:
    """Plain pairs as they are; None for a store."""
    if not isinstance(source, Iterable):
        return None
    return [(float(judge), people if people is None else float(people)) for judge, people in source]
