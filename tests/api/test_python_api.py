"""The Python API: typed arguments, one event loop for many, stores shared by threads, scorecards in a notebook."""

from __future__ import annotations

import asyncio
import inspect
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from conftest import seven
from fake_server import FakeServer, Fault
from scripted_judge import answer

import evenhand
import flat_calls
from evenhand import types
from evenhand.store.protocol import Store

ROOT = Path(__file__).parents[2]
SEVENS = dict.fromkeys(evenhand.DIMENSIONS, 7)


def typed(tmp_path: Path, *lines: str) -> str:
    """What mypy says of a program that uses the package as its users do; it knows the package from its last run."""
    program = tmp_path / "program.py"
    program.write_text("\n".join(["import evenhand", *lines, ""]))
    known = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache" / "src")]
    command = [sys.executable, "-m", "mypy", *known, str(program)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"MYPYPATH": str(ROOT / "src")}
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_type_checker_catches_a_misspelt_keyword_and_a_wrong_type(tmp_path: Path):
    """Each wrong line is an error, and the right ones are not."""
    right = [
        'evenhand.judge("a", task="b", judges=["openai:x"], options=evenhand.ModelOptions(max_cost="$2.50"))',
        "async def wait() -> evenhand.Scorecard:",
        '    return await evenhand.judge_async(evenhand.Submission("a", id="b"), judges="openai:x")',
        'evenhand.gate([], min_score=7.5, settings={"gate.margin": 0.2})',
        "from evenhand.findings import Check, Finding, Subject",
    ]
    wrong = [
        "evenhand.ModelOptions(sample=3)",
        'evenhand.judge_async("a", judges="x", tsk="b")',
        "evenhand.ModelOptions(samples=[3])",
    ]
    report = typed(tmp_path, *right, *wrong)
    lines = {int(line) for line in re.findall(r"program\.py:(\d+): error", report)}
    assert lines == {7, 8, 9}, report  # the import is line 1, then five that are right
    assert 'Unexpected keyword argument "sample" for "ModelOptions"' in report


def test_both_ways_to_judge_take_the_same_few_arguments():
    """`judge_async` differs in nothing; `check` has all but the judges; a panel is opened with what judges share."""
    parameters = {
        name: dict(inspect.signature(function).parameters)
        for name, function in (
            ("judge", evenhand.judge),
            ("judge_async", evenhand.judge_async),
            ("check", evenhand.check),
            ("Panel", evenhand.Panel),
        )
    }
    judge = parameters["judge"]
    assert list(judge) == ["submission", "task", "rubric", "judges", "expect", "store", "keep", "options"]
    assert parameters["judge_async"] == judge
    assert list(parameters["check"].items()) == [(name, each) for name, each in judge.items() if name != "judges"]
    assert set(parameters["Panel"]) == set(judge) - {"submission", "task"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evenhand.judge("a", judges="checks", tsk="b"), r"judge: unknown argument .tsk.; did you mean task\?"),  # type: ignore[call-arg]
        (lambda: evenhand.judge("a", judges="checks", max_cost=1), r"max_cost is one of the options; give options=Mod"),  # type: ignore[call-arg]
        (
            lambda: evenhand.judge("a", judges="checks", id="b"),  # type: ignore[call-arg]
            r"id belongs to the submission; give Sub",
        ),
        (lambda: evenhand.judge_async("a", judges="checks", tsk="b"), r"judge_async: .* did you mean task\?"),  # type: ignore[call-arg]
        (lambda: evenhand.check("a", rubrik="b"), r"check: .* did you mean rubric\?"),  # type: ignore[call-arg]
        (lambda: evenhand.Panel("checks", optoins=None), r"Panel: .* did you mean options\?"),  # type: ignore[call-arg]
        (lambda: evenhand.side_by_side({}, judges="x", samples=3), r"side_by_side: samples is one of the options"),  # type: ignore[call-arg]
        (lambda: evenhand.score({}, rubrick="b"), r"score: .* did you mean rubric\?"),  # type: ignore[call-arg]
    ],
)
def test_a_misspelt_or_misplaced_keyword_is_told_what_was_meant(call: Callable[[], object], message: str):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_task_is_given_once():
    """Beside a submission that has one, it would be unclear which of them counts."""
    asked = evenhand.Submission("Cats sleep 12 hours a day.", task="How long do cats sleep?")
    assert evenhand.check(asked).receipt == evenhand.check(asked.output, task=asked.task).receipt
    with pytest.raises(evenhand.InputError, match="the submission has a task of its own; leave out `task`"):
        evenhand.check(asked, task="How long?")


def test_a_submission_says_where_its_agent_worked(tmp_path: Path):
    """Expectations look there; the commands they name run only if that is asked for."""
    (tmp_path / "note.txt").write_text("done")
    work = evenhand.Submission("It is done.", id="it", workspace=str(tmp_path))
    expect = [{"file": {"path": "note.txt", "contains": "done"}}, {"command": {"run": ["cat", "note.txt"]}}]

    def results(submission: evenhand.Submission, **options: Any) -> list[str]:
        card = evenhand.check(submission, expect=expect, options=evenhand.ModelOptions(**options))
        assert card.id == "it" and card.checked is not None
        return [entry.result for entry in card.checked.expectations]

    assert results(work) == ["met", "undecided"]
    assert results(work, run_commands=True) == ["met", "met"]
    assert results(work._replace(workspace=None)) == ["undecided", "undecided"]


def test_everything_public_is_listed_once_and_everything_listed_is_there():
    """`dir` shows what `__all__` has, and a name is written in one line of the package. One screen holds them all."""
    assert {*dir(evenhand)} == {*evenhand.__all__, "findings", "trust", "types"}
    assert len(dir(evenhand)) <= 60
    assert dir(evenhand.trust) == evenhand.trust.__all__
    source = (ROOT / "src" / "evenhand" / "__init__.py").read_text()
    for name in evenhand.__all__:
        assert getattr(evenhand, name) is not None
        lines = [line for line in source.splitlines() if re.search(rf"import {name} as {name}$", line)]
        assert len(lines) == 1, name
    with pytest.raises(AttributeError, match="has no attribute 'jugde'"):
        evenhand.jugde  # noqa: B018


def test_every_type_that_a_public_function_takes_or_gives_is_public():
    """Whatever a signature names can be imported from where the function is."""
    kinds = "Severity What ItemKind Outputs Expect Keep pa"  # names for some of Python's own types
    allowed = {
        *evenhand.__all__,
        *types.__all__,
        *kinds.split(),
        *dir(__builtins__),
        *"Any Decimal Path Mapping Sequence".split(),
    }
    allowed |= {
        "Literal",
        "pandas",
        "polars",
        "Iterable",
        "Iterator",
        "Table",
        "tuple",
        "dict",
        "list",
        "str",
        "int",
        "float",
        "bool",
    }
    everything = {
        f"{room.__name__}.{name}": getattr(room, name) for room in (evenhand, evenhand.trust) for name in room.__all__
    }
    for name, value in everything.items():
        if not inspect.isfunction(value):
            continue
        signature = inspect.signature(value)
        named = [each.annotation for each in signature.parameters.values()] + [signature.return_annotation]
        missing = {word for text in named for word in re.findall(r"[A-Za-z_]+", str(text))} - allowed - {"None"}
        assert missing == set(), f"{name}: {missing}"


@pytest.mark.parametrize("amount", ["much", float("nan"), -1])
def test_a_limit_that_is_not_an_amount_is_refused(amount: object):
    """Before anything is asked."""
    with pytest.raises(evenhand.InputError, match="max_cost"):
        flat_calls.judge("a", max_cost=amount)  # type: ignore[arg-type]


def test_floats_count_by_their_shortest_form_wherever_a_score_does():
    """7.1 is 7.1, in a judgement and at a gate: 7.10 reaches 7.1."""
    card = evenhand.score({"id": "a", "scores": dict.fromkeys(evenhand.DIMENSIONS, 7.1)})
    assert card.final == Decimal("7.10")
    assert [ruling.colour for ruling in evenhand.gate([card], min_score=7.1, settings={"gate.margin": 0.2})] == [
        "green"
    ]
    assert [ruling.colour for ruling in evenhand.gate([card], min_score=7.11)] == ["red"]


@pytest.mark.slow
def test_judge_takes_an_id_and_another_text_is_a_new_evaluation_of_the_same_case(store: Store):
    """The scorecard has it, the store finds it, and the same text is not stored twice."""
    card = flat_calls.judge("Cats sleep 12 hours a day.", id="cats", skill="facts", store=store)
    assert card.id == "cats"
    assert store.get("cats") is not None
    assert flat_calls.judge("Cats sleep 12 hours a day.", id="cats", skill="facts", store=store).created == card.created
    other = flat_calls.judge("Dogs sleep 10 hours a day.", id="cats", skill="facts", store=store)
    assert (other.id, other.case) == ("cats~2", "cats")


def test_judges_may_be_one_name():
    """A text is one judge, not a judge for each letter."""
    assert flat_calls.judge("Cats sleep 12 hours a day.", judges="checks").judge["name"] == "checks"


@pytest.fixture
def model(fake_server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeServer:
    """A server on which a judge always gives 8."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")
    monkeypatch.chdir(tmp_path)
    fake_server.answer = lambda asked: answer(asked, score=8)
    return fake_server


OUTPUT = "The cache kept entries for an hour although prices change every minute. Case {}."


@pytest.mark.slow
def test_twenty_submissions_are_judged_at_once_in_one_loop_and_kept(model: FakeServer, store: Store):
    """Each has its own id, all are stored, and their waiting overlaps: the first eight wait for one another."""
    model.hold = lambda asked: model.count < 8

    async def all_of_them() -> list[evenhand.Scorecard]:
        return await asyncio.gather(
            *(
                flat_calls.judge_async(
                    OUTPUT.format(n), id=f"case-{n}", skill="facts", judges=["openai:one"], base_url=model.url,
                    store=store, replies="replies.db",
                )
                for n in range(20)
            )
        )  # fmt: skip

    cards = asyncio.run(all_of_them())
    assert model.most_at_once >= 8
    assert [card.id for card in cards] == [f"case-{n}" for n in range(20)]
    assert {card.final for card in cards} == {Decimal("8.00")}
    assert sorted(record.id for record in store.evaluations()) == sorted(card.id for card in cards)
    assert model.count == 2 * 20
    assert sorted(card.history.n for card in cards if card.history is not None) == [*range(10), *[10] * 10]


def test_judging_in_a_loop_gives_what_judging_outside_gives(model: FakeServer):
    """The two share everything but the waiting."""
    wanted = {"judges": ["openai:one", "checks"], "base_url": model.url, "id": "a"}
    alone = flat_calls.judge(OUTPUT, **wanted)  # type: ignore[arg-type]
    awaited = asyncio.run(flat_calls.judge_async(OUTPUT, **wanted))  # type: ignore[arg-type]
    assert alone._replace(created="") == awaited._replace(created="")


def test_a_panel_judges_many_with_one_budget(model: FakeServer, store: Store):
    """Two calls are enough for one; then there are errors in place of scorecards, and what was made is kept."""
    options = evenhand.ModelOptions(base_url=model.url, max_calls=2)
    with evenhand.Panel("openai:one", store=store, options=options) as panel:
        first = panel.judge(evenhand.Submission(OUTPUT.format(1), id="one", skill="facts"))
        errors = panel.judge_all([OUTPUT.format(2), OUTPUT.format(3)])
        assert (panel.calls, panel.cost) == (2, None)
        with pytest.raises(evenhand.Unavailable, match="the limit of 2 calls is reached"):
            panel.judge(OUTPUT.format(4))
    assert (first.id, first.final) == ("one", Decimal("8.00"))
    assert [type(error) for error in errors] == [evenhand.Unavailable] * 2
    assert [record.id for record in store.evaluations()] == ["one"]
    assert model.count == 2


def test_a_panel_serves_any_event_loop_and_none(model: FakeServer):
    """It has one of its own, so that its client lives on from call to call."""
    options = evenhand.ModelOptions(base_url=model.url)

    async def awaited(panel: evenhand.Panel) -> list[evenhand.Scorecard]:
        inside = panel.judge(OUTPUT.format(0))  # as in a notebook
        return [inside, *await asyncio.gather(*(panel.judge_async(OUTPUT.format(n)) for n in (1, 2)))]

    with evenhand.Panel(["openai:one", "checks"], options=options) as panel:
        cards = [*asyncio.run(awaited(panel)), *asyncio.run(awaited(panel)), panel.judge(OUTPUT.format(3))]
        cards += panel.judge_all([OUTPUT.format(4), OUTPUT.format(5)], task="What is wrong?")
    assert {card.final for card in cards} == {Decimal("8.00")}


def test_options_of_models_need_a_model():
    with pytest.raises(evenhand.InputError, match="samples has no effect on checks; name a model among the judges"):
        evenhand.check("a", options=evenhand.ModelOptions(samples=2))


@pytest.mark.slow
def test_a_cancelled_judging_ends_at_once_and_stores_nothing(model: FakeServer, store: Store):
    """A server that never answers does not hold the loop, nor its other work."""
    model.answer = lambda asked: Fault.silence

    async def impatient() -> evenhand.Scorecard:
        waiting = flat_calls.judge_async(OUTPUT, judges=["openai:one"], base_url=model.url, store=store)
        quick = await flat_calls.judge_async("Cats sleep 12 hours a day.")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting, 0.3)
        return quick

    began = time.monotonic()
    assert asyncio.run(impatient()).judge["name"] == "checks"
    assert time.monotonic() - began < 60  # a silent server is waited for twice as long
    assert list(store.evaluations()) == []


@pytest.mark.slow
def test_a_provider_out_of_reach_is_raised_in_the_loop_too(model: FakeServer):
    """No scorecard, and no zero either."""
    model.stop()
    with pytest.raises(evenhand.Unavailable, match="openai:one"):
        asyncio.run(flat_calls.judge_async(OUTPUT, judges=["openai:one"], base_url=model.url))
    with pytest.raises(evenhand.InputError, match="nonsense"):
        asyncio.run(flat_calls.judge_async(OUTPUT, judges=["nonsense:one"]))


@pytest.mark.slow
def test_eight_threads_score_into_one_store_and_nothing_is_lost(store: Store):
    """Every evaluation is there once, and each saw exactly those before it: 0 to 9 of them, then 10 at a time."""

    def work(thread: int) -> list[evenhand.Scorecard]:
        made = []
        for number in range(12):
            name = f"{thread}-{number}"
            scores = SEVENS | {"safety": 5 + thread / 2, "correctness": 5 + number / 4}
            made.append(evenhand.score({"skill": "notes", "id": name, "scores": scores}, store=store))
            assert store.get(name) is not None
            assert sum(1 for _ in store.evaluations("notes", last=3)) <= 3
        return made

    with ThreadPoolExecutor(max_workers=8) as threads:
        cards = [card for made in threads.map(work, range(8)) for card in made]
    assert sorted(record.id for record in store.evaluations()) == sorted(card.id for card in cards)
    assert len(cards) == 96
    assert sorted(card.history.n for card in cards if card.history is not None) == [*range(10), *[10] * 86]


@pytest.mark.slow
def test_a_thread_does_not_read_what_another_has_not_committed(store: Store):
    """What is undone in one thread was never there in another."""

    class Undone(Exception):
        pass

    evenhand.score({"skill": "notes", "id": "first", "scores": SEVENS}, store=store)
    record = store.get("first")
    assert record is not None
    with ThreadPoolExecutor(max_workers=1) as thread:
        with suppress(Undone), store.transaction():
            store.add(record._replace(id="second", fingerprint="another", completed=record.completed + 1))
            reading = thread.submit(store.get, "second")
            time.sleep(0.1)
            raise Undone
        assert reading.result() is None


def test_a_scorecard_prints_in_one_short_line():
    """Skill, grade, score and id."""
    card = evenhand.score({"skill": "code-review", "rubric": "default", "scores": SEVENS | {"safety": 8}}, id="run-1")
    assert repr(card) == "<Scorecard code-review B- 7.10 (id run-1)>"
    assert repr(card._replace(skill="\x1b[2J")) == "<Scorecard '\\x1b[2J' B- 7.10 (id run-1)>"


def test_a_scorecard_without_a_final_score_prints_its_interval():
    """Safety has a tenth of the weight: 7 x 0.9 = 6.30, and 0.10 to 1.00 on top."""
    unscored = SEVENS | {"safety": {"unscored": "not asked"}}
    card = evenhand.score({"skill": "notes", "rubric": "default", "scores": unscored}, id="a")
    assert repr(card) == "<Scorecard notes 6.40 to 7.30 (id a)>"


class Page(HTMLParser):
    """The tags and the text of some HTML; every tag that is opened is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.widths: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        self.widths += re.findall(r"width:(\d+)%", dict(attrs).get("style") or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def html(card: evenhand.Scorecard) -> str:
    """As a notebook asks for it."""
    show: Callable[[], str] = card._repr_html_  # type: ignore[attr-defined]
    return show()


def test_a_notebook_shows_grade_bars_and_arithmetic():
    """A bar is as long as the score is high: 7.5 of 10 is 75 %, and an unscored dimension has none."""
    card = evenhand.score({"skill": "notes", "rubric": "default", "scores": SEVENS | {"safety": 7.5}})
    page = Page(html(card))
    assert page.widths == ["70", "70", "70", "70", "70", "75", "70"]
    assert "B- 7.05 of 10" in " ".join(page.text.split())
    assert "composite 7.05 = 7.05" in page.text
    unscored = evenhand.score({"scores": SEVENS | {"safety": {"unscored": "not asked"}}})
    assert Page(html(unscored)).widths[5] == "0"


def test_a_notebook_shows_foreign_markup_as_text():
    """Names, reasons and warnings are text, and nothing is loaded or run."""
    evil = '<script>alert("x")</script><img src=x onerror="y">'
    unscored = SEVENS | {"safety": {"unscored": evil}}
    made = html(evenhand.score({"skill": evil, "scores": unscored})._replace(warnings=(evil, "\x1b[2J")))
    assert Page(made).tags == {"div", "p", "b", "table", "tr", "td", "ul", "ol", "li"}
    assert "http" not in made
    assert "\x1b" not in made
    assert len(made) < 8_000


def test_the_parts_of_a_check_are_public():
    """As a module of its own and as an attribute of the package."""
    from evenhand.findings import Check, Finding, Subject

    assert (evenhand.findings.Check, evenhand.findings.Finding, evenhand.findings.Subject) == (Check, Finding, Subject)


@pytest.mark.slow
def test_scoring_loads_no_report():
    """HTML is made when a notebook asks for it, and not before."""
    code = (
        "import sys, evenhand\n"
        "evenhand.score({'scores': dict.fromkeys(evenhand.DIMENSIONS, 7)})\n"
        "print(*[name for name in sys.modules if name.startswith('evenhand.reports')])\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize(
    "function", [evenhand.check, lambda text, **more: evenhand.score({"scores": seven(8)}, **more)]
)
def test_an_address_in_place_of_a_store_is_told_how_to_open_it(function):
    """Every tool takes a path somewhere; here it would otherwise fail deep inside."""
    with pytest.raises(TypeError, match=r"open it with evenhand.open_store\('evaluations.db'\)"):
        function("An answer.", store="evaluations.db")
