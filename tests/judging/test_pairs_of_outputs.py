"""Outputs of several systems: which belong together, and what judges make of each pair of them."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest

import evenhand
import flat_calls
import models_here
from evenhand import InputError, Submission, Unavailable
from evenhand.errors import Problem
from evenhand.judging.panels import preferences
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.preferences import PairComparison, _item, match_items, match_outputs
from evenhand.judging.steps import Steps
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import CallFailed
from evenhand.rubrics.resolved import resolve

GOOD = "The deploy waits for the health check, and rolls back when it fails."
BAD = "Just restart the server and hope that nobody notices it."


@pytest.fixture
def models(monkeypatch, tmp_path):
    """Models that prefer what waits for the health check, wherever it is shown."""
    monkeypatch.chdir(tmp_path)
    made = models_here.install(monkeypatch)
    made.prefers = lambda judge, first, second: (
        "tie" if ("health" in first) == ("health" in second) else "first" if "health" in first else "second"
    )
    return made


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def lines(path: Path, *rows: dict[str, str]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def pairs(matched) -> list[tuple[str, str, str, str, str]]:
    return [(pair.item, pair.a, pair.b, pair.first.output, pair.second.output) for pair in matched.pairs]


# --- which outputs belong together


def test_two_files_are_one_pair_whatever_they_are_called(tmp_path):
    """In the order in which they are named, under their names."""
    write(tmp_path, one_md=GOOD, two_md=BAD)
    matched = match_outputs([str(tmp_path / "two.md"), str(tmp_path / "one.md")])
    assert pairs(matched) == [("the output", "two.md", "one.md", BAD, GOOD)]
    assert (matched.systems, matched.unmatched, matched.failures) == (("two.md", "one.md"), (), ())


def test_files_of_one_name_go_by_their_paths(tmp_path):
    """The last part would not tell them apart; a slash at the end is not part of a name."""
    write(tmp_path, a__out_md=GOOD, b__out_md=BAD)
    names = [str(tmp_path / "a" / "out.md"), str(tmp_path / "b" / "out.md")]
    assert match_outputs(names).systems == tuple(names)
    write(tmp_path, x__case__1_md=GOOD, y__case__1_md=BAD)
    folders = [f"{tmp_path}/x/case/", f"{tmp_path}/y/case/"]
    assert match_outputs(folders).systems == tuple(folder.rstrip("/") for folder in folders)


def test_the_same_file_twice_is_refused(tmp_path):
    """A system is not compared with itself."""
    write(tmp_path, one_md=GOOD)
    with pytest.raises(InputError, match="the same file or folder is named twice; give each system once"):
        match_outputs([str(tmp_path / "one.md"), str(tmp_path / "one.md")])


def test_folders_are_matched_by_the_path_within_them(tmp_path):
    """Also where the file's own name occurs in two subfolders; the rest is listed with its system."""
    write(tmp_path, a__x__1_md="ax", a__y__1_md="ay", a__2_md="a2", b__x__1_md="bx", b__y__1_md="by", b__3_md="b3")
    matched = match_outputs([str(tmp_path / "a"), str(tmp_path / "b")])
    assert sorted(pairs(matched)) == [("x/1.md", "a", "b", "ax", "bx"), ("y/1.md", "a", "b", "ay", "by")]
    assert sorted(matched.unmatched) == [("a", "2.md"), ("b", "3.md")]


def test_files_of_many_submissions_are_matched_by_id(tmp_path):
    """Whatever their order."""
    first = lines(tmp_path / "a.jsonl", {"id": "1", "output": "a1"}, {"id": "2", "output": "a2"})
    second = lines(tmp_path / "b.jsonl", {"id": "2", "output": "b2"}, {"id": "1", "output": "b1"})
    assert pairs(match_outputs([first, second])) == [
        ("1", "a.jsonl", "b.jsonl", "a1", "b1"),
        ("2", "a.jsonl", "b.jsonl", "a2", "b2"),
    ]


def test_an_id_that_occurs_twice_is_refused_with_its_line(tmp_path):
    """Nobody could tell which of the two is meant."""
    first = lines(tmp_path / "a.jsonl", {"id": "1", "output": "a1"}, {"id": "1", "output": "a2"})
    second = lines(tmp_path / "b.jsonl", {"id": "1", "output": "b1"}, {"id": "2", "output": "b2"})
    with pytest.raises(InputError, match=r'a\.jsonl:2: "1" occurs twice; outputs are matched by id, or by path'):
        match_outputs([first, second])


def test_three_systems_are_compared_each_with_each():
    """What only two of them have is compared by those two, and said to be missing in the third."""
    outputs = {
        name: {item: Submission(output=name + item) for item in items}
        for name, items in {"a": "12", "b": "12", "c": "1"}.items()
    }
    matched = match_items(outputs)
    assert [(pair.item, pair.a, pair.b) for pair in matched.pairs] == [
        ("1", "a", "b"),
        ("2", "a", "b"),
        ("1", "a", "c"),
        ("1", "b", "c"),
    ]
    assert matched.unmatched == (("a", "2"), ("b", "2"))


def test_single_outputs_are_matched_by_name_on_request_only():
    """The runs of a suite belong to their cases."""
    outputs = {"a": {"case 1": Submission(output=GOOD)}, "b": {"case 2": Submission(output=BAD)}}
    assert [pair.item for pair in match_items(outputs).pairs] == ["the output"]
    with pytest.raises(InputError, match="no output of a and b belongs to the same item; outputs are matched by id"):
        match_items(outputs, by_name=True)
    three = outputs | {"c": {"case 3": Submission(output=BAD)}}
    with pytest.raises(InputError, match="no output of a, b and c belongs to the same item"):
        match_items(three, by_name=True)


@pytest.mark.parametrize("field", ["task", "reference"])
def test_two_tasks_or_references_make_no_pair_and_one_is_shared(field):
    """One that only one side has is for both; two different ones would compare answers to different questions."""
    with_one = {"a": {"1": Submission(output=GOOD, **{field: "x"})}, "b": {"1": Submission(output=BAD)}}
    (pair,) = match_items(with_one).pairs
    assert (getattr(pair.first, field), getattr(pair.second, field)) == ("x", "x")
    two = with_one | {"b": {"1": Submission(output=BAD, source="b.md", **{field: "y"})}}
    matched = match_items(two)
    assert matched.pairs == ()
    (failure,) = matched.failures
    assert str(failure) == (
        f"b.md: the output: a and b have different {field}s, so they cannot be compared; give one with --{field}"
    )


def test_what_cannot_be_read_is_a_failure_beside_the_pairs(tmp_path):
    """And nothing else is lost; a task and a reference given here are for all."""
    first = lines(tmp_path / "a.jsonl", {"id": "1", "output": "a1"}, {"id": "2"})
    second = lines(tmp_path / "b.jsonl", {"id": "1", "output": "b1", "task": "Old."}, {"id": "2", "output": "b2"})
    matched = match_outputs([first, second], task="Deploy.", reference="Wait.")
    assert [pair.item for pair in matched.pairs] == ["1"]
    assert matched.pairs[0].second.task == "Deploy."
    assert matched.pairs[0].first.reference == "Wait."
    assert ["a.jsonl:2" in str(failure) for failure in matched.failures] == [True]


# --- what judges make of them


def run(models, *judges: str, **options) -> PairComparison:
    return PairComparison(OpenPanel(judges or ("openai:one",), ModelOptions(**options)), Steps("default"))


def matched_of(count: int):
    return match_items(
        {
            "good": {f"{number}": Submission(output=f"{GOOD} {number}") for number in range(count)},
            "bad": {f"{number}": Submission(output=f"{BAD} {number}") for number in range(count)},
        },
        by_name=True,
    )


def test_results_come_in_the_order_of_the_pairs_and_each_is_asked_in_both_orders(models):
    """Two calls a pair; the whole comparison has the systems, the judge and the rubric."""
    matched = matched_of(3)
    asking = run(models)
    results = list(asking.compare(matched.pairs))
    assert [(result.item, result.a, result.b, result.outcome) for result in results] == [
        (number, "good", "bad", "a") for number in "012"
    ]
    assert models.count == 6
    assert (asking.left_out, asking.panel.stopped) == (0, None)
    made = asking.preferences(matched, results)
    assert (made.systems, made.results, made.left_out) == (("good", "bad"), tuple(results), 0)
    assert [identity["name"] for identity in made.judges] == ["openai:one"]
    assert list(made.rubrics) == ["default"]


def test_an_order_that_decides_is_not_a_preference(models):
    """The first place both times."""
    models.prefers = lambda judge, first, second: "first"
    (result,) = run(models).compare(matched_of(1).pairs)
    assert result.outcome == "inconsistent"


def test_more_than_half_of_the_judges_decide(models):
    """Two of three prefer b."""
    models.prefers = lambda judge, first, second: (
        "first" if ("health" in first) == (judge == "openai:one") else "second"
    )
    (result,) = run(models, "openai:one", "openai:two", "openai:three").compare(matched_of(1).pairs)
    assert (result.outcome, [entry.outcome for entry in result.judges]) == ("b", ["a", "b", "b"])
    assert result.calls.asked == 6


def test_a_limit_leaves_pairs_out_and_counts_them(models):
    """Four calls are two pairs of five, one after another."""
    matched = matched_of(5)
    asking = run(models, max_calls=4, concurrency=1)
    results = list(asking.compare(matched.pairs))
    assert models.count == 4
    assert len(results) + asking.left_out == 5
    assert asking.left_out >= 3
    assert asking.panel.stopped is not None and "4" in asking.panel.stopped
    assert asking.preferences(matched, results).left_out == asking.left_out


def test_leaving_early_asks_no_more(models):
    """Who takes one result only does not pay for a hundred."""
    asking = run(models, concurrency=1)
    results = asking.compare(matched_of(100).pairs)
    assert next(results).item == "0"
    results.close()  # type: ignore[attr-defined]
    assert models.count < 40


def test_a_provider_out_of_reach_leaves_out_what_no_one_decided(models):
    """It is not a verdict, and the run says why."""
    models.fails = lambda number: CallFailed("nobody answers", kind="unreachable")
    asking = run(models)
    assert list(asking.compare(matched_of(2).pairs)) == []
    assert (asking.left_out, asking.panel.out_of_reach) == (2, True)


def test_a_plan_counts_calls_and_asks_nothing(models):
    """Two for each pair and judge; the prompts show both works in both orders."""
    asking = run(models, "openai:one", "openai:two")
    matched = matched_of(3)
    plans = asking.plan_pairs(matched.pairs)
    assert [(name, plan.calls) for name, plan in plans] == [("openai:one", 6), ("openai:two", 6)]
    shown = list(asking.pair_prompts(matched.pairs[0]))
    assert [name for name, _, _ in shown] == ["openai:one"] * 2 + ["openai:two"] * 2
    assert shown[0][1].startswith("0, ") and shown[0][1] != shown[1][1]
    texts = [messages[-1].content for _, _, messages in shown[:2]]
    assert [text.index(GOOD) < text.index(BAD) for text in texts] == [True, False]
    assert models.count == 0


# --- from Python


def test_outputs_are_compared_from_python(models):
    """One output each, or several by their order; a list of judges or one."""
    made = flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", task="Deploy.", rubric="default")
    assert [(result.item, result.a, result.b, result.outcome) for result in made.results] == [
        ("the output", "new", "old", "a")
    ]
    several = flat_calls.prefer({"new": [GOOD, BAD], "old": [BAD, GOOD]}, judges=["openai:one", "openai:two"])
    assert [(result.item, result.outcome) for result in several.results] == [("output 1", "a"), ("output 2", "b")]
    assert all("Deploy." in request.messages[-1].content for _, request in models.asked[:2])


def test_submissions_with_ids_are_matched_by_them(models):
    """Whatever their order; one that the other side lacks is listed."""
    new = [Submission(output=GOOD, id="1"), Submission(output=BAD, id="2"), Submission(output=GOOD, id="3")]
    old = [Submission(output=GOOD, id="2"), Submission(output=BAD, id="1")]
    made = flat_calls.prefer({"new": new, "old": old}, judges="openai:one")
    assert [(result.item, result.outcome) for result in made.results] == [("1", "a"), ("2", "b")]
    assert made.unmatched == (("new", "3"),)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"new": GOOD}, "give at least two systems to compare"),
        (
            {"new": [GOOD, BAD], "old": [BAD]},
            "the systems have different numbers of outputs, which can only be",
        ),
        (
            {"new": [Submission(output=GOOD, id="1")] * 2, "old": [Submission(output=BAD, id="1")] * 2},
            "new has two outputs with the same id; each must be unique",
        ),
        (
            {"new": Submission(output=GOOD, task="a"), "old": Submission(output=BAD, task="b")},
            "new and old have different tasks",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anybody_is_asked(models, systems, message):
    """In one line."""
    with pytest.raises(InputError, match=message):
        flat_calls.prefer(systems, judges="openai:one")
    assert models.count == 0


def test_a_task_and_a_reference_are_for_those_that_have_none(models):
    """A submission's own comes first."""
    own = Submission(output=GOOD, task="Own task.", reference="Own reference.")
    other = Submission(output=BAD, task="Own task.")
    flat_calls.prefer({"new": own, "old": other}, judges="openai:one", task="Given.", reference="Own reference.")
    text = models.asked[0][1].messages[-1].content
    assert ("Own task." in text, "Given." in text, "Own reference." in text) == (True, False, True)


def test_a_limit_before_any_pair_is_an_error_and_one_after_some_is_counted(models):
    """What was compared is worth having."""
    with pytest.raises(Unavailable, match="call"):
        flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_calls=1)
    made = flat_calls.prefer(
        {"new": [GOOD] * 3, "old": [BAD] * 3}, judges="openai:one", max_calls=4, concurrency=1, fresh=True
    )
    assert 1 <= len(made.results) <= 2
    assert made.left_out == 3 - len(made.results)


def test_the_ways_of_asking_reach_the_judges(models, tmp_path):
    """Language and temperature are part of who judged; replies that are kept are not asked for again."""
    replies = str(tmp_path / "replies.db")
    arguments = {"judges": "openai:one", "language": "German", "temperature": 0.5, "replies": replies}
    store = evenhand.open_store(str(tmp_path / "s.db"))
    made = flat_calls.prefer({"new": GOOD, "old": BAD}, store=store, **arguments)
    assert made.judges[0]["language"] == "German"
    assert {dict(request.sampling)["temperature"] for _, request in models.asked} == {0.5}
    assert models.count == 2
    again = asyncio.run(flat_calls.prefer_async({"new": GOOD, "old": BAD}, store=store, **arguments))
    assert (models.count, again.results[0].outcome) == (2, "a")
    flat_calls.prefer({"new": GOOD, "old": BAD}, store=store, fresh=True, **arguments)
    assert models.count == 4
    store.close()


def test_a_cost_limit_needs_a_price(models, tmp_path):
    """And with one it holds: a call may cost up to its longest reply."""
    with pytest.raises(InputError, match="`max_cost` needs a price, and the price of openai:one is unknown"):
        flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_cost=Decimal(1))
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 1\nprice_output = 1\n")
    made = flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_cost="1")
    assert made.results[0].calls.cost == Decimal("0.0004")  # two calls, each 200 tokens at a dollar per million
    with pytest.raises(Unavailable):
        flat_calls.prefer({"new": GOOD, "old": BAD}, judges="openai:one", max_cost="0.000001", fresh=True)


def test_files_to_leave_out_are_left_out_of_both_sides(tmp_path: Path) -> None:
    """And only those to take are taken."""
    for system in ("old", "new"):
        for name in ("a.md", "b.md", "c.txt"):
            path = tmp_path / system / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{system} {name}\n")
    folders = [str(tmp_path / system) for system in ("old", "new")]

    def items(**chosen: tuple[str, ...]) -> list[str]:
        return sorted(pair.item for pair in match_outputs(folders, **chosen).pairs)  # type: ignore[arg-type]

    assert [name.rpartition("/")[2] for name in items()] == ["a.md", "b.md", "c.txt"]
    assert [name.rpartition("/")[2] for name in items(exclude=("b.md",))] == ["a.md", "c.txt"]
    assert [name.rpartition("/")[2] for name in items(include=("*.md",))] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    ("path", "submission", "item"),
    [
        ("set.jsonl", Submission("x", id="one", format="submissions", source="set.jsonl:1"), "one"),
        ("set.jsonl", Submission("x", format="submissions", source="set.jsonl:1"), "set.jsonl:1"),
        ("runs", Submission("x", id="one", format="claude-code", source="runs/deep/a.jsonl"), "deep/a.jsonl"),
        ("runs/", Submission("x", format="text", source="runs/a.md"), "a.md"),
        ("deep/a.md", Submission("x", format="text", source="deep/a.md"), "a.md"),
        ("deep/a.md", Submission("x", format="text"), "a.md"),
    ],
)
def test_an_item_is_named_by_its_id_in_a_set_and_else_by_its_path(path, submission, item):
    """What a transcript calls itself is not the item that it is about."""
    assert _item(path, submission) == item


def test_a_pair_is_compared_by_the_rubric_of_its_first_output(models):
    outputs = {"a": {"x": Submission("x", skill="writing")}, "b": {"x": Submission("y")}}
    (pair,) = match_items(outputs).pairs
    asking = PairComparison(OpenPanel(("openai:one",), ModelOptions()), Steps())
    assert (asking.rubric_of(pair).name, asking.rubric_hash(pair)[0]) == ("writing", "writing")


def test_the_chosen_format_and_partial_reading_apply_to_every_system(tmp_path, monkeypatch):
    """As text, a file of submissions is one output."""
    read = []

    def noting(paths, **more):
        read.append((paths, more))
        return iter([Submission("x", source=paths[0])])

    monkeypatch.setattr(preferences, "read_submissions", noting)
    match_outputs(["a", "b"], format="text", partial=True, task="t", reference="r", include=["i"], exclude=["e"])
    asked = {"format": "text", "partial": True, "task": "t", "reference": "r", "include": ["i"], "exclude": ["e"]}
    assert read == [(["a"], asked), (["b"], asked)]
    read.clear()
    match_outputs(["a", "b"])
    usual = {"format": None, "partial": False, "task": None, "reference": None, "include": (), "exclude": ()}
    assert read == [(["a"], usual), (["b"], usual)]


# --- in the caller's event loop


def test_pairs_are_compared_in_the_caller_s_loop_and_the_panel_stays_open(models):
    """In the order of the pairs, all of them counted; a second call can follow."""
    asking = run(models)
    matched = matched_of(3)

    async def twice() -> list[tuple[str, ...]]:
        return [tuple(result.item for result in await asking.compare_here(matched.pairs)) for _ in range(2)]

    assert asyncio.run(twice()) == [("0", "1", "2")] * 2
    assert (asking.left_out, models.count) == (0, 12)


def test_in_the_caller_s_loop_no_pair_is_begun_after_a_stop(models):
    asking = run(models)
    asking.panel.budget.stop("enough")
    assert asyncio.run(asking.compare_here(matched_of(3).pairs)) == ()
    assert (asking.left_out, models.count) == (3, 0)


def test_in_the_caller_s_loop_no_more_pairs_are_under_way_than_the_window(models, monkeypatch):
    asking = run(models)
    monkeypatch.setattr(type(asking.panel), "window", property(lambda panel: 2))
    under_way, most = [0], [0]

    async def compared(pair):
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        await asyncio.sleep(0)
        under_way[0] -= 1

    monkeypatch.setattr(asking, "_compared", compared)
    assert asyncio.run(asking.compare_here(matched_of(6).pairs)) == ()
    assert (most[0], asking.left_out) == (2, 6)


def test_after_a_fault_what_was_decided_counts_and_what_was_not_is_left_out(models):
    """Without a fault, an undecided pair is a result like any other."""
    asking = run(models)
    asking.panel.budget.broken = True
    (decided,) = asyncio.run(asking.compare_here(matched_of(1).pairs))
    assert decided.outcome == "a"
    models.fails = lambda number: CallFailed("the answer was cut off", kind="server")
    assert asyncio.run(asking.compare_here(matched_of(1).pairs)) == ()
    assert asking.left_out == 1
    (undecided,) = asyncio.run(run(models).compare_here(matched_of(1).pairs))
    assert undecided.outcome == "undecided"


def test_a_comparison_names_its_rubric_by_hash_and_every_problem_of_what_failed(models):
    failed = InputError([Problem("first", "a"), Problem("second", "b")])
    matched = matched_of(1)._replace(failures=(failed,), unmatched=(("good", "x"),))
    made = run(models).preferences(matched, ())
    assert made.failures == ("a: first", "b: second") and made.unmatched == (("good", "x"),)
    assert made.rubrics == {"default": resolve("default").terms.sha256}


@pytest.mark.parametrize(("names", "listed"), [("ab", "a and b"), ("abc", "a, b and c")])
def test_systems_that_share_no_item_are_all_named(names, listed):
    outputs = {name: {f"only {name}": Submission("x"), f"also {name}": Submission("y")} for name in names}
    with pytest.raises(InputError, match=f"no output of {listed} belongs to the same item"):
        match_items(outputs)


def test_an_item_that_not_all_systems_have_is_compared_by_those_that_have_it():
    """Of three systems, two share x and all share y."""
    x, y = Submission("x"), Submission("y")
    matched = match_items({"a": {"x": x, "y": y}, "b": {"y": y, "x": x}, "c": {"y": y}})
    assert [(pair.item, pair.a, pair.b) for pair in matched.pairs] == [
        ("x", "a", "b"), ("y", "a", "b"), ("y", "a", "c"), ("y", "b", "c"),
    ]  # fmt: skip
    assert matched.unmatched == (("a", "x"), ("b", "x"))
    known = match_items({"a": {"x": x, "z": x}, "b": {"y": y, "w": y}}, [InputError("unread")])
    assert (known.pairs, len(known.failures)) == ((), 1), "what could not be read may be why nothing matches"
