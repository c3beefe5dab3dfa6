"""Models in a suite: as variants that are asked, and as judges of what was produced, within one budget."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import answer as judge_answer

from evenhand.decisions.suite import Case, Command, Limits, Message, Model, Suite, Variant
from evenhand.errors import InputError
from evenhand.judges.models.budget import Budget
from evenhand.judging.panels.concurrency import INTERRUPTED
from evenhand.options.model_options import ModelOptions
from evenhand.suites.execution.agent_runs import Reuse
from evenhand.suites.judgement.run_judgements import NOT_JUDGED, JudgedRun
from evenhand.suites.suite_plan import SuitePlan
from evenhand.suites.suite_run import OpenSuite, SuiteOptions
from evenhand.trust.calibration import calibrate_pairs, write_calibration
from evenhand.trust.labels.judged_items import JudgeKey
from evenhand.work.agent_run import AgentRun

CASES = (
    Case("one", "How many legs has a cat?"),
    Case("two", "And a {case}?", conversation=(Message("user", "How many legs has a cat?"), Message("assistant", "4"))),
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose evenhand.toml names two models on a server: one that writes, one that judges."""
    monkeypatch.chdir(tmp_path)
    with FakeServer() as server:
        tables = "".join(
            f'[judges.{name}]\nbase_url = "{server.url}"\nmodel = "{name}"\nprice_input = 1\nprice_output = 1\n'
            for name in ("writer", "reader")
        )
        (tmp_path / "evenhand.toml").write_text(tables)
        server.answer = replies
        yield tmp_path, server


def replies(asked: Asked) -> Step:
    """The writer answers, the reader judges."""
    return chat("A cat has four legs, a bird two.") if asked.body["model"] == "writer" else judge_answer(asked)


def run_suite(suite: Suite, folder: Path, **models: object) -> tuple[OpenSuite, list[JudgedRun]]:
    """Run a suite as the command does, with replies kept."""
    options = SuiteOptions(2, models=ModelOptions(replies=str(folder / "replies.db"), **models))
    with OpenSuite(suite, folder / "runs", options, secret=lambda: b"s" * 32) as running:
        return running, sorted(running.results())


def test_a_model_variant_is_asked_once_with_its_template(project):
    """The conversation comes first, the template is filled once; the reply, its tokens and its cost are kept."""
    folder, server = project
    suite = Suite("s", CASES, (Variant("writer", Model("writer", "In {repeat} line: {prompt}", "Case {case}.")),))
    _, judged = run_suite(suite, folder)
    run = judged[1].run
    assert (run.outcome, run.output) == ("finished", "A cat has four legs, a bird two.")
    assert (run.input_tokens, run.output_tokens, run.cost) == (100, 20, Decimal("0.00012"))
    bodies = {len(asked.body["messages"]): asked.body["messages"] for asked in server.asked}
    assert [(message["role"], message["content"]) for message in bodies[4]] == [
        ("system", "Case two."),
        ("user", "How many legs has a cat?"),
        ("assistant", "4"),
        ("user", "In 1 line: And a {case}?"),
    ]
    assert server.count == 2
    assert [item.run for item in run_suite(suite, folder)[1]] == [item.run for item in judged]
    assert server.count == 2


def test_variables_of_a_case_are_filled_into_templates_and_commands(project):
    """Once, whatever is in them; a run is kept by them, and made again when one changes."""
    folder, server = project
    case = Case("c", "the task", variables=(("a", "{vars.b}"), ("b", "B")))
    model = Variant("writer", Model("writer", "{vars.a} {vars.b}", "{vars.b}"))
    echo = Variant("echo", Command(("printf", "%s", "{vars.b}-{vars.a}"), stdin="{vars.b}"))
    suite = Suite("s", (case,), (model, echo))
    _, judged = run_suite(suite, folder)
    assert [message["content"] for message in server.asked[0].body["messages"]] == ["B", "{vars.b} B"]
    assert {item.run.id.variant: item.run.output for item in judged}["echo"] == "B-{vars.b}"
    changed = suite._replace(cases=(case._replace(variables=(("a", "1"), ("b", "2"))),))
    _, again = run_suite(changed, folder)
    assert {item.run.id.variant: item.run.output for item in again}["echo"] == "2-1"
    assert server.count == 2


@pytest.mark.parametrize(
    ("step", "outcome", "reason"),
    [
        (Fault.status(400, "bad"), "failed", "bad"),
        (chat("half a", finish="length"), "stopped by a limit", "its reply reached the limit of tokens"),
        (chat(None, finish="content_filter"), "failed", "refused"),
    ],
)
def test_a_model_that_gives_no_whole_answer_is_a_run_that_did_not_finish(project, step, outcome, reason):
    """With the reason, and no score."""
    folder, server = project
    server.answer = lambda asked: step
    _, (judged,) = run_suite(Suite("s", CASES[:1], (Variant("writer", Model("writer")),)), folder)
    assert judged.run.outcome == outcome
    assert reason in judged.run.reason
    assert judged.result.final is None and judged.card is None


def test_judges_score_runs_and_their_replies_are_not_paid_for_twice(project):
    """Each run has a final score; a second command asks nobody."""
    folder, server = project
    suite = Suite("s", CASES, (Variant("sh", Command(("echo", "A cat has four legs."))),), judges=("reader",))
    running, judged = run_suite(suite, folder)
    assert [item.result.final for item in judged] == [800, 800]
    assert [item.result.unscored for item in judged] == ["", ""]
    assert running.budget.cost == sum((item.result.judging_cost or Decimal(0)) for item in judged) > 0
    asked = server.count
    with OpenSuite(
        suite, folder / "runs", SuiteOptions(models=ModelOptions(replies=str(folder / "replies.db"))),
        secret=lambda: b"s" * 32,
    ) as planning:  # fmt: skip
        plan = planning.plan()
        assert (plan.runs, plan.kept, plan.judges[0][1].calls) == (2, 2, 0)
    _, again = run_suite(suite, folder)
    assert [item.result.final for item in again] == [800, 800]
    assert server.count == asked


def test_a_suites_calibration_is_beside_every_score(project):
    """Made for its judge and rubric; for another rubric it is refused before anything is run."""
    folder, _ = project
    variants = (Variant("sh", Command(("echo", "A cat has four legs."))),)
    suite = Suite("s", CASES[:1], variants, judges=("reader",), rubric="default")
    _, (plain,) = run_suite(suite, folder)
    card = plain.card
    key = JudgeKey(json.dumps(dict(card.judge)), card.receipt.rubric, "default")
    pairs = [(4 + place / 10, 3 + place / 10) for place in range(50)]
    write_calibration(calibrate_pairs(key, {"final": pairs}), folder / "c.json")
    calibrated = suite._replace(calibration=str(folder / "c.json"))
    _, (judged,) = run_suite(calibrated, folder)
    assert (judged.card.final, judged.card.calibration.scores["final"].value) == (Decimal(8), Decimal("7.00"))
    runs = Path("ran").absolute()
    other = calibrated._replace(
        rubric="writing", variants=(Variant("sh", Command(("touch", str(runs)))),)
    )  # fmt: skip
    with pytest.raises(InputError, match="it was made with another rubric"):
        run_suite(other, folder)
    assert not runs.exists()


def planned(suite: Suite, folder: Path, **options: object) -> SuitePlan:
    """What running a suite would take."""
    models = ModelOptions(replies=str(folder / "replies.db"))
    with OpenSuite(suite, folder / "runs", SuiteOptions(models=models, **options), secret=lambda: b"s" * 32) as run:
        return run.plan()


def test_judges_are_planned_for_runs_that_are_not_made_yet(project):
    """As long as the kept runs of the variant on average: 100 and 200 common words are as many tokens."""
    folder, server = project
    cases = tuple(
        Case(name, " ".join([word] * words)) for name, word, words in (("a", "first", 100), ("b", "next", 200))
    )
    more = Case("c", " ".join(["last"] * 150))
    echo = Variant("echo", Command(("printf", "%s", "{prompt}")))
    unjudged = Suite("s", cases, (echo,))
    alone = planned(unjudged._replace(cases=(more,), judges=("reader",)), folder)
    assert [tuple(entry) for entry in alone.assumed] == [("echo", 1, 1_000, "nothing is kept")]
    run_suite(unjudged, folder)
    plan = planned(unjudged._replace(cases=(*cases, more), judges=("reader",)), folder)
    assert (plan.runs, plan.kept, plan.pairs) == (3, 2, ())
    assert [tuple(entry) for entry in plan.assumed] == [("echo", 1, 150, "its kept runs")]
    assert (alone.judges[0][1].calls, plan.judges[0][1].calls) == (2, 3 * 2), "two calls for each output"
    # The run not made yet takes what its output of 150 tokens will take.
    run_suite(unjudged._replace(cases=(more,)), folder)
    exact = planned(unjudged._replace(cases=(*cases, more), judges=("reader",)), folder)
    assert exact.assumed == ()
    rounding = abs(exact.judges[0][1].input_tokens - plan.judges[0][1].input_tokens)
    assert rounding <= 8, "at most a token for each call about it"
    assert server.count == 0


def test_a_fresh_run_is_planned_like_the_runs_it_replaces(project):
    """With --set judge.fresh=true nothing counts as kept, but what is there tells how long outputs and runs are."""
    folder, _ = project
    suite = Suite("s", CASES, (Variant("sh", Command(("printf", "%s", "word " * 10))),), judges=("reader",))
    run_suite(suite._replace(judges=()), folder)
    plan = planned(suite, folder, reuse=Reuse(fresh=True))
    assert (plan.runs, plan.kept) == (2, 0)
    assert plan.seconds is not None
    assert [tuple(entry) for entry in plan.assumed] == [("sh", 2, 10, "its kept runs")]


def test_a_model_variant_is_planned_by_its_price_and_then_by_its_kept_runs(project):
    """At most 8,192 tokens at $1 a million before; afterwards the $0.00012 that a run has cost."""
    folder, _ = project
    suite = Suite("s", CASES[:1], (Variant("writer", Model("writer")),), judges=("reader",))
    plan = planned(suite, folder)
    assert [tuple(entry) for entry in plan.assumed] == [("writer", 1, 8_192, "its model's limit")]
    assert Decimal("0.008192") < plan.cost < Decimal("0.0083")
    assert plan.unpriced == 0
    run_suite(suite, folder)
    again = planned(suite._replace(repeats=2), folder)
    assert (again.kept, again.cost) == (1, Decimal("0.00012"))


PATIENT = """import pathlib, sys, time
if sys.argv[1] == "wait":
    while not pathlib.Path(sys.argv[2]).exists():
        time.sleep(0.01)
print("A cat has four legs.")
"""


def waiting_suite(folder: Path) -> tuple[Suite, Path]:
    """Two cases, of which the second ends only when a file is there."""
    (folder / "agent.py").write_text(PATIENT)
    sign = folder / "sign"
    agent = Command((sys.executable, str(folder / "agent.py"), "{prompt}", str(sign)))
    cases = (Case("quick", "answer"), Case("slow", "wait"))
    return Suite("s", cases, (Variant("agent", agent, limits=Limits(Decimal(60))),), judges=("reader",)), sign


def test_a_run_is_judged_while_another_goes_on(project):
    """The slow run ends only after the judgement of the quick one has come; if it waited, it would time out."""
    folder, _ = project
    suite, sign = waiting_suite(folder)
    options = SuiteOptions(2, models=ModelOptions(replies=str(folder / "replies.db")))
    judged = []
    with OpenSuite(suite, folder / "runs", options, secret=lambda: b"s" * 32) as running:
        for item in running.results():
            judged.append(item)
            assert running.judged == len(judged)
            sign.touch()
    assert [(item.run.id.case, item.run.outcome, item.result.final) for item in judged] == [
        ("quick", "finished", 800),
        ("slow", "finished", 800),
    ]


@pytest.mark.slow
def test_leaving_early_ends_the_runs_and_keeps_what_was_paid_for(project):
    """The slow run is ended and not kept, the quick one's judgement is not asked for again."""
    folder, server = project
    suite, sign = waiting_suite(folder)
    options = SuiteOptions(2, models=ModelOptions(replies=str(folder / "replies.db")))
    with OpenSuite(suite, folder / "runs", options, secret=lambda: b"s" * 32) as running:
        results = running.results()
        assert next(results).run.id.case == "quick"
        results.close()  # type: ignore[attr-defined]
    asked = server.count
    sign.touch()
    _, judged = run_suite(suite, folder)
    assert [item.result.final for item in judged] == [800, 800]
    assert server.count - asked == 2, "the slow case alone: what it claims, then its scores"


def test_an_interrupt_ends_runs_and_judging_with_what_is_there(project):
    """The slow run is missing, not failed; nothing is raised."""
    folder, _ = project
    suite, _ = waiting_suite(folder)
    options = SuiteOptions(2, models=ModelOptions(replies=str(folder / "replies.db")))
    with OpenSuite(suite, folder / "runs", options, secret=lambda: b"s" * 32) as running:
        cases = []
        for item in running.results():
            cases.append(item.run.id.case)
            running.budget.stop(INTERRUPTED)
    assert cases == ["quick"]


def test_runs_go_on_when_the_judges_have_to_stop(project):
    """A limit on calls stops judging at once and says so; the run under way then is made, and not judged."""
    folder, _ = project
    suite, sign = waiting_suite(folder)
    options = SuiteOptions(2, models=ModelOptions(replies=str(folder / "replies.db"), max_calls=1))
    notices: list[str] = []

    def noticed(text: str) -> None:
        notices.append(text)
        sign.touch()

    with OpenSuite(suite, folder / "runs", options, secret=lambda: b"s" * 32, notice=noticed) as running:
        judged = sorted(running.results())
    assert notices == ["no more models are asked: the limit of 1 call is reached"]
    assert [(item.run.outcome, item.result.unscored) for item in judged] == [("finished", NOT_JUDGED)] * 2


def test_runs_that_cannot_be_kept_are_reported_after_what_was_paid_for(project, monkeypatch):
    """The quick run is judged; then the error that ended the runs is raised."""
    folder, server = project
    suite, _ = waiting_suite(folder)
    options = SuiteOptions(1, models=ModelOptions(replies=str(folder / "replies.db")))
    with OpenSuite(suite, folder / "runs", options, secret=lambda: b"s" * 32) as running:
        made = running.runs.results()

        def failing() -> Iterator[AgentRun]:
            yield next(made)
            running.runs.stop.set()
            raise InputError("the disk is full")

        monkeypatch.setattr(running.runs, "results", failing)
        results = running.results()
        assert next(results).result.final == 800
        with pytest.raises(InputError, match="the disk is full"):
            next(results)
    assert server.count > 0


def test_a_budget_is_shared_by_event_loops_in_several_threads():
    """A call that must wait for one in another thread goes on when that one has cost less than it reserved."""
    budget = Budget(max_cost=Decimal(10))
    asyncio.run(budget.reserve(Decimal(6)))

    def settle() -> None:
        while not budget._waiting:
            time.sleep(0.001)
        budget.settle(Decimal(6), Decimal(1))

    other = threading.Thread(target=settle)
    other.start()
    asyncio.run(asyncio.wait_for(budget.reserve(Decimal(6)), 60))
    other.join()
    assert (budget.calls, budget.cost, budget.stopped) == (2, Decimal(1), None)


def test_a_spent_budget_stops_models_and_says_what_was_not_judged(project):
    """Nothing is a zero: what nobody judged has no score, and a reason."""
    folder, server = project
    suite = Suite("s", CASES, (Variant("sh", Command(("echo", "Four."))),), judges=("reader",))
    running, judged = run_suite(suite, folder, max_cost=Decimal(0))
    assert running.budget.stopped == "the next call could exceed the limit of $0"
    assert [(item.run.outcome, item.result.final, item.result.unscored) for item in judged] == [
        ("finished", None, NOT_JUDGED)
    ] * 2
    assert server.count == 0


def test_a_budget_needs_the_price_of_every_model(project):
    """A limit that cannot be checked is refused before anything is asked."""
    folder, server = project
    (folder / "evenhand.toml").write_text(f'[judges.writer]\nbase_url = "{server.url}"\nmodel = "writer"\n')
    with pytest.raises(InputError, match="`max_cost` needs a price, and the price of writer is unknown"):
        run_suite(Suite("s", CASES, (Variant("writer", Model("writer")),)), folder, max_cost=Decimal(1))
    assert server.count == 0
