"""The public functions of `evenhand.trust`: whether a judge can be trusted, from Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from evenhand.api.given_settings import read_settings
from evenhand.core.curve import Calibration
from evenhand.core.numbers import own_number
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError, unknown
from evenhand.files.tables import Row, Table, cell_text
from evenhand.options.model_options import ModelOptions
from evenhand.stats.agreement.agreed import AgreementReport
from evenhand.stats.agreement.interval import RESAMPLES
from evenhand.trust.labels.judged_items import JudgeKey, key_of
from evenhand.trust.labels.rating_tables import READING, read_ratings
from evenhand.trust.labels.table_layout import Options
from evenhand.work.label import RATING

if TYPE_CHECKING:
    from evenhand.stats.trust.anchor_drift import AnchorReport
    from evenhand.stats.trust.estimated import Estimated, What
    from evenhand.store.protocol import Store
    from evenhand.trust.labels.label_import import LabelImport
    from evenhand.trust.probes import ProbeOutcome

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


# --- Labels into a store, and how far raters agree --------------------------------------------------------------------


_READING = tuple(f"labels.{name}" for name in READING)


def agree(
    source: Store | str | Path | Mapping[str, Sequence[Any]],
    *,
    judges: Iterable[str] = (),
    fields: Iterable[str] = (),
    skill: str | None = None,
    scale: str | None = None,
    roles: Mapping[str, str] | None = None,
    resamples: int = RESAMPLES,
    settings: Mapping[str, Any] | None = None,
) -> AgreementReport:
    """How far raters agree: in a store, in a table file, or in lists of values by rater (None where one is missing).

    `judges` are raters that are not people: each is compared with all people, and people with each other. `scale`
    ("1-5", "low<medium<high") and `roles` (by column, as with --map) are for a file or lists; `skill` for a store.
    Intervals come from `resamples` drawn anew, from `trust.seed` on. `settings` also say how a file is read, as in
    {"labels.missing": ["99"]}.

    >>> report = agree({"ana": [1, 2, 3, 3], "bob": [1, 2, 3, 4]}, scale="1-5")
    >>> round(report.comparisons[0].coefficient("alpha-interval").value, 3)
    0.889
    """
    given = read_settings(settings, "trust.seed", *_READING)
    drawn = {"seed": given.pop("seed", 0), "resamples": own_number(resamples)}
    if isinstance(source, str | os.PathLike | Mapping):
        from evenhand.trust.rater_agreement import agree_table

        if skill is not None:
            raise InputError("skill is for a store")
        wanted = tuple(fields)
        field = wanted[0] if len(wanted) == 1 else RATING
        if isinstance(source, Mapping):
            raters = {name: f"{name}:{field}" for name in source}  # a key is a rater, whatever its values look like
            table, options = _table(source), Options({"item": "item", **raters, **(roles or {})}, field=field)
        else:
            table, options = read_ratings(str(source), given, roles=dict(roles or {}), field=field)
        report = agree_table(table, options, judges=judges, scales=[scale] if scale else [], **drawn)
        kept = tuple(entry for entry in report.comparisons if not wanted or entry.field in wanted)
        return report._replace(comparisons=kept)
    from evenhand.trust.stored_agreement import agree_stored

    if scale is not None or roles is not None or given:
        raise InputError(
            "scale, roles and how a file is read are for a file or for lists; a store knows its labels' scale"
        )
    return agree_stored(source, skill=skill, fields=fields, judges=judges, **drawn)


def _table(ratings: Mapping[str, Sequence[Any]]) -> Table:
    lengths = {len(values) for values in ratings.values()}
    if len(lengths) != 1 or "item" in ratings:
        raise InputError("give each rater a list of values, all of one length; None where a value is missing")
    rows = tuple(
        Row(place + 1, {"item": str(place + 1), **{name: cell_text(values[place]) for name, values in ratings.items()}})
        for place in range(lengths.pop())
    )
    return Table("ratings", ("item", *ratings), rows)


def import_labels(
    store: Store,
    file: str | Path,
    *,
    roles: Mapping[str, str] | None = None,
    rater: str | None = None,
    field: str = RATING,
    scale: str | None = None,
    rule: str | None = None,
    dry_run: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> LabelImport:
    """People's labels from a CSV, JSON or Parquet file into a store; what was wrong with rows is in `problems`.

    `settings` say how the file is read: {"labels.each": ["responses"]}. With {"labels.skip_bad": True} rows that are
    not right are left out; otherwise nothing is added if one is not.

    >>> import tempfile, pathlib
    >>> from evenhand import open_store
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "labels.csv").write_text("item,rater,final\\ncase-1,ana,8\\ncase-1,bob,11\\n")
    >>> store = open_store(str(folder / "store.db"))
    >>> done = import_labels(store, folder / "labels.csv", settings={"labels.skip_bad": True})
    >>> done.added, done.problems[0].message
    (1, 'final by bob of "case-1": 11 is outside the scale 1-10')
    """
    from evenhand.trust.labels.label_import import import_labels as imported

    given = read_settings(settings, "labels.join", "labels.skip_bad", *_READING)
    skip_bad, kind = given.pop("skip_bad", False), given.pop("join", None)
    table, options = read_ratings(str(file), given, roles=dict(roles or {}), rater=rater, field=field, kind=kind)
    return imported(
        store,
        table,
        options,
        scales=[scale] if scale else [],
        rules=[rule] if rule else [],
        dry_run=dry_run,
        skip_bad=skip_bad,
    )


# --- Whether a judge has moved ----------------------------------------------------------------------------------------


def add_anchors(
    store: Store,
    names: Iterable[str | Path],
    *,
    set: str = "default",
    rubric: str | None = None,
    task: str | None = None,
) -> int:
    """Freeze submissions in a store, by file or by the id of an evaluation; how many were new.

    >>> import tempfile, pathlib
    >>> from evenhand import open_store
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "answer.md").write_text("Restart the service.")
    >>> add_anchors(open_store(str(folder / "store.db")), [folder / "answer.md"], rubric="default")
    1
    """
    from evenhand.files.text import refuse_path
    from evenhand.trust import anchors as anchoring

    refuse_path("task", task)
    return anchoring.add_anchors(store, map(str, names), set_name=set, rubric=rubric, task=task)[0]


def run_anchors(
    store: Store,
    judge: str | None = None,
    *,
    set: str = "default",
    options: ModelOptions | None = None,
) -> AnchorReport:
    """Judge anchors again, and compare with the judge's first scores. Without `judge`, that of the set's last run is
    asked at the same address and in the same way, except for options given now.

    `report.alarm` is whether the judge moved, `report.moved` has each field, `report.changes` what changed about the
    judge. The run is kept in the store; nothing enters a skill's history.
    Raises Unavailable when the run cannot be finished.
    """
    from evenhand.trust import anchors as anchoring

    options = options or ModelOptions()
    options.refuse_for("anchors", "a run over anchors")
    return anchoring.run_anchors(store, options, judge=judge, set_name=set)


# --- A judge's self-test ----------------------------------------------------------------------------------------------


def probe(
    judge: str,
    *,
    quick: bool = False,
    on: str | Path | Sequence[str | Path] | None = None,
    rubric: str | Path | Rubric | None = None,
    outputs: int = 10,
    store: Store | None = None,
    options: ModelOptions | None = None,
) -> ProbeOutcome:
    """Test a judge with built-in outputs that are changed in known ways; see `evenhand trust probe`.

    `on` names files or folders of your own outputs to test it with, judged by `rubric`; `outputs` is how many.

    `outcome.card.against` is what speaks against the judge, `outcome.card.results` has every probe with its effects.
    With a `store`, the card is kept and compared with the last one of the same judge: `outcome.since` and
    `outcome.changes`. `document` gives its published JSON shape. `options.replies` is a file in which a
    test that was stopped goes on; it is removed when the test is finished. Nothing enters a skill's history.
    Raises Unavailable when the judge cannot be reached, or a limit is hit before the end.
    """
    from evenhand.trust.probes import ProbeTest, own_material, probe_judge

    options = options or ModelOptions()
    options.refuse_for("probe", "a self-test")
    material = None
    if on is not None:
        paths = [on] if isinstance(on, str | Path) else [*on]
        material = own_material([str(path) for path in paths], rubric=rubric, most=own_number(outputs))
    elif rubric is not None:
        raise InputError("`rubric` goes with `on`; the built-in outputs have their own")
    return probe_judge(ProbeTest(judge, options, quick=quick, on=material), store)
