"""Single rules of trust: what is compared, what is refused and in which words, what holds unless something is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import judged, seven

import evenhand
from evenhand import InputError
from evenhand.decisions.preference import PairReading
from evenhand.errors import StoreUnavailable, Unavailable
from evenhand.files.tables import Row, Table
from evenhand.judges.probing.probes import PROBES, baseline, probe_items
from evenhand.options.model_options import ModelOptions
from evenhand.stats.agreement.coefficients import HEADLINES, coefficients
from evenhand.stats.agreement.kappa import ONLY_VALUE
from evenhand.stats.agreement.label_scales import scale_from
from evenhand.stats.agreement.ratings import Ratings
from evenhand.stats.agreement.resampling import Draws
from evenhand.store.record import record_of
from evenhand.store.tables.anchors import Anchor, AnchorRun
from evenhand.store.tables.judge_cards import StoredCard
from evenhand.trust import estimates
from evenhand.trust.anchors import OpenAlarm, frozen, judge_alarm, open_alarms, reports, run_anchors
from evenhand.trust.calibration import calibrate_pairs, labelled_pairs, note_calibration
from evenhand.trust.estimates import Drawn, EstimateRequest, estimate_difference, estimate_mean, estimate_pass_rate
from evenhand.trust.labels.judged_items import JudgedItem, JudgeKey
from evenhand.trust.labels.label_samples import drawn_at_random
from evenhand.trust.labels.table_layout import Options
from evenhand.trust.probes import ProbeTest, keep_card, lean, read_card, reversed_bands, stored_outcomes
from evenhand.trust.rater_agreement import Given, agree_table, ratings_of, report


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    opened.create()
    yield opened
    opened.close()


# --- agreement


def given(*rows: dict[str, str], judges: tuple[str, ...] = (), field: str = "safety", scale: str = "1-10") -> Given:
    values = {str(place): row for place, row in enumerate(rows)}
    return Given(field, scale_from(scale), values, frozenset(judges))


def compared(*entries: Given) -> list[tuple[str, str, str | None]]:
    made = report("here", entries, [], resamples=10)
    return [(entry.field, entry.between, entry.judge) for entry in made.comparisons]


def test_a_judge_is_compared_with_people_on_items_that_both_have() -> None:
    """One item is enough; with none there is nothing to compare."""
    shared = given({"m": "7", "ana": "6"}, {"m": "5"}, {"ana": "4"}, judges=("m",))
    apart = given({"m": "7"}, {"m": "5"}, {"ana": "4"}, judges=("m",))
    assert compared(shared) == [("safety", "judge and people", "m")]
    assert compared(apart) == []


def test_people_are_compared_with_each_other_and_judges_with_each_other() -> None:
    everyone = {"m": "7", "n": "6", "ana": "6", "bob": "5"}
    assert compared(given(everyone, everyone, judges=("m", "n"))) == [
        ("safety", "people", None),
        ("safety", "judge and people", "m"),
        ("safety", "judge and people", "n"),
        ("safety", "judges", None),
    ]
    assert compared(given({"ana": "6", "bob": "5"}, field="clarity", scale="1-5")) == [("clarity", "raters", None)]
    assert compared(given({"ana": "6", "bob": "5"})) == [("safety", "people", None)]
    assert compared(given({"m": "6", "n": "5"}, judges=("m", "n"))) == [("safety", "judges", None)]


def test_raters_come_in_the_order_given_and_then_as_they_appear() -> None:
    entry = given({"b": "1", "a": "2"}, {"c": "3"})._replace(order=("c", "gone", "a"))
    assert entry.raters == ["c", "a", "b"]


def test_items_that_none_of_the_raters_rated_are_left_out() -> None:
    rows = ratings_of(given({"ana": "1"}, {"bob": "2"}, {"ana": "3", "bob": "4"}), ["ana"]).rows
    assert len(rows) == 2


def table(*lines: str) -> Table:
    head, *rows = [line.split(",") for line in lines]
    made = [Row(n, {name: cell or None for name, cell in zip(head, row, strict=True)}) for n, row in enumerate(rows, 2)]
    return Table("t.csv", tuple(head), tuple(made))


MANY = table(
    "item,rater,final,safety,efficiency,adherence", "1,ana,7,6,5,4", "1,bob,6,5,4,3", "2,ana,5,5,5,5", "2,bob,4,4,4,4"
)


def test_a_table_is_compared_in_full_unless_a_summary_is_asked_for() -> None:
    whole, brief, left = (
        agree_table(MANY, Options(), resamples=10, **more) for more in ({}, {"full": False}, {"full": None})
    )
    assert [made.brief for made in (whole, brief, left)] == [False, True, True]
    assert len(whole.comparisons[0].coefficients) > len(brief.comparisons[0].coefficients)
    assert (whole.seed, whole.resamples) == (0, 10)


@pytest.mark.parametrize(
    ("names", "is_ordered", "kind"),
    [((), True, "numbers"), (("low", "high"), True, "ordered"), (("tabs", "spaces"), False, "categories")],
)
def test_a_summary_shows_what_fits_the_kind_of_values(names: tuple[str, ...], is_ordered: bool, kind: str) -> None:
    ratings = Ratings(("ana", "bob"), ((0, 0), (1, 1), (0, 1)), (0, 1, 2), 1, (0, 1), names, is_ordered)
    shown = [coefficient.name for coefficient in coefficients(ratings, brief=True)]
    assert sorted(shown) == sorted(HEADLINES[kind])


@pytest.mark.parametrize(("raters", "only_value"), [(4, False), (5, True)])
def test_kappa_of_more_than_six_pairs_of_raters_has_a_value_and_no_interval(raters: int, only_value: bool) -> None:
    """Four raters are six pairs, five are ten. Either way it is Cohen's of the pairs, averaged, over the items that two
    or more rated: all disagree on none of them, so it is 1, and the item that one alone rated does not count."""
    rows = [(value,) * raters for value in (0, 1) * 20]
    alone: tuple[int | None, ...] = (0, *(None,) * (raters - 1))
    ratings = Ratings(tuple("abcde"[:raters]), (*rows, alone), tuple(range(41)), 1, (0, 1), ("no", "yes"), False)
    (kappa,) = [made for made in coefficients(ratings, Draws(resamples=20)) if made.name == "kappa"]
    assert (kappa.value, kappa.items, kappa.no_interval == ONLY_VALUE) == (1.0, 40, only_value)


def test_of_two_values_of_one_rater_neither_counts_unless_they_are_the_same() -> None:
    text = table(
        "item,rater,final", "1,ana,7", "1,ana,6", "2,ana,5", "2,ana,5", "1,bob,7", "2,bob,5", "3,ana,4", "3,bob,4"
    )
    with pytest.raises(InputError, match='ana rated "1" on line 2 already'):
        agree_table(text, Options(), resamples=10)
    (made,) = agree_table(text, Options(), resamples=10, skip_bad=True).comparisons
    assert made.items == 2  # of the first, one value is left


def test_a_judge_that_nobody_is_is_refused() -> None:
    with pytest.raises(InputError, match='no rater is named "eve"; raters: ana, bob'):
        agree_table(MANY, Options(), judges=["eve"])


# --- estimates


def item(passed: bool | None = True, /, **people: float) -> JudgedItem:
    card = judged(seven(8))
    record = record_of(card, completed=0, submission=None, keep_text=False)
    document = json.loads(record.scorecard) | {"passed": passed, "pass_mark": 7.0}
    return JudgedItem("i", record._replace(scorecard=json.dumps(document)), people, frozenset())


@pytest.mark.parametrize(
    ("items", "verdicts"),
    [
        ([item(None, final=8)], []),
        ([item(True)], [(True, None)]),
        ([item(False, final=7.0)], [(False, True)]),
        ([item(True, final=6.99)], [(True, False)]),
        ([item(True, **{"pass": 1.0, "final": 1.0})], [(True, True)]),
        ([item(True, **{"pass": 0.25})], [(True, False)]),
        ([item(True, **{"pass": 0.5, "final": 9.0})], [(True, None)]),
    ],
)  # fmt: skip
def test_who_passes_by_labels_of_passing_or_else_by_the_final_score(
    items: list[JudgedItem], verdicts: list[tuple[bool, bool | None]]
) -> None:
    """What the judge neither passed nor failed is left out; people of two minds give no verdict."""
    assert [verdict for verdict in estimates._verdicts(items) if verdict is not None] == verdicts


def test_labels_are_not_taken_for_random_unless_declared(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    key = JudgeKey('{"name":"m"}', "h", "r")
    monkeypatch.setattr(estimates, "judged_items", lambda *_, **__: (key, [item(final=8.0)] * 29))
    with pytest.raises(InputError, match="drawn at random from all judged ones; if they were, say so"):
        estimates.estimate_store(store, EstimateRequest("mean"))
    with pytest.raises(InputError, match="no estimate: "):  # random, and yet too few
        estimates.estimate_store(store, EstimateRequest("mean"), random_labels=True)


@pytest.mark.parametrize(
    ("what", "skills", "doubtful", "message"),
    [
        ("difference", ("a", "b"), True, "a difference of doubtful items is not supported"),
        ("difference", ("a",), False, "a difference is between two skills; name both"),
        ("difference", ("a", "b", "c"), False, "a difference is between two skills; name both"),
        (
            "mean",
            ("a", "b"),
            False,
            "a mean is of one skill, or of all; for two name: evenhand trust estimate difference",
        ),
    ],
)
def test_how_many_skills_an_estimate_is_of(
    store: Any, what: Any, skills: tuple[str, ...], doubtful: bool, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        estimates.estimate_store(store, EstimateRequest(what), skills=skills, doubtful=doubtful)


ROWS: list[tuple[float, float | None]] = [(5 + n % 5, 4 + n % 5 if n < 90 else None) for n in range(200)]


def test_a_difference_is_the_second_minus_the_first_where_people_saw_both() -> None:
    first = [(5.0 + n % 3, 4.0 + n % 3 if n < 80 else None) for n in range(200)]
    second = [(6.0 + n % 4, 6.0 + n % 4 if n < 70 else None) for n in range(200)]
    made = estimate_difference(first, second, "x", EstimateRequest("difference"))
    assert (made.labels, made.unlabelled, made.what) == (70, 130, "difference")
    assert made.result.value > 1.5


def test_chances_go_with_their_rows_and_allow_no_precision() -> None:
    chances = [0.5 if people is not None else None for _, people in ROWS]
    made = estimate_mean(ROWS, "x", EstimateRequest("mean"), Drawn(chances))
    assert (made.labels, made.precision, made.labels_needed) == (90, None, None)
    for estimate, rows in ((estimate_mean, ROWS), (estimate_pass_rate, [(True, n < 30) for n in range(60)])):
        call: Any = estimate
        with pytest.raises(InputError, match="can be computed only where all items had the same chance"):
            call(rows, "x", EstimateRequest("mean", precision=0.1), Drawn([0.5] * len(rows)))
    for wrong in (None, 0.0, 1.5):
        with pytest.raises(InputError, match="each label needs its sampling probability"):
            estimate_mean([(5.0, 4.0)], "x", EstimateRequest("mean"), Drawn([wrong]))
    assert estimate_mean(ROWS, "x", EstimateRequest("mean", precision=0.3)).labels_needed is not None


def test_a_sample_of_items_is_that_of_one_round() -> None:
    """The largest, or the first by name; labels from elsewhere do not count if doubt chose any of them."""

    def chosen(*rounds: tuple[str, str]) -> JudgedItem:
        return item(final=8.0)._replace(rounds=frozenset(rounds))

    doubtful, small, large = chosen(("doubt", "d")), chosen(("sample", "a")), chosen(("sample", "b"))
    kept = drawn_at_random([doubtful, small, large, large], False)
    assert [bool(entry.people) for entry in kept] == [False, False, True, True]
    tie = drawn_at_random([doubtful, large, small], False)
    assert [bool(entry.people) for entry in tie] == [False, False, True]
    assert drawn_at_random([small, small], False) == [small, small]
    with pytest.raises(InputError, match="say so with"):
        drawn_at_random([small, large], False)
    assert drawn_at_random([small, large], True) == [small, large]
    for unknown in ([item()], [item(final=5.0)]):
        with pytest.raises(InputError, match="say so with"):
            drawn_at_random(unknown, False)
    with pytest.raises(InputError, match="1 of the labelled items were chosen for review by doubt"):
        drawn_at_random([doubtful, item(final=5.0)], True)


# --- calibrations

MILD = [(n / 10, n / 10 - 1) for n in range(20, 80)]
"""A judge that gives one point more than people do."""


def test_too_few_labels_are_reported_with_the_number_that_is_needed() -> None:
    key = JudgeKey('{"name":"m"}', "h", "r")
    with pytest.raises(InputError, match="3 labelled outputs are too few to calibrate m with rubric r: a 95%"):
        calibrate_pairs(key, {"final": [(1.0, 2.0)] * 3, "safety": [(1.0, 1.0)]})
    with pytest.raises(InputError, match="0 labelled outputs are too few"):
        calibrate_pairs(key, {})
    made = calibrate_pairs(key, {"final": MILD, "safety": [(1.0, 1.0)]}, raters=["a"])
    assert made.left_out["safety"].startswith("1 labelled outputs; a 95% interval needs ")
    assert made.left_out["efficiency"] == "no one labelled it" and "final" in made.curves
    assert (made.raters, made.rubric, made.rubric_sha256, dict(made.judge)) == (("a",), "r", "h", {"name": "m"})
    assert labelled_pairs([(1.0, None), (2.0, 3.0)]) == [(2.0, 3.0)]


def test_a_calibration_is_noted_only_in_a_store_with_anchors_of_its_judge(store: Any) -> None:
    key = JudgeKey('{"name":"m"}', "h", "r")
    made = calibrate_pairs(key, {"final": MILD})
    note_calibration(store, made)
    assert store.last_calibration("m") is None
    add_run(store, "1", "2026-01-01")
    note_calibration(store, made)
    assert store.last_calibration("m") == made.created


# --- anchors


def add_run(store: Any, id: str, created: str, *, alarm: int = 0, **document: Any) -> None:
    told = {"spec": "openai:m", "judge": {"name": "m"}, "served": ["m-1"], "scores": {}, **document}
    with store.transaction():
        store.add_anchor_run(AnchorRun(id, created, "default", "m", "{}", alarm, json.dumps(told)))


def add_anchor(store: Any) -> None:
    from evenhand.trust.anchors import add_anchors

    path = Path(store.url).with_name("a.md")
    path.write_text("An output.")
    assert add_anchors(store, [str(path)], rubric="default") == (1, 0)
    assert add_anchors(store, [str(path)], rubric="default") == (0, 1)


HOW = "[`thorough`=true] [`samples`=N] [`temperature`=N]"


def test_a_run_that_cannot_be_asked_for_again_says_what_to_name(store: Any) -> None:
    add_anchor(store)
    add_run(store, "1", "2026-01-01", judge={"name": "m", "address": "http://a/v1"}, asked={"base_url": ""})
    with pytest.raises(InputError) as error:
        run_anchors(store, ModelOptions())
    assert str(error.value) == (
        'the last run of the set "default" does not say where its judge was asked, since the address held a key; name '
        f"the judge and how to ask it: `judge` openai:m `base_url` http://a/v1 {HOW}"
    )


def test_a_set_that_nobody_judged_needs_a_judge(store: Any) -> None:
    with pytest.raises(InputError, match=r'no anchors in the set "default" of .*; add some with'):
        run_anchors(store, ModelOptions())
    add_anchor(store)
    with pytest.raises(InputError, match='no judge has judged the set "default" yet; name one with `judge`'):
        run_anchors(store, ModelOptions())
    with pytest.raises(InputError, match=r'no anchors in the set "x" of .*; it has default; add some'):
        frozen(store, "x")


def test_an_anchor_that_was_changed_is_damage(store: Any) -> None:
    add_anchor(store)
    (anchor,) = frozen(store, "default")
    with store.transaction():
        store.add_anchors([Anchor(*anchor)._replace(set_name="y", text=anchor.text.replace("An", "The"))])
    with pytest.raises(StoreUnavailable, match="is damaged: its text is not the one that was frozen"):
        frozen(store, "y")


def scores(value: int) -> dict[str, Any]:
    return {f"a{n}": {"final": value} for n in range(12)}


def test_every_run_is_compared_with_the_first_since_the_newest_calibration(store: Any) -> None:
    for id, created, value in (
        ("1", "2026-01-01", 700),
        ("2", "2026-01-02", 600),
        ("3", "2026-01-04", 600),
        ("4", "2026-01-05", 600),
    ):
        add_run(store, id, created, scores=scores(value), alarm=int(id in ("2", "3")), served=[f"m-{id}"])
    first, second, *_ = reports(store, "default")
    assert (first.reference, first.moved, first.alarm, first.changes) == (None, (), False, ())
    assert (second.reference, second.alarm, second.anchors) == ("2026-01-01", True, 12)
    assert second.changes == ("the model that answers: m-1, now m-2",)
    assert open_alarms(store) == {}  # the last run was in order
    with store.transaction():
        store.note_calibration("m", "2026-01-03", "h")
    made = reports(store, "default")
    assert [entry.reference for entry in made] == [None, "2026-01-01", None, "2026-01-04"]
    assert made[3].alarm is False


@pytest.mark.parametrize(
    ("calibrated", "open_"), [(None, True), ("2026-01-01", True), ("2026-01-02", False), ("2026-01-03", False)]
)
def test_an_alarm_is_open_until_a_calibration_that_is_as_new(store: Any, calibrated: str | None, open_: bool) -> None:
    add_run(store, "1", "2026-01-01", scores=scores(700))
    add_run(store, "2", "2026-01-02", scores=scores(600), alarm=1)
    if calibrated is not None:
        with store.transaction():
            store.note_calibration("m", calibrated, "h")
    alarms = open_alarms(store)
    assert (set(alarms) == {"m"}) is open_
    if calibrated is None:
        assert alarms["m"] == OpenAlarm("m", "2026-01-02", "2026-01-01", "final -1.00")


def test_a_stored_run_that_is_damaged_is_named(store: Any) -> None:
    with store.transaction():
        store.add_anchor_run(AnchorRun("7", "2026-01-01", "default", "m", "{}", 0, '{"spec": 1}'))
    with pytest.raises(StoreUnavailable, match="the stored run 7 of anchors is damaged"):
        reports(store, "default")


def test_a_scorecard_without_drift_has_no_alarm_of_its_judge() -> None:
    assert judge_alarm(judged(seven(8)), {"": OpenAlarm("", "2026", None, "")}) is None


# --- probes


def reading(verdict: str) -> PairReading:
    return PairReading("first", verdict)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        (("first", "first"), 1.0),
        (("second", "second"), -1.0),
        (("first", "second"), 0.0),
        (("first", "tie"), 0.5),
        (("first", None), None),
    ],
)
def test_how_far_a_judge_leans_to_what_is_shown_first(verdicts: tuple[Any, ...], value: float | None) -> None:
    assert lean([reading(verdict) for verdict in verdicts]) == value


def test_checks_cannot_be_probed() -> None:
    with pytest.raises(InputError, match="checks calls no model; there is nothing to probe"):
        ProbeTest("checks", ModelOptions())


def test_reversed_bands_begin_with_the_lowest() -> None:
    rubric = evenhand.load_rubric("default")
    turned = reversed_bands(rubric)
    assert turned.dimensions["safety"].bands == rubric.dimensions["safety"].bands[::-1]
    assert turned.weights == rubric.weights


def test_a_card_that_nobody_made_says_which_there_are(store: Any) -> None:
    with pytest.raises(InputError, match=r'no card of a judge "m" in .*s\.db; make one with: evenhand trust probe m'):
        stored_outcomes(store, "m")
    assert stored_outcomes(store) == []
    with store.transaction():
        store.add_judge_card(StoredCard("1", "2026", "n", "{}", "damaged"))
    with pytest.raises(InputError, match="it has cards of n; make one with"):
        stored_outcomes(store, "m")
    with pytest.raises(Unavailable, match="the stored card 1 is damaged"):
        stored_outcomes(store, "n")
    with pytest.raises(Unavailable, match="the stored card x is damaged"):
        read_card(StoredCard("x", "", "", "", "{}"))


def test_without_a_store_a_card_is_compared_with_nothing() -> None:
    card: Any = object()
    assert keep_card(card, None) == (card, None, ())


def test_a_probe_without_its_second_reading_has_no_change():
    """A scorecard that is missing is not one that did not change."""
    probe = next(probe for probe in PROBES if probe.dimension is not None)
    first, *others = probe_items()
    names = [*baseline(probe), probe.second]
    cards: dict[Any, Any] = {(item.id, name): judged(seven(7)) for item in (first, *others) for name in names}
    cards[first.id, probe.second] = None
    changes = ProbeTest("openai:m", ModelOptions(), needs_key=False)._changes(probe, cards)
    assert (changes.final[first.id], changes.dimension[first.id]) == (None, None)
    assert {changes.final[item.id] for item in others} == {0.0}
