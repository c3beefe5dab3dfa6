"""The Python API: every argument reaches what it is for, and without it the default holds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import seven

import evenhand
import flat_calls
from evenhand import InputError
from evenhand.decisions.preference import Preferences
from evenhand.errors import Unavailable
from evenhand.trust import anchors, calibration, estimates, probes
from evenhand.work.submission import Submission

OPTIONS: dict[str, Any] = {
    "base_url": "http://localhost:1/v1",
    "thorough": True,
    "samples": 3,
    "temperature": 0.7,
    "concurrency": 5,
    "max_calls": 11,
    "max_cost": "2.5",
}
"""Arguments that several functions share, each unlike its default and unlike the others."""

AS_OPTIONS = OPTIONS | {"max_cost": Decimal("2.5")}
DEFAULTS: dict[str, Any] = {
    "base_url": None,
    "thorough": False,
    "samples": 1,
    "temperature": None,
    "concurrency": None,
    "max_calls": None,
    "max_cost": None,
}


def given(options: Any, names: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}


# --- anchors and probes


@pytest.fixture
def anchored(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the functions behind the API were called with."""
    calls: list[Any] = []

    def add(*words: Any, **more: Any) -> tuple[int, int]:
        calls.append((words, more))
        return 4, 9

    def run(*words: Any, **more: Any) -> str:
        calls.append((words, more))
        return "report"

    monkeypatch.setattr(anchors, "add_anchors", add)
    monkeypatch.setattr(anchors, "run_anchors", run)
    return calls


def test_anchors_are_added_to_the_default_set_unless_another_is_named(anchored: list[Any]) -> None:
    store: Any = object()
    assert evenhand.trust.add_anchors(store, [Path("a.md"), "b"]) == 4
    assert evenhand.trust.add_anchors(store, ["c"], set="other", rubric="devops", task="Fix it") == 4
    (first, more), (second, others) = anchored
    assert (first[0], list(first[1]), more) == (
        store,
        ["a.md", "b"],
        {"set_name": "default", "rubric": None, "task": None},
    )
    assert (list(second[1]), others) == (["c"], {"set_name": "other", "rubric": "devops", "task": "Fix it"})


def test_anchors_are_run_as_asked(anchored: list[Any]) -> None:
    store: Any = object()
    report: Any = "report"
    assert flat_calls.run_anchors(store) == report
    assert flat_calls.run_anchors(store, "openai:m", set="other", **OPTIONS) == report
    (first, more), (second, others) = anchored
    assert first[0] is store and given(first[1], DEFAULTS) == DEFAULTS
    assert more == {"judge": None, "set_name": "default"}
    assert given(second[1], OPTIONS) == AS_OPTIONS and others == {"judge": "openai:m", "set_name": "other"}


def test_a_judge_is_probed_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def test_of(*words: Any, **more: Any) -> str:
        made.append((words, more))
        return "test"

    monkeypatch.setattr(probes, "ProbeTest", test_of)
    monkeypatch.setattr(probes, "probe_judge", lambda test, store: (test, store))
    store: Any = object()
    outcome: Any = flat_calls.probe("openai:m")
    assert outcome == ("test", None)
    outcome = flat_calls.probe("openai:m", quick=True, store=store, replies=Path("r.db"), **OPTIONS)
    assert outcome == ("test", store)
    (first, more), (second, others) = made
    assert first[0] == second[0] == "openai:m" and (more, others) == (
        {"quick": False, "on": None},
        {"quick": True, "on": None},
    )
    assert given(first[1], DEFAULTS) == DEFAULTS and first[1].replies is None
    assert given(second[1], OPTIONS) == AS_OPTIONS and second[1].replies == "r.db"


# --- pairs of outputs


class Panel:
    """Stands in for judges: what they were opened with, and what they were given to compare."""

    made: list[Panel]
    result: tuple[Any, ...] = ("result",)
    stopped: str | None = None

    def __init__(self, names: tuple[str, ...], options: Any, **more: Any) -> None:
        self.names, self.options, self.more = names, options, more
        self.pairs: Any = None
        type(self).made.append(self)

    async def __aenter__(self) -> Panel:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class Comparison:
    """Stands in for a comparison by models."""

    def __init__(self, panel: Panel, steps: Any) -> None:
        self.panel = panel
        panel.more["rubric"] = steps

    async def compare_here(self, pairs: Any) -> tuple[Any, ...]:
        self.panel.pairs = pairs
        return self.panel.result

    def preferences(self, matched: Any, results: Any) -> Any:
        return matched, results


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> type[Panel]:
    class Fresh(Panel):
        made: list[Panel] = []  # noqa: RUF012

    module = sys.modules[evenhand.side_by_side.__module__]
    monkeypatch.setattr(module, "OpenPanel", Fresh)
    monkeypatch.setattr(module, "PairComparison", Comparison)
    monkeypatch.setattr(module, "Steps", lambda rubric: rubric)
    return Fresh


def awaited(*words: Any, **more: Any) -> Preferences:
    return asyncio.run(flat_calls.prefer_async(*words, **more))


WAYS = pytest.mark.parametrize("prefer", [flat_calls.prefer, awaited], ids=["side_by_side", "side_by_side_async"])


@WAYS
def test_a_comparison_is_made_as_asked(compared: type[Panel], prefer: Callable[..., Any]) -> None:
    shared = {name: value for name, value in OPTIONS.items() if name not in ("thorough", "samples")}
    files = {"fresh": True, "replies": Path("r.db"), "record": Path("rec"), "replay": Path("rep"), "language": "German"}

    class Store:
        secret = staticmethod(lambda: b"s")

    prefer({"a": "x", "b": "y"}, judges=["j", "k"], rubric="devops", store=Store(), batch=True, **shared, **files)
    prefer({"a": "x", "b": "y"}, judges="j")
    first, second = compared.made
    assert (first.names, second.names) == (("j", "k"), ("j",))
    assert given(first.options, shared) == {name: AS_OPTIONS[name] for name in shared}
    assert given(first.options, files) == {
        "fresh": True, "replies": "r.db", "record": "rec", "replay": "rep", "language": "German",
    }  # fmt: skip
    assert first.more == {"rubric": "devops", "secret": Store.secret} and first.options.batch is True
    assert given(second.options, DEFAULTS) == DEFAULTS and second.options.fresh is False
    assert given(second.options, {"record": None, "replay": None, "language": None}) == {
        "record": None, "replay": None, "language": None,
    }  # fmt: skip
    assert second.more == {"rubric": None, "secret": None} and second.options.batch is False


def outputs_of(pairs: Any) -> list[tuple[str, str, str, str]]:
    return [(pair.item, pair.first.output, pair.second.output, pair.first.task or "") for pair in pairs]


@WAYS
def test_outputs_are_matched_by_order_or_by_id(compared: type[Panel], prefer: Callable[..., Any]) -> None:
    """A task and a reference are for those that have none."""
    prefer(
        {"a": ["x1", Submission("x2", task="own")], "b": ["y1", Submission("y2", task="own")]},
        judges="j",
        task="shared",
        reference="r",
    )
    named = [[Submission(f"{name}{id}", id=id) for id in ids] for name, ids in (("x", "12"), ("y", "21"))]
    prefer({"a": named[0], "b": named[1]}, judges="j")
    first, second = (made.pairs for made in compared.made)
    assert [(pair.item, pair.first.task, pair.first.reference) for pair in first] == [
        ("output 1", "shared", "r"), ("output 2", "own", "r"),
    ]  # fmt: skip
    assert sorted((pair.item, *sorted((pair.first.output, pair.second.output))) for pair in second) == [
        ("1", "x1", "y1"), ("2", "x2", "y2"),
    ]  # fmt: skip


def test_ids_match_outputs_only_if_all_have_one(compared: type[Panel]) -> None:
    evenhand.side_by_side({"a": [Submission("x1", id="1"), "x2"], "b": ["y1", Submission("y2", id="1")]}, judges="j")
    assert [pair.item for pair in compared.made[0].pairs] == ["output 1", "output 2"]


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"a": "x"}, "give at least two systems to compare"),
        ({"a": ["x", "y"], "b": ["z"]}, "different numbers of outputs, which can only be matched by id"),
        ({"a": [Submission("x", id="1")] * 2, "b": [Submission("y", id="1")]}, "a has two outputs with the same id"),
    ],
)
def test_outputs_that_cannot_be_matched_are_refused(
    compared: type[Panel], systems: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        flat_calls.prefer(systems, judges="j")


@pytest.mark.parametrize(
    ("stopped", "message"), [(None, "no pair was compared"), ("the budget is spent", "the budget")]
)
def test_a_comparison_without_any_result_is_unavailable(
    compared: type[Panel], monkeypatch: pytest.MonkeyPatch, stopped: str | None, message: str
) -> None:
    monkeypatch.setattr(compared, "result", ())
    monkeypatch.setattr(compared, "stopped", stopped)
    with pytest.raises(Unavailable, match=message):
        flat_calls.prefer({"a": "x", "b": "y"}, judges="j")


# --- agreement and labels


def test_lists_of_values_are_a_table_with_numbered_items() -> None:
    report = evenhand.trust.agree(
        {"ana": [1, None, 3, 3], "bob": [1, 2, 3, 4], "m": [1, 2, 2, 4]}, judges=["m"], resamples=20
    )
    assert [(entry.between, entry.judge) for entry in report.comparisons] == [
        ("people", None), ("judge and people", "m"),
    ]  # fmt: skip
    assert (report.seed, report.resamples, report.source) == (0, 20, "ratings")
    with pytest.raises(InputError) as error:
        evenhand.trust.agree({"ana": ["x", 1, 2, 3], "bob": [1, 2, 3, 4]})
    assert "ratings:1:" in str(error.value)  # the first value is in row 1
    other = evenhand.trust.agree(
        {"ana": [1, 2], "bob": [1, 2]}, fields=["safety"], settings={"trust.seed": 7}, resamples=20
    )
    assert (other.seed, other.comparisons[0].field) == (7, "safety")


@pytest.mark.parametrize("ratings", [{"ana": [1, 2], "bob": [1]}, {"item": [1, 2], "bob": [1, 2]}, {}])
def test_lists_that_are_not_a_table_are_refused(ratings: dict[str, list[int]]) -> None:
    with pytest.raises(InputError, match="give each rater a list of values, all of one length"):
        evenhand.trust.agree(ratings)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def test_options_for_a_store_are_refused_for_a_file_and_vice_versa(store: Any) -> None:
    with pytest.raises(InputError, match="skill is for a store"):
        evenhand.trust.agree({"ana": [1, 2], "bob": [1, 2]}, skill="s")
    wrong: list[dict[str, Any]] = [{"scale": "1-5"}, {"roles": {}}, {"settings": {"labels.rows": True}}]
    for more in wrong:
        with pytest.raises(InputError, match="scale, roles and how a file is read are for a file or for lists"):
            evenhand.trust.agree(store, **more)


def test_a_file_is_read_as_asked(tmp_path: Path, store: Any) -> None:
    file = tmp_path / "t.csv"
    file.write_text("A table of marks\ncase,who,mark\n1,ana,2\n1,bob,3\n2,ana,4\n2,bob,5\n")
    roles = {"case": "item", "who": "rater", "mark": "quality"}
    report = evenhand.trust.agree(file, roles=roles, settings={"labels.skip": 1}, resamples=20)
    assert report.comparisons[0].items == 2
    file.write_text("case,who,mark\n1,ana,2\n1,bob,3\n2,ana,4\n2,bob,5\n")
    done = evenhand.trust.import_labels(
        store, file, roles=roles | {"mark": "final"}, scale="1-5", rule="linear", dry_run=True
    )
    assert (done.dry_run, done.added, {label.scale for label in done.labels}) == (True, 0, {"1-10"})
    assert [label.value for label in done.labels if label.item == "1" and label.rater == "human:ana"] == ["3.25"]
    file.write_text("text,value\nsome words,7\n")
    done = evenhand.trust.import_labels(store, file, rater="eve", field="safety", settings={"labels.join": "text"})
    (label,) = done.labels
    assert (label.rater, label.field, label.kind, label.value, done.added) == ("human:eve", "safety", "text", "7", 1)


# --- calibration and estimates


def test_pairs_are_calibrated_and_stores_are_searched_as_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple[str, Any]] = []

    def noted(name: str) -> Any:
        def note(*words: Any, **more: Any) -> str:
            calls.append((name, (words, more)))
            return name

        return note

    for name in ("calibrate_store", "calibrate_pairs", "note_calibration", "write_calibration"):
        monkeypatch.setattr(calibration, name, noted(name))
    card = evenhand.score({"scores": seven(8), "judge": "model:a"}, rubric="default")
    store: Any = object()
    evenhand.trust.calibrate(store)
    evenhand.trust.calibrate(
        store, like=card, skill="s", judge="j", rubric="r", confidence=0.8, out=tmp_path / "c.json"
    )
    evenhand.trust.calibrate([(1, 2), (3, 4)], like=card, confidence=0.9, out="c.json")
    names = [name for name, _ in calls]
    assert names == ["calibrate_store", "calibrate_store", "write_calibration", "note_calibration", "calibrate_pairs", "write_calibration"]  # fmt: skip # noqa: E501
    (_, first), (_, second), (_, written), (_, note), (_, pairs), _ = calls
    assert first == ((store,), {"skill": None, "judge": None, "rubric": None, "like": None, "confidence": 0.95})
    more = second[1]
    assert (more["skill"], more["judge"], more["rubric"], more["confidence"]) == ("s", "j", "r", 0.8)
    assert more["like"].identity == {"name": "model:a"}
    assert written[0] == ("calibrate_store", tmp_path / "c.json") and note[0] == (store, "calibrate_store")
    assert pairs[0][1] == {"final": [(1.0, 2.0), (3.0, 4.0)]}
    assert pairs[1] == {"confidence": 0.9, "clusters": None, "skills": ["unnamed"]}
    with pytest.raises(InputError, match="pairs of scores do not say whose they are"):
        evenhand.trust.calibrate([(1, 2)])


def test_estimates_are_asked_of_a_store_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(estimates, "estimate_store", lambda *words, **more: calls.append((words, more)))
    card = evenhand.score({"scores": seven(8), "judge": "model:a"}, rubric="default")
    store: Any = object()
    evenhand.trust.estimate("mean", store)
    evenhand.trust.estimate(
        "difference", store, random_labels=True, skills=["a", "b"], judge=card, rubric="r",
        settings={"trust.doubtful": True, "trust.field": "safety", "trust.pass_mark": 7.5, "trust.confidence": 0.8,
                  "trust.precision": 0.25},
    )  # fmt: skip
    evenhand.trust.estimate("mean", store, skills="one", judge="j")
    (first, more), (second, others), (_, third) = calls
    assert first == (store, estimates.EstimateRequest("mean"))
    assert more == {
        "skills": (), "judge": None, "rubric": None, "like": None, "random_labels": False, "doubtful": False,
    }  # fmt: skip
    assert second[1] == estimates.EstimateRequest("difference", "safety", 0.8, 0.25, 7.5)
    assert others.pop("like").identity == {"name": "model:a"}
    assert others == {"skills": ("a", "b"), "judge": None, "rubric": "r", "random_labels": True, "doubtful": True}
    assert (third["skills"], third["judge"], third["like"]) == (("one",), "j", None)


def test_pairs_are_estimated_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A score that reaches the mark passes; people's too."""
    calls: list[Any] = []
    monkeypatch.setattr(estimates, "estimate_mean", lambda *words: calls.append(words))
    monkeypatch.setattr(estimates, "estimate_pass_rate", lambda *words: calls.append(words))
    rows: list[tuple[float, float | None]] = [(7, 6), (8, 7), (6.5, None)]
    evenhand.trust.estimate("mean", rows, random_labels=True)
    evenhand.trust.estimate("pass-rate", rows, random_labels=[0.5, 0.25, None], settings={"trust.pass_mark": 7})
    (scores, _, _, none), (verdicts, _, request, chances) = calls
    assert (scores, none) == ([(7.0, 6.0), (8.0, 7.0), (6.5, None)], (None, None))
    assert (verdicts, chances) == ([(True, False), (True, True), (False, None)], ([0.5, 0.25, None], None))
    assert request.pass_mark == 7
    for more, message in (
        ({}, "drawn at random from all judged ones"),
        ({"random_labels": [0.5]}, "give one chance of `random_labels` for each pair"),
        ({"random_labels": True, "clusters": ["a"]}, "give one of `clusters` for each pair"),
    ):
        with pytest.raises(InputError, match=message):
            evenhand.trust.estimate("mean", rows, **more)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"trust\.pass_mark is required: the lowest passing score"):
        evenhand.trust.estimate("pass-rate", rows, random_labels=True)
    assert evenhand.trust.estimate("difference", rows, random_labels=True) is None
    assert calls[-1][2].what == "difference"


# --- scorecards


def test_none_is_not_a_store() -> None:
    with pytest.raises(InputError, match="none is not a store; omit the store to keep nothing"):
        evenhand.open_store("none")


def test_scorecards_and_judgements_are_ranked_together() -> None:
    card = evenhand.score({"scores": seven(6)}, id="card")
    other = evenhand.score({"scores": seven(5)}, id="other")
    ranking = evenhand.rank([card, {"scores": seven(7)}, evenhand.document(other)])
    assert [entry.id for entry in ranking.entries] == ["entry 2", "card", "other"]
    with pytest.raises(InputError, match="correctness is missing"):
        evenhand.rank([{"scores": {}}])
    assert evenhand.rank([{"scores": seven(7)}], rubric="devops").entries[0].rank == 1


def test_the_last_scorecards_of_a_skill_come_oldest_first(store: Any) -> None:
    for number in range(3):
        evenhand.score({"skill": "s", "scores": seven(6 + number)}, id=f"c{number}", store=store)
    assert [card.id for card in evenhand.history(store, "s")] == ["c0", "c1", "c2"]
    assert [card.id for card in evenhand.history(store, "s", last=2)] == ["c1", "c2"]


def test_a_document_has_the_arithmetic_if_asked() -> None:
    card = evenhand.score({"scores": seven(8)})
    assert set(evenhand.document(card, audit=True)) - set(evenhand.document(card)) == {"audit"}
    assert evenhand.document(evenhand.rank([card]))["schema"] == "evenhand/ranking/v1"
    assert evenhand.document(evenhand.load_rubric("devops"))["name"] == "devops"
